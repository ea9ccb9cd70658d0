#include "model.h"

static struct attr attr_copy(const struct attr *from)
{
    struct attr to = *from;

    to.name = strdup(from->name);
    to.values = plain_alloc(from->bytes);
    if (from->bytes)
        memcpy(to.values, from->values, from->bytes);
    return to;
}

static void attr_free(struct attr *a)
{
    free(a->name);
    free(a->values);
}

void names_init(struct names *s, int ndim)
{
    memset(s, 0, sizeof *s);
    s->ndim = ndim;
}

void names_free(struct names *s)
{
    for (int i = 0; i < s->n; i++)
        attr_free(&s->attr[i]);
    free(s->attr);
    for (int j = 0; j < s->ndim; j++)
        free(s->dim[j]);
    names_init(s, s->ndim);
}

void names_copy(struct names *to, const struct names *from)
{
    names_init(to, from->ndim);
    for (int j = 0; j < from->ndim; j++)
        names_rename_dim(to, j, from->dim[j]);
    for (int i = 0; i < from->n; i++)
        names_set(to, &from->attr[i]);
}

int names_find(const struct names *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->attr[i].name, name) == 0)
            return i;
    return -1;
}

void names_set(struct names *s, const struct attr *attr)
{
    int i = names_find(s, attr->name);
    struct attr copy = attr_copy(attr);

    if (i >= 0) {
        attr_free(&s->attr[i]);
        s->attr[i] = copy;
        return;
    }
    s->attr = realloc(s->attr, (size_t)(s->n + 1) * sizeof *s->attr);
    assert_non_null(s->attr);
    s->attr[s->n++] = copy;
}

void names_delete(struct names *s, int i)
{
    attr_free(&s->attr[i]);
    memmove(&s->attr[i], &s->attr[i + 1], (size_t)(s->n - i - 1) * sizeof *s->attr);
    s->n--;
}

void names_rename_dim(struct names *s, int axis, const char *name)
{
    free(s->dim[axis]);
    s->dim[axis] = name ? strdup(name) : NULL;
}

void names_add_dim(struct names *s, int at, const char *name)
{
    memmove(s->dim + at + 1, s->dim + at, (size_t)(s->ndim - at) * sizeof *s->dim);
    s->dim[at] = NULL;
    s->ndim++;
    names_rename_dim(s, at, name);
}
