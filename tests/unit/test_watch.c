/* Readers beside a writer that trims: they get what they had, or DRX_ERANGE, and never other elements. */
#include "watched.h"

/* After this many gets the reader's view of the log is a mapping, and its elements are not in doubt. */
enum { SETTLED = DRXI_DOUBT + 20 };

TEST(a_trimmed_box_is_refused)
{
    drx_array *r = watch(10);
    int32_t all[7 * 4];

    expect(r, 0, 0, *cell(&now, 0, 0));
    trim(0, 4, 0);
    expect_trimmed(r, 0, 0);
    expect_trimmed(r, 3, 3);
    assert_status(drx_read(r, (int64_t[]){ 3, 0 }, (int64_t[]){ 7, 4 }, DRX_ROW_MAJOR, all), DRX_ERANGE);
    assert_detail("watched: axis 0: indices 3 to 9 were asked for, and 4 to 9 are left by a trim");
    expect(r, 4, 0, *cell(&now, 4, 0));
    assert_ok(drx_refresh(r));
    assert_int_equal(drx_lower(r)[0], 4);
    expect(r, 4, 0, *cell(&now, 4, 0));
    assert_status(drx_get(r, (int64_t[]){ 3, 0 }, all), DRX_ERANGE);
    assert_detail("the bounds are 4 and 10");
    end_watch(r);
}

/* An append that is taken back leaves its place in the log to the next record. */
struct giving {
    drx_array *reader;
    int64_t rows;
};

static drx_status give_up(void *with, int64_t done, int64_t *n, const void **buf)
{
    static const int32_t row[SIDE];
    const struct giving *g = with;

    expect(g->reader, 1, 1, *cell(&now, 1, 1));
    *n = 1;
    *buf = row;
    return done < g->rows ? DRX_OK : DRX_EINTERRUPTED;
}

TEST(an_append_that_is_taken_back)
{
    struct giving g = { .reader = watch(6), .rows = 2 };

    assert_status(drx_append_pieces(writer, 0, 4, DRX_ROW_MAJOR, give_up, &g), DRX_EINTERRUPTED);
    expect(g.reader, 1, 1, *cell(&now, 1, 1));
    trim(0, 2, 0);
    expect_trimmed(g.reader, 1, 1);
    g.rows = 4;
    append(0, 1, false);
    expect(g.reader, 5, 1, *cell(&now, 5, 1));
    end_watch(g.reader);
}

/* A get that needs no look has seen the log end in an INTENT, and does not take it for quiet. */
TEST(trims_after_an_append_that_was_seen_begun)
{
    struct giving g = { .reader = watch(6), .rows = 4 };

    for (int i = 0; i < SETTLED; i++)
        expect(g.reader, 1, 1, *cell(&now, 1, 1));
    assert_ok(drx_append_pieces(writer, 0, 2, DRX_ROW_MAJOR, give_up, &g));
    trim(0, 2, 0);
    expect_trimmed(g.reader, 1, 1);
    end_watch(g.reader);
}

/* The log is followed to its successor, which ends in an INTENT then: that is looked at again, too. */
TEST(trims_after_an_append_that_was_given_up_in_a_shorter_log)
{
    struct giving g = { .rows = 0 };

    create(0);
    for (int i = 0; i < 8; i++)
        append(i % 2, 1, false);
    append(0, 4, false);
    g.reader = open_reader();
    expect(g.reader, 1, 1, *cell(&now, 1, 1));
    for (int i = 0; i < 20; i++)
        assert_ok(drx_attr_set(writer, "n", DRX_INT32, 1, &i));
    assert_ok(drx_compact(writer));
    assert_status(drx_append_pieces(writer, 0, 4, DRX_ROW_MAJOR, give_up, &g), DRX_EINTERRUPTED);
    expect(g.reader, 1, 1, *cell(&now, 1, 1));
    append(0, 2, false);
    trim(0, 2, 0);
    expect_trimmed(g.reader, 1, 1);
    end_watch(g.reader);
}

