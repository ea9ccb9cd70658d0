/* Colours as people see them: OKLab (Björn Ottosson, 2020), in which equal distances look about equal, and colour
 * maps made in it, along curves that people with the usual kinds of colour blindness can tell apart, too. */
#ifndef COLOURS_H
#define COLOURS_H

#include <stdbool.h>
#include <stdint.h>

struct lab {
    double l, a, b; /* lightness from 0 to 1; 0, 0 of greys */
};

struct lab lab_of_lch(double lightness, double chroma, double hue); /* hue in degrees */

/* The colour as 0xRRGGBB, each part within its range; and whether it was before. */
uint32_t rgb_of_lab(struct lab c);
bool is_in_srgb(struct lab c);

enum colour_map {
    SEQUENTIAL, /* dark blue to light yellow, ever lighter */
    DIVERGING,  /* dark blue, near white in the middle, dark red */
    GREY,       /* dark to light */
    COLOUR_MAPS
};

extern const char *const colour_map_names[COLOUR_MAPS]; /* as options give them */

/* The colour 0xRRGGBB at `place`, 0 to 1, beyond which it stays that of the end. */
uint32_t colour_at(enum colour_map map, double place);

/* The colour of what is missing, which is none of the map. */
uint32_t missing_colour(enum colour_map map);

/* The nearest colour that a terminal of 256 colours has: 16 to 255. */
int colour_of_256(uint32_t colour);

#endif
