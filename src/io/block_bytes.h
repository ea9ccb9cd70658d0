/* Where chunks best begin in a file. */
#pragma once

#include "base/base.h"

enum { DRXI_MOST_ALIGN = 1 << 30 };

/* The bytes of a stripe, on Lustre or BeeGFS, or else of a block of the file system that has the file or folder; 1: not
 * known, or no power of two. */
int64_t drxi_block_bytes(const char *path);

/* The largest part of the block to which chunks can be aligned for at most a sixteenth of their bytes. */
int64_t drxi_fitting_align(int64_t block_bytes, int64_t chunk_bytes);

/* The stripe that the attribute lustre.lov tells; 0: none. */
int64_t drxi_lustre_stripe(const uint8_t *layout, size_t bytes);
