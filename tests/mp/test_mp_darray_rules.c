/* Calls on distributed arrays refuse wrong arguments on all ranks alike, even when only one rank is wrong. */
#include "mp_spread.h"

static int64_t zeros[10]; /* indices that are there twice, or on two ranks */

/* A rule, and how the last rank breaks it: what is added to the fields of its description. */
struct wrong {
    const char *key; /* in the detail */
    char kind;
    int least; /* ranks */
    struct dap_dim add;
    enum { NOTHING, ZEROS, NO_INDICES, OTHER_BLOCKS } what;
};

static const struct wrong wrongs[] = {
    /* each rank's own */
    { "dist_type", 'b', 1, { .dist_type = 1 }, 0 },
    { "size", 'b', 1, { .size = -1000 }, 0 },
    { "proc_grid_size", 'b', 1, { .proc_grid_size = -1000 }, 0 },
    { "proc_grid_rank", 'b', 1, { .proc_grid_rank = -1000 }, 0 },
    { "proc_grid_rank", 'b', 1, { .proc_grid_rank = 1 }, 0 },
    { "start", 'b', 1, { .start = -1000 }, 0 },
    { "stop", 'b', 1, { .start = 11 }, 0 },
    { "stop", 'b', 1, { .stop = 1 }, 0 },
    { "stop", 'b', 1, { .stop = -1 }, 0 },
    { "padding", 'b', 1, { .padding = { 0, -1 } }, 0 },
    { "padding", 'b', 1, { .padding = { 0, 11 } }, 0 },
    { "block_size", 'b', 1, { .block_size = 3 }, 0 },
    { "one_to_one", 'b', 1, { .flags = DAP_DIM_ONE_TO_ONE }, 0 },
    { "indices", 'b', 1, { .n_indices = 1 }, ZEROS },
    { "{}", 'b', 2, { .flags = DAP_DIM_ALIAS }, 0 },
    { "block_size", 'c', 1, { .block_size = -2 }, 0 },
    { "start", 'c', 1, { .start = 1 }, 0 },
    { "stop", 'c', 1, { .stop = 1 }, 0 },
    { "padding", 'c', 1, { .padding = { 1, 0 } }, 0 },
    { "periodic", 'c', 1, { .flags = DAP_DIM_PERIODIC }, 0 },
    { "twice", 'u', 1, { 0 }, ZEROS },
    { "indices", 'u', 1, { .n_indices = -1000 }, 0 },
    { "indices", 'u', 1, { .n_indices = 1000 }, 0 },
    { "indices", 'u', 1, { 0 }, NO_INDICES },
    { "start", 'u', 1, { .start = 1 }, 0 },
    /* together */
    { "size", 'b', 2, { .size = 1, .stop = 1 }, 0 },
    { "proc_grid_size", 'b', 2, { .proc_grid_size = 1, .stop = -1 }, 0 },
    { "start", 'b', 2, { .start = 1 }, 0 },
    { "start", 'b', 2, { .start = -1 }, 0 },
    { "padding", 'b', 2, { .start = -2, .padding = { 2, 0 } }, 0 },
    { "periodic", 'b', 2, { .flags = DAP_DIM_PERIODIC }, 0 },
    { "row-major", 'c', 2, { .proc_grid_rank = -1, .start = -2 }, 0 },
    { "block_size", 'c', 2, { 0 }, OTHER_BLOCKS },
    { "dist_type", 'b', 2, { .dist_type = 'u' - 'b', .start = INT64_MIN }, NO_INDICES },
    { "one_to_one", 'u', 2, { .n_indices = -9 }, ZEROS },
    { "one_to_one", 'u', 2, { .flags = -DAP_DIM_ONE_TO_ONE }, 0 },
    { "size", 'u', 2, { .n_indices = -1 }, 0 },
};

