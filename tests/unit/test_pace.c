/* Which boxes a program that keeps its pace is expected to read next: rows of boxes, rows of rows, cut at the bounds,
 * in both directions, against loops that are written out. */
#include "box/ahead/pace.h"
#include "testing.h"

enum { MOST = 4000 };

struct history {
    int ndim;
    int64_t n, lo[MOST][3], count[MOST][3];
};

static const int64_t lower[3] = { 0, 0, 0 };

/* All boxes of that shape, each axis forwards or backwards by its step, the last axis fastest. */
static void loop(struct history *h, int ndim, const int64_t upper[], const int64_t count[], const int64_t by[])
{
    int64_t from[3] = { 0 }, at[3];

    h->ndim = ndim;
    h->n = 0;
    for (int j = 0; j < ndim; j++)
        at[j] = from[j] = by[j] > 0 ? 0 : (upper[j] - 1) / -by[j] * -by[j];
    for (int j = 0; j >= 0;) {
        assert_true(h->n < MOST);
        for (int k = 0; k < ndim; k++) {
            h->lo[h->n][k] = at[k];
            h->count[h->n][k] = drxi_min(count[k], upper[k] - at[k]);
        }
        h->n++;
        for (j = ndim - 1; j >= 0; j--) {
            at[j] += by[j];
            if (at[j] >= 0 && at[j] < upper[j])
                break;
            at[j] = from[j];
        }
    }
}

/* How many boxes were expected; each of those is the one that was foretold. */
static int64_t follow(const struct history *h, const int64_t upper[])
{
    struct drxi_pace p = { .begun = false };
    int64_t right = 0;

    for (int64_t i = 0; i < h->n; i++) {
        struct drxi_pace ahead = p;
        const bool foretold = i > 0 && drxi_pace_go_on(&ahead, lower, upper);
        const bool same = foretold && memcmp(ahead.lo, h->lo[i], sizeof *ahead.lo * (size_t)h->ndim) == 0;
        const bool expected = drxi_pace_note(&p, h->ndim, upper, h->lo[i], h->count[i]);
        int64_t count[3];

        assert_int_equal(expected, same);
        if (!expected)
            continue;
        drxi_pace_count(&ahead, upper, count);
        assert_memory_equal(count, h->count[i], sizeof *count * (size_t)h->ndim);
        assert_int_equal(ahead.steps, p.steps);
        right++;
    }
    return right;
}

static struct history walked;

TEST(a_row)
{
    for (int64_t by = 1; by < 5; by++)
        for (int back = 0; back < 2; back++) {
            const int64_t upper[3] = { 50, 7, 7 }, count[3] = { 3, 7, 7 };

            loop(&walked, 3, upper, count, (const int64_t[]){ back ? -by : by, 7, 7 });
            assert_true(follow(&walked, upper) >=
                        walked.n - 5); /* all but three, and up to two before them that the bounds cut */
        }
}

/* A turn is known once it was seen; so two rows are learnt from, and the rest is foretold. */
TEST(rows_of_rows)
{
    static const int64_t upper[3] = { 40, 33, 5 }, count[3] = { 4, 4, 5 }; /* the last box of a row is cut */

    loop(&walked, 3, upper, count, (const int64_t[]){ 4, 4, 5 });
    assert_int_equal(follow(&walked, upper), walked.n - 3 - 1);
}

/* A third axis: each of its turns, and the one after it, is a surprise. */
TEST(three_axes)
{
    static const int64_t upper[3] = { 24, 24, 24 }, count[3] = { 4, 4, 4 };

    loop(&walked, 3, upper, count, (const int64_t[]){ 4, 4, 4 });
    assert_int_equal(walked.n, 216);
    assert_int_equal(follow(&walked, upper), 216 - 3 - 1 - 2 * 5);
}

/* Boxes at random are not foretold, and a walk is found again after them. */
TEST(at_random)
{
    static const int64_t upper[3] = { 1000, 1000, 1000 };
    uint64_t seed = 3;
    int64_t right;

    walked.ndim = 3;
    walked.n = 600;
    for (int64_t i = 0; i < walked.n; i++)
        for (int j = 0; j < 3; j++) {
            walked.lo[i][j] = i >= 500 ? (i - 500) * (j + 1) * 3 : random_below(&seed, 990);
            walked.count[i][j] = 8;
        }
    right = follow(&walked, upper);
    assert_in_range(right, 96, 98);
}

/* Other shapes, no step at all, and indices at the ends of 64 bits. */
TEST(what_is_no_pace)
{
    static const int64_t upper[1] = { INT64_MAX };
    struct drxi_pace p = { .begun = false };

    for (int64_t i = 0; i < 9; i++)
        assert_false(drxi_pace_note(&p, 1, upper, (const int64_t[]){ 10 * i }, (const int64_t[]){ i + 1 }));
    for (int64_t i = 0; i < 9; i++)
        assert_false(drxi_pace_note(&p, 1, upper, (const int64_t[]){ 10 }, (const int64_t[]){ 3 }));
    for (int64_t i = 0; i < 3; i++)
        assert_false(
            drxi_pace_note(&p, 1, upper, (const int64_t[]){ i * (INT64_MAX / 2 - 5) }, (const int64_t[]){ 3 }));
    assert_false(drxi_pace_go_on(&p, lower, upper));
}
