/* Every rule of the Distributed Array Protocol that one rank can see, with a case that
 * breaks only it, and what the rules must let pass. */
#include "dap_axes.h"

#define BLOCK(n, p, r, from, to)                                                                         \
    {                                                                                                    \
        .dist_type = 'b', .size = n, .proc_grid_size = p, .proc_grid_rank = r, .start = from, .stop = to \
    }
#define CYCLIC(n, p, r, from, block)                                                                              \
    {                                                                                                             \
        .dist_type = 'c', .size = n, .proc_grid_size = p, .proc_grid_rank = r, .start = from, .block_size = block \
    }
#define UNSTRUCTURED(n, p, r, list)                                             \
    {                                                                           \
        .dist_type = 'u', .size = n, .proc_grid_size = p, .proc_grid_rank = r,  \
        .n_indices = (int64_t)(sizeof(list) / sizeof(list)[0]), .indices = list \
    }

static const int64_t three[] = { 5, -2, 9 }, twice[] = { 5, -2, 5 };

static const struct dap_dim valid_dims[] = {
    BLOCK(10, 1, 0, 0, 10),
    BLOCK(10, 3, 1, 2, 7),
    BLOCK(10, 3, 1, 4, 4), /* empty */
    BLOCK(10, 3, 2, 10, 10),
    BLOCK(0, 3, 1, 0, 0),
    BLOCK(0, 1, 0, 0, 0),
    { 'b', DAP_DIM_PERIODIC, 10, 1, 0, 0, 10, { 2, 3 }, 0, 0, NULL },
    { 'b', 0, 10, 1, 0, 0, 10, { 10, 10 }, 0, 0, NULL }, /* boundary padding alone, all of it */
    { 'b', 0, 10, 3, 1, 2, 8, { 1, 2 }, 0, 0, NULL },
    { 'b', 0, 10, 3, 1, 2, 5, { 1, 2 }, 0, 0, NULL }, /* owns nothing; the others will not agree */
    { 'b', 0, 10, 2, 0, 0, 7, { 4, 3 }, 0, 0, NULL }, /* boundary padding is all that is owned */
    { 'b', DAP_DIM_ALIAS, 10, 1, 0, 0, 10, { 0, 0 }, 0, 0, NULL },
    CYCLIC(10, 3, 2, 2, 1),
    CYCLIC(10, 3, 2, 8, 4),
    CYCLIC(10, 3, 2, 20, 10), /* beyond size */
    CYCLIC(10, 3, 2, 10, 10), /* clamped */
    CYCLIC(0, 3, 2, 4, 2),
    CYCLIC(0, 3, 2, 0, 2),
    CYCLIC(10, INT64_MAX, INT64_MAX - 1, 10, INT64_MAX),
    UNSTRUCTURED(3, 1, 0, three),
    UNSTRUCTURED(9, 2, 1, three),
    { 'u', DAP_DIM_ONE_TO_ONE, 9, 2, 1, 0, 0, { 0, 0 }, 0, 0, NULL }, /* empty */
    { 'u', 0, 0, 1, 0, 0, 0, { 0, 0 }, 0, 0, NULL },
};

