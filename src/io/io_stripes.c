/* Several files as one. Units go to the files in turn: byte x is in file (x div unit) mod n, at the offset (x div unit
 * div n) * unit + x mod unit.
 *
 * Each file has its own end, so bytes may be missing in the middle of the set. When an operation fails on one file, it
 * is not undone on the others; the caller repeats it, or undoes it on all. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/work.h"
#include "io/flight.h"
#include "io/lacking.h"
#include "io/stripes.h"

/* The system reads past what is asked for in each of the files, up to its limit. */
enum { ROW_BYTES = 8 << 20 };

struct set {
    drxi_io io;
    bool starts; /* the files read by themselves */
    int n;
    int64_t unit;
    drxi_io *file[DRX_MAX_STRIPES];
};

static const struct set *set_of(const drxi_io *io)
{
    return (const struct set *)io;
}

static drxi_io *find_stripe(const struct set *s, int64_t offset, int64_t *at)
{
    const int64_t unit = offset / s->unit;

    *at = unit / s->n * s->unit + offset % s->unit;
    return s->file[unit % s->n];
}

/* How many of the first `bytes` bytes file k holds, which is also the offset of its first byte after them. */
static int64_t stripe_share(const struct set *s, int k, int64_t bytes)
{
    const int64_t units = bytes / s->unit;
    const int64_t last = units % s->n;

    return (units / s->n + (last > k)) * s->unit + (last == k ? bytes % s->unit : 0);
}

/* The offset in the set of byte `at` of file k; INT64_MAX when it overflows. */
static int64_t whole(const struct set *s, int k, int64_t at)
{
    int64_t unit, offset;

    if (!drxi_mul(at / s->unit, s->n, &unit) || !drxi_add(unit, k, &unit) || !drxi_mul(unit, s->unit, &offset) ||
        !drxi_add(offset, at % s->unit, &offset))
        return INT64_MAX;
    return offset;
}

/* How many of n bytes from the offset are contiguous in one file. */
static size_t stripe_run(const struct set *s, int64_t offset, size_t n)
{
    const int64_t left = s->unit - offset % s->unit;

    return s->n > 1 && (int64_t)n > left ? (size_t)left : n;
}

/* ---- files on servers: each is asked once for all of its units ---- */

struct gathering;

/* What one file gives to a read. */
struct gathered {
    struct gathering *of;
    int k;
    int64_t from, bytes; /* in the file */
    uint8_t *memory;
};

struct gathering {
    const struct set *set;
    uint8_t *buf;
    size_t n;
    int64_t offset;
    void (*done)(void *arg, int64_t got);
    void *arg;
    atomic_int pending; /* files, and the call that asks them */
    atomic_bool failed;
    struct gathered file[]; /* of each file */
};

/* Put the units of one file into their places. */
static void scatter(const struct gathered *g)
{
    const struct gathering *all = g->of;
    const int64_t unit = all->set->unit;

    for (int64_t done = 0, n; done < g->bytes; done += n) {
        const int64_t at = g->from + done;

        n = drxi_min(unit - at % unit, g->bytes - done);
        memcpy(all->buf + (whole(all->set, g->k, at) - all->offset), g->memory + done, (size_t)n);
    }
}

/* One of those that are pending has ended; true: it was the last one. */
static bool end_one(struct gathering *all, int64_t *got)
{
    if (atomic_fetch_sub(&all->pending, 1) > 1)
        return false;
    *got = atomic_load(&all->failed) ? 0 : (int64_t)all->n;
    return true;
}

static void take_gathered(struct gathered *g, int64_t got)
{
    if (got == g->bytes)
        scatter(g);
    else
        atomic_store(&g->of->failed, true);
    drxi_free(g->memory);
}

static void arrive(void *arg, int64_t got)
{
    struct gathered *g = arg;
    struct gathering *all = g->of;

    take_gathered(g, got);
    if (end_one(all, &got)) {
        all->done(all->arg, got);
        drxi_free(all);
    }
}

static void ask_file(struct gathering *all, int k)
{
    struct gathered *g = &all->file[k];
    drxi_io *io = all->set->file[k];
    int64_t got = 0;

    *g = (struct gathered){ .of = all, .k = k, .from = stripe_share(all->set, k, all->offset) };
    g->bytes = stripe_share(all->set, k, all->offset + (int64_t)all->n) - g->from;
    if (g->bytes == 0)
        return;
    (void)atomic_fetch_add(&all->pending, 1);
    g->memory = drxi_malloc((size_t)g->bytes);
    if (g->memory)
        got = io->ops->start(io, g->memory, (size_t)g->bytes, g->from, NULL, arrive, g);
    if (got < 0)
        return;
    take_gathered(g, got);
    (void)end_one(all, &got); /* the caller is still pending */
}

