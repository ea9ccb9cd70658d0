/* The order of what is durable, where a writer was killed and the next one goes on: files go only after the record
 * that removes them is durable, and nothing is appended after a cut that is not. */
#include "deadly.h"
#include "drx_dataset.h"
#include "io/io.h"
#include "store/store.h"

/* ---- what this process does to the files of the dataset ---- */

static struct {
    const struct drxi_files *files;
    struct drxi_io_ops ops;
    const struct drxi_io_ops *inner;
    bool synced, lost; /* the log, since the open; a file went before */
    bool cut, appended;
} seen;

static drx_status see_sync(drxi_io *io)
{
    drx_status st = seen.inner->sync(io);

    seen.synced = true;
    return st;
}

static drx_status see_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    if (offset >= DRXI_LOG_AT && !seen.synced)
        seen.appended = true;
    return seen.inner->write(io, buf, n, offset);
}

static drx_status see_open(const char *path, enum drxi_how how, drxi_io **out)
{
    drx_status st = seen.files->open(path, how, out);

    if (!st && strstr(path, "dataset.xds")) {
        seen.inner = (*out)->ops;
        seen.ops = *seen.inner;
        seen.ops.sync = see_sync;
        seen.ops.write = see_write;
        (*out)->ops = &seen.ops;
    }
    return st;
}

static drx_status see_remove(const char *path)
{
    drx_status st = seen.files->remove(path);

    seen.lost = seen.lost || (!st && !seen.synced);
    return st;
}

/* Whether nothing promises that the log is durable. */
static bool is_open_end(void)
{
    struct drxi_store s = { .kind = DRXI_DATASET };
    enum drxi_log_tail tail;
    drxi_io *io;
    bool open;

    assert_ok(drxi_files->open("d/dataset.xds", DRXI_READ, &io));
    assert_ok(drxi_store_begin(&s, io, DRXI_DATASET));
    assert_ok(drxi_store_read(&s, io, DRXI_ANY_COMMIT, false, &tail));
    open = !s.ends_with_sync;
    drxi_store_free(&s);
    (void)io->ops->close(io);
    return open;
}

static void make(void)
{
    const char *const dims[] = { "time", "x" };
    const int64_t shape[] = { 4, 5 };
    drx_dataset *ds;

    assert_ok(drx_dataset_create("made", &ds));
    for (int i = 0; i < 2; i++)
        assert_ok(drx_dataset_add(ds, i ? "v" : "u",
                                  &(drx_spec){ .ndim = 2, .type = DRX_INT32, .shape = shape, .dims = dims }, NULL));
    assert_ok(drx_dataset_commit(ds, "made"));
    assert_ok(drx_dataset_close(ds));
}

static drx_status drop(void)
{
    drx_dataset *ds;
    drx_status st = drx_dataset_open("d", DRX_SHARED, DRX_LAST, &ds);

    if (!st)
        st = drx_dataset_begin(ds);
    if (!st)
        st = drx_dataset_remove(ds, "u");
    if (!st)
        st = drx_dataset_commit(ds, "dropped");
    return st ? st : drx_dataset_close(ds);
}

static void files_go_after_the_record(int mode)
{
    bool killed = true;
    int undurable = 0;

    make();
    for (long n = 1; killed; n++) {
        static struct drxi_files files;
        bool open;
        drx_dataset *ds;

        assert_ok(drx_dataset_duplicate("made", "d"));
        killed = deadly(drop, n);
        open = is_open_end();
        undurable += open;
        seen.files = drxi_files;
        seen.synced = seen.lost = false;
        files = *drxi_files;
        files.open = see_open;
        files.remove = see_remove;
        drxi_files = &files;
        assert_ok(drx_dataset_open("d", mode, DRX_LAST, &ds));
        assert_ok(drx_dataset_begin(ds));
        if (open && seen.lost)
            fail_msg("killed before call %ld: files went before the log was durable", n);
        assert_ok(drx_dataset_close(ds));
        drxi_files = seen.files;
        assert_ok(drx_dataset_delete("d"));
    }
    assert_true(undurable > 0);
    assert_ok(drx_dataset_delete("made"));
}

TEST(files_go_after_the_record_shared)
{
    (void)system("rm -rf made d");
    files_go_after_the_record(DRX_SHARED);
}

TEST(files_go_after_the_record_alone)
{
    (void)system("rm -rf made d");
    if (seen.files)
        drxi_files = seen.files;
    files_go_after_the_record(DRX_RDWR);
}
