/* Groups through the bridge: every inquiry and read of random trees, against netCDF-C on a netCDF-4 file of the same
 * data; and a group of a dataset as a file. */
#include <errno.h>

#include "file_server.h"
#include "nc_growing.h"
#include "nc_tree.h"

enum { ROOM = 4096, MOST = 64, NAME = 400 };

/* Both files, then groups of theirs. */
static int ours, theirs;

#define both(call)                                               \
    for (int w = 1, expected_ = 0; w >= 0; w--) {                \
        const int ncid = w ? theirs : ours, st_ = call;          \
        if (w)                                                   \
            expected_ = st_;                                     \
        else                                                     \
            check_nc(st_, expected_, #call, __FILE__, __LINE__); \
    }

static int root_of(int nc)
{
    int parent;

    while (nc_inq_grp_parent(nc, &parent) == NC_NOERR)
        nc = parent;
    return nc;
}

static int group_of(int nc, const char *path)
{
    int group = root_of(nc);

    if (*path)
        assert_nc(nc_inq_grp_full_ncid(group, path, &group));
    return group;
}

/* ---- dimensions: which number they have is not said ---- */

static struct tree tree;

/* Its path and length. */
static void label(int nc, int dim, char text[NAME])
{
    char name[NC_MAX_NAME + 1];
    size_t length;

    assert_nc(nc_inq_dim(nc, dim, name, &length));
    for (int g = 0; g < tree.ngroups; g++) {
        int n, ids[MOST];

        assert_nc(nc_inq_dimids(group_of(nc, tree.groups[g]), &n, ids, 0));
        for (int i = 0; i < n; i++)
            if (ids[i] == dim) {
                (void)snprintf(text, NAME, "%s/%s %zu", tree.groups[g], name, length);
                return;
            }
    }
    fail_msg("dimension %d is in no group", dim);
}

static void same_dims(const int n[2], int ids[2][MOST])
{
    char text[2][NAME];

    assert_int_equal(n[0], n[1]);
    for (int i = 0; i < n[0]; i++) {
        label(ours, ids[0][i], text[0]);
        label(theirs, ids[1][i], text[1]);
        assert_string_equal(text[0], text[1]);
    }
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void check_dims(void)
{
    static const char *const names[] = { "x", "y", "t", "lat", "string6", "no", "/ocean/x", "/ice/t", "/none/x" };
    int n[2], ids[2][MOST], first[2], st[2];

    for (int parents = 0; parents < 2; parents++) {
        both(nc_inq_dimids(ncid, &n[w], ids[w], parents));
        same_dims(n, ids);
        for (int i = 1; i < n[0]; i++)
            assert_true(ids[0][i - 1] < ids[0][i]);
        both(nc_inq_dimids(ncid, &n[w], NULL, parents));
        assert_int_equal(n[0], n[1]);
    }
    both(nc_inq_unlimdims(ncid, &n[w], ids[w])); /* in the order in which netCDF-C has found them in the file */
    qsort(ids[1], (size_t)n[1], sizeof ids[1][0], compare);
    same_dims(n, ids);
    both(nc_inq_unlimdim(ncid, &first[w]));
    assert_int_equal(first[0], n[0] > 0 ? ids[0][0] : -1);
    assert_int_equal(first[0] < 0, first[1] < 0);
    n[0] = n[1] = 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        st[0] = nc_inq_dimid(ours, names[i], &ids[0][0]);
        st[1] = nc_inq_dimid(theirs, names[i], &ids[1][0]);
        assert_int_equal(!st[0], !st[1]);
        if (*names[i] != '/')
            assert_int_equal(st[0], st[1]);
        if (!st[0])
            same_dims(n, ids);
    }
}

/* ---- variables ---- */

static void check_elements(int var, nc_type type, int ndim, const int dims[], uint64_t *random)
{
    static char buffers[2][ROOM * 8];
    size_t start[4] = { 0 }, count[4] = { 1 }, n = 1;
    ptrdiff_t step[4] = { 1 };
    const int way = (int)random_below(random, 4);

    for (int k = 0; k < ndim; k++) {
        size_t length;

        assert_nc(nc_inq_dimlen(theirs, dims[k], &length));
        start[k] = (size_t)random_below(random, (int64_t)length);
        step[k] = way == 0 ? 1 : 1 + (ptrdiff_t)random_below(random, 3);
        count[k] = 1 + (size_t)random_below(random, 1 + (int64_t)(length - 1 - start[k]) / step[k]);
        n *= count[k];
    }
    memset(buffers, 0, sizeof buffers);
    if (type == NC_STRING) {
        char **strings[2] = { (char **)(void *)buffers[0], (char **)(void *)buffers[1] };

        both(nc_get_vars_string(ncid, var, start, count, step, strings[w]));
        for (size_t i = 0; i < n; i++)
            assert_string_equal(strings[0][i], strings[1][i]);
        assert_nc(nc_free_string(n, strings[0]));
        assert_nc(nc_free_string(n, strings[1]));
        return;
    }
    if (way == 0)
        both(nc_get_vara(ncid, var, start, count, buffers[w]));
    if (way == 1)
        both(nc_get_vars(ncid, var, start, count, step, buffers[w]));
    if (way == 2)
        both(nc_get_vars_int(ncid, var, start, count, step, (int *)(void *)buffers[w]));
    if (way == 3)
        both(nc_get_vars_double(ncid, var, start, count, step, (double *)(void *)buffers[w]));
    assert_memory_equal(buffers[0], buffers[1], sizeof buffers[0]);
}

static void check_attributes(int var, int natts)
{
    char name[2][NC_MAX_NAME + 1], text[2][200] = { 0 }, *strings[2][2];
    nc_type type[2];
    size_t n[2];
    int id[2];

    for (int k = 0; k <= natts; k++) {
        both(nc_inq_attname(ncid, var, k, name[w]));
        if (k == natts)
            return;
        assert_string_equal(name[0], name[1]);
        both(nc_inq_att(ncid, var, name[w], &type[w], &n[w]));
        assert_int_equal(type[0], type[1]);
        assert_int_equal(n[0], n[1]);
        both(nc_inq_attid(ncid, var, name[w], &id[w]));
        assert_int_equal(id[0], id[1]);
        if (type[0] != NC_STRING) {
            both(nc_get_att(ncid, var, name[w], text[w]));
            assert_memory_equal(text[0], text[1], sizeof text[0]);
            continue;
        }
        both(nc_get_att_string(ncid, var, name[w], strings[w]));
        for (size_t i = 0; i < n[0]; i++)
            assert_string_equal(strings[0][i], strings[1][i]);
        assert_nc(nc_free_string(n[0], strings[0]));
        assert_nc(nc_free_string(n[1], strings[1]));
    }
}

static void check_variables(int nvars, uint64_t *random)
{
    char name[2][NC_MAX_NAME + 1];
    int ndims[2], dims[2][MOST], natts[2], id[2];
    nc_type type[2];

    for (int var = 0; var < nvars; var++) {
        both(nc_inq_var(ncid, var, name[w], &type[w], &ndims[w], dims[w], &natts[w]));
        assert_string_equal(name[0], name[1]);
        assert_int_equal(type[0], type[1]);
        same_dims(ndims, dims);
        assert_int_equal(natts[0], natts[1]);
        check_attributes(var, natts[0]);
        both(nc_inq_varid(ncid, name[w], &id[w]));
        assert_int_equal(id[0], var);
        for (int i = 0; i < 4; i++)
            check_elements(var, type[0], ndims[0], dims[1], random);
    }
    both(nc_inq_var(ncid, nvars, name[w], &type[w], &ndims[w], dims[w], &natts[w]));
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = { "temp", "x", "none" };

        both(nc_inq_varid(ncid, names[i], &id[w])); /* those of groups above are not found */
    }
}

