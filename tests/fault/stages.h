/* The scene of scene.h, and its files after each step: to lay them as a crash, a power cut or damage
 * can leave them, as cut.xmd and cut.xta. */
#ifndef STAGES_H
#define STAGES_H

#include "bytes.h"
#include "scene.h"
#include "store/store.h"

enum { BEFORE_SYNCS = 5, ONE_SYNC = 11, ALL_SYNCED = 20, LAST_STEP = SCENE_STEPS - 2 }; /* steps; the last one closes */

/* The files as they were after a step. */
struct stage {
    struct bytes log, data;
    struct model model;
    bool sync; /* the step wrote a SYNC */
};
extern struct stage after[SCENE_STEPS];
extern int32_t stages_fill;

/* Run the tests with a fill of zeros, then with another. */
int stages_run(const struct CMUnitTest tests[], size_t n);

/* `n` bytes of the log after step `i`, the data as after step `j`. */
void lay(int i, size_t n, int j);
struct drxi_log_record record_at(const struct bytes *log, size_t at);
struct drxi_log_record last_record(const struct bytes *log);
/* A run behind the log; then written to cut.xmd, and freed. */
struct drxi_run run_behind(const struct bytes *log);
void append_run(struct drxi_run *run);

/* Every cell holds what it had after one of the steps `from` to `to`. */
void check_cells(drx_array *a, int from, int to);
/* What growth uncovers is fill. */
void check_growth(drx_array *a);
/* Reading shows the state after step `i`, with data up to step `to`; nobody may write. */
void check_damaged(int i, int to);

#endif
