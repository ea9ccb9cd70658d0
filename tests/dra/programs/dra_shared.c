/* Calls that write to files are slow here, or fail: what depends on luck shows. Writes of sections whose chunks lie in
 * the memory of several ranks, against models, by ranks that have blocks of any shapes; these arrays stay for
 * test_files.py, since they are the same on any number of ranks. Requests that fail while elements move, and requests
 * that touch the same elements. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "dra_model.h"

enum { REQUESTS = 3, MOST_RANKS = 64 };

static atomic_bool writes_are_slow, writes_fail;
static atomic_int slow_us,
    fast_ones; /* each slow write takes so long, and there are this many others before the next */
static atomic_int writes;

/* What libdrx calls. */
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    static ssize_t (*real)(int fd, const void *bytes, size_t n, off_t offset);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pwrite");
    if (writes_fail) {
        errno = ENOSPC;
        return -1;
    }
    if (writes_are_slow && atomic_fetch_add(&writes, 1) % (1 + fast_ones) == 0)
        (void)usleep((useconds_t)slow_us);
    return real(fd, bytes, n, offset);
}

static void be_slow(int us, int others)
{
    slow_us = us;
    fast_ones = others;
    writes_are_slow = us > 0;
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

    be_slow(500, 3);
    for (size_t m = 0; m < sizeof memory / sizeof *memory; m++) {
        succeed(DRA_Init(-1, -1, -1, memory[m]));
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
            (void)snprintf(file, sizeof file, "shared-%zu-%zu", m, i);
            one_array(file, arrays[i].type, arrays[i].ndim, arrays[i].dims, arrays[i].hint, arrays[i].rounds);
        }
        succeed(DRA_Terminate());
    }
    be_slow(0, 0);
    if (writes == 0)
        wrong("no write was slow");
}

/* ---- what fails while elements move ---- */

/* The request is known to have failed, alike on all ranks, whenever somebody asks. */
static void ask_again(int request, int code)
{
    int state;

    for (int i = 0; i < 2; i++) {
        expect(DRA_Wait(request), code);
        expect(DRA_Probe(request, &state), code);
    }
}

/* Each rank has rows, which are chunks, and writes them. */
void failing(void)
{
    enum { ROWS = 60, COLUMNS = 70 };
    const int64_t dims[] = { ROWS, COLUMNS }, hint[] = { 1, COLUMNS };
    struct model before = make_model(C_DBL, 2, dims), after = make_model(C_DBL, 2, dims);
    const struct section whole = whole_section(&before);
    int size[] = { ROWS, COLUMNS }, least[] = { 1, COLUMNS };
    int d_a, g_a, request = DRA_REQ_INVALID, code = 0;

    succeed(DRA_Init(-1, -1, -1, -1));
    fill_model(&before, 1);
    fill_model(&after, 2);
    g_a = NGA_Create(C_DBL, 2, size, "rows", least);
    succeed(create_disk(&before, "failing", DRA_RW, hint, &d_a));
    for (int culprit = 0; culprit < ranks; culprit++) {
        put_global(g_a, &before);
        writes_fail = me == culprit;
        request = begin_move(true, false, g_a, &whole, d_a, &whole);
        code = DRA_Wait(request);
        fail(code);
        writes_fail = false;
        ask_again(request, code);
        put_global(g_a, &after);
        succeed(DRA_Wait(begin_move(true, false, g_a, &whole, d_a, &whole)));
        check_disk(d_a, &after, 0, "written after a failure");
        ask_again(request, code);
    }
    succeed(DRA_Close(d_a));
    ask_again(request, code);
    GA_Destroy(g_a);
    succeed(DRA_Terminate());
}

/* ---- requests that touch the same elements ---- */

static struct section small_section(const struct model *model, int64_t most)
{
    struct section section = random_section(model);

    for (int j = 0; j < model->ndim; j++)
        if (section.hi[j] - section.lo[j] >= most)
            section.hi[j] = section.lo[j] + below(most);
    return section;
}

/* Two disk resident arrays and two global arrays, which are distributed in different ways: one request moves an element
 * by this rank, and the next one by that. One rank after the other is slow. Sections have at most this many indices on
 * an axis. */
static void keep_order(const int64_t dims[], const int64_t hint[], int64_t most)
{
    enum { OF_EACH = 2, TIMES = 12, ROUNDS = 10 };
    static const char *const files[OF_EACH] = { "ordered-0", "ordered-1" };
    struct model disk[OF_EACH], global[OF_EACH];
    int d_a[OF_EACH], g_a[OF_EACH], requests[TIMES];

    for (int i = 0; i < OF_EACH; i++) {
        disk[i] = make_model(C_LONG, 2, dims);
        global[i] = make_model(C_LONG, 2, dims);
        succeed(create_disk(&disk[i], files[i], DRA_RW, hint, &d_a[i]));
        g_a[i] = make_uneven(&global[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        be_slow(me == round % ranks ? 3000 : 0, 0);
        for (int i = 0; i < OF_EACH; i++) {
            fill_model(&global[i], (uint64_t)(2 * round + i));
            put_global(g_a[i], &global[i]);
        }
        for (int k = 0; k < TIMES; k++) {
            const int d = (int)below(OF_EACH), g = (int)below(OF_EACH);
            const struct section on_disk = small_section(&disk[d], most);
            const struct section in_memory = section_like(&global[g], &on_disk, false);
            const bool writing = below(3) > 0;

            requests[k] = begin_move(writing, false, g_a[g], &in_memory, d_a[d], &on_disk);
            if (writing)
                copy_section(&disk[d], &on_disk, &global[g], &in_memory, false);
            else
                copy_section(&global[g], &in_memory, &disk[d], &on_disk, false);
        }
        for (int k = 0; k < TIMES; k++)
            succeed(DRA_Wait(requests[(k * 5 + round) % TIMES]));
        for (int i = 0; i < OF_EACH; i++) {
            (void)check_global(g_a[i], &global[i], "requests in order");
            check_disk(d_a[i], &disk[i], 0, "requests in order");
        }
    }
    be_slow(0, 0);
    for (int i = 0; i < OF_EACH; i++) {
        GA_Destroy(g_a[i]);
        succeed(DRA_Delete(d_a[i]));
    }
    release_all();
}

void ordered(void)
{
    succeed(DRA_Init(-1, -1, -1, -1));
    keep_order((const int64_t[]){ 400, 500 }, (const int64_t[]){ 100, 125 }, 500);
    keep_order((const int64_t[]){ 90, 60 }, (const int64_t[]){ 45, 50 }, 9); /* several in a chunk: narrow writes */
    succeed(DRA_Terminate());
}
