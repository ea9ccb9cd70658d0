/* Defined types on many ranks, whose numbers differ from rank to rank: what counts is what they are. */
#include "defined.h"
#include "mp_spread.h"
#include "mp_twins.h"

/* Each rank has defined others before. */
static void mix_numbers(void)
{
    for (int i = 0; i < 1 + 3 * mp_rank; i++) {
        char name[40];

        (void)snprintf(name, sizeof name, "of rank %d, %d", mp_rank, i);
        define_type(&(drx_type_info){ .type_class = DRX_OPAQUE, .name = name, .bytes = 3 });
    }
}

static void make_typed(const struct twin *t)
{
    static const char *const x[] = { "x" };
    const int64_t four = 4;
    const drx_source source = { .byte_order = DRX_BIG_ENDIAN, .nwords = 5, .filters = (uint32_t[]){ 2, 0, 1, 1, 4 } };
    drx_spec spec = { .ndim = 1, .shape = &four, .chunk = &four, .dims = x, .source = &source };
    uint8_t values[2 * SAMPLE_BYTES];

    mix_numbers();
    for (size_t i = 0; i < sizeof values; i++)
        values[i] = (uint8_t)(3 * i);
    assert_ok(CALL(t, add_group, "g"));
    assert_ok(CALL(t, add_type, "g/sky", sky_type()));
    spec.type = sample_type("sample");
    spec.fill = values;
    number_next(200);
    assert_ok(CALL(t, add, "g/sample_of", &spec, NULL));
    spec.type = sky_type();
    spec.fill = NULL;
    spec.dims = (const char *[]){ "y" };
    number_next(201);
    assert_ok(CALL(t, add, "skies", &spec, NULL));
    assert_ok(CALL(t, attr_set, DRX_GROUP, "g", "two", sample_type("other"), 2, values));
    assert_ok(CALL(t, attr_set, DRX_DATASET, NULL, "raw", raw_type(), 1, values));
    assert_ok(twin_commit(t, "typed"));
    assert_int_equal(drx_dataset_type_count(twin_view(t)), 7);
    assert_string_equal(drx_dataset_type(twin_view(t), 0, &spec.type), "g/sky");
    assert_int_equal(spec.type, sky_type());
}

TEST(typed_datasets_are_those_of_one)
{
    make_twins();
    twins_play(make_typed);
}

static void expect_attribute(drxmp_array *m, drx_type expected)
{
    drx_type type;

    assert_ok(drx_attr_get(drxmp_serial(m), "sky", &type, NULL, NULL));
    assert_int_equal(type, expected);
}

TEST(sources_that_differ)
{
    const int64_t four = 4;
    const uint32_t words[] = { 1, 1, mp_rank > 0 };
    const drx_source source = { .nwords = 3, .filters = words }, order = { .byte_order = 1 + (mp_rank > 0) };
    drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = &four, .flags = DRX_REPLACE };
    drxmp_array *m = NULL;

    for (int i = 0; i < 3; i++) {
        spec.source = i == 0 ? &source : i == 1 ? &order : mp_rank ? NULL : &source;
        assert_status(drxmp_create(mp_comm, "different", &spec, &m), mp_ranks > 1 ? DRX_EMISMATCH : DRX_OK);
        if (mp_ranks == 1)
            assert_ok(drxmp_close(m));
    }
}

/* Elements and attributes of a lone array, on each rank. */
TEST(typed_arrays)
{
    const int64_t shape[] = { 4 * mp_ranks }, chunk[] = { 3 }, zero[] = { 0 }, mine[] = { 4 * mp_rank }, four[] = { 4 };
    drx_spec spec = { .ndim = 1, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    const drx_member sky = { .name = "sky", .type = DRX_INT32 };
    uint8_t values[4 * SAMPLE_BYTES], *all = malloc((size_t)shape[0] * SAMPLE_BYTES);
    int32_t *skies = malloc((size_t)shape[0] * sizeof *skies);
    drxmp_array *m;

    mix_numbers();
    spec.type = sample_type("sample");
    for (int codec = DRX_RAW; codec <= DRX_ZSTD; codec++) {
        spec.codec = (drx_codec)codec;
        m = mp_create("typed", &spec);
        memset(values, mp_rank + 1, sizeof values);
        assert_ok(drxmp_write_all(m, mine, four, DRX_ROW_MAJOR, values));
        assert_ok(drxmp_attr_set(m, "sky", sky_type(), 1, &(int8_t){ 1 }));
        expect_attribute(m, sky_type());
        assert_ok(drxmp_extend(m, 0, 2));
        assert_ok(drxmp_close(m));
        m = mp_open("typed", DRX_RDONLY);
        assert_int_equal(drx_dtype(drxmp_serial(m)), sample_type("sample"));
        expect_attribute(m, sky_type());
        assert_ok(drxmp_read_all(m, zero, shape, DRX_ROW_MAJOR, all));
        assert_ok(drxmp_read_all_as(
            m, zero, shape, DRX_ROW_MAJOR,
            define_type(&(drx_type_info){ .type_class = DRX_COMPOUND, .bytes = 4, .nmembers = 1, .members = &sky }),
            DRX_EXACT, skies));
        for (int64_t i = 0; i < shape[0]; i++) {
            assert_int_equal(all[i * SAMPLE_BYTES + SAMPLE_BYTES - 1], i / 4 + 1);
            assert_int_equal(skies[i], i / 4 + 1);
        }
        assert_ok(drxmp_close(m));
    }
    free(skies);
    free(all);
}

TEST(types_that_differ_are_told)
{
    const int64_t shape[] = { 4 };
    const drx_spec spec = { .ndim = 1, .type = sample_type(mp_rank ? "a" : "b"), .shape = shape, .flags = DRX_REPLACE };
    drxmp_array *m;
    drxmp_darray *d;
    struct dap_array exported;
    const struct dap_dim dim = mp_block(8);

    mix_numbers();
    if (mp_ranks > 1) {
        assert_fails(drxmp_create(mp_comm, "differ", &spec, &m), DRX_EMISMATCH, "spec.type of rank 1");
        m = mp_create("differ", &(drx_spec){ .ndim = 1, .type = sky_type(), .shape = shape, .flags = DRX_REPLACE });
        assert_fails(drxmp_attr_set(m, "a", mp_rank ? sky_type() : DRX_INT8, 1, "x"), DRX_EMISMATCH, "type");
        assert_ok(drxmp_close(m));
    }
    assert_ok(drxmp_darray_create(mp_comm, place_type(), 1, &dim, DRX_ROW_MAJOR, &d));
    assert_fails(drxmp_darray_dap(d, &exported), DRX_EUNSUPPORTED, "for which the protocol has no format");
    assert_ok(drxmp_darray_free(d));
}
