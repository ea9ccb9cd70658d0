/* Makes, opens, grows and closes arrays on several ranks, which all fail alike. */
#include "array/array.h"
#include "base/hooks.h"
#include "drx_dataset.h"
#include "drx_tools.h"
#include "mp_testing.h"

static drx_spec small_spec(void)
{
    static const int64_t shape[2] = { 4, 6 }, chunk[2] = { 2, 3 };
    static const double fill = -1;

    return (drx_spec){
        .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk, .fill = &fill, .flags = DRX_REPLACE
    };
}

static drxmp_array *create(const char *path)
{
    const drx_spec spec = small_spec();

    return mp_create(path, &spec);
}

static void grow_long(drxmp_array *m, drx_array *a)
{
    for (int i = 0; i < 30; i++) {
        const int64_t step = i;

        if (i == 10)
            assert_ok(m ? drxmp_sync(m) : drx_sync(a)); /* which compacts */
        assert_ok(m ? drxmp_extend(m, i / 5 % 2, 1) : drx_extend(a, i / 5 % 2, 1));
        assert_ok(m ? drxmp_attr_set(m, "step", DRX_INT64, 1, &step) : drx_attr_set(a, "step", DRX_INT64, 1, &step));
    }
    assert_ok(m ? drxmp_compact(m) : drx_compact(a));
    assert_ok(m ? drxmp_extend(m, 1, 1) : drx_extend(a, 1, 1));
    assert_ok(m ? drxmp_sync(m) : drx_sync(a));
}

/* All ranks have the log that took the place of the old one. */
TEST(compacting)
{
    const drx_spec spec = small_spec();
    const void *step;
    int64_t address;
    drxmp_array *m;
    drx_array *a;

    drxi_hooks.compaction.from_bytes = 512;
    drxi_hooks.compaction.times = 1;
    m = create("short");
    grow_long(m, NULL);
    a = drxmp_serial(m);
    assert_int_equal(drx_shape(a)[0], 19);
    assert_int_equal(drx_shape(a)[1], 22);
    assert_in_range(drx_growth_count(a), 6, 7); /* six runs, and one more if the last sync did not compact */
    assert_ok(drx_attr_get(a, "step", NULL, NULL, &step));
    assert_int_equal(*(const int64_t *)step, 29);
    assert_ok(drx_chunk_address(a, (int64_t[]){ 9, 7 }, &address));
    assert_ok(drxmp_close(m));
    if (mp_rank == 0) {
        assert_ok(drx_create("one", &spec, &a));
        grow_long(NULL, a);
        assert_ok(drx_close(a));
    }
    mp_assert_same_files("short", "one"); /* those of one process that does the same */
    m = mp_open("short", DRX_RDONLY);
    assert_status(drxmp_compact(m), DRX_EACCES);
    assert_ok(drxmp_close(m));
    assert_status(drxmp_compact(NULL), DRX_EINVAL);
}

static void make_dataset(void)
{
    const char *const dims[] = { "time" };
    drx_dataset *ds;

    assert_ok(drx_dataset_create("set", &ds));
    assert_ok(drx_dataset_add(
        ds, "a", &(drx_spec){ .ndim = 1, .type = DRX_FLOAT64, .shape = (int64_t[]){ 4 }, .dims = dims }, NULL));
    assert_ok(drx_dataset_commit(ds, "a"));
    assert_ok(drx_dataset_close(ds));
}

/* Only the root knows that it compacts, and requests of all ranks go on meanwhile. */
TEST(compacting_beside_requests)
{
    const int64_t zero = 0, mine = 100, all = mine * mp_ranks, lo = mine * mp_rank, chunk = 7;
    const drx_spec spec = { .ndim = 1, .type = DRX_INT64, .shape = &zero, .chunk = &chunk, .flags = DRX_REPLACE };

    drxi_hooks.compaction.from_bytes = 512;
    drxi_hooks.compaction.times = 1;
    for (int by_sync = 0; by_sync < 2; by_sync++) {
        drxmp_array *m = mp_create("beside", &spec);
        int64_t values[100], read[100];
        drx_request *req;

        for (int i = 0; i < mine; i++)
            assert_ok(drxmp_extend(m, 0, mp_ranks));
        for (int i = 0; i < mine; i++)
            values[i] = lo + i;
        assert_ok(drxmp_iwrite_all(m, &(drx_box){ .lo = &lo, .count = &mine }, values, &req));
        assert_ok(by_sync ? drxmp_sync(m) : drxmp_compact(m));
        assert_ok(drx_wait(req));
        assert_ok(drxmp_read_all(m, &lo, &mine, DRX_ROW_MAJOR, read));
        assert_memory_equal(read, values, sizeof values);
        assert_int_equal(drx_shape(drxmp_serial(m))[0], all);
        assert_ok(drxmp_close(m));
    }
    drxi_hooks.compaction.from_bytes = 1 << 20;
    drxi_hooks.compaction.times = 4;
}

