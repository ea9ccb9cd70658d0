/* The parts of the picture that `drx view` draws in the terminal. */
#pragma once

#include "view.h"

/* A box of characters with words around it. */
struct frame {
    int columns, rows;                 /* inside */
    int margin;                        /* columns to the left of it */
    const char *top, *middle, *bottom; /* words there */
};

/* The columns for the words; a long middle word is cut. */
int margin_for(const char *top, const char *middle, const char *bottom);

void put_title_lines(const struct screen *s, const struct view *v, const char *unit);
/* The frame with its words; `put_row` prints the inside of a row. */
void put_frame(const struct screen *s, const struct frame *f,
               void (*put_row)(const struct screen *s, const void *with, int row), const void *with);
/* The texts at the ends of the axis, and its name between them. */
void put_axis_line(const struct screen *s, const struct frame *f, const struct axis *x);

/* Both give the exit code. */
int terminal_image(const struct screen *s, const struct view *v);
int terminal_line(const struct screen *s, const struct view *v);
