/* Checksums in an exact copy of the files. They are those that the source had before its data were copied. Chunks that
 * may have been written meanwhile get entries that do not count. */
#include "data/sums.h"

/* The tag of no boot. The next writer of the copy gives such a chunk a checksum of what is stored. */
static const uint32_t no_boot = 0xffffff00;

static void settle_copied(const struct drxi_data *from, const struct drxi_sum *now, struct drxi_sum *copied)
{
    const bool same = memcmp(now, copied, sizeof *now) == 0;

    if (same && drxi_sum_counts(from->file->sums, now))
        copied->state = DRXI_SUM_VALID; /* the copy is durable before it gets its name */
    else if (!same || drxi_sum_kind(now) == DRXI_SUM_IN_FLIGHT)
        *copied = (struct drxi_sum){ DRXI_SUM_WRITTEN | no_boot, now->crc };
}

static drx_status settle_some(struct drxi_data *from, struct drxi_data *to, int64_t first, int64_t n)
{
    struct drxi_sum now[DRXI_SUMS_MOST], copied[DRXI_SUMS_MOST];
    drx_status st = drxi_sums_get(from->file->sums, first, n, now, NULL);

    if (!st)
        st = drxi_sums_get(to->file->sums, first, n, copied, NULL);
    if (st)
        return st;
    for (int64_t i = 0; i < n; i++)
        settle_copied(from, &now[i], &copied[i]);
    return drxi_sums_put(to->file->sums, first, n, copied);
}

drx_status drxi_sums_settle_copy(struct drxi_data *from, struct drxi_data *to)
{
    struct drxi_stored stored;
    int64_t length, at, n;
    drx_status st = to->file->sums->io->ops->size(to->file->sums->io, &length);

    if (st)
        return st;
    length -= length % DRXI_SUM_BYTES;
    drxi_stored_start(&stored, from->file->sums->io, length, false);
    while (!(st = drxi_stored_next(&stored, DRXI_SUMS_MOST * DRXI_SUM_BYTES, &at, &n)) && n > 0) {
        const int64_t first = at / DRXI_SUM_BYTES;

        st = settle_some(from, to, first, drxi_ceil_div(at + n, DRXI_SUM_BYTES) - first);
        if (st)
            break;
    }
    return st ? st : to->file->sums->io->ops->sync(to->file->sums->io);
}
