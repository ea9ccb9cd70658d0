/* Colours by lightness, chroma and hue as they are seen (Oklab, in polar form). */
#ifndef OKLCH_H
#define OKLCH_H

#include <stdint.h>

enum { COLOUR_TEXT_BYTES = 8 };

/* "#rrggbb" of a colour: lightness 0 to 1, chroma (of greys 0), hue in degrees.
 * Where sRGB has no such colour, the chroma is less. */
const char *oklch_text(double lightness, double chroma, double hue, char out[COLOUR_TEXT_BYTES]);

/* Colour k of n in a series from pale yellow by green and blue to purple: of equal
 * chroma, in equal steps for the eye, darker and darker (which colour-blind eyes
 * see), pale enough for black text; when they are many, every second one is set
 * off from its neighbours. */
const char *series_colour(int64_t k, int64_t n, char out[COLOUR_TEXT_BYTES]);

/* The same, dark: for lines. */
const char *series_line_colour(int64_t k, int64_t n, char out[COLOUR_TEXT_BYTES]);

#endif
