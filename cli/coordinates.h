/* The coordinates of an array: one-dimensional arrays beside it that have the names
 * of its dimensions. */
#ifndef COORDINATES_H
#define COORDINATES_H

#include "cli.h"

/* A line for each: its name, first and last value, and units. */
void put_coordinates(const drx_array *a, const char *path);

#endif
