#include "copy/fold.h"

enum { BATCH_LINES = 16 }; /* enough for a call, and still in the cache */

bool drxi_fold_pays(int64_t strand_bytes)
{
    return drxi_kernels()->fold && strand_bytes >= BATCH_LINES * DRXI_LINE_BYTES;
}

void drxi_fold_start(struct drxi_fold *f)
{
    struct drxi_strand *s = f->strand;

    f->kernels = drxi_kernels();
    f->last = 0;
    f->step = f->strands;
    for (int64_t chunk = 0; chunk < f->chunks; chunk++)
        for (int64_t i = 0; i < f->strands; i++, s++) {
            memset(s->folded, 0, DRXI_LINE_BYTES);
            s->next = s->seen = f->src[chunk] + i * f->strand_bytes;
            s->end = s->next + f->strand_bytes;
        }
}

/* The number of the strand of src. */
static int64_t look_for(const struct drxi_fold *f, const uint8_t *src)
{
    const uintptr_t at = (uintptr_t)src, bytes = (uintptr_t)(f->strands * f->strand_bytes);
    int64_t chunk = 0;

    while (chunk + 1 < f->chunks && at - (uintptr_t)f->src[chunk] >= bytes)
        chunk++;
    return chunk * f->strands + (src - f->src[chunk]) / f->strand_bytes;
}

/* The strand of src. Usually it is as far from the last one as that was from the one before. */
static struct drxi_strand *find_strand(struct drxi_fold *f, const uint8_t *src)
{
    const int64_t guess = f->last + f->step;

    if (guess < 0 || guess >= f->chunks * f->strands || src < f->strand[guess].next || src >= f->strand[guess].end) {
        const int64_t at = look_for(f, src);

        f->step = at - f->last;
        f->last = at;
    } else {
        f->last = guess;
    }
    return &f->strand[f->last];
}

/* Fold the same number of lines of each strand. */
static void fold(const struct drxi_fold *f, int n, struct drxi_strand *const s[], int64_t lines)
{
    uint8_t *folded[DRXI_FOLDED];
    const uint8_t *src[DRXI_FOLDED];

    if (n == 0 || lines <= 0)
        return;
    for (int k = 0; k < n; k++) {
        folded[k] = s[k]->folded;
        src[k] = s[k]->next;
        s[k]->next += lines * DRXI_LINE_BYTES;
    }
    f->kernels->fold(n, folded, src, lines, f->past_line);
}

/* The bytes of the strand before `end` that are not folded yet. */
static int64_t lines_to(const struct drxi_strand *s, const uint8_t *end)
{
    return ((end < s->end ? end : s->end) - s->next) / DRXI_LINE_BYTES;
}

bool drxi_fold_stream(struct drxi_fold *f, uint8_t *dst, const uint8_t *src, int64_t lines)
{
    struct drxi_strand *s = find_strand(f, src);

    if (s->next != src || lines > lines_to(s, s->end))
        return false;
    f->kernels->stream_folding(dst, src, lines, s->folded, f->past_line);
    s->seen = s->next += lines * DRXI_LINE_BYTES;
    return true;
}

void drxi_fold_run(struct drxi_fold *f, const uint8_t *src, int64_t n)
{
    const uint8_t *const end = src + n;

    for (; src < end; src = f->strand[f->last].end) {
        struct drxi_strand *s = find_strand(f, src);

        if (src > s->seen)
            continue;
        s->seen = end < s->end ? end : s->end;
        s->together = 1;
        fold(f, 1, &s, lines_to(s, end));
    }
}

/* Begin a call of `count` strands, this many bytes after what the first of them has folded. */
static void remember(struct drxi_strand *first, int64_t behind, int64_t step, int64_t count)
{
    if (behind <= 0)
        first->together = count;
    else if (step != first->step)
        first->together = 1;
    else
        first->together = drxi_min(first->together, count);
    first->step = step;
}

void drxi_fold_rows(struct drxi_fold *f, const uint8_t *src, int64_t step, int64_t count, int64_t n)
{
    struct drxi_strand *s[DRXI_FOLDED] = { find_strand(f, src) };
    const int64_t behind = src - s[0]->next;
    const int64_t lines = lines_to(s[0], src + n);
    int ready = 0;

    if (count > 1 && src + step >= s[0]->next && src + step < s[0]->end) { /* of the same strand */
        for (int64_t i = 0; i < count; i++)
            drxi_fold_run(f, src + i * step, n);
        return;
    }
    if (src > s[0]->seen)
        return;
    s[0]->seen = src + n;
    remember(s[0], behind, step, count);
    if (lines < BATCH_LINES && src + n < s[0]->end)
        return;
    count = s[0]->together;
    for (int64_t i = 0; i < count; i++, src += step) {
        struct drxi_strand *next = i == 0 ? s[0] : find_strand(f, src);

        if (src - next->next != behind) /* the bytes do not continue this strand as they continue the first */
            continue;
        next->seen = src + n;
        s[ready++] = next;
        if (ready == DRXI_FOLDED) {
            fold(f, ready, s, lines);
            ready = 0;
        }
    }
    fold(f, ready, s, lines);
}

void drxi_fold_end(struct drxi_fold *f, int64_t chunk, uint8_t folded[DRXI_LINE_BYTES])
{
    memset(folded, 0, DRXI_LINE_BYTES);
    for (int64_t i = chunk * f->strands; i < (chunk + 1) * f->strands; i++) {
        struct drxi_strand *s = &f->strand[i];
        const uint8_t *const of_strand = s->folded;

        fold(f, 1, &s, lines_to(s, s->end));
        f->kernels->fold(1, &folded, &of_strand, 1, f->past_strand);
    }
}
