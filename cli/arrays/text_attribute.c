#include "arrays.h"

#include <stdlib.h>
#include <string.h>

#include "frame/json.h"

bool next_attribute(const drx_array *a, struct attribute *t)
{
    while (t->next < drx_attr_count(a))
        if (!drx_attr_info(a, t->next++, &t->name, NULL, NULL, &t->is_text) &&
            !drx_attr_get(a, t->name, &t->type, &t->n, &t->values))
            return true;
    return false;
}

bool next_of(const struct owner *of, struct attribute *t)
{
    if (of->array)
        return next_attribute(of->array, t);
    while (t->next < drx_dataset_attr_count(of->ds, of->part, of->name))
        if (!drx_dataset_attr_info(of->ds, of->part, of->name, t->next++, &t->name, NULL, NULL, &t->is_text) &&
            !drx_dataset_attr_get(of->ds, of->part, of->name, t->name, &t->type, &t->n, &t->values))
            return true;
    return false;
}

bool find_attribute(const struct owner *of, const char *name, struct attribute *t)
{
    *t = (struct attribute){ 0 };
    while (next_of(of, t))
        if (strcmp(t->name, name) == 0)
            return true;
    return false;
}

drx_status set_attribute(const struct owner *to, const struct attribute *t)
{
    if (t->is_text)
        return to->array ? drx_attr_set_text(to->array, t->name, t->values)
                         : drx_dataset_attr_set_text(to->ds, to->part, to->name, t->name, t->values);
    return to->array ? drx_attr_set(to->array, t->name, t->type, t->n, t->values)
                     : drx_dataset_attr_set(to->ds, to->part, to->name, t->name, t->type, t->n, t->values);
}

int copy_all_attributes(const struct owner *from, const struct owner *to, const char *path)
{
    struct attribute t = { 0 };
    drx_status st = DRX_OK;

    while (!st && next_of(from, &t))
        st = set_attribute(to, &t);
    return exit_code(path, st);
}

void json_attributes(struct json *j, const struct owner *of)
{
    json_begin(j, "attrs", '{', true);
    for (struct attribute t = { 0 }; next_of(of, &t);) {
        const char *values = t.values;

        if (t.is_text) {
            json_text(j, t.name, values, (size_t)t.n);
        } else if (t.n == 1) {
            json_value(j, t.name, t.type, values);
        } else {
            json_begin(j, t.name, '[', false);
            for (int64_t k = 0; k < t.n; k++)
                json_value(j, NULL, t.type, values + (size_t)k * drx_type_size(t.type));
            json_end(j, ']');
        }
    }
    json_end(j, '}');
}

static drx_status set_text(const struct owner *to, const char *name, const char *text)
{
    return set_attribute(to, &(struct attribute){ .name = name, .is_text = true, .values = text });
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
    return set_attribute(&t->to, &(struct attribute){ .name = name, .type = type, .n = n, .values = values });
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

const char *separator_of(const char *text)
{
    return strchr(text, RECORD_END) ? "\x1e" : "\n";
}

/* The strings as one text of UTF-8, to be freed. NULL: out of memory. */
static char *join(char *const strings[], size_t n, char separator)
{
    char *joined = NULL, *text;
    size_t bytes = 0;
    FILE *out = open_memstream(&joined, &bytes);

    for (size_t i = 0; out && i < n; i++) {
        text = utf8_of(strings[i] ? strings[i] : "", strings[i] ? strlen(strings[i]) : 0);
        if (i)
            (void)fputc(separator, out);
        (void)fputs(text ? text : "", out);
        free(text);
    }
    return out ? end_text(out, &joined) : NULL;
}

/* Note how many strings the text is. */
static bool note_strings(struct keeping *t, const char *name, size_t n, char separator)
{
    char *counts = t->counts;

    if (!t->noted) {
        if (n > 1)
            warn("%s: attribute %s is a list of %zu strings; the array keeps it as a text of that many %s", t->label,
                 name, n, separator == RECORD_END ? "parts, with U+001E between them" : "lines");
        return true;
    }
    if (asprintf(&t->counts, "%s%zu %s\n", counts ? counts : "", n, name) < 0)
        t->counts = NULL;
    free(counts);
    return t->counts != NULL;
}

drx_status keep_strings(struct keeping *t, const char *name, char *const strings[], size_t n)
{
    char separator = '\n';
    drx_status st;
    char *text;

    for (size_t i = 0; n > 1 && i < n; i++) {
        if (strings[i] && strchr(strings[i], RECORD_END)) {
            warn_left_out(t, name, "has U+001E in one of its strings, which DRX cannot store in a list,");
            return DRX_OK;
        }
        separator = strings[i] && strchr(strings[i], '\n') ? RECORD_END : separator;
    }
    text = join(strings, n, separator);
    st = text ? set_text(&t->to, name, text) : DRX_ENOMEM;
    if (!st && !note_strings(t, name, n, separator))
        st = DRX_ENOMEM;
    free(text);
    return st;
}

drx_status end_keeping(struct keeping *t, drx_status st)
{
    if (!st && t->counts)
        st = set_text(&t->to, STRINGS_NOTE, t->counts);
    if (!st && t->fill_time)
        st = set_text(&t->to, FILL_TIME_NOTE, t->fill_time);
    free(t->counts);
    return st;
}

char *text_attribute(const drx_array *a, const char *name)
{
    for (struct attribute t = { 0 }; next_attribute(a, &t);)
        if (strcmp(t.name, name) == 0)
            return t.is_text && t.n > 0 ? visible_text(t.values, (size_t)t.n) : NULL;
    return NULL;
}

bool has_note(const drx_array *a, const char *note)
{
    return drx_dtype(a) == DRX_UINT8 && drx_attr_get(a, note, NULL, NULL, NULL) == DRX_OK;
}

bool is_note(const char *name)
{
    static const char *const notes[] = { CHAR_NOTE,      STRING_NOTE, STRINGS_NOTE, CHARACTERS_NOTE, MODEL_NOTE,
                                         UNLIMITED_NOTE, FORM_NOTE,   JSON_NOTE,    FILL_TIME_NOTE };

    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
        if (strcmp(name, notes[i]) == 0)
            return true;
    return false;
}

/* Has Python stored text or bytes in the array? */
static bool is_of_python(const drx_array *a)
{
    const char *form = has_note(a, FORM_NOTE) ? attribute_text(a, FORM_NOTE) : NULL;

    return form && strcmp(form, "text") == 0;
}

bool holds_strings(const drx_array *a)
{
    return has_note(a, STRING_NOTE) || (is_of_python(a) && drx_attr_get(a, "_Encoding", NULL, NULL, NULL) == DRX_OK);
}

bool holds_text(const drx_array *a)
{
    return has_note(a, STRING_NOTE) || has_note(a, CHAR_NOTE) || is_of_python(a);
}
