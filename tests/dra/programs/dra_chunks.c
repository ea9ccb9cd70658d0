/* The chunk that hints ask for, as it is found in the files; one process. */
#include <dra.h>
#include <drx.h>
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#undef NDEBUG
#include <assert.h>

enum { ROUNDS = 200, MOST_BYTES = 1 << 20 };

/* Create an array and look at its chunk. */
static void make(int type, int ndim, dra_size_t dims[], dra_size_t hint[], int64_t chunk[])
{
    drx_array *a;
    int d_a;

    assert(NDRA_Create(type, ndim, dims, (char *)"array", (char *)"chunks", DRA_RW, hint, &d_a) == 0);
    assert(drx_open("chunks", DRX_RDONLY, &a) == DRX_OK);
    for (int j = 0; j < ndim; j++)
        chunk[j] = drx_chunk(a)[j];
    assert(drx_close(a) == DRX_OK);
    assert(DRA_Delete(d_a) == 0);
}

static void expect(int type, dra_size_t dim0, dra_size_t dim1, dra_size_t hint0, dra_size_t hint1, int64_t chunk0,
                   int64_t chunk1)
{
    dra_size_t dims[] = { dim0, dim1 }, hint[] = { hint0, hint1 };
    int64_t chunk[2];

    make(type, 2, dims, hint, chunk);
    if (chunk[0] != chunk0 || chunk[1] != chunk1)
        printf("%ldx%ld, hint %ldx%ld: chunk %lldx%lld, expected %lldx%lld\n", dim0, dim1, hint0, hint1,
               (long long)chunk[0], (long long)chunk[1], (long long)chunk0, (long long)chunk1);
    assert(chunk[0] == chunk0 && chunk[1] == chunk1);
}

/* Of any hints: at most 1 MiB, and what is smaller than that is as asked for, or divides the dimension. */
static void any_hints(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        const int ndim = 1 + rand() % 7;
        dra_size_t dims[7], hint[7];
        int64_t chunk[7], bytes = 8, asked = 8;

        for (int j = 0; j < ndim; j++) {
            dims[j] = 1 + rand() % (ndim < 3 ? 100000 : 40);
            hint[j] = rand() % 3 == 0 ? -1 : 1 + rand() % 300;
        }
        make(C_DBL, ndim, dims, hint, chunk);
        for (int j = 0; j < ndim; j++) {
            assert(chunk[j] >= 1 && chunk[j] <= dims[j]);
            bytes *= chunk[j];
            asked *= hint[j] > 0 && asked < MOST_BYTES ? (hint[j] < dims[j] ? hint[j] : dims[j]) : 1;
        }
        assert(bytes <= MOST_BYTES);
        for (int j = 0; j < ndim && asked < MOST_BYTES / 256; j++) /* a divisor may be that much more */
            assert(hint[j] < 1 || chunk[j] == hint[j] || dims[j] % chunk[j] == 0);
    }
}

int main(int argc, char **argv)
{
    const unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;

    MPI_Init(&argc, &argv);
    GA_Initialize();
    assert(MA_init(C_DBL, 10000, 10000));
    assert(DRA_Init(1, 0, 0, -1) == 0);
    printf("seed %u\n", seed);
    srand(seed);
    expect(C_DBL, 8192, 8192, 256, 256, 256, 256);
    expect(C_DBL, 8192, 8192, -1, -1, 1024, 64);
    expect(C_DBL, 10000, 6000, -1, -1, 1250, 47);
    expect(C_DBL, 3, 1000000, -1, -1, 3, 15625);
    expect(C_DBL, 8192, 8192, 2048, 64, 2048, 64);
    expect(C_DBL, 8192, 8192, 2048, 2048, 362, 362);
    expect(C_DBL, 8192, 8192, 64, -1, 64, 2048);
    expect(C_DBL, 8192, 8192, -1, 1, 8192, 1);
    expect(C_DBL, 8192, 8192, 8192, -1, 8192, 16);
    expect(C_DBL, 1000, 1000, 330, 4, 330, 4); /* thirds would be no whole number, */
    expect(C_DBL, 1000, 1000, 490, 4, 500, 4); /* halves are */
    expect(C_DBL, 10, 20, 500, 500, 10, 20);
    expect(C_INT, 10, 20, -1, -1, 10, 20);
    any_hints();
    assert(DRA_Terminate() == 0);
    GA_Terminate();
    MPI_Finalize();
    return 0;
}
