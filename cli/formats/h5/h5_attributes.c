/* Attributes of an HDF5 dataset, and the fill value. */
#include <stdlib.h>
#include <string.h>

#include "arrays/text_attribute.h"
#include "formats/export.h"
#include "frame/cli.h"
#include "frame/text.h"
#include "h5.h"

static const char reading[] = "read the attributes";

void h5_close_attribute(struct h5_attribute *t)
{
    h5_close(t->space);
    h5_close(t->type);
    h5_close(t->id);
}

bool h5_open_attribute(struct h5_attribute *t, hid_t dataset, const char *name)
{
    t->type = t->space = -1;
    t->id = H5Aopen(dataset, name, H5P_DEFAULT);
    if (t->id >= 0) {
        t->type = H5Aget_type(t->id);
        t->space = H5Aget_space(t->id);
    }
    if (t->type >= 0 && t->space >= 0) {
        t->kept =
            H5Tget_class(t->type) == H5T_STRING ? (drx_type)0 : h5_element_type(t->type); /* texts are kept otherwise */
        t->n = H5Sget_simple_extent_type(t->space) == H5S_NULL ? 0 : (int64_t)H5Sget_simple_extent_npoints(t->space);
        if (t->n >= 0)
            return true;
    }
    h5_close_attribute(t);
    return false;
}

/* Its numbers, to be freed; NULL after printing why they cannot be read. */
static void *read_numbers(const struct source *s, const struct h5_attribute *t)
{
    const hid_t memory_type = h5_memory_type(t->kept, t->type);
    void *values = calloc(t->n ? (size_t)t->n : 1, drx_type_size(t->kept));

    if (!values) {
        (void)out_of_memory(t->n);
    } else if (t->n > 0 && H5Aread(t->id, memory_type, values) < 0) {
        (void)h5_failed(s->label, reading);
        free(values);
        values = NULL;
    }
    h5_close(memory_type);
    return values;
}

/* Take the fill value from an attribute, if it exists and holds numbers. */
static bool take_fill(struct source *s, const char *name)
{
    const struct h5 *h5 = s->state;
    struct h5_attribute t;
    void *values = NULL;

    if (H5Aexists(h5->dataset, name) <= 0)
        return true;
    if (!h5_open_attribute(&t, h5->dataset, name))
        return !h5_failed(s->label, reading);
    if (t.kept && t.n > 0) {
        values = read_numbers(s, &t);
        if (values)
            source_take_fill(s, name, t.kept, values, t.n);
    }
    h5_close_attribute(&t);
    free(values);
    return !t.kept || t.n == 0 || values;
}

static bool take_own_fill(struct source *s)
{
    const struct h5 *h5 = s->state;
    const hid_t plist = H5Dget_create_plist(h5->dataset);
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    bool good = plist >= 0;

    if (good && H5Pfill_value_defined(plist, &defined) >= 0 && defined == H5D_FILL_VALUE_USER_DEFINED) {
        good = H5Pget_fill_value(plist, h5->memory_type, s->fill) >= 0;
        if (good && !h5_strings_from_file(s->label, s->type, 1, s->fill)) {
            h5_close(plist);
            return false;
        }
        s->fill_name = "the fill value of the dataset";
    }
    if (!good)
        (void)h5_failed(s->label, "read the fill value");
    h5_close(plist);
    return good;
}

bool h5_find_fill(struct source *s)
{
    return take_fill(s, "_FillValue") && (s->fill_name || take_own_fill(s)) &&
           (s->fill_name || take_fill(s, "missing_value"));
}

/* The text of the attribute, to be freed; NULL: it is not there, or is no text of varying length. */
static char *note_of(hid_t dataset)
{
    struct h5_attribute t;
    char *read = NULL, *note = NULL;

    if (H5Aexists(dataset, H5_TYPE_NOTE) <= 0 || !h5_open_attribute(&t, dataset, H5_TYPE_NOTE))
        return NULL;
    if (H5Tget_class(t.type) == H5T_STRING && H5Tis_variable_str(t.type) > 0 && t.n == 1 &&
        H5Aread(t.id, t.type, &read) >= 0 && read) {
        note = strdup(read);
        (void)H5Dvlen_reclaim(t.type, t.space, H5P_DEFAULT, &read);
    }
    h5_close_attribute(&t);
    return note;
}

drx_type h5_noted_type(hid_t dataset, hid_t stored, drx_type type)
{
    char *note = DRX_IS_BYTES(type) && H5Tget_cset(stored) == H5T_CSET_UTF8 ? note_of(dataset) : NULL;
    const drx_type noted = note ? drx_type_named(note) : (drx_type)0;

    free(note);
    return DRX_IS_UNICODE(noted) && drx_type_size(noted) == drx_type_size(type) ? noted : type;
}