TEST(a_log_that_is_replaced)
{
    drx_array *early, *late, *plain;

    create_rows(6);
    assert_ok(drx_sync(writer));
    plain = open_reader();
    assert_ok(drx_compact(writer));
    assert_ok(drx_compact(writer));
    expect(plain, 0, 0, *cell(&now, 0, 0)); /* nothing was ever trimmed */
    early = open_reader();
    late = open_reader();
    trim(1, 1, 0);
    assert_ok(drx_compact(writer));
    expect_trimmed(early, 0, 0);
    trim(0, 1, 0);
    expect_trimmed(early, 0, 1);
    expect_trimmed(plain, 0, 1);
    expect(early, 1, 1, *cell(&now, 1, 1));
    assert_ok(drx_compact(writer));
    expect_trimmed(early, 0, 1);
    expect(early, 1, 1, *cell(&now, 1, 1));
    expect_trimmed(late, 5, 3); /* it missed a whole log */
    assert_detail("nobody can tell where");
    assert_ok(drx_refresh(late));
    expect(late, 5, 3, *cell(&now, 5, 3));
    assert_ok(drx_close(early));
    assert_ok(drx_close(late));
    assert_ok(drx_close(plain));
    assert_ok(drx_close(writer));
}

TEST(new_axes)
{
    drx_array *r = watch(5);

    assert_ok(drx_add_axis(writer, 0, "run"));
    expect(r, 4, 3, *cell(&now, 4, 3));
    assert_ok(drx_trim(writer, 1, 2, 0)); /* axis 0 of the reader */
    assert_ok(drx_sync(writer));
    expect_trimmed(r, 1, 0);
    expect(r, 2, 0, *cell(&now, 2, 0));
    assert_ok(drx_extend(writer, 0, 2));
    expect(r, 2, 0, *cell(&now, 2, 0));
    assert_status(drx_refresh(r), DRX_EMISMATCH);
    assert_ok(drx_trim(writer, 0, 1, 0)); /* its only run */
    assert_ok(drx_sync(writer));
    expect_trimmed(r, 2, 0);
    end_watch(r);
}

/* The log that tells of the axis is gone, and nothing was trimmed before. */
TEST(a_new_axis_in_a_log_that_was_missed)
{
    drx_array *r;

    create_rows(6);
    assert_ok(drx_sync(writer));
    r = open_reader();
    assert_ok(drx_compact(writer));
    assert_ok(drx_add_axis(writer, 0, "run"));
    assert_ok(drx_compact(writer));
    assert_ok(drx_extend(writer, 0, 3));
    assert_ok(drx_compact(writer));
    (void)drx_get(r, (int64_t[]){ 0, 0 }, &(int32_t){ 0 });
    assert_ok(drx_trim(writer, 1, 2, 0)); /* what was axis 0 */
    assert_ok(drx_sync(writer));
    expect_trimmed(r, 0, 3);
    end_watch(r);
}

/* A handle whose refresh, or change, is refused knows what it knew before, however far its log could be read. */
static void expect_first(drx_array *a, int64_t rows)
{
    assert_int_equal(drx_ndim(a), 2);
    assert_int_equal(drx_attr_count(a), 0);
    assert_null(drx_dim_name(a, 0));
    for (int j = 0; j < 2; j++) {
        assert_int_equal(drx_lower(a)[j], 0);
        assert_int_equal(drx_shape(a)[j], j == 0 ? rows : 4);
    }
}

TEST(a_refused_refresh_changes_nothing)
{
    drx_array *r = watch(5);

    append(1, 3, false);
    append(0, 2, true);
    trim(0, 3, 0);
    append(0, 4, false);
    assert_ok(drx_attr_set_text(writer, "who", "writer"));
    assert_ok(drx_dim_rename(writer, 0, "t"));
    assert_ok(drx_add_axis(writer, 0, NULL));
    for (int i = 0; i < 2; i++) {
        assert_status(drx_refresh(r), DRX_EMISMATCH);
        assert_detail("one more axis");
        expect_first(r, 5);
        expect(r, 1, 3, *cell(&now, 1, 3));
        expect_trimmed(r, 0, 3);
        assert_status(drx_get(r, (int64_t[]){ 1, 4 }, &(int32_t){ 0 }), DRX_ERANGE);
    }
    end_watch(r);
}

