/* The two ways to the data file, system calls and MPI-IO: boxes of many rounds, missing bytes, and a change from one
 * way to the other. */
#include <signal.h>
#include <sys/resource.h>

#include "drx_tools.h"
#include "mp_testing.h"

enum { ROWS = 300, COLUMNS = 400, BUFFER = 1 << 16 };

static const double fill = -1;

static drx_spec spec_of(const int64_t shape[2], drx_order order)
{
    static const int64_t chunk[2] = { 40, 30 };

    return (drx_spec){ .ndim = 2,
                       .type = DRX_FLOAT64,
                       .shape = shape,
                       .chunk = chunk,
                       .fill = &fill,
                       .chunk_order = order,
                       .flags = DRX_REPLACE };
}

static drxmp_array *create(const char *path, int64_t rows, int64_t columns)
{
    const int64_t shape[2] = { rows, columns };
    const drx_spec spec = spec_of(shape, DRX_ROW_MAJOR);

    return mp_create(path, &spec);
}

static drx_status set_backend(drxmp_array *m, const char *backend)
{
    return mp_set(m, "drx_backend=%s,drx_buffer=65536", backend);
}

static double model[ROWS][COLUMNS], buf[ROWS * COLUMNS];

/* How all is dealt out: adjacent rows or columns, of which each takes little or all; every this many; few of them. One
 * rank has none. */
struct deal {
    int axis, idle;
    enum { ADJACENT, THIN, IN_TURN, FEW } way;
};

static struct mp_box part_of(int rank, const struct deal *deal)
{
    const int axis = deal->axis;
    struct mp_box p = { { 0, 0 }, { ROWS, COLUMNS }, { 1, 1 } };
    const int64_t extent = p.count[axis];

    if (deal->way == THIN) {
        p.step[1 - axis] = 7;
        p.count[1 - axis] = (p.count[1 - axis] - 1) / 7 + 1;
    }
    if (deal->way == ADJACENT || deal->way == THIN) {
        p.lo[axis] = extent * rank / mp_ranks;
        p.count[axis] = extent * (rank + 1) / mp_ranks - p.lo[axis];
    } else {
        p.lo[axis] = rank;
        p.step[axis] = deal->way == FEW ? mp_ranks * 7 : mp_ranks;
        p.count[axis] = (extent - 1 - rank) / p.step[axis] + 1;
    }
    if (rank == deal->idle)
        p.count[axis] = 0;
    return p;
}

static double *in_model(const struct mp_box *p, int64_t which)
{
    return &model[mp_row(p, which)][mp_column(p, which)];
}

static void write_parts(drxmp_array *m, drx_array *one, const struct deal *deal)
{
    const struct mp_box mine = part_of(mp_rank, deal);
    const drx_box my_box = mp_drx_box(&mine);
    const double first = (double)mp_below(1 << 20);

    for (int i = 0; i <= mp_ranks; i++) { /* this rank's once more, to stay in the buffer */
        const int rank = i < mp_ranks ? i : mp_rank;
        const struct mp_box p = part_of(rank, deal);
        const drx_box box = mp_drx_box(&p);

        for (int64_t k = 0; k < mp_box_size(&p); k++)
            *in_model(&p, k) = buf[k] = first + 1e6 * rank + (double)k;
        if (one && i < mp_ranks)
            assert_ok(drx_write_box(one, &box, buf));
    }
    assert_ok(drxmp_write_box_all(m, &my_box, buf));
}

static void read_parts(drxmp_array *m, const struct deal *deal, bool rounds)
{
    const struct mp_box p = part_of(mp_rank, deal);
    const drx_box box = mp_drx_box(&p);
    drx_counters before, after;

    memset(buf, 0, sizeof buf);
    assert_ok(drx_count(drxmp_serial(m), &before));
    assert_ok(drxmp_read_box_all(m, &box, buf));
    assert_ok(drx_count(drxmp_serial(m), &after));
    for (int64_t k = 0; k < mp_box_size(&p); k++)
        assert_true(buf[k] == *in_model(&p, k));
    if (rounds) /* each of half the buffer at most */
        assert_true((after.reads - before.reads) * BUFFER / 2 >= mp_box_size(&p) * (int64_t)sizeof *buf);
}

