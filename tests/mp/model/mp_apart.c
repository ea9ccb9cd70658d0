/* What ranks do one by one: reads of different boxes, elements in a pool until a collective call, sums in memory. */
#include "mp_hands.h"

/* A box of this rank, any one or its share of one that all know. */
static struct share choose_share(struct model *m)
{
    const struct box whole = choose_box(m, m->ndim, m->now.lower, m->now.shape);
    const bool any = rng_chance(&m->rng, 40);
    const int64_t none[DRX_MAX_NDIM] = { 0 };
    struct share mine = share_of(m, mp_rank, &whole, NULL, none, true, luck_of(m));

    for (int rank = 0; any && rank < mp_ranks; rank++) {
        const struct box b = choose_box(m, m->ndim, m->now.lower, m->now.shape);

        if (rank == mp_rank)
            mine.box = b;
    }
    for (int j = 0; any && j < m->ndim; j++)
        mine.step[j] = 1;
    return mine;
}

static drx_status read_share(struct model *m, const struct share *s, drx_order order, void *buf)
{
    const drx_box box = { .lo = s->box.lo, .count = s->box.count, .step = s->steps ? s->step : NULL, .order = order };
    uint64_t luck = luck_of(m);
    const int64_t way = random_below(&luck, 4);
    drx_request *req = NULL, *other;
    struct area second;
    int64_t *indices;
    drx_status st;

    if (m->storage == IN_MEMORY && way < 2) {
        if (way == 0 && !s->steps)
            return drxmp_get(team, s->box.lo, s->box.count, order, buf);
        if (way == 0 && order == DRX_ROW_MAJOR) {
            indices = indices_of(m, s);
            st = drxmp_gather(team, count_elements(m, s->box.count), indices, buf);
            free(indices);
            return st;
        }
        st = drxmp_get_box(team, &box, buf, random_below(&luck, 3) ? &req : NULL);
        return st || !req ? st : drx_wait(req);
    }
    if (way == 1 && !s->steps)
        return drxmp_read(team, s->box.lo, s->box.count, order, buf);
    if (way == 2 && !s->steps)
        return drxmp_read_all(team, s->box.lo, s->box.count, order, buf);
    if (way != 3)
        return drxmp_read_box_all(team, &box, buf);
    second = (struct area){ .bytes = (size_t)count_elements(m, s->box.count) * m->elem_bytes };
    second.mem = plain_alloc(second.bytes);
    EXPECT_OK(m, drxmp_iread_all(team, &box, second.mem, &other));
    EXPECT_OK(m, drxmp_iread_all(team, &box, buf, &req));
    if (m->writable)
        EXPECT_ERROR(m, drxmp_extend(team, 0, 1), DRX_EBUSY);
    EXPECT_OK(m, drx_wait(other));
    st = drx_wait(req);
    area_free(&second);
    return st;
}

static void read_apart(struct model *m)
{
    const drx_order order = choose_order(m);
    struct share s;
    struct area got, want;
    int64_t stride[DRX_MAX_NDIM];

    say(m, "each rank reads a box of its own");
    s = choose_share(m);
    got = (struct area){ .bytes = (size_t)count_elements(m, s.box.count) * m->elem_bytes };
    got.mem = plain_alloc(got.bytes);
    want = area_copy(&got);
    plain_strides(m->ndim, s.box.count, order, stride);
    plain_load(&m->now, s.box.lo, s.box.count, s.step, stride, want.mem);
    EXPECT_OK(m, together(read_share(m, &s, order, got.mem)));
    CHECK(m, area_same(&got, &want), "rank %d: lo %s count %s step %s order %d: wrong elements", mp_rank,
          numbers(m->ndim, s.box.lo), numbers(m->ndim, s.box.count), numbers(m->ndim, s.step), (int)order);
    area_free(&got);
    area_free(&want);
    m->run->calls++;
}

/* After any collective call all ranks see what each wrote alone. These change no element. */
static void call_together(struct model *m)
{
    const struct box all = whole_box(m->ndim, m->now.lower, m->now.shape);
    const int axis = (int)rng_between(&m->rng, 0, m->ndim - 1);
    struct box none = all;

    none.count[axis] = 0;
    switch (rng_between(&m->rng, 0, 8)) {
    case 0:
        EXPECT_OK(m, m->hands->refresh(m));
        break;
    case 1:
        op_attr_set(m);
        break;
    case 2:
        op_dim_rename(m);
        break;
    case 3:
        EXPECT_OK(m, m->hands->extend(m, (struct growth){ axis, 0 }));
        break;
    case 4:
        EXPECT_OK(m, drxmp_append_all(team, axis, 0, none.lo, none.count, DRX_ROW_MAJOR, ""));
        break;
    case 5:
        EXPECT_OK(m, m->hands->trim(m, axis, 0, 0));
        break;
    case 6:
        EXPECT_OK(m, drxmp_set_info(team, MPI_INFO_NULL));
        break;
    case 7:
        EXPECT_OK(m, drxmp_read_all(team, none.lo, none.count, DRX_ROW_MAJOR, none.lo));
        break;
    default:
        EXPECT_OK(m, m->hands->sync(m));
    }
}

/* The share of a rank of new elements for the box. */
struct news {
    struct box whole;
    int64_t stride[DRX_MAX_NDIM];
    struct area data;
    uint64_t luck;
};

static struct share share_in(const struct model *m, const struct news *n, int rank, bool few)
{
    struct share s = share_of(m, rank, &n->whole, NULL, n->stride, true, n->luck);
    const int64_t most = m->ndim > 3 ? 2 : 3;

    for (int j = 0; few && j < m->ndim; j++)
        s.box.count[j] = s.box.count[j] < most ? s.box.count[j] : most;
    return s;
}

