#ifndef BENCH_PEER_DRX_H
#define BENCH_PEER_DRX_H

#include "../common/bench_drx.h"

extern const char *const drx_suffixes[];
extern const struct peer peer_drx, peer_drx_sums, peer_drx_striped;

/* work_layout.c: of chunks of the job's arguments */
enum outcome copy_drx(const char *from, const char *to, const struct job *job);

#endif