/* Much more than a rank may use of memory at once, in either order of chunks; a rank that has nothing goes along. */
TEST(many_rounds)
{
    const int64_t shape[2] = { ROWS, COLUMNS };

    for (int order = 0; order < 2; order++) {
        const drx_spec spec = spec_of(shape, order ? DRX_COL_MAJOR : DRX_ROW_MAJOR);
        drxmp_array *m = mp_create("many", &spec);
        drx_array *one = NULL;

        for (int64_t k = 0; k < ROWS * COLUMNS; k++)
            model[k / COLUMNS][k % COLUMNS] = fill;
        if (mp_rank == 0)
            assert_ok(drx_create("one", &spec, &one));
        for (int i = 0; i < 12; i++) {
            const bool mpiio = mp_below(4) > 0;
            const struct deal deal = { .axis = (int)mp_below(2),
                                       .idle = mp_ranks > 1 ? (int)mp_below(mp_ranks) : -1,
                                       .way = (int)mp_below(4) };

            assert_ok(set_backend(m, mpiio ? "mpiio" : "posix"));
            if (i % 2 == 0)
                write_parts(m, one, &deal);
            else
                read_parts(m, &deal, mpiio);
        }
        assert_ok(drxmp_close(m));
        assert_ok(drx_close(one));
        mp_assert_same_files("many", "one");
    }
}

/* Bytes that this process has read by system calls; -1: the system does not tell. */
static long read_so_far(void)
{
    FILE *f = fopen("/proc/self/io", "r");
    long n = -1;

    if (f && fscanf(f, "rchar: %ld", &n) != 1)
        n = -1;
    if (f)
        (void)fclose(f);
    return n;
}

/* A write stores its own bytes: it does not read what lies between them, to write that back. */
TEST(writing_reads_nothing)
{
    const struct deal deal = { .axis = 0, .idle = -1, .way = THIN };
    drxmp_array *m = create("sieve", ROWS, COLUMNS);
    long before;

    assert_ok(set_backend(m, "mpiio"));
    write_parts(m, NULL, &deal);
    before = read_so_far();
    write_parts(m, NULL, &deal);
    assert_in_range(read_so_far() - before, 0, 1 << 14);
    assert_ok(drxmp_close(m));
}

/* All but the last element of each rank's share, which lies behind the end. */
static void expect_missing(drxmp_array *m, drx_status expected)
{
    const struct mp_box mine = mp_part(0, (struct mp_box){ { 0, 0 }, { 80, 30 } });
    const int64_t there = 8 * (40 * 30 + 7); /* bytes of the file */

    memset(buf, 0, sizeof buf);
    assert_status(mp_read_all(m, &mine, buf), expected);
    for (int64_t k = 0; !expected && k < mine.count[0] * 30; k++) { /* two chunks, one behind the other */
        const int64_t place = mine.lo[0] * 30 + k;

        assert_true(buf[k] == (8 * (place + 1) <= there ? (double)place : fill));
    }
}

/* An array that loses the end of its file: the fill is there instead, unless a sync has promised more. */
TEST(cut_files)
{
    const struct mp_box whole = { { 0, 0 }, { mp_rank == 0 ? 80 : 0, 30 } };

    for (int synced = 0; synced < 2; synced++) {
        drxmp_array *m = create("cut", 80, 30);

        for (int k = 0; k < 80 * 30; k++)
            buf[k] = k;
        assert_ok(mp_write_all(m, &whole, buf));
        if (synced)
            assert_ok(drxmp_sync(m));
        assert_ok(drxmp_close(m));
        m = mp_open("cut", DRX_RDONLY);
        mp_shell("truncate -s 9659 cut.xta"); /* of 7 elements behind the first chunk, and 3 bytes */
        for (int i = 0; i < 2; i++) {
            assert_ok(set_backend(m, i ? "posix" : "mpiio"));
            expect_missing(m, synced ? DRX_EDAMAGED : DRX_OK);
        }
        assert_ok(drxmp_close(m));
    }
}

