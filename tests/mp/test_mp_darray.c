/* Random distributed arrays, written to and read from arrays, against a plain array in memory. */
#include "mp_spread.h"

enum { ROUNDS = 40, MOST_BOUND = MOST_INDICES + 10 };

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
    assert_ok(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, s->ndim, dims, s->order, &d));
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
    assert_ok(drxmp_create(MPI_COMM_WORLD, "spread", &spec, &a));
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
    (void)MPI_Barrier(MPI_COMM_WORLD);
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
                    assert_ok(drxmp_owner(d, global, &owner));
                    assert_int_equal(owner, rank);
                }
        assert_status(drxmp_owner(d, (int64_t[]){ sizes[0], 0 }, &owner), DRX_ERANGE);
        assert_status(drxmp_owner(d, (int64_t[]){ 0, -1 }, &owner), DRX_ERANGE);
        assert_ok(drxmp_darray_free(d));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(writing_and_reading), cmocka_unit_test(owners) };

    return mp_main(tests);
}
