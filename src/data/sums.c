/* The file of checksums, its entries, and the right to change them. */
#include "data/sums.h"

#include "base/hooks.h"

static const unsigned kind_bits = 8, kind_mask = 0xff;

enum drxi_sum_kind drxi_sum_kind(const struct drxi_sum *sum)
{
    const uint32_t kind = sum->state & kind_mask, boot = sum->state >> kind_bits;

    switch (kind) {
    case DRXI_SUM_NEVER:
        return boot == 0 && sum->crc == 0 ? DRXI_SUM_NEVER : DRXI_SUM_BAD;
    case DRXI_SUM_VALID:
        return boot == 0 ? DRXI_SUM_VALID : DRXI_SUM_BAD;
    case DRXI_SUM_IN_FLIGHT:
    case DRXI_SUM_WRITTEN:
        return boot != 0 ? (enum drxi_sum_kind)kind : DRXI_SUM_BAD;
    default:
        return DRXI_SUM_BAD;
    }
}

bool drxi_sum_counts(const struct drxi_sums *s, const struct drxi_sum *sum)
{
    const enum drxi_sum_kind kind = drxi_sum_kind(sum);

    return kind == DRXI_SUM_VALID || (kind == DRXI_SUM_WRITTEN && (sum->state & ~kind_mask) == s->boot);
}

drx_status drxi_sums_use(struct drxi_data *data, drxi_io *io)
{
    struct drxi_sums *s = drxi_calloc(1, sizeof *s);

    if (!s)
        return DRX_ENOMEM;
    s->data = data;
    s->io = io;
    s->boot = (drxi_hooks.other_boot ? drxi_hooks.other_boot : drxi_boot_tag()) << kind_bits;
    s->first = INT64_MAX;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->given, NULL);
    data->file->sums = s;
    data->file->stored = &drxi_stored_summed;
    return DRX_OK;
}

drx_status drxi_sums_open(struct drxi_data *data, const char *path, enum drxi_how how)
{
    char *name = drxi_format("%s.xcs", path);
    drxi_io *io = NULL;
    drx_status st = name ? drxi_files->open(name, how, &io) : DRX_ENOMEM;

    drxi_free(name);
    if (!st && (st = drxi_sums_use(data, io)))
        (void)io->ops->close(io);
    return st;
}

drx_status drxi_sums_close(struct drxi_data *data)
{
    struct drxi_sums *s = data->file->sums;
    const drx_status st = s->io->ops->close(s->io);

    (void)pthread_mutex_destroy(&s->lock);
    (void)pthread_cond_destroy(&s->given);
    drxi_free(s);
    data->file->sums = NULL;
    return st;
}

drx_status drxi_sums_get(const struct drxi_sums *s, int64_t first, int64_t n, struct drxi_sum sum[], int64_t *there)
{
    uint8_t bytes[DRXI_SUMS_MOST * DRXI_SUM_BYTES];
    size_t got;
    drx_status st = s->io->ops->read(s->io, bytes, (size_t)n * DRXI_SUM_BYTES, first * DRXI_SUM_BYTES, &got);

    if (st)
        return st;
    memset(bytes + got, 0, (size_t)n * DRXI_SUM_BYTES - got);
    for (int64_t i = 0; i < n; i++)
        sum[i] =
            (struct drxi_sum){ drxi_get32(bytes + i * DRXI_SUM_BYTES), drxi_get32(bytes + i * DRXI_SUM_BYTES + 4) };
    if (there)
        *there = (int64_t)(got / DRXI_SUM_BYTES);
    return DRX_OK;
}

/* After a failed write, try to mark the entries as in flight, so that no half-written entry counts. */
static void mark_failed(struct drxi_sums *s, uint8_t bytes[], int64_t first, int64_t n)
{
    char detail[DRXI_DETAIL_BYTES];

    drxi_report_keep(detail);
    for (int64_t i = 0; i < n; i++)
        if ((bytes[i * DRXI_SUM_BYTES] & kind_mask) == DRXI_SUM_WRITTEN)
            drxi_put32(bytes + i * DRXI_SUM_BYTES, DRXI_SUM_IN_FLIGHT | s->boot);
    (void)s->io->ops->write(s->io, bytes, (size_t)n * DRXI_SUM_BYTES, first * DRXI_SUM_BYTES);
    drxi_report_set(detail);
}

