/* How a file stored an array before: kept by whatever makes, copies, renames and compacts arrays. */
#include "base/base.h"
#include "bytes.h"
#include "drx_dataset.h"

static const uint32_t filters[] = { 2, 0, 1, 1, 4, 32001, 7, 2, 2, 4, 64, 5, 1, 0xfffffff0 };
static const drx_source big = { .byte_order = DRX_BIG_ENDIAN, .nwords = 14, .filters = filters };
static const drx_source odd = { .nwords = 5, .filters = filters };
static const drx_source little = { .byte_order = DRX_LITTLE_ENDIAN };
static const int64_t shape[] = { 4, 6 }, chunk[] = { 2, 3 };

static drx_spec spec_with(const drx_source *source)
{
    return (drx_spec){ .ndim = 2, .type = DRX_INT16, .shape = shape, .chunk = chunk, .source = source };
}

static void expect_source(const drx_array *a, const drx_source *source)
{
    drx_spec spec;

    drx_describe(a, &spec);
    if (!source) {
        assert_null(spec.source);
        return;
    }
    assert_non_null(spec.source);
    assert_int_equal(spec.source->byte_order, source->byte_order);
    assert_int_equal(spec.source->nwords, source->nwords);
    if (source->nwords)
        assert_memory_equal(spec.source->filters, source->filters, source->nwords * sizeof *source->filters);
}

static void expect_stored(const char *path, const drx_source *source)
{
    drx_array *a;

    assert_ok(drx_open(path, DRX_RDONLY, &a));
    expect_source(a, source);
    assert_ok(drx_close(a));
}

/* The record of `big`, as section 4.3 of the format has it. */
TEST(bytes_of_the_record)
{
    static const uint8_t payload[] = { 2,    0,    0,  0, 3, 0, 0, 0,             /* big-endian; three filters */
                                       2,    0,    0,  0, 0, 0, 0, 0,             /* shuffle */
                                       1,    0,    0,  0, 1, 0, 0, 0, 4, 0, 0, 0, /* deflate */
                                       0x01, 0x7d, 0,  0, 7, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0,    0,    4,    0,
                                       0,    0,    64, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0xf0, 0xff, 0xff, 0xff };
    const drx_spec spec = spec_with(&big), none = spec_with(NULL);
    struct bytes log;
    drx_array *a;

    assert_ok(drx_create("none", &none, &a));
    assert_ok(drx_close(a));
    assert_ok(drx_create("bytes", &spec, &a));
    assert_ok(drx_close(a));
    log = load("bytes.xmd");
    assert_int_equal(log.n - (size_t)length_of("none.xmd"), (24 + sizeof payload + 7) / 8 * 8);
    assert_non_null(memmem(log.p + 8192, log.n - 8192, payload, sizeof payload));
}

TEST(of_lone_arrays)
{
    static const drx_source *const sources[] = { &big, &little, &odd, NULL };
    drx_array *a, *b;

    for (int i = 0; i < 4; i++) {
        const drx_spec spec = spec_with(sources[i]);
        drx_spec again;

        assert_ok(drx_create(NULL, &spec, &a));
        expect_source(a, sources[i]);
        assert_ok(drx_copy(a, "c", &(drx_copy_spec){ .flags = DRX_REPLACE }, &b));
        expect_source(b, sources[i]);
        assert_ok(drx_close(b));
        expect_stored("c", sources[i]);
        drx_describe(a, &again);
        again.flags = DRX_REPLACE;
        assert_ok(drx_create("a", &again, &b));
        assert_ok(drx_close(a));
        for (int k = 0; k < 50; k++)
            assert_ok(drx_attr_set(b, "k", DRX_INT32, 1, &k));
        assert_ok(drx_extend(b, 0, 3));
        assert_ok(drx_dim_rename(b, 0, "t"));
        expect_source(b, sources[i]);
        assert_ok(drx_compact(b));
        expect_source(b, sources[i]);
        assert_ok(drx_refresh(b));
        assert_ok(drx_close(b));
        expect_stored("a", sources[i]);
        assert_ok(drx_duplicate("a", "twin", DRX_REPLACE, NULL, NULL));
        expect_stored("twin", sources[i]);
        assert_ok(drx_rename("twin", "renamed", DRX_REPLACE));
        expect_stored("renamed", sources[i]);
    }
}

