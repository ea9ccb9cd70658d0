/* Chunks as they are, in one file or in stripes. */
#include "data/data.h"

static int raw_count(const struct drxi_state *s)
{
    return s->stripes.n > 0 ? s->stripes.n : 1;
}

static char *raw_name(const struct drxi_data *data, const char *path, int k)
{
    const struct drxi_stripes *stripes = &data->state->stripes;

    return stripes->n > 0 ? drxi_stripe_path(path, stripes, k) : drxi_format("%s.xta", path);
}

static bool raw_file(const struct drxi_data *data, int k, struct drxi_stored_file *out)
{
    drxi_io *io = data->file->io;

    if (!io || k >= drxi_stripes_count(io))
        return false;
    *out = (struct drxi_stored_file){ .io = drxi_stripes_file(io, k), .unique = data->state->stripes.n > 0 };
    return true;
}

static int64_t raw_length(const struct drxi_data *data, int k, int64_t chunks)
{
    return drxi_stripes_share(data->file->io, k, chunks * data->chunk_pitch_bytes);
}

static drx_status raw_open(struct drxi_data *data, const char *path, enum drxi_how how)
{
    return path ? drxi_data_open(path, &data->state->stripes, data->chunk_pitch_bytes, how, &data->file->io)
                : drxi_memory_open(&data->file->io);
}

static drx_status raw_join(struct drxi_data *data, const char *path, drxi_io *const files[])
{
    const int n = raw_count(data->state);
    const drx_status st = drxi_data_join(files, n, data->chunk_pitch_bytes, path, &data->file->io);

    for (int k = 0; st && k < n; k++)
        (void)files[k]->ops->close(files[k]);
    return st;
}

static drx_status raw_copy(struct drxi_twin *t)
{
    struct drxi_stored_file from, to;
    drx_status st = t->elements ? raw_open(t->to, t->path, DRXI_NEW) : DRX_OK;

    for (int k = 0; !st && raw_file(t->to, k, &to) && raw_file(t->from, k, &from); k++) {
        int64_t length = 0;

        st = drxi_twin_length(t, k, &length);
        if (!st)
            st = t->copy(t, from.io, to.io, length, false);
    }
    return st || !t->elements ? st : t->to->file->io->ops->sync(t->to->file->io);
}

drx_status drxi_raw_complete(struct drxi_data *data, void *buf, size_t n, size_t got, int64_t offset)
{
    return drxi_data_complete(data, buf, n, got, offset + (int64_t)got);
}

drx_status drxi_raw_place(struct drxi_data *data, int64_t q, drx_place *out)
{
    int64_t size = 0;
    drxi_io *io = drxi_stripes_find(data->file->io, q * data->chunk_pitch_bytes, &out->offset);
    const drx_status st = io->ops->size(io, &size);

    out->file = 1 + (int)(q % drxi_stripes_count(data->file->io));
    out->bytes = data->chunk_bytes;
    out->lacking_bytes = drxi_max(0, drxi_min(out->bytes, out->offset + out->bytes - size));
    if (!st && out->lacking_bytes > 0 && q < drxi_data_promised(data))
        return drxi_fail(DRX_EDAMAGED, "%s: damaged: ends before chunk %lld, which its last sync promised", io->path,
                         (long long)q);
    return st;
}

/* ---- recovery ---- */

/* Write the fill to file k from `at`, where an element begins, to its end. */
static drx_status fill_end(struct drxi_data *data, int k, int64_t at, int64_t length)
{
    const bool one = drxi_stripes_count(data->file->io) == 1;
    const int64_t pitch = data->chunk_pitch_bytes;
    drx_status st = DRX_OK;

    while (!st && at < length) {
        const int64_t end = one ? length : (at / pitch + 1) * pitch;
        const int64_t begin = drxi_stripes_whole(data->file->io, k, at);

        st = drxi_data_fill(data, begin, begin + (end - at));
        at = end;
    }
    return st;
}

/* Give file k the length of its chunks. */
static drx_status repair_length(struct drxi_data *data, int k)
{
    drxi_io *io = drxi_stripes_file(data->file->io, k);
    const int64_t length = drxi_data_length(data, k);
    int64_t size, cut;
    drx_status st = io->ops->size(io, &size);

    if (st || size == length)
        return st;
    cut = size % data->chunk_pitch_bytes % (int64_t)data->item_bytes;
    if (data->file->log->shared && drxi_data_ends_early(data)) /* another one may be writing it */
        cut = 0;
    if (size < length && cut > 0) /* drop an incomplete element */
        st = io->ops->resize(io, size - cut);
    if (!st && size < length && drxi_data_ends_early(data))
        return cut > 0 ? io->ops->sync(io) : DRX_OK;
    if (!st && size < length && !data->zero_fill) /* find a lack of space before writing */
        st = io->ops->reserve(io, size, length);
    if (!st && size < length && !data->zero_fill)
        st = fill_end(data, k, size - cut, length);
    if (!st)
        st = io->ops->resize(io, length);
    return st ? st : io->ops->sync(io);
}

static drx_status raw_recover(struct drxi_data *data)
{
    drx_status st = DRX_OK;

    for (int k = 0; !st && k < drxi_stripes_count(data->file->io); k++)
        st = repair_length(data, k);
    return st;
}

const struct drxi_storage drxi_stored_raw = {
    .kind = DRXI_STORED_RAW,
    .count = raw_count,
    .name = raw_name,
    .file = raw_file,
    .length = raw_length,
    .open = raw_open,
    .join = raw_join,
    .close = drxi_nothing,
    .copy = raw_copy,
    .put = drxi_data_store,
    .complete = drxi_raw_complete,
    .place = drxi_raw_place,
    .settle = drxi_nothing,
    .promise = drxi_nothing,
    .recover = raw_recover,
};
