/* Checks whether one complex128 array on disk is the two-dimensional discrete Fourier transform of another. */
#ifndef SPECTRUM_H
#define SPECTRUM_H

#include "outofcore.h"

/* transposed: element (u, v) of the transform is at (v, u) of `f`. Random sums over all elements are compared,
 * and the energy; small ones also with a transform in core. */
int spectrum_is_right(drx_array *x, drx_array *f, int transposed);

#endif
