/* The file of the data: sizes, length. */
#include "base/hooks.h"
#include "copy/copy.h"
#include "data/sums.h"
#include "io/flight.h"

void drxi_data_init(struct drxi_data *data, struct drxi_data_file *file, struct drxi_log *log)
{
    drxi_keep_to_process();
    data->file = file;
    data->file->log = log;
    data->file->stored = &drxi_stored_raw;
    data->state = &log->state;
    data->file->view_limit_bytes = DRXI_VIEW_BYTES;
    (void)pthread_mutex_init(&data->file->behind.lock, NULL);
    atomic_init(&data->file->doubt, DRXI_DOUBT);
    (void)pthread_mutex_init(&data->file->view_lock, NULL);
}

drx_status drxi_data_close(struct drxi_data *data)
{
    drx_status st, beside;

    if (data->file->end_walk)
        data->file->end_walk(data);
    drxi_data_end_view(data);
    beside = data->file->stored->close(data);
    st = data->file->io ? data->file->io->ops->close(data->file->io) : DRX_OK;
    data->file->io = NULL;
    data->file->stored = &drxi_stored_raw;
    return st ? st : beside;
}

void drxi_data_free(struct drxi_data *data)
{
    drxi_pool_free(data->file->pool);
    (void)pthread_mutex_destroy(&data->file->view_lock);
    (void)pthread_mutex_destroy(&data->file->behind.lock);
}

/* Sizes that follow from the description. */
static void lay_out_files(struct drxi_data *data)
{
    const struct drxi_desc *d = &data->state->desc;
    struct drxi_laid laid;

    data->ndim = d->ndim;
    data->type = d->type;
    data->chunk_order = d->chunk_order;
    data->fill = d->fill;
    memcpy(data->chunk, d->chunk, sizeof data->chunk);
    data->item_bytes = drx_type_size(d->type);
    data->zero_fill = drxi_is_zero(d->fill, data->item_bytes);
    for (int j = 0; j < d->ndim; j++)
        data->chunk_shift[j] =
            (int8_t)((d->chunk[j] & (d->chunk[j] - 1)) == 0 ? __builtin_ctzll((uint64_t)d->chunk[j]) : -1);
    (void)drxi_desc_lay(d, &laid);
    data->chunk_bytes = laid.bytes;
    data->chunk_pitch_bytes = laid.pitch;
    drxi_strides(d->ndim, d->chunk, data->item_bytes, d->chunk_order, data->item_pitch_bytes);
}

static int64_t bound_of(const struct drxi_data *data, struct drxi_last end)
{
    return end.end == DRXI_LOW ? data->lower[end.axis] : data->upper[end.axis];
}

void drxi_data_follow(struct drxi_data *data)
{
    const struct drxi_state *s = data->state;
    size_t n;

    if (data->item_bytes == 0 || data->ndim != s->desc.ndim)
        lay_out_files(data);
    n = (size_t)data->ndim * sizeof *s->lower;
    memcpy(data->lower, s->lower, n);
    memcpy(data->upper, s->upper, n);
    memcpy(data->shape, s->shape, n);
    drxi_map_share(&s->map, &data->map);
    data->growing = drxi_state_last(s);
    data->grown_from = data->growing.axis >= 0 ? bound_of(data, data->growing) : 0;
    data->trimmed = s->trimmed;
    drxi_snapshot_drop(data);
}

drx_status drxi_data_grown(const struct drxi_data *data, const struct drxi_step *step, struct drxi_data *to)
{
    const struct drxi_growth *g = &step->growth;

    memcpy(to, data, offsetof(struct drxi_data, view));
    atomic_init(&to->view_state, DRXI_NO_VIEW);
    to->growing = (struct drxi_last){ g->axis, g->end };
    to->grown_from = bound_of(data, to->growing);
    *(g->end == DRXI_LOW ? &to->lower[g->axis] : &to->upper[g->axis]) = g->bound;
    to->shape[g->axis] += g->by;
    return drxi_map_grown(&data->map, g->axis, g->end, step->by_chunks, &to->map);
}

void drxi_data_end_grown(struct drxi_data *to)
{
    drxi_map_end_grown(&to->map);
}

void drxi_data_drop_read(struct drxi_data *data)
{
    struct drxi_stored_file f;

    for (int k = 0; drxi_data_file(data, k, &f); k++)
        drxi_state_drop(f.io);
}

static bool some_are(const struct drxi_data *data, enum drxi_states what, bool so)
{
    struct drxi_stored_file f;

    for (int k = 0; drxi_data_file(data, k, &f); k++)
        if (drxi_state_is(f.io, what) == so)
            return true;
    return false;
}

bool drxi_data_is_fresh(struct drxi_data *data)
{
    return some_are(data, DRXI_FRESH, true);
}

bool drxi_data_is_firm(struct drxi_data *data)
{
    return !some_are(data, DRXI_FIRM, false);
}

