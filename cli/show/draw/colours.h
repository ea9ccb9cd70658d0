/* Colours that stand for numbers: colour maps whose equal steps look equal, made in
 * OKLab (Björn Ottosson, 2020) along curves that people with the usual kinds of colour
 * blindness can tell apart, too. */
#ifndef COLOURS_H
#define COLOURS_H

#include <stdbool.h>
#include <stdint.h>

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