static int64_t set_start(drxi_io *io, void *buf, size_t n, int64_t offset, struct drxi_sink *sink,
                         void (*done)(void *arg, int64_t got), void *arg)
{
    const struct set *s = set_of(io);
    struct gathering *all = drxi_calloc(1, sizeof *all + (size_t)s->n * sizeof *all->file);
    int64_t got = 0;

    (void)sink;
    if (!all)
        return 0;
    all->set = s;
    all->buf = buf;
    all->n = n;
    all->offset = offset;
    all->done = done;
    all->arg = arg;
    atomic_init(&all->pending, 1);
    for (int k = 0; k < s->n; k++)
        ask_file(all, k);
    if (!end_one(all, &got))
        return -1;
    drxi_free(all);
    return got;
}

static int64_t set_prefetch(drxi_io *io, int64_t offset, int64_t n, bool sparing)
{
    const struct set *s = set_of(io);
    int64_t asked = 0;

    for (int k = 0; k < s->n; k++) {
        const int64_t from = stripe_share(s, k, offset), bytes = stripe_share(s, k, offset + n) - from;
        const int64_t got = bytes > 0 || n == 0 ? s->file[k]->ops->prefetch(s->file[k], from, bytes, sparing) : 0;

        if (got < 0)
            return -1;
        asked += got;
    }
    return asked;
}

struct waiting {
    pthread_mutex_t lock;
    pthread_cond_t news;
    bool over;
    int64_t got;
};

static void end_wait(void *arg, int64_t got)
{
    struct waiting *w = arg;

    (void)pthread_mutex_lock(&w->lock);
    w->over = true;
    w->got = got;
    (void)pthread_cond_signal(&w->news);
    (void)pthread_mutex_unlock(&w->lock);
}

/* Whether all files gave what was asked for; otherwise it is asked for unit by unit, which tells why. */
static bool gather_stripes(drxi_io *io, void *buf, size_t n, int64_t offset)
{
    struct waiting w = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0 };
    const int64_t got = set_start(io, buf, n, offset, NULL, end_wait, &w);

    (void)pthread_mutex_lock(&w.lock);
    while (got < 0 && !w.over)
        (void)pthread_cond_wait(&w.news, &w.lock);
    (void)pthread_mutex_unlock(&w.lock);
    return (got < 0 ? w.got : got) == (int64_t)n;
}

/* ---- calls ---- */

static drx_status set_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    const struct set *s = set_of(io);
    uint8_t *p = buf;

    *got = s->starts && stripe_run(s, offset, n) < n && gather_stripes(io, buf, n, offset) ? n : 0;
    while (*got < n) {
        const size_t part = stripe_run(s, offset + (int64_t)*got, n - *got);
        size_t moved = 0;
        int64_t at;
        drxi_io *file = find_stripe(s, offset + (int64_t)*got, &at);
        drx_status st = file->ops->read(file, p + *got, part, at, &moved);

        *got += moved;
        if (st || moved < part)
            return st;
    }
    return DRX_OK;
}

static drx_status set_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    const struct set *s = set_of(io);
    const uint8_t *p = buf;
    drx_status st = DRX_OK;

    while (!st && n > 0) {
        const size_t part = stripe_run(s, offset, n);
        int64_t at;
        drxi_io *file = find_stripe(s, offset, &at);

        st = file->ops->write(file, p, part, at);
        p += part;
        n -= part;
        offset += (int64_t)part;
    }
    return st;
}

static drx_status set_size(drxi_io *io, int64_t *bytes)
{
    const struct set *s = set_of(io);
    drx_status st = DRX_OK;

    *bytes = 0;
    for (int k = 0; !st && k < s->n; k++) {
        int64_t size = 0;

        st = s->file[k]->ops->size(s->file[k], &size);
        if (!st && size > 0)
            *bytes = drxi_max(*bytes, drxi_min(whole(s, k, size - 1), INT64_MAX - 1) + 1);
    }
    return st;
}

