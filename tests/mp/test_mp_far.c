/* Stripes on disks that only one node sees: histories, names, and what a rank keeps of other nodes' (mp_far.h). */
#include "drx_tools.h"
#include "mp/far/far.h"
#include "mp_far.h"

TEST(histories)
{
    const int32_t fill = -7;

    if (!far_begin())
        return;
    for (int i = 0; i < mp_rounds(4); i++) {
        far_play("a", 0, NULL);
        far_play("a", 0, &fill);
        far_play("b", DRX_CHECKSUM, &fill);
    }
    far_end();
}

/* Each node has its own stripes, and the others have none of them. */
TEST(each_node_has_its_own)
{
    const int nodes = (mp_ranks + FAR_NODE_RANKS - 1) / FAR_NODE_RANKS;
    struct far_twins t;
    int expected = 0;

    if (!far_begin())
        return;
    t = far_make("a", 0, NULL);
    for (int k = 0; k < FAR_STRIPES; k++)
        expected += getenv("DRX_LOCAL") ? k % 2 == mp_rank / 2 : k % nodes == mp_rank / FAR_NODE_RANKS;
    assert_int_equal(far_stripes_here(), expected);
    (void)MPI_Barrier(mp_comm);
    assert_ok(drxmp_close(t.m));
    assert_ok(drx_close(t.truth));
    t = far_make("a", 0, NULL); /* replaces it, and removes its stripes everywhere */
    assert_int_equal(far_stripes_here(), expected);
    assert_ok(drxmp_close(t.m));
    assert_ok(drx_close(t.truth));
    far_end();
}

/* Without the setting, or when a node is not there any more, the missing stripe is named. */
TEST(missing_stripes_are_named)
{
    struct far_twins t;
    drxmp_array *m;
    char command[600];

    if (!far_begin())
        return;
    t = far_make("a", 0, NULL);
    assert_ok(drxmp_close(t.m));
    assert_ok(drx_close(t.truth));
    assert_int_equal(unsetenv("DRXMP_LOCAL_STRIPES"), 0);
    assert_fails(drxmp_open(mp_comm, "a", DRX_RDWR, &m), DRX_ENOENT, "missing: it is stripe 1 of the 3 of a");
    assert_int_equal(setenv("DRXMP_LOCAL_STRIPES", "1", 1), 0);
    (void)snprintf(command, sizeof command, "rm -rf local0/* %s/*.0", far_local);
    mp_shell(command);
    assert_fails(drxmp_open(mp_comm, "a", DRX_RDWR, &m), DRX_ENOENT, "missing: it is stripe 0 of the 3 of a");
    assert_int_equal(setenv("DRXMP_LOCAL_STRIPES", "yes", 1), 0);
    assert_fails(drxmp_open(mp_comm, "a", DRX_RDWR, &m), DRX_EINVAL, "DRXMP_LOCAL_STRIPES");
    far_end();
}

/* An array that all ranks see is opened and used as ever. */
TEST(arrays_that_all_see)
{
    const drx_spec spec = far_spec_of(NULL, 0, NULL);
    drx_spec plain = spec;
    drxmp_array *m;

    if (!far_begin())
        return;
    plain.nstripes = 0;
    m = mp_create("plain", &plain);
    assert_ok(drxmp_extend(m, 0, 5));
    assert_ok(drxmp_close(m));
    far_end();
}

/* Other nodes cannot open files that have no names. */
TEST(temporary_arrays_have_none)
{
    const char *folders[FAR_STRIPES];
    drxmp_array *m;
    drx_spec spec;

    if (!far_begin())
        return;
    for (int k = 0; k < FAR_STRIPES; k++)
        folders[k] = far_local;
    spec = far_spec_of(folders, DRX_TEMPORARY, NULL);
    assert_fails(drxmp_create(mp_comm, "t", &spec, &m), DRX_EUNSUPPORTED, "xta.1: other processes cannot open it");
    (void)MPI_Barrier(mp_comm);
    assert_int_equal(far_stripes_here(), 0);
    assert_int_equal(mp_count_files("t.*"), 0);
    far_end();
}

/* ---- names ---- */

struct lacking {
    int calls, k, n;
    char file[512];
};

static void note_lacking(void *user, int k, int n, const char *file)
{
    struct lacking *l = user;

    l->calls++;
    l->k = k;
    l->n = n;
    (void)snprintf(l->file, sizeof l->file, "%s", file);
}

