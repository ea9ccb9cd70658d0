/* Writing to chunks and their checksums.
 *
 * A writer marks the entries as in flight, writes the bytes, then stores the new checksums. A process that is killed in
 * between leaves the mark, and a later writer computes the checksum again. Before a writer marks a valid entry, it
 * durably changes all valid entries of the page to ones that count only for this boot: after a power cut, nobody knows
 * which of the bytes and the checksum came to the disk. That happens once for each page between two syncs.
 *
 * The CRC by exchange. A write of n bytes into a chunk of a megabyte should not read the whole chunk to get its new
 * CRC. It need not, because a CRC is linear: the bytes are the coefficients of a polynomial over GF(2), the CRC is the
 * remainder of that polynomial, times x^32, modulo P, and the remainder of a sum is the sum (XOR) of the remainders.
 * Let A be the chunk before the write and B after. A + B is zero but for the n bytes, which are old + new, and `behind`
 * zero bytes follow them in the chunk. So
 *
 *     crc(B) = crc(A) + (crc(old) + crc(new)) x^(8 behind)  modulo P
 *
 * (What CRC32C adds to the polynomial before and after, all ones, is in both terms of each sum and goes.) The writer
 * reads the n old bytes, which it overwrites, and computes two CRCs of n bytes and one multiplication by x^(8 behind),
 * by repeated squaring: drxi_crc32c_change, some 20 steps. So the cost follows the bytes written. Of a chunk that is
 * written whole, the old bytes count as zeros, whose CRC is known (drxi_crc32c_zeros), and nothing is read. Bytes of a
 * box that are not contiguous are as many exchanges. Two threads that write to one chunk take its entry one after the
 * other (drxi_sums_take), since each needs the other's result. */
#include "data/sums.h"
#include "format/crc.h"

/* Let valid entries count only for this boot. */
static drx_status unsettle(struct drxi_data *data, int64_t first, int64_t n, struct drxi_sum sum[], bool *changed)
{
    (void)first;
    for (int64_t i = 0; i < n; i++)
        if (drxi_sum_kind(&sum[i]) == DRXI_SUM_VALID) {
            sum[i].state = DRXI_SUM_WRITTEN | data->file->sums->boot;
            *changed = true;
        }
    return DRX_OK;
}

/* The same, and write all entries again, changed or not. */
static drx_status unsettle_again(struct drxi_data *data, int64_t first, int64_t n, struct drxi_sum sum[], bool *changed)
{
    *changed = true;
    return unsettle(data, first, n, sum, changed);
}

/* Do the same durably for the whole pages around some entries. Others see none of them before they are durable. After a
 * failure they must be written again before anything relies on them. */
static drx_status unsettle_pages(struct drxi_data *data, const struct drxi_sums_range *around, drxi_sums_visit *visit)
{
    struct drxi_sums *s = data->file->sums;
    struct drxi_sums_range pages = { around->first / DRXI_SUMS_MOST * DRXI_SUMS_MOST,
                                     drxi_ceil_div(around->end, DRXI_SUMS_MOST) * DRXI_SUMS_MOST, NULL };
    drx_status st = drxi_sums_take(s, &pages);

    if (st)
        return st;
    st = drxi_sums_walk(data, pages.first, pages.end, visit);
    if (!st)
        st = s->io->ops->sync(s->io);
    drxi_sums_touch(s, &pages);
    if (st)
        atomic_store(&s->failed, true);
    drxi_sums_give(s, &pages);
    return st;
}

/* After a failure, write all touched entries again. Those that may not be durable are among them. */
static drx_status try_again(struct drxi_data *data)
{
    struct drxi_sums *s = data->file->sums;
    struct drxi_sums_range all;
    drx_status st;

    (void)pthread_mutex_lock(&s->lock);
    all = (struct drxi_sums_range){ s->first, s->end, NULL };
    (void)pthread_mutex_unlock(&s->lock);
    st = all.first < all.end ? unsettle_pages(data, &all, unsettle_again) : DRX_OK;
    if (!st)
        atomic_store(&s->failed, false);
    return st;
}

static bool some_valid(const struct drxi_sum sum[], int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (drxi_sum_kind(&sum[i]) == DRXI_SUM_VALID)
            return true;
    return false;
}

/* Mark entries as in flight; sum[] keeps their old values. */
static drx_status mark(struct drxi_sums *s, const struct drxi_sums_range *range, const struct drxi_sum sum[])
{
    const int64_t n = range->end - range->first;
    struct drxi_sum marked[DRXI_SUMS_MOST];

    for (int64_t i = 0; i < n; i++)
        marked[i] = (struct drxi_sum){ DRXI_SUM_IN_FLIGHT | s->boot, sum[i].crc };
    return drxi_sums_put(s, range->first, n, marked);
}

/* Take at most DRXI_SUMS_MOST entries and mark them. */
static drx_status begin_sums(struct drxi_data *data, struct drxi_sums_range *range, struct drxi_sum sum[])
{
    struct drxi_sums *s = data->file->sums;
    const int64_t n = range->end - range->first;

    for (;;) {
        drx_status st = atomic_load(&s->failed) ? try_again(data) : DRX_OK;

        if (!st)
            st = drxi_sums_take(s, range);
        if (st)
            return st;
        st = drxi_sums_get(s, range->first, n, sum, NULL);
        if (!st && !some_valid(sum, n)) {
            st = mark(s, range, sum);
            if (!st)
                return DRX_OK;
        }
        drxi_sums_give(s, range);
        if (!st)
            st = unsettle_pages(data, range, unsettle);
        if (st)
            return st;
    }
}

