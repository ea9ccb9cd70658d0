/* Opens a whole file: its groups, dimensions and variables. */
#include "whole_file.h"

#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "formats/nc/nc.h"

static bool read_tree(struct tree *t, const char *path)
{
    return h5_is_file(path) ? h5_read_tree(t, path) : nc_read_tree(t, path);
}

/* Several variables of numbers with dimensions that are not coordinates, or one whose dimensions all have names. */
static bool is_like_netcdf(const struct tree *t)
{
    int found = 0;

    for (int i = 0; i < t->nvars; i++) {
        const struct tree_var *v = &t->var[i];
        bool named = v->chosen;

        for (int j = 0; j < v->ndim; j++)
            named = named && !t->dim[v->dim[j]].phony;
        found += v->chosen + named;
    }
    return found > 1;
}

bool is_whole_file(const char *path)
{
    const bool silent = quiet_messages(true);
    const bool h5 = h5_is_file(path);
    struct tree t;
    bool whole = read_tree(&t, path);

    if (whole && h5) {
        const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);

        whole = h5_is_netcdf(file) || is_like_netcdf(&t);
        h5_close(file);
    }
    free_tree(&t);
    (void)quiet_messages(silent);
    return whole;
}

static bool list_dimensions(struct whole_file *f)
{
    f->ndims = f->tree.ndims;
    f->dim = calloc((size_t)f->ndims + 1, sizeof *f->dim);
    if (!f->dim)
        return !out_of_memory(f->ndims);
    for (int i = 0; i < f->ndims; i++) {
        const struct tree_dim *d = &f->tree.dim[i];

        if (asprintf(&f->dim[i].place, "/%s", d->path) < 0) {
            f->dim[i].place = NULL;
            return !out_of_memory(f->ndims);
        }
        f->dim[i].name = f->dim[i].place + 1;
        f->dim[i].extent = d->extent;
        f->dim[i].grows = f->dim[i].unlimited = d->unlimited;
    }
    return true;
}

bool is_dataset_path(const char *path)
{
    enum { PART_BYTES = 200 };
    size_t n;

    for (; *path; path += n + (path[n] == '/')) {
        n = strcspn(path, "/");
        if (n == 0 || n > PART_BYTES || path[0] == '.')
            return false;
    }
    return true;
}

/* False after printing that it is none. */
static bool check_path(const char *label, const char *what, const char *path)
{
    return is_dataset_path(path) ||
           !failed("%s: the %s '%s' has a name in its path that begins with a dot or has more than 200 bytes", label,
                   what, path);
}

/* Open variable i of the tree; false after printing why a dataset cannot store it. */
static bool open_variable(struct whole_file *f, int i, struct variable *v)
{
    const struct tree_var *of = &f->tree.var[i];
    struct source *s = &v->source;

    *v = (struct variable){ .ndim = of->ndim };
    s->tree = &f->tree;
    s->var = i;
    s->file = strdup(f->path);
    v->name = strdup(of->path);
    if (!s->file || !v->name)
        return !out_of_memory((int64_t)strlen(of->path));
    s->kind = f->tree.id ? &nc_source : &h5_source;
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        s->chunk[j] = 1;
    if (!check_path(s->file, "variable", of->path))
        return false;
    for (int j = 0; j < of->ndim; j++)
        if (!check_path(s->file, "dimension", f->dim[of->dim[j]].name))
            return false;
    if (!source_set_name(s, of->path) || !s->kind->open(s))
        return false;
    v->ndim = s->null ? -1 : v->ndim;
    if (v->source.holds == STRINGS && v->ndim == DRX_MAX_NDIM)
        return !failed("%s: has strings along %d dimensions; a dataset stores them along at most %d", s->label, v->ndim,
                       DRX_MAX_NDIM - 1);
    memcpy(v->dim, of->dim, sizeof v->dim);
    for (int j = 0; j < v->ndim; j++)
        f->dim[v->dim[j]].used = true;
    return true;
}

static void close_variable(struct variable *v)
{
    source_close(&v->source);
    free(v->name);
    free(v->string_dim);
}

/* Gives how many cannot be stored, and counts such groups. */
static int open_variables(struct whole_file *f, bool skip, int *groups)
{
    int refused = 0;

    if (skip)
        soften_messages(", and is left out");
    for (int i = 1; i < f->tree.ngroups; i++)
        *groups += !check_path(f->path, "group", f->tree.group[i].path);
    for (int i = 0; i < f->tree.nvars; i++)
        if (open_variable(f, i, &f->var[f->nvars])) {
            f->nvars++;
        } else {
            close_variable(&f->var[f->nvars]);
            refused++;
        }
    soften_messages(NULL);
    return refused;
}

bool open_whole(struct whole_file *f, const char *path, bool skip)
{
    int refused = 0, groups = 0;
    bool good;

    *f = (struct whole_file){ .path = path };
    good = read_tree(&f->tree, path) && list_dimensions(f);
    f->var = calloc((size_t)f->tree.nvars + 1, sizeof *f->var);
    if (good && !f->var)
        good = !out_of_memory(f->tree.nvars);
    if (good)
        refused = open_variables(f, skip, &groups);
    if (refused + groups > 0 && !skip)
        good =
            !failed("%s: %d of its %d variables%s cannot be stored, as said above; --skip-unsupported leaves them out",
                    path, refused, f->tree.nvars, groups ? ", and groups," : "");
    if (!good)
        close_whole(f);
    return good;
}

int dim_of_file(const struct whole_file *f, const char *name)
{
    return tree_find_dim(&f->tree, name);
}

int var_of_file(const struct whole_file *f, const char *name)
{
    for (int i = 0; i < f->nvars; i++)
        if (strcmp(f->var[i].name, name) == 0)
            return i;
    return -1;
}

int coordinate_of_file(const struct whole_file *f, const char *dim)
{
    const int i = var_of_file(f, dim);

    return i >= 0 && f->var[i].source.holds == NUMBERS && f->var[i].ndim == 1 &&
                   strcmp(f->dim[f->var[i].dim[0]].name, dim) == 0
               ? i
               : -1;
}

int copy_whole_attributes(const struct whole_file *f, const struct variable *v, int group, const struct owner *to)
{
    const struct tree_var *of = v ? &f->tree.var[v->source.var] : NULL;
    const char *place = v ? of->place : group ? f->tree.group[group].place : "/";
    struct keeping t = { .to = *to, .label = v ? v->source.label : f->path, .noted = true };
    const enum h5_fill fill = v && v->source.holds == CHARACTERS ? H5_FILL_BYTE : H5_FILL;
    hid_t file, object;
    int status;

    if (f->tree.id)
        return nc_copy_attributes(f->tree.id, v ? of->number : NC_GLOBAL, &t, fill, t.label);
    file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    object = file < 0 ? -1 : H5Oopen(file, place, H5P_DEFAULT);
    status = object < 0 ? h5_failed(t.label, "open") : h5_copy_attributes(object, &t, fill, t.label);
    h5_close(object);
    h5_close(file);
    return status;
}

void close_whole(struct whole_file *f)
{
    for (int i = 0; i < f->nvars; i++)
        close_variable(&f->var[i]);
    for (int i = 0; f->dim && i < f->ndims; i++)
        free(f->dim[i].place);
    free(f->var);
    free(f->dim);
    free_tree(&f->tree);
    *f = (struct whole_file){ .path = NULL };
}
