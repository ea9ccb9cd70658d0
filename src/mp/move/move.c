/* One collective read or write moves the box of each rank, in steps, so that a caller can wait for it or poll it.
 *
 *   begin     when ranks may share chunks, agree that all make this call
 *   gather    tell all ranks what each one takes
 *   plan      allocate memory for the exchange, on all ranks or on none
 *   exchange  move the chunks that several ranks take part in
 *   direct    move the rest of the box by this rank's own calls, on a helper thread when the caller does not wait; a
 *             blocking move with MPI-IO moves it on all ranks together
 *   agree     of a read, look whether others have trimmed what this rank took; agree on the result
 * Of an array with checksums, a read then gathers, verifies chunks that ranks have read together (chunks.c), and agrees
 * again. A write to a compressed array by several ranks is over after the plan (packed.c).
 *
 * Moves that touch the same elements, unless both read, take effect in the order of the collective calls.
 *
 * Invariants
 *   1. All ranks must begin collective communication in the same order. So only the oldest request communicates, on a
 *      communicator that requests have for themselves. Younger ones do only what a rank does alone: the direct part of
 *      a move that is not shared, that is, has no exchange, and no gather before its direct part.
 *   2. A shared move begins its exchange when all older shared moves are over on all ranks.
 *   3. A move that is not shared begins its direct part when no older move conflicts with it (order.c). With several
 *      ranks such a move is a read. A shared write conflicts with it until its gather is complete.
 *   4. A blocking move is younger than all requests. A shared one first finishes the shared requests. When it knows
 *      what all ranks write, it finishes the direct parts of this rank's reads that conflict with it, and only then
 *      agrees on the plan.
 *   5. A rank waits for a request in drx_wait, in a blocking move, or in a call that could not begin a request. Other
 *      ranks may be in the first agreement of any call on the array; there they advance the requests (meanwhile). So no
 *      deadlock is possible. */
#include <sched.h>
#include <time.h>

#include "mp/move/move.h"

enum { MANY_YIELDS = 1000 };

static void note_move_error(struct drxi_move *mv, drx_status st)
{
    if (mv->st || !st)
        return;
    mv->st = st;
    mv->detail = drxi_strdup(drx_last_error());
}

/* Wait for an MPI request, and advance the requests of the array meanwhile. */
static int meanwhile(drxmp_array *m, MPI_Request *request)
{
    int done = 0, code = MPI_SUCCESS;

    while (m->requests && code == MPI_SUCCESS && !done) {
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && !drxi_moves_advance(m, NULL, false))
            (void)sched_yield();
    }
    return done || code != MPI_SUCCESS ? code : MPI_Wait(request, MPI_STATUS_IGNORE);
}

drx_status drxi_flush_puts(const drxmp_array *m, drx_status mine)
{
    drxi_pool *pool = drxi_data_of(m->a)->file->pool;

    if (!mine)
        mine = drxi_check_running();
    return mine || !pool ? mine : drxi_pool_flush(pool);
}

drx_status drxi_begin(drxmp_array *m, drx_status mine, const struct drxi_call *call)
{
    return m ? drxi_begin_unflushed(m, drxi_flush_puts(m, mine), call) : drxi_no_array();
}

drx_status drxi_begin_unflushed(drxmp_array *m, drx_status mine, const struct drxi_call *call)
{
    MPI_Request request;
    int64_t low[3];
    int code;
    const drx_status st = drxi_check_running();

    if (st)
        return st;
    drxi_job_complete(m);
    if (!m->requested) /* equal on all ranks: MPI forbids mixing a blocking and a nonblocking reduction */
        return drxi_agree(m->comm, mine, call);
    drxi_agree_prepare(m->comm, mine, call, low);
    code = MPI_Iallreduce(MPI_IN_PLACE, low, 3, MPI_INT64_T, MPI_MIN, m->comm, &request);
    if (code == MPI_SUCCESS)
        code = meanwhile(m, &request);
    return code == MPI_SUCCESS ? drxi_agree_explain(m->comm, low, call) : drxi_mpi(code, "agreeing");
}

/* Wait for other ranks, which may compute for long before they wait for this request, too: soon leave the processor to
 * them, and to helper threads. */
