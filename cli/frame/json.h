/* JSON to standard output, its values by json-c, lists and objects piece by piece, so that nothing long is held in
 * memory. `key` is NULL inside a list. */
#ifndef JSON_H
#define JSON_H

#include <json-c/json.h>
#include <stddef.h>

#include "cli.h"

enum { JSON_DEPTH = 8 };

struct json { /* zero-initialise */
    int depth;
    bool some[JSON_DEPTH];  /* the list or object has something in it */
    bool lines[JSON_DEPTH]; /* each of its items has a line of its own */
};

/* bracket: '{' or '['; lines: one item a line */
void json_begin(struct json *j, const char *key, char bracket, bool lines);
void json_end(struct json *j, char bracket); /* '}' or ']' */
/* Be in a list of lines that another process has begun, and perhaps put something in. */
void json_join(struct json *j, bool some);

void json_null(struct json *j, const char *key);
void json_number(struct json *j, const char *key, int64_t number);
void json_boolean(struct json *j, const char *key, bool value);
void json_numbers(struct json *j, const char *key, int n, const int64_t numbers[]);

/* n bytes of text; what is no UTF-8 becomes U+FFFD. json_string: NULL is null. */
void json_text(struct json *j, const char *key, const char *text, size_t n);
void json_string(struct json *j, const char *key, const char *text);

/* A value of that type: complex as [re, im], and "NaN", "Infinity" and "-Infinity", which JSON does not know, as
 * strings. */
void json_value(struct json *j, const char *key, drx_type type, const void *value);

/* The value that the file holds, "-" for the standard input; to be released with json_object_put. NULL, also for a
 * file that holds null: `why` says why. */
struct json_object *json_read(const char *path, char *why, size_t why_bytes);

#endif
