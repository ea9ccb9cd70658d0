/* Reading through a view of the data file. What a box takes of a segment of chunks lies evenly in the file: one
 * strided copy over indices of chunks and indices in a chunk, except for chunks at the border of the box. */
#include "base/hooks.h"
#include "box/box.h"
#include "copy/copy.h"

enum {
    SAMPLED_BYTES = 4 << 20, /* one page of so many is checked for being in memory */
    SAMPLES = 32,
    WINDOW_BYTES = 1 << 16, /* read by the system around a byte */
};

struct reader {
    const struct drxi_data *data;
    const struct drxi_box *box;
    int64_t step[DRX_MAX_NDIM];
    struct drxi_part part;
    bool large, there, cold;
    int64_t samples, copies;
    void *buf;
    struct drxi_fold *fold;
};

/* Consecutive chunks of the segment along an axis, of which the box takes the same indices. */
struct stretch {
    int64_t chunk, chunks;      /* the first chunk, and how many */
    int64_t from, start, count; /* first element in the box and in the chunk; elements in each chunk */
};

/* Find the stretch from that chunk on; false when the box takes nothing more. */
static bool find_stretch(const struct reader *r, int j, int64_t chunk, struct stretch *s)
{
    const int64_t extent = r->data->state->desc.chunk[j], step = r->step[j], count = r->box->count[j];
    int64_t before = chunk * extent - r->box->lo[j]; /* from the box to the chunk */

    s->from = before <= 0 ? 0 : drxi_ceil_div(before, step);
    if (s->from >= count)
        return false;
    before = r->box->lo[j] + s->from * step;
    s->chunk = before / extent;
    s->start = before - s->chunk * extent;
    if (s->chunk >= r->part.hi[j])
        return false;
    s->count = drxi_min(count - s->from, (extent - 1 - s->start) / step + 1);
    s->chunks = 1;
    if (s->start < step && s->count * step == extent) /* the next one begins alike */
        s->chunks = drxi_min(r->part.hi[j] - s->chunk, (count - s->from) / s->count);
    return true;
}

static void copy_box(struct reader *r, const struct stretch stretches[])
{
    const struct drxi_data *data = r->data;
    struct drxi_copy_axis axes[DRXI_COPY_AXES];
    int64_t offset = 0;
    uint8_t *to = r->buf;
    int n = 0;

    for (int j = 0; j < data->state->desc.ndim; j++) {
        const struct stretch *s = &stretches[j];
        const int64_t from_chunk = r->part.coef[j] * data->chunk_pitch_bytes;

        if (s->chunks > 1)
            axes[n++] = (struct drxi_copy_axis){ s->chunks, s->count * r->box->stride_bytes[j], from_chunk };
        if (s->count > 1)
            axes[n++] =
                (struct drxi_copy_axis){ s->count, r->box->stride_bytes[j], data->item_pitch_bytes[j] * r->step[j] };
        offset += s->chunk * from_chunk + s->start * data->item_pitch_bytes[j];
        to += s->from * r->box->stride_bytes[j];
    }
    r->copies++;
    drxi_copy_folding(n, axes, data->item_bytes, to, data->view.base + offset, r->large, r->fold);
}

/* Copy all combinations of the stretches of axes j and up. */
static void copy_stretches(struct reader *r, int j, struct stretch stretches[])
{
    int64_t chunk = r->part.lo[j];

    while (chunk < r->part.hi[j] && find_stretch(r, j, chunk, &stretches[j])) {
        if (j + 1 == r->data->state->desc.ndim)
            copy_box(r, stretches);
        else
            copy_stretches(r, j + 1, stretches);
        chunk = stretches[j].chunk + stretches[j].chunks;
    }
}

/* The offset of the chunk with those indices of the segment. */
static int64_t chunk_offset(const struct reader *r, const int64_t index[], int64_t back)
{
    int64_t address = 0;

    for (int j = 0; j < r->data->state->desc.ndim; j++)
        address += (index[j] - back) * r->part.coef[j];
    return address * r->data->chunk_pitch_bytes;
}

static void walk(struct reader *r, void (*visit)(struct reader *r))
{
    const struct drxi_data *data = r->data;
    int64_t first[DRX_MAX_NDIM], end[DRX_MAX_NDIM];
    struct drxi_walk segments;

    for (int j = 0; j < data->state->desc.ndim; j++) {
        first[j] = r->box->lo[j] / data->state->desc.chunk[j];
        end[j] = (r->box->lo[j] + (r->box->count[j] - 1) * r->step[j]) / data->state->desc.chunk[j] + 1;
    }
    drxi_walk_start(&segments, &data->state->map, first, end);
    while (r->there && drxi_walk_next(&segments, &r->part))
        visit(r);
}

static void copy_part(struct reader *r)
{
    struct stretch stretches[DRX_MAX_NDIM];

    copy_stretches(r, 0, stretches);
}

