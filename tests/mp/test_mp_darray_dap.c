/* Distributed arrays and the Distributed Array Protocol: exports that are valid together, and imports. */
#include "mp_spread.h"

/* What this rank's export says, for all: rank 0 judges them together. */
static void check_together(const struct dap_array *mine)
{
    enum { WIDTH = 1 + 2 * MOST_AXES };
    static struct dap_dim dims[MOST_RANKS * MOST_AXES];
    static int64_t wire[MOST_RANKS * WIDTH], indices[MOST_RANKS * MOST_AXES][MOST_INDICES];
    const int ndim = mine->ndim;
    struct dap_array all[MOST_RANKS];
    const struct dap_array *each[MOST_RANKS];
    int64_t told[WIDTH] = { mine->itemsize };
    struct dap_dim sent[MOST_AXES];
    char why[512];

    for (int j = 0; j < ndim; j++) {
        sent[j] = *dap_dim_at(mine, j);
        told[1 + j] = mine->shape[j];
        told[1 + MOST_AXES + j] = mine->strides[j];
    }
    (void)MPI_Allgather(sent, ndim * (int)sizeof *sent, MPI_BYTE, dims, ndim * (int)sizeof *sent, MPI_BYTE, mp_comm);
    (void)MPI_Allgather(told, WIDTH, MPI_INT64_T, wire, WIDTH, MPI_INT64_T, mp_comm);
    for (int rank = 0; rank < mp_ranks; rank++) {
        for (int j = 0; j < ndim; j++) {
            struct dap_dim *d = &dims[rank * ndim + j];

            if (d->dist_type != 'u')
                continue;
            if (rank == mp_rank && d->n_indices > 0)
                memcpy(indices[rank * ndim + j], dap_dim_at(mine, j)->indices, (size_t)d->n_indices * sizeof **indices);
            (void)MPI_Bcast(indices[rank * ndim + j], (int)d->n_indices, MPI_INT64_T, rank, mp_comm);
            d->indices = indices[rank * ndim + j];
        }
        all[rank] = *mine;
        all[rank].itemsize = wire[rank * WIDTH];
        all[rank].shape = wire + rank * WIDTH + 1;
        all[rank].strides = wire + rank * WIDTH + 1 + MOST_AXES;
        all[rank].dims = dims + rank * ndim;
        all[rank].data = (void *)wire; /* somewhere */
        each[rank] = &all[rank];
    }
    if (dap_validate_set(each, mp_ranks, why, sizeof why) != DAP_OK)
        print_error("%s\n", why);
    assert_int_equal(dap_validate_set(each, mp_ranks, why, sizeof why), DAP_OK);
}

TEST(exporting)
{
    static struct spread s;

    for (int round = 0; round < 40; round++) {
        const drx_type type = (drx_type)(DRX_INT8 + round % (DRX_BOOL - DRX_INT8 + 1));
        const int64_t size[MOST_AXES] = { mp_below(20), mp_below(20), mp_below(20) };
        struct dap_array out, moved;
        drxmp_darray *d;
        char why[512];

        spread_draw(&s, 1 + (int)mp_below(MOST_AXES), size, "bcup");
        d = spread_darray(&s, type);
        assert_ok(drxmp_darray_dap(d, &out));
        assert_int_equal(dap_validate(&out, why, sizeof why), DAP_OK);
        assert_int_equal(out.itemsize, drx_type_size(type));
        assert_ptr_equal(out.data, drxmp_darray_local(d));
        check_together(&out);
        dap_move(&out, &moved);
        dap_release(&moved);
        assert_null(moved.release);
        assert_ok(drxmp_darray_free(d));
    }
    assert_status(drxmp_darray_dap(NULL, &(struct dap_array){ 0 }), DRX_EINVAL);
}

/* One rank alone has an export: nobody frees, nor redistributes into it; values may change, and be read. */
TEST(exports_that_live)
{
    drxmp_darray *d = mp_blocks(DRX_INT32, 40), *other = mp_blocks(DRX_INT32, 40);
    struct dap_array out = { 0 };

    if (mp_rank == mp_ranks - 1)
        assert_ok(drxmp_darray_dap(d, &out));
    assert_fails(drxmp_darray_free(d), DRX_EBUSY, "1 exports");
    assert_status(drxmp_darray_redistribute(other, d), DRX_EBUSY);
    assert_ok(drxmp_darray_redistribute(d, other));
    assert_ok(drxmp_darray_sync(d));
    dap_release(&out);
    assert_ok(drxmp_darray_redistribute(other, d));
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(other));
}

static int released;

static void release(struct dap_array *a)
{
    released++;
    a->release = NULL;
}

/* Memory that runs backwards, with gaps. */
struct foreign {
    int64_t shape[2], strides[2];
    struct dap_dim dims[2];
    int16_t mem[400];
};

