/* Stripes on disks that only one node sees. Two ranks are a node here, and each node has a folder of its own under the
 * name `local`. With DRX_LOCAL in the environment, that folder is such a disk, and the nodes are real (test_mp_hosts). */
#include "drx_tools.h"
#include "io/io.h"
#include "mp/far/far.h"
#include "mp_testing.h"
#include "socket_faults.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODE_RANKS = 2, STRIPES = 3, MOST = 40 };

static const struct drxi_files *const below = &drxi_posix;
static struct drxi_files split;
static const char *local; /* the folder of the stripes, as the array names it */

/* ---- a table of files that shows each node its own folder ---- */

static const char *own_name(const char *name, char own[512])
{
    const char *at = strstr(name, "local/");

    if (getenv("DRX_LOCAL") || !at)
        return name;
    (void)snprintf(own, 512, "%.*slocal%d%s", (int)(at - name), name, mp_rank / NODE_RANKS, at + 5);
    return own;
}

static drx_status split_open(const char *name, enum drxi_how how, drxi_io **out)
{
    char own[512];

    return below->open(own_name(name, own), how, out);
}

static drx_status split_remove(const char *name)
{
    char own[512];

    return below->remove(own_name(name, own));
}

static void split_look(const char *name, bool follow, struct drxi_looked *out)
{
    char own[512];

    below->look(own_name(name, own), follow, out);
}

static drx_status split_sync_folder(const char *name)
{
    char own[512];

    return below->sync_folder(own_name(name, own));
}

/* What earlier cases have left in the folder of this rank's node. */
static void empty_folder(void)
{
    char own[512], folder[512], name[1024];
    struct dirent *entry;
    DIR *dir;

    (void)snprintf(folder, sizeof folder, "%s/", local);
    assert_non_null(dir = opendir(own_name(folder, own)));
    while ((entry = readdir(dir))) {
        (void)snprintf(name, sizeof name, "%s%s", own_name(folder, own), entry->d_name);
        if (entry->d_name[0] != '.')
            (void)unlink(name); /* others on this node do it, too */
    }
    assert_int_equal(closedir(dir), 0);
}

static bool begin(void)
{
    if (mp_ranks <= NODE_RANKS && !getenv("DRX_LOCAL"))
        return false;
    local = getenv("DRX_LOCAL");
    local = local ? local : "local";
    mp_shell("mkdir -p local0 local1 local2 local3");
    empty_folder();
    (void)MPI_Barrier(mp_comm);
    assert_int_equal(unsetenv("DRX_CREATION_ID"), 0); /* arrays that replace others have other stripes */
    assert_int_equal(setenv("DRXMP_LOCAL_STRIPES", "1", 1), 0);
    if (!getenv("DRX_LOCAL"))
        assert_int_equal(setenv("DRXMP_ONESIDED", "2", 1), 0);
    split = *below;
    split.open = split_open;
    split.remove = split_remove;
    split.look = split_look;
    split.sync_folder = split_sync_folder;
    drxi_files = &split;
    return true;
}

static void end(void)
{
    drxi_files = below;
}

/* How many stripes lie in the folder of this rank's node. */
static int stripes_here(void)
{
    char own[512], folder[512];
    struct dirent *entry;
    DIR *dir;
    int n = 0;

    (void)snprintf(folder, sizeof folder, "%s/", local);
    assert_non_null(dir = opendir(own_name(folder, own)));
    while ((entry = readdir(dir)))
        n += entry->d_name[0] != '.';
    assert_int_equal(closedir(dir), 0);
    return n;
}

/* ---- histories ---- */

/* The array, and what it should be: an array in the memory of each rank. */
struct twins {
    drxmp_array *m;
    drx_array *truth;
    int32_t next; /* value */
};

