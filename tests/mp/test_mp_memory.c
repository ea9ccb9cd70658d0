/* Rules of arrays in the memory of the job: what is refused, who holds what, counters, exports, darrays. Each on one
 * node, and as if nodes had 2 ranks or 1. */
#include "drx_tools.h"
#include "mp/darray/sections.h"
#include "mp_plane.h"
#include "mp_spread.h"

static const int64_t zero[2] = { 0, 0 };

/* A box that is wrong in one way; no request comes of it. */
static void refuse(drxmp_array *m, drx_box box, drx_status st, const char *what)
{
    int32_t value[4] = { 0 };
    drx_request *req = (drx_request *)(void *)value;

    assert_fails(drxmp_get_box(m, &box, value, &req), st, what);
    assert_null(req);
    assert_fails(drxmp_put_box(m, &box, value, &req), st, what);
    assert_null(req);
    assert_fails(drxmp_acc_box(m, &box, NULL, value, NULL), st, what);
}

static void refuse_boxes(drxmp_array *m)
{
    const int64_t two[2] = { 2, 2 }, far[2] = { 1, COLUMNS }, end[2] = { 0, COLUMNS - 2 }, negative[2] = { 2, -2 };
    drx_request *req;

    refuse(m, (drx_box){ .lo = zero, .count = two, .step = zero }, DRX_EINVAL, "axis 0: step 0");
    refuse(m, (drx_box){ .lo = zero, .count = two, .step = far }, DRX_ERANGE,
           "axis 1: 2 from index 0 on in steps of 17");
    refuse(m, (drx_box){ .lo = end, .count = two, .step = two }, DRX_ERANGE,
           "axis 1: 2 from index 15 on in steps of 2");
    refuse(m, (drx_box){ .lo = zero, .count = negative }, DRX_EINVAL, "axis 1: count -2");
    refuse(m, (drx_box){ .lo = zero, .count = two, .order = (drx_order)7 }, DRX_EINVAL, "order 7");
    refuse(m, (drx_box){ .lo = zero, .count = two, .flags = 1 << 20 }, DRX_EINVAL, "flags");
    refuse(m, (drx_box){ .lo = zero, .count = two, .stride = (int64_t[]){ 1, INT64_MAX } }, DRX_EOVERFLOW,
           "axis 1: stride");
    refuse(m, (drx_box){ .lo = zero }, DRX_EINVAL, "null pointer");
    assert_fails(drxmp_put_box(m, NULL, zero, &req), DRX_EINVAL, "drxmp_put_box: the box is a null pointer");
    assert_null(req);
    assert_fails(drxmp_get_box(m, &(drx_box){ .lo = zero, .count = two }, NULL, NULL), DRX_EINVAL, "buffer");
    assert_ok(drxmp_get_box(m, &(drx_box){ .lo = zero, .count = zero }, NULL, &req));
    assert_ok(drx_wait(req));
    assert_status(drxmp_acc_box(NULL, NULL, NULL, NULL, NULL), DRX_EINVAL);
}

