#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint32_t utf8_code(const char *s, size_t bytes)
{
    uint32_t code = (unsigned char)s[0] & (bytes == 1 ? 0x7fu : 0xffu >> (bytes + 1));

    for (size_t i = 1; i < bytes; i++)
        code = code << 6 | ((unsigned char)s[i] & 0x3f);
    return code;
}

size_t utf8_bytes(const char *s, size_t n)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *p = (const unsigned char *)s;
    const size_t bytes = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf8 ? 4 : 0;
    uint32_t code;

    if (bytes < 2)
        return bytes;
    if (bytes > n)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    code = utf8_code(s, bytes);
    return code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : bytes;
}

bool is_utf8(const char *s, size_t n)
{
    size_t step;

    for (; n > 0; s += step, n -= step) {
        step = utf8_bytes(s, n);
        if (step == 0)
            return false;
    }
    return true;
}

char *utf8_of(const char *bytes, size_t n)
{
    const bool latin1 = !is_utf8(bytes, n);
    char *text = calloc(2 * n + 1, 1);
    char *at = text;

    for (size_t i = 0; text && i < n; i++) {
        const unsigned char c = (unsigned char)bytes[i];

        if (latin1 && c >= 0x80) {
            *at++ = (char)(0xc0 | c >> 6);
            *at++ = (char)(0x80 | (c & 0x3f));
        } else {
            *at++ = (char)c;
        }
    }
    return text;
}

/* A control character, of one byte or (U+0080 to U+009F) two. */
static bool is_control(const char *s)
{
    const unsigned char *p = (const unsigned char *)s;

    return p[0] < 0x20 || p[0] == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0);
}

char *visible_text(const char *bytes, size_t n)
{
    char *text = calloc(4 * n + 1, 1);
    char *at = text;
    size_t step;

    for (size_t i = 0; text && i < n; i += step) {
        step = utf8_bytes(bytes + i, n - i);
        if (step > 0 && !is_control(bytes + i)) {
            memcpy(at, bytes + i, step);
            at += step;
            continue;
        }
        step = 1; /* the second byte of a control character alone is not UTF-8 */
        if (bytes[i] == '\n')
            at += snprintf(at, 5, "\\n");
        else
            at += snprintf(at, 5, "\\x%02x", (unsigned char)bytes[i]);
    }
    return text;
}

size_t whole_characters(const char *text, size_t n)
{
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return n;
}

int character_count(const char *text)
{
    int n = 0;

    for (; *text; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

bool has_word(const char *text, const char *word)
{
    const size_t n = strlen(word);

    for (const char *at = text; at && n > 0 && (at = strstr(at, word)) != NULL; at++)
        if ((at == text || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

char *end_text(FILE *out, char **text)
{
    if (fclose(out) == 0)
        return *text;
    free(*text);
    return NULL;
}

void size_text(int64_t bytes, char out[SIZE_TEXT_BYTES])
{
    static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    double size = (double)bytes / 1024;
    int unit = 0;

    if (bytes < 1024) {
        (void)snprintf(out, SIZE_TEXT_BYTES, "%" PRId64 " byte%s", bytes, bytes == 1 ? "" : "s");
        return;
    }
    for (; size >= 1023.95 && unit < 5; unit++)
        size /= 1024;
    (void)snprintf(out, SIZE_TEXT_BYTES, "%.1f %s", size, units[unit]);
}

const char *numbers_text(int n, const int64_t numbers[], const char *between, char out[NUMBERS_TEXT_BYTES])
{
    size_t used = 0;

    out[0] = '\0';
    for (int i = 0; i < n && used < NUMBERS_TEXT_BYTES; i++)
        used += (size_t)snprintf(out + used, NUMBERS_TEXT_BYTES - used, "%s%" PRId64, i ? between : "", numbers[i]);
    return out;
}

void write_word(FILE *out, const char *word, const char *end)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";

    if (*word && word[strspn(word, plain)] == '\0') {
        (void)fprintf(out, "%s%s", word, end);
        return;
    }
    (void)fputc('\'', out);
    for (; *word; word++)
        (void)fprintf(out, *word == '\'' ? "'\\''" : "%c", *word);
    (void)fprintf(out, "%s'", end);
}
