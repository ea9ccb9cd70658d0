#include "json.h"

#include <json-c/printbuf.h>
#include <math.h>
#include <string.h>

/* Print the object and free it. json-c does not escape control characters beyond ASCII, which a terminal may obey. */
static void put_object(struct json_object *object)
{
    const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
    int plain = 0;

    for (const char *at = text; *at; at++, plain++) {
        const unsigned char c = (unsigned char)at[0], next = (unsigned char)at[1];

        if (c != 0x7f && !(c == 0xc2 && next < 0xa0))
            continue;
        put("%.*s\\u%04x", plain, at - plain, c == 0x7f ? c : next);
        at += c != 0x7f;
        plain = -1;
    }
    put("%s", text + strlen(text) - plain);
    json_object_put(object);
}

static void put_json_text(const char *text, size_t n)
{
    static const char unknown[] = "\xef\xbf\xbd"; /* U+FFFD */
    struct printbuf *clean = printbuf_new();
    size_t step;

    for (; clean && n > 0; text += step, n -= step) {
        const size_t bytes = utf8_bytes(text, n);

        step = bytes ? bytes : 1;
        printbuf_memappend(clean, bytes ? text : unknown, (int)(bytes ? bytes : sizeof unknown - 1));
    }
    if (clean) {
        put_object(json_object_new_string_len(clean->buf, printbuf_length(clean)));
        printbuf_free(clean);
    }
}

/* The comma, new line and key before an item. */
static void item(struct json *j, const char *key)
{
    const int d = j->depth - 1;

    if (d >= 0) {
        put("%s", j->some[d] ? "," : "");
        if (j->lines[d])
            put("\n%*s", 2 * j->depth, "");
        else
            put("%s", j->some[d] ? " " : "");
        j->some[d] = true;
    }
    if (key) {
        put_json_text(key, strlen(key));
        put(": ");
    }
}

void json_begin(struct json *j, const char *key, char bracket, bool lines)
{
    item(j, key);
    put("%c", bracket);
    j->some[j->depth] = false;
    j->lines[j->depth] = lines;
    j->depth++;
}

void json_end(struct json *j, char bracket)
{
    j->depth--;
    if (j->lines[j->depth] && j->some[j->depth])
        put("\n%*s", 2 * j->depth, "");
    put("%c%s", bracket, j->depth ? "" : "\n");
}

void json_join(struct json *j, bool some)
{
    j->depth = 1;
    j->some[0] = some;
    j->lines[0] = true;
}

void json_null(struct json *j, const char *key)
{
    item(j, key);
    put("null");
}

void json_number(struct json *j, const char *key, int64_t number)
{
    item(j, key);
    put_object(json_object_new_int64(number));
}

void json_boolean(struct json *j, const char *key, bool value)
{
    item(j, key);
    put_object(json_object_new_boolean(value));
}

void json_numbers(struct json *j, const char *key, int n, const int64_t numbers[])
{
    json_begin(j, key, '[', false);
    for (int i = 0; i < n; i++)
        json_number(j, NULL, numbers[i]);
    json_end(j, ']');
}

void json_text(struct json *j, const char *key, const char *text, size_t n)
{
    item(j, key);
    put_json_text(text, n);
}

void json_string(struct json *j, const char *key, const char *text)
{
    if (text)
        json_text(j, key, text, strlen(text));
    else
        json_null(j, key);
}

struct json_object *json_of_real(drx_type type, double part)
{
    char digits[REAL_TEXT_BYTES];
    char text[REAL_TEXT_BYTES + 2];

    if (!isfinite(part))
        return json_object_new_string(isnan(part) ? "NaN" : part < 0 ? "-Infinity" : "Infinity");
    real_text(type, part, digits);
    (void)snprintf(text, sizeof text, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0"); /* seen to be no integer */
    return json_object_new_double_s(part, text);
}

static void json_real(struct json *j, const char *key, drx_type type, double part)
{
    item(j, key);
    put_object(json_of_real(type, part));
}

/* What JSON has no character for shows as U+FFFD, or escaped. */
static void json_element(struct json *j, const char *key, drx_type type, const void *value)
{
    char text[STRING_UTF8_BYTES], quoted[VALUE_TEXT_BYTES];
    size_t n;

    if (utf8_of_string(type, value, text, &n)) {
        json_text(j, key, text, n);
    } else {
        string_text(type, value, quoted, sizeof quoted);
        json_text(j, key, quoted + 1, strlen(quoted) - 2);
    }
}

void json_plain_value(struct json *j, const char *key, drx_type type, const void *value)
{
    char text[VALUE_TEXT_BYTES];

    if (DRX_IS_STRING(type)) {
        json_element(j, key, type, value);
    } else if (type_is_whole(type)) {
        plain_text(type, value, text);
        item(j, key);
        put("%s", text);
    } else if (type_is_complex(type)) {
        json_begin(j, key, '[', false);
        json_real(j, NULL, type, real_part(type, value, 0));
        json_real(j, NULL, type, real_part(type, value, 1));
        json_end(j, ']');
    } else {
        json_real(j, key, type, real_part(type, value, 0));
    }
}
