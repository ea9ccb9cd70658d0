#include "model.h"

/* Would growing `axis` by `by` keep the array small? Axes of bound 0 count as 1, for they may grow later. */
static bool fits(const struct model *m, int axis, int64_t by)
{
    struct raw_layout layout = layout_of(m);
    int64_t elements = 1;
    int64_t bytes = raw_stride(&layout, &m->now);

    for (int j = 0; j < m->ndim; j++) {
        int64_t bound = m->now.shape[j] + (j == axis ? by : 0);
        int64_t chunks = (bound + m->chunk[j] - 1) / m->chunk[j];

        elements *= bound ? bound : 1;
        bytes *= chunks ? chunks : 1;
        if (elements > m->most_elements || bytes > m->most_bytes)
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
    return g;
}

static void note_growth(struct model *m, struct growth g)
{
    if (m->n_grown && m->grown[m->n_grown - 1].axis == g.axis) {
        m->grown[m->n_grown - 1].by += g.by;
        return;
    }
    m->grown = realloc(m->grown, (size_t)(m->n_grown + 1) * sizeof *m->grown);
    assert_non_null(m->grown);
    m->grown[m->n_grown++] = g;
}

/* The plain array and the book follow. */
static void follow(struct model *m, struct growth g)
{
    int64_t chunks;

    if (g.by == 0)
        return;
    plain_grow(&m->now, g.axis, g.by, m->fill);
    chunks = (m->now.shape[g.axis] + m->chunk[g.axis] - 1) / m->chunk[g.axis];
    book_grow(&m->book, g.axis, chunks - m->book.bounds[g.axis]);
    note_growth(m, g);
    m->puts_pending = false;
    m->run->calls++;
}

static struct box slab_of(const struct model *m, struct growth g)
{
    struct box slab = whole_box(m, m->now.shape);

    slab.lo[g.axis] = m->now.shape[g.axis];
    slab.count[g.axis] = g.by;
    return slab;
}

/* Shape, some of the map, and the new slab. */
static void check_growth(struct model *m, const struct box *slab)
{
    check_shape(m, drx_shape(m->a), m->now.shape);
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

void op_extend(struct model *m)
{
    struct growth g = choose_growth(m);
    struct box slab = slab_of(m, g);
    struct raw_bytes before = { NULL, 0 };
    bool remembered;

    say(m, "extend axis %d by %" PRId64, g.axis, g.by);
    remembered = remember_file(m, &before);
    EXPECT_OK(m, drx_extend(m->a, g.axis, g.by));
    follow(m, g);
    check_growth(m, &slab);
    if (remembered) {
        if (!m->residue)
            check_prefix(m, &before);
        check_file(m, false);
        free(before.data);
    }
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
    bool remembered;

    say(m, "append axis %d by %" PRId64 " order %d", g.axis, g.by, (int)order);
    remembered = remember_file(m, &before);
    EXPECT_OK(m, drx_append(m->a, g.axis, g.by, order, area_body(&data)));
    CHECK(m, area_same(&data, &given), "drx_append changed its buffer");
    follow(m, g);
    plain_strides(m->ndim, slab.count, order, stride);
    plain_store(&m->now, slab.lo, slab.count, NULL, stride, area_body(&data));
    check_growth(m, &slab);
    if (remembered) {
        check_file(m, false);
        free(before.data);
    }
    area_free(&data);
    area_free(&given);
}

void op_sync(struct model *m)
{
    say(m, "sync");
    EXPECT_OK(m, drx_sync(m->a));
    m->run->calls++;
    m->puts_pending = false;
    if (m->storage == ON_DISK && file_is_small(m))
        check_file(m, false);
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
