#include "model.h"

/* Would growing `axis` by `by` keep the array small? Axes of bound 0 count as 1, for they may grow later. Chunks that
 * were trimmed count, too. */
static bool fits(const struct model *m, int axis, int64_t by)
{
    struct raw_layout layout = layout_of(m);
    const int64_t pitch = raw_stride(&layout, &m->now);
    int64_t elements = 1, chunks = 1;

    for (int j = 0; j < m->ndim; j++) {
        int64_t bound = m->now.shape[j] + (j == axis ? by : 0);
        int64_t across = (bound + 2 * m->chunk[j] - 2) / m->chunk[j];

        elements *= bound ? bound : 1;
        chunks *= across ? across : 1;
        if (elements > m->most_elements || (m->book.count + chunks) * pitch > 2 * m->most_bytes)
            return false;
    }
    return true;
}

static struct growth choose_growth(struct model *m)
{
    struct growth g = { -1, 0 };

    for (int tries = 0; tries < 3; tries++) {
        int64_t dice = rng_between(&m->rng, 0, 99);
        int axis = (int)rng_between(&m->rng, 0, m->ndim - 1);
        int64_t chunk = m->chunk[axis] < 8 ? m->chunk[axis] : 8;

        g.axis = axis;
        g.by = dice < 6    ? 0
               : dice < 40 ? 1
               : dice < 60 ? chunk
               : dice < 90 ? rng_between(&m->rng, 1, 2 * chunk + 1)
                           : rng_between(&m->rng, 1, 40);
        while (g.by && !fits(m, axis, g.by))
            g.by /= 2;
        if (g.by || dice < 6)
            break;
    }
    if (rng_chance(&m->rng, 40))
        g.by = -g.by;
    return g;
}

static void note_growth(struct model *m, struct growth g)
{
    struct growth *last = m->n_grown ? &m->grown[m->n_grown - 1] : NULL;

    if (last && last->axis == g.axis && (last->by < 0) == (g.by < 0)) {
        last->by += g.by;
        return;
    }
    m->grown = realloc(m->grown, (size_t)(m->n_grown + 1) * sizeof *m->grown);
    assert_non_null(m->grown);
    m->grown[m->n_grown++] = g;
}

static int64_t amount(struct growth g)
{
    return g.by < 0 ? -g.by : g.by;
}

/* The plain array and the book follow. */
static void follow(struct model *m, struct growth g)
{
    const int j = g.axis;

    if (g.by == 0)
        return;
    plain_resize(&m->now, j, m->now.lower[j] + (g.by < 0 ? g.by : 0), m->now.shape[j] + amount(g), m->fill);
    book_follow(m, j);
    note_growth(m, g);
    m->puts_pending = false;
    m->run->calls++;
}

static struct box slab_of(const struct model *m, struct growth g)
{
    struct box slab = whole_box(m->ndim, m->now.lower, m->now.shape);

    slab.lo[g.axis] += g.by < 0 ? g.by : m->now.shape[g.axis];
    slab.count[g.axis] = amount(g);
    return slab;
}

/* Shape, some of the map, and the new slab. */
static void check_growth(struct model *m, const struct box *slab)
{
    check_bounds(m, m->a, m->now.lower, m->now.shape);
    CHECK(m, drx_chunk_count(m->a) == m->book.count, "%" PRId64 " chunks, not %" PRId64, drx_chunk_count(m->a),
          m->book.count);
    if (rng_chance(&m->rng, 40))
        check_box(m, m->a, slab, choose_order(m));
    if (rng_chance(&m->rng, 10))
        check_map(m, m->a, m->book.count);
}

/* The file as it is, when nothing is on its way there. */
static bool remember_file(struct model *m, struct raw_bytes *raw)
{
    if (m->storage != ON_DISK || m->puts_pending || !file_is_small(m) || !rng_chance(&m->rng, 15))
        return false;
    check_file(m, false);
    file_read(m, raw);
    return true;
}

