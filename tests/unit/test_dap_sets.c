/* Whether ranks fit together, decided by dap_validate_dims_set and by counting: random sets
 * that are valid, and the same with something changed. */
#include "dap_axes.h"

enum { LOWEST = -200, HIGHEST = 800 }; /* what a change can reach */
enum { MOST_AXES = 3, MOST_IN_SET = MOST_RANKS * MOST_RANKS * MOST_RANKS, CHANGES = 12000 };

struct plain {
    int64_t nranks;
    int ndim;
    const struct dap_dim *dims;
    const int64_t *shape;
};

static const struct dap_dim *at(const struct plain *p, int64_t rank, int axis)
{
    return &p->dims[rank * p->ndim + axis];
}

/* Is a global index in the section, and is it owned there? */
static bool holds(const struct dap_dim *d, int64_t global, bool owned)
{
    if (d->dist_type == 'b') {
        const int64_t before = owned && d->proc_grid_rank > 0 ? d->padding[0] : 0;
        const int64_t after = owned && d->proc_grid_rank < d->proc_grid_size - 1 ? d->padding[1] : 0;

        return d->start + before <= global && global < d->stop - after;
    }
    if (d->dist_type == 'c')
        return global >= 0 && global < d->size && global / d->block_size % d->proc_grid_size == d->proc_grid_rank;
    for (int64_t i = 0; i < d->n_indices; i++)
        if (d->indices[i] == global)
            return true;
    return false;
}

static int64_t count(const struct dap_dim *d, bool owned)
{
    int64_t n = 0;

    for (int64_t g = LOWEST; g < HIGHEST; g++)
        n += holds(d, g, owned);
    return n;
}

static bool plain_block(const struct dap_dim *d)
{
    const bool first = d->proc_grid_rank == 0, last = d->proc_grid_rank == d->proc_grid_size - 1;

    if (d->start < 0 || d->stop < d->start || d->stop > d->size || d->padding[0] < 0 || d->padding[1] < 0)
        return false;
    if ((first && d->start > 0) || (last && d->stop < d->size))
        return false;
    for (int end = 0; end < 2; end++)
        if (d->padding[end] > ((end == 0 ? first : last) ? count(d, true) : d->stop - d->start))
            return false;
    return (first ? 0 : d->padding[0]) + (last ? 0 : d->padding[1]) <= d->stop - d->start;
}

static bool plain_dim(const struct dap_dim *d, int64_t extent)
{
    if (d->size < 0 || d->proc_grid_size < 1 || d->proc_grid_rank < 0 || d->proc_grid_rank >= d->proc_grid_size)
        return false;
    if (d->dist_type == 'b' && !plain_block(d))
        return false;
    if (d->dist_type == 'c' &&
        (d->block_size < 1 || (d->start != d->proc_grid_rank * d->block_size &&
                               (d->start != d->size || d->start > d->proc_grid_rank * d->block_size))))
        return false;
    if (d->dist_type == 'u' && d->n_indices > d->size)
        return false;
    for (int64_t i = 0; d->dist_type == 'u' && i < d->n_indices; i++)
        for (int64_t j = 0; j < i; j++)
            if (d->indices[i] == d->indices[j])
                return false;
    return extent == count(d, false);
}

static bool plain_coordinates(const struct plain *p)
{
    int64_t grid[MOST_AXES], coords[MOST_AXES] = { 0 }, rank = 0;

    for (int axis = 0; axis < p->ndim; axis++)
        grid[axis] = at(p, 0, axis)->proc_grid_size;
    do {
        if (rank == p->nranks)
            return false;
        for (int axis = 0; axis < p->ndim; axis++)
            if (at(p, rank, axis)->proc_grid_rank != coords[axis])
                return false;
        rank++;
    } while (next_index(p->ndim, grid, coords));
    return rank == p->nranks;
}

static bool plain_pair(const struct dap_dim *a, const struct dap_dim *b)
{
    if (a->dist_type != b->dist_type || a->size != b->size || a->proc_grid_size != b->proc_grid_size ||
        a->block_size != b->block_size || a->flags != b->flags)
        return false;
    if (a->proc_grid_rank != b->proc_grid_rank) {
        if (a->dist_type != 'b' || a->proc_grid_rank + 1 != b->proc_grid_rank)
            return true;
        return a->padding[1] == b->padding[0] && a->stop - b->start == a->padding[1] + b->padding[0] &&
               a->padding[1] <= count(a, true) && a->padding[1] <= count(b, true);
    }
    for (int64_t i = 0; i < a->n_indices && i < b->n_indices; i++)
        if (a->indices[i] != b->indices[i])
            return false;
    return a->start == b->start && a->stop == b->stop && a->n_indices == b->n_indices &&
           (a->dist_type != 'b' || a->proc_grid_rank == 0 || a->padding[0] == b->padding[0]) &&
           (a->dist_type != 'b' || a->proc_grid_rank == a->proc_grid_size - 1 || a->padding[1] == b->padding[1]);
}

