/* A place in a log, where the next record would be. */
#ifndef DRXI_CHAIN_H
#define DRXI_CHAIN_H

#include "format/format.h"
#include "io/io.h"

struct drxi_log_place {
    int64_t end;  /* offset */
    int64_t last; /* of the last record, which begins with its checksum; of the head if there is none */
    uint64_t sequence;
    uint32_t crc;
};

enum drxi_tail { DRXI_WHOLE, DRXI_TORN, DRXI_DAMAGED };

/* DRX_EDAMAGED when the file no longer holds the last record that the chain knows; *more: something follows it. */
drx_status drxi_chain_continues(drxi_io *io, const struct drxi_log_place *chain, bool *more);

#endif
