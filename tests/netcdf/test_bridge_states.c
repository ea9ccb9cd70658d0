/* What a file of the bridge shows over time: commits, syncs, what it opens and when, errors, threads, processes. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file_server.h"
#include "nc_growing.h"
#include "processes.h"

/* ---- files that are opened ---- */

enum { MOST_OPENED = 100 };
static char opened[MOST_OPENED][200];
static int nopened;
static bool counting;

/* In the place of that of the C library, for libdrx, too. */
int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list more;

    if (flags & (O_CREAT | O_TMPFILE)) {
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    if (counting && nopened < MOST_OPENED)
        (void)snprintf(opened[nopened++], sizeof opened[0], "%s", path);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static char *here(const char *scheme, const char *path)
{
    static char all[5000];
    char folder[4000];

    (void)snprintf(all, sizeof all, "%s%s/%s", scheme, getcwd(folder, sizeof folder), path);
    return all;
}

TEST(paths_and_commits)
{
    make_growing("ds", 0);
    check_path("ds", -4, 9);
    check_path("ds/", -4, 9);
    check_path("./ds//", -4, 9);
    check_path("ds/v", -4, 9);
    check_path("ds/v.xta", -4, 9);
    check_path("ds/dataset.xds", -4, 9);
    check_path("ds#mode=udf0", -4, 9);
    check_path(here("", "ds"), -4, 9);
    check_path(here("file://", "ds#mode=udf0"), -4, 9);
    check_path("ds#commit=1", 0, 2);
    check_path("ds#commit=2", 0, 5);
    check_path("ds#commit=3", -4, 9);
    check_path("ds/v#commit=1", 0, 2);
    check_path("ds#mode=udf0&commit=2", 0, 5);
    check_path("ds/v#commit=2&mode=udf0", 0, 5);
    cannot_open("ds#commit=4", NC_NOWRITE, NC_EINVAL, "4");
    cannot_open("ds#commit=-1", NC_NOWRITE, NC_EINVAL, "0 or more");
    cannot_open("ds#commit=1x", NC_NOWRITE, NC_EINVAL, "0 or more");
    cannot_open("ds#commit=99999999999999999999", NC_NOWRITE, NC_EINVAL, "0 or more");
}

TEST(names_with_hashes)
{
    assert_int_equal(mkdir("a#commit=1", 0700), 0);
    make_growing("a#commit=1/b#x", 0);
    check_path("a#commit=1/b#x", -4, 9);
    check_path("a#commit=1/b#x#commit=2", 0, 5);
    make_growing("ds#commit=1", 0); /* a folder of the whole name comes first */
    check_path("ds#commit=1", -4, 9);
}

TEST(sync_shows_what_others_append)
{
    int nc, bound, alone;

    make_growing("grows", DRX_CHECKSUM);
    assert_nc(nc_open("grows", NC_NOWRITE, &nc));
    assert_nc(nc_open("grows#commit=2", NC_NOWRITE, &bound));
    assert_nc(nc_open("grows/v", NC_NOWRITE, &alone));
    check_rows(nc, -4, 9);
    for (int64_t n = 5; n < 25; n += 5) {
        grow("grows", n, 5);
        check_rows(nc, -4, (size_t)n + 4);
        assert_nc(nc_sync(nc));
        check_rows(nc, -4, (size_t)n + 9);
        assert_nc(nc_sync(nc));
        check_rows(nc, -4, (size_t)n + 9);
        assert_nc(nc_sync(bound));
        check_rows(bound, 0, 5);
        assert_nc(nc_sync(alone));
        check_rows(alone, -4, (size_t)n + 9);
    }
    assert_nc(nc_close(alone));
    assert_nc(nc_close(bound));
    assert_nc(nc_close(nc));
}

TEST(sync_before_any_question)
{
    int nc;

    make_growing("quiet", 0);
    assert_nc(nc_open("quiet", NC_NOWRITE, &nc));
    grow("quiet", 5, 3);
    assert_nc(nc_sync(nc));
    check_rows(nc, -4, 12);
    assert_nc(nc_close(nc));
}

/* Attributes and variables that come and go are seen after a sync. */
TEST(sync_shows_changes)
{
    static const char *const x[] = { "x" };
    const int64_t shape[] = { NX };
    const drx_spec spec = { .ndim = 1, .type = DRX_FLOAT32, .shape = shape, .dims = x };
    drx_dataset *ds;
    drx_array *a;
    int nc, n;

    make_growing("changes", 0);
    assert_nc(nc_open("changes", NC_NOWRITE, &nc));
    assert_nc(nc_inq_natts(nc, &n));
    assert_int_equal(n, 0);
    assert_ok(drx_dataset_open("changes", DRX_RDWR, DRX_LAST, &ds));
    assert_ok(drx_dataset_add(ds, "w", &spec, &a));
    assert_ok(drx_attr_set_text(a, "units", "m"));
    assert_ok(drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "title", "new"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_nc(nc_inq_nvars(nc, &n));
    assert_int_equal(n, 1);
    assert_nc(nc_sync(nc));
    assert_nc(nc_inq(nc, NULL, &n, NULL, NULL));
    assert_int_equal(n, 2);
    assert_nc(nc_inq_natts(nc, &n));
    assert_int_equal(n, 1);
    assert_nc(nc_inq_varnatts(nc, 1, &n));
    assert_int_equal(n, 1);
    assert_ok(drx_dataset_remove(ds, "v"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_nc(nc_sync(nc));
    assert_nc(nc_inq_nvars(nc, &n));
    assert_int_equal(n, 1);
    assert_nc(nc_inq_varid(nc, "w", &n));
    assert_int_equal(n, 0);
    assert_nc(nc_close(nc));
}

/* What a later commit trims is gone for the earlier one, and the file says so until nc_sync. */
TEST(trimmed_meanwhile)
{
    const size_t start[] = { 0, 0 }, count[] = { 9, NX };
    char text[2000];
    drx_dataset *ds;
    int nc, values[9 * NX], st;

    make_growing("trimmed", 0);
    assert_nc(nc_open("trimmed", NC_NOWRITE, &nc));
    assert_ok(drx_dataset_open("trimmed", DRX_RDWR, DRX_LAST, &ds));
    assert_ok(drx_dataset_trim(ds, "t", 4, 0));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    watch_error();
    st = nc_get_vara_int(nc, 0, start, count, values);
    assert_true(error_lines(text, sizeof text) <= 1);
    assert_int_not_equal(st, NC_NOERR);
    assert_nc(nc_sync(nc));
    check_rows(nc, 0, 5);
    assert_nc(nc_close(nc));
}

/* A file goes on after its dataset was replaced, and after a sync that fails for that. */
TEST(replaced_meanwhile)
{
    char text[2000];
    int nc, st;

    make_growing("replaced", 0);
    assert_nc(nc_open("replaced", NC_NOWRITE, &nc));
    check_rows(nc, -4, 9);
    make_growing("other", 0);
    grow("other", 5, 2);
    assert_ok(drx_dataset_replace("other", "replaced"));
    check_rows(nc, -4, 9);
    watch_error();
    st = nc_sync(nc);
    assert_int_equal(error_lines(text, sizeof text), 1);
    assert_int_not_equal(st, NC_NOERR);
    check_rows(nc, -4, 9);
    assert_nc(nc_close(nc));
    check_path("replaced", -4, 11);
}

/* ---- what is opened when ---- */

TEST(opening_opens_one_file)
{
    enum { VARIABLES = 200 };
    static const char *const dims[] = { "t" };
    const int64_t shape[] = { 3 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = shape, .dims = dims };
    drx_dataset *ds;
    char name[30];
    int nc, n, value;

    assert_ok(drx_dataset_create("wide", &ds));
    for (int i = 0; i < VARIABLES; i++) {
        (void)snprintf(name, sizeof name, "v%d", i);
        assert_ok(drx_dataset_add(ds, name, &spec, NULL));
    }
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    nopened = 0;
    counting = true;
    assert_nc(nc_open("wide", NC_NOWRITE, &nc));
    assert_nc(nc_inq_nvars(nc, &n));
    assert_int_equal(n, VARIABLES);
    assert_nc(nc_inq_varid(nc, "v150", &n));
    assert_nc(nc_inq_dimid(nc, "t", &value));
    assert_nc(nc_inq_natts(nc, &value));
    for (int i = 0; i < nopened; i++)
        print_message("%s\n", opened[i]);
    assert_int_equal(nopened, 1);
    assert_non_null(strstr(opened[0], "wide/dataset.xds"));
    assert_nc(nc_inq_vartype(nc, n, &value)); /* opens that variable alone */
    assert_true(nopened > 1);
    for (int i = 1; i < nopened; i++)
        assert_non_null(strstr(opened[i], "wide/v150."));
    counting = false;
    assert_nc(nc_close(nc));
}

/* ---- arrays by themselves ---- */

static void make_array(const char *path, int ndim, const int64_t shape[], const char *const dims[])
{
    const drx_spec spec = { .ndim = ndim, .type = DRX_FLOAT32, .shape = shape, .dims = dims };
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    assert_ok(drx_attr_set_text(a, "units", "m"));
    assert_ok(drx_close(a));
}

TEST(array_by_itself)
{
    static const char *const dims[] = { "lat", "lon", NULL, "lat" };
    const int64_t shape[] = { 3, 4, 5, 6 }, lat[] = { 3 }, lon[] = { 5 }, one[] = { 1 };
    int nc, ndims, nvars, natts, unlimited, ids[4];
    char name[NC_MAX_NAME + 1];
    size_t length;

    assert_int_equal(mkdir("alone", 0700), 0);
    make_array("alone/a", 4, shape, dims);
    make_array("alone/lat", 1, lat, dims);
    make_array("alone/lon", 1, lon, dims + 1); /* of another extent: no coordinate */
    assert_nc(nc_open("alone/a", NC_NOWRITE, &nc));
    assert_nc(nc_inq(nc, &ndims, &nvars, &natts, &unlimited));
    assert_int_equal(nvars, 2);
    assert_int_equal(ndims, 4);
    assert_int_equal(natts, 0);
    assert_int_equal(unlimited, -1);
    assert_nc(nc_inq_vardimid(nc, 0, ids));
    assert_nc(nc_inq_dim(nc, ids[0], name, &length));
    assert_string_equal(name, "lat");
    for (int k = 0; k < 4; k++) {
        assert_nc(nc_inq_dim(nc, ids[k], name, &length));
        assert_int_equal(length, shape[k]);
    }
    assert_nc(nc_inq_attlen(nc, 0, "units", &length));
    assert_nc(nc_close(nc));

    make_array("alone/scalar", 1, one, NULL);
    assert_nc(nc_open("alone/scalar", NC_NOWRITE, &nc));
    assert_nc(nc_inq(nc, &ndims, &nvars, &natts, &unlimited));
    assert_int_equal(nvars, 1);
    assert_nc(nc_close(nc));
    cannot_open("alone/a#commit=1", NC_NOWRITE, NC_EINVAL, "#commit");
}

/* Names that are longer than those of netCDF are cut, and found as they are then. */
TEST(long_names)
{
    const int64_t shape[] = { 3 };
    char longer[600], name[NC_MAX_NAME + 2] = "";
    const drx_spec spec = { .ndim = 1, .type = DRX_FLOAT32, .shape = shape };
    drx_array *a;
    size_t n;
    int nc;

    memset(longer, 'n', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    name[NC_MAX_NAME + 1] = '!';
    assert_ok(drx_create("long", &spec, &a));
    assert_ok(drx_attr_set_text(a, longer, "text"));
    assert_ok(drx_close(a));
    assert_nc(nc_open("long", NC_NOWRITE, &nc));
    assert_nc(nc_inq_attname(nc, 0, 0, name));
    assert_int_equal(strlen(name), NC_MAX_NAME);
    assert_nc(nc_inq_attlen(nc, 0, name, &n));
    assert_int_equal(n, 4);
    assert_int_equal(name[NC_MAX_NAME + 1], '!');
    assert_nc(nc_close(nc));
}

/* What has no elements yet has a dimension that netCDF calls unlimited, and grows before its eyes. */
TEST(nothing_yet)
{
    static const char *const dims[] = { "t", "x" };
    const int64_t shape[] = { 0, NX };
    const size_t start[] = { 0, 0 }, none[] = { 0, NX }, one[] = { 1, NX };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .dims = dims };
    int nc, unlimited, values[NX];
    drx_dataset *ds;

    assert_ok(drx_dataset_create("nothing", &ds));
    assert_ok(drx_dataset_add(ds, "v", &spec, NULL));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_nc(nc_open("nothing", NC_NOWRITE, &nc));
    assert_nc(nc_inq_unlimdim(nc, &unlimited));
    assert_int_equal(unlimited, 0);
    assert_nc(nc_get_var_int(nc, 0, values));
    assert_nc(nc_get_vara_int(nc, 0, start, none, values));
    assert_nc_is(nc_get_vara_int(nc, 0, start, one, values), NC_EINVALCOORDS);
    grow("nothing", 0, 3);
    assert_nc(nc_sync(nc));
    check_rows(nc, 0, 3);
    assert_nc(nc_close(nc));
}

/* Bytes that are noted as strings, but whose last axis others have, too, or has another name, are characters. */
TEST(strings_with_a_shared_axis)
{
    static const char *const dims[][2] = {
        { "x", "a_strlen" }, { "x", "a_strlen" }, { "x", "letters" }, { "x", "d_bytes" }
    };
    static const char *const names[] = { "a", "b", "c", "d" };
    const int64_t shape[] = { 2, 3 }, lo[] = { 0, 0 };
    char text[6], *strings[2];
    drx_dataset *ds;
    drx_array *a;
    nc_type type;
    int nc, n;

    assert_ok(drx_dataset_create("letters", &ds));
    for (int i = 0; i < 4; i++) {
        const drx_spec spec = { .ndim = 2, .type = DRX_UINT8, .shape = shape, .dims = dims[i] };

        assert_ok(drx_dataset_add(ds, names[i], &spec, &a));
        assert_ok(drx_attr_set_text(a, "drx.string", "1"));
        assert_ok(drx_write(a, lo, shape, DRX_ROW_MAJOR, "abcdef"));
    }
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_nc(nc_open("letters", NC_NOWRITE, &nc));
    for (int i = 0; i < 3; i++) {
        assert_nc(nc_inq_var(nc, i, NULL, &type, &n, NULL, NULL));
        assert_int_equal(type, NC_CHAR);
        assert_int_equal(n, 2);
        assert_nc(nc_get_var_text(nc, i, text));
        assert_memory_equal(text, "abcdef", 6);
    }
    assert_nc(nc_inq_var(nc, 3, NULL, &type, &n, NULL, NULL));
    assert_int_equal(type, NC_STRING);
    assert_int_equal(n, 1);
    assert_nc(nc_get_var_string(nc, 3, strings));
    assert_string_equal(strings[1], "def");
    assert_nc(nc_free_string(2, strings));
    assert_nc(nc_close(nc));
}

/* ---- far away, and beside others ---- */

TEST(over_http)
{
    char url[1000];
    const char *server;

    make_growing("far", 0);
    server = file_server_start(".", true);
    (void)snprintf(url, sizeof url, "%s/far#mode=udf0", server);
    check_path(url, -4, 9);
    (void)snprintf(url, sizeof url, "%s/far/v#mode=udf0&commit=2", server);
    check_path(url, 0, 5);
    (void)snprintf(url, sizeof url, "%s/none#mode=udf0", server);
    cannot_open(url, NC_NOWRITE, ENOENT, NULL);
    file_server_end();
}

struct reader {
    int nc;
    bool good;
};

static void *read_often(void *with)
{
    struct reader *r = with;

    r->good = true;
    for (int i = 0; r->good && i < 200; i++) {
        const size_t start[] = { (size_t)i % 9, 1 }, count[] = { 1, 2 };
        double values[2];

        r->good = nc_get_vara_double(r->nc, 0, start, count, values) == NC_NOERR &&
                  values[1] == (double)((i % 9 - 4) * 10 + 2);
    }
    return NULL;
}

TEST(threads_read_one_file)
{
    enum { THREADS = 6 };
    struct reader readers[THREADS];
    pthread_t threads[THREADS];
    int nc;

    make_growing("busy", DRX_CHECKSUM);
    assert_nc(nc_open("busy", NC_NOWRITE, &nc));
    for (int i = 0; i < THREADS; i++) {
        readers[i].nc = nc;
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, &readers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(readers[i].good);
    }
    assert_nc(nc_close(nc));
}

static int shared_nc;

static bool read_in_child(int ignored)
{
    const size_t at[] = { 0, 0 };
    int nc, here = 0, again = 0;

    return nc_get_var1_int(shared_nc, 0, at, &here) == NC_NOERR && nc_open("forks", NC_NOWRITE, &nc) == NC_NOERR &&
           nc_get_var1_int(nc, 0, at, &again) == NC_NOERR && nc_close(nc) == NC_NOERR && here == -40 && again == -40;
}

TEST(children)
{
    make_growing("forks", 0);
    assert_nc(nc_open("forks", NC_NOWRITE, &shared_nc));
    check_rows(shared_nc, -4, 9);
    finish(start(read_in_child, 0));
    check_rows(shared_nc, -4, 9);
    grow("forks", 5, 2);
    assert_nc(nc_sync(shared_nc));
    check_rows(shared_nc, -4, 11);
    finish(start(read_in_child, 0));
    assert_nc(nc_close(shared_nc));
}

/* Files take their numbers again. */
TEST(many_files)
{
    int nc[40];

    make_growing("many", 0);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 40; i++)
            assert_nc(nc_open("many", NC_NOWRITE, &nc[i]));
        for (int i = 0; i < 40; i += 2)
            assert_nc(nc_close(nc[i]));
        for (int i = 1; i < 40; i += 2) {
            check_rows(nc[i], -4, 9);
            assert_nc(nc_close(nc[i]));
        }
    }
}
