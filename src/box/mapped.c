/* Reading through a view of the data file. What a box takes of a segment is evenly spaced in the file, except for
 * chunks at the border of the box. So one strided copy over the indices of chunks and the indices inside a chunk moves
 * it. */
#include "base/hooks.h"
#include "box/box.h"
#include "copy/copy.h"

enum {
    SAMPLED_BYTES = 4 << 20, /* one page in this many bytes is checked for being in memory */
    SAMPLES = 32,
    STREAMS = 32,           /* chunks in stripes that one copy reads side by side */
    WINDOW_BYTES = 1 << 16, /* what the system reads around a byte */
    CALL_BYTES = 1 << 14,   /* of a chunk, which a call copies sooner than the system maps its page again; */
    CALL_SHARE = 8,         /* and so much of its bytes that one part in this many is wanted */
    CALLS_BYTES = 8 << 20,  /* if so much may be mapped: calls need memory of their own */
    LOOKS = 32,             /* at the memory in use, before a limit is reached */
    MOST_BETWEEN_BYTES = 4 << 20,
    ONCE_BYTES = 16 << 20 /* most that is kept of what is not read again */
};

struct reader {
    struct drxi_data *data;
    const struct drxi_box *box;
    int64_t step[DRX_MAX_NDIM];
    struct drxi_part part;
    int last; /* the axis whose stretches are found last; chunks along it may lie in stripes in turn */
    bool large, there, cold;
    int64_t samples, copies;
    bool asks; /* whether the first and last byte of a small box are in memory */
    void *buf;
    struct drxi_fold *fold;
};

/* Consecutive chunks of the segment along an axis, of which the box takes the same indices. */
struct stretch {
    int64_t chunk;              /* the first one */
    struct drxi_view_row row;   /* how they lie in memory */
    int64_t from, start, count; /* first element in the box and in the chunk; elements in each chunk */
};

static int64_t chunks_of(const struct stretch *s)
{
    return s->row.n * s->row.groups;
}

static int64_t pitch_on_axis(const struct reader *r, int j)
{
    return r->part.coef[j] * r->data->chunk_pitch_bytes;
}

/* The offset of the chunk along axis j, where the other stretches are known. */
static int64_t offset_in_segment(const struct reader *r, const struct stretch stretches[], int j, int64_t chunk)
{
    int64_t offset = r->part.base * r->data->chunk_pitch_bytes + chunk * pitch_on_axis(r, j);

    for (int k = 0; k < r->data->ndim; k++)
        if (k != j)
            offset += stretches[k].chunk * pitch_on_axis(r, k);
    return offset;
}

/* How this many chunks lie in memory, as many of them as lie evenly. */
static struct drxi_view_row row_of(const struct reader *r, const struct stretch stretches[], int j, int64_t chunks)
{
    const struct drxi_view *view = &r->data->view;
    const int64_t pitch = pitch_on_axis(r, j);
    struct drxi_view_row row = { .n = chunks, .step = pitch, .groups = 1 };
    bool all;

    if (view->files == 0)
        return row;
    row = drxi_view_row(view, j == r->last ? offset_in_segment(r, stretches, j, stretches[j].chunk) : 0, pitch, chunks,
                        &all);
    if (!all && j != r->last)
        row.n = row.groups = 1;
    row.groups = drxi_min(row.groups, drxi_max(1, STREAMS / row.n));
    return row;
}

/* Find the stretch along axis j from that chunk on; false when the box takes nothing more. */
static bool find_stretch(const struct reader *r, int j, int64_t chunk, struct stretch stretches[])
{
    const int64_t extent = r->data->chunk[j], step = r->step[j], count = r->box->count[j];
    int64_t before = chunk * extent - r->box->lo[j]; /* from the start of the box to the chunk */
    struct stretch *s = &stretches[j];

    s->from = before <= 0 ? 0 : drxi_ceil_div(before, step);
    if (s->from >= count)
        return false;
    before = r->box->lo[j] + s->from * step;
    s->chunk = drxi_floor_div(before, extent);
    s->start = before - s->chunk * extent;
    if (s->chunk >= r->part.hi[j])
        return false;
    s->count = drxi_min(count - s->from, (extent - 1 - s->start) / step + 1);
    s->row = (struct drxi_view_row){ .n = 1, .groups = 1 };
    if (s->start < step && s->count * step == extent) /* and the same of the next chunks */
        s->row = row_of(r, stretches, j, drxi_min(r->part.hi[j] - s->chunk, (count - s->from) / s->count));
    return true;
}

static void add_copy_axis(int *n, struct drxi_copy_axis axes[], int64_t count, int64_t dst, int64_t src)
{
    if (count > 1)
        axes[(*n)++] = (struct drxi_copy_axis){ count, dst, src };
}

