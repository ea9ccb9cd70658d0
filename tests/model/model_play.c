/* A history: which operations, and in which ways the library does them. */
#include "array/array.h"
#include "base/hooks.h"
#include "base/work.h"
#include "copy/kernels.h"
#include "model.h"

enum { LARGE_HISTORY = 40, SHORT_HISTORY = 160, LONG_HISTORY = 1200 };

enum { WRITES = 1, FILES = 2, DISTURBS = 4, ALONE = 8, OWN = 16, LENT = 32, RANKS = 64 };

struct op {
    operation *run;
    int weight;
    int needs; /* WRITES: a handle for writing; FILES: an array on disk; DISTURBS: readers through a server;
                  * ALONE: one process has the array; OWN: no dataset lends it; LENT: one does;
                  * RANKS: ranks have it together */
};

static void op_apart(struct model *m)
{
    m->hands->apart(m);
}

static const struct op ops[] = {
    { op_extend, 14, WRITES },
    { op_append, 10, WRITES },
    { op_trim, 6, WRITES },
    { op_add_axis, 1, WRITES },
    { op_compact, 1, OWN | FILES | WRITES | DISTURBS },
    { op_write, 14, WRITES | DISTURBS },
    { op_read, 14, 0 },
    { op_write_strided, 9, WRITES | DISTURBS },
    { op_read_strided, 9, 0 },
    { op_get_put, 12, DISTURBS | ALONE },
    { op_points, 8, DISTURBS | ALONE },
    { op_async, 6, DISTURBS | ALONE },
    { op_typed, 6, DISTURBS },
    { op_sync, 1, WRITES | DISTURBS },
    { op_set_pool, 2, WRITES | DISTURBS | ALONE },
    { op_attr_set, 4, WRITES },
    { op_attr_get, 2, 0 },
    { op_attr_delete, 2, WRITES },
    { op_dim_rename, 2, OWN | WRITES },
    { op_check, 1, 0 },
    { op_check_file, 1, FILES | WRITES },
    { op_reopen, 3, FILES | DISTURBS },
    { op_power_cut, 1, FILES | WRITES | DISTURBS | ALONE },
    { op_persist, 1, WRITES | ALONE },
    { op_damage, 1, FILES | WRITES | DISTURBS | ALONE },
    { op_reader_open, 3, FILES },
    { op_reader_read, 8, FILES },
    { op_reader_refresh, 4, FILES },
    { op_reader_close, 1, FILES },
    { op_take_turns, 4, FILES | ALONE },
    { op_duplicate, 1, FILES | ALONE },
    { op_rename, 1, FILES | ALONE },
    { op_give_up, 3, WRITES | LENT },
    { op_apart, 25, RANKS },
    { op_error, 5, ALONE },
};

enum { N_OPS = sizeof ops / sizeof *ops };

static bool possible(const struct model *m, const struct op *op)
{
    return !(op->needs & WRITES && !m->writable) && !(op->needs & FILES && m->storage != ON_DISK) &&
           !(op->needs & ALONE && m->hands != &alone) && !(op->needs & OWN && m->hands == &lent) &&
           !(op->needs & LENT && m->hands != &lent) && !(op->needs & RANKS && !m->hands->apart);
}

static void one_op(struct model *m)
{
    int64_t total = 0, dice;

    for (int i = 0; i < N_OPS; i++)
        total += possible(m, &ops[i]) ? ops[i].weight : 0;
    dice = rng_between(&m->rng, 0, total - 1);
    for (int i = 0; i < N_OPS; i++) {
        dice -= possible(m, &ops[i]) ? ops[i].weight : 0;
        if (dice < 0) {
            cache_next_moment();
            ops[i].run(m);
            m->hands->meet(m);
            note_replaced(m);
            if (ops[i].needs & DISTURBS)
                disturb_readers(m);
            return;
        }
    }
}

/* Any way in which the library may do it gives the same. */
static void choose_ways(struct rng *rng)
{
    const struct drxi_kernels *const *kernels = drxi_kernels_all();
    int64_t n = 0;

    while (kernels[n])
        n++;
    drxi_kernels_use(kernels[rng_between(rng, 0, n - 1)]);
    drxi_hooks.way = (int)rng_between(rng, DRXI_ANY_WAY, DRXI_MAPPED);
    drxi_hooks.cache = (int)rng_between(rng, DRXI_AS_FITS, DRXI_DIRECT);
    drxi_hooks.no_ring = rng_chance(rng, 25);
    drxi_hooks.large_bytes = rng_chance(rng, 50) ? 0 : 8 << 20;
    drxi_hooks.long_bytes = rng_chance(rng, 50) ? 0 : 1 << 20;
    drxi_hooks.shared_bytes = rng_chance(rng, 25) ? 0 : 1 << 20;
    drx_set_memory(rng_chance(rng, 25) ? (size_t)rng_between(rng, 1, 1 << 20) : 0);
    drxi_work_limit((int)rng_between(rng, 1, 3));
}

/* The ways of a program that chooses none, for what comes next in this process. */
static void choose_none(void)
{
    drxi_kernels_use(NULL);
    drxi_hooks.way = DRXI_ANY_WAY;
    drxi_hooks.cache = DRXI_AS_FITS;
    drxi_hooks.no_ring = false;
    drxi_hooks.large_bytes = 8 << 20;
    drxi_hooks.long_bytes = drxi_hooks.shared_bytes = 1 << 20;
    drx_set_memory(0);
    drxi_work_limit(0);
}

/* Without another random number, so that the history goes on as it does otherwise. */
static void compare(struct model *model)
{
    const struct rng before = model->rng;

    check_all(model);
    model->rng = before;
}

void one_history(struct model *m, struct run *run, int64_t number)
{
    int64_t n;

    history_begin(m, run, number);
    n = rng_between(&m->rng, 0, m->large ? LARGE_HISTORY : rng_chance(&m->rng, 3) ? LONG_HISTORY : SHORT_HISTORY);
    for (int64_t i = 0; i < n; i++) {
        m->op++;
        if (rng_chance(&m->rng, 20))
            choose_ways(&m->rng);
        one_op(m);
        if (getenv("DRX_MODEL_COMPARE"))
            compare(m);
    }
    m->op++;
    history_end(m);
    choose_none();
    m->ended = true;
}
