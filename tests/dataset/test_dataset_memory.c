/* Memory fails at each place of each call: then nothing has happened, and the call can be made again. */
#include "base/base.h"
#include "wind_dataset.h"

static drx_dataset *ds, *reader;

static drx_status open_it(void)
{
    return drx_dataset_open("a", DRX_RDWR, DRX_LAST, &ds);
}

static drx_status open_reader(void)
{
    return drx_dataset_open("a", DRX_RDONLY, 1, &reader);
}

static drx_status lend(void)
{
    drx_array *a;

    return drx_dataset_array(ds, "u", &a);
}

static drx_status add(void)
{
    static const char *const dims[] = { "lat", "level" };
    drx_spec spec = {
        .ndim = 2, .type = DRX_BYTES(6), .shape = (int64_t[]){ LATS, 3 }, .dims = dims, .codec = DRX_LZ4
    };

    return drx_dataset_add(ds, "w", &spec, NULL);
}

static drx_status add_scalar(void)
{
    drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 }, .flags = DRX_CHECKSUM };

    return drx_dataset_add(ds, "s", &spec, NULL);
}

static drx_status grow(void)
{
    return drx_dataset_extend(ds, "time", 3);
}

static drx_status set(void)
{
    return drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "title", "winds");
}

static drx_status set_of_array(void)
{
    drx_array *a;
    const drx_status st = drx_dataset_array(ds, "u", &a);

    return st ? st : drx_attr_set_text(a, "units", "m");
}

static drx_status remove_one(void)
{
    return drx_dataset_remove(ds, "v");
}

static drx_status trim(void)
{
    return drx_dataset_trim(ds, "lat", 1, 0);
}

static drx_status commit(void)
{
    return drx_dataset_commit(ds, "all of it");
}

static drx_status add_axis(void)
{
    return drx_dataset_add_axis(ds, "u", 0, "run");
}

static drx_status refresh(void)
{
    return drx_dataset_refresh(reader);
}

static drx_status copy(void)
{
    return drx_dataset_duplicate("a", "b");
}

static bool is_whole(drx_dataset *of, bool changed)
{
    return drx_dataset_count(of) == (changed ? 4 : 3) && (drx_dataset_find(of, "s") >= 0) == changed &&
           drx_dataset_attr_count(of, DRX_DATASET, NULL) == changed;
}

/* A transaction that can only be aborted begins again. */
TEST(each_allocation_fails)
{
    static drx_status (*const calls[])(void) = { open_it,      lend,       add,  add_scalar, grow,     set,
                                                 set_of_array, remove_one, trim, commit,     add_axis, commit };
    enum { CALLS = sizeof calls / sizeof *calls, FIRST = 2, COMMIT = 9 };
    int again = 0, broken = 0;

    assert_ok(drx_dataset_close(make_winds("a")));
    for (int i = 0; i < CALLS; i++)
        for (long n = 1;; n++) {
            drx_status st;
            bool fired;

            drxi_fail_allocation = n;
            st = calls[i]();
            fired = drxi_fail_allocation == 0;
            drxi_fail_allocation = 0;
            if (!st)
                break;
            if (!fired || st != DRX_ENOMEM)
                fail_msg("call %d, allocation %ld: %d: %s", i, n, (int)st, drx_last_error());
            if (i == 0)
                continue;
            st = drx_dataset_extend(ds, "none", 1);
            if (st == DRX_ENOENT || st == DRX_EINVAL) /* the transaction goes on */
                continue;
            if (i <= COMMIT && drx_dataset_abort(ds) == DRX_OK) {
                again++;
                assert_true(is_whole(ds, false));
            } else {
                broken++;
                assert_ok(drx_dataset_close(ds));
                assert_ok(open_it());
                if (drx_dataset_find(ds, "s") >= 0) /* the commit was written */
                    break;
            }
            for (int k = FIRST; k < i; k++)
                assert_ok(calls[k]());
        }
    print_message("aborted %d times, opened again %d times\n", again, broken);
    assert_true(is_whole(ds, true));
    assert_int_equal(drx_ndim(member(ds, "u")), 4);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("a", NULL, NULL, NULL, NULL));
}

