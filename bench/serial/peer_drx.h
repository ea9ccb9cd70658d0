#ifndef BENCH_PEER_DRX_H
#define BENCH_PEER_DRX_H

#include "../common/bench_drx.h"

extern const char *const drx_suffixes[];
extern const struct peer peer_drx_sums, peer_drx_striped;

enum outcome create_drx(const struct peer *peer, const char *path, const struct layout *layout, enum access access,
                        void **out);
enum outcome open_drx(const struct peer *peer, const char *path, const struct layout *layout, enum access access,
                      void **out);
enum outcome grow_drx(void *array, int axis, int64_t by, const double *slab);
enum outcome read_drx(void *array, const int64_t lo[], const int64_t count[], double *out);
enum outcome close_drx(void *array);

#endif
