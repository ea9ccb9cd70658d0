/* Prints JSON. json-c formats the values; lists and objects are printed item by item, so that a long history takes no
 * memory. `key` is NULL inside a list. */
#pragma once

#include <json-c/json.h>

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
/* Continue a list of lines that another process has begun; `some`: it has items already. */
void json_join(struct json *j, bool some);

void json_null(struct json *j, const char *key);
void json_number(struct json *j, const char *key, int64_t number);
void json_boolean(struct json *j, const char *key, bool value);
void json_numbers(struct json *j, const char *key, int n, const int64_t numbers[]);

/* n bytes of text; bytes that are not UTF-8 become U+FFFD. json_string: NULL is null. */
void json_text(struct json *j, const char *key, const char *text, size_t n);
void json_string(struct json *j, const char *key, const char *text);

/* A value of that type. A complex one is [re, im]. JSON has no NaN or Infinity: these are strings. Of defined types, by
 * json_value alone: a compound is an object, an enum and a bitfield a number, and opaque bytes are as value_text has
 * them. */
void json_value(struct json *j, const char *key, drx_type type, const void *value);
void json_plain_value(struct json *j, const char *key, drx_type type, const void *value);
struct json_object *json_of_real(drx_type type, double part); /* of a type of floats */

/* The value in the file ("-": standard input), to be released with json_object_put. NULL, with the reason in `why`: it
 * cannot be read or is null. */
struct json_object *json_read(const char *path, char *why, size_t why_bytes);