static int wait_patiently(MPI_Request *request)
{
    const struct timespec pause = { .tv_nsec = 50000 };
    int done = 0, code = MPI_SUCCESS;

    for (int i = 0; code == MPI_SUCCESS && !done; i++) {
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && i < MANY_YIELDS)
            (void)sched_yield();
        else if (!done)
            (void)nanosleep(&pause, NULL);
    }
    return code;
}

/* Whether the pending communication is over; true also when it failed. */
static bool complete_move(struct drxi_move *mv, bool wait)
{
    int done = 1;
    const int code = wait && mv->blocking ? meanwhile(mv->m, &mv->pending)
                     : wait               ? wait_patiently(&mv->pending)
                                          : MPI_Test(&mv->pending, &done, MPI_STATUS_IGNORE);

    note_move_error(mv, drxi_mpi(code, "waiting for other ranks"));
    return done || code != MPI_SUCCESS;
}

/* A rank sends start, step and count along each axis. */
int drxi_move_wire_width(const struct drxi_move *mv)
{
    return 3 * drx_ndim(mv->m->a);
}

static bool needs_exchange(const struct drxi_move *mv)
{
    return mv->m->ranks > 1 && (mv->writing || !drxi_all_do_io(mv->m));
}

/* Agree on the call and the status. False when it would have to wait. */
static bool agreed(struct drxi_move *mv, bool wait)
{
    if (mv->blocking) { /* exchanges details, too */
        if (mv->detail)
            drxi_report_set(mv->detail);
        mv->st = drxi_begin_unflushed(mv->m, mv->st, &mv->call);
        return true;
    }
    if (!mv->begun) {
        note_move_error(mv, drxi_flush_puts(mv->m, DRX_OK));
        drxi_agree_prepare(mv->comm, mv->st, &mv->call, mv->low);
        note_move_error(mv,
                        drxi_mpi(MPI_Iallreduce(MPI_IN_PLACE, mv->low, 3, MPI_INT64_T, MPI_MIN, mv->comm, &mv->pending),
                                 "agreeing"));
    }
    mv->begun = true;
    if (!complete_move(mv, wait))
        return false;
    mv->st = drxi_agree_result(mv->low, mv->m->rank, mv->detail);
    return true;
}

static bool begin_rounds(struct drxi_move *mv, bool wait)
{
    if (!agreed(mv, wait))
        return false;
    mv->state = mv->st ? DRXI_OVER : mv->known ? DRXI_PLAN : DRXI_GATHER;
    return true;
}

/* All ranks know what each has read, and agree on what they find. */
static void verify(struct drxi_move *mv)
{
    note_move_error(mv, drxi_chunks_verify(mv));
    mv->verified = true;
    mv->state = DRXI_AGREE;
}

static void begin_gather(struct drxi_move *mv)
{
    const int width = drxi_move_wire_width(mv), ndim = drx_ndim(mv->m->a);
    int64_t *mine = mv->wire + (int64_t)mv->m->rank * width;

    for (int j = 0; j < ndim; j++) {
        mine[3 * j] = mv->empty ? 0 : mv->lo[j];
        mine[3 * j + 1] = mv->empty ? 1 : mv->step[j];
        mine[3 * j + 2] = mv->empty ? 0 : mv->count[j];
    }
    note_move_error(mv, drxi_mpi(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, mv->wire, width, MPI_INT64_T,
                                                mv->comm, &mv->pending),
                                 "gathering boxes"));
}

static bool gather_parts(struct drxi_move *mv, bool wait)
{
    const int ndim = drx_ndim(mv->m->a);
    const int64_t *told = mv->wire;

    if (!mv->begun)
        begin_gather(mv);
    mv->begun = true;
    if (!complete_move(mv, wait))
        return false;
    for (int64_t k = 0; k < (int64_t)mv->m->ranks * ndim; k++, told += 3)
        drxi_axis_range(&mv->sets[k], told[0], told[1], told[2], 0);
    if (mv->shared)
        mv->state = DRXI_PLAN;
    else
        verify(mv);
    return true;
}

static bool direct(struct drxi_move *mv, bool wait);

