#include "ga_both.h"

#include <macdecls.h>

#define INTEGER(type) (sizeof(type) == 8 ? DRX_INT64 : DRX_INT32)

static const struct {
    int c, fortran;
    drx_type type;
} types[] = { /* of equal types, inquiries give the first */
              { MT_C_INT, MT_C_INT, DRX_INT32 },       { MT_C_LONGINT, MT_F_INT, INTEGER(long) },
              { MT_C_LONGLONG, MT_F_INT, DRX_INT64 },  { MT_C_FLOAT, MT_F_REAL, DRX_FLOAT32 },
              { MT_C_DBL, MT_F_DBL, DRX_FLOAT64 },     { MT_C_SCPL, MT_F_SCPL, DRX_COMPLEX64 },
              { MT_C_DCPL, MT_F_DCPL, DRX_COMPLEX128 }
};

drx_type drxgai_type(int ga_type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].c == ga_type || types[i].fortran == ga_type)
            return types[i].type;
    return 0;
}

int drxgai_type_number(drx_type type, bool fortran)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return fortran ? types[i].fortran : types[i].c;
    return 0;
}

bool drxgai_part(int g_a, int ndim, int process, const int64_t from[], const int64_t to[], int64_t lo[], int64_t hi[])
{
    NGA_Distribution64(g_a, process, lo, hi);
    for (int j = 0; j < ndim; j++) {
        lo[j] = from ? shim_larger(lo[j], from[j]) : lo[j];
        hi[j] = to ? shim_smaller(hi[j], to[j]) : hi[j];
        if (lo[j] > hi[j])
            return false;
    }
    return true;
}

void drxgai_strides(int ndim, const int64_t ld[], int64_t along, int64_t stride[])
{
    for (int j = ndim - 1; j >= 0; j--) {
        stride[j] = along;
        along *= j > 0 ? ld[j - 1] : 1;
    }
}

void *drxgai_access(int g_a, int ndim, int64_t lo[], int64_t hi[], int64_t stride[])
{
    int64_t ld[GA_MAX_DIM];
    void *memory = NULL;

    NGA_Access64(g_a, lo, hi, &memory, ld);
    drxgai_strides(ndim, ld, 1, stride);
    return memory;
}

double drxgai_bytes(int ndim, const int64_t extent[], size_t item_bytes)
{
    double bytes = (double)item_bytes;

    for (int j = 0; j < ndim; j++)
        bytes *= (double)extent[j];
    return bytes;
}

void drxgai_halve(int ndim, const int64_t dims[], size_t item_bytes, double most_bytes, int64_t parts[],
                  int64_t chunk[])
{
    while (drxgai_bytes(ndim, chunk, item_bytes) > most_bytes) {
        int longest = 0;

        for (int j = 1; j < ndim; j++)
            longest = chunk[j] > chunk[longest] ? j : longest;
        parts[longest] *= 2;
        chunk[longest] = (dims[longest] - 1) / parts[longest] + 1;
    }
}

int64_t drxgai_alignment(int ndim, const int64_t chunk[], size_t item_bytes)
{
    enum { PAGE = 4096 };

    return drxgai_bytes(ndim, chunk, item_bytes) >= 8.0 * PAGE ? PAGE : 0;
}

void drxgai_arg(struct drxgai_args *args, const char *name, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a; a null pointer is other than no bytes */

    if (!bytes)
        hash++;
    for (size_t i = 0; bytes && i < n; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    args->arg[args->n].name = name;
    args->arg[args->n++].hash = (int64_t)(hash >> 2); /* so that its negative exists */
}

/* The detail of process `first`, on all; where there are arguments, it says which process that is. */
static drx_status share_detail(MPI_Comm comm, int first, drx_status st, bool named)
{
    char detail[1024];
    int rank;

    (void)MPI_Comm_rank(comm, &rank);
    (void)snprintf(detail, sizeof detail, "%s", drx_last_error());
    if (MPI_Bcast(detail, sizeof detail, MPI_CHAR, first, comm) != MPI_SUCCESS)
        return shim_fail(DRX_EMPI, "the processes could not tell each other what failed");
    return named ? shim_fail(st, "rank %d: %.900s", first, detail) : drx_fail(st, detail);
}

drx_status drxgai_agree(MPI_Comm comm, drx_status mine, const struct drxgai_args *args)
{
    const int64_t ranks_room = (int64_t)1 << 32;
    int64_t low[1 + 2 * DRXGAI_MOST_ARGS] = { 0 }; /* as many in every call, so that different calls notice it */
    int rank;

    (void)MPI_Comm_rank(comm, &rank);
    low[0] = mine * ranks_room + (mine ? rank : 0); /* the worst status, and the first rank that has it */
    for (int i = 0; args && i < args->n; i++) {
        low[1 + 2 * i] = args->arg[i].hash;
        low[2 + 2 * i] = -args->arg[i].hash;
    }
    if (MPI_Allreduce(MPI_IN_PLACE, low, 1 + 2 * DRXGAI_MOST_ARGS, MPI_INT64_T, MPI_MIN, comm) != MPI_SUCCESS)
        return shim_fail(DRX_EMPI, "the processes could not agree");
    if (low[0]) {
        const int64_t first = ((low[0] % ranks_room) + ranks_room) % ranks_room;

        return share_detail(comm, (int)first, (drx_status)((low[0] - first) / ranks_room), args != NULL);
    }
    for (int i = 0; args && i < args->n; i++)
        if (low[1 + 2 * i] != -low[2 + 2 * i])
            return shim_fail(DRX_EMISMATCH, "the ranks differ in %s", args->arg[i].name);
    return DRX_OK;
}
