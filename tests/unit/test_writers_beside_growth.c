/* Threads write while another one grows, trims and syncs the array. What they write is kept, in memory and on disk.
 *
 *   DRX_SEED       repeats a run
 *   DRX_MODEL_OPS  changes in each run, default 150 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "array/array.h"
#include "base/hooks.h"
#include "drx_tools.h"
#include "testing.h"

enum { THREADS = 3, ROWS = 7, ALL_ROWS = THREADS * ROWS, COLS = 24, MOST = 60, CHANGES = 150 };

struct writer {
    pthread_t thread;
    int id; /* its rows begin at id * ROWS */
    uint64_t seed;
    int64_t model[ROWS][COLS], buf[ROWS * COLS], list[ROWS * COLS][2];
    char wrong[300]; /* empty: nothing is */
};

struct box {
    int64_t lo[2], count[2];
};

static drx_array *a;
static struct writer writers[THREADS];
static atomic_bool stop;
static struct box now; /* the bounds */
static uint64_t seed;

/* ---- a random history ---- */

static void check(struct writer *w, drx_status st, const struct box *b, const char *what)
{
    const int64_t row = b->lo[0] - w->id * ROWS;

    if (st)
        snprintf(w->wrong, sizeof w->wrong, "%s: status %d (%s)", what, (int)st, drx_last_error());
    for (int64_t i = 0; !w->wrong[0] && i < b->count[0] * b->count[1]; i++) {
        const int64_t r = row + i / b->count[1], c = b->lo[1] + i % b->count[1];

        if (w->buf[i] != w->model[r][c])
            snprintf(w->wrong, sizeof w->wrong, "%s: writer %d: element %d,%d is %lld, not %lld", what, w->id, (int)r,
                     (int)c, (long long)w->buf[i], (long long)w->model[r][c]);
    }
}

/* A box of the writer's rows: often all rows or all columns, so all cells of a chunk. */
static struct box draw(struct writer *w)
{
    const int64_t all[2] = { ROWS, COLS };
    struct box b;

    for (int j = 0; j < 2; j++) {
        b.lo[j] = random_below(&w->seed, 3) ? random_below(&w->seed, all[j]) : 0;
        b.count[j] = b.lo[j] ? 1 + random_below(&w->seed, all[j] - b.lo[j]) : all[j];
    }
    b.lo[0] += w->id * ROWS;
    return b;
}

/* The elements of the box, one by one. */
static int64_t list_all(struct writer *w, const struct box *b)
{
    const int64_t n = b->count[0] * b->count[1];

    for (int64_t i = 0; i < n; i++) {
        w->list[i][0] = b->lo[0] + i / b->count[1];
        w->list[i][1] = b->lo[1] + i % b->count[1];
    }
    return n;
}

enum { ELEMENT, BOX, POINTS, WAYS };

static void write_something(struct writer *w, struct box b, int how)
{
    drx_status st;

    if (how == ELEMENT)
        b.count[0] = b.count[1] = 1;
    for (int64_t i = 0; i < b.count[0] * b.count[1]; i++)
        w->model[b.lo[0] - w->id * ROWS + i / b.count[1]][b.lo[1] + i % b.count[1]] = w->buf[i] =
            random_below(&w->seed, 1 << 30) | 1;
    st = how == ELEMENT ? drx_put(a, b.lo, w->buf)
         : how == BOX   ? drx_write(a, b.lo, b.count, DRX_ROW_MAJOR, w->buf)
                        : drx_write_points(a, list_all(w, &b), w->list[0], w->buf);
    check(w, st, &b, (const char *[]){ "a put", "a write", "points written" }[how]);
}

static void read_something(struct writer *w, struct box b, int how)
{
    drx_status st;

    if (how == ELEMENT)
        b.count[0] = b.count[1] = 1;
    memset(w->buf, 0, sizeof w->buf);
    st = how == ELEMENT ? drx_get(a, b.lo, w->buf)
         : how == BOX   ? drx_read(a, b.lo, b.count, DRX_ROW_MAJOR, w->buf)
                        : drx_read_points(a, list_all(w, &b), w->list[0], w->buf);
    check(w, st, &b, (const char *[]){ "a get", "a read", "points read" }[how]);
}

