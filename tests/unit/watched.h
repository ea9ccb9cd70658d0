/* An array "watched" that a writer of this process changes, and readers of it that know what it holds. */
#ifndef WATCHED_H
#define WATCHED_H

#include "array/replica.h"
#include "drx_tools.h"
#include "testing.h"

enum { MIDDLE = 64, SIDE = 2 * MIDDLE, MOST = 24, CHUNK = 3, FILL = -1 };

/* The elements of a two-dimensional array, at [MIDDLE + i][MIDDLE + j]. */
struct model {
    int64_t lower[2], upper[2];
    int32_t at[SIDE][SIDE];
};

static struct model now;
static int32_t latest; /* value; each is written once */
static drx_array *writer;

static inline int32_t *cell(struct model *m, int64_t i, int64_t j)
{
    return &m->at[MIDDLE + i][MIDDLE + j];
}

static inline void create_as(unsigned flags, unsigned how)
{
    static const int64_t shape[2] = { 0, 4 }, chunk[2] = { CHUNK, CHUNK };
    static const int32_t fill = FILL;
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .fill = &fill, .flags = DRX_REPLACE | flags
    };

    memset(&now, 0, sizeof now);
    now.upper[1] = 4;
    assert_ok(drxi_create("watched", &spec, DRXI_FILLED | how, &writer));
}

static inline void create(unsigned flags)
{
    create_as(flags, 0);
}

static inline void append(int axis, int64_t by, bool before)
{
    int64_t count[2] = { now.upper[0] - now.lower[0], now.upper[1] - now.lower[1] }, at[2] = { 0 };
    int64_t first[2] = { now.lower[0], now.lower[1] };
    int32_t slab[SIDE * SIDE];
    int n = 0;

    count[axis] = by;
    first[axis] = before ? now.lower[axis] - by : now.upper[axis];
    if (count[0] > 0 && count[1] > 0)
        do
            *cell(&now, first[0] + at[0], first[1] + at[1]) = slab[n++] = ++latest;
        while (next_index(2, count, at));
    assert_ok(before ? drx_prepend(writer, axis, by, DRX_ROW_MAJOR, slab)
                     : drx_append(writer, axis, by, DRX_ROW_MAJOR, slab));
    *(before ? &now.lower[axis] : &now.upper[axis]) += before ? -by : by;
}

/* Nothing changes in what was trimmed, so that readers may still read it. */
static inline void trim_alone(int axis, int64_t before, int64_t after)
{
    assert_ok(drx_trim(writer, axis, before, after));
    now.lower[axis] += before;
    now.upper[axis] -= after;
}

/* Its space is given back. */
static inline void trim(int axis, int64_t before, int64_t after)
{
    trim_alone(axis, before, after);
    assert_ok(drx_sync(writer));
}

static inline drx_array *open_reader(void)
{
    drx_array *r;

    assert_ok(drx_open("watched", DRX_RDONLY, &r));
    return r;
}

/* With this many rows. */
static inline void create_rows(int64_t rows)
{
    create(0);
    append(0, rows, false);
}

/* Two writers in the place of the one. */
static inline void share(drx_array **a, drx_array **b)
{
    assert_ok(drx_close(writer));
    assert_ok(drx_open("watched", DRX_SHARED, a));
    assert_ok(drx_open("watched", DRX_SHARED, b));
}

/* A reader of this many rows; and the end of it, and of the writer. */
static inline drx_array *watch(int64_t rows)
{
    create_rows(rows);
    return open_reader();
}

static inline void end_watch(drx_array *r)
{
    assert_ok(drx_close(r));
    assert_ok(drx_close(writer));
}

static inline void expect(drx_array *r, int64_t i, int64_t j, int32_t value)
{
    int32_t got = 0;

    assert_ok(drx_get(r, (int64_t[]){ i, j }, &got));
    assert_int_equal(got, value);
}

static inline void expect_trimmed(drx_array *r, int64_t i, int64_t j)
{
    int32_t got;
    const drx_box box = { .lo = (int64_t[]){ i, j }, .count = (int64_t[]){ 1, 1 } };
    drx_request *req;

    assert_status(drx_get(r, (int64_t[]){ i, j }, &got), DRX_ERANGE);
    assert_detail("trim");
    assert_status(drx_read(r, (int64_t[]){ i, j }, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &got), DRX_ERANGE);
    assert_status(drx_read_points(r, 1, (int64_t[]){ i, j }, &got), DRX_ERANGE);
    assert_ok(drx_read_async(r, &box, &got, &req));
    assert_status(drx_wait(req), DRX_ERANGE);
}

/* ---- replicas, as the ranks of an MPI job have them ------------------------ */

/* A copy of the log as a handle knows it. */
struct copy {
    uint8_t *bytes;
    int64_t n;
};

static inline struct copy take_copy(drx_array *root)
{
    struct copy c;

    assert_ok(drxi_read_log(root, 0, &c.bytes, &c.n));
    return c;
}

static inline drx_array *open_replica(struct copy c)
{
    drx_array *r;

    assert_ok(drxi_open_replica("watched", false, NULL, c.bytes, c.n, &r));
    return r;
}

static inline void close_replica(drx_array *r)
{
    drxi_set_parallel(r, false);
    assert_ok(drx_close(r));
}

/* The handle that drxmp_open has on another rank than the first. */
static inline drx_array *open_other_rank(void)
{
    drx_array *root = open_reader(), *r;
    const struct copy c = take_copy(root);

    r = open_replica(c);
    drxi_free(c.bytes);
    assert_ok(drx_close(root));
    return r;
}

#endif