static drx_status set_resize(drxi_io *io, int64_t bytes)
{
    const struct set *s = set_of(io);
    drx_status st = DRX_OK;

    for (int k = 0; !st && k < s->n; k++) {
        drxi_io *file = s->file[k];
        int64_t size;

        st = file->ops->size(file, &size);
        if (!st && size != stripe_share(s, k, bytes))
            st = file->ops->resize(file, stripe_share(s, k, bytes));
    }
    return st;
}

static drx_status set_punch(drxi_io *io, int64_t begin, int64_t end)
{
    const struct set *s = set_of(io);
    drx_status st = DRX_OK;

    for (int k = 0; !st && k < s->n; k++)
        if (stripe_share(s, k, begin) < stripe_share(s, k, end))
            st = s->file[k]->ops->punch(s->file[k], stripe_share(s, k, begin), stripe_share(s, k, end));
    return st;
}

static drx_status set_reserve(drxi_io *io, int64_t begin, int64_t end)
{
    const struct set *s = set_of(io);
    drx_status st = DRX_OK;

    for (int k = 0; !st && k < s->n; k++)
        if (stripe_share(s, k, begin) < stripe_share(s, k, end))
            st = s->file[k]->ops->reserve(s->file[k], stripe_share(s, k, begin), stripe_share(s, k, end));
    return st;
}

static drx_status sync_file(void *arg, int64_t k)
{
    drxi_io *file = set_of(arg)->file[k];

    return file->ops->sync(file);
}

/* Sync all files at once, so that their disks work in parallel. */
static drx_status set_sync(drxi_io *io)
{
    return drxi_work_share(set_of(io)->n, sync_file, io);
}

static drx_status set_extent(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end)
{
    const struct set *s = set_of(io);
    int64_t first[DRX_MAX_STRIPES], last[DRX_MAX_STRIPES];

    *begin = *end = INT64_MAX;
    for (int k = 0; k < s->n; k++) {
        drx_status st = s->file[k]->ops->extent(s->file[k], stripe_share(s, k, offset), &first[k], &last[k]);

        if (st)
            return st;
        *begin = drxi_min(*begin, whole(s, k, first[k]));
    }
    for (int k = 0; *begin < INT64_MAX && k < s->n; k++) { /* up to the first byte that a file lacks */
        const int64_t at = stripe_share(s, k, *begin);

        *end = drxi_min(*end, whole(s, k, first[k] <= at && at < last[k] ? last[k] : at));
    }
    return DRX_OK;
}

static void set_push(drxi_io *io, int64_t begin, int64_t end)
{
    const struct set *s = set_of(io);

    for (int k = 0; k < s->n; k++)
        if (s->file[k]->ops->push && stripe_share(s, k, begin) < stripe_share(s, k, end))
            s->file[k]->ops->push(s->file[k], stripe_share(s, k, begin), stripe_share(s, k, end));
}

static void set_where(drxi_io *io, int64_t offset, enum drxi_manner manner, struct drxi_spot *out)
{
    const struct set *s = set_of(io);
    int64_t at;
    drxi_io *file = find_stripe(s, offset, &at);

    *out =
        (struct drxi_spot){ .fd = -1, .offset = offset, .bytes = INT64_MAX - offset, .starts = s->starts ? io : NULL };
    if (out->starts || file->cost.depth == 0)
        return;
    file->ops->where(file, at, manner, out);
    out->bytes = (int64_t)stripe_run(s, offset, (size_t)out->bytes);
}

/* The descriptor of file k, if it has its share of this many bytes; else -1: in a view, missing bytes could read as
 * zeros. */
static int descriptor_of(const struct set *s, int k, int64_t bytes)
{
    drxi_io *file = s->file[k];
    struct drxi_spot spot = { .fd = -1 };
    int64_t size = 0;

    if (file->cost.depth > 0 && file->ops->size(file, &size) == DRX_OK && size >= stripe_share(s, k, bytes))
        file->ops->where(file, 0, DRXI_IN_ORDER, &spot);
    return spot.fd;
}

static drx_status set_view(drxi_io *io, struct drxi_view *view)
{
    const struct set *s = set_of(io);
    int fd[DRX_MAX_STRIPES];
    int64_t bytes = 0;
    drx_status st = set_size(io, &bytes);
    bool all = !st;

    for (int k = 0; all && k < s->n; k++)
        all = (fd[k] = descriptor_of(s, k, bytes)) >= 0;
    if (view->base)
        drxi_view_renew(view, all ? bytes : 0);
    else if (all)
        (void)drxi_view_open_units(s->n, fd, s->unit, bytes, view);
    return st;
}

