/* A walk over attributes; text attributes, shown and set from the strings of other formats. */
#ifndef TEXT_ATTRIBUTE_H
#define TEXT_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "drx_dataset.h"

struct json;

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

/* What has attributes: an array; or, where it is NULL, a dataset, or the part (enum drx_part) of that path. */
struct owner {
    drx_array *array;
    drx_dataset *ds;
    int part;
    const char *name;
};

/* As next_attribute, for both; find one by its name; set one; copy all, which gives the exit code; and all as JSON. */
bool next_of(const struct owner *of, struct attribute *t);
bool find_attribute(const struct owner *of, const char *name, struct attribute *t);
drx_status set_attribute(const struct owner *to, const struct attribute *t);
int copy_all_attributes(const struct owner *from, const struct owner *to, const char *path);
void json_attributes(struct json *j, const struct owner *of);

/* Attributes on their way from a file to an owner. What cannot be stored is left out, with a warning that names it. */
struct keeping {
    struct owner to;
    const char *label; /* of the file or variable, for messages */
    bool noted;        /* STRINGS_NOTE says which were strings */
    char *counts;      /* its lines */
};

/* Is the name one that is stored? Warns if not. */
bool can_keep(const struct keeping *t, const char *name);
/* Warn that the attribute is left out, since it `what`. */
void warn_left_out(const struct keeping *t, const char *name, const char *what);

drx_status keep_numbers(const struct keeping *t, const char *name, drx_type type, int64_t n, const void *values);
/* n bytes of UTF-8 or Latin-1. NULs at the end, which some programs write, are dropped; another one cannot be stored.
 * Changes `bytes`. */
drx_status keep_text(const struct keeping *t, const char *name, char *bytes, size_t n);
/* n strings; one may be NULL. Several are one text: its lines, or, where one has lines itself, U+001E separates
 * them. */
drx_status keep_strings(struct keeping *t, const char *name, char *const strings[], size_t n);
/* Set the notes, if `st` is DRX_OK, and release them. Gives `st`, or what went wrong then. */
drx_status end_keeping(struct keeping *t, drx_status st);

/* What separates the strings of such a text. */
enum { RECORD_END = '\x1e' };
const char *separator_of(const char *text);

/* ---- attributes in which import and Python (drx/form.py) note how they store what DRX lacks ---- */

#define CHAR_NOTE "drx.char"       /* of an array of uint8: these are characters */
#define STRING_NOTE "drx.string"   /* of one of uint8: its last axis goes through the bytes of strings, in UTF-8 */
#define STRINGS_NOTE "drx.strings" /* which attributes are strings of netCDF: a line "COUNT NAME" for each */
#define CHARACTERS_NOTE "drx.characters" /* which have more characters than their text, NULs: likewise */
#define MODEL_NOTE "drx.model"           /* of a dataset: netCDF-C made it as `classic` or `enhanced` */
#define UNLIMITED_NOTE "drx.unlimited"   /* of a dataset: names of unlimited dimensions, with a space between them */
#define FORM_NOTE "drx_form"             /* of Python: "text" where the last axis goes through bytes, or "scalar" */
#define JSON_NOTE "drx_json"             /* of Python: which attributes are JSON */

bool has_note(const drx_array *a, const char *note); /* one of uint8 */
/* Is the attribute one of the above? */
bool is_note(const char *name);

/* Does the last axis go through the bytes of strings in UTF-8; or are the elements these, or other characters? */
bool holds_strings(const drx_array *a);
bool holds_text(const drx_array *a);

#endif
