/* A commit, or a sync of an array, fails because its elements cannot be made durable. They are lost then, perhaps, so
 * no commit of the same handle counts from then on, and no lock stays. */
#include <errno.h>

#include "drx_dataset.h"
#include "file_faults.h"
#include "testing.h"

static void make(void)
{
    const char *const dims[] = { "time", "x" };
    const int64_t shape[] = { 4, 5 }, chunk[] = { 1, 5 };
    drx_dataset *ds;

    (void)system("rm -rf d");
    assert_ok(drx_dataset_create("d", &ds));
    for (int i = 0; i < 2; i++)
        assert_ok(drx_dataset_add(
            ds, i ? "v" : "u",
            &(drx_spec){ .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .dims = dims }, NULL));
    assert_ok(drx_dataset_commit(ds, "made"));
    assert_ok(drx_dataset_close(ds));
}

static drx_status grow_and_write(drx_dataset *ds, int64_t t)
{
    const int32_t row[] = { 1, 2, 3, 4, 5 };
    drx_array *a;
    drx_status st = drx_dataset_begin(ds);

    if (!st)
        st = drx_dataset_extend(ds, "time", 1);
    if (!st)
        st = drx_dataset_array(ds, "u", &a);
    return st ? st : drx_write(a, (int64_t[]){ t, 0 }, (int64_t[]){ 1, 5 }, DRX_ROW_MAJOR, row);
}

static drx_status commit(drx_dataset *ds)
{
    return drx_dataset_commit(ds, "grown");
}

static drx_status sync_array(drx_dataset *ds)
{
    drx_array *a;
    const drx_status st = drx_dataset_array(ds, "u", &a);

    return st ? st : drx_sync(a);
}

/* Let that call fail where it syncs the elements of u. */
static void fail_at_sync(int mode, drx_status (*call)(drx_dataset *ds))
{
    bool found = false;

    for (long n = 1; !found; n++) {
        drx_dataset *ds, *other;
        drx_status st;

        make();
        drxi_fault_arm(0, 0, false);
        assert_ok(drx_dataset_open("d", mode, DRX_LAST, &ds));
        assert_ok(grow_and_write(ds, 4));
        assert_ok(drx_dataset_commit(ds, "first")); /* then a growth needs no file */
        assert_ok(grow_and_write(ds, 5));
        drxi_fault_arm(n, EIO, false);
        st = call(ds);
        assert_true(drxi_fault_fired());
        drxi_fault_arm(0, 0, false);
        found = st && strstr(drx_last_error(), "u.xta: injected fault in sync");
        if (found) {
            print_message("call %ld: %s\n", n, drx_last_error());
            assert_int_not_equal(drx_dataset_commit(ds, "again"), DRX_OK);
            print_message("again: %s\n", drx_last_error());
            (void)drx_dataset_abort(ds);
            assert_ok(drx_dataset_open("d", DRX_RDONLY, DRX_LAST, &other));
            assert_int_equal(drx_dataset_last(other), 2);
            assert_ok(drx_dataset_close(other));
        }
        if (found && mode == DRX_SHARED) {
            assert_ok(drx_dataset_open("d", mode, DRX_LAST, &other));
            assert_ok(drx_dataset_begin(other));
            assert_ok(drx_dataset_close(other));
        }
        (void)drx_dataset_close(ds);
    }
}

TEST(commit_of_one_writer)
{
    fail_at_sync(DRX_RDWR, commit);
}

TEST(commit_of_a_sharing_writer)
{
    fail_at_sync(DRX_SHARED, commit);
}

TEST(sync_of_one_writer)
{
    fail_at_sync(DRX_RDWR, sync_array);
}

TEST(sync_of_a_sharing_writer)
{
    fail_at_sync(DRX_SHARED, sync_array);
}

/* A handle that a failure has broken gives the lock of changes back when its transaction is aborted. */
TEST(broken_handle_keeps_no_lock)
{
    bool broken = false;

    for (long n = 1; !broken; n++) {
        drx_dataset *ds, *other;
        drx_status st;

        make();
        drxi_fault_arm(0, 0, false);
        assert_ok(drx_dataset_open("d", DRX_SHARED, DRX_LAST, &ds));
        assert_ok(drx_dataset_open("d", DRX_SHARED, DRX_LAST, &other));
        assert_ok(drx_dataset_begin(ds));
        drxi_fault_arm(n, ENOSPC, true);
        st = drx_dataset_extend(ds, "time", 1);
        drxi_fault_arm(0, 0, false);
        broken = st && drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "k", "v") == DRX_ENOSPC &&
                 strstr(drx_last_error(), "could not be undone");
        if (broken)
            print_message("call %ld: %s\n", n, drx_last_error());
        (void)drx_dataset_abort(ds);
        assert_ok(drx_dataset_begin(other));
        assert_ok(drx_dataset_close(other));
        (void)drx_dataset_close(ds);
        if (!st)
            break;
    }
    assert_true(broken);
}
