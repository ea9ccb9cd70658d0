/* The memory of an array in the memory of a job. The first rank of each node makes the file, and the others open it
 * through that process. Where they cannot, every rank has a node to itself, and RMA reaches the others. */
#include <stdio.h>
#include <sys/mman.h>

#include "mp/memory/job.h"

enum {
    WINDOW_ALIGNMENT = 16 /* MPICH 4.0 puts to another place in a window that begins elsewhere */
};

int64_t drxi_job_least_bytes = 1 << 20;

/* What the first rank of a node tells the others. */
struct told {
    drx_status st;
    bool reachable;
    struct drxi_alias alias;
};

static drx_status make_file(struct drxi_job *job, struct told *told)
{
    const drx_status st = drxi_files_in_use()->memory(&job->file);

    told->st = st;
    told->reachable = !st && job->file->ops->alias(job->file, &told->alias) == DRX_OK;
    return st;
}

/* Open such a file of another process, or of this one; DRX_EMISMATCH: it is another file. */
static drx_status open_file_of(const struct drxi_alias *alias, drxi_io **out)
{
    struct drxi_alias here;
    drx_status st = drxi_files_in_use()->open(alias->path, DRXI_WRITE, out);

    if (st)
        return st;
    st = (*out)->ops->alias(*out, &here);
    if (!st && memcmp(here.id, alias->id, sizeof here.id) != 0)
        st = drxi_fail(DRX_EMISMATCH, "%s: another file than that of the process", alias->path);
    if (!st)
        return DRX_OK;
    (void)(*out)->ops->close(*out);
    *out = NULL;
    return st;
}

/* *shared is false where the ranks of a node cannot share a file. */
static drx_status share_file(struct drxi_job *job, const struct drxi_node *node, bool *shared)
{
    struct told told = { .st = DRX_OK };
    drx_status st = DRX_OK;

    if (node->rank == 0)
        st = make_file(job, &told);
    if (!st)
        drxi_report_clear();
    *shared = true;
    st = st ? st : DRX_OK;
    if (node->ranks > 1) {
        const drx_status sent =
            drxi_mpi(MPI_Bcast(&told, sizeof told, MPI_BYTE, 0, node->comm), "sharing the memory of a node");

        st = st ? st : sent;
        if (!st && told.st)
            st = drxi_fail(told.st, "the first rank of the node could make no file in memory");
        if (!st && node->rank > 0 && told.reachable)
            *shared = open_file_of(&told.alias, &job->file) == DRX_OK;
        *shared = *shared && told.reachable;
    }
    return st;
}

/* All ranks know whether all could. */
static drx_status agree_shared(const struct drxi_job *job, drx_status st, bool *shared)
{
    int all = *shared;

    st = drxi_agree(job->comm, st, NULL);
    if (!st)
        st =
            drxi_mpi(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, job->comm), "sharing the memory of a node");
    *shared = all != 0;
    return st;
}

static drx_status take_seats(struct drxi_job *job, const struct drxi_node *node)
{
    int32_t *wire = drxi_malloc((size_t)job->ranks * 2 * sizeof *wire);
    drx_status st = drxi_agree(job->comm, wire ? DRX_OK : DRX_ENOMEM, NULL);

    if (!st) {
        wire[2 * job->rank] = node->ranks;
        wire[2 * job->rank + 1] = node->rank;
        st = drxi_mpi(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, wire, 2, MPI_INT32_T, job->comm),
                      "numbering the ranks of all nodes");
    }
    for (int rank = 0; !st && rank < job->ranks; rank++)
        job->seat[rank] = (struct drxi_seat){ wire[2 * rank], wire[2 * rank + 1], false };
    for (int i = 0; !st && i < node->ranks; i++)
        job->seat[node->whole[i]].near = true;
    job->far = node->ranks < job->ranks;
    drxi_free(wire);
    return st;
}

static void close_file(struct drxi_job *job)
{
    if (job->file)
        (void)job->file->ops->close(job->file);
    job->file = NULL;
}

