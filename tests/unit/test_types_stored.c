/* Arrays, variables and attributes of defined types: in files, and through all that only moves bytes. */
#include "base/base.h"
#include "defined.h"
#include "drx_dataset.h"

enum { N = 7, M = 5 };

/* Whatever bytes; those of no field, too. */
static void make_bytes(uint8_t *bytes, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)((seed = seed * 1103515245 + 12345) >> 16);
}

static drx_array *make(const char *path, drx_type type, drx_spec spec, const void *fill)
{
    static const int64_t shape[] = { N, M }, chunk[] = { 3, 2 };
    drx_array *a;

    spec.ndim = 2;
    spec.type = type;
    spec.shape = shape;
    spec.chunk = chunk;
    spec.fill = fill;
    assert_ok(drx_create(path, &spec, &a));
    return a;
}

static void read_all(drx_array *a, void *buf)
{
    assert_ok(drx_read(a, drx_lower(a), drx_shape(a), DRX_ROW_MAJOR, buf));
}

static void finding(void *user, drx_severity severity, const char *text)
{
    (void)user;
    if (severity > DRX_NOTE)
        fail_msg("%s", text);
}

/* A life of an array: written, grown, read in every way, opened again, checked, copied. */
static void live(const char *path, drx_type type, drx_spec spec, bool filled)
{
    const size_t item = drx_type_size(type);
    uint8_t *all = malloc((N + 2) * M * item), *is = malloc((N + 2) * M * item), *fill = calloc(1, item);
    drx_array *a, *b;
    drx_spec described;

    make_bytes(all, N * M * item, 1);
    if (filled)
        make_bytes(fill, item, 2);
    a = make(path, type, spec, fill);
    assert_int_equal(drx_dtype(a), type);
    read_all(a, is);
    for (int i = 0; i < N * M; i++)
        assert_memory_equal(is + i * item, fill, item);
    assert_ok(drx_write(a, (int64_t[]){ 0, 0 }, (int64_t[]){ N, M }, DRX_ROW_MAJOR, all));
    assert_ok(drx_extend(a, 0, 1));
    memcpy(all + N * M * item, all, M * item);
    for (int j = 0; j < M; j++)
        memcpy(all + (N * M + j) * item, fill, item);
    make_bytes(all + (N * M + 1) * item, item, 3);
    assert_ok(drx_put(a, (int64_t[]){ N, 1 }, all + (N * M + 1) * item));
    assert_ok(drx_get(a, (int64_t[]){ N, 1 }, is));
    assert_memory_equal(is, all + (N * M + 1) * item, item);
    assert_ok(drx_append(a, 0, 1, DRX_ROW_MAJOR, all));
    memcpy(all + (N + 1) * M * item, all, M * item);
    assert_ok(drx_read_points(a, 3, (int64_t[]){ 2, 4, 0, 1, N, 1 }, is));
    assert_memory_equal(is, all + (2 * M + 4) * item, item);
    assert_memory_equal(is + 2 * item, all + (N * M + 1) * item, item);
    assert_ok(drx_write_points(a, 1, (int64_t[]){ 1, 1 }, all));
    memcpy(all + (M + 1) * item, all, item);
    assert_ok(drx_sync(a));
    read_all(a, is);
    assert_memory_equal(is, all, (N + 2) * M * item);
    assert_ok(drx_attr_set(a, "of it", type, 2, all));
    if (path) {
        assert_ok(drx_close(a));
        assert_ok(drx_check(path, finding, NULL, NULL, NULL));
        assert_ok(drx_repair(path, finding, NULL, NULL, NULL));
        assert_ok(drx_open(path, DRX_RDWR, &a));
        assert_ok(drx_compact(a));
        assert_ok(drx_close(a));
        assert_ok(drx_open(path, DRX_RDONLY, &a));
    }
    {
        const void *values;
        drx_type got;
        int64_t n;

        assert_int_equal(drx_dtype(a), type);
        read_all(a, is);
        assert_memory_equal(is, all, (N + 2) * M * item);
        drx_describe(a, &described);
        assert_memory_equal(described.fill, fill, item);
        assert_ok(drx_attr_get(a, "of it", &got, &n, &values));
        assert_true(got == type && n == 2 && memcmp(values, all, 2 * item) == 0);
    }
    assert_ok(drx_copy(a, "copy", &(drx_copy_spec){ .chunk = (int64_t[]){ 2, 3 }, .flags = DRX_REPLACE }, &b));
    read_all(b, is);
    assert_memory_equal(is, all, (N + 2) * M * item);
    assert_ok(drx_trim(b, 0, 2, 1));
    read_all(b, is);
    assert_memory_equal(is, all + 2 * M * item, (N - 1) * M * item);
    assert_ok(drx_extend_before(b, 0, 2));
    read_all(b, is);
    assert_memory_equal(is, fill, item);
    assert_ok(drx_close(b));
    assert_ok(drx_close(a));
    free(all);
    free(is);
    free(fill);
}