/* Whatever room the list of dimensions has, one that an axis did not get is not there. */
TEST(a_new_axis_without_memory_leaves_no_dimension)
{
    ds = make_winds("n");
    for (char name[] = "a"; name[0] < 'u'; name[0]++) {
        const char *const dims[] = { name };

        add_variable(ds, name, 1, dims, (const int64_t[]){ 1 });
        assert_ok(drx_dataset_commit(ds, NULL));
        for (long n = 1;; n++) {
            drx_status st;

            drxi_fail_allocation = n;
            st = add_axis();
            drxi_fail_allocation = 0;
            if (!st)
                break;
            assert_int_equal(st, DRX_ENOMEM);
            assert_int_equal(drx_dataset_dim_find(ds, "run"), -1);
        }
        assert_ok(drx_dataset_abort(ds));
    }
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("n", NULL, NULL, NULL, NULL));
}

TEST(each_allocation_of_a_reader_fails)
{
    static drx_status (*const calls[])(void) = { open_reader, refresh, copy };

    for (int i = 0; i < 3; i++)
        for (long n = 1;; n++) {
            drx_status st;

            drxi_fail_allocation = n;
            st = calls[i]();
            drxi_fail_allocation = 0;
            if (!st || (st == DRX_EEXIST && calls[i] == copy)) /* it had its name already */
                break;
            assert_int_equal(st, DRX_ENOMEM);
        }
    assert_ok(drx_dataset_close(reader));
    ds = open_at("b", DRX_RDONLY, DRX_LAST);
    assert_true(is_whole(ds, true));
    assert_ok(drx_dataset_close(ds));

    /* one that follows */
    ds = make_winds("c");
    reader = open_at("c", DRX_RDONLY, DRX_LAST);
    (void)member(reader, "u");
    (void)member(reader, "v");
    append_step(ds, 1);
    assert_ok(drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "title", "winds"));
    assert_ok(drx_attr_set_text(member(ds, "u"), "units", "m"));
    assert_ok(drx_dataset_commit(ds, NULL));
    for (long n = 1;; n++) {
        drx_status st;

        drxi_fail_allocation = n;
        st = refresh();
        drxi_fail_allocation = 0;
        if (!st)
            break;
        assert_int_equal(st, DRX_ENOMEM);
        assert_int_equal(drx_dataset_shown(reader), 1);
        assert_int_equal(drx_dataset_attr_count(reader, DRX_DATASET, NULL), 0);
        assert_int_equal(drx_shape(member(reader, "u"))[0], 0);
        assert_int_equal(drx_attr_count(member(reader, "u")), 0);
    }
    assert_int_equal(first_at(member(reader, "u"), 0), 1);
    assert_int_equal(drx_attr_count(member(reader, "u")), 1);
    assert_ok(drx_dataset_close(reader));
    assert_ok(drx_dataset_close(ds));
}

/* ---- groups ---- */

static drx_status add_group(void)
{
    return drx_dataset_add_group(ds, "g");
}

static drx_status add_inner(void)
{
    return drx_dataset_add_group(ds, "g/h");
}

static drx_status add_in_group(void)
{
    static const char *const dims[] = { "/lat", "level" };

    return drx_dataset_add(
        ds, "g/h/w", &(drx_spec){ .ndim = 2, .type = DRX_INT8, .shape = (int64_t[]){ LATS, 2 }, .dims = dims }, NULL);
}

static drx_status rename_group(void)
{
    return drx_dataset_set_name(ds, DRX_GROUP, "g", "k");
}

static drx_status rename_dimension(void)
{
    return drx_dataset_set_name(ds, DRX_DIMENSION, "lat", "y");
}

static drx_status note_variable(void)
{
    return drx_dataset_attr_set_text(ds, DRX_VARIABLE, "u", "note", "lent");
}

static drx_status note_group(void)
{
    return drx_dataset_attr_set_text(ds, DRX_GROUP, "k/h", "note", "of a group");
}

static drx_status remove_group(void)
{
    return drx_dataset_remove_group(ds, "old");
}

static drx_status name_all(void)
{
    for (int i = 0; i < drx_dataset_count(ds); i++)
        if (!drx_dataset_name(ds, i))
            return DRX_ENOMEM;
    return DRX_OK;
}

