/* Distributed arrays and the protocol: exports that are valid together, imports, and what is refused, on all ranks
 * alike. */
#include "mp_spread.h"

static uint64_t seed;

/* ---- exports -------------------------------------------------------------------------------------- */

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
    (void)MPI_Allgather(sent, ndim * (int)sizeof *sent, MPI_BYTE, dims, ndim * (int)sizeof *sent, MPI_BYTE,
                        MPI_COMM_WORLD);
    (void)MPI_Allgather(told, WIDTH, MPI_INT64_T, wire, WIDTH, MPI_INT64_T, MPI_COMM_WORLD);
    for (int rank = 0; rank < mp_ranks; rank++) {
        for (int j = 0; j < ndim; j++) {
            struct dap_dim *d = &dims[rank * ndim + j];

            if (d->dist_type != 'u')
                continue;
            if (rank == mp_rank && d->n_indices > 0)
                memcpy(indices[rank * ndim + j], dap_dim_at(mine, j)->indices, (size_t)d->n_indices * sizeof **indices);
            (void)MPI_Bcast(indices[rank * ndim + j], (int)d->n_indices, MPI_INT64_T, rank, MPI_COMM_WORLD);
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

static void draw(struct spread *s)
{
    int64_t size[MOST_AXES];
    const int ndim = 1 + (int)random_below(&seed, MOST_AXES);

    for (int j = 0; j < ndim; j++)
        size[j] = random_below(&seed, 20);
    spread_draw(&seed, s, ndim, size, "bcup");
}

static drxmp_darray *make(const struct spread *s, drx_type type)
{
    struct dap_dim dims[MOST_AXES];
    drxmp_darray *d;

    spread_dims(s, mp_rank, dims);
    assert_ok(drxmp_darray_create(MPI_COMM_WORLD, type, s->ndim, dims, s->order, &d));
    return d;
}

static void exporting(void **state)
{
    static struct spread s;

    seed = mp_seed();
    for (int round = 0; round < 40; round++) {
        const drx_type type = (drx_type)(DRX_INT8 + round % (DRX_COMPLEX128 - DRX_INT8 + 1));
        struct dap_array out, moved;
        drxmp_darray *d;
        char why[512];

        draw(&s);
        d = make(&s, type);
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
static void exports_that_live(void **state)
{
    struct dap_array out = { 0 };
    drxmp_darray *d, *other;
    struct dap_dim dim;
    const int last = mp_ranks - 1;

    assert_int_equal(dap_block(40, 1, mp_ranks, mp_rank, &dim), DAP_OK);
    assert_ok(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, 1, &dim, DRX_ROW_MAJOR, &d));
    assert_ok(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, 1, &dim, DRX_ROW_MAJOR, &other));
    if (mp_rank == last)
        assert_ok(drxmp_darray_dap(d, &out));
    assert_status(drxmp_darray_free(d), DRX_EBUSY);
    assert_detail("1 exports");
    assert_status(drxmp_darray_redistribute(other, d), DRX_EBUSY);
    assert_ok(drxmp_darray_redistribute(d, other));
    assert_ok(drxmp_darray_sync(d));
    dap_release(&out);
    assert_ok(drxmp_darray_redistribute(other, d));
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(other));
}

/* ---- imports --------------------------------------------------------------------------------------- */

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
    memset(f, 0, sizeof *f);
    assert_int_equal(dap_cyclic(12, 1, 2, mp_ranks, mp_rank, &f->dims[0]), DAP_OK);
    assert_int_equal(dap_undistributed(5, &f->dims[1]), DAP_OK);
    f->shape[0] = dap_num_local(&f->dims[0]);
    f->shape[1] = 5;
    f->strides[0] = 30;
    f->strides[1] = -4;
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

static void importing(void **state)
{
    static const int64_t shape[2] = { 14, 9 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT16, .shape = shape, .flags = DRX_REPLACE };
    const int64_t lo[2] = { 2, 3 };
    static struct foreign f;
    struct dap_array in = export_foreign(&f), out;
    drxmp_darray *d;
    drxmp_array *a;
    int16_t whole[14][9];

    released = 0;
    assert_ok(drxmp_create(MPI_COMM_WORLD, "foreign", &spec, &a));
    assert_ok(drxmp_darray_from_dap(MPI_COMM_WORLD, &in, &d));
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
static void wrong_imports(void **state)
{
    static const int64_t shape[2] = { 14, 9 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT16, .shape = shape, .flags = DRX_REPLACE };
    static struct foreign f;
    const int last = mp_ranks - 1;
    struct dap_array in;
    drxmp_darray *d, *other;
    drxmp_array *a;

    released = 0;
    for (int what = 0; what < 6; what++) {
        static const drx_status expected[] = { DRX_EUNSUPPORTED, DRX_EUNSUPPORTED, DRX_EUNSUPPORTED,
                                               DRX_EINVAL,       DRX_EINVAL,       DRX_EINVAL };
        static const char *const detail[] = { "format \"e\"",  "device_type", "abi_major",
                                              "axis 1, shape", "released",    "null" };

        in = export_foreign(&f);
        if (mp_rank == last) {
            in.format = what == 0 ? "e" : in.format;
            in.device_type = what == 1 ? 2 : in.device_type;
            in.abi_major = what == 2 ? 2 : in.abi_major;
            f.shape[1] = what == 3 ? 6 : 5;
            in.release = what == 4 ? NULL : in.release;
        }
        assert_status(drxmp_darray_from_dap(MPI_COMM_WORLD, what == 5 && mp_rank == last ? NULL : &in, &d),
                      expected[what]);
        assert_detail(detail[what]);
        assert_null(d);
        assert_true(in.release == release || (what == 4 && mp_rank == last));
    }
    assert_int_equal(released, 0);
    in = export_foreign(&f);
    in.flags = DAP_READ_ONLY;
    assert_ok(drxmp_create(MPI_COMM_WORLD, "unwritten", &spec, &a));
    assert_ok(drxmp_darray_from_dap(MPI_COMM_WORLD, &in, &d));
    assert_ok(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT16, 2, f.dims, DRX_ROW_MAJOR, &other));
    assert_ok(drxmp_darray_write(d, a, NULL));
    assert_status(drxmp_darray_read(d, a, NULL), DRX_EACCES);
    assert_status(drxmp_darray_redistribute(other, d), DRX_EACCES);
    assert_ok(drxmp_darray_redistribute(d, other));
    assert_ok(drxmp_darray_sync(d)); /* nothing to do */
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(other));
    assert_ok(drxmp_close(a));
}

