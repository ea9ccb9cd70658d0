/* Raw chunks with checksums, which are the last file. */
#include "data/sums.h"

static int summed_count(const struct drxi_state *s)
{
    return drxi_stored_raw.count(s) + 1;
}

static char *summed_name(const struct drxi_data *data, const char *path, int k)
{
    return k < drxi_stored_raw.count(data->state) ? drxi_stored_raw.name(data, path, k) : drxi_format("%s.xcs", path);
}

static bool summed_file(const struct drxi_data *data, int k, struct drxi_stored_file *out)
{
    const int n = data->file->io ? drxi_stripes_count(data->file->io) : 0;

    if (k < n)
        return drxi_stored_raw.file(data, k, out);
    *out = (struct drxi_stored_file){ .io = data->file->sums->io, .compares = true };
    return k == n;
}

static int64_t summed_length(const struct drxi_data *data, int k, int64_t chunks)
{
    return k < drxi_stripes_count(data->file->io) ? drxi_stored_raw.length(data, k, chunks) : chunks * DRXI_SUM_BYTES;
}

/* Whoever needs the checksums misses them. */
static drx_status summed_open(struct drxi_data *data, const char *path, enum drxi_how how)
{
    drx_status st = drxi_stored_raw.open(data, path, how);

    if (!st)
        st = drxi_sums_open(data, path, how);
    return st == DRX_ENOENT && data->file->io && how != DRXI_NEW ? DRX_OK : st;
}

static drx_status summed_join(struct drxi_data *data, const char *path, drxi_io *const files[])
{
    drxi_io *io = files[drxi_stored_raw.count(data->state)];
    drx_status st = drxi_stored_raw.join(data, path, files);

    if (!st)
        st = drxi_sums_use(data, io);
    if (st)
        (void)io->ops->close(io);
    return st;
}

/* The checksums before the data: what is written later is told from them. */
static drx_status summed_copy(struct drxi_twin *t)
{
    int64_t length = 0;
    drx_status st = drxi_twin_length(t, drxi_stripes_count(t->from->file->io), &length);

    if (!st)
        st = drxi_sums_open(t->to, t->path, DRXI_NEW);
    if (!st)
        st = t->copy(t, t->from->file->sums->io, t->to->file->sums->io, length, false);
    return st ? st : drxi_stored_raw.copy(t);
}

static drx_status copied(struct drxi_twin *t)
{
    return drxi_sums_settle_copy(t->from, t->to);
}

static drx_status summed_complete(struct drxi_data *data, void *buf, size_t n, size_t got, int64_t offset)
{
    drx_status st = drxi_sums_verify(data, buf, got, offset);

    if (!st)
        st = drxi_raw_complete(data, buf, n, got, offset);
    return !st && got < n && drxi_verifies() ? drxi_sums_verify_lacking(data, n, got, offset) : st;
}

static drx_status summed_give_back(struct drxi_data *data, int64_t first, int64_t end)
{
    drxi_io *io = data->file->sums->io;

    return io->ops->punch(io, first * DRXI_SUM_BYTES, end * DRXI_SUM_BYTES);
}

static drx_status summed_recover(struct drxi_data *data)
{
    const drx_status st = drxi_sums_recover(data);

    return st ? st : drxi_stored_raw.recover(data);
}

const struct drxi_storage drxi_stored_summed = {
    .kind = DRXI_STORED_SUMMED,
    .held = true,
    .verified = true,
    .count = summed_count,
    .name = summed_name,
    .file = summed_file,
    .length = summed_length,
    .open = summed_open,
    .join = summed_join,
    .close = drxi_sums_close,
    .copy = summed_copy,
    .copied = copied,
    .put = drxi_sums_write,
    .through = drxi_sums_through,
    .complete = summed_complete,
    .verify = drxi_sums_verify_chunk,
    .hold_start = drxi_sums_hold,
    .hold_write = drxi_sums_hold_write,
    .hold_end = drxi_sums_hold_end,
    .place = drxi_raw_place,
    .resize = drxi_sums_resize,
    .give_back = summed_give_back,
    .settle = drxi_sums_settle,
    .promise = drxi_nothing,
    .recover = summed_recover,
    .report = drxi_sums_report,
};