static void live_everywhere(drx_type type)
{
    for (int filled = 0; filled < 2; filled++) {
        live("raw", type, (drx_spec){ .flags = DRX_REPLACE }, filled);
        live("summed", type, (drx_spec){ .flags = DRX_REPLACE | DRX_CHECKSUM }, filled);
        live("columns", type, (drx_spec){ .flags = DRX_REPLACE | DRX_SHELL, .chunk_order = DRX_COL_MAJOR }, filled);
        live("packed", type, (drx_spec){ .flags = DRX_REPLACE, .codec = DRX_ZSTD }, filled);
        live("bits", type, (drx_spec){ .flags = DRX_REPLACE, .codec = DRX_LZ4, .shuffle = DRX_SHUFFLE_BIT }, filled);
        live("striped", type,
             (drx_spec){ .flags = DRX_REPLACE, .nstripes = 2, .stripes = (const char *[]){ ".", "." } }, filled);
        live(NULL, type, (drx_spec){ .flags = 0 }, filled);
    }
}

TEST(lives)
{
    live_everywhere(sky_type());
    live_everywhere(flags_type());
    live_everywhere(raw_type());
    live_everywhere(sample_type("sample"));
    live_everywhere(sample_type(NULL));
}

/* The largest elements, and sizes around those of blocks and pieces. */
TEST(large_elements)
{
    static const size_t sizes[] = { 4095, 4096, 4097, 8192, 8193, 16384, 40000, 65535, 65536 };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        live_everywhere(define_type(&(drx_type_info){ .type_class = DRX_OPAQUE, .bytes = sizes[i] }));
}

TEST(little_memory)
{
    const drx_type type = define_type(&(drx_type_info){ .type_class = DRX_OPAQUE, .bytes = 65536 });

    drx_set_memory(1 << 20);
    live("raw", type, (drx_spec){ .flags = DRX_REPLACE }, true);
    live("packed", type, (drx_spec){ .flags = DRX_REPLACE, .codec = DRX_ZSTD }, true);
    drx_set_memory(0);
}

TEST(reading_and_writing_fields)
{
    const drx_type sample = sample_type("sample");
    const drx_member some[] = { { .name = "sky", .type = sky_type() },
                                { .name = "name", .type = DRX_BYTES(4), .offset = 1 } };
    const drx_type part =
        define_type(&(drx_type_info){ .type_class = DRX_COMPOUND, .bytes = 5, .nmembers = 2, .members = some });
    uint8_t all[N * M * SAMPLE_BYTES], is[N * M * SAMPLE_BYTES], fields[N * M * 5];
    drx_array *a = make("fields", sample, (drx_spec){ .flags = DRX_REPLACE }, NULL);
    const int64_t zero[] = { 0, 0 };

    make_bytes(all, sizeof all, 4);
    assert_ok(drx_write_as(a, zero, drx_shape(a), DRX_ROW_MAJOR, sample_type("of another name"), DRX_EXACT, all));
    read_all(a, is);
    assert_memory_equal(is, all, sizeof is);
    assert_ok(drx_read_as(a, zero, drx_shape(a), DRX_ROW_MAJOR, part, DRX_EXACT, fields));
    for (int i = 0; i < N * M; i++) {
        assert_int_equal(fields[5 * i], all[i * SAMPLE_BYTES + SKY_AT]);
        assert_memory_equal(fields + 5 * i + 1, all + i * SAMPLE_BYTES + NAME_AT, 4);
    }
    assert_status(drx_write_as(a, zero, drx_shape(a), DRX_ROW_MAJOR, part, DRX_EXACT, fields), DRX_EINVAL);
    assert_detail("no field 'flags' in");
    assert_status(drx_read_as(a, zero, drx_shape(a), DRX_ROW_MAJOR, DRX_INT8, DRX_EXACT, fields), DRX_EINVAL);
    assert_ok(drx_close(a));
}

/* What has a meaning for numbers alone says so. */
TEST(what_needs_numbers)
{
    const drx_type types[] = { sky_type(), flags_type(), raw_type(), sample_type("sample") };
    drx_rounding told;

    for (int i = 0; i < 4; i++) {
        drx_array *a = make(NULL, types[i], (drx_spec){ .flags = 0 }, NULL), *b;

        assert_status(drx_keep_bits(types[i], 3, NULL, 0, NULL, &told), DRX_EINVAL);
        assert_status(drx_copy(a, "copy", &(drx_copy_spec){ .flags = DRX_REPLACE, .keep_bits = 3 }, &b), DRX_EINVAL);
        assert_detail("keep_bits rounds floating-point elements");
        assert_status(drx_attr_set(a, "s", DRX_BYTES(3), 1, "abc"), DRX_EINVAL);
        assert_ok(drx_close(a));
    }
}

