/* What pictures are drawn with. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "drx_cf.h"

/* ---- colours.c: Colour maps and series of colours, made in OKLab (Björn Ottosson, 2020), where equal distances look
 * about equal. People with the usual kinds of colour blindness can tell them apart, too. */

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

/* ---- ticks.c: Marks at round numbers or dates, and their texts. */

enum { MOST_TICKS = 24, TICK_TEXT_BYTES = 40 };

struct tick {
    double value;
    char text[TICK_TEXT_BYTES];
};

struct ticks {
    int n;
    struct tick tick[MOST_TICKS];
};

/* The smallest step of 1, 2 or 5 times a power of ten that gives at most `most` ticks in `span` > 0. */
double round_step(double span, int most);

/* At most `most` ticks at multiples of such a step (`whole`: at least 1) from low to high; low <= high, both finite. */
void round_ticks(double low, double high, int most, bool whole, struct ticks *out);

/* The number, with enough digits to tell it from one that is `step` away; step 0: six digits. */
void number_text(double value, double step, char out[TICK_TEXT_BYTES]);

/* ---- dates.c: Times of the CF conventions: numbers with a unit such as "days since 1982-01-01", in any of their
 * calendars. */

enum { CALENDAR_BYTES = 32 };

struct time_unit {
    double seconds; /* in one unit; 0: no time */
    double base;    /* the moment of number 0, in seconds since 2000-01-01 of the
                     calendar */
    char calendar[CALENDAR_BYTES];
};

/* False: numbers of that description are no dates, or nobody understands them. */
bool find_time_unit(struct time_unit *t, const drx_cf *cf);

/* "1982-01-16", with the time of day unless that is midnight, or the unit is months or years. */
void date_text(const struct time_unit *t, double value, char out[TICK_TEXT_BYTES]);

/* Ticks at the beginnings of years, months, days, hours, ... between two numbers, at most `most` of them. */
void date_ticks(const struct time_unit *t, double low, double high, int most, struct ticks *out);

/* ---- fonts.c: Where fontconfig, and so cairo, finds letters. */

/* On a system that has no settings of fonts, take those that were unpacked together with the program, if any. */
void find_fonts(void);

/* ---- screen.c: The terminal as a place to draw on. */

enum screen_colours { NO_COLOURS, COLOURS_256, COLOURS_24_BIT };

struct screen {
    int columns, rows;
    bool utf8;
    enum screen_colours colours;
};

/* What standard output can show. Size: of the terminal, else COLUMNS and LINES, else 80 x 24. Characters beyond ASCII
 * if the locale has UTF-8; colours on a terminal if NO_COLOR is not set. */
void find_screen(struct screen *s);

/* Columns that UTF-8 text occupies. */
int text_columns(const char *text);

/* Print text, shortened to at most `room` columns; returns the columns used. */
int put_shortened(const struct screen *s, const char *text, int room);
void put_spaces(int n);

/* n times a character; `ascii` without UTF-8. */
void put_times(const struct screen *s, int n, const char *character, char ascii);

/* Set the colour of letters or of the ground, if there are colours; end_colours: the default ones. */
void letter_colour(const struct screen *s, uint32_t colour);
void ground_colour(const struct screen *s, uint32_t colour);
void end_colours(const struct screen *s);

/* ---- svg.c: Pieces of SVG. */

/* Text between tags, escaped for XML, with control characters made visible. */
void svg_put_text(FILE *out, const char *text);

/* The approximate width of the text in letters of `size`. */
double svg_text_width(const char *text, double size);

/* Visible text, to be freed; cut with an ellipsis if it is wider than `width`. NULL: out of memory. */
char *svg_shortened(const char *text, double width, double size);