/* Ranks write elements of a variable together; it grows in its dataset alone. */
TEST(a_variable_of_a_dataset)
{
    const drx_spec spec = { .ndim = 1, .type = DRX_FLOAT64, .shape = (int64_t[]){ 4 }, .flags = DRX_REPLACE };
    double value = mp_rank;
    drxmp_array *m;

    if (mp_rank == 0)
        make_dataset();
    MPI_Barrier(mp_comm);
    m = mp_open("set/a", DRX_RDWR);
    assert_fails(drxmp_extend(m, 0, 1), DRX_EINVAL, "a variable of a dataset");
    assert_int_equal(drx_shape(drxmp_serial(m))[0], 4);
    assert_ok(mp_write_all(m, &(struct mp_box){ { 0 }, { mp_rank == 0 } }, &value));
    assert_ok(drxmp_close(m));
    assert_fails(drxmp_create(mp_comm, "set/a", &spec, &m), DRX_EINVAL, "in the folder of a dataset");
}

/* Rank 0 writes where the others read, grow or sync: nobody waits for ever, and the array can be used afterwards. */
TEST(writing_beside_others)
{
    const drx_box one = { .lo = (int64_t[]){ 0, 0 }, .count = (int64_t[]){ 1, 1 } };
    drxmp_array *m = create("beside");
    drx_request *req;
    double value = 5;

    if (mp_ranks > 1) {
        assert_fails(mp_rank ? mp_read_all(m, &(struct mp_box){ { 0, 0 }, { 1, 1 } }, &value)
                             : mp_write_all(m, &(struct mp_box){ { 0, 0 }, { 1, 1 } }, &value),
                     DRX_EMISMATCH, "drxmp_read");
        assert_fails(mp_rank ? drxmp_extend(m, 0, 1) : mp_write_all(m, &(struct mp_box){ { 0, 0 }, { 1, 1 } }, &value),
                     DRX_EMISMATCH, "drxmp_extend");
        assert_ok(mp_rank ? drxmp_iread_all(m, &one, &value, &req) : drxmp_iwrite_all(m, &one, &value, &req));
        assert_status(drx_wait(req), DRX_EMISMATCH);
        assert_fails(mp_rank ? drxmp_sync(m) : mp_write_all(m, &(struct mp_box){ { 0, 0 }, { 1, 1 } }, &value),
                     DRX_EMISMATCH, "drxmp_sync");
    }
    assert_int_equal(drx_shape(drxmp_serial(m))[0], 4);
    value = mp_rank;
    assert_ok(mp_write_all(m, &(struct mp_box){ { 0, 0 }, { mp_rank == 0, 1 } }, &value));
    value = 7;
    assert_ok(mp_read_all(m, &(struct mp_box){ { 0, 0 }, { 1, 1 } }, &value));
    assert_true(value == 0);
    assert_ok(drxmp_close(m));
}

/* One rank has no place for its request: the others hear of it, and the array can be used afterwards. */
TEST(a_request_that_one_rank_cannot_get)
{
    const drx_box one = { .lo = (int64_t[]){ 0, 0 }, .count = (int64_t[]){ 1, 1 } };
    drxmp_array *m = create("beside");
    drx_request *req;
    double value = 5;

    if (mp_rank == mp_ranks - 1) {
        assert_fails(drxmp_iread_all(m, &one, &value, NULL), DRX_EINVAL, "req is a null pointer");
    } else {
        assert_ok(drxmp_iread_all(m, &one, &value, &req));
        assert_status(drx_wait(req), DRX_EINVAL);
    }
    assert_ok(mp_read_all(m, &(struct mp_box){ { 0, 0 }, { 1, 1 } }, &value));
    assert_ok(drxmp_close(m));
}

