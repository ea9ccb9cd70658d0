/* Variables: of other types and shapes, replaced in one commit, and as of earlier commits. */
#include "bytes.h"

#include "wind_dataset.h"

static bool is_there(const char *name)
{
    return access(name, F_OK) == 0;
}

/* v over lat alone, all of one value. */
static void replace_v(drx_dataset *ds, int16_t value)
{
    const int64_t lats = LATS, zero = 0;
    int16_t buf[LATS];
    drx_array *a;

    assert_ok(drx_dataset_remove(ds, "v"));
    assert_ok(drx_dataset_add(
        ds, "v", &(drx_spec){ .ndim = 1, .type = DRX_INT16, .shape = &lats, .dims = (const char *const[]){ "lat" } },
        &a));
    for (int i = 0; i < LATS; i++)
        buf[i] = value;
    assert_ok(drx_write(a, &zero, &lats, DRX_ROW_MAJOR, buf));
    assert_ok(drx_attr_set_text(a, "units", "K"));
}

static void expect_v(drx_dataset *ds, int16_t value)
{
    int16_t have = 0;

    assert_int_equal(drx_dataset_count(ds), 3);
    assert_int_equal(drx_ndim(member(ds, "v")), 1);
    assert_ok(drx_get(member(ds, "v"), (int64_t[]){ LATS - 1 }, &have));
    assert_int_equal(have, value);
    assert_int_equal(drx_attr_count(member(ds, "v")), 1);
}

TEST(variables_are_replaced_in_one_commit)
{
    drx_dataset *ds = make_winds("a"), *r, *old;
    drx_array *before, *removed;

    append_step(ds, 5);
    assert_ok(drx_dataset_commit(ds, NULL));
    r = open_at("a", DRX_RDONLY, DRX_LAST);
    before = member(r, "v");
    removed = member(ds, "v");
    replace_v(ds, 3);
    assert_int_equal(first_at(removed, 0), 5); /* it goes at the commit */
    assert_ok(drx_dataset_abort(ds));
    assert_ok(drx_attr_set_text(removed, "units", "m"));
    assert_ok(drx_dataset_abort(ds));
    assert_int_equal(first_at(member(ds, "v"), 0), 5);
    assert_true(member(ds, "v") == removed);
    replace_v(ds, 3);
    assert_true(is_there("a/v.xta") && is_there("a/v~4.xta"));
    assert_status(drx_dataset_remove(ds, "v"), DRX_EINVAL); /* which this transaction adds */
    assert_ok(drx_dataset_commit(ds, "another v"));
    expect_v(ds, 3);
    assert_false(is_there("a/v.xta"));
    assert_status(drx_put(removed, (int64_t[]){ 0, 0, 0 }, &(int32_t){ 0 }), DRX_ENOENT);
    assert_int_equal(first_at(before, 0), 5); /* a handle has the files open */
    assert_ok(drx_dataset_refresh(r));
    assert_int_equal(first_at(before, 0), 5);
    expect_v(r, 3);
    replace_v(ds, 4);
    assert_ok(drx_dataset_commit(ds, "and another"));
    assert_true(is_there("a/v~5.xta") && !is_there("a/v~4.xta") && !is_there("a/v.xta"));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_refresh(r));
    expect_v(r, 4);
    assert_ok(drx_dataset_close(r));
    for (int64_t at = 2; at < 4; at++) {
        old = open_at("a", DRX_RDONLY, at);
        assert_int_equal(drx_dataset_ndim(old, drx_dataset_find(old, "v")), at == 2 ? 3 : 1);
        assert_status(drx_dataset_array(old, "v", &before), DRX_ENOENT);
        assert_detail("a later commit than");
        assert_int_equal(first_at(member(old, "u"), 0), 5);
        assert_ok(drx_dataset_close(old));
    }
    assert_ok(drx_dataset_check("a", NULL, NULL, NULL, NULL));
    assert_ok(drx_dataset_duplicate("a", "b"));
    ds = open_at("b", DRX_RDWR, DRX_LAST);
    expect_v(ds, 4);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_open("b/v", DRX_RDONLY, &before)); /* by its name */
    assert_int_equal(drx_dtype(before), DRX_INT16);
    assert_ok(drx_close(before));
    assert_ok(drx_dataset_delete("b"));
}

