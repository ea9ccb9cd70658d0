/* The picture in the terminal: words and frame. */
#include "view_terminal.h"

#include <stdlib.h>

enum { LONGEST_NAME = 12 };

int margin_for(const char *top, const char *middle, const char *bottom)
{
    int margin = text_columns(top);

    if (text_columns(bottom) > margin)
        margin = text_columns(bottom);
    if (text_columns(middle) > margin)
        margin = text_columns(middle) < LONGEST_NAME ? text_columns(middle) : LONGEST_NAME;
    return margin;
}

void put_title_lines(const struct screen *s, const struct view *v, const char *unit)
{
    char *title;

    if (asprintf(&title, unit ? "%s (%s)" : "%s", v->title, unit ? unit : "") < 0)
        return;
    (void)put_shortened(s, title, s->columns);
    free(title);
    put("\n");
    if (!v->subtitle[0])
        return;
    (void)put_shortened(s, v->subtitle, s->columns);
    put("\n");
}

static void put_border(const struct screen *s, const struct frame *f, bool top)
{
    put_spaces(f->margin);
    put_times(s, 1, top ? "\u250c" : "\u2514", '+');
    put_times(s, f->columns, "\u2500", '-');
    put_times(s, 1, top ? "\u2510" : "\u2518", '+');
    put("\n");
}

static void put_word(const struct screen *s, const struct frame *f, int row)
{
    const char *word = "";

    if (row == 0)
        word = f->top;
    else if (row == f->rows - 1)
        word = f->bottom;
    else if (row == (f->rows - 1) / 2)
        word = f->middle;
    put_spaces(f->margin - text_columns(word));
    (void)put_shortened(s, word, f->margin);
}

void put_frame(const struct screen *s, const struct frame *f,
               void (*put_row)(const struct screen *s, const void *with, int row), const void *with)
{
    put_border(s, f, true);
    for (int row = 0; row < f->rows && !put_failed(); row++) {
        put_word(s, f, row);
        put_times(s, 1, "\u2502", '|');
        put_row(s, with, row);
        put_times(s, 1, "\u2502", '|');
        put("\n");
    }
    put_border(s, f, false);
}

void put_axis_line(const struct screen *s, const struct frame *f, const struct axis *x)
{
    char ends[2][TICK_TEXT_BYTES];
    char *name = axis_words(x);
    const int width = f->columns + 2;
    int left, right, room, used = 0;

    end_texts(x, ends);
    left = text_columns(ends[0]);
    right = text_columns(ends[1]);
    put_spaces(f->margin);
    room = width - left - right;
    if (room < 1) { /* one below the other */
        put("%s", ends[0]);
        if (right > 0) {
            put("\n");
            put_spaces(f->margin + width - right);
            put("%s", ends[1]);
        }
        put("\n");
        room = s->columns - f->margin;
        left = right = 0;
        put_spaces(name ? f->margin : 0);
    } else {
        put("%s", ends[0]);
    }
    if (name && room > 5) {
        const int columns = text_columns(name) < room - 4 ? text_columns(name) : room - 4;
        const int before = (width - columns) / 2 - left;

        put_spaces(before < 2 && left > 0 ? 2 : before);
        used = (before < 2 && left > 0 ? 2 : before < 0 ? 0 : before) + put_shortened(s, name, columns);
    }
    if (right > 0) {
        put_spaces(room - used);
        put("%s", ends[1]);
    }
    put("\n");
    free(name);
}
