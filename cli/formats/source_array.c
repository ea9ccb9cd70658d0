/* An array of DRX, or a part of it, as a source. */
#include <stdlib.h>
#include <string.h>

#include "arrays/select.h"
#include "source.h"

struct part {
    char *word; /* what `of` points into */
    drx_array *a;
    bool borrowed;
    struct selection of;
};

/* What an array of the part is like. That of a single element has one axis without a name, as a scalar has. */
static bool describe_array(struct source *s)
{
    const struct part *p = s->state;
    int axes[DRX_MAX_NDIM];
    const int kept = kept_axes(&p->of, axes);
    bool is_part = false;
    drx_spec spec;

    drx_describe(p->a, &spec);
    s->type = spec.type;
    s->order = spec.chunk_order;
    s->align = spec.align;
    s->ndim = kept ? kept : 1;
    s->shape[0] = s->chunk[0] = 1;
    keep_axes(&p->of, p->of.count, s->shape);
    keep_axes(&p->of, spec.chunk, s->chunk);
    s->same_chunk = true;
    s->null = is_null(p->a);
    s->codec = codec_of(p->a);
    if ((s->stored = spec.source))
        s->origin = *spec.source;
    for (int j = 0; j < p->of.ndim; j++)
        is_part = is_part || p->of.count[j] < drx_shape(p->a)[j];
    for (int j = 0; j < kept; j++) {
        const char *name = drx_dim_name(p->a, axes[j]);

        if (is_part && s->chunk[j] > s->shape[j]) /* it would be mostly empty */
            s->chunk[j] = s->shape[j] > 0 ? s->shape[j] : 1;
        s->dims[j] = name ? strdup(name) : NULL;
        if (name && !s->dims[j])
            return !out_of_memory((int64_t)strlen(name));
    }
    s->fill_name = fill_of(p->a) ? "the fill value" : NULL;
    if (s->fill_name)
        memcpy(s->fill, fill_of(p->a), drx_type_size(s->type));
    return true;
}

/* Of the part that `beside` is. */
static bool open_beside(struct source *s)
{
    const struct part *of = s->beside->state;
    struct part *p = s->state = calloc(1, sizeof *p);
    int axis = 0;

    if (!p)
        return !out_of_memory(sizeof *p);
    if (!find_axis(of->a, s->label, s->name, &axis))
        return false;
    p->a = open_labels(of->a, of->of.path, axis);
    p->of = (struct selection){ .path = s->label, .ndim = 1 };
    p->of.lo[0] = of->of.lo[axis];
    p->of.count[0] = of->of.count[axis];
    p->of.step[0] = of->of.step[axis];
    return p->a ? describe_array(s) : !failed("%s: cannot be read", s->label);
}

static void close_part(struct source *s)
{
    struct part *p = s->state;

    if (p && !p->borrowed)
        (void)drx_close(p->a);
    if (p)
        free(p->word);
    free(p);
}

static bool read_part(struct source *s, const int64_t lo[], const int64_t count[], void *buf)
{
    const struct part *p = s->state;
    struct slabs box = { .ndim = p->of.ndim, .order = s->order };
    int kept = 0;

    for (int j = 0; j < box.ndim; j++) {
        box.at[j] = p->of.dropped[j] ? 0 : lo[kept];
        box.extent[j] = p->of.dropped[j] ? 1 : count[kept];
        kept += !p->of.dropped[j];
    }
    return read_slab(p->a, &p->of, &box, buf) == DONE;
}

static int copy_array_attributes(const struct source *s, drx_array *a, const char *path)
{
    const struct part *p = s->state;

    return copy_all_attributes(&(struct owner){ .array = p->a }, &(struct owner){ .array = a }, path);
}

static char *coordinate_name(const struct source *s, int axis)
{
    const struct part *p = s->state;
    int axes[DRX_MAX_NDIM];
    drx_array *there = axis < kept_axes(&p->of, axes) ? open_labels(p->a, p->of.path, axes[axis]) : NULL;

    return there && drx_close(there) == DRX_OK ? strdup(s->dims[axis]) : NULL;
}

static const struct source_kind array_source = { open_beside,           close_part,      read_part,
                                                 copy_array_attributes, coordinate_name, NULL };

int source_open_array(struct source *s, const char *word, int64_t commit)
{
    struct part *p = calloc(1, sizeof *p);
    int status = DONE;

    *s = (struct source){ .kind = &array_source, .state = p, .file = strdup(word), .label = strdup(word) };
    if (!p || !s->file || !s->label || !(p->word = strdup(word)))
        return out_of_memory((int64_t)strlen(word));
    split_selection(&p->of, p->word, commit);
    p->a = open_selection(&p->of, &status);
    return status == DONE && !describe_array(s) ? FAILED : status;
}

int source_of_array(struct source *s, const char *label, drx_array *a, const struct selection *part)
{
    struct part *p = calloc(1, sizeof *p);

    *s = (struct source){ .kind = &array_source, .state = p, .label = strdup(label) };
    if (!p || !s->label)
        return out_of_memory((int64_t)sizeof *p);
    *p = (struct part){ .a = a, .borrowed = true, .of = *part };
    return describe_array(s) ? DONE : FAILED;
}

drx_array *array_of_source(const struct source *s, const struct selection **part)
{
    const struct part *p = s->kind == &array_source ? s->state : NULL;

    *part = p ? &p->of : NULL;
    return p ? p->a : NULL;
}
