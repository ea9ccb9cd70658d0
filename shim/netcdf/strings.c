/* Texts of fixed length as strings of C. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"

char *bridge_text(const char *bytes, size_t n)
{
    char *text;

    while (n > 0 && bytes[n - 1] == '\0')
        n--;
    text = memchr(bytes, '\0', n) ? NULL : malloc(n + 1);
    if (text) {
        memcpy(text, bytes, n);
        text[n] = '\0';
    }
    return text;
}

/* The bytes of a code point; those that are none become U+FFFD. */
static size_t put_point(uint32_t c, char *to)
{
    static const uint32_t first[] = { 0, 0xc0, 0xe0, 0xf0 };
    size_t more;

    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        c = 0xfffd;
    more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    for (size_t k = more; k > 0; k--, c >>= 6)
        to[k] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(first[more] | c);
    return more + 1;
}

char *bridge_utf8(const uint32_t *points, size_t n)
{
    size_t bytes = 0;
    char *text;

    while (n > 0 && points[n - 1] == 0)
        n--;
    text = malloc(4 * n + 1);
    for (size_t i = 0; text && i < n; i++)
        bytes += put_point(points[i], text + bytes);
    if (text)
        text[bytes] = '\0';
    if (text && strlen(text) == bytes)
        return text;
    free(text);
    return NULL;
}

/* The code point at *text, which goes on to the next one. False: there is no UTF-8. */
static bool next_point(const char **text, const char *end, uint32_t *c)
{
    const unsigned char *at = (const unsigned char *)*text;
    const int more = *at < 0x80 ? 0 : *at < 0xc2 || *at > 0xf4 ? INT_MAX : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;

    if (more >= end - *text)
        return false;
    *c = more ? *at & (0x3fU >> more) : *at;
    for (int k = 1; k <= more; k++) {
        if ((at[k] & 0xc0) != 0x80)
            return false;
        *c = *c << 6 | (at[k] & 0x3fU);
    }
    *text += more + 1;
    return true;
}

bool bridge_points(const char *text, uint32_t *points, size_t n)
{
    const char *end = text + strlen(text);

    for (size_t i = 0; text < end; i++)
        if (i == n || !next_point(&text, end, &points[i]))
            return false;
    return true;
}

bool bridge_is_utf8(const char *text, size_t n)
{
    uint32_t c;

    for (const char *end = text + n; text < end;)
        if (!next_point(&text, end, &c))
            return false;
    return true;
}
