/* For test_mp_kill.py. `victim PATH`: until the job is killed, all ranks append to an array, each its part of a
 * slab, and overwrite stored elements. It is compressed when the environment has DRX_VICTIM_PACKS. `victim PATH check`:
 * the array holds exactly what was committed; prints the number of growths. */
#include "drx_tools.h"
#include <drxmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 2000, BY = 5 };

static int complain(void)
{
    (void)fprintf(stderr, "%s\n", drx_last_error());
    return 1;
}

static int64_t value(int64_t i, int64_t j)
{
    return i * 100000 + j + 1;
}

static void fill(const int64_t lo[], const int64_t count[], int64_t buf[])
{
    for (int64_t i = 0; i < count[0]; i++)
        for (int64_t j = 0; j < count[1]; j++)
            buf[i * count[1] + j] = value(lo[0] + i, lo[1] + j);
}

/* The part of `rank` of a box, along the axis that is not `axis`. */
static void take_part(int axis, int rank, int ranks, int64_t lo[], int64_t count[])
{
    const int other = 1 - axis;
    const int64_t from = count[other] * rank / ranks, to = count[other] * (rank + 1) / ranks;

    lo[other] += from;
    count[other] = to - from;
}

struct pieces {
    int axis, rank, ranks;
    int64_t lo[2], count[2]; /* the slab */
    int64_t *buf;
};

/* Two indices at a time. */
static drx_status next_piece(void *with, int64_t done, int64_t *n, int64_t lo[], int64_t count[], const void **buf)
{
    const struct pieces *p = with;
    const int64_t left = BY - done;

    *n = left < 2 ? left : 2;
    for (int j = 0; j < 2; j++) {
        lo[j] = p->lo[j] + (j == p->axis ? done : 0);
        count[j] = j == p->axis ? *n : p->count[j];
    }
    take_part(p->axis, p->rank, p->ranks, lo, count);
    fill(lo, count, p->buf);
    *buf = p->buf;
    return DRX_OK;
}

static int go_on(drxmp_array *m, int rank, int ranks, int64_t *buf)
{
    for (int g = 0;; g++) {
        const int64_t *shape = drx_shape(drxmp_serial(m));
        const int axis = shape[1] < shape[0];
        int64_t lo[2] = { 0, 0 }, count[2] = { shape[0], shape[1] };

        if (shape[axis] >= MOST)
            return 0;
        if (g % 4 == 3) { /* write over all, the same values */
            take_part(axis, rank, ranks, lo, count);
            fill(lo, count, buf);
            if (drxmp_write_all(m, lo, count, DRX_ROW_MAJOR, buf))
                return complain();
        } else {
            lo[axis] = shape[axis];
            count[axis] = BY;
            if (g % 4 == 1) {
                struct pieces p = { axis, rank, ranks, { lo[0], lo[1] }, { count[0], count[1] }, buf };

                if (drxmp_append_pieces(m, axis, BY, DRX_ROW_MAJOR, next_piece, &p))
                    return complain();
                continue;
            }
            take_part(axis, rank, ranks, lo, count);
            fill(lo, count, buf);
            if (drxmp_append_all(m, axis, BY, lo, count, DRX_ROW_MAJOR, buf))
                return complain();
        }
    }
}

static int check(const char *path, int64_t *buf)
{
    const int64_t lo[2] = { 0, 0 };
    const int64_t *shape;
    drx_array *a;

    if (drx_open(path, DRX_RDWR, &a))
        return complain();
    shape = drx_shape(a);
    if (drx_read(a, lo, shape, DRX_ROW_MAJOR, buf))
        return complain();
    for (int64_t i = 0; i < shape[0]; i++)
        for (int64_t j = 0; j < shape[1]; j++)
            if (buf[i * shape[1] + j] != value(i, j)) {
                (void)fprintf(stderr, "[%lld %lld] is %lld\n", (long long)i, (long long)j,
                              (long long)buf[i * shape[1] + j]);
                return 1;
            }
    (void)printf("%lld\n", (long long)drx_growth_count(a));
    return drx_close(a) ? complain() : 0;
}

int main(int argc, char **argv)
{
    static const int64_t shape[2] = { 0, 8 }, chunk[2] = { 8, 8 };
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT64,
                            .shape = shape,
                            .chunk = chunk,
                            .flags = DRX_REPLACE,
                            .codec = getenv("DRX_VICTIM_PACKS") ? DRX_LZ4 : DRX_RAW };
    static int64_t buf[MOST * MOST];
    int rank, ranks, failed;
    drxmp_array *m;

    if (argc < 2)
        return 2;
    if (argc > 2)
        return check(argv[1], buf);
    (void)MPI_Init(&argc, &argv);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (drxmp_create(MPI_COMM_WORLD, argv[1], &spec, &m))
        return complain();
    if (rank == 0) {
        (void)printf("made\n");
        (void)fflush(stdout);
    }
    failed = go_on(m, rank, ranks, buf) || drxmp_close(m);
    (void)MPI_Finalize();
    return failed;
}