/* All ranks choose the chunk that one process does, on the disk and in memory. */
TEST(chosen_chunks)
{
    static const int64_t shapes[][2] = { { 5, 3 }, { 0, 7 }, { 1, 4000 }, { 700, 900 }, { 365, 2 } };

    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
        const drx_spec spec = {
            .ndim = 2, .type = DRX_FLOAT64, .shape = shapes[i / 2], .grows = i % 3 == 0, .flags = DRX_REPLACE
        };
        drxmp_array *m = mp_create(i % 2 ? NULL : "chosen", &spec);
        int64_t chunk[2];

        assert_ok(drx_choose_chunk(&spec, chunk));
        assert_memory_equal(drx_chunk(drxmp_serial(m)), chunk, sizeof chunk);
        assert_ok(drxmp_close(m));
    }
}

/* What the last rank's program asks for differs, or fails: all hear of it, and who it was. */
TEST(failing_alike)
{
    const drx_spec spec = small_spec();
    const bool differs = mp_rank == mp_ranks - 1;
    drx_spec other = spec;
    drxmp_array *m = create("alike"), *second;
    double value;
    char who[32];

    (void)snprintf(who, sizeof who, "rank %d", mp_ranks - 1);
    assert_fails(drxmp_extend(m, 2, 1), DRX_EINVAL, "axis 2");
    assert_fails(drxmp_open(mp_comm, "alike", DRX_RDWR, &second), DRX_EBUSY, "rank 0: alike.xmd");
    assert_null(second);
    assert_status(drxmp_open(mp_comm, "nowhere", DRX_RDONLY, &second), DRX_ENOENT);
    assert_status(drxmp_attr_delete(m, "none"), DRX_ENOENT);
    if (mp_ranks > 1) {
        assert_fails(drxmp_extend(m, 0, differs ? 5 : 1), DRX_EMISMATCH, "drxmp_extend: by is 5 on rank");
        assert_detail(who);
        assert_fails(differs ? drxmp_sync(m) : drxmp_extend(m, 0, 1), DRX_EMISMATCH,
                     "calls drxmp_sync, and rank 0 drxmp_extend");
        assert_fails(drxmp_attr_set_text(m, "units", differs ? "m" : "K"), DRX_EMISMATCH, "the text of rank");
        assert_status(drxmp_open(mp_comm, "alike", differs ? DRX_RDWR : DRX_RDONLY, &second), DRX_EMISMATCH);
        other.type = differs ? DRX_INT32 : DRX_FLOAT64;
        assert_status(drxmp_create(mp_comm, "alike", &other, &second), DRX_EMISMATCH);
        other = spec;
        other.grows = differs;
        assert_status(drxmp_create(mp_comm, "alike", &other, &second), DRX_EMISMATCH);
        other = spec;
        other.lower = differs ? (int64_t[]){ 0, -1 } : NULL;
        assert_fails(drxmp_create(mp_comm, "lower", &other, &second), DRX_EMISMATCH, "spec.lower of rank");
        assert_fails(drxmp_create(mp_comm, NULL, &other, &second), DRX_EMISMATCH, "spec.lower of rank");
        assert_null(second);
        other.lower = differs ? (int64_t[]){ 0, 0 } : NULL; /* which is the same */
        assert_ok(drxmp_create(mp_comm, NULL, &other, &second));
        assert_ok(drxmp_close(second));
        assert_fails(mp_read_all(m, &(struct mp_box){ { differs ? 4 : 0, 0 }, { 1, 1 } }, &value), DRX_ERANGE, who);
    }
    assert_int_equal(drx_shape(drxmp_serial(m))[0], 4);
    assert_ok(drxmp_close(m));
    m = mp_open("alike", DRX_RDONLY);
    assert_status(drxmp_extend(m, 0, 1), DRX_EACCES);
    assert_ok(drxmp_close(m));
    assert_ok(drxmp_close(NULL));
    assert_status(drxmp_sync(NULL), DRX_EINVAL);
    assert_status(drxmp_open(MPI_COMM_NULL, "alike", DRX_RDONLY, &m), DRX_EINVAL);
}

