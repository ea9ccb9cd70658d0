/* Carries out a plan of relayout.h.
 *
 *   run_grid.c   where the elements of a box are in memory; copying between two of these
 *   run_units.c  the units of a box in a file, read and written in runs
 *   run_reads.c  runs that are read, many at a time
 *   run_steps.c  which indices each step reads and completes
 *   run_stage.c  assembles target units and writes them in the background
 *   run_pass.c   a pass over a group: reads blocks ahead, keeps leftovers
 *   run_direct.c a source in memory, which needs no pass
 *   run_plan.c   all groups and passes, temporary arrays
 *   run_boxes.c  an array whose indices do not begin at 0: without a plan
 *   run_outside.c  cells outside the bounds
 *
 * Invariants (docs/layout.md)
 *   1. Indices are those of the group, along the target's axes.
 *   2. Elements are in one allocation of plan->memory_bytes, and in reads of run_reads.c that are under way.
 *   3. At each moment an element is in one place: in a file, in the block that was just read, or in the leftovers of
 *      one axis.
 *   4. A step removes the leftovers that it reaches before it puts others in their places. */
#pragma once

#include "array/array.h"
#include "base/later.h"
#include "copy/copy.h"
#include "layout/plan/relayout.h"

/* Elements in memory, in units of unit[] elements from index lo[] on. unit_bytes[] is the distance between units,
 * item_bytes[] between elements inside a unit. */
struct drxi_grid {
    uint8_t *base;
    int64_t lo[DRX_MAX_NDIM], unit[DRX_MAX_NDIM];
    int64_t unit_bytes[DRX_MAX_NDIM], item_bytes[DRX_MAX_NDIM];
};

/* Copy the elements lo <= i < hi, which both hold. `large`: as in drxi_copy_axes. */
void drxi_grid_copy(int ndim, const struct drxi_grid *to, const struct drxi_grid *from, const int64_t lo[],
                    const int64_t hi[], size_t item_bytes, bool large);

/* An array at one side of a pass. */
struct drxi_pass_side {
    drx_array *a;
    const struct drxi_relayout_side *side; /* its units; a unit may be a part of a chunk */
    int ndim;
    int own[DRX_MAX_NDIM];        /* the array's own axis for each axis of the target */
    int64_t chunk[DRX_MAX_NDIM];  /* of the array */
    int64_t origin[DRX_MAX_NDIM]; /* of the group in the array; 0 in temporary ones */
    int64_t end[DRX_MAX_NDIM];    /* of the group, in the group, which begins at pass->start */
    bool skip_zeros;              /* zeros need not be written */
};

int64_t drxi_unit_bytes(const struct drxi_pass_side *end);

/* Let a helper thread call call(arg), which reads or writes the file; or call it here, if only callers may use the
 * file. */
void drxi_pass_side_begin(const struct drxi_pass_side *end, struct drxi_later *later, drx_status (*call)(void *arg),
                          void *arg);

/* Lay out whole units of the box lo <= i < hi from `base` on, without gaps and in the order of the file as far as
 * possible. */
void drxi_units_lay_out(const struct drxi_pass_side *end, const int64_t lo[], const int64_t hi[], uint8_t *base,
                        struct drxi_grid *grid);

/* The extents of boxes of at most `most` units, so that cutting the box into them leaves runs as long as possible. */
void drxi_units_cut(const struct drxi_pass_side *end, const int64_t lo[], const int64_t hi[], int64_t most,
                    int64_t extent[]);

/* Read or write the units of the box that are not wholly outside the group; `grid` is from drxi_units_lay_out. */
drx_status drxi_units_move(const struct drxi_pass_side *end, bool writing, const struct drxi_grid *grid,
                           const int64_t lo[], const int64_t hi[]);

/* Whether the chunks of the box are in memory and the mapped file has them. Copy the box from there; false when they
 * are no longer in memory. */
bool drxi_units_mapped(const struct drxi_pass_side *end, const int64_t lo[], const int64_t hi[]);
bool drxi_units_view_copy(const struct drxi_pass_side *end, const struct drxi_grid *to, const int64_t lo[],
                          const int64_t hi[], bool large);

/* ---- run_reads.c ----------------------------------------------------------------- */

