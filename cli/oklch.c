/* Oklab is Björn Ottosson's; the numbers are his. */
#include "oklch.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

static const double degree = 3.14159265358979323846 / 180;

/* Linear sRGB. False: outside of it. */
static bool linear_rgb(double lightness, double chroma, double hue, double rgb[3])
{
    const double a = chroma * cos(hue * degree);
    const double b = chroma * sin(hue * degree);
    const double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    bool inside = true;

    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
    for (int i = 0; i < 3; i++)
        inside = inside && rgb[i] > -1e-6 && rgb[i] < 1 + 1e-6;
    return inside;
}

static int byte_of(double linear)
{
    const double x = fmin(fmax(linear, 0), 1);

    return (int)lround(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055));
}

const char *oklch_text(double lightness, double chroma, double hue, char out[COLOUR_TEXT_BYTES])
{
    double rgb[3];
    double low = 0, high = chroma;

    if (!linear_rgb(lightness, chroma, hue, rgb)) {
        for (int i = 0; i < 20; i++) { /* the largest chroma that sRGB has here */
            const double middle = (low + high) / 2;

            if (linear_rgb(lightness, middle, hue, rgb))
                low = middle;
            else
                high = middle;
        }
        (void)linear_rgb(lightness, low, hue, rgb);
    }
    (void)snprintf(out, COLOUR_TEXT_BYTES, "#%02x%02x%02x", (unsigned)byte_of(rgb[0]) & 0xff,
                   (unsigned)byte_of(rgb[1]) & 0xff, (unsigned)byte_of(rgb[2]) & 0xff);
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

    return oklch_text(first_lightness + t * (last_lightness - first_lightness) - set_off, 0.095,
                      first_hue + t * (last_hue - first_hue), out);
}

const char *series_line_colour(int64_t k, int64_t n, char out[COLOUR_TEXT_BYTES])
{
    return oklch_text(0.45, 0.09, first_hue + place(k, n) * (last_hue - first_hue), out);
}