/* An integer of each rank, for its lock. Where data go by RMA, so must locks: a rank that waits for a lock then lets
 * MPI make progress, which the holder's RMA may need. */
static drx_status make_locks(struct drxi_job *job, MPI_Comm keeper)
{
    struct dap_dim dim;
    struct drxi_darray_plan plan = {
        .type = DRX_INT64, .ndim = 1, .dims = &dim, .buffer_bytes = job->buffer_bytes, .comm = keeper, .apart = job->far
    };
    struct drxi_call call;

    drxi_call_start(&call, "the locks of an array in memory");
    return drxi_darray_make(
        drxi_dap_fail(dap_block(job->ranks, 1, job->ranks, job->rank, &dim), "describing the locks"), &plan, &call,
        &job->locks);
}

static drx_status find_node(const struct drxi_job *job, MPI_Comm keeper, const struct drxi_node **node)
{
    struct drxi_remote r = { .near = true };
    drx_status st = job->rank == DRXI_ROOT ? drxi_settings_remote(&r) : DRX_OK;

    st = drxi_from_root(job->comm, st, &r, sizeof r);
    if (st || job->ranks == 1)
        return st;
    st = drxi_agree(job->comm, drxi_node_find(keeper, job->comm, r.near ? r.node_ranks : 1, node), NULL);
    if (st)
        drxi_node_forget(keeper);
    return st;
}

/* Before the locks are made, which may look for another node by the same keeper. */
static drx_status find_memory(struct drxi_job *job, MPI_Comm keeper)
{
    struct drxi_node alone = { .comm = MPI_COMM_NULL, .ranks = 1, .whole = &job->rank };
    const struct drxi_node *node = &alone;
    bool shared = true;
    drx_status st = find_node(job, keeper, &node);

    if (!st)
        st = agree_shared(job, share_file(job, node, &shared), &shared);
    if (!st && !shared) {
        close_file(job);
        node = &alone;
        st = drxi_agree(job->comm, share_file(job, node, &shared), NULL);
    }
    if (!st)
        st = take_seats(job, node);
    if (!st)
        drxi_report_clear(); /* which a vain attempt may have set */
    return drxi_agree(job->comm, st, NULL);
}

drx_status drxi_job_begin(struct drxi_job *job, MPI_Comm keeper)
{
    drx_status st = find_memory(job, keeper);

    if (!st)
        st = make_locks(job, keeper);
    while (!st && job->pitch_bytes << job->shift < drxi_job_least_bytes)
        job->shift++;
    job->io.callers_only = job->far;
    return st;
}

/* ---- pieces ---- */

static int64_t end_of_piece(const struct drxi_job *job, int k)
{
    return INT64_C(1) << (job->shift + k);
}

/* Where a piece begins in the file of a node of this many ranks. */
static int64_t piece_start(const struct drxi_job *job, int k, int ranks)
{
    return drxi_job_first_round(job, k) * ranks * job->pitch_bytes;
}

static int64_t lead(const struct drxi_job *job, int k, int ranks)
{
    return piece_start(job, k, ranks) % WINDOW_ALIGNMENT;
}

int64_t drxi_job_in_window(const struct drxi_job *job, const struct drxi_job_place *p)
{
    return lead(job, p->piece, job->seat[p->rank].ranks) + p->offset;
}

static int64_t job_piece_bytes(const struct drxi_job *job, int k)
{
    const int ranks = job->seat[job->rank].ranks;

    return (end_of_piece(job, k) - drxi_job_first_round(job, k)) * ranks * job->pitch_bytes;
}

static drx_status map_piece(struct drxi_job *job, int k)
{
    struct drxi_job_piece *piece = &job->piece[k];

    piece->bytes = job_piece_bytes(job, k);
    piece->touched = drxi_calloc((size_t)drxi_ceil_div(piece->bytes, DRXI_JOB_BLOCK_BYTES), 1);
    if (!piece->touched)
        return DRX_ENOMEM;
    return job->file->ops->map(job->file, piece_start(job, k, job->seat[job->rank].ranks), job_piece_bytes(job, k),
                               &job->piece[k].here);
}