static void copy_mapped_box(struct reader *r, const struct stretch stretches[])
{
    const struct drxi_data *data = r->data;
    struct drxi_copy_axis axes[DRXI_COPY_AXES];
    int64_t offset = offset_in_segment(r, stretches, r->last, stretches[r->last].chunk);
    uint8_t *to = r->buf;
    int n = 0;

    for (int j = 0; j < data->ndim; j++) {
        const struct stretch *s = &stretches[j];
        const int64_t stride = r->box->stride_bytes[j];

        add_copy_axis(&n, axes, s->row.groups, s->row.n * s->count * stride, s->row.turn);
        add_copy_axis(&n, axes, s->row.n, s->count * stride, s->row.step);
        add_copy_axis(&n, axes, s->count, stride, data->item_pitch_bytes[j] * r->step[j]);
        offset += s->start * data->item_pitch_bytes[j];
        to += s->from * stride;
    }
    r->copies++;
    drxi_copy_folding(n, axes, data->item_bytes, to, drxi_view_at(&data->view, offset), r->large, r->fold);
}

/* Copy the products of each stretch of axis j with those of the axes after it, the last of which is r->last. */
static void copy_stretches(struct reader *r, int j, struct stretch stretches[])
{
    const int ndim = r->data->ndim, axis = j + 1 == ndim ? r->last : j + (j >= r->last);
    int64_t chunk = r->part.lo[axis];

    while (chunk < r->part.hi[axis] && find_stretch(r, axis, chunk, stretches)) {
        if (j + 1 == ndim)
            copy_mapped_box(r, stretches);
        else
            copy_stretches(r, j + 1, stretches);
        chunk = stretches[axis].chunk + chunks_of(&stretches[axis]);
    }
}

/* Of the axes along which chunks lie in stripes in turn, that with the smallest step in memory; or the last one. */
static int axis_of_stripes(const struct reader *r)
{
    const int ndim = r->data->ndim, files = r->data->view.files;
    int64_t least = INT64_MAX;
    int found = ndim - 1;

    for (int j = 0; j < ndim && files > 1; j++) {
        const int64_t stride = r->box->stride_bytes[j], width = stride < 0 ? -stride : stride;
        const int64_t step = drxi_floor_mod(r->part.coef[j], files);

        if (r->part.hi[j] - r->part.lo[j] > 1 && (step == 1 || step == files - 1) && width < least) {
            least = width;
            found = j;
        }
    }
    return found;
}

/* The offset of the segment's chunk at index[] - back. */
static int64_t chunk_offset(const struct reader *r, const int64_t index[], int64_t back)
{
    int64_t address = r->part.base;

    for (int j = 0; j < r->data->ndim; j++)
        address += (index[j] - back) * r->part.coef[j];
    return address * r->data->chunk_pitch_bytes;
}

static void walk(struct reader *r, void (*visit)(struct reader *r))
{
    const struct drxi_data *data = r->data;
    int64_t first[DRX_MAX_NDIM], end[DRX_MAX_NDIM];
    struct drxi_walk segments;

    for (int j = 0; j < data->ndim; j++) {
        const int64_t extent = data->chunk[j];

        first[j] = drxi_floor_div(r->box->lo[j], extent);
        end[j] = drxi_floor_div(r->box->lo[j] + (r->box->count[j] - 1) * r->step[j], extent) + 1;
    }
    drxi_walk_start(&segments, &data->map, first, end);
    while (r->there && drxi_walk_next(&segments, &r->part))
        visit(r);
}

static void copy_map_part(struct reader *r)
{
    struct stretch stretches[DRX_MAX_NDIM];

    r->last = axis_of_stripes(r);
    copy_stretches(r, 0, stretches);
}

/* What an index adds to an offset: of its chunk, and inside that. */
static int64_t offset_on_axis(int64_t index, int64_t extent, int64_t chunk_pitch, int64_t item_pitch)
{
    const int64_t chunk = drxi_floor_div(index, extent);

    return chunk * chunk_pitch + (index - chunk * extent) * item_pitch;
}

/* Whether the first and the last element that the box has of the segment are in memory. */
static bool ends_are_resident(const struct reader *r)
{
    const struct drxi_data *data = r->data;
    int64_t first = r->part.base * data->chunk_pitch_bytes, last = first;

    for (int j = 0; j < data->ndim; j++) {
        const int64_t extent = data->chunk[j], step = r->step[j], lo = r->box->lo[j];
        const int64_t pitch = r->part.coef[j] * data->chunk_pitch_bytes;
        const int64_t before = drxi_max(r->part.lo[j] * extent - lo, 0);
        const int64_t begin = lo + drxi_ceil_div(before, step) * step;
        const int64_t end = lo + drxi_min(r->box->count[j] - 1, (r->part.hi[j] * extent - 1 - lo) / step) * step;

        if (begin > end) /* steps skip the segment */
            return true;
        first += offset_on_axis(begin, extent, pitch, data->item_pitch_bytes[j]);
        last += offset_on_axis(end, extent, pitch, data->item_pitch_bytes[j]);
    }
    return drxi_data_resident(r->data, first) &&
           ((last / WINDOW_BYTES == first / WINDOW_BYTES && data->view.files == 0) ||
            drxi_data_resident(r->data, last));
}

