/* Variables: handles of one that is replaced, as of earlier commits, and copies that become variables. What datasets
 * hold is tests/model's. */
#include <unistd.h>

#include "bytes.h"
#include "defined.h"
#include "wind_dataset.h"

TEST(a_handle_of_a_replaced_variable)
{
    drx_dataset *ds = make_winds("a"), *r;
    drx_array *before, *removed, *a;

    append_step(ds, 5);
    assert_ok(drx_dataset_commit(ds, NULL));
    r = open_at("a", DRX_RDONLY, DRX_LAST);
    before = member(r, "v");
    removed = member(ds, "v");
    for (int give_up = 1; give_up >= 0; give_up--) {
        assert_ok(drx_dataset_remove(ds, "v"));
        add_variable(ds, "v", 1, (const char *const[]){ "lat" }, &(int64_t){ LATS });
        assert_int_equal(first_at(removed, 0), 5); /* it goes at the commit */
        assert_ok(give_up ? drx_dataset_abort(ds) : drx_dataset_commit(ds, "another v"));
        assert_int_equal(member(ds, "v") == removed, give_up);
    }
    assert_status(drx_put(removed, (int64_t[]){ 0, 0, 0 }, &(int32_t){ 0 }), DRX_ENOENT);
    for (int again = 0; again < 2; again++) { /* it has the files open */
        assert_int_equal(first_at(before, 0), 5);
        assert_ok(drx_dataset_refresh(r));
    }
    assert_int_equal(drx_ndim(member(r, "v")), 1);
    assert_ok(drx_dataset_close(r));
    r = open_at("a", DRX_RDONLY, 2);
    assert_status(drx_dataset_array(r, "v", &a), DRX_ENOENT);
    assert_detail("a later commit than 2 has removed it");
    assert_ok(drx_dataset_close(r));
    assert_ok(drx_dataset_close(ds));
}

/* What is promised of a compressed array is what the last commit promises, also as of an earlier one: an element that
 * is lost is not read as it was before. */
TEST(an_earlier_commit_does_not_show_older_elements_for_lost_ones)
{
    drx_spec spec = { .ndim = 1,
                      .type = DRX_INT32,
                      .shape = (int64_t[]){ 64 },
                      .chunk = (int64_t[]){ 64 },
                      .dims = (const char *const[]){ "x" },
                      .codec = DRX_LZ4 };
    int32_t buf[64];
    int64_t before = 0;
    drx_dataset *ds;
    drx_array *a;

    assert_ok(drx_dataset_create("h", &ds));
    assert_ok(drx_dataset_add(ds, "z", &spec, &a));
    for (int32_t k = 0; k < 2; k++) {
        for (int i = 0; i < 64; i++)
            buf[i] = k * 1000 + i % 3;
        assert_ok(drx_write(a, (int64_t[]){ 0 }, (int64_t[]){ 64 }, DRX_ROW_MAJOR, buf));
        if (k == 0)
            before = length_of("h/z.xtz");
        assert_ok(drx_attr_set(a, "k", DRX_INT32, 1, &k));
        assert_ok(drx_dataset_commit(ds, NULL));
    }
    assert_ok(drx_dataset_close(ds));
    assert_true(length_of("h/z.xtz") > before);
    ds = open_at("h", DRX_RDONLY, 1);
    assert_ok(drx_read(member(ds, "z"), (int64_t[]){ 0 }, (int64_t[]){ 64 }, DRX_ROW_MAJOR, buf));
    assert_int_equal(buf[1], 1001);
    assert_ok(drx_dataset_close(ds));
    flip("h/z.xtz", length_of("h/z.xtz") - 4, 1);
    for (int64_t at = DRX_LAST; at < 2; at += 2) {
        ds = open_at("h", DRX_RDONLY, at);
        assert_status(drx_read(member(ds, "z"), (int64_t[]){ 0 }, (int64_t[]){ 64 }, DRX_ROW_MAJOR, buf),
                      DRX_ECHECKSUM);
        assert_ok(drx_dataset_close(ds));
    }
}

/* ---- null variables ---- */

static void expect_null(drx_dataset *of, const char *name, drx_type type)
{
    const int i = drx_dataset_find(of, name);
    drx_array *const a = member(of, name);
    int8_t nothing[1] = { 7 };
    drx_spec spec;

    assert_int_equal(drx_dataset_ndim(of, i), -1);
    assert_int_equal(drx_dataset_axis(of, i, 0), -1);
    drx_describe(a, &spec);
    assert_int_equal(spec.ndim, 1);
    assert_int_equal(spec.type, type);
    assert_int_equal(spec.shape[0], 0);
    assert_null(drx_dim_name(a, 0));
    assert_non_null(drx_file(a, 0));
    assert_null(drx_file(a, 1));
    assert_ok(drx_read(a, (int64_t[]){ 0 }, (int64_t[]){ 0 }, DRX_ROW_MAJOR, nothing));
    assert_status(drx_get(a, (int64_t[]){ 0 }, nothing), DRX_ERANGE);
    assert_int_equal(nothing[0], 7);
}

