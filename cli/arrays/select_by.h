/* Selection by coordinate, as xarray's `sel` has it. */
#ifndef SELECT_BY_H
#define SELECT_BY_H

#include "select.h"

/* Select on an axis, which has a name, among n indices from number `first` on, what `text` says of its coordinate:
 *
 *   45            the index with the nearest coordinate; of two equally near, the larger. The axis is dropped. What lies
 *                 further outside than half a step is refused
 *   1997-12       a date, of a coordinate of dates: all indices in that year, month, day, hour, ...; the axis is dropped
 *                 when it is one. If there is none, the nearest
 *   -10:10        all from one to the other, both included, in either order; `-10:`, `:10`: to the end
 *   1997..1998    the same, for times of day that have colons
 *   -10:10:2      every second of them
 *
 * Prints what is wrong; gives the exit code. Changes `text` meanwhile. */
int select_by(struct selection *s, const drx_array *a, int axis, int64_t first, int64_t n, char *text);

#endif
