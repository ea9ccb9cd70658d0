/* A file of another node. Its calls ask that node, one after the other. */
#include "io/lacking.h"
#include "mp/far/far.h"

#include <sys/stat.h>
#include <unistd.h>

struct far_file {
    drxi_io io;
    int socket;
    pthread_mutex_t lock;
};

static drx_status call(drxi_io *io, const struct drxi_far_ask *ask, const void *text, struct drxi_far_answer *answer,
                       void *bytes, size_t room)
{
    struct far_file *f = (struct far_file *)io;
    drx_status st;

    (void)pthread_mutex_lock(&f->lock);
    st = drxi_far_call(f->socket, io->path, ask, text, answer, bytes, room);
    (void)pthread_mutex_unlock(&f->lock);
    return st;
}

/* answer NULL: only the status. */
static drx_status ask_server(drxi_io *io, enum drxi_far_op op, int64_t a, int64_t b, struct drxi_far_answer *answer)
{
    struct drxi_far_answer none;

    return call(io, &(struct drxi_far_ask){ .op = op, .a = a, .b = b }, NULL, answer ? answer : &none, NULL, 0);
}

static drx_status far_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    struct drxi_far_answer answer = { .bytes = 1 };
    drx_status st = DRX_OK;

    *got = 0;
    while (!st && *got < n && answer.bytes > 0) {
        const int64_t part = drxi_min((int64_t)(n - *got), DRXI_FAR_BYTES);

        st = call(io, &(struct drxi_far_ask){ .op = DRXI_FAR_READ, .a = offset + (int64_t)*got, .b = part }, NULL,
                  &answer, (uint8_t *)buf + *got, (size_t)part);
        *got += st ? 0 : (size_t)answer.bytes;
    }
    return st;
}

static drx_status far_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    struct drxi_far_answer answer;
    drx_status st = DRX_OK;

    for (size_t done = 0; !st && done < n;) {
        const int64_t part = drxi_min((int64_t)(n - done), DRXI_FAR_BYTES);

        st = call(io, &(struct drxi_far_ask){ .op = DRXI_FAR_WRITE, .a = offset + (int64_t)done, .bytes = part },
                  (const uint8_t *)buf + done, &answer, NULL, 0);
        done += (size_t)part;
    }
    return st;
}

static drx_status far_size(drxi_io *io, int64_t *bytes)
{
    struct drxi_far_answer answer = { 0 };
    const drx_status st = ask_server(io, DRXI_FAR_SIZE, 0, 0, &answer);

    *bytes = answer.a;
    return st;
}

static drx_status far_resize(drxi_io *io, int64_t bytes)
{
    return ask_server(io, DRXI_FAR_RESIZE, bytes, 0, NULL);
}

static drx_status far_reserve(drxi_io *io, int64_t begin, int64_t end)
{
    return ask_server(io, DRXI_FAR_RESERVE, begin, end, NULL);
}

static drx_status far_punch(drxi_io *io, int64_t begin, int64_t end)
{
    return ask_server(io, DRXI_FAR_PUNCH, begin, end, NULL);
}

static drx_status far_sync(drxi_io *io)
{
    return ask_server(io, DRXI_FAR_SYNC, 0, 0, NULL);
}

static drx_status far_extent(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end)
{
    struct drxi_far_answer answer = { .a = INT64_MAX, .b = INT64_MAX };
    const drx_status st = ask_server(io, DRXI_FAR_EXTENT, offset, 0, &answer);

    *begin = answer.a;
    *end = answer.b;
    return st;
}

static drx_status far_stamp(drxi_io *io, uint64_t *stamp)
{
    struct drxi_far_answer answer = { 0 };
    const drx_status st = ask_server(io, DRXI_FAR_STAMP, 0, 0, &answer);

    *stamp = (uint64_t)answer.a;
    return st;
}

static drx_status far_named(drxi_io *io, bool *named)
{
    struct drxi_far_answer answer = { 0 };
    const drx_status st = ask_server(io, DRXI_FAR_NAMED, 0, 0, &answer);

    *named = answer.a != 0;
    return st;
}

static drx_status far_park(drxi_io *io)
{
    return ask_server(io, DRXI_FAR_PARK, 0, 0, NULL);
}

static drx_status far_name(drxi_io *io)
{
    return ask_server(io, DRXI_FAR_NAME, 0, 0, NULL);
}

static void far_keep(drxi_io *io)
{
    (void)ask_server(io, DRXI_FAR_KEEP, 0, 0, NULL);
}

static void discard_far(drxi_io *io)
{
    struct far_file *f = (struct far_file *)io;

    (void)close(f->socket);
    (void)pthread_mutex_destroy(&f->lock);
    drxi_free(io->path);
    drxi_free(f);
}

static drx_status far_close(drxi_io *io)
{
    const drx_status st = ask_server(io, DRXI_FAR_CLOSE, 0, 0, NULL);

    discard_far(io);
    return st;
}

static const struct drxi_io_ops far_ops = {
    .read = far_read,
    .write = far_write,
    .size = far_size,
    .resize = far_resize,
    .reserve = far_reserve,
    .punch = far_punch,
    .sync = far_sync,
    .extent = far_extent,
    .lock = drxi_refuse_lock,
    .unlock = drxi_no_unlock,
    .locked = drxi_never_locked,
    .stamp = far_stamp,
    .named = far_named,
    .park = far_park,
    .name = far_name,
    .keep = far_keep,
    .sole = drxi_no_sole,
    .replace = drxi_no_replace,
    .alias = drxi_no_alias,
    .close = far_close,
    .guard = drxi_refuse_guard,
};

pthread_mutex_t drxi_far_masks = PTHREAD_MUTEX_INITIALIZER;

/* What this process withholds of the permissions of new files. There is no way to ask but to change it. */
static mode_t mask_of_process(void)
{
    mode_t mask;

    (void)pthread_mutex_lock(&drxi_far_masks);
    mask = umask(077);
    (void)umask(mask);
    (void)pthread_mutex_unlock(&drxi_far_masks);
    return mask;
}

drx_status drxi_far_open(const struct drxi_far_address *server, const char *name, enum drxi_how how, drxi_io **out)
{
    struct far_file *f = drxi_calloc(1, sizeof *f);
    char *path = drxi_strdup(name);
    const struct drxi_far_ask open = { .op = DRXI_FAR_OPEN,
                                       .a = how,
                                       .b = how == DRXI_NEW ? (int64_t)mask_of_process() : 0,
                                       .bytes = (int64_t)strlen(name) };
    struct drxi_far_answer answer;
    drx_status st = f && path ? drxi_far_connect(server, &f->socket) : DRX_ENOMEM;

    *out = NULL;
    if (!st) {
        f->io = (drxi_io){ .ops = &far_ops, .path = path, .cost.gap_bytes = 1 << 14 }; /* as the disk there */
        (void)pthread_mutex_init(&f->lock, NULL);
        st = call(&f->io, &open, name, &answer, NULL, 0);
        if (st)
            discard_far(&f->io);
        else
            *out = &f->io;
        return st;
    }
    drxi_free(path);
    drxi_free(f);
    return st;
}
