/* Ghosts of distributed arrays are refreshed and added, against a model that has the cells of all ranks. */
#include "mp_spread.h"

enum { ROUNDS = 60, STEPS = 8 };

static struct spread s;
static drx_type type;
static int64_t cells[MOST_RANKS][MOST_CELLS]; /* what each rank has, by cell */
static int64_t sources[MOST_CELLS];

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

/* The source of a cell; whether the cell is it. */
static bool find_source(int rank, int64_t i, int64_t *source)
{
    int64_t global[MOST_AXES], place;
    bool same = spread_cell(&s, rank, i, global, &place).owned;

    *source = 0;
    for (int j = 0; j < s.ndim; j++) {
        same = same && image(j, global[j]) == global[j];
        *source = *source * s.size[j] + image(j, global[j]);
    }
    return same;
}

static bool is_integer(void)
{
    return type <= DRX_UINT64;
}

/* What a number becomes in an element. */
static void set_element(void *element, int64_t value)
{
    const float f[2] = { (float)value, -2 * (float)value };
    const double d[2] = { (double)value, -2 * (double)value };

    if (type == DRX_FLOAT16)
        assert_ok(drx_convert(DRX_INT64, &value, type, element, 1, DRX_EXACT));
    else if (type == DRX_FLOAT32 || type == DRX_COMPLEX64)
        memcpy(element, f, drx_type_size(type));
    else if (type == DRX_FLOAT64 || type == DRX_COMPLEX128)
        memcpy(element, d, drx_type_size(type));
    else
        memcpy(element, &value, drx_type_size(type)); /* little-endian */
}

/* Run over all cells of all ranks, or of one: take the values of the sources, add to them, or give them. */
enum visit { TAKE, ADD, GIVE };

static void visit(enum visit what)
{
    for (int rank = 0; rank < mp_ranks; rank++)
        for (int64_t i = 0; i < spread_cells(&s, rank); i++) {
            int64_t at;
            const bool same = find_source(rank, i, &at);

            if (what == TAKE && same)
                sources[at] = cells[rank][i];
            else if (what == ADD)
                sources[at] = (int64_t)((uint64_t)sources[at] + (uint64_t)cells[rank][i]);
            else if (what == GIVE)
                cells[rank][i] = sources[at];
        }
}

static void fill(drxmp_darray *d)
{
    uint8_t *mem = drxmp_darray_local(d);
    int64_t global[MOST_AXES], place;

    for (int rank = 0; rank < mp_ranks; rank++)
        for (int64_t i = 0; i < spread_cells(&s, rank); i++) {
            const int64_t value = mp_below(INT64_MAX);

            cells[rank][i] = is_integer() ? value : value % 10;
            if (rank != mp_rank)
                continue;
            (void)spread_cell(&s, rank, i, global, &place);
            set_element(mem + place * (int64_t)drx_type_size(type), cells[rank][i]);
        }
}

static void check(drxmp_darray *d)
{
    const uint8_t *mem = drxmp_darray_local(d);
    int64_t global[MOST_AXES], place;
    uint8_t expected[16];

    for (int64_t i = 0; i < spread_cells(&s, mp_rank); i++) {
        (void)spread_cell(&s, mp_rank, i, global, &place);
        set_element(expected, cells[mp_rank][i]);
        assert_memory_equal(mem + place * (int64_t)drx_type_size(type), expected, drx_type_size(type));
    }
}

/* How ranks reach each other, and the buffer. */
static void draw_environment(void)
{
    static const char *const ways[] = { "direct", "off", "1", "2", "3" };

    (void)setenv("DRXMP_ONESIDED", ways[mp_below(5)], 1);
    (void)setenv("DRXMP_BUFFER", mp_below(2) ? "65536" : "33554432", 1);
}

static drxmp_darray *draw(const char *kinds)
{
    static const int64_t most[MOST_AXES] = { MOST_INDICES, 16, 9 };
    const int ndim = 1 + (int)mp_below(MOST_AXES);
    int64_t size[MOST_AXES];

    for (int j = 0; j < ndim; j++)
        size[j] = mp_below(12) ? 1 + mp_below(most[ndim - 1]) : 0;
    type = (drx_type)(DRX_INT8 + mp_below(DRX_FLOAT16 - DRX_INT8 + 1));
    draw_environment();
    spread_draw(&s, ndim, size, kinds);
    return spread_darray(&s, type);
}