TEST(refusals)
{
    drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = plane_shape, .chunk = plane_chunk };
    const int64_t huge[2] = { INT64_C(1) << 24, INT64_C(1) << 24 }, long_chunk[2] = { 1 << 10, 1 << 10 };
    int32_t value[4] = { 0 };
    drxmp_array *m, *file;
    double real = 1;
    int rank;

    spec.codec = DRX_LZ4;
    assert_fails(drxmp_create(mp_comm, NULL, &spec, &m), DRX_EUNSUPPORTED, "lz4");
    assert_null(m);
    spec.codec = DRX_RAW;
    spec.flags = DRX_CHECKSUM;
    assert_status(drxmp_create(mp_comm, NULL, &spec, &m), DRX_EINVAL);
    spec.flags = 0;
    spec.shape = huge;
    spec.chunk = long_chunk;
    assert_fails(drxmp_create(mp_comm, NULL, &spec, &m), DRX_ENOMEM, "memory for");
    spec.shape = plane_shape;
    spec.chunk = plane_chunk;
    if (mp_ranks > 1)
        assert_fails(drxmp_create(mp_comm, mp_rank ? "a" : NULL, &spec, &m), DRX_EMISMATCH, "the path");
    m = plane_make(DRX_INT32);
    assert_status(drxmp_persist(m, 0), DRX_EINVAL);
    assert_status(drx_extend(drxmp_serial(m), 0, 1), DRX_EACCES);
    assert_status(drx_close(drxmp_serial(m)), DRX_EACCES);
    assert_status(drxmp_extend(m, 2, 1), DRX_EINVAL);
    assert_status(drxmp_extend(m, 0, -1), DRX_EINVAL);
    assert_status(drxmp_extend(m, 0, INT64_MAX - ROWS), DRX_EOVERFLOW);
    assert_fails(drxmp_extend(m, 0, INT64_C(1) << 44), DRX_ENOMEM, "memory for");
    assert_int_equal(drx_shape(drxmp_serial(m))[0], ROWS);
    assert_ok(mp_set(m, "drx_backend=mpiio,drx_io_ranks=1"));
    plane_fill(m, 1);
    plane_check(m, 1);
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_compact(m));
    assert_ok(drxmp_refresh(m));
    assert_status(drxmp_get(m, (int64_t[]){ ROWS - 1, 0 }, (int64_t[]){ 2, 1 }, DRX_ROW_MAJOR, value), DRX_ERANGE);
    assert_status(drxmp_put(m, zero, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, NULL), DRX_EINVAL);
    assert_status(drxmp_acc(m, NULL, zero, DRX_ROW_MAJOR, NULL, value), DRX_EINVAL);
    assert_status(drxmp_get(NULL, zero, zero, DRX_ROW_MAJOR, value), DRX_EINVAL);
    assert_ok(drxmp_get(m, zero, zero, DRX_ROW_MAJOR, NULL));
    assert_status(drxmp_gather(m, -1, zero, value), DRX_EINVAL);
    assert_status(drxmp_gather(m, 1, NULL, value), DRX_EINVAL);
    assert_fails(drxmp_scatter(m, 2, (int64_t[]){ 0, 0, 0, COLUMNS }, value), DRX_ERANGE, "element 1");
    assert_status(drxmp_fetch_add(m, (int64_t[]){ -1, 0 }, 1, NULL), DRX_ERANGE);
    assert_status(drxmp_fetch_add(m, NULL, 1, NULL), DRX_EINVAL);
    assert_status(drxmp_holder(m, (int64_t[]){ 0, COLUMNS }, &rank), DRX_ERANGE);
    refuse_boxes(m);
    (void)MPI_Barrier(mp_comm);
    plane_check(m, 1); /* nothing has moved */
    assert_ok(drxmp_close(m));
    m = plane_make(DRX_FLOAT64);
    assert_fails(drxmp_fetch_add(m, zero, 1, NULL), DRX_EINVAL, "float64");
    assert_ok(drxmp_acc(m, zero, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, NULL, &real));
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_get(m, zero, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &real));
    assert_true(real == mp_ranks);
    assert_ok(drxmp_close(m));
    file = mp_create("file", &spec);
    assert_fails(drxmp_get(file, zero, zero, DRX_ROW_MAJOR, value), DRX_EUNSUPPORTED, "files");
    assert_status(drxmp_acc(file, zero, zero, DRX_ROW_MAJOR, NULL, value), DRX_EUNSUPPORTED);
    assert_status(drxmp_gather(file, 0, zero, value), DRX_EUNSUPPORTED);
    refuse(file, (drx_box){ .lo = zero, .count = zero }, DRX_EUNSUPPORTED, "_box: it is in files");
    assert_status(drxmp_holder(file, zero, &rank), DRX_EUNSUPPORTED);
    assert_status(drxmp_chunk_dap(file, 0, &(struct dap_array){ 0 }), DRX_EUNSUPPORTED);
    assert_ok(drxmp_close(file));
    mp_remove("file");
}

TEST(no_one_sided_access)
{
    int32_t value = 1;
    drxmp_array *m;

    assert_int_equal(setenv("DRXMP_ONESIDED", "off", 1), 0);
    m = plane_make(DRX_INT32);
    plane_fill(m, 3);
    plane_check(m, 3);
    if (mp_ranks > 1) {
        assert_fails(drxmp_acc(m, zero, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, NULL, &value), DRX_EUNSUPPORTED, "off");
        assert_status(drxmp_fetch_add(m, zero, 1, NULL), DRX_EUNSUPPORTED);
        assert_status(drxmp_acc_box(m, &(drx_box){ .lo = zero, .count = (int64_t[]){ 1, 1 } }, NULL, &value, NULL),
                      DRX_EUNSUPPORTED);
    }
    assert_ok(drxmp_close(m));
}