static void spoil(struct dap_dim *d, const struct wrong *w)
{
    d->dist_type += w->add.dist_type;
    d->flags += w->add.flags;
    d->size += w->add.size;
    d->proc_grid_size += w->add.proc_grid_size;
    d->proc_grid_rank += w->add.proc_grid_rank;
    d->start = w->add.start == INT64_MIN ? 0 : d->start + w->add.start;
    d->stop = w->add.start == INT64_MIN ? 0 : d->stop + w->add.stop;
    d->padding[0] += w->add.padding[0];
    d->padding[1] += w->add.padding[1];
    d->block_size += w->add.block_size;
    d->n_indices += w->add.n_indices;
    if (w->what == ZEROS)
        d->indices = zeros;
    if (w->what == NO_INDICES)
        d->indices = NULL;
    if (w->what == OTHER_BLOCKS)
        d->start = d->proc_grid_rank * (d->block_size = 5);
}

static drx_status create(int ndim, const struct dap_dim dims[])
{
    drxmp_darray *d;
    const drx_status st = drxmp_darray_create(mp_comm, DRX_INT32, ndim, dims, DRX_ROW_MAJOR, &d);

    if (st)
        assert_null(d);
    return st ? st : drxmp_darray_free(d);
}

/* Every rule, broken on the last rank only: all ranks get the status and the same detail. */
TEST(wrong_descriptions)
{
    int64_t indices[10];

    for (int64_t i = 0; i < 10; i++)
        indices[i] = mp_rank + i * mp_ranks;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        const char kind = wrongs[i].kind;
        const int64_t size = 10 * mp_ranks;
        struct dap_dim dims[2] = { mp_undistributed(3), kind == 'b' ? mp_block(size)
                                                        : kind == 'c'
                                                            ? mp_cyclic(size, 2)
                                                            : mp_listed(size, 10, indices, DAP_DIM_ONE_TO_ONE) };
        char roots[1024];

        if (mp_ranks < wrongs[i].least)
            continue;
        if (mp_rank == mp_ranks - 1)
            spoil(&dims[1], &wrongs[i]);
        assert_fails(create(2, dims), DRX_EINVAL, wrongs[i].key);
        assert_detail("rank ");
        assert_detail("axis 1");
        (void)snprintf(roots, sizeof roots, "%s", drx_last_error());
        (void)MPI_Bcast(roots, sizeof roots, MPI_CHAR, 0, mp_comm);
        assert_string_equal(drx_last_error(), roots);
    }
}

/* Ranks of one coordinate along an axis that do not agree on the indices there. */
TEST(wrong_indices)
{
    int64_t indices[4] = { mp_rank / 2, mp_ranks / 2 + mp_rank / 2 };
    struct dap_dim dims[2];

    if (mp_ranks % 2 != 0)
        return;
    assert_int_equal(dap_unstructured(mp_ranks, 2, indices, DAP_DIM_ONE_TO_ONE, mp_ranks / 2, mp_rank / 2, &dims[0]),
                     DAP_OK);
    assert_int_equal(dap_block(5, 1, 2, mp_rank % 2, &dims[1]), DAP_OK);
    assert_ok(create(2, dims));
    if (mp_rank == mp_ranks - 1)
        indices[1] = 77;
    assert_fails(create(2, dims), DRX_EINVAL, "axis 0, indices: not as on rank");
    if (mp_rank == mp_ranks - 1)
        dims[0].n_indices = 1;
    assert_fails(create(2, dims), DRX_EINVAL, "axis 0, indices");
}

/* Padding wider than a neighbour owns, or towards one that owns nothing; a grid that is not all ranks. */
TEST(wrong_neighbours)
{
    struct dap_dim dims[2];
    int64_t bounds[MOST_RANKS + 1] = { 0 };

    if (mp_ranks < 2)
        return;
    for (int way = 0; way < 2; way++) { /* the first rank owns `way`, and has padding of one more */
        for (int r = 1; r <= mp_ranks; r++)
            bounds[r] = way + 10 * (r - 1);
        assert_int_equal(dap_irregular(bounds, mp_ranks, mp_rank, &dims[0]), DAP_OK);
        if (mp_rank < 2) {
            dims[0].start -= mp_rank == 1 ? way : 0;
            dims[0].stop += mp_rank == 0 ? way + 1 : 0;
            dims[0].padding[1 - mp_rank] = way + 1;
        }
        assert_fails(create(1, dims), DRX_EINVAL, "rank 1, axis 0");
    }
    dims[0] = dims[1] = mp_undistributed(3);
    assert_status(create(2, dims), DRX_EINVAL);
    dims[mp_rank > 0] = mp_block(3); /* the others along another axis than the first rank */
    assert_fails(create(2, dims), DRX_EINVAL, "proc_grid_size");
}