/* ---- what is refused ----------------------------------------------------------------------------------- */

static int64_t both_indices[10]; /* twice the same */

/* The last rank's description, of an axis of 10 a rank, is changed. */
static void spoil(struct dap_dim *d, int what)
{
    switch (what) {
    case 0:
        d->dist_type = 'x';
        break;
    case 1:
        d->size = -1;
        break;
    case 2:
        d->proc_grid_size = 0;
        break;
    case 3:
        d->proc_grid_rank = -1;
        break;
    case 4:
        d->proc_grid_rank = d->proc_grid_size;
        break;
    case 5:
        d->start = -1;
        break;
    case 6:
        d->start = d->stop + 1;
        break;
    case 7:
        d->stop = d->size + 1;
        break;
    case 8:
        d->padding[1] = -1;
        break;
    case 9:
        d->stop--;
        break;
    case 10:
        d->padding[1] = 11;
        break;
    case 11:
        d->block_size = 3;
        break;
    case 12:
        d->flags = DAP_DIM_ONE_TO_ONE;
        break;
    case 13:
        d->indices = both_indices;
        break;
    case 14:
        d->flags = DAP_DIM_ALIAS;
        break;
    case 20:
        d->block_size = 0;
        break;
    case 21:
        d->start += 1;
        break;
    case 22:
        d->stop = 1;
        break;
    case 30:
        d->indices = both_indices;
        break;
    case 31:
        d->n_indices = -1;
        break;
    case 32:
        d->n_indices = d->size + 1;
        break;
    case 33:
        d->indices = NULL;
        break;
    /* together */
    case 40:
        d->size++;
        d->stop++;
        break;
    case 41:
        d->proc_grid_size++;
        d->stop--;
        break;
    case 42:
        d->start++;
        break;
    case 43:
        d->start--;
        break;
    case 44:
        d->start -= 2;
        d->padding[0] = 2;
        break;
    case 45:
        d->flags = DAP_DIM_PERIODIC;
        break;
    case 46:
        d->proc_grid_rank = 0;
        d->start = 0;
        break;
    case 50:
        d->block_size = 5;
        d->start = d->proc_grid_rank * 5;
        break;
    case 51:
        *d = (struct dap_dim){ 'b', 0, d->size, d->proc_grid_size, d->proc_grid_rank, d->size - 10, d->size, { 0, 0 },
                               0,   0, NULL };
        break;
    case 60:
        d->indices = both_indices;
        d->n_indices = 1;
        break;
    case 61:
        d->n_indices--;
        break;
    case 62:
        d->flags = 0;
        break;
    default:
        break;
    }
}

struct wrong {
    int what;
    char kind;
    int least; /* ranks */
    const char *key;
};

