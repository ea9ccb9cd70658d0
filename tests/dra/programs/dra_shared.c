/* Writes of sections whose chunks lie in the memory of several ranks, against models. The ranks have blocks of any
 * shapes. The arrays stay for test_files.py: they are the same on any number of ranks. Calls that write to files are
 * slow here: what depends on luck shows. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "dra_model.h"

enum { REQUESTS = 3, MOST_RANKS = 64 };

static atomic_bool writes_are_slow;
static atomic_int writes;

/* What libdrx calls. */
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    static ssize_t (*real)(int fd, const void *bytes, size_t n, off_t offset);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pwrite");
    if (writes_are_slow && atomic_fetch_add(&writes, 1) % 4 == 0)
        (void)usleep(500);
    return real(fd, bytes, n, offset);
}

/* Numbers that depend on the number of ranks do not come from the generator of the others. */
static uint64_t other_stream;

static int64_t other_below(int64_t n)
{
    other_stream = other_stream * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((other_stream >> 33) % (uint64_t)n);
}

/* Divide `ranks` into numbers of blocks for the axes. */
static void share_ranks(const struct model *model, int blocks[])
{
    for (int j = 0; j < model->ndim; j++)
        blocks[j] = 1;
    for (int left = ranks, factor = 2; left > 1; factor++)
        for (; left % factor == 0; left /= factor) {
            const int axis = (int)other_below(model->ndim);

            if ((int64_t)blocks[axis] * factor <= model->dims[axis])
                blocks[axis] *= factor;
        }
}

/* n different indices of the axis, 0 among them, in order. */
static void cut_axis(int64_t dim, int n, int first[])
{
    first[0] = 0;
    for (int i = 1; i < n; i++)
        first[i] = first[i - 1] + 1 + (int)other_below((dim - first[i - 1] - 1) / (n - i));
}

static int make_uneven(const struct model *model)
{
    int dims[MOST_DIMS], blocks[MOST_DIMS], map[MOST_DIMS + MOST_RANKS], n = 0, g_a;

    if (ranks > MOST_RANKS)
        wrong("%d ranks, expected at most %d", ranks, MOST_RANKS);
    share_ranks(model, blocks);
    for (int j = 0; j < model->ndim; j++) {
        dims[j] = (int)model->dims[j];
        cut_axis(model->dims[j], blocks[j], map + n);
        n += blocks[j];
    }
    g_a = NGA_Create_irreg(model->type, model->ndim, dims, "uneven", blocks, map);
    if (!g_a)
        wrong("a global array cannot be made");
    return g_a;
}

/* Anywhere, or with borders at multiples of the hint on some of the axes. */
static struct section some_section(const struct model *model, const int64_t hint[])
{
    struct section section = random_section(model);

    for (int j = 0; j < model->ndim; j++)
        if (hint[j] > 0 && below(2)) {
            section.lo[j] -= section.lo[j] % hint[j];
            section.hi[j] += hint[j] - 1 - section.hi[j] % hint[j];
            if (section.hi[j] >= model->dims[j])
                section.hi[j] = model->dims[j] - 1;
        }
    return section;
}

/* Several writes, all under way at a time; the later ones count. */
static void write_some(struct model *disk, const int64_t hint[], int d_a)
{
    int requests[REQUESTS], g_a[REQUESTS];

    for (int i = 0; i < REQUESTS; i++) {
        const bool turned = below(3) == 0;
        const struct section section = some_section(disk, hint);
        struct section place = { .ndim = disk->ndim };
        int64_t dims[MOST_DIMS];
        struct model global;

        for (int j = 0; j < disk->ndim; j++) {
            const int k = turned ? disk->ndim - 1 - j : j;

            place.lo[j] = below(4);
            place.hi[j] = place.lo[j] + section.hi[k] - section.lo[k];
            dims[j] = place.hi[j] + 1 + below(4);
        }
        global = make_model(disk->type, disk->ndim, dims);
        fill_model(&global, (uint64_t)below(1000));
        g_a[i] = make_uneven(&global);
        put_global(g_a[i], &global);
        requests[i] = begin_move(true, turned, g_a[i], &place, d_a, &section);
        copy_section(disk, &section, &global, &place, turned);
    }
    for (int i = REQUESTS - 1; i >= 0; i--)
        succeed(DRA_Wait(requests[i]));
    for (int i = 0; i < REQUESTS; i++)
        GA_Destroy(g_a[i]);
}

static void one_array(const char *file, int type, int ndim, const int64_t dims[], const int64_t hint[], int rounds)
{
    struct model disk = make_model(type, ndim, dims);
    int d_a;

    succeed(create_disk(&disk, file, DRA_RW, hint, &d_a));
    fill_model(&disk, 7);
    succeed(write_disk(d_a, &disk, 0));
    for (int i = 0; i < rounds; i++)
        write_some(&disk, hint, d_a);
    check_disk(d_a, &disk, 0, file);
    succeed(DRA_Close(d_a));
    release_all();
}

void shared(void)
{
    static const struct {
        int type, ndim, rounds;
        int64_t dims[MOST_DIMS], hint[MOST_DIMS];
    } arrays[] = {
        { C_DBL, 2, 3, { 300, 260 }, { 64, 48 } },          /* rows of 384 bytes */
        { C_FLOAT, 3, 3, { 40, 50, 60 }, { 16, 16, 32 } },  /* borders on three axes */
        { C_INT, 2, 2, { 24, 60000 }, { 8, 30000 } },       /* rows so long that they are cut */
        { C_DCPL, 2, 2, { 1100, 90 }, { 1024, 64 } },       /* a chunk of 1 MiB, which no small buffer holds */
        { C_LONG, 1, 2, { 50000 }, { 3000 } },              /* one run a rank */
        { C_SCPL, 4, 2, { 9, 8, 20, 30 }, { 3, 8, 7, 4 } }, /* many small chunks */
        { C_DBL, 2, 2, { 500, 300 }, { -1, -1 } },
    };
    static const double memory[] = { -1, 1 }; /* any, the least */
    char file[32];

    writes_are_slow = true;
    for (size_t m = 0; m < sizeof memory / sizeof *memory; m++) {
        succeed(DRA_Init(-1, -1, -1, memory[m]));
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
            (void)snprintf(file, sizeof file, "shared-%zu-%zu", m, i);
            one_array(file, arrays[i].type, arrays[i].ndim, arrays[i].dims, arrays[i].hint, arrays[i].rounds);
        }
        succeed(DRA_Terminate());
    }
    writes_are_slow = false;
    if (writes == 0)
        wrong("no write was slow");
}