static const struct {
    const char *says;
    struct dap_dim dim;
} wrong_dims[] = {
    { "dist_type: character 120", { .dist_type = 'x', .size = 10, .proc_grid_size = 1, .stop = 10 } },
    { "dist_type: character 0", { .dist_type = 0, .size = 10, .proc_grid_size = 1, .stop = 10 } },
    { "size: -1, expected at least 0", BLOCK(-1, 3, 1, 0, 0) },
    { "proc_grid_size: 0, expected at least 1", BLOCK(10, 0, 0, 0, 10) },
    { "proc_grid_rank: -1, expected at least 0", BLOCK(10, 3, -1, 2, 7) },
    { "proc_grid_rank: 3, expected less than 3", BLOCK(10, 3, 3, 2, 7) },
    { "start: -1, expected at least 0", BLOCK(10, 3, 1, -1, 7) },
    { "stop: 3, expected at least 4", BLOCK(10, 3, 1, 4, 3) },
    { "stop: 11, expected at most 10", BLOCK(10, 3, 1, 4, 11) },
    { "start: 1, expected 0", BLOCK(10, 3, 0, 1, 3) },
    { "stop: 9, expected 10", BLOCK(10, 3, 2, 4, 9) },
    { "padding: -1", { 'b', 0, 10, 3, 1, 2, 7, { -1, 0 }, 0, 0, NULL } },
    { "padding: -1", { 'b', 0, 10, 3, 1, 2, 7, { 0, -1 }, 0, 0, NULL } },
    { "padding: 6, expected at most 5", { 'b', 0, 10, 3, 1, 2, 7, { 6, 0 }, 0, 0, NULL } },
    { "padding: 3 and 3, expected no more", { 'b', 0, 10, 3, 1, 2, 7, { 3, 3 }, 0, 0, NULL } },
    { "padding: 9223372036854775807", { 'b', 0, 10, 3, 1, 2, 7, { INT64_MAX, INT64_MAX }, 0, 0, NULL } },
    { "padding: 5, expected at most 4", { 'b', 0, 10, 2, 0, 0, 7, { 5, 3 }, 0, 0, NULL } },
    { "padding: 5, expected at most 4", { 'b', 0, 10, 2, 1, 3, 10, { 3, 5 }, 0, 0, NULL } },
    { "padding: 11, expected at most 10", { 'b', 0, 10, 1, 0, 0, 10, { 0, 11 }, 0, 0, NULL } },
    { "padding: 1, expected at most 0", { 'b', 0, 10, 3, 0, 0, 0, { 1, 0 }, 0, 0, NULL } },
    { "{}: not what {} stands for", { 'b', DAP_DIM_ALIAS, 10, 3, 1, 2, 7, { 0, 0 }, 0, 0, NULL } },
    { "{}: not what {} stands for", { 'b', DAP_DIM_ALIAS, 10, 1, 0, 0, 10, { 1, 0 }, 0, 0, NULL } },
    { "{}: not what {} stands for", { 'b', DAP_DIM_ALIAS | DAP_DIM_PERIODIC, 10, 1, 0, 0, 10, { 0, 0 }, 0, 0, NULL } },
    { "block_size: 0, expected at least 1", CYCLIC(10, 3, 0, 0, 0) },
    { "block_size: -4, expected at least 1", CYCLIC(10, 3, 0, 0, -4) },
    { "start: 7, expected 8", CYCLIC(10, 3, 2, 7, 4) },
    { "start: 10, expected 8", CYCLIC(10, 3, 2, 10, 4) },
    { "start: 11, expected 20", CYCLIC(10, 3, 2, 11, 10) },
    { "start: 4, expected 0", CYCLIC(10, 3, 0, 4, 4) },
    { "indices: -1, expected a number", { 'u', 0, 9, 2, 1, 0, 0, { 0, 0 }, 0, -1, three } },
    { "indices: 3 of them, expected at most 2", UNSTRUCTURED(2, 1, 0, three) },
    { "indices: a null pointer", { 'u', 0, 9, 2, 1, 0, 0, { 0, 0 }, 0, 3, NULL } },
    { "indices: 5 is there twice", UNSTRUCTURED(9, 2, 1, twice) },
    { "block_size: set, expected 0", { 'b', 0, 10, 3, 1, 2, 7, { 0, 0 }, 2, 0, NULL } },
    { "indices: set, expected 0", { 'b', 0, 10, 3, 1, 2, 7, { 0, 0 }, 0, 0, three } },
    { "indices: set, expected 0", { 'c', 0, 10, 3, 2, 2, 0, { 0, 0 }, 1, 3, NULL } },
    { "one_to_one: set, expected 0", { 'b', DAP_DIM_ONE_TO_ONE, 10, 3, 1, 2, 7, { 0, 0 }, 0, 0, NULL } },
    { "one_to_one: set, expected 0", { 'c', DAP_DIM_ONE_TO_ONE, 10, 3, 2, 2, 0, { 0, 0 }, 1, 0, NULL } },
    { "stop: set, expected 0", { 'c', 0, 10, 3, 2, 2, 9, { 0, 0 }, 1, 0, NULL } },
    { "padding: set, expected 0", { 'c', 0, 10, 3, 2, 2, 0, { 0, 1 }, 1, 0, NULL } },
    { "periodic: set, expected 0", { 'c', DAP_DIM_PERIODIC, 10, 3, 2, 2, 0, { 0, 0 }, 1, 0, NULL } },
    { "{}: set, expected 0", { 'c', DAP_DIM_ALIAS, 10, 1, 0, 0, 0, { 0, 0 }, 1, 0, NULL } },
    { "start: set, expected 0", { 'u', 0, 9, 2, 1, 1, 0, { 0, 0 }, 0, 3, three } },
    { "periodic: set, expected 0", { 'u', DAP_DIM_PERIODIC, 9, 2, 1, 0, 0, { 0, 0 }, 0, 3, three } },
};