/* ---- groups ---- */

static void check_group(uint64_t *random)
{
    int n[2][4], ids[2][MOST], other[2], format[2];
    char name[2][NAME], path[2][NAME];
    size_t length[2];

    both(nc_inq(ncid, &n[w][0], &n[w][1], &n[w][2], NULL));
    assert_memory_equal(n[0], n[1], 3 * sizeof n[0][0]);
    check_dims();
    check_variables(n[0][1], random);
    check_attributes(NC_GLOBAL, n[0][2]);
    both(nc_inq_varids(ncid, &n[w][0], ids[w]));
    assert_int_equal(n[0][0], n[1][0]);
    assert_memory_equal(ids[0], ids[1], (size_t)n[0][0] * sizeof ids[0][0]);
    both(nc_inq_typeids(ncid, &n[w][0], ids[w]));
    assert_int_equal(n[0][0], n[1][0]);
    both(nc_inq_format(ncid, &format[w]));
    if (tree.ngroups > 1)
        assert_int_equal(format[0], format[1]);
    both(nc_inq_grpname(ncid, name[w]));
    assert_string_equal(name[0], name[1]);
    both(nc_inq_grpname_full(ncid, &length[w], path[w]));
    assert_string_equal(path[0], path[1]);
    assert_int_equal(length[0], length[1]);
    assert_nc(nc_inq_ncid(ours, NULL, &other[0]));
    assert_int_equal(other[0], root_of(ours));
    both(nc_inq_grp_ncid(ncid, "none", &other[w]));
    both(nc_inq_grp_full_ncid(ncid, "/", &other[w]));
    both(nc_inq_grp_full_ncid(ncid, "/ocean/none", &other[w]));
    both(nc_show_metadata(ncid));
    if (ours != root_of(ours)) {
        assert_nc(nc_inq_grp_full_ncid(root_of(ours), path[0], &other[0]));
        assert_int_equal(other[0], ours);
        assert_nc_is(nc_close(ours), NC_EBADGRPID);
    }
}

