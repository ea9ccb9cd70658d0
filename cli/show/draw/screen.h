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

/* What standard output can show: its size if it is a terminal, else that of COLUMNS and LINES, else 80 x 24; letters
 * beyond ASCII if the locale has UTF-8; colours if it is a terminal and NO_COLOR is not set. */
void find_screen(struct screen *s);

/* Columns that UTF-8 text occupies. */
int text_columns(const char *text);

/* Print text, shortened to at most `room` columns; returns the columns used. */
int put_shortened(const struct screen *s, const char *text, int room);
void put_spaces(int n);

/* n times a character; `ascii` where there is no UTF-8. */
void put_times(const struct screen *s, int n, const char *character, char ascii);

/* From now on the colour of letters, of the ground; only with colours. end_colours: the usual ones again. */
void letter_colour(const struct screen *s, uint32_t colour);
void ground_colour(const struct screen *s, uint32_t colour);
void end_colours(const struct screen *s);

#endif
