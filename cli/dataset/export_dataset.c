/* Writes a dataset as a netCDF-4 file, as it was imported from one if it was. */
#include <errno.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "datasets.h"
#include "formats/export.h"
#include "formats/nc/nc.h"
#include "frame/value.h"

struct output {
    drx_dataset *ds;
    const char *path; /* of the dataset, for messages */
    const char *name; /* of the file, for messages */
    int id;
    const struct deflate *deflate;
    int *dims; /* netCDF's numbers; -1: not in the file */
    struct member *members;
    int n;
};

struct member {
    struct part part; /* the array, borrowed */
    const struct output *out;
    int number, id;
    bool strings, characters;
};

/* A text as `count` strings of netCDF. */
static int put_strings(int id, int var, const struct attribute *t, int64_t count)
{
    char *copy = strndup(t->values, (size_t)t->n), *rest = copy;
    const char **strings = calloc((size_t)count + 1, sizeof *strings);
    const char *separator = separator_of(t->values);
    int st = NC_ENOMEM;

    for (int64_t i = 0; copy && strings && i < count; i++)
        strings[i] = count == 1 ? copy : rest ? strsep(&rest, separator) : "";
    if (copy && strings)
        st = nc_put_att_string(id, var, t->name, (size_t)count, strings);
    free(strings);
    free(copy);
    return st;
}

static int put_attribute(int id, int var, const struct owner *of, const struct attribute *t)
{
    const int64_t strings = t->is_text ? string_count(of, t->name) : -1;

    if (strings >= 0)
        return put_strings(id, var, t, strings);
    if (t->is_text)
        return nc_put_att_text(id, var, t->name, (size_t)t->n, t->values);
    return nc_type_of(nc_held_type(t->type)) ? nc_put_numbers(id, var, t->name, t->type, t->n, t->values) : NC_EBADTYPE;
}

/* Of a variable (m), or the global ones. Warns of those that netCDF refuses. Returns netCDF's error. */
static int put_attributes(const struct output *o, const struct member *m, const struct owner *of)
{
    const int var = m ? m->id : NC_GLOBAL;
    int st = NC_NOERR;

    for (struct attribute t = { 0 }; !st && next_of(of, &t);) {
        if (is_note(t.name) || (m && !m->strings && strcmp(t.name, "_FillValue") == 0) || /* see define_fill */
            (m && m->strings && has_note(m->part.array, FORM_NOTE) && strcmp(t.name, "_Encoding") == 0))
            continue;
        st = is_internal_attribute(t.name) ? NC_ENAMEINUSE : put_attribute(o->id, var, of, &t);
        if (nc_refuses(st)) {
            warn("%s%s%s: attribute '%s' is left out: %s", o->path, m ? "/" : "", m ? m->part.name : "", t.name,
                 nc_strerror(st));
            st = NC_NOERR;
        }
    }
    return st;
}

/* The value of an attribute as one of the array's type; false: it has none. */
static bool value_of(const drx_array *a, const char *name, void *out)
{
    drx_type type;
    int64_t n;
    const void *values;

    return drx_attr_get(a, name, &type, &n, &values) == DRX_OK && n > 0 &&
           convert_value(type, values, drx_dtype(a), out);
}

/* _FillValue: the attribute, or else the fill of the array unless that is missing_value. */
static int define_fill(const struct output *o, const struct member *m)
{
    _Alignas(VALUE_ALIGN_BYTES) unsigned char value[VALUE_MAX_BYTES];
    const drx_array *a = m->part.array;
    const void *fill = fill_of(a);

    if (m->strings)
        return NC_NOERR; /* always filled */
    if (value_of(a, "_FillValue", value))
        return nc_put_fill(o->id, m->id, drx_dtype(a), value);
    if (drx_attr_get(a, "_FillValue", NULL, NULL, NULL) == DRX_OK)
        warn("%s/%s: attribute '_FillValue' is left out: it is not a value of type %s", o->path, m->part.name,
             drx_type_name(drx_dtype(a)));
    else if (fill && !(value_of(a, "missing_value", value) && memcmp(value, fill, drx_type_size(drx_dtype(a))) == 0))
        return nc_put_fill(o->id, m->id, drx_dtype(a), fill);
    return nc_put_fill(o->id, m->id, drx_dtype(a), NULL);
}