/* Start the direct parts of the requests that no older move holds. */
static void start_direct_parts(drxmp_array *m)
{
    for (struct drxi_move *mv = drxi_check_running() ? NULL : m->requests; mv; mv = mv->next)
        if (mv->state == DRXI_STRAIGHT && !mv->shared && !mv->begun && !drxi_move_is_held(mv)) {
            (void)direct(mv, false);
            mv->begun = mv->state == DRXI_STRAIGHT;
        }
}

/* Finish the direct part of a request that is not shared, after those that hold it. */
static void finish_direct_part(struct drxi_move *mv)
{
    for (struct drxi_move *older = mv->m->requests; older && older != mv; older = older->next)
        if (!older->shared && drxi_moves_conflict(older, mv))
            finish_direct_part(older);
    if (mv->state == DRXI_STRAIGHT) {
        (void)direct(mv, true);
        mv->begun = false;
    }
}

/* Finish the requests that must come before a blocking move. */
static void take_turn(struct drxi_move *mv)
{
    drxmp_array *m = mv->m;
    struct drxi_move *last = NULL;

    if (!m->requests)
        return;
    for (struct drxi_move *x = m->requests; x; x = x->next) {
        if (x == m->requests && x->shared && x->writing && !mv->shared)
            (void)drxi_move_advance(x, true, DRXI_PLAN); /* complete its gather, to learn what it moves */
        if (x->shared && (mv->shared || drxi_moves_conflict(x, mv)))
            last = x;
    }
    (void)drxi_moves_advance(m, last, last != NULL);
    for (struct drxi_move *x = m->requests; x; x = x->next)
        if (!x->shared && drxi_moves_conflict(x, mv))
            finish_direct_part(x);
}

/* Write to a compressed array. A request comes here while its call waits. */
static bool write_packed(struct drxi_move *mv, const struct drxi_part_of_all *part)
{
    if (mv->blocking)
        take_turn(mv);
    note_move_error(mv, drxi_packed_write_all(mv->m, part, mv->st));
    mv->state = DRXI_AGREE;
    return true;
}

static bool plan(struct drxi_move *mv, bool wait)
{
    const struct drxi_part_of_all part = { .comm = mv->comm,
                                           .writing = mv->writing,
                                           .plain = mv->plain,
                                           .sets = mv->sets,
                                           .mem = mv->mem,
                                           .stride_bytes = mv->stride_bytes };

    if (mv->by_rounds)
        return write_packed(mv, &part);
    if (!mv->begun) {
        if (mv->blocking)
            take_turn(mv);
        note_move_error(mv, drxi_exchange_new(mv->m, &part, &mv->exchange));
        mv->low[0] = mv->st;
        note_move_error(mv,
                        drxi_mpi(MPI_Iallreduce(MPI_IN_PLACE, mv->low, 1, MPI_INT64_T, MPI_MIN, mv->comm, &mv->pending),
                                 "agreeing"));
    }
    mv->begun = true;
    if (!complete_move(mv, wait))
        return false;
    mv->state = mv->low[0] ? DRXI_AGREE : DRXI_EXCHANGE;
    return true;
}

static bool exchange_blocks(struct drxi_move *mv, bool wait)
{
    if (!drxi_exchange_step(mv->exchange, wait))
        return false;
    note_move_error(mv, drxi_exchange_status(mv->exchange));
    mv->state = DRXI_STRAIGHT;
    return true;
}

static struct drxi_box rest_of_box(const struct drxi_move *mv)
{
    struct drxi_box box = { .lo = mv->lo, .count = mv->count, .step = mv->step, .stride_bytes = mv->stride_bytes };

    if (mv->exchange)
        box.without = drxi_exchange_chunks(mv->exchange, &box.n_without);
    return box;
}

static drx_status move_directly(struct drxi_move *mv)
{
    const struct drxi_box box = rest_of_box(mv);

    return mv->m->ways->move(mv->m, mv->writing, &box, mv->mem);
}

static void run_errand(struct drxi_errand *e)
{
    struct drxi_move *mv = (struct drxi_move *)(void *)((char *)e - offsetof(struct drxi_move, errand));

    note_move_error(mv, move_directly(mv));
}

static bool agree(struct drxi_move *mv, bool wait);

/* Move boxes through MPI-IO, after all ranks have agreed to make this call. Requests cannot use collective MPI-IO,
 * because a rank that polls one must not wait for another rank, which may be in any other call. */