/* What grows may be inquired meanwhile. */
static void inquire(struct writer *w)
{
    int64_t index[2], c[2], address;
    drx_status st = drx_chunk_address(a, (int64_t[]){ 0, 0 }, &address);
    int axis;

    st = st ? st : drx_chunk_index(a, address, index);
    st = st ? st : drx_axial_record(a, 0, 0, &index[0], &address, c);
    if (!st && drx_growth_count(a) > 0)
        st = drx_growth(a, 0, &axis, &address);
    check(w, st, &(struct box){ { w->id * ROWS, 0 }, { 0, 0 } }, "an inquiry");
}

static void *keep_writing(void *arg)
{
    struct writer *w = arg;

    while (!atomic_load(&stop) && !w->wrong[0]) {
        const struct box b = draw(w);
        const int how = (int)random_below(&w->seed, WAYS);

        if (random_below(&w->seed, 4))
            write_something(w, b, how);
        else
            read_something(w, b, how);
        inquire(w);
        (void)sched_yield();
    }
    return NULL;
}

static int64_t *elements_of(const struct box *b)
{
    static int64_t values[(MOST + 4) * (MOST + 4)];

    for (int64_t i = 0; i < b->count[0] * b->count[1]; i++)
        values[i] = ((b->lo[0] + i / b->count[1] + 1000) * 10000 + b->lo[1] + i % b->count[1] + 1000) * 2;
    return values;
}

struct pieces {
    struct box slab;
    int axis;
    int64_t until;
};

static drx_status give_up(void *with, int64_t done, int64_t *n, const void **buf)
{
    const struct pieces *p = with;
    struct box piece = p->slab;

    if (done >= p->until)
        return DRX_EINTERRUPTED;
    piece.lo[p->axis] += done;
    piece.count[p->axis] = *n = 1;
    *buf = elements_of(&piece);
    return DRX_OK;
}

static void check_fill(const struct box *b, int64_t fill)
{
    static int64_t got[MOST * MOST];

    assert_ok(drx_read(a, b->lo, b->count, DRX_ROW_MAJOR, got));
    for (int64_t i = 0; i < b->count[0] * b->count[1]; i++)
        assert_int_equal(got[i], fill);
}

static void grow(int how, int64_t fill)
{
    const int axis = (int)random_below(&seed, 2);
    const bool low = random_below(&seed, 2);
    const int64_t by = 1 + random_below(&seed, 4);
    struct pieces p = { now, axis, 1 + random_below(&seed, by) };

    if (now.count[axis] + by >= MOST)
        return;
    p.slab.lo[axis] = low ? now.lo[axis] - by : now.lo[axis] + now.count[axis];
    p.slab.count[axis] = by;
    if (how == 0)
        assert_status((low ? drx_prepend_pieces : drx_append_pieces)(a, axis, by, DRX_ROW_MAJOR, give_up, &p),
                      DRX_EINTERRUPTED);
    if (how < 2) {
        assert_ok((low ? drx_extend_before : drx_extend)(a, axis, by));
        if (how == 0)
            check_fill(&p.slab, fill);
        assert_ok(drx_write(a, p.slab.lo, p.slab.count, DRX_ROW_MAJOR, elements_of(&p.slab)));
    } else {
        assert_ok((low ? drx_prepend : drx_append)(a, axis, by, DRX_ROW_MAJOR, elements_of(&p.slab)));
    }
    now.lo[axis] -= low ? by : 0;
    now.count[axis] += by;
}

static void trim(void)
{
    const int axis = (int)random_below(&seed, 2);
    const int64_t own = axis == 0 ? ALL_ROWS : COLS;
    const int64_t before = random_below(&seed, 1 - now.lo[axis]);
    const int64_t after = random_below(&seed, now.count[axis] + now.lo[axis] - own + 1);

    assert_ok(drx_trim(a, axis, before, after));
    now.lo[axis] += before;
    now.count[axis] -= before + after;
}