/* Store the checksums of chunks that have been written; a failure leaves the marks. */
static drx_status end_sums(struct drxi_data *data, struct drxi_sums_range *range, const struct drxi_sum sum[],
                           drx_status st)
{
    if (!st)
        st = drxi_sums_put(data->file->sums, range->first, range->end - range->first, sum);
    drxi_sums_touch(data->file->sums, range);
    drxi_sums_give(data->file->sums, range);
    return st;
}

drx_status drxi_sums_hold(struct drxi_hold *h)
{
    drx_status st = begin_sums(h->data, &h->range, &h->sum);

    if (st)
        return st;
    h->rereads = true;
    h->known = h->whole || drxi_sum_counts(h->data->file->sums, &h->sum);
    if (h->whole) /* begin with the checksum of a chunk of zeros */
        h->sum.crc = drxi_crc32c_zeros(h->data->chunk_bytes);
    return DRX_OK;
}

/* Update the checksum for n new bytes at offset `within` of the chunk. */
static drx_status follow_crc(struct drxi_hold *h, const void *buf, int64_t n, int64_t within)
{
    struct drxi_data *data = h->data;
    uint32_t old = 0;
    drx_status st = DRX_OK;

    if (h->whole)
        old = drxi_crc32c_zeros(n);
    else
        st = drxi_sums_crc(data, h->range.first * data->chunk_pitch_bytes + within, n, &old);
    if (!st)
        h->sum.crc ^= drxi_crc32c_change(old ^ drxi_crc32c(0, buf, (size_t)n), data->chunk_bytes - within - n);
    return st;
}

drx_status drxi_sums_hold_write(struct drxi_hold *h, const void *buf, size_t n, int64_t within)
{
    const int64_t counts = drxi_min((int64_t)n, h->data->chunk_bytes - within); /* the rest is padding */
    drx_status st = h->known && counts > 0 ? follow_crc(h, buf, counts, within) : DRX_OK;

    return st ? st : drxi_data_store(h->data, buf, n, h->range.first * h->data->chunk_pitch_bytes + within);
}

drx_status drxi_sums_hold_end(struct drxi_hold *h, drx_status st)
{
    struct drxi_data *data = h->data;
    struct drxi_sum sum = { DRXI_SUM_WRITTEN | data->file->sums->boot, h->sum.crc };

    if (!st && !h->known)
        st = drxi_sums_crc(data, h->range.first * data->chunk_pitch_bytes, data->chunk_bytes, &sum.crc);
    return end_sums(data, &h->range, &sum, st);
}

static drx_status write_part(struct drxi_data *data, const void *buf, size_t n, int64_t offset)
{
    struct drxi_hold h;
    drx_status st = drxi_hold_start(data, offset / data->chunk_pitch_bytes, false, &h);

    if (!st)
        st = drxi_hold_write(&h, buf, n, offset);
    return drxi_hold_end(&h, st);
}

static drx_status write_whole(struct drxi_data *data, const uint8_t *buf, size_t n, int64_t first, int64_t count)
{
    struct drxi_sums_range range = { first, first + count, NULL };
    struct drxi_sum sum[DRXI_SUMS_MOST];
    drx_status st = begin_sums(data, &range, sum);

    if (st)
        return st;
    for (int64_t i = 0; i < count; i++)
        sum[i] = (struct drxi_sum){ DRXI_SUM_WRITTEN | data->file->sums->boot,
                                    drxi_crc32c(0, buf + i * data->chunk_pitch_bytes, (size_t)data->chunk_bytes) };
    st = drxi_data_store(data, buf, n, first * data->chunk_pitch_bytes);
    return end_sums(data, &range, sum, st);
}

drx_status drxi_sums_write(struct drxi_data *data, const void *buf, size_t n, int64_t offset)
{
    const int64_t pitch = data->chunk_pitch_bytes;
    const uint8_t *p = buf;
    drx_status st = DRX_OK;

    while (!st && n > 0) {
        const int64_t address = offset / pitch, left = (int64_t)n;
        int64_t part = drxi_min(left, (address + 1) * pitch - offset);

        if (offset % pitch == 0 && left >= data->chunk_bytes) {
            const int64_t count = drxi_min(left / pitch + (left % pitch >= data->chunk_bytes), DRXI_SUMS_MOST);

            part = drxi_min(left, count * pitch);
            st = write_whole(data, p, (size_t)part, address, count);
        } else {
            st = write_part(data, p, (size_t)part, offset);
        }
        p += part;
        n -= (size_t)part;
        offset += part;
    }
    return st;
}

static drx_status write_through(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    struct drxi_sums *s = (struct drxi_sums *)(void *)((char *)io - offsetof(struct drxi_sums, through));

    return drxi_sums_write(s->data, buf, n, offset);
}

drxi_io *drxi_sums_through(struct drxi_data *data)
{
    static const struct drxi_io_ops ops = { .write = write_through };
    struct drxi_sums *s = data->file->sums;

    s->through.ops = &ops;
    s->through.path = s->io->path;
    return &s->through;
}
