/* The colours of segments in pictures of chunks. */
#ifndef SEGMENT_COLOURS_H
#define SEGMENT_COLOURS_H

#include <stdint.h>

enum { COLOUR_TEXT_BYTES = 8 }; /* "#rrggbb" */

/* Colour k of n in a series from pale yellow by green and blue to purple: of equal chroma, in equal steps for the
 * eye, darker and darker (which colour-blind eyes see), pale enough for black text; when they are many, every second
 * one is set off from its neighbours. */
const char *series_colour(int64_t k, int64_t n, char out[COLOUR_TEXT_BYTES]);

/* The same, dark: for lines. */
const char *series_line_colour(int64_t k, int64_t n, char out[COLOUR_TEXT_BYTES]);

#endif
