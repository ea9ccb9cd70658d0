/* Programs that copy files: cp, h5repack, nccopy. */
#ifndef BENCH_TOOLS_H
#define BENCH_TOOLS_H

#include "../common/bench.h"

extern const struct peer peer_cp, peer_h5repack, peer_nccopy, peer_nccopy_best;

/* What a copy may use: a quarter of the matrix. */
int64_t copy_memory_bytes(const struct job *job);
/* Is the copy the same file as the array, byte for byte? */
enum outcome compare_copy(const char *array, const char *copy, const struct job *job);

#endif
