/* Which processes exclude which others from an array, and for how long. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "array/array.h"
#include "base/hooks.h"
#include "drx_tools.h"
#include "processes.h"

static void make(const char *path)
{
    make_int32(path, (int64_t[]){ 2, 3 }, NULL, 0, DRX_ROW_MAJOR, 0);
}

/* Nobody can have it for himself. */
static void assert_kept(const char *path)
{
    const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 }, .flags = DRX_REPLACE };
    drx_array *b;

    assert_status(drx_open(path, DRX_RDWR, &b), DRX_EBUSY);
    assert_detail("a.xmd: open for writing elsewhere");
    assert_status(drx_create(path, &spec, &b), DRX_EBUSY);
    assert_status(drx_rename(path, "elsewhere", 0), DRX_EBUSY);
    assert_status(drx_rename("other", path, DRX_REPLACE), DRX_EBUSY);
    assert_status(drx_duplicate(path, "elsewhere", DRX_MOVE, NULL, NULL), DRX_EBUSY);
    assert_status(drx_duplicate("other", path, DRX_REPLACE, NULL, NULL), DRX_EBUSY);
    assert_status(drx_remove(path), DRX_EBUSY);
    assert_int_equal(access("elsewhere.xmd", F_OK), -1);
}

static void note_open(void *user, drx_severity severity, const char *text)
{
    *(bool *)user = *(bool *)user || (severity == DRX_NOTE && strstr(text, "open for writing elsewhere"));
}

static bool is_said_open(const char *path)
{
    bool said = false;

    assert_ok(drx_check(path, note_open, &said, NULL, NULL));
    return said;
}

TEST(sharers_keep_all_others_away)
{
    drx_array *a, *b, *reader;

    make("a");
    make("other");
    assert_ok(drx_open("a", DRX_SHARED, &a));
    assert_kept("a");
    assert_ok(drx_open("a", DRX_SHARED, &b));
    assert_ok(drx_close(a));
    assert_kept("a");
    assert_true(is_said_open("a"));
    assert_ok(drx_open("a", DRX_RDONLY, &reader));
    assert_ok(drx_close(reader));
    assert_ok(drx_duplicate("a", "copy", DRX_REPLACE, NULL, NULL));
    assert_ok(drx_close(b));
    assert_false(is_said_open("a"));
    assert_ok(drx_open("a", DRX_RDWR, &a));
    assert_status(drx_open("a", DRX_SHARED, &b), DRX_EBUSY);
    assert_detail("a.xmd: open for writing elsewhere");
    assert_true(is_said_open("a"));
    assert_ok(drx_close(a));
    assert_ok(drx_rename("a", "elsewhere", 0));
    assert_ok(drx_remove("elsewhere"));
}

static struct drxi_files hooked;

static drx_status open_protected(const char *path, enum drxi_how how, drxi_io **out)
{
    return how == DRXI_WRITE ? drxi_fail(DRX_EACCES, "%s: protected", path) : drxi_posix.open(path, how, out);
}

TEST(protected_files_are_kept_too)
{
    drx_array *a;

    make("a");
    assert_ok(drx_open("a", DRX_SHARED, &a));
    hooked = drxi_posix;
    hooked.open = open_protected;
    drxi_files = &hooked;
    assert_status(drx_remove("a"), DRX_EBUSY);
    assert_status(drx_rename("a", "elsewhere", 0), DRX_EBUSY);
    assert_status(drx_duplicate("a", "elsewhere", DRX_MOVE, NULL, NULL), DRX_EBUSY);
    drxi_files = &drxi_posix;
    assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_close(a));
    drxi_files = &hooked;
    assert_ok(drx_rename("a", "elsewhere", 0));
    drxi_files = &drxi_posix;
    assert_ok(drx_remove("elsewhere"));
}

/* A process that holds such a file excludes even writers that would share it. */
TEST(readers_that_hold_are_waited_for)
{
    drxi_io *meta;
    drx_array *a;

    make("a");
    assert_ok(drxi_files->open("a.xmd", DRXI_READ, &meta));
    assert_ok(meta->ops->lock(meta, DRXI_LOCK_ALONE));
    drxi_hooks.patience_ms = 150;
    assert_status(drx_open("a", DRX_SHARED, &a), DRX_EBUSY);
    drxi_hooks.patience_ms = 30000;
    assert_ok(meta->ops->close(meta));
    assert_ok(drx_open("a", DRX_SHARED, &a));
    assert_ok(drx_close(a));
}

/* Twice as many looks as patience has, each after 100 ms (change.c), were nothing done. */
enum { PATIENCE_MS = 300, LOOKS = 6 };

