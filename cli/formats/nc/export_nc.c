/* Parts of arrays as variables of a new netCDF-4 file: what netCDF reads of them by libdrx-netcdf, in chunks that suit
 * the file. */
#include <errno.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "drx_netcdf.h"
#include "files/paths.h"
#include "formats/export.h"
#include "nc.h"

enum { STRING_BYTES = 64 }; /* of memory for a string, beside its pointer and its text */

/* A dimension of the file: indices of one of the source. */
struct dim {
    int from, id; /* netCDF's numbers of both */
    int64_t lo, count, step;
};

struct group {
    int in, out; /* netCDF's numbers */
};

struct output {
    struct nc_types types;
    struct variables *vars;
    const char *name;     /* of the file, for messages */
    int in, root;         /* netCDF's numbers of the source and the file */
    struct group *groups; /* 0: the root of the dataset, or the group that all goes to; then those of the dataset */
    int ngroups;
    struct dim *dims;
    int ndims;
};

struct moved { /* a variable whose elements are copied */
    const struct output *out;
    struct part *part;
    const struct group *group;
    nc_type type;
    int from, to; /* its numbers */
    int axes;     /* of the selection */
    int parts;    /* of an element, of which netCDF makes one more dimension; 0: none */
};

int nc_cannot_write(const char *name, const char *variable, int error)
{
    const bool system = (error == NC_EHDFERR || error > 0) && errno; /* the cause, which netCDF only guesses */
    const char *why = system ? strerror(errno) : nc_strerror(error);

    return variable ? failed("%s: cannot write the variable '%s': %s", name, variable, why)
                    : failed("%s: cannot write: %s", name, why);
}

/* ---- dimensions ---- */

static bool is_same(const struct dim *a, const struct dim *b)
{
    return a->from == b->from && a->lo == b->lo && a->count == b->count && a->step == b->step;
}

static bool has_dim(int group, const char *name)
{
    char other[NC_MAX_NAME + 1];
    int ids[NC_MAX_DIMS], n = 0;

    if (nc_inq_dimids(group, &n, ids, 0) != NC_NOERR)
        return false;
    while (n-- > 0)
        if (nc_inq_dimname(group, ids[n], other) == NC_NOERR && strcmp(other, name) == 0)
            return true;
    return false;
}

/* A name that netCDF takes and no dimension of the group has, which begins like `name`; to be freed. */
static char *free_name(int group, const char *name)
{
    char *first = legal_name(name, true), *found = first ? strdup(first) : NULL;

    for (int i = 2; found && has_dim(group, found); i++) {
        free(found);
        if (asprintf(&found, "%.240s_%d", first, i) < 0)
            found = NULL;
    }
    free(first);
    return found;
}

/* `own`: how the array calls it; NULL: not at all. */
static int define_dim(struct output *o, const struct group *g, struct dim *d, const char *own, const char *label)
{
    char given[NC_MAX_NAME + 1], *name = NULL;
    int unlimited[NC_MAX_DIMS], n;
    size_t length = (size_t)d->count;
    struct dim *more = realloc(o->dims, ((size_t)o->ndims + 1) * sizeof *more);
    int st = more ? nc_inq_unlimdims(g->in, &n, unlimited) : NC_ENOMEM;

    o->dims = more ? more : o->dims;
    if (!st)
        st = nc_inq_dimname(g->in, d->from, given);
    if (!st)
        st = (name = free_name(g->out, given)) ? NC_NOERR : NC_ENOMEM;
    for (int k = 0; !st && k < n; k++)
        length = unlimited[k] == d->from ? NC_UNLIMITED : length;
    if (!st && own && *own && strcmp(name, own) != 0)
        warn("%s: a dimension cannot be called '%s' there; the file calls it '%s'", label, own, name);
    errno = 0;
    if (!st)
        st = nc_def_dim(g->out, name, length, &d->id);
    if (!st)
        o->dims[o->ndims++] = *d;
    free(name);
    return st;
}

static int find_dim(struct output *o, const struct group *g, struct dim *d, const char *own, const char *label)
{
    for (int i = 0; i < o->ndims; i++)
        if (is_same(&o->dims[i], d)) {
            d->id = o->dims[i].id;
            return NC_NOERR;
        }
    return define_dim(o, g, d, own, label);
}

