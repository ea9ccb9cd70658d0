/* The calls of a file on a server. It is read, and nothing else. */
#include "io/flight.h"
#include "remote/web.h"

#include <time.h>

#include "io/lacking.h"

static const struct drxi_io_ops web_ops;

/* A server sends 64 KiB in the time of another request; 32 MiB are on the way in a round trip. */
static const struct drxi_cost server = {
    .gap_bytes = 1 << 16, .most_bytes = 32 << 20, .depth = DRXI_FLIGHT_MOST, .trips = true, .pours = true
};

void drxi_web_free(struct drxi_web *f)
{
    drxi_prefetch_end(f);
    drxi_blocks_drop(f->state);
    drxi_address_free(&f->address);
    (void)pthread_mutex_destroy(&f->lock);
    (void)pthread_mutex_destroy(&f->judging);
    drxi_free(f->io.path);
    drxi_free(f);
}

drx_status drxi_web_make(const char *url, struct drxi_web **out)
{
    struct drxi_web *f;
    drx_status st = drxi_curl_load();

    *out = NULL;
    if (st)
        return st;
    f = drxi_calloc(1, sizeof *f);
    if (!f)
        return DRX_ENOMEM;
    f->io = (drxi_io){ .ops = &web_ops, .cost = server, .pinned = true };
    f->state = drxi_blocks_new();
    drxi_prefetch_watch();
    (void)pthread_mutex_init(&f->lock, NULL);
    (void)pthread_mutex_init(&f->judging, NULL);
    st = drxi_address_make(url, &f->address);
    if (!st && !(f->io.path = drxi_strdup(f->address.shown)))
        st = DRX_ENOMEM;
    if (st)
        drxi_web_free(f);
    else
        *out = f;
    return st;
}

/* ---- calls ---- */

static drx_status web_size(drxi_io *io, int64_t *bytes)
{
    struct drxi_web *f = drxi_web_of(io);
    struct drxi_pin pin = drxi_web_pin(f);
    size_t got;
    uint8_t byte;
    drx_status st = DRX_OK;

    if (!pin.pinned) {
        st = drxi_web_read(io, &byte, 1, 0, &got);
        pin = drxi_web_pin(f);
    }
    *bytes = pin.version.bytes;
    return st;
}

/* A server does not tell what is stored. */
static drx_status web_extent(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end)
{
    drx_status st = web_size(io, end);

    *begin = !st && offset < *end ? offset : INT64_MAX;
    if (*begin == INT64_MAX)
        *end = INT64_MAX;
    return st;
}

static void web_where(drxi_io *io, int64_t offset, enum drxi_manner manner, struct drxi_spot *out)
{
    (void)manner;
    *out = (struct drxi_spot){ .fd = -1, .offset = offset, .bytes = INT64_MAX - offset, .starts = io };
}

static drx_status web_named(drxi_io *io, bool *named)
{
    const struct drxi_web *f = drxi_web_of(io);

    *named = !f->gone && !f->changed;
    return DRX_OK;
}

/* As the server tells it, if it does. */
static drx_status web_stamp(drxi_io *io, uint64_t *stamp)
{
    const struct drxi_pin pin = drxi_web_pin(drxi_web_of(io));
    const time_t when = *pin.version.modified ? drxi_curl.getdate(pin.version.modified, NULL) : 0;

    *stamp = when > 0 ? (uint64_t)when * 1000000000 : 0;
    return DRX_OK;
}

/* By its URL. The other process must find the same state there. */
static drx_status web_alias(drxi_io *io, struct drxi_alias *out)
{
    const struct drxi_pin pin = drxi_web_pin(drxi_web_of(io));
    const char *const parts[] = { pin.version.etag, pin.version.modified };

    out->id[0] = (uint64_t)pin.version.bytes;
    out->id[1] = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (int i = 0; i < 2; i++)
        for (const char *p = parts[i]; *p; p++)
            out->id[1] = (out->id[1] ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    if (strlen(io->path) >= sizeof out->path)
        return drxi_fail(DRX_EUNSUPPORTED, "%s: too long a URL for other processes", io->path);
    memcpy(out->path, io->path, strlen(io->path) + 1);
    return DRX_OK;
}

static drx_status web_close(drxi_io *io)
{
    drxi_web_free(drxi_web_of(io));
    return DRX_OK;
}

/* What only a writer calls. */
static drx_status refuse_write(const drxi_io *io)
{
    return drxi_fail(DRX_EACCES, "%s: lies on a server, and servers are read-only", io->path);
}

static drx_status no_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    (void)buf;
    (void)n;
    (void)offset;
    return refuse_write(io);
}

static drx_status no_resize(drxi_io *io, int64_t bytes)
{
    (void)bytes;
    return refuse_write(io);
}

static drx_status no_lock(drxi_io *io, enum drxi_lock kind)
{
    (void)kind;
    return refuse_write(io);
}

static const struct drxi_io_ops web_ops = {
    .read = drxi_web_read,
    .write = no_write,
    .size = web_size,
    .resize = no_resize,
    .reserve = drxi_no_reserve,
    .punch = drxi_no_reserve,
    .sync = drxi_no_sync,
    .extent = web_extent,
    .where = web_where,
    .lock = no_lock,
    .unlock = drxi_no_unlock,
    .locked = drxi_never_locked,
    .stamp = web_stamp,
    .named = web_named,
    .park = drxi_no_sole,
    .name = drxi_no_sole,
    .keep = drxi_no_keep,
    .sole = drxi_no_sole,
    .replace = drxi_no_replace,
    .alias = web_alias,
    .close = web_close,
    .guard = drxi_refuse_guard,
    .start = drxi_web_start,
    .prefetch = drxi_web_prefetch,
    .state = &drxi_remote_states,
};
