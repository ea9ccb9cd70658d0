/* Dimensions that begin elsewhere, are trimmed, and are new: what is refused, and what readers see beside it. */
#include <sys/stat.h>
#include <unistd.h>

#include "dataset/dataset.h"
#include "testing.h"

enum { LATS = 4, BIG = 4096 };

/* Variables over t and lat, and over t; elements are 100 t + lat. Commit 1 shows t from `lower` on, 6 of them. */
static drx_dataset *make(const char *path, int64_t lower)
{
    static const char *const dims[] = { "t", "lat" };
    const int64_t shape[] = { 6, LATS }, low[] = { lower, 0 };
    drx_dataset *ds;

    assert_ok(drx_dataset_create(path, &ds));
    for (int i = 0; i < 2; i++)
        assert_ok(drx_dataset_add(ds, i ? "v" : "u",
                                  &(drx_spec){ .ndim = 2 - i,
                                               .type = DRX_INT32,
                                               .shape = shape,
                                               .lower = low,
                                               .chunk = (int64_t[]){ 2, 3 },
                                               .dims = dims },
                                  NULL));
    assert_ok(drx_dataset_commit(ds, "made"));
    return ds;
}

static drx_array *member(drx_dataset *ds, const char *name)
{
    drx_array *a;

    assert_ok(drx_dataset_array(ds, name, &a));
    return a;
}

/* Write the steps lo <= t < hi of both variables. */
static void fill(drx_dataset *ds, int64_t lo, int64_t hi)
{
    for (int64_t t = lo; t < hi; t++)
        for (int64_t lat = 0; lat < LATS; lat++) {
            const int32_t value = (int32_t)(100 * t + lat);

            assert_ok(drx_put(member(ds, "u"), (int64_t[]){ t, lat }, &value));
            if (lat == 0)
                assert_ok(drx_put(member(ds, "v"), &t, &value));
        }
}

/* Both variables have the steps lo <= t < hi, as fill wrote them. */
static void expect(drx_dataset *ds, int64_t lo, int64_t hi)
{
    int32_t *u = calloc((size_t)(hi - lo) * LATS, sizeof *u);
    int64_t bound;

    (void)drx_dataset_dim(ds, 0, &bound);
    assert_int_equal(drx_dataset_dim_lower(ds, 0), lo);
    assert_int_equal(bound, hi);
    assert_int_equal(drx_lower(member(ds, "v"))[0], lo);
    assert_int_equal(drx_shape(member(ds, "v"))[0], hi - lo);
    assert_ok(drx_read(member(ds, "u"), (int64_t[]){ lo, 0 }, (int64_t[]){ hi - lo, LATS }, DRX_ROW_MAJOR, u));
    for (int64_t t = lo; t < hi; t++)
        for (int64_t lat = 0; lat < LATS; lat++)
            assert_int_equal(u[(t - lo) * LATS + lat], 100 * t + lat);
    free(u);
}

static int32_t element(drx_array *u, int64_t t, int64_t lat)
{
    int32_t value = -1;

    assert_ok(drx_get(u, (int64_t[]){ t, lat }, &value));
    return value;
}

static drx_dataset *open_at(const char *path, int64_t at)
{
    drx_dataset *ds;

    assert_ok(drx_dataset_open(path, DRX_RDONLY, at, &ds));
    return ds;
}

TEST(a_variable_joins_a_dimension_that_begins_elsewhere)
{
    drx_dataset *ds = make("b", 1000000);
    static const char *const dims[] = { "t" };
    drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = (int64_t[]){ 6 }, .dims = dims };

    assert_status(drx_dataset_add(ds, "w", &spec, NULL), DRX_EMISMATCH);
    assert_non_null(strstr(drx_last_error(), "begins at 1000000"));
    spec.lower = (int64_t[]){ 1000000 };
    assert_ok(drx_dataset_add(ds, "w", &spec, NULL));
    assert_ok(drx_dataset_commit(ds, "w"));
    assert_ok(drx_dataset_close(ds));
    ds = open_at("b", DRX_LAST);
    assert_int_equal(drx_lower(member(ds, "w"))[0], 1000000);
    assert_ok(drx_dataset_close(ds));
}

/* What trims leave to the readers of each commit: tests/model. */
TEST(trims_that_are_refused)
{
    drx_dataset *ds = make("c", 0);

    fill(ds, 0, 6);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_status(drx_dataset_trim(ds, "t", -1, 0), DRX_EINVAL);
    assert_status(drx_dataset_trim(ds, "t", 4, 3), DRX_ERANGE);
    assert_status(drx_dataset_trim(ds, "z", 1, 0), DRX_ENOENT);
    assert_ok(drx_dataset_trim(ds, "t", 3, 1));
    assert_status(drx_dataset_trim(ds, "t", 3, 0), DRX_ERANGE);
    assert_status(drx_dataset_extend_before(ds, "t", 1), DRX_EINVAL);
    assert_status(drx_dataset_extend(ds, "t", 1), DRX_EINVAL);
    expect(ds, 0, 6);
    assert_ok(drx_dataset_abort(ds));
    expect(ds, 0, 6);
    assert_ok(drx_dataset_close(ds));
}