static drx_spec spec_of(const char *const folders[], unsigned flags, const int32_t *fill)
{
    static const int64_t shape[2] = { 7, 5 }, chunk[2] = { 3, 2 };

    return (drx_spec){ .ndim = 2,
                       .type = DRX_INT32,
                       .shape = shape,
                       .chunk = chunk,
                       .fill = fill,
                       .stripes = folders,
                       .nstripes = STRIPES,
                       .flags = DRX_REPLACE | flags };
}

static struct twins make(const char *path, unsigned flags, const int32_t *fill)
{
    const char *const folders[STRIPES] = { local, local, local };
    drx_spec spec = spec_of(folders, flags, fill);
    struct twins t = { .m = mp_create(path, &spec), .next = 1 };

    spec.flags = 0;
    spec.stripes = NULL;
    spec.nstripes = 0;
    assert_ok(drx_create(NULL, &spec, &t.truth));
    return t;
}

static void bounds(const struct twins *t, int64_t lower[2], int64_t shape[2])
{
    memcpy(shape, drx_shape(t->truth), 2 * sizeof *shape);
    memcpy(lower, drx_lower(t->truth), 2 * sizeof *lower);
}

static void compare(const struct twins *t)
{
    static int32_t expected[MOST * MOST], found[MOST * MOST];
    int64_t lower[2], shape[2];

    bounds(t, lower, shape);
    assert_memory_equal(drx_shape(drxmp_serial(t->m)), shape, sizeof shape);
    assert_memory_equal(drx_lower(drxmp_serial(t->m)), lower, sizeof lower);
    assert_ok(drx_read(t->truth, lower, shape, DRX_ROW_MAJOR, expected));
    memset(found, 0x5a, sizeof found);
    assert_ok(drxmp_read_all(t->m, lower, shape, DRX_ROW_MAJOR, found));
    assert_memory_equal(found, expected, (size_t)(shape[0] * shape[1]) * sizeof *found);
    memset(found, 0x5a, sizeof found);
    assert_ok(drxmp_read(t->m, lower, shape, DRX_COL_MAJOR, found));
    assert_ok(drx_read(t->truth, lower, shape, DRX_COL_MAJOR, expected));
    assert_memory_equal(found, expected, (size_t)(shape[0] * shape[1]) * sizeof *found);
    (void)MPI_Barrier(mp_comm);
}

/* A box of each rank, side by side along axis 1, so that they share chunks; or of one rank alone. */
static void write_some(struct twins *t, bool alone)
{
    static int32_t buf[MOST * MOST];
    const int writer = (int)mp_below(mp_ranks);
    int64_t lower[2], shape[2], lo[2], count[2], mine[2], part[2];

    bounds(t, lower, shape);
    for (int j = 0; j < 2; j++) {
        lo[j] = lower[j] + mp_below(shape[j]);
        count[j] = 1 + mp_below(lower[j] + shape[j] - lo[j]);
    }
    for (int r = 0; r < mp_ranks; r++) {
        const int64_t from = count[1] * r / mp_ranks, to = count[1] * (r + 1) / mp_ranks;
        const int64_t at[2] = { lo[0], lo[1] + from }, n[2] = { count[0], to - from };

        if (alone && r != writer)
            continue;
        for (int64_t i = 0; i < n[0] * n[1]; i++)
            buf[i] = t->next + (int32_t)(1000 * r + i);
        assert_ok(drx_write(t->truth, at, n, DRX_ROW_MAJOR, buf));
        if (r == mp_rank) {
            memcpy(mine, at, sizeof mine);
            memcpy(part, n, sizeof part);
        }
    }
    for (int64_t i = 0; (!alone || mp_rank == writer) && i < part[0] * part[1]; i++)
        buf[i] = t->next + (int32_t)(1000 * mp_rank + i);
    if (!alone)
        assert_ok(drxmp_write_all(t->m, mine, part, DRX_ROW_MAJOR, buf));
    else if (mp_rank == writer)
        assert_ok(drxmp_write(t->m, mine, part, DRX_ROW_MAJOR, buf));
    (void)MPI_Barrier(mp_comm);
    t->next += 100000;
}

