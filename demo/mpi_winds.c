/* The same record kept by all ranks of an MPI job together: each writes its part of every growth, and reads its part
 * back. `scripts/demo BUILD RANKS` runs this.
 *
 *     winds-mpi FILE PATH      make the array PATH of the netCDF file's UWND, and compare it with the file
 */
#include <drxmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

static int rank, ranks;

static const int64_t whole[3] = { MONTHS, LATS, LONS };

static int64_t chunks(int64_t extent, int64_t chunk)
{
    return (extent + chunk - 1) / chunk;
}

/* This rank's part of a box: whole chunks along the axis, but `grown`, that has most of them. */
static void take_part(const drx_array *a, int grown, int64_t lo[3], int64_t count[3])
{
    const int64_t *chunk = drx_chunk(a);
    int axis = grown == 2 ? 1 : 2;
    int64_t n, first, end;

    for (int j = 0; j < 3; j++)
        if (j != grown && chunks(count[j], chunk[j]) > chunks(count[axis], chunk[axis]))
            axis = j;
    n = chunks(count[axis], chunk[axis]);
    first = n * rank / ranks * chunk[axis];
    end = n * (rank + 1) / ranks * chunk[axis];
    end = end < count[axis] ? end : count[axis];
    lo[axis] = first;
    count[axis] = end > first ? end - first : 0;
}

/* ---- growing ---------------------------------------------------------------------------- */

static void make(const struct source *s, const char *path)
{
    const drx_spec spec = plan_spec(s);
    struct attribute attributes[ATTRIBUTES];
    int64_t lo[3] = { 0 }, count[3];
    double start;
    drxmp_array *a;
    float *box;

    check(drxmp_create(MPI_COMM_WORLD, path, &spec, &a), "create the array");
    plan_attributes(s, attributes);
    for (int i = 0; i < ATTRIBUTES; i++)
        check(drxmp_attr_set_text(a, attributes[i].name, attributes[i].text), "set an attribute");
    memcpy(count, spec.shape, sizeof count);
    take_part(drxmp_serial(a), -1, lo, count);
    box = source_box(s, lo, count);
    check(drxmp_write_all(a, lo, count, DRX_ROW_MAJOR, box), "write");
    start = now_us();
    check(drxmp_sync(a), "sync");
    show_made(drxmp_serial(a), now_us() - start);
    check(drxmp_close(a), "close");
    free(box);
}

static void run_step(const struct source *s, const char *path, const struct step *step)
{
    double *us = allocate(step->times, sizeof *us);
    double start, sync_us;
    drxmp_array *a;

    check(drxmp_open(MPI_COMM_WORLD, path, DRX_RDWR, &a), "open the array");
    for (int i = 0; i < step->times; i++) {
        int64_t lo[3] = { 0 }, count[3];
        float *part;

        memcpy(count, drx_shape(drxmp_serial(a)), sizeof count);
        lo[step->axis] = count[step->axis];
        count[step->axis] = step->by;
        take_part(drxmp_serial(a), step->axis, lo, count);
        part = source_box(s, lo, count);
        (void)MPI_Barrier(MPI_COMM_WORLD);
        start = now_us();
        check(drxmp_append_all(a, step->axis, step->by, lo, count, DRX_ROW_MAJOR, part), "append");
        us[i] = now_us() - start;
        free(part);
    }
    start = now_us();
    check(drxmp_sync(a), "sync");
    sync_us = now_us() - start;
    show_step(step, drxmp_serial(a), us, sync_us);
    check(drxmp_close(a), "close");
    free(us);
}

/* ---- reading ------------------------------------------------------------------------------ */

static int64_t count_equal(const struct source *s, const int64_t lo[3], const int64_t count[3], drx_order order,
                           const float *buf)
{
    int64_t equal = 0;

    for (int64_t t = 0; t < count[0]; t++)
        for (int64_t y = 0; y < count[1]; y++)
            for (int64_t x = 0; x < count[2]; x++) {
                const float value = source_value(s, lo[0] + t, lo[1] + y, lo[2] + x);
                const int64_t at =
                    order == DRX_ROW_MAJOR ? (t * count[1] + y) * count[2] + x : (x * count[1] + y) * count[0] + t;

                equal +=
                    memcmp(&buf[at], &value, sizeof value) == 0; /* bits: nothing passes that only compares equal */
            }
    return equal;
}

/* Each rank its part, which is compared with the original. */
static void read_parts(const struct source *s, drxmp_array *a, drx_order order)
{
    int64_t lo[3] = { 0 }, count[3] = { MONTHS, LATS, LONS };
    int64_t equal;
    float *buf;
    double us;

    take_part(drxmp_serial(a), -1, lo, count);
    buf = allocate(count[0] * count[1] * count[2], sizeof *buf);
    (void)MPI_Barrier(MPI_COMM_WORLD);
    us = now_us();
    check(drxmp_read_all(a, lo, count, order, buf), "read the array");
    us = now_us() - us;
    equal = count_equal(s, lo, count, order, buf);
    (void)MPI_Allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    show_reading(order == DRX_ROW_MAJOR ? "all, each rank its part in C order"
                                        : "all, each rank its part in Fortran order",
                 equal, whole[0] * whole[1] * whole[2], us);
    free(buf);
}

static void read_together(const struct source *s, const char *path)
{
    drxmp_array *a;

    show_title("Every value is that of the original");
    show_reading_head();
    check(drxmp_open(MPI_COMM_WORLD, path, DRX_RDONLY, &a), "open the array");
    if (memcmp(drx_shape(drxmp_serial(a)), whole, sizeof whole) != 0)
        fail("%s does not have the shape of the original", path);
    read_parts(s, a, DRX_ROW_MAJOR);
    read_parts(s, a, DRX_COL_MAJOR);
    check(drxmp_close(a), "close");
}

int main(int argc, char **argv)
{
    struct source s;

    if (argc != 3)
        fail("usage: winds-mpi FILE PATH");
    (void)MPI_Init(&argc, &argv);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank > 0 && !freopen("/dev/null", "w", stdout)) /* rank 0 tells */
        fail("cannot open /dev/null");
    load_source(&s, argv[1]);
    printf("%d ranks append: each a part of every growth, in whole chunks along another axis.\n"
           "Times are of one call of all ranks, the median if there are more.\n\n",
           ranks);
    show_steps_head();
    make(&s, argv[2]);
    for (int i = 0; i < STEPS; i++)
        run_step(&s, argv[2], &steps[i]);
    read_together(&s, argv[2]);
    free_source(&s);
    if (fflush(stdout) != 0 || ferror(stdout))
        fail("cannot write to the standard output");
    (void)MPI_Finalize();
    return 0;
}