/* d is of 10 times 6. */
static void check_boxes(drxmp_darray *d)
{
    const struct dap_dim small[2] = { mp_cyclic(4, 1), mp_undistributed(9) };
    drxmp_darray *to = mp_darray(DRX_INT32, 2, small, DRX_COL_MAJOR);
    const int64_t two[2] = { 2, 2 }, three[2] = { 3, 3 }, four[2] = { 4, 4 }, less[2] = { 1, -1 };

    assert_fails(drxmp_darray_redistribute(d, to), DRX_EINVAL, "drxmp_darray_redistribute_box");
    assert_ok(drxmp_darray_redistribute_box(d, NULL, to, NULL, NULL));
    assert_ok(drxmp_darray_redistribute_box(d, two, to, two, two));
    assert_fails(drxmp_darray_redistribute_box(d, two, to, two, three), DRX_ERANGE, "axis 0: the box has 3");
    assert_fails(drxmp_darray_redistribute_box(d, (int64_t[]){ 0, 7 }, to, NULL, two), DRX_ERANGE, "axis 1");
    assert_fails(drxmp_darray_redistribute_box(d, less, to, NULL, two), DRX_ERANGE, "axis 1");
    assert_status(drxmp_darray_redistribute_box(d, NULL, to, NULL, less), DRX_EINVAL);
    assert_status(drxmp_darray_redistribute_box(NULL, NULL, d, NULL, NULL), DRX_EINVAL);
    assert_status(drxmp_darray_redistribute_box(d, NULL, NULL, NULL, NULL), DRX_EINVAL);
    assert_status(drxmp_darray_redistribute_box(d, NULL, d, NULL, NULL), DRX_EINVAL);
    if (mp_ranks > 1)
        assert_fails(drxmp_darray_redistribute_box(d, NULL, to, NULL, mp_rank ? two : four), DRX_EMISMATCH, "the box");
    assert_ok(drxmp_darray_free(to));
}

