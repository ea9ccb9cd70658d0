/* A contiguous file in C order. Each rank calls pread and pwrite for a row of its box at a time; adjacent rows are
 * one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_mp.h"

struct contiguous {
    int fd;
    int64_t extent[2];
};

static enum outcome open_mode(const char *path, const struct layout *layout, int flags, void **out)
{
    struct contiguous *c = calloc(1, sizeof *c);
    char file[PATH_BYTES + 8];

    *out = c;
    if (!c)
        return complain("no memory");
    for (int j = 0; j < 2; j++)
        c->extent[j] = layout->extent[j];
    snprintf(file, sizeof file, "%s.raw", path);
    c->fd = open(file, flags | O_CLOEXEC, 0666);
    return c->fd >= 0 ? DONE : complain("%s: %s", file, strerror(errno));
}

static enum outcome create(const struct mp_peer *peer, const char *path, const struct layout *layout,
                           enum access access, void **out)
{
    enum outcome outcome;

    (void)peer, (void)access;
    if (bench_rank == 0) {
        outcome = open_mode(path, layout, O_RDWR | O_CREAT | O_EXCL, out);
        MPI_Barrier(MPI_COMM_WORLD);
        return outcome;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return open_mode(path, layout, O_RDWR, out);
}

static enum outcome open_file(const struct mp_peer *peer, const char *path, const struct layout *layout,
                              enum access access, void **out)
{
    (void)peer, (void)access;
    return open_mode(path, layout, O_RDONLY, out);
}

static enum outcome move_box(void *handle, bool writing, const int64_t lo[2], const int64_t count[2], double *elements)
{
    const struct contiguous *c = handle;
    const bool adjacent = count[1] == c->extent[1];
    const int64_t rows = adjacent ? 1 : count[0], run = adjacent ? count[0] * count[1] : count[1];
    enum outcome outcome = DONE;

    for (int64_t i = 0; i < rows && outcome == DONE; i++)
        outcome = move_bytes(c->fd, writing, elements + i * run, (size_t)run * sizeof *elements,
                             ((lo[0] + i) * c->extent[1] + lo[1]) * (int64_t)sizeof *elements);
    return outcome;
}

static enum outcome move(void *handle, bool writing, const struct part *part, double *elements)
{
    return move_by_slabs(move_box, handle, writing, part, elements);
}

static enum outcome read_box(void *handle, const int64_t lo[2], const int64_t count[2], double *out)
{
    return move_box(handle, false, lo, count, out);
}

static enum outcome close_file(void *handle)
{
    struct contiguous *c = handle;
    const int failed = close(c->fd);

    free(c);
    return failed ? complain("close: %s", strerror(errno)) : DONE;
}

static const char *const suffixes[] = { ".raw", NULL };

const struct mp_peer mp_posix = {
    .name = "posix",
    .files = "posix",
    .suffixes = suffixes,
    .create = create,
    .open = open_file,
    .move = move,
    .read_box = read_box,
    .close = close_file,
};
