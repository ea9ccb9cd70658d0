/* One dataset takes the place of another: what has the name at every instant, whatever fails. */
#include <errno.h>
#include <unistd.h>

#include "drx_dataset.h"
#include "file_faults.h"
#include "io/io.h"
#include "testing.h"

enum { OLD = 1, NEW = 2 };

static void make(const char *path, int8_t value)
{
    const int64_t zero = 0, one = 1;
    drx_dataset *ds;
    drx_array *a;

    assert_ok(drx_dataset_create(path, &ds));
    assert_ok(drx_dataset_add(ds, "a", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = &one }, &a));
    assert_ok(drx_write(a, &zero, &one, DRX_ROW_MAJOR, &value));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
}

/* The value that a dataset holds; 0: there is none of that name. */
static int8_t value_of(const char *path)
{
    const int64_t zero = 0;
    int8_t value = 0;
    drx_dataset *ds;
    drx_array *a;

    if (access(path, F_OK) != 0)
        return 0;
    assert_ok(drx_dataset_open(path, DRX_RDONLY, DRX_LAST, &ds));
    assert_ok(drx_dataset_array(ds, "a", &a));
    assert_ok(drx_get(a, &zero, &value));
    assert_ok(drx_dataset_close(ds));
    return value;
}

static void make_both(void)
{
    assert_int_equal(system("rm -rf to from .to.removed-*"), 0);
    make("to", OLD);
    make("from", NEW);
}

static drx_status cannot(const char *a, const char *b, bool *can)
{
    *can = false;
    return DRX_OK;
}

/* Looks at the name before each change of names. */
static struct drxi_files watched;
static int looks, without;

static void look(void)
{
    looks++;
    without += access("to/dataset.xds", F_OK) != 0;
}

static drx_status looking_rename(const char *from, const char *to)
{
    look();
    return drxi_posix.rename(from, to);
}

static drx_status looking_remove(const char *path)
{
    look();
    return drxi_posix.remove(path);
}

TEST(the_name_is_never_without_a_dataset)
{
    for (int exchange = 1; exchange >= 0; exchange--) {
        make_both();
        watched = drxi_posix;
        watched.rename = looking_rename;
        watched.remove = looking_remove;
        if (!exchange)
            watched.exchange = cannot;
        looks = without = 0;
        drxi_files = &watched;
        assert_ok(drx_dataset_replace("from", "to"));
        drxi_files = &drxi_posix;
        assert_true(looks > 2);
        assert_int_equal(without, !exchange);
        assert_int_equal(value_of("to"), NEW);
        assert_int_equal(access("from", F_OK), -1);
        assert_int_equal(system("test \"$(ls -A)\" = to"), 0);
    }
}

/* A reader does not take the files of another dataset for those of its own. */
TEST(files_that_are_opened_late)
{
    drx_dataset *ds;
    drx_array *a;

    make_both();
    assert_ok(drx_dataset_open("to", DRX_RDONLY, DRX_LAST, &ds));
    assert_ok(drx_dataset_replace("from", "to"));
    assert_status(drx_dataset_array(ds, "a", &a), DRX_EMISMATCH);
    assert_detail("open it again");
    assert_ok(drx_dataset_close(ds));
    assert_int_equal(value_of("to"), NEW);
}

TEST(what_is_refused)
{
    drx_dataset *ds;
    drx_array *a;

    make_both();
    assert_status(drx_dataset_replace("from", "none"), DRX_ENOENT);
    assert_status(drx_dataset_replace("none", "to"), DRX_ENOENT);
    assert_status(drx_dataset_replace("to", "to"), DRX_EBUSY);
    assert_status(drx_dataset_replace(NULL, "to"), DRX_EINVAL);
    for (int i = 0; i < 2; i++) {
        assert_ok(drx_dataset_open(i ? "from" : "to", DRX_RDWR, DRX_LAST, &ds));
        assert_status(drx_dataset_replace("from", "to"), DRX_EBUSY);
        assert_ok(drx_dataset_close(ds));
    }
    assert_ok(drx_open("to/a", DRX_RDWR, &a));
    assert_status(drx_dataset_replace("from", "to"), DRX_EBUSY);
    assert_ok(drx_close(a));
    assert_int_equal(system("touch to/notes.txt"), 0);
    assert_status(drx_dataset_replace("from", "to"), DRX_EINVAL);
    assert_detail("notes.txt");
    assert_int_equal(value_of("to") + value_of("from") * 10, OLD + NEW * 10);
}

TEST(every_call_fails_in_turn)
{
    for (int exchange = 0; exchange < 2; exchange++) {
        bool fired = true;

        watched = drxi_posix;
        if (!exchange)
            watched.exchange = cannot;
        for (long n = 1; fired; n++) {
            drx_status st;
            int8_t value;

            drxi_fault_arm(0, EIO, false);
            drxi_files = &drxi_posix;
            make_both();
            drxi_files = &watched;
            drxi_fault_arm(n, EIO, false);
            st = drx_dataset_replace("from", "to");
            fired = drxi_fault_fired();
            drxi_fault_arm(0, EIO, false);
            drxi_files = &drxi_posix;
            value = value_of("to");
            assert_true(value == NEW || (st && value == OLD && value_of("from") == NEW));
        }
    }
}