/* What to add so that samples meet all stripes, also where they are a multiple of these apart. */
static int64_t in_stripe(const struct reader *r, int64_t i)
{
    const struct drxi_view *view = &r->data->view;

    return view->files > 0 ? i % view->files * view->unit : 0;
}

/* Check that the view has all of the segment's chunks, and, by samples, that their pages are in memory. */
static void look_at_part(struct reader *r)
{
    const int64_t begin = chunk_offset(r, r->part.lo, 0);
    const int64_t end = chunk_offset(r, r->part.hi, 1) + r->data->chunk_bytes;

    r->there = end <= r->data->view.bytes;
    for (int64_t i = 0; r->there && !r->cold && i < r->samples; i++)
        r->cold = !drxi_data_resident(r->data,
                                      drxi_min(begin + (end - 1 - begin) / r->samples * i + in_stripe(r, i), end - 1));
    if (r->there && !r->cold && r->asks)
        r->cold = !ends_are_resident(r);
    r->there = r->there && !r->cold;
}

static void copy_all_stretches(void *arg)
{
    walk(arg, copy_map_part);
}

/* Estimate the bytes of the pages that the box has touched. A run of elements counts its bytes, but at least the
 * system's window. */
static int64_t viewed(const struct reader *r)
{
    int64_t chunks = 1, runs = 1, run_bytes = (int64_t)r->data->item_bytes;
    bool whole = true; /* the box has all of the faster axes */

    for (int k = 0; k < r->data->ndim; k++) {
        const int j = r->data->chunk_order == DRX_ROW_MAJOR ? r->data->ndim - 1 - k : k;
        const int64_t last = r->box->lo[j] + (r->box->count[j] - 1) * r->step[j];
        const int64_t count = drxi_min(r->box->count[j], r->data->chunk[j]);

        chunks = drxi_mul_saturated(chunks, drxi_floor_div(last, r->data->chunk[j]) -
                                                drxi_floor_div(r->box->lo[j], r->data->chunk[j]) + 1);
        whole = whole && r->step[j] == 1;
        runs = drxi_mul_saturated(runs, whole ? 1 : count);
        run_bytes = drxi_mul_saturated(run_bytes, whole ? count : 1);
        whole = whole && count == r->data->chunk[j];
    }
    runs = drxi_mul_saturated(runs, drxi_max(run_bytes, WINDOW_BYTES));
    return drxi_mul_saturated(chunks, drxi_min(drxi_max(r->data->chunk_pitch_bytes, WINDOW_BYTES), runs));
}

/* Release what was read through the view, before it is more than the handle's limit. */
static void let_go_of_own(struct drxi_data *data, int64_t viewed)
{
    if (atomic_fetch_add(&data->file->viewed_bytes, viewed) + viewed < data->file->view_limit_bytes)
        return;
    atomic_store(&data->file->viewed_bytes, 0);
    drxi_view_let_go(&data->view);
}

/* Release what was read through any view, before it is more than `most`. Handles share this bound, and so the count up
 * to the next look. A page that is touched may bring in a larger block of the system's cache, so look early how much
 * that is. */
static void let_go_of_all(int64_t viewed, int64_t most)
{
    static atomic_int_fast64_t viewed_bytes; /* since the last look, approximately */

    if (atomic_fetch_add(&viewed_bytes, viewed) + viewed < drxi_min(most / LOOKS, MOST_BETWEEN_BYTES))
        return;
    atomic_store(&viewed_bytes, 0);
    drxi_view_bound(most);
}

static void let_go(struct drxi_data *data, int64_t viewed, int64_t most)
{
    viewed = drxi_min(viewed, data->file->view_limit_bytes);
    if (most == INT64_MAX)
        let_go_of_own(data, viewed);
    else
        let_go_of_all(viewed, drxi_min(most, data->file->view_limit_bytes));
}

void drxi_mapped_used(struct drxi_data *data, int64_t bytes)
{
    let_go(data, bytes, drxi_view_most());
    drxi_count(&data->file->counts.mapped_bytes, bytes);
}

