/* Colour maps and series of colours, made in OKLab (Björn Ottosson, 2020), where equal distances look about equal.
 * People with the usual kinds of colour blindness can tell them apart, too. */
#ifndef COLOURS_H
#define COLOURS_H

#include <stdint.h>

enum colour_map {             /* in the order of the names that --colors takes */
                  SEQUENTIAL, /* dark blue to light yellow */
                  DIVERGING,  /* dark blue, near white in the middle, dark red */
                  GREY,       /* dark to light */
                  CYCLIC,     /* round: light rose, ochre, dark green, blue, and back */
                  COLOUR_MAPS
};

/* The colour 0xRRGGBB at `place`, 0 to 1; beyond the ends, that of the end. */
uint32_t colour_at(enum colour_map map, double place);

/* The colour of missing elements, which is not in the map. */
uint32_t missing_colour(enum colour_map map);

/* The nearest colour of a terminal with 256 colours: 16 to 255. */
int colour_of_256(uint32_t colour);

/* "#rrggbb" of segment k of n: pale yellow, green, blue, then purple, of equal chroma, in equal steps for the eye. They
 * get darker, which colour-blind eyes see, but stay pale enough for black text. Of many segments every second one
 * differs more from its neighbours. series_line_colour: the same, dark, for lines. */
enum { COLOUR_TEXT_BYTES = 8 };
const char *series_colour(int64_t k, int64_t n, char out[COLOUR_TEXT_BYTES]);
const char *series_line_colour(int64_t k, int64_t n, char out[COLOUR_TEXT_BYTES]);

#endif
