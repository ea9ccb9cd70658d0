/* Each block has one owner among the ranks, which every rank computes by itself. Only the owner reads or writes the
 * block. All ranks go through their blocks in the order of the file.
 *   to write   the ranks that take part in a block send their pieces to its owner, which assembles them in a stage. It
 *              writes the runs of elements that it was given, and no others
 *   to read    the owner sends each rank what it takes
 * When only some ranks do I/O, they own the blocks in turn; of stripes that one node sees, those of the node do. When
 * all do, the owner is the rank that takes most of the block, and ranks that take nothing of a block skip it.
 *
 * Invariants
 *   1. Two ranks send and receive their pieces in the same order, so one tag is enough.
 *   2. A rank waits only for pieces of blocks up to its present one, and it has posted the receives of all earlier
 *      blocks. So the first block that is not done can always continue, and no deadlock is possible.
 *   3. The exchange allocates all memory at the start: slots for pieces in transit, the stage, marks. A later failure
 *      does not stop it. */
#include "mp/far/far_home.h"
#include "mp/move/move.h"

enum { TAG = 1, LEAST_SLOTS = 2, MOST_SLOTS = 32, LOCAL_STEPS = 64 };

/* A ring of pieces in transit. */
struct slots {
    MPI_Request *request;
    uint8_t *bytes;
    int64_t first, used;
};

/* Deferred work, done in the order of blocks. */
struct action {
    enum { OPEN, TAKE, CLOSE } what; /* begin a block; use a piece that has arrived; write the block */
    int rank;
    struct drxi_block block;
};

/* A rank that may take part in chunks which concern this one. */
struct party {
    int rank;
    bool more;
    struct drxi_cursor cursor;
};

struct drxi_exchange {
    drxmp_array *m;
    struct drxi_part_of_all part;
    struct drxi_cut cut;
    drx_status st;

    struct party *parties;
    int n_parties;
    int *takers; /* ranks that take part in the chunk; those that take part in the block come first */
    int n_chunk_takers, n_takers;
    int64_t address, chunk_index[DRX_MAX_NDIM], blocks, next_block;

    struct drxi_block block;
    bool in_block;
    int owner, at; /* at: the next of the takers to serve */

    int64_t n_slots;
    struct slots sends, receives;
    struct action *actions; /* a ring */
    int64_t actions_room, first_action, n_actions;
    uint8_t *stage, *marks;

    int64_t *chunks, n_chunks, chunks_room;
};

static const struct drxi_axis_set *sets_of(const struct drxi_exchange *ex, int rank)
{
    return ex->part.sets + (int64_t)rank * drx_ndim(ex->m->a);
}

static void note_exchange_error(struct drxi_exchange *ex, drx_status st)
{
    if (!ex->st)
        ex->st = st;
}

/* Whether every rank reads and writes what it takes. */
static bool all_do_io(const struct drxi_exchange *ex)
{
    return drxi_all_do_io(ex->m);
}

/* Add a rank, with those of its chunks that are in first <= i < end. */
static void add_party(struct drxi_exchange *ex, int rank, const int64_t first[], const int64_t end[])
{
    struct party *p = &ex->parties[ex->n_parties];

    p->rank = rank;
    drxi_chunks_start(&p->cursor, ex->m->a, sets_of(ex, rank), first, end);
    p->more = drxi_cursor_next(&p->cursor);
    ex->n_parties += p->more;
}

static bool intersect(int ndim, int64_t first[], int64_t end[], const int64_t other_first[], const int64_t other_end[])
{
    bool some = true;

    for (int j = 0; j < ndim; j++) {
        first[j] = drxi_max(first[j], other_first[j]);
        end[j] = drxi_min(end[j], other_end[j]);
        some = some && first[j] < end[j];
    }
    return some;
}

static bool does_io(const struct drxi_exchange *ex, int rank)
{
    if (ex->m->home)
        return drxi_home_owns(ex->m->home, rank);
    return drxi_io_rank(ex->m, (rank * ex->m->settings.io_ranks + ex->m->ranks - 1) / ex->m->ranks) == rank;
}

/* Find the ranks that share blocks with this one. A plain part concerns the exchange only where others take part in its
 * chunks. When all ranks do I/O, each reads alone. */
