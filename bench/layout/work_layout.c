/* Copies a matrix into another layout, and reads it by requests that fit its chunks or do not. There are two matrices,
 * in chunks of whole rows: a square, and one half as high and twice as wide. A copy of either is `copy`. */
#include <drx.h>
#include <drx_tools.h>
#include <inttypes.h>
#include <string.h>

#include "../serial/peer_drx.h"
#include "tools.h"

enum { SQUARE, WIDE };
enum { CHUNK_ROWS, CHUNK_COLUMNS, TURNED }; /* arguments of copying and checking; TURNED: the axes change places */
enum { ROWS, COLUMNS, BEGIN, STEP };        /* those of reading: requests BEGIN, BEGIN + STEP, ..., of this shape */

static const char *const matrix_names[] = { "square", "wide" };
static const char copy_name[] = "copy";

/* 16384 x 16384 doubles in chunks of 8 rows, or 8192 x 32768 in chunks of 4, when size is 512. */
static struct layout matrix_layout(int64_t matrix, int64_t size)
{
    const int64_t rows = matrix == SQUARE ? 32 * size : 16 * size, columns = 1024 * size * size / rows;

    return (struct layout){ 2, { rows, columns }, { matrix == SQUARE ? 8 : 4, columns } };
}

static void swap(int64_t pair[2])
{
    const int64_t first = pair[0];

    pair[0] = pair[1];
    pair[1] = first;
}

static struct layout copy_layout(const struct work *work, const struct job *job)
{
    struct layout layout = matrix_layout(work->number, job->size);

    if (job->argument[TURNED])
        swap(layout.extent);
    layout.chunk[0] = job->argument[CHUNK_ROWS];
    layout.chunk[1] = job->argument[CHUNK_COLUMNS];
    return layout;
}

static enum outcome expect_shape(const struct layout *layout, int64_t rows, int64_t columns)
{
    if (rows > 0 && columns > 0 && layout->extent[0] % rows == 0 && layout->extent[1] % columns == 0)
        return DONE;
    return complain("%" PRId64 " x %" PRId64 " does not divide %" PRId64 " x %" PRId64, rows, columns,
                    layout->extent[0], layout->extent[1]);
}

static enum outcome run_build(const struct work *work, const struct job *job)
{
    const struct layout layout = matrix_layout(work->number, job->size);

    return build_array(job, matrix_names[work->number], &layout);
}

/* The plan of the copy, and of the copy itself all that a user's program would do. */
static drx_copy_spec spec_of(const struct job *job)
{
    static const int turned[2] = { 1, 0 };

    return (drx_copy_spec){ .permute = job->argument[TURNED] ? turned : NULL,
                            .chunk = job->argument,
                            .memory_bytes = copy_memory_bytes(job) };
}

static drx_status answer_plan(const char *path, const struct job *job)
{
    const drx_copy_spec spec = spec_of(job);
    drx_copy_plan plan;
    drx_array *a;
    drx_status st = drx_open(path, DRX_RDONLY, &a);

    if (st)
        return st;
    st = drx_plan_copy(a, &spec, &plan, NULL, 0, NULL);
    (void)drx_close(a);
    answer_integer("passes", plan.passes);
    answer_integer("memory_bytes", plan.memory_bytes);
    answer_integer("read_calls", plan.read_calls);
    answer_integer("write_calls", plan.write_calls);
    return st;
}

/* Cold: the copy is durable in the end. */
enum outcome copy_drx(const char *from, const char *to, const struct job *job)
{
    const drx_copy_spec spec = spec_of(job);
    drx_array *a, *b = NULL;
    drx_status st = drx_open(from, DRX_RDONLY, &a), closed;

    if (st)
        return of_drx(st);
    st = drx_copy(a, to, &spec, &b);
    if (!st && job->cold)
        st = drx_sync(b);
    closed = drx_close(b);
    st = st ? st : closed;
    closed = drx_close(a);
    return of_drx(st ? st : closed);
}

static enum outcome run_copy(const struct work *work, const struct job *job)
{
    const struct peer *const peer = job->peer;
    const bool ours = peer->copy == copy_drx;
    const struct layout layout = copy_layout(work, job);
    const char *const from = path_of(job, matrix_names[work->number]), *const to = path_of(job, copy_name);
    enum outcome outcome = expect_shape(&layout, layout.chunk[0], layout.chunk[1]);
    double start;

    if (!peer->copy || (job->argument[TURNED] && !ours && peer != &peer_cp))
        return DECLINED;
    remove_files(peer->suffixes, to);
    if (outcome == DONE && ours)
        outcome = of_drx(answer_plan(from, job));
    if (outcome == DONE)
        outcome = settle_cache(peer->suffixes, from, job->cold);
    if (outcome != DONE)
        return outcome;
    start = now();
    outcome = peer->copy(from, to, job);
    if (outcome == DONE && job->cold && !ours)
        outcome = sync_files(peer->suffixes, to);
    answer_number("seconds", now() - start);
    answer_integer("bytes", box_elements(2, layout.extent) * (int64_t)sizeof(double));
    return outcome;
}

