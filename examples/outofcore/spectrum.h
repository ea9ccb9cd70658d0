/* Whether one complex128 array on disk is the two-dimensional discrete Fourier transform of another. */
#ifndef SPECTRUM_H
#define SPECTRUM_H

#include "outofcore.h"

/* transposed: element (u, v) of the transform is at (v, u) of `f`. Small ones are compared with a transform in core;
 * of larger ones random sums over all elements, and the energy. */
int spectrum_is_right(drx_array *x, drx_array *f, int transposed);

#endif
