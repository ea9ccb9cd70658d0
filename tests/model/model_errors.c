/* Calls that must fail, and change nothing. */
#include "model.h"

static bool has_elements(const struct model *m)
{
    return count_elements(m, m->now.shape) > 0;
}

/* A box that leaves the bounds on one axis; every count is at least 1, but for a negative one (returned: true). */
static bool choose_bad_box(struct model *m, struct box *b)
{
    int j = (int)rng_between(&m->rng, 0, m->ndim - 1);

    for (int k = 0; k < m->ndim; k++) {
        b->lo[k] = m->now.lower[k] + (m->now.shape[k] ? rng_between(&m->rng, 0, m->now.shape[k] - 1) : 0);
        b->count[k] = 1;
    }
    const int64_t lower = m->now.lower[j], bound = lower + m->now.shape[j], lo = b->lo[j];
    const struct {
        int64_t lo, count;
    } bad[] = { { lower - 1, 1 }, { bound, 1 }, { lo, bound - lo + 1 }, { INT64_MAX, 1 }, { lower + 1, INT64_MAX },
                { INT64_MIN, 1 }, { lo, -1 } };
    const int64_t which = rng_between(&m->rng, 0, 6);

    b->lo[j] = bad[which].lo;
    b->count[j] = bad[which].count;
    return b->count[j] < 0;
}

static void fail_box(struct model *m)
{
    struct box b;
    bool negative = choose_bad_box(m, &b);
    drx_status other = negative ? DRX_EINVAL : DRX_ERANGE;
    struct area a = area_random(m, 4);
    struct area before = area_copy(&a);
    drx_order order = choose_order(m);
    drx_request *req = NULL;
    drx_status st;

    say(m, "box outside the bounds: lo %s count %s", numbers(m->ndim, b.lo), numbers(m->ndim, b.count));
    EXPECT_EITHER(m, drx_read(m->a, b.lo, b.count, order, area_body(&a)), DRX_ERANGE, other);
    st = drx_read_async(m->a, &(drx_box){ .lo = b.lo, .count = b.count, .order = order }, area_body(&a), &req);
    EXPECT_EITHER(m, st ? st : drx_wait(req), DRX_ERANGE, other);
    if (m->writable) {
        EXPECT_EITHER(m, drx_write(m->a, b.lo, b.count, order, area_body(&a)), DRX_ERANGE, other);
        st = drx_write_async(m->a, &(drx_box){ .lo = b.lo, .count = b.count, .order = order }, area_body(&a), &req);
        EXPECT_EITHER(m, st ? st : drx_wait(req), DRX_ERANGE, other);
    }
    CHECK(m, area_same(&a, &before), "the buffer changed in spite of the error");
    area_free(&a);
    area_free(&before);
}

static void fail_element(struct model *m)
{
    int j = (int)rng_between(&m->rng, 0, m->ndim - 1);
    unsigned char value[MAX_ELEM_BYTES] = { 7 };
    const int64_t lower = m->now.lower[j];
    int64_t index[DRX_MAX_NDIM];

    memcpy(index, m->now.lower, sizeof index);
    index[j] = rng_chance(&m->rng, 50) ? lower + m->now.shape[j] : rng_between(&m->rng, INT64_MIN, lower - 1);
    say(m, "element outside the bounds: %s", numbers(m->ndim, index));
    EXPECT_ERROR(m, drx_get(m->a, index, value), DRX_ERANGE);
    CHECK(m, value[0] == 7, "the value was set in spite of the error");
    if (m->writable)
        EXPECT_ERROR(m, drx_put(m->a, index, value), DRX_ERANGE);
}

static void fail_strided(struct model *m)
{
    int j = (int)rng_between(&m->rng, 0, m->ndim - 1);
    struct box b = choose_box(m, m->ndim, m->now.lower, m->now.shape);
    int64_t step[DRX_MAX_NDIM], stride[DRX_MAX_NDIM];
    struct area a = area_random(m, count_elements(m, b.count));
    struct area before = area_copy(&a);
    const drx_box box = { .lo = b.lo, .count = b.count, .step = step, .stride = stride };

    say(m, "strided access with a bad step on axis %d", j);
    plain_strides(m->ndim, b.count, DRX_ROW_MAJOR, stride);
    for (int k = 0; k < m->ndim; k++)
        step[k] = 1;
    step[j] = rng_chance(&m->rng, 50) ? 0 : -1;
    if (count_elements(m, b.count) > 0) {
        EXPECT_ERROR(m, drx_read_box(m->a, &box, area_body(&a)), DRX_EINVAL);
        if (m->writable)
            EXPECT_ERROR(m, drx_write_box(m->a, &box, area_body(&a)), DRX_EINVAL);
        /* the second element of the axis is too far */
        step[j] = rng_chance(&m->rng, 50) ? INT64_MAX : m->now.lower[j] + m->now.shape[j] - b.lo[j];
        b.count[j] = 2;
        EXPECT_ERROR(m, drx_read_box(m->a, &box, area_body(&a)), DRX_ERANGE);
        if (m->writable)
            EXPECT_ERROR(m, drx_write_box(m->a, &box, area_body(&a)), DRX_ERANGE);
    }
    CHECK(m, area_same(&a, &before), "the buffer changed in spite of the error");
    area_free(&a);
    area_free(&before);
}

