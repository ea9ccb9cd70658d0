/* Reading boxes from a view of the data, chunks that are taken whole being verified: some chunks at a time, so few that
 * caches hold them until they are copied. */
#include "array/sums.h"
#include "base/work.h"
#include "format/crc.h"

enum { GROUP_BYTES = 1 << 19 };

/* Chunks whose checksums have to match. */
struct group {
    drx_array *a;
    int64_t n;
    int64_t address[DRXI_SUMS_MOST];
    uint32_t crc[DRXI_SUMS_MOST];
    bool match; /* what is found */
};

bool drxi_piece_is_all(const drx_array *a, const int64_t index[], const struct drxi_piece *piece)
{
    const struct drxi_state *s = &a->state;

    for (int j = 0; j < s->desc.ndim; j++)
        if (piece->start[j] != 0 ||
            piece->count[j] < drxi_min(s->desc.chunk[j], s->shape[j] - index[j] * s->desc.chunk[j]))
            return false;
    return true;
}

bool drxi_verified_some(const drx_array *a, const struct drxi_box *box)
{
    const struct drxi_state *s = &a->state;

    if (!a->sums)
        return false;
    for (int j = 0; j < s->desc.ndim; j++) {
        const int64_t extent = s->desc.chunk[j], begin = drxi_ceil_div(box->lo[j], extent) * extent;

        if (box->step && box->step[j] > 1 && box->count[j] > 1 && extent > 1)
            return false;
        if (extent > 1 && drxi_min(begin + extent, s->shape[j]) > box->lo[j] + box->count[j])
            return false;
    }
    return true;
}

/* ---- verifying ----------------------------------------------------------------------------- */

/* Of the group, the entries from `first` up to `end`, whose chunks follow each other; those that do not count drop out. */
static drx_status get_run(struct group *g, int64_t first, int64_t end, int64_t *kept)
{
    struct drxi_sum sum[DRXI_SUMS_MOST];
    int64_t there;
    drx_status st = drxi_sums_get(g->a->sums, g->address[first], end - first, sum, &there);

    for (int64_t i = 0; !st && i < end - first; i++) {
        st = drxi_sums_judge(g->a, g->address[first + i], &sum[i], i < there);
        if (!st && drxi_sum_counts(g->a->sums, &sum[i])) {
            g->address[*kept] = g->address[first + i];
            g->crc[(*kept)++] = sum[i].crc;
        }
    }
    return st;
}

/* The checksums of the chunks that the box takes whole. */
static drx_status get_sums(struct group *g, const struct drxi_box *box)
{
    struct drxi_cursor c;
    int64_t kept = 0, first = 0;
    drx_status st = DRX_OK;

    g->n = 0;
    drxi_cursor_start(&c, g->a, box->lo, box->count, box->step);
    while (drxi_cursor_next(&c))
        if (drxi_piece_is_all(g->a, c.index, &c.piece))
            g->address[g->n++] = c.piece.address;
    for (int64_t i = 1; !st && i <= g->n; i++)
        if (i == g->n || g->address[i] != g->address[i - 1] + 1) {
            st = get_run(g, first, i, &kept);
            first = i;
        }
    g->n = kept;
    return st;
}

static void compare(void *arg)
{
    struct group *g = arg;
    const drx_array *a = g->a;

    g->match = true;
    for (int64_t i = 0; g->match && i < g->n; i++) {
        const int64_t offset = g->address[i] * a->chunk_pitch_bytes;

        g->match = offset + a->chunk_bytes <= a->view.bytes &&
                   drxi_crc32c(0, a->view.base + offset, (size_t)a->chunk_bytes) == g->crc[i];
    }
}

/* Read part of a box. What does not match is read again, and judged, on the way through a stage. */
static drx_status read_group(drx_array *a, struct drxi_box *box, void *buf)
{
    struct group g = {.a = a, .n = 0};
    drx_status st = get_sums(&g, box);

    if (st)
        return st;
    if (g.n > 0 && !(drxi_view_use(&a->view, compare, &g) && g.match))
        return drxi_staged_move(a, false, box, buf);
    return drxi_mapped_copy(a, box, buf) ? DRX_OK : drxi_staged_move(a, false, box, buf);
}

/* ---- groups ---------------------------------------------------------------------------------- */

struct cut {
    int64_t first[DRX_MAX_NDIM], end[DRX_MAX_NDIM], by[DRX_MAX_NDIM]; /* chunks of the box, of a group */
};

/* Groups are long on the axes that are fast among chunks. */
static void cut_box(const drx_array *a, const struct drxi_box *box, struct cut *cut)
{
    int64_t most = drxi_min(DRXI_SUMS_MOST, drxi_max(1, GROUP_BYTES / a->chunk_pitch_bytes));

    for (int j = a->state.desc.ndim - 1; j >= 0; j--) {
        const int64_t extent = a->state.desc.chunk[j], step = box->step && box->count[j] > 1 ? box->step[j] : 1;

        cut->first[j] = box->lo[j] / extent;
        cut->end[j] = (box->lo[j] + (box->count[j] - 1) * step) / extent + 1;
        cut->by[j] = drxi_min(most, cut->end[j] - cut->first[j]);
        most = drxi_max(1, most / cut->by[j]);
    }
}

/* Elements of the box on axis j in chunks from `chunk` on, as many as a group has; false: none, between two steps. */
static bool part_of_axis(const drx_array *a, const struct drxi_box *box, const struct cut *cut, int j, int64_t chunk,
                         int64_t *from, int64_t *count)
{
    const int64_t extent = a->state.desc.chunk[j], step = box->step && box->count[j] > 1 ? box->step[j] : 1;
    const int64_t before = chunk * extent - box->lo[j];
    const int64_t behind = drxi_min(chunk + cut->by[j], cut->end[j]) * extent - box->lo[j];

    *from = before <= 0 ? 0 : drxi_ceil_div(before, step);
    *count = drxi_min(box->count[j], drxi_ceil_div(behind, step)) - *from;
    return *count > 0;
}

static drx_status read_at(drx_array *a, const struct drxi_box *box, const struct cut *cut, const int64_t chunk[],
                          uint8_t *buf)
{
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    struct drxi_box part = *box;

    part.lo = lo;
    part.count = count;
    for (int j = 0; j < a->state.desc.ndim; j++) {
        int64_t from;

        if (!part_of_axis(a, box, cut, j, chunk[j], &from, &count[j]))
            return DRX_OK;
        lo[j] = box->lo[j] + from * (box->step ? box->step[j] : 1);
        buf += from * box->stride_bytes[j];
    }
    return read_group(a, &part, buf);
}

drx_status drxi_verified_read(drx_array *a, struct drxi_box *box, void *buf)
{
    int64_t chunk[DRX_MAX_NDIM];
    struct cut cut;
    drx_status st = DRX_OK;
    int j;

    if (!drxi_mapped_look(a, box))
        return drxi_staged_move(a, false, box, buf);
    cut_box(a, box, &cut);
    memcpy(chunk, cut.first, sizeof chunk);
    do {
        st = read_at(a, box, &cut, chunk, buf);
        for (j = a->state.desc.ndim - 1; j >= 0; j--) {
            chunk[j] += cut.by[j];
            if (chunk[j] < cut.end[j])
                break;
            chunk[j] = cut.first[j];
        }
    } while (!st && j >= 0);
    return st;
}
