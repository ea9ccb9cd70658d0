/* Write random arrays with Disk Resident Arrays, and beside each what it should hold: write_old SEED COUNT FOLDER.
 * For array number i, FOLDER/i is the file (and FOLDER/i.info), FOLDER/i.raw all elements in the order of C, and a line
 * of FOLDER/list has i, the type, the name and the extents. */
#include <complex.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dra.h>
#include <ga.h>
#include <macdecls.h>

enum { MAX_NDIM = 7 };

/* In the library, but not in its header. */
int NDRA_Create_config(int type, int ndim, dra_size_t dims[], char *name, char *file, int mode, dra_size_t hints[],
                       int files, int io_processes, int *d_a);

static const struct {
    int code;
    const char *name;
    size_t bytes;
} types[] = {
    { C_INT, "int32", 4 },   { C_LONG, "int64", 8 },     { C_FLOAT, "float32", 4 },
    { C_DBL, "float64", 8 }, { C_SCPL, "complex64", 8 }, { C_DCPL, "complex128", 16 },
};

struct array {
    int type, ndim;
    dra_size_t dims[MAX_NDIM];
    long elements;
    char *model; /* of every process alike */
};

static unsigned long long state;

/* 0 to n - 1; the same numbers on all processes. */
static int below(int n)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((state >> 33) % (unsigned)n);
}

static void check(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "write_old: %s failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void set_element(const struct array *a, long at, long value)
{
    char *p = a->model + at * (long)types[a->type].bytes;

    switch (types[a->type].code) {
    case C_INT:
        *(int *)p = (int)value;
        break;
    case C_LONG:
        *(long *)p = value << 20;
        break;
    case C_FLOAT:
        *(float *)p = (float)value + 0.5F;
        break;
    case C_DBL:
        *(double *)p = (double)value + 0.25;
        break;
    case C_SCPL:
        *(float complex *)p = (float)value + 0.5F * I;
        break;
    default:
        *(double complex *)p = (double)value - (double)(value + 1) * I;
    }
}

/* A random shape, and hints for blocks of any kind: not known, small, odd, larger than the array. */
static void choose(struct array *a, dra_size_t hints[])
{
    a->type = below(6);
    a->ndim = 1 + below(MAX_NDIM);
    a->elements = 1;
    for (int j = 0; j < a->ndim; j++) {
        const int most[] = { 5000, 150, 28, 12, 8, 5, 4 };

        a->dims[j] = 1 + below(most[a->ndim - 1]);
        a->elements *= a->dims[j];
        hints[j] = below(4) == 0 ? -1 : 1 + below((int)a->dims[j] + 2);
    }
}

/* Give the box of the model random values, and write it from a global array of its size. */
static void write_box(const struct array *a, int d_a, const int lo[], const int hi[])
{
    const size_t bytes = types[a->type].bytes;
    int dims[MAX_NDIM], first[MAX_NDIM] = { 0 }, last[MAX_NDIM], ld[MAX_NDIM], index[MAX_NDIM];
    dra_size_t dlo[MAX_NDIM], dhi[MAX_NDIM];
    long n = 1;
    int g_a, request, j;
    char *buf, *to;

    for (j = 0; j < a->ndim; j++) {
        dims[j] = hi[j] - lo[j] + 1;
        last[j] = dims[j] - 1;
        dlo[j] = lo[j], dhi[j] = hi[j];
        index[j] = lo[j];
        n *= dims[j];
        if (j > 0)
            ld[j - 1] = dims[j];
    }
    to = buf = malloc((size_t)n * bytes);
    check(buf != NULL, "malloc");
    do {
        long at = 0;

        for (j = 0; j < a->ndim; j++)
            at = at * a->dims[j] + index[j];
        set_element(a, at, below(1 << 30));
        memcpy(to, a->model + at * (long)bytes, bytes);
        to += bytes;
        for (j = a->ndim - 1; j >= 0 && ++index[j] > hi[j]; j--)
            index[j] = lo[j];
    } while (j >= 0);
    g_a = NGA_Create(types[a->type].code, a->ndim, dims, "box", NULL);
    check(g_a != 0, "NGA_Create");
    if (GA_Nodeid() == 0)
        NGA_Put(g_a, first, last, buf, ld);
    GA_Sync();
    check(NDRA_Write_section(0, g_a, first, last, d_a, dlo, dhi, &request) == 0, "NDRA_Write_section");
    check(DRA_Wait(request) == 0, "DRA_Wait");
    GA_Sync();
    GA_Destroy(g_a);
    free(buf);
}

static void write_boxes(const struct array *a, int d_a)
{
    int lo[MAX_NDIM], hi[MAX_NDIM];

    for (int box = below(4); box >= 0; box--) {
        const int whole = below(2);

        for (int j = 0; j < a->ndim; j++) {
            lo[j] = whole ? 0 : below((int)a->dims[j]);
            hi[j] = whole ? (int)a->dims[j] - 1 : lo[j] + below((int)a->dims[j] - lo[j]);
        }
        write_box(a, d_a, lo, hi);
    }
}

static FILE *open_in(const char *folder, const char *name, const char *mode)
{
    char path[512];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, mode);
    check(file != NULL, path);
    return file;
}

static void tell(const struct array *a, int i, const char *name, const char *folder)
{
    const size_t n = (size_t)a->elements;
    char raw[32];
    FILE *file;

    (void)snprintf(raw, sizeof raw, "%d.raw", i);
    file = open_in(folder, raw, "w");
    check(fwrite(a->model, types[a->type].bytes, n, file) == n && fclose(file) == 0, raw);
    file = open_in(folder, "list", "a");
    fprintf(file, "%d %s %s", i, types[a->type].name, name);
    for (int j = 0; j < a->ndim; j++)
        fprintf(file, " %ld", a->dims[j]);
    fprintf(file, "\n");
    check(fclose(file) == 0, "list");
}

static void write_array(int i, const char *folder)
{
    struct array a;
    dra_size_t hints[MAX_NDIM];
    char path[512], name[64];
    int d_a;

    choose(&a, hints);
    a.model = calloc((size_t)a.elements, types[a.type].bytes);
    check(a.model != NULL, "calloc");
    (void)snprintf(path, sizeof path, "%s/%d", folder, i);
    (void)snprintf(name, sizeof name, "array-%d", i);
    if (below(3) == 0)
        check(NDRA_Create(types[a.type].code, a.ndim, a.dims, name, path, DRA_RW, hints, &d_a) == 0, "NDRA_Create");
    else
        check(NDRA_Create_config(types[a.type].code, a.ndim, a.dims, name, path, DRA_RW, hints, 1 + below(4), below(5),
                                 &d_a) == 0,
              "NDRA_Create_config");
    write_boxes(&a, d_a);
    check(DRA_Close(d_a) == 0, "DRA_Close");
    if (GA_Nodeid() == 0)
        tell(&a, i, name, folder);
    free(a.model);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    check(argc == 4, "write_old SEED COUNT FOLDER");
    state = strtoull(argv[1], NULL, 10);
    GA_Initialize();
    check(MA_init(C_DBL, 500000, 500000), "MA_init");
    check(DRA_Init(8, 1e9, 1e9, 1e8) == 0, "DRA_Init");
    for (int i = 0; i < atol(argv[2]); i++) {
        if (below(4) == 0)
            DRA_Set_default_config(1 + below(3), 1 + below(3));
        write_array(i, argv[3]);
    }
    DRA_Terminate();
    GA_Terminate();
    MPI_Finalize();
    return 0;
}
