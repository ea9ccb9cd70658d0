/* Moves by one process, a piece at a time. */
#include "ga_inside.h"

static drx_status move_piece(const struct drxgai_move *m, const struct drxgai_pieces *p, int64_t k)
{
    int64_t glo[GA_MAX_DIM], ghi[GA_MAX_DIM];
    struct drxgai_box box;
    drx_status st;

    drxgai_piece(m, p, k, &box, glo, ghi);
    if (m->writing)
        drxgai_fetch(m, p, true, glo, ghi);
    st = m->writing ? drx_write_box(m->a, &box.box, p->buffer) : drx_read_box(m->a, &box.box, p->buffer);
    if (!st && !m->writing)
        drxgai_fetch(m, p, false, glo, ghi);
    return st;
}

drx_status drxgai_move_alone(const struct drxgai_call *call, drx_array *a)
{
    struct drxgai_pieces pieces = { .all = 0 };
    struct drxgai_move m;
    drx_status st = drxgai_relate(call, a, &m);

    if (!st)
        st = drxgai_make_pieces(&m, 1, &pieces);
    for (int64_t k = 0; !st && k < pieces.all; k++)
        st = move_piece(&m, &pieces, k);
    drxgai_free_pieces(&pieces);
    return st;
}

drx_status drxga_write(int g_a, const int64_t glo[], const int64_t ghi[], drx_array *a, const int64_t lo[],
                       const int perm[])
{
    return drxgai_move_alone(
        &(struct drxgai_call){ .writing = true, .g_a = g_a, .glo = glo, .ghi = ghi, .lo = lo, .perm = perm }, a);
}

drx_status drxga_read(int g_a, const int64_t glo[], const int64_t ghi[], drx_array *a, const int64_t lo[],
                      const int perm[])
{
    return drxgai_move_alone(&(struct drxgai_call){ .g_a = g_a, .glo = glo, .ghi = ghi, .lo = lo, .perm = perm }, a);
}
