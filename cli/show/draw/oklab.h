/* Colours as they are seen: OKLab (Björn Ottosson, 2020), in which equal distances look
 * about equal; and its polar form, lightness, chroma and hue. */
#ifndef OKLAB_H
#define OKLAB_H

#include <stdbool.h>
#include <stdint.h>

struct lab {
    double l, a, b; /* lightness from 0 to 1; 0, 0 of greys */
};

struct lab lab_of_lch(double lightness, double chroma, double hue); /* hue in degrees */
struct lab lab_of_rgb(uint32_t colour);                             /* 0xRRGGBB of sRGB */
double lab_distance(struct lab x, struct lab y);

/* The colour as 0xRRGGBB, each part within its range; and whether it was before. */
uint32_t rgb_of_lab(struct lab c);
bool is_in_srgb(struct lab c);

#endif
