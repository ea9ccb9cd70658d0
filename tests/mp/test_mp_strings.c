/* Darrays whose elements have sizes that are no powers of two, as fixed strings have, against a formula. Arrays of
 * them: tests/mp/model. */
#include "mp_spread.h"

enum { ROUNDS = 25, MOST_SIDE = 30, MOST_ITEM = 320 };

static drx_type type;
static size_t item;
static int64_t shape[2];
static uint8_t plane[MOST_SIDE * MOST_SIDE * MOST_ITEM];

static void set_element(int64_t i, int64_t j, int version, uint8_t *to)
{
    uint32_t x = (uint32_t)(i * 1009 + j * 9176 + version * 77);

    for (size_t k = 0; k < item; k++) {
        x = x * 1664525 + 1013904223;
        to[k] = (uint8_t)(x >> 24);
    }
}

static void check_element(int64_t i, int64_t j, int version, const uint8_t *have)
{
    uint8_t want[MOST_ITEM];

    set_element(i, j, version, want);
    assert_memory_equal(have, want, item);
}

/* The whole plane in that order, contiguously. */
static void set_plane(int version, drx_order order)
{
    for (int64_t i = 0; i < shape[0]; i++)
        for (int64_t j = 0; j < shape[1]; j++)
            set_element(i, j, version,
                        plane + item * (size_t)(order == DRX_ROW_MAJOR ? i * shape[1] + j : j * shape[0] + i));
}

static void check_plane(int version, drx_order order)
{
    for (int64_t i = 0; i < shape[0]; i++)
        for (int64_t j = 0; j < shape[1]; j++)
            check_element(i, j, version,
                          plane + item * (size_t)(order == DRX_ROW_MAJOR ? i * shape[1] + j : j * shape[0] + i));
}

static void draw(void)
{
    static const int bytes[] = { 3, 12, 13, 24, 300 };

    type = mp_below(4) ? DRX_BYTES(bytes[mp_below(5)]) : DRX_UNICODE(5);
    item = drx_type_size(type);
    for (int j = 0; j < 2; j++)
        shape[j] = 1 + mp_below(MOST_SIDE);
}

static drxmp_array *make(void)
{
    static const uint8_t fill[MOST_ITEM] = { 1 };
    const int64_t chunk[2] = { 1 + mp_below(9), 1 + mp_below(9) };
    drx_spec spec = { .ndim = 2, .type = type, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };

    spec.chunk_order = mp_any_order();
    if (mp_below(2))
        spec.fill = fill;
    if (mp_below(3) == 0)
        spec.codec = DRX_LZ4;
    else if (mp_below(2))
        spec.flags |= DRX_CHECKSUM;
    if (!spec.codec)
        spec.align = mp_below(2) ? 64 : 1;
    return mp_create("strings", &spec);
}

static struct dap_dim any_dim(int64_t size)
{
    return mp_below(2) ? mp_block(size) : mp_cyclic(size, 1 + mp_below(4));
}

/* A darray with one axis distributed, in any way. */
static drxmp_darray *any_darray(struct dap_dim dims[2], drx_order order)
{
    const int axis = (int)mp_below(2);

    dims[axis] = any_dim(shape[axis]);
    dims[!axis] = mp_undistributed(shape[!axis]);
    return mp_darray(type, 2, dims, order);
}

static uint8_t *cell(drxmp_darray *d, const struct dap_dim dims[2], drx_order order, int64_t i, int64_t j)
{
    const int64_t rows = dap_num_local(&dims[0]), columns = dap_num_local(&dims[1]);

    return (uint8_t *)drxmp_darray_local(d) + item * (size_t)(order == DRX_ROW_MAJOR ? i * columns + j : j * rows + i);
}

static void visit(drxmp_darray *d, const struct dap_dim dims[2], drx_order order, int version, bool set)
{
    int64_t global[2];

    for (int64_t i = 0; i < dap_num_local(&dims[0]); i++)
        for (int64_t j = 0; j < dap_num_local(&dims[1]); j++) {
            assert_int_equal(dap_local_to_global(&dims[0], i, &global[0]), DAP_OK);
            assert_int_equal(dap_local_to_global(&dims[1], j, &global[1]), DAP_OK);
            if (set)
                set_element(global[0], global[1], version, cell(d, dims, order, i, j));
            else
                check_element(global[0], global[1], version, cell(d, dims, order, i, j));
        }
}

TEST(string_darrays)
{
    const int64_t zero[2] = { 0, 0 };

    for (int round = 0; round < mp_rounds(ROUNDS); round++) {
        const drx_order orders[2] = { mp_any_order(), mp_any_order() };
        struct dap_dim dims[2][2];
        struct dap_array exported;
        drxmp_darray *d[2];
        drxmp_array *a;
        char format[16];

        draw();
        a = make();
        for (int k = 0; k < 2; k++)
            d[k] = any_darray(dims[k], orders[k]);
        visit(d[0], dims[0], orders[0], round, true);
        assert_ok(drxmp_darray_write(d[0], a, zero));
        assert_ok(drxmp_darray_read(d[1], a, zero));
        visit(d[1], dims[1], orders[1], round, false);
        visit(d[0], dims[0], orders[0], round + 1, true);
        assert_ok(drxmp_darray_redistribute(d[0], d[1]));
        visit(d[1], dims[1], orders[1], round + 1, false);
        (void)MPI_Barrier(mp_comm);
        memset(plane, 0, sizeof plane);
        assert_ok(drxmp_darray_get(d[0], zero, shape, DRX_COL_MAJOR, plane));
        check_plane(round + 1, DRX_COL_MAJOR);
        (void)MPI_Barrier(mp_comm);
        set_plane(round + 2, DRX_COL_MAJOR);
        if (mp_rank == 0)
            assert_ok(drxmp_darray_put(d[0], zero, shape, DRX_COL_MAJOR, plane));
        (void)MPI_Barrier(mp_comm);
        visit(d[0], dims[0], orders[0], round + 2, false);
        assert_fails(drxmp_darray_acc(d[0], zero, shape, DRX_ROW_MAJOR, NULL, plane), DRX_EINVAL,
                     "have no sums, expected a type of numbers");
        assert_fails(drxmp_darray_fetch_add(d[0], zero, 1, NULL), DRX_EINVAL, drx_type_name(type));
        assert_ok(drxmp_darray_dap(d[0], &exported));
        snprintf(format, sizeof format, "%zu%c", DRX_IS_BYTES(type) ? item : item / 4, DRX_IS_BYTES(type) ? 's' : 'w');
        assert_string_equal(exported.format, format);
        dap_release(&exported);
        for (int k = 0; k < 2; k++)
            assert_ok(drxmp_darray_free(d[k]));
        assert_ok(drxmp_close(a));
    }
}