/* ---- datasets ---- */

static drx_dataset *new_dataset(void)
{
    drx_dataset *ds;

    (void)drx_dataset_delete("ds");
    assert_ok(drx_dataset_create("ds", &ds));
    return ds;
}

static drx_array *add(drx_dataset *ds, const char *name, drx_type type)
{
    static const int64_t four = 4;
    static const char *const x = "x";
    drx_array *a;

    assert_ok(drx_dataset_add(ds, name, &(drx_spec){ .ndim = 1, .type = type, .shape = &four, .dims = &x }, &a));
    return a;
}

static void expect_types(const drx_dataset *ds, int n, const char *const paths[])
{
    assert_int_equal(drx_dataset_type_count(ds), n);
    for (int i = 0; i < n; i++)
        assert_string_equal(drx_dataset_type(ds, i, NULL), paths[i]);
    assert_null(drx_dataset_type(ds, n, NULL));
    assert_null(drx_dataset_type(ds, -1, NULL));
}

/* Each is written once, where it is seen. */
TEST(types_of_a_dataset)
{
    const drx_type sky = sky_type(), sample = sample_type("sample"), other = sample_type("other");
    drx_dataset *ds = new_dataset();
    drx_type type;
    uint8_t values[4 * SAMPLE_BYTES], is[4 * SAMPLE_BYTES];
    const void *got;

    assert_ok(drx_dataset_add_group(ds, "g"));
    assert_ok(drx_dataset_add_group(ds, "g/h"));
    assert_ok(drx_dataset_add_type(ds, "g/sky", sky));
    assert_status(drx_dataset_add_type(ds, "g/sky", sky), DRX_EEXIST);
    assert_status(drx_dataset_add_type(ds, "g/cloud", sky), DRX_EINVAL);
    assert_detail("type 'g/cloud': its name is \"sky\"");
    assert_status(drx_dataset_add_type(ds, "no/sky", sky), DRX_ENOENT);
    assert_status(drx_dataset_add_type(ds, "int8", DRX_INT8), DRX_EINVAL);
    assert_status(drx_dataset_add_type(ds, "", raw_type()), DRX_EINVAL);
    add(ds, "g/h/v", sky);
    expect_types(ds, 1, (const char *[]){ "g/sky" });
    make_bytes(values, sizeof values, 5);
    assert_ok(drx_write(add(ds, "w", sample), (int64_t[]){ 0 }, (int64_t[]){ 4 }, DRX_ROW_MAJOR, values));
    expect_types(ds, 6, (const char *[]){ "g/sky", "", "", "", "place", "sample" });
    assert_ok(drx_dataset_attr_set(ds, DRX_GROUP, "g", "a", other, 3, values));
    assert_ok(drx_dataset_attr_set(ds, DRX_DIMENSION, "x", "flags", flags_type(), 0, NULL));
    assert_ok(drx_dataset_attr_set(ds, DRX_DATASET, NULL, "raw", raw_type(), 1, values));
    expect_types(ds, 7, (const char *[]){ "g/sky", "", "", "", "place", "sample", "g/other" });
    assert_ok(drx_dataset_commit(ds, "typed"));
    assert_ok(drx_dataset_close(ds));

    assert_ok(drx_dataset_open("ds", DRX_RDWR, DRX_LAST, &ds));
    expect_types(ds, 7, (const char *[]){ "g/sky", "", "", "", "place", "sample", "g/other" });
    assert_string_equal(drx_dataset_type(ds, 5, &type), "sample");
    assert_int_equal(type, sample);
    {
        drx_array *a;

        assert_ok(drx_dataset_array(ds, "w", &a));
        assert_int_equal(drx_dtype(a), sample);
        read_all(a, is);
        assert_memory_equal(is, values, sizeof is);
        assert_ok(drx_dataset_attr_get(ds, DRX_GROUP, "g", "a", &type, NULL, &got));
        assert_true(type == other && memcmp(got, values, 3 * SAMPLE_BYTES) == 0);
        assert_ok(drx_attr_set(a, "sky", sky, 1, values));
        assert_ok(drx_dataset_attr_get(ds, DRX_VARIABLE, "w", "sky", &type, NULL, NULL));
        assert_int_equal(type, sky);
    }
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_forget(ds, 2));
    expect_types(ds, 7, (const char *[]){ "g/sky", "", "", "", "place", "sample", "g/other" });
    assert_ok(drx_dataset_attr_get(ds, DRX_GROUP, "g", "a", &type, NULL, NULL));
    assert_int_equal(type, other);
    assert_ok(drx_dataset_remove_group(ds, "g"));
    assert_ok(drx_dataset_commit(ds, NULL));
    expect_types(ds, 7, (const char *[]){ "", "", "", "", "place", "sample", "" });
    add(ds, "u", sky); /* it has its name again */
    expect_types(ds, 8, (const char *[]){ "", "", "", "", "place", "sample", "", "sky" });
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("ds", finding, NULL, NULL, NULL));
    {
        drx_array *a;

        assert_ok(drx_duplicate("ds/w", "lone", DRX_REPLACE, NULL, NULL));
        assert_ok(drx_open("lone", DRX_RDONLY, &a));
        assert_int_equal(drx_dtype(a), sample);
        assert_ok(drx_attr_get(a, "sky", &type, NULL, NULL));
        assert_int_equal(type, sky);
        assert_ok(drx_close(a));
    }
}