/* The group of a path of the dataset, or of what has that path. */
static const struct group *group_of(const struct output *o, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *above = strndup(path, slash ? (size_t)(slash - path) : 0);
    const int i = above && *above ? drx_dataset_group_find(o->vars->ds, above) + 1 : 0;

    free(above);
    return &o->groups[i];
}

/* That of the dimension of an axis. */
static const struct group *group_of_dim(const struct output *o, const struct moved *m, int axis)
{
    const drx_dataset *ds = o->vars->ds;
    const int d = ds ? drx_dataset_axis(ds, m->part->index, axis) : -1;

    return d < 0 ? m->group : group_of(o, drx_dataset_dim(ds, d, NULL));
}

/* Those of the variable, in ids[]; their number in *ndim. */
static int find_dims(struct output *o, struct moved *m, int ids[], int *ndim)
{
    const struct selection *s = &m->part->selection;
    int from[NC_MAX_VAR_DIMS];
    size_t parts = 0;
    int st = nc_inq_vardimid(m->group->in, m->from, from);

    *ndim = 0;
    for (int k = 0; !st && k < m->axes; k++) {
        struct dim d = { .from = from[k], .lo = s->lo[k], .count = s->count[k], .step = s->step[k] };

        if (s->dropped[k])
            continue;
        st = find_dim(o, group_of_dim(o, m, k), &d, drx_dim_name(m->part->array, k), s->path);
        ids[(*ndim)++] = d.id;
    }
    if (!st && m->parts) {
        struct dim d = { .from = from[m->axes], .step = 1 };

        st = nc_inq_dimlen(m->group->in, d.from, &parts);
        d.count = (int64_t)parts;
        if (!st)
            st = find_dim(o, m->group, &d, NULL, s->path);
        ids[(*ndim)++] = d.id;
    }
    return st;
}

/* ---- variables ---- */

/* Say which attributes do not come along since the file has records of those names, or not with the whole name. */
static void tell_of_names(const struct part *p)
{
    for (struct attribute t = { 0 }; next_attribute(p->array, &t);) {
        if (strcmp(t.name, "_FillValue") != 0)
            (void)leaves_out(p, t.name);
        if (strlen(t.name) > NC_MAX_NAME)
            warn("%s: attribute '%s' has a name of more than %d bytes; the file has the first ones", p->selection.path,
                 t.name, NC_MAX_NAME);
    }
}

/* Of a variable, or those of the group (`m` NULL). Warns of those that netCDF refuses. Returns netCDF's error. */
static int put_nc_attributes(const struct output *o, const struct group *g, const struct moved *m, int natts)
{
    const int from = m ? m->from : NC_GLOBAL, to = m ? m->to : NC_GLOBAL;
    const char *label = m ? m->part->selection.path : o->vars->path;
    char name[NC_MAX_NAME + 1];
    nc_type type;
    size_t n;
    int st = NC_NOERR;

    for (int k = 0; !st && k < natts; k++) {
        st = nc_inq_attname(g->in, from, k, name);
        if (!st)
            st = nc_inq_att(g->in, from, name, &type, &n);
        if (st || (m && strcmp(name, "_FillValue") == 0 && type == m->type && n == 1 && type != NC_STRING))
            continue; /* copy_fill has done it */
        errno = 0;
        st = m && strcmp(name, "_FillValue") == 0 && type != m->type ? NC_EBADTYPE /* which netCDF finds too late */
             : type >= NC_FIRSTUSERTYPEID ? nc_copy_typed(&o->types, g->in, from, name, g->out, to)
                                          : nc_copy_att(g->in, from, name, g->out, to);
        if (nc_refuses(st)) {
            warn("%s: attribute '%s' is left out: %s", label, name, nc_strerror(st));
            st = NC_NOERR;
        }
    }
    return st;
}