/* An array is renamed and removed with its stripes on all nodes. What is missing is told to rank 0. */
TEST(names_on_all_nodes)
{
    struct lacking l = { .calls = 0 };
    struct far_twins t;
    char command[600];

    if (!far_begin())
        return;
    t = far_make("a", 0, NULL);
    far_write_some(&t, false);
    assert_ok(drxmp_close(t.m));
    assert_ok(drxmp_missing_stripes(mp_comm, "a", note_lacking, &l));
    assert_int_equal(l.calls, 0);
    assert_ok(drxmp_rename(mp_comm, "a", "moved", 0));
    assert_fails(drxmp_rename(mp_comm, "a", "moved", 0), DRX_ENOENT, "a.xmd");
    t.m = mp_open("moved", DRX_RDWR);
    far_compare(&t);
    assert_ok(drxmp_close(t.m));
    assert_fails(drxmp_rename(mp_comm, mp_rank ? "moved" : "c", "d", 0), DRX_EMISMATCH, "the path");
    assert_fails(drxmp_remove(mp_comm, NULL), DRX_EINVAL, "null pointer");
    assert_fails(drxmp_missing_stripes(mp_comm, "moved", NULL, NULL), DRX_EINVAL, "null pointer");

    (void)snprintf(command, sizeof command, "rm local0/*.0 2>/dev/null || rm %s/*.0", far_local);
    mp_shell(command);
    assert_ok(drxmp_missing_stripes(mp_comm, "moved", note_lacking, &l));
    assert_int_equal(l.calls, mp_rank == 0);
    if (mp_rank == 0) {
        assert_int_equal(l.k, 0);
        assert_int_equal(l.n, FAR_STRIPES);
        assert_non_null(strstr(l.file, ".xta.0"));
    }
    assert_ok(drxmp_remove(mp_comm, "moved"));
    assert_int_equal(far_stripes_here(), 0);
    assert_fails(drxmp_remove(mp_comm, "moved"), DRX_ENOENT, "moved.xmd");
    assert_ok(drx_close(t.truth));
    far_end();
}

/* A copy has its own stripes on the nodes; an array that it replaces loses its own. */
TEST(copies_on_all_nodes)
{
    const char *folders[FAR_STRIPES];
    static const int64_t chunk[2] = { 2, 3 };
    drx_copy_spec spec = { .chunk = chunk, .stripes = folders, .nstripes = FAR_STRIPES };
    struct far_twins t;
    int before;

    if (!far_begin())
        return;
    t = far_make("a", 0, NULL);
    far_write_some(&t, false);
    before = far_stripes_here();
    for (int i = 0; i < FAR_STRIPES; i++)
        folders[i] = far_local; /* which far_begin() has set */
    for (int round = 0; round < 2; round++) {
        drxmp_array *copy;

        spec.flags = round ? DRX_REPLACE : 0;
        assert_ok(drxmp_copy(t.m, "copy", &spec, &copy));
        assert_int_equal(far_stripes_here(), 2 * before);
        assert_ok(drxmp_close(t.m));
        t.m = copy;
        far_compare(&t);
        assert_ok(drxmp_close(copy));
        t.m = mp_open("a", DRX_RDWR);
    }
    assert_fails(drxmp_copy(t.m, "copy", &(drx_copy_spec){ .stripes = folders, .nstripes = FAR_STRIPES }, NULL),
                 DRX_EEXIST, "copy.xmd");
    assert_int_equal(far_stripes_here(), 2 * before); /* what was made of it is gone */
    assert_ok(drxmp_copy(t.m, "copy", &(drx_copy_spec){ .codec = DRX_ZSTD, .flags = DRX_REPLACE }, NULL));
    assert_int_equal(far_stripes_here(), before);
    assert_ok(drxmp_close(t.m));
    assert_ok(drxmp_remove(mp_comm, "copy"));
    assert_ok(drxmp_remove(mp_comm, "a"));
    assert_int_equal(far_stripes_here(), 0);
    assert_ok(drx_close(t.truth));
    far_end();
}

/* ---- one rank alone, with the stripes of all nodes ---- */