/* What was put and what was asked for before comes through; the file grows either way. */
TEST(to_and_fro)
{
    drxmp_array *m = create("fro", 0, 30);
    drx_array *a = drxmp_serial(m);
    drx_request *request, *other;
    double value;

    for (int64_t i = 0; i < 8; i++) {
        const int64_t index[2] = { 10 * i + mp_rank % 10, 3 }, lo[2] = { 10 * i, 0 }, count[2] = { 10, 30 };
        int done = 0;

        assert_ok(set_backend(m, i % 2 ? "posix" : "mpiio"));
        assert_ok(drxmp_extend(m, 0, 10));
        value = (double)(100 * i + mp_rank % 10);
        assert_ok(drx_put(a, index, &value));
        assert_ok(drx_write_async(a, &(drx_box){ .lo = index, .count = (int64_t[]){ 1, 1 } }, &value, &request));
        assert_ok(set_backend(m, i % 2 ? "mpiio" : "posix"));
        assert_ok(drx_wait(request));
        assert_ok(drxmp_sync(m));
        assert_ok(drxmp_iread_all(m, &(drx_box){ .lo = lo, .count = count }, buf, &request));
        assert_status(set_backend(m, i % 2 ? "posix" : "mpiio"), DRX_EBUSY);
        assert_ok(drxmp_set_info(m, MPI_INFO_NULL));
        while (!done)
            assert_ok(drx_test(request, &done));
        assert_ok(drx_wait(request));
        for (int rank = 0; rank < mp_ranks && rank < 10; rank++)
            assert_true(buf[30 * rank + 3] == (double)(100 * i + rank));
        memset(buf, 0, sizeof buf);
        assert_ok(drx_read_async(a, &(drx_box){ .lo = lo, .count = count }, buf, &other));
        assert_ok(drx_wait(other));
        assert_true(buf[3] == (double)(100 * i));
        (void)MPI_Barrier(mp_comm);
    }
    assert_ok(drxmp_close(m));
}

/* The path leads to another array by now: that is not taken for this one. */
TEST(replaced)
{
    drxmp_array *m = create("old", 40, 30), *other;
    double value = 5;

    assert_ok(set_backend(m, "posix"));
    assert_ok(drxmp_close(m));
    m = mp_open("old", DRX_RDONLY);
    assert_ok(set_backend(m, "posix"));
    other = create("old", 40, 30);
    assert_ok(mp_write_all(other, &(struct mp_box){ { 0, 0 }, { mp_rank == 0, 1 } }, &value));
    assert_fails(set_backend(m, "mpiio"), DRX_EMISMATCH, "old.xta: replaced");
    assert_ok(mp_read_all(m, &(struct mp_box){ { 0, 0 }, { 1, 1 } }, &value));
    assert_true(value == fill);
    assert_ok(drxmp_close(other));
    assert_ok(drxmp_close(m));
}

/* Nothing is left beside the files of the array. */
TEST(no_other_files)
{
    drxmp_array *m = create("clean", 40, 30);

    assert_ok(set_backend(m, "mpiio"));
    assert_ok(drxmp_close(m));
    assert_int_equal(mp_count_files("clean*"), 2);
    assert_int_equal(mp_count_files("clean.xmd clean.xta"), 2);
}

/* A limit on the size of a file is a lack of room, by both ways. */
TEST(a_limit_on_files)
{
    static const char *const backends[] = { "posix", "mpiio" };

    (void)signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 2; i++) {
        const struct mp_box mine = mp_part(0, (struct mp_box){ { 0, 0 }, { ROWS, COLUMNS } });
        drxmp_array *m = create("limited", ROWS, COLUMNS);
        drx_status grown, written;
        struct rlimit all, some;

        assert_ok(set_backend(m, backends[i]));
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
        some = (struct rlimit){ .rlim_cur = ROWS * COLUMNS * sizeof *buf / 2, .rlim_max = all.rlim_max };
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &some), 0);
        grown = drxmp_extend(m, 0, ROWS);
        written = mp_write_all(m, &mine, buf);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
        assert_status(grown, DRX_ENOSPC);
        assert_status(written, DRX_ENOSPC);
        assert_int_equal(drx_shape(drxmp_serial(m))[0], ROWS);
        assert_ok(mp_write_all(m, &mine, buf));
        assert_ok(drxmp_close(m));
    }
    mp_remove("limited");
}