/* drx_extend changes no byte that was there. */
static void check_prefix(struct model *m, const struct raw_bytes *before)
{
    struct raw_bytes after;

    file_read(m, &after);
    CHECK(m, after.n >= before->n && memcmp(after.data, before->data, (size_t)before->n) == 0,
          "%s: the growth changed bytes that were there", m->path);
    free(after.data);
}

struct extension {
    struct growth g;
    const struct box *slab;
    bool reserves;
};

/* By either call, at either end. */
static drx_status extend(struct model *m, const void *with)
{
    const struct extension *e = with;
    const struct growth g = e->g;
    const struct box *slab = e->slab;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    drx_status st;

    if (!e->reserves)
        return m->hands->extend(m, g);
    st = g.by < 0 ? drx_reserve_before(m->a, g.axis, -g.by, lo, count) : drx_reserve(m->a, g.axis, g.by, lo, count);
    CHECK(m, st || memcmp(lo, slab->lo, (size_t)m->ndim * sizeof *lo) == 0, "reserved from %s", numbers(m->ndim, lo));
    CHECK(m, st || memcmp(count, slab->count, (size_t)m->ndim * sizeof *lo) == 0, "reserved %s",
          numbers(m->ndim, count));
    return st;
}

void op_extend(struct model *m)
{
    struct growth g = choose_growth(m);
    struct box slab = slab_of(m, g);
    struct raw_bytes before = { NULL, 0 };
    bool remembered;

    say(m, "extend axis %d by %" PRId64, g.axis, g.by);
    remembered = remember_file(m, &before);
    EXPECT_OK(m, attempt(m, extend, &(struct extension){ g, &slab, m->hands == &alone && rng_chance(&m->rng, 40) }));
    follow(m, g);
    check_growth(m, &slab);
    if (remembered) {
        if (!m->residue)
            check_prefix(m, &before);
        check_file(m, false);
        free(before.data);
    }
}

/* A slab in pieces of up to `most` indices: each is gathered from it. */
struct pieces {
    struct model *m;
    int64_t given_up; /* when this many indices are written; negative: never */
    int ends;         /* how often it was asked for more behind the last one */
    int ndim, axis;
    int64_t count[DRX_MAX_NDIM], stride[DRX_MAX_NDIM]; /* of the slab; in elements */
    int64_t most;
    drx_order order;
    size_t item_bytes;
    const char *slab;
    char *piece;
};

static drx_status next_piece(void *with, int64_t done, int64_t *n, const void **buf)
{
    struct pieces *p = with;
    const int64_t left = p->count[p->axis] - done;
    int64_t count[DRX_MAX_NDIM], to[DRX_MAX_NDIM], index[DRX_MAX_NDIM] = { 0 };
    int j = 0;

    if (p->m->storage == ON_DISK && !p->m->in_trouble && !p->m->elsewhere && rng_chance(&p->m->rng, 30))
        beside_append(p->m);
    if (p->given_up >= 0 && done >= p->given_up)
        return DRX_EINTERRUPTED;
    p->ends += left == 0;
    if (left == 0)
        return DRX_OK;
    *n = left < p->most ? left : p->most;
    *buf = p->piece;
    memcpy(count, p->count, sizeof count);
    count[p->axis] = *n;
    plain_strides(p->ndim, count, p->order, to);
    for (j = 0; j < p->ndim; j++)
        if (count[j] == 0)
            return DRX_OK;
    do {
        int64_t at = done * p->stride[p->axis], put = 0;

        for (j = 0; j < p->ndim; j++) {
            at += index[j] * p->stride[j];
            put += index[j] * to[j];
        }
        memcpy(p->piece + put * (int64_t)p->item_bytes, p->slab + at * (int64_t)p->item_bytes, p->item_bytes);
        for (j = p->ndim - 1; j >= 0 && ++index[j] == count[j]; j--)
            index[j] = 0;
    } while (j >= 0);
    return DRX_OK;
}