static int copy_fill(const struct moved *m)
{
    _Alignas(16) char value[DRX_MAX_TYPE_BYTES];
    int no_fill;
    int st = m->type == NC_STRING ? NC_NOERR : nc_inq_var_fill(m->group->in, m->from, &no_fill, value);

    return st || m->type == NC_STRING ? st : nc_def_var_fill(m->group->out, m->to, no_fill, no_fill ? NULL : value);
}

/* The name of the variable; coordinates are called like their dimension. */
static int name_variable(const struct moved *m, int ndim, const int dims[], char name[NC_MAX_NAME + 1])
{
    const struct group *g = m->group;
    char from[NC_MAX_NAME + 1];
    int ids[NC_MAX_VAR_DIMS];
    int st = nc_inq_varname(g->in, m->from, from);

    if (!st && m->axes == 1 && ndim == 1 && !(st = nc_inq_vardimid(g->in, m->from, ids)) &&
        !(st = nc_inq_dimname(g->in, ids[0], name)) && strcmp(name, from) == 0)
        return nc_inq_dimname(g->out, dims[0], name);
    (void)snprintf(name, NC_MAX_NAME + 1, "%s", m->part->name);
    return st;
}

static int define_variable(struct output *o, struct moved *m)
{
    char name[NC_MAX_NAME + 1];
    int dims[NC_MAX_VAR_DIMS], ndim, natts;
    struct part *p = m->part;
    int st = find_dims(o, m, dims, &ndim);

    if (!st)
        st = name_variable(m, ndim, dims, name);
    if (!st)
        st = nc_inq_varnatts(m->group->in, m->from, &natts);
    errno = 0;
    if (!st)
        st = nc_def_var(m->group->out, name, nc_type_there(&o->types, m->type), ndim, dims, &m->to);
    if (!st)
        st = copy_fill(m);
    if (m->type == NC_STRING)
        p->deflate = (struct deflate){ .given = true };
    if (!st)
        st = nc_set_storage(m->group->out, m->to, m->parts, p);
    tell_of_names(p);
    return st ? st : put_nc_attributes(o, m->group, m, natts);
}

/* ---- elements ---- */

static int move_slab(void *with, const struct slabs *slabs, void *buf)
{
    const struct moved *m = with;
    const struct selection *s = &m->part->selection;
    const int ndim = m->axes + (m->parts > 0);
    size_t start[DRX_MAX_NDIM + 1] = { 0 }, count[DRX_MAX_NDIM + 1], at[DRX_MAX_NDIM + 1] = { 0 };
    size_t extent[DRX_MAX_NDIM + 1], bytes;
    ptrdiff_t step[DRX_MAX_NDIM + 1], map[DRX_MAX_NDIM + 1], elements = 1, first = 0;
    int kept = 0, st;

    for (int k = 0; k < ndim; k++) {
        const bool axis = k < m->axes;

        count[k] = axis ? (size_t)slabs->extent[k] : (size_t)m->parts;
        step[k] = axis ? s->step[k] : 1;
        start[k] = axis ? (size_t)(s->lo[k] + slabs->at[k] * s->step[k]) : 0;
        if (axis && s->dropped[k])
            continue;
        at[kept] = axis ? (size_t)slabs->at[k] : 0;
        extent[kept++] = count[k];
    }
    for (int k = ndim - 1; k >= 0; k--) {
        map[k] = step[k] < 0 ? -elements : elements;
        if (step[k] < 0) { /* netCDF goes up, into the buffer from its end */
            start[k] -= (count[k] - 1) * (size_t)-step[k];
            first += (ptrdiff_t)(count[k] - 1) * elements;
            step[k] = -step[k];
        }
        elements *= (ptrdiff_t)count[k];
    }
    st = nc_inq_type(m->group->in, m->type, NULL, &bytes);
    if (!st)
        st = nc_get_varm(m->group->in, m->from, start, count, step, map, (char *)buf + first * (ptrdiff_t)bytes);
    if (st)
        return failed_drx(s->path, DRX_EIO);
    errno = 0;
    st = nc_put_vara(m->group->out, m->to, at, extent, buf);
    if (m->type == NC_STRING)
        (void)nc_free_string((size_t)elements, buf);
    return st ? nc_cannot_write(m->out->name, NULL, st) : DONE;
}

