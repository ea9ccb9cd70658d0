/* The terminal as a place to draw on. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