/* Along the line through rank 0: is each index owned once, or, of unstructured ones, at
 * most once, and are they as many as they should be? */
static bool plain_owners(const struct plain *p, int axis)
{
    const struct dap_dim *first = at(p, 0, axis);
    int64_t total = 0;

    if (first->dist_type == 'u' && !(first->flags & DAP_DIM_ONE_TO_ONE))
        return true;
    for (int64_t g = LOWEST; g < HIGHEST; g++) {
        int64_t owners = 0;

        for (int64_t k = 0; k < first->proc_grid_size; k++)
            for (int64_t rank = 0; rank < p->nranks; rank++)
                if (at(p, rank, axis)->proc_grid_rank == k) {
                    owners += holds(at(p, rank, axis), g, true);
                    break;
                }
        total += owners;
        if (owners > 1 || (first->dist_type != 'u' && owners != (g >= 0 && g < first->size)))
            return false;
    }
    return total == first->size;
}

static bool plain_valid(const struct plain *p)
{
    for (int64_t rank = 0; rank < p->nranks; rank++)
        for (int axis = 0; axis < p->ndim; axis++)
            if (!plain_dim(at(p, rank, axis), p->shape[rank * p->ndim + axis]))
                return false;
    for (int axis = 0; axis < p->ndim; axis++)
        for (int64_t a = 0; a < p->nranks; a++)
            for (int64_t b = 0; b < p->nranks; b++)
                if (!plain_pair(at(p, a, axis), at(p, b, axis)))
                    return false;
    if (!plain_coordinates(p))
        return false;
    for (int axis = 0; axis < p->ndim; axis++)
        if (!plain_owners(p, axis))
            return false;
    return true;
}

static struct axis axes[MOST_AXES];
static struct dap_dim dims[MOST_IN_SET * MOST_AXES];
static int64_t shape[MOST_IN_SET * MOST_AXES];

static struct plain random_set(uint64_t *seed, int64_t most_ranks)
{
    struct plain p = { 1, 1 + (int)random_below(seed, MOST_AXES), dims, shape };

    for (int axis = 0; axis < p.ndim; axis++)
        random_axis(seed, "bbcu"[random_below(seed, 4)], 1 + random_below(seed, most_ranks), &axes[axis]);
    p.nranks = spread(p.ndim, axes, dims, shape);
    return p;
}

TEST(valid_sets)
{
    uint64_t seed = starting_seed(0);
    const struct dap_array *pointers[MOST_IN_SET];
    struct dap_array arrays[MOST_IN_SET];

    for (int i = 0; i < 1000; i++) {
        const struct plain p = random_set(&seed, i % 20 ? 3 : MOST_RANKS);

        for (int64_t rank = 0; rank < p.nranks; rank++) {
            arrays[rank] = array_of(p.ndim, dims + rank * p.ndim, shape + rank * p.ndim);
            pointers[rank] = &arrays[rank];
        }
        assert_valid(dap_validate_set(pointers, p.nranks, WHY));
        assert_valid(dap_validate_dims_set(p.nranks, p.ndim, dims, shape, WHY));
        if (p.nranks <= 27)
            assert_true(plain_valid(&p));
    }
}

/* One step, or some, away from what was there. */
static void change(uint64_t *seed, int64_t *number)
{
    static const int64_t steps[] = { -1, 1, -1, 1, -2, 2, 3, 100, -100 };

    *number += steps[random_below(seed, sizeof steps / sizeof steps[0])];
}

