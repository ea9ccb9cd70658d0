/* The picture in the terminal. */
#include "view_terminal.h"

int view_terminal(const struct view *v)
{
    struct screen s;

    find_screen(&s);
    if (v->wish->width) {
        s.columns = (int)v->wish->width;
        s.rows = (int)v->wish->height;
    }
    return v->naxes == 2 ? terminal_image(&s, v) : terminal_line(&s, v);
}