/* Every ticket goes to one rank, from counters of every integer type, in chunks of different holders. */
static void check_counters(void)
{
    enum { TICKETS = 12 };
    static const drx_type types[] = { DRX_INT8, DRX_UINT32, DRX_INT64 };

    for (int t = 0; t < 3; t++) {
        drxmp_array *m = plane_make(types[t]);
        int drawn[TICKETS] = { 0 }, all[TICKETS];
        int64_t index[2] = { (5 * t) % ROWS, (7 * t) % COLUMNS }, ticket;

        for (;;) {
            assert_ok(drxmp_fetch_add(m, index, 1, &ticket));
            if (ticket >= TICKETS)
                break;
            drawn[ticket]++;
        }
        (void)MPI_Allreduce(drawn, all, TICKETS, MPI_INT, MPI_SUM, mp_comm);
        for (int i = 0; i < TICKETS; i++)
            assert_int_equal(all[i], 1);
        assert_ok(drxmp_close(m));
    }
}

TEST(counters)
{
    plane_in_each_way(check_counters);
}

/* What the rank holds, by the protocol: valid, in place, and nobody else's. */
static void check_chunk(drxmp_array *m, int64_t address, int64_t seen[])
{
    drx_array *a = drxmp_serial(m);
    struct dap_array out;
    char why[200];

    assert_ok(drxmp_chunk_dap(m, address, &out));
    if (dap_validate(&out, why, sizeof why) != DAP_OK)
        fail_msg("%s", why);
    for (int64_t i = 0; i < out.shape[0]; i++)
        for (int64_t j = 0; j < out.shape[1]; j++) {
            const int64_t row = out.dims[0].start + i, column = out.dims[1].start + j;
            const int64_t index[2] = { drx_lower(a)[0] + row, drx_lower(a)[1] + column };
            int32_t *element = (int32_t *)(void *)((uint8_t *)out.data + i * out.strides[0] + j * out.strides[1]);
            int rank;

            assert_int_equal(*element, mp_number(1, index[0], index[1]));
            assert_ok(drxmp_holder(m, index, &rank));
            assert_int_equal(rank, mp_rank);
            *element = mp_number(2, index[0], index[1]);
            ++*seen;
        }
    assert_status(drxmp_trim(m, 0, 0, 1), DRX_EBUSY);
    assert_status(drxmp_close(m), DRX_EBUSY);
    dap_release(&out);
}

static void check_exports(void)
{
    const struct mp_box all = { { -3, 0 }, { ROWS + 3, COLUMNS } };
    int32_t buf[(ROWS + 3) * COLUMNS];
    drxmp_array *m = plane_make(DRX_INT32);
    int64_t seen = 0, chunks, trimmed = 0, index[2];
    struct dap_array out;
    struct mp_box mine;

    assert_ok(drxmp_extend_before(m, 0, 9));
    assert_ok(drxmp_trim(m, 0, 6, 0));
    mine = mp_part(1, all);
    mp_number_box(1, &mine, buf);
    assert_ok(mp_write_all(m, &mine, buf));
    chunks = drx_chunk_count(drxmp_serial(m));
    for (int64_t q = 0; q < chunks; q++) {
        const drx_status st = drx_chunk_index(drxmp_serial(m), q, index);

        trimmed += st != DRX_OK;
        if (q % mp_ranks != mp_rank)
            assert_fails(drxmp_chunk_dap(m, q, &out), DRX_EINVAL, "which rank");
        else if (st)
            assert_fails(drxmp_chunk_dap(m, q, &out), DRX_ERANGE, "trimmed");
    }
    assert_true(trimmed > 0);
    assert_status(drxmp_chunk_dap(m, chunks, &out), DRX_ERANGE);
    for (int64_t round = 0; round * mp_ranks < chunks; round++) { /* its calls are collective */
        const int64_t q = round * mp_ranks + mp_rank;
        const bool there = q < chunks && drx_chunk_index(drxmp_serial(m), q, index) == DRX_OK;
        int anybody = there;

        (void)MPI_Allreduce(MPI_IN_PLACE, &anybody, 1, MPI_INT, MPI_MAX, mp_comm);
        if (there) {
            check_chunk(m, q, &seen);
        } else if (anybody) {
            assert_status(drxmp_trim(m, 0, 0, 1), DRX_EBUSY);
            assert_status(drxmp_close(m), DRX_EBUSY);
        }
    }
    (void)MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_INT64_T, MPI_SUM, mp_comm);
    assert_int_equal(seen, (ROWS + 3) * COLUMNS);
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_get(m, all.lo, all.count, DRX_ROW_MAJOR, buf));
    mp_assert_numbers(2, &all, buf);
    assert_ok(drxmp_close(m));
}

