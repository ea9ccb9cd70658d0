/* No library: growth by a loop of one pwrite for each chunk, in the file of a drx array, which computes their
 * addresses, and nothing else. The addresses and the elements of each chunk are gathered beforehand, untimed. The file
 * is the `.xta` of an array that drx extends but does not write, so drx can read it back. */
#include <drx_tools.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peer_drx.h"

struct chunks {
    void *array;
    int fd;
    struct layout layout;
    int64_t n, elements; /* chunks of the slab at hand; elements of a chunk */
    int64_t *offset;     /* of each in the file */
    double *chunks;      /* one after the other, in STAGE */
};

static enum outcome close_chunks(void *handle)
{
    struct chunks *c = handle;
    enum outcome outcome = DONE;

    if (c->fd >= 0 && close(c->fd) != 0)
        outcome = complain("close: %s", strerror(errno));
    if (c->array && peer_drx.close(c->array) != DONE)
        outcome = FAILED;
    free(c->offset);
    free(c);
    return outcome;
}

/* By drx, and the file of its chunks beside it. */
static enum outcome open_both(const struct peer *peer, const char *path, const struct layout *layout,
                              enum access access, void **out)
{
    const bool made = access == GROWTH;
    struct chunks *c = new_handle(sizeof *c, out);
    enum outcome outcome;

    if (!c)
        return FAILED;
    c->layout = *layout;
    c->elements = box_elements(layout->ndim, layout->chunk);
    outcome = (made ? peer_drx.create : peer_drx.open)(peer, path, layout, access, &c->array);
    c->fd = outcome == DONE ? open(file_of(path, drx_suffixes[1]), (made ? O_WRONLY : O_RDONLY) | O_CLOEXEC) : -1;
    if (outcome == DONE && c->fd < 0)
        outcome = complain("%s: %s", file_of(path, drx_suffixes[1]), strerror(errno));
    if (outcome != DONE)
        (void)close_chunks(c);
    return outcome;
}

/* The elements of the chunk that begins at `at` in the slab. */
static void gather(const struct chunks *c, const struct growth *growth, const int64_t at[], double *to)
{
    const int ndim = c->layout.ndim;
    const int64_t *chunk = c->layout.chunk, *n = growth->count, planes = ndim == 3 ? chunk[0] : 1;
    const int64_t rows = chunk[ndim - 2], row = chunk[ndim - 1], next_row = n[ndim - 1], next = n[ndim - 2] * next_row;
    const double *from = growth->slab + (ndim == 3 ? at[0] * next : 0) + at[ndim - 2] * next_row + at[ndim - 1];

    for (int64_t i = 0; i < planes; i++)
        for (int64_t j = 0; j < rows; j++, to += row)
            memcpy(to, from + i * next + j * next_row, (size_t)row * sizeof *to);
}

static enum outcome prepare(void *handle, const struct growth *growth)
{
    struct chunks *c = handle;
    const int64_t *chunk = c->layout.chunk;
    struct growth empty = *growth;
    int64_t at[MAX_NDIM] = { 0 };

    empty.slab = NULL;
    if (peer_drx.grow(c->array, &empty) != DONE)
        return FAILED;
    c->n = box_elements(c->layout.ndim, growth->count) / c->elements;
    free(c->offset);
    c->offset = malloc((size_t)c->n * sizeof *c->offset);
    c->chunks = buffer(STAGE, (size_t)(c->n * c->elements) * sizeof *c->chunks);
    if (!c->offset || !c->chunks)
        return complain("no memory");
    for (int64_t p = 0; p < c->n; p++) {
        int64_t index[MAX_NDIM];
        int j = c->layout.ndim - 1;

        for (int d = 0; d <= j; d++)
            index[d] = (growth->lo[d] + at[d]) / chunk[d];
        if (drx_chunk_address(c->array, index, &c->offset[p]))
            return of_drx(DRX_EINVAL);
        c->offset[p] *= c->elements * (int64_t)sizeof(double);
        gather(c, growth, at, c->chunks + p * c->elements);
        while (j >= 0 && (at[j] += chunk[j]) == growth->count[j])
            at[j--] = 0;
    }
    return DONE;
}

static enum outcome grow(void *handle, const struct growth *growth)
{
    const struct chunks *c = handle;
    enum outcome outcome = DONE;

    (void)growth;
    for (int64_t p = 0; p < c->n && outcome == DONE; p++)
        outcome =
            move_bytes(c->fd, true, c->chunks + p * c->elements, (size_t)c->elements * sizeof(double), c->offset[p]);
    return outcome;
}

/* To look at what was written, an array like any other. */
static enum outcome read_back(void *handle, const int64_t lo[], const int64_t count[], double *out)
{
    return peer_drx.read(((struct chunks *)handle)->array, lo, count, out);
}

const struct peer peer_bare = {
    .name = "bare",
    .files = "bare",
    .suffixes = drx_suffixes,
    .declines = ~(ACCESS(GROWTH) | ACCESS(GROWTH_ALL)),
    .create = open_both,
    .open = open_both,
    .prepare = prepare,
    .grow = grow,
    .read = read_back,
    .close = close_chunks,
};