static struct dap_array export_foreign(struct foreign *f)
{
    *f = (struct foreign){ .shape[1] = 5, .strides = { 30, -4 }, .dims = { mp_cyclic(12, 2), mp_undistributed(5) } };
    f->shape[0] = dap_num_local(&f->dims[0]);
    return (struct dap_array){ .abi_major = DAP_ABI_MAJOR,
                               .release = release,
                               .version = { DAP_VERSION_MAJOR, DAP_VERSION_MINOR, DAP_VERSION_PATCH },
                               .ndim = 2,
                               .device_type = DAP_HOST,
                               .data = f->mem + 10,
                               .itemsize = 2,
                               .format = "<h",
                               .shape = f->shape,
                               .strides = f->strides,
                               .dims = f->dims,
                               .dim_stride = sizeof f->dims[0] };
}

static const int64_t shape[2] = { 14, 9 };
static const drx_spec spec = { .ndim = 2, .type = DRX_INT16, .shape = shape, .flags = DRX_REPLACE };

TEST(importing)
{
    const int64_t lo[2] = { 2, 3 };
    static struct foreign f;
    struct dap_array in = export_foreign(&f), out;
    drxmp_array *a = mp_create("foreign", &spec);
    drxmp_darray *d;
    int16_t whole[14][9];

    released = 0;
    assert_ok(drxmp_darray_from_dap(mp_comm, &in, &d));
    assert_null(in.release);
    assert_ptr_equal(drxmp_darray_local(d), f.mem + 10);
    for (int64_t i = 0; i < f.shape[0]; i++)
        for (int64_t j = 0; j < 5; j++) {
            int64_t global;

            assert_int_equal(dap_local_to_global(&f.dims[0], i, &global), DAP_OK);
            f.mem[10 + 15 * i - 2 * j] = (int16_t)(100 + global * 10 + j);
        }
    assert_ok(drxmp_darray_write(d, a, lo));
    if (mp_rank == 0) {
        assert_ok(drx_read(drxmp_serial(a), (int64_t[]){ 0, 0 }, shape, DRX_ROW_MAJOR, whole));
        for (int i = 0; i < 14; i++)
            for (int j = 0; j < 9; j++)
                assert_int_equal(whole[i][j], i >= 2 && j >= 3 && j < 8 ? 100 + (i - 2) * 10 + j - 3 : 0);
    }
    memset(f.mem, 0, sizeof f.mem);
    assert_ok(drxmp_darray_read(d, a, lo));
    for (int64_t i = 0; i < f.shape[0]; i++) {
        assert_int_not_equal(f.mem[10 + 15 * i - 8], 0);
        assert_int_equal(f.mem[10 + 15 * i - 7], 0); /* a gap */
    }
    assert_ok(drxmp_darray_dap(d, &out)); /* and out again */
    assert_ptr_equal(out.data, f.mem + 10);
    check_together(&out);
    assert_status(drxmp_darray_free(d), DRX_EBUSY);
    assert_int_equal(released, 0);
    dap_release(&out);
    assert_ok(drxmp_darray_free(d));
    assert_int_equal(released, 1);
    assert_ok(drxmp_close(a));
}

/* On one rank something is wrong, and all leave what was to be imported as it is. */
TEST(wrong_imports)
{
    static const struct {
        const char *detail;
        drx_status expected;
    } wrong[] = { { "format \"g\"", DRX_EUNSUPPORTED }, { "device_type", DRX_EUNSUPPORTED },
                  { "abi_major", DRX_EUNSUPPORTED },    { "axis 1, shape", DRX_EINVAL },
                  { "released", DRX_EINVAL },           { "null", DRX_EINVAL } };
    static struct foreign f;
    drxmp_darray *d;

    released = 0;
    for (int what = 0; what < 6; what++) {
        const bool mine = mp_rank == mp_ranks - 1;
        struct dap_array in = export_foreign(&f);

        if (mine) {
            in.format = what == 0 ? "g" : in.format;
            in.device_type = what == 1 ? 2 : in.device_type;
            in.abi_major = what == 2 ? 2 : in.abi_major;
            f.shape[1] = what == 3 ? 6 : 5;
            in.release = what == 4 ? NULL : in.release;
        }
        assert_fails(drxmp_darray_from_dap(mp_comm, what == 5 && mine ? NULL : &in, &d), wrong[what].expected,
                     wrong[what].detail);
        assert_null(d);
        assert_true(in.release == release || (what == 4 && mine));
    }
    assert_int_equal(released, 0);
}

TEST(imports_to_read)
{
    static struct foreign f;
    struct dap_array in = export_foreign(&f);
    drxmp_array *a = mp_create("unwritten", &spec);
    drxmp_darray *d, *other = mp_darray(DRX_INT16, 2, f.dims, DRX_ROW_MAJOR);

    in.flags = DAP_READ_ONLY;
    assert_ok(drxmp_darray_from_dap(mp_comm, &in, &d));
    assert_ok(drxmp_darray_write(d, a, NULL));
    assert_status(drxmp_darray_read(d, a, NULL), DRX_EACCES);
    assert_status(drxmp_darray_redistribute(other, d), DRX_EACCES);
    assert_ok(drxmp_darray_redistribute(d, other));
    assert_ok(drxmp_darray_sync(d)); /* nothing to do */
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(other));
    assert_ok(drxmp_close(a));
}
