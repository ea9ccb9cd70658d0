/* Strided copy: reduce it to as few axes as possible, find the axes along which either side is contiguous, and loop
 * around the innermost part that fits. */
#include "copy/plan.h"

enum {
    NEAR_BYTES = 1 << 20,  /* at this distance rows of src evict each other from the cache */
    LONG_ROW_BYTES = 1024, /* for rows of this many bytes, broken lines at their ends matter little */
    MOST_ITEM_BYTES = 16,  /* that kernels know */
    STREAMS = 32,          /* pieces of rows of src that a processor prefetches at once */
};

int drxi_copy_reduce(int n_given, const struct drxi_copy_axis given[], struct drxi_copy_axis axes[])
{
    int n = 0;
    int kept = 0;

    for (int j = 0; j < n_given; j++) {
        int at = n;

        if (given[j].count == 1)
            continue;
        while (at > 0 && drxi_magnitude(axes[at - 1].dst) < drxi_magnitude(given[j].dst)) {
            axes[at] = axes[at - 1];
            at--;
        }
        axes[at] = given[j];
        n++;
    }
    for (int j = 1; j < n; j++) {
        struct drxi_copy_axis *outer = &axes[kept];

        if (outer->dst == axes[j].count * axes[j].dst && outer->src == axes[j].count * axes[j].src) {
            outer->count *= axes[j].count;
            outer->dst = axes[j].dst;
            outer->src = axes[j].src;
        } else {
            axes[++kept] = axes[j];
        }
    }
    return n ? kept + 1 : 0;
}

struct drxi_copy_axis drxi_copy_take(struct drxi_copy_axis loop[], int *loops, int at)
{
    const struct drxi_copy_axis axis = loop[at];

    --*loops;
    memmove(loop + at, loop + at + 1, (size_t)(*loops - at) * sizeof *loop);
    return axis;
}

enum part { ROWS, TURNED, TILES };

/* Whether to write past the cache: all lines of dst are whole, or the rows are long. */
static bool has_whole_lines(const struct drxi_plan *p, const void *dst)
{
    int64_t together = 0;

    for (int j = 0; j < p->loops; j++)
        together |= p->loop[j].dst;
    return (together | p->turned.dst) % DRXI_LINE_BYTES == 0 && (uintptr_t)dst % p->item == 0;
}

static bool rows_stream(const struct drxi_plan *p, const void *dst)
{
    const int64_t bytes = p->outer.count * p->inner.count * (int64_t)p->item;

    return p->kernels->stream_lines &&
           (bytes >= LONG_ROW_BYTES ||
            (bytes % DRXI_LINE_BYTES == 0 && (uintptr_t)dst % DRXI_LINE_BYTES == 0 && has_whole_lines(p, dst)));
}

/* Put loops with small steps in src inside those with large steps. */
static void far_loops_first(struct drxi_plan *p)
{
    struct drxi_copy_axis near[DRXI_COPY_AXES];
    int far = 0, n = 0;

    for (int j = 0; j < p->loops; j++)
        if (drxi_magnitude(p->loop[j].src) >= NEAR_BYTES / p->loop[j].count)
            p->loop[far++] = p->loop[j];
        else
            near[n++] = p->loop[j];
    memcpy(p->loop + far, near, (size_t)n * sizeof *near);
    p->far = far;
}

/* Put the innermost loops whose steps in src are shorter than those between pieces of the run (rows of a chunk) inside
 * a few pieces. The copy then reads a few long streams instead of one row of each. */
static int loops_around_pieces(const struct drxi_plan *p)
{
    int far = p->loops;

    while (far > 0 && drxi_magnitude(p->loop[far - 1].src) < drxi_magnitude(p->outer.src))
        far--;
    return far;
}

/* The position of the axis, besides `inner`, along which src is contiguous, or -1. */
static int find_turned(const struct drxi_plan *p)
{
    for (int j = 0; j < p->loops; j++)
        if (p->loop[j].src == (int64_t)p->item)
            return j;
    return -1;
}

