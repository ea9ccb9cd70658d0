/* What write_old wrote, read through DRA_Open of the drop-in: read_old SEED FOLDER. Of each array of FOLDER/list the
 * whole and some sections, also transposed, are compared with FOLDER/i.raw; then that nothing can be written to it. */
#include "old.h"

enum { SECTIONS = 5 };

struct array {
    int type, ndim, d_a;
    dra_size_t dims[MAX_NDIM];
    size_t bytes;
    char *raw;
};

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
static void check_box(const struct array *a, dra_size_t lo[], dra_size_t hi[], int transposed, const char *path)
{
    int index[MAX_NDIM] = { 0 }, request;
    struct section s;
    const char *got;

    make_section(&s, a->type, a->bytes, a->ndim, lo, hi, transposed, path);
    check(NDRA_Read_section(transposed, s.g_a, s.first, s.last, a->d_a, lo, hi, &request) == 0, "NDRA_Read_section",
          path);
    check(DRA_Wait(request) == 0, "DRA_Wait", path);
    GA_Sync();
    NGA_Get(s.g_a, s.first, s.last, s.buf, s.ld);
    got = s.buf;
    do {
        size_t at = 0;

        for (int j = 0; j < a->ndim; j++)
            at = at * (size_t)a->dims[j] + (size_t)(lo[j] + index[transposed ? a->ndim - 1 - j : j]);
        check(memcmp(got, a->raw + at * a->bytes, a->bytes) == 0, "an element is wrong", path);
        got += a->bytes;
    } while (step(&s, index));
    free_section(&s);
}

static void check_array(const char *path)
{
    char name[512], file[512], copy[512];
    dra_size_t lo[MAX_NDIM], hi[MAX_NDIM];
    struct array a = { .bytes = 0 };
    int g_a, request, dims[MAX_NDIM];

    (void)snprintf(copy, sizeof copy, "%s", path);
    check(DRA_Open(copy, DRA_RW, &a.d_a) != 0, "was opened for writing", path);
    check(DRA_Open(copy, DRA_R, &a.d_a) == 0, "DRA_Open", path);
    check(NDRA_Inquire(a.d_a, &a.type, &a.ndim, a.dims, name, file) == 0, "NDRA_Inquire", path);
    for (int i = 0; i < TYPES; i++)
        if (types[i].code == a.type)
            a.bytes = types[i].bytes;
    check(a.bytes != 0 && strncmp(name, "array-", 6) == 0, "NDRA_Inquire", path);
    read_raw(&a, path);
    for (int s = 0; s < SECTIONS; s++) {
        choose_box(a.ndim, a.dims, s < 2, lo, hi);
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

    start(&argc, &argv, 3);
    list = open_in(argv[2], "list", "r");
    while (fgets(line, sizeof line, list)) {
        (void)snprintf(path, sizeof path, "%s/%ld", argv[2], strtol(line, NULL, 10));
        check_array(path);
    }
    fclose(list);
    return stop();
}