/* The elements of the array at the path, by calls of drx.h, are those of the truth. */
static void assert_same_alone(const char *path, const drx_array *truth)
{
    static int32_t expected[FAR_MOST * FAR_MOST], found[FAR_MOST * FAR_MOST];
    const size_t bytes = (size_t)(drx_shape(truth)[0] * drx_shape(truth)[1]) * sizeof *found;
    drx_array *a;

    assert_ok(drx_open(path, DRX_RDONLY, &a));
    assert_ok(drx_read((drx_array *)(uintptr_t)truth, drx_lower(truth), drx_shape(truth), DRX_ROW_MAJOR, expected));
    assert_ok(drx_read(a, drx_lower(truth), drx_shape(truth), DRX_ROW_MAJOR, found));
    assert_memory_equal(found, expected, bytes);
    assert_ok(drx_close(a));
}

static void assert_looks(const char *path, int64_t mode)
{
    drx_file_status status;
    drx_array *a;

    assert_ok(drx_open(path, DRX_RDONLY, &a));
    for (int i = 0; i <= FAR_STRIPES; i++) {
        assert_ok(drx_file_look(a, i, &status));
        assert_true(status.bytes > 0 && status.changed > 0);
        assert_int_equal(status.mode, mode);
    }
    assert_status(drx_file_look(a, FAR_STRIPES + 1, &status), DRX_EINVAL);
    assert_status(drx_file_look(a, 0, NULL), DRX_EINVAL);
    assert_ok(drx_close(a));
}

/* Grow, copy and move it; what is made withholds what this process withholds. */
static void work_alone(struct far_twins *t, int64_t mode)
{
    const mode_t mask = umask(022);
    drx_array *a;
    drxmp_array *m;
    int32_t value = 77;

    assert_looks("a", mode);
    assert_ok(drx_open("a", DRX_RDWR, &a));
    assert_ok(drx_extend(a, 0, 9));
    assert_ok(drx_put(a, (int64_t[]){ 15, 1 }, &value));
    assert_ok(drx_close(a));
    (void)umask(077);
    assert_ok(drx_duplicate("a", "twin", 0, NULL, NULL));
    (void)umask(mask);
    assert_same_alone("twin", t->truth);
    assert_looks("twin", 0600);
    assert_ok(drx_rename("a", "moved", 0));
    assert_same_alone("moved", t->truth);
    assert_ok(drx_remove("moved"));
    assert_ok(drxmp_open(MPI_COMM_SELF, "twin", DRX_RDONLY, &m)); /* of which all ranks are on one node */
    assert_ok(drxmp_read(m, (int64_t[]){ 15, 1 }, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &value));
    assert_int_equal(value, 77);
    assert_ok(drxmp_close(m));
    assert_ok(drx_rename("twin", "a", 0));
}

TEST(one_rank_alone)
{
    struct far_twins t;
    drxmp_reach *reach, *other;
    drx_array *a;
    int32_t value = 77;
    mode_t mask;

    if (!far_begin())
        return;
    mask = umask(022);
    t = far_make("a", 0, NULL);
    (void)umask(mask);
    far_write_some(&t, false);
    assert_ok(drxmp_close(t.m));
    assert_ok(drx_extend(t.truth, 0, 9));
    assert_ok(drx_put(t.truth, (int64_t[]){ 15, 1 }, &value));
    for (int worker = 0; worker < mp_ranks; worker += mp_ranks - 1) {
        if (worker > 0) {
            t.m = mp_open("a", DRX_RDWR);
            assert_ok(drxmp_trim(t.m, 0, 0, 9));
            assert_ok(drxmp_close(t.m));
        }
        assert_ok(drxmp_reach_begin(mp_comm, &reach));
        assert_fails(drxmp_reach_begin(mp_comm, &other), DRX_EBUSY, "has not ended");
        assert_null(other);
        if (mp_rank == worker)
            work_alone(&t, worker ? 0600 : 0644); /* then it is the copy of the first one */
        assert_ok(drxmp_reach_end(reach));
    }
    assert_fails(drx_open("a", DRX_RDONLY, &a), DRX_ENOENT, "drx-mpi on both reaches it with DRXMP_LOCAL_STRIPES=1");
    t.m = mp_open("a", DRX_RDWR);
    far_compare(&t);
    assert_ok(drxmp_close(t.m));
    assert_ok(drxmp_reach_end(NULL));
    assert_status(drxmp_reach_begin(mp_comm, NULL), DRX_EINVAL);
    assert_ok(drx_close(t.truth));
    far_end();
}