/* The axis with the smallest step in src. A tile spans it and the one with the smallest step in dst. */
static int fastest_in_src(const struct drxi_plan *p)
{
    int fastest = p->loops - 1;

    for (int j = 0; j < p->loops; j++)
        if (drxi_magnitude(p->loop[j].src) < drxi_magnitude(p->loop[fastest].src))
            fastest = j;
    return drxi_magnitude(p->loop[fastest].src) < drxi_magnitude(p->inner.src) ? fastest : p->loops - 1;
}

static enum part choose_part(struct drxi_plan *p, bool large, const void *dst)
{
    const struct drxi_copy_axis once = { 1, 0, 0 };
    const bool run = p->inner.dst == (int64_t)p->item;
    const bool rows = run && p->inner.src == (int64_t)p->item;
    const int turned = run && !rows ? find_turned(p) : -1;

    p->outer = p->turned = p->column = once;
    if (!rows && turned < 0) {
        if (p->loops > 0)
            p->column = drxi_copy_take(p->loop, &p->loops, fastest_in_src(p));
        return TILES;
    }
    if (turned >= 0)
        p->turned = drxi_copy_take(p->loop, &p->loops, turned);
    if (p->loops > 0 && p->loop[p->loops - 1].dst == p->inner.count * p->inner.dst)
        p->outer = drxi_copy_take(p->loop, &p->loops, p->loops - 1);
    p->stream = large && (rows ? rows_stream(p, dst) : p->kernels->stream_tile[0] && has_whole_lines(p, dst));
    if (!rows)
        far_loops_first(p);
    else if (p->outer.count > 1)
        p->far = loops_around_pieces(p);
    else if (!p->stream && p->loops > 0)
        p->outer =
            drxi_copy_take(p->loop, &p->loops, p->loops - 1); /* rows that follow each other but are not contiguous */
    return rows ? ROWS : TURNED;
}

/* Where a copy is in its loops: element 0 of the run, and a range of the run: elements first to last of a
 * transposition, pieces of rows; last < 0: not cut yet. */
struct at {
    uint8_t *dst;
    const uint8_t *src;
    int64_t first, last;
};

static void loop(const struct drxi_plan *p, enum part part, int k, struct at at);

static void leave_loops(const struct drxi_plan *p, enum part part, const struct at *at)
{
    if (part == ROWS)
        drxi_copy_rows(p, at->dst, at->src, at->first, at->last < 0 ? p->outer.count : at->last);
    else if (part == TURNED)
        drxi_copy_turned(p, at->dst, at->src, at->first, at->last);
    else
        drxi_copy_tiles(p, at->dst, at->src);
}

/* Do the loops from k on, for some pieces of the rows at a time. */
static void loop_over_streams(const struct drxi_plan *p, enum part part, int k, struct at at)
{
    for (at.first = 0; at.first < p->outer.count; at.first = at.last) {
        at.last = drxi_min(at.first + STREAMS, p->outer.count);
        loop(p, part, k, at);
    }
}

/* Do the loops from k on for each piece of the run in turn. A piece has some rows of src of one index of its outer
 * axis, but ends at borders of lines. */
static void loop_over_pieces(const struct drxi_plan *p, enum part part, int k, struct at at)
{
    const int64_t side = DRXI_LINE_BYTES / (int64_t)p->item;
    const int64_t before = (int64_t)((uintptr_t)at.dst % DRXI_LINE_BYTES) / (int64_t)p->item;
    const int64_t run = p->outer.count * p->inner.count;
    const int64_t piece = p->inner.count / drxi_ceil_div(p->inner.count, DRXI_PIECE_ROWS);

    at.first = 0;
    for (int64_t end = piece; at.first < run; end += piece) {
        at.last = end >= run ? run : drxi_max((end + before) / side * side - before, at.first);
        if (at.last > at.first)
            loop(p, part, k, at);
        at.first = at.last;
    }
}

static void loop(const struct drxi_plan *p, enum part part, int k, struct at at)
{
    if (k == p->far && at.last < 0 && part != TILES) {
        if (part == TURNED)
            loop_over_pieces(p, part, k, at);
        else
            loop_over_streams(p, part, k, at);
        return;
    }
    if (k == p->loops) {
        leave_loops(p, part, &at);
        return;
    }
    for (int64_t i = 0; i < p->loop[k].count; i++) {
        loop(p, part, k + 1, at);
        at.dst += p->loop[k].dst;
        at.src += p->loop[k].src;
    }
}

