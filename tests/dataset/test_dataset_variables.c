/* Variables: handles of one that is replaced, as of earlier commits, and copies that become variables. What datasets
 * hold is tests/model's. */
#include "bytes.h"

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