TEST(histories)
{
    for (int round = 0; round < mp_rounds(ROUNDS); round++) {
        drxmp_darray *d = draw(mp_below(2) ? "bcup" : "bpp");
        bool filled = true; /* since the last sum, so that numbers stay small */

        fill(d);
        for (int step = 0; step < STEPS; step++) {
            const int64_t what = mp_below(3);

            if (what == 0 || (what == 2 && !filled)) {
                fill(d);
                filled = true;
            } else if (what == 1) {
                assert_ok(drxmp_darray_sync(d));
                visit(TAKE);
                visit(GIVE);
            } else {
                memset(sources, 0, sizeof sources);
                assert_ok(drxmp_darray_sync_add(d));
                visit(ADD);
                visit(GIVE);
                filled = false;
            }
            check(d);
        }
        assert_ok(drxmp_darray_free(d));
    }
}

/* Every rank holds everything, so that the lowest owns it; numbers whose sum depends on the order. */
enum { ROWS = 97, COLUMNS = 41 };

static double number(int rank, int64_t i)
{
    return (double)((i * 7919 + rank * 104729) % 1000003) / (rank % 3 ? 3 : 70000);
}

static drxmp_darray *hold_all(int64_t indices[ROWS])
{
    struct dap_dim dims[2] = { { 0 }, mp_undistributed(COLUMNS) };

    for (int64_t i = 0; i < ROWS; i++)
        indices[i] = (i * 31 + mp_rank * 17) % ROWS * 5 - 100; /* each in an order of its own */
    dims[0] = mp_listed(ROWS, ROWS, indices, 0);
    return mp_darray(DRX_FLOAT64, 2, dims, DRX_ROW_MAJOR);
}

/* The sums begin with the owner's value, and the others come in the order of ranks, however elements move. */
TEST(order_of_sums)
{
    static const char *const ways[] = { "direct", "off", "1", "2", "3", "rma" };

    for (int way = 0; way < 6; way++) {
        int64_t indices[ROWS];
        drxmp_darray *d;
        double *mem;

        (void)setenv("DRXMP_ONESIDED", ways[way], 1);
        (void)setenv("DRXMP_BUFFER", way % 2 ? "65536" : "1000000", 1);
        d = hold_all(indices);
        mem = drxmp_darray_local(d);
        for (int64_t i = 0; i < ROWS * COLUMNS; i++)
            mem[i] = number(mp_rank, indices[i / COLUMNS] * COLUMNS + i % COLUMNS + 10000);
        assert_ok(drxmp_darray_sync_add(d));
        for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
            double sum = 0;

            for (int rank = 0; rank < mp_ranks; rank++)
                sum += number(rank, indices[i / COLUMNS] * COLUMNS + i % COLUMNS + 10000);
            assert_memory_equal(&mem[i], &sum, sizeof sum);
        }
        assert_ok(drxmp_darray_free(d));
    }
}

/* More than a piece can hold, also of a row, with one rank that comes late. */
TEST(many_pieces)
{
    enum { MANY = 40000 };
    static int64_t indices[MANY];
    struct dap_dim dim;
    drxmp_darray *d;
    int32_t *mem;

    (void)setenv("DRXMP_BUFFER", "65536", 1);
    (void)setenv("DRXMP_ONESIDED", "1", 1);
    for (int64_t i = 0; i < MANY; i++)
        indices[i] = mp_rank % 2 ? i : (i * 7) % MANY; /* 7 and MANY have no common divisor */
    dim = mp_listed(MANY, MANY, indices, 0);
    d = mp_darray(DRX_INT32, 1, &dim, DRX_ROW_MAJOR);
    mem = drxmp_darray_local(d);
    for (int round = 0; round < 3; round++) {
        for (int64_t i = 0; i < MANY; i++)
            mem[i] = (int32_t)(indices[i] * (mp_rank + 1)) + round;
        if (mp_rank == mp_ranks - 1)
            (void)usleep(20000);
        assert_ok(drxmp_darray_sync_add(d));
        for (int64_t i = 0; i < MANY; i++)
            assert_int_equal(mem[i], (int32_t)(indices[i] * mp_ranks * (mp_ranks + 1) / 2) + round * mp_ranks);
    }
    assert_ok(drxmp_darray_free(d));
}

/* ---- imported sections ------------------------------------------------------------------------------------- */

/* Memory that runs backwards, with gaps: of the 6 indices each rank shares 2 with the next one, the last with the
 * first. Element [i, j] is at 40 - 3 * i + 20 * j. */
struct foreign {
    int64_t shape[2], strides[2], indices[6];
    struct dap_dim dims[2];
    int16_t mem[100];
};

static void release(struct dap_array *a)
{
    a->release = NULL;
}

static int16_t *element(struct foreign *f, int64_t i, int64_t j)
{
    return &f->mem[40 - 3 * i + 20 * j];
}

