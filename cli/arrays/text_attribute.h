/* Attributes one after the other; text attributes as text to show, and from what other formats take for text. */
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

/* Go to the next attribute, from a struct of zeros to the first one. False: there are no more. */
bool next_attribute(const drx_array *a, struct attribute *t);

/* The text of an attribute, safe to show, to be freed; NULL when there is none. */
char *text_attribute(const drx_array *a, const char *name);

/* Set the attribute to n bytes, which may be Latin-1 and are changed: NULs at the end, which some programs write,
 * are left out, and those between strings become ends of lines. */
drx_status set_text_attribute(drx_array *a, const char *name, char *bytes, size_t n);

/* The same of n strings, each of which may be NULL: each becomes a line. */
drx_status set_lines_attribute(drx_array *a, const char *name, char *const strings[], size_t n);

#endif