/* Append one, trim one: what the files take stays the same. */
TEST(a_rolling_archive_takes_no_more_room)
{
    static const char *const dims[] = { "t", "x" };
    int32_t *step = calloc(BIG, sizeof *step);
    struct stat first, last;
    drx_array *a;
    drx_dataset *ds;

    assert_ok(drx_dataset_create("e", &ds));
    assert_ok(drx_dataset_add(ds, "u",
                              &(drx_spec){ .ndim = 2,
                                           .type = DRX_INT32,
                                           .shape = (int64_t[]){ 4, BIG },
                                           .chunk = (int64_t[]){ 1, BIG },
                                           .dims = dims },
                              &a));
    assert_ok(drx_dataset_commit(ds, "made"));
    for (int32_t t = 4; t < 60; t++) {
        for (int i = 0; i < BIG; i++)
            step[i] = t;
        assert_ok(drx_dataset_extend(ds, "t", 1));
        assert_ok(drx_write(a, (int64_t[]){ t, 0 }, (int64_t[]){ 1, BIG }, DRX_ROW_MAJOR, step));
        assert_ok(drx_dataset_trim(ds, "t", 1, 0));
        assert_ok(drx_dataset_commit(ds, "rolled"));
        if (t == 10)
            assert_int_equal(stat("e/u.xta", &first), 0);
    }
    assert_int_equal(stat("e/u.xta", &last), 0);
    assert_true(last.st_blocks <= first.st_blocks + 64);
    assert_int_equal(drx_lower(a)[0], 56);
    assert_ok(drx_read(a, (int64_t[]){ 57, 0 }, (int64_t[]){ 1, BIG }, DRX_ROW_MAJOR, step));
    assert_int_equal(step[BIG - 1], 57);
    assert_ok(drx_dataset_close(ds));
    free(step);
}

/* What the axis does to readers of each commit: tests/model. */
TEST(a_variable_gets_another_axis)
{
    drx_dataset *ds = make("f", 0), *old;
    int32_t value = 77;

    fill(ds, 0, 6);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_status(drx_dataset_add_axis(ds, "w", 0, "run"), DRX_ENOENT);
    assert_status(drx_dataset_add_axis(ds, "u", 3, "run"), DRX_EINVAL);
    assert_status(drx_dataset_add_axis(ds, "u", 0, "lat"), DRX_EINVAL);
    assert_status(drx_dataset_add_axis(ds, "v", 0, "lat"), DRX_EMISMATCH);
    assert_ok(drx_dataset_extend(ds, "t", 1));
    assert_status(drx_dataset_add_axis(ds, "u", 0, "run"), DRX_EINVAL);
    assert_ok(drx_dataset_abort(ds));
    assert_ok(drx_dataset_add_axis(ds, "u", 0, "run"));
    assert_status(drx_dataset_extend(ds, "t", 1), DRX_EINVAL);
    assert_status(drx_attr_set(member(ds, "v"), "units", DRX_INT32, 1, &value), DRX_EINVAL);
    assert_status(drx_dataset_add_axis(ds, "u", 0, "level"), DRX_EINVAL);
    assert_ok(drx_dataset_add_axis(ds, "v", 1, "run"));
    assert_int_equal(drx_ndim(member(ds, "u")), 2);
    assert_ok(drx_dataset_commit(ds, "runs"));
    assert_ok(drx_dataset_extend(ds, "run", 2));
    assert_ok(drx_dataset_commit(ds, "more runs"));
    old = open_at("f", 1);
    assert_ok(drx_dataset_trim(ds, "run", 0, 1));
    assert_ok(drx_dataset_commit(ds, "one run less"));
    assert_int_equal(element(member(old, "u"), 5, 1), 501);
    assert_ok(drx_dataset_trim(ds, "run", 1, 0)); /* index 0 goes */
    assert_ok(drx_dataset_commit(ds, "the first run is gone"));
    for (int again = 0; again < 2; again++) {
        assert_status(drx_get(member(old, "u"), (int64_t[]){ 5, 1 }, &value), DRX_ERANGE);
        assert_ok(drx_dataset_close(old));
        old = open_at("f", 1);
    }
    assert_ok(drx_dataset_close(old));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("f", NULL, NULL, NULL, NULL));
}

static const struct drxi_io_ops *plain;
static drx_dataset *trimmer;
static int reads;

static drx_status trim_after_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    const drx_status st = plain->read(io, buf, n, offset, got);

    if (reads-- == 1) {
        assert_ok(drx_dataset_trim(trimmer, "t", 4, 0));
        assert_ok(drx_dataset_commit(trimmer, "trimmed"));
    }
    return st;
}

/* What is trimmed while a reader reads the log is refused as what is trimmed afterwards. */
TEST(a_trim_comes_within_a_refresh)
{
    for (int n = 1; n < 6; n++) {
        const char path[] = { 't', (char)('0' + n), '\0' };
        struct drxi_io_ops ops;
        int32_t value;
        drx_dataset *r;

        trimmer = make(path, 0);
        fill(trimmer, 0, 6);
        assert_ok(drx_dataset_commit(trimmer, NULL));
        r = open_at(path, DRX_LAST);
        expect(r, 0, 6);
        plain = r->io->ops;
        ops = *plain;
        ops.read = trim_after_read;
        r->io->ops = &ops;
        reads = n;
        assert_ok(drx_dataset_refresh(r));
        r->io->ops = plain;
        if (reads < 1 && drx_dataset_dim_lower(r, 0) == 0)
            assert_status(drx_get(member(r, "u"), (int64_t[]){ 0, 0 }, &value), DRX_ERANGE);
        assert_ok(drx_get(member(r, "u"), (int64_t[]){ 5, 0 }, &value));
        assert_int_equal(value, 500);
        assert_ok(drx_dataset_close(r));
        assert_ok(drx_dataset_close(trimmer));
    }
}
