/* A walk over attributes; text attributes, shown and set from the strings of other formats. */
#ifndef TEXT_ATTRIBUTE_H
#define TEXT_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "drx.h"

struct attribute {
    int next; /* the number of the next one */
    const char *name;
    drx_type type;
    int64_t n;
    const void *values;
    int is_text;
};

/* Go to the next attribute; a struct of zeros stands before the first one. False: there are no more. */
bool next_attribute(const drx_array *a, struct attribute *t);

/* The text of an attribute, safe to show, to be freed; NULL: it has no text. */
char *text_attribute(const drx_array *a, const char *name);

/* Set the attribute to n bytes of UTF-8 or Latin-1. Drops NULs at the end, which some programs write; other NULs,
 * between strings, become newlines. Changes `bytes`. */
drx_status set_text_attribute(drx_array *a, const char *name, char *bytes, size_t n);

/* Set the attribute to n strings, each a line; a string may be NULL. */
drx_status set_lines_attribute(drx_array *a, const char *name, char *const strings[], size_t n);
/* Tell the user that a list of strings becomes that. */
void warn_of_lines(const char *label, const char *name, int64_t n);

/* ---- attributes in which import, and the Python package (python/drx/form.py), note how they store what DRX has not ---- */

#define CHAR_NOTE "drx.char"           /* of an array of uint8: these are characters */
#define STRING_NOTE "drx.string"       /* of one of uint8: its last axis goes through the bytes of strings, in UTF-8 */
#define STRINGS_NOTE "drx.strings"     /* which attributes are strings of netCDF: a line "COUNT NAME" for each */
#define UNLIMITED_NOTE "drx.unlimited" /* of a dataset: names of unlimited dimensions, with a space between them */
#define FORM_NOTE "drx_form"           /* of Python: "text" where the last axis goes through bytes, or "scalar" */
#define JSON_NOTE "drx_json"           /* of Python: which attributes are JSON */

bool has_note(const drx_array *a, const char *note); /* one of uint8 */
/* Is the attribute one of the above? */
bool is_note(const char *name);

/* Does the last axis go through the bytes of strings in UTF-8; or are the elements these, or other characters? */
bool holds_strings(const drx_array *a);
bool holds_text(const drx_array *a);

#endif
