/* What a file of HDF5 holds, read as netCDF-4 reads it: dimensions are scales, and numbers in hidden attributes say in
 * which order. An axis without a scale has a dimension of its own, which its group shares among axes of one extent.
 * Where netCDF's library would guess a dimension by its extent alone, this one is made up, too. */
#include <hdf5_hl.h>
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"
#include "formats/tree.h"
#include "h5.h"

struct object { /* a dataset */
    hid_t id;   /* -1: it cannot be opened */
    uint64_t address;
    int group, var; /* var -1: it is a dimension without a variable */
    char *name;
    int rank, ndim; /* without and with the axes in each element */
    bool scale;
    hsize_t extent[H5S_MAX_RANK], most[H5S_MAX_RANK];
};

struct walk {
    struct tree *t;
    hid_t group;       /* that is open */
    int number;        /* its number */
    uint64_t *address; /* of each group */
    struct object *object;
    int n;
    int64_t next; /* the number of the next dimension */
    bool marked;  /* netCDF wrote the file */
    bool told;    /* why the walk ended early */
};

static const char not_coordinate[] = "_nc4_non_coord_";

/* The whole numbers of an attribute that netCDF hides; false: it has not n of them, or, *bad, HDF5 failed. */
static bool hidden_numbers(hid_t object, const char *name, int n, int numbers[], bool *bad)
{
    const htri_t there = H5Aexists(object, name);
    struct h5_attribute t;
    bool good;

    if (there <= 0 || !h5_open_attribute(&t, object, name)) {
        *bad = *bad || there != 0;
        return false;
    }
    good = t.n == n && H5Tget_class(t.type) == H5T_INTEGER && H5Aread(t.id, H5T_NATIVE_INT, numbers) >= 0;
    h5_close_attribute(&t);
    return good;
}

/* ---- the walk: one group after the other, the groups in a group before those that come after it ---- */

static bool add_group(struct walk *w, hid_t id, const char *name)
{
    struct tree_group *g;
    uint64_t address, *more;

    if (!h5_address_of(id, &address))
        return !h5_failed(w->t->file, "read a group");

    for (int up = w->number; up >= 0; up = w->t->group[up].parent)
        if (w->address[up] == address) {
            warn("%s: the link '%s' in the group '/%s' leads to a group that it lies in, and is left out", w->t->file,
                 name, w->t->group[w->number].path);
            return true;
        }
    more = reallocarray(w->address, (size_t)w->t->ngroups + 1, sizeof *more);
    if (!more)
        return !out_of_memory(BUFSIZ);
    w->address = more;
    g = tree_add_group(w->t, w->number, name);
    if (g && asprintf(&g->place, "%s/%s", w->t->group[w->number].place, name) < 0) {
        g->place = NULL;
        g = NULL;
    }
    w->address[w->t->ngroups - 1] = address;
    return g;
}

/* The dimension that a scale is. */
static bool add_scale(struct walk *w, const struct object *o)
{
    struct tree_dim *d = tree_add_dim(w->t, o->group, o->name);
    bool bad = false;
    int number;

    if (!d)
        return false;
    d->scale = o->address;
    d->extent = (int64_t)o->extent[0];
    d->unlimited = o->most[0] == H5S_UNLIMITED;
    d->number = hidden_numbers(o->id, "_Netcdf4Dimid", 1, &number, &bad) ? number : w->next;
    w->next = d->number >= w->next ? d->number + 1 : w->next;
    return bad ? !h5_failed(d->path, "read the attributes") : true;
}

bool h5_is_candidate(hid_t dataset)
{
    const hid_t type = H5Dget_type(dataset);
    const hid_t space = H5Dget_space(dataset);
    const bool good = type >= 0 && h5_element_type(type) && H5Tget_class(type) != H5T_STRING && space >= 0 &&
                      H5Sget_simple_extent_ndims(space) > 0 && H5DSis_scale(dataset) <= 0;

    h5_close(type);
    h5_close(space);
    return good;
}

static bool add_var(struct walk *w, struct object *o)
{
    const bool other = strncmp(o->name, not_coordinate, sizeof not_coordinate - 1) == 0;
    struct tree_var *v = tree_add_var(w->t, o->group, o->name + (other ? sizeof not_coordinate - 1 : 0));

    if (!v || asprintf(&v->place, "%s/%s", w->t->group[o->group].place, o->name) < 0)
        return false;
    v->number = o->var = w->t->nvars - 1;
    v->ndim = o->ndim;
    v->chosen = o->id >= 0 && h5_is_candidate(o->id);
    return true;
}

static bool read_extents(struct object *o)
{
    const hid_t space = H5Dget_space(o->id), type = H5Dget_type(o->id);
    int64_t inner[H5S_MAX_RANK];
    int n = 0;
    const hid_t base = type >= 0 ? h5_base_type(type, &n, inner) : -1;

    o->rank = space >= 0 ? H5Sget_simple_extent_dims(space, o->extent, o->most) : -1;
    o->ndim = o->rank + n;
    for (int j = 0; j < n && o->rank + j < H5S_MAX_RANK; j++)
        o->extent[o->rank + j] = o->most[o->rank + j] = (hsize_t)inner[j];
    h5_close(base);
    h5_close(type);
    h5_close(space);
    return base >= 0 && o->rank >= 0;
}