static void check_groups(uint64_t *random)
{
    const int here[2] = { ours, theirs };
    int n[2], ids[2][MOST], other[2];
    char name[2][NC_MAX_NAME + 1];

    check_group(random);
    both(nc_inq_grps(ncid, &n[w], NULL));
    assert_int_equal(n[0], n[1]);
    both(nc_inq_grps(ncid, NULL, ids[w]));
    for (int i = 0; i < n[0]; i++) {
        for (int w = 0; w < 2; w++)
            assert_nc(nc_inq_grpname(ids[w][i], name[w]));
        assert_string_equal(name[0], name[1]);
        both(nc_inq_grp_ncid(ncid, name[w], &other[w]));
        assert_int_equal(other[0], ids[0][i]);
        assert_nc(nc_inq_grp_parent(ids[0][i], &other[0]));
        assert_int_equal(other[0], here[0]);
        ours = ids[0][i];
        theirs = ids[1][i];
        check_groups(random);
        ours = here[0];
        theirs = here[1];
    }
}

TEST(random_trees)
{
    uint64_t random = starting_seed(0);
    char name[40], file[40];
    int nvars;

    for (int round = 0; round < 15; round++) {
        (void)snprintf(name, sizeof name, "tree%d", round);
        (void)snprintf(file, sizeof file, "tree%d.nc", round);
        tree_make(name, file, round % 3 > 0, &random, &tree);
        assert_nc(nc_open(name, NC_NOWRITE, &ours));
        assert_nc(nc_open(file, NC_NOWRITE, &theirs));
        check_groups(&random);
        assert_nc_is(nc_inq_nvars(ours + tree.ngroups, &nvars), NC_EBADID);
        assert_nc_is(nc_close(ours + tree.ngroups), NC_EBADID);
        assert_nc(nc_close(ours));
        assert_nc(nc_close(theirs));
    }
}

/* ---- a group as a file ---- */

static void add(drx_dataset *ds, const char *path, drx_type type, const char *first, const char *second, int n, int k)
{
    const int64_t shape[] = { n, k }, lo[] = { 0, 0 };
    const char *const dims[] = { first, second };
    const drx_spec spec = { .ndim = 1 + (second != NULL), .type = type, .shape = shape, .dims = dims };
    int32_t values[40];
    drx_array *a;

    for (int i = 0; i < 40; i++)
        values[i] = i + (int32_t)strlen(path) * 100; /* which tells one variable from another */
    assert_ok(drx_dataset_add(ds, path, &spec, &a));
    if (type == DRX_INT32)
        assert_ok(drx_write(a, lo, shape, DRX_ROW_MAJOR, values));
}

