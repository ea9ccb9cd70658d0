/* Boxes read and written with buffers of another type, each rank with one of its own: what drx_convert makes of the
 * elements, one at a time, or a refusal that names the first one that does not fit. */
#include "model.h"

/* What a rank gives or gets. */
struct typed {
    struct share share;
    drx_type type;
    drx_conversion how;
    struct area buf, want; /* of the whole selection */
};

/* Where the first element is that is refused. */
struct refusal {
    int rank; /* -1: none is */
    int64_t index[DRX_MAX_NDIM];
};

/* Small numbers, and of one rank in half of the calls now and then one that few types hold. */
static void choose_values(struct typed *t, int64_t n, bool odd, uint64_t luck)
{
    const size_t bytes = drx_type_size(t->type);

    for (int64_t i = 0; i < n; i++) {
        const bool large = odd && random_below(&luck, 10) == 0;
        const double value = large ? (double)random_below(&luck, 100000) + 0.25 : (double)random_below(&luck, 2);

        assert_ok(
            drx_convert(DRX_FLOAT64, &value, t->type, (char *)area_body(&t->buf) + (size_t)i * bytes, 1, DRX_NEAREST));
    }
}

static struct typed choose_typed(struct model *m, const struct selection *s, const drx_box *box, int rank,
                                 uint64_t luck)
{
    struct typed t = { .share = share_of(m, rank, &s->box, box->step, s->stride, true, luck) };
    const bool odd = random_below(&luck, 2 * m->run->ranks) == rank;
    uint64_t own = luck + (uint64_t)rank;

    t.share.first += s->first;
    t.type = (drx_type)(DRX_INT8 + random_below(&own, DRX_BOOL));
    t.how = random_below(&own, 2) ? DRX_EXACT : DRX_NEAREST;
    t.buf.bytes = (size_t)s->span * sizeof(double[2]) + 2 * AREA_GUARD;
    t.buf.mem = plain_alloc(t.buf.bytes);
    choose_values(&t, s->span, odd, own);
    t.want = area_copy(&t.buf);
    return t;
}

static void free_typed(struct typed *t)
{
    area_free(&t->buf);
    area_free(&t->want);
}

/* One element at a time, in row-major order of the share, to or from the plain array. */
static bool convert_share(struct model *m, const struct typed *t, bool writing, struct plain *to, int64_t *refused)
{
    const size_t bytes = drx_type_size(t->type);
    int64_t index[DRX_MAX_NDIM] = { 0 };

    for (int64_t i = count_elements(m, t->share.box.count); i > 0; i--) {
        int64_t at = t->share.first;
        unsigned char *own, *other;

        for (int j = 0; j < m->ndim; j++) {
            refused[j] = t->share.box.lo[j] + (index[j] ? index[j] * t->share.step[j] : 0);
            at += index[j] ? index[j] * t->share.stride[j] : 0;
        }
        own = plain_at(to, refused);
        other = (unsigned char *)area_body(&t->want) + at * (int64_t)bytes;
        if (writing ? drx_convert(t->type, other, m->type, own, 1, t->how)
                    : drx_convert(m->type, own, t->type, other, 1, t->how))
            return false;
        (void)next_index(m->ndim, t->share.box.count, index);
    }
    return true;
}

/* What all ranks convert, into `next`, when they write; the refusal is that of the first of them. */
static struct refusal convert_all(struct model *m, const struct selection *s, const drx_box *box, bool writing,
                                  uint64_t luck, struct plain *next)
{
    struct refusal r = { .rank = -1 };

    for (int rank = 0; rank < m->run->ranks && r.rank < 0; rank++) {
        struct typed t = choose_typed(m, s, box, rank, luck);

        if (!convert_share(m, &t, writing, next, r.index))
            r.rank = rank;
        free_typed(&t);
    }
    return r;
}

static void check_refusal(struct model *m, const struct refusal *r)
{
    char where[24 * DRX_MAX_NDIM] = "element (", who[20] = "";
    size_t used = strlen(where);

    for (int j = 0; j < m->ndim; j++)
        used += (size_t)snprintf(where + used, sizeof where - used, "%s%" PRId64, j ? ", " : "", r->index[j]);
    (void)snprintf(where + used, sizeof where - used, ") is ");
    if (m->run->ranks > 1)
        (void)snprintf(who, sizeof who, "rank %d: ", r->rank);
    CHECK(m, strstr(drx_last_error(), where) && strstr(drx_last_error(), who), "\"%s%s\" expected in \"%s\"", who,
          where, drx_last_error());
}

static void move_as(struct model *m, bool writing, const struct selection *s, const drx_box *box, uint64_t luck)
{
    struct typed mine = choose_typed(m, s, box, m->run->rank, luck);
    const drx_box part = box_of(&mine.share);
    int64_t ignored[DRX_MAX_NDIM];
    struct plain next;
    struct refusal r;

    plain_copy(&next, &m->now);
    r = convert_all(m, s, box, writing, luck, &next);
    if (writing && r.rank < 0) {
        plain_free(&m->now);
        plain_copy(&m->now, &next);
    }
    expect_status(
        m,
        m->hands->move_as(m, writing, s, &part, mine.type, mine.how,
                          (char *)area_body(&mine.buf) + mine.share.first * (int64_t)drx_type_size(mine.type)),
        r.rank < 0 ? DRX_OK : DRX_EMISMATCH, r.rank < 0 ? DRX_OK : DRX_EMISMATCH, __FILE__, __LINE__, "another type");
    if (r.rank >= 0)
        check_refusal(m, &r);
    else if (!writing)
        (void)convert_share(m, &mine, false, &m->now, ignored);
    CHECK(m, (r.rank >= 0 && !writing) || area_same(&mine.buf, &mine.want),
          "wrong elements, or memory beside them changed");
    plain_free(&next);
    free_typed(&mine);
}

/* Written, and read as other types again. */
void op_typed(struct model *m)
{
    struct selection s;
    const drx_box box = choose_selection(m, &s, "another type", false);

    for (int i = 0; i < 3; i++) {
        const bool writing = i == 0 && m->writable;

        if (!DRX_IS_NUMBER(m->type))
            return;
        move_as(m, writing, &s, &box, (uint64_t)rng_between(&m->rng, 0, INT64_MAX));
    }
    m->run->calls++;
    if (rng_chance(&m->rng, 40))
        check_elements(m);
}
