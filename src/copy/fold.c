#include "copy/fold.h"

enum { BATCH_LINES = 16 }; /* worth a call, and yet at hand */

bool drxi_fold_pays(void)
{
    return drxi_kernels()->fold != NULL;
}

static const uint8_t *begin_of(const struct drxi_fold *f, int64_t i)
{
    return f->src + i / f->strands * f->pitch + i % f->strands * f->strand_bytes;
}

void drxi_fold_start(struct drxi_fold *f)
{
    f->kernels = drxi_kernels();
    f->last = 0;
    f->step = f->strands;
    for (int64_t i = 0; i < f->chunks * f->strands; i++) {
        memset(f->strand[i].folded, 0, DRXI_LINE_BYTES);
        f->strand[i].next = begin_of(f, i);
        f->strand[i].end = f->strand[i].next + f->strand_bytes;
    }
}

/* The strand of src, most often as far from the last one as that was from the one before. */
struct drxi_strand *drxi_fold_find(struct drxi_fold *f, const uint8_t *src)
{
    const int64_t guess = f->last + f->step;

    if (guess < 0 || guess >= f->chunks * f->strands || src < f->strand[guess].next || src >= f->strand[guess].end) {
        const int64_t offset = src - f->src;
        const int64_t at = offset / f->pitch * f->strands + offset % f->pitch / f->strand_bytes;

        f->step = at - f->last;
        f->last = at;
    } else {
        f->last = guess;
    }
    return &f->strand[f->last];
}

/* The same number of lines of each. */
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

/* Those of the strand that are not folded and before `end`. */
static int64_t lines_to(const struct drxi_strand *s, const uint8_t *end)
{
    return ((end < s->end ? end : s->end) - s->next) / DRXI_LINE_BYTES;
}

void drxi_fold_run(struct drxi_fold *f, const uint8_t *src, int64_t n)
{
    const uint8_t *const end = src + n;

    while (src < end) {
        struct drxi_strand *s = drxi_fold_find(f, src);

        fold(f, 1, &s, lines_to(s, end));
        src = s->end;
    }
}

void drxi_fold_rows(struct drxi_fold *f, const uint8_t *src, int64_t step, int64_t count, int64_t n)
{
    struct drxi_strand *s[DRXI_FOLDED] = { drxi_fold_find(f, src) };
    int64_t lines = lines_to(s[0], src + n);
    int ready = 0;

    if (lines < BATCH_LINES && src + n < s[0]->end)
        return;
    for (int64_t i = 0; i < count; i++, src += step) {
        struct drxi_strand *next = i == 0 ? s[0] : drxi_fold_find(f, src);

        if (ready == DRXI_FOLDED || (ready > 0 && s[ready - 1] == next) || lines_to(next, src + n) != lines) {
            fold(f, ready, s, lines);
            lines = lines_to(next, src + n);
            ready = 0;
        }
        s[ready++] = next;
    }
    fold(f, ready, s, lines);
}

void drxi_fold_end(const struct drxi_fold *f, int64_t chunk, uint8_t folded[DRXI_LINE_BYTES])
{
    memset(folded, 0, DRXI_LINE_BYTES);
    for (int64_t i = chunk * f->strands; i < (chunk + 1) * f->strands; i++) {
        struct drxi_strand *s = &f->strand[i];
        const uint8_t *const of_strand = s->folded;

        fold(f, 1, &s, lines_to(s, s->end));
        f->kernels->fold(1, &folded, &of_strand, 1, f->past_strand);
    }
}