static void fail_growth(struct model *m)
{
    int j = (int)rng_between(&m->rng, 0, m->ndim - 1);
    const int64_t upper = m->now.lower[j] + m->now.shape[j];
    unsigned char nothing[MAX_ELEM_BYTES] = { 0 };

    say(m, "bad growth of axis %d", j);
    if (!m->writable)
        return;
    EXPECT_ERROR(m, drx_extend(m->a, j, -1), DRX_EINVAL);
    EXPECT_ERROR(m, drx_extend(m->a, j, INT64_MIN), DRX_EINVAL);
    EXPECT_ERROR(m, drx_extend(m->a, -1, 1), DRX_EINVAL);
    EXPECT_ERROR(m, drx_extend(m->a, m->ndim, 1), DRX_EINVAL);
    EXPECT_ERROR(m, drx_append(m->a, j, -1, DRX_ROW_MAJOR, nothing), DRX_EINVAL);
    EXPECT_ERROR(m, drx_append(m->a, m->ndim, 1, DRX_ROW_MAJOR, nothing), DRX_EINVAL);
    EXPECT_ERROR(m, drx_extend_before(m->a, j, -1), DRX_EINVAL);
    EXPECT_ERROR(m, drx_prepend(m->a, m->ndim, 1, DRX_ROW_MAJOR, nothing), DRX_EINVAL);
    EXPECT_ERROR(m, drx_prepend(m->a, j, INT64_MAX, DRX_ROW_MAJOR, nothing), DRX_EOVERFLOW);
    EXPECT_ERROR(m, drx_trim(m->a, j, -1, 0), DRX_EINVAL);
    EXPECT_ERROR(m, drx_trim(m->a, m->ndim, 0, 0), DRX_EINVAL);
    EXPECT_ERROR(m, drx_trim(m->a, j, m->now.shape[j], 1), DRX_ERANGE);
    EXPECT_ERROR(m, drx_trim(m->a, j, 1, INT64_MAX), DRX_ERANGE);
    EXPECT_ERROR(m, drx_add_axis(m->a, m->ndim + 1, NULL), DRX_EINVAL);
    EXPECT_ERROR(m, drx_add_axis(m->a, 0, "\xff"), DRX_EINVAL);
    if (upper > 0) {
        EXPECT_ERROR(m, drx_extend(m->a, j, INT64_MAX), DRX_EOVERFLOW);
        EXPECT_ERROR(m, drx_append(m->a, j, INT64_MAX, DRX_ROW_MAJOR, nothing), DRX_EOVERFLOW);
    }
    /* a bound that an int64_t holds, but not the number of bytes */
    if (has_elements(m) && count_elements(m, m->now.shape) / m->now.shape[j] * (int64_t)m->elem_bytes >= 2)
        EXPECT_ERROR(m, drx_extend(m->a, j, INT64_MAX - (upper > 0 ? upper : 0)), DRX_EOVERFLOW);
}

static void fail_map(struct model *m)
{
    int j = (int)rng_between(&m->rng, 0, m->ndim - 1);
    int64_t index[DRX_MAX_NDIM];
    int64_t address = -7;
    struct growth g;

    say(m, "chunks that are not there");
    memcpy(index, m->book.lower, sizeof index);
    index[j] = rng_chance(&m->rng, 50) ? m->book.upper[j] : m->book.lower[j] - 1;
    EXPECT_ERROR(m, drx_chunk_address(m->a, index, &address), DRX_ERANGE);
    CHECK(m, address == -7, "an output argument was set in spite of the error");
    EXPECT_ERROR(m, drx_chunk_index(m->a, m->book.count, index), DRX_ERANGE);
    EXPECT_ERROR(m, drx_chunk_index(m->a, -1, index), DRX_ERANGE);
    EXPECT_ERROR(m, drx_growth(m->a, drx_growth_count(m->a), &g.axis, &g.by), DRX_ERANGE);
    EXPECT_ERROR(m, drx_growth(m->a, -1, &g.axis, &g.by), DRX_ERANGE);
}