/* What the one who waits and the one who has the lock tell each other. */
static volatile struct {
    bool held, over;
    int looks, works; /* the holder works once for each look, before it is taken */
} * told;

static const struct drxi_io_ops *usual;

static bool hold(int ignored)
{
    drx_array *a;

    if (!did(drx_open("a", DRX_SHARED, &a)) || !did(drxi_begin_log_change(a)))
        return false;
    told->held = true;
    while (!told->over) {
        const int32_t value = told->works;

        (void)usleep(1000);
        if (told->works == told->looks)
            continue;
        if (!did(drx_put(a, (int64_t[]){ 0, 0 }, &value)) || !did(drxi_pool_flush(a->data.file->pool)))
            return false;
        told->works++;
    }
    drxi_end_log_change(a);
    return did(drx_close(a));
}

static drx_status look_after_work(drxi_io *io, uint64_t *stamp)
{
    told->looks++;
    while (told->works < told->looks)
        (void)usleep(1000);
    told->over = told->looks == LOOKS;
    return usual->stamp(io, stamp);
}

/* With those who work, not with those who do nothing. */
TEST(patience)
{
    told = common(sizeof *told);
    drxi_hooks.patience_ms = PATIENCE_MS;
    for (int works = 0; works < 2; works++) {
        struct drxi_io_ops looking;
        drx_array *a;
        pid_t pid;

        make("a");
        assert_ok(drx_open("a", DRX_SHARED, &a));
        looking = *a->log.io->ops;
        looking.stamp = look_after_work;
        usual = a->log.io->ops;
        told->held = told->over = false;
        told->looks = told->works = 0;
        pid = start(hold, 0);
        while (!told->held)
            (void)usleep(1000);
        if (works) {
            a->log.io->ops = &looking;
            assert_ok(drx_extend(a, 0, 1));
            assert_string_equal(drx_last_error(), "");
            a->log.io->ops = usual;
        } else {
            assert_status(drx_extend(a, 0, 1), DRX_EBUSY);
            assert_detail("a.xmd: another process has begun to change it, and has done nothing for");
            assert_int_equal(drx_shape(a)[0], 2);
            told->over = true;
        }
        finish(pid);
        assert_ok(drx_extend(a, 0, 1));
        assert_int_equal(drx_shape(a)[0], 3 + works);
        assert_ok(drx_close(a));
    }
    drxi_hooks.patience_ms = 30000;
}

TEST(several_handles_of_one_process)
{
    const int32_t slab[4] = { 1, 2, 3, 4 };
    int64_t lo[2], count[2];
    drx_array *a, *b;
    int32_t value;

    make("a");
    assert_ok(drx_open("a", DRX_SHARED, &a));
    assert_ok(drx_open("a", DRX_SHARED, &b));
    assert_ok(drx_extend(a, 1, 1));
    assert_int_equal(drx_shape(b)[1], 3);
    assert_status(drx_append(b, 0, 1, DRX_ROW_MAJOR, slab), DRX_EMISMATCH); /* of three columns */
    assert_detail("axis 1: the slab has the indices 0 to 2, the array 0 to 3 now");
    assert_int_equal(drx_shape(b)[1], 4);
    assert_ok(drx_append(b, 0, 1, DRX_ROW_MAJOR, slab));
    assert_ok(drx_attr_set_text(b, "of", "b"));
    assert_status(drx_attr_get(a, "of", NULL, NULL, NULL), DRX_ENOENT);
    assert_ok(drx_refresh(a));
    assert_ok(drx_attr_get(a, "of", NULL, NULL, NULL));
    assert_int_equal(drx_shape(a)[0], 3);
    assert_ok(drx_get(a, (int64_t[]){ 2, 3 }, &value));
    assert_int_equal(value, 4);
    assert_ok(drx_reserve(a, 0, 2, lo, count));
    assert_int_equal(lo[0], 3);
    assert_ok(drx_reserve(b, 0, 2, lo, count));
    assert_int_equal(lo[0], 5);
    assert_ok(drx_attr_delete(a, "of"));
    assert_status(drx_attr_delete(b, "of"), DRX_ENOENT);
    assert_ok(drx_sync(a));
    assert_ok(drx_sync(b));
    assert_ok(drx_close(a));
    assert_ok(drx_extend(b, 0, 1));
    assert_int_equal(drx_shape(b)[0], 8);
    assert_ok(drx_close(b));
    assert_ok(drx_check("a", NULL, NULL, NULL, NULL));
}