static int define_storage(const struct output *o, struct member *m)
{
    const drx_type type = m->strings ? DRX_UINT8 : drx_dtype(m->part.array);
    const int st = define_fill(o, m);

    m->part.deflate = m->strings ? (struct deflate){ .given = true } : deflate_for(m->part.array, o->deflate);
    return st ? st : nc_set_storage(o->id, m->id, type, &m->part);
}

static int define_variable(const struct output *o, struct member *m)
{
    const struct owner of = { .array = m->part.array };
    int dims[DRX_MAX_NDIM], st;

    for (int k = 0; k < m->part.ndim; k++)
        dims[k] = o->dims[drx_dataset_axis(o->ds, m->number, k)];
    errno = 0;
    if (m->strings || m->characters)
        st = nc_def_var(o->id, m->part.name, m->strings ? NC_STRING : NC_CHAR, m->part.ndim, dims, &m->id);
    else
        st = nc_define(o->id, m->part.name, drx_dtype(m->part.array), m->part.ndim, dims, &m->id);
    if (!st)
        st = define_storage(o, m);
    if (!st)
        st = nc_mark_bool(o->id, m->id, m->part.array);
    return st ? st : put_attributes(o, m, &of);
}

/* Plan the variable: all of the array. */
static int plan_member(const struct output *o, struct member *m, int i)
{
    struct part *p = &m->part;
    struct selection *s = &p->selection;
    char *label;
    int status;

    m->out = o;
    m->number = i;
    p->array = member_array(o->ds, o->path, i);
    if (!p->array)
        return FAILED;
    p->name = strdup(drx_dataset_name(o->ds, i));
    if (!p->name)
        return out_of_memory(NC_MAX_NAME);
    s->path = p->name;
    status = settle_selection(s, p->array);
    if (status != DONE)
        return status;
    if (!nc_type_of(nc_held_type(drx_dtype(p->array))))
        return failed("%s/%s: has type %s, which netCDF lacks; export the other variables one by one", o->path, p->name,
                      drx_type_name(drx_dtype(p->array)));
    if (asprintf(&label, "%s/%s", o->path, p->name) < 0)
        return out_of_memory(NC_MAX_NAME);
    nc_tell_type(label, drx_dtype(p->array));
    free(label);
    p->ndim = drx_dataset_ndim(o->ds, i);
    m->strings = p->ndim > 0 && holds_strings(p->array);
    m->characters = !m->strings && holds_text(p->array);
    s->dropped[0] = p->ndim == 0;
    choose_chunk(p, false);
    p->ndim -= m->strings;
    return DONE;
}

/* Dimensions that variables of the file have: all but those of the bytes of strings. */
static int define_dims(const struct output *o)
{
    int st = NC_NOERR;

    for (int d = 0; d < drx_dataset_dim_count(o->ds); d++)
        o->dims[d] = -1;
    for (int i = 0; i < o->n; i++)
        for (int k = 0; k < o->members[i].part.ndim; k++)
            o->dims[drx_dataset_axis(o->ds, i, k)] = 0;
    for (int d = 0; !st && d < drx_dataset_dim_count(o->ds); d++) {
        const char *name = drx_dataset_dim(o->ds, d, NULL);

        errno = 0;
        if (o->dims[d] == 0)
            st = nc_def_dim(o->id, name, is_unlimited(o->ds, d) ? NC_UNLIMITED : (size_t)extent_of(o->ds, d),
                            &o->dims[d]);
        if (st)
            return failed("%s: cannot write the dimension '%s': %s", o->name, name, nc_strerror(st));
    }
    return DONE;
}

static bool take_box(void *to, const int64_t at[], const int64_t count[], const void *buf)
{
    const struct member *m = to;
    const drx_type type =
        m->strings ? (drx_type)0 : drx_dtype(m->part.array); /* pointers to strings stay as they are */
    int st;

    errno = 0;
    st = nc_put_elements(m->out->id, m->id, m->part.ndim, at, count, type, buf);
    return st ? !nc_cannot_write(m->out->name, m->part.name, st) : true;
}