/* Names of a group are those of its variables, groups and types. */
TEST(names_that_are_taken)
{
    drx_dataset *ds = new_dataset();
    static const int64_t four = 4;
    static const char *const x = "x";
    const drx_spec spec = { .ndim = 1, .type = sky_type(), .shape = &four, .dims = &x };

    assert_status(drx_dataset_add(ds, "sky", &spec, NULL), DRX_EEXIST);
    assert_detail("type 'sky'");
    add(ds, "place", DRX_INT8);
    assert_status(drx_dataset_attr_set(ds, DRX_DATASET, NULL, "a", place_type(), 0, NULL), DRX_EEXIST);
    assert_status(drx_dataset_add_type(ds, "place", place_type()), DRX_EEXIST);
    add(ds, "v", sky_type());
    assert_status(
        drx_dataset_add(ds, "sky", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = &four, .dims = &x }, NULL),
        DRX_EEXIST);
    assert_status(drx_dataset_add_group(ds, "sky"), DRX_EEXIST);
    assert_status(drx_dataset_set_name(ds, DRX_VARIABLE, "v", "sky"), DRX_EEXIST);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_abort(ds));
    assert_ok(drx_dataset_close(ds));
}

/* What a transaction added goes with it. */
TEST(abort_of_types)
{
    drx_dataset *ds = new_dataset();

    add(ds, "v", sample_type("sample"));
    assert_int_equal(drx_dataset_type_count(ds), 6);
    assert_ok(drx_dataset_abort(ds));
    assert_int_equal(drx_dataset_type_count(ds), 0);
    assert_ok(drx_dataset_close(ds));
}

/* As the only allocation that fails; nothing is left of what failed. */
TEST(memory_that_fails)
{
    const drx_type sample = sample_type("sample"), other = sample_type("other");
    static const int64_t four = 4;
    static const char *const x = "x";
    const drx_spec spec = { .ndim = 1, .type = sample, .shape = &four, .dims = &x };
    const uint8_t value[SAMPLE_BYTES] = { 1 };
    drx_dataset *ds = new_dataset();
    drx_status st;
    bool failed = true;
    long n;

    for (n = 1; failed; n++) { /* some that fail do no harm */
        drxi_fail_allocation = n;
        st = drx_dataset_add(ds, "v", &spec, NULL);
        failed = drxi_fail_allocation == 0;
        drxi_fail_allocation = 0;
        assert_true(st == DRX_OK || (failed && st == DRX_ENOMEM));
        assert_int_equal(drx_dataset_type_count(ds), st ? 0 : 6);
        if (failed)
            assert_ok(drx_dataset_abort(ds));
    }
    assert_true(n > 20);
    for (n = 1, failed = true; failed; n++) {
        drxi_fail_allocation = n;
        st = drx_dataset_attr_set(ds, DRX_DATASET, NULL, "a", other, 1, value);
        failed = drxi_fail_allocation == 0;
        drxi_fail_allocation = 0;
        assert_true(st == DRX_OK || (failed && st == DRX_ENOMEM));
    }
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    for (st = DRX_ENOMEM, n = 1; st; n++) {
        drxi_fail_allocation = n;
        st = drx_dataset_open("ds", DRX_RDONLY, DRX_LAST, &ds);
        drxi_fail_allocation = 0;
        assert_true(st == DRX_OK || st == DRX_ENOMEM);
    }
    assert_int_equal(drx_dataset_type_count(ds), 7);
    assert_ok(drx_dataset_close(ds));
}