TEST(strings)
{
    static const char *const dims[] = { "n" };
    const drx_type types[] = { DRX_BYTES(3), DRX_UNICODE(2), DRX_BYTES(3), DRX_BYTES(4) };
    const uint32_t text[] = { 0x4e2d, 0x6587 };
    drx_dataset *ds;

    assert_ok(drx_dataset_create("d", &ds));
    for (int i = 0; i < 4; i++) {
        const char name[] = { (char)('a' + i), '\0' };
        drx_spec spec = { .ndim = 1, .type = types[i], .shape = (int64_t[]){ 2 }, .dims = dims };
        drx_array *a;

        if (i == 3) {
            spec.fill = "fill";
            assert_ok(drx_dataset_commit(ds, NULL)); /* the types of an earlier commit serve, too */
        }
        assert_ok(drx_dataset_add(ds, name, &spec, &a));
        assert_ok(drx_put(a, (int64_t[]){ 1 }, i == 1 ? (const void *)text : "abcd"));
    }
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_extend(ds, "n", 1));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    ds = open_at("d", DRX_RDONLY, DRX_LAST);
    for (int i = 0; i < 4; i++) {
        const char name[] = { (char)('a' + i), '\0' };
        char buf[8] = { 0 };

        assert_int_equal(drx_dtype(member(ds, name)), types[i]);
        assert_ok(drx_get(member(ds, name), (int64_t[]){ 1 }, buf));
        assert_memory_equal(buf, i == 1 ? (const void *)text : "abcd", drx_type_size(types[i]));
        assert_ok(drx_get(member(ds, name), (int64_t[]){ 2 }, buf));
        assert_memory_equal(buf, i == 3 ? "fill" : "\0\0\0\0\0\0\0", drx_type_size(types[i]));
    }
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("d", NULL, NULL, NULL, NULL));
}

/* Both axes grow and are trimmed by one change of the dimension. */
TEST(a_dimension_twice)
{
    static const char *const twice[] = { "x", "x" };
    drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = (int64_t[]){ 4, 4 }, .chunk = (int64_t[]){ 2, 3 }, .dims = twice
    };
    drx_dataset *ds, *old;
    drx_array *a;
    int32_t value;

    assert_ok(drx_dataset_create("e", &ds));
    assert_ok(drx_dataset_add(ds, "c", &spec, &a));
    spec.codec = DRX_ZSTD;
    spec.fill = &(int32_t){ -1 };
    assert_ok(drx_dataset_add(ds, "z", &spec, NULL));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_extend_before(ds, "x", 3));
    assert_ok(drx_dataset_extend(ds, "x", 2));
    for (int64_t i = -3; i < 6; i++)
        for (int64_t j = -3; j < 6; j++) {
            value = (int32_t)(10 * i + j);
            assert_ok(drx_put(member(ds, "c"), (int64_t[]){ i, j }, &value));
            assert_ok(drx_put(member(ds, "z"), (int64_t[]){ i, j }, &value));
        }
    assert_ok(drx_dataset_commit(ds, "grown"));
    assert_ok(drx_dataset_extend(ds, "x", 1));
    assert_ok(drx_dataset_abort(ds));
    assert_ok(drx_dataset_trim(ds, "x", 2, 1));
    assert_ok(drx_dataset_commit(ds, "trimmed"));
    assert_ok(drx_dataset_extend_before(ds, "x", 1));
    assert_ok(drx_dataset_commit(ds, "grown again"));
    assert_ok(drx_dataset_close(ds));
    for (int64_t at = 2; at <= 4; at++) {
        const int64_t lower = at == 2 ? -3 : at == 3 ? -1 : -2, upper = at == 2 ? 6 : 5;

        old = open_at("e", DRX_RDONLY, at);
        for (int v = 0; v < 2; v++)
            for (int64_t i = lower; i < upper; i++)
                for (int64_t j = lower; j < upper; j++) {
                    const bool lost = at == 2 && (i < -1 || j < -1 || i > 4 || j > 4), fresh = i < -1 || j < -1;

                    a = member(old, v ? "z" : "c");
                    assert_int_equal(drx_shape(a)[0] * 100 + drx_shape(a)[1], 101 * (upper - lower));
                    assert_status(drx_get(a, (int64_t[]){ i, j }, &value), lost ? DRX_ERANGE : DRX_OK);
                    if (!lost)
                        assert_int_equal(value, fresh ? -v : 10 * i + j);
                }
        assert_ok(drx_dataset_close(old));
    }
    assert_ok(drx_dataset_check("e", NULL, NULL, NULL, NULL));
}

