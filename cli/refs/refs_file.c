/* The file is written piece by piece, so any number of references takes little memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "refs.h"

static void flush(struct refs_file *f)
{
    if (f->status == DONE)
        f->status = write_target(&f->target, f->bytes, f->n);
    f->n = 0;
}

static void add_text(struct refs_file *f, const char *text)
{
    for (size_t n = strlen(text); n > 0;) {
        const size_t room = sizeof f->bytes - f->n, part = n < room ? n : room;

        memcpy(f->bytes + f->n, text, part);
        f->n += part;
        text += part;
        n -= part;
        if (f->n == sizeof f->bytes)
            flush(f);
    }
}

static void add_key(struct refs_file *f, const char *key)
{
    add_text(f, f->some ? ",\n\"" : "\n\"");
    add_text(f, key);
    add_text(f, "\": ");
    f->some = true;
}

bool begin_refs(struct refs_file *f, const char *name)
{
    f->status = DONE;
    f->some = false;
    f->n = 0;
    if (!open_target(&f->target, name))
        return false;
    add_text(f, "{\"version\": 1, \"refs\": {");
    return true;
}

static void out_of_it(struct refs_file *f)
{
    if (f->status == DONE)
        f->status = out_of_memory((int64_t)sizeof f->bytes);
}

/* JSON in ASCII, as Zarr reads it: other characters are escaped, of which strings alone have any. To be freed. */
static char *in_ascii(const char *json)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    if (!out)
        return NULL;
    for (n = strlen(json); n > 0;) {
        const size_t step = utf8_bytes(json, n);
        const uint32_t code = utf8_code(json, step > 1 ? step : 1);

        if (step == 1)
            (void)fputc(json[0], out);
        else if (code < 0x10000)
            (void)fprintf(out, "\\u%04x", step ? code : 0xfffd);
        else
            (void)fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + (code & 0x3ff));
        json += step ? step : 1;
        n -= step ? step : 1;
    }
    return end_text(out, &text);
}

void put_object_ref(struct refs_file *f, const char *key, struct json_object *object)
{
    const int how = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
    const char *text = object ? json_object_to_json_string_ext(object, how) : NULL;
    char *ascii = text ? in_ascii(text) : NULL;
    char *inside = ascii ? json_inside(ascii) : NULL, *name = json_inside(key);

    if (inside && name) {
        add_key(f, name);
        add_text(f, "\"");
        add_text(f, inside);
        add_text(f, "\"");
    } else {
        out_of_it(f);
    }
    free(ascii);
    free(inside);
    free(name);
}

void put_chunk_ref(struct refs_file *f, const char *key, const char *url, int64_t offset, int64_t bytes)
{
    char place[64];

    add_key(f, key);
    add_text(f, "[\"");
    add_text(f, url);
    (void)snprintf(place, sizeof place, "\", %" PRId64 ", %" PRId64 "]", offset, bytes);
    add_text(f, place);
}

void put_inline_ref(struct refs_file *f, const char *key, const char *base64)
{
    add_key(f, key);
    add_text(f, "\"base64:");
    add_text(f, base64);
    add_text(f, "\"");
}

int end_refs(struct refs_file *f, int status)
{
    add_text(f, "\n}}\n");
    if (status == DONE)
        flush(f);
    return close_target(&f->target, status == DONE ? f->status : status);
}

char *json_inside(const char *text)
{
    struct json_object *string;
    const char *quoted;
    char *inside = NULL;
    size_t n = strlen(text);

    if (!is_utf8(text, n))
        return NULL;
    string = json_object_new_string(text);
    quoted =
        string ? json_object_to_json_string_ext(string, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;
    n = quoted ? strlen(quoted) : 0;
    if (n >= 2)
        inside = strndup(quoted + 1, n - 2);
    json_object_put(string);
    return inside;
}
