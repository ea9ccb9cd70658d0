/* A file in memory, in pieces of doubling size. It grows without moving a byte, and one bit scan finds the piece of an
 * offset. */
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/lacking.h"

enum { FIRST_BYTES = 1 << 16, PIECES = 48 };

/* Piece 0 holds the first 64 KiB, piece k > 0 the bytes from 64 KiB * 2^(k-1) to twice that. Bytes after the length
 * are zero. */
struct memory_io {
    drxi_io io;
    atomic_int_fast64_t bytes; /* the pieces up to there are there */
    uint8_t *piece[PIECES];
};

static int64_t length_of(const struct memory_io *m)
{
    return atomic_load_explicit(&m->bytes, memory_order_acquire);
}

static int memory_piece(int64_t offset)
{
    return offset < FIRST_BYTES ? 0 : 64 - __builtin_clzll((uint64_t)offset / FIRST_BYTES);
}

static int64_t piece_start(int k)
{
    return k == 0 ? 0 : (int64_t)FIRST_BYTES << (k - 1);
}

static int64_t piece_end(int k)
{
    return (int64_t)FIRST_BYTES << k;
}

/* The memory at `offset`, and how many contiguous bytes begin there. */
static uint8_t *place_bytes(struct memory_io *m, int64_t offset, size_t *n)
{
    const int k = memory_piece(offset);
    const int64_t beside = piece_end(k) - offset;

    if ((int64_t)*n > beside)
        *n = (size_t)beside;
    return m->piece[k] + (offset - piece_start(k));
}

static drx_status memory_resize(drxi_io *io, int64_t bytes)
{
    struct memory_io *m = (struct memory_io *)io;

    for (int k = 0; bytes > 0 && k <= memory_piece(bytes - 1); k++)
        if (k >= PIECES || (!m->piece[k] && !(m->piece[k] = drxi_calloc(1, (size_t)(piece_end(k) - piece_start(k))))))
            return drxi_fail(DRX_ENOMEM, "out of memory for an array of %lld bytes", (long long)bytes);
    for (int64_t at = bytes; at < length_of(m);) { /* clear what is cut off, so that growth finds zeros */
        size_t n = (size_t)(length_of(m) - at);
        uint8_t *p = place_bytes(m, at, &n);

        memset(p, 0, n);
        at += (int64_t)n;
    }
    atomic_store_explicit(&m->bytes, bytes, memory_order_release);
    return DRX_OK;
}

/* Whole pages go back to the system, which gives zeros for them. */
static void clear(uint8_t *p, size_t n)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uint8_t *first = p + (page - (uintptr_t)p % page) % page, *end = p + n - (uintptr_t)(p + n) % page;

    if (first >= end || madvise(first, (size_t)(end - first), MADV_DONTNEED) != 0) {
        memset(p, 0, n);
        return;
    }
    memset(p, 0, (size_t)(first - p));
    memset(end, 0, (size_t)(p + n - end));
}

static drx_status memory_punch(drxi_io *io, int64_t begin, int64_t end)
{
    struct memory_io *m = (struct memory_io *)io;

    while (begin < drxi_min(end, length_of(m))) {
        size_t n = (size_t)(drxi_min(end, length_of(m)) - begin);
        uint8_t *p = place_bytes(m, begin, &n);

        clear(p, n);
        begin += (int64_t)n;
    }
    return DRX_OK;
}

static drx_status memory_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    struct memory_io *m = (struct memory_io *)io;
    uint8_t *p = buf;

    *got = 0;
    while (*got < n && offset < length_of(m)) {
        size_t part = (size_t)drxi_min((int64_t)(n - *got), length_of(m) - offset);
        const uint8_t *from = place_bytes(m, offset, &part);

        memcpy(p + *got, from, part);
        *got += part;
        offset += (int64_t)part;
    }
    return DRX_OK;
}

static drx_status memory_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    struct memory_io *m = (struct memory_io *)io;
    const uint8_t *p = buf;
    drx_status st = offset + (int64_t)n > length_of(m) ? memory_resize(io, offset + (int64_t)n) : DRX_OK;

    while (!st && n > 0) {
        size_t part = n;
        uint8_t *to = place_bytes(m, offset, &part);

        memcpy(to, p, part);
        p += part;
        n -= part;
        offset += (int64_t)part;
    }
    return st;
}

static drx_status memory_size(drxi_io *io, int64_t *bytes)
{
    *bytes = length_of((struct memory_io *)io);
    return DRX_OK;
}

static drx_status memory_extent(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end)
{
    *end = length_of((struct memory_io *)io);
    *begin = offset < *end ? offset : INT64_MAX;
    return DRX_OK;
}

/* No other process can reach the file. */
static drx_status guard_nothing(drxi_io *io, int64_t begin, int64_t end, bool on)
{
    (void)io;
    (void)begin;
    (void)end;
    (void)on;
    return DRX_OK;
}

static drx_status memory_close(drxi_io *io)
{
    struct memory_io *m = (struct memory_io *)io;

    for (int k = 0; k < PIECES; k++)
        drxi_free(m->piece[k]);
    drxi_free(io->path);
    drxi_free(m);
    return DRX_OK;
}

static const struct drxi_io_ops memory_ops = {
    .read = memory_read,
    .write = memory_write,
    .size = memory_size,
    .resize = memory_resize,
    .punch = memory_punch,
    .reserve = drxi_no_reserve,
    .sync = drxi_no_sync,
    .extent = memory_extent,
    .lock = drxi_no_lock,
    .unlock = drxi_no_unlock,
    .locked = drxi_never_locked,
    .stamp = drxi_no_stamp,
    .named = drxi_always_named,
    .park = drxi_no_sync,
    .name = drxi_no_sync,
    .keep = drxi_no_keep,
    .sole = drxi_no_sync,
    .replace = drxi_no_replace,
    .alias = drxi_no_alias,
    .close = memory_close,
    .guard = guard_nothing,
};

drx_status drxi_memory_open(drxi_io **out)
{
    struct memory_io *m = drxi_calloc(1, sizeof *m);

    *out = NULL;
    if (!m)
        return DRX_ENOMEM;
    m->io.ops = &memory_ops;
    m->io.cost.at_once = true; /* no gap: other threads may be writing there */
    m->io.path = drxi_strdup("(memory)");
    if (!m->io.path) {
        drxi_free(m);
        return DRX_ENOMEM;
    }
    *out = &m->io;
    return DRX_OK;
}
