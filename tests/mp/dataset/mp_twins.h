/* Two datasets of two variables, u and v, that are to stay the same: all ranks change "many", and one process "one". */
#ifndef MP_TWINS_H
#define MP_TWINS_H

#include "drx_dataset.h"
#include "drxmp_dataset.h"
#include "mp_testing.h"

enum { MOST = 60 }; /* bound of a dimension */

extern const char *const u_dims[2];
extern const int32_t u_fill;

/* They point to `shape`. */
drx_spec u_spec(const int64_t shape[]);
drx_spec v_spec(const int64_t shape[]);

/* The creation id of the next array. The driver restores the environment. */
void number_next(int n);

/* Both, with equal creation ids, so that equal calls make equal files; raw, or compressed. */
extern bool twins_packed;
void make_twins(void);
void make_packed_twins(void);
void assert_twins(void);
drxmp_dataset *open_many(int mode);

/* All ranks, or one process, that make the same changes. */
struct twin {
    drxmp_dataset *d; /* NULL: */
    drx_dataset *ds;
};

/* The same call of both. */
#define CALL(t, call, ...) \
    ((t)->d ? drxmp_dataset_##call((t)->d, __VA_ARGS__) : drx_dataset_##call((t)->ds, __VA_ARGS__))

/* All ranks make these calls, then one process does, with the same random numbers. The files stay the same. */
void twins_play(void (*calls)(const struct twin *t));

/* At the high end; by < 0: at the low end. */
drx_status twin_grow(const struct twin *t, const char *dim, int64_t by);
drx_status twin_trim(const struct twin *t, const char *dim, int64_t before, int64_t after);
drx_status twin_commit(const struct twin *t, const char *message);
const drx_dataset *twin_view(const struct twin *t);

/* Number all of u, the ranks a few columns each, but for the first column; that and v are the last rank's, element by
 * element, which go through the pool. Where they are compressed, equal files need equal calls: v is written together,
 * too. */
void twin_number(const struct twin *t, int version);
/* What `d` shows on this rank is numbered so. */
void assert_numbered(drxmp_dataset *d, int version);

/* The first index of a dimension, and how many there are. */
void bounds_of(const drx_dataset *ds, const char *dim, int64_t *lower, int64_t *count);
void assert_bound(const drx_dataset *ds, const char *dim, int64_t expected);

#endif
