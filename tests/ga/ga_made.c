/* Arrays that drxga_create makes have the type, shape and chunks that its comment promises. */
#include <string.h>

#include "ga_driver.h"

static void expect_chunk(const char *path, int ga_type, int ndim, const int64_t dims[], const int64_t chunk[],
                         int64_t align)
{
    const struct model model = make_model(ga_type, ndim, dims);
    const int g_a = make_global(&model, REGULAR);
    const drx_spec spec = { .flags = DRX_REPLACE };
    drxmp_array *a;
    drx_spec found;

    succeed(alike(drxga_create(team.comm, path, g_a, &spec, &a)));
    drx_describe(drxmp_serial(a), &found);
    if (found.ndim != ndim || found.type != drx_type_of(ga_type) ||
        memcmp(found.shape, dims, (size_t)ndim * sizeof *dims) != 0)
        wrong("another type or shape");
    for (int j = 0; j < ndim; j++)
        if (found.chunk[j] != chunk[j])
            wrong("axis %d: chunk of %lld, expected %lld", j, (long long)found.chunk[j], (long long)chunk[j]);
    if (path && found.align != align)
        wrong("align %lld, expected %lld", (long long)found.align, (long long)align);
    succeed(alike(drxmp_close(a)));
    release_all();
}

static void given(void)
{
    const int64_t dims[] = { 9, 5 }, lower[] = { -3, 7 }, chunk[] = { 2, 5 };
    const char *const names[] = { "y", "x" };
    const double fill = 2.5;
    const struct model model = make_model(C_DBL, 2, dims);
    const int g_a = make_global(&model, REGULAR);
    drx_spec spec = { .ndim = 2, .lower = lower, .chunk = chunk, .fill = &fill, .dims = names, .flags = DRX_REPLACE };
    double value = 0;
    drxmp_array *a = NULL;

    succeed(alike(drxga_create(team.comm, "given", g_a, &spec, &a)));
    succeed(drxmp_read(a, lower, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &value));
    if (value != fill || drx_chunk(drxmp_serial(a))[0] != 2 || strcmp(drx_dim_name(drxmp_serial(a), 1), "x") != 0)
        wrong("not what was given");
    succeed(alike(drxmp_close(a)));
    spec.flags = 0;
    refuse(alike(drxga_create(team.comm, "given", g_a, &spec, &a)), DRX_EEXIST, "given");
    if (a)
        wrong("a handle after a failure");
    spec.shape = dims;
    refuse(alike(drxga_create(team.comm, "given", g_a, &spec, &a)), DRX_EINVAL, "\"tested\": spec: type and shape");
    spec.shape = NULL;
    spec.ndim = 3;
    refuse(alike(drxga_create(team.comm, "given", g_a, &spec, &a)), DRX_EINVAL, "expected 0; ndim, 0 or 2");
    refuse(drxga_create(MPI_COMM_NULL, "given", g_a, NULL, &a), DRX_EINVAL, "MPI_COMM_NULL");
    refuse(alike(drxga_create(team.comm, "given", team.rank == team.ranks - 1 ? 17 : g_a, NULL, &a)), DRX_EINVAL,
           "17 is not the handle");
    refuse(alike(drxga_create(team.comm, "given", g_a, NULL, team.rank ? &a : NULL)), DRX_EINVAL, "null pointer");
}

void made(void)
{
    expect_chunk("chunk", C_DBL, 2, (int64_t[]){ 1024, 512 }, (int64_t[]){ 256, 512 }, 4096);
    expect_chunk("chunk", C_DBL, 2, (int64_t[]){ 400, 300 }, (int64_t[]){ 400, 300 }, 4096);
    expect_chunk("chunk", C_FLOAT, 3, (int64_t[]){ 3, 700, 1000 }, (int64_t[]){ 3, 175, 250 }, 4096);
    expect_chunk("chunk", C_INT, 1, (int64_t[]){ 1000001 }, (int64_t[]){ 250001 }, 4096);
    expect_chunk("chunk", C_DCPL, 1, (int64_t[]){ 5 }, (int64_t[]){ 5 }, 1);
    expect_chunk(NULL, C_LONG, 2, (int64_t[]){ 40, 30 }, (int64_t[]){ 40, 30 }, 1);
    given();
}
