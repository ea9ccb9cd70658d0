/* What write_old wrote, read through DRA_Open of the drop-in: read_old SEED FOLDER. Of each array of FOLDER/list the
 * whole and some sections, also transposed, are compared with FOLDER/i.raw; then that nothing can be written to it. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ga.h>
#include <macdecls.h>

#include <dra.h>

enum { MAX_NDIM = 7, SECTIONS = 5 };

struct array {
    int type, ndim, d_a;
    dra_size_t dims[MAX_NDIM];
    size_t bytes;
    char *raw;
};

static unsigned long long state;

/* 0 to n - 1; the same numbers on all processes. */
static int below(int n)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((state >> 33) % (unsigned)n);
}

static void check(int good, const char *what, const char *path)
{
    if (good)
        return;
    fprintf(stderr, "read_old: process %d: %s: %s\n", GA_Nodeid(), path, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void read_raw(struct array *a, const char *path)
{
    char name[512];
    size_t n = 1;
    FILE *file;

    for (int j = 0; j < a->ndim; j++)
        n *= (size_t)a->dims[j];
    check(snprintf(name, sizeof name, "%s.raw", path) < (int)sizeof name, "the name is too long", path);
    file = fopen(name, "r");
    a->raw = malloc(n * a->bytes);
    check(file && a->raw && fread(a->raw, a->bytes, n, file) == n && fclose(file) == 0, "the raw file", name);
}

/* Read the box, into a global array of its shape or of the reversed one, and compare all of it. */
static void check_box(const struct array *a, const dra_size_t lo[], const dra_size_t hi[], int transposed,
                      const char *path)
{
    int dims[MAX_NDIM], first[MAX_NDIM] = { 0 }, last[MAX_NDIM], ld[MAX_NDIM], index[MAX_NDIM] = { 0 };
    dra_size_t dlo[MAX_NDIM], dhi[MAX_NDIM];
    const char *got;
    char *buf;
    size_t n = 1;
    int g_a, request, j;

    for (j = 0; j < a->ndim; j++) {
        const int i = transposed ? a->ndim - 1 - j : j;

        dims[i] = (int)(hi[j] - lo[j] + 1);
        dlo[j] = lo[j], dhi[j] = hi[j];
        n *= (size_t)dims[i];
    }
    for (j = 0; j < a->ndim; j++) {
        last[j] = dims[j] - 1;
        if (j > 0)
            ld[j - 1] = dims[j];
    }
    g_a = NGA_Create(a->type, a->ndim, dims, "box", NULL);
    check(g_a != 0, "NGA_Create", path);
    check(NDRA_Read_section(transposed, g_a, first, last, a->d_a, dlo, dhi, &request) == 0, "NDRA_Read_section", path);
    check(DRA_Wait(request) == 0, "DRA_Wait", path);
    GA_Sync();
    got = buf = malloc(n * a->bytes);
    check(buf != NULL, "malloc", path);
    NGA_Get(g_a, first, last, buf, ld);
    do {
        size_t at = 0;

        for (j = 0; j < a->ndim; j++)
            at = at * (size_t)a->dims[j] + (size_t)(lo[j] + index[transposed ? a->ndim - 1 - j : j]);
        check(memcmp(got, a->raw + at * a->bytes, a->bytes) == 0, "an element is wrong", path);
        got += a->bytes;
        for (j = a->ndim - 1; j >= 0 && ++index[j] == dims[j]; j--)
            index[j] = 0;
    } while (j >= 0);
    GA_Sync();
    GA_Destroy(g_a);
    free(buf);
}

static void check_array(const char *path)
{
    static const struct {
        int code;
        size_t bytes;
    } types[] = { { C_INT, 4 }, { C_LONG, 8 }, { C_FLOAT, 4 }, { C_DBL, 8 }, { C_SCPL, 8 }, { C_DCPL, 16 } };
    char name[512], file[512], copy[512];
    dra_size_t lo[MAX_NDIM], hi[MAX_NDIM];
    struct array a = { .bytes = 0 };
    int g_a, request, dims[MAX_NDIM];

    (void)snprintf(copy, sizeof copy, "%s", path);
    check(DRA_Open(copy, DRA_RW, &a.d_a) != 0, "was opened for writing", path);
    check(DRA_Open(copy, DRA_R, &a.d_a) == 0, "DRA_Open", path);
    check(NDRA_Inquire(a.d_a, &a.type, &a.ndim, a.dims, name, file) == 0, "NDRA_Inquire", path);
    for (int i = 0; i < 6; i++)
        if (types[i].code == a.type)
            a.bytes = types[i].bytes;
    check(a.bytes != 0 && strncmp(name, "array-", 6) == 0, "NDRA_Inquire", path);
    read_raw(&a, path);
    for (int s = 0; s < SECTIONS; s++) {
        for (int j = 0; j < a.ndim; j++) {
            lo[j] = s < 2 ? 0 : below((int)a.dims[j]);
            hi[j] = s < 2 ? a.dims[j] - 1 : lo[j] + below((int)(a.dims[j] - lo[j]));
        }
        check_box(&a, lo, hi, s % 2, path);
    }
    for (int j = 0; j < a.ndim; j++)
        dims[j] = (int)a.dims[j];
    g_a = NGA_Create(a.type, a.ndim, dims, "whole", NULL);
    check(NDRA_Write(g_a, a.d_a, &request) != 0, "was written to", path);
    GA_Destroy(g_a);
    check(DRA_Close(a.d_a) == 0, "DRA_Close", path);
    free(a.raw);
}

int main(int argc, char **argv)
{
    char path[512], line[512];
    FILE *list;

    MPI_Init(&argc, &argv);
    GA_Initialize();
    check(argc == 3, "expected SEED FOLDER", "usage");
    state = strtoull(argv[1], NULL, 10);
    check(MA_init(C_DBL, 500000, 500000), "MA_init", "");
    check(DRA_Init(8, 1e9, 1e9, 1e8) == 0, "DRA_Init", "");
    (void)snprintf(path, sizeof path, "%s/list", argv[2]);
    list = fopen(path, "r");
    check(list != NULL, "cannot be read", path);
    while (fgets(line, sizeof line, list)) {
        (void)snprintf(path, sizeof path, "%s/%ld", argv[2], strtol(line, NULL, 10));
        check_array(path);
    }
    fclose(list);
    DRA_Terminate();
    GA_Terminate();
    MPI_Finalize();
    return 0;
}