static void grow(struct twins *t, bool before)
{
    const int axis = (int)mp_below(2);
    const int64_t by = mp_below(6);
    int64_t lower[2], shape[2];

    bounds(t, lower, shape);
    if (shape[axis] + by > MOST)
        return;
    assert_ok(before ? drxmp_extend_before(t->m, axis, by) : drxmp_extend(t->m, axis, by));
    assert_ok(before ? drx_extend_before(t->truth, axis, by) : drx_extend(t->truth, axis, by));
}

static void trim(struct twins *t)
{
    const int axis = (int)mp_below(2);
    int64_t lower[2], shape[2];

    bounds(t, lower, shape);
    if (shape[axis] < 6)
        return;
    assert_ok(drxmp_trim(t->m, axis, 2, 1));
    assert_ok(drx_trim(t->truth, axis, 2, 1));
}

static void reopen(struct twins *t, const char *path)
{
    assert_ok(drxmp_close(t->m));
    t->m = mp_open(path, DRX_RDONLY);
    compare(t);
    assert_ok(drxmp_close(t->m));
    t->m = mp_open(path, DRX_RDWR);
}

static void step(struct twins *t, const char *path)
{
    switch (mp_below(9)) {
    case 0:
        grow(t, true);
        break;
    case 1:
    case 2:
        grow(t, false);
        break;
    case 3:
        trim(t);
        break;
    case 4:
        assert_ok(drxmp_sync(t->m));
        break;
    case 5:
        reopen(t, path);
        break;
    case 6:
        write_some(t, true);
        break;
    default:
        write_some(t, false);
    }
}

static void play(const char *path, unsigned flags, const int32_t *fill)
{
    struct twins t = make(path, flags, fill);

    for (int i = 0; i < 25; i++)
        step(&t, path);
    compare(&t);
    assert_ok(drxmp_close(t.m));
    assert_ok(drx_close(t.truth));
}

TEST(histories)
{
    const int32_t fill = -7;

    if (!begin())
        return;
    for (int i = 0; i < mp_rounds(4); i++) {
        play("a", 0, NULL);
        play("a", 0, &fill);
        play("b", DRX_CHECKSUM, &fill);
    }
    end();
}

/* Each node has its own stripes, and the others have none of them. */
TEST(each_node_has_its_own)
{
    const int nodes = (mp_ranks + NODE_RANKS - 1) / NODE_RANKS;
    struct twins t;
    int expected = 0;

    if (!begin())
        return;
    t = make("a", 0, NULL);
    for (int k = 0; k < STRIPES; k++)
        expected += getenv("DRX_LOCAL") ? k % 2 == mp_rank / 2 : k % nodes == mp_rank / NODE_RANKS;
    assert_int_equal(stripes_here(), expected);
    (void)MPI_Barrier(mp_comm);
    assert_ok(drxmp_close(t.m));
    assert_ok(drx_close(t.truth));
    t = make("a", 0, NULL); /* replaces it, and removes its stripes everywhere */
    assert_int_equal(stripes_here(), expected);
    assert_ok(drxmp_close(t.m));
    assert_ok(drx_close(t.truth));
    end();
}

/* Without the setting, or when a node is not there any more, the missing stripe is named. */
TEST(missing_stripes_are_named)
{
    struct twins t;
    drxmp_array *m;
    char command[600];

    if (!begin())
        return;
    t = make("a", 0, NULL);
    assert_ok(drxmp_close(t.m));
    assert_ok(drx_close(t.truth));
    assert_int_equal(unsetenv("DRXMP_LOCAL_STRIPES"), 0);
    assert_fails(drxmp_open(mp_comm, "a", DRX_RDWR, &m), DRX_ENOENT, "missing: it is stripe 1 of the 3 of a");
    assert_int_equal(setenv("DRXMP_LOCAL_STRIPES", "1", 1), 0);
    (void)snprintf(command, sizeof command, "rm -rf local0/* %s/*.0", local);
    mp_shell(command);
    assert_fails(drxmp_open(mp_comm, "a", DRX_RDWR, &m), DRX_ENOENT, "missing: it is stripe 0 of the 3 of a");
    assert_int_equal(setenv("DRXMP_LOCAL_STRIPES", "yes", 1), 0);
    assert_fails(drxmp_open(mp_comm, "a", DRX_RDWR, &m), DRX_EINVAL, "DRXMP_LOCAL_STRIPES");
    end();
}

