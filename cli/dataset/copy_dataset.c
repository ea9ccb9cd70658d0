#include "copy_dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/meaning.h"
#include "arrays/slabs.h"
#include "datasets.h"
#include "frame/text.h"
#include "new_dataset.h"

struct copying {
    drx_dataset *from, *to;
    const char *path; /* of `from` */
    const struct dataset_layout *layout;
    struct progress progress;
};

struct pair { /* a variable and its copy */
    drx_array *from, *to;
    const char *path;
    struct rounding *rounding; /* NULL: nothing is rounded */
};

/* ---- elements ---- */

/* Is it a coordinate variable, or do others name it for their coordinates or bounds? */
static bool is_coordinate(const struct copying *c, int i)
{
    static const char *const attributes[] = { "bounds", "climatology", "coordinates" };
    const char *name = drx_dataset_name(c->from, i);

    if (drx_dataset_dim_find(c->from, name) >= 0)
        return true;
    for (int k = 0; k < drx_dataset_count(c->from); k++) {
        const drx_array *a = member_array(c->from, c->path, k);

        for (size_t j = 0; a && j < sizeof attributes / sizeof *attributes; j++)
            if (has_word(attribute_text(a, attributes[j]), name))
                return true;
    }
    return false;
}

static int copy_slab(void *with, const struct slabs *slabs, void *buf)
{
    const struct pair *p = with;
    drx_status st = read_at(p->from, slabs->at, slabs->extent, slabs->order, buf);

    if (!st && p->rounding)
        st = drx_keep_bits(drx_dtype(p->to), p->rounding->bits, fill_of(p->to),
                           box_bytes(slabs->ndim, slabs->extent, 1), buf, &p->rounding->told);
    if (!st)
        st = write_at(p->to, slabs->at, slabs->extent, slabs->order, buf);
    return exit_code(p->path, st);
}

/* Slabs of whole chunks of both, or if these are too large, of the copy. */
static int copy_elements_of(struct copying *c, struct pair *p)
{
    const int ndim = drx_ndim(p->to);
    const size_t bytes = drx_type_size(drx_dtype(p->to));
    const int64_t *of[] = { drx_chunk(p->from), drx_chunk(p->to) };
    const int64_t most = c->layout->memory_bytes ? c->layout->memory_bytes : SLAB_BYTES;
    int64_t unit[DRX_MAX_NDIM], size;
    struct slabs slabs;
    drx_spec spec;

    drx_describe(p->to, &spec);
    choose_unit(p->to, of[0], unit);
    size = box_bytes(ndim, unit, bytes);
    if (cut_box(&slabs, ndim, drx_shape(p->to), size < 0 || size > most ? of[1] : unit, bytes, spec.chunk_order) <= 0)
        return DONE; /* no elements: 64 bits hold the bytes of an array */
    set_phase(&slabs, drx_lower(p->to));
    return do_slabs(&slabs, copy_slab, p, &c->progress);
}

/* ---- variables ---- */

/* Along its axes: those that the layout names, and else those of the source. */
static void choose_chunks(const struct copying *c, int ndim, const char *const dims[], int64_t chunk[])
{
    for (int j = 0; j < ndim; j++)
        for (int k = 0; k < c->layout->nchunks; k++)
            if (strcmp(dims[j], c->layout->dim[k]) == 0)
                chunk[j] = c->layout->chunk[k];
}

static int add_copy(const struct copying *c, int i, drx_array *from, drx_array **to)
{
    const int ndim = drx_dataset_ndim(c->from, i);
    const char *dims[DRX_MAX_NDIM];
    int64_t chunk[DRX_MAX_NDIM];
    struct codec codec = codec_of(from);
    drx_spec spec;
    drx_status st;

    drx_describe(from, &spec);
    memcpy(chunk, spec.chunk, (size_t)spec.ndim * sizeof *chunk);
    for (int j = 0; j < ndim; j++)
        dims[j] = drx_dataset_dim(c->from, drx_dataset_axis(c->from, i, j), NULL);
    choose_chunks(c, ndim, dims, chunk);
    spec.dims = ndim ? dims : NULL;
    spec.chunk = chunk;
    spec.chunk_order = c->layout->order ? *c->layout->order : spec.chunk_order;
    spec.align = c->layout->align ? c->layout->align : spec.align;
    spec.flags = c->layout->flags & ~DRX_FROM_ZERO;
    if (c->layout->flags & DRX_FROM_ZERO)
        spec.lower = NULL;
    codec = codec_for(c->layout->codec, &codec, 0, spec.flags);
    set_codec(&spec, &codec);
    spec.nstripes = 0;
    spec.stripes = NULL;
    st = drx_dataset_add(c->to, drx_dataset_name(c->from, i), &spec, to);
    return exit_code(c->path, st);
}

static int copy_variable_of(struct copying *c, int i)
{
    struct pair p = { .path = c->path };
    struct owner from = { .ds = c->from }, to = { .ds = c->to };
    int status;

    p.from = member_array(c->from, c->path, i);
    status = p.from ? add_copy(c, i, p.from, &p.to) : FAILED;
    if (p.from && drx_dtype(p.from) >= DRX_FLOAT32 && drx_dtype(p.from) <= DRX_COMPLEX128 && !is_coordinate(c, i))
        p.rounding = c->layout->rounding;
    from.array = p.from;
    to.array = p.to;
    if (status == DONE)
        status = copy_all_attributes(&from, &to, c->path);
    return status == DONE ? copy_elements_of(c, &p) : status;
}

static int fill_copy(drx_dataset *ds, const char *path, void *with)
{
    struct copying *c = with;
    const struct owner from = { .ds = c->from }, to = { .ds = ds };
    int status;

    c->to = ds;
    status = copy_all_attributes(&from, &to, c->path);
    for (int i = 0; status == DONE && i < drx_dataset_count(c->from); i++)
        status = copy_variable_of(c, i);
    hide_progress();
    for (int d = 0; status == DONE && d < drx_dataset_dim_count(c->from); d++) /* the copy has not grown yet */
        if (is_unlimited(c->from, d))
            status = exit_code(c->path, note_unlimited(ds, drx_dataset_dim(c->from, d, NULL)));
    if (status == DONE && interrupted())
        status = FAILED;
    return status == DONE ? commit_typed(ds, path) : status;
}

/* Is each dimension of --chunk there? Adds to *bytes those of all variables. */
static int check_copy(const struct copying *c, int64_t *bytes)
{
    for (int k = 0; k < c->layout->nchunks; k++)
        if (drx_dataset_dim_find(c->from, c->layout->dim[k]) < 0)
            return failed("%s: --chunk: has no dimension '%s'; `drx info` tells their names", c->path,
                          c->layout->dim[k]);
    for (int i = 0; i < drx_dataset_count(c->from); i++) {
        drx_array *a = member_array(c->from, c->path, i);

        if (!a)
            return FAILED;
        *bytes += box_bytes(drx_ndim(a), drx_shape(a), drx_type_size(drx_dtype(a)));
    }
    return DONE;
}

int copy_dataset(drx_dataset *from, const char *path, const char *to, const struct dataset_layout *layout)
{
    struct copying c = { .from = from, .path = path, .layout = layout };
    int64_t bytes = 0;

    if (!is_free_folder(to, "") || check_copy(&c, &bytes) != DONE)
        return FAILED;
    if (layout->memory_bytes)
        limit_slabs(layout->memory_bytes);
    begin_progress(&c.progress, bytes);
    return make_dataset(to, fill_copy, &c);
}