TEST(exports)
{
    plane_in_each_way(check_exports);
}

/* Zones of it, before and after growth; the new zones get what the old ones have. */
static void check_zones(void)
{
    const struct mp_box grown = { { -4, 0 }, { ROWS + 4, COLUMNS + 6 } };
    int32_t buf[(ROWS + 4) * (COLUMNS + 6)];
    drxmp_array *m = plane_make(DRX_INT32), *other;
    drxmp_darray *before, *after;

    plane_fill(m, 1);
    assert_ok(drxmp_darray_zones(m, NULL, NULL, DRX_COL_MAJOR, &before));
    assert_ok(drxmp_darray_read(before, m, NULL));
    assert_ok(drxmp_extend_before(m, 0, 4));
    assert_ok(drxmp_extend(m, 1, 6));
    assert_ok(drxmp_darray_zones(m, NULL, (int64_t[]){ 1, 2 }, DRX_ROW_MAJOR, &after));
    assert_ok(drxmp_darray_redistribute_box(before, NULL, after, (int64_t[]){ 4, 0 }, NULL));
    other = mp_create(NULL, &(drx_spec){ .ndim = 2, .type = DRX_INT32, .shape = grown.count, .lower = grown.lo });
    assert_ok(drxmp_darray_write(after, other, NULL));
    assert_ok(drxmp_get(other, grown.lo, grown.count, DRX_ROW_MAJOR, buf));
    for (int64_t k = 0; k < mp_box_size(&grown); k++) {
        const int64_t i = mp_row(&grown, k), j = mp_column(&grown, k);

        assert_int_equal(buf[k], i >= 0 && j < COLUMNS ? mp_number(1, i, j) : 0);
    }
    assert_ok(drxmp_darray_free(before));
    assert_ok(drxmp_darray_free(after));
    assert_ok(drxmp_close(other));
    assert_ok(drxmp_close(m));
}

TEST(zones)
{
    plane_in_each_way(check_zones);
}

/* The calls of drx.h on this rank's view. */
static void check_serial_calls(void)
{
    const int64_t points[3][2] = { { 0, 0 }, { ROWS - 1, COLUMNS - 1 }, { 9, 11 } };
    int32_t values[3], value = -5;
    drxmp_array *m = plane_make(DRX_INT32);
    drx_array *a = drxmp_serial(m);

    plane_fill(m, 4);
    assert_ok(drx_read_points(a, 3, &points[0][0], values));
    for (int i = 0; i < 3; i++)
        assert_int_equal(values[i], mp_number(4, points[i][0], points[i][1]));
    (void)MPI_Barrier(mp_comm);
    if (mp_rank == mp_ranks - 1) {
        assert_ok(drx_put(a, points[2], &value));
        assert_ok(drx_write_points(a, 1, points[1], &value));
    }
    assert_ok(drxmp_sync(m));
    assert_ok(drx_get(a, points[1], &values[1]));
    assert_ok(drxmp_gather(m, 1, points[2], &values[2]));
    assert_int_equal(values[1], -5);
    assert_int_equal(values[2], -5);
    assert_ok(drxmp_close(m));
}

TEST(serial_calls)
{
    plane_in_each_way(check_serial_calls);
}

/* An appending caller that gives up leaves nothing, also in the chunks that come later. */
static drx_status give_up(void *with, int64_t done, int64_t *n, int64_t lo[], int64_t count[], const void **buf)
{
    static int32_t values[6 * COLUMNS];

    (void)with;
    for (int i = 0; i < 6 * COLUMNS; i++)
        values[i] = 99;
    if (done > 0)
        return DRX_EINTERRUPTED;
    *n = 6;
    lo[0] = ROWS;
    lo[1] = 0;
    count[0] = mp_rank == 0 ? 6 : 0;
    count[1] = COLUMNS;
    *buf = values;
    return DRX_OK;
}