static bool add_dataset(struct walk *w, hid_t id, const char *name)
{
    struct object *more = reallocarray(w->object, (size_t)w->n + 1, sizeof *more), *o;
    bool bare;

    if (!more)
        return !out_of_memory(BUFSIZ);
    w->object = more;
    o = &w->object[w->n];
    *o = (struct object){ .id = id, .group = w->number, .var = -1, .name = strdup(name) };
    if (!o->name)
        return !out_of_memory(BUFSIZ);
    w->n++;
    (void)H5Iinc_ref(id);
    if (!h5_address_of(id, &o->address) || !h5_is_scale(id, &o->scale, &bare) || !read_extents(o))
        return !h5_failed(name, "read the shape");
    o->scale = o->scale && o->rank > 0;
    return (!o->scale || add_scale(w, o)) && (bare || add_var(w, o));
}

static bool add_type(struct walk *w, hid_t id, const char *name)
{
    const drx_type type = h5_element_type(id);
    struct tree_type *t;

    if (!DRX_IS_DEFINED(type)) {
        warn("%s: the type '%s' in the group '/%s' stands for %s, and its name is left out", w->t->file, name,
             w->t->group[w->number].path, type ? drx_type_name(type) : h5_type_text(id));
        return true;
    }
    t = tree_add_type(w->t, w->number, name);
    if (t)
        t->type = type;
    if (t && w->marked)
        h5_note_name(type);
    return t;
}

static herr_t look_at(hid_t group, const char *name, const H5L_info_t *link, void *with)
{
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    struct walk *w = with;
    bool good = true;

    if (object < 0 && link->type != H5L_TYPE_HARD) {
        warn("%s: the link '%s%s%s' leads to nothing that HDF5 can open, and is left out", w->t->file,
             w->t->group[w->number].path, w->number ? "/" : "", name);
        return 0;
    }
    if (object < 0) /* which is told when it is opened as a variable */
        good = add_var(w, &(struct object){ .id = -1, .group = w->number, .name = (char *)(uintptr_t)name });
    if (H5Iget_type(object) == H5I_DATASET)
        good = add_dataset(w, object, name);
    else if (H5Iget_type(object) == H5I_GROUP)
        good = add_group(w, object, name);
    else if (H5Iget_type(object) == H5I_DATATYPE)
        good = add_type(w, object, name);
    h5_close(object);
    w->told = !good;
    return good ? 0 : -1;
}

/* In the order of their making, where the group knows it. */
static bool walk_group(struct walk *w, hid_t file, int number)
{
    const char *place = w->t->group[number].place;
    const hid_t group = H5Gopen2(file, *place ? place : "/", H5P_DEFAULT), list = H5Gget_create_plist(group);
    unsigned order = 0;
    int first = w->t->ngroups, end;
    herr_t error;

    w->number = number;
    if (list >= 0)
        (void)H5Pget_link_creation_order(list, &order);
    h5_close(list);
    error = H5Literate(group, order & H5P_CRT_ORDER_INDEXED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC, NULL,
                       look_at, w);
    h5_close(group);
    end = w->t->ngroups;
    if (w->told)
        return false;
    for (int i = first; error >= 0 && i < end; i++)
        if (!walk_group(w, file, i))
            return false;
    return error >= 0 || h5_failed(w->t->file, "list a group") == DONE;
}

/* ---- the dimensions of variables ---- */

/* The dimension of a scale, as a group sees it; -1: it does not see it. */
static int find_scale(const struct tree *t, uint64_t scale, int group)
{
    for (int i = 0; scale && i < t->ndims; i++)
        if (t->dim[i].scale == scale && tree_is_above(t, t->dim[i].group, group))
            return i;
    return -1;
}

/* The scale of another group: a dimension of its name in this one, unless it has another of that name. -1: it has, or
 * there is no such scale. */
static int borrow_scale(struct tree *t, uint64_t scale, int group, const char *var)
{
    char *name = NULL;
    struct tree_dim *d;

    for (int i = 0; scale && !name && i < t->ndims; i++)
        if (t->dim[i].scale == scale)
            name = strdup(base_name(t->dim[i].path));
    if (!name)
        return -1;
    for (int i = 0; i < t->ndims; i++)
        if (t->dim[i].group == group && strcmp(base_name(t->dim[i].path), name) == 0) {
            free(name);
            return -1;
        }
    d = tree_add_dim(t, group, name);
    if (d) {
        warn("%s:%s: its dimension '%s' lies in a group that it is not in, and becomes one of its own group", t->file,
             var, name);
        d->scale = scale;
    }
    free(name);
    return d ? t->ndims - 1 : -1;
}

static bool has_dim(const struct tree_var *v, int n, int dim)
{
    for (int j = 0; j < n; j++)
        if (v->dim[j] == dim)
            return true;
    return false;
}