TEST(one_axis)
{

    for (size_t i = 0; i < sizeof valid_dims / sizeof valid_dims[0]; i++) {
        const int64_t extent = dap_num_local(&valid_dims[i]);

        assert_valid(dap_validate_dims(1, &valid_dims[i], NULL, WHY));
        assert_valid(dap_validate_dims(1, &valid_dims[i], &extent, WHY));
    }
    for (size_t i = 0; i < sizeof wrong_dims / sizeof wrong_dims[0]; i++) {
        const struct dap_dim dims[2] = { valid_dims[0], wrong_dims[i].dim };

        assert_wrong(dap_validate_dims(2, dims, NULL, WHY), DAP_EINVAL, wrong_dims[i].says);
        assert_wrong(dap_validate_dims(2, dims, NULL, WHY), DAP_EINVAL, "axis 1, ");
    }
}

/* What does not apply becomes 0. */
static void quieten(struct dap_dim *d)
{
    d->flags = 0;
    if (d->dist_type == 'u') {
        d->start = 0;
    } else {
        d->n_indices = 0;
        d->indices = NULL;
    }
    if (d->dist_type != 'c')
        d->block_size = 0;
    if (d->dist_type != 'b')
        d->stop = d->padding[0] = d->padding[1] = 0;
}

/* Whatever the numbers are, nothing overflows; and what is found valid can be calculated
 * with. (It is the sanitizers that see the first.) */
TEST(extreme_numbers)
{
    static const int64_t numbers[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 0, 1, 2, 3, 7, INT64_MAX - 1, INT64_MAX };
    uint64_t seed = starting_seed(0);
    int valid = 0;

    for (int i = 0; i < 400000; i++) {
        struct dap_dim d = { .dist_type = "bcux"[random_below(&seed, 4)],
                             .flags = (uint32_t)random_below(&seed, 8),
                             .indices = random_below(&seed, 2) ? three : NULL };
        int64_t *const fields[] = { &d.size,       &d.proc_grid_size, &d.proc_grid_rank, &d.start,    &d.stop,
                                    &d.padding[0], &d.padding[1],     &d.block_size,     &d.n_indices };
        int64_t global, local;

        for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
            *fields[k] = numbers[random_below(&seed, sizeof numbers / sizeof numbers[0])];
        d.n_indices = d.n_indices < 4 ? d.n_indices : 0;
        if (random_below(&seed, 8)) /* or nearly nothing would be valid */
            quieten(&d);
        if (dap_validate_dims(1, &d, NULL, NULL, 0))
            continue;
        valid++;
        assert_true(0 <= dap_num_owned(&d) && dap_num_owned(&d) <= dap_num_local(&d));
        assert_true(dap_num_local(&d) <= d.size);
        if (dap_num_local(&d) > 0) {
            assert_int_equal(dap_local_to_global(&d, dap_num_local(&d) - 1, &global), DAP_OK);
            assert_int_equal(dap_global_to_local(&d, global, &local), DAP_OK);
            assert_int_equal(local, dap_num_local(&d) - 1);
        }
    }
    print_message("%d were valid\n", valid);
    assert_true(valid > 1000);
}

