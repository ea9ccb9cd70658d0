/* A contiguous file of elements in C order: it grows along axis 0 only. Three settings: read by pread, a row of the
 * box at a time (adjacent rows as one); by pread in two threads, which share out a whole read; and through a map. Of a
 * group, each rank reads and writes its own rows. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../common/bench.h"

enum { TILE = 16 };

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
                              void **out)
{
    struct contiguous *c = new_handle(sizeof *c, out);

    if (!c)
        return FAILED;
    *c = (struct contiguous){ .peer = peer, .layout = *layout };
    c->fd = open(file_of(path, ".raw"), flags | O_CLOEXEC, 0666);
    if (c->fd >= 0)
        return DONE;
    free(c);
    return complain("%s: %s", file_of(path, ".raw"), strerror(errno));
}

/* One rank makes it. */
static enum outcome create_contiguous(const struct peer *peer, const char *path, const struct layout *layout,
                                      enum access access, void **out)
{
    enum outcome outcome = DONE;

    (void)access;
    if (bench_rank == 0)
        outcome = open_file(peer, path, layout, O_RDWR | O_CREAT | O_EXCL, out);
    wait_for_all();
    return bench_rank == 0 ? outcome : open_file(peer, path, layout, O_RDWR, out);
}

static enum outcome open_contiguous(const struct peer *peer, const char *path, const struct layout *layout,
                                    enum access access, void **out)
{
    struct contiguous *c;
    void *map;

    if (open_file(peer, path, layout, O_RDONLY, out) != DONE)
        return FAILED;
    c = *out;
    c->access = access;
    if (!peer->best)
        return DONE;
    map = mmap(NULL, whole_bytes(layout), PROT_READ, MAP_SHARED, c->fd, 0);
    if (map == MAP_FAILED) {
        (void)close_file(c);
        return complain("mmap: %s", strerror(errno));
    }
    c->map = map;
    return DONE;
}

static enum outcome grow(void *handle, const struct growth *growth)
{
    struct contiguous *c = handle;
    const size_t before = whole_bytes(&c->layout);

    c->layout = growth->layout;
    return move_bytes(c->fd, true, (void *)growth->slab, whole_bytes(&c->layout) - before, (int64_t)before);
}

/* Neighbours in the file. */
static enum outcome move_run(const struct contiguous *c, bool writing, int64_t at, int64_t n, double *elements)
{
    if (!c->map)
        return move_bytes(c->fd, writing, elements, (size_t)n * sizeof *elements, at * (int64_t)sizeof *elements);
    if (n == 1)
        *elements = c->map[at];
    else
        memcpy(elements, c->map + at, (size_t)n * sizeof *elements);
    return DONE;
}

/* Rows that follow each other in the file, as one. */
static enum outcome move(void *handle, bool writing, const int64_t lo[], const int64_t count[], double *elements)
{
    const struct contiguous *c = handle;
    const int64_t *n = c->layout.extent;
    const int last = c->layout.ndim - 1;
    /* as three axes, the first of extent 1 where there are two */
    const int64_t plane = last == 2 ? lo[0] : 0, row_elements = n[last], plane_elements = n[last - 1] * row_elements;
    int64_t planes = last == 2 ? count[0] : 1, rows = count[last - 1], run = count[last];

    if (run == row_elements) {
        run *= rows;
        rows = 1;
        if (run == plane_elements) {
            run *= planes;
            planes = 1;
        }
    }
    for (int64_t i = 0; i < planes; i++)
        for (int64_t j = 0; j < rows; j++, elements += run)
            if (move_run(c, writing, (plane + i) * plane_elements + (lo[last - 1] + j) * row_elements + lo[last], run,
                         elements) != DONE)
                return FAILED;
    return DONE;
}

static enum outcome get(void *handle, const int64_t index[], double *out)
{
    const struct contiguous *c = handle;
    const int64_t *n = c->layout.extent, at = index[0] * n[1] + index[1];

    return move_run(c, false, c->layout.ndim == 3 ? at * n[2] + index[2] : at, 1, out);
}

/* A whole read, which threads share out. */
struct whole {
    struct contiguous *c;
    double *stages, *out;
};

/* Along axis 0; Fortran order along axis 1, by slabs that stay in the processor's cache. */
static enum outcome read_share(void *with, int which)
{
    const struct whole *w = with;
    const int64_t *n = w->c->layout.extent, threads = w->c->peer->threads, stage = TILE * TILE * n[2];
    const bool fortran = w->c->access == FORTRAN;
    const int64_t begin = which * n[fortran] / threads, end = (which + 1) * n[fortran] / threads;
    enum outcome outcome = DONE;

    if (!fortran)
        return move(w->c, false, (int64_t[]){ begin, 0, 0 }, (int64_t[]){ end - begin, n[1], n[2] },
                    w->out + begin * n[1] * n[2]);
    for (int64_t j = begin; j < end; j += TILE)
        for (int64_t i = 0; i < n[0] && outcome == DONE; i += TILE) {
            const int64_t lo[3] = { i, j, 0 }, count[3] = { TILE, j + TILE < end ? TILE : end - j, n[2] };

            outcome = move(w->c, false, lo, count, w->stages + which * stage);
            transpose_slab(&w->c->layout, lo, count, w->stages + which * stage, w->out, false);
        }
    return outcome;
}

static enum outcome share_out(struct contiguous *c, double *out)
{
    struct whole w = { c, buffer(STAGE, (size_t)(c->peer->threads * TILE * TILE * c->layout.extent[2]) * sizeof *out),
                       out };

    return w.stages ? in_threads(c->peer->threads, read_share, &w) : FAILED;
}

static enum outcome read_shared(void *handle, const int64_t lo[], const int64_t count[], double *out)
{
    struct contiguous *c = handle;

    return c->layout.ndim == 3 && count[0] == c->layout.extent[0] ? share_out(c, out) : move(c, false, lo, count, out);
}

/* Straight from the map in blocks, or by slabs. */
static enum outcome read_fortran(void *handle, const struct layout *layout, double *out)
{
    struct contiguous *c = handle;
    const int64_t lo[3] = { 0 };

    if (!c->map)
        return share_out(c, out);
    transpose_slab(layout, lo, layout->extent, (double *)(uintptr_t)c->map, out, false);
    return DONE;
}

static const char *const suffixes[] = { ".raw", NULL };

#define CALLS                                                                                                   \
    .files = "posix", .suffixes = suffixes, .create = create_contiguous, .open = open_contiguous, .grow = grow, \
    .read_fortran = read_fortran, .get = get, .close = close_file, .move = move, .shares = true

const struct peer peer_posix = { CALLS, .name = "posix", .threads = 1, .declines = ACCESS(GROWTH_ALL) | ACCESS(FIRST) };

const struct peer peer_posix_2 = { CALLS, .name = "posix-2", .threads = 2,
                                   .declines = ~(ACCESS(WHOLE) | ACCESS(FORTRAN)), .read = read_shared };

const struct peer peer_posix_map = { CALLS, .name = "posix-map", .threads = 1, .best = true,
                                     .declines = ACCESS(GROWTH) | ACCESS(GROWTH_ALL) | ACCESS(FIRST) };
