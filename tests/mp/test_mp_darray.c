/* Random distributed arrays, written to and read from arrays, against a plain array in memory. */
#include "mp_spread.h"

enum { ROUNDS = 25, MOST_BOUND = MOST_INDICES + 10 };

static uint64_t seed;
static int ndim;
static int64_t shape[MOST_AXES], lo[MOST_AXES], size[MOST_AXES];
static int32_t model[MOST_BOUND * MOST_BOUND * MOST_BOUND], whole[MOST_BOUND * MOST_BOUND * MOST_BOUND];

static int64_t below(int64_t n)
{
    return random_below(&seed, n);
}

/* Where an element of the darray is in the model, which is row-major. */
static int64_t at(const int64_t global[])
{
    int64_t place = 0;

    for (int j = 0; j < ndim; j++)
        place = place * shape[j] + lo[j] + global[j];
    return place;
}

static drxmp_darray *make(const struct spread *s)
{
    struct dap_dim dims[MOST_AXES];
    drxmp_darray *d;

    spread_dims(s, mp_rank, dims);
    assert_ok(drxmp_darray_create(mp_comm, DRX_INT32, s->ndim, dims, s->order, &d));
    for (int j = 0; j < s->ndim; j++) {
        assert_int_equal(drxmp_darray_dims(d)[j].start, dims[j].start);
        assert_int_equal(drxmp_darray_dims(d)[j].n_indices, dims[j].n_indices);
    }
    return d;
}

/* What is owned gets new values, here and, for all ranks, in the model; what is not gets others. */
static void fill(drxmp_darray *d, const struct spread *s, int32_t first)
{
    int32_t *mem = drxmp_darray_local(d);
    int64_t global[MOST_AXES], place;

    for (int rank = 0; rank < mp_ranks; rank++)
        for (int64_t i = 0; i < spread_cells(s, rank); i++) {
            const struct cell c = spread_cell(s, rank, i, global, &place);
            const int32_t value = first + (int32_t)at(global);

            if (rank == mp_rank)
                mem[place] = c.owned ? value : -1 - value;
            if (c.owned)
                model[at(global)] = value;
        }
}

static void check(drxmp_darray *d, const struct spread *s)
{
    const int32_t *mem = drxmp_darray_local(d);
    int64_t global[MOST_AXES], place;

    for (int64_t i = 0; i < spread_cells(s, mp_rank); i++) {
        (void)spread_cell(s, mp_rank, i, global, &place);
        if (mem[place] != model[at(global)])
            print_error("rank %d: axis 0: index %d is %d, expected %d\n", mp_rank, (int)global[0], (int)mem[place],
                        (int)model[at(global)]);
        assert_int_equal(mem[place], model[at(global)]);
    }
}

static drxmp_array *begin(void)
{
    drx_spec spec = { .type = DRX_INT32, .flags = DRX_REPLACE };
    int64_t chunk[MOST_AXES], n = 1;
    const int32_t value = 7;
    drxmp_array *a;

    ndim = 1 + (int)below(MOST_AXES);
    for (int j = 0; j < ndim; j++) {
        size[j] = below(12) ? 1 + below(ndim == 1 ? MOST_INDICES : 25) : 0;
        lo[j] = below(10);
        shape[j] = lo[j] + size[j] + below(2) * below(6);
        chunk[j] = 1 + below(9);
        n *= shape[j];
    }
    for (int64_t i = 0; i < n; i++)
        model[i] = value;
    spec.ndim = ndim;
    spec.shape = shape;
    spec.chunk = chunk;
    spec.fill = &value;
    spec.chunk_order = below(2) ? DRX_ROW_MAJOR : DRX_COL_MAJOR;
    assert_ok(drxmp_create(mp_comm, "spread", &spec, &a));
    return a;
}

static void set(drxmp_array *a)
{
    char ranks[16], bytes[16];
    MPI_Info info;

    (void)snprintf(ranks, sizeof ranks, "%d", below(2) ? mp_ranks : 1 + (int)below(mp_ranks));
    (void)snprintf(bytes, sizeof bytes, "%d", below(2) ? 1 << 16 : 1 << 25);
    assert_int_equal(MPI_Info_create(&info), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "drx_io_ranks", ranks), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "drx_buffer", bytes), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "drx_backend", below(2) ? "posix" : "mpiio"), MPI_SUCCESS);
    assert_ok(drxmp_set_info(a, info));
    assert_int_equal(MPI_Info_free(&info), MPI_SUCCESS);
}

static void check_file(drxmp_array *a)
{
    const int64_t zero[MOST_AXES] = { 0 };
    int64_t n = 1;

    for (int j = 0; j < ndim; j++)
        n *= shape[j];
    if (mp_rank == 0 && n > 0) {
        assert_ok(drx_read(drxmp_serial(a), zero, shape, DRX_ROW_MAJOR, whole));
        assert_memory_equal(whole, model, (size_t)n * sizeof *model);
    }
    (void)MPI_Barrier(mp_comm);
}

