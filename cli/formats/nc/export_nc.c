/* An array as a variable of a new netCDF-4 file. */
#include <errno.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/text_attribute.h"
#include "files/target.h"
#include "formats/export.h"
#include "frame/value.h"
#include "nc.h"

static bool is_ascii(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] >= 0x80)
            return false;
    return true;
}

/* Characters, which all programs read, for ASCII; else a string, which is UTF-8. */
static int put_text(int group, int id, const char *name, const char *text, size_t n)
{
    if (is_ascii(text, n))
        return nc_put_att_text(group, id, name, n, text);
    return nc_put_att_string(group, id, name, 1, &text);
}

/* netCDF finds this error only after it has written half of the attribute. */
static bool is_bad_fill(const drx_array *a, const struct attribute *t)
{
    return strcmp(t->name, "_FillValue") == 0 && (t->is_text || t->type != drx_dtype(a) || t->n != 1);
}

/* Give variable `id` the attributes of the array; warn of those that netCDF refuses. Returns netCDF's error. */
static int put_attributes(int group, int id, const struct part *p)
{
    int st = NC_NOERR;

    for (struct attribute t = { 0 }; !st && next_attribute(p->array, &t);) {
        if (leaves_out(p, t.name))
            continue;
        if (is_bad_fill(p->array, &t))
            st = NC_EBADTYPE;
        else if (t.is_text)
            st = put_text(group, id, t.name, t.values, (size_t)t.n);
        else if (nc_type_of(nc_held_type(t.type)))
            st = nc_put_numbers(group, id, t.name, t.type, t.n, t.values);
        else
            st = NC_EBADTYPE;
        if (nc_refuses(st)) {
            warn("%s: attribute '%s' is left out: %s", p->selection.path, t.name, nc_strerror(st));
            st = NC_NOERR;
        }
    }
    return st;
}

struct nc_file {
    const char *name; /* as in messages */
    int root, group;
    struct export *e;
};

struct nc_part { /* a variable being written */
    const struct nc_file *file;
    int group, id;
    drx_type type; /* of the array */
};

int nc_cannot_write(const char *name, const char *variable, int error)
{
    const bool system = (error == NC_EHDFERR || error > 0) && errno; /* the cause, which netCDF only guesses */
    const char *why = system ? strerror(errno) : nc_strerror(error);

    return variable ? failed("%s: cannot write the variable '%s': %s", name, variable, why)
                    : failed("%s: cannot write: %s", name, why);
}

/* The groups of the name, made one in the other. */
static int make_groups(struct nc_file *f, const char *groups)
{
    char *copy = strdup(groups), *rest = copy, *name;
    int st = copy ? NC_NOERR : NC_ENOMEM;

    f->group = f->root;
    while (!st && rest) {
        name = strsep(&rest, "/");
        if (*name)
            st = nc_def_grp(f->group, name, &f->group);
    }
    free(copy);
    return st;
}

/* The dimensions; equal names are one dimension. An extent of 0 makes an unlimited one. */
static int make_dims(const struct nc_file *f, const struct export *e, int ids[])
{
    int st = NC_NOERR;

    for (int k = 0; !st && k < e->main.ndim; k++) {
        ids[k] = -1;
        for (int i = 0; i < k; i++)
            if (strcmp(e->dims[i], e->dims[k]) == 0)
                ids[k] = ids[i];
        if (ids[k] < 0)
            st = nc_def_dim(f->group, e->dims[k], (size_t)e->main.shape[k], &ids[k]);
    }
    return st;
}

static int define(const struct nc_file *f, struct part *p, const int dims[], struct nc_part *out)
{
    int st;

    out->file = f;
    out->group = f->group;
    out->type = drx_dtype(p->array);
    nc_tell_type(p->selection.path, out->type);
    if (holds_text(p->array))
        st = nc_def_var(f->group, p->name, NC_CHAR, p->ndim, dims, &out->id);
    else
        st = nc_define(f->group, p->name, out->type, p->ndim, dims, &out->id);
    if (!st && has_note(p->array, STRING_NOTE)) /* else Python has noted it */
        st = nc_put_att_text(f->group, out->id, "_Encoding", 5, "utf-8");
    if (!st)
        st = nc_put_fill(f->group, out->id, out->type, fill_of(p->array));
    if (!st)
        st = nc_set_storage(f->group, out->id, out->type, p);
    if (!st)
        st = nc_mark_bool(f->group, out->id, p->array);
    return st ? st : put_attributes(f->group, out->id, p);
}

static bool take_nc(void *to, const int64_t at[], const int64_t count[], const void *buf)
{
    const struct nc_part *p = to;
    int ndim, st;

    st = nc_inq_varndims(p->group, p->id, &ndim);
    errno = 0;
    if (!st)
        st = nc_put_elements(p->group, p->id, ndim - DRX_IS_BYTES(p->type), at, count, p->type, buf);
    return st ? !nc_cannot_write(p->file->name, NULL, st) : true;
}

static int write_parts(void *file)
{
    struct nc_file *f = file;
    struct export *e = f->e;
    struct nc_part main, coords[DRX_MAX_NDIM];
    struct progress progress;
    int dims[DRX_MAX_NDIM];
    int status = DONE;
    int st = make_groups(f, e->groups);

    if (!st)
        st = make_dims(f, e, dims);
    for (int k = 0; !st && k < e->main.ndim; k++)
        if (e->coords[k].array)
            st = define(f, &e->coords[k], &dims[k], &coords[k]);
    errno = 0;
    if (!st)
        st = define(f, &e->main, dims, &main);
    if (!st)
        st = nc_enddef(f->root);
    if (st)
        return nc_cannot_write(f->name, NULL, st);
    begin_progress(&progress, box_bytes(e->main.ndim, e->main.shape, drx_type_size(drx_dtype(e->main.array))));
    for (int k = 0; status == DONE && k < e->main.ndim; k++)
        if (e->coords[k].array && e->coords[k].shape[0] > 0)
            status =
                pour(e->coords[k].array, &e->coords[k].selection, &e->coords[k].slabs, take_nc, &coords[k], &progress);
    if (status == DONE && box_bytes(e->main.ndim, e->main.shape, 1) > 0)
        status = pour(e->main.array, &e->main.selection, &e->main.slabs, take_nc, &main, &progress);
    hide_progress();
    return status;
}

/* libnetcdf crashes when it cannot close a file, so a file with a write error stays open until the program ends. */
int nc_write_file(const char *name, int *root, int (*write)(void *with), void *with)
{
    struct target target;
    int st, status = FAILED;

    if (!open_named_target(&target, name))
        return FAILED;
    errno = 0;
    st = nc_create(target.temporary, NC_NETCDF4 | NC_CLOBBER, root);
    if (!st)
        status = write(with);
    if (status == DONE) {
        errno = 0;
        st = nc_sync(*root);
        if (!st)
            st = nc_close(*root);
    }
    return close_target(&target, st ? nc_cannot_write(name, NULL, st) : status);
}

int export_netcdf(struct export *e, const char *name)
{
    struct nc_file f = { .name = name, .e = e };
    int status;

    if (!nc_type_of(nc_held_type(drx_dtype(e->main.array))))
        return failed("%s: has type %s, which netCDF lacks; give a target of HDF5 or NumPy", e->main.selection.path,
                      drx_type_name(drx_dtype(e->main.array)));
    status = nc_write_file(name, &f.root, write_parts, &f);
    if (status == DONE)
        tell_of_export(name, e);
    return status;
}
