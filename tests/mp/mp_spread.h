/* Distributed arrays, usual and random ones. A plain model of each lists what every grid rank holds of an axis,
 * without any formula of the library. */
#ifndef MP_SPREAD_H
#define MP_SPREAD_H

#include "dap.h"
#include "mp_testing.h"

/* An axis of all ranks: in even blocks; dealt out in blocks; this rank's n indices of it; each rank has all. */
struct dap_dim mp_block(int64_t size);
struct dap_dim mp_cyclic(int64_t size, int64_t block);
struct dap_dim mp_listed(int64_t size, int64_t n, const int64_t indices[], uint32_t flags);
struct dap_dim mp_undistributed(int64_t size);

drxmp_darray *mp_darray(drx_type type, int ndim, const struct dap_dim dims[], drx_order order);
drxmp_darray *mp_blocks(drx_type type, int64_t size); /* of one axis, in even blocks */

enum { MOST_AXES = 3, MOST_RANKS = 8, MOST_INDICES = 40, MOST_CELLS = MOST_INDICES * MOST_INDICES * MOST_INDICES };

struct cell {
    int64_t global;
    bool owned;   /* nobody else owns it */
    bool padding; /* a copy of a neighbour's */
};

struct spread_axis {
    struct dap_dim set[MOST_RANKS];
    int64_t extent[MOST_RANKS];
    struct cell cells[MOST_RANKS][MOST_INDICES]; /* by local index */
    int64_t indices[MOST_RANKS][MOST_INDICES];
};

struct spread {
    int ndim;
    int64_t grid[MOST_AXES], size[MOST_AXES];
    struct spread_axis axis[MOST_AXES];
    drx_order order;
};

/* Of the given sizes, at most MOST_INDICES; `kinds`: letters to choose among, b (with padding, perhaps), c, u, or p: u
 * of which some indices are on several ranks, and some on none. */
void spread_draw(struct spread *s, int ndim, const int64_t size[], const char *kinds);
void spread_dims(const struct spread *s, int rank, struct dap_dim dims[]);
drxmp_darray *spread_darray(const struct spread *s, drx_type type);

/* Cell `i` of the section of a rank, in row-major order: where it is in memory, in elements, and what; its global index
 * on each axis. */
int64_t spread_cells(const struct spread *s, int rank);
struct cell spread_cell(const struct spread *s, int rank, int64_t i, int64_t global[], int64_t *place);

#endif