TEST(extents)
{
    static const char *const says[] = { "stop - start", "this grid rank owns", "number of indices" };
    const struct dap_dim dims[] = { BLOCK(10, 3, 1, 2, 7), CYCLIC(10, 3, 2, 2, 1), UNSTRUCTURED(9, 2, 1, three) };
    const int64_t wanted[] = { 5, 3, 3 };

    for (int i = 0; i < 3; i++)
        for (int64_t extent = wanted[i] - 1; extent <= wanted[i] + 1; extent++) {
            const int status = dap_validate_dims(1, &dims[i], &extent, WHY);

            if (extent == wanted[i])
                assert_valid(status);
            else
                assert_wrong(status, DAP_EINVAL, says[i]);
        }
}

static void release(struct dap_array *a)
{
    ++*(int *)a->private_data;
    a->release = NULL;
}

static const struct dap_dim two_dims[] = { BLOCK(10, 3, 1, 2, 7), CYCLIC(10, 3, 2, 2, 1) };
static const int64_t two_extents[] = { 5, 3 };

TEST(one_array)
{
    const int64_t empty_extents[] = { 0, 3 }, huge_extents[] = { INT64_MAX / 4, 3 };
    const struct dap_dim empty_dims[] = { BLOCK(10, 3, 1, 4, 4), two_dims[1] };
    const struct dap_dim huge_dims[] = { BLOCK(INT64_MAX / 4, 1, 0, 0, INT64_MAX / 4), two_dims[1] };
    const struct dap_array good = array_of(2, two_dims, two_extents);
    struct dap_array a;

    assert_valid(dap_validate(&good, WHY));
    a = array_of(0, NULL, NULL); /* zero-dimensional */
    a.dim_stride = 0;
    assert_valid(dap_validate(&a, WHY));
    a = array_of(2, empty_dims, empty_extents);
    a.data = NULL;
    assert_valid(dap_validate(&a, WHY));
    a = good;
    a.version[1] = 11; /* another minor version is compatible */
    a.abi_minor = 7;
    a.itemsize = 1;
    assert_valid(dap_validate(&a, WHY));
    assert_wrong(dap_validate(NULL, WHY), DAP_EINVAL, "null pointer");

#define WITH(status, says, change) \
    a = good;                      \
    change;                        \
    assert_wrong(dap_validate(&a, WHY), status, says)
    WITH(DAP_EVERSION, "abi_major: 2, expected 1", a.abi_major = 2);
    WITH(DAP_EVERSION, "abi_major: 0, expected 1", a.abi_major = 0);
    WITH(DAP_EINVAL, "release: a null pointer", a.release = NULL);
    WITH(DAP_EVERSION, "__version__: 1.0.0, expected 0.x.x", a.version[0] = 1; a.version[1] = 0);
    WITH(DAP_EINVAL, "ndim: -1", a.ndim = -1);
    WITH(DAP_EINVAL, "dims: a null pointer", a.dims = NULL);
    WITH(DAP_EINVAL, "shape: a null pointer", a.shape = NULL);
    WITH(DAP_EINVAL, "strides: a null pointer", a.strides = NULL);
    WITH(DAP_EINVAL, "dim_stride: 8 bytes", a.dim_stride = 8);
    WITH(DAP_EINVAL, "dim_stride: ", a.dim_stride = sizeof(struct dap_dim) + 1);
    WITH(DAP_EINVAL, "itemsize: 0", a.itemsize = 0);
    WITH(DAP_EINVAL, "format: none", a.format = NULL);
    WITH(DAP_EINVAL, "format: none", a.format = "");
    WITH(DAP_EINVAL, "data: a null pointer, expected the 120 bytes", a.data = NULL);
    WITH(DAP_EINVAL, "axis 0, shape: 0, expected 5", a.shape = empty_extents);
    WITH(DAP_EOVERFLOW, "shape: the bytes", a.dims = huge_dims; a.shape = huge_extents);
#undef WITH
}

