/* The lists of a tree. */
#include "tree.h"

#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "frame/cli.h"

/* The path of a name of the file in a group, to be freed. */
static char *path_in(const struct tree *t, int group, const char *name)
{
    const char *above = t->ngroups > 0 ? t->group[group].path : "";
    char *utf8 = utf8_of(name, strlen(name)), *path;

    if (!utf8 || asprintf(&path, "%s%s%s", above, *above ? "/" : "", utf8) < 0)
        path = NULL;
    free(utf8);
    return path;
}

/* One more of *n things of `bytes`, of zeros; NULL after printing why. */
static void *add(void *list, int *n, size_t bytes)
{
    char **all = list, *more = reallocarray(*all, (size_t)*n + 1, bytes);

    if (!more) {
        (void)out_of_memory((int64_t)bytes * (*n + 1));
        return NULL;
    }
    *all = more;
    return memset(more + (size_t)(*n)++ * bytes, 0, bytes);
}

static bool take_place(const struct tree *t, int group, const char *name, int *in, char **path)
{
    *in = group;
    *path = path_in(t, group, name);
    return *path || !out_of_memory((int64_t)strlen(name));
}

struct tree_group *tree_add_group(struct tree *t, int parent, const char *name)
{
    struct tree_group made = { 0 }, *g;

    if (!take_place(t, parent, name, &made.parent, &made.path))
        return NULL;
    g = add(&t->group, &t->ngroups, sizeof *g);
    if (!g)
        free(made.path);
    else
        *g = made;
    return g;
}

struct tree_type *tree_add_type(struct tree *t, int group, const char *name)
{
    struct tree_type *of = add(&t->type, &t->ntypes, sizeof *of);

    return of && take_place(t, group, name, &of->group, &of->path) ? of : NULL;
}

struct tree_dim *tree_add_dim(struct tree *t, int group, const char *name)
{
    struct tree_dim *d = add(&t->dim, &t->ndims, sizeof *d);

    return d && take_place(t, group, name, &d->group, &d->path) ? d : NULL;
}

struct tree_var *tree_add_var(struct tree *t, int group, const char *name)
{
    struct tree_var *v = add(&t->var, &t->nvars, sizeof *v);

    return v && take_place(t, group, name, &v->group, &v->path) ? v : NULL;
}

void free_tree(struct tree *t)
{
    for (int i = 0; i < t->ngroups; i++) {
        free(t->group[i].path);
        free(t->group[i].place);
    }
    for (int i = 0; i < t->ndims; i++)
        free(t->dim[i].path);
    for (int i = 0; i < t->nvars; i++) {
        free(t->var[i].path);
        free(t->var[i].place);
        free(t->var[i].why);
    }
    for (int i = 0; i < t->ntypes; i++)
        free(t->type[i].path);
    free(t->group);
    free(t->type);
    free(t->dim);
    free(t->var);
    if (t->id)
        (void)nc_close(t->id);
    *t = (struct tree){ .file = t->file };
}

bool tree_is_above(const struct tree *t, int above, int group)
{
    while (group > 0 && group != above)
        group = t->group[group].parent;
    return group == above;
}

int tree_find_dim(const struct tree *t, const char *path)
{
    for (int i = 0; i < t->ndims; i++)
        if (strcmp(t->dim[i].path, path) == 0)
            return i;
    return -1;
}

int tree_find_var(const struct tree *t, const char *path)
{
    for (int i = 0; i < t->nvars; i++)
        if (strcmp(t->var[i].path, path) == 0)
            return i;
    return -1;
}