static void find_parties(struct drxi_exchange *ex)
{
    const int me = ex->m->rank, ndim = drx_ndim(ex->m->a);
    const bool all = all_do_io(ex), alone = all ? !ex->part.writing : !does_io(ex, me);
    int64_t my_first[DRX_MAX_NDIM], my_end[DRX_MAX_NDIM], first[DRX_MAX_NDIM], end[DRX_MAX_NDIM];
    const bool some = drxi_chunks_hull(ex->m->a, sets_of(ex, me), my_first, my_end);

    if (some && !(all && ex->part.plain))
        add_party(ex, me, my_first, my_end);
    for (int rank = 0; !alone && rank < ex->m->ranks; rank++)
        if (rank != me && drxi_chunks_hull(ex->m->a, sets_of(ex, rank), first, end) &&
            (!all || (some && intersect(ndim, first, end, my_first, my_end))))
            add_party(ex, rank, first, end);
}

static bool takes_of_chunk(const struct drxi_exchange *ex, int rank)
{
    const struct drxi_data *d = drxi_data_of(ex->m->a);
    struct drxi_run run;

    for (int j = 0; j < d->ndim; j++)
        if (!drxi_axis_next(&sets_of(ex, rank)[j], ex->chunk_index[j] * d->chunk[j],
                            (ex->chunk_index[j] + 1) * d->chunk[j], &run))
            return false;
    return true;
}

/* Go to the next chunk by address, and list the ranks that take part in it; false after the last one. */
static bool next_chunk(struct drxi_exchange *ex)
{
    const int me = ex->m->rank;
    int64_t least = INT64_MAX;

    for (int i = 0; i < ex->n_parties; i++)
        if (ex->parties[i].more)
            least = drxi_min(least, ex->parties[i].cursor.piece.address);
    if (least == INT64_MAX)
        return false;
    ex->address = least;
    ex->n_chunk_takers = 0;
    for (int i = 0; i < ex->n_parties; i++) {
        struct party *p = &ex->parties[i];

        if (!p->more || p->cursor.piece.address != least)
            continue;
        memcpy(ex->chunk_index, p->cursor.index, sizeof ex->chunk_index);
        ex->takers[ex->n_chunk_takers++] = p->rank;
        p->more = drxi_cursor_next(&p->cursor);
    }
    if (all_do_io(ex) && ex->part.plain && takes_of_chunk(ex, me)) {
        ex->takers[ex->n_chunk_takers++] = me;
        if (drxi_reserve(&ex->chunks, &ex->chunks_room, ex->n_chunks + 1, sizeof *ex->chunks))
            note_exchange_error(ex, DRX_ENOMEM);
        else
            ex->chunks[ex->n_chunks++] = least;
    }
    ex->next_block = 0;
    return true;
}

/* The rank that takes most of the block. Of equal ones, the first from address modulo ranks on, which spreads them. */
static int largest_taker(const struct drxi_exchange *ex)
{
    const int ranks = ex->m->ranks, first = (int)(ex->address % ranks);
    int64_t most = 0;
    int chosen = -1;

    for (int i = 0; i < ex->n_takers; i++) {
        const int rank = ex->takers[i];
        const int64_t count = drxi_block_count(&ex->block, drx_ndim(ex->m->a), sets_of(ex, rank));

        if (count > most || (count == most && (rank - first + ranks) % ranks < (chosen - first + ranks) % ranks)) {
            chosen = rank;
            most = count;
        }
    }
    return chosen;
}

/* The rank that moves the chunk for all, where some do. */
static int chosen_rank(const struct drxi_exchange *ex)
{
    return ex->m->home ? drxi_home_owner(ex->m->home, ex->address)
                       : drxi_io_rank(ex->m, ex->address % ex->m->settings.io_ranks);
}

/* Go to the next block that this rank owns or takes part in. */
static bool next_block(struct drxi_exchange *ex)
{
    const int me = ex->m->rank, ndim = drx_ndim(ex->m->a);

    for (;;) {
        bool mine = false;

        if (ex->next_block == ex->blocks && !next_chunk(ex))
            return false;
        drxi_cut_block(&ex->cut, ex->address, ex->chunk_index, ex->next_block++, &ex->block);
        ex->n_takers = ex->n_chunk_takers;
        for (int i = 0; i < ex->n_takers;) {
            const int rank = ex->takers[i];

            if (drxi_block_count(&ex->block, ndim, sets_of(ex, rank)) > 0) {
                mine = mine || rank == me;
                i++;
            } else { /* move it after those that take part in the block */
                ex->takers[i] = ex->takers[--ex->n_takers];
                ex->takers[ex->n_takers] = rank;
            }
        }
        if (ex->n_takers == 0)
            continue;
        ex->owner = !all_do_io(ex) ? chosen_rank(ex) : mine ? largest_taker(ex) : -1;
        if (mine || ex->owner == me)
            return true;
    }
}

