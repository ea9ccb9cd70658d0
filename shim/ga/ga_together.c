/* Moves by all processes together. Each process checks what it can, all agree, all move their parts, and the last
 * collective call on the array gives all the same status. No process returns in between. */
#include "ga_inside.h"

#include <ga-mpi.h>

static drx_status check_processes(const struct drxgai_global *g, MPI_Comm comm)
{
    int ranks, how;

    if (MPI_Comm_size(comm, &ranks) != MPI_SUCCESS ||
        MPI_Comm_compare(GA_MPI_Comm_pgroup(g->group), comm, &how) != MPI_SUCCESS)
        return drxgai_fail_of(g, DRX_EMPI, "the processes cannot be compared");
    if (how == MPI_UNEQUAL)
        return drxgai_fail_of(g, DRX_EMISMATCH,
                              "it is on %d processes, the array is open on %d; expected the same processes", g->nodes,
                              ranks);
    return DRX_OK;
}

/* A process that failed has arguments, too, but not the extents of the GA: its error comes first. */
static void tell_arguments(const struct drxgai_call *call, const struct drxgai_move *m, struct drxgai_args *args)
{
    const size_t index = sizeof *m->glo;

    drxgai_arg(args, "what they call", &call->writing, sizeof call->writing);
    drxgai_arg(args, "the shape of the global array", m->g.dims, (size_t)m->g.ndim * index);
    drxgai_arg(args, "the section", m->glo, 2 * sizeof m->glo); /* ghi follows */
    drxgai_arg(args, "lo", m->lo, (size_t)m->ndim * index);
    drxgai_arg(args, "perm", m->axis, (size_t)m->ndim * sizeof *m->axis);
}

static drx_status move_box(const struct drxgai_move *m, drxmp_array *a, const struct drxgai_box *b, void *memory)
{
    return m->writing ? drxmp_write_box_all(a, &b->box, memory) : drxmp_read_box_all(a, &b->box, memory);
}

static drx_status move_parts(const struct drxgai_move *m, drxmp_array *a)
{
    int64_t lo[GA_MAX_DIM], hi[GA_MAX_DIM], stride[GA_MAX_DIM];
    struct drxgai_box box;
    char nothing;
    void *memory = &nothing;
    const bool any = drxgai_part(m->g.handle, m->g.ndim, m->g.me, m->glo, m->ghi, lo, hi);
    drx_status st;

    if (any) {
        memory = drxgai_access(m->g.handle, m->g.ndim, lo, hi, stride);
        drxgai_box_of(m, lo, hi, stride, &box);
    } else {
        drxgai_no_box(m, &box);
    }
    st = move_box(m, a, &box, memory);
    if (any && m->writing)
        NGA_Release64(m->g.handle, lo, hi);
    else if (any)
        NGA_Release_update64(m->g.handle, lo, hi);
    return st;
}

/* The first ranks take the first pieces, and so on, round after round. */
static drx_status deal_pieces(const struct drxgai_move *m, drxmp_array *a, const struct drxgai_pieces *p)
{
    int64_t glo[GA_MAX_DIM], ghi[GA_MAX_DIM];
    struct drxgai_box box;
    int rank, ranks;
    drx_status st = DRX_OK;

    (void)MPI_Comm_rank(drxmp_comm(a), &rank);
    (void)MPI_Comm_size(drxmp_comm(a), &ranks);
    for (int64_t first = 0; !st && first < p->all; first += ranks) {
        const bool mine = first + rank < p->all;

        if (mine)
            drxgai_piece(m, p, first + rank, &box, glo, ghi);
        else
            drxgai_no_box(m, &box);
        if (mine && m->writing)
            drxgai_fetch(m, p, true, glo, ghi);
        st = move_box(m, a, &box, p->buffer);
        if (mine && !m->writing && !st)
            drxgai_fetch(m, p, false, glo, ghi);
    }
    return st;
}

drx_status drxgai_move_together(const struct drxgai_call *call, drxmp_array *a)
{
    struct drxgai_pieces pieces = { .all = 0 };
    struct drxgai_args args = { .n = 0 };
    struct drxgai_move m;
    int ranks = 1;
    drx_status st = drxgai_relate(call, drxmp_serial(a), &m);

    if (!a)
        return st;
    (void)MPI_Comm_size(drxmp_comm(a), &ranks);
    if (!st)
        st = check_processes(&m.g, drxmp_comm(a));
    if (!st && m.g.cyclic)
        st = drxgai_make_pieces(&m, ranks, &pieces);
    tell_arguments(call, &m, &args);
    st = drxgai_agree(drxmp_comm(a), st, &args);
    if (!st) {
        GA_Pgroup_sync(m.g.group); /* what others put has arrived, and nobody uses what a read changes */
        st = m.g.cyclic ? deal_pieces(&m, a, &pieces) : move_parts(&m, a);
        GA_Pgroup_sync(m.g.group);
    }
    drxgai_free_pieces(&pieces);
    return st;
}

drx_status drxga_write_all(int g_a, const int64_t glo[], const int64_t ghi[], drxmp_array *a, const int64_t lo[],
                           const int perm[])
{
    return drxgai_move_together(
        &(struct drxgai_call){ .writing = true, .g_a = g_a, .glo = glo, .ghi = ghi, .lo = lo, .perm = perm }, a);
}

drx_status drxga_read_all(int g_a, const int64_t glo[], const int64_t ghi[], drxmp_array *a, const int64_t lo[],
                          const int perm[])
{
    return drxgai_move_together(&(struct drxgai_call){ .g_a = g_a, .glo = glo, .ghi = ghi, .lo = lo, .perm = perm }, a);
}
