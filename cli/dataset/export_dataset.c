/* Writes a dataset as a netCDF-4 file: what netCDF reads of it by libdrx-netcdf, in chunks that suit the file. */
#include <errno.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/slabs.h"
#include "datasets.h"
#include "drx_netcdf.h"
#include "formats/export.h"
#include "formats/nc/nc.h"

enum { STRING_BYTES = 64 }; /* of memory for a string, beside its pointer and its text */

struct output {
    drx_dataset *ds;
    const char *path; /* of the dataset, for messages */
    const char *name; /* of the file, for messages */
    int in, id;       /* netCDF's numbers of both; dimensions and variables have equal ones */
    const struct deflate *deflate;
    struct member *members;
    int n;
};

struct member {
    struct part part; /* the array, borrowed */
    const struct output *out;
    int number, ndim; /* of the variable */
    nc_type type;
};

/* Copy the attributes of a variable, or the global ones. Warns of those that netCDF refuses. Returns netCDF's error. */
static int copy_attributes(const struct output *o, const struct member *m, int natts)
{
    const int var = m ? m->number : NC_GLOBAL;
    char name[NC_MAX_NAME + 1];
    nc_type type;
    size_t n;
    int st = NC_NOERR;

    for (int k = 0; !st && k < natts; k++) {
        st = nc_inq_attname(o->in, var, k, name);
        if (!st)
            st = nc_inq_att(o->in, var, name, &type, &n);
        if (st || (m && strcmp(name, "_FillValue") == 0 && type == m->type && n == 1 && type != NC_STRING))
            continue; /* copy_fill has done it */
        errno = 0;
        st = nc_copy_att(o->in, var, name, o->id, var);
        if (nc_refuses(st)) {
            warn("%s%s%s: attribute '%s' is left out: %s", o->path, m ? "/" : "", m ? m->part.name : "", name,
                 nc_strerror(st));
            st = NC_NOERR;
        }
    }
    return st;
}

static int copy_fill(const struct output *o, const struct member *m)
{
    _Alignas(16) char value[16];
    int no_fill;
    int st = m->type == NC_STRING ? NC_NOERR : nc_inq_var_fill(o->in, m->number, &no_fill, value);

    return st || m->type == NC_STRING ? st : nc_def_var_fill(o->id, m->number, no_fill, no_fill ? NULL : value);
}

static int define_variable(const struct output *o, struct member *m)
{
    int dims[NC_MAX_VAR_DIMS], id, natts;
    int st = nc_inq_var(o->in, m->number, NULL, NULL, NULL, dims, &natts);

    errno = 0;
    if (!st)
        st = nc_def_var(o->id, m->part.name, m->type, m->ndim, dims, &id);
    if (!st)
        st = copy_fill(o, m);
    m->part.deflate = m->type == NC_STRING ? (struct deflate){ .given = true } : deflate_for(m->part.array, o->deflate);
    if (!st)
        st = nc_set_storage(o->id, m->number, drx_dtype(m->part.array), &m->part);
    return st ? st : copy_attributes(o, m, natts);
}

/* Plan the variable: all of the array. */
static int plan_member(const struct output *o, struct member *m, int i)
{
    struct part *p = &m->part;
    struct selection *s = &p->selection;
    char *label;
    int status, st;

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
    if (asprintf(&label, "%s/%s", o->path, p->name) < 0)
        return out_of_memory(NC_MAX_NAME);
    nc_tell_type(label, drx_dtype(p->array));
    free(label);
    st = nc_inq_vartype(o->in, i, &m->type);
    if (!st)
        st = nc_inq_varndims(o->in, i, &m->ndim);
    if (st)
        return failed("%s/%s: %s", o->path, p->name, nc_strerror(st));
    s->dropped[0] = drx_dataset_ndim(o->ds, i) == 0;
    choose_chunk(p, false);
    p->ndim = drx_dataset_ndim(o->ds, i) - (m->type == NC_STRING && !DRX_IS_STRING(drx_dtype(p->array)));
    return DONE;
}

static int define_dims(const struct output *o)
{
    char name[NC_MAX_NAME + 1];
    int unlimited[NC_MAX_DIMS], n, ndims, id;
    size_t length;
    int st = nc_inq_unlimdims(o->in, &n, unlimited);

    if (!st)
        st = nc_inq_ndims(o->in, &ndims);
    for (int d = 0; !st && d < ndims; d++) {
        st = nc_inq_dim(o->in, d, name, &length);
        for (int k = 0; k < n; k++)
            length = unlimited[k] == d ? NC_UNLIMITED : length;
        errno = 0;
        if (!st)
            st = nc_def_dim(o->id, name, length, &id);
        if (st)
            return failed("%s: cannot write the dimension '%s': %s", o->name, name, nc_strerror(st));
    }
    return DONE;
}