TEST(a_refresh_of_a_damaged_log_changes_nothing)
{
    drx_array *r = watch(5);
    FILE *f;

    assert_ok(drx_attr_set_text(writer, "who", "writer"));
    append(0, 2, false);
    assert_ok(drx_dim_rename(writer, 0, "t"));
    f = fopen("watched.xmd", "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, -8, SEEK_END), 0);
    assert_int_not_equal(fputc(0x55, f), EOF);
    assert_int_equal(fclose(f), 0);
    assert_ok(drx_extend(writer, 0, 1));
    assert_ok(drx_sync(writer));
    assert_status(drx_refresh(r), DRX_EDAMAGED);
    expect_first(r, 5);
    expect(r, 4, 3, *cell(&now, 4, 3));
    end_watch(r);
}

TEST(a_refused_change_of_a_shared_array_changes_nothing)
{
    drx_array *a, *b;

    create_rows(5);
    share(&a, &b);
    assert_ok(drx_extend(a, 0, 4));
    assert_ok(drx_attr_set_text(a, "who", "a"));
    assert_ok(drx_add_axis(a, 1, "run"));
    assert_status(drx_extend(b, 0, 1), DRX_EMISMATCH);
    expect_first(b, 5);
    assert_status(drx_refresh(b), DRX_EMISMATCH);
    expect_first(b, 5);
    expect(b, 4, 3, *cell(&now, 4, 3));
    assert_ok(drx_close(a));
    assert_ok(drx_close(b));
}

TEST(writers_that_share)
{
    drx_array *a, *b;
    int32_t value = 7;

    create_rows(5);
    share(&a, &b);
    assert_ok(drx_put(b, (int64_t[]){ 4, 0 }, &value));
    assert_ok(drx_trim(a, 0, 0, 1));
    assert_ok(drx_sync(a));
    expect_trimmed(b, 4, 0);
    assert_status(drx_put(b, (int64_t[]){ 4, 0 }, &value), DRX_ERANGE);
    assert_status(drx_write(b, (int64_t[]){ 4, 0 }, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &value), DRX_ERANGE);
    assert_ok(drx_extend(b, 0, 1)); /* which sees the trim, and puts the fill back */
    expect(b, 4, 0, FILL);
    assert_ok(drx_refresh(a));
    expect(a, 4, 0, FILL);
    assert_ok(drx_close(a));
    assert_ok(drx_close(b));
}

static int trim_once(void *user, int64_t done, int64_t total)
{
    bool *trimmed = user;

    (void)done, (void)total;
    if (!*trimmed) {
        trim(0, 4, 0);
    }
    *trimmed = true;
    return 0;
}

TEST(a_copy_of_the_files)
{
    bool trimmed = false;

    create_rows(10);
    assert_status(drx_duplicate("watched", "copied", 0, trim_once, &trimmed), DRX_ERANGE);
    assert_ok(drx_duplicate("watched", "copied", 0, NULL, NULL));
    assert_ok(drx_close(writer));
}

/* ---- random histories ----------------------------------------------------- */

enum { READERS = 3 };

struct reader {
    drx_array *a;
    struct model knew;
    int64_t kept[2][2]; /* lower and upper of what was not trimmed since */
    int64_t told[2][2]; /* the same when space was last given back */
    int compacted;      /* since it looked last */
    bool lost;
};

static struct reader readers[READERS];

static void close_any(drx_array *a)
{
    if (a)
        drxi_set_parallel(a, false);
    assert_ok(drx_close(a));
}

static void reopen(struct reader *r, bool settled)
{
    close_any(r->a);
    r->a = r == readers ? open_other_rank() : open_reader();
    assert_memory_equal(drx_lower(r->a), now.lower, sizeof now.lower);
    r->knew = now;
    memcpy(r->kept[0], now.lower, sizeof now.lower);
    memcpy(r->kept[1], now.upper, sizeof now.upper);
    memcpy(r->told, r->kept, sizeof r->told);
    r->compacted = 0;
    r->lost = false;
    for (int i = 0; i < SETTLED && settled && now.lower[0] < now.upper[0] && now.lower[1] < now.upper[1]; i++)
        expect(r->a, now.lower[0], now.lower[1], *cell(&now, now.lower[0], now.lower[1]));
}

static void tell(void)
{
    for (int k = 0; k < READERS; k++)
        memcpy(readers[k].told, readers[k].kept, sizeof readers[k].told);
}

static void random_change(uint64_t *seed)
{
    const int axis = (int)random_below(seed, 2);
    const int64_t extent = now.upper[axis] - now.lower[axis];
    const int64_t before = random_below(seed, extent < 2 ? extent + 1 : 3), what = random_below(seed, 10);
    const int64_t after = random_below(seed, extent - before < 2 ? extent - before + 1 : 3);

    if (what < 5 && extent < MOST && now.lower[axis] > -MIDDLE + 3 && now.upper[axis] < MIDDLE - 3) {
        append(axis, 1 + random_below(seed, 3), random_below(seed, 2));
    } else if (what < 8) {
        trim_alone(axis, before, after);
        for (int k = 0; k < READERS; k++) {
            if (now.lower[axis] > readers[k].kept[0][axis])
                readers[k].kept[0][axis] = now.lower[axis];
            if (now.upper[axis] < readers[k].kept[1][axis])
                readers[k].kept[1][axis] = now.upper[axis];
        }
    } else if (what == 8) {
        assert_ok(drx_sync(writer));
        tell();
    } else {
        assert_ok(drx_compact(writer));
        tell();
        for (int k = 0; k < READERS; k++)
            readers[k].lost = readers[k].lost || ++readers[k].compacted > 1;
    }
}

static bool is_inside(int64_t kept[2][2], const int64_t lo[], const int64_t count[])
{
    bool inside = true;

    for (int j = 0; j < 2; j++)
        inside = inside && lo[j] >= kept[0][j] && lo[j] + count[j] <= kept[1][j];
    return inside;
}

/* What a read gives: right elements, or a refusal where one was trimmed. Before space is given back, or cells are used
 * again, both will do. */
static void check_read(struct reader *r, uint64_t *seed)
{
    int64_t lo[2], count[2], at[2] = { 0 };
    int32_t got[SIDE * SIDE];
    const bool one = random_below(seed, 2);
    int n = 0;
    drx_status st;

    for (int j = 0; j < 2; j++) {
        const int64_t extent = r->knew.upper[j] - r->knew.lower[j];

        if (extent == 0)
            return;
        lo[j] = r->knew.lower[j] + random_below(seed, extent);
        count[j] = one ? 1 : 1 + random_below(seed, r->knew.upper[j] - lo[j]);
    }
    if (count[0] == 1 && count[1] == 1)
        st = drx_get(r->a, lo, got);
    else
        st = drx_read(r->a, lo, count, DRX_ROW_MAJOR, got);
    if (!is_inside(r->told, lo, count) || (st && (r->lost || !is_inside(r->kept, lo, count)))) {
        assert_int_equal(st, DRX_ERANGE);
    } else {
        assert_ok(st);
        do
            assert_int_equal(got[n++], *cell(&r->knew, lo[0] + at[0], lo[1] + at[1]));
        while (next_index(2, count, at));
    }
    r->compacted = 0;
}

static void history(uint64_t *seed)
{
    create(random_below(seed, 2) ? DRX_CHECKSUM : 0);
    append(0, 1 + random_below(seed, 6), false);
    for (int k = 0; k < READERS; k++)
        reopen(&readers[k], random_below(seed, 2));
    for (int step = 0; step < 60; step++) {
        struct reader *r = &readers[random_below(seed, READERS)];

        random_change(seed);
        if (random_below(seed, 3) == 0)
            check_read(r, seed);
        if (random_below(seed, 8) == 0)
            reopen(r, random_below(seed, 2));
    }
    for (int k = 0; k < READERS; k++) {
        close_any(readers[k].a);
        readers[k].a = NULL;
    }
    assert_ok(drx_close(writer));
}

TEST(histories)
{
    uint64_t seed = starting_seed(0);

    for (int i = 0; i < 60; i++)
        history(&seed);
}