/* An array that all ranks see is opened and used as ever. */
TEST(arrays_that_all_see)
{
    const drx_spec spec = spec_of(NULL, 0, NULL);
    drx_spec plain = spec;
    drxmp_array *m;

    if (!begin())
        return;
    plain.nstripes = 0;
    m = mp_create("plain", &plain);
    assert_ok(drxmp_extend(m, 0, 5));
    assert_ok(drxmp_close(m));
    end();
}

/* ---- the cache of what other nodes have ---- */

/* One element of each chunk, read alone; returns the round trips of this rank. */
static int64_t ask_for_each(const struct twins *t, int32_t found[])
{
    const int64_t before = atomic_load(&drxi_far_asked);
    int64_t lower[2], shape[2];
    int n = 0;

    bounds(t, lower, shape);
    for (int64_t i = 0; i < shape[0]; i += 3)
        for (int64_t j = 0; j < shape[1]; j += 2)
            assert_ok(drxmp_read(t->m, (int64_t[]){ lower[0] + i, lower[1] + j }, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR,
                                 &found[n++]));
    return atomic_load(&drxi_far_asked) - before;
}

static void assert_each(const struct twins *t, const int32_t found[])
{
    int64_t lower[2], shape[2];
    int32_t expected;
    int n = 0;

    bounds(t, lower, shape);
    for (int64_t i = 0; i < shape[0]; i += 3)
        for (int64_t j = 0; j < shape[1]; j += 2) {
            assert_ok(drx_read(t->truth, (int64_t[]){ lower[0] + i, lower[1] + j }, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR,
                               &expected));
            assert_int_equal(found[n++], expected);
        }
}

/* Write the first element of the array on one rank alone. */
static void write_first(struct twins *t, int writer, int32_t value)
{
    const int64_t one[2] = { 1, 1 };
    int64_t lower[2], shape[2];

    bounds(t, lower, shape);
    assert_ok(drx_write(t->truth, lower, one, DRX_ROW_MAJOR, &value));
    if (mp_rank == writer)
        assert_ok(drxmp_write(t->m, lower, one, DRX_ROW_MAJOR, &value));
}

static void all_round_trips(int64_t mine, int64_t *sum)
{
    assert_int_equal(MPI_Allreduce(&mine, sum, 1, MPI_INT64_T, MPI_SUM, mp_comm), MPI_SUCCESS);
}

/* The second read of an element asks no other node. What others write shows after a collective call, and a rank's own writes
 * at once. */
TEST(second_read_asks_nobody)
{
    static int32_t found[MOST * MOST];
    struct twins t;
    int64_t sum;

    if (!begin())
        return;
    t = make("a", 0, NULL);
    write_some(&t, false);
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
    end();
}

/* A job that only reads keeps nothing, since others may write, unless DRXMP_CACHE allows it. */
TEST(readers_keep_what_the_user_allows)
{
    static int32_t found[MOST * MOST];
    struct twins t;
    int64_t sum;

    if (!begin())
        return;
    t = make("a", 0, NULL);
    write_some(&t, false);
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
    end();
}

