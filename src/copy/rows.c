/* Runs that are contiguous on both sides, piece by piece. Only whole lines go past the cache, so a line that two pieces
 * share is assembled first. */
#include "copy/plan.h"

enum {
    AHEAD = 4,
    SHORT_BYTES = 2048,
    CLAIMED_BYTES = 2048,          /* of dst, ahead of the copy */
    MOST_CLAIMED_BYTES = 1 << 18,  /* of a row: memcpy alone is as fast with longer ones */
    LEAST_COPIED_BYTES = 24 << 10, /* less may be in the first cache, where claiming takes longer than it saves */
    SLICE_BYTES = 1 << 14
};

/* A run that is streamed: the line at `dst` waits until it is full. */
struct stream {
    const struct drxi_kernels *kernels;
    uint8_t *dst;           /* at the border of a line */
    size_t before, waiting; /* bytes of the line that are not of the run, and the end of those that are there */
    _Alignas(DRXI_LINE_BYTES) uint8_t line[DRXI_LINE_BYTES];
};

/* Write the waiting part of a line, which is not a whole line of the run. */
static void put_broken_line(struct stream *s)
{
    memcpy(s->dst + s->before, s->line + s->before, s->waiting - s->before);
    s->before = 0;
}

static void stream_piece(struct stream *s, const uint8_t *src, size_t n)
{
    size_t lines;

    if (s->waiting > 0) {
        const size_t room = DRXI_LINE_BYTES - s->waiting;
        const size_t more = n < room ? n : room;

        memcpy(s->line + s->waiting, src, more);
        s->waiting += more;
        if (s->waiting < DRXI_LINE_BYTES)
            return;
        if (s->before)
            put_broken_line(s);
        else
            s->kernels->stream_lines(s->dst, s->line, 1);
        s->dst += DRXI_LINE_BYTES;
        src += more;
        n -= more;
    }
    lines = n / DRXI_LINE_BYTES;
    s->kernels->stream_lines(s->dst, src, (int64_t)lines);
    s->dst += lines * DRXI_LINE_BYTES;
    s->waiting = n % DRXI_LINE_BYTES;
    memcpy(s->line, src + lines * DRXI_LINE_BYTES, s->waiting);
}

/* Prefetch a short row, which no processor does by itself. */
static inline void prefetch_row(const uint8_t *row, size_t bytes)
{
    if (bytes <= SHORT_BYTES)
        for (size_t i = 0; i < bytes; i += DRXI_LINE_BYTES)
            __builtin_prefetch(row + i);
}

/* Prefetch bytes to be written. */
static inline void claim(uint8_t *row, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += DRXI_LINE_BYTES)
        __builtin_prefetch(row + i, 1);
}

static bool claims(size_t bytes, int64_t rows)
{
    return bytes <= MOST_CLAIMED_BYTES && rows * (int64_t)bytes >= LEAST_COPIED_BYTES;
}

/* Copy rows, and prefetch the bytes of dst that come next. Processors fetch by themselves what such rows load, but not
 * what they store, and a store that waits for its line delays all later ones. */
static void copy_claiming(const struct drxi_plan *p, uint8_t *dst, const uint8_t *src, int64_t first, int64_t last,
                          size_t bytes)
{
    const int64_t ahead = drxi_max(CLAIMED_BYTES / (int64_t)bytes, 1);
    const size_t begin = bytes < CLAIMED_BYTES ? bytes : CLAIMED_BYTES; /* of a row */

    for (int64_t i = first; i < last; i++) {
        uint8_t *to = dst + i * p->outer.dst;
        const uint8_t *from = src + i * p->outer.src;
        size_t left = bytes;

        for (; left > CLAIMED_BYTES; left -= CLAIMED_BYTES, to += CLAIMED_BYTES, from += CLAIMED_BYTES) {
            claim(to + CLAIMED_BYTES, left - CLAIMED_BYTES < CLAIMED_BYTES ? left - CLAIMED_BYTES : CLAIMED_BYTES);
            memcpy(to, from, CLAIMED_BYTES);
        }
        if (i + ahead < last)
            claim(dst + (i + ahead) * p->outer.dst, begin);
        memcpy(to, from, left);
    }
}

/* Copy a piece; fold slices of a long one while they are in the cache. */
static void stream_slices(const struct drxi_plan *p, struct stream *s, const uint8_t *src, size_t bytes)
{
    for (size_t i = 0, n; i < bytes; i += n) {
        n = bytes - i < SLICE_BYTES ? bytes - i : SLICE_BYTES;
        if (s->waiting == 0 && n % DRXI_LINE_BYTES == 0 &&
            drxi_fold_stream(p->fold, s->dst, src + i, (int64_t)n / DRXI_LINE_BYTES)) {
            s->dst += n;
            continue;
        }
        stream_piece(s, src + i, n);
        drxi_fold_run(p->fold, src + i, (int64_t)n);
    }
}

/* Copy short pieces of whole lines and fold each with the same loads; return how many pieces. */
static int64_t stream_folding(const struct drxi_plan *p, uint8_t *dst, const uint8_t *src, int64_t pieces, size_t bytes)
{
    int64_t i;

    if (!p->fold || bytes >= SLICE_BYTES || ((uintptr_t)dst | bytes) % DRXI_LINE_BYTES != 0)
        return 0;
    for (i = 0; i < pieces; i++, dst += bytes, src += p->outer.src) {
        prefetch_row(src + AHEAD * bytes, bytes); /* usually the next rows of this chunk */
        if (!drxi_fold_stream(p->fold, dst, src, (int64_t)bytes / DRXI_LINE_BYTES))
            break;
    }
    return i;
}

static void stream_pieces(const struct drxi_plan *p, uint8_t *dst, const uint8_t *src, int64_t pieces, size_t bytes)
{
    const int64_t done = stream_folding(p, dst, src, pieces, bytes);
    const bool alone = p->fold && (pieces == 1 || bytes >= SLICE_BYTES || done > 0);
    struct stream s;

    dst += done * (int64_t)bytes;
    s.kernels = p->kernels;
    s.before = s.waiting = (uintptr_t)dst % DRXI_LINE_BYTES;
    s.dst = dst - s.before;
    for (int64_t i = done; i < pieces; i++)
        if (alone)
            stream_slices(p, &s, src + i * p->outer.src, bytes);
        else
            stream_piece(&s, src + i * p->outer.src, bytes);
    if (s.waiting > s.before)
        put_broken_line(&s);
    if (p->fold && !alone)
        drxi_fold_rows(p->fold, src, p->outer.src, pieces, (int64_t)bytes);
}

void drxi_copy_rows(const struct drxi_plan *p, uint8_t *dst, const uint8_t *src, int64_t first, int64_t last)
{
    const size_t bytes = (size_t)p->inner.count * p->item;

    if (p->stream) {
        stream_pieces(p, dst + first * p->outer.dst, src + first * p->outer.src, last - first, bytes);
        return;
    }
    if (bytes <= DRXI_SHORT_BYTES)
        p->kernels->rows(last - first, bytes, dst + first * p->outer.dst, p->outer.dst, src + first * p->outer.src,
                         p->outer.src);
    else if (claims(bytes, last - first))
        copy_claiming(p, dst, src, first, last, bytes);
    else
        for (int64_t i = first; i < last; i++)
            memcpy(dst + i * p->outer.dst, src + i * p->outer.src, bytes);
    if (p->fold)
        drxi_fold_rows(p->fold, src + first * p->outer.src, p->outer.src, last - first, (int64_t)bytes);
}