/* ---- the cache of what other nodes have ---- */

/* One element of each chunk, read alone; returns the round trips of this rank. */
static int64_t ask_for_each(const struct far_twins *t, int32_t found[])
{
    const int64_t before = atomic_load(&drxi_far_asked);
    int64_t lower[2], shape[2];
    int n = 0;

    far_bounds(t, lower, shape);
    for (int64_t i = 0; i < shape[0]; i += 3)
        for (int64_t j = 0; j < shape[1]; j += 2)
            assert_ok(drxmp_read(t->m, (int64_t[]){ lower[0] + i, lower[1] + j }, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR,
                                 &found[n++]));
    return atomic_load(&drxi_far_asked) - before;
}

static void assert_each(const struct far_twins *t, const int32_t found[])
{
    int64_t lower[2], shape[2];
    int32_t expected;
    int n = 0;

    far_bounds(t, lower, shape);
    for (int64_t i = 0; i < shape[0]; i += 3)
        for (int64_t j = 0; j < shape[1]; j += 2) {
            assert_ok(drx_read(t->truth, (int64_t[]){ lower[0] + i, lower[1] + j }, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR,
                               &expected));
            assert_int_equal(found[n++], expected);
        }
}

/* Write the first element of the array on one rank alone. */
static void write_first(struct far_twins *t, int writer, int32_t value)
{
    const int64_t one[2] = { 1, 1 };
    int64_t lower[2], shape[2];

    far_bounds(t, lower, shape);
    assert_ok(drx_write(t->truth, lower, one, DRX_ROW_MAJOR, &value));
    if (mp_rank == writer)
        assert_ok(drxmp_write(t->m, lower, one, DRX_ROW_MAJOR, &value));
}

static void all_round_trips(int64_t mine, int64_t *sum)
{
    assert_int_equal(MPI_Allreduce(&mine, sum, 1, MPI_INT64_T, MPI_SUM, mp_comm), MPI_SUCCESS);
}

/* The second read of an element asks no other node. What others write shows after a collective call, and a rank's own
 * writes at once. */
TEST(second_read_asks_nobody)
{
    static int32_t found[FAR_MOST * FAR_MOST];
    struct far_twins t;
    int64_t sum;

    if (!far_begin())
        return;
    t = far_make("a", 0, NULL);
    far_write_some(&t, false);
    all_round_trips(ask_for_each(&t, found), &sum);
    assert_each(&t, found);
    assert_true(sum > 0);
    assert_int_equal(ask_for_each(&t, found), 0);
    assert_each(&t, found);
    (void)MPI_Barrier(mp_comm);
    for (int writer = 0; writer < mp_ranks; writer++) {
        write_first(&t, writer, 1000 + writer);
        assert_ok(drxmp_sync(t.m));
        (void)ask_for_each(&t, found);
        assert_each(&t, found);
        (void)MPI_Barrier(mp_comm);
    }
    write_first(&t, 0, 2000);
    if (mp_rank == 0)
        (void)ask_for_each(&t, found);
    if (mp_rank == 0)
        assert_each(&t, found);
    assert_ok(drxmp_close(t.m));
    assert_ok(drx_close(t.truth));
    far_end();
}

/* A job that only reads keeps nothing, since others may write, unless DRXMP_CACHE allows it. */
TEST(readers_keep_what_the_user_allows)
{
    static int32_t found[FAR_MOST * FAR_MOST];
    struct far_twins t;
    int64_t sum;

    if (!far_begin())
        return;
    t = far_make("a", 0, NULL);
    far_write_some(&t, false);
    assert_ok(drxmp_close(t.m));
    for (int allowed = 0; allowed < 2; allowed++) {
        if (allowed)
            assert_int_equal(setenv("DRXMP_CACHE", "1000000", 1), 0);
        t.m = mp_open("a", DRX_RDONLY);
        (void)ask_for_each(&t, found);
        all_round_trips(ask_for_each(&t, found), &sum);
        assert_each(&t, found);
        assert_true(allowed ? sum == 0 : sum > 0);
        assert_ok(drxmp_close(t.m));
    }
    assert_int_equal(unsetenv("DRXMP_CACHE"), 0);
    assert_ok(drx_close(t.truth));
    far_end();
}