/* `buf`: the pointers of the strings, and then their bytes, which get a NUL each. */
static int put_string_slab(void *with, const struct slabs *slabs, void *buf)
{
    const struct member *m = with;
    const size_t n = (size_t)box_bytes(slabs->ndim, slabs->extent, 1);
    const size_t width = (size_t)drx_shape(m->part.array)[slabs->ndim];
    const char **strings = buf;
    char *bytes = (char *)buf + n * sizeof *strings;
    int64_t lo[DRX_MAX_NDIM] = { 0 }, count[DRX_MAX_NDIM] = { 0 };
    drx_status st;

    memcpy(lo, slabs->at, (size_t)slabs->ndim * sizeof *lo);
    memcpy(count, slabs->extent, (size_t)slabs->ndim * sizeof *count);
    count[slabs->ndim] = (int64_t)width;
    st = read_at(m->part.array, lo, count, DRX_ROW_MAJOR, bytes);
    if (st)
        return failed_drx(m->part.name, st);
    for (size_t i = n; i-- > 0;) {
        strings[i] = memmove(bytes + i * (width + 1), bytes + i * width, width);
        bytes[i * (width + 1) + width] = '\0';
    }
    return take_box(with, slabs->at, slabs->extent, strings) ? DONE : FAILED;
}

static int write_strings(struct member *m, struct progress *progress)
{
    const int64_t *shape = drx_shape(m->part.array);
    const size_t width = (size_t)shape[m->part.ndim];
    struct slabs slabs;
    int64_t total = cut_box(&slabs, m->part.ndim, shape, m->part.chunk, sizeof(char *) + width + 1, DRX_ROW_MAJOR);

    if (total < 0)
        return failed("%s: is too large", m->part.name);
    return total == 0 ? DONE : do_slabs(&slabs, put_string_slab, m, progress);
}

static int write_members(const struct output *o)
{
    struct progress progress;
    int64_t total = 0;
    int status = DONE;

    for (int i = 0; i < o->n; i++)
        total += box_bytes(drx_ndim(o->members[i].part.array), drx_shape(o->members[i].part.array),
                           drx_type_size(drx_dtype(o->members[i].part.array)));
    begin_progress(&progress, total);
    for (int i = 0; status == DONE && i < o->n; i++) {
        struct member *m = &o->members[i];
        struct part *p = &m->part;

        if (m->strings)
            status = write_strings(m, &progress);
        else if (box_bytes(p->selection.ndim, p->selection.count, 1) > 0)
            status = pour(p->array, &p->selection, &p->slabs, take_box, m, &progress);
    }
    hide_progress();
    return status;
}

static int write_file(void *output)
{
    const struct output *o = output;
    const struct owner global = { .ds = o->ds };
    int status = define_dims(o);
    int st = NC_NOERR;

    if (status != DONE)
        return status;
    for (int i = 0; i < o->n; i++) {
        st = define_variable(o, &o->members[i]);
        if (st)
            return nc_cannot_write(o->name, o->members[i].part.name, st);
    }
    errno = 0;
    st = put_attributes(o, NULL, &global);
    if (!st)
        st = nc_enddef(o->id);
    return st ? nc_cannot_write(o->name, NULL, st) : write_members(o);
}

int export_dataset(drx_dataset *ds, const char *path, const char *name, const struct deflate *deflate)
{
    const int n = drx_dataset_count(ds);
    struct output o = { .ds = ds, .path = path, .name = name, .deflate = deflate, .n = n };
    bool told = false;
    int status = DONE;

    o.members = calloc((size_t)n + 1, sizeof *o.members);
    o.dims = calloc((size_t)drx_dataset_dim_count(ds) + 1, sizeof *o.dims);
    if (!o.members || !o.dims)
        status = out_of_memory((int64_t)sizeof *o.members * n);
    for (int i = 0; status == DONE && i < n; i++)
        status = plan_member(&o, &o.members[i], i);
    if (status == DONE)
        status = nc_write_file(name, &o.id, write_file, &o);
    for (int i = 0; status == DONE && i < n; i++)
        tell_of_blosc(name, &o.members[i].part.deflate, &told);
    for (int i = 0; o.members && i < n; i++)
        free(o.members[i].part.name);
    free(o.members);
    free(o.dims);
    return status;
}