TEST(what_a_null_variable_cannot_have)
{
    const drx_spec more[] = {
        { .shape = (int64_t[]){ 0 } },  { .dims = time_lat_lon }, { .lower = (int64_t[]){ 0 } },
        { .chunk = (int64_t[]){ 1 } },  { .fill = "" },           { .chunk_order = DRX_COL_MAJOR },
        { .flags = DRX_CHECKSUM },      { .align = 8 },           { .codec = DRX_LZ4 },
        { .shuffle = DRX_SHUFFLE_BIT }, { .level = 3 },           { .grows = 1 },
    };
    drx_dataset *ds = make_winds("few");
    drx_array *a;

    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        drx_spec spec = more[i];

        spec.type = DRX_INT8;
        assert_status(drx_dataset_add(ds, "null", &spec, NULL), DRX_EINVAL);
        assert_detail("few: null: spec has ");
    }
    assert_status(drx_dataset_add(ds, "null", &(drx_spec){ .ndim = 0 }, NULL), DRX_EINVAL);
    assert_detail("few: null: type is 0");
    assert_status(drx_create("lone", &(drx_spec){ .type = DRX_INT8 }, &a), DRX_EINVAL);
    assert_int_equal(drx_dataset_count(ds), 3);
    assert_ok(drx_dataset_close(ds));
}

