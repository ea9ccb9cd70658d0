/* How ranks share the elements of a call. */
#include "model.h"

uint64_t luck_of(const struct model *m)
{
    return m->rng.state + (uint64_t)m->op;
}

struct share share_of(const struct model *m, int rank, const struct box *whole, const int64_t *step,
                      const int64_t *stride, bool interleaved, uint64_t luck)
{
    const int axis = (int)random_below(&luck, m->ndim), owner = (int)random_below(&luck, m->run->ranks);
    const int64_t way = random_below(&luck, interleaved ? 3 : 2), n = whole->count[axis];
    struct share s = { .box = *whole, .steps = step || (way == 2 && m->run->ranks > 1) };
    int64_t from = 0, every = 1;

    for (int j = 0; j < m->ndim; j++) {
        s.step[j] = step ? step[j] : 1;
        s.stride[j] = stride[j];
    }
    if (way == 0) {
        from = n * rank / m->run->ranks;
        s.box.count[axis] = n * (rank + 1) / m->run->ranks - from;
    } else if (way == 1) {
        s.box.count[axis] = rank == owner ? n : 0;
    } else {
        from = rank;
        every = m->run->ranks;
        s.box.count[axis] = n > rank ? (n - rank + m->run->ranks - 1) / m->run->ranks : 0;
    }
    if (s.box.count[axis] == 0)
        return s;
    s.box.lo[axis] += from ? from * s.step[axis] : 0;
    s.first = from * s.stride[axis];
    if (n > 1) { /* else neither is ever taken, and may be anything */
        s.step[axis] *= every;
        s.stride[axis] *= every;
    }
    return s;
}

drx_box box_of(const struct share *s)
{
    return (drx_box){ .lo = s->box.lo, .count = s->box.count, .step = s->steps ? s->step : NULL, .stride = s->stride };
}

int64_t *indices_of(const struct model *m, const struct share *s)
{
    const int64_t n = count_elements(m, s->box.count);
    int64_t *indices = plain_alloc((size_t)(n * m->ndim) * sizeof *indices), index[DRX_MAX_NDIM] = { 0 };

    for (int64_t i = 0; i < n; i++) {
        for (int j = 0; j < m->ndim; j++)
            indices[i * m->ndim + j] = s->box.lo[j] + (index[j] ? index[j] * s->step[j] : 0);
        (void)next_index(m->ndim, s->box.count, index);
    }
    return indices;
}

void *contiguous(const struct model *m, const struct share *s, drx_order order, const void *buf)
{
    const int64_t n = count_elements(m, s->box.count);
    unsigned char *copy = plain_alloc((size_t)n * m->elem_bytes);
    int64_t to[DRX_MAX_NDIM], index[DRX_MAX_NDIM] = { 0 };

    plain_strides(m->ndim, s->box.count, order, to);
    for (int64_t i = 0; i < n; i++) {
        int64_t from = s->first, at = 0;

        for (int j = 0; j < m->ndim; j++) {
            from += index[j] * s->stride[j];
            at += index[j] * to[j];
        }
        memcpy(copy + at * (int64_t)m->elem_bytes, (const char *)buf + from * (int64_t)m->elem_bytes, m->elem_bytes);
        (void)next_index(m->ndim, s->box.count, index);
    }
    return copy;
}