static void *elements_of(const struct model *m, const struct news *n, const struct share *s)
{
    return (char *)area_body(&n->data) + s->first * (int64_t)m->elem_bytes;
}

static void put_few(struct model *m, const struct news *n)
{
    for (int rank = 0; rank < mp_ranks; rank++) {
        const struct share s = share_in(m, n, rank, true);
        int64_t index[DRX_MAX_NDIM] = { 0 }, at[DRX_MAX_NDIM];

        plain_store(&m->now, s.box.lo, s.box.count, s.step, s.stride, elements_of(m, n, &s));
        for (int64_t i = count_elements(m, s.box.count); rank == mp_rank && i > 0; i--) {
            int64_t from = 0;

            for (int j = 0; j < m->ndim; j++) {
                at[j] = s.box.lo[j] + index[j] * s.step[j];
                from += index[j] * s.stride[j];
            }
            EXPECT_OK(m, drx_put(m->a, at, (char *)elements_of(m, n, &s) + from * (int64_t)m->elem_bytes));
            (void)next_index(m->ndim, s.box.count, index);
        }
    }
}

/* What the rank before this one has put is there. */
static void see_theirs(struct model *m, const struct news *n, const struct share *theirs)
{
    const drx_box box = box_of(theirs);
    struct area got = area_copy(&n->data), want = area_copy(&n->data);

    EXPECT_OK(m, drx_read_box(m->a, &box, (char *)area_body(&got) + theirs->first * (int64_t)m->elem_bytes));
    plain_load(&m->now, theirs->box.lo, theirs->box.count, theirs->step, theirs->stride,
               (char *)area_body(&want) + theirs->first * (int64_t)m->elem_bytes);
    CHECK(m, area_same(&got, &want), "rank %d does not see what another has put", mp_rank);
    area_free(&got);
    area_free(&want);
}

/* Each rank puts some elements, which stay in its pool; after a collective call another rank reads them, and writes a
 * box with them, which stays. */
static void put_apart(struct model *m)
{
    struct news n = { .whole = choose_box(m, m->ndim, m->now.lower, m->now.shape), .luck = luck_of(m) };
    struct share theirs;
    drx_box box;

    say(m, "ranks put elements, which others see and change");
    if (!m->writable || m->storage == IN_MEMORY || (m->codec && has_twin()))
        return;
    n.data = area_random(m, count_elements(m, n.whole.count));
    plain_strides(m->ndim, n.whole.count, DRX_ROW_MAJOR, n.stride);
    theirs = share_in(m, &n, (mp_rank + 1) % mp_ranks, false);
    box = box_of(&theirs);
    m->in_motion = m->puts_pending = true;
    put_few(m, &n);
    call_together(m);
    see_theirs(m, &n, &theirs);
    m->hands->meet(m);
    area_free(&n.data);
    n.data = area_random(m, count_elements(m, n.whole.count));
    EXPECT_OK(m, drx_write_box(m->a, &box, elements_of(m, &n, &theirs)));
    plain_store(&m->now, n.whole.lo, n.whole.count, NULL, n.stride, area_body(&n.data));
    if (twin_here())
        EXPECT_OK(m, alone.write(twin_here(), &n.whole, NULL, n.stride, area_body(&n.data)));
    call_together(m);
    m->in_motion = m->puts_pending = false;
    m->run->calls++;
    area_free(&n.data);
}

/* Integers wrap. */
static void add_to(struct model *m, const int64_t *index, uint64_t by)
{
    unsigned char *at = plain_at(&m->now, index);
    uint64_t value = 0;

    memcpy(&value, at, m->elem_bytes);
    value += by;
    memcpy(at, &value, m->elem_bytes);
}

/* All ranks add to the same box at the same time, which counts for every one of them. */
static void add(struct model *m)
{
    const struct box b = choose_box(m, m->ndim, m->now.lower, m->now.shape);
    const int64_t n = count_elements(m, b.count), alpha = rng_between(&m->rng, 1, 9);
    int64_t index[DRX_MAX_NDIM] = { 0 }, at[DRX_MAX_NDIM];
    drx_request *req = NULL;
    unsigned char *values;

    say(m, "all ranks add to lo %s count %s", numbers(m->ndim, b.lo), numbers(m->ndim, b.count));
    if (m->storage != IN_MEMORY || m->type > DRX_UINT64 || !IN_ORDER_OF_FILES)
        return;
    values = plain_alloc((size_t)n * m->elem_bytes);
    for (int64_t i = 0; i < n; i++) {
        memcpy(values + (size_t)i * m->elem_bytes, &i, m->elem_bytes);
        for (int j = 0; j < m->ndim; j++)
            at[j] = b.lo[j] + index[j];
        add_to(m, at, (uint64_t)(i * alpha * mp_ranks));
        (void)next_index(m->ndim, b.count, index);
    }
    if (rng_chance(&m->rng, 50)) {
        EXPECT_OK(m, drxmp_acc(team, b.lo, b.count, DRX_ROW_MAJOR, &alpha, values));
    } else {
        EXPECT_OK(m, drxmp_acc_box(team, &(drx_box){ .lo = b.lo, .count = b.count }, &alpha, values,
                                   rng_chance(&m->rng, 50) ? &req : NULL));
        EXPECT_OK(m, req ? drx_wait(req) : DRX_OK);
    }
    if (n > 0) {
        EXPECT_OK(m, drxmp_fetch_add(team, b.lo, 5, NULL));
        add_to(m, b.lo, 5 * (uint64_t)mp_ranks);
    }
    EXPECT_OK(m, m->hands->sync(m));
    free(values);
    m->run->calls++;
}

void apart(struct model *m)
{
    static operation *const what[] = { read_apart, read_apart, put_apart, add };

    what[rng_between(&m->rng, 0, 3)](m);
}