static drx_status map_pieces(struct drxi_job *job, int pieces)
{
    const struct drxi_seat *mine = &job->seat[job->rank];
    drx_status st = DRX_OK;

    if (mine->rank == 0)
        st = job->file->ops->resize(job->file, end_of_piece(job, pieces - 1) * mine->ranks * job->pitch_bytes);
    for (int k = job->pieces; !st && k < pieces; k++)
        st = map_piece(job, k);
    return st;
}

static drx_status make_window(const struct drxi_job *job, struct drxi_job_piece *piece, int k)
{
    const int64_t before = lead(job, k, job->seat[job->rank].ranks);

    return drxi_window_make(job->comm, piece->here.base - before, job_piece_bytes(job, k) + before, 1, &piece->win);
}

static drx_status make_windows(struct drxi_job *job, int pieces)
{
    const struct drxi_node node = { .rank = job->seat[job->rank].rank };
    const int turn = drxi_turn_begin(job->comm, &node);
    drx_status st = DRX_OK;

    for (int k = job->pieces; !st && k < pieces; k++)
        st = drxi_agree(job->comm, make_window(job, &job->piece[k], k), NULL);
    drxi_turn_end(turn);
    if (st)
        return drxi_fail(st == DRX_EMPI ? DRX_EUNSUPPORTED : st,
                         "array in memory: on several nodes it needs windows, and MPI cannot make them: %s",
                         drx_last_error());
    return DRX_OK;
}

static void drop_piece(struct drxi_job_piece *piece)
{
    if (piece->here.pages)
        (void)munmap(piece->here.pages, piece->here.page_bytes);
    piece->here = (struct drxi_mapping){ .pages = NULL };
    drxi_free(piece->touched);
    piece->touched = NULL;
}

static void drop_pieces(struct drxi_job *job, int pieces)
{
    for (int k = pieces - 1; k >= job->pieces; k--) {
        drxi_window_free(&job->piece[k].win);
        drop_piece(&job->piece[k]);
    }
}

/* How many pieces hold this many rounds; DRX_EOVERFLOW. */
static drx_status count_pieces(const struct drxi_job *job, int64_t rounds, int *pieces)
{
    int64_t bytes;

    *pieces = job->pieces;
    while (*pieces < DRXI_JOB_PIECES && (*pieces == 0 || end_of_piece(job, *pieces - 1) < rounds))
        if (job->shift + ++*pieces > 62)
            break;
    if (job->shift + *pieces > 62 || end_of_piece(job, *pieces - 1) < rounds ||
        !drxi_mul(end_of_piece(job, *pieces - 1), job->pitch_bytes, &bytes) || !drxi_mul(bytes, job->ranks, &bytes))
        return drxi_fail(DRX_EOVERFLOW, "array in memory: the bytes of its chunks overflow 64 bits");
    return DRX_OK;
}

drx_status drxi_job_touch_slowly(const struct drxi_job *job, const struct drxi_job_place *p, int64_t bytes)
{
    const struct drxi_job_piece *piece = &job->piece[p->piece];
    const int64_t block = DRXI_JOB_BLOCK_BYTES, begin = p->offset / block,
                  end = drxi_ceil_div(p->offset + bytes, block),
                  all = drxi_min(end * block, piece->bytes) - begin * block;

    if (!drxi_take_pages(piece->here.base + begin * block, all))
        return drxi_fail(DRX_ENOMEM, "the system has no memory for %lld bytes of a file in memory", (long long)all);
    for (int64_t i = begin; i < end; i++)
        atomic_store_explicit(&piece->touched[i], 1, memory_order_relaxed);
    return DRX_OK;
}

drx_status drxi_job_store(const struct drxi_job *job, const struct drxi_job_place *p, const void *from, int64_t bytes)
{
    return job->file->ops->write(job->file, from, (size_t)bytes,
                                 piece_start(job, p->piece, job->seat[p->rank].ranks) + p->offset);
}