static void fail_names(struct model *m)
{
    char too_long[1026];
    const char *name;

    say(m, "bad names");
    memset(too_long, 'x', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = '\0';
    EXPECT_ERROR(m, drx_attr_info(m->a, m->names.n, &name, NULL, NULL, NULL), DRX_ERANGE);
    EXPECT_ERROR(m, drx_attr_info(m->a, -1, &name, NULL, NULL, NULL), DRX_ERANGE);
    EXPECT_ERROR(m, drx_attr_get(m->a, "no such name", NULL, NULL, NULL), DRX_ENOENT);
    if (!m->writable)
        return;
    EXPECT_ERROR(m, drx_attr_set_text(m->a, "", "value"), DRX_EINVAL);
    EXPECT_ERROR(m, drx_attr_set_text(m->a, too_long, "value"), DRX_EINVAL);
    EXPECT_ERROR(m, drx_attr_set_text(m->a, "\xff\xfe", "value"), DRX_EINVAL);
    EXPECT_ERROR(m, drx_attr_set(m->a, "n", DRX_INT8, -1, too_long), DRX_EINVAL);
    EXPECT_ERROR(m, drx_attr_set(m->a, "n", (drx_type)99, 1, too_long), DRX_EINVAL);
    EXPECT_ERROR(m, drx_attr_set(m->a, "n", DRX_INT64, INT64_MAX / 4, too_long), DRX_EOVERFLOW);
    EXPECT_ERROR(m, drx_dim_rename(m->a, 0, too_long), DRX_EINVAL);
    EXPECT_ERROR(m, drx_dim_rename(m->a, m->ndim, "y"), DRX_EINVAL);
    EXPECT_ERROR(m, drx_dim_rename(m->a, -1, "y"), DRX_EINVAL);
}

/* A handle for reading changes nothing. */
static void fail_read_only(struct model *m)
{
    drx_array *a = m->writable ? NULL : m->a;
    struct box one = { { 0 }, { 0 } };
    drx_status no_element;
    unsigned char *slab;

    say(m, "changes through a handle for reading");
    for (int i = 0; !a && i < READERS; i++)
        a = m->reader[i].shared || m->reader[i].ndim != m->ndim ? NULL : m->reader[i].a;
    if (!a)
        return;
    no_element = count_elements(m, drx_shape(a)) > 0 ? DRX_EACCES : DRX_ERANGE;
    slab = plain_alloc((size_t)(count_elements(m, m->now.shape) + 1) * m->elem_bytes);
    memcpy(one.lo, drx_lower(a), (size_t)m->ndim * sizeof *one.lo);
    for (int j = 0; j < m->ndim; j++)
        one.count[j] = 1;
    EXPECT_ERROR(m, drx_extend(a, 0, 1), DRX_EACCES);
    EXPECT_ERROR(m, drx_append(a, 0, 1, DRX_ROW_MAJOR, slab), DRX_EACCES);
    EXPECT_EITHER(m, drx_write(a, one.lo, one.count, DRX_ROW_MAJOR, slab), DRX_EACCES, no_element);
    EXPECT_EITHER(m, drx_put(a, one.lo, slab), DRX_EACCES, no_element);
    EXPECT_ERROR(m, drx_attr_set_text(a, "units", "none"), DRX_EACCES);
    EXPECT_EITHER(m, drx_attr_delete(a, "units"), DRX_EACCES, DRX_ENOENT);
    EXPECT_ERROR(m, drx_dim_rename(a, 0, "longer"), DRX_EACCES);
    free(slab);
}

/* What others may not do to the path of this array. */
static void fail_path(struct model *m)
{
    drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = m->now.shape };
    drx_array *a = m->a;

    say(m, "other uses of the path");
    if (m->storage == IN_MEMORY)
        return;
    if (m->storage == TEMPORARY) {
        EXPECT_ERROR(m, drx_open(m->path, DRX_RDONLY, &a), DRX_ENOENT);
        CHECK(m, a == NULL, "a handle in spite of the error");
        return;
    }
    EXPECT_ERROR(m, drx_create(m->path, &spec, &a), DRX_EEXIST);
    CHECK(m, a == NULL, "a handle in spite of the error");
    if (!m->writable)
        return;
    a = m->a;
    EXPECT_ERROR(m, drx_open(m->path, DRX_RDWR, &a), DRX_EBUSY);
    CHECK(m, a == NULL, "a handle in spite of the error");
    EXPECT_ERROR(m, drx_remove(m->path), DRX_EBUSY);
    a = m->a;
    spec.flags = DRX_REPLACE;
    EXPECT_ERROR(m, drx_create(m->path, &spec, &a), DRX_EBUSY);
    CHECK(m, a == NULL, "a handle in spite of the error");
}

void op_error(struct model *m)
{
    static operation *const errors[] = { fail_box, fail_box,   fail_element,   fail_strided, fail_growth,
                                         fail_map, fail_names, fail_read_only, fail_path };

    errors[rng_between(&m->rng, 0, (int64_t)(sizeof errors / sizeof *errors) - 1)](m);
    check_inquiry(m);
    if (rng_chance(&m->rng, 10))
        check_elements(m);
}
