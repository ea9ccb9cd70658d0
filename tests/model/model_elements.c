#include "model.h"

enum { MOST_REQUESTS = 6 };

void op_read(struct model *m)
{
    struct box b = choose_box(m, m->ndim, m->now.lower, m->now.shape);
    drx_order order = choose_order(m);

    say(m, "read lo %s count %s order %d", numbers(m->ndim, b.lo), numbers(m->ndim, b.count), (int)order);
    check_box(m, m->a, &b, order);
    m->run->calls += count_elements(m, b.count) > 0;
}

struct writing {
    const struct box *box;
    const int64_t *step, *stride;
    const void *buf;
};

static drx_status write_box(struct model *m, const void *with)
{
    const struct writing *w = with;

    return m->hands->write(m, w->box, w->step, w->stride, w->buf);
}

void op_write(struct model *m)
{
    struct box b = choose_box(m, m->ndim, m->now.lower, m->now.shape);
    drx_order order = choose_order(m);
    struct area data = area_random(m, count_elements(m, b.count));
    struct area given = area_copy(&data);
    int64_t stride[DRX_MAX_NDIM];

    say(m, "write lo %s count %s order %d", numbers(m->ndim, b.lo), numbers(m->ndim, b.count), (int)order);
    plain_strides(m->ndim, b.count, order, stride);
    EXPECT_OK(m, attempt(m, write_box, &(struct writing){ &b, NULL, stride, area_body(&data) }));
    m->run->calls += count_elements(m, b.count) > 0;
    CHECK(m, area_same(&data, &given), "drx_write changed its buffer");
    plain_store(&m->now, b.lo, b.count, NULL, stride, area_body(&data));
    area_free(&data);
    area_free(&given);
    if (rng_chance(&m->rng, 30))
        check_box(m, m->a, &b, choose_order(m));
}

static void choose_steps(struct model *m, struct selection *s)
{
    for (int j = 0; j < m->ndim; j++) {
        int64_t bound = m->now.shape[j];

        s->step[j] = 1;
        s->box.lo[j] = s->box.count[j] = 0;
        if (bound == 0)
            continue;
        s->box.lo[j] = rng_chance(&m->rng, 40) ? 0 : rng_between(&m->rng, 0, bound - 1);
        bound -= s->box.lo[j];
        s->step[j] = rng_chance(&m->rng, 40) ? 1 : rng_between(&m->rng, 1, bound < 7 ? bound : 7);
        bound = (bound + s->step[j] - 1) / s->step[j];
        s->box.count[j] = rng_chance(&m->rng, 40) ? bound : rng_between(&m->rng, 1, bound);
        if (s->box.count[j] == 1 && rng_chance(&m->rng, 5))
            s->step[j] = INT64_MAX; /* never taken */
    }
    if (rng_chance(&m->rng, 3))
        s->box.count[rng_between(&m->rng, 0, m->ndim - 1)] = 0;
    for (int j = 0; j < m->ndim; j++)
        s->box.lo[j] += m->now.lower[j];
}

/* Memory in a random order of the axes, with gaps, some axes backwards. When
 * `shared`, an axis may have stride 0: one element of memory for many. */
static void choose_strides(struct model *m, struct selection *s, bool shared)
{
    int order[DRX_MAX_NDIM];
    int64_t next = rng_between(&m->rng, 1, 2);

    s->first = 0;
    s->span = 1;
    rng_permutation(&m->rng, m->ndim, order);
    for (int k = 0; k < m->ndim; k++) {
        int j = order[k];
        int64_t last = s->box.count[j] ? s->box.count[j] - 1 : 0;

        s->stride[j] = shared && rng_chance(&m->rng, 5) ? 0 : next;
        s->span += last * s->stride[j];
        if (rng_chance(&m->rng, 35)) {
            s->first += last * s->stride[j];
            s->stride[j] = -s->stride[j];
        }
        if (last == 0 && rng_chance(&m->rng, 5))
            s->stride[j] = rng_chance(&m->rng, 50) ? INT64_C(1) << 40 : -(INT64_C(1) << 40); /* never taken */
        else if (last)
            next = next * (last + 1) + (rng_chance(&m->rng, 30) ? rng_between(&m->rng, 1, 3) : 0);
    }
}

drx_box choose_selection(struct model *m, struct selection *s, const char *what, bool shared)
{
    bool steps = false;

    choose_steps(m, s);
    choose_strides(m, s, shared);
    for (int j = 0; j < m->ndim; j++)
        steps = steps || s->step[j] != 1;
    say(m, "%s lo %s count %s step %s stride %s (buf is element %" PRId64 " of %" PRId64 ")", what,
        numbers(m->ndim, s->box.lo), numbers(m->ndim, s->box.count), steps ? numbers(m->ndim, s->step) : "NULL",
        numbers(m->ndim, s->stride), s->first, s->span);
    return (drx_box){ .lo = s->box.lo, .count = s->box.count, .step = steps ? s->step : NULL, .stride = s->stride };
}

