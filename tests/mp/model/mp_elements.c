/* Elements that all ranks write and read in one call, each its share, by any of the calls. */
#include "mp_hands.h"

/* Finish what began, if that is a request. */
static drx_status finish(drx_status st, drx_request *req, bool poll)
{
    int done = 0;

    for (int i = 0; !st && req && poll && i < 1000 && !done; i++)
        st = drx_test(req, &done);
    return st || !req ? st : drx_wait(req);
}

/* One-sided calls, which take effect for all by the collective one. */
static drx_status put_share(struct model *m, const struct share *s, const void *buf, uint64_t luck)
{
    const int64_t n = count_elements(m, s->box.count), way = random_below(&luck, 4);
    const drx_order order = random_below(&luck, 2) ? DRX_ROW_MAJOR : DRX_COL_MAJOR;
    const drx_box box = box_of(s);
    drx_request *req = NULL;
    drx_status st;

    if (way == 0 && !s->steps) {
        void *mine = contiguous(m, s, order, buf);

        st = drxmp_put(team, s->box.lo, s->box.count, order, mine);
        free(mine);
    } else if (way < 3) {
        st = drxmp_put_box(team, &box, (const char *)buf + s->first * (int64_t)m->elem_bytes, way < 2 ? &req : NULL);
    } else {
        void *values = contiguous(m, s, DRX_ROW_MAJOR, buf);
        int64_t *indices = indices_of(m, s);

        st = drxmp_scatter(team, n, indices, values);
        free(indices);
        free(values);
    }
    st = st ? st : drxmp_sync(team);
    return finish(st, req, way == 0);
}

/* Each rank by itself, as a box or its elements, which all see after a collective call. */
static drx_status write_alone(struct model *m, const struct share *s, const void *buf, bool singly)
{
    const drx_box box = box_of(s);
    const int64_t n = singly ? count_elements(m, s->box.count) : 0;
    int64_t *indices = indices_of(m, s);
    unsigned char *values = contiguous(m, s, DRX_ROW_MAJOR, buf);
    drx_status st = DRX_OK;

    if (!singly)
        st = drx_write_box(m->a, &box, (const char *)buf + s->first * (int64_t)m->elem_bytes);
    for (int64_t i = 0; !st && i < n; i++)
        st = drx_put(m->a, indices + i * m->ndim, values + (size_t)i * m->elem_bytes);
    free(indices);
    free(values);
    return st ? st : drxmp_refresh(team);
}

drx_status write_share(struct model *m, const struct box *b, const int64_t *step, const int64_t *stride,
                       const void *buf)
{
    uint64_t luck = luck_of(m);
    const struct share s = share_of(m, mp_rank, b, step, stride, true, random_next(&luck));
    const drx_box box = box_of(&s);
    const void *from = (const char *)buf + s.first * (int64_t)m->elem_bytes;
    const int64_t way = m->in_trouble ? 0 : random_below(&luck, 4);
    drx_request *req = NULL;
    drx_status st;

    if (way == 1) {
        st = drxmp_iwrite_all(team, &box, from, &req);
        st = finish(st, req, true);
    } else if (way == 2 && !s.steps) {
        const drx_order order = random_below(&luck, 2) ? DRX_ROW_MAJOR : DRX_COL_MAJOR;
        void *mine = contiguous(m, &s, order, buf);

        st = drxmp_write_all(team, s.box.lo, s.box.count, order, mine);
        free(mine);
    } else if (way == 3 && m->storage == IN_MEMORY) {
        st = put_share(m, &s, buf, random_next(&luck));
    } else if (way == 3 && !(m->codec && has_twin())) { /* which would be other calls than those of one */
        st = write_alone(m, &s, buf, random_below(&luck, 2));
    } else {
        st = drxmp_write_box_all(team, &box, from);
    }
    if (!st && twin_here())
        st = alone.write(twin_here(), b, step, stride, buf);
    return together(st);
}

drx_status read_alike(struct model *m, const struct box *b, drx_order order, void *buf)
{
    const drx_box box = { .lo = b->lo, .count = b->count, .order = order };
    uint64_t luck = luck_of(m);
    drx_request *req = NULL;
    drx_status st;

    switch (random_below(&luck, 5)) {
    case 0:
        return drxmp_read_all(team, b->lo, b->count, order, buf);
    case 1:
        return drxmp_read_box_all(team, &box, buf);
    case 2:
        st = drxmp_iread_all(team, &box, buf, &req);
        return finish(st, req, random_below(&luck, 2));
    case 3:
        return drxmp_read(team, b->lo, b->count, order, buf);
    default:
        return drx_read(m->a, b->lo, b->count, order, buf);
    }
}

/* A slab in pieces of some indices, of each of which a rank gives its share, and one process gives all. */
struct pieces {
    const struct model *m;
    int axis;
    const struct box *slab;
    drx_order order;
    const void *buf;
    uint64_t luck;
    void *piece; /* the last one */
};

