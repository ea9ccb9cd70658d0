#include "draw.h"

#include <stdlib.h>
#include <string.h>

#include "frame/cli.h"

/* U+FFFE and U+FFFF, which XML does not allow even escaped. */
static int is_noncharacter(const char *s, size_t bytes)
{
    return bytes == 3 && memcmp(s, "\xef\xbf", 2) == 0 && (unsigned char)s[2] >= 0xbe;
}

void svg_put_text(FILE *out, const char *text)
{
    char *visible = visible_text(text, strlen(text));
    size_t bytes;

    for (const char *s = visible; s && *s; s += bytes) {
        bytes = utf8_bytes(s, strlen(s));
        if (*s == '&')
            (void)fputs("&amp;", out);
        else if (*s == '<')
            (void)fputs("&lt;", out);
        else if (*s == '>')
            (void)fputs("&gt;", out);
        else if (is_noncharacter(s, bytes))
            (void)fputs("\uFFFD", out);
        else
            (void)fwrite(s, 1, bytes, out);
    }
    free(visible);
}

/* Characters of East Asia, and the symbols after them, are wide; most others are as wide as a digit. */
static double character_width(const char *s, size_t bytes)
{
    if (bytes == 1)
        return strchr("iIjl.,:;'|!()[] ft", *s) ? 0.4 : strchr("mwMW%@", *s) ? 0.95 : 0.64;
    return (unsigned char)*s < 0xe3 ? 0.66 : 1.05;
}

double svg_text_width(const char *text, double size)
{
    double width = 0;
    size_t bytes;

    for (const char *s = text; *s; s += bytes) {
        bytes = utf8_bytes(s, strlen(s));
        bytes = bytes ? bytes : 1;
        width += size * character_width(s, bytes);
    }
    return width;
}

char *svg_shortened(const char *text, double width, double size)
{
    char *visible = visible_text(text, strlen(text));
    char *shorter = NULL;
    double used = size; /* the ellipsis */
    size_t n = 0, bytes;

    if (!visible || svg_text_width(visible, size) <= width)
        return visible;
    for (; visible[n]; n += bytes) {
        bytes = utf8_bytes(visible + n, strlen(visible + n));
        used += size * character_width(visible + n, bytes);
        if (used > width)
            break;
    }
    if (asprintf(&shorter, "%.*s\u2026", (int)n, visible) < 0)
        shorter = NULL;
    free(visible);
    return shorter;
}