/* ---- the file ---- */

/* What netCDF makes of the array; its chunks. */
static int plan_variable(const struct output *o, struct moved *m, int i)
{
    struct part *p = o->vars->parts[i];
    struct selection *s = &p->selection;
    const drx_type type = drx_dtype(p->array);
    const size_t stored = drx_type_size(type);
    const char *name = o->vars->ds ? drx_dataset_name(o->vars->ds, p->index) : NULL;
    size_t bytes; /* float16 becomes float */
    int ndim, st = NC_NOERR;

    *m = (struct moved){ .out = o, .part = p, .from = i, .group = &o->groups[0] };
    nc_tell_type(s->path, type);
    if (name) {
        m->group = group_of(o, name);
        st = nc_inq_varid(m->group->in, base_name(name), &m->from);
    }
    if (!st)
        st = nc_inq_var(m->group->in, m->from, NULL, &m->type, &ndim, NULL, NULL);
    if (!st)
        st = nc_inq_type(m->group->in, m->type, NULL, &bytes);
    if (st == NC_EBADTYPE)
        return failed("%s: has type %s, which netCDF lacks", s->path, drx_type_name(type));
    if (st)
        return failed("%s: %s", s->path, nc_strerror(st));
    m->parts = DRX_IS_BYTES(type) ? (int)drx_type_size(type) : type_is_complex(type) ? 2 : 0;
    m->axes = ndim - (m->parts > 0);
    if (m->type == NC_STRING && m->axes < s->ndim && s->count[m->axes] != drx_shape(p->array)[m->axes])
        return failed("%s: has strings along its last axis, and netCDF has them whole; select all of that axis",
                      s->path);
    s->ndim = m->axes; /* without the bytes of strings, or the axis of a scalar */
    choose_chunk(p, (bytes > stored ? bytes : stored) + (m->type == NC_STRING ? STRING_BYTES : 0), o->vars->own_chunks);
    return DONE;
}

/* The groups in which all goes, made one in the other. */
static int make_group(struct output *o)
{
    char *copy = strdup(o->vars->groups), *rest = copy, *name;
    int st = copy ? NC_NOERR : NC_ENOMEM;

    o->groups[0].out = o->root;
    while (!st && rest) {
        name = strsep(&rest, "/");
        if (*name)
            st = nc_def_grp(o->groups[0].out, name, &o->groups[0].out);
    }
    free(copy);
    return st;
}

/* Those of the dataset, whose outer ones come first; with what each has beside variables. */
static int make_groups(struct output *o)
{
    const drx_dataset *ds = o->vars->ds;
    int st = make_group(o);

    for (int i = 1; !st && i < o->ngroups; i++) {
        const char *path = drx_dataset_group(ds, i - 1);
        char *name = legal_name(base_name(path), true);

        errno = 0;
        st = name ? nc_def_grp(group_of(o, path)->out, name, &o->groups[i].out) : NC_ENOMEM;
        free(name);
    }
    return st;
}

/* Find the groups of the source. */
static int list_groups(struct output *o)
{
    const drx_dataset *ds = o->vars->ds;
    int st = NC_NOERR;

    o->ngroups = 1 + (ds ? drx_dataset_group_count(ds) : 0);
    o->groups = calloc((size_t)o->ngroups, sizeof *o->groups);
    if (!o->groups)
        return NC_ENOMEM;
    o->groups[0].in = o->in;
    for (int i = 1; !st && i < o->ngroups; i++)
        st = nc_inq_grp_full_ncid(o->in, drx_dataset_group(ds, i - 1), &o->groups[i].in);
    return st;
}

/* The dimensions of the dataset, also those that no variable has, with what is selected of them. */
static int define_dims(struct output *o)
{
    const drx_dataset *ds = o->vars->ds;
    int st = NC_NOERR;

    for (int i = 0; !st && ds && i < drx_dataset_dim_count(ds); i++) {
        const char *path = drx_dataset_dim(ds, i, NULL);
        const struct range *r = &o->vars->of[i];
        const struct group *g = group_of(o, path);
        struct dim d = { .lo = r->lo, .count = r->count, .step = r->step };

        st = nc_inq_dimid(g->in, base_name(path), &d.from);
        if (!st)
            st = define_dim(o, g, &d, NULL, o->vars->path);
        else if (st == NC_EBADDIM) /* it goes through the bytes of strings */
            st = NC_NOERR;
    }
    return st;
}

