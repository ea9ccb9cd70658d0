/* How elements are printed: what they mean, or what is stored. */
#ifndef SHOWN_H
#define SHOWN_H

#include "arrays/arrays.h"
#include "drx_cf.h"
#include "frame/value.h"

struct shown {
    const void *fill; /* elements equal to it are missing; NULL: none */
    bool real;        /* `cf` says what they mean */
    bool decoded;     /* packed numbers or dates */
    drx_cf cf;        /* of an array that is open; else the type alone */
};

/* Elements of `a` by their attributes units, calendar, scale_factor, add_offset, _Unsigned, _FillValue and
 * missing_value; or, when `raw`, as they are stored. Prints what is wrong; gives the exit code. */
int show_as(struct shown *how, const drx_array *a, const char *path, bool raw);

/* "_": a missing element. */
void shown_text(const struct shown *how, const char *element, char out[VALUE_TEXT_BYTES]);

#endif