TEST(of_variables)
{
    static const char *const dims[] = { "y", "x" };
    drx_spec spec = spec_with(&big), null = { .type = DRX_INT32, .source = &little };
    drx_dataset *ds;
    drx_array *a;

    spec.dims = dims;
    assert_ok(drx_dataset_create("ds", &ds));
    assert_ok(drx_dataset_add(ds, "v", &spec, &a));
    expect_source(a, &big);
    spec.source = NULL;
    assert_ok(drx_dataset_add(ds, "w", &spec, &a));
    expect_source(a, NULL);
    assert_ok(drx_dataset_add(ds, "n", &null, &a));
    expect_source(a, &little);
    assert_ok(drx_dataset_commit(ds, NULL));
    for (int k = 0; k < 20; k++) {
        assert_ok(drx_dataset_extend(ds, "y", 1));
        assert_ok(drx_dataset_attr_set(ds, DRX_VARIABLE, "v", "k", DRX_INT32, 1, &k));
        assert_ok(drx_dataset_commit(ds, NULL));
    }
    assert_ok(drx_dataset_set_name(ds, DRX_VARIABLE, "v", "u"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_forget(ds, 15));
    assert_ok(drx_dataset_compact(ds));
    assert_ok(drx_dataset_array(ds, "u", &a));
    expect_source(a, &big);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_duplicate("ds", "es"));
    expect_stored("es/u", &big);
    expect_stored("es/w", NULL);
    expect_stored("es/n", &little);
    assert_ok(drx_duplicate("ds/u", "lone", 0, NULL, NULL));
    expect_stored("lone", &big);
    assert_ok(drx_dataset_check("ds", NULL, NULL, NULL, NULL));
}

TEST(refused)
{
    const struct {
        drx_source source;
        const char *why;
    } wrong[] = {
        { { .byte_order = 3 }, "byte_order is 3" },
        { { .byte_order = -1 }, "byte_order is -1" },
        { { .reserved = { [3] = 1 } }, "reserved" },
        { { .nwords = 2 }, "nwords is 2" }, /* without words */
        { { .nwords = 1, .filters = filters }, "nwords is 1" },
        { { .nwords = 4, .filters = filters }, "nwords is 4" },
        { { .nwords = 13, .filters = filters }, "nwords is 13" },
        { { .nwords = (1 << 24) + 1, .filters = filters }, "nwords is 16777217" },
    };
    drx_dataset *ds;
    drx_array *a;

    assert_ok(drx_dataset_create("refusing", &ds));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const drx_spec spec = spec_with(&wrong[i].source), null = { .type = DRX_INT8, .source = &wrong[i].source };

        assert_status(drx_create("no", &spec, &a), DRX_EINVAL);
        assert_detail(wrong[i].why);
        assert_status(drx_dataset_add(ds, "no", &null, NULL), DRX_EINVAL);
        assert_detail(wrong[i].why);
    }
    assert_int_equal(drx_dataset_count(ds), 0);
    assert_ok(drx_dataset_close(ds));
}

/* Each allocation fails once: an array has its source, or there is none. */
TEST(without_memory)
{
    drx_spec spec = spec_with(&big);
    bool failed = true;
    drx_array *a;

    spec.flags = DRX_REPLACE;
    for (int n = 1; failed; n++) {
        drx_status st;

        drxi_fail_allocation = n;
        st = drx_create("m", &spec, &a);
        if (!st)
            st = drx_close(a);
        if (!st && !(st = drx_open("m", DRX_RDWR, &a))) {
            st = drx_compact(a);
            expect_source(a, &big);
            assert_ok(drx_close(a));
        }
        failed = drxi_fail_allocation == 0;
        drxi_fail_allocation = 0;
        assert_true(st == DRX_OK || st == DRX_ENOMEM);
        assert_true(!failed || n < 10000);
    }
    expect_stored("m", &big);
}