static const struct wrong wrongs[] = {
    { 0, 'b', 1, "dist_type" },      { 1, 'b', 1, "size" },           { 2, 'b', 1, "proc_grid_size" },
    { 3, 'b', 1, "proc_grid_rank" }, { 4, 'b', 1, "proc_grid_rank" }, { 5, 'b', 1, "start" },
    { 6, 'b', 1, "stop" },           { 7, 'b', 1, "stop" },           { 8, 'b', 1, "padding" },
    { 9, 'b', 1, "stop" },           { 10, 'b', 1, "padding" },       { 11, 'b', 1, "block_size" },
    { 12, 'b', 1, "one_to_one" },    { 13, 'b', 1, "indices" },       { 14, 'b', 2, "{}" },
    { 20, 'c', 1, "block_size" },    { 21, 'c', 1, "start" },         { 22, 'c', 1, "stop" },
    { 30, 'u', 1, "twice" },         { 31, 'u', 1, "indices" },       { 32, 'u', 1, "indices" },
    { 33, 'u', 1, "indices" },       { 40, 'b', 2, "size" },          { 41, 'b', 2, "proc_grid_size" },
    { 42, 'b', 2, "start" },         { 43, 'b', 2, "start" },         { 44, 'b', 2, "padding" },
    { 45, 'b', 2, "periodic" },      { 46, 'b', 2, "row-major" },     { 50, 'c', 2, "block_size" },
    { 51, 'c', 2, "dist_type" },     { 60, 'u', 2, "one_to_one" },    { 61, 'u', 2, "size" },
    { 62, 'u', 2, "one_to_one" },
};

static void describe(struct dap_dim *d, char kind, int64_t indices[10])
{
    for (int64_t i = 0; i < 10; i++)
        indices[i] = mp_rank + i * mp_ranks;
    if (kind == 'b')
        assert_int_equal(dap_block(10 * mp_ranks, 1, mp_ranks, mp_rank, d), DAP_OK);
    else if (kind == 'c')
        assert_int_equal(dap_cyclic(10 * mp_ranks, 1, 2, mp_ranks, mp_rank, d), DAP_OK);
    else
        assert_int_equal(dap_unstructured(10 * mp_ranks, 10, indices, DAP_DIM_ONE_TO_ONE, mp_ranks, mp_rank, d),
                         DAP_OK);
}

/* Every rule, broken on the last rank only: all ranks get the status and the same detail. */
static void wrong_descriptions(void **state)
{
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        struct dap_dim dims[2];
        int64_t indices[10];
        char detail[1024], roots[1024];
        drxmp_darray *d;

        if (mp_ranks < wrongs[i].least)
            continue;
        assert_int_equal(dap_undistributed(3, &dims[0]), DAP_OK);
        describe(&dims[1], wrongs[i].kind, indices);
        if (mp_rank == mp_ranks - 1)
            spoil(&dims[1], wrongs[i].what);
        assert_status(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, 2, dims, DRX_ROW_MAJOR, &d), DRX_EINVAL);
        assert_null(d);
        assert_detail(wrongs[i].key);
        assert_detail("rank ");
        assert_detail("axis 1");
        (void)snprintf(detail, sizeof detail, "%s", drx_last_error());
        memcpy(roots, detail, sizeof roots);
        (void)MPI_Bcast(roots, sizeof roots, MPI_CHAR, 0, MPI_COMM_WORLD);
        assert_string_equal(detail, roots);
    }
}

/* Padding wider than a neighbour owns, or towards one that owns nothing; a grid that is not all ranks. */
static void wrong_neighbours(void **state)
{
    struct dap_dim dims[2];
    drxmp_darray *d;
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
        assert_status(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, 1, dims, DRX_ROW_MAJOR, &d), DRX_EINVAL);
        assert_detail("rank 1, axis 0");
    }
    assert_int_equal(dap_undistributed(3, &dims[0]), DAP_OK);
    assert_int_equal(dap_undistributed(3, &dims[1]), DAP_OK);
    assert_status(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, 2, dims, DRX_ROW_MAJOR, &d), DRX_EINVAL);
    if (mp_rank == 0) /* two ranks along another axis than the others have it */
        assert_int_equal(dap_block(3, 1, mp_ranks, 0, &dims[0]), DAP_OK);
    else
        assert_int_equal(dap_block(3, 1, mp_ranks, mp_rank, &dims[1]), DAP_OK);
    assert_status(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, 2, dims, DRX_ROW_MAJOR, &d), DRX_EINVAL);
    assert_detail("proc_grid_size");
}

