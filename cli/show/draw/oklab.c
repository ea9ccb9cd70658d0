#include "oklab.h"

#include <math.h>

struct linear {
    double red, green, blue;
};

/* The numbers of the two functions are Ottosson's. */
static struct linear linear_of_lab(struct lab c)
{
    const double l = pow(c.l + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
    const double m = pow(c.l - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
    const double s = pow(c.l - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);

    return (struct linear){ .red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                            .green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                            .blue = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s };
}

static struct lab lab_of_linear(struct linear c)
{
    const double l = cbrt(0.4122214708 * c.red + 0.5363325363 * c.green + 0.0514459929 * c.blue);
    const double m = cbrt(0.2119034982 * c.red + 0.6806995451 * c.green + 0.1073969566 * c.blue);
    const double s = cbrt(0.0883024619 * c.red + 0.2817188376 * c.green + 0.6299787005 * c.blue);

    return (struct lab){ .l = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                         .a = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                         .b = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s };
}

/* ---- sRGB --------------------------------------------------------------------- */

static uint32_t part_of(double linear)
{
    const double x = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;

    return x <= 0.0 ? 0 : x >= 1.0 ? 255 : (uint32_t)(255 * x + 0.5);
}

static double linear_of(uint32_t part)
{
    const double x = (double)(part & 0xff) / 255;

    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

uint32_t rgb_of_lab(struct lab c)
{
    const struct linear linear = linear_of_lab(c);

    return part_of(linear.red) << 16 | part_of(linear.green) << 8 | part_of(linear.blue);
}

static bool is_part(double linear)
{
    return linear > -1e-6 && linear < 1 + 1e-6;
}

bool is_in_srgb(struct lab c)
{
    const struct linear linear = linear_of_lab(c);

    return is_part(linear.red) && is_part(linear.green) && is_part(linear.blue);
}

struct lab lab_of_rgb(uint32_t colour)
{
    return lab_of_linear((struct linear){ linear_of(colour >> 16), linear_of(colour >> 8), linear_of(colour) });
}

/* ---- OKLab ---------------------------------------------------------------------- */

struct lab lab_of_lch(double lightness, double chroma, double hue)
{
    const double radians = hue * acos(-1.0) / 180;

    return (struct lab){ lightness, chroma * cos(radians), chroma * sin(radians) };
}

double lab_distance(struct lab x, struct lab y)
{
    return sqrt((x.l - y.l) * (x.l - y.l) + (x.a - y.a) * (x.a - y.a) + (x.b - y.b) * (x.b - y.b));
}