/* What one handle has read, mapped or put does not hide what another writes beside it. */
TEST(neighbours_are_never_stale)
{
    drx_array *a, *b;

    make("a");
    assert_ok(drx_open("a", DRX_SHARED, &a));
    assert_ok(drx_open("a", DRX_SHARED, &b));
    for (int32_t i = 1; i < 100; i++) {
        const int32_t mine = i, his = -i;
        int32_t row[3];

        assert_ok(drx_put(a, (int64_t[]){ 0, 0 }, &mine));
        assert_ok(drx_write(b, (int64_t[]){ 0, 1 }, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &his));
        assert_ok(drx_get(a, (int64_t[]){ 0, 1 }, &row[1]));
        assert_int_equal(row[1], his);
        assert_ok(drx_read(a, (int64_t[]){ 0, 0 }, (int64_t[]){ 1, 3 }, DRX_ROW_MAJOR, row));
        assert_int_equal(row[0], mine);
        assert_int_equal(row[1], his);
        assert_ok(drx_get(b, (int64_t[]){ 0, 0 }, &row[0]));
        assert_int_equal(row[0], mine);
    }
    assert_ok(drx_close(a));
    assert_ok(drx_close(b));
}

/* Of a writer alone, too. */
TEST(locks_go_with_the_handle)
{
    static const unsigned modes[] = { DRX_SHARED, DRX_RDWR };

    for (int i = 0; i < 2; i++) {
        drx_array *a, *b;
        pid_t child;

        make("a");
        assert_ok(drx_open("a", modes[i], &a));
        end(start(idle, 0));
        assert_status(drx_open("a", DRX_RDWR, &b), DRX_EBUSY); /* that of the child does not end it */
        child = start(idle, 0);
        assert_ok(drx_close(a));
        assert_ok(drx_open("a", DRX_RDWR, &b)); /* and does not keep it */
        assert_ok(drx_close(b));
        end(child);
    }
}

TEST(no_file_is_open_after_exec)
{
    drx_array *a;
    int open_files = 0;

    make("a");
    assert_ok(drx_open("a", DRX_SHARED, &a));
    assert_ok(drx_extend(a, 0, 1));
    for (int fd = 0; fd < 100; fd++) {
        char name[64], file[256];
        ssize_t n;

        (void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        n = readlink(name, file, sizeof file);
        if (n < 6 || (memcmp(file + n - 6, "/a.xmd", 6) != 0 && memcmp(file + n - 6, "/a.xta", 6) != 0))
            continue;
        assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        open_files++;
    }
    assert_int_equal(open_files, 2);
    assert_ok(drx_close(a));
}

/* ---- writes of elements beside a trim ---- */

struct beside {
    pthread_t thread;
    drx_array *a;
    atomic_bool done;
};

/* The growth uses cells again that the trim has left in a chunk. */
static void *trim_and_grow(void *arg)
{
    struct beside *b = arg;

    assert_ok(drx_trim(b->a, 0, 0, 1));
    assert_ok(drx_extend(b->a, 0, 1));
    atomic_store(&b->done, true);
    return NULL;
}

static void *write_first(void *arg)
{
    struct beside *b = arg;

    assert_ok(drx_write(b->a, (int64_t[]){ 0, 0 }, (int64_t[]){ 1, 3 }, DRX_ROW_MAJOR, (int32_t[]){ 7, 7, 7 }));
    atomic_store(&b->done, true);
    return NULL;
}

/* Cells that a trim has left are used again when no write is under way, and writes that come wait for that. */
TEST(growth_waits_for_writes_and_they_for_it)
{
    struct beside grower = { .done = false }, writer = { .done = false };
    drx_array *a;

    make_int32("waits", (int64_t[]){ 4, 3 }, (int64_t[]){ 8, 4 }, 0, DRX_ROW_MAJOR, 0);
    assert_ok(drx_open("waits", DRX_SHARED, &a));
    assert_ok(drx_open("waits", DRX_SHARED, &grower.a));
    assert_ok(drx_open("waits", DRX_SHARED, &writer.a));
    assert_ok(drxi_begin_write(a));
    assert_int_equal(pthread_create(&grower.thread, NULL, trim_and_grow, &grower), 0);
    (void)usleep(100000);
    assert_int_equal(pthread_create(&writer.thread, NULL, write_first, &writer), 0);
    (void)usleep(100000);
    assert_false(atomic_load(&grower.done));
    assert_false(atomic_load(&writer.done));
    drxi_end_write(a);
    assert_int_equal(pthread_join(grower.thread, NULL), 0);
    assert_int_equal(pthread_join(writer.thread, NULL), 0);
    assert_true(atomic_load(&grower.done) && atomic_load(&writer.done));
    assert_ok(drx_close(a));
    assert_ok(drx_close(grower.a));
    assert_ok(drx_close(writer.a));
    assert_ok(drx_check("waits", NULL, NULL, NULL, NULL));
}