/* A rank, or all of one grid rank, says something else about one axis; its buffer follows. */
static void change_dim(uint64_t *seed, const struct plain *p, int64_t indices[])
{
    const int axis = (int)random_below(seed, p->ndim);
    const int64_t whose = random_below(seed, p->nranks);
    const struct dap_dim old = *at(p, whose, axis);
    const bool all = random_below(seed, 2) == 0;
    struct dap_dim d = old;
    bool countable;
    int64_t *numbers[] = { &d.start, &d.stop,           &d.padding[0],    &d.padding[1],
                           &d.size,  &d.proc_grid_rank, &d.proc_grid_size };

    if (d.dist_type == 'u' && d.n_indices > 0 && random_below(seed, 2)) {
        memcpy(indices, d.indices, (size_t)d.n_indices * sizeof *indices);
        change(seed, &indices[random_below(seed, d.n_indices)]);
        d.indices = indices;
    } else if (random_below(seed, 12) == 0) {
        d.flags ^= d.dist_type == 'u' ? DAP_DIM_ONE_TO_ONE : d.dist_type == 'b' ? DAP_DIM_PERIODIC : 0;
    } else if (d.dist_type == 'b') {
        change(seed, numbers[random_below(seed, 7)]);
        if (random_below(seed, 3) == 0)
            change(seed, numbers[random_below(seed, 4)]);
    } else {
        change(seed, d.dist_type == 'c' && random_below(seed, 2) ? &d.block_size : numbers[4 + random_below(seed, 3)]);
        if (d.dist_type == 'c' && random_below(seed, 2))
            change(seed, &d.start);
    }
    countable = d.dist_type != 'c' || (d.block_size >= 1 && d.proc_grid_size >= 1);
    for (int64_t rank = 0; rank < p->nranks; rank++)
        if (rank == whose || (all && at(p, rank, axis)->proc_grid_rank == old.proc_grid_rank)) {
            dims[rank * p->ndim + axis] = d;
            if (countable && random_below(seed, 4))
                shape[rank * p->ndim + axis] = count(&d, false);
        }
}

static void print_set(const struct plain *p)
{
    for (int64_t rank = 0; rank < p->nranks; rank++)
        for (int axis = 0; axis < p->ndim; axis++) {
            const struct dap_dim *d = at(p, rank, axis);

            print_error("rank %lld, axis %d: %c flags %u size %lld grid %lld of %lld, %lld to %lld, padding %lld %lld, "
                        "block %lld, %lld indices, shape %lld\n",
                        (long long)rank, axis, (char)d->dist_type, d->flags, (long long)d->size,
                        (long long)d->proc_grid_rank, (long long)d->proc_grid_size, (long long)d->start,
                        (long long)d->stop, (long long)d->padding[0], (long long)d->padding[1],
                        (long long)d->block_size, (long long)d->n_indices, (long long)p->shape[rank * p->ndim + axis]);
        }
}

TEST(changed_sets)
{
    uint64_t seed = starting_seed(0);
    int64_t indices[MOST_HELD];
    int valid = 0;

    for (int i = 0; i < CHANGES; i++) {
        struct plain p = random_set(&seed, 3);
        bool expected;
        int status;

        if (random_below(&seed, 20) == 0)
            p.nranks -= p.nranks > 1;
        else
            change_dim(&seed, &p, indices);
        expected = plain_valid(&p);
        valid += expected;
        status = dap_validate_dims_set(p.nranks, p.ndim, dims, shape, WHY);
        if ((status == DAP_OK) != expected) {
            print_set(&p);
            fail_msg("change %d: status %d (%s), but the model finds it %s\n", i, status, why,
                     expected ? "valid" : "wrong");
        }
        assert_int_equal(status == DAP_OK, why[0] == '\0');
    }
    print_message("%d of %d were valid nevertheless\n", valid, CHANGES);
    assert_true(valid > 0 && valid < CHANGES / 2);
}

/* Ten thousand ranks: each is looked at once for each axis. */
TEST(many_ranks)
{
    enum { A = 25, B = 20, C = 20, N = A * B * C };
    struct dap_dim *many = test_malloc(sizeof *many * N * 3);

    for (int r = 0; r < N; r++) {
        assert_int_equal(dap_block(1000, 10, A, r / (B * C), &many[3 * r]), DAP_OK);
        assert_int_equal(dap_pad(&many[3 * r], 2, 2, DAP_DIM_PERIODIC), DAP_OK);
        assert_int_equal(dap_cyclic(1000, 7, 2, B, r / C % B, &many[3 * r + 1]), DAP_OK);
        assert_int_equal(dap_block(999, 1, C, r % C, &many[3 * r + 2]), DAP_OK);
    }
    assert_valid(dap_validate_dims_set(N, 3, many, NULL, WHY));
    many[3 * (N - 1) + 2].start++;
    assert_wrong(dap_validate_dims_set(N, 3, many, NULL, WHY), DAP_EINVAL, "rank 9999, axis 2, start");
    test_free(many);
}
