#include "ga_both.h"

#include <macdecls.h>
#include <stdarg.h>
#include <stdio.h>

#include "drx_tools.h"

drx_status drxgai_fail(drx_status st, const char *format, ...)
{
    char detail[1024];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    return drx_fail(st, detail);
}

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
        lo[j] = from ? drxgai_larger(lo[j], from[j]) : lo[j];
        hi[j] = to ? drxgai_smaller(hi[j], to[j]) : hi[j];
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
