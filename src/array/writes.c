/* Writes of elements beside trims, by writers that share an array (spec/drx-format.md, section 11). */
#include "array/array.h"

drx_status drxi_begin_write(const drx_array *a)
{
    return a->log.shared ? a->log.io->ops->writes(a->log.io, DRXI_WRITE_BEGINS) : DRX_OK;
}

void drxi_end_write(const drx_array *a)
{
    if (a->log.shared)
        (void)a->log.io->ops->writes(a->log.io, DRXI_WRITE_ENDS);
}

drx_status drxi_tell_trims(drx_array *a, bool durable)
{
    const drx_status st = drxi_log_tell_trims(&a->log, durable);

    return st || !a->log.shared || !a->log.state.trimmed ? st : a->log.io->ops->writes(a->log.io, DRXI_WRITES_DRAIN);
}
