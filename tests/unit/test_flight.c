/* Reads that are under way at once: each gives what the file holds, whoever carries it. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hooks.h"
#include "drx_tools.h"
#include "io/flight.h"
#include "io/schedule.h"
#include "io/stripes.h"
#include "processes.h"
#include "testing.h"

enum { FILE_BYTES = 3 << 20, READS = 500, LANDERS = 3, UNIT = 8192 };

static uint8_t *expected;

static drxi_io *new_file(const char *path, const uint8_t *bytes, size_t n)
{
    drxi_io *io;

    assert_ok(drxi_files->open(path, DRXI_NEW, &io));
    assert_ok(io->ops->write(io, bytes, n, 0));
    assert_ok(io->ops->sync(io));
    return io;
}

static void fill_expected(void)
{
    uint64_t stream = 1;

    if (!expected)
        expected = malloc(FILE_BYTES);
    assert_non_null(expected);
    for (size_t i = 0; i < FILE_BYTES; i++)
        expected[i] = (uint8_t)random_next(&stream);
}

/* The file of `expected`, in one piece or as units in turn in three. */
static drxi_io *open_one(void)
{
    fill_expected();
    return new_file("one", expected, FILE_BYTES);
}

static drxi_io *open_set(void)
{
    static const char *const path[] = { "a", "b", "c" };
    drxi_io *file[3], *set;

    fill_expected();
    for (int k = 0; k < 3; k++)
        file[k] = new_file(path[k], expected, 0);
    assert_ok(drxi_stripes_join(file, 3, UNIT, "set", &set));
    assert_ok(set->ops->write(set, expected, FILE_BYTES, 0));
    return set;
}

struct job {
    struct drxi_flight *flight;
    struct drxi_flying *reads;
    int completed;
};

static void check(const struct drxi_flying *r)
{
    const int64_t left = drxi_max(FILE_BYTES - r->offset, 0);

    if (r->got != r->bytes) { /* it ended at the end of the file */
        assert_true((int64_t)r->bytes > left);
        return;
    }
    assert_memory_equal(r->buf, expected + r->offset, r->bytes);
}