static void expect_groups(bool changed)
{
    assert_int_equal(drx_dataset_find(ds, "k/h/w") >= 0, changed);
    assert_int_equal(drx_dataset_group_find(ds, "old") >= 0, !changed);
    assert_int_equal(drx_dataset_dim_find(ds, "y") >= 0, changed);
    assert_int_equal(drx_dataset_attr_count(ds, DRX_GROUP, "k/h"), changed ? 1 : -1);
    assert_string_equal(drx_dim_name(member(ds, "u"), 1), changed ? "y" : "lat");
    assert_int_equal(drx_attr_count(member(ds, "u")), changed);
    assert_int_equal(drx_attr_count(member(ds, "v")), 0);
}

TEST(each_allocation_fails_where_groups_change)
{
    static drx_status (*const calls[])(void) = { add_group,        add_inner,     add_in_group, rename_group,
                                                 rename_dimension, note_variable, note_group,   remove_group,
                                                 name_all,         commit };
    enum { CALLS = sizeof calls / sizeof *calls };
    int again = 0;

    ds = make_winds("t");
    assert_ok(drx_dataset_add_group(ds, "old"));
    assert_ok(
        drx_dataset_add(ds, "old/x", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 } }, NULL));
    assert_ok(drx_dataset_commit(ds, NULL));
    for (int i = 0; i < CALLS; i++)
        for (long n = 1;; n++) {
            drx_status st;
            bool fired;

            drxi_fail_allocation = n;
            st = calls[i]();
            fired = drxi_fail_allocation == 0;
            drxi_fail_allocation = 0;
            if (!st)
                break;
            if (!fired || st != DRX_ENOMEM)
                fail_msg("call %d, allocation %ld: %d: %s", i, n, (int)st, drx_last_error());
            if (drx_dataset_extend(ds, "none", 1) == DRX_ENOENT) /* the transaction goes on */
                continue;
            if (drx_dataset_abort(ds)) {
                assert_ok(drx_dataset_close(ds));
                ds = open_at("t", DRX_RDWR, DRX_LAST);
            }
            again++;
            if (drx_dataset_find(ds, "k/h/w") >= 0) /* the commit was written */
                break;
            expect_groups(false);
            for (int k = 0; k < i; k++)
                assert_ok(calls[k]());
        }
    print_message("begun again %d times\n", again);
    expect_groups(true);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("t", NULL, NULL, NULL, NULL));
    assert_ok(drx_dataset_delete("t"));
}

static drx_status forget(void)
{
    return drx_dataset_forget(ds, 2);
}

static drx_status lend_late(void)
{
    drx_array *a;

    return drx_dataset_array(reader, "v", &a);
}

/* The writer's, of a reader that opens a variable late, and of one that follows. */
TEST(each_allocation_fails_where_commits_are_forgotten)
{
    static drx_status (*const calls[])(void) = { forget, lend_late, refresh };

    ds = make_winds("f");
    append_step(ds, 1);
    assert_ok(drx_dataset_commit(ds, "a step"));
    reader = open_at("f", DRX_RDONLY, DRX_LAST);
    assert_int_equal(first_at(member(reader, "u"), 0), 1);
    append_step(ds, 2);
    assert_ok(drx_dataset_commit(ds, "another"));
    for (int i = 0; i < 3; i++) {
        long n = 1;

        for (;; n++) {
            drx_status st;

            drxi_fail_allocation = n;
            st = calls[i]();
            drxi_fail_allocation = 0;
            if (!st)
                break;
            if (st != DRX_ENOMEM)
                fail_msg("call %d, allocation %ld: %d: %s", i, n, (int)st, drx_last_error());
            if (i == 0 && drx_dataset_oldest(ds) == 2) { /* it has its name, and nobody knows whether durably */
                assert_status(drx_dataset_extend(ds, "time", 1), DRX_ENOMEM);
                assert_ok(drx_dataset_close(ds));
                ds = open_at("f", DRX_RDWR, DRX_LAST);
            }
            assert_int_equal(drx_dataset_shown(reader), 2);
            assert_int_equal(drx_dataset_oldest(reader), 0);
            assert_int_equal(drx_dataset_count(reader), 3);
            assert_int_equal(first_at(member(reader, "u"), 0), 1);
        }
        assert_true(n > 3);
    }
    assert_int_equal(drx_dataset_oldest(ds), 2);
    assert_int_equal(drx_dataset_oldest(reader), 2);
    assert_int_equal(first_at(member(reader, "v"), 1), 2);
    assert_int_equal(first_at(member(ds, "v"), 1), 2);
    assert_ok(drx_dataset_close(reader));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("f", NULL, NULL, NULL, NULL));
}