/* Strings of varying length become lines. Gives the exit code; *st is the library's status. */
static int copy_strings(const struct source *s, const struct h5_attribute *t, drx_array *a, const char *name,
                        drx_status *st)
{
    char **strings = calloc(t->n ? (size_t)t->n : 1, sizeof *strings);
    int status = DONE;

    if (!strings)
        status = out_of_memory(t->n);
    else if (t->n > 0 && H5Aread(t->id, t->type, strings) < 0)
        status = h5_failed(s->label, reading);
    if (status == DONE) {
        *st = set_lines_attribute(a, name, strings, (size_t)t->n);
        if (t->n > 0)
            (void)H5Dvlen_reclaim(t->type, t->space, H5P_DEFAULT, strings);
    }
    free(strings);
    return status;
}

/* Likewise those of fixed length, without padding. */
static int copy_fixed_strings(const struct source *s, const struct h5_attribute *t, drx_array *a, const char *name,
                              drx_status *st)
{
    const size_t bytes = H5Tget_size(t->type), n = (size_t)t->n;
    const bool spaces = H5Tget_strpad(t->type) == H5T_STR_SPACEPAD;
    char *all = calloc(n + 1, bytes + 1), *spread = calloc(n + 1, bytes + 1);
    char **strings = calloc(n + 1, sizeof *strings);
    int status = DONE;

    if (!all || !spread || !strings)
        status = out_of_memory(t->n);
    else if (n > 0 && H5Aread(t->id, t->type, all) < 0)
        status = h5_failed(s->label, reading);
    for (size_t i = 0; status == DONE && i < n; i++) {
        strings[i] = spread + i * (bytes + 1);
        memcpy(strings[i], all + i * bytes, bytes);
        for (size_t end = strlen(strings[i]); spaces && end > 0 && strings[i][end - 1] == ' ';)
            strings[i][--end] = '\0';
    }
    if (status == DONE)
        *st = set_lines_attribute(a, name, strings, n);
    free(strings);
    free(spread);
    free(all);
    return status;
}

struct copying {
    const struct source *s;
    drx_array *a;
    drx_status st; /* the library's */
    int status;    /* FAILED: printed already */
};

/* Attributes of an array are one text, or a list of numbers. */
static void tell_of_shape(const struct source *s, const struct h5_attribute *t, const char *name)
{
    const int ndim = H5Sget_simple_extent_ndims(t->space);

    if (H5Tget_class(t->type) == H5T_STRING && t->n > 1)
        warn_of_lines(s->label, name, t->n);
    else if (t->kept && ndim > 1)
        warn("%s: attribute %s has %d dimensions; the array keeps its %lld numbers as a list", s->label, name, ndim,
             (long long)t->n);
}

static void copy_attribute(struct copying *c, const struct h5_attribute *t, const char *name)
{
    void *values;

    tell_of_shape(c->s, t, name);
    if (H5Tget_class(t->type) == H5T_STRING) {
        c->status = H5Tis_variable_str(t->type) > 0 ? copy_strings(c->s, t, c->a, name, &c->st)
                                                    : copy_fixed_strings(c->s, t, c->a, name, &c->st);
    } else if (t->kept) {
        values = read_numbers(c->s, t);
        if (values)
            c->st = drx_attr_set(c->a, name, t->kept, t->n, values);
        else
            c->status = FAILED;
        free(values);
    } else {
        warn("%s: attribute %s holds %s and is left out", c->s->label, name, h5_type_text(t->type));
    }
}

static bool is_left_out(const struct source *s, const char *name)
{
    return is_internal_attribute(name) || (strcmp(name, "_FillValue") == 0 && source_notes_fill(s));
}

static herr_t visit(hid_t dataset, const char *name, const H5A_info_t *info, void *data)
{
    struct copying *c = data;
    struct h5_attribute t;
    char *to;

    (void)info;
    if (is_left_out(c->s, name))
        return 0;
    if (!h5_open_attribute(&t, dataset, name)) {
        c->status = h5_failed(c->s->label, reading);
        return -1;
    }
    to = utf8_of(name, strlen(name));
    if (!to)
        c->st = DRX_ENOMEM;
    else if (strlen(to) == 0 || strlen(to) > 1024)
        warn("%s: attribute '%.60s' has a name of %zu bytes, not of 1 to 1024, and is left out", c->s->label, to,
             strlen(to));
    else
        copy_attribute(c, &t, to);
    free(to);
    h5_close_attribute(&t);
    return c->st || c->status != DONE ? -1 : 0;
}

int h5_copy_attributes(const struct source *s, drx_array *a, const char *path)
{
    const struct h5 *h5 = s->state;
    struct copying c = { .s = s, .a = a, .status = DONE };
    const hid_t plist = H5Dget_create_plist(h5->dataset);
    unsigned order = 0;
    herr_t error;

    if (plist >= 0)
        (void)H5Pget_attr_creation_order(plist, &order);
    h5_close(plist);
    error = H5Aiterate2(h5->dataset, order & H5P_CRT_ORDER_INDEXED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC,
                        NULL, visit, &c);
    if (c.st)
        return failed_drx(path, c.st);
    if (error < 0 && c.status == DONE)
        c.status = h5_failed(s->label, reading);
    return c.status;
}