static void loop_over_rows(const struct drxi_plan *p, int k, size_t bytes, uint8_t *dst, const uint8_t *src)
{
    const struct drxi_copy_axis *axis = &p->loop[k];

    if (k == p->loops - 2)
        p->kernels->rows(axis->count, bytes, dst, axis->dst, src, axis->src);
    else
        for (int64_t i = 0; i < axis->count; i++)
            loop_over_rows(p, k + 1, bytes, dst + i * axis->dst, src + i * axis->src);
}

/* Copy short rows, of which a small box has some in each of its chunks; false: they are not short. A plan would store
 * so much that the processor waits until the stores of the copy before have their lines. */
static bool copy_short_rows(const struct drxi_plan *p, uint8_t *dst, const uint8_t *src)
{
    const int64_t item = (int64_t)p->item;
    const struct drxi_copy_axis *run = &p->loop[p->loops - 1];

    if (run->dst != item || run->src != item || run->count > DRXI_SHORT_BYTES / item)
        return false;
    loop_over_rows(p, 0, (size_t)(run->count * item), dst, src);
    return true;
}

void drxi_copy_axes(int n, const struct drxi_copy_axis axes[], size_t item_bytes, void *dst, const void *src,
                    bool large)
{
    drxi_copy_folding(n, axes, item_bytes, dst, src, large, NULL);
}

/* Copy elements of another size as one more axis, of the largest parts that kernels know. */
static void copy_in_parts(int n, const struct drxi_copy_axis axes[], size_t item_bytes, void *dst, const void *src,
                          bool large, struct drxi_fold *fold)
{
    const size_t lowest = item_bytes & -item_bytes, part = lowest < MOST_ITEM_BYTES ? lowest : MOST_ITEM_BYTES;
    struct drxi_copy_axis parts[DRXI_COPY_AXES + 1];

    memcpy(parts, axes, (size_t)n * sizeof *axes);
    parts[n] = (struct drxi_copy_axis){ (int64_t)(item_bytes / part), (int64_t)part, (int64_t)part };
    drxi_copy_folding(n + 1, parts, part, dst, src, large, fold);
}

void drxi_copy_folding(int n, const struct drxi_copy_axis axes[], size_t item_bytes, void *dst, const void *src,
                       bool large, struct drxi_fold *fold)
{
    struct drxi_plan p;
    enum part part;

    for (int j = 0; j < n; j++)
        if (axes[j].count == 0)
            return;
    if (item_bytes > MOST_ITEM_BYTES || !drxi_fits_blocks(item_bytes)) {
        copy_in_parts(n, axes, item_bytes, dst, src, large, fold);
        return;
    }
    p.item = item_bytes;
    p.kind = __builtin_ctz((unsigned)item_bytes);
    p.kernels = drxi_kernels();
    p.stream = false;
    p.fold = fold;
    p.far = 0;
    p.loops = drxi_copy_reduce(n, axes, p.loop);
    if (!large && !fold && p.loops > 1 && copy_short_rows(&p, dst, src))
        return;
    p.inner = (struct drxi_copy_axis){ 1, (int64_t)item_bytes, (int64_t)item_bytes };
    if (p.loops > 0)
        p.inner = drxi_copy_take(p.loop, &p.loops, p.loops - 1);
    part = choose_part(&p, large, dst);
    loop(&p, part, 0, (struct at){ dst, src, 0, -1 });
    if (p.stream)
        p.kernels->fence();
}

void drxi_copy(int ndim, const int64_t count[], size_t item_bytes, void *dst, const int64_t dst_stride[],
               const void *src, const int64_t src_stride[])
{
    struct drxi_copy_axis axes[DRX_MAX_NDIM];

    for (int j = 0; j < ndim; j++)
        axes[j] = (struct drxi_copy_axis){ count[j], dst_stride[j], src_stride[j] };
    drxi_copy_axes(ndim, axes, item_bytes, dst, src, false);
}