static struct dap_array export_foreign(struct foreign *f)
{
    *f = (struct foreign){ .shape = { 6, 3 }, .strides = { -6, 40 } };
    for (int64_t i = 0; i < 6; i++)
        f->indices[i] = (4 * mp_rank + i) % (4 * mp_ranks + 2 * (mp_ranks == 1));
    f->dims[0] = mp_listed(6 * mp_ranks, 6, f->indices, 0);
    f->dims[1] = mp_undistributed(3);
    return (struct dap_array){ .abi_major = DAP_ABI_MAJOR,
                               .release = release,
                               .version = { DAP_VERSION_MAJOR, DAP_VERSION_MINOR, DAP_VERSION_PATCH },
                               .ndim = 2,
                               .device_type = DAP_HOST,
                               .data = element(f, 0, 0),
                               .itemsize = 2,
                               .format = "h",
                               .shape = f->shape,
                               .strides = f->strides,
                               .dims = f->dims,
                               .dim_stride = sizeof f->dims[0] };
}

TEST(imported_sections)
{
    static struct foreign f;
    struct dap_array in = export_foreign(&f);
    drxmp_darray *d;

    memset(f.mem, -1, sizeof f.mem);
    for (int64_t i = 0; i < 6; i++)
        for (int64_t j = 0; j < 3; j++)
            *element(&f, i, j) = (int16_t)(100 * f.indices[i] + j);
    assert_ok(drxmp_darray_from_dap(mp_comm, &in, &d));
    assert_ok(drxmp_darray_sync_add(d));
    for (int64_t i = 0; i < 6; i++)
        for (int64_t j = 0; j < 3; j++) {
            const bool twice = mp_ranks > 1 && f.indices[i] % 4 < 2;

            assert_int_equal(*element(&f, i, j), (100 * f.indices[i] + j) * (twice ? 2 : 1));
            assert_int_equal(element(&f, i, j)[1], -1); /* a gap */
        }
    assert_ok(drxmp_darray_free(d));
}

/* One rank alone has a section that nobody may write to. Whether it has ghosts, or only what others copy. */
TEST(imported_to_read)
{
    static struct foreign f;

    for (int culprit = 0; culprit < mp_ranks; culprit++) {
        struct dap_array in = export_foreign(&f);
        drxmp_darray *d;

        in.flags = mp_rank == culprit ? DAP_READ_ONLY : 0;
        assert_ok(drxmp_darray_from_dap(mp_comm, &in, &d));
        assert_status(drxmp_darray_sync(d), culprit > 0 ? DRX_EACCES : DRX_OK); /* rank 0 owns what it holds */
        assert_status(drxmp_darray_sync_add(d), mp_ranks > 1 ? DRX_EACCES : DRX_OK);
        assert_ok(drxmp_darray_free(d));
    }
}

TEST(wrong_calls)
{
    drxmp_darray *d = mp_blocks(DRX_INT32, 40);

    assert_status(drxmp_darray_sync(NULL), DRX_EINVAL);
    assert_status(drxmp_darray_sync_add(NULL), DRX_EINVAL);
    assert_ok(drxmp_darray_sync_add(d)); /* nothing to add */
    if (mp_ranks > 1)
        assert_status(mp_rank ? drxmp_darray_sync_add(d) : drxmp_darray_sync(d), DRX_EMISMATCH);
    assert_ok(drxmp_darray_sync(d));
    assert_ok(drxmp_darray_free(d));
}

/* What the ranks read from an array and what they get from another distribution reaches ghosts, too; what they put does
 * with the next refresh. */
TEST(other_calls)
{
    int64_t indices[ROWS];
    drxmp_darray *d = hold_all(indices), *from;
    const struct dap_dim whole[2] = { mp_cyclic(ROWS, 2), mp_undistributed(COLUMNS) };
    double *mem = drxmp_darray_local(d), value = 7;
    const int64_t one[2] = { 1, 1 };
    int64_t at[2] = { indices[3], 5 };

    from = mp_darray(DRX_FLOAT64, 2, whole, DRX_ROW_MAJOR);
    for (int64_t i = 0; i < dap_num_local(&whole[0]) * COLUMNS; i++)
        ((double *)drxmp_darray_local(from))[i] = 1;
    assert_ok(drxmp_darray_redistribute(from, d));
    for (int64_t i = 0; i < ROWS; i++)
        assert_true(mem[i * COLUMNS] == (indices[i] >= 0 && indices[i] < ROWS ? 1 : 0));
    assert_ok(drxmp_darray_sync(d));
    if (mp_rank == mp_ranks - 1)
        assert_ok(drxmp_darray_put(d, at, one, DRX_ROW_MAJOR, &value));
    assert_ok(drxmp_darray_sync(d));
    (void)MPI_Bcast(at, 2, MPI_INT64_T, mp_ranks - 1, mp_comm);
    for (int64_t i = 0; i < ROWS; i++)
        assert_true(indices[i] != at[0] || mem[i * COLUMNS + 5] == 7);
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(from));
}