TEST(negative_number_of_axes)
{

    assert_wrong(dap_validate_dims(-1, two_dims, NULL, WHY), DAP_EINVAL, "dim_data: a negative");
    assert_wrong(dap_validate_dims(1, NULL, NULL, WHY), DAP_EINVAL, "dim_data: a null pointer");
    assert_valid(dap_validate_dims(0, NULL, NULL, WHY));
}

/* A later version appends to struct dap_dim; the stride tells. */
TEST(longer_descriptions)
{
    struct {
        struct dap_dim dim;
        int64_t more;
    } dims[2] = { { two_dims[0], 1 }, { two_dims[1], 2 } };
    struct dap_array a = array_of(2, &dims[0].dim, two_extents);

    a.dim_stride = sizeof dims[0];
    assert_valid(dap_validate(&a, WHY));
    assert_ptr_equal(dap_dim_at(&a, 1), &dims[1].dim);
    dims[1].dim.start = 1;
    assert_wrong(dap_validate(&a, WHY), DAP_EINVAL, "axis 1, start: 1, expected 2");
}

TEST(moved_and_released)
{
    struct dap_array a = array_of(2, two_dims, two_extents), b;
    int released = 0;

    a.release = release;
    a.private_data = &released;
    dap_move(&a, &b);
    assert_null(a.release);
    dap_release(&a);
    assert_int_equal(released, 0);
    assert_ptr_equal(b.dims, two_dims);
    dap_release(&b);
    dap_release(&b);
    assert_int_equal(released, 1);
}

/* Other programs are built against these. */
TEST(layout)
{
    if (sizeof(void *) != 8)
        skip();
    assert_int_equal(sizeof(struct dap_dim), 88);
    assert_int_equal(offsetof(struct dap_dim, size), 8);
    assert_int_equal(offsetof(struct dap_dim, padding), 48);
    assert_int_equal(offsetof(struct dap_dim, block_size), 64);
    assert_int_equal(offsetof(struct dap_dim, indices), 80);
    assert_int_equal(sizeof(struct dap_array), 112);
    assert_int_equal(offsetof(struct dap_array, release), 8);
    assert_int_equal(offsetof(struct dap_array, private_data), 16);
    assert_int_equal(offsetof(struct dap_array, flags), 24);
    assert_int_equal(offsetof(struct dap_array, version), 32);
    assert_int_equal(offsetof(struct dap_array, data), 56);
    assert_int_equal(offsetof(struct dap_array, dims), 96);
    assert_int_equal(offsetof(struct dap_array, dim_stride), 104);
}

TEST(short_buffers)
{
    const struct dap_dim wrong = BLOCK(10, 3, 1, 4, 11);
    char whole[200], part[200];

    assert_int_equal(dap_validate_dims(1, &wrong, NULL, whole, sizeof whole), DAP_EINVAL);
    assert_int_equal(dap_validate_dims(1, &wrong, NULL, NULL, 0), DAP_EINVAL);
    for (size_t bytes = 0; bytes <= strlen(whole) + 1; bytes++) {
        memset(part, 'x', sizeof part);
        assert_int_equal(dap_validate_dims(1, &wrong, NULL, part, bytes), DAP_EINVAL);
        if (bytes > 0) {
            assert_int_equal(strlen(part), bytes - 1);
            assert_memory_equal(part, whole, bytes - 1);
        }
        for (size_t i = bytes; i < sizeof part; i++)
            assert_int_equal(part[i], 'x');
    }
}

TEST(statuses)
{
    assert_string_equal(dap_strerror(DAP_OK), "success");
    assert_string_equal(dap_strerror(DAP_ERANGE), "an index or a rank that is not there");
    assert_string_equal(dap_strerror(1), "unknown status");
}
