/* What is missing or damaged gives an error of netCDF-C, and one sentence at most; nothing is written. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nc_growing.h"

static void put_file(const char *path, const char *bytes, size_t n)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

TEST(nothing_there)
{
    make_growing("there", 0);
    cannot_open("none", NC_NOWRITE, ENOENT, NULL);
    cannot_open("none#mode=udf0", NC_NOWRITE, ENOENT, NULL);
    cannot_open("none#commit=1", NC_NOWRITE, ENOENT, NULL);
    cannot_open("there/none", NC_NOWRITE, ENOENT, NULL);
    cannot_open("there/none#mode=udf0", NC_NOWRITE, ENOENT, NULL);
    assert_int_equal(mkdir("empty", 0700), 0);
    cannot_open("empty#mode=udf0", NC_NOWRITE, ENOENT, NULL);
    put_file("text", "no dataset at all, just words\n", 30);
    cannot_open("text", NC_NOWRITE, NC_ENOTNC, NULL);
    cannot_open("text#mode=udf0", NC_NOWRITE, ENOENT, NULL);
    put_file("fake.xmd", "no array at all, just words\n", 28);
    cannot_open("fake", NC_NOWRITE, NC_ENOTNC, NULL);
    assert_int_equal(mkdir("hollow", 0700), 0);
    put_file("hollow/dataset.xds", "", 0);
    cannot_open("hollow", NC_NOWRITE, NC_ENOTNC, NULL);
}

/* What is opened for reading, and what is no whole dataset. */
TEST(nobody_writes)
{
    const size_t at[] = { 0, 0 };
    const int value = 1;
    int nc, id;

    make_growing("safe", 0);
    cannot_open("safe#commit=1", NC_WRITE, NC_EPERM, NULL);
    cannot_open("safe/v", NC_WRITE | NC_SHARE, NC_EPERM, NULL);
    assert_nc(nc_open("safe", NC_NOWRITE, &nc));
    assert_nc_is(nc_redef(nc), NC_EPERM);
    assert_nc_is(nc_def_dim(nc, "d", 3, &id), NC_EPERM);
    assert_nc_is(nc_def_var(nc, "d", NC_INT, 0, NULL, &id), NC_EPERM);
    assert_nc_is(nc_put_var1_int(nc, 0, at, &value), NC_EPERM);
    assert_nc_is(nc_put_vara_int(nc, 0, at, at, &value), NC_EPERM);
    assert_nc_is(nc_put_att_int(nc, 0, "a", NC_INT, 1, &value), NC_EPERM);
    assert_nc_is(nc_put_att_text(nc, NC_GLOBAL, "a", 1, "a"), NC_EPERM);
    assert_nc_is(nc_del_att(nc, 0, "a"), NC_EPERM);
    assert_nc_is(nc_rename_var(nc, 0, "w"), NC_EPERM);
    assert_nc_is(nc_rename_dim(nc, 0, "w"), NC_EPERM);
    assert_nc_is(nc_rename_att(nc, 0, "a", "b"), NC_EPERM);
    assert_nc_is(nc_set_fill(nc, NC_NOFILL, &id), NC_EPERM);
    assert_int_not_equal(nc_def_grp(nc, "g", &id), NC_NOERR);
    assert_int_not_equal(nc_def_compound(nc, 4, "c", &id), NC_NOERR);
    assert_int_not_equal(nc_def_var_deflate(nc, 0, 1, 1, 1), NC_NOERR);
    check_rows(nc, -4, 9);
    assert_nc(nc_close(nc));
    assert_int_equal(nc_open("safe", NC_NOWRITE, &nc), NC_NOERR);
    assert_nc(nc_abort(nc));
}

/* All of a file, by bytes; *n of them. */
static char *bytes_of_file(const char *path, size_t *n)
{
    FILE *file = fopen(path, "r");
    char *bytes = malloc(1 << 16);

    assert_non_null(file);
    *n = fread(bytes, 1, 1 << 16, file);
    (void)fclose(file);
    return bytes;
}