/* Coordinates of the root, one of them hidden by a dimension of the group; and two more groups. */
static void make_nested(const char *path)
{
    drx_dataset *ds;

    assert_ok(drx_dataset_create(path, &ds));
    assert_ok(drx_dataset_add_group(ds, "ocean"));
    assert_ok(drx_dataset_add_group(ds, "ocean/deep"));
    assert_ok(drx_dataset_add_group(ds, "air"));
    add(ds, "time", DRX_INT32, "time", NULL, 2, 0);
    add(ds, "x", DRX_INT32, "x", NULL, 3, 0);
    add(ds, "lon", DRX_INT32, "lon", NULL, 5, 0);
    add(ds, "mask", DRX_INT32, "x", NULL, 3, 0);
    add(ds, "ocean/x", DRX_INT32, "ocean/x", NULL, 4, 0);
    add(ds, "ocean/temp", DRX_INT32, "time", "x", 2, 4);
    add(ds, "ocean/flux", DRX_INT32, "/time", "/x", 2, 3);
    add(ds, "ocean/deep/salt", DRX_COMPLEX64, "time", "x", 2, 4);
    add(ds, "air/temp", DRX_INT32, "lon", NULL, 5, 0);
    assert_ok(drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "title", "all"));
    assert_ok(drx_dataset_attr_set_text(ds, DRX_GROUP, "ocean", "title", "sea"));
    assert_ok(drx_dataset_attr_set_text(ds, DRX_GROUP, "ocean", "drx.unlimited", "time x")); /* not that of the root */
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
}