/* One chunk of the copy, whose elements are those of the matrix, or of the matrix turned. */
static enum outcome check_chunk(const struct peer *peer, void *array, int64_t lo[2], const struct layout *layout,
                                bool turned, double *out)
{
    int64_t count[2] = { layout->chunk[0], layout->chunk[1] };
    enum outcome outcome;

    memset(out, 0xff, (size_t)box_elements(2, count) * sizeof *out);
    outcome = read_box(peer, array, lo, count, out);
    if (outcome != DONE || !turned)
        return outcome == DONE ? check_box(2, lo, count, false, out) : outcome;
    swap(lo);
    swap(count);
    outcome = check_box(2, lo, count, true, out);
    swap(lo);
    return outcome;
}

/* Is every element of the copy right? A tool that keeps the layout keeps every byte. */
static enum outcome run_check(const struct work *work, const struct job *job)
{
    const struct peer *peer = job->peer;
    const struct layout layout = copy_layout(work, job);
    const char *const path = path_of(job, copy_name);
    enum outcome outcome = expect_shape(&layout, layout.chunk[0], layout.chunk[1]);
    double *out;
    void *array;

    if (outcome != DONE)
        return outcome;
    if (!peer->open)
        return compare_copy(matrix_names[work->number], path, job);
    out = buffer(SLAB, (size_t)box_elements(2, layout.chunk) * sizeof *out);
    if (!out || peer->open(peer, path, &layout, WHOLE, &array) != DONE)
        return FAILED;
    for (int64_t i = 0; i < layout.extent[0] && outcome == DONE; i += layout.chunk[0])
        for (int64_t j = 0; j < layout.extent[1] && outcome == DONE; j += layout.chunk[1])
            outcome = check_chunk(peer, array, (int64_t[2]){ i, j }, &layout, job->argument[TURNED], out);
    return peer->close(array) != DONE && outcome == DONE ? FAILED : outcome;
}

/* Requests number the matrix in C order. The last one read is checked, or all. */
static enum outcome read_requests(void *array, const struct layout *layout, const struct job *job, bool check_all,
                                  double *out)
{
    const int64_t count[2] = { job->argument[ROWS], job->argument[COLUMNS] };
    const int64_t across = layout->extent[1] / count[1], all = layout->extent[0] / count[0] * across;
    int64_t n = 0, lo[2] = { 0 };
    enum outcome outcome = DONE;
    double start, seconds;

    memset(out, 0xff, (size_t)(count[0] * count[1]) * sizeof *out);
    start = now();
    for (int64_t at = job->argument[BEGIN]; at < all && outcome == DONE; at += job->argument[STEP], n++) {
        lo[0] = at / across * count[0];
        lo[1] = at % across * count[1];
        outcome = job->peer->read(array, lo, count, out);
        if (check_all && outcome == DONE)
            outcome = check_box(2, lo, count, false, out);
    }
    seconds = now() - start;
    if (outcome == DONE && n > 0)
        outcome = check_box(2, lo, count, false, out);
    answer_number("seconds", seconds);
    answer_integer("requests", n);
    answer_integer("all_requests", all);
    return outcome;
}

/* From the matrix, or from its copy; by one of several processes. The page cache is as it is. */
static enum outcome run_requests(const struct work *work, const struct job *job)
{
    const bool check_all = work->access == WHOLE;
    const struct layout layout = matrix_layout(WIDE, job->size);
    const char *const path = path_of(job, work->number < 0 ? copy_name : matrix_names[work->number]);
    enum outcome outcome = expect_shape(&layout, job->argument[ROWS], job->argument[COLUMNS]);
    double *out;
    void *array;

    if (outcome != DONE)
        return outcome;
    if (job->argument[BEGIN] < 0 || job->argument[STEP] < 1)
        return complain("expected the first request >= 0 and a step >= 1");
    out = buffer(SLAB, (size_t)(job->argument[ROWS] * job->argument[COLUMNS]) * sizeof *out);
    if (!out || job->peer->open(job->peer, path, &layout, BOXES, &array) != DONE)
        return FAILED;
    outcome = read_requests(array, &layout, job, check_all, out);
    return job->peer->close(array) != DONE && outcome == DONE ? FAILED : outcome;
}

const struct work layout_works[] = {
    { "build-square", run_build, WHOLE, SQUARE, NULL },
    { "build-wide", run_build, WHOLE, WIDE, NULL },
    { "drop-square", drop_array, WHOLE, SQUARE, NULL },
    { "drop-wide", drop_array, WHOLE, WIDE, NULL },
    { "drop-copy", drop_array, WHOLE, -1, NULL },
    { "settle-wide", settle_array, WHOLE, WIDE, NULL },
    { "settle-copy", settle_array, WHOLE, -1, NULL },
    { "copy-square", run_copy, WHOLE, SQUARE, NULL },
    { "copy-wide", run_copy, WHOLE, WIDE, NULL },
    { "check-square", run_check, WHOLE, SQUARE, NULL },
    { "check-wide", run_requests, WHOLE, WIDE, NULL },
    { "check-copy", run_requests, WHOLE, -1, NULL },
    { "read-wide", run_requests, BOXES, WIDE, NULL },
    { "read-copy", run_requests, BOXES, -1, NULL },
    { 0 },
};