static void *land_some(void *arg)
{
    struct job *job = arg;
    struct drxi_flying *r;

    while ((r = drxi_flight_await(job->flight))) {
        check(r);
        (void)__atomic_add_fetch(&job->completed, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* Reads of any place and length, some beyond the end, complete in several threads. */
static void read_at_random(drxi_io *io, enum drxi_manner manner)
{
    uint64_t stream = starting_seed(7);
    struct drxi_flying *reads = calloc(READS, sizeof *reads);
    uint8_t *memory, *bytes = aligned_alloc(4096, (size_t)READS * 4 * UNIT);
    struct job job = { .reads = reads };
    pthread_t thread[LANDERS];

    assert_non_null(bytes);
    assert_ok(drxi_flight_open(&job.flight, &memory));
    memset(memory, 1, DRXI_FLIGHT_BYTES);
    for (int i = 0; i < LANDERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, land_some, &job), 0);
    for (int i = 0; i < READS; i++) {
        const int64_t grain = random_below(&stream, 2) ? DRXI_FLIGHT_ALIGNMENT : 1;

        reads[i] = (struct drxi_flying){ .io = io,
                                         .offset = random_below(&stream, FILE_BYTES / grain) * grain,
                                         .bytes = (size_t)((1 + random_below(&stream, 4 * UNIT / grain)) * grain),
                                         .buf = bytes + (size_t)i * 4 * UNIT,
                                         .manner = manner };
        drxi_flight_send(job.flight, &reads[i]);
    }
    drxi_flight_end(job.flight);
    for (int i = 0; i < LANDERS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(job.completed, READS);
    assert_null(drxi_flight_reap(job.flight));
    drxi_flight_close(job.flight);
    free(reads);
    free(bytes);
}

static void read_every_way(drxi_io *io)
{
    for (int way = 0; way < 2 * DRXI_MANNERS; way++) {
        drxi_hooks.no_ring = way % 2;
        read_at_random(io, way / 2);
    }
    drxi_hooks.no_ring = false;
    assert_ok(io->ops->close(io));
}

/* A read that goes alone does as one of a flight. */
static void read_alone(drxi_io *io)
{
    uint64_t stream = starting_seed(8);
    uint8_t *buf = aligned_alloc(4096, 4 * UNIT);

    assert_non_null(buf);
    for (int i = 0; i < READS; i++) {
        const int64_t grain = random_below(&stream, 2) ? DRXI_FLIGHT_ALIGNMENT : 1;
        struct drxi_flying r = { .io = io,
                                 .offset = random_below(&stream, FILE_BYTES / grain) * grain,
                                 .bytes = (size_t)((1 + random_below(&stream, 4 * UNIT / grain)) * grain),
                                 .buf = buf,
                                 .manner = i % DRXI_MANNERS };

        drxi_flight_alone(&r);
        check(&r);
    }
    free(buf);
}

TEST(alone)
{
    drxi_io *one = open_one(), *set = open_set(), *memory;
    struct drxi_flying r = { .bytes = 4, .buf = &(uint32_t){ 0 }, .got = 4 };

    read_alone(one);
    read_alone(set);
    assert_ok(drxi_memory_open(&memory));
    r.io = memory;
    drxi_flight_alone(&r);
    assert_int_equal(r.got, 0); /* no call of the system reads it */
    assert_ok(one->ops->close(one));
    assert_ok(set->ops->close(set));
    assert_ok(memory->ops->close(memory));
}

TEST(one_file)
{
    read_every_way(open_one());
}

TEST(stripes)
{
    read_every_way(open_set());
}

/* Bytes that no call of the system reads complete at once, and none has come. */
TEST(memory)
{
    struct drxi_flying read = { .bytes = 4 };
    struct drxi_flight *f;
    uint8_t *memory;

    assert_ok(drxi_memory_open(&read.io));
    assert_ok(drxi_flight_open(&f, &memory));
    read.buf = memory;
    drxi_flight_send(f, &read);
    assert_ptr_equal(drxi_flight_reap(f), &read);
    assert_int_equal(read.got, 0);
    assert_null(drxi_flight_reap(f));
    drxi_flight_close(f);
    assert_ok(read.io->ops->close(read.io));
}

/* Once started, a read that nobody waits for comes in. */
TEST(started)
{
    struct drxi_flying read = { .io = open_one(), .offset = UNIT, .bytes = 4 * UNIT };

    for (int way = 0; way < 2 * DRXI_MANNERS; way++) {
        struct drxi_flight *f;
        uint8_t *memory;

        drxi_hooks.no_ring = way % 2;
        read.manner = way / 2;
        assert_ok(drxi_flight_open(&f, &memory));
        memset(memory, 0, read.bytes);
        read.buf = memory;
        drxi_flight_outlives(f);
        drxi_flight_send(f, &read);
        (void)alarm(120);
        while (memcmp(memory, expected + read.offset, read.bytes) != 0)
            (void)usleep(1000);
        (void)alarm(0);
        assert_ptr_equal(drxi_flight_reap(f), &read);
        drxi_flight_close(f);
    }
    drxi_hooks.no_ring = false;
    assert_ok(read.io->ops->close(read.io));
}

/* Where the system makes rings and refuses to use them, threads read. A ring that is at work cannot be taken away, so a
 * child, which has none, tries. */
TEST(refused_rings)
{
    drxi_io *io;
    pid_t child;

    skip_if_emulated();
    io = open_one();
    child = fork();

    if (child == 0) {
        (void)alarm(60);
        drxi_hooks.no_enter = true;
        read_at_random(io, DRXI_SCATTERED);
        read_at_random(io, DRXI_DIRECTLY);
        _exit(0);
    }
    finish(child);
    assert_ok(io->ops->close(io));
}

/* A ring may stop working later, as after a filter of system calls: then what it has not taken completes unread, and
 * threads read what follows. */
TEST(rings_that_stop)
{
    enum { SOME = 5 };
    drxi_io *io;
    pid_t child;

    skip_if_emulated();
    io = open_one();
    child = fork();

    if (child == 0) {
        struct drxi_flying reads[SOME], *r;
        uint8_t *memory;
        struct drxi_flight *f;
        int completed = 0;

        (void)alarm(60);
        read_at_random(io, DRXI_SCATTERED);
        drxi_hooks.no_enter = true;
        assert_ok(drxi_flight_open(&f, &memory)); /* with the ring of these reads */
        for (int i = 0; i < SOME; i++) {
            reads[i] = (struct drxi_flying){ .io = io, .bytes = 1, .buf = memory + i, .manner = DRXI_SCATTERED };
            drxi_flight_send(f, &reads[i]);
        }
        for (; (r = drxi_flight_reap(f)); completed++)
            assert_int_equal(r->got, 0);
        assert_int_equal(completed, SOME);
        drxi_flight_close(f);
        read_at_random(io, DRXI_SCATTERED);
        _exit(0);
    }
    finish(child);
    assert_ok(io->ops->close(io));
}

/* ---- reads that nobody waits for ---- */

enum { MANY = 4000 }; /* of the whole file, which take seconds */

/* Send them all, which bring the same bytes to the same place. */
static struct drxi_flight *send_many(drxi_io *io, bool outlive, struct drxi_flying reads[], uint8_t *buf)
{
    struct drxi_flight *f;
    uint8_t *memory;

    assert_ok(drxi_flight_open(&f, &memory));
    if (outlive)
        drxi_flight_outlives(f);
    for (int i = 0; i < MANY; i++) {
        reads[i] = (struct drxi_flying){ .io = io, .bytes = FILE_BYTES, .buf = buf };
        drxi_flight_send(f, &reads[i]);
    }
    return f;
}

/* Cancel them; each completes once, with all or nothing. Returns how many have brought nothing. */
static int cancel(struct drxi_flight *f, struct drxi_flying reads[])
{
    struct drxi_flying *r;
    int completed = 0, nothing = 0;

    drxi_flight_cancel(f);
    for (; (r = drxi_flight_reap(f)); completed++) {
        assert_in_range(r - reads, 0, MANY - 1);
        assert_true(r->got == 0 || r->got == FILE_BYTES);
        nothing += r->got == 0;
        r->got = 1; /* seen */
    }
    drxi_flight_close(f);
    assert_int_equal(completed, MANY);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(reads[i].got, 1);
    return nothing;
}

/* They are cancelled while they wait, and other reads do not wait for them. */
TEST(cancelled)
{
    drxi_io *io = open_one();
    struct drxi_flying *reads = calloc(MANY, sizeof *reads);
    uint8_t *buf = malloc(FILE_BYTES), *memory;
    int nothing;

    assert_non_null(reads);
    assert_non_null(buf);
    for (int others = 0; others < 2; others++) {
        struct drxi_flight *f = send_many(io, true, reads, buf), *other;
        struct drxi_flying read = { .io = io, .bytes = UNIT };

        if (others) {
            assert_ok(drxi_flight_open(&other, &memory));
            read.buf = memory;
            drxi_flight_send(other, &read);
            assert_ptr_equal(drxi_flight_reap(other), &read);
            assert_memory_equal(memory, expected, UNIT);
            drxi_flight_cancel(other); /* nothing is under way */
            drxi_flight_close(other);
        }
        nothing = cancel(f, reads);
        assert_true(nothing > 0);
        if (nothing < MANY)
            assert_memory_equal(buf, expected, FILE_BYTES);
    }
    free(reads);
    free(buf);
    assert_ok(io->ops->close(io));
}

struct wait {
    struct drxi_flight *flight;
    int completed;
    bool begun;
};

static void *wait_for_all(void *arg)
{
    struct wait *w = arg;
    struct drxi_flying *r;

    __atomic_store_n(&w->begun, true, __ATOMIC_RELAXED);
    for (; (r = drxi_flight_reap(w->flight)); w->completed++)
        check(r);
    return NULL;
}

/* Some wait behind many others. Somebody begins to wait for them; then come many more. Returns whether they have
 * completed before those. */
static bool come_before(drxi_io *io, struct drxi_flying *many[2], struct drxi_flying some[], uint8_t *buf)
{
    struct drxi_flight *before = send_many(io, false, many[0], buf), *after;
    struct wait w = { .completed = 0 };
    pthread_t thread;
    uint8_t *memory;

    assert_ok(drxi_flight_open(&w.flight, &memory));
    drxi_flight_outlives(w.flight);
    for (int i = 0; i < READS; i++) {
        some[i] = (struct drxi_flying){ .io = io, .offset = UNIT, .bytes = UNIT, .buf = memory };
        drxi_flight_send(w.flight, &some[i]);
    }
    assert_int_equal(pthread_create(&thread, NULL, wait_for_all, &w), 0);
    while (!__atomic_load_n(&w.begun, __ATOMIC_RELAXED))
        (void)usleep(1000);
    (void)usleep(100000); /* it has come to wait, unless the machine is very busy */
    after = send_many(io, false, many[1], buf);
    (void)cancel(before, many[0]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(w.completed, READS);
    drxi_flight_close(w.flight);
    return cancel(after, many[1]) > 0;
}

/* Once somebody waits for them, they take their turn among the reads of others. */
TEST(waited_for)
{
    enum { TRIES = 5 };
    drxi_io *io = open_one();
    struct drxi_flying *many[2] = { calloc(MANY, sizeof *many[0]), calloc(MANY, sizeof *many[0]) };
    struct drxi_flying *some = calloc(READS, sizeof *some);
    uint8_t *buf = malloc(FILE_BYTES);
    bool before = false;

    assert_true(many[0] && many[1] && some && buf);
    for (int i = 0; i < TRIES && !before; i++)
        before = come_before(io, many, some, buf);
    assert_true(before);
    free(many[0]);
    free(many[1]);
    free(some);
    free(buf);
    assert_ok(io->ops->close(io));
}

/* ---- memory ---- */

enum { IDLE = 4 };

/* Have this many flights at once, and close them, each with `mark` in its memory unless that is 0. Returns how many had
 * something there before. */
static int use_flights(uint8_t mark)
{
    struct drxi_flight *f[IDLE];
    uint8_t *memory[IDLE];
    int marked = 0;

    for (int i = 0; i < IDLE; i++) {
        assert_ok(drxi_flight_open(&f[i], &memory[i]));
        marked += memory[i][0] != 0 && memory[i][DRXI_FLIGHT_BYTES - 1] != 0;
        if (mark)
            memset(memory[i], mark, DRXI_FLIGHT_BYTES);
    }
    for (int i = 0; i < IDLE; i++)
        drxi_flight_close(f[i]);
    return marked;
}

/* While a limit of memory is set, one flight at most keeps its pages when it is idle. */
TEST(pages)
{
    (void)use_flights(1);
    assert_int_equal(use_flights(0), IDLE);
    drx_set_memory(16 << 20);
    assert_int_equal(use_flights(0), IDLE);
    assert_int_equal(use_flights(1), 1);
    assert_int_equal(use_flights(1), 1);
    drx_set_memory(0);
    assert_int_equal(use_flights(1), 1);
    assert_int_equal(use_flights(1), IDLE);
}

/* A child has neither the rings of its parent nor its threads. */
TEST(forking)
{
    drxi_io *io;

    skip_if_emulated();
    io = open_one();
    for (int threads = 0; threads < 2; threads++) {
        pid_t child;

        drxi_hooks.no_ring = threads;
        read_at_random(io, DRXI_SCATTERED);
        child = fork();
        if (child == 0) {
            (void)alarm(60);
            read_at_random(io, DRXI_SCATTERED);
            _exit(0);
        }
        finish(child);
        read_at_random(io, DRXI_SCATTERED);
    }
    drxi_hooks.no_ring = false;
    assert_ok(io->ops->close(io));
}

/* Extents that are read with the gaps before them, in little memory: as many are added as there is room for, gaps
 * included, and each read brings what the file holds. */
TEST(gaps_take_room)
{
    enum { MOST = 26 * DRXI_FLIGHT_ALIGNMENT };
    uint64_t random = starting_seed(0);
    drxi_io *file = open_one();

    for (int round = 0; round < 200; round++) {
        struct drxi_schedule s = {
            .io = file, .gap_bytes = 16 * DRXI_FLIGHT_ALIGNMENT, .read_bytes = MOST / 2, .most_bytes = MOST
        };
        int64_t begin = random_below(&random, 1000), bytes = 48, read = 0, added = 0;
        const struct drxi_fetch *r;

        assert_ok(drxi_schedule_open(&s));
        do {
            drxi_schedule_pass(&s);
            while (begin + bytes < FILE_BYTES / 2 && drxi_schedule_takes(&s, begin, begin + bytes)) {
                assert_ok(drxi_schedule_add(&s, begin, begin + bytes, NULL));
                added = begin + bytes;
                begin = added + (random_below(&random, 8) ? 1000 : random_below(&random, s.gap_bytes));
                bytes = random_below(&random, 20) ? 48 : 1 + random_below(&random, s.read_bytes);
            }
            r = drxi_schedule_next(&s);
            if (r) {
                assert_true(r->begin >= read);
                assert_int_equal(r->flying.got, r->flying.bytes);
                assert_memory_equal(drxi_fetch_bytes(r), expected + r->begin, (size_t)(r->end - r->begin));
                read = r->end;
            }
        } while (r);
        assert_true(read == added && begin + bytes >= FILE_BYTES / 2);
        drxi_schedule_close(&s);
    }
    assert_ok(file->ops->close(file));
}
