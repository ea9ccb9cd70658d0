/* What the workloads of the disk share: the memory of the machine. */
#ifndef BENCH_DISK_H
#define BENCH_DISK_H

#include "../serial/requests.h"

/* ---- disk_memory.c --------------------------------------------------------------- */

/* Bring the files of the array out of the page cache, and answer what part stayed. `all`: the whole cache, as far as
 * the system permits. */
enum outcome make_cold(const struct peer *peer, const char *path, bool all);
/* Resident memory of this process with mapped pages, now and at most; 0: not known. */
int64_t resident_bytes(void);
int64_t peak_bytes(void);
/* Read the files from end to end, as cat does. */
enum outcome read_plainly(const struct peer *peer, const char *path);
/* balloon: lock all memory but `argument` MiB until the process ends. */
enum outcome inflate(const struct work *work, const struct job *job);

#endif