/* Somebody has written to the log, as a file system does not hinder that has no locks. */
TEST(log_of_others)
{
    const double row[64] = { 0 };

    for (int change = 0; change < 3; change++) {
        const int64_t lo[] = { 4, 0 }, count[] = { mp_rank == 0 ? 1 : 0, 6 };
        drxmp_array *m = create("others");

        assert_ok(drxmp_sync(m));
        mp_shell("head -c 32 /dev/zero >>others.xmd; cp others.xmd before");
        assert_fails(change == 0   ? drxmp_extend(m, 0, 1)
                     : change == 1 ? drxmp_append_all(m, 0, 1, lo, count, DRX_ROW_MAJOR, row)
                                   : drxmp_attr_set_text(m, "x", "y"),
                     DRX_EBUSY, "another process writes to it, in spite of the lock");
        assert_status(drxmp_extend(m, 0, 1), DRX_EBUSY);
        assert_int_equal(drx_shape(drxmp_serial(m))[0], 4);
        assert_ok(drxmp_close(m));
        mp_shell("cmp others.xmd before");
    }
}

/* The handle of a rank is for looking, reading and writing. */
TEST(the_view_of_a_rank)
{
    drxmp_array *m = create("view");
    drx_array *a = drxmp_serial(m);
    double value = 7;

    assert_fails(drx_extend(a, 0, 1), DRX_EACCES, "drxmp_");
    assert_status(drx_append(a, 0, 1, DRX_ROW_MAJOR, &value), DRX_EACCES);
    assert_status(drx_sync(a), DRX_EACCES);
    assert_status(drx_refresh(a), DRX_EACCES);
    assert_status(drx_close(a), DRX_EACCES);
    assert_status(drx_attr_set_text(a, "units", "K"), DRX_EACCES);
    assert_status(drx_attr_delete(a, "units"), DRX_EACCES);
    assert_status(drx_dim_rename(a, 0, "y"), DRX_EACCES);
    assert_status(drx_persist(a, 0), DRX_EACCES);
    if (mp_rank == mp_ranks - 1)
        assert_ok(drx_put(a, (int64_t[]){ 3, 5 }, &value)); /* in the pool: what is synced is in the file */
    assert_ok(drxmp_sync(m));
    value = 0;
    assert_ok(drx_get(a, (int64_t[]){ 3, 5 }, &value));
    assert_true(value == 7);
    assert_ok(drxmp_close(m));
}

/* Readers follow a writer that is another process's job; here another handle. */
TEST(the_communicator)
{
    const int64_t shape[1] = { 5 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = shape };
    drxmp_array *m = mp_create("communicator", &spec);
    const MPI_Comm comm = drxmp_comm(m);
    int how, sum = 1;

    assert_int_equal(MPI_Comm_compare(comm, mp_comm, &how), MPI_SUCCESS);
    assert_int_equal(how, MPI_CONGRUENT); /* the same ranks in the same order, but not their own */
    assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    assert_int_equal(sum, mp_ranks);
    assert_true(drxmp_comm(NULL) == MPI_COMM_NULL);
    assert_ok(drxmp_close(m));
    mp_remove("communicator");
}

TEST(refreshing)
{
    static const drx_codec codecs[] = { DRX_RAW, DRX_LZ4 };

    for (int k = 0; k < 2; k++) {
        double values[64], read[64];
        drx_spec spec = small_spec();
        drxmp_array *writer, *reader;
        struct mp_box mine;

        spec.codec = codecs[k];
        writer = mp_create("grows", &spec);
        reader = mp_open("grows", DRX_RDONLY);
        for (int i = 0; i < 20; i++) {
            assert_ok(drxmp_extend(writer, i % 2, 1 + i % 3));
            if (i % 4 == 1)
                assert_ok(drxmp_attr_set_text(writer, "step", i % 8 ? "odd" : "even"));
            if (i % 3 == 0) {
                assert_ok(drxmp_refresh(reader));
                assert_memory_equal(drx_shape(drxmp_serial(reader)), drx_shape(drxmp_serial(writer)),
                                    2 * sizeof(int64_t));
            }
        }
        mine = mp_part(0, (struct mp_box){ { 20, 20 }, { 3, 5 } });
        for (int64_t i = 0; i < mp_box_size(&mine); i++)
            values[i] = (double)(mp_row(&mine, i) * 100 + i);
        assert_ok(mp_write_all(writer, &mine, values));
        assert_ok(drxmp_refresh(writer));
        assert_ok(drxmp_refresh(reader));
        assert_ok(mp_read_all(reader, &mine, read));
        assert_memory_equal(read, values, (size_t)mp_box_size(&mine) * sizeof *read);
        assert_int_equal(drx_growth_count(drxmp_serial(reader)), 20);
        assert_ok(drxmp_close(reader));
        assert_ok(drxmp_close(writer));
    }
}

