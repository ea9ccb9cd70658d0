/* Random histories of arrays on disk and of global arrays, against models. With the drop-in, requests act in the order
 * of their calls, as if each were over when its call returns: requests that touch the same elements, sections of other
 * shapes, copies, growth, arrays that are closed, deleted and replaced meanwhile. Otherwise a request is over before
 * its arrays are used again. The last arrays of each history stay for test_files.py, since they are the same on any
 * number of ranks. */
#include "dra_testing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 3, MOST_REQUESTS = 64, MOST_OF_THEIRS = 5 };

static struct array {
    struct model disk, global;
    int d_a, g_a;
    char file[32];
} arrays[ARRAYS];

/* Requests under way: of an array on disk, and of a global one or, of a copy, of another one on disk. */
static struct pending {
    int request;
    const struct model *models[2];
} pending[MOST_REQUESTS];
static int npending;

static const struct ability *can;
static int most_pending;
static bool large; /* chunks of up to 1 MiB, of which many processes have a part */

static void choose_dims(int ndim, int64_t dims[])
{
    random_dims(ndim, dims);
    if (large && below(2)) {
        dims[0] = 1 + below(30);
        dims[ndim - 1] = 1 + below(30000);
    } else if (large) {
        dims[0] = 1 + below(1000);
        dims[ndim - 1] = 1 + below(500);
    }
}

static enum way any_way(void)
{
    return (enum way)below(can ? WAYS : SAME_WAYS);
}

/* Wait for what moves elements of this model, or for all. */
static void settle(const struct model *model)
{
    for (int i = npending - 1; i >= 0; i--) {
        const struct pending p = pending[i];

        if (model && p.models[0] != model && p.models[1] != model)
            continue;
        for (int64_t probes = below(3), state = 0; probes > 0 && state != ELIO_DONE; probes--) {
            int found;

            succeed(call_probe(p.request, &found));
            state = found;
        }
        finished(p.request);
        pending[i] = pending[--npending];
    }
}

/* Before a call that uses it: the drop-in keeps the order by itself. */
static void before(const struct model *model)
{
    if (!can)
        settle(model);
}

static void begin(int request, const struct model *one, const struct model *other)
{
    for (int i = 0; i < npending; i++)
        if (pending[i].request == request)
            wrong("two requests are both %d", request);
    pending[npending++] = (struct pending){ request, { one, other } };
}

static void renew_global(struct array *a)
{
    settle(&a->global);
    fill_model(&a->global, (uint64_t)below(1000));
    put_global(a->g_a, &a->global);
}

/* New ones are zero, those of the other library are not. */
static void create(struct array *a, const int64_t dims[])
{
    const int ndim = arrays[0].global.ndim;
    int64_t hint[MOST_DIMS];

    a->disk = make_model(arrays[0].global.type, ndim, dims);
    random_hint(&a->disk, hint);
    succeed(create_disk(&a->disk, a->file, DRA_RW, hint, &a->d_a));
    if (can && below(2))
        check_disk(a->d_a, &a->disk, any_way(), "a new array");
    if (can && below(2))
        return;
    fill_model(&a->disk, (uint64_t)below(1000));
    succeed(write_disk(a->d_a, &a->disk, any_way()));
}

static void remove_disk(struct array *a)
{
    before(&a->disk);
    succeed(call_end(below(2), a->d_a)); /* what is closed is replaced */
}

/* Twice as long on one axis and half as long on another, if it still fits. */
static void reshape(struct section *s, const struct model *model)
{
    const int j = (int)below(s->ndim), k = (int)below(s->ndim);
    const int64_t n = s->hi[j] - s->lo[j] + 1, m = s->hi[k] - s->lo[k] + 1;

    if (j == k || n % 2 || 2 * m > model->dims[k])
        return;
    s->hi[j] = s->lo[j] + n / 2 - 1;
    s->hi[k] = s->lo[k] + 2 * m - 1;
}

static void move(struct array *d, struct array *g)
{
    const bool writing = below(2), turned = below(2);
    const int ndim = d->disk.ndim;
    struct section global = random_section(&g->global), disk = { .ndim = ndim };
    int request;

    for (int j = 0; j < ndim; j++) { /* none larger than the other array has room for */
        const int k = turned ? ndim - 1 - j : j;

        if (global.hi[j] - global.lo[j] >= d->disk.dims[k])
            global.hi[j] = global.lo[j] + d->disk.dims[k] - 1;
        disk.hi[k] = global.hi[j] - global.lo[j];
    }
    if (can && below(4) == 0)
        reshape(&disk, &d->disk);
    disk = section_like(&d->disk, &disk, false);
    before(&d->disk);
    before(&g->global);
    request = begin_move(writing, turned, g->g_a, &global, d->d_a, &disk);
    if (writing)
        copy_section(&d->disk, &disk, &g->global, &global, turned);
    else
        copy_section(&g->global, &global, &d->disk, &disk, turned);
    begin(request, &d->disk, &g->global);
}

static void open_again(struct array *a)
{
    before(&a->disk);
    succeed(call_end(false, a->d_a));
    succeed(call_open(a->file, DRA_RW, &a->d_a));
}

