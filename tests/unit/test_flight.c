/* Reads that are under way at once: each gives what the file holds, whoever carries it. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hooks.h"
#include "io/flight.h"
#include "io/stripes.h"
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
    int landed;
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
        (void)__atomic_add_fetch(&job->landed, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* Reads of any place and length, some beyond the end, land in several threads. */
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
    assert_int_equal(job.landed, READS);
    assert_null(drxi_flight_land(job.flight));
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

TEST(one_file)
{
    read_every_way(open_one());
}

TEST(stripes)
{
    read_every_way(open_set());
}

/* Bytes that no call of the system reads land at once, and none has come. */
TEST(memory)
{
    struct drxi_flying read = { .bytes = 4 };
    struct drxi_flight *f;
    uint8_t *memory;

    assert_ok(drxi_memory_open(&read.io));
    assert_ok(drxi_flight_open(&f, &memory));
    read.buf = memory;
    drxi_flight_send(f, &read);
    assert_ptr_equal(drxi_flight_land(f), &read);
    assert_int_equal(read.got, 0);
    assert_null(drxi_flight_land(f));
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
        assert_ptr_equal(drxi_flight_land(f), &read);
        drxi_flight_close(f);
    }
    drxi_hooks.no_ring = false;
    assert_ok(read.io->ops->close(read.io));
}

/* A child has neither the rings of its parent nor its threads. */
TEST(forking)
{
    drxi_io *io = open_one();

    for (int threads = 0; threads < 2; threads++) {
        pid_t child;
        int status;

        drxi_hooks.no_ring = threads;
        read_at_random(io, DRXI_SCATTERED);
        child = fork();
        if (child == 0) {
            (void)alarm(60);
            read_at_random(io, DRXI_SCATTERED);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        read_at_random(io, DRXI_SCATTERED);
    }
    drxi_hooks.no_ring = false;
    assert_ok(io->ops->close(io));
}