static int move_slab(void *with, const struct slabs *slabs, void *buf)
{
    const struct member *m = with;
    const struct output *o = m->out;
    size_t start[DRX_MAX_NDIM + 1] = { 0 }, count[DRX_MAX_NDIM + 1];
    int st;

    for (int k = 0; k < m->part.ndim; k++) {
        start[k] = (size_t)slabs->at[k];
        count[k] = (size_t)slabs->extent[k];
    }
    count[m->part.ndim] = drx_type_size(drx_dtype(m->part.array)); /* of fixed strings */
    if (nc_get_vara(o->in, m->number, start, count, buf) != NC_NOERR)
        return failed_drx(m->part.name, DRX_EIO);
    errno = 0;
    st = nc_put_vara(o->id, m->number, start, count, buf);
    if (m->type == NC_STRING)
        (void)nc_free_string((size_t)box_bytes(slabs->ndim, slabs->extent, 1), buf);
    return st ? nc_cannot_write(o->name, m->part.name, st) : DONE;
}

static int move_elements(struct member *m, struct progress *progress)
{
    static const int64_t one[] = { 1 };
    const int64_t *shape = m->part.ndim ? drx_shape(m->part.array) : one;
    const size_t bytes = drx_type_size(drx_dtype(m->part.array)) + (m->type == NC_STRING ? STRING_BYTES : 0);
    struct slabs slabs;
    const int64_t total = cut_box(&slabs, m->part.ndim ? m->part.ndim : 1, shape, m->part.chunk, bytes, DRX_ROW_MAJOR);

    if (total < 0)
        return failed("%s: is too large", m->part.name);
    return total == 0 ? DONE : do_slabs(&slabs, move_slab, m, progress);
}

static int write_file(void *output)
{
    const struct output *o = output;
    struct progress progress;
    int64_t total = 0;
    int natts, status = define_dims(o), st = NC_NOERR;

    for (int i = 0; status == DONE && i < o->n; i++) {
        st = define_variable(o, &o->members[i]);
        if (st)
            return nc_cannot_write(o->name, o->members[i].part.name, st);
        total += box_bytes(drx_ndim(o->members[i].part.array), drx_shape(o->members[i].part.array),
                           drx_type_size(drx_dtype(o->members[i].part.array)));
    }
    if (status != DONE)
        return status;
    st = nc_inq_natts(o->in, &natts);
    if (!st)
        st = copy_attributes(o, NULL, natts);
    if (!st)
        st = nc_enddef(o->id);
    if (st)
        return nc_cannot_write(o->name, NULL, st);
    begin_progress(&progress, total);
    for (int i = 0; status == DONE && i < o->n; i++)
        status = move_elements(&o->members[i], &progress);
    hide_progress();
    return status;
}

/* The dataset as netCDF reads it, at the commit that is shown. */
static int open_source(struct output *o)
{
    char *place;
    int st;

    if (asprintf(&place, "%s#mode=udf0&commit=%lld", o->path, (long long)drx_dataset_shown(o->ds)) < 0)
        return out_of_memory(NC_MAX_NAME);
    st = drx_netcdf_register();
    if (!st)
        st = nc_open(place, NC_UDF0, &o->in);
    free(place);
    return st ? failed("%s: %s", o->path, nc_strerror(st)) : DONE;
}

int export_dataset(drx_dataset *ds, const char *path, const char *name, const struct deflate *deflate)
{
    struct output o = { .ds = ds, .path = path, .name = name, .deflate = deflate, .n = drx_dataset_count(ds) };
    int status = open_source(&o);
    bool told = false;

    if (status != DONE)
        return status;
    o.members = calloc((size_t)o.n + 1, sizeof *o.members);
    if (!o.members)
        status = out_of_memory((int64_t)sizeof *o.members * o.n);
    for (int i = 0; status == DONE && i < o.n; i++)
        status = plan_member(&o, &o.members[i], i);
    if (status == DONE)
        status = nc_write_file(name, &o.id, write_file, &o);
    for (int i = 0; status == DONE && i < o.n; i++)
        tell_of_blosc(name, &o.members[i].part.deflate, &told);
    for (int i = 0; o.members && i < o.n; i++)
        free(o.members[i].part.name);
    free(o.members);
    (void)nc_close(o.in);
    return status;
}