/* Collective calls that change nothing here, or not the elements. */
enum { CALLS = 15 };

static drx_status call_number(int call, drxmp_array *m, drxmp_array *other, drx_request *request)
{
    const int64_t none[] = { 0 }, one[] = { 1 };
    int32_t x;

    switch (call) {
    case 0:
        return drxmp_refresh(m);
    case 1:
        return drxmp_sync(m);
    case 2:
        return drxmp_compact(m);
    case 3:
        return drxmp_attr_set(m, "a", DRX_INT32, 1, &call);
    case 4:
        return drxmp_attr_delete(m, "a");
    case 5:
        return drxmp_dim_rename(m, 0, "x");
    case 6:
        return drxmp_set_info(m, MPI_INFO_NULL);
    case 7:
        return drxmp_extend(m, 0, 0);
    case 8:
        return drxmp_append_all(m, 0, 0, (int64_t[]){ 64 }, none, DRX_ROW_MAJOR, NULL);
    case 9:
        return drxmp_trim(m, 0, 0, 0);
    case 10:
        return drxmp_read_all(m, none, one, DRX_ROW_MAJOR, &x);
    case 11:
        return drxmp_copy(m, "copied", &(drx_copy_spec){ .flags = DRX_REPLACE }, NULL);
    case 12:
        return drxmp_copy_into(m, other, NULL);
    default:
        return drx_wait(request);
    }
}

/* A put of one rank is seen by the others after a collective call, and does not undo what they write then. */
TEST(puts_before_calls)
{
    const drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = (int64_t[]){ 64 }, .flags = DRX_REPLACE };
    const int64_t at[] = { 60 }, none[] = { 0 }, one[] = { 1 };
    const drx_box box = { .lo = none, .count = one };
    drxmp_array *m = mp_create("puts", &spec), *other = mp_create("others", &spec);
    drx_request *request = NULL;
    int32_t x, moved = 0;

    for (int call = 0; call < CALLS; call++) {
        if (call == 13)
            assert_ok(drxmp_iread_all(m, &box, &moved, &request));
        if (call == 14)
            assert_ok(drxmp_iwrite_all(m, &box, &moved, &request));
        for (int done = call != 14; !done;) /* it is done before the put, and waited for after it */
            assert_ok(drx_test(request, &done));
        x = 2 * call + 1;
        if (mp_rank == 0)
            assert_ok(drx_put(drxmp_serial(m), at, &x));
        assert_ok(call_number(call, m, other, request));
        if (call >= 13)
            MPI_Barrier(mp_comm); /* what is done waits for nobody */
        if (mp_rank == mp_ranks - 1) {
            assert_ok(drxmp_read(m, at, one, DRX_ROW_MAJOR, &x));
            assert_int_equal(x, 2 * call + 1);
            x = 2 * call + 2;
            assert_ok(drxmp_write(m, at, one, DRX_ROW_MAJOR, &x));
        }
        MPI_Barrier(mp_comm); /* drxmp_sync would write the put, too */
        assert_ok(drxmp_sync(m));
        assert_ok(drxmp_read(m, at, one, DRX_ROW_MAJOR, &x));
        assert_int_equal(x, 2 * call + 2);
        MPI_Barrier(mp_comm);
    }
    assert_ok(drxmp_close(m));
    assert_ok(drxmp_close(other));
}

struct pieces {
    int64_t bound, by, columns;
    int64_t short_rank, fails_at; /* that rank gives another number of indices; the last rank fails there; -1: none */
    int32_t buf[3 * 64];
};

