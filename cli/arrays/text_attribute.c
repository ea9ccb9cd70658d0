#include "text_attribute.h"

#include <stdlib.h>
#include <string.h>

#include "frame/cli.h"
#include "frame/text.h"

bool next_attribute(const drx_array *a, struct attribute *t)
{
    while (t->next < drx_attr_count(a))
        if (!drx_attr_info(a, t->next++, &t->name, NULL, NULL, &t->is_text) &&
            !drx_attr_get(a, t->name, &t->type, &t->n, &t->values))
            return true;
    return false;
}

drx_status set_text_attribute(drx_array *a, const char *name, char *bytes, size_t n)
{
    drx_status st = DRX_ENOMEM;
    char *text;

    while (n > 0 && bytes[n - 1] == '\0')
        n--;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] == '\0')
            bytes[i] = '\n';
    text = utf8_of(bytes, n);
    if (text)
        st = drx_attr_set_text(a, name, text);
    free(text);
    return st;
}

/* The strings joined by ends of lines, to be freed. */
static char *join(char *const strings[], size_t n)
{
    size_t bytes = 1;
    char *joined, *at;

    for (size_t i = 0; i < n; i++)
        bytes += strings[i] ? strlen(strings[i]) + 1 : 1;
    joined = calloc(bytes, 1);
    at = joined;
    for (size_t i = 0; joined && i < n; i++) {
        if (i)
            *at++ = '\n';
        if (strings[i])
            at = stpcpy(at, strings[i]);
    }
    return joined;
}

drx_status set_lines_attribute(drx_array *a, const char *name, char *const strings[], size_t n)
{
    char *text = join(strings, n);
    const drx_status st = text ? set_text_attribute(a, name, text, strlen(text)) : DRX_ENOMEM;

    free(text);
    return st;
}

void warn_of_lines(const char *label, const char *name, int64_t n)
{
    warn("%s: attribute %s is a list of %lld strings; the array keeps it as a text of so many lines", label, name,
         (long long)n);
}

char *text_attribute(const drx_array *a, const char *name)
{
    const char *found;
    const void *bytes;
    int64_t n;
    int is_text;

    for (int i = 0; i < drx_attr_count(a); i++)
        if (drx_attr_info(a, i, &found, NULL, &n, &is_text) == DRX_OK && strcmp(found, name) == 0)
            return is_text && n > 0 && drx_attr_get(a, name, NULL, NULL, &bytes) == DRX_OK
                       ? visible_text(bytes, (size_t)n)
                       : NULL;
    return NULL;
}

bool has_note(const drx_array *a, const char *note)
{
    return drx_dtype(a) == DRX_UINT8 && drx_attr_get(a, note, NULL, NULL, NULL) == DRX_OK;
}

bool is_note(const char *name)
{
    return strcmp(name, CHAR_NOTE) == 0 || strcmp(name, STRING_NOTE) == 0 || strcmp(name, STRINGS_NOTE) == 0 ||
           strcmp(name, UNLIMITED_NOTE) == 0 || strcmp(name, FORM_NOTE) == 0 || strcmp(name, JSON_NOTE) == 0;
}

/* Has Python stored text or bytes in the array? */
static bool is_of_python(const drx_array *a)
{
    const void *form;
    drx_type type;

    return has_note(a, FORM_NOTE) && drx_attr_get(a, FORM_NOTE, &type, NULL, &form) == DRX_OK && type == DRX_UINT8 &&
           strcmp(form, "text") == 0;
}

bool holds_strings(const drx_array *a)
{
    return has_note(a, STRING_NOTE) || (is_of_python(a) && drx_attr_get(a, "_Encoding", NULL, NULL, NULL) == DRX_OK);
}

bool holds_text(const drx_array *a)
{
    return has_note(a, STRING_NOTE) || has_note(a, CHAR_NOTE) || is_of_python(a);
}
