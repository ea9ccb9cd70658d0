#include <ga.h>
#include <macdecls.h>

#include <dra.h>

#include "dra_job.h"

double element_of(int64_t i, int64_t j)
{
    return (double)(i * size + j + 1);
}

int new_array(int rows, int columns)
{
    int dims[2] = { rows, columns };
    const int g = NGA_Create(C_DBL, 2, dims, "section", NULL);

    if (!g)
        (void)complain("no global array of %d x %d", rows, columns);
    return g;
}

enum outcome visit(int g, const int64_t at[2], formula of, bool filling)
{
    enum outcome outcome = DONE;
    int lo[2], hi[2], ld;
    double *elements = NULL;

    NGA_Distribution(g, bench_rank, lo, hi);
    if (lo[0] >= 0 && hi[0] >= lo[0] && hi[1] >= lo[1])
        NGA_Access(g, lo, hi, &elements, &ld);
    for (int i = lo[0]; elements && i <= hi[0]; i++)
        for (int j = lo[1]; j <= hi[1]; j++) {
            double *const place = &elements[(int64_t)(i - lo[0]) * ld + j - lo[1]];
            const double right = of(at[0] + i, at[1] + j);

            if (filling)
                *place = right;
            else if (*place != right)
                outcome = complain("element (%d, %d) is wrong", (int)at[0] + i, (int)at[1] + j);
        }
    if (elements && filling)
        NGA_Release_update(g, lo, hi);
    else if (elements)
        NGA_Release(g, lo, hi);
    GA_Sync();
    return outcome;
}

enum outcome create_square(const char *name, int rows, int columns, int *d)
{
    dra_size_t dims[2] = { size, size }, reqdims[2] = { rows, columns };
    const char *const path = path_in(folder, name);
    const int code =
        NDRA_Create(C_DBL, 2, dims, "square", (char *)path, DRA_RW, reqdims, d); /* it takes no constants */

    return code ? complain("%s: cannot be created: code %d", path, code) : DONE;
}

enum outcome open_square(const char *name, bool writing, int *d)
{
    const char *const path = path_in(folder, name);

    return DRA_Open((char *)path, writing ? DRA_RW : DRA_R, d) ? complain("%s: cannot be opened", path) : DONE;
}

int begin_section(bool writing, int g, const int at_g[2], int d, const int at_d[2], const int n[2], int *request)
{
    int glo[2], ghi[2];
    dra_size_t dlo[2], dhi[2];

    for (int j = 0; j < 2; j++) {
        glo[j] = at_g[j];
        ghi[j] = at_g[j] + n[j] - 1;
        dlo[j] = at_d[j];
        dhi[j] = at_d[j] + n[j] - 1;
    }
    return writing ? NDRA_Write_section(0, g, glo, ghi, d, dlo, dhi, request)
                   : NDRA_Read_section(0, g, glo, ghi, d, dlo, dhi, request);
}

int move_section(bool writing, int g, const int at_g[2], int d, const int at_d[2], const int n[2])
{
    int request;
    const int code = begin_section(writing, g, at_g, d, at_d, n, &request);

    return code ? code : DRA_Wait(request);
}