/* Each call on files, and each allocation, fails once on one rank: all ranks fail alike, or none does. */
static void fail_each(enum mp_fault fault, int culprit)
{
    const int32_t fill = -7;
    bool struck = true;

    for (long n = mp_next(0); struck; n = mp_next(n)) {
        const int64_t lo[2] = { 0, 0 }, count[2] = { 7, 5 };
        struct twins t = make("f", 0, &fill);
        int32_t buf[MOST * MOST] = { 0 };
        drx_status st;

        mp_arm(fault, culprit, n);
        st = drxmp_extend(t.m, 1, 4);
        st = st ? st : drxmp_write_all(t.m, lo, count, DRX_ROW_MAJOR, buf);
        st = st ? st : drxmp_read_all(t.m, lo, count, DRX_ROW_MAJOR, buf);
        st = st ? st : drxmp_sync(t.m);
        struck = mp_disarm(fault, culprit);
        mp_assert_alike(st, n);
        (void)drxmp_close(t.m);
        assert_ok(drx_close(t.truth));
    }
}

TEST(faults)
{
    if (!begin())
        return;
    fail_each(MP_ALLOCATION, 0);
    fail_each(MP_ALLOCATION, mp_ranks - 1);
    fail_each(MP_CALL, 0);
    fail_each(MP_CALL, NODE_RANKS);
    end();
}

/* ---- connections that fail ---- */

enum { PATIENCE_SECONDS = 30 };

/* Open the array, grow it, write and read it together and alone, close it: the status of the first call that fails. */
static drx_status work_on(const char *path)
{
    const int64_t lo[2] = { 0, 0 }, count[2] = { 7, 5 };
    int32_t buf[MOST * MOST] = { 0 };
    drxmp_array *m;
    drx_status st = drxmp_open(mp_comm, path, DRX_RDWR, &m), closed;

    if (st)
        return st;
    st = drxmp_extend(m, 1, 4);
    st = st ? st : drxmp_write_all(m, lo, count, DRX_ROW_MAJOR, buf);
    st = st ? st : drxmp_read_all(m, lo, count, DRX_ROW_MAJOR, buf);
    for (int rank = 0; !st && rank < mp_ranks; rank++) { /* as others wait */
        st = rank == mp_rank ? drxmp_read(m, lo, count, DRX_ROW_MAJOR, buf) : DRX_OK;
        (void)MPI_Bcast(&st, 1, MPI_INT, rank, mp_comm);
    }
    st = st ? st : drxmp_sync(m);
    closed = drxmp_close(m);
    return st ? st : closed;
}

/* Some calls of sockets of a rank fail in turn, others in each run: all ranks get one status, soon, and the array is whole. */
static void fail_sockets(enum mp_fault fault, int culprit)
{
    bool struck = true;

    for (long n = 1; struck; n += mp_next(mp_below(8))) {
        struct twins t = make("f", 0, NULL);
        const int64_t lo[2] = { 0, 0 }, count[2] = { 7, 5 };
        const double start = MPI_Wtime();
        int32_t buf[7 * 5];
        drx_status st;

        assert_ok(drxmp_close(t.m));
        assert_ok(drx_close(t.truth));
        mp_arm(fault, culprit, n);
        st = work_on("f");
        struck = mp_disarm(fault, culprit);
        mp_assert_alike(st, n);
        assert_true(struck || st == DRX_OK);
        assert_true(MPI_Wtime() - start < PATIENCE_SECONDS);
        t.m = mp_open("f", DRX_RDWR);
        assert_ok(drxmp_read_all(t.m, lo, count, DRX_ROW_MAJOR, buf));
        assert_ok(drxmp_close(t.m));
    }
}

TEST(sockets_fail)
{
    if (!begin())
        return;
    fail_sockets(MP_SOCKET, 0);
    fail_sockets(MP_SOCKET, NODE_RANKS);
    fail_sockets(MP_SOCKET, mp_ranks - 1);
    end();
}

TEST(connections_end)
{
    if (!begin())
        return;
    fail_sockets(MP_SOCKET_ENDS, 0);
    fail_sockets(MP_SOCKET_ENDS, NODE_RANKS);
    fail_sockets(MP_SOCKET_ENDS, mp_ranks - 1);
    end();
}

TEST(short_and_interrupted)
{
    if (!begin())
        return;
    socket_disturb(true);
    play("a", DRX_CHECKSUM, NULL);
    socket_disturb(false);
    end();
}
