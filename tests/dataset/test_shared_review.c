/* Writers that share a dataset: what a review has found. */
#include "drx_tools.h"
#include "wind_dataset.h"

static void make(const char *path, int codec, unsigned flags, const int32_t *fill)
{
    const char *const dims[] = { "time", "x" };
    const int64_t shape[] = { 4, 5 }, chunk[] = { 4, 3 };
    const int32_t rows[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };
    drx_dataset *ds;

    assert_ok(drx_dataset_create(path, &ds));
    for (int i = 0; i < 2; i++) {
        drx_array *a;
        assert_ok(drx_dataset_add(ds, i ? "v" : "u",
                                  &(drx_spec){ .ndim = 2,
                                               .type = DRX_INT32,
                                               .shape = shape,
                                               .chunk = chunk,
                                               .dims = dims,
                                               .fill = fill,
                                               .codec = codec,
                                               .flags = flags },
                                  &a));
        assert_ok(drx_write(a, (int64_t[]){ 0, 0 }, shape, DRX_ROW_MAJOR, rows));
    }
    assert_ok(drx_dataset_commit(ds, "made"));
    assert_ok(drx_dataset_close(ds));
}

static drx_dataset *share(const char *path)
{
    drx_dataset *ds;

    assert_ok(drx_dataset_open(path, DRX_SHARED, DRX_LAST, &ds));
    return ds;
}

static drx_array *get(drx_dataset *ds, const char *name)
{
    drx_array *a;

    assert_ok(drx_dataset_array(ds, name, &a));
    return a;
}

/* A has written to a compressed variable that B removes: the commit of its elements does not fail because of that. */
TEST(commit_of_elements_of_a_removed_variable)
{
    const int32_t one = 77;
    drx_dataset *a, *b;

    make("removed", DRX_LZ4, 0, NULL);
    a = share("removed");
    b = share("removed");
    assert_ok(drx_put(get(a, "u"), (int64_t[]){ 1, 1 }, &one));
    assert_ok(drx_put(get(a, "v"), (int64_t[]){ 1, 1 }, &one));
    assert_ok(drx_dataset_begin(b));
    assert_ok(drx_dataset_remove(b, "u"));
    assert_ok(drx_dataset_commit(b, "removed"));
    assert_ok(drx_dataset_commit(a, NULL));
    assert_ok(drx_dataset_close(a));
    assert_ok(drx_dataset_close(b));
    assert_ok(drx_dataset_delete("removed"));
}

/* A refresh that fails lets a reader go on as before, also in what it opens later. */
TEST(reader_after_a_failed_refresh)
{
    drx_dataset *w, *r;
    int32_t value = 0;

    make("failed", 0, 0, NULL);
    assert_ok(drx_dataset_open("failed", DRX_RDONLY, DRX_LAST, &r));
    (void)get(r, "u");
    assert_ok(drx_dataset_open("failed", DRX_RDWR, DRX_LAST, &w));
    assert_ok(drx_dataset_trim(w, "time", 0, 4));
    assert_ok(drx_dataset_commit(w, "trimmed"));
    assert_ok(drx_dataset_add_axis(w, "u", 0, "z"));
    assert_ok(drx_dataset_commit(w, "axis"));
    assert_status(drx_dataset_refresh(r), DRX_EMISMATCH);
    assert_status(drx_get(get(r, "u"), (int64_t[]){ 1, 1 }, &value), DRX_ERANGE);
    assert_status(drx_get(get(r, "v"), (int64_t[]){ 1, 1 }, &value), DRX_ERANGE);
    assert_ok(drx_dataset_close(w));
    assert_ok(drx_dataset_close(r));
    assert_ok(drx_dataset_delete("failed"));
}

static void add(drx_dataset *ds, const char *name, int ndim, int codec, drx_array **out)
{
    const char *const dims[] = { "p", "q", "r" };
    const int64_t shape[] = { 3, 2, 2 };

    assert_ok(drx_dataset_add(
        ds, name, &(drx_spec){ .ndim = ndim, .type = DRX_INT32, .shape = shape, .dims = dims, .codec = codec }, out));
}

