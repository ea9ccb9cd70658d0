/* The file of the data: sizes, length, view. */
#include "base/hooks.h"
#include "copy/copy.h"
#include "data/sums.h"
#include "io/flight.h"
#include "remote/remote.h"

void drxi_data_init(struct drxi_data *data, struct drxi_log *log)
{
    data->log = log;
    data->state = &log->state;
    data->view_limit_bytes = DRXI_VIEW_BYTES;
    (void)pthread_mutex_init(&data->behind.lock, NULL);
    atomic_init(&data->doubt, DRXI_DOUBT);
    (void)pthread_mutex_init(&data->view_lock, NULL);
}

drx_status drxi_data_start(struct drxi_data *data, const char *path, enum drxi_how how)
{
    drx_status st;

    if (drxi_state_packed(data->state))
        st = drxi_pack_open(path, how, data->log, &data->io);
    else if (path)
        st = drxi_data_open(path, &data->state->stripes, data->chunk_pitch_bytes, how, &data->io);
    else
        st = drxi_memory_open(&data->io);
    data->pack = drxi_pack_of(data->io);
    return st;
}

drx_status drxi_data_close(struct drxi_data *data)
{
    drx_status st, sums;

    if (data->end_walk)
        data->end_walk(data);
    drxi_view_close(&data->view);
    sums = drxi_sums_close(data);
    st = data->io ? data->io->ops->close(data->io) : DRX_OK;
    data->io = NULL;
    data->pack = NULL;
    return st ? st : sums;
}

void drxi_data_free(struct drxi_data *data)
{
    drxi_pool_free(data->pool);
    (void)pthread_mutex_destroy(&data->view_lock);
    (void)pthread_mutex_destroy(&data->behind.lock);
}

void drxi_data_lay_out(struct drxi_data *data)
{
    const struct drxi_desc *d = &data->state->desc;

    data->item_bytes = drx_type_size(d->type);
    data->zero_fill = drxi_is_zero(d->fill, data->item_bytes);
    data->chunk_bytes = (int64_t)data->item_bytes;
    for (int j = 0; j < d->ndim; j++) {
        data->chunk_bytes *= d->chunk[j];
        data->chunk_shift[j] =
            (int8_t)((d->chunk[j] & (d->chunk[j] - 1)) == 0 ? __builtin_ctzll((uint64_t)d->chunk[j]) : -1);
    }
    (void)drxi_chunk_pitch(d, &data->chunk_pitch_bytes);
    drxi_strides(d->ndim, d->chunk, data->item_bytes, d->chunk_order, data->item_pitch_bytes);
}

void drxi_data_each_file(struct drxi_data *data, void (*visit)(drxi_io *io, void *arg), void *arg)
{
    if (data->sums)
        visit(data->sums->io, arg);
    if (data->pack) {
        visit(data->pack->payloads, arg);
        visit(data->pack->table, arg);
        return;
    }
    for (int k = 0; data->io && k < drxi_stripes_count(data->io); k++)
        visit(drxi_stripes_file(data->io, k), arg);
}

static void drop(drxi_io *io, void *unused)
{
    (void)unused;
    drxi_remote_drop(io);
}

void drxi_data_drop_read(struct drxi_data *data)
{
    if (data->io && data->io->remote)
        drxi_data_each_file(data, drop, NULL);
}

static void look_at(drxi_io *io, void *fresh)
{
    if (drxi_remote_fresh(io))
        *(bool *)fresh = true;
}

bool drxi_data_is_fresh(struct drxi_data *data)
{
    bool fresh = false;

    drxi_data_each_file(data, look_at, &fresh);
    return fresh;
}

static void look_for_loose(drxi_io *io, void *firm)
{
    if (!drxi_remote_firm(io))
        *(bool *)firm = false;
}

bool drxi_data_is_firm(struct drxi_data *data)
{
    bool firm = true;

    drxi_data_each_file(data, look_for_loose, &firm);
    return firm;
}

/* What the chunks inside the bounds take, without those that were trimmed. */
static int64_t live_bytes(const struct drxi_data *data)
{
    int64_t bytes = data->chunk_pitch_bytes;

    for (int j = 0; j < data->state->desc.ndim; j++)
        bytes = drxi_mul_saturated(bytes, drxi_map_extent(&data->state->map, j));
    return bytes;
}

bool drxi_data_fits(const struct drxi_data *data, int64_t bytes)
{
    return data->state->map.chunks * data->chunk_pitch_bytes <= bytes || live_bytes(data) <= bytes;
}

bool drxi_data_goes_direct(const struct drxi_data *data)
{
    if (data->io->remote || !data->io->ops->where)
        return false;
    if (drxi_hooks.cache != DRXI_AS_FITS || data->chunk_pitch_bytes < DRXI_FLIGHT_ALIGNMENT)
        return drxi_hooks.cache == DRXI_DIRECT && data->chunk_pitch_bytes >= DRXI_FLIGHT_ALIGNMENT;
    return !drxi_data_fits(data, drxi_room_for_files() / 4 * 3);
}

