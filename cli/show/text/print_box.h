/* A selection of an array as text. */
#ifndef PRINT_BOX_H
#define PRINT_BOX_H

#include "arrays/select.h"

/* One line for each row along the last axis, columns flush right; a line "# [i, :, :]" before each plane when there
 * are more than two axes. What holds a fill value other than zero is shown as "_". Returns the exit code. */
int print_box(drx_array *a, const struct selection *s);

#endif
