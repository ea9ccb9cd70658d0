#include "cli.h"

#include <string.h>

enum { CODE_POINT_BYTES = 4 };

static uint32_t code_at(const void *value, size_t i)
{
    uint32_t code;

    memcpy(&code, (const char *)value + i * CODE_POINT_BYTES, sizeof code);
    return code;
}

/* Bytes, or code points, before the NULs at the end. */
static size_t string_length(drx_type type, const void *value)
{
    const char *bytes = value;
    size_t n = drx_type_size(type);

    while (n > 0 && bytes[n - 1] == '\0')
        n--;
    return DRX_IS_UNICODE(type) ? (n + CODE_POINT_BYTES - 1) / CODE_POINT_BYTES : n;
}

/* The bytes of the code point in UTF-8; 0: it is none. */
static size_t put_code(uint32_t code, char out[4])
{
    const size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    for (size_t i = n - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(first[n] | code);
    return n;
}

bool utf8_of_string(drx_type type, const void *value, char out[STRING_UTF8_BYTES], size_t *n)
{
    const size_t length = string_length(type, value);
    char *at = out;
    size_t step = 1;

    if (DRX_IS_BYTES(type)) {
        memcpy(out, value, length);
        at += length;
    } else {
        for (size_t i = 0; i < length && step > 0; i++, at += step)
            step = put_code(code_at(value, i), at);
    }
    *at = '\0';
    *n = (size_t)(at - out);
    return step > 0;
}

const char *string_of_utf8(drx_type type, const char *text, size_t n, void *out)
{
    const size_t bytes = drx_type_size(type);
    char *to = out;
    size_t step;

    memset(out, 0, bytes);
    if (DRX_IS_BYTES(type)) {
        if (n > bytes)
            return "is longer than the type";
        memcpy(out, text, n);
        return NULL;
    }
    for (; n > 0; text += step, n -= step, to += CODE_POINT_BYTES) {
        uint32_t code;

        step = utf8_bytes(text, n);
        if (step == 0)
            return "is not UTF-8";
        if (to == (char *)out + bytes)
            return "is longer than the type";
        code = utf8_code(text, step);
        memcpy(to, &code, sizeof code);
    }
    return NULL;
}

struct writer {
    char *at, *end; /* of the room, without that for a quote and a NUL */
};

static void write_bytes(struct writer *w, const char *bytes, size_t n)
{
    if ((size_t)(w->end - w->at) < n)
        return;
    memcpy(w->at, bytes, n);
    w->at += n;
}

static void write_escape(struct writer *w, char letter, int digits, unsigned code)
{
    char text[16];

    write_bytes(w, text, (size_t)snprintf(text, sizeof text, "\\%c%0*x", letter, digits, code));
}

/* A character of n bytes of UTF-8. */
static void write_character(struct writer *w, const char *s, size_t n)
{
    static const char plain[] = "nrt\"\\", meant[] = "\n\r\t\"\\";
    const char *found = n == 1 && *s ? strchr(meant, *s) : NULL;
    const uint32_t code = utf8_code(s, n);

    if (found)
        write_bytes(w, (const char[]){ '\\', plain[found - meant] }, 2);
    else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
        write_escape(w, 'x', 2, code);
    else
        write_bytes(w, s, n);
}

void string_text(drx_type type, const void *value, char *out, size_t room)
{
    const size_t length = string_length(type, value);
    struct writer w = { out, out + room - 2 };
    const char *bytes = value;
    char character[4];
    size_t step;

    write_bytes(&w, "\"", 1);
    for (size_t i = 0; DRX_IS_UNICODE(type) && i < length; i++) {
        step = put_code(code_at(value, i), character);
        if (step > 0)
            write_character(&w, character, step);
        else
            write_escape(&w, 'u', 4, code_at(value, i));
    }
    for (size_t i = 0; DRX_IS_BYTES(type) && i < length; i += step) {
        step = utf8_bytes(bytes + i, length - i);
        if (step > 0)
            write_character(&w, bytes + i, step);
        else
            write_escape(&w, 'x', 2, (unsigned char)bytes[i]);
        step += step == 0;
    }
    *w.at++ = '"';
    *w.at = '\0';
}
