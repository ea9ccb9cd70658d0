/* Coordinates of an array: one-dimensional arrays that lie beside it and are named
 * like its dimensions. */
#ifndef COORDS_H
#define COORDS_H

#include "drx.h"

/* Open the array with the coordinates along `axis` of `a`, whose path is `path`;
 * to be closed. NULL, silently, when there is none that fits: of one dimension, with
 * the extent of the axis, of real numbers, and not the array itself. */
drx_array *open_coordinate(const drx_array *a, const char *path, int axis);

/* The same, of whatever extent and type. */
drx_array *open_named_like(const drx_array *a, const char *path, int axis);

/* The path of the array `name` in the folder of `path`, to be freed; NULL when no
 * array can be called so, or memory is out. */
char *path_beside(const char *path, const char *name);

#endif