/* What the chunks inside the bounds take, without those that were trimmed. */
static int64_t live_bytes(const struct drxi_data *data)
{
    int64_t bytes = data->chunk_pitch_bytes;

    for (int j = 0; j < data->ndim; j++)
        bytes = drxi_mul_saturated(bytes, drxi_map_extent(&data->map, j));
    return bytes;
}

bool drxi_data_fits(const struct drxi_data *data, int64_t bytes)
{
    return data->map.chunks * data->chunk_pitch_bytes <= bytes || live_bytes(data) <= bytes;
}

bool drxi_data_goes_direct(const struct drxi_data *data)
{
    if (!data->file->io->cost.direct)
        return false;
    if (drxi_hooks.cache != DRXI_AS_FITS || data->chunk_pitch_bytes < DRXI_FLIGHT_ALIGNMENT)
        return drxi_hooks.cache == DRXI_DIRECT && data->chunk_pitch_bytes >= DRXI_FLIGHT_ALIGNMENT;
    return !drxi_data_fits(data, drxi_room_for_files() / 4 * 3);
}

static drx_status punch_chunks(struct drxi_data *data, int64_t first, int64_t n)
{
    const int64_t end = first + n;
    drx_status st =
        data->file->io->ops->punch(data->file->io, first * data->chunk_pitch_bytes, end * data->chunk_pitch_bytes);

    return st || !data->file->stored->give_back ? st : data->file->stored->give_back(data, first, end);
}

/* The addresses of a lattice increase, and those behind the end of the file store nothing. */
static drx_status give_back_lattice(struct drxi_data *data, const struct drxi_lattice *g, int64_t chunks)
{
    int64_t at[DRX_MAX_NDIM] = { 0 };
    drx_status st = DRX_OK;

    do {
        const int64_t first = drxi_lattice_first(g, at);

        if (first >= chunks)
            break;
        st = punch_chunks(data, first, g->span.n);
    } while (!st && drxi_lattice_step(g, at));
    return st;
}

drx_status drxi_data_give_back(struct drxi_data *data, const struct drxi_freed *freed)
{
    int64_t bytes = 0;
    drx_status st = freed->lattices > 0 ? data->file->io->ops->size(data->file->io, &bytes) : DRX_OK;

    for (int64_t i = 0; !st && i < freed->spans; i++)
        st = punch_chunks(data, freed->span[i].first, freed->span[i].n);
    for (int64_t i = 0; !st && i < freed->lattices; i++)
        st = give_back_lattice(data, &freed->lattice[i], drxi_ceil_div(bytes, data->chunk_pitch_bytes));
    return st;
}

drx_status drxi_data_store(struct drxi_data *data, const void *buf, size_t n, int64_t offset)
{
    const drx_status st = data->file->io->ops->write(data->file->io, buf, n, offset);

    atomic_store(&data->file->unsynced, true);
    if (!st)
        drxi_behind_write(data, offset, (int64_t)n);
    return st;
}

drx_status drxi_data_sync(struct drxi_data *data)
{
    drx_status st = data->file->pool ? drxi_pool_flush(data->file->pool) : DRX_OK;

    if (atomic_exchange(&data->file->log->undurable, false))
        data->file->unsynced = true;
    return !st && atomic_exchange(&data->file->unsynced, false) ? drxi_make_durable(data->file->log, data->file->io)
                                                                : st;
}

/* Whoever writes says so afterwards, and is seen here or by the next sync; what was put in the pool is told before it
 * is flushed. */
drx_status drxi_data_sync_beside(struct drxi_data *data)
{
    const bool written = !data->file->stored->epochs && atomic_exchange(&data->file->unsynced, false);
    drx_status st = data->file->pool ? drxi_pool_flush(data->file->pool) : DRX_OK;

    if (!st && written)
        return drxi_make_durable(data->file->log, data->file->io);
    if (written)
        atomic_store(&data->file->unsynced, true);
    return st;
}

int64_t drxi_data_length(const struct drxi_data *data, int k)
{
    return drxi_stripes_share(data->file->io, k, data->map.chunks * data->chunk_pitch_bytes);
}

bool drxi_data_resident(struct drxi_data *data, int64_t offset)
{
    struct drxi_spot spot;

    if (data->view.tells || data->file->io->cost.depth == 0)
        return drxi_view_resident(&data->view, offset);
    data->file->io->ops->where(data->file->io, offset, DRXI_SCATTERED, &spot);
    return spot.fd < 0 || drxi_file_resident(spot.fd, spot.offset);
}

void drxi_data_answer(struct drxi_data *data, bool there)
{
    const int doubt = atomic_load_explicit(&data->file->doubt, memory_order_relaxed);

    if (!there || doubt > 0)
        atomic_store_explicit(&data->file->doubt, there ? doubt - 1 : DRXI_DOUBT, memory_order_relaxed);
}
