/* The end of a log, where the next record would be. */
#ifndef DRXI_CHAIN_H
#define DRXI_CHAIN_H

#include "format/format.h"
#include "io/io.h"

struct drxi_chain {
    int64_t end; /* of the valid bytes of the file */
    uint64_t sequence;
    uint32_t crc;   /* of the last record, or of the head */
    int64_t crc_at; /* the offset of that checksum */
};

enum drxi_tail { DRXI_WHOLE, DRXI_TORN, DRXI_DAMAGED };

/* DRX_EDAMAGED when the file no longer holds the last record that the chain knows; *more: something follows it. */
drx_status drxi_chain_continues(drxi_io *io, const struct drxi_chain *chain, bool *more);
/* Whether the log's path still names it, whose end that is. `now`: opened at the path, or the log as it was asked for
 * again. On a server, where names tell nothing, it is the same log if it holds the last record. */
drx_status drxi_chain_named(drxi_io *log, const struct drxi_chain *end, drxi_io *now, bool *named);

#endif
