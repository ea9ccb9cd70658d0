#include "draw.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "frame/cli.h"

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "";
}

static int size_variable(const char *name, int otherwise)
{
    const long n = strtol(variable(name), NULL, 10);

    return n > 0 && n < 10000 ? (int)n : otherwise;
}

static bool locale_is_utf8(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (int i = 0; i < 3; i++)
        if (variable(names[i])[0])
            return strcasestr(variable(names[i]), "utf-8") || strcasestr(variable(names[i]), "utf8");
    return false;
}

void find_screen(struct screen *s)
{
    const bool terminal = isatty(STDOUT_FILENO) == 1;
    const char *colours = variable("COLORTERM");
    struct winsize size = { 0 };

    if (!terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        size.ws_col = size.ws_row = 0;
    s->columns = size.ws_col > 0 ? size.ws_col : size_variable("COLUMNS", 80);
    s->rows = size.ws_row > 0 ? size.ws_row : size_variable("LINES", 24);
    s->utf8 = locale_is_utf8();
    if (!terminal || variable("NO_COLOR")[0] || strcmp(variable("TERM"), "dumb") == 0)
        s->colours = NO_COLOURS;
    else
        s->colours = strstr(colours, "truecolor") || strstr(colours, "24bit") ? COLOURS_24_BIT : COLOURS_256;
}

/* The columns of a character of n bytes: two for wide ones of East Asia and pictures, none for joining accents. */
static int character_columns(const char *at, size_t n)
{
    const uint32_t code = n < 2 ? (unsigned char)*at : utf8_code(at, n);

    if ((code >= 0x300 && code < 0x370) || code == 0x200b || code == 0x200d || (code >= 0xfe00 && code < 0xfe10))
        return 0;
    return (code >= 0x1100 && code < 0x1160) || (code >= 0x2e80 && code < 0xa4d0) ||
                   (code >= 0xac00 && code < 0xd7a4) || (code >= 0xf900 && code < 0xfb00) ||
                   (code >= 0xfe30 && code < 0xfe70) || (code >= 0xff00 && code < 0xff61) ||
                   (code >= 0x1f300 && code < 0x1fb00) || (code >= 0x20000 && code < 0x40000)
               ? 2
               : 1;
}

static size_t character_bytes(const char *at)
{
    const size_t n = utf8_bytes(at, strlen(at));

    return n ? n : 1;
}

int text_columns(const char *text)
{
    int columns = 0;

    for (; *text; text += character_bytes(text))
        columns += character_columns(text, character_bytes(text));
    return columns;
}

int put_shortened(const struct screen *s, const char *text, int room)
{
    const int all = text_columns(text);
    const int keep = all <= room ? all : room - (s->utf8 ? 1 : 3);
    int columns = 0;
    size_t n = 0;

    while (text[n] && columns + character_columns(text + n, character_bytes(text + n)) <= keep) {
        columns += character_columns(text + n, character_bytes(text + n));
        n += character_bytes(text + n);
    }
    put("%.*s", (int)n, text);
    if (all <= room || keep < 0)
        return columns;
    put("%s", s->utf8 ? "\u2026" : "...");
    return columns + (s->utf8 ? 1 : 3);
}

void put_spaces(int n)
{
    put("%*s", n > 0 ? n : 0, "");
}

void put_times(const struct screen *s, int n, const char *character, char ascii)
{
    for (int i = 0; i < n; i++)
        if (s->utf8)
            put("%s", character);
        else
            put("%c", ascii);
}

static void set_colour(const struct screen *s, int what, uint32_t colour)
{
    if (s->colours == COLOURS_24_BIT)
        put("\033[%d;2;%d;%d;%dm", what, (int)(colour >> 16), (int)(colour >> 8 & 0xff), (int)(colour & 0xff));
    else if (s->colours == COLOURS_256)
        put("\033[%d;5;%dm", what, colour_of_256(colour));
}

void letter_colour(const struct screen *s, uint32_t colour)
{
    set_colour(s, 38, colour);
}

void ground_colour(const struct screen *s, uint32_t colour)
{
    set_colour(s, 48, colour);
}

void end_colours(const struct screen *s)
{
    if (s->colours != NO_COLOURS)
        put("\033[0m");
}
