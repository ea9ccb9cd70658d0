/* The part of netCDF: a grid of float32 by time, latitude and longitude, and who reads it. Workloads are
 * WORK-DATA[:COUNT]. */
#ifndef BENCH_NETCDF_H
#define BENCH_NETCDF_H

#include "../common/bench_drx.h"

enum { NDIM = 3, SLAB_STEPS = 32 };

/* How the elements are stored. */
enum stored { RAW, PACKED };

/* Who reads; its peer has its name and its files. A handle is the reader's own. */
struct reader {
    struct peer peer; /* first: it is found by it */
    bool own_chunks;  /* netCDF-4: it chooses the chunks */
    enum outcome (*build)(const struct reader *reader, const char *path, const int64_t extent[], enum stored stored);
    /* Many small variables, and on the side of DRX this many commits. */
    enum outcome (*build_many)(const struct reader *reader, const char *path, int variables, int commits);
    enum outcome (*open)(const char *path, bool ask, void **out); /* ask: about each variable */
    enum outcome (*take_variable)(void *file);                    /* whose elements are then read */
    enum outcome (*read)(void *file, const int64_t lo[], const int64_t count[], float *out);
    enum outcome (*close)(void *file);
};

extern const struct reader reader_bridge, reader_drx, reader_default, reader_same;

extern const int64_t grid_chunk[NDIM];
extern const char *const grid_dims[NDIM];
enum { LEVEL = 5 }; /* of compression */
float grid_value(int64_t t, int64_t y, int64_t x);
void fill_grid(const int64_t lo[], const int64_t count[], float *out);
/* Are some thousand elements of the box right? */
enum outcome check_grid(const int64_t lo[], const int64_t count[], const float *out);

/* netcdf_build.c */
enum outcome build_drx(const struct reader *reader, const char *path, const int64_t extent[], enum stored stored);
enum outcome build_many_drx(const struct reader *reader, const char *path, int variables, int commits);
enum outcome build_nc(const struct reader *reader, const char *path, const int64_t extent[], enum stored stored);
enum outcome build_many_nc(const struct reader *reader, const char *path, int variables, int commits);
enum outcome of_netcdf(int status);

#endif