/* Begin to read runs, `bytes` in all; *out is NULL when they are to be read one by one. */
struct drxi_run_reads;
drx_status drxi_run_reads_begin(struct drxi_data *data, int64_t bytes, struct drxi_run_reads **out);
/* Read a run of elements at an offset; they are there after drxi_run_reads_end. */
drx_status drxi_run_reads_add(struct drxi_run_reads *r, uint8_t *to, int64_t bytes, int64_t offset);
/* Wait for what is under way; return `st`, or else the first failure. */
drx_status drxi_run_reads_end(struct drxi_run_reads *r, drx_status st);

/* ---- run_steps.c ----------------------------------------------------------------- */

/* The steps of a pass over a group up to `end`, in order. The struct may be copied. */
struct drxi_steps {
    const struct drxi_relayout_pass *pass;
    int ndim;
    bool begun;
    struct drxi_axis_walk start[DRX_MAX_NDIM], walk[DRX_MAX_NDIM]; /* at the region's start, and now */
    struct drxi_axis_step step[DRX_MAX_NDIM];
};

void drxi_steps_start(struct drxi_steps *steps, const struct drxi_relayout_pass *pass, int ndim, const int64_t end[]);
bool drxi_steps_next(struct drxi_steps *steps);

/* ---- run_stage.c ------------------------------------------------------------------ */

/* Receives the number of bytes written; a result other than DRX_OK ends the copy. */
struct drxi_told {
    drx_status (*tell)(void *user, int64_t bytes);
    void *user;
    const struct drxi_keep *keep; /* how elements are rounded before they are written; NULL: they are not */
};

/* The number of stages, so that one can be filled while others are written. */
enum { DRXI_STAGES = 4 };

struct drxi_stage {
    const struct drxi_pass_side *target;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM]; /* whole units */
    struct drxi_grid grid;
    uint8_t *memory;
    int64_t bytes; /* being written */
    struct drxi_later writing;
};

struct drxi_stages {
    const struct drxi_told *told;
    int64_t units; /* in a stage */
    int count, next;
    struct drxi_stage stage[DRXI_STAGES];
};

/* Make as many stages of this many units as fit in the memory, which holds at least one. */
void drxi_stages_init(struct drxi_stages *s, const struct drxi_pass_side *target, const struct drxi_told *told,
                      uint8_t *memory, int64_t room_bytes, int64_t units);
/* Get a free stage for the units lo <= i < hi; it holds the fill where they reach beyond `end`. */
drx_status drxi_stages_take(struct drxi_stages *s, const int64_t lo[], const int64_t hi[], const int64_t end[],
                            struct drxi_stage **out);
/* Write the stage; in the background, if there are several. */
drx_status drxi_stages_put(struct drxi_stages *s, struct drxi_stage *stage);
/* Wait for all stages; return `st`, or else the first failure. */
drx_status drxi_stages_finish(struct drxi_stages *s, drx_status st);

/* ---- run_pass.c, run_direct.c, run_plan.c -------------------------------------------------------- */

/* Carry out a pass for the group of its ends, in memory[pass->memory_bytes]. */
drx_status drxi_run_pass(const struct drxi_relayout_pass *pass, struct drxi_pass_side *source,
                         struct drxi_pass_side *target, size_t item_bytes, uint8_t *memory,
                         const struct drxi_told *told);

/* For a source in memory: assemble the target chunks of the box from `first` to target->end from the mapped file, in
 * the order of their addresses. *done is false when that was impossible; then the passes do the whole copy. */
drx_status drxi_run_direct(const struct drxi_pass_side *source, const struct drxi_pass_side *target,
                           const int64_t first[], uint8_t *memory, int64_t memory_bytes, const struct drxi_told *told,
                           bool *done);

/* Write the fill to the cells begin <= i < end that do not lie in the box lo <= i < hi among them. */
drx_status drxi_fill_around(drx_array *a, const int64_t begin[], const int64_t end[], const int64_t lo[],
                            const int64_t hi[]);

/* Carry out the plan from `source` to `target`. Temporary arrays go beside the path `tmp`; NULL: into memory. permute:
 * as in the request. `fresh`: nothing was written to the target's part of the plan's box yet. */
drx_status drxi_run_plan(const struct drxi_relayout *plan, drx_array *source, drx_array *target, const int permute[],
                         bool fresh, const char *tmp, const struct drxi_told *told);