/* What lies around the rows of the writers. */
static void check_around(void)
{
    static int64_t got[MOST * MOST];
    const int64_t end[2] = { now.lo[0] + now.count[0], now.lo[1] + now.count[1] };
    const struct box part[] = { { { now.lo[0], now.lo[1] }, { -now.lo[0], now.count[1] } },
                                { { ALL_ROWS, now.lo[1] }, { end[0] - ALL_ROWS, now.count[1] } },
                                { { 0, now.lo[1] }, { ALL_ROWS, -now.lo[1] } },
                                { { 0, COLS }, { ALL_ROWS, end[1] - COLS } } };

    for (int i = 0; i < 4; i++) {
        assert_ok(drx_read(a, part[i].lo, part[i].count, DRX_ROW_MAJOR, got));
        assert_memory_equal(got, elements_of(&part[i]), (size_t)(part[i].count[0] * part[i].count[1]) * sizeof *got);
    }
}

static void check_writers(void)
{
    for (int i = 0; i < THREADS; i++) {
        struct writer *w = &writers[i];
        const struct box b = { { i * ROWS, 0 }, { ROWS, COLS } };

        if (!w->wrong[0])
            check(w, drx_read(a, b.lo, b.count, DRX_ROW_MAJOR, w->buf), &b, "at the end");
        if (w->wrong[0])
            fail_msg("%s", w->wrong);
    }
}

static void play(const drx_spec *spec, const char *path, bool trims, bool syncs)
{
    const char *text = getenv("DRX_MODEL_OPS");
    const int64_t n = text ? strtoll(text, NULL, 10) : CHANGES;

    now = (struct box){ { 0, 0 }, { ALL_ROWS, COLS } };
    assert_ok(drx_create(path, spec, &a));
    atomic_store(&stop, false);
    memset(writers, 0, sizeof writers);
    for (int i = 0; i < THREADS; i++) {
        const struct box b = { { i * ROWS, 0 }, { ROWS, COLS } };

        writers[i].id = i;
        writers[i].seed = seed + (uint64_t)i;
        assert_ok(drx_write(a, b.lo, b.count, DRX_ROW_MAJOR, writers[i].buf));
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&writers[i].thread, NULL, keep_writing, &writers[i]), 0);
    for (int64_t i = 0; i < n; i++) {
        const int what = (int)random_below(&seed, 8);

        if (what < 5)
            grow(what, spec->fill ? *(const int64_t *)spec->fill : 0);
        else if (what < 7 && trims)
            trim();
        else if (syncs)
            assert_ok(drx_sync(a));
        if (i % 5 == 0)
            assert_ok(drx_attr_set(a, "step", DRX_INT64, 1, &i));
        if (i % 20 == 10)
            assert_ok(drx_set_pool(a, (size_t)(i % 3) << 14));
        check_around();
    }
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
    check_writers();
    if (path && !(spec->flags & DRX_TEMPORARY)) {
        assert_ok(drx_close(a));
        assert_ok(drx_open(path, DRX_RDWR, &a));
        check_writers();
        check_around();
    }
    assert_ok(drx_close(a));
}

static void play_all(drx_spec spec, const char *path)
{
    spec.ndim = 2;
    spec.type = DRX_INT64;
    spec.shape = (int64_t[]){ ALL_ROWS, COLS };
    spec.chunk = (int64_t[]){ 5, 7 };
    spec.flags |= path ? DRX_REPLACE : 0;
    seed = starting_seed(0);
    for (int i = 0; i < 4; i++) {
        drxi_hooks.long_bytes = i % 2 ? 1 : 1 << 20;
        play(&spec, path, i != 3, i != 2);
    }
    drxi_hooks.long_bytes = 1 << 20;
}

static const int64_t seven = 7;
static const char *const folders[] = { ".", ".", "." };

TEST(raw)
{
    play_all((drx_spec){ .fill = &seven }, "raw");
}

TEST(checksummed)
{
    drx_set_verify(1);
    play_all((drx_spec){ .flags = DRX_CHECKSUM }, "checksummed");
    drx_set_verify(0);
}

TEST(compressed)
{
    play_all((drx_spec){ .codec = DRX_LZ4, .fill = &seven }, "compressed");
}

TEST(striped)
{
    play_all((drx_spec){ .nstripes = 3, .stripes = folders }, "striped");
    play_all((drx_spec){ .nstripes = 2, .stripes = folders, .flags = DRX_CHECKSUM }, "both");
}

