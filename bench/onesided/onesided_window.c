/* MPI alone: RMA in a window that MPI allocates; and a shared window, copied row by row, which is the least that an
 * access inside a node can take. */
#include <string.h>

#include "bench_onesided.h"

static void *make(const struct mover *mover)
{
    static MPI_Win window;
    double *mem;
    const int64_t n = block_extent(0) * block_extent(1);

    check(MPI_Win_allocate((MPI_Aint)(n * (int64_t)sizeof *mem), sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem,
                           &window),
          "MPI_Win_allocate");
    memset(mem, 0, (size_t)n * sizeof *mem);
    check(MPI_Win_lock_all(0, window), "MPI_Win_lock_all");
    (void)mover;
    return &window;
}

static void drop(void *array)
{
    (void)MPI_Win_unlock_all(*(MPI_Win *)array);
    (void)MPI_Win_free(array);
}

static MPI_Datatype box_type(const int64_t count[2])
{
    MPI_Datatype type;

    (void)MPI_Type_vector((int)count[0], (int)count[1], (int)block_extent(1), MPI_DOUBLE, &type);
    (void)MPI_Type_commit(&type);
    return type;
}

static void move(void *array, enum way way, const int64_t lo[2], const int64_t count[2], double *buf)
{
    const MPI_Win window = *(MPI_Win *)array;
    const int n = (int)(count[0] * count[1]), target = owner(lo);
    MPI_Datatype type = box_type(count);

    if (way == GET)
        (void)MPI_Get(buf, n, MPI_DOUBLE, target, place(lo), 1, type, window);
    else if (way == PUT)
        (void)MPI_Put(buf, n, MPI_DOUBLE, target, place(lo), 1, type, window);
    else
        (void)MPI_Accumulate(buf, n, MPI_DOUBLE, target, place(lo), 1, type, MPI_SUM, window);
    (void)MPI_Win_flush(target, window);
    (void)MPI_Type_free(&type);
}

const struct mover mover_window = { { .name = "mpi" }, false, make, drop, move, NULL };

struct shared {
    MPI_Win window; /* first: drop takes it */
    double *base[64];
};

static void *make_shared(const struct mover *mover)
{
    static struct shared s;
    const MPI_Aint bytes = (MPI_Aint)(block_extent(0) * block_extent(1) * (int64_t)sizeof(double));
    MPI_Aint size;
    MPI_Info info;
    int unit;
    double *mem;

    (void)MPI_Info_create(&info);
    (void)MPI_Info_set(info, "alloc_shared_noncontig", "true");
    check(MPI_Win_allocate_shared(bytes, 1, info, MPI_COMM_WORLD, &mem, &s.window), "MPI_Win_allocate_shared");
    (void)MPI_Info_free(&info);
    memset(mem, 0, (size_t)bytes);
    (void)MPI_Win_lock_all(0, s.window);
    for (int i = 0; i < bench_ranks; i++)
        (void)MPI_Win_shared_query(s.window, i, &size, &unit, &s.base[i]);
    (void)mover;
    return &s;
}

/* Sums are not atomic. */
static void move_shared(void *array, enum way way, const int64_t lo[2], const int64_t count[2], double *buf)
{
    double *there = ((const struct shared *)array)->base[owner(lo)] + place(lo);

    for (int64_t i = 0; i < count[0]; i++, there += block_extent(1), buf += count[1])
        if (way == GET)
            memcpy(buf, there, (size_t)count[1] * sizeof *buf);
        else if (way == PUT)
            memcpy(there, buf, (size_t)count[1] * sizeof *buf);
        else
            for (int64_t j = 0; j < count[1]; j++)
                there[j] += buf[j];
}

const struct mover mover_copy = { { .name = "copy" }, false, make_shared, drop, move_shared, NULL };