struct slab {
    struct growth g;
    const struct box *box;
    drx_order order;
    const void *buf;
    int64_t most, given_up; /* indices of a piece; 0: all at once */
};

static drx_status append_pieces(struct model *m, const struct slab *s)
{
    const struct growth g = s->g;
    const struct box *slab = s->box;
    const int64_t n = count_elements(m, slab->count);
    struct pieces p = {
        .ndim = m->ndim, .axis = g.axis, .most = s->most, .order = s->order, .slab = s->buf, .given_up = s->given_up
    };
    drx_status st;

    p.m = m;
    m->puts_pending = m->puts_pending && g.by == 0; /* it writes them first */
    p.item_bytes = drx_type_size(drx_dtype(m->a));
    p.piece = malloc((size_t)n * p.item_bytes + 1);
    assert_non_null(p.piece);
    memcpy(p.count, slab->count, sizeof *p.count * (size_t)m->ndim);
    plain_strides(m->ndim, slab->count, s->order, p.stride);
    st = g.by < 0 ? drx_prepend_pieces(m->a, g.axis, -g.by, s->order, next_piece, &p)
                  : drx_append_pieces(m->a, g.axis, g.by, s->order, next_piece, &p);
    free(p.piece);
    CHECK(m, st || p.ends == (g.by != 0), "asked %d times behind the last piece", p.ends);
    return st;
}

static drx_status append(struct model *m, const void *with)
{
    const struct slab *s = with;

    return s->most > 0 ? append_pieces(m, s) : m->hands->append(m, s->g, s->box, s->order, s->buf);
}

/* What an append that was cut short has written does not come to light in a growth without elements. */
static drx_status extend_and_write(struct model *m, const void *with)
{
    const struct slab *s = with;
    const int64_t n = count_elements(m, s->box->count);
    unsigned char *got = plain_alloc((size_t)n * m->elem_bytes);
    int64_t stride[DRX_MAX_NDIM];
    drx_status st = m->hands->extend(m, s->g);

    plain_strides(m->ndim, s->box->count, s->order, stride);
    if (!st)
        st = m->hands->read(m, s->box, s->order, got);
    for (int64_t i = 0; !st && i < n; i++)
        CHECK(m, memcmp(got + (size_t)i * m->elem_bytes, m->fill, m->elem_bytes) == 0,
              "element %" PRId64 " of the slab that an append left is not the fill", i);
    free(got);
    return st ? st : m->hands->write(m, s->box, NULL, stride, s->buf);
}

void op_append(struct model *m)
{
    struct growth g = choose_growth(m);
    struct box slab = slab_of(m, g);
    struct raw_bytes before = { NULL, 0 };
    drx_order order = choose_order(m);
    struct area data = area_random(m, count_elements(m, slab.count));
    struct area given = area_copy(&data);
    int64_t stride[DRX_MAX_NDIM];
    bool in_pieces = m->hands == &alone && rng_between(&m->rng, 0, 2) == 0,
         given_up = in_pieces && g.by != 0 && rng_chance(&m->rng, 40);
    struct slab s = { g, &slab, order, area_body(&data), 0, -1 };
    bool remembered;

    say(m, "append axis %d by %" PRId64 " order %d%s%s", g.axis, g.by, (int)order, in_pieces ? " in pieces" : "",
        given_up ? ", given up" : "");
    remembered = remember_file(m, &before);
    s.most = in_pieces ? rng_between(&m->rng, 1, amount(g) + 1) : 0;
    s.given_up = given_up ? rng_between(&m->rng, 0, amount(g)) : -1;
    expect_status(m, given_up ? append(m, &s) : attempt_or(m, append, extend_and_write, &s),
                  given_up ? DRX_EINTERRUPTED : DRX_OK, given_up ? DRX_EINTERRUPTED : DRX_OK, __FILE__, __LINE__,
                  "an append");
    CHECK(m, area_same(&data, &given), "drx_append changed its buffer");
    if (given_up) {
        disturb_readers(m); /* files that they met meanwhile have become shorter */
        check_inquiry(m);
        if (rng_chance(&m->rng, 20))
            check_all(m);
    } else {
        follow(m, g);
        plain_strides(m->ndim, slab.count, order, stride);
        plain_store(&m->now, slab.lo, slab.count, NULL, stride, area_body(&data));
        check_growth(m, &slab);
    }
    if (remembered) {
        check_file(m, false);
        free(before.data);
    }
    area_free(&data);
    area_free(&given);
}