/* Up to three rows, of which each rank has some columns. */
static drx_status next_piece(void *with, int64_t done, int64_t *n, int64_t lo[], int64_t count[], const void **buf)
{
    struct pieces *p = with;
    const int64_t left = p->by - done;
    struct mp_box mine;

    if (done == p->fails_at && mp_rank == mp_ranks - 1)
        return DRX_EINTERRUPTED;
    *n = left < 3 ? left : 3;
    if (p->short_rank == mp_rank)
        *n -= 1;
    mine = mp_part(1, (struct mp_box){ { p->bound + done, 0 }, { *n, p->columns } });
    memcpy(lo, mine.lo, sizeof mine.lo);
    memcpy(count, mine.count, sizeof mine.count);
    mp_number_box(0, &mine, p->buf);
    *buf = p->buf;
    return DRX_OK;
}

/* A slab in pieces makes the files that one append makes; a piece that fails on one rank, and one that the ranks
 * disagree about, leave the array as it was. */
TEST(appending_together_in_pieces)
{
    static const int64_t shape[2] = { 5, 11 }, chunk[2] = { 4, 3 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    struct pieces p = { .bound = 5, .by = 10, .columns = 11, .short_rank = -1 };
    struct mp_box whole = { { 5, 0 }, { 10, 11 } };
    int32_t slab[110];
    drxmp_array *m = mp_create("slabs", &spec);
    drx_array *a;

    for (p.fails_at = 0; p.fails_at <= 9; p.fails_at += 3)
        assert_status(drxmp_append_pieces(m, 0, 10, DRX_ROW_MAJOR, next_piece, &p), DRX_EINTERRUPTED);
    p.fails_at = 10; /* the last word */
    assert_status(drxmp_append_pieces(m, 0, 10, DRX_ROW_MAJOR, next_piece, &p), DRX_EINTERRUPTED);
    p.fails_at = -1;
    assert_ok(drxmp_attr_set_text(m, "title", "behind what was given up"));
    assert_ok(drxmp_sync(m));
    if (mp_ranks > 1) {
        assert_status(drxmp_append_all(m, 0, 1, (int64_t[]){ 0, 0 }, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, slab),
                      DRX_ERANGE);
        p.short_rank = 1;
        assert_status(drxmp_append_pieces(m, 0, 10, DRX_ROW_MAJOR, next_piece, &p), DRX_EMISMATCH);
        p.short_rank = -1;
    }
    assert_int_equal(drx_shape(drxmp_serial(m))[0], 5);
    assert_ok(drxmp_close(m));
    m = mp_create("slabs", &spec);
    assert_ok(drxmp_append_pieces(m, 0, 10, DRX_ROW_MAJOR, next_piece, &p));
    assert_ok(drxmp_close(m));
    if (mp_rank == 0) {
        assert_ok(drx_create("slab", &spec, &a));
        mp_number_box(0, &whole, slab);
        assert_ok(drx_append(a, 0, 10, DRX_ROW_MAJOR, slab));
        assert_ok(drx_close(a));
    }
    mp_assert_same_files("slabs", "slab");
}

static int64_t all_writes(drxmp_array *m, int64_t *mine)
{
    drx_counters counters;
    int64_t all;

    assert_ok(drx_count(drxmp_serial(m), &counters));
    *mine = counters.writes;
    (void)MPI_Allreduce(mine, &all, 1, MPI_INT64_T, MPI_SUM, mp_comm);
    return all;
}

/* Columns dealt out among the ranks: each chunk is one write of one rank; and with one rank for all I/O, of that one.
 */
TEST(chunks_are_put_together)
{
    enum { ROWS = 32, COLUMNS = 64 };
    static const int64_t shape[2] = { ROWS, COLUMNS }, chunk[2] = { 8, 16 };
    const int64_t n = (COLUMNS - mp_rank + mp_ranks - 1) / mp_ranks, lo[2] = { 0, mp_rank }, count[2] = { ROWS, n };
    const drx_box box = { .lo = lo, .count = count, .step = (int64_t[]){ 1, mp_ranks } };
    drxmp_array *m = mp_create(
        "shared", &(drx_spec){ .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE });
    int32_t buf[ROWS * COLUMNS];
    int64_t before, before_mine, mine;

    for (int64_t i = 0; i < ROWS * n; i++)
        buf[i] = (int32_t)(i / n * COLUMNS + mp_rank + i % n * mp_ranks);
    assert_ok(drxmp_write_box_all(m, &box, buf));
    before = all_writes(m, &before_mine);
    assert_int_equal(before, mp_ranks > 1 ? 16 : before); /* a rank alone puts adjacent chunks together */
    assert_ok(mp_set(m, "drx_io_ranks=1"));
    assert_ok(drxmp_write_box_all(m, &box, buf));
    if (mp_ranks > 1) {
        assert_int_equal(all_writes(m, &mine), before + 16);
        assert_int_equal(mine, mp_rank == 0 ? before_mine + 16 : before_mine);
    }
    memset(buf, -1, sizeof buf);
    assert_ok(drxmp_read_box_all(m, &box, buf));
    for (int64_t i = 0; i < ROWS * n; i++)
        assert_int_equal(buf[i], i / n * COLUMNS + mp_rank + i % n * mp_ranks);
    assert_ok(drxmp_close(m));
}

static void check_info(drxmp_array *m, const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int there = 0;
    MPI_Info info;

    assert_ok(drxmp_get_info(m, &info));
    assert_int_equal(MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &there), MPI_SUCCESS);
    assert_true(there);
    assert_string_equal(value, expected);
    assert_int_equal(MPI_Info_free(&info), MPI_SUCCESS);
}

