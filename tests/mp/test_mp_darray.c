/* Writes random distributed arrays to arrays and reads them back, against a plain array in memory. */
#include "mp_spread.h"

enum { ROUNDS = 25, MOST_BOUND = MOST_INDICES + 10 };

static int ndim;
static int64_t shape[MOST_AXES], lo[MOST_AXES], size[MOST_AXES];
static int32_t model[MOST_BOUND * MOST_BOUND * MOST_BOUND], whole[MOST_BOUND * MOST_BOUND * MOST_BOUND];
static struct spread s;

/* Where an element of the darray is in the model, which is row-major. */
static int64_t at(const int64_t global[])
{
    int64_t place = 0;

    for (int j = 0; j < ndim; j++)
        place = place * shape[j] + lo[j] + global[j];
    return place;
}

/* A darray of a new random distribution. */
static drxmp_darray *draw(const char *kinds)
{
    drxmp_darray *d;

    spread_draw(&s, ndim, size, kinds);
    d = spread_darray(&s, DRX_INT32);
    for (int j = 0; j < ndim; j++) {
        struct dap_dim dims[MOST_AXES];

        spread_dims(&s, mp_rank, dims);
        assert_int_equal(drxmp_darray_dims(d)[j].start, dims[j].start);
        assert_int_equal(drxmp_darray_dims(d)[j].n_indices, dims[j].n_indices);
    }
    return d;
}

/* What is owned gets new values, here and, for all ranks, in the model; what is not gets others. */
static void fill(drxmp_darray *d)
{
    int32_t *mem = drxmp_darray_local(d);
    const int32_t first = (int32_t)mp_below(1 << 20);
    int64_t global[MOST_AXES], place;

    for (int rank = 0; rank < mp_ranks; rank++)
        for (int64_t i = 0; i < spread_cells(&s, rank); i++) {
            const struct cell c = spread_cell(&s, rank, i, global, &place);
            const int32_t value = first + (int32_t)at(global);

            if (rank == mp_rank)
                mem[place] = c.owned ? value : -1 - value;
            if (c.owned)
                model[at(global)] = value;
        }
}

/* The index whose value is to be at index g of axis j: on a periodic axis those outside repeat those within. */
static int64_t image(int j, int64_t g)
{
    const struct dap_dim *first = &s.axis[j].set[0], *last = &s.axis[j].set[s.grid[j] - 1];
    const int64_t period = first->size - first->padding[0] - last->padding[1];

    if (!(first->flags & DAP_DIM_PERIODIC) || period <= 0)
        return g;
    while (g < first->padding[0])
        g += period;
    while (g >= first->size - last->padding[1])
        g -= period;
    return g;
}

/* Each cell is as in the model, in the padding of a periodic axis as at its image there if so. */
static void check(drxmp_darray *d, bool repeats)
{
    const int32_t *mem = drxmp_darray_local(d);
    int64_t global[MOST_AXES], place;

    for (int64_t i = 0; i < spread_cells(&s, mp_rank); i++) {
        (void)spread_cell(&s, mp_rank, i, global, &place);
        for (int j = 0; repeats && j < ndim; j++)
            global[j] = image(j, global[j]);
        if (mem[place] != model[at(global)])
            print_error("rank %d: axis 0: index %d is %d, expected %d\n", mp_rank, (int)global[0], (int)mem[place],
                        (int)model[at(global)]);
        assert_int_equal(mem[place], model[at(global)]);
    }
}

static void draw_sizes(bool within)
{
    ndim = 1 + (int)mp_below(MOST_AXES);
    for (int j = 0; j < ndim; j++) {
        size[j] = mp_below(12) ? 1 + mp_below(ndim == 1 ? MOST_INDICES : 25) : 0;
        lo[j] = within ? mp_below(10) : 0;
        shape[j] = lo[j] + size[j] + (within ? mp_below(2) * mp_below(6) : 0);
    }
}

