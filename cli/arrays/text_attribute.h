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

/* Strings as one text, to be freed; a string may be NULL. What separates those of a text: an end of line, or U+001E
 * where one has an end of line itself. */
enum { RECORD_END = '\x1e' };
char *join_strings(char *const strings[], size_t n, char separator);
const char *separator_of(const char *text);

/* Set the attribute to n strings, each a line; a string may be NULL. */
drx_status set_lines_attribute(drx_array *a, const char *name, char *const strings[], size_t n);
/* Tell the user that a list of strings becomes that. */
void warn_of_lines(const char *label, const char *name, int64_t n);

#endif