static bool ready(struct drxi_exchange *ex, MPI_Request *request, bool wait)
{
    int done = 1;
    const int code = wait ? MPI_Wait(request, MPI_STATUS_IGNORE) : MPI_Test(request, &done, MPI_STATUS_IGNORE);

    note_exchange_error(ex, drxi_mpi(code, "exchanging pieces"));
    return done || code != MPI_SUCCESS;
}

static uint8_t *slot_bytes(const struct drxi_exchange *ex, const struct slots *s, int64_t i)
{
    return s->bytes + i % ex->n_slots * ex->cut.bytes;
}

/* Make sure that a slot to send from is free; false when none is yet. */
static bool free_send(struct drxi_exchange *ex, bool wait)
{
    struct slots *s = &ex->sends;

    if (s->used < ex->n_slots)
        return true;
    if (!ready(ex, &s->request[s->first % ex->n_slots], wait))
        return false;
    s->first++;
    s->used--;
    return true;
}

static struct drxi_place my_memory(const struct drxi_exchange *ex)
{
    return (struct drxi_place){ DRXI_MEMORY, ex->part.mem, ex->part.stride_bytes };
}

static int block_piece_bytes(const struct drxi_exchange *ex, const struct drxi_block *block, int rank)
{
    const drx_array *a = ex->m->a;

    return (int)(drxi_block_count(block, drx_ndim(a), sets_of(ex, rank)) * (int64_t)drxi_data_of(a)->item_bytes);
}

/* Send to `to` what `rank` takes of the block, which is at `from`. */
static void send_piece(struct drxi_exchange *ex, int rank, struct drxi_place from, int to)
{
    struct slots *s = &ex->sends;
    const int64_t i = s->first + s->used++;
    uint8_t *bytes = slot_bytes(ex, s, i);

    drxi_block_copy(&ex->cut, &ex->block, sets_of(ex, rank), (struct drxi_place){ DRXI_PACKED, bytes, NULL }, from);
    note_exchange_error(ex, drxi_mpi(MPI_Isend(bytes, block_piece_bytes(ex, &ex->block, rank), MPI_BYTE, to, TAG,
                                               ex->part.comm, &s->request[i % ex->n_slots]),
                                     "sending a piece"));
}

static void receive_piece(struct drxi_exchange *ex, int rank, int from)
{
    struct slots *s = &ex->receives;
    const int64_t i = s->first + s->used++;

    note_exchange_error(ex, drxi_mpi(MPI_Irecv(slot_bytes(ex, s, i), block_piece_bytes(ex, &ex->block, rank), MPI_BYTE,
                                               from, TAG, ex->part.comm, &s->request[i % ex->n_slots]),
                                     "receiving a piece"));
}

static void add_action(struct drxi_exchange *ex, int what, int rank)
{
    struct action *x = &ex->actions[(ex->first_action + ex->n_actions++) % ex->actions_room];

    x->what = what;
    x->rank = rank;
    x->block = ex->block;
}

static void put_on_stage(struct drxi_exchange *ex, const struct drxi_block *block, int rank, struct drxi_place from)
{
    drxi_block_copy(&ex->cut, block, sets_of(ex, rank), (struct drxi_place){ DRXI_IMAGE, ex->stage, NULL }, from);
    drxi_block_mark(&ex->cut, block, sets_of(ex, rank), ex->marks);
}

static void open_block(struct drxi_exchange *ex, const struct drxi_block *block)
{
    const int me = ex->m->rank;

    memset(ex->marks, 0, (size_t)ex->cut.bytes / drxi_data_of(ex->m->a)->item_bytes);
    if (drxi_block_count(block, drx_ndim(ex->m->a), sets_of(ex, me)) > 0)
        put_on_stage(ex, block, me, my_memory(ex));
}