static void writing_and_reading(void **state)
{
    static struct spread s;

    seed = mp_seed();
    for (int round = 0; round < ROUNDS; round++) {
        drxmp_array *a = begin();

        for (int i = 0; i < 2; i++) {
            drxmp_darray *d;

            set(a);
            spread_draw(&seed, &s, ndim, size, "bcup");
            d = make(&s);
            fill(d, &s, (int32_t)below(1 << 20));
            assert_ok(drxmp_darray_write(d, a, lo));
            check_file(a);
            assert_ok(drxmp_darray_free(d));
            spread_draw(&seed, &s, ndim, size, "bcup");
            d = make(&s);
            assert_ok(drxmp_darray_read(d, a, lo));
            check(d, &s);
            assert_ok(drxmp_darray_free(d));
        }
        assert_ok(drxmp_close(a));
    }
}

/* ---- from one to another ------------------------------------------------------------------- */

static void draw_sizes(void)
{
    ndim = 1 + (int)below(MOST_AXES);
    for (int j = 0; j < ndim; j++) {
        size[j] = shape[j] = below(12) ? 1 + below(ndim == 1 ? MOST_INDICES : 25) : 0;
        lo[j] = 0;
    }
}

/* What nobody owns stays as it is: -1 in the model, and in the target. */
static void redistributing(void **state)
{
    static struct spread s, t;

    seed = mp_seed();
    for (int round = 0; round < 2 * ROUNDS; round++) {
        drxmp_darray *from, *to;
        int64_t global[MOST_AXES], place;

        draw_sizes();
        memset(model, -1, sizeof model);
        spread_draw(&seed, &s, ndim, size, "bcup");
        from = make(&s);
        fill(from, &s, (int32_t)below(1 << 20));
        spread_draw(&seed, &t, ndim, size, "bcup");
        to = make(&t);
        for (int64_t i = 0; i < spread_cells(&t, mp_rank); i++) {
            (void)spread_cell(&t, mp_rank, i, global, &place);
            ((int32_t *)drxmp_darray_local(to))[place] = -1;
        }
        assert_ok(drxmp_darray_redistribute(from, to));
        check(to, &t);
        assert_ok(drxmp_darray_free(from));
        assert_ok(drxmp_darray_free(to));
    }
}

/* More than a piece can hold, also of a row; the least buffer there is. */
static void redistributing_in_pieces(void **state)
{
    const int64_t sizes[2][2] = { { 300, 211 }, { 3, 50001 } };

    (void)setenv("DRXMP_BUFFER", "65536", 1);
    for (int i = 0; i < 2; i++) {
        drxmp_darray *rows, *columns;
        struct dap_dim dims[2];
        int64_t *mem;

        assert_int_equal(dap_block(sizes[i][0], 1, mp_ranks, mp_rank, &dims[0]), DAP_OK);
        assert_int_equal(dap_undistributed(sizes[i][1], &dims[1]), DAP_OK);
        assert_ok(drxmp_darray_create(mp_comm, DRX_INT64, 2, dims, DRX_COL_MAJOR, &rows));
        mem = drxmp_darray_local(rows);
        for (int64_t x = 0; x < sizes[i][1]; x++)
            for (int64_t y = dims[0].start; y < dims[0].stop; y++)
                *mem++ = y * 1000000 + x;
        assert_int_equal(dap_undistributed(sizes[i][0], &dims[0]), DAP_OK);
        assert_int_equal(dap_cyclic(sizes[i][1], 3, 1, mp_ranks, mp_rank, &dims[1]), DAP_OK);
        assert_ok(drxmp_darray_create(mp_comm, DRX_INT64, 2, dims, DRX_ROW_MAJOR, &columns));
        assert_ok(drxmp_darray_redistribute(rows, columns));
        mem = drxmp_darray_local(columns);
        for (int64_t y = 0; y < sizes[i][0]; y++)
            for (int64_t local = 0; local < dap_num_local(&dims[1]); local++) {
                int64_t x;

                assert_int_equal(dap_local_to_global(&dims[1], local, &x), DAP_OK);
                assert_int_equal(*mem, y * 1000000 + x);
                mem++;
            }
        assert_ok(drxmp_darray_free(rows));
        assert_ok(drxmp_darray_free(columns));
    }
    (void)unsetenv("DRXMP_BUFFER");
}