TEST(in_memory)
{
    play_all((drx_spec){ .flags = 0 }, NULL);
    play_all((drx_spec){ .flags = DRX_TEMPORARY }, "temporary");
}

/* ---- a write that is held up in the table of calls ---- */

static struct {
    const struct drxi_io_ops *inner;
    struct drxi_io_ops mine;
    sem_t writing, go;
    long seconds, nanoseconds; /* the write waits for `go` at most so long */
    atomic_bool hold;
    atomic_int syncs, since; /* since: syncs that began after the write was stored */
} held;

static drx_status held_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    const bool hold = atomic_exchange(&held.hold, false);
    struct timespec until;
    drx_status st;

    if (hold) {
        (void)sem_post(&held.writing);
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += held.seconds + (until.tv_nsec + held.nanoseconds) / 1000000000;
        until.tv_nsec = (until.tv_nsec + held.nanoseconds) % 1000000000;
        (void)sem_timedwait(&held.go, &until);
    }
    st = held.inner->write(io, buf, n, offset);
    if (hold)
        atomic_store(&held.since, 0);
    return st;
}

static drx_status held_sync(drxi_io *io)
{
    drx_status st;

    (void)atomic_fetch_add(&held.since, 1);
    st = held.inner->sync(io);
    if (atomic_fetch_add(&held.syncs, 1) == 0)
        (void)sem_post(&held.go);
    return st;
}

static pthread_t thread;

/* Start `run`, and return when its write is held up. */
static void start_held(drxi_io *io, void *(*run)(void *), long seconds, long nanoseconds)
{
    held.inner = io->ops;
    held.mine = *io->ops;
    held.mine.write = held_write;
    held.mine.sync = held_sync;
    io->ops = &held.mine;
    held.seconds = seconds;
    held.nanoseconds = nanoseconds;
    (void)sem_init(&held.writing, 0, 0);
    (void)sem_init(&held.go, 0, 0);
    atomic_store(&held.syncs, 0);
    atomic_store(&held.since, 0);
    atomic_store(&held.hold, true);
    assert_int_equal(pthread_create(&thread, NULL, run, NULL), 0);
    (void)sem_wait(&held.writing);
}

static void join_thread(void)
{
    void *st;

    assert_int_equal(pthread_join(thread, &st), 0);
    assert_ok((drx_status)(intptr_t)st);
}

static int64_t values[600 * 600];

/* Each has a name of its own: a test that fails leaves its array open. */
static void make(int64_t rows, int64_t cols, const int64_t chunk[2], drx_spec spec)
{
    static int made;
    char name[30];

    snprintf(name, sizeof name, "held%d", made++);
    for (int64_t i = 0; i < rows * cols; i++)
        values[i] = i + 1;
    spec.ndim = 2;
    spec.type = DRX_INT64;
    spec.shape = (int64_t[]){ rows, cols };
    spec.chunk = chunk;
    spec.flags |= DRX_REPLACE;
    assert_ok(drx_create(name, &spec, &a));
}

static void *write_four(void *unused)
{
    return (void *)(intptr_t)drx_write(a, (int64_t[]){ 0, 3 }, (int64_t[]){ 1, 4 }, DRX_ROW_MAJOR, values);
}

/* The write ends after the first half of a sync, which took what there was to sync. */
TEST(write_across_first_half)
{
    int64_t got;

    make(1, 64, (int64_t[]){ 1, 16 }, (drx_spec){ .flags = 0 });
    assert_ok(drx_sync(a));
    assert_ok(drx_put(a, (int64_t[]){ 0, 40 }, values));
    assert_ok(drx_read(a, (int64_t[]){ 0, 40 }, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &got)); /* flushes the pool */
    start_held(a->data.file->io, write_four, 5, 0);
    assert_ok(drx_sync(a));
    join_thread();
    assert_ok(drx_sync(a));
    assert_true(atomic_load(&held.since) > 0);
    assert_ok(drx_close(a));
}

static void *write_all(void *unused)
{
    return (void *)(intptr_t)drx_write(a, (int64_t[]){ 0, 0 }, (int64_t[]){ 350, 4 }, DRX_ROW_MAJOR, values);
}

