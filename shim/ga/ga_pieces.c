/* A box of the array cut into pieces that fit into a buffer. Their borders are borders of chunks, so no two pieces meet
 * in a chunk, unless a chunk is larger than the buffer. */
#include <stdlib.h>

#include "ga_inside.h"

int64_t drxgai_piece_bytes = 4 << 20;

/* Towards minus infinity. */
static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Start with the shape of a chunk; cut it from the first axis on if it is too large, otherwise put several together
 * along the last axes, as long as all processes have a piece. */
static void choose_extent(const struct drxgai_move *m, int shares, struct drxgai_pieces *p)
{
    const int64_t *chunk = drx_chunk(m->a);
    const int64_t most = drxgai_piece_bytes / (int64_t)m->g.item_bytes;
    int64_t left = most, items = 1, share = 1;

    for (int j = m->ndim - 1; j >= 0; j--) {
        left = left > 0 ? left : 1;
        p->extent[j] = shim_smaller(chunk[j], left);
        left /= p->extent[j];
        items *= p->extent[j];
        share *= m->count[j];
    }
    share = shim_smaller(share / shares, most);
    for (int j = m->ndim - 1; j >= 0; j--) {
        const int64_t times = share / items;
        const int64_t needed = (m->count[j] - 1) / p->extent[j] + 2; /* wherever the box begins */

        if (p->extent[j] < chunk[j] || times < 2)
            return;
        items *= shim_smaller(times, needed);
        p->extent[j] *= shim_smaller(times, needed);
    }
}

drx_status drxgai_make_pieces(const struct drxgai_move *m, int shares, struct drxgai_pieces *p)
{
    size_t items = 1;

    *p = (struct drxgai_pieces){ .all = 1 };
    choose_extent(m, shares, p);
    for (int j = 0; j < m->ndim; j++) {
        const int64_t at = floor_div(m->lo[j], p->extent[j]), end = floor_div(m->lo[j] + m->count[j] - 1, p->extent[j]);

        p->first[j] = at * p->extent[j];
        p->n[j] = end - at + 1;
        p->all *= p->n[j];
        items *= (size_t)shim_smaller(p->extent[j], m->count[j]);
    }
    p->buffer = malloc(items * m->g.item_bytes);
    return p->buffer
               ? DRX_OK
               : drxgai_fail_of(&m->g, DRX_ENOMEM, "no memory for a buffer of %zu bytes", items * m->g.item_bytes);
}

void drxgai_free_pieces(struct drxgai_pieces *p)
{
    free(p->buffer);
    p->buffer = NULL;
}

/* The strides of a section that is dense in the buffer. */
static void dense(const struct drxgai_move *m, const int64_t glo[], const int64_t ghi[], int64_t gstride[])
{
    int64_t along = 1;

    for (int i = m->g.ndim - 1; i >= 0; i--) {
        gstride[i] = along;
        along *= ghi[i] - glo[i] + 1;
    }
}

void drxgai_piece(const struct drxgai_move *m, const struct drxgai_pieces *p, int64_t k, struct drxgai_box *box,
                  int64_t glo[], int64_t ghi[])
{
    int64_t gstride[GA_MAX_DIM];

    for (int i = 0; i < m->g.ndim; i++) {
        glo[i] = m->glo[i];
        ghi[i] = m->ghi[i];
    }
    for (int j = m->ndim - 1; j >= 0; j--) {
        const int64_t from = p->first[j] + k % p->n[j] * p->extent[j];
        const int64_t before = from - m->lo[j], end = before + p->extent[j];
        const int i = m->axis[j];

        k /= p->n[j];
        if (i < 0)
            continue;
        glo[i] = m->glo[i] + (before > 0 ? before : 0);
        ghi[i] = m->glo[i] + shim_smaller(end, m->count[j]) - 1;
    }
    dense(m, glo, ghi, gstride);
    drxgai_box_of(m, glo, ghi, gstride, box);
}

void drxgai_fetch(const struct drxgai_move *m, const struct drxgai_pieces *p, bool get, int64_t glo[], int64_t ghi[])
{
    int64_t ld[GA_MAX_DIM];

    for (int i = 1; i < m->g.ndim; i++)
        ld[i - 1] = ghi[i] - glo[i] + 1;
    if (get)
        NGA_Get64(m->g.handle, glo, ghi, p->buffer, ld);
    else
        NGA_Put64(m->g.handle, glo, ghi, p->buffer, ld);
}
