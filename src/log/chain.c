/* Places in a log. */
#include "log/state.h"

drx_status drxi_chain_continues(drxi_io *io, const struct drxi_log_place *chain, bool *more)
{
    uint8_t crc[4] = { 0 };
    int64_t size = 0;
    size_t got = 0;
    drx_status st = io->ops->size(io, &size);

    if (!st && size < chain->end)
        return drxi_fail(DRX_EDAMAGED, "%s: damaged: %lld bytes long, it had %lld", io->path, (long long)size,
                         (long long)chain->end);
    if (!st)
        st = io->ops->read(io, crc, sizeof crc, chain->last, &got);
    if (!st && (got < sizeof crc || drxi_get32(crc) != chain->crc))
        return drxi_fail(DRX_EDAMAGED, "%s: damaged: the record at offset %lld is not the one that was there", io->path,
                         (long long)chain->last);
    *more = size > chain->end;
    return st;
}

drx_status drxi_chain_named(drxi_io *log, const struct drxi_log_place *end, drxi_io *now, bool *named)
{
    bool more;
    drx_status st = log->ops->named(log, named);

    if (st || !*named || !log->pinned)
        return st;
    st = drxi_chain_continues(now, end, &more);
    *named = st != DRX_EDAMAGED;
    return *named ? st : DRX_OK;
}
