/* Sorting many 64-bit keys, in a time that grows with their number, and looking for one that repeats. Inline, so that
 * libdap, which stands alone, has them, too. */
#pragma once

#include "base/base.h"

enum { DRXI_DIGIT_BITS = 11, DRXI_DIGITS = 1 << DRXI_DIGIT_BITS, DRXI_FEW_KEYS = 48 };

struct drxi_keyed {
    int64_t key, value;
};

static inline void drxi_sort_few(struct drxi_keyed a[], int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const struct drxi_keyed one = a[i];
        int64_t j = i;

        for (; j > 0 && a[j - 1].key > one.key; j--)
            a[j] = a[j - 1];
        a[j] = one;
    }
}

/* Move all from `from` to `to`, in the order of one digit of key - least. */
static inline void drxi_sort_digit(const struct drxi_keyed from[], struct drxi_keyed to[], int64_t n, int64_t least,
                                   int shift)
{
    int64_t next[DRXI_DIGITS] = { 0 }, at = 0;

    for (int64_t i = 0; i < n; i++)
        next[((uint64_t)from[i].key - (uint64_t)least) >> shift & (DRXI_DIGITS - 1)]++;
    for (int d = 0; d < DRXI_DIGITS; d++) {
        const int64_t count = next[d];

        next[d] = at;
        at += count;
    }
    for (int64_t i = 0; i < n; i++)
        to[next[((uint64_t)from[i].key - (uint64_t)least) >> shift & (DRXI_DIGITS - 1)]++] = from[i];
}

/* Sort by key; equal keys keep their order. `spare` has room for n, too. The keys differ by digits from the lowest to
 * the highest; those that all have in common cost nothing. */
static inline void drxi_sort_keyed(struct drxi_keyed a[], struct drxi_keyed spare[], int64_t n)
{
    struct drxi_keyed *from = a, *to = spare;
    int64_t least = n > 0 ? a[0].key : 0, most = least;
    bool sorted = true;

    for (int64_t i = 1; i < n; i++) {
        sorted = sorted && a[i - 1].key <= a[i].key;
        least = drxi_min(least, a[i].key);
        most = drxi_max(most, a[i].key);
    }
    if (sorted)
        return;
    if (n <= DRXI_FEW_KEYS) {
        drxi_sort_few(a, n);
        return;
    }
    for (int shift = 0; shift < 64 && ((uint64_t)most - (uint64_t)least) >> shift != 0; shift += DRXI_DIGIT_BITS) {
        struct drxi_keyed *const other = from;

        drxi_sort_digit(from, to, n, least, shift);
        from = to;
        to = other;
    }
    if (from != a)
        memcpy(a, from, (size_t)n * sizeof *a);
}

/* A bit for each key from `least` to `most`. */
struct drxi_marks {
    uint64_t *bits;
    int64_t least, most;
};

/* How many words they need; -1: so many that it is better to sort n keys. */
static inline int64_t drxi_marks_words(int64_t least, int64_t most, int64_t n)
{
    const uint64_t span = (uint64_t)most - (uint64_t)least;

    return span / 64 / 4 > (uint64_t)n ? -1 : (int64_t)(span / 64) + 1;
}

/* Mark the keys; false when one was marked before. */
static inline bool drxi_mark_all(const struct drxi_marks *m, const int64_t keys[], int64_t n)
{
    uint64_t twice = 0;

    for (int64_t i = 0; i < n; i++) {
        const uint64_t at = (uint64_t)keys[i] - (uint64_t)m->least, bit = UINT64_C(1) << (at & 63);

        twice |= m->bits[at >> 6] & bit;
        m->bits[at >> 6] |= bit;
    }
    return twice == 0;
}
