/* A cache of blocks before the data file, as MPI-IO has one, in every fourth history: so small that blocks go all the
 * time. */
#include "array/array.h"
#include "model.h"
#include "pool/cached_file.h"

static atomic_uint_fast64_t moment;

void cache_next_moment(void)
{
    atomic_fetch_add(&moment, 1);
}

void cache_data(const struct model *m, drx_array *a)
{
    struct drxi_data *const data = &a->data;
    const struct drxi_cache_spec spec = { .block_shift = 4 + (int)(m->history / 4 % 8),
                                          .most_bytes = INT64_C(100) << m->history / 32 % 12,
                                          .moment = a == m->a && m->writable ? NULL : &moment,
                                          .near = m->history / 8 % 2 };
    drxi_io *cached;

    if (m->history % 4 != 3 || (a == m->a && m->hands != &alone) || m->stripes > 0 || data->file->pack ||
        data->file->io->cost.at_once || data->file->log->others || (a->log.io && a->log.io->pinned))
        return;
    if (drxi_cached_open(data->file->io, &spec, &cached) != DRX_OK)
        return;
    data->file->io = cached;
    drxi_data_end_view(data);
    if (data->file->pool && !data->file->sums) /* else the checksums are before it */
        drxi_pool_redirect(data->file->pool, cached);
}