static void check_given_up(void)
{
    int32_t buf[30 * COLUMNS];
    drxmp_array *m = plane_make(DRX_INT32);

    plane_fill(m, 1);
    assert_status(drxmp_append_pieces(m, 0, 12, DRX_ROW_MAJOR, give_up, NULL), DRX_EINTERRUPTED);
    assert_int_equal(drx_shape(drxmp_serial(m))[0], ROWS);
    plane_check(m, 1);
    assert_ok(drxmp_extend(m, 0, 30));
    assert_ok(drxmp_get(m, (int64_t[]){ ROWS, 0 }, (int64_t[]){ 30, COLUMNS }, DRX_ROW_MAJOR, buf));
    for (int i = 0; i < 30 * COLUMNS; i++)
        assert_int_equal(buf[i], 0);
    assert_ok(drxmp_close(m));
}

TEST(appends_given_up)
{
    plane_in_each_way(check_given_up);
}

/* Indices of an array of one axis of bytes for which each node needs a fortieth of its memory, if they are touched. */
static int64_t fortieth(void)
{
    int64_t part = drxi_room_for_files() / 40 * mp_ranks;
    MPI_Comm node;
    int near;

    (void)MPI_Comm_split_type(mp_comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    (void)MPI_Comm_size(node, &near);
    (void)MPI_Comm_free(&node);
    part /= near;
    (void)MPI_Bcast(&part, 1, MPI_INT64_T, 0, mp_comm);
    return part;
}

static drx_status make_large(int64_t parts, drxmp_array **out)
{
    const int64_t part = fortieth(), bound = parts * part;
    const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = &bound, .chunk = &part };

    return drxmp_create(mp_comm, NULL, &spec, out);
}

/* What was trimmed counts no more, however often the array grows at the other end. */
TEST(rolling)
{
    const int64_t part = fortieth(), one = 1;
    drxmp_array *m;
    int8_t value;

    assert_int_equal(setenv("DRXMP_ONESIDED", "direct", 1), 0);
    assert_ok(make_large(10, &m));
    for (int i = 0; i < 8; i++) {
        const int64_t last = (10 * i + 20) * part - 1;

        assert_ok(drxmp_extend(m, 0, 10 * part));
        assert_ok(drxmp_get(m, &last, &one, DRX_ROW_MAJOR, &value));
        assert_int_equal(value, 0);
        assert_ok(drxmp_sync(m));
        value = (int8_t)(i + 1);
        if (mp_rank == i % mp_ranks)
            assert_ok(drxmp_put(m, &last, &one, DRX_ROW_MAJOR, &value));
        assert_ok(drxmp_trim(m, 0, 10 * part, 0));
        assert_int_equal(drx_lower(drxmp_serial(m))[0], (10 * i + 10) * part);
        assert_ok(drxmp_get(m, &last, &one, DRX_ROW_MAJOR, &value));
        assert_int_equal(value, i + 1);
    }
    assert_fails(drxmp_extend(m, 0, 40 * part), DRX_ENOMEM, "memory for");
    assert_ok(drxmp_extend_before(m, 0, 10 * part));
    assert_ok(drxmp_close(m));
}

/* Together, the arrays and darrays of a process fit into the memory of its node. */
TEST(memory_of_all)
{
    const int64_t before = atomic_load(&drxi_node_bytes);
    drxmp_array *m, *other;
    drxmp_darray *d;

    assert_int_equal(setenv("DRXMP_ONESIDED", "direct", 1), 0);
    assert_ok(make_large(24, &m));
    assert_fails(make_large(24, &other), DRX_ENOMEM, "other arrays and darrays");
    assert_null(other);
    assert_ok(make_large(2, &other));
    assert_fails(drxmp_extend(other, 0, 22 * fortieth()), DRX_ENOMEM, "memory for");
    assert_ok(drxmp_trim(m, 0, 0, 20 * fortieth()));
    assert_ok(drxmp_extend(other, 0, 22 * fortieth()));
    assert_fails(drxmp_extend(m, 0, 20 * fortieth()), DRX_ENOMEM, "memory for");
    assert_ok(drxmp_close(other));
    assert_ok(drxmp_extend(m, 0, 20 * fortieth()));
    assert_ok(drxmp_close(m));
    d = mp_blocks(DRX_INT64, 1000 * mp_ranks);
    assert_in_range(atomic_load(&drxi_node_bytes) - before, 8000, 8000 * mp_ranks);
    assert_ok(drxmp_darray_free(d));
    assert_int_equal(atomic_load(&drxi_node_bytes), before);
}