static drxmp_array *begin(void)
{
    const int32_t value = 7;
    drx_spec spec = { .type = DRX_INT32, .shape = shape, .fill = &value, .flags = DRX_REPLACE };
    int64_t chunk[MOST_AXES], n = 1;

    draw_sizes(true);
    for (int j = 0; j < ndim; j++) {
        chunk[j] = 1 + mp_below(9);
        n *= shape[j];
    }
    for (int64_t i = 0; i < n; i++)
        model[i] = value;
    spec.ndim = ndim;
    spec.chunk = chunk;
    spec.chunk_order = mp_any_order();
    spec.codec = mp_below(2) ? DRX_LZ4 : DRX_RAW;
    return mp_create("spread", &spec);
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

TEST(writing_and_reading)
{
    for (int round = 0; round < mp_rounds(ROUNDS); round++) {
        drxmp_array *a = begin();

        for (int i = 0; i < 2; i++) {
            drxmp_darray *d;

            assert_ok(mp_set_any(a));
            d = draw("bcup");
            fill(d);
            assert_ok(drxmp_darray_write(d, a, lo));
            check_file(a);
            assert_ok(drxmp_darray_free(d));
            d = draw("bcup");
            assert_ok(drxmp_darray_read(d, a, lo));
            check(d, false);
            assert_ok(drxmp_darray_free(d));
        }
        assert_ok(drxmp_close(a));
    }
}

/* What nobody owns stays as it is: -1 in the model, and in the target. */
TEST(redistributing)
{
    for (int round = 0; round < mp_rounds(2 * ROUNDS); round++) {
        drxmp_darray *from, *to;
        int64_t global[MOST_AXES], place;

        draw_sizes(false);
        memset(model, -1, sizeof model);
        from = draw("bcup");
        fill(from);
        to = draw("bcup");
        for (int64_t i = 0; i < spread_cells(&s, mp_rank); i++) {
            (void)spread_cell(&s, mp_rank, i, global, &place);
            ((int32_t *)drxmp_darray_local(to))[place] = -1;
        }
        assert_ok(drxmp_darray_redistribute(from, to));
        check(to, false);
        assert_ok(drxmp_darray_free(from));
        assert_ok(drxmp_darray_free(to));
    }
}

/* Boxes between darrays of unlike sizes: element i of the box in one becomes element i of it in the other, the rest
 * stays -1. */
TEST(redistributing_boxes)
{
    for (int round = 0; round < 2 * ROUNDS; round++) {
        int64_t source[MOST_AXES], target[MOST_AXES], count[MOST_AXES], sizes[MOST_AXES], global[MOST_AXES], place;
        const bool whole_of_both = mp_below(4) == 0;
        drxmp_darray *from, *to;

        draw_sizes(false);
        memset(model, -1, sizeof model);
        from = draw("bcup");
        fill(from);
        memcpy(sizes, size, sizeof sizes);
        for (int j = 0; j < ndim; j++) {
            size[j] = mp_below(12) ? 1 + mp_below(25) : 0;
            source[j] = whole_of_both ? 0 : mp_below(sizes[j] + 1);
            target[j] = whole_of_both ? 0 : mp_below(size[j] + 1);
            count[j] = sizes[j] - source[j] < size[j] - target[j] ? sizes[j] - source[j] : size[j] - target[j];
            if (!whole_of_both && count[j] > 0 && mp_below(2))
                count[j] = mp_below(count[j] + 1);
        }
        to = draw("bcup");
        for (int64_t i = 0; i < spread_cells(&s, mp_rank); i++) {
            (void)spread_cell(&s, mp_rank, i, global, &place);
            ((int32_t *)drxmp_darray_local(to))[place] = -1;
        }
        if (whole_of_both)
            assert_ok(drxmp_darray_redistribute_box(from, NULL, to, NULL, NULL));
        else
            assert_ok(drxmp_darray_redistribute_box(from, source, to, target, count));
        for (int64_t i = 0; i < spread_cells(&s, mp_rank); i++) {
            bool inside = true;

            (void)spread_cell(&s, mp_rank, i, global, &place);
            for (int j = 0; j < ndim; j++) {
                inside = inside && global[j] >= target[j] && global[j] < target[j] + count[j];
                global[j] += source[j] - target[j];
            }
            assert_int_equal(((int32_t *)drxmp_darray_local(to))[place], inside ? model[at(global)] : -1);
        }
        assert_ok(drxmp_darray_free(from));
        assert_ok(drxmp_darray_free(to));
    }
}

/* More than a piece can hold, also of a row; the least buffer there is. */
TEST(redistributing_in_pieces)
{
    const int64_t sizes[2][2] = { { 300, 211 }, { 3, 50001 } };

    (void)setenv("DRXMP_BUFFER", "65536", 1);
    for (int i = 0; i < 2; i++) {
        const struct dap_dim by_rows[2] = { mp_block(sizes[i][0]), mp_undistributed(sizes[i][1]) };
        const struct dap_dim by_columns[2] = { mp_undistributed(sizes[i][0]), mp_cyclic(sizes[i][1], 3) };
        drxmp_darray *rows = mp_darray(DRX_INT64, 2, by_rows, DRX_COL_MAJOR);
        drxmp_darray *columns = mp_darray(DRX_INT64, 2, by_columns, DRX_ROW_MAJOR);
        int64_t *mem = drxmp_darray_local(rows);

        for (int64_t x = 0; x < sizes[i][1]; x++)
            for (int64_t y = by_rows[0].start; y < by_rows[0].stop; y++)
                *mem++ = y * 1000000 + x;
        assert_ok(drxmp_darray_redistribute(rows, columns));
        mem = drxmp_darray_local(columns);
        for (int64_t y = 0; y < sizes[i][0]; y++)
            for (int64_t local = 0; local < dap_num_local(&by_columns[1]); local++) {
                int64_t x;

                assert_int_equal(dap_local_to_global(&by_columns[1], local, &x), DAP_OK);
                assert_int_equal(*mem, y * 1000000 + x);
                mem++;
            }
        assert_ok(drxmp_darray_free(rows));
        assert_ok(drxmp_darray_free(columns));
    }
}

/* Indices far apart, and below 0, in steps or in none; no array could hold them. */
TEST(indices_of_any_kind)
{
    enum { EACH = 50 };
    static const int64_t strides[3] = { 1, 1000003, INT64_C(1) << 52 };
    const int64_t n = (int64_t)EACH * mp_ranks, ten = 10;
    drxmp_array *a = mp_create("ten", &(drx_spec){ .ndim = 1, .type = DRX_INT64, .shape = &ten });
    int64_t here[EACH], there[EACH];
    drxmp_darray *from, *to;
    struct dap_dim dim;
    int owner;

    for (int way = 0; way < 3; way++) {
        for (int64_t i = 0; i < EACH; i++) {
            here[i] = (mp_rank + mp_ranks * (EACH - 1 - i) - n / 2) * strides[way];
            there[i] = (((mp_rank * EACH + i) << way) % (n + 1) - n / 2) * strides[way]; /* not all of `here` */
        }
        dim = mp_listed(n, EACH, here, DAP_DIM_ONE_TO_ONE);
        from = mp_darray(DRX_INT64, 1, &dim, DRX_ROW_MAJOR);
        dim = mp_listed(n, EACH, there, 0);
        to = mp_darray(DRX_INT64, 1, &dim, DRX_ROW_MAJOR);
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
    dim = mp_listed(n, 1, here, 0);
    assert_status(drxmp_darray_create(mp_comm, DRX_INT64, 1, &dim, DRX_ROW_MAJOR, &to), DRX_EOVERFLOW);
    assert_ok(drxmp_close(a));
}

TEST(refreshing_padding)
{
    for (int round = 0; round < mp_rounds(2 * ROUNDS); round++) {
        drxmp_darray *d;

        draw_sizes(false);
        memset(model, -1, sizeof model);
        d = draw("bbbc");
        fill(d);
        assert_ok(drxmp_darray_sync(d));
        check(d, true);
        assert_ok(drxmp_darray_free(d));
    }
}

/* Everyone agrees with the model on who owns what. */
TEST(owners)
{
    for (int round = 0; round < mp_rounds(ROUNDS); round++) {
        int64_t global[MOST_AXES], place;
        drxmp_darray *d;
        int owner;

        ndim = 2;
        size[0] = 1 + mp_below(MOST_INDICES);
        size[1] = 1 + mp_below(MOST_INDICES);
        d = draw("bcup");
        for (int rank = 0; rank < mp_ranks; rank++)
            for (int64_t i = 0; i < spread_cells(&s, rank); i++)
                if (spread_cell(&s, rank, i, global, &place).owned) {
                    assert_ok(drxmp_darray_owner(d, global, &owner));
                    assert_int_equal(owner, rank);
                }
        assert_status(drxmp_darray_owner(d, (int64_t[]){ size[0], 0 }, &owner), DRX_ERANGE);
        assert_status(drxmp_darray_owner(d, (int64_t[]){ 0, -1 }, &owner), DRX_ERANGE);
        assert_ok(drxmp_darray_free(d));
    }
}