/* Indices far apart, and below 0, in steps or in none; no array could hold them. */
static void indices_of_any_kind(void **state)
{
    enum { EACH = 50 };
    static const int64_t strides[3] = { 1, 1000003, INT64_C(1) << 52 };
    const int64_t n = (int64_t)EACH * mp_ranks, ten = 10;
    const drx_spec spec = { .ndim = 1, .type = DRX_INT64, .shape = &ten, .flags = DRX_REPLACE };
    int64_t here[EACH], there[EACH];
    drxmp_darray *from, *to;
    drxmp_array *a;
    struct dap_dim dim;
    int owner;

    assert_ok(drxmp_create(mp_comm, "ten", &spec, &a));
    for (int way = 0; way < 3; way++) {
        for (int64_t i = 0; i < EACH; i++) {
            here[i] = (mp_rank + mp_ranks * (EACH - 1 - i) - n / 2) * strides[way];
            there[i] = (((mp_rank * EACH + i) << way) % (n + 1) - n / 2) * strides[way]; /* not all of `here` */
        }
        assert_int_equal(dap_unstructured(n, EACH, here, DAP_DIM_ONE_TO_ONE, mp_ranks, mp_rank, &dim), DAP_OK);
        assert_ok(drxmp_darray_create(mp_comm, DRX_INT64, 1, &dim, DRX_ROW_MAJOR, &from));
        assert_int_equal(dap_unstructured(n, EACH, there, 0, mp_ranks, mp_rank, &dim), DAP_OK);
        assert_ok(drxmp_darray_create(mp_comm, DRX_INT64, 1, &dim, DRX_ROW_MAJOR, &to));
        for (int64_t i = 0; i < EACH; i++)
            ((int64_t *)drxmp_darray_local(from))[i] = here[i] + 1;
        assert_ok(drxmp_darray_redistribute(from, to));
        for (int64_t i = 0; i < EACH; i++) {
            const int64_t index = there[i] / strides[way] + n / 2;

            assert_int_equal(((int64_t *)drxmp_darray_local(to))[i], index < n ? there[i] + 1 : 0);
            if (index < n) {
                assert_ok(drxmp_darray_owner(from, &there[i], &owner));
                assert_int_equal(owner, index % mp_ranks);
            }
        }
        assert_status(drxmp_darray_write(from, a, NULL), DRX_ERANGE);
        assert_ok(drxmp_darray_free(from));
        assert_ok(drxmp_darray_free(to));
    }
    here[0] = INT64_C(1) << 62;
    assert_int_equal(dap_unstructured(n, 1, here, 0, mp_ranks, mp_rank, &dim), DAP_OK);
    assert_status(drxmp_darray_create(mp_comm, DRX_INT64, 1, &dim, DRX_ROW_MAJOR, &to), DRX_EOVERFLOW);
    assert_ok(drxmp_close(a));
}

/* ---- padding ---------------------------------------------------------------------------------- */

/* The index whose value is to be at index g of axis j: on a periodic axis those outside repeat those within. */
static int64_t image(const struct spread *s, int j, int64_t g)
{
    const struct dap_dim *first = &s->axis[j].set[0], *last = &s->axis[j].set[s->grid[j] - 1];
    const int64_t period = first->size - first->padding[0] - last->padding[1];

    if (!(first->flags & DAP_DIM_PERIODIC) || period <= 0)
        return g;
    while (g < first->padding[0])
        g += period;
    while (g >= first->size - last->padding[1])
        g -= period;
    return g;
}

static void refreshing_padding(void **state)
{
    static struct spread s;

    seed = mp_seed();
    for (int round = 0; round < 2 * ROUNDS; round++) {
        int64_t global[MOST_AXES], place;
        drxmp_darray *d;
        const int32_t *mem;

        draw_sizes();
        memset(model, -1, sizeof model);
        spread_draw(&seed, &s, ndim, size, "bbbc");
        d = make(&s);
        fill(d, &s, (int32_t)below(1 << 20));
        assert_ok(drxmp_darray_sync(d));
        mem = drxmp_darray_local(d);
        for (int64_t i = 0; i < spread_cells(&s, mp_rank); i++) {
            (void)spread_cell(&s, mp_rank, i, global, &place);
            for (int j = 0; j < ndim; j++)
                global[j] = image(&s, j, global[j]);
            assert_int_equal(mem[place], model[at(global)]);
        }
        assert_ok(drxmp_darray_free(d));
    }
}

/* ---- owners ----------------------------------------------------------------------------------- */

/* Everyone agrees with the model on who owns what. */
static void owners(void **state)
{
    static struct spread s;

    seed = mp_seed();
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t sizes[2] = { 1 + below(MOST_INDICES), 1 + below(MOST_INDICES) };
        int64_t global[MOST_AXES], place;
        drxmp_darray *d;
        int owner;

        spread_draw(&seed, &s, 2, sizes, "bcup");
        d = make(&s);
        for (int rank = 0; rank < mp_ranks; rank++)
            for (int64_t i = 0; i < spread_cells(&s, rank); i++)
                if (spread_cell(&s, rank, i, global, &place).owned) {
                    assert_ok(drxmp_darray_owner(d, global, &owner));
                    assert_int_equal(owner, rank);
                }
        assert_status(drxmp_darray_owner(d, (int64_t[]){ sizes[0], 0 }, &owner), DRX_ERANGE);
        assert_status(drxmp_darray_owner(d, (int64_t[]){ 0, -1 }, &owner), DRX_ERANGE);
        assert_ok(drxmp_darray_free(d));
    }
}

MP_SUITE(test_mp_darray, cmocka_unit_test(writing_and_reading), cmocka_unit_test(redistributing),
         cmocka_unit_test(redistributing_in_pieces), cmocka_unit_test(indices_of_any_kind),
         cmocka_unit_test(refreshing_padding), cmocka_unit_test(owners))
