/* Other names. Paths of all that lies in a group change with its name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

static int replace(char **old, const char *text)
{
    char *new = strdup(text);

    if (!new)
        return NC_ENOMEM;
    free(*old);
    *old = new;
    return NC_NOERR;
}

/* The group in which something gets that name; NULL: *st says why. */
static struct bridge_group *group_for(int ncid, const char *name, char normal[NC_MAX_NAME + 1], int *st)
{
    struct bridge_group *g = NULL;

    *st = NC_EINVAL;
    if (name)
        g = bridge_writable_group(ncid, st);
    if (g)
        *st = bridge_check_name(name, normal);
    return g && !*st ? g : NULL;
}

int bridge_rename_dim(int ncid, int id, const char *name)
{
    char normal[NC_MAX_NAME + 1], *path;
    struct bridge_dim *d;
    int st;
    struct bridge_group *g = group_for(ncid, name, normal, &st);

    if (!g)
        return st;
    if (id < 0 || id >= g->file->ndims)
        return NC_EBADDIM;
    if (bridge_find_dim(g->file, g->number, normal) >= 0)
        return NC_ENAMEINUSE;
    d = &g->file->dims[id];
    if (!d->path) /* of parts: it is called as it always is */
        return NC_EPERM;
    path = bridge_path_in(&g->file->groups[d->group], normal);
    st = path ? bridge_error_of_name(BRIDGE_STORE(g->file, set_name, DRX_DIMENSION, d->path, path)) : NC_ENOMEM;
    if (!st)
        st = replace(&d->path, path);
    if (!st && d->unlimited)
        st = bridge_note_unlimited(g->file);
    if (!st)
        st = replace(&d->name, normal);
    free(path);
    return st;
}

/* The dimension through the bytes of strings is called after the variable. */
static int rename_strings(struct bridge_file *f, const struct bridge_variable *v, const char *path)
{
    const int i = drx_dataset_find(f->ds, v->path), d = drx_dataset_axis(f->ds, i, v->ndim);
    char *old = d < 0 ? NULL : strdup(drx_dataset_dim(f->ds, d, NULL)), *new = NULL;
    int st = NC_ENOMEM;

    if (old && asprintf(&new, "%s%s", path, old + strlen(v->path)) >= 0)
        st = bridge_error_of_name(BRIDGE_STORE(f, set_name, DRX_DIMENSION, old, new));
    free(old);
    free(new);
    return st;
}

static int rename_stored(struct bridge_file *f, struct bridge_variable *v, const char *path)
{
    int st = NC_NOERR;

    if (!(v->definition && v->definition->pending)) {
        if (v->kind == BRIDGE_STRINGS && v->has_own_axis)
            st = rename_strings(f, v, path);
        if (!st)
            st = bridge_error_of_name(BRIDGE_STORE(f, set_name, DRX_VARIABLE, v->path, path));
    }
    return st ? st : replace(&v->path, path);
}

int bridge_rename_var(int ncid, int id, const char *name)
{
    char normal[NC_MAX_NAME + 1], *path;
    struct bridge_variable *v;
    struct bridge_group *g;
    int st;

    if (name && strlen(name) > NC_MAX_NAME)
        return NC_EMAXNAME;
    g = group_for(ncid, name, normal, &st);
    if (!g)
        return st;
    v = bridge_variable(g, id, &st);
    if (!v)
        return st;
    if (bridge_find_variable(g, normal) >= 0)
        return NC_ENAMEINUSE;
    if (!g->file->defining && g->file->classic && strlen(normal) > strlen(v->name))
        return NC_ENOTINDEFINE;
    path = bridge_path_in(g, normal);
    st = path ? rename_stored(g->file, v, path) : NC_ENOMEM;
    if (!st)
        st = replace(&v->name, normal);
    free(path);
    return st;
}

/* One of the path `old` or below it. */
static int move_below(char **path, const char *old, const char *new)
{
    const size_t n = strlen(old);
    char *moved;

    if (!*path || strncmp(*path, old, n) != 0 || ((*path)[n] != '/' && (*path)[n] != '\0'))
        return NC_NOERR;
    if (asprintf(&moved, "%s%s", new, *path + n) < 0)
        return NC_ENOMEM;
    free(*path);
    *path = moved;
    return NC_NOERR;
}

static int move_all(struct bridge_file *f, const char *old, const char *new)
{
    int st = NC_NOERR;

    for (int i = 0; !st && i < f->nvars; i++)
        st = move_below(&f->vars[i]->path, old, new);
    for (int d = 0; !st && d < f->ndims; d++)
        if (strchr(f->dims[d].path ? f->dims[d].path : "", '/'))
            st = move_below(&f->dims[d].path, old, new);
    for (int i = 1; !st && i < f->ngroups; i++)
        st = move_below(&f->groups[i].path, old, new);
    return st ? st : bridge_note_unlimited(f);
}

int bridge_rename_grp(int ncid, const char *name)
{
    char normal[NC_MAX_NAME + 1], *path, *old;
    struct bridge_group *g, *above;
    int st;

    g = bridge_writable_group(ncid, &st);
    if (!g)
        return st;
    if (g->parent < 0)
        return NC_EBADGRPID;
    above = &g->file->groups[g->parent];
    st = bridge_check_name(name, normal);
    if (st)
        return st;
    if (bridge_is_taken(above, normal))
        return NC_ENAMEINUSE;
    st = bridge_begin_definition(g->file);
    if (st)
        return st;
    path = bridge_path_in(above, normal);
    old = strdup(g->path);
    st = path && old ? bridge_error_of_name(BRIDGE_STORE(g->file, set_name, DRX_GROUP, old, path)) : NC_ENOMEM;
    if (!st)
        st = move_all(g->file, old, path);
    free(path);
    free(old);
    return st;
}
