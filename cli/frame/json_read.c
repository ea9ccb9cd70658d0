#include "json.h"

#include <errno.h>
#include <string.h>

enum { PIECE_BYTES = 1 << 16 };

struct reading {
    FILE *file;
    struct json_tokener *tokener;
    struct json_object *value;
    long line, column; /* of the next byte, from 1 */
    char *why;
    size_t why_bytes;
};

static void pass(struct reading *r, const char *text, size_t n)
{
    for (; n > 0; text++, n--) {
        r->column = *text == '\n' ? 1 : r->column + 1;
        r->line += *text == '\n';
    }
}

static bool wrong(struct reading *r, const char *what)
{
    (void)snprintf(r->why, r->why_bytes, "line %ld, column %ld: %s", r->line, r->column, what);
    return false;
}

/* Parse a piece of text, or, at the end of the file, a NUL. *used: the bytes that belong to the value. */
static bool parse(struct reading *r, const char *text, size_t n, size_t *used)
{
    enum json_tokener_error error;

    r->value = json_tokener_parse_ex(r->tokener, text, (int)n);
    error = json_tokener_get_error(r->tokener);
    *used = json_tokener_get_parse_end(r->tokener);
    if (*text)
        pass(r, text, *used);
    if (error != json_tokener_success && error != json_tokener_continue)
        return wrong(r, json_tokener_error_desc(error));
    if (error == json_tokener_success && !r->value)
        return wrong(r, "null instead of an object");
    return true;
}

static bool take_piece(struct reading *r, const char *text, size_t n)
{
    size_t used = 0;

    if (!r->value && !parse(r, text, n, &used))
        return false;
    for (; r->value && used < n; used++) {
        if (!memchr(" \t\r\n", text[used], 4))
            return wrong(r, "more text after the value");
        pass(r, text + used, 1);
    }
    return true;
}

static bool take_all(struct reading *r)
{
    char piece[PIECE_BYTES];
    size_t n;

    while ((n = fread(piece, 1, sizeof piece, r->file)) > 0)
        if (!take_piece(r, piece, n))
            return false;
    if (ferror(r->file)) {
        (void)snprintf(r->why, r->why_bytes, "cannot read: %s", strerror(errno));
        return false;
    }
    return r->value ? true : parse(r, "", 1, &n);
}

struct json_object *json_read(const char *path, char *why, size_t why_bytes)
{
    struct reading r = { .file = stdin, .line = 1, .column = 1, .why = why, .why_bytes = why_bytes };
    bool good;

    if (strcmp(path, "-") != 0)
        r.file = fopen(path, "r");
    if (!r.file) {
        say_why(path, "open", why, why_bytes);
        return NULL;
    }
    r.tokener = json_tokener_new();
    if (r.tokener)
        json_tokener_set_flags(r.tokener, JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS);
    else
        (void)snprintf(why, why_bytes, "out of memory");
    good = r.tokener && take_all(&r);
    if (r.file != stdin)
        (void)fclose(r.file);
    if (r.tokener)
        json_tokener_free(r.tokener);
    if (good)
        return r.value;
    json_object_put(r.value);
    return NULL;
}