static int define(struct output *o, struct moved m[])
{
    int natts = 0, st = make_groups(o);

    for (int i = 0; !st && i < o->ngroups; i++)
        st = nc_list_types(&o->types, o->groups[i].in, o->groups[i].out);
    if (!st)
        st = nc_define_types(&o->types);
    if (!st)
        st = define_dims(o);
    if (st)
        return nc_cannot_write(o->name, NULL, st);
    for (int i = 0; i < o->vars->n; i++) {
        st = define_variable(o, &m[i]);
        if (st)
            return nc_cannot_write(o->name, m[i].part->name, st);
    }
    for (int i = 0; !st && i < o->ngroups; i++) {
        st = nc_inq_natts(o->groups[i].in, &natts);
        if (!st)
            st = put_nc_attributes(o, &o->groups[i], NULL, natts);
    }
    if (!st)
        st = nc_enddef(o->root);
    return st ? nc_cannot_write(o->name, NULL, st) : DONE;
}

static int write_nc_file(struct output *o, struct moved m[])
{
    struct progress progress;
    int64_t total = 0;
    const int st = list_groups(o);
    int status = st ? nc_cannot_write(o->name, NULL, st) : DONE;

    for (int i = 0; status == DONE && i < o->vars->n; i++) {
        status = plan_variable(o, &m[i], i);
        total += box_bytes(m[i].part->selection.ndim, m[i].part->selection.count, m[i].part->slabs.element_bytes);
    }
    if (status == DONE)
        status = define(o, m);
    begin_progress(&progress, total);
    for (int i = 0; status == DONE && i < o->vars->n; i++)
        if (box_bytes(m[i].axes, m[i].part->selection.count, 1) > 0)
            status = do_slabs(&o->vars->parts[i]->slabs, move_slab, &m[i], &progress);
    hide_progress();
    return status;
}

/* libnetcdf crashes when it cannot close a file, so a file with a write error stays open until the program ends. */
static int create_file(struct output *o, struct moved m[])
{
    struct target target;
    int st, status = FAILED;

    if (!open_named_target(&target, o->name))
        return FAILED;
    errno = 0;
    st = nc_create(target.temporary, NC_NETCDF4 | NC_CLOBBER, &o->root);
    if (!st)
        status = write_nc_file(o, m);
    if (status == DONE) {
        errno = 0;
        st = nc_sync(o->root);
        if (!st)
            st = nc_close(o->root);
    }
    return close_target(&target, st ? nc_cannot_write(o->name, NULL, st) : status);
}

/* The source: the arrays, or the dataset. */
static int show_variables(struct variables *v, int *in)
{
    const char **names = calloc((size_t)v->n + 1, sizeof *names);
    drx_array **arrays = calloc((size_t)v->n + 1, sizeof *arrays);
    int st = names && arrays ? NC_NOERR : NC_ENOMEM;

    for (int i = 0; !st && i < v->n; i++) {
        names[i] = v->parts[i]->name;
        arrays[i] = v->parts[i]->array;
    }
    if (!st)
        st = drx_netcdf_show(v->ds, v->n, arrays, names, in);
    free(names);
    free(arrays);
    return st ? failed("%s: %s", v->path, nc_strerror(st)) : DONE;
}

int export_netcdf(struct variables *v, const char *name)
{
    struct output o = { .vars = v, .name = name };
    struct moved *m = calloc((size_t)v->n + 1, sizeof *m);
    int status = m ? show_variables(v, &o.in) : out_of_memory(v->n);
    bool told = false;

    if (status == DONE) {
        status = create_file(&o, m);
        (void)nc_close(o.in);
    }
    for (int i = 0; status == DONE && i < v->n; i++)
        tell_of_blosc(name, &v->parts[i]->deflate, &told);
    free(o.types.list);
    free(o.groups);
    free(o.dims);
    free(m);
    return status;
}