TEST(wrong_calls)
{
    static const int64_t shape[2] = { 10, 6 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .flags = DRX_REPLACE };
    const int last = mp_ranks - 1;
    const struct dap_dim flat = mp_cyclic(10, 1);
    struct dap_dim dims[2] = { mp_block(10), mp_undistributed(6) };
    drxmp_array *a = mp_create("calls", &spec);
    drxmp_darray *d, *other, *line;
    MPI_Comm turned;
    int owner;

    assert_status(drxmp_darray_create(MPI_COMM_NULL, DRX_INT32, 2, dims, DRX_ROW_MAJOR, &d), DRX_EINVAL);
    assert_status(drxmp_darray_create(mp_comm, (drx_type)0, 2, dims, DRX_ROW_MAJOR, &d), DRX_EINVAL);
    assert_status(drxmp_darray_create(mp_comm, DRX_INT32, 2, dims, (drx_order)9, &d), DRX_EINVAL);
    assert_status(create(-1, dims), DRX_EINVAL);
    assert_status(create(33, dims), DRX_EINVAL);
    assert_fails(create(2, mp_rank == last ? NULL : dims), DRX_EINVAL, "dims is a null pointer");
    d = mp_darray(DRX_INT32, 2, dims, DRX_ROW_MAJOR);
    other = mp_darray(DRX_FLOAT32, 2, dims, DRX_ROW_MAJOR);
    line = mp_darray(DRX_INT32, 1, &flat, DRX_ROW_MAJOR);

    assert_fails(drxmp_darray_read(other, a, NULL), DRX_EINVAL, "float32");
    assert_fails(drxmp_darray_write(line, a, NULL), DRX_EINVAL, "1 axes");
    assert_fails(drxmp_darray_write(d, a, (int64_t[]){ 0, 1 }), DRX_ERANGE, "axis 1");
    assert_status(drxmp_darray_write(d, a, (int64_t[]){ -1, 0 }), DRX_ERANGE);
    assert_status(drxmp_darray_read(d, a, (int64_t[]){ 0, INT64_MAX }), DRX_ERANGE);
    assert_status(drxmp_darray_read(d, NULL, NULL), DRX_EINVAL);
    assert_status(drxmp_darray_read(NULL, a, NULL), DRX_EINVAL);
    assert_status(drxmp_darray_redistribute(d, other), DRX_EINVAL);
    assert_status(drxmp_darray_redistribute(d, line), DRX_EINVAL);
    assert_status(drxmp_darray_redistribute(d, d), DRX_EINVAL);
    assert_status(drxmp_darray_redistribute(d, NULL), DRX_EINVAL);
    assert_status(drxmp_darray_redistribute(NULL, d), DRX_EINVAL);
    check_boxes(d);
    assert_status(drxmp_darray_sync(NULL), DRX_EINVAL);
    assert_status(drxmp_darray_owner(d, NULL, &owner), DRX_EINVAL);
    assert_ok(drxmp_darray_free(other));
    assert_ok(drxmp_darray_free(NULL));
    assert_null(drxmp_darray_local(NULL));
    assert_null(drxmp_darray_dims(NULL));
    if (mp_ranks > 1) {
        const drx_type type = mp_rank == last ? DRX_INT8 : DRX_INT32;

        assert_status(drxmp_darray_create(mp_comm, type, 2, dims, DRX_ROW_MAJOR, &other), DRX_EMISMATCH);
        assert_status(create(mp_rank == last ? 1 : 2, dims), DRX_EMISMATCH);
        assert_status(drxmp_darray_write(d, a, (int64_t[]){ 0, mp_rank == last }), DRX_EMISMATCH);
    }
    assert_ok(drxmp_darray_free(line));
    assert_ok(drxmp_darray_free(d));
    assert_int_equal(MPI_Comm_split(mp_comm, 0, -mp_rank, &turned), MPI_SUCCESS); /* the other way round */
    assert_int_equal(dap_block(10, 1, mp_ranks, last - mp_rank, &dims[0]), DAP_OK);
    assert_ok(drxmp_darray_create(turned, DRX_INT32, 2, dims, DRX_ROW_MAJOR, &d));
    assert_status(drxmp_darray_read(d, a, NULL), mp_ranks > 1 ? DRX_EINVAL : DRX_OK);
    assert_ok(drxmp_darray_free(d));
    assert_int_equal(MPI_Comm_free(&turned), MPI_SUCCESS);
    assert_ok(drxmp_close(a));
    a = mp_open("calls", DRX_RDONLY);
    assert_ok(drxmp_darray_zones(a, NULL, NULL, DRX_ROW_MAJOR, &d));
    assert_status(drxmp_darray_write(d, a, NULL), DRX_EACCES);
    assert_ok(drxmp_darray_read(d, a, NULL));
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_close(a));
}

/* A darray without axes is one element, which one rank can have. */
TEST(no_axes)
{
    const struct dap_dim none = { 0 };
    drxmp_darray *d;
    int64_t old;
    int32_t value = 7;
    int owner = -1;

    if (mp_ranks > 1) {
        assert_status(create(0, &none), DRX_EINVAL);
        return;
    }
    d = mp_darray(DRX_INT32, 0, &none, DRX_ROW_MAJOR);
    assert_ok(drxmp_darray_put(d, &old, &old, DRX_ROW_MAJOR, &value));
    assert_ok(drxmp_darray_acc(d, &old, &old, DRX_ROW_MAJOR, NULL, &value));
    assert_ok(drxmp_darray_fetch_add(d, &old, 5, &old));
    assert_int_equal(old, 14);
    assert_ok(drxmp_darray_get(d, &old, &old, DRX_ROW_MAJOR, &value));
    assert_int_equal(value, 19);
    assert_ok(drxmp_darray_owner(d, &old, &owner));
    assert_int_equal(owner, 0);
    assert_ok(drxmp_darray_sync(d));
    assert_ok(drxmp_darray_free(d));
}