/* Open what is damaged, and read what there is: any status, and one sentence at most of each call that fails. */
static void try_damaged(const char *path)
{
    const size_t start[] = { 0, 0 }, count[] = { 2, NX };
    int nc, values[2 * NX], failures = 0, lines;
    char text[4000], name[NC_MAX_NAME + 1];

    watch_error();
    if (nc_open(path, NC_NOWRITE, &nc) == NC_NOERR) {
        failures += nc_inq_var(nc, 0, name, NULL, NULL, NULL, NULL) != NC_NOERR;
        failures += nc_get_vara_int(nc, 0, start, count, values) != NC_NOERR;
        failures += nc_sync(nc) != NC_NOERR;
        failures += nc_close(nc) != NC_NOERR;
    } else {
        failures++;
    }
    lines = error_lines(text, sizeof text);
    if (lines > failures)
        print_error("%d failures, but it says:\n%s", failures, text);
    assert_true(lines <= failures);
}

TEST(damaged_logs)
{
    static const char log[] = "hurt/dataset.xds";
    uint64_t random = starting_seed(0);

    size_t n;
    char *bytes;

    make_growing("hurt", 0);
    bytes = bytes_of_file(log, &n);
    for (int k = 0; k < 120; k++) {
        const size_t at = (size_t)random_below(&random, (int64_t)n);
        const char kept = bytes[at];

        bytes[at] ^= (char)(1 + random_below(&random, 255));
        put_file(log, bytes, n);
        try_damaged("hurt");
        try_damaged("hurt#commit=1");
        try_damaged("hurt/v");
        bytes[at] = kept;
        put_file(log, bytes, at);
        try_damaged("hurt");
    }
    put_file(log, bytes, n);
    free(bytes);
    check_path("hurt", -4, 9);
}

TEST(damaged_elements_and_missing_variables)
{
    const size_t start[] = { 0, 0 }, count[] = { 9, NX };
    char text[2000], *bytes;
    int nc, values[9 * NX], st;
    size_t n;

    make_growing("summed", DRX_CHECKSUM);
    bytes = bytes_of_file("summed/v.xta", &n);
    memset(bytes, 0x11, n);
    put_file("summed/v.xta", bytes, n);
    free(bytes);
    assert_nc(nc_open("summed", NC_NOWRITE, &nc));
    watch_error();
    st = nc_get_vara_int(nc, 0, start, count, values);
    assert_int_equal(error_lines(text, sizeof text), 1);
    assert_int_equal(st, NC_EIO);
    assert_nc(nc_close(nc));

    assert_int_equal(unlink("summed/v.xta"), 0);
    assert_nc(nc_open("summed", NC_NOWRITE, &nc));
    watch_error();
    st = nc_inq_vartype(nc, 0, values);
    assert_true(error_lines(text, sizeof text) <= 1);
    assert_int_not_equal(st, NC_NOERR);
    assert_nc(nc_close(nc));
}

/* Notes that cannot be true are not believed. */
TEST(wild_notes)
{
    static const char *const notes[] = {
        "4611686018427387904 names\n", "-5 names\n", "9 names\n", "names\n", " names\n", "2 name\n", "2 names"
    };
    const int64_t shape[] = { 3 };
    const drx_spec spec = { .ndim = 1, .type = DRX_FLOAT32, .shape = shape };
    char path[20], *strings[2];
    drx_array *a;
    nc_type type;
    size_t n;
    int nc;

    for (int i = 0; i < 7; i++) {
        (void)snprintf(path, sizeof path, "wild%d", i);
        assert_ok(drx_create(path, &spec, &a));
        assert_ok(drx_attr_set_text(a, "names", "one\ntwo"));
        assert_ok(drx_attr_set_text(a, "drx.strings", notes[i]));
        assert_ok(drx_close(a));
        assert_nc(nc_open(path, NC_NOWRITE, &nc));
        assert_nc(nc_inq_att(nc, 0, "names", &type, &n));
        print_message("%s: type %d, %zu\n", notes[i], type, n);
        assert_int_equal(type, i < 6 ? NC_CHAR : NC_STRING);
        assert_int_equal(n, i < 6 ? 7 : 2);
        assert_nc(nc_close(nc));
    }
    assert_nc(nc_open("wild6", NC_NOWRITE, &nc));
    assert_nc(nc_get_att_string(nc, 0, "names", strings));
    assert_string_equal(strings[1], "two");
    assert_nc(nc_free_string(2, strings));
    assert_nc(nc_close(nc));
}