static void wrong_calls(void **state)
{
    static const int64_t shape[2] = { 10, 6 };
    drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .flags = DRX_REPLACE };
    const int last = mp_ranks - 1;
    struct dap_dim dims[2], flat;
    drxmp_darray *d, *other, *line;
    drxmp_array *a;
    MPI_Comm turned;
    int owner;

    assert_int_equal(dap_block(10, 1, mp_ranks, mp_rank, &dims[0]), DAP_OK);
    assert_int_equal(dap_undistributed(6, &dims[1]), DAP_OK);
    assert_status(drxmp_darray_create(MPI_COMM_NULL, DRX_INT32, 2, dims, DRX_ROW_MAJOR, &d), DRX_EINVAL);
    assert_status(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, 0, dims, DRX_ROW_MAJOR, &d), DRX_EINVAL);
    assert_status(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, 33, dims, DRX_ROW_MAJOR, &d), DRX_EINVAL);
    assert_status(drxmp_darray_create(MPI_COMM_WORLD, (drx_type)0, 2, dims, DRX_ROW_MAJOR, &d), DRX_EINVAL);
    assert_status(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, 2, dims, (drx_order)9, &d), DRX_EINVAL);
    assert_status(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, 2, mp_rank == last ? NULL : dims, DRX_ROW_MAJOR, &d),
                  DRX_EINVAL);
    assert_detail("dims is a null pointer");
    assert_ok(drxmp_create(MPI_COMM_WORLD, "calls", &spec, &a));
    assert_ok(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, 2, dims, DRX_ROW_MAJOR, &d));
    assert_ok(drxmp_darray_create(MPI_COMM_WORLD, DRX_FLOAT32, 2, dims, DRX_ROW_MAJOR, &other));
    assert_int_equal(dap_cyclic(10, 1, 1, mp_ranks, mp_rank, &flat), DAP_OK);
    assert_ok(drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, 1, &flat, DRX_ROW_MAJOR, &line));

    assert_status(drxmp_darray_read(other, a, NULL), DRX_EINVAL);
    assert_detail("float32");
    assert_status(drxmp_darray_write(line, a, NULL), DRX_EINVAL);
    assert_detail("1 axes");
    assert_status(drxmp_darray_write(d, a, (int64_t[]){ 0, 1 }), DRX_ERANGE);
    assert_detail("axis 1");
    assert_status(drxmp_darray_write(d, a, (int64_t[]){ -1, 0 }), DRX_ERANGE);
    assert_status(drxmp_darray_read(d, a, (int64_t[]){ 0, INT64_MAX }), DRX_ERANGE);
    assert_status(drxmp_darray_read(d, NULL, NULL), DRX_EINVAL);
    assert_status(drxmp_darray_read(NULL, a, NULL), DRX_EINVAL);
    assert_status(drxmp_darray_redistribute(d, other), DRX_EINVAL);
    assert_status(drxmp_darray_redistribute(d, line), DRX_EINVAL);
    assert_status(drxmp_darray_redistribute(d, d), DRX_EINVAL);
    assert_status(drxmp_darray_redistribute(d, NULL), DRX_EINVAL);
    assert_status(drxmp_darray_redistribute(NULL, d), DRX_EINVAL);
    assert_status(drxmp_darray_sync(NULL), DRX_EINVAL);
    assert_status(drxmp_owner(d, NULL, &owner), DRX_EINVAL);
    assert_ok(drxmp_darray_free(other));
    assert_ok(drxmp_darray_free(NULL));
    assert_null(drxmp_darray_local(NULL));
    assert_null(drxmp_darray_dims(NULL));
    if (mp_ranks > 1) {
        assert_status(
            drxmp_darray_create(MPI_COMM_WORLD, mp_rank == last ? DRX_INT8 : DRX_INT32, 2, dims, DRX_ROW_MAJOR, &other),
            DRX_EMISMATCH);
        assert_status(
            drxmp_darray_create(MPI_COMM_WORLD, DRX_INT32, mp_rank == last ? 1 : 2, dims, DRX_ROW_MAJOR, &other),
            DRX_EMISMATCH);
        assert_status(drxmp_darray_write(d, a, (int64_t[]){ 0, mp_rank == last }), DRX_EMISMATCH);
    }
    assert_ok(drxmp_darray_free(line));
    assert_ok(drxmp_darray_free(d));
    assert_int_equal(MPI_Comm_split(MPI_COMM_WORLD, 0, -mp_rank, &turned), MPI_SUCCESS); /* the other way round */
    assert_int_equal(dap_block(10, 1, mp_ranks, last - mp_rank, &dims[0]), DAP_OK);
    assert_ok(drxmp_darray_create(turned, DRX_INT32, 2, dims, DRX_ROW_MAJOR, &d));
    assert_status(drxmp_darray_read(d, a, NULL), mp_ranks > 1 ? DRX_EINVAL : DRX_OK);
    assert_ok(drxmp_darray_free(d));
    assert_int_equal(MPI_Comm_free(&turned), MPI_SUCCESS);
    assert_ok(drxmp_close(a));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exporting),     cmocka_unit_test(exports_that_live),  cmocka_unit_test(importing),
        cmocka_unit_test(wrong_imports), cmocka_unit_test(wrong_descriptions), cmocka_unit_test(wrong_neighbours),
        cmocka_unit_test(wrong_calls),
    };

    return mp_main(tests);
}
