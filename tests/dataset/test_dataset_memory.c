/* Memory fails at each place of each call: then nothing has happened, and the call can be made again. Where groups
 * change, commits are forgotten, and in readers, the histories of tests/model do it. */
#include "base/base.h"
#include "wind_dataset.h"

static drx_dataset *ds;

static drx_status open_it(void)
{
    return drx_dataset_open("a", DRX_RDWR, DRX_LAST, &ds);
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

static drx_status add_null(void)
{
    return drx_dataset_add(ds, "null", &(drx_spec){ .type = DRX_BYTES(3) }, NULL);
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

static drx_status name_all(void)
{
    for (int i = 0; i < drx_dataset_count(ds); i++)
        if (!drx_dataset_name(ds, i))
            return DRX_ENOMEM;
    return DRX_OK;
}

static bool is_whole(drx_dataset *of, bool changed)
{
    return drx_dataset_count(of) == (changed ? 5 : 3) && (drx_dataset_find(of, "s") >= 0) == changed &&
           drx_dataset_attr_count(of, DRX_DATASET, NULL) == changed;
}

/* A transaction that can only be aborted begins again. */
TEST(each_allocation_fails)
{
    static drx_status (*const calls[])(
        void) = { open_it,      lend,       add,  add_scalar, add_null, grow,   set,
                  set_of_array, remove_one, trim, commit,     add_axis, commit, name_all };
    enum { CALLS = sizeof calls / sizeof *calls, FIRST = 2, COMMIT = 10 };
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
