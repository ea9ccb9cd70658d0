/* A variable of a file as the tree of the file has it. */
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"
#include "formats/source.h"
#include "formats/tree.h"

static bool is_coordinate(const struct tree *t, const struct tree_var *v)
{
    return v->ndim == 1 && strcmp(t->dim[v->dim[0]].path, v->path) == 0;
}

static bool list_variables(const struct source *s, FILE *out, int *n)
{
    const struct tree *t = s->tree;

    *n = 0;
    for (int i = 0; i < t->nvars; i++)
        if (t->var[i].ndim > 0 && !is_coordinate(t, &t->var[i]))
            (void)fprintf(out, "%s%s", (*n)++ ? ", " : "", t->var[i].path);
    return true;
}

bool source_find_var(struct source *s, const struct tree *t)
{
    bool good;

    s->var = s->name ? tree_find_var(t, s->name + strspn(s->name, "/")) : -1;
    if (s->var >= 0)
        return true;
    s->tree = t;
    good = source_choose(s, list_variables, "variable");
    s->tree = NULL;
    s->var = good ? tree_find_var(t, s->name) : -1;
    return good;
}

bool source_take_dims(struct source *s, const struct tree *t)
{
    const struct tree_var *v = &t->var[s->var];

    if (v->why)
        return !failed("%s: %s", s->label, v->why);
    if (v->ndim == 0 && !s->tree)
        return !failed("%s: has 0 dimensions, expected 1 to %d", s->label, DRX_MAX_NDIM);
    s->ndim = v->ndim ? v->ndim : 1;
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        s->shape[j] = 1;
    for (int j = 0; j < v->ndim; j++) {
        const struct tree_dim *d = &t->dim[v->dim[j]];

        s->shape[j] = d->extent;
        s->grows |= (uint32_t)d->unlimited << j;
        s->dims[j] = strdup(base_name(d->path));
        if (!s->dims[j])
            return !out_of_memory((int64_t)strlen(d->path));
    }
    return true;
}

bool source_join_characters(struct source *s)
{
    const int64_t bytes = s->ndim > 1 ? s->shape[s->ndim - 1] : 1;

    if (s->type != DRX_BYTES(1) || s->ndim == 1 || s->tree)
        return true;
    if (bytes < 1 || bytes > DRX_MAX_STRING_BYTES)
        return !failed("%s: has strings of %lld characters, expected 1 to %d", s->label, (long long)bytes,
                       DRX_MAX_STRING_BYTES);
    s->type = DRX_BYTES((int)bytes);
    s->joined = true;
    s->ndim--;
    free(s->dims[s->ndim]);
    s->dims[s->ndim] = NULL;
    s->grows &= ~((uint32_t)1 << s->ndim);
    return true;
}

char *source_coordinate_in(const struct source *s, const struct tree *t, int axis)
{
    const struct tree_var *v = &t->var[s->var];
    const struct tree_dim *d = &t->dim[v->dim[axis]];
    const int i = tree_find_var(t, d->path);

    if (i < 0 || t->var[i].ndim != 1 || t->var[i].dim[0] != v->dim[axis])
        return NULL;
    if (!t->var[i].chosen)
        warn("%s: the coordinates %s are not numbers and are left out", s->label, d->path);
    return t->var[i].chosen ? strdup(d->path) : NULL;
}
