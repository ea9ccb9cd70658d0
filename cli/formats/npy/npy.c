#include "npy.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "arrays/arrays.h"

/* Wait until a pipe has data; false: an interrupt came first. */
static bool wait_for(int fd)
{
    struct pollfd pipe = { .fd = fd, .events = POLLIN };

    while (!interrupted())
        if (poll(&pipe, 1, 100) > 0) /* notices a signal to another thread, too */
            return true;
    errno = EINTR;
    return false;
}

bool npy_get(const struct npy *npy, void *buf, size_t n, int64_t offset)
{
    char *at = buf;
    ssize_t got;

    while (n > 0) {
        if (npy->pipe && !wait_for(npy->fd))
            return false;
        got = npy->pipe ? read(npy->fd, at, n) : pread(npy->fd, at, n, offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got ? errno : 0;
            return false;
        }
        at += got;
        offset += got;
        n -= (size_t)got;
    }
    return true;
}

bool npy_put(const struct npy *npy, const void *buf, size_t n, int64_t offset)
{
    const char *at = buf;
    ssize_t put;

    while (n > 0) {
        put = npy->pipe ? write(npy->fd, at, n) : pwrite(npy->fd, at, n, offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) /* silent if the reader of a pipe went away */
            return errno != EPIPE && !failed_errno(npy->name, "write");
        at += put;
        offset += put;
        n -= (size_t)put;
    }
    return true;
}

/* Bytes that are swapped as one. */
static size_t unit_bytes(drx_type type)
{
    if (DRX_IS_STRING(type))
        return DRX_IS_UNICODE(type) ? 4 : 1;
    return drx_type_size(type) / (type_is_complex(type) ? 2 : 1);
}

static void swap(const struct npy *npy, void *buf, int64_t bytes)
{
    const size_t unit = unit_bytes(npy->type);
    unsigned char *p = buf;

    for (int64_t at = 0; at < bytes; at += (int64_t)unit, p += unit)
        for (size_t i = 0, j = unit - 1; i < j; i++, j--) {
            const unsigned char kept = p[i];

            p[i] = p[j];
            p[j] = kept;
        }
}

/* A box consists of contiguous runs of *bytes in the file. Returns how many slow axes they are spread over. */
static int outer_axes(const struct npy *npy, const int64_t count[], int64_t *bytes)
{
    int k = npy->ndim;
    bool whole = true;

    *bytes = (int64_t)drx_type_size(npy->type);
    while (k > 0 && whole) {
        const int j = axis_from_slowest(npy->ndim, npy->order, --k);

        *bytes *= count[j];
        whole = count[j] == npy->shape[j];
    }
    return k;
}

static int64_t offset_of(const struct npy *npy, const int64_t index[])
{
    int64_t element = 0;

    for (int k = 0; k < npy->ndim; k++) {
        const int j = axis_from_slowest(npy->ndim, npy->order, k);

        element = element * npy->shape[j] + index[j];
    }
    return npy->start + element * (int64_t)drx_type_size(npy->type);
}

/* The next index on the `outer` slowest axes of the box. */
static bool next_run(const struct npy *npy, const int64_t lo[], const int64_t count[], int outer, int64_t index[])
{
    for (int k = outer - 1; k >= 0; k--) {
        const int j = axis_from_slowest(npy->ndim, npy->order, k);

        if (++index[j] < lo[j] + count[j])
            return true;
        index[j] = lo[j];
    }
    return false;
}

bool npy_has_type(const struct npy *npy, const drx_array *a)
{
    return npy->type == drx_dtype(a) || !failed("%s: has type %s, but the array has %s", npy->name,
                                                drx_type_name(npy->type), drx_type_name(drx_dtype(a)));
}

bool npy_read(struct npy *npy, const int64_t lo[], const int64_t count[], void *buf)
{
    const int64_t total = box_bytes(npy->ndim, count, drx_type_size(npy->type));
    int64_t index[DRX_MAX_NDIM];
    int64_t run_bytes;
    const int outer = outer_axes(npy, count, &run_bytes);
    char *at = buf;

    if (total == 0)
        return true;
    memcpy(index, lo, (size_t)npy->ndim * sizeof *index);
    do {
        if (!npy_get(npy, at, (size_t)run_bytes, offset_of(npy, index))) {
            return errno ? !failed_errno(npy->name, "read") : !failed("%s: ends before its last element", npy->name);
        }
        at += run_bytes;
    } while (next_run(npy, lo, count, outer, index));
    if (npy->swapped)
        swap(npy, buf, total);
    return true;
}

bool npy_write(struct npy *npy, const int64_t lo[], const int64_t count[], const void *buf)
{
    int64_t index[DRX_MAX_NDIM];
    int64_t run_bytes;
    const int outer = outer_axes(npy, count, &run_bytes);
    const char *at = buf;

    memcpy(index, lo, (size_t)npy->ndim * sizeof *index);
    do {
        if (!npy_put(npy, at, (size_t)run_bytes, offset_of(npy, index)))
            return false;
        at += run_bytes;
    } while (next_run(npy, lo, count, outer, index));
    return true;
}