static drx_status sync_all(struct model *m, const void *with)
{
    return m->hands->sync(m);
}

void note_replaced(struct model *m)
{
    char path[LINE + 4];
    struct stat log;

    (void)snprintf(path, sizeof path, "%s.xmd", m->path);
    if (m->storage != ON_DISK || stat(path, &log) != 0 || log.st_ino == m->log)
        return;
    for (int i = 0; m->log && i < READERS; i++)
        m->reader[i].compacted++;
    m->log = log.st_ino;
}

/* A try that runs out of memory may have replaced the log already; the next try replaces it again. */
static drx_status compact(struct model *m, const void *with)
{
    const drx_status st = m->hands->compact(m);

    (void)with;
    note_replaced(m);
    return st;
}

void op_sync(struct model *m)
{
    say(m, "sync");
    EXPECT_OK(m, attempt(m, sync_all, NULL));
    m->run->calls++;
    m->puts_pending = false;
    if (m->storage == ON_DISK && file_is_small(m))
        check_file(m, false);
}

/* How many growths lead to the array: those that add chunks after others that added them elsewhere, and one for each
 * end where none did. */
static int64_t least_growths(const struct model *m)
{
    int64_t first[DRX_MAX_NDIM], extent[DRX_MAX_NDIM], n = 0;
    bool grew[DRX_MAX_NDIM][2] = { { false } }, counted[DRX_MAX_NDIM][2] = { { false } };
    struct growth last = { -1, 0 };

    memcpy(first, m->origin, sizeof first);
    memcpy(extent, m->initial, sizeof extent);
    for (int i = 0; i < m->n_grown; i++) {
        const struct growth g = m->grown[i];
        const int j = g.axis, low = g.by < 0;
        int64_t before[2], after[2];

        chunks_from(first[j], extent[j], m->chunk[j], &before[0], &before[1]);
        first[j] += low ? g.by : 0;
        extent[j] += amount(g);
        chunks_from(first[j], extent[j], m->chunk[j], &after[0], &after[1]);
        grew[j][low] = true;
        if (memcmp(before, after, sizeof before) == 0)
            continue;
        counted[j][low] = true;
        n += last.axis != j || (last.by < 0) != low;
        last = g;
    }
    for (int j = 0; j < m->ndim; j++)
        n += (grew[j][0] && !counted[j][0]) + (grew[j][1] && !counted[j][1]);
    return n;
}

void op_compact(struct model *m)
{
    say(m, "compact");
    if (m->shared) {
        EXPECT_ERROR(m, drx_compact(m->a), DRX_EBUSY);
        return;
    }
    m->compacted = true; /* also by one that fails when the log has been replaced */
    EXPECT_OK(m, attempt(m, compact, NULL));
    m->run->calls++;
    m->puts_pending = false;
    CHECK(m, m->trimmed || m->widened || drx_growth_count(m->a) == least_growths(m),
          "%" PRId64 " growths, not %" PRId64, drx_growth_count(m->a), least_growths(m));
    check_all(m);
}

void op_set_pool(struct model *m)
{
    static const size_t sizes[] = { 0, 1, 1000, 16384, 50000, 4 << 20 };
    size_t bytes = sizes[rng_between(&m->rng, 0, 5)];

    say(m, "set_pool %zu", bytes);
    EXPECT_OK(m, drx_set_pool(m->a, bytes));
    m->run->calls++;
    m->pool_off = bytes == 0;
    if (m->pool_off)
        m->puts_pending = false;
}