static void write_and_check(drxmp_array *m)
{
    static double buf[4096];
    const int64_t *shape = drx_shape(drxmp_serial(m));
    const struct mp_box all = { { 0, 0 }, { shape[0], shape[1] } };
    const struct mp_box mine = mp_part(0, all);

    assert_true(mp_box_size(&all) <= 4096);
    for (int64_t k = 0; k < mp_box_size(&mine); k++)
        buf[k] = (double)(100 * mp_row(&mine, k) + mp_column(&mine, k));
    assert_ok(mp_write_all(m, &mine, buf));
    assert_ok(mp_read_all(m, &all, buf));
    for (int64_t k = 0; k < mp_box_size(&all); k++)
        assert_true(buf[k] == (double)(100 * mp_row(&all, k) + mp_column(&all, k)));
}

/* What the environment says of hints. */
TEST(hints_of_the_environment)
{
    drxmp_array *m;

    assert_int_equal(setenv("DRXMP_HINTS", "cb_nodes=1,striping_unit=65536", 1), 0);
    m = create("hints");
    check_info(m, "cb_nodes", "1");
    check_info(m, "striping_unit", "65536");
    assert_ok(drxmp_close(m));
    assert_int_equal(setenv("DRXMP_HINTS", "cb_nodes", 1), 0);
    assert_fails(drxmp_open(mp_comm, "hints", DRX_RDONLY, &m), DRX_EINVAL, "KEY=VALUE");
    assert_int_equal(unsetenv("DRXMP_HINTS"), 0);
}

TEST(settings)
{
    drxmp_array *m = create("settings");

    assert_ok(drxmp_set_info(m, MPI_INFO_NULL));
    assert_ok(mp_set(m, "drx_backend=posix,drx_io_ranks=1,striping_unit=65536"));
    check_info(m, "drx_io_ranks", "1");
    check_info(m, "drx_backend", "posix");
    check_info(m, "striping_unit", "65536");
    assert_ok(mp_set(m, "striping_unit=4096,cb_nodes=1"));
    check_info(m, "striping_unit", "4096");
    check_info(m, "cb_nodes", "1");
    assert_ok(mp_set(m, "drx_backend=mpiio"));
    check_info(m, "drx_backend", "mpiio");
    write_and_check(m);
    assert_ok(mp_set(m, "cb_buffer_size=1048576")); /* opens it again */
    write_and_check(m);
    assert_ok(mp_set(m, "drx_backend=posix"));
    check_info(m, "cb_buffer_size", "1048576");
    write_and_check(m);
    assert_fails(mp_set(m, "romio_ds_write=enable"), DRX_EINVAL, "data sieving");
    assert_fails(mp_set(m, "cb_nodes=%d", mp_rank == mp_ranks - 1 ? 1 : 2), mp_ranks > 1 ? DRX_EMISMATCH : DRX_OK,
                 mp_ranks > 1 ? "hints" : "");
    assert_status(drxmp_get_info(m, NULL), DRX_EINVAL);
    assert_fails(mp_set(m, "drx_io_ranks=0"), DRX_EINVAL, "drx_io_ranks is \"0\", expected 1 to");
    assert_fails(mp_set(m, "drx_backend=carrier pigeons"), DRX_EINVAL, "expected posix or mpiio");
    assert_ok(drxmp_close(m));
}
