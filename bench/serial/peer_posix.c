/* A contiguous file of elements in C order: it grows along axis 0 only. Three settings: read by pread, a row of the
 * box at a time (adjacent rows as one); by pread in two threads, which share out a whole read; and through a map. Of a
 * group, each rank reads and writes its own rows. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../common/bench.h"

enum { MAX_THREADS = 8, TILE = 16 };

struct contiguous {
    const struct peer *peer;
    struct layout layout;
    int fd;
    enum access access;
    const double *map; /* NULL: pread */
};

static size_t whole_bytes(const struct layout *layout)
{
    return (size_t)box_elements(layout->ndim, layout->extent) * sizeof(double);
}

static enum outcome close_file(void *handle)
{
    struct contiguous *c = handle;
    int failed = 0;

    if (c->map)
        failed |= munmap((void *)c->map, whole_bytes(&c->layout));
    failed |= close(c->fd);
    free(c);
    return failed ? complain("close: %s", strerror(errno)) : DONE;
}

static enum outcome open_file(const struct peer *peer, const char *path, const struct layout *layout, int flags,
                              struct contiguous **out)
{
    char file[PATH_BYTES + 8];
    struct contiguous *c = calloc(1, sizeof *c);

    *out = NULL;
    if (!c)
        return complain("no memory");
    snprintf(file, sizeof file, "%s.raw", path);
    c->fd = open(file, flags | O_CLOEXEC, 0666);
    if (c->fd < 0) {
        free(c);
        return complain("%s: %s", file, strerror(errno));
    }
    c->peer = peer;
    c->layout = *layout;
    *out = c;
    return DONE;
}

/* One rank makes it. */
static enum outcome create_contiguous(const struct peer *peer, const char *path, const struct layout *layout,
                                      enum access access, void **out)
{
    struct contiguous *c = NULL;
    enum outcome outcome = DONE;

    (void)access;
    if (bench_rank == 0)
        outcome = open_file(peer, path, layout, O_RDWR | O_CREAT | O_EXCL, &c);
    wait_for_all();
    if (bench_rank != 0)
        outcome = open_file(peer, path, layout, O_RDWR, &c);
    *out = c;
    return outcome;
}

static enum outcome open_contiguous(const struct peer *peer, const char *path, const struct layout *layout,
                                    enum access access, void **out)
{
    struct contiguous *c;
    void *map;

    *out = NULL;
    if (open_file(peer, path, layout, O_RDONLY, &c) != DONE)
        return FAILED;
    c->access = access;
    if (peer->best) {
        map = mmap(NULL, whole_bytes(layout), PROT_READ, MAP_SHARED, c->fd, 0);
        if (map == MAP_FAILED) {
            (void)close_file(c);
            return complain("mmap: %s", strerror(errno));
        }
        c->map = map;
    }
    *out = c;
    return DONE;
}

static enum outcome grow(void *handle, int axis, int64_t by, const double *slab)
{
    struct contiguous *c = handle;
    const int64_t offset = (int64_t)whole_bytes(&c->layout);
    size_t bytes;

    c->layout.extent[axis] += by;
    bytes = whole_bytes(&c->layout) - (size_t)offset;
    return move_bytes(c->fd, true, (void *)slab, bytes, offset);
}

/* Rows that follow each other in the file, as one. */
static enum outcome move_box(void *handle, bool writing, const int64_t lo[], const int64_t count[], double *elements)
{
    const struct contiguous *c = handle;
    const int64_t *n = c->layout.extent;
    const int last = c->layout.ndim - 1;
    /* as three axes, the first of extent 1 where there are two */
    const int64_t planes = last == 2 ? count[0] : 1, plane = last == 2 ? lo[0] : 0;
    const int64_t row_elements = n[last], plane_elements = n[last - 1] * row_elements;
    int64_t rows = count[last - 1], run = count[last], repeats = planes;

    if (run == row_elements) {
        run *= rows;
        rows = 1;
        if (run == plane_elements) {
            run *= repeats;
            repeats = 1;
        }
    }
    for (int64_t i = 0; i < repeats; i++)
        for (int64_t j = 0; j < rows; j++, elements += run) {
            const int64_t at = (plane + i) * plane_elements + (lo[last - 1] + j) * row_elements + lo[last];

            if (!c->map) {
                if (move_bytes(c->fd, writing, elements, (size_t)run * sizeof *elements,
                               at * (int64_t)sizeof *elements) != DONE)
                    return FAILED;
            } else if (run == 1) {
                *elements = c->map[at];
            } else {
                memcpy(elements, c->map + at, (size_t)run * sizeof *elements);
            }
        }
    return DONE;
}

static enum outcome read_contiguous(void *handle, const int64_t lo[], const int64_t count[], double *out)
{
    return move_box(handle, false, lo, count, out);
}

static enum outcome move(void *handle, bool writing, const struct part *part, double *elements)
{
    return move_by_slabs(move_box, handle, writing, part, elements);
}