TEST(long_write_across_a_growth)
{
    int64_t got[10];

    drxi_hooks.long_bytes = 1;
    make(350, 4, (int64_t[]){ 5, 7 }, (drx_spec){ .codec = DRX_LZ4 });
    start_held(a->data.file->pack->payloads, write_all, 5, 0);
    assert_ok(drx_extend(a, 1, 2));
    assert_ok(drx_write(a, (int64_t[]){ 345, 4 }, (int64_t[]){ 5, 2 }, DRX_ROW_MAJOR, values + 700));
    (void)sem_post(&held.go);
    join_thread();
    assert_ok(drx_read(a, (int64_t[]){ 345, 4 }, (int64_t[]){ 5, 2 }, DRX_ROW_MAJOR, got));
    assert_memory_equal(got, values + 700, sizeof got);
    assert_ok(drx_close(a));
    drxi_hooks.long_bytes = 1 << 20;
}

static void *rewrite(void *unused)
{
    return (void *)(intptr_t)drx_write(a, (int64_t[]){ 0, 0 }, (int64_t[]){ 5, 4 }, DRX_ROW_MAJOR, values);
}

static drx_status next_column(void *with, int64_t done, int64_t *n, const void **buf)
{
    if (done == 1) {
        assert_int_equal(pthread_create(&thread, NULL, rewrite, NULL), 0);
        join_thread();
    }
    if (done < 2)
        *n = 1;
    *buf = values + 100 + done * 5;
    return DRX_OK;
}

/* Another thread writes all cells that a chunk had, when the first of two new columns is written. */
static void beside_append(drx_spec spec)
{
    int64_t got[10];

    make(5, 4, (int64_t[]){ 5, 7 }, spec);
    for (int i = 0; i < 110; i++)
        values[i] = i + 1;
    assert_ok(drx_write(a, (int64_t[]){ 0, 0 }, (int64_t[]){ 5, 4 }, DRX_ROW_MAJOR, values));
    assert_ok(drx_append_pieces(a, 1, 2, DRX_ROW_MAJOR, next_column, NULL));
    assert_ok(drx_read(a, (int64_t[]){ 0, 4 }, (int64_t[]){ 5, 2 }, DRX_COL_MAJOR, got));
    assert_memory_equal(got, values + 100, sizeof got);
    assert_ok(drx_close(a));
}

TEST(write_beside_append)
{
    beside_append((drx_spec){ .flags = 0 });
    beside_append((drx_spec){ .flags = DRX_CHECKSUM });
    beside_append((drx_spec){ .codec = DRX_LZ4 });
}

static struct {
    const struct drxi_io_ops *inner;
    struct drxi_io_ops mine;
    int writes, syncs, syncs_before; /* before the second write */
} counted;

static void *put_one(void *unused)
{
    return (void *)(intptr_t)drx_put(a, (int64_t[]){ 0, 50 }, values);
}

static drx_status counted_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    if (counted.writes++ == 0) { /* the sync flushes the pool */
        assert_int_equal(pthread_create(&thread, NULL, put_one, NULL), 0);
        usleep(100000); /* it waits for the pool */
    } else {
        counted.syncs_before = counted.syncs;
    }
    return counted.inner->write(io, buf, n, offset);
}

static drx_status counted_sync(drxi_io *io)
{
    counted.syncs++;
    return counted.inner->sync(io);
}

TEST(put_beside_first_half)
{
    make(1, 64, (int64_t[]){ 1, 16 }, (drx_spec){ .flags = 0 });
    assert_ok(drx_sync(a));
    counted.inner = a->data.file->io->ops;
    counted.mine = *counted.inner;
    counted.mine.write = counted_write;
    counted.mine.sync = counted_sync;
    a->data.file->io->ops = &counted.mine;
    assert_ok(drx_put(a, (int64_t[]){ 0, 40 }, values));
    assert_ok(drx_sync(a));
    join_thread();
    assert_ok(drx_sync(a));
    assert_int_equal(counted.writes, 2);
    assert_true(counted.syncs > counted.syncs_before);
    assert_ok(drx_close(a));
}

static void *write_first(void *unused)
{
    return (void *)(intptr_t)drx_write(a, (int64_t[]){ 0, 0 }, (int64_t[]){ 1, 1024 }, DRX_ROW_MAJOR, values + 5000);
}

