/* The part of an array that is copied: a selection, or the bounds of an earlier commit. */
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/text_attribute.h"
#include "transform.h"

/* An array of the part; the texts belong to the array that it is of. */
struct description {
    drx_spec spec;
    int64_t shape[DRX_MAX_NDIM], chunk[DRX_MAX_NDIM];
    const char *dims[DRX_MAX_NDIM];
};

static void describe_part(const struct transform *t, struct description *d)
{
    int axes[DRX_MAX_NDIM];

    drx_describe(t->whole, &d->spec);
    d->spec.ndim = kept_axes(&t->part, axes);
    keep_axes(&t->part, t->part.count, d->shape);
    keep_axes(&t->part, drx_chunk(t->whole), d->chunk);
    for (int j = 0; j < d->spec.ndim; j++) {
        d->dims[j] = drx_dim_name(t->whole, axes[j]);
        if (d->chunk[j] > d->shape[j]) /* it would be mostly empty */
            d->chunk[j] = d->shape[j] > 0 ? d->shape[j] : 1;
    }
    d->spec.shape = d->shape;
    d->spec.chunk = d->chunk;
    d->spec.dims = d->dims;
    d->spec.lower = NULL; /* a part is counted from 0 on, as the selection is */
    d->spec.flags = DRX_TEMPORARY;
    d->spec.nstripes = 0;
    set_codec(&d->spec, &(struct codec){ .codec = DRX_RAW });
    d->spec.stripes = NULL;
}

/* Does `there` hold what the part has of `own`, the coordinate of the whole axis? */
static bool holds_part(drx_array *there, drx_array *own, const struct selection *part, int axis)
{
    const int64_t n = drx_shape(own)[0], count = part->count[axis], none = 0;
    const int64_t last = part->lo[axis] + (count - 1) * part->step[axis];
    const size_t size = drx_type_size(drx_dtype(own));
    char *all = calloc((size_t)n + 1, size), *some = calloc((size_t)count + 1, size);
    bool same = all && some && drx_dtype(there) == drx_dtype(own) && part->lo[axis] < n && last < n;

    same = same && read_at(own, &none, &n, DRX_ROW_MAJOR, all) == DRX_OK &&
           read_at(there, &none, &count, DRX_ROW_MAJOR, some) == DRX_OK;
    for (int64_t i = 0; same && i < count; i++)
        same = memcmp(some + (size_t)i * size, all + (size_t)(part->lo[axis] + i * part->step[axis]) * size, size) == 0;
    free(all);
    free(some);
    return same;
}

static int check_beside(const struct transform *t, int axis)
{
    drx_array *there = open_named_like(t->whole, t->path, axis);
    drx_array *own = there ? open_named_like(t->whole, t->from, axis) : NULL;
    int status = DONE;

    if (there && t->part.count[axis] > 0 && drx_shape(there)[0] == t->part.count[axis] &&
        !(own && holds_part(there, own, &t->part, axis)))
        status = failed("%s: the array '%s' beside it would be taken for its coordinates, but has others; copy into "
                        "another folder",
                        t->path, drx_dim_name(t->whole, axis));
    (void)drx_close(there);
    (void)drx_close(own);
    return status;
}

int check_coordinates_beside(const struct transform *t)
{
    int axes[DRX_MAX_NDIM];
    const int kept = kept_axes(&t->part, axes);
    int status = DONE;

    for (int j = 0; status == DONE && j < kept; j++)
        status = check_beside(t, axes[j]);
    return status;
}

int stand_in_for_part(struct transform *t)
{
    struct description d;

    describe_part(t, &d);
    t->array = create_array(t->between, &d.spec);
    return t->array ? DONE : FAILED;
}

void go_on_with(struct transform *t, drx_array *a)
{
    (void)drx_close(t->array); /* read, or without a name */
    t->array = a;
}

/* What --chunk, --order and so on say of the array that is made. */
static void take_layout(const struct transform *t, drx_spec *spec)
{
    if (t->copies)
        return; /* the copy has it */
    if (t->spec.chunk)
        spec->chunk = t->spec.chunk;
    if (t->exports)
        return;
    if (t->spec.chunk_order)
        spec->chunk_order = *t->spec.chunk_order;
    if (t->spec.align)
        spec->align = t->spec.align;
    spec->flags |= t->spec.flags & DRX_CHECKSUM;
    spec->nstripes = t->spec.nstripes;
    spec->stripes = t->spec.stripes;
    spec->codec = t->spec.codec;
    spec->level = t->spec.level;
    spec->shuffle = t->spec.shuffle;
}

int make_array_of_step(struct transform *t, drx_spec *spec, const char **path)
{
    *path = t->copies || t->exports ? t->between : t->path;
    take_layout(t, spec);
    go_on_with(t, create_array(*path, spec));
    return t->array ? DONE : FAILED;
}

struct pouring {
    drx_array *to;
    const char *path;
    drx_order order;
};

static bool take_box(void *with, const int64_t at[], const int64_t count[], const void *buf)
{
    const struct pouring *p = with;

    return exit_code(p->path, write_at(p->to, at, count, p->order, buf)) == DONE;
}

/* In slabs of whole chunks of the source, or of a compressed target, so that each of its chunks is written once. */
static int64_t cut(const struct transform *t, const drx_array *to, const drx_spec *spec, struct slabs *slabs)
{
    int64_t unit[DRX_MAX_NDIM], phase[DRX_MAX_NDIM] = { 0 }, total;
    int kept = 0;

    if (spec->codec == DRX_RAW)
        return cut_selection(slabs, t->whole, &t->part, spec->chunk_order, false);
    for (int j = 0; j < t->part.ndim; j++) {
        unit[j] = t->part.dropped[j] ? 1 : drx_chunk(to)[kept];
        phase[j] = t->part.dropped[j] ? 0 : drx_lower(to)[kept];
        kept += !t->part.dropped[j];
    }
    total = cut_box(slabs, t->part.ndim, t->part.count, unit, drx_type_size(spec->type), spec->chunk_order);
    if (total > 0)
        set_phase(slabs, phase);
    return total;
}

static int copy_elements_of(const struct transform *t, drx_array *to, const char *path)
{
    struct pouring p = { .to = to, .path = path };
    struct slabs slabs;
    drx_spec spec;

    drx_describe(to, &spec);
    p.order = spec.chunk_order;
    if (cut(t, to, &spec, &slabs) <= 0)
        return DONE; /* an array of that shape was made, so 64 bits hold it */
    return pour(t->whole, &t->part, &slabs, take_box, &p, NULL);
}

int select_part(struct transform *t)
{
    struct description d;
    const char *path;
    int status;

    describe_part(t, &d);
    status = make_array_of_step(t, &d.spec, &path);
    if (status == DONE)
        status = copy_all_attributes(&(struct owner){ .array = t->whole }, &(struct owner){ .array = t->array }, path);
    return status == DONE ? copy_elements_of(t, t->array, path) : status;
}
