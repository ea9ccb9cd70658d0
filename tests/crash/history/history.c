/* Histories: a step is begun and done, and the power is cut between. */
#include "history.h"

#include <unistd.h>

#include "base/hooks.h"
#include "cut.h"
#include "history_step.h"
#include "seen.h"

void history_start(struct history *h, const char *name, uint64_t seed, const char *const places[], int n)
{
    h->name = name;
    h->seed = h->random = seed;
    h->boot = drxi_hooks.other_boot = 1;
    drxi_hooks.many_chunks = (seed + strlen(name)) % 2 ? 0 : 1 << 16; /* two ways of recovery */
    h->disk = disk_new(NULL);
    h->cut = malloc(sizeof *h->cut);
    assert_non_null(h->cut);
    cut_start(h->cut, disk_image(h->disk));
    for (h->world.places = 0; h->world.places < n; h->world.places++)
        h->world.place[h->world.places] = places[h->world.places];
    for (int j = 0; j < h->make.ndim; j++)
        h->world.chunk = drxi_max(h->world.chunk, h->make.chunk[j]);
    if (h->mode == CUT || h->mode == PLAIN)
        (void)disk_use(h->disk);
}

static void tell_pending(const struct cut *c, const struct choice *choice)
{
    static const char *const kinds[] = { "write", "resize", "sync", "link", "rename", "remove", "sync folder" };

    for (int i = 0; i < c->n; i++) {
        const struct change *p = c->pending[i].change;

        print_error("  %s %s", choice->bytes[i] ? "+" : "-", kinds[p->kind]);
        if (cut_is_name(p))
            print_error(" %s %s\n", p->name, p->other ? p->other : "");
        else
            print_error(" file %d: %lld bytes at %lld%s; length %lld -> %lld %s\n", p->file, (long long)p->n,
                        (long long)p->offset, choice->torn == i ? ", torn" : "", (long long)c->pending[i].before,
                        (long long)c->pending[i].after, choice->length[i] ? "+" : "-");
    }
}

static void fail_at(struct history *h, int i, const struct choice *choice, const char *why)
{
    print_error("%s: step %d (%s), after change %d, choice %d: %s\n", h->name, h->step, h->what, h->seen, i, why);
    print_error("what was not durable, and whether it survived (%s, names %s, lost %d):\n",
                choice->by_sectors ? "by sectors" : "whole writes", choice->ordered ? "in order" : "each alone",
                choice->lost);
    tell_pending(h->cut, choice);
    print_error("once more: DRX_CRASH=%s DRX_SEED=%llu DRX_CRASH_AT=%d,%d\n", h->name, (unsigned long long)h->seed,
                h->seen, i);
    fail();
}

static uint64_t seed_of_cut(const struct history *h)
{
    uint64_t random = h->seed + (uint64_t)h->seen;

    return random_next(&random);
}

static void cut_once(struct history *h, int i, bool between)
{
    const uint64_t seed = seed_of_cut(h);
    struct crash crash = { .demand = i != CUT_ALL ? POWER_CUT
                                     : between    ? DIED_BETWEEN
                                                  : DIED,
                           .boot = h->boot + (i != CUT_ALL) };
    struct choice choice;
    struct image im;
    char why[1000];
    uint64_t hash;

    cut_choose(h->cut, h->few, seed, i, &choice);
    cut_build(h->cut, &choice, &im);
    crash.ordered = choice.ordered;
    hash = image_hash(&im) * 31 + (uint64_t)crash.demand * 2 + crash.ordered;
    if (h->nested > 0 && (hash >> 20) % (uint64_t)h->nested == 0)
        crash.seed = seed | 1;
    h->tally.states++;
    if (seen_add(&h->known, hash)) {
        h->tally.different++;
        if (!world_check(&h->world, &im, crash, &h->tally, why, sizeof why))
            fail_at(h, i, &choice, why);
    }
    image_free(&im);
}

/* Cut the power after the changes that have been seen. `between`: when a step is done. */
static void cut_here(struct history *h, bool between)
{
    const int listed = cut_listed(h->cut, h->few);
    const int n = listed > 1 ? listed + h->samples : listed;

    if (h->only_change >= 0 && h->only_change != h->seen)
        return;
    for (int i = 0; i < n; i++)
        if (h->only_choice < 0 || h->only_choice == i)
            cut_once(h, i, between);
    if (listed == 1 && (h->only_choice < 0 || h->only_choice == CUT_ALL))
        cut_once(h, CUT_ALL, between);
}

