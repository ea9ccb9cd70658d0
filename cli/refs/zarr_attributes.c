/* Attributes of arrays and datasets as JSON, in the form that xarray reads. */
#include <math.h>
#include <string.h>

#include "frame/json.h"
#include "refs.h"

/* As Zarr writes a fill value: JSON has no NaN and no infinite number. Readers take a number for a double, so one of
 * single precision has the digits of one. */
struct json_object *json_of_value(drx_type type, const void *value)
{
    struct json_object *pair;

    if (type == DRX_BOOL)
        return json_object_new_boolean(whole_value(type, value) != 0);
    if (type == DRX_UINT64)
        return json_object_new_uint64((uint64_t)whole_value(type, value));
    if (type_is_whole(type))
        return json_object_new_int64(whole_value(type, value));
    if (!type_is_complex(type))
        return json_of_real(DRX_FLOAT64, real_part(type, value, 0));
    pair = json_object_new_array_ext(2);
    for (int part = 0; pair && part < 2; part++)
        (void)json_object_array_add(pair, json_of_real(DRX_FLOAT64, real_part(type, value, part)));
    return pair;
}

static struct json_object *json_of_numbers(const struct attribute *t)
{
    struct json_object *list;

    if (t->n == 1)
        return json_of_value(t->type, t->values);
    list = json_object_new_array();
    for (int64_t k = 0; list && k < t->n; k++)
        (void)json_object_array_add(
            list, json_of_value(t->type, (const char *)t->values + (size_t)k * drx_type_size(t->type)));
    return list;
}

/* The n strings of a text. */
static struct json_object *json_of_lines(const char *text, int64_t n)
{
    const char *separator = separator_of(text);
    struct json_object *list = json_object_new_array();

    for (; list && n > 0; n--) {
        const size_t line = strcspn(text, separator);

        (void)json_object_array_add(list, json_object_new_string_len(text, (int)line));
        text += line + (text[line] == *separator);
    }
    return list;
}

/* The list of the attributes whose text is JSON; NULL: there is none. */
static struct json_object *json_names(const struct owner *of)
{
    struct attribute t;
    struct json_object *names = find_attribute(of, JSON_NOTE, &t) && t.is_text ? json_tokener_parse(t.values) : NULL;

    if (!names || json_object_is_type(names, json_type_array))
        return names;
    json_object_put(names);
    return NULL;
}

static bool is_listed(const struct json_object *names, const char *name)
{
    for (size_t i = 0; names && i < json_object_array_length(names); i++) {
        struct json_object *one = json_object_array_get_idx(names, i);

        if (json_object_is_type(one, json_type_string) && strcmp(json_object_get_string(one), name) == 0)
            return true;
    }
    return false;
}

/* What was read, as JSON proper: without NaN and infinite numbers. It takes the reference. */
static struct json_object *strict(struct json_object *read)
{
    if (json_object_is_type(read, json_type_double) && !isfinite(json_object_get_double(read))) {
        struct json_object *word = json_of_real(DRX_FLOAT64, json_object_get_double(read));

        json_object_put(read);
        return word;
    }
    if (json_object_is_type(read, json_type_array))
        for (size_t i = 0; i < json_object_array_length(read); i++)
            (void)json_object_array_put_idx(read, i, strict(json_object_get(json_object_array_get_idx(read, i))));
    if (json_object_is_type(read, json_type_object)) {
        struct json_object_iterator at = json_object_iter_begin(read);
        const struct json_object_iterator end = json_object_iter_end(read);

        for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
            (void)json_object_object_add(read, json_object_iter_peek_name(&at),
                                         strict(json_object_get(json_object_iter_peek_value(&at))));
    }
    return read;
}

static struct json_object *json_of_attribute(const struct owner *of, const struct attribute *t,
                                             const struct json_object *names)
{
    struct json_object *parsed = NULL;
    enum json_tokener_error error;
    int64_t strings;

    if (!t->is_text)
        return json_of_numbers(t);
    if (is_listed(names, t->name)) {
        parsed = json_tokener_parse_verbose(t->values, &error);
        if (error == json_tokener_success)
            return strict(parsed); /* NULL is null */
    }
    strings = string_count(of, t->name);
    if (strings >= 0 && strings != 1)
        return json_of_lines(t->values, strings);
    return json_object_new_string_len(t->values, (int)t->n);
}

/* Numbers that mark missing elements. NaN marks nothing that is not NaN already, and JSON cannot say it. */
static bool marks_nothing(const struct attribute *t)
{
    return (strcmp(t->name, "_FillValue") == 0 || strcmp(t->name, "missing_value") == 0) && !t->is_text && t->n == 1 &&
           !type_is_whole(t->type) && isnan(real_part(t->type, t->values, 0));
}

static bool is_shown(const struct attribute *t, bool is_text)
{
    return !is_note(t->name) && strcmp(t->name, "_ARRAY_DIMENSIONS") != 0 && !marks_nothing(t) &&
           !(is_text && strcmp(t->name, "_FillValue") == 0);
}

struct json_object *attributes_of(const struct owner *of, bool is_text)
{
    struct json_object *attributes = json_object_new_object(), *names = json_names(of);

    for (struct attribute t = { 0 }; attributes && next_of(of, &t);)
        if (!t.is_text && !DRX_IS_NUMBER(t.type))
            warn("attribute %.60s has a type that JSON lacks, and is left out", t.name);
        else if (is_shown(&t, is_text))
            (void)json_object_object_add(attributes, t.name, json_of_attribute(of, &t, names));
    if (attributes && of->array && is_text && has_note(of->array, STRING_NOTE))
        (void)json_object_object_add(attributes, "_Encoding", json_object_new_string("utf-8"));
    json_object_put(names);
    return attributes;
}