/* Write the runs of marked elements. */
static void close_block(struct drxi_exchange *ex, const struct drxi_block *block)
{
    drx_array *a = ex->m->a;
    const int64_t item = (int64_t)drxi_data_of(a)->item_bytes;
    const uint8_t *const end = ex->marks + ex->cut.bytes / item;
    const uint8_t *at = ex->marks;

    while (!ex->st && at < end && (at = memchr(at, 1, (size_t)(end - at)))) {
        const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
        const int64_t from = (at - ex->marks) * item;

        if (!stop)
            stop = end;
        note_exchange_error(
            ex, drxi_data_write(drxi_data_of(a), ex->stage + from, (size_t)((stop - at) * item), block->offset + from));
        at = stop;
    }
}

/* Read the bytes of the block into the stage, from the first to the last that a rank takes. */
static void unpack_block(struct drxi_exchange *ex)
{
    drx_array *a = ex->m->a;
    int64_t begin = INT64_MAX, end = 0;

    for (int i = 0; i < ex->n_takers; i++) {
        int64_t from = 0, to = (int64_t)drxi_data_of(a)->item_bytes;

        for (int j = 0; j < drx_ndim(a); j++) {
            const struct drxi_axis_set *set = &sets_of(ex, ex->takers[i])[j];
            int64_t at = ex->block.lo[j], last = 0;
            struct drxi_run run;

            for (bool first = true; at < ex->block.hi[j] && drxi_axis_next(set, at, ex->block.hi[j], &run);
                 first = false) {
                if (first)
                    from += (run.index - ex->block.lo[j]) * drxi_data_of(a)->item_pitch_bytes[j];
                last = run.index + (run.count - 1) * run.step;
                at = last + 1;
            }
            to += (last - ex->block.lo[j]) * drxi_data_of(a)->item_pitch_bytes[j];
        }
        begin = drxi_min(begin, from);
        end = drxi_max(end, to);
    }
    if (!ex->st)
        note_exchange_error(
            ex, drxi_data_read(drxi_data_of(a), ex->stage + begin, (size_t)(end - begin), ex->block.offset + begin));
}

/* Do the first action; false when its piece has not arrived yet. */
static bool act(struct drxi_exchange *ex, bool wait)
{
    const struct action *x = &ex->actions[ex->first_action % ex->actions_room];
    struct slots *s = &ex->receives;

    if (x->what == TAKE) {
        const struct drxi_place piece = { DRXI_PACKED, slot_bytes(ex, s, s->first), NULL };

        if (!ready(ex, &s->request[s->first % ex->n_slots], wait))
            return false;
        if (ex->part.writing)
            put_on_stage(ex, &x->block, x->rank, piece);
        else
            drxi_block_copy(&ex->cut, &x->block, sets_of(ex, x->rank), my_memory(ex), piece);
        s->first++;
        s->used--;
    } else if (x->what == OPEN) {
        open_block(ex, &x->block);
    } else {
        close_block(ex, &x->block);
    }
    ex->first_action++;
    ex->n_actions--;
    return true;
}

/* Make room for another action and, if `receiving`, for a piece. */
static bool make_exchange_room(struct drxi_exchange *ex, bool receiving, bool wait)
{
    while (ex->n_actions == ex->actions_room || (receiving && ex->receives.used == ex->n_slots))
        if (!act(ex, wait))
            return false;
    return true;
}

/* Send or receive this rank's piece of a block that another rank owns. */
static bool deal_with_owner(struct drxi_exchange *ex, bool wait)
{
    const int me = ex->m->rank;

    if (ex->part.writing) {
        if (!free_send(ex, wait))
            return false;
        send_piece(ex, me, my_memory(ex), ex->owner);
    } else {
        if (!make_exchange_room(ex, true, wait))
            return false;
        receive_piece(ex, me, ex->owner);
        add_action(ex, TAKE, me);
    }
    return true;
}

/* Serve a block that this rank owns: send pieces to the ranks that take part, or receive them. ex->at counts a step to
 * begin, one for each rank, and a step to end. */