static void extend(struct array *a)
{
    const int axis = (int)below(a->disk.ndim);
    const int64_t by = below(4);

    succeed(can->extend(a->d_a, a->disk.ndim, axis, by));
    a->disk = grown(&a->disk, axis, by, false);
}

/* The target is a new array, whose axis j is axis perm[j] of the source. */
static void copy(struct array *source, struct array *target)
{
    const int ndim = source->disk.ndim;
    int64_t dims[MOST_DIMS], at[MOST_DIMS] = { 0 }, from[MOST_DIMS];
    int perm[MOST_DIMS] = { 0 }, request;
    struct section whole;

    if (source == target)
        return;
    for (int j = 0; j < ndim; j++) {
        const int k = (int)below(j + 1);

        perm[j] = perm[k];
        perm[k] = j;
    }
    for (int j = 0; j < ndim; j++)
        dims[j] = source->disk.dims[perm[j]];
    remove_disk(target);
    create(target, dims);
    succeed(can->copy(source->d_a, target->d_a, ndim, perm, &request));
    whole = whole_section(&target->disk);
    do {
        for (int j = 0; j < ndim; j++)
            from[perm[j]] = at[j];
        memcpy(element(&target->disk, at), element(&source->disk, from), target->disk.element_bytes);
    } while (step(&whole, at, false));
    begin(request, &target->disk, &source->disk);
}

static void check(struct array *a)
{
    settle(&a->global);
    before(&a->disk);
    say("global: %016" PRIx64, check_global(a->g_a, &a->global, "a global array"));
    check_disk(a->d_a, &a->disk, any_way(), "an array on disk");
}

static void one_step(void)
{
    struct array *a = &arrays[below(ARRAYS)], *other = &arrays[below(ARRAYS)];
    int64_t dims[MOST_DIMS];

    if (npending >= most_pending)
        settle(NULL);
    switch (below(can ? 16 : 12)) {
    default:
        move(a, other);
        break;
    case 0:
        settle(below(2) ? &a->disk : &a->global);
        break;
    case 1:
        renew_global(a);
        break;
    case 2:
        check(a);
        break;
    case 3:
        open_again(a);
        break;
    case 4:
        remove_disk(a);
        choose_dims(a->disk.ndim, dims);
        create(a, dims);
        break;
    case 12:
        extend(a);
        break;
    case 13:
        copy(a, other);
        break;
    }
}

/* All are kept: closed, or left to DRA_Terminate with what is under way. */
static void end(void)
{
    if (!can || below(2))
        for (int i = 0; i < ARRAYS; i++) {
            before(&arrays[i].disk);
            succeed(call_end(false, arrays[i].d_a));
        }
    if (!can || below(2))
        settle(NULL);
    npending = 0;
    succeed(DRA_Terminate());
    succeed(DRA_Init(ARRAYS, -1, -1, can && below(2) ? 1 : 1e6)); /* the least memory, or some */
    for (int i = 0; i < ARRAYS; i++) {
        struct array *a = &arrays[i];

        succeed(call_open(a->file, DRA_R, &a->d_a));
        check_disk(a->d_a, &a->disk, any_way(), "kept");
        say("its global: %016" PRIx64, check_global(a->g_a, &a->global, "at the end"));
        succeed(call_end(!can, a->d_a));
    }
}

static void one_history(int number, int ndim, int type)
{
    int64_t dims[MOST_DIMS];

    through_fortran = below(2);
    say("history: %d-D, %s, through %s", ndim, type_name(type), through_fortran ? "Fortran" : "C");
    most_pending = !can ? MOST_OF_THEIRS : below(3) ? MOST_REQUESTS : 1 + (int)below(8);
    if (can)
        can->be_slow(below(2) && other_below(team.ranks) == team.rank ? 1000 : 0, (int)below(3));
    for (int i = 0; i < ARRAYS; i++) {
        choose_dims(ndim, dims);
        arrays[i].global = make_model(type, ndim, dims);
        arrays[i].g_a = make_global(&arrays[i].global, any_way());
        (void)snprintf(arrays[i].file, sizeof arrays[i].file, "array-%d-%d", number, i);
        renew_global(&arrays[i]);
        choose_dims(ndim, dims);
        create(&arrays[i], dims);
    }
    for (int i = can && !large ? 60 : 30; i > 0; i--)
        one_step();
    end();
    release_all(); /* Global Arrays is slow when it has many */
}

void play_histories(const struct ability *given)
{
    const int n = rounds(40);

    can = given;
    succeed(DRA_Init(ARRAYS, 1e8, 1e9, 1e6));
    for (int i = 0; i < n; i++) {
        large = can && i % 4 == 0;
        if (can && i == n / 2)
            (void)setenv("DRX_DRA_SOON", "0", 1); /* from the next DRA_Init on helpers write what is small, too */
        one_history(i, large ? 2 : 2 + i % (MOST_DISK_DIMS - 1), all_types[(i + i / DISK_TYPES) % DISK_TYPES]);
    }
    succeed(DRA_Terminate());
    if (can)
        can->be_slow(0, 0);
}
