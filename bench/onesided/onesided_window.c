/* MPI alone: RMA in a window that MPI allocates; and a shared window, copied row by row, which is the least that an
 * access inside a node can take. */
#include <string.h>

#include "bench_onesided.h"

/* ---- RMA ---------------------------------------------------------------------------- */

static MPI_Win window;

static void make(void)
{
    double *mem;
    const int64_t n = block_extent(0) * block_extent(1);

    check(MPI_Win_allocate((MPI_Aint)(n * (int64_t)sizeof *mem), sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem,
                           &window),
          "MPI_Win_allocate");
    memset(mem, 0, (size_t)n * sizeof *mem);
    check(MPI_Win_lock_all(0, window), "MPI_Win_lock_all");
}

static void drop(void)
{
    (void)MPI_Win_unlock_all(window);
    (void)MPI_Win_free(&window);
}

static MPI_Datatype box_type(const int64_t count[2])
{
    MPI_Datatype type;

    (void)MPI_Type_vector((int)count[0], (int)count[1], (int)block_extent(1), MPI_DOUBLE, &type);
    (void)MPI_Type_commit(&type);
    return type;
}

static void get(const int64_t lo[2], const int64_t count[2], double *buf)
{
    MPI_Datatype type = box_type(count);

    (void)MPI_Get(buf, (int)(count[0] * count[1]), MPI_DOUBLE, owner(lo), place(lo), 1, type, window);
    (void)MPI_Win_flush(owner(lo), window);
    (void)MPI_Type_free(&type);
}

static void put(const int64_t lo[2], const int64_t count[2], const double *buf)
{
    MPI_Datatype type = box_type(count);

    (void)MPI_Put(buf, (int)(count[0] * count[1]), MPI_DOUBLE, owner(lo), place(lo), 1, type, window);
    (void)MPI_Win_flush(owner(lo), window);
    (void)MPI_Type_free(&type);
}

static void acc(const int64_t lo[2], const int64_t count[2], const double *buf)
{
    MPI_Datatype type = box_type(count);

    (void)MPI_Accumulate(buf, (int)(count[0] * count[1]), MPI_DOUBLE, owner(lo), place(lo), 1, type, MPI_SUM, window);
    (void)MPI_Win_flush(owner(lo), window);
    (void)MPI_Type_free(&type);
}

const struct peer peer_window = { "mpi", false, make, drop, get, put, acc };

/* ---- copies ---------------------------------------------------------------------------- */

static MPI_Win shared;
static double *base[64];

static void make_shared(void)
{
    const MPI_Aint bytes = (MPI_Aint)(block_extent(0) * block_extent(1) * (int64_t)sizeof(double));
    MPI_Aint size;
    MPI_Info info;
    int unit;
    double *mem;

    (void)MPI_Info_create(&info);
    (void)MPI_Info_set(info, "alloc_shared_noncontig", "true");
    check(MPI_Win_allocate_shared(bytes, 1, info, MPI_COMM_WORLD, &mem, &shared), "MPI_Win_allocate_shared");
    (void)MPI_Info_free(&info);
    memset(mem, 0, (size_t)bytes);
    (void)MPI_Win_lock_all(0, shared);
    for (int i = 0; i < ranks; i++)
        (void)MPI_Win_shared_query(shared, i, &size, &unit, &base[i]);
}

static void drop_shared(void)
{
    (void)MPI_Win_unlock_all(shared);
    (void)MPI_Win_free(&shared);
}

static void get_shared(const int64_t lo[2], const int64_t count[2], double *buf)
{
    const double *from = base[owner(lo)] + place(lo);

    for (int64_t i = 0; i < count[0]; i++)
        memcpy(buf + i * count[1], from + i * block_extent(1), (size_t)count[1] * sizeof *buf);
}

static void put_shared(const int64_t lo[2], const int64_t count[2], const double *buf)
{
    double *to = base[owner(lo)] + place(lo);

    for (int64_t i = 0; i < count[0]; i++)
        memcpy(to + i * block_extent(1), buf + i * count[1], (size_t)count[1] * sizeof *buf);
}

/* Not atomic. */
static void acc_shared(const int64_t lo[2], const int64_t count[2], const double *buf)
{
    double *to = base[owner(lo)] + place(lo);

    for (int64_t i = 0; i < count[0]; i++)
        for (int64_t j = 0; j < count[1]; j++)
            to[i * block_extent(1) + j] += buf[i * count[1] + j];
}

const struct peer peer_copy = { "copy", false, make_shared, drop_shared, get_shared, put_shared, acc_shared };