/* The group has these variables, as "NAME(DIM LENGTH, ...)". */
static void check_list(int nc, const char *expected)
{
    char text[1000] = "", name[NC_MAX_NAME + 1];
    int nvars;

    assert_nc(nc_inq_nvars(nc, &nvars));
    for (int var = 0; var < nvars; var++) {
        int ndim, dims[MOST];

        assert_nc(nc_inq_var(nc, var, name, NULL, &ndim, dims, NULL));
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s(", var ? " " : "", name);
        for (int k = 0; k < ndim; k++) {
            size_t length;

            assert_nc(nc_inq_dim(nc, dims[k], name, &length));
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %zu", k ? ", " : "", name, length);
        }
        strcat(text, ")");
    }
    assert_string_equal(text, expected);
}

static void check_title(int nc, const char *expected)
{
    char text[20] = "";

    assert_nc(nc_get_att_text(nc, NC_GLOBAL, "title", text));
    assert_string_equal(text, expected);
}

TEST(a_group_as_a_file)
{
    char name[NC_MAX_NAME + 1];
    int nc, n, deep, same, values[8];
    const char *const paths[] = { "nested/ocean", "nested/ocean/", "nested/ocean#mode=udf0", "nested/ocean#commit=1" };

    make_nested("nested");
    for (int i = 0; i < 4; i++) {
        assert_nc(nc_open(paths[i], NC_NOWRITE, &nc));
        check_list(nc, "x(x 4) temp(time 2, x 4) flux(time 2, x_2 3) time(time 2) x_2(x_2 3)");
        check_title(nc, "sea");
        assert_nc(nc_inq_unlimdims(nc, &n, &same));
        assert_int_equal(n, 1);
        assert_nc(nc_inq_dimname(nc, same, name));
        assert_string_equal(name, "x");
        assert_nc(nc_inq_grp_full_ncid(nc, "/deep", &deep));
        assert_nc(nc_inq_grps(nc, &n, &same));
        assert_int_equal(n, 1);
        assert_int_equal(deep, same);
        check_list(deep, "salt(time 2, x 4, complex 2)");
        assert_nc(nc_inq_grpname_full(deep, NULL, name));
        assert_string_equal(name, "/deep");
        assert_nc(nc_inq_grpname_full(nc, NULL, name));
        assert_string_equal(name, "/");
        assert_nc_is(nc_inq_grp_parent(nc, &n), NC_ENOGRP);
        assert_nc(nc_get_var_int(nc, 4, values)); /* that of the root */
        assert_int_equal(values[2], 102);
        assert_nc(nc_get_var_int(nc, 0, values));
        assert_int_equal(values[2], 702);
        for (int g = 1; g < 6; g++) /* groups beside it have no number */
            assert_int_equal(nc_inq_nvars(nc + g, &n), nc + g == deep ? NC_NOERR : NC_EBADID);
        assert_nc(nc_close(nc));
    }
    assert_nc(nc_open("nested/ocean/deep", NC_NOWRITE, &nc));
    check_list(nc, "salt(time 2, x 4, complex 2) time(time 2) x(x 4)");
    assert_nc(nc_close(nc));
    cannot_open("nested/ocean#commit=0", NC_NOWRITE, ENOENT, NULL);
    cannot_open("nested/ocean#commit=2", NC_NOWRITE, NC_EINVAL, "commit");
    cannot_open("nested/none/temp", NC_NOWRITE, ENOENT, NULL);
}

TEST(a_variable_of_a_group)
{
    int nc, values[8];

    make_nested("variables");
    assert_nc(nc_open("variables/ocean/flux", NC_NOWRITE, &nc));
    check_list(nc, "flux(time 2, x 3) time(time 2) x(x 3)");
    check_title(nc, "sea");
    assert_nc(nc_get_var_int(nc, 0, values));
    assert_int_equal(values[5], 1005);
    assert_nc(nc_close(nc));
    assert_nc(nc_open("variables/ocean/temp.xta", NC_NOWRITE, &nc));
    check_list(nc, "x(x 4) temp(time 2, x 4) time(time 2)");
    assert_nc(nc_close(nc));
    assert_nc(nc_open("variables/mask", NC_NOWRITE, &nc));
    check_list(nc, "x(x 3) mask(x 3)");
    check_title(nc, "all");
    assert_nc(nc_close(nc));
}

TEST(groups_far_away)
{
    char url[1000];
    const char *server;
    int nc, values[8];

    make_nested("far");
    server = file_server_start(".", true);
    (void)snprintf(url, sizeof url, "%s/far/ocean#mode=udf0", server);
    assert_nc(nc_open(url, NC_NOWRITE, &nc));
    check_list(nc, "x(x 4) temp(time 2, x 4) flux(time 2, x_2 3) time(time 2) x_2(x_2 3)");
    assert_nc(nc_close(nc));
    (void)snprintf(url, sizeof url, "%s/far/ocean/flux#mode=udf0&commit=1", server);
    assert_nc(nc_open(url, NC_NOWRITE, &nc));
    check_list(nc, "flux(time 2, x 3) time(time 2) x(x 3)");
    assert_nc(nc_get_var_int(nc, 0, values));
    assert_int_equal(values[5], 1005);
    assert_nc(nc_close(nc));
    (void)snprintf(url, sizeof url, "%s/far/none/flux#mode=udf0", server);
    cannot_open(url, NC_NOWRITE, ENOENT, NULL);
    file_server_end();
}

TEST(groups_that_come_and_go)
{
    int nc, part, group, n;
    drx_dataset *ds;

    make_nested("changes");
    assert_nc(nc_open("changes", NC_NOWRITE, &nc));
    assert_nc(nc_open("changes/ocean", NC_NOWRITE, &part));
    assert_ok(drx_dataset_open("changes", DRX_RDWR, DRX_LAST, &ds));
    assert_ok(drx_dataset_add_group(ds, "ice"));
    add(ds, "ice/thickness", DRX_INT32, "time", NULL, 2, 0);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_nc_is(nc_inq_grp_ncid(nc, "ice", &group), NC_ENOGRP);
    assert_nc(nc_sync(nc));
    assert_nc(nc_inq_grp_ncid(nc, "ice", &group));
    check_list(group, "thickness(time 2)");
    assert_nc(nc_sync(group));
    check_list(group, "thickness(time 2)");
    assert_ok(drx_dataset_set_name(ds, DRX_GROUP, "ice", "frost"));
    assert_ok(drx_dataset_remove_group(ds, "ocean"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_nc(nc_sync(nc));
    assert_nc_is(nc_inq_grp_ncid(nc, "ocean", &group), NC_ENOGRP);
    assert_nc(nc_inq_grp_ncid(nc, "frost", &group));
    check_list(group, "thickness(time 2)");
    assert_nc(nc_inq_grps(nc, &n, NULL));
    assert_int_equal(n, 2);
    assert_nc(nc_sync(part));
    check_list(part, "");
    assert_nc(nc_close(part));
    assert_nc(nc_close(nc));
    assert_nc(nc_open("changes/frost", NC_NOWRITE, &nc)); /* which no folder is called */
    check_list(nc, "thickness(time 2) time(time 2)");
    assert_nc(nc_close(nc));
    assert_nc(nc_open("changes/ice#commit=2", NC_NOWRITE, &nc));
    check_list(nc, "thickness(time 2) time(time 2)");
    assert_nc(nc_close(nc));
}