static enum outcome get(void *handle, const int64_t index[], double *out)
{
    const struct contiguous *c = handle;
    const int64_t *n = c->layout.extent;
    const int64_t at =
        c->layout.ndim == 3 ? (index[0] * n[1] + index[1]) * n[2] + index[2] : index[0] * n[1] + index[1];

    if (c->map) {
        *out = c->map[at];
        return DONE;
    }
    return move_bytes(c->fd, false, out, sizeof *out, at * (int64_t)sizeof *out);
}

/* The part of a whole read that a thread does: indices begin to end of an axis. */
struct share {
    const struct contiguous *c;
    int64_t begin, end;
    double *stage, *out;
    enum outcome outcome;
};

static void read_planes(struct share *part)
{
    const int64_t *n = part->c->layout.extent;
    const size_t plane = (size_t)(n[1] * n[2]) * sizeof(double);

    part->outcome = move_bytes(part->c->fd, false, part->out + part->begin * n[1] * n[2],
                               (size_t)(part->end - part->begin) * plane, part->begin * (int64_t)plane);
}

/* Fortran order, of the indices begin to end of axis 1: by slabs that stay in the processor's cache. */
static void transpose_rows(struct share *part)
{
    const int64_t *n = part->c->layout.extent;

    part->outcome = DONE;
    for (int64_t j = part->begin; j < part->end; j += TILE)
        for (int64_t i = 0; i < n[0]; i += TILE) {
            const int64_t lo[3] = { i, j, 0 };
            const int64_t count[3] = { TILE, j + TILE < part->end ? TILE : part->end - j, n[2] };

            part->outcome = read_contiguous((void *)part->c, lo, count, part->stage);
            if (part->outcome != DONE)
                return;
            transpose_slab(&part->c->layout, lo, count, part->stage, part->out, false);
        }
}

static void *run_part(void *arg)
{
    struct share *part = arg;

    if (part->c->access == FORTRAN)
        transpose_rows(part);
    else
        read_planes(part);
    return NULL;
}

static enum outcome share_out(const struct contiguous *c, int64_t extent, double *out)
{
    const int threads = c->peer->threads;
    const int64_t stage = TILE * TILE * c->layout.extent[2];
    double *stages = buffer(STAGE, (size_t)(threads * stage) * sizeof *stages);
    struct share parts[MAX_THREADS];
    pthread_t ids[MAX_THREADS];
    enum outcome outcome = DONE;
    int started = 1;

    if (!stages)
        return FAILED;
    for (int t = 0; t < threads; t++)
        parts[t] = (struct share){ c, t * extent / threads, (t + 1) * extent / threads, stages + t * stage, out, DONE };
    while (started < threads && pthread_create(&ids[started], NULL, run_part, &parts[started]) == 0)
        started++;
    run_part(&parts[0]);
    for (int t = 1; t < started; t++)
        pthread_join(ids[t], NULL);
    for (int t = 0; t < threads; t++)
        if (t >= started || parts[t].outcome != DONE)
            outcome = FAILED;
    return outcome == DONE ? DONE : complain("a thread failed");
}

static enum outcome read_shared(void *handle, const int64_t lo[], const int64_t count[], double *out)
{
    const struct contiguous *c = handle;

    (void)lo, (void)count; /* all of it: the only thing that is not declined */
    return c->access == WHOLE && c->layout.ndim == 3 && count[0] == c->layout.extent[0]
               ? share_out(c, count[0], out)
               : read_contiguous(handle, lo, count, out);
}

/* Straight from the map in blocks, or by slabs. */
static enum outcome read_fortran(void *handle, const struct layout *layout, double *out)
{
    const struct contiguous *c = handle;
    const int64_t lo[3] = { 0 };

    if (!c->map)
        return share_out(c, layout->extent[1], out);
    transpose_slab(layout, lo, layout->extent, (double *)(uintptr_t)c->map, out, false);
    return DONE;
}

static const char *const suffixes[] = { ".raw", NULL };

#define BIT(access) (UINT64_C(1) << (access))

#define CALLS                                                                                                   \
    .files = "posix", .suffixes = suffixes, .create = create_contiguous, .open = open_contiguous, .grow = grow, \
    .read_fortran = read_fortran, .get = get, .close = close_file, .move = move, .shares = true

const struct peer peer_posix = { CALLS, .name = "posix", .threads = 1, .declines = BIT(GROWTH_ALL) | BIT(FIRST),
                                 .read = read_contiguous };

const struct peer peer_posix_2 = { CALLS, .name = "posix-2", .threads = 2, .declines = ~(BIT(WHOLE) | BIT(FORTRAN)),
                                   .read = read_shared };

const struct peer peer_posix_map = { CALLS,
                                     .name = "posix-map",
                                     .best = true,
                                     .threads = 1,
                                     .declines = BIT(GROWTH) | BIT(GROWTH_ALL) | BIT(FIRST),
                                     .read = read_contiguous };
