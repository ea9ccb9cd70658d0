/* A device to copy. It stands in front of another file, and counts the bytes that are read and written: it has two
 * calls itself, and passes the others on. The library does not have it, its tests do (tests/unit/test_device.c).
 * docs/devices.md explains what a device is. */
#include "device_example.h"

#include <stdatomic.h>

#include "io/passing/passing.h"

struct counted {
    struct drxi_passing pass;                      /* first, so that a drxi_io is a struct counted */
    atomic_int_fast64_t read_bytes, written_bytes; /* several threads read and write at the same time */
};

static drx_status counted_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    struct counted *c = (struct counted *)io;
    drxi_io *inner = drxi_passed_to(io);
    const drx_status st = inner->ops->read(inner, buf, n, offset, got); /* its detail names the file: nothing to add */

    if (!st)
        (void)atomic_fetch_add(&c->read_bytes, (int64_t)*got);
    return st;
}

static drx_status counted_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    struct counted *c = (struct counted *)io;
    drxi_io *inner = drxi_passed_to(io);
    const drx_status st = inner->ops->write(inner, buf, n, offset);

    if (!st)
        (void)atomic_fetch_add(&c->written_bytes, (int64_t)n);
    return st;
}

/* Without `where` and `view` nothing is read past `read`. The cost of such a file says so: depth 0, not mapped. */
static const struct drxi_io_ops counted_ops = { .read = counted_read, .write = counted_write };

drx_status drxi_counted_open(drxi_io *inner, drxi_io **out)
{
    struct counted *c = drxi_calloc(1, sizeof *c);
    drx_status st;

    *out = NULL;
    if (!c)
        return DRX_ENOMEM;
    if ((st = drxi_pass_on(&c->pass, inner, &counted_ops))) { /* `close` closes `inner`, and frees c */
        drxi_free(c);
        return st;
    }
    *out = &c->pass.io;
    return DRX_OK;
}

void drxi_counted_bytes(const drxi_io *io, int64_t *read, int64_t *written)
{
    const struct counted *c = (const struct counted *)io;

    *read = atomic_load(&c->read_bytes);
    *written = atomic_load(&c->written_bytes);
}

static drx_status open_counted(const char *path, enum drxi_how how, drxi_io **out)
{
    drxi_io *inner;
    drx_status st = drxi_anywhere.open(path, how, &inner);

    *out = NULL;
    if (st)
        return st;
    st = drxi_counted_open(inner, out);
    if (st)
        (void)inner->ops->close(inner);
    return st;
}

const struct drxi_files *drxi_counted_files(void)
{
    static struct drxi_files files;

    files = drxi_anywhere;
    files.open = open_counted;
    return &files;
}
