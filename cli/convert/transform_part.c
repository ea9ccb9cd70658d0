/* The first step of a copy: an array of a file, or of a part of another array. */
#include <stdlib.h>
#include <string.h>

#include "import.h"
#include "transform.h"

/* An axis of a part that has no coordinates must not get those of other arrays. */
static int check_axis_without(const struct transform *t, const drx_array *whole, int j, int axis)
{
    char *own = t->source.kind->coordinate_name(&t->source, j);
    drx_array *there = own ? NULL : open_array_beside(NULL, t->path, drx_dim_name(whole, axis));
    int status = DONE;

    if (there && drx_ndim(there) == 1 && t->source.shape[j] > 0 && drx_shape(there)[0] == t->source.shape[j])
        status = failed("%s: the array '%s' beside it would be taken for its coordinates, but %s has none; copy into "
                        "another folder",
                        t->path, drx_dim_name(whole, axis), t->from);
    (void)drx_close(there);
    free(own);
    return status;
}

int check_coordinates_beside(const struct transform *t)
{
    struct import wish = { .way_out = "copy into another folder" };
    const struct selection *part;
    const drx_array *whole = array_of_source(&t->source, &part);
    int axes[DRX_MAX_NDIM], kept = whole ? kept_axes(part, axes) : 0;
    struct coords coords;
    int status;

    memcpy(wish.dims, t->source.dims, sizeof wish.dims);
    status = find_coords(&coords, &t->source, &wish, t->path, -1, NULL);
    release_coords(&coords);
    for (int j = 0; status == DONE && j < kept; j++)
        status = check_axis_without(t, whole, j, axes[j]);
    return status;
}

/* Describe an array of the source. That of a part has the layout of the whole array, as far as it suits. */
static void describe_target(const struct transform *t, drx_spec *spec, int64_t chunk[])
{
    const struct source *s = &t->source;

    *spec = (drx_spec){ .ndim = s->ndim,
                        .type = s->type,
                        .shape = s->shape,
                        .dims = (const char *const *)s->dims,
                        .fill = s->fill_name ? s->fill : NULL,
                        .chunk_order = t->selects ? s->order : DRX_ROW_MAJOR,
                        .align = s->align,
                        .source = source_origin(s),
                        .flags = DRX_TEMPORARY };
    if (t->selects || (t->exports && t->target.deflate.source))
        source_set_chunk(s, spec, chunk);
}

int stand_in(struct transform *t)
{
    int64_t chunk[DRX_MAX_NDIM];
    drx_spec spec;

    describe_target(t, &spec, chunk);
    spec.fill = NULL; /* which would be written */
    t->array = create_array(t->between, &spec);
    return t->array ? DONE : FAILED;
}

void go_on_with(struct transform *t, drx_array *a)
{
    drx_spec spec = { .source = t->target.deflate.source };

    if (a && !t->source.kind && spec.source)
        drx_describe(a, &spec);
    t->target.deflate.source = spec.source;
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

int import_elements(struct transform *t)
{
    const char *path = t->copies || t->exports ? t->between : t->path;
    struct source *s = &t->source;
    int64_t chunk[DRX_MAX_NDIM];
    drx_spec spec;
    int status;

    describe_target(t, &spec, chunk);
    take_layout(t, &spec);
    go_on_with(t, create_array(path, &spec));
    if (!t->array)
        return FAILED;
    status = s->kind->copy_attributes(s, t->array, t->from);
    return status == DONE ? copy_elements(s, t->array, path, false) : status;
}
