#include "segment_colours.h"

#include <stdio.h>

#include "show/draw/colours.h"

/* Where sRGB has no such colour, the chroma is less. */
static const char *colour_text(double lightness, double chroma, double hue, char out[COLOUR_TEXT_BYTES])
{
    struct lab colour = lab_of_lch(lightness, chroma, hue);

    for (double less = chroma; less > 0 && !is_in_srgb(colour); less -= chroma / 64)
        colour = lab_of_lch(lightness, less, hue);
    (void)snprintf(out, COLOUR_TEXT_BYTES, "#%06x", (unsigned)rgb_of_lab(colour) & 0xffffff);
    return out;
}

enum { FEW = 8 }; /* so many are told apart by their places in the series */

static const double first_hue = 98, last_hue = 312, first_lightness = 0.935, last_lightness = 0.7;

static double place(int64_t k, int64_t n)
{
    return n > 1 ? (double)k / (double)(n - 1) : 0;
}

const char *series_colour(int64_t k, int64_t n, char out[COLOUR_TEXT_BYTES])
{
    const double t = place(k, n);
    const double set_off = n > FEW && k % 2 ? 0.045 : 0;

    return colour_text(first_lightness + t * (last_lightness - first_lightness) - set_off, 0.095,
                       first_hue + t * (last_hue - first_hue), out);
}

const char *series_line_colour(int64_t k, int64_t n, char out[COLOUR_TEXT_BYTES])
{
    return colour_text(0.45, 0.09, first_hue + place(k, n) * (last_hue - first_hue), out);
}
