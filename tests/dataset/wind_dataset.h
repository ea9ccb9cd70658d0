/* A dataset for tests: variables over time, lat and lon that grow a step of time at a time. */
#ifndef WIND_DATASET_H
#define WIND_DATASET_H

#include "drx_dataset.h"
#include "testing.h"

enum { LATS = 4, LONS = 6 };

extern const char *const time_lat_lon[3];

/* A dataset of two variables over time, lat, lon, and time itself; commit 1 shows it. */
drx_dataset *make_winds(const char *path);
drx_dataset *open_at(const char *path, int mode, int64_t at);
void add_variable(drx_dataset *ds, const char *name, int ndim, const char *const dims[], const int64_t shape[]);
drx_array *member(drx_dataset *ds, const char *name);

/* Elements of a step of time, all of one value. */
void write_step(drx_array *a, int64_t t, int32_t value);
/* Another step, of all variables; not committed. */
void append_step(drx_dataset *ds, int32_t value);
/* The first element of a step. */
int32_t first_at(drx_array *a, int64_t t);

void expect_bound(drx_dataset *ds, const char *dim, int64_t bound);

#endif