static struct share next_share(struct pieces *p, int64_t done, bool all)
{
    struct box whole = *p->slab;
    int64_t stride[DRX_MAX_NDIM];
    struct share s;
    const int64_t left = whole.count[p->axis] - done, most = 1 + (int64_t)(p->luck % 3);
    const void *from;

    plain_strides(p->m->ndim, whole.count, p->order, stride);
    from = (const char *)p->buf + done * stride[p->axis] * (int64_t)p->m->elem_bytes;
    whole.lo[p->axis] += done;
    whole.count[p->axis] = left < most ? left : most;
    s = share_of(p->m, mp_rank, &whole, NULL, stride, false, p->luck);
    if (all) {
        s.box = whole;
        s.first = 0;
    }
    free(p->piece);
    p->piece = contiguous(p->m, &s, p->order, from);
    return s;
}

static drx_status next_of_rank(void *with, int64_t done, int64_t *n, int64_t lo[], int64_t count[], const void **buf)
{
    struct pieces *p = with;
    const int64_t left = p->slab->count[p->axis] - done, most = 1 + (int64_t)(p->luck % 3);
    struct share s;

    if (left == 0)
        return DRX_OK;
    s = next_share(p, done, false);
    *n = left < most ? left : most;
    memcpy(lo, s.box.lo, sizeof *lo * (size_t)p->m->ndim);
    memcpy(count, s.box.count, sizeof *count * (size_t)p->m->ndim);
    *buf = p->piece;
    return DRX_OK;
}

static drx_status next_of_all(void *with, int64_t done, int64_t *n, const void **buf)
{
    struct pieces *p = with;

    if (p->slab->count[p->axis] == done)
        return DRX_OK;
    *n = next_share(p, done, true).box.count[p->axis];
    *buf = p->piece;
    return DRX_OK;
}

static drx_status append_pieces(struct model *m, struct growth g, struct pieces *p)
{
    const int64_t by = g.by < 0 ? -g.by : g.by;
    drx_status st =
        (g.by < 0 ? drxmp_prepend_pieces : drxmp_append_pieces)(team, g.axis, by, p->order, next_of_rank, p);

    if (!st && twin_here())
        st = (g.by < 0 ? drx_prepend_pieces : drx_append_pieces)(twin_here()->a, g.axis, by, p->order, next_of_all, p);
    free(p->piece);
    return together(st);
}

drx_status append_share(struct model *m, struct growth g, const struct box *slab, drx_order order, const void *buf)
{
    const int64_t by = g.by < 0 ? -g.by : g.by;
    uint64_t luck = luck_of(m);
    struct pieces p = { m, g.axis, slab, order, buf, random_next(&luck), NULL };
    int64_t stride[DRX_MAX_NDIM];
    struct share s;
    void *mine;
    drx_status st;

    if (!m->in_trouble && random_below(&luck, 2))
        return append_pieces(m, g, &p);
    plain_strides(m->ndim, slab->count, order, stride);
    s = share_of(m, mp_rank, slab, NULL, stride, false, random_next(&luck));
    mine = contiguous(m, &s, order, buf);
    st = (g.by < 0 ? drxmp_prepend_all : drxmp_append_all)(team, g.axis, by, s.box.lo, s.box.count, order, mine);
    free(mine);
    if (!st && twin_here())
        st = alone.append(twin_here(), g, slab, order, buf);
    return together(st);
}

/* One process writes what the plain array has between the ends of the selection. */
static drx_status write_by_one(struct model *m, const struct selection *whole)
{
    struct box hull = whole->box;
    int64_t stride[DRX_MAX_NDIM];
    unsigned char *values;
    drx_status st;

    for (int j = 0; j < m->ndim; j++)
        hull.count[j] = hull.count[j] > 1 ? (hull.count[j] - 1) * whole->step[j] + 1 : hull.count[j];
    values = plain_alloc((size_t)count_elements(m, hull.count) * m->elem_bytes);
    plain_strides(m->ndim, hull.count, DRX_ROW_MAJOR, stride);
    plain_load(&m->now, hull.lo, hull.count, NULL, stride, values);
    st = alone.write(twin_here(), &hull, NULL, stride, values);
    free(values);
    return st;
}

drx_status move_share_as(struct model *m, bool writing, const struct selection *whole, const drx_box *mine,
                         drx_type type, drx_conversion how, void *buf)
{
    drx_status st;

    if (writing && m->codec)
        drop_twin(); /* its chunks would be written by other calls */
    if (m->storage == ON_DISK && luck_of(m) % 2)
        assert_ok(mp_set(team, "drx_buffer=65536")); /* pieces are small from now on */
    st = (writing ? drxmp_write_box_all_as(team, mine, type, how, buf)
                  : drxmp_read_box_all_as(team, mine, type, how, buf));
    if (!st && writing && twin_here())
        st = write_by_one(m, whole);
    return together(st);
}