static void *start_of(const struct model *m, const struct area *a, const struct selection *s)
{
    return (unsigned char *)area_body(a) + (size_t)s->first * m->elem_bytes;
}

void op_read_strided(struct model *m)
{
    struct selection s;
    const drx_box box = choose_selection(m, &s, "read_strided", false);
    struct area got = area_new(m, s.span);
    struct area want = area_copy(&got);

    EXPECT_OK(m, drx_read_box(m->a, &box, start_of(m, &got, &s)));
    m->run->calls += count_elements(m, s.box.count) > 0;
    plain_load(&m->now, s.box.lo, s.box.count, box.step, s.stride, start_of(m, &want, &s));
    CHECK(m, area_same(&got, &want), "wrong elements, or memory beside them changed");
    area_free(&got);
    area_free(&want);
}

void op_write_strided(struct model *m)
{
    struct selection s;
    const drx_box box = choose_selection(m, &s, "write_strided", true);
    struct area data = area_random(m, s.span);
    struct box all;

    EXPECT_OK(m, attempt(m, write_box, &(struct writing){ &s.box, box.step, s.stride, start_of(m, &data, &s) }));
    m->run->calls += count_elements(m, s.box.count) > 0;
    plain_store(&m->now, s.box.lo, s.box.count, box.step, s.stride, start_of(m, &data, &s));
    area_free(&data);
    if (rng_chance(&m->rng, 40)) { /* also what lies between */
        all = whole_box(m->ndim, m->now.lower, m->now.shape);
        check_box(m, m->a, &all, choose_order(m));
    }
}

static void get_one(struct model *m, const int64_t *index)
{
    unsigned char value[MAX_ELEM_BYTES];

    EXPECT_OK(m, drx_get(m->a, index, value));
    m->run->calls++;
    CHECK(m, memcmp(value, plain_at(&m->now, index), m->elem_bytes) == 0, "wrong element at %s",
          numbers(m->ndim, index));
}

static void put_one(struct model *m, const int64_t *index)
{
    unsigned char value[MAX_ELEM_BYTES];

    choose_element(m, value);
    EXPECT_OK(m, drx_put(m->a, index, value));
    m->run->calls++;
    m->puts_pending = !m->pool_off;
    memcpy(plain_at(&m->now, index), value, m->elem_bytes);
}

/* The next index of the array, or any one. */
static void step_index(struct model *m, bool next, int64_t *index)
{
    for (int j = 0; j < m->ndim; j++)
        index[j] = next ? index[j] - m->now.lower[j] : rng_between(&m->rng, 0, m->now.shape[j] - 1);
    if (next)
        (void)next_index(m->ndim, m->now.shape, index);
    for (int j = 0; j < m->ndim; j++)
        index[j] += m->now.lower[j];
}

/* A few, at random or in a row, so that ranges in the pool meet. */
void op_get_put(struct model *m)
{
    int64_t n = rng_between(&m->rng, 1, 8);
    bool in_a_row = rng_chance(&m->rng, 50);
    int64_t index[DRX_MAX_NDIM];

    say(m, "%" PRId64 " gets and puts%s", n, in_a_row ? " in a row" : "");
    if (count_elements(m, m->now.shape) == 0)
        return;
    for (int64_t i = 0; i < n; i++) {
        step_index(m, i && in_a_row, index);
        if (m->writable && rng_chance(&m->rng, 65))
            put_one(m, index);
        else
            get_one(m, index);
    }
}

/* Points anywhere, in a row, or few different ones. */
static int64_t *choose_points(struct model *m, int64_t n)
{
    int64_t *indices = plain_alloc((size_t)(n * m->ndim) * sizeof *indices);
    const int how = (int)rng_between(&m->rng, 0, 2);

    for (int64_t i = 0; i < n; i++) {
        int64_t *index = indices + i * m->ndim;

        if (i && how == 1)
            memcpy(index, index - m->ndim, (size_t)m->ndim * sizeof *index);
        step_index(m, i && how == 1, index);
        for (int j = 0; how == 2 && j < m->ndim; j++)
            index[j] -= (index[j] - m->now.lower[j]) / 3 * 2;
    }
    return indices;
}