/* The chunks between the bounds. Those that trims have taken away have given their memory back. */
static int64_t live_chunks(const drx_array *a)
{
    const drxi_map *map = &drxi_data_of(a)->map;
    int64_t n = 1;

    for (int j = 0; j < map->ndim; j++)
        n *= drxi_map_extent(map, j);
    return n;
}

/* How many of this many chunks are on this node. */
static int64_t chunks_here(const struct drxi_job *job, int64_t chunks)
{
    return drxi_ceil_div(chunks, job->ranks) * job->seat[job->rank].ranks;
}

void drxi_job_count(struct drxi_job *job, int64_t more)
{
    const int64_t bytes = chunks_here(job, live_chunks(job->a) + more) * job->pitch_bytes;

    (void)atomic_fetch_add(&drxi_node_bytes, bytes - job->counted);
    job->counted = bytes;
}

/* The chunks that a growth makes are all between the new bounds. */
drx_status drxi_job_check(const drxmp_array *m, int64_t chunks)
{
    const struct drxi_job *job = m->job;
    int64_t here, room, others;

    if (!job)
        return DRX_OK;
    here = chunks_here(job, live_chunks(m->a) + chunks - drxi_data_of(m->a)->map.chunks);
    room = drxi_room_for_files();
    others = atomic_load(&drxi_node_bytes) - job->counted;
    if (drxi_mul_saturated(here, job->pitch_bytes) > room - others)
        return drxi_fail(
            DRX_ENOMEM,
            "array in memory: its part on this node has %lld chunks of %lld bytes, other arrays and darrays "
            "of this process have %lld bytes there, and there is memory for %lld bytes",
            (long long)here, (long long)job->pitch_bytes, (long long)others, (long long)room);
    return DRX_OK;
}

static drx_status add_pieces(struct drxi_job *job, int64_t rounds)
{
    int pieces;
    drx_status st = count_pieces(job, rounds, &pieces); /* equal on all ranks */

    if (st)
        return st;
    st = drxi_agree(job->comm, map_pieces(job, pieces), NULL);
    if (!st && job->far)
        st = make_windows(job, pieces);
    if (st) {
        drop_pieces(job, pieces);
        return st;
    }
    job->pieces = pieces;
    job->rounds = end_of_piece(job, pieces - 1);
    return DRX_OK;
}

drx_status drxi_job_grow(drxmp_array *m, int64_t chunks)
{
    struct drxi_job *job = m->job;
    const int64_t rounds = drxi_ceil_div(chunks, job->ranks);
    const drx_status st = rounds <= job->rounds ? DRX_OK : add_pieces(job, rounds);

    if (!st)
        drxi_job_count(job, chunks - drxi_data_of(m->a)->map.chunks);
    return st;
}

void drxi_job_leave(struct drxi_job *job)
{
    for (int k = job->pieces - 1; k >= 0; k--)
        drxi_window_free(&job->piece[k].win);
    if (job->locks)
        (void)drxmp_darray_free(job->locks);
    job->locks = NULL;
}

void drxi_job_free(struct drxi_job *job)
{
    (void)atomic_fetch_sub(&drxi_node_bytes, job->counted);
    for (int k = 0; k < job->pieces; k++)
        drop_piece(&job->piece[k]);
    close_file(job);
    drxi_free(job->seat);
    drxi_free(job->io.path);
    drxi_free(job);
}

void drxi_job_fence(const struct drxi_job *job)
{
    atomic_thread_fence(memory_order_seq_cst);
    for (int k = 0; job->far && k < job->pieces; k++)
        (void)MPI_Win_sync(job->piece[k].win);
}

drx_status drxi_job_lock(const struct drxi_job *job, int rank)
{
    const drx_status st = drxi_lock(job->locks, rank);

    if (!st && job->far)
        drxi_job_fence(job);
    return st;
}

drx_status drxi_job_unlock(const struct drxi_job *job, int rank)
{
    if (job->far)
        drxi_job_fence(job);
    return drxi_unlock(job->locks, rank);
}