/* Names of axes and the variables that are there are those of the commit. */
TEST(an_earlier_commit_shows_variables_and_axes_of_then)
{
    drx_dataset *ds = make_winds("f"), *old;

    append_step(ds, 1);
    assert_ok(drx_dataset_commit(ds, NULL));
    add_variable(ds, "w", 1, (const char *const[]){ "level" }, (int64_t[]){ 3 });
    assert_ok(drx_dataset_remove(ds, "v"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_add_axis(ds, "u", 0, "run"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    for (int64_t at = 0; at <= 4; at++) {
        old = open_at("f", DRX_RDONLY, at);
        assert_int_equal(drx_dataset_count(old), at == 0 ? 0 : 3);
        assert_int_equal(drx_dataset_find(old, "v") >= 0, at == 1 || at == 2);
        assert_int_equal(drx_dataset_find(old, "w") >= 0, at > 2);
        assert_int_equal(drx_dataset_dim_find(old, "run") >= 0, at > 3);
        assert_int_equal(drx_dataset_dim_find(old, "level") >= 0, at > 2);
        if (at > 0) {
            assert_int_equal(drx_ndim(member(old, "u")), at > 3 ? 4 : 3);
            assert_string_equal(drx_dim_name(member(old, "u"), 0), at > 3 ? "run" : "time");
        }
        assert_ok(drx_dataset_close(old));
    }
}

/* Whatever chunk a scalar was given: one element is stored, alone and compressed, and stays where it is. */
TEST(scalars)
{
    drx_dataset *ds;
    drx_array *a;
    int32_t value;

    assert_ok(drx_dataset_create("g", &ds));
    for (int i = 0; i < 4; i++) {
        const char name[] = { (char)('a' + i), '\0' };
        drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = (int64_t[]){ 1 }, .chunk = (int64_t[]){ 5 } };

        spec.codec = i == 1 ? DRX_LZ4 : DRX_RAW;
        spec.flags = i == 2 ? DRX_CHECKSUM : i == 3 ? DRX_SHELL : 0;
        assert_ok(drx_dataset_add(ds, name, &spec, &a));
        assert_int_equal(drx_chunk(a)[0], 1);
        assert_ok(drx_put(a, (int64_t[]){ 0 }, &(int32_t){ 7 + i }));
    }
    assert_ok(drx_dataset_commit(ds, NULL));
    for (int i = 0; i < 4; i++)
        assert_ok(drx_dataset_add_axis(ds, (char[]){ (char)('a' + i), '\0' }, 0, "run"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_extend_before(ds, "run", 3));
    assert_ok(drx_dataset_commit(ds, NULL));
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 4; i++)
            for (int64_t k = -3; k < 1; k++) {
                assert_ok(drx_get(member(ds, (char[]){ (char)('a' + i), '\0' }), &k, &value));
                assert_int_equal(value, k ? 0 : 7 + i);
            }
        assert_ok(drx_dataset_close(ds));
        ds = open_at("g", DRX_RDONLY, DRX_LAST);
    }
    assert_ok(drx_dataset_close(ds));
    ds = open_at("g", DRX_RDONLY, 1);
    assert_ok(drx_get(member(ds, "b"), (int64_t[]){ 0 }, &value));
    assert_int_equal(value, 8);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("g", NULL, NULL, NULL, NULL));
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