/* Lists of elements, each perhaps several times: a read gives each value, and of a write the last one stays. */
void op_points(struct model *m)
{
    const bool writing = m->writable && rng_chance(&m->rng, 60);
    const int64_t n = rng_chance(&m->rng, 90) ? rng_between(&m->rng, 0, 60) : rng_between(&m->rng, 60, 3000);
    const bool empty = count_elements(m, m->now.shape) == 0;
    struct area values = writing ? area_random(m, n) : area_new(m, n);
    struct area want = area_copy(&values);
    int64_t *indices;

    say(m, "%s %" PRId64 " points", writing ? "write" : "read", n);
    if (empty && n > 0) {
        area_free(&values);
        area_free(&want);
        return;
    }
    indices = choose_points(m, n);
    for (int64_t i = 0; i < n; i++) {
        unsigned char *at = plain_at(&m->now, indices + i * m->ndim);
        unsigned char *value = (unsigned char *)area_body(&want) + (size_t)i * m->elem_bytes;

        memcpy(writing ? at : value, writing ? value : at, m->elem_bytes);
    }
    EXPECT_OK(m, writing ? drx_write_points(m->a, n, indices, area_body(&values))
                         : drx_read_points(m->a, n, indices, area_body(&values)));
    m->run->calls += n > 0;
    CHECK(m, area_same(&values, &want), "wrong elements, or a write changed its values");
    free(indices);
    area_free(&values);
    area_free(&want);
}

struct request {
    bool writes;
    struct box box;
    drx_order order;
    struct area buf, want;
    drx_request *req;
};

static bool overlap(const struct model *m, const struct box *a, const struct box *b)
{
    for (int j = 0; j < m->ndim; j++)
        if (a->lo[j] + a->count[j] <= b->lo[j] || b->lo[j] + b->count[j] <= a->lo[j])
            return false;
    return true;
}

static bool clashes(const struct model *m, const struct request *all, int n, const struct request *r)
{
    for (int i = 0; i < n; i++)
        if ((all[i].writes || r->writes) && overlap(m, &all[i].box, &r->box))
            return true;
    return false;
}

static void start_request(struct model *m, struct request *r)
{
    int64_t stride[DRX_MAX_NDIM];
    const drx_box box = { .lo = r->box.lo, .count = r->box.count, .order = r->order };
    int64_t n = count_elements(m, r->box.count);

    plain_strides(m->ndim, r->box.count, r->order, stride);
    r->buf = r->writes ? area_random(m, n) : area_new(m, n);
    r->want = area_copy(&r->buf);
    if (r->writes) {
        plain_store(&m->now, r->box.lo, r->box.count, NULL, stride, area_body(&r->buf));
        EXPECT_OK(m, drx_write_async(m->a, &box, area_body(&r->buf), &r->req));
    } else {
        plain_load(&m->now, r->box.lo, r->box.count, NULL, stride, area_body(&r->want));
        EXPECT_OK(m, drx_read_async(m->a, &box, area_body(&r->buf), &r->req));
    }
    m->run->calls += n > 0;
}

static void finish_request(struct model *m, struct request *r, bool poll)
{
    int done = 0;

    while (poll && !done)
        EXPECT_OK(m, drx_test(r->req, &done));
    EXPECT_OK(m, drx_wait(r->req));
    CHECK(m, area_same(&r->buf, &r->want), "%s lo %s count %s order %d: wrong elements", r->writes ? "write" : "read",
          numbers(m->ndim, r->box.lo), numbers(m->ndim, r->box.count), (int)r->order);
    area_free(&r->buf);
    area_free(&r->want);
}

/* Several at once: reads, and writes of boxes that nobody else touches; in between perhaps a growth. */
void op_async(struct model *m)
{
    struct request all[MOST_REQUESTS];
    int order[MOST_REQUESTS];
    int64_t wanted = rng_between(&m->rng, 1, MOST_REQUESTS);
    int n = 0;

    say(m, "up to %" PRId64 " requests at once", wanted);
    for (int64_t i = 0; i < wanted; i++) {
        all[n] = (struct request){ .writes = m->writable && rng_chance(&m->rng, 50) };
        all[n].box = choose_box(m, m->ndim, m->now.lower, m->now.shape);
        all[n].order = choose_order(m);
        if (!clashes(m, all, n, &all[n]))
            start_request(m, &all[n++]);
    }
    if (m->writable && rng_chance(&m->rng, 15)) {
        m->op++;
        m->puts_pending = m->in_motion = true; /* the file is */
        op_extend(m);
        m->in_motion = false;
    }
    rng_permutation(&m->rng, n, order);
    for (int k = 0; k < n; k++)
        finish_request(m, &all[order[k]], rng_chance(&m->rng, 40));
}
