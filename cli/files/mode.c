#include "paths.h"

#include <string.h>

static mode_t digits_of(const char *text)
{
    mode_t mode = 0;

    for (; *text; text++)
        mode = mode * 8 + (mode_t)(*text - '0');
    return mode;
}

static bool is_octal(const char *text)
{
    const size_t n = strspn(text, "01234567");

    return n > 0 && n <= 4 && !text[n] && digits_of(text) <= 0777;
}

/* The permissions that a letter of u, g, o, a stands for. */
static mode_t whose(char letter)
{
    return letter == 'u' ? 0700 : letter == 'g' ? 0070 : letter == 'o' ? 0007 : 0777;
}

/* Those of r, w, x, and X: x if anybody has x. */
static mode_t which(char letter, mode_t old)
{
    const mode_t any = old & 0111 ? 0111 : 0;

    return letter == 'r' ? 0444 : letter == 'w' ? 0222 : letter == 'x' ? 0111 : any;
}

/* The permissions of one of u, g, o, for all three. */
static mode_t copied(char from, mode_t old)
{
    const mode_t bits = from == 'u' ? old >> 6 & 7 : from == 'g' ? old >> 3 & 7 : old & 7;

    return bits * 0111;
}

/* Apply the clause at *text, up to a comma or the end; false: it is not valid. */
static bool apply_clause(const char **text, mode_t *mode, mode_t mask)
{
    const char *at = *text;
    mode_t who = 0;
    mode_t cleared; /* by = */
    bool some = false;

    for (; *at && strchr("ugoa", *at); at++)
        who |= whose(*at);
    cleared = at == *text ? 0777 : who;
    if (at == *text)
        who = 0777 & ~mask;
    for (; *at && strchr("+-=", *at); some = true) {
        const char change = *at++;
        mode_t bits = 0;

        if (*at && strchr("ugo", *at))
            bits = copied(*at++, *mode);
        else
            for (; *at && strchr("rwxX", *at); at++)
                bits |= which(*at, *mode);
        if (change == '+')
            *mode |= bits & who;
        else if (change == '-')
            *mode &= ~(bits & who);
        else
            *mode = (*mode & ~cleared) | (bits & who);
    }
    *text = at;
    return some && (*at == ',' || !*at);
}

static bool apply(const char *text, mode_t *mode, mode_t mask)
{
    if (is_octal(text)) {
        *mode = digits_of(text);
        return true;
    }
    while (apply_clause(&text, mode, mask)) {
        if (!*text)
            return true;
        text++;
    }
    return false;
}

bool is_mode(const char *text)
{
    mode_t ignored = 0;

    return apply(text, &ignored, 0);
}

mode_t apply_mode(const char *text, mode_t old, mode_t mask)
{
    mode_t mode = old & 0777;

    (void)apply(text, &mode, mask);
    return mode;
}
