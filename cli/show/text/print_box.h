/* A selection of an array as text. */
#ifndef PRINT_BOX_H
#define PRINT_BOX_H

#include "arrays/select.h"

/* Print a line for each row along the last axis, columns flush right; with more than two axes, a line "# [i, :, :]"
 * before each plane. Elements are printed by what they mean, or, when `raw`, as they are stored. Returns the
 * exit code. */
int print_box(drx_array *a, const struct selection *s, bool raw);

#endif