static int find_phony(struct walk *w, const struct object *o, int j)
{
    struct tree *t = w->t;
    const bool unlimited = o->most[j] == H5S_UNLIMITED;
    char name[32];
    struct tree_dim *d;

    for (int i = 0; i < t->ndims; i++)
        if (t->dim[i].phony && t->dim[i].group == o->group && t->dim[i].extent == (int64_t)o->extent[j] &&
            t->dim[i].unlimited == unlimited && !has_dim(&t->var[o->var], j, i))
            return i;
    (void)snprintf(name, sizeof name, "phony_dim_%lld", (long long)w->next);
    d = tree_add_dim(t, o->group, name);
    if (d) {
        d->phony = true;
        d->extent = (int64_t)o->extent[j];
        d->unlimited = unlimited;
        d->number = w->next++;
    }
    return d ? t->ndims - 1 : -1;
}

/* Whether axis j can have the dimension: what nobody wrote along an unlimited one, a variable lacks. */
static bool fits(const struct tree_dim *d, const struct object *o, int j)
{
    return d->extent == (int64_t)o->extent[j] || (d->unlimited && o->most[j] == H5S_UNLIMITED);
}

static int number_to_dim(const struct tree *t, int number)
{
    for (int i = 0; i < t->ndims; i++)
        if (!t->dim[i].phony && t->dim[i].number == number)
            return i;
    return -1;
}

static int find_dim(struct walk *w, const struct object *o, int j, const int numbers[])
{
    struct tree *t = w->t;
    uint64_t scale = o->scale && j == 0 ? o->address : 0;
    int d;

    if (!scale && j < o->rank && !h5_scale_of_axis(o->id, o->rank, j, &scale)) {
        (void)h5_failed(t->var[o->var].path, "read the dimensions");
        return -1;
    }
    d = numbers && j < o->rank ? number_to_dim(t, numbers[j]) : find_scale(t, scale, o->group);

    if (d < 0 && scale) {
        d = borrow_scale(t, scale, o->group, t->var[o->var].path);
        if (d >= 0) {
            t->dim[d].extent = (int64_t)o->extent[j];
            t->dim[d].unlimited = o->most[j] == H5S_UNLIMITED;
        }
    }
    if (d < 0 || !fits(&t->dim[d], o, j))
        d = find_phony(w, o, j);
    if (d >= 0 && t->dim[d].extent < (int64_t)o->extent[j])
        t->dim[d].extent = (int64_t)o->extent[j];
    return d;
}

static bool match_dims(struct walk *w, const struct object *o)
{
    int numbers[H5S_MAX_RANK];
    bool bad = false;
    const bool known = o->scale && o->ndim > 1 && hidden_numbers(o->id, "_Netcdf4Coordinates", o->rank, numbers, &bad);
    struct tree_var *v = &w->t->var[o->var];

    if (bad)
        return !h5_failed(v->path, "read the attributes");
    if (o->ndim > DRX_MAX_NDIM) {
        v->ndim = 0;
        return asprintf(&v->why, "has %d dimensions, and DRX has at most %d", o->ndim, DRX_MAX_NDIM) >= 0;
    }
    for (int j = 0; j < o->ndim; j++) {
        if (o->extent[j] > INT64_MAX)
            return !failed("%s:%s: has an extent that does not fit in 64 bits", w->t->file, v->path);
        v->dim[j] = find_dim(w, o, j, known ? numbers : NULL);
        if (v->dim[j] < 0)
            return false;
    }
    return true;
}

/* netCDF numbers the dimensions that it makes up in this order: those of inner groups first. */
static bool match_group(struct walk *w, int group)
{
    for (int i = group + 1; i < w->t->ngroups; i++)
        if (w->t->group[i].parent == group && !match_group(w, i))
            return false;
    for (int i = 0; i < w->n; i++)
        if (w->object[i].group == group && w->object[i].var >= 0 && !match_dims(w, &w->object[i]))
            return false;
    return true;
}

static int by_number(const void *a, const void *b)
{
    const struct tree_dim *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

bool h5_is_netcdf(hid_t file)
{
    return H5Aexists(file, "_NCProperties") > 0;
}

bool h5_read_tree(struct tree *t, const char *file)
{
    struct walk w = { .t = t };
    hid_t id;
    bool good;

    *t = (struct tree){ .file = file };
    h5_quiet();
    id = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (id < 0)
        return !h5_failed(file, "open");
    w.marked = h5_is_netcdf(id);
    h5_forget_names();
    w.number = -1;
    w.address = calloc(1, sizeof *w.address);
    good = w.address && tree_add_group(t, 0, "") && (t->group[0].place = strdup(""));
    if (good) {
        t->group[0].parent = -1;
        good = h5_address_of(id, &w.address[0]) ? walk_group(&w, id, 0) : !h5_failed(file, "read the root group");
    }
    if (good && t->ndims > 1)
        qsort(t->dim, (size_t)t->ndims, sizeof *t->dim, by_number);
    good = good && match_group(&w, 0);
    for (int i = 0; i < w.n; i++) {
        h5_close(w.object[i].id);
        free(w.object[i].name);
    }
    free(w.object);
    free(w.address);
    h5_close(id);
    return good;
}