static bool move_together(struct drxi_move *mv, bool wait)
{
    const struct drxi_box box = rest_of_box(mv);

    (void)agree(mv, wait);
    if (mv->st)
        return true;
    note_move_error(mv, drxi_move_runs(mv->m, mv->writing, mv->empty ? NULL : &box, mv->mem));
    mv->state = DRXI_AGREE;
    return true;
}

static bool direct(struct drxi_move *mv, bool wait)
{
    const bool all_exchanged = mv->exchange && !drxi_all_do_io(mv->m);
    const bool here = wait || drxi_data_of(mv->m->a)->file->io->callers_only;

    if (mv->blocking && !mv->shared)
        take_turn(mv);
    if (mv->blocking && !all_exchanged && mv->m->settings.backend == DRXI_MPIIO)
        return move_together(mv, wait);
    if (!mv->begun && (mv->empty || mv->st || all_exchanged))
        mv->errand.state = DRXI_RUN;
    mv->begun = true;
    if (!drxi_errand_bring_on(&mv->errand, here))
        return false;
    mv->state = DRXI_AGREE;
    return true;
}

/* What others have trimmed since the state was read is not given out. */
static drx_status watch_move(const struct drxi_move *mv)
{
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];

    return drxi_move_hull(mv, lo, count) ? drxi_watch_box(mv->m->a, lo, count, NULL) : DRX_OK;
}

static void look_at_pieces(struct drxi_move *mv)
{
    const drx_status st = watch_move(mv);

    if (!st)
        return;
    drxi_free(mv->detail);
    mv->detail = NULL;
    mv->st = DRX_OK;
    note_move_error(mv, st);
}

static bool agree(struct drxi_move *mv, bool wait)
{
    if (mv->state == DRXI_AGREE && !mv->begun && !mv->writing && (!mv->st || drxi_is_lost(mv->m->a, mv->st)))
        look_at_pieces(mv);
    if (!agreed(mv, wait))
        return false;
    if (mv->st || mv->verified || (mv->m->ranks == 1 && !mv->shared))
        mv->state = DRXI_OVER;
    else if (mv->shared || mv->known)
        verify(mv);
    else
        mv->state = DRXI_GATHER;
    return true;
}

/* MPI has been finalized: no other rank can be reached any more. */
static void give_up(struct drxi_move *mv)
{
    if (mv->state == DRXI_STRAIGHT && mv->begun)
        (void)drxi_errand_bring_on(&mv->errand, true);
    note_move_error(mv, drxi_check_running());
    mv->state = DRXI_OVER;
}

bool drxi_move_advance(struct drxi_move *mv, bool wait, int until)
{
    static bool (*const steps[])(struct drxi_move * mv, bool wait) = { begin_rounds,    gather_parts, plan,
                                                                       exchange_blocks, direct,       agree };

    if ((int)mv->state < until && drxi_check_running())
        give_up(mv);
    while ((int)mv->state < until) {
        if (!steps[mv->state](mv, wait))
            return false;
        mv->begun = false;
        if (!mv->blocking)
            start_direct_parts(mv->m);
    }
    return true;
}

bool drxi_moves_advance(drxmp_array *m, struct drxi_move *last, bool wait)
{
    start_direct_parts(m);
    while (m->requests && (!last || last->state != DRXI_OVER)) {
        if (!drxi_move_advance(m->requests, wait, DRXI_OVER))
            return false;
        m->requests = m->requests->next;
    }
    return true;
}

void drxi_finish_moves(drxmp_array *m)
{
    (void)drxi_moves_advance(m, NULL, true);
}

