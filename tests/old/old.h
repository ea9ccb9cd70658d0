/* What write_old and read_old share: the same arrays and random sections on all processes. */
#ifndef OLD_H
#define OLD_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dra.h>
#include <ga.h>
#include <macdecls.h>

enum { MAX_NDIM = 7, TYPES = 6 };

static const struct {
    int code;
    const char *name;
    size_t bytes;
} types[TYPES] = {
    { C_INT, "int32", 4 },   { C_LONG, "int64", 8 },     { C_FLOAT, "float32", 4 },
    { C_DBL, "float64", 8 }, { C_SCPL, "complex64", 8 }, { C_DCPL, "complex128", 16 },
};

static unsigned long long random_state;

/* 0 to n - 1 */
static int below(int n)
{
    random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((random_state >> 33) % (unsigned)n);
}

static void check(int good, const char *what, const char *path)
{
    if (good)
        return;
    fprintf(stderr, "process %d: %s: %s\n", GA_Nodeid(), path, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void start(int *argc, char ***argv, int words)
{
    MPI_Init(argc, argv);
    GA_Initialize();
    check(*argc == words, "expected SEED and its other words", (*argv)[0]);
    random_state = strtoull((*argv)[1], NULL, 10);
    check(MA_init(C_DBL, 500000, 500000), "MA_init", "");
    check(DRA_Init(8, 1e9, 1e9, 1e8) == 0, "DRA_Init", "");
}

static int stop(void)
{
    DRA_Terminate();
    GA_Terminate();
    MPI_Finalize();
    return 0;
}

static FILE *open_in(const char *folder, const char *name, const char *mode)
{
    char path[512];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, mode);
    check(file != NULL, "open", path);
    return file;
}

/* A random box of an array. */
static void choose_box(int ndim, const dra_size_t dims[], int whole, dra_size_t lo[], dra_size_t hi[])
{
    for (int j = 0; j < ndim; j++) {
        lo[j] = whole ? 0 : below((int)dims[j]);
        hi[j] = whole ? dims[j] - 1 : lo[j] + below((int)(dims[j] - lo[j]));
    }
}

/* A global array as large as a box, or with its axes in the reverse order; and memory for all of it, in C order. */
struct section {
    int g_a, ndim, dims[MAX_NDIM], first[MAX_NDIM], last[MAX_NDIM], ld[MAX_NDIM];
    char *buf;
};

static void make_section(struct section *s, int type, size_t bytes, int ndim, const dra_size_t lo[],
                         const dra_size_t hi[], int transposed, const char *path)
{
    memset(s, 0, sizeof *s);
    s->ndim = ndim;
    for (int j = 0; j < ndim; j++) {
        const int i = transposed ? ndim - 1 - j : j;

        s->dims[i] = (int)(hi[j] - lo[j] + 1);
        s->last[i] = s->dims[i] - 1;
        bytes *= (size_t)s->dims[i];
    }
    for (int j = 1; j < ndim; j++)
        s->ld[j - 1] = s->dims[j];
    s->g_a = NGA_Create(type, ndim, s->dims, "box", NULL);
    check(s->g_a != 0, "NGA_Create", path);
    s->buf = malloc(bytes);
    check(s->buf != NULL, "malloc", path);
}

static void free_section(struct section *s)
{
    GA_Sync();
    GA_Destroy(s->g_a);
    free(s->buf);
}

/* Step to the next element in C order; 0 after the last one. */
static int step(const struct section *s, int index[])
{
    for (int j = s->ndim - 1; j >= 0; j--) {
        if (++index[j] < s->dims[j])
            return 1;
        index[j] = 0;
    }
    return 0;
}

#endif