static drx_status set_stamp(drxi_io *io, uint64_t *stamp)
{
    const struct set *s = set_of(io);
    drx_status st = DRX_OK;

    *stamp = 0;
    for (int k = 0; !st && k < s->n; k++) {
        uint64_t of_file = 0;

        st = s->file[k]->ops->stamp(s->file[k], &of_file);
        *stamp += of_file;
    }
    return st;
}

static drx_status set_named(drxi_io *io, bool *named)
{
    const struct set *s = set_of(io);
    drx_status st = DRX_OK;

    *named = true;
    for (int k = 0; !st && *named && k < s->n; k++)
        st = s->file[k]->ops->named(s->file[k], named);
    return st;
}

static drx_status set_close(drxi_io *io)
{
    const struct set *s = set_of(io);
    drx_status st = DRX_OK;

    for (int k = 0; k < s->n; k++) {
        const drx_status other = s->file[k]->ops->close(s->file[k]);

        st = st ? st : other;
    }
    drxi_free(io->path);
    drxi_free(io);
    return st;
}

static const struct drxi_io_ops set_ops = {
    .read = set_read,
    .write = set_write,
    .size = set_size,
    .resize = set_resize,
    .punch = set_punch,
    .reserve = set_reserve,
    .sync = set_sync,
    .extent = set_extent,
    .push = set_push,
    .where = set_where,
    .view = set_view,
    .lock = drxi_refuse_lock,
    .unlock = drxi_no_unlock,
    .locked = drxi_never_locked,
    .stamp = set_stamp,
    .named = set_named,
    .sole = drxi_no_sole,
    .replace = drxi_no_replace,
    .alias = drxi_no_alias, /* each file has its own, and its own name */
    .close = set_close,
    .guard = drxi_refuse_guard,
    .start = set_start,
    .prefetch = set_prefetch,
};

/* Several disks work at once, also those of other nodes, where each read is a call. */
static struct drxi_cost cost_of(drxi_io *const files[], int n)
{
    struct drxi_cost cost = files[0]->cost;

    cost.depth = DRXI_FLIGHT_MOST;
    cost.row_bytes = ROW_BYTES;
    cost.pours = false;
    for (int k = 1; k < n; k++) {
        cost.most_bytes = drxi_max(cost.most_bytes, files[k]->cost.most_bytes);
        cost.direct = cost.direct || files[k]->cost.direct;
        cost.mapped = cost.mapped && files[k]->cost.mapped;
    }
    return cost;
}

drx_status drxi_stripes_join(drxi_io *const files[], int n, int64_t unit_bytes, const char *path, drxi_io **out)
{
    struct set *s = drxi_calloc(1, sizeof *s);
    char *copy = drxi_strdup(path);

    *out = NULL;
    if (!s || !copy) {
        drxi_free(s);
        drxi_free(copy);
        return DRX_ENOMEM;
    }
    s->io.ops = &set_ops;
    s->io.path = copy;
    s->io.cost = cost_of(files, n);
    s->starts = files[0]->ops->start != NULL;
    s->n = n;
    s->unit = unit_bytes;
    memcpy(s->file, files, (size_t)n * sizeof *files);
    *out = &s->io;
    return DRX_OK;
}

static bool is_set(const drxi_io *io)
{
    return io->ops == &set_ops;
}

int drxi_stripes_count(const drxi_io *io)
{
    return is_set(io) ? set_of(io)->n : 1;
}

drxi_io *drxi_stripes_file(drxi_io *io, int k)
{
    return is_set(io) ? set_of(io)->file[k] : io;
}

drxi_io *drxi_stripes_find(drxi_io *io, int64_t offset, int64_t *at)
{
    *at = offset;
    return is_set(io) ? find_stripe(set_of(io), offset, at) : io;
}

int64_t drxi_stripes_share(const drxi_io *io, int k, int64_t bytes)
{
    return is_set(io) ? stripe_share(set_of(io), k, bytes) : bytes;
}

int64_t drxi_stripes_whole(const drxi_io *io, int k, int64_t at)
{
    return is_set(io) ? whole(set_of(io), k, at) : at;
}

int64_t drxi_stripes_gap_end(const drxi_io *io, int64_t offset)
{
    return is_set(io) && set_of(io)->n > 1
               ? drxi_min(offset / set_of(io)->unit, INT64_MAX / set_of(io)->unit - 1) * set_of(io)->unit +
                     set_of(io)->unit
               : INT64_MAX;
}