void drxi_move_set_up(struct drxi_move *mv, drxmp_array *m, bool writing, const struct drxi_call *call, drx_status st,
                      const struct drxi_box *box, void *mem)
{
    memset(mv, 0, sizeof *mv);
    mv->m = m;
    mv->comm = m->comm;
    mv->writing = writing;
    mv->plain = true;
    mv->call = *call;
    mv->mem = mem;
    drxi_errand_init(&mv->errand, run_errand);
    mv->empty = !box || st;
    for (int j = 0; !mv->empty && j < drx_ndim(m->a); j++) {
        mv->lo[j] = box->lo[j];
        mv->count[j] = box->count[j];
        mv->step[j] = box->step && box->count[j] > 1 ? box->step[j] : 1;
        mv->stride_bytes[j] = box->stride_bytes[j];
    }
    note_move_error(mv, drxi_flush_puts(m, st));
    mv->by_rounds = writing && drxi_data_of(m->a)->file->stored->closes;
    mv->verified = writing || !drxi_data_of(m->a)->file->stored->verified;
    mv->shared = needs_exchange(mv);
    mv->state = mv->shared ? DRXI_BEGIN : DRXI_STRAIGHT;
    mv->wire = m->wire;
    mv->sets = m->sets;
}

void drxi_move_set_up_known(struct drxi_move *mv, drxmp_array *m, bool writing, const struct drxi_call *call,
                            const struct drxi_moved *moved)
{
    drxi_move_set_up(mv, m, writing, call, DRX_OK, moved->box, moved->mem);
    mv->known = true;
    mv->plain = moved->box;
    mv->sets = moved->sets;
    memcpy(mv->stride_bytes, moved->stride_bytes, sizeof *mv->stride_bytes * (size_t)drx_ndim(m->a));
    mv->shared = mv->shared || !moved->boxes;
    mv->state = mv->shared ? DRXI_BEGIN : DRXI_STRAIGHT;
}

bool drxi_move_hull(const struct drxi_move *mv, int64_t lo[], int64_t count[])
{
    const int ndim = drx_ndim(mv->m->a);
    int64_t last;

    for (int j = 0; j < ndim; j++) {
        if (!drxi_axis_bounds(&mv->sets[(int64_t)mv->m->rank * ndim + j], &lo[j], &last))
            return false;
        count[j] = last - lo[j] + 1;
    }
    return true;
}

void drxi_move_tell_mine(struct drxi_move *mv)
{
    const int ndim = drx_ndim(mv->m->a);
    struct drxi_axis_set *mine = mv->sets + (int64_t)mv->m->rank * ndim;

    for (int j = 0; j < ndim; j++)
        drxi_axis_range(&mine[j], mv->lo[j], mv->empty ? 1 : mv->step[j], mv->empty ? 0 : mv->count[j], 0);
}

void drxi_move_release(struct drxi_move *mv)
{
    drxi_exchange_free(mv->exchange);
    drxi_errand_free(&mv->errand);
    for (size_t i = 0; i < sizeof mv->taken / sizeof *mv->taken; i++)
        drxi_free(mv->taken[i]);
    drxi_free(mv->detail);
}

drx_status drxi_move_boxes(drxmp_array *m, bool writing, const struct drxi_call *call, drx_status st,
                           const struct drxi_box *box, void *mem)
{
    struct drxi_move mv;

    drxi_job_complete(m); /* a read that waits for no other rank would overtake its puts */
    drxi_move_set_up(&mv, m, writing, call, st, box, mem);
    drxi_move_tell_mine(&mv);
    mv.blocking = true;
    (void)drxi_move_advance(&mv, true, DRXI_OVER);
    drxi_move_release(&mv);
    return mv.st;
}

drx_status drxi_move_sets(drxmp_array *m, bool writing, const struct drxi_call *call, const struct drxi_moved *moved)
{
    struct drxi_move mv;

    drxi_move_set_up_known(&mv, m, writing, call, moved);
    mv.blocking = true;
    if (mv.shared)
        mv.state = DRXI_PLAN;
    (void)drxi_move_advance(&mv, true, DRXI_OVER);
    drxi_move_release(&mv);
    return mv.st;
}

drx_status drxi_move_memory(drxmp_array *m, int ndim)
{
    const size_t n = (size_t)m->ranks * (size_t)ndim;
    int64_t *wire = drxi_malloc(n * 3 * sizeof *wire);
    struct drxi_axis_set *sets = drxi_malloc(n * sizeof *sets);

    if (!wire || !sets) {
        drxi_free(wire);
        drxi_free(sets);
        return DRX_ENOMEM;
    }
    drxi_free(m->wire);
    drxi_free(m->sets);
    m->wire = wire;
    m->sets = sets;
    return DRX_OK;
}
