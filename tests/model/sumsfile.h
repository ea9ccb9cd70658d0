/* sumsfile.h - what the file of checksums has to hold. */
#ifndef DRX_MODEL_SUMSFILE_H
#define DRX_MODEL_SUMSFILE_H

#include "rawfile.h"

/* All entries are right, and none is in flight; with a zero fill, what was never written is zero. On a difference, say
 * in `why` where it is and return false. */
bool sums_agree(const struct raw_bytes *sums, const struct raw_bytes *data, int64_t chunk_bytes, int64_t pitch,
                bool zero_fill, char *why, size_t room);

/* As after a power cut, when none of them was valid before it. */
void sums_forget_boot(struct raw_bytes *sums);

#endif
