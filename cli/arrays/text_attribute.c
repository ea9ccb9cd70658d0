#include "text_attribute.h"

#include <json-c/json.h>
#include <stdio.h>
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

static drx_status set_text(const struct owner *to, const char *name, const char *text)
{
    return to->array ? drx_attr_set_text(to->array, name, text) : drx_dataset_attr_set_text(to->ds, name, text);
}

void warn_left_out(const struct keeping *t, const char *name, const char *what)
{
    warn("%s: attribute %.60s %s and is left out", t->label, name, what);
}

bool can_keep(const struct keeping *t, const char *name)
{
    const size_t n = strlen(name);
    char what[64];

    (void)snprintf(what, sizeof what, "has a name of %zu bytes, not of 1 to 1024,", n);
    if (n == 0 || n > 1024)
        warn_left_out(t, name, what);
    else if (strncmp(name, "drx.", 4) == 0)
        warn_left_out(t, name, "has a name of DRX's own");
    else
        return true;
    return false;
}

drx_status keep_numbers(const struct keeping *t, const char *name, drx_type type, int64_t n, const void *values)
{
    return t->to.array ? drx_attr_set(t->to.array, name, type, n, values)
                       : drx_dataset_attr_set(t->to.ds, name, type, n, values);
}

drx_status keep_text(const struct keeping *t, const char *name, char *bytes, size_t n)
{
    drx_status st;
    char *text;

    while (n > 0 && bytes[n - 1] == '\0')
        n--;
    if (memchr(bytes, '\0', n)) {
        warn_left_out(t, name, "has a NUL in its text, which DRX cannot store,");
        return DRX_OK;
    }
    text = utf8_of(bytes, n);
    st = text ? set_text(&t->to, name, text) : DRX_ENOMEM;
    free(text);
    return st;
}

/* The strings as lines, or as JSON, to be freed. NULL: out of memory. */
static char *join(char *const strings[], size_t n, bool as_json)
{
    struct json_object *list = as_json ? json_object_new_array() : NULL;
    char *joined = NULL, *text;
    size_t bytes = 0;
    FILE *out = open_memstream(&joined, &bytes);

    for (size_t i = 0; out && i < n; i++) {
        text = utf8_of(strings[i] ? strings[i] : "", strings[i] ? strlen(strings[i]) : 0);
        if (list && text)
            (void)json_object_array_add(list, json_object_new_string(text));
        else
            (void)fprintf(out, "%s%s", i ? "\n" : "", text ? text : "");
        free(text);
    }
    if (list && out)
        (void)fputs(json_object_to_json_string_ext(list, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE), out);
    (void)json_object_put(list);
    return out ? end_text(out, &joined) : NULL;
}

/* Note how the strings are stored. */
static bool note_strings(struct keeping *t, const char *name, size_t n, bool as_json)
{
    char *counts = t->counts;

    if (as_json) {
        t->quoted = t->quoted ? t->quoted : json_object_new_array();
        return t->quoted && json_object_array_add(t->quoted, json_object_new_string(name)) == 0;
    }
    if (!t->noted) {
        if (n > 1)
            warn("%s: attribute %s is a list of %zu strings; the array keeps it as a text of so many lines", t->label,
                 name, n);
        return true;
    }
    if (asprintf(&t->counts, "%s%zu %s\n", counts ? counts : "", n, name) < 0)
        t->counts = NULL;
    free(counts);
    return t->counts != NULL;
}

drx_status keep_strings(struct keeping *t, const char *name, char *const strings[], size_t n)
{
    bool as_json = false;
    drx_status st;
    char *text;

    for (size_t i = 0; n > 1 && i < n; i++)
        as_json = as_json || (strings[i] && strchr(strings[i], '\n'));
    text = join(strings, n, as_json);
    st = text ? set_text(&t->to, name, text) : DRX_ENOMEM;
    if (!st && !note_strings(t, name, n, as_json))
        st = DRX_ENOMEM;
    free(text);
    return st;
}

drx_status end_keeping(struct keeping *t, drx_status st)
{
    if (!st && t->counts)
        st = set_text(&t->to, STRINGS_NOTE, t->counts);
    if (!st && t->quoted)
        st = set_text(&t->to, JSON_NOTE, json_object_to_json_string_ext(t->quoted, JSON_C_TO_STRING_PLAIN));
    free(t->counts);
    (void)json_object_put(t->quoted);
    return st;
}

struct json_object *quoted_strings(const struct owner *of, const struct attribute *t)
{
    struct json_object *names = NULL, *list = NULL;
    const void *note = NULL;
    bool found = false;
    int64_t n = 0;
    char *text;

    if (t->is_text && (of->array ? drx_attr_get(of->array, JSON_NOTE, NULL, &n, &note)
                                 : drx_dataset_attr_get(of->ds, JSON_NOTE, NULL, &n, &note)) == DRX_OK) {
        text = strndup(note, (size_t)n); /* it may be no text */
        names = text ? json_tokener_parse(text) : NULL;
        free(text);
    }
    if (json_object_is_type(names, json_type_array))
        for (size_t i = 0; !found && i < json_object_array_length(names); i++)
            found = strcmp(json_object_get_string(json_object_array_get_idx(names, i)), t->name) == 0;
    list = found ? json_tokener_parse(t->values) : NULL;
    (void)json_object_put(names);
    if (json_object_is_type(list, json_type_array))
        return list;
    (void)json_object_put(list);
    return NULL;
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