void drxi_mapped_used_once(struct drxi_data *data, int64_t bytes)
{
    const int64_t most = drxi_view_most();

    let_go(data, bytes, most == INT64_MAX ? most : drxi_min(most, ONCE_BYTES));
    drxi_count(&data->file->counts.mapped_bytes, bytes);
}

void drxi_mapped_touched(struct drxi_data *data, int64_t bytes)
{
    let_go(data, bytes, drxi_view_most());
    drxi_count(&data->file->counts.reads, 1);
    drxi_count(&data->file->counts.read_bytes, bytes);
    drxi_count(&data->file->counts.touched_bytes, bytes);
}

void drxi_mapped_used_points(struct drxi_data *data, int64_t n, int64_t of)
{
    let_go(data, drxi_mul_saturated(n, drxi_min(WINDOW_BYTES, data->view.bytes / of + 1)), drxi_view_most());
    drxi_count(&data->file->counts.mapped_bytes, n * (int64_t)data->item_bytes);
}

bool drxi_mapped_has(struct drxi_data *data, const int64_t first[], const int64_t end[])
{
    struct reader r = { .data = data, .there = true };
    struct drxi_walk segments;
    int64_t bytes = data->chunk_pitch_bytes;

    if (data->file->stored->verified || drxi_as_from_disk() || !drxi_data_view(data)) /* reads by calls verify */
        return false;
    for (int j = 0; j < data->ndim; j++)
        bytes = drxi_mul_saturated(bytes, end[j] - first[j]);
    r.samples = drxi_hooks.way == DRXI_MAPPED ? 0 : drxi_max(1, drxi_min(bytes / SAMPLED_BYTES, SAMPLES));
    drxi_walk_start(&segments, &data->map, first, end);
    while (r.there && drxi_walk_next(&segments, &r.part))
        look_at_part(&r);
    return r.there;
}

static struct reader reader_of(struct drxi_data *data, const struct drxi_box *box, void *buf)
{
    struct reader r = { .data = data, .box = box, .buf = buf, .there = true, .large = box->large };

    for (int j = 0; j < data->ndim; j++)
        r.step[j] = box->step && box->count[j] > 1 ? box->step[j] : 1;
    return r;
}

/* Whether calls read the box sooner, where the file has more chunks than may stay mapped: the system maps each page
 * again. */
static bool is_for_calls(const struct reader *r)
{
    const int64_t most = drxi_view_most();
    int64_t wanted = (int64_t)r->data->item_bytes, span = wanted; /* in a chunk; from the first byte to the last one */

    if (most >= r->data->view.bytes || most < CALLS_BYTES || drxi_hooks.way == DRXI_MAPPED ||
        drxi_data_fits(r->data, most))
        return false;
    for (int j = 0; j < r->data->ndim; j++) {
        const int64_t extent = drxi_min((r->box->count[j] - 1) * r->step[j] + 1, r->data->chunk[j]);

        span += (extent - 1) * r->data->item_pitch_bytes[j];
        wanted *= (extent - 1) / r->step[j] + 1;
    }
    return span <= CALL_BYTES || wanted >= span / CALL_SHARE;
}

static bool look_in_memory(struct reader *r, struct drxi_data *data)
{
    if (is_for_calls(r))
        return false;
    r->samples = drxi_hooks.way == DRXI_MAPPED ? 0 : drxi_min(viewed(r) / SAMPLED_BYTES, SAMPLES);
    r->asks = r->samples == 0 && drxi_hooks.way != DRXI_MAPPED && (drxi_data_asks() || drxi_data_doubts(r->data));
    walk(r, look_at_part);
    if (r->asks)
        drxi_data_answer(data, !r->cold);
    return r->there;
}

static bool copy_from_map(struct reader *r, struct drxi_data *data)
{
    if (!drxi_view_use(&data->view, copy_all_stretches, r))
        return false;
    let_go(data, viewed(r), drxi_view_most());
    drxi_count(&data->file->counts.mapped_bytes, drxi_times((int64_t)data->item_bytes, data->ndim, r->box->count));
    drxi_count(&data->file->counts.copies, r->copies);
    return true;
}

bool drxi_mapped_look(struct drxi_data *data, const struct drxi_box *box)
{
    struct reader r = reader_of(data, box, NULL);

    return look_in_memory(&r, data);
}

void drxi_mapped_copy(struct drxi_data *data, const struct drxi_box *box, void *buf, struct drxi_fold *fold)
{
    struct reader r = reader_of(data, box, buf);

    r.fold = fold;
    copy_all_stretches(&r);
    drxi_count(&data->file->counts.copies, r.copies);
}

bool drxi_mapped_read(struct drxi_data *data, const struct drxi_box *box, void *buf)
{
    struct reader r = reader_of(data, box, buf);

    return look_in_memory(&r, data) && copy_from_map(&r, data);
}