TEST(what_was_removed_is_not_told)
{
    drx_dataset *ds;

    make("told", DRX_LZ4, 0, NULL);
    assert_ok(drx_dataset_open("told", DRX_RDWR, DRX_LAST, &ds));
    assert_ok(drx_dataset_remove(ds, "v"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    ds = share("told");
    assert_ok(drx_dataset_begin(ds));
    assert_string_equal(drx_last_error(), "");
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_delete("told"));
}

/* A handle that is gone only reads. */
static void try_gone(drx_array *gone)
{
    int32_t value = 0;
    drx_spec spec;

    assert_status(drx_put(gone, (int64_t[]){ 1 }, &value), DRX_ENOENT);
    assert_status(drx_attr_set_text(gone, "a", "b"), DRX_ENOENT);
    assert_ok(drx_get(gone, (int64_t[]){ 1 }, &value));
    assert_int_equal(value, 5);
    (void)drx_sync(gone);
    (void)drx_refresh(gone);
    drx_describe(gone, &spec);
    assert_int_equal(spec.ndim, 1);
    assert_ok(drx_get(gone, (int64_t[]){ 1 }, &value));
    assert_int_equal(value, 5);
    assert_status(drx_put(gone, (int64_t[]){ 1 }, &value), DRX_ENOENT);
}

/* The number of a variable that was taken back is used by another process, for one with other axes. */
TEST(number_used_again)
{
    drx_dataset *a, *b;
    drx_array *gone, *there, *again;
    int32_t value = 5;

    make("again", 0, 0, NULL);
    a = share("again");
    b = share("again");
    assert_ok(drx_dataset_begin(a));
    add(a, "n", 1, 0, &gone);
    assert_ok(drx_put(gone, (int64_t[]){ 1 }, &value));
    assert_ok(drx_dataset_abort(a));
    try_gone(gone);
    assert_ok(drx_dataset_begin(b));
    add(b, "n", 3, DRX_LZ4, &there);
    value = 7;
    assert_ok(drx_put(there, (int64_t[]){ 1, 1, 1 }, &value));
    assert_ok(drx_dataset_commit(b, "added"));
    assert_ok(drx_dataset_begin(a));
    again = get(a, "n");
    assert_ptr_not_equal(again, gone);
    value = 0;
    assert_ok(drx_get(again, (int64_t[]){ 1, 1, 1 }, &value));
    assert_int_equal(value, 7);
    assert_ok(drx_dataset_extend(a, "p", 2));
    assert_ok(drx_dataset_attr_set_text(a, DRX_VARIABLE, "n", "k", "v"));
    assert_ok(drx_dataset_commit(a, "grown"));
    try_gone(gone);
    assert_ok(drx_dataset_refresh(b));
    assert_ok(drx_get(there, (int64_t[]){ 1, 1, 1 }, &value));
    assert_int_equal(value, 7);
    assert_ok(drx_put(there, (int64_t[]){ 4, 1, 1 }, &value));
    assert_ok(drx_dataset_commit(b, NULL));
    assert_ok(drx_dataset_close(a));
    assert_ok(drx_dataset_close(b));
    assert_ok(drx_dataset_check("again", NULL, NULL, NULL, NULL));
    assert_ok(drx_dataset_delete("again"));
}

/* Removed by one and added again by another, with the same name, in groups, too. */
TEST(removed_and_added_again)
{
    drx_dataset *a, *b;
    drx_array *old, *new, *seen;
    int32_t value = 5;

    make("replaced", 0, 0, NULL);
    a = share("replaced");
    b = share("replaced");
    assert_ok(drx_dataset_begin(a));
    assert_ok(drx_dataset_add_group(a, "g"));
    add(a, "g/n", 1, DRX_LZ4, &old);
    assert_ok(drx_put(old, (int64_t[]){ 1 }, &value));
    assert_ok(drx_dataset_commit(a, "added"));
    assert_ok(drx_dataset_refresh(b));
    seen = get(b, "g/n");
    for (int i = 0; i < 4; i++) {
        drx_dataset *x = i % 2 ? a : b, *y = i % 2 ? b : a;

        assert_ok(drx_dataset_begin(x));
        assert_ok(drx_dataset_remove(x, "g/n"));
        assert_ok(drx_dataset_remove_group(x, "g"));
        assert_ok(drx_dataset_add_group(x, "g"));
        add(x, "g/n", 1 + i % 2, i % 2 ? 0 : DRX_LZ4, &new);
        value = 10 + i;
        assert_ok(drx_put(new, (int64_t[]){ 2, 1 }, &value));
        assert_ok(drx_dataset_commit(x, "again"));
        assert_ok(drx_dataset_refresh(y));
        value = 0;
        assert_ok(drx_get(get(y, "g/n"), (int64_t[]){ 2, 1 }, &value));
        assert_int_equal(value, 10 + i);
        assert_int_equal(drx_put(seen, (int64_t[]){ 1 }, &value), DRX_ENOENT);
        assert_ok(drx_dataset_begin(y));
        assert_ok(drx_dataset_extend(y, "g/p", 1));
        assert_ok(drx_dataset_commit(y, "grown"));
        assert_ok(drx_dataset_refresh(x));
        seen = get(x, "g/n");
        (void)get(y, "g/n");
    }
    assert_ok(drx_dataset_close(a));
    assert_ok(drx_dataset_close(b));
    assert_ok(drx_dataset_check("replaced", NULL, NULL, NULL, NULL));
    assert_ok(drx_dataset_delete("replaced"));
}