static void see(struct history *h)
{
    cut_add(h->cut, disk_change(h->disk, h->seen++));
}

void step_begin(struct history *h, const char *format, ...)
{
    char id[33];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(h->what, sizeof h->what, format, args);
    va_end(args);
    h->step++;
    (void)snprintf(id, sizeof id, "%032d", h->step);
    (void)setenv("DRX_CREATION_ID", id, 1); /* the same whenever this is repeated */
    seen_forget(&h->known);
}

void step_called(struct history *h, drx_status st)
{
    if (st)
        print_error("%s: step %d (%s): %s\n", h->name, h->step, h->what, drx_last_error());
    if (st && h->mode == LIVE)
        _exit(1);
    assert_int_equal(st, DRX_OK);
    if (h->mode == TOLD && h->step > h->acks)
        longjmp(h->stop, 1);
    while (h->mode == CUT && h->seen + 1 < disk_changes(h->disk)) {
        see(h);
        cut_here(h, false);
    }
}

void step_done(struct history *h)
{
    const bool changed = h->mode == CUT && h->seen < disk_changes(h->disk);

    if (h->mode == LIVE && write(h->acks, "", 1) != 1)
        _exit(1);
    if (changed)
        see(h);
    seen_forget(&h->known);
    if (changed)
        cut_here(h, true);
}

void step_done_to_array(struct history *h, drx_status st, enum handed handed)
{
    step_called(h, st);
    truth_done(h->truth, handed);
    step_done(h);
}

static void restart(struct history *h, struct image *im)
{
    disk_free(h->disk);
    cut_free(h->cut);
    cut_start(h->cut, im);
    h->disk = disk_new(im);
    h->seen = 0;
    (void)disk_use(h->disk);
}

/* Of each place: what is there is the truth. */
static void look_around(struct history *h)
{
    struct world before = h->world;
    char why[1000];
    int version;

    h->world.truths = 0;
    for (int p = 0; p < before.places; p++) {
        drx_array *a;

        if (drx_open(before.place[p], DRX_RDWR, &a))
            continue;
        for (int i = 0; i < before.truths; i++)
            if (truth_is_at(before.truth[i], before.place[p]) &&
                truth_agrees(before.truth[i], a, POWER_CUT, &version, why, sizeof why)) {
                struct truth *t = truth_clone(before.truth[i], before.place[p]);

                truth_become(t, a);
                t->synced = before.truth[i]->synced;
                world_add(&h->world, t);
                break;
            }
        assert_ok(drx_close(a));
    }
    while (before.truths > 0)
        world_drop(&before, before.truth[0]);
}

static void crash(struct history *h, const struct choice *choice)
{
    struct image im;

    cut_build(h->cut, choice, &im);
    if (h->a) /* its process is gone, and nothing of it reaches the disk */
        assert_ok(drx_close(h->a));
    if (h->other)
        assert_ok(drx_close(h->other));
    h->a = h->other = NULL;
    h->truth = NULL;
    restart(h, &im);
    h->world.was_cut = true;
    drxi_hooks.other_boot = ++h->boot;
    look_around(h);
    step_called(h, DRX_OK);
    step_done(h);
}

void do_crash(struct history *h)
{
    struct choice choice;

    step_begin(h, "crash");
    cut_choose(h->cut, 0, seed_of_cut(h), cut_listed(h->cut, 0), &choice);
    crash(h, &choice);
}

void do_lose_log(struct history *h, const char *place, int writes)
{
    struct choice choice;
    char name[80];
    int log;

    step_begin(h, "crash that loses the log");
    (void)snprintf(name, sizeof name, "%s.xmd", place);
    log = image_find(disk_image(h->disk), name);
    cut_choose(h->cut, 0, seed_of_cut(h), CUT_ALL, &choice);
    for (int i = 0; i < h->cut->n; i++) {
        const struct change *c = h->cut->pending[i].change;

        if (!cut_is_name(c) && c->file == log && writes-- > 0)
            choice.bytes[i] = choice.length[i] = false;
    }
    crash(h, &choice);
}

void history_end(struct history *h)
{
    if (h->a && h->mode != TOLD)
        do_close(h);
    drxi_hooks.other_boot = 0;
    (void)disk_use(NULL);
    disk_free(h->disk);
    cut_free(h->cut);
    free(h->cut);
    seen_forget(&h->known);
    free(h->buf);
    world_free(&h->world);
}
