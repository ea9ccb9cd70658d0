/* Writes and reads random sections of random arrays, 2-D to 7-D, of all types, distributions and hints, transposed
 * or not. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "dra_model.h"

static char file[] = "sections";

/* About as many elements, whatever ndim is; some axes short, some long. */
static void random_dims(int ndim, int64_t dims[])
{
    static const int64_t most[MOST_DIMS + 1] = { 0, 0, 90, 22, 11, 7, 5, 4 };

    for (int j = 0; j < ndim; j++)
        dims[j] = 1 + below(most[ndim]);
}

/* Nothing, everything, or some of the axes. */
static void random_hint(const struct model *disk, int64_t hint[])
{
    const int64_t kind = below(3);

    for (int j = 0; j < disk->ndim; j++)
        hint[j] = kind == 0 || (kind == 1 && below(2)) ? -1 : 1 + below(disk->dims[j]);
}

static struct model random_like(const struct model *disk)
{
    int64_t dims[MOST_DIMS];

    random_dims(disk->ndim, dims);
    for (int j = 0; j < disk->ndim; j++)
        dims[j] += below(2) ? 0 : disk->dims[j] / 2;
    return make_model(disk->type, disk->ndim, dims);
}

/* A section of each, equal in shape. */
static void random_pair(const struct model *global, const struct model *disk, bool turned, struct section *g,
                        struct section *d)
{
    *g = random_section(global);
    for (int j = 0; j < disk->ndim; j++) { /* none larger than the other array has room for */
        const int k = turned ? disk->ndim - 1 - j : j;

        if (g->hi[j] - g->lo[j] + 1 > disk->dims[k])
            g->hi[j] = g->lo[j] + disk->dims[k] - 1;
    }
    *d = section_like(disk, g, turned);
}

static void tell(const char *verb, bool turned, const struct section *g, const struct section *d, uint64_t sum)
{
    char one[SECTION_TEXT], other[SECTION_TEXT];

    say("%s%s global %s disk %s: %016" PRIx64, verb, turned ? " turned" : "", section_text(g, one),
        section_text(d, other), sum);
}

static void move(struct model *global, int g_a, struct model *disk, int d_a, bool writing)
{
    const bool turned = below(2);
    struct section g, d;
    uint64_t sum;

    random_pair(global, disk, turned, &g, &d);
    if (writing) {
        fill_model(global, (uint64_t)below(1000));
        put_global(g_a, global);
    }
    succeed(DRA_Wait(begin_move(writing, turned, g_a, &g, d_a, &d)));
    if (writing)
        copy_section(disk, &d, global, &g, turned);
    else
        copy_section(global, &g, disk, &d, turned);
    sum = check_global(g_a, global, writing ? "written from" : "read");
    tell(writing ? "write" : "read", turned, &g, &d, sum);
}

static void one_round(int ndim, int type)
{
    int64_t dims[MOST_DIMS], hint[MOST_DIMS];
    struct model disk, global;
    int d_a, g_a;

    random_dims(ndim, dims);
    disk = make_model(type, ndim, dims);
    global = random_like(&disk);
    random_hint(&disk, hint);
    say("round: %d-D, %s", ndim, type_name(type));
    succeed(create_disk(&disk, file, DRA_RW, hint, &d_a));
    fill_model(&disk, (uint64_t)below(1000));
    succeed(write_disk(d_a, &disk, (int)below(WAYS)));
    g_a = make_global(&global, (int)below(WAYS));
    fill_model(&global, (uint64_t)below(1000));
    put_global(g_a, &global);
    for (int i = 0; i < 6; i++)
        move(&global, g_a, &disk, d_a, i % 2 == 0);
    succeed(DRA_Close(d_a));
    succeed(DRA_Open(file, DRA_R, &d_a));
    check_disk(d_a, &disk, (int)below(WAYS), "the whole");
    succeed(DRA_Delete(d_a));
}

void sections(void)
{
    enum { ROUNDS = 60 };

    succeed(DRA_Init(5, 1e8, 1e9, 1e6));
    for (int i = 0; i < ROUNDS; i++) {
        one_round(2 + i % (MOST_DIMS - 1), all_types[(i + i / TYPES) % TYPES]);
        release_all(); /* Global Arrays is slow when it has many */
    }
    succeed(DRA_Terminate());
}