/* One in the root and one of a defined type in a group, beside others, through what happens to variables. */
TEST(null_variables)
{
    const drx_type type = sky_type();
    drx_dataset *ds = make_winds("nulls"), *r;
    drx_array *a;

    assert_ok(drx_dataset_add_group(ds, "g"));
    assert_ok(drx_dataset_add(ds, "null", &(drx_spec){ .type = DRX_FLOAT32 }, NULL));
    assert_ok(drx_dataset_abort(ds));
    assert_int_equal(drx_dataset_find(ds, "null"), -1);
    assert_ok(drx_dataset_add_group(ds, "g"));
    assert_ok(drx_dataset_add(ds, "null", &(drx_spec){ .type = DRX_FLOAT32 }, &a));
    assert_ok(drx_attr_set_text(a, "units", "m"));
    assert_status(drx_extend(a, 0, 1), DRX_EINVAL);
    assert_ok(drx_write(a, (int64_t[]){ 0 }, (int64_t[]){ 0 }, DRX_ROW_MAJOR, &(float){ 0 }));
    assert_ok(drx_sync(a));
    assert_ok(drx_dataset_add(ds, "g/cover", &(drx_spec){ .type = type }, NULL));
    assert_status(drx_dataset_add(ds, "null", &(drx_spec){ .type = DRX_INT8 }, NULL), DRX_EEXIST);
    expect_null(ds, "g/cover", type);
    assert_ok(drx_dataset_commit(ds, NULL));
    append_step(ds, 5);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_status(drx_dataset_add_axis(ds, "null", 0, "run"), DRX_EINVAL);
    assert_detail("nulls: null: a null variable, without elements, gets no axis");
    assert_ok(drx_dataset_set_name(ds, DRX_VARIABLE, "null", "none"));
    assert_ok(drx_dataset_remove(ds, "g/cover"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_forget(ds, 2));
    expect_null(ds, "none", DRX_FLOAT32);
    assert_ok(drx_dataset_close(ds));
    r = open_at("nulls", DRX_RDONLY, 2);
    expect_null(r, "null", DRX_FLOAT32);
    assert_status(drx_dataset_array(r, "g/cover", &a), DRX_ENOENT);
    assert_ok(drx_dataset_refresh(r));
    assert_ok(drx_dataset_close(r));
    assert_ok(drx_dataset_duplicate("nulls", "others"));
    for (int mode = DRX_RDONLY; mode <= DRX_SHARED; mode++) {
        assert_ok(drx_open("others/none", mode, &a));
        assert_int_equal(drx_attr_count(a), mode == DRX_SHARED ? 2 : 1);
        if (mode == DRX_RDWR)
            assert_ok(drx_attr_set(a, "two", DRX_INT8, 1, &(int8_t){ 2 }));
        if (mode == DRX_RDWR)
            assert_ok(drx_compact(a));
        assert_ok(drx_close(a));
        r = open_at("others", mode, DRX_LAST);
        expect_null(r, "none", DRX_FLOAT32);
        assert_ok(drx_dataset_close(r));
    }
    assert_ok(drx_check("others/none", NULL, NULL, NULL, NULL));
    assert_ok(drx_repair("others/none", NULL, NULL, NULL, NULL));
    assert_ok(drx_dataset_repair("others", NULL, NULL, NULL, NULL));
    for (const char *const *end = (const char *const[]){ ".xta", ".xcs", ".xtz", ".xct", NULL }; *end; end++) {
        char file[32];

        (void)snprintf(file, sizeof file, "others/null%s", *end);
        assert_int_equal(access(file, F_OK), -1);
    }
    assert_ok(drx_dataset_delete("others"));
    assert_ok(drx_dataset_delete("nulls"));
}

/* ---- copies that become variables ---- */

TEST(copies_become_variables)
{
    const int64_t shape[] = { 5, 7 }, lower[] = { 0, -2 }, chunk[] = { 2, 3 }, other[] = { 4, 4 };
    const char *const axes[] = { "y", "x" };
    const int32_t fill = -3;
    drx_copy_spec spec = { .chunk = other, .codec = DRX_LZ4 };
    drx_array *a, *b, *scalar;
    drx_dataset *ds;
    int32_t values[35], got[35];

    for (int i = 0; i < 35; i++)
        values[i] = i;
    assert_ok(drx_dataset_create("copies", &ds));
    assert_ok(drx_dataset_add_group(ds, "g"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_create(
        "source",
        &(drx_spec){
            .ndim = 2, .type = DRX_INT32, .shape = shape, .lower = lower, .chunk = chunk, .fill = &fill, .dims = axes },
        &a));
    assert_ok(drx_write(a, lower, shape, DRX_ROW_MAJOR, values));
    assert_ok(drx_attr_set_text(a, "units", "K"));
    assert_ok(drx_copy(a, "copies/u", NULL, NULL));
    assert_ok(drx_copy(a, "copies/g/v", &spec, &b));
    assert_int_equal(drx_dataset_last(drx_dataset_of(b)), 3);
    assert_int_equal(drx_chunk(b)[0], 4);
    assert_ok(drx_read(b, lower, shape, DRX_ROW_MAJOR, got));
    assert_memory_equal(got, values, sizeof values);
    assert_status(drx_copy(a, "copies/w", NULL, NULL), DRX_EBUSY); /* b is its writer */
    assert_ok(drx_close(b));
    assert_status(drx_copy(a, "copies/u", NULL, NULL), DRX_EEXIST);
    assert_status(drx_copy(a, "copies/none/u", NULL, NULL), DRX_ENOENT);
    spec.flags = DRX_TEMPORARY;
    assert_status(drx_copy(a, "copies/t", &spec, &b), DRX_EINVAL);
    spec.flags = DRX_REPLACE;
    assert_ok(drx_copy(a, "copies/u", &spec, NULL));
    assert_ok(drx_create(NULL, &(drx_spec){ .ndim = 1, .type = DRX_INT32, .shape = (int64_t[]){ 1 } }, &scalar));
    assert_ok(drx_copy(scalar, "copies/scalar", NULL, NULL));
    assert_ok(drx_close(scalar));
    assert_ok(drx_attr_set_text(a, "units", "m"));
    assert_ok(drx_trim(a, 1, 1, 0));
    assert_status(drx_copy(a, "copies/w", NULL, NULL), DRX_EMISMATCH); /* other bounds */
    assert_ok(drx_close(a));
    assert_ok(drx_open("copies/u", DRX_RDONLY, &a));
    assert_ok(drx_copy(a, "copies/g/u", NULL, NULL));                                    /* in the same dataset */
    assert_status(drx_duplicate("copies/g/u", "copies/g/w", 0, NULL, NULL), DRX_EINVAL); /* no exact copy */
    assert_ok(drx_close(a));
    assert_ok(drx_dataset_open("copies", DRX_RDONLY, DRX_LAST, &ds));
    assert_int_equal(drx_dataset_count(ds), 4);
    assert_int_equal(drx_dataset_last(ds), 6);
    assert_int_equal(drx_dataset_dim_count(ds), 2); /* those of the root */
    assert_int_equal(drx_dataset_ndim(ds, drx_dataset_find(ds, "scalar")), 0);
    for (int i = 0; i < drx_dataset_count(ds); i++) {
        const void *units;

        assert_ok(drx_dataset_array(ds, drx_dataset_name(ds, i), &a));
        if (drx_ndim(a) == 1)
            continue;
        assert_ok(drx_attr_get(a, "units", NULL, NULL, &units));
        assert_string_equal(units, "K");
        assert_ok(drx_read(a, lower, shape, DRX_ROW_MAJOR, got));
        assert_memory_equal(got, values, sizeof values);
    }
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("copies", NULL, NULL, NULL, NULL));
}
