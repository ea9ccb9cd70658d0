#include "draw.h"

#include <math.h>

struct lab {
    double l, a, b; /* lightness from 0 to 1; 0, 0 of greys */
};

struct linear {
    double red, green, blue;
};

/* The coefficients of the two functions are Ottosson's. */
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

/* The colour as 0xRRGGBB, each part within its range. */
static uint32_t rgb_of_lab(struct lab c)
{
    const struct linear linear = linear_of_lab(c);

    return part_of(linear.red) << 16 | part_of(linear.green) << 8 | part_of(linear.blue);
}

static bool is_part(double linear)
{
    return linear > -1e-6 && linear < 1 + 1e-6;
}

static bool is_in_srgb(struct lab c)
{
    const struct linear linear = linear_of_lab(c);

    return is_part(linear.red) && is_part(linear.green) && is_part(linear.blue);
}

/* 0xRRGGBB of sRGB */
static struct lab lab_of_rgb(uint32_t colour)
{
    return lab_of_linear((struct linear){ linear_of(colour >> 16), linear_of(colour >> 8), linear_of(colour) });
}

/* hue: in degrees */
static struct lab lab_of_lch(double lightness, double chroma, double hue)
{
    const double radians = hue * acos(-1.0) / 180;

    return (struct lab){ lightness, chroma * cos(radians), chroma * sin(radians) };
}

static double lab_distance(struct lab x, struct lab y)
{
    return sqrt((x.l - y.l) * (x.l - y.l) + (x.a - y.a) * (x.a - y.a) + (x.b - y.b) * (x.b - y.b));
}

enum { STEPS = 512, FINE = 4096, MOST_POINTS = 5 };

/* The control points of a Bézier curve: lightness, chroma, hue in degrees. The lightness never turns back. */
struct curve {
    int n;
    double point[MOST_POINTS][3];
};

static const struct curve upwards = {
    5, { { 0.22, 0.10, 280 }, { 0.38, 0.20, 270 }, { 0.66, 0.12, 190 }, { 0.82, 0.20, 120 }, { 0.96, 0.10, 105 } }
};
static const struct curve to_blue = {
    4, { { 0.965, 0.003, 90 }, { 0.84, 0.05, 235 }, { 0.62, 0.17, 245 }, { 0.36, 0.13, 262 } }
};
static const struct curve to_red = {
    4, { { 0.965, 0.003, 90 }, { 0.84, 0.05, 60 }, { 0.66, 0.19, 45 }, { 0.36, 0.13, 28 } }
};
static const struct curve greys = { 2, { { 0.15, 0, 0 }, { 0.98, 0, 0 } } };

static struct lab curve_point(const struct curve *curve, double t)
{
    struct lab p[MOST_POINTS];

    for (int i = 0; i < curve->n; i++)
        p[i] = lab_of_lch(curve->point[i][0], curve->point[i][1], curve->point[i][2]);
    for (int n = curve->n; n > 1; n--)
        for (int i = 0; i + 1 < n; i++)
            p[i] = (struct lab){ .l = p[i].l + t * (p[i + 1].l - p[i].l),
                                 .a = p[i].a + t * (p[i + 1].a - p[i].a),
                                 .b = p[i].b + t * (p[i + 1].b - p[i].b) };
    return p[0];
}

/* A closed curve. Lightness goes round with the cosine, blue and yellow with the sine, so that it stays a circle for
 * people who do not see red or green. */
static struct lab circle_point(const struct curve *unused, double t)
{
    const double angle = 2 * acos(-1.0) * t;

    (void)unused;
    return (struct lab){ 0.64 + 0.2 * cos(angle), 0.06 * cos(angle), 0.11 * sin(angle) };
}

typedef struct lab point_on(const struct curve *curve, double t);

/* n colours at equal distances along the curve. */
static void even_steps(point_on *point, const struct curve *curve, int n, uint32_t out[])
{
    static double length[FINE + 1]; /* up to the parameter i / FINE */
    struct lab last = point(curve, 0), next;
    int at = 0;

    length[0] = 0;
    for (int i = 1; i <= FINE; i++) {
        next = point(curve, (double)i / FINE);
        length[i] = length[i - 1] + lab_distance(last, next);
        last = next;
    }
    for (int i = 0; i < n; i++) {
        const double wanted = length[FINE] * i / (n - 1);

        while (at + 1 < FINE && length[at + 1] < wanted)
            at++;
        out[i] = rgb_of_lab(point(curve, (at + (wanted - length[at]) / (length[at + 1] - length[at])) / FINE));
    }
}

static void make_map(enum colour_map map, uint32_t out[2 * STEPS + 1])
{
    uint32_t half[STEPS + 1];

    if (map != DIVERGING) {
        even_steps(map == CYCLIC ? circle_point : curve_point, map == GREY ? &greys : &upwards, 2 * STEPS + 1, out);
        return;
    }
    even_steps(curve_point, &to_blue, STEPS + 1, half);
    for (int i = 0; i <= STEPS; i++)
        out[STEPS - i] = half[i];
    even_steps(curve_point, &to_red, STEPS + 1, out + STEPS);
}

uint32_t colour_at(enum colour_map map, double place)
{
    static uint32_t made[COLOUR_MAPS][2 * STEPS + 1];
    static bool ready[COLOUR_MAPS];

    if (!ready[map])
        make_map(map, made[map]);
    ready[map] = true;
    return made[map][!(place > 0) ? 0 : place >= 1 ? 2 * STEPS : (int)(2 * STEPS * place + 0.5)];
}

uint32_t missing_colour(enum colour_map map)
{
    return map == GREY ? 0xd2b48c : 0xb3b3b3;
}

/* The colour of number 16 to 255: a cube of 6 x 6 x 6, then greys. */
static uint32_t colour_256(int number)
{
    static const uint32_t levels[] = { 0, 95, 135, 175, 215, 255 };
    const int j = number - 16;
    const uint32_t grey = (uint32_t)(8 + 10 * (number - 232));

    return number < 232 ? levels[j / 36] << 16 | levels[j / 6 % 6] << 8 | levels[j % 6] : grey << 16 | grey << 8 | grey;
}

int colour_of_256(uint32_t colour)
{
    static struct lab palette[256];
    const struct lab wanted = lab_of_rgb(colour);
    int nearest = 16;

    if (palette[255].l == 0)
        for (int i = 16; i < 256; i++)
            palette[i] = lab_of_rgb(colour_256(i));
    for (int i = 17; i < 256; i++)
        if (lab_distance(wanted, palette[i]) < lab_distance(wanted, palette[nearest]))
            nearest = i;
    return nearest;
}

/* Reduces the chroma of colours that sRGB does not have. */
static const char *colour_text(double lightness, double chroma, double hue, char out[COLOUR_TEXT_BYTES])
{
    struct lab colour = lab_of_lch(lightness, chroma, hue);

    for (double less = chroma; less > 0 && !is_in_srgb(colour); less -= chroma / 64)
        colour = lab_of_lch(lightness, less, hue);
    (void)snprintf(out, COLOUR_TEXT_BYTES, "#%06x", (unsigned)rgb_of_lab(colour) & 0xffffff);
    return out;
}

enum { FEW = 8 }; /* the eye tells this many apart by their places in the series */

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
