/* What was read last from servers: blocks of 64 KiB, so that the log, tables and single elements are not asked for
 * again and again. All files of the process share a bound. */
#ifndef DRXI_BLOCKS_H
#define DRXI_BLOCKS_H

#include "base/base.h"

enum { DRXI_BLOCK_BYTES = 1 << 16 };

/* A number that no state of a file had before. */
uint64_t drxi_blocks_new(void);
/* Copy up to n bytes of a block of that state, from byte `from` of it on. False: it is not there. *got is less than n
 * where the file ends. */
bool drxi_blocks_get(uint64_t state, int64_t block, size_t from, size_t n, void *buf, size_t *got);
bool drxi_blocks_has(uint64_t state, int64_t block);
/* Keep a block: all its bytes, or up to the end of the file. */
void drxi_blocks_put(uint64_t state, int64_t block, const uint8_t *bytes, size_t n);
void drxi_blocks_drop(uint64_t state);

#endif