/* Check that the view has all of the segment's chunks, and, by samples, that memory has them. */
static void look_at_part(struct reader *r)
{
    const int64_t begin = chunk_offset(r, r->part.lo, 0);
    const int64_t end = chunk_offset(r, r->part.hi, 1) + r->data->chunk_bytes;

    r->there = end <= r->data->view.bytes;
    for (int64_t i = 0; r->there && !r->cold && i < r->samples; i++)
        r->cold = !drxi_view_resident(&r->data->view, begin + (end - 1 - begin) / r->samples * i);
    r->there = r->there && !r->cold;
}

static void copy_all(void *arg)
{
    walk(arg, copy_part);
}

/* Estimate the bytes of the pages that the box has touched: of each chunk all that a run of elements takes, and at
 * least a window of the system's. */
static int64_t viewed(const struct reader *r)
{
    const struct drxi_desc *d = &r->data->state->desc;
    int64_t chunks = 1, runs = 1, run_bytes = (int64_t)r->data->item_bytes;
    bool whole = true; /* all faster axes */

    for (int k = 0; k < d->ndim; k++) {
        const int j = d->chunk_order == DRX_ROW_MAJOR ? d->ndim - 1 - k : k;
        const int64_t last = r->box->lo[j] + (r->box->count[j] - 1) * r->step[j];
        const int64_t count = drxi_min(r->box->count[j], d->chunk[j]);

        chunks = drxi_mul_saturated(chunks, last / d->chunk[j] - r->box->lo[j] / d->chunk[j] + 1);
        whole = whole && r->step[j] == 1;
        runs = drxi_mul_saturated(runs, whole ? 1 : count);
        run_bytes = drxi_mul_saturated(run_bytes, whole ? count : 1);
        whole = whole && count == d->chunk[j];
    }
    runs = drxi_mul_saturated(runs, drxi_max(run_bytes, WINDOW_BYTES));
    return drxi_mul_saturated(chunks, drxi_min(drxi_max(r->data->chunk_pitch_bytes, WINDOW_BYTES), runs));
}

static void let_go(struct drxi_data *data, int64_t viewed)
{
    viewed = drxi_min(viewed, data->view_limit_bytes);
    if (atomic_fetch_add(&data->viewed_bytes, viewed) + viewed < data->view_limit_bytes)
        return;
    atomic_store(&data->viewed_bytes, 0);
    drxi_view_let_go(&data->view);
}

void drxi_mapped_used(struct drxi_data *data, int64_t bytes)
{
    let_go(data, bytes);
    drxi_count(&data->counts.mapped_bytes, bytes);
}

bool drxi_mapped_has(struct drxi_data *data, const int64_t first[], const int64_t end[])
{
    struct reader r = { .data = data, .there = true };
    struct drxi_walk segments;
    int64_t bytes = data->chunk_pitch_bytes;

    if (data->sums || drxi_hooks.way == DRXI_STAGED || !drxi_data_view(data)) /* reads by calls verify chunks */
        return false;
    for (int j = 0; j < data->state->desc.ndim; j++)
        bytes = drxi_mul_saturated(bytes, end[j] - first[j]);
    r.samples = drxi_hooks.way == DRXI_MAPPED ? 0 : drxi_max(1, drxi_min(bytes / SAMPLED_BYTES, SAMPLES));
    drxi_walk_start(&segments, &data->state->map, first, end);
    while (r.there && drxi_walk_next(&segments, &r.part))
        look_at_part(&r);
    return r.there;
}

static struct reader reader_of(struct drxi_data *data, const struct drxi_box *box, void *buf)
{
    struct reader r = { .data = data, .box = box, .buf = buf, .there = true, .large = box->large };

    for (int j = 0; j < data->state->desc.ndim; j++)
        r.step[j] = box->step && box->count[j] > 1 ? box->step[j] : 1;
    return r;
}

static bool look(struct reader *r, struct drxi_box *box)
{
    r->samples = drxi_hooks.way == DRXI_MAPPED ? 0 : drxi_min(viewed(r) / SAMPLED_BYTES, SAMPLES);
    walk(r, look_at_part);
    box->cold = r->cold;
    return r->there;
}

static bool copy(struct reader *r, struct drxi_data *data)
{
    int64_t bytes = (int64_t)data->item_bytes;

    if (!drxi_view_use(&data->view, copy_all, r))
        return false;
    for (int j = 0; j < data->state->desc.ndim; j++)
        bytes = drxi_mul_saturated(bytes, r->box->count[j]);
    let_go(data, viewed(r));
    drxi_count(&data->counts.mapped_bytes, bytes);
    drxi_count(&data->counts.copies, r->copies);
    return true;
}

bool drxi_mapped_look(struct drxi_data *data, struct drxi_box *box)
{
    struct reader r = reader_of(data, box, NULL);

    return look(&r, box);
}

void drxi_mapped_copy(struct drxi_data *data, const struct drxi_box *box, void *buf, struct drxi_fold *fold)
{
    struct reader r = reader_of(data, box, buf);

    r.fold = fold;
    copy_all(&r);
    drxi_count(&data->counts.copies, r.copies);
}

bool drxi_mapped_read(struct drxi_data *data, struct drxi_box *box, void *buf)
{
    struct reader r = reader_of(data, box, buf);

    return look(&r, box) && copy(&r, data);
}