static bool deal_with_takers(struct drxi_exchange *ex, bool wait)
{
    const int me = ex->m->rank;

    for (; ex->at <= ex->n_takers + 1; ex->at++) {
        const bool first = ex->at == 0, last = ex->at == ex->n_takers + 1;
        const int rank = first || last ? me : ex->takers[ex->at - 1];

        if (ex->part.writing) {
            if (!first && !last && rank == me)
                continue;
            if (!make_exchange_room(ex, !first && !last, wait))
                return false;
            if (!first && !last)
                receive_piece(ex, rank, rank);
            add_action(ex, first ? OPEN : last ? CLOSE : TAKE, rank);
        } else if (first) {
            unpack_block(ex);
        } else if (!last && rank == me) {
            drxi_block_copy(&ex->cut, &ex->block, sets_of(ex, me), my_memory(ex),
                            (struct drxi_place){ DRXI_IMAGE, ex->stage, NULL });
        } else if (!last) {
            if (!free_send(ex, wait))
                return false;
            send_piece(ex, rank, (struct drxi_place){ DRXI_IMAGE, ex->stage, NULL }, rank);
        }
    }
    return true;
}

bool drxi_exchange_step(struct drxi_exchange *ex, bool wait)
{
    while (ex->in_block || next_block(ex)) {
        if (!ex->in_block)
            ex->at = 0;
        ex->in_block = true;
        if (!(ex->owner == ex->m->rank ? deal_with_takers(ex, wait) : deal_with_owner(ex, wait)))
            return false;
        ex->in_block = false;
    }
    while (ex->n_actions > 0)
        if (!act(ex, wait))
            return false;
    for (struct slots *s = &ex->sends; s->used > 0; s->used--, s->first++)
        if (!ready(ex, &s->request[s->first % ex->n_slots], wait))
            return false;
    return true;
}

static drx_status take_exchange_memory(struct drxi_exchange *ex)
{
    const int64_t block = ex->cut.bytes;
    const size_t n = (size_t)(ex->n_slots * block);

    ex->actions = drxi_malloc((size_t)ex->actions_room * sizeof *ex->actions);
    ex->stage = drxi_malloc((size_t)block);
    ex->marks = drxi_malloc((size_t)block / drxi_data_of(ex->m->a)->item_bytes);
    for (int i = 0; i < 2; i++) {
        struct slots *s = i ? &ex->receives : &ex->sends;

        s->request = drxi_malloc((size_t)ex->n_slots * sizeof(MPI_Request));
        s->bytes = drxi_malloc(n);
        if (!s->request || !s->bytes)
            return DRX_ENOMEM;
    }
    return ex->actions && ex->stage && ex->marks ? DRX_OK : DRX_ENOMEM;
}

drx_status drxi_exchange_new(drxmp_array *m, const struct drxi_part_of_all *part, struct drxi_exchange **out)
{
    struct drxi_exchange *ex = drxi_calloc(1, sizeof *ex);
    drx_status st = DRX_OK;

    *out = ex;
    if (!ex)
        return DRX_ENOMEM;
    ex->m = m;
    ex->part = *part;
    drxi_cut_chunks(&ex->cut, m->a);
    ex->blocks = ex->next_block = drxi_cut_blocks(&ex->cut);
    ex->n_slots = drxi_max(LEAST_SLOTS, drxi_min(MOST_SLOTS, m->settings.buffer_bytes / 2 / ex->cut.bytes));
    ex->actions_room = ex->n_slots + LOCAL_STEPS;
    ex->parties = drxi_malloc((size_t)m->ranks * sizeof *ex->parties);
    ex->takers = drxi_malloc((size_t)(m->ranks + 1) * sizeof *ex->takers);
    if (!ex->parties || !ex->takers)
        return DRX_ENOMEM;
    find_parties(ex);
    if (ex->n_parties > 0)
        st = take_exchange_memory(ex);
    return st;
}

drx_status drxi_exchange_status(const struct drxi_exchange *ex)
{
    return ex->st;
}

const int64_t *drxi_exchange_chunks(const struct drxi_exchange *ex, int64_t *n)
{
    *n = ex->n_chunks;
    return ex->chunks;
}

void drxi_exchange_free(struct drxi_exchange *ex)
{
    if (!ex)
        return;
    drxi_free(ex->parties);
    drxi_free(ex->takers);
    drxi_free(ex->actions);
    drxi_free(ex->stage);
    drxi_free(ex->marks);
    drxi_free(ex->sends.request);
    drxi_free(ex->sends.bytes);
    drxi_free(ex->receives.request);
    drxi_free(ex->receives.bytes);
    drxi_free(ex->chunks);
    drxi_free(ex);
}
