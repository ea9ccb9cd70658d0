/* The chunk that hints ask for, read from the files by one process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dra_testing.h"

#include "drx.h"

enum { ROUNDS = 200, MOST_BYTES = 1 << 20 };

/* Create an array and look at its chunk. */
static void make(int type, int ndim, dra_size_t dims[], dra_size_t hint[], int64_t chunk[])
{
    drx_array *a;
    int d_a;

    succeed(NDRA_Create(type, ndim, dims, "array", "chunks", DRA_RW, hint, &d_a));
    succeed(drx_open("chunks", DRX_RDONLY, &a));
    for (int j = 0; j < ndim; j++)
        chunk[j] = drx_chunk(a)[j];
    succeed(drx_close(a));
    succeed(DRA_Delete(d_a));
}

/* Of any hints: at most 1 MiB, and what is smaller than that is as asked for, or divides the dimension. */
static void any_hints(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        const int ndim = 1 + (int)below(MOST_DISK_DIMS);
        dra_size_t dims[MOST_DIMS], hint[MOST_DIMS];
        int64_t chunk[MOST_DIMS], bytes = 8, asked = 8;

        for (int j = 0; j < ndim; j++) {
            dims[j] = 1 + below(ndim < 3 ? 100000 : 40);
            hint[j] = below(3) == 0 ? -1 : 1 + below(300);
        }
        make(C_DBL, ndim, dims, hint, chunk);
        for (int j = 0; j < ndim; j++) {
            if (chunk[j] < 1 || chunk[j] > dims[j])
                wrong("dimension %d of %ld has a chunk of %lld", j, dims[j], (long long)chunk[j]);
            bytes *= chunk[j];
            asked *= hint[j] > 0 && asked < MOST_BYTES ? (hint[j] < dims[j] ? hint[j] : dims[j]) : 1;
        }
        if (bytes > MOST_BYTES)
            wrong("a chunk of %lld bytes", (long long)bytes);
        for (int j = 0; j < ndim && asked < MOST_BYTES / 256; j++) /* a divisor may be that much more */
            if (hint[j] >= 1 && chunk[j] != hint[j] && dims[j] % chunk[j] != 0)
                wrong("dimension %d of %ld, hint %ld: a chunk of %lld", j, dims[j], hint[j], (long long)chunk[j]);
    }
}

void chunks(void)
{
    static const dra_size_t cases[][6] = {
        /* extents, hints, chunk */
        { 8192, 8192, 256, 256, 256, 256 }, { 8192, 8192, -1, -1, 1024, 64 },   { 10000, 6000, -1, -1, 1250, 47 },
        { 3, 1000000, -1, -1, 3, 15625 },   { 8192, 8192, 2048, 64, 2048, 64 }, { 8192, 8192, 2048, 2048, 362, 362 },
        { 8192, 8192, 64, -1, 64, 2048 },   { 8192, 8192, -1, 1, 8192, 1 },     { 8192, 8192, 8192, -1, 8192, 16 },
        { 1000, 1000, 330, 4, 330, 4 }, /* thirds would be no whole number, */
        { 1000, 1000, 490, 4, 500, 4 }, /* halves are */
        { 10, 20, 500, 500, 10, 20 },       { 10, 20, -1, -1, 10, 20 },
    };

    succeed(DRA_Init(1, 0, 0, -1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dra_size_t given[6];
        int64_t chunk[2];

        memcpy(given, cases[i], sizeof given);
        make(C_DBL, 2, given, given + 2, chunk);
        if (chunk[0] != given[4] || chunk[1] != given[5])
            wrong("%ldx%ld, hint %ldx%ld: chunk %lldx%lld", given[0], given[1], given[2], given[3], (long long)chunk[0],
                  (long long)chunk[1]);
    }
    any_hints();
    succeed(DRA_Terminate());
    say("chunks are as hinted");
}
