#include "nc_growing.h"

#include <fcntl.h>
#include <unistd.h>

/* ---- what is written to standard error ---- */

static int kept_error = -1;

void watch_error(void)
{
    const int fd = open("error.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    (void)fflush(stderr);
    kept_error = dup(2);
    assert_true(dup2(fd, 2) == 2);
    (void)close(fd);
}

int error_lines(char *text, size_t room)
{
    FILE *file = fopen("error.txt", "r");
    int lines = 0;
    size_t n;

    (void)fflush(stderr);
    (void)dup2(kept_error, 2);
    (void)close(kept_error);
    assert_non_null(file);
    n = fread(text, 1, room - 1, file);
    text[n] = '\0';
    (void)fclose(file);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    return lines;
}

void cannot_open(const char *path, int mode, int expected, const char *says)
{
    char text[2000];
    int nc = -1, st, lines;

    watch_error();
    st = nc_open(path, mode, &nc);
    lines = error_lines(text, sizeof text);
    if (st != expected || lines != (says ? 1 : 0) || (says && !strstr(text, says)))
        print_error("%s: %d (%s)\n%s", path, st, nc_strerror(st), text);
    assert_int_equal(st, expected);
    assert_int_equal(lines, says ? 1 : 0);
    if (says)
        assert_non_null(strstr(text, says));
}

/* ---- the dataset ---- */

static void write_rows(drx_dataset *ds, int64_t first, int64_t n)
{
    const int64_t lo[] = { first, 0 }, count[] = { n, NX };
    int32_t values[40 * NX];
    drx_array *a;

    for (int64_t i = 0; i < n * NX; i++)
        values[i] = (int32_t)((first + i / NX) * 10 + i % NX);
    assert_ok(drx_dataset_array(ds, "v", &a));
    assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, values));
    assert_ok(drx_dataset_commit(ds, "rows"));
}

void make_growing(const char *path, unsigned flags)
{
    const int64_t shape[] = { 2, NX }, chunk[] = { 3, NX };
    static const char *const dims[] = { "t", "x" };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .dims = dims, .flags = flags
    };
    drx_dataset *ds;

    assert_ok(drx_dataset_create(path, &ds));
    assert_ok(drx_dataset_add(ds, "v", &spec, NULL));
    write_rows(ds, 0, 2); /* commit 1 */
    assert_ok(drx_dataset_extend(ds, "t", 3));
    write_rows(ds, 2, 3); /* commit 2 */
    assert_ok(drx_dataset_extend_before(ds, "t", 4));
    write_rows(ds, -4, 4); /* commit 3 */
    assert_ok(drx_dataset_close(ds));
}

void grow(const char *path, int64_t from, int64_t by)
{
    drx_dataset *ds;

    assert_ok(drx_dataset_open(path, DRX_RDWR, DRX_LAST, &ds));
    assert_ok(drx_dataset_extend(ds, "t", by));
    write_rows(ds, from, by);
    assert_ok(drx_dataset_close(ds));
}

void check_rows(int nc, int64_t first, size_t n)
{
    const size_t start[] = { 0, 0 }, count[] = { n, NX }, beyond[] = { n, 0 };
    int values[60 * NX], dims[2], var;
    size_t length;

    assert_nc(nc_inq_varid(nc, "v", &var));
    assert_nc(nc_inq_vardimid(nc, var, dims));
    assert_nc(nc_inq_dimlen(nc, dims[0], &length));
    assert_int_equal(length, n);
    assert_nc(nc_get_vara_int(nc, var, start, count, values));
    for (size_t i = 0; i < n * NX; i++)
        assert_int_equal(values[i], (first + (int64_t)i / NX) * 10 + (int64_t)i % NX);
    assert_nc_is(nc_get_var1_int(nc, var, beyond, values), NC_EINVALCOORDS);
}

void check_path(const char *path, int64_t first, size_t n)
{
    int nc;

    print_message("%s\n", path);
    assert_nc(nc_open(path, NC_NOWRITE, &nc));
    check_rows(nc, first, n);
    assert_nc(nc_close(nc));
}
