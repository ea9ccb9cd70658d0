/* Runs that are contiguous on both sides, piece by piece. Past the cache only
 * whole lines go, so a line that two pieces share is put together first. */
#include "copy/plan.h"

enum { AHEAD = 4, SHORT_BYTES = 2048 };

/* A run being streamed: the line at `dst` waits until it is full. */
struct stream {
    const struct drxi_kernels *kernels;
    uint8_t *dst;           /* at a line's border */
    size_t before, waiting; /* bytes of the line: not of the run, and there up to */
    _Alignas(DRXI_LINE_BYTES) uint8_t line[DRXI_LINE_BYTES];
};

/* What waits, which is not a whole line of the run. */
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

/* Bring a short row, to which no processor looks ahead, nearer: to be read, or to be written. */
static inline void fetch(const uint8_t *row, size_t bytes)
{
    if (bytes <= SHORT_BYTES)
        for (size_t i = 0; i < bytes; i += DRXI_LINE_BYTES)
            __builtin_prefetch(row + i);
}

static inline void fetch_to_write(uint8_t *row, size_t bytes)
{
    if (bytes <= SHORT_BYTES)
        for (size_t i = 0; i < bytes; i += DRXI_LINE_BYTES)
            __builtin_prefetch(row + i, 1);
}

/* Rows one after the other, `bytes` a constant: then no call is made for each. */
static inline void copy_pieces(const struct drxi_plan *p, uint8_t *dst, const uint8_t *src, int64_t first, int64_t last,
                               size_t bytes)
{
    const bool apart = p->outer.dst != (int64_t)bytes;

    for (int64_t i = first; i < last; i++) {
        if (i + AHEAD < last) {
            fetch(src + (i + AHEAD) * p->outer.src, bytes);
            if (apart)
                fetch_to_write(dst + (i + AHEAD) * p->outer.dst, bytes);
        }
        memcpy(dst + i * p->outer.dst, src + i * p->outer.src, bytes);
    }
}

void drxi_copy_rows(const struct drxi_plan *p, uint8_t *dst, const uint8_t *src, int64_t first, int64_t last)
{
    const size_t bytes = (size_t)p->inner.count * p->item;
    struct stream s;

    if (!p->stream) {
        if (bytes == 32)
            copy_pieces(p, dst, src, first, last, 32);
        else if (bytes == 64)
            copy_pieces(p, dst, src, first, last, 64);
        else if (bytes == 128)
            copy_pieces(p, dst, src, first, last, 128);
        else
            copy_pieces(p, dst, src, first, last, bytes);
        return;
    }
    dst += first * p->outer.dst;
    s.kernels = p->kernels;
    s.before = s.waiting = (uintptr_t)dst % DRXI_LINE_BYTES;
    s.dst = dst - s.before;
    for (int64_t i = first; i < last; i++)
        stream_piece(&s, src + i * p->outer.src, bytes);
    if (s.waiting > s.before)
        put_broken_line(&s);
}