static drx_status give_back(struct drxi_data *data, int64_t first, int64_t n)
{
    const int64_t end = first + n;
    drx_status st = data->io->ops->punch(data->io, first * data->chunk_pitch_bytes, end * data->chunk_pitch_bytes);

    if (!st && data->sums)
        st = data->sums->io->ops->punch(data->sums->io, first * DRXI_SUM_BYTES, end * DRXI_SUM_BYTES);
    return st;
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
        st = give_back(data, first, g->span.n);
    } while (!st && drxi_lattice_step(g, at));
    return st;
}

drx_status drxi_data_give_back(struct drxi_data *data, const struct drxi_freed *freed)
{
    int64_t bytes = 0;
    drx_status st = freed->lattices > 0 ? data->io->ops->size(data->io, &bytes) : DRX_OK;

    for (int64_t i = 0; !st && i < freed->spans; i++)
        st = give_back(data, freed->span[i].first, freed->span[i].n);
    for (int64_t i = 0; !st && i < freed->lattices; i++)
        st = give_back_lattice(data, &freed->lattice[i], drxi_ceil_div(bytes, data->chunk_pitch_bytes));
    return st;
}

drx_status drxi_data_store(struct drxi_data *data, const void *buf, size_t n, int64_t offset)
{
    drx_status st;

    atomic_store_explicit(&data->unsynced, true, memory_order_relaxed);
    st = data->io->ops->write(data->io, buf, n, offset);
    if (!st)
        drxi_behind_write(data, offset, (int64_t)n);
    return st;
}

drx_status drxi_data_sync(struct drxi_data *data)
{
    drx_status st = data->pool ? drxi_pool_flush(data->pool) : DRX_OK;

    if (data->pack && atomic_exchange(&data->pack->undurable, false))
        data->unsynced = true;
    return !st && atomic_exchange(&data->unsynced, false) ? drxi_make_durable(data->log, data->io) : st;
}

drx_status drxi_data_check_length(struct drxi_data *data, int64_t *size, bool *damaged)
{
    const int64_t promised = data->state->synced_chunks * data->chunk_pitch_bytes;
    drx_status st = DRX_OK;

    *size = 0;
    for (int k = drxi_stripes_count(data->io) - 1; !st && k >= 0; k--) {
        drxi_io *file = drxi_stripes_file(data->io, k);
        const int64_t least = drxi_stripes_share(data->io, k, promised);
        int64_t bytes = 0;

        st = file->ops->size(file, &bytes);
        if (!st && bytes < least) {
            *damaged = true;
            (void)drxi_fail(DRX_EDAMAGED, "%s: damaged: %lld bytes long, its last sync promised %lld", file->path,
                            (long long)bytes, (long long)least);
        }
        if (!st && bytes > 0) /* the offset of its last byte, plus one */
            *size = drxi_max(*size, drxi_min(drxi_stripes_whole(data->io, k, bytes - 1), INT64_MAX - 1) + 1);
    }
    return st;
}

int64_t drxi_data_length(const struct drxi_data *data, int k)
{
    return drxi_stripes_share(data->io, k, data->state->map.chunks * data->chunk_pitch_bytes);
}

const struct drxi_view *drxi_data_make_view(struct drxi_data *data)
{
    int state = atomic_load_explicit(&data->view_state, memory_order_acquire);

    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return NULL;
    if (state == DRXI_NOT_VIEWED) {
        (void)pthread_mutex_lock(&data->view_lock);
        state = atomic_load_explicit(&data->view_state, memory_order_relaxed);
        if (state == DRXI_NOT_VIEWED)
            state =
                data->io->ops->view(data->io, &data->view) == DRX_OK && data->view.base ? DRXI_VIEWED : DRXI_NO_VIEW;
        atomic_store_explicit(&data->view_state, state, memory_order_release);
        (void)pthread_mutex_unlock(&data->view_lock);
    }
    return state == DRXI_VIEWED ? &data->view : NULL;
}

bool drxi_data_resident(struct drxi_data *data, int64_t offset)
{
    struct drxi_spot spot;

    if (data->view.tells || !data->io->ops->where)
        return drxi_view_resident(&data->view, offset);
    data->io->ops->where(data->io, offset, DRXI_SCATTERED, &spot);
    return spot.fd < 0 || drxi_file_resident(spot.fd, spot.offset);
}

void drxi_data_answer(struct drxi_data *data, bool there)
{
    const int doubt = atomic_load_explicit(&data->doubt, memory_order_relaxed);

    if (!there || doubt > 0)
        atomic_store_explicit(&data->doubt, there ? doubt - 1 : DRXI_DOUBT, memory_order_relaxed);
}

void drxi_data_resized(struct drxi_data *data)
{
    atomic_store_explicit(&data->view_state, DRXI_NOT_VIEWED, memory_order_relaxed);
}
