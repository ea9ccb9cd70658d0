/* Write random arrays with Disk Resident Arrays, and beside each what it should hold: write_old SEED COUNT FOLDER.
 * For array number i, FOLDER/i is the file (and FOLDER/i.info), FOLDER/i.raw all elements in the order of C, and a line
 * of FOLDER/list has i, the type, the name and the extents. */
#include "old.h"

#include <complex.h>

/* In the library, but not in its header. */
int NDRA_Create_config(int type, int ndim, dra_size_t dims[], char *name, char *file, int mode, dra_size_t hints[],
                       int files, int io_processes, int *d_a);

struct array {
    int type, ndim;
    dra_size_t dims[MAX_NDIM];
    long elements;
    char *model; /* of every process alike */
};

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
    a->type = below(TYPES);
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
static void write_box(const struct array *a, int d_a, dra_size_t lo[], dra_size_t hi[], const char *path)
{
    const size_t bytes = types[a->type].bytes;
    int index[MAX_NDIM] = { 0 }, request;
    struct section s;
    char *to;

    make_section(&s, types[a->type].code, bytes, a->ndim, lo, hi, 0, path);
    to = s.buf;
    do {
        long at = 0;

        for (int j = 0; j < a->ndim; j++)
            at = at * a->dims[j] + lo[j] + index[j];
        set_element(a, at, below(1 << 30));
        memcpy(to, a->model + at * (long)bytes, bytes);
        to += bytes;
    } while (step(&s, index));
    if (GA_Nodeid() == 0)
        NGA_Put(s.g_a, s.first, s.last, s.buf, s.ld);
    GA_Sync();
    check(NDRA_Write_section(0, s.g_a, s.first, s.last, d_a, lo, hi, &request) == 0, "NDRA_Write_section", path);
    check(DRA_Wait(request) == 0, "DRA_Wait", path);
    free_section(&s);
}

static void tell(const struct array *a, int i, const char *name, const char *folder)
{
    const size_t n = (size_t)a->elements;
    char raw[32];
    FILE *file;

    (void)snprintf(raw, sizeof raw, "%d.raw", i);
    file = open_in(folder, raw, "w");
    check(fwrite(a->model, types[a->type].bytes, n, file) == n && fclose(file) == 0, "write", raw);
    file = open_in(folder, "list", "a");
    fprintf(file, "%d %s %s", i, types[a->type].name, name);
    for (int j = 0; j < a->ndim; j++)
        fprintf(file, " %ld", a->dims[j]);
    fprintf(file, "\n");
    check(fclose(file) == 0, "write", "list");
}

static void write_array(int i, const char *folder)
{
    struct array a;
    dra_size_t hints[MAX_NDIM], lo[MAX_NDIM], hi[MAX_NDIM];
    char path[512], name[64];
    int d_a;

    choose(&a, hints);
    a.model = calloc((size_t)a.elements, types[a.type].bytes);
    check(a.model != NULL, "calloc", "");
    (void)snprintf(path, sizeof path, "%s/%d", folder, i);
    (void)snprintf(name, sizeof name, "array-%d", i);
    if (below(3) == 0)
        check(NDRA_Create(types[a.type].code, a.ndim, a.dims, name, path, DRA_RW, hints, &d_a) == 0, "NDRA_Create",
              path);
    else
        check(NDRA_Create_config(types[a.type].code, a.ndim, a.dims, name, path, DRA_RW, hints, 1 + below(4), below(5),
                                 &d_a) == 0,
              "NDRA_Create_config", path);
    for (int box = below(4); box >= 0; box--) {
        choose_box(a.ndim, a.dims, below(2), lo, hi);
        write_box(&a, d_a, lo, hi, path);
    }
    check(DRA_Close(d_a) == 0, "DRA_Close", path);
    if (GA_Nodeid() == 0)
        tell(&a, i, name, folder);
    free(a.model);
}

int main(int argc, char **argv)
{
    start(&argc, &argv, 4);
    for (int i = 0; i < atol(argv[2]); i++) {
        if (below(4) == 0)
            DRA_Set_default_config(1 + below(3), 1 + below(3));
        write_array(i, argv[3]);
    }
    return stop();
}