/* A growth raises the epoch. What the last SYNC promised is overwritten only when something newer is durable. */
TEST(epoch_beside_a_growth)
{
    struct drxi_entry e;
    int64_t promised;
    bool kept = false;

    drxi_hooks.long_bytes = 1;
    make(1, 4096, (int64_t[]){ 1, 1024 }, (drx_spec){ .codec = DRX_LZ4 });
    assert_ok(drx_write(a, (int64_t[]){ 0, 0 }, (int64_t[]){ 1, 4096 }, DRX_ROW_MAJOR, values));
    assert_ok(drx_sync(a));
    assert_ok(drx_trim(a, 1, 0, 8)); /* leaves elements in the last chunk */
    assert_ok(drx_sync(a));
    assert_ok(drxi_pack_entry(a->data.file->pack, 0, &e));
    promised = e.half[drxi_entry_newer(&e)].offset;
    start_held(a->data.file->pack->payloads, write_first, 0, 100000000);
    assert_ok(drx_append(a, 1, 8, DRX_ROW_MAJOR, values));
    join_thread();
    assert_int_equal(pthread_create(&thread, NULL, write_first, NULL), 0);
    join_thread();
    assert_ok(drxi_pack_entry(a->data.file->pack, 0, &e));
    for (int k = 0; k < 2; k++)
        kept = kept || (e.half[k].there && e.half[k].offset == promised);
    assert_true(kept || atomic_load(&held.since) > 0);
    assert_ok(drx_close(a));
    drxi_hooks.long_bytes = 1 << 20;
}

enum { N = 600, BY = 30 };
static int64_t slab[BY * N];
static int begun;
static atomic_bool written;

static drx_status next_slab(void *with, int64_t done, int64_t *n, const void **buf)
{
    if (done == BY)
        return DRX_OK;
    atomic_store(&written, true);
    *n = BY;
    *buf = slab;
    return DRX_OK;
}

static void *append_slab(void *unused)
{
    return (void *)(intptr_t)drx_append_pieces(a, 0, BY, DRX_ROW_MAJOR, next_slab, NULL);
}

static int start_append(void *user, int64_t done, int64_t all)
{
    if (begun++ == 0) {
        assert_int_equal(pthread_create(&thread, NULL, append_slab, NULL), 0);
        usleep(50000);
        assert_false(atomic_load(&written));
    }
    return 0;
}

/* A growth of the target waits until the copy is over. */
TEST(copy_into_an_array_that_grows)
{
    static int64_t got[BY * N];
    drx_array *from;

    make(N - 5, N, (int64_t[]){ 64, 64 }, (drx_spec){ .flags = 0 });
    for (int i = 0; i < 5; i++) /* so that the vectors have room, and the next growth moves none */
        assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_write(a, (int64_t[]){ 0, 0 }, (int64_t[]){ N, N }, DRX_ROW_MAJOR, values));
    assert_ok(drx_copy(a, "from", &(drx_copy_spec){ .flags = DRX_REPLACE }, &from));
    for (int i = 0; i < BY * N; i++)
        slab[i] = -1 - i;
    assert_ok(drx_copy_into(from, a, &(drx_copy_spec){ .memory_bytes = 1 << 20, .progress = start_append }));
    join_thread();
    assert_true(begun > 1);
    assert_ok(drx_read(a, (int64_t[]){ N, 0 }, (int64_t[]){ BY, N }, DRX_ROW_MAJOR, got));
    assert_memory_equal(got, slab, sizeof slab);
    assert_ok(drx_close(from));
    assert_ok(drx_close(a));
}

/* The detail of a failure belongs to the thread that failed. */
static void *fail_elsewhere(void *arg)
{
    drx_array *none;

    return drx_open("not here", DRX_RDONLY, &none) == DRX_ENOENT ? arg : NULL;
}

TEST(details_are_per_thread)
{
    drx_array *none;
    pthread_t other;
    void *result;

    assert_status(drx_open("nothing", DRX_RDONLY, &none), DRX_ENOENT);
    assert_int_equal(pthread_create(&other, NULL, fail_elsewhere, &a), 0);
    assert_int_equal(pthread_join(other, &result), 0);
    assert_non_null(result);
    assert_detail("nothing.xmd");
}