drx_status drxi_sums_put(struct drxi_sums *s, int64_t first, int64_t n, const struct drxi_sum sum[])
{
    uint8_t bytes[DRXI_SUMS_MOST * DRXI_SUM_BYTES];
    drx_status st;

    for (int64_t i = 0; i < n; i++) {
        drxi_put32(bytes + i * DRXI_SUM_BYTES, sum[i].state);
        drxi_put32(bytes + i * DRXI_SUM_BYTES + 4, sum[i].crc);
    }
    atomic_store_explicit(&s->unsynced, true, memory_order_relaxed);
    st = s->io->ops->write(s->io, bytes, (size_t)n * DRXI_SUM_BYTES, first * DRXI_SUM_BYTES);
    if (st)
        mark_failed(s, bytes, first, n);
    return st;
}

static bool is_range_taken(const struct drxi_sums *s, const struct drxi_sums_range *range)
{
    for (const struct drxi_sums_range *r = s->taken; r; r = r->next)
        if (r->first < range->end && range->first < r->end)
            return true;
    return false;
}

static void take_off(struct drxi_sums *s, struct drxi_sums_range *range)
{
    struct drxi_sums_range **link = &s->taken;

    (void)pthread_mutex_lock(&s->lock);
    while (*link != range)
        link = &(*link)->next;
    *link = range->next;
    (void)pthread_cond_broadcast(&s->given);
    (void)pthread_mutex_unlock(&s->lock);
}

drx_status drxi_sums_take(struct drxi_sums *s, struct drxi_sums_range *range)
{
    drx_status st = DRX_OK;

    (void)pthread_mutex_lock(&s->lock);
    while (is_range_taken(s, range))
        (void)pthread_cond_wait(&s->given, &s->lock);
    range->next = s->taken;
    s->taken = range;
    (void)pthread_mutex_unlock(&s->lock);
    if (s->data->file->log->others)
        st = s->io->ops->guard(s->io, range->first * DRXI_SUM_BYTES, range->end * DRXI_SUM_BYTES, true);
    if (st)
        take_off(s, range);
    return st;
}

void drxi_sums_give(struct drxi_sums *s, struct drxi_sums_range *range)
{
    if (s->data->file->log->others)
        (void)s->io->ops->guard(s->io, range->first * DRXI_SUM_BYTES, range->end * DRXI_SUM_BYTES, false);
    take_off(s, range);
}

void drxi_sums_touch(struct drxi_sums *s, const struct drxi_sums_range *range)
{
    (void)pthread_mutex_lock(&s->lock);
    s->first = drxi_min(s->first, range->first);
    s->end = drxi_max(s->end, range->end);
    (void)pthread_mutex_unlock(&s->lock);
}

static drx_status visit_piece(struct drxi_data *data, int64_t first, int64_t end, drxi_sums_visit *visit)
{
    struct drxi_sum sum[DRXI_SUMS_MOST];
    drx_status st = DRX_OK;

    while (!st && first < end) {
        int64_t n = drxi_min(end - first, DRXI_SUMS_MOST);
        bool changed = false;

        st = drxi_sums_get(data->file->sums, first, n, sum, &n);
        if (st || n == 0)
            break;
        st = visit(data, first, n, sum, &changed);
        if (!st && changed)
            st = drxi_sums_put(data->file->sums, first, n, sum);
        first += n;
    }
    return st;
}

drx_status drxi_sums_walk(struct drxi_data *data, int64_t first, int64_t end, drxi_sums_visit *visit)
{
    struct drxi_stored stored;
    drx_status st = DRX_OK;

    drxi_stored_start(&stored, data->file->sums->io, end * DRXI_SUM_BYTES, false);
    stored.at = stored.end = first * DRXI_SUM_BYTES;
    while (!st) {
        int64_t at, n;

        st = drxi_stored_next(&stored, INT64_MAX, &at, &n);
        if (st || n == 0)
            break;
        st = visit_piece(data, at / DRXI_SUM_BYTES, drxi_ceil_div(at + n, DRXI_SUM_BYTES), visit);
    }
    return st;
}

drx_status drxi_sums_resize(struct drxi_data *data, int64_t chunks)
{
    atomic_store_explicit(&data->file->sums->unsynced, true, memory_order_relaxed);
    return data->file->sums->io->ops->resize(data->file->sums->io, chunks * DRXI_SUM_BYTES);
}
