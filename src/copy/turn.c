/* Transposition: src is contiguous along one axis, dst along another. Kernels copy whole tiles and write whole lines of
 * dst; parts of tiles are padded. */
#include "copy/plan.h"

enum { MAX_ROWS = DRXI_LINE_BYTES, FOLDED_BYTES = 2048 };

/* A position in the run. */
struct place {
    int64_t outer, inner;
};

static const uint8_t *row_at(const struct drxi_plan *p, const uint8_t *src, struct place at)
{
    return src + at.outer * p->outer.src + at.inner * p->inner.src;
}

static void step_turn(const struct drxi_plan *p, struct place *at)
{
    if (++at->inner == p->inner.count) {
        at->inner = 0;
        at->outer++;
    }
}

/* Copy a part of a tile: n rows, the first `lines` items of each. */
static void turn_part(const struct drxi_plan *p, uint8_t *dst, const uint8_t *const rows[], int64_t n, int64_t lines)
{
    _Alignas(DRXI_LINE_BYTES) uint8_t in[MAX_ROWS * DRXI_LINE_BYTES], out[MAX_ROWS * DRXI_LINE_BYTES];
    const int64_t side = DRXI_LINE_BYTES / (int64_t)p->item;
    const uint8_t *padded[MAX_ROWS];

    if (n * lines < side) { /* too few for a tile */
        for (int64_t r = 0; r < n; r++)
            for (int64_t x = 0; x < lines; x++)
                memcpy(dst + x * p->turned.dst + r * (int64_t)p->item, rows[r] + x * (int64_t)p->item, p->item);
        return;
    }
    for (int64_t r = 0; r < side; r++) {
        padded[r] = in + (r < n ? r : 0) * DRXI_LINE_BYTES;
        if (r < n)
            memcpy(in + r * DRXI_LINE_BYTES, rows[r], (size_t)lines * p->item);
    }
    p->kernels->tile[p->kind](out, DRXI_LINE_BYTES, padded);
    for (int64_t x = 0; x < lines; x++)
        memcpy(dst + x * p->turned.dst, out + x * DRXI_LINE_BYTES, (size_t)n * p->item);
}

/* Copy elements first <= i < last of the run, n bytes of each row. */
static void fold_rows(const struct drxi_plan *p, const uint8_t *src, int64_t first, int64_t last, int64_t n)
{
    for (int64_t rows, i = first; i < last; i += rows) {
        const struct place at = { i / p->inner.count, i % p->inner.count };

        rows = drxi_min(p->inner.count - at.inner, last - i);
        drxi_fold_rows(p->fold, row_at(p, src, at), p->inner.src, rows, n);
    }
}

void drxi_copy_turned(const struct drxi_plan *p, uint8_t *dst, const uint8_t *src, int64_t first, int64_t last)
{
    const int64_t item = (int64_t)p->item, side = DRXI_LINE_BYTES / item;
    void (*const tile)(uint8_t *, int64_t, const uint8_t *const[]) =
        p->stream ? p->kernels->stream_tile[p->kind] : p->kernels->tile[p->kind];
    const uint8_t *row[DRXI_PIECE_ROWS + MAX_ROWS];
    struct place at = { first / p->inner.count, first % p->inner.count };
    int64_t folded = 0;

    for (int64_t i = 0; i < last - first; i++, step_turn(p, &at))
        row[i] = row_at(p, src, at);
    for (int64_t x = 0; x < p->turned.count; x += side) {
        const int64_t lines = drxi_min(side, p->turned.count - x);
        uint8_t *d = dst + x * p->turned.dst + first * item;
        int64_t n;

        for (int64_t i = first; i < last; i += n, d += n * item) {
            n = side - (p->stream ? (int64_t)((uintptr_t)d % DRXI_LINE_BYTES) / item : 0); /* up to a border of lines */
            n = drxi_min(n, last - i);
            if (n == side && lines == side)
                tile(d, p->turned.dst, row + (i - first));
            else
                turn_part(p, d, row + (i - first), n, lines);
        }
        for (int64_t i = 0; i < last - first; i++)
            row[i] += lines * item;
        if (p->fold && ((x + lines) * item - folded >= FOLDED_BYTES || x + lines == p->turned.count)) {
            fold_rows(p, src + folded, first, last, (x + lines) * item - folded);
            folded = (x + lines) * item;
        }
    }
}
