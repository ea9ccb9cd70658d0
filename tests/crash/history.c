#include "history.h"
#include "base/hooks.h"

#include <search.h>
#include <unistd.h>

#include "cut.h"
#include "drx_tools.h"

static const char *const folders[] = { "s0", "s1", "s2" };

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

static void forget(struct history *h)
{
    tdestroy(h->known, free);
    h->known = NULL;
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static bool is_new(struct history *h, uint64_t hash)
{
    uint64_t *own = malloc(sizeof *own), *const * found;

    assert_non_null(own);
    *own = hash;
    found = tsearch(own, &h->known, compare_hashes);
    assert_non_null(found);
    if (*found == own)
        return true;
    free(own);
    return false;
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
    if (is_new(h, hash)) {
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

static void begin(struct history *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void begin(struct history *h, const char *format, ...)
{
    char id[33];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(h->what, sizeof h->what, format, args);
    va_end(args);
    h->step++;
    (void)snprintf(id, sizeof id, "%032d", h->step);
    (void)setenv("DRX_CREATION_ID", id, 1); /* the same whenever this is repeated */
    forget(h);
}

/* Nothing is called when only the truth is told. */
#define CALL(h, call) ((h)->mode == TOLD ? DRX_OK : (call))

/* The call has been made: cut between its changes. */
static void called(struct history *h, drx_status st)
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

/* What it promises holds now: cut after it. */
static void done(struct history *h)
{
    const bool changed = h->mode == CUT && h->seen < disk_changes(h->disk);

    if (h->mode == LIVE && write(h->acks, "", 1) != 1)
        _exit(1);
    if (changed)
        see(h);
    forget(h);
    if (changed)
        cut_here(h, true);
}

/* The same of a step that changed h->truth. */
static void done_to_array(struct history *h, drx_status st, enum handed handed)
{
    called(h, st);
    truth_done(h->truth, handed);
    done(h);
}

static int64_t next_value(const struct history *h, const struct cell *cell)
{
    return (int64_t)h->step * 100000 + (cell - h->truth->cell) + 1;
}

/* Give each element of the box its own value in this step: in the truth, and in h->buf. */
static void compose(struct history *h, const int64_t lo[], const int64_t count[])
{
    struct truth *t = h->truth;
    int64_t in_box[TRUTH_NDIM] = { 0 }, index[TRUTH_NDIM];
    const int64_t n = truth_elements(t->ndim, count);

    free(h->buf);
    h->buf = malloc((size_t)n * sizeof(int64_t) + 1);
    assert_non_null(h->buf);
    for (int64_t i = 0; i < n; i++) {
        struct cell *cell;
        int64_t value;

        for (int j = 0; j < t->ndim; j++)
            index[j] = lo[j] + in_box[j];
        cell = truth_cell(t, index);
        value = next_value(h, cell);
        truth_write(cell, value);
        if (t->type == DRX_INT32)
            ((int32_t *)h->buf)[i] = (int32_t)value;
        else
            ((int64_t *)h->buf)[i] = value;
        (void)next_index(t->ndim, count, in_box);
    }
}

void do_write(struct history *h, const int64_t lo[], const int64_t count[])
{
    begin(h, "write %lld,%lld + %lld,%lld", (long long)lo[0], (long long)lo[1], (long long)count[0],
          (long long)count[1]);
    compose(h, lo, count);
    done_to_array(h, CALL(h, drx_write(h->a, lo, count, DRX_ROW_MAJOR, h->buf)), WRITTEN);
}

void do_put(struct history *h, const int64_t index[])
{
    const int64_t count[TRUTH_NDIM] = { 1, 1, 1 };

    begin(h, "put %lld,%lld", (long long)index[0], (long long)index[1]);
    compose(h, index, count);
    done_to_array(h, CALL(h, drx_put(h->a, index, h->buf)), PUT);
}

/* The truth grows at one end of an axis. The slab is the box of `count` from `lo` on. */
static void grow_truth(struct truth *t, int axis, int64_t by, bool before, int64_t lo[], int64_t count[])
{
    memcpy(lo, t->lower, sizeof t->lower);
    memcpy(count, t->shape, sizeof t->shape);
    if (before)
        lo[axis] = t->lower[axis] -= by;
    else
        lo[axis] += t->shape[axis];
    count[axis] = by;
    t->shape[axis] += by;
    truth_commit(t);
    truth_uncover(t, lo, count);
}

static void extend(struct history *h, int axis, int64_t by, bool before)
{
    int64_t lo[TRUTH_NDIM], count[TRUTH_NDIM];

    begin(h, "extend axis %d by %lld%s", axis, (long long)by, before ? " before" : "");
    grow_truth(h->truth, axis, by, before, lo, count);
    done_to_array(h, CALL(h, before ? drx_extend_before(h->a, axis, by) : drx_extend(h->a, axis, by)), ALL);
}

void do_extend(struct history *h, int axis, int64_t by)
{
    extend(h, axis, by, false);
}

void do_extend_before(struct history *h, int axis, int64_t by)
{
    extend(h, axis, by, true);
}

/* A slab in C order, given one index of the axis at a time. */
struct pieces {
    const char *slab;
    char *piece;
    int64_t rows, row_bytes; /* a row: what is contiguous of one index */
    int64_t by;
};

static drx_status give_piece(void *with, int64_t done, int64_t *n, const void **buf)
{
    const struct pieces *p = with;

    if (done == p->by)
        return DRX_OK;
    for (int64_t i = 0; i < p->rows; i++)
        memcpy(p->piece + i * p->row_bytes, p->slab + (i * p->by + done) * p->row_bytes, (size_t)p->row_bytes);
    *n = 1;
    *buf = p->piece;
    return DRX_OK;
}

static drx_status append_pieces(struct history *h, int axis, int64_t by, bool before)
{
    const struct truth *t = h->truth;
    struct pieces p = { .slab = h->buf, .rows = 1, .row_bytes = t->type == DRX_INT32 ? 4 : 8, .by = by };
    drx_status st;

    for (int j = 0; j < t->ndim; j++)
        if (j < axis)
            p.rows *= t->shape[j];
        else if (j > axis)
            p.row_bytes *= t->shape[j];
    p.piece = malloc((size_t)(p.rows * p.row_bytes) + 1);
    assert_non_null(p.piece);
    st = before ? drx_prepend_pieces(h->a, axis, by, DRX_ROW_MAJOR, give_piece, &p)
                : drx_append_pieces(h->a, axis, by, DRX_ROW_MAJOR, give_piece, &p);
    free(p.piece);
    return st;
}

static drx_status append_whole(struct history *h, int axis, int64_t by, bool before)
{
    return before ? drx_prepend(h->a, axis, by, DRX_ROW_MAJOR, h->buf)
                  : drx_append(h->a, axis, by, DRX_ROW_MAJOR, h->buf);
}

static void append(struct history *h, int axis, int64_t by, bool before, bool in_pieces)
{
    int64_t lo[TRUTH_NDIM], count[TRUTH_NDIM];

    begin(h, "%s axis %d by %lld%s", before ? "prepend" : "append", axis, (long long)by, in_pieces ? " in pieces" : "");
    grow_truth(h->truth, axis, by, before, lo, count);
    compose(h, lo, count);
    done_to_array(h, CALL(h, in_pieces ? append_pieces(h, axis, by, before) : append_whole(h, axis, by, before)), ALL);
}

void do_append(struct history *h, int axis, int64_t by, bool in_pieces)
{
    append(h, axis, by, false, in_pieces);
}

void do_prepend(struct history *h, int axis, int64_t by, bool in_pieces)
{
    append(h, axis, by, true, in_pieces);
}

void do_trim(struct history *h, int axis, int64_t before, int64_t after)
{
    begin(h, "trim axis %d by %lld and %lld", axis, (long long)before, (long long)after);
    h->truth->lower[axis] += before;
    h->truth->shape[axis] -= before + after;
    truth_commit(h->truth);
    done_to_array(h, CALL(h, drx_trim(h->a, axis, before, after)), ALL);
}

void do_add_axis(struct history *h, const char *name)
{
    const int at = h->truth->ndim;

    begin(h, "add axis %s", name);
    truth_add_axis(h->truth, name);
    truth_commit(h->truth);
    done_to_array(h, CALL(h, drx_add_axis(h->a, at, name)), ALL);
}

void do_attr(struct history *h, const char *name, const char *value)
{
    begin(h, "attribute %s = %.40s", name, value ? value : "none");
    truth_set_attr(h->truth, name, value);
    truth_commit(h->truth);
    done_to_array(h, CALL(h, value ? drx_attr_set_text(h->a, name, value) : drx_attr_delete(h->a, name)), PUT);
}

void do_dim(struct history *h, int axis, const char *name)
{
    begin(h, "axis %d is %s", axis, name);
    truth_set_dim(h->truth, axis, name);
    truth_commit(h->truth);
    done_to_array(h, CALL(h, drx_dim_rename(h->a, axis, name)), PUT);
}

/* Others that may be there are not there any more. */
static void alone(struct history *h, const struct truth *t, const char *place)
{
    for (int i = h->world.truths - 1; i >= 0; i--) {
        struct truth *other = h->world.truth[i];
        bool somewhere = false;

        if (other == t)
            continue;
        truth_leave(other, place);
        for (int k = 0; k < TRUTH_MOST_PLACES; k++)
            somewhere = somewhere || other->at[k];
        if (!somewhere)
            world_drop(&h->world, other);
    }
}

/* A writer that is there may leave. */
static void endanger(struct history *h, const char *place)
{
    for (int i = 0; i < h->world.truths; i++)
        if (truth_is_at(h->world.truth[i], place))
            h->world.truth[i]->must = h->world.truth[i]->there = false;
}

/* A call that makes all durable. */
static void done_durably(struct history *h, drx_status st)
{
    called(h, st);
    truth_done(h->truth, ALL);
    truth_sync(h->truth);
    for (int k = 0; k < TRUTH_MOST_PLACES; k++)
        if (h->truth->at[k])
            alone(h, h->truth, h->truth->at[k]);
    done(h);
}

void do_sync(struct history *h)
{
    begin(h, "sync");
    done_durably(h, CALL(h, drx_sync(h->a)));
}

void do_compact(struct history *h)
{
    begin(h, "compact");
    done_durably(h, CALL(h, drx_compact(h->a)));
}

static drx_status create(const struct history *h, const char *place, bool replace, drx_array **out)
{
    const struct make *m = &h->make;
    const int32_t fill32 = (int32_t)m->fill;
    const drx_spec spec = { .ndim = m->ndim,
                            .type = m->type,
                            .shape = m->shape,
                            .chunk = m->chunk,
                            .fill = m->type == DRX_INT32 ? (const void *)&fill32 : &m->fill,
                            .dims = m->dims,
                            .chunk_order = m->order,
                            .align = m->align,
                            .nstripes = m->stripes,
                            .stripes = m->stripes ? folders : NULL,
                            .codec = m->codec,
                            .flags = m->flags | (replace ? DRX_REPLACE : 0) };

    return drx_create(place, &spec, out);
}

/* What is being made is complete when it gets its name. */
static void appear_whole(struct history *h)
{
    truth_done(h->truth, ALL);
    h->truth->there = false;
    world_add(&h->world, h->truth);
    if (h->mode == TOLD)
        h->a = (drx_array *)h;
}

void do_create(struct history *h, const char *place, bool replace)
{
    const struct make *m = &h->make;
    const bool replaced = world_at(&h->world, place) != NULL;

    begin(h, "%s %s", replace ? "replace" : "create", place);
    endanger(h, place);
    h->truth = truth_new(place, m->ndim, m->type, m->shape, m->limit, m->fill);
    truth_commit(h->truth);
    for (int j = 0; j < m->ndim; j++)
        if (m->dims[j]) {
            truth_set_dim(h->truth, j, m->dims[j]);
            truth_commit(h->truth);
        }
    h->truth->sound = replaced;
    appear_whole(h);
    done_to_array(h, CALL(h, create(h, place, replace, &h->a)), ALL);
}

void do_open(struct history *h, const char *place)
{
    begin(h, "open %s", place);
    h->truth = world_at(&h->world, place);
    if (h->mode == TOLD)
        h->a = (drx_array *)h; /* something is open */
    done_to_array(h, CALL(h, drx_open(place, DRX_RDWR, &h->a)), ALL);
}

void do_share(struct history *h, const char *place)
{
    begin(h, "share %s", place);
    h->truth = world_at(&h->world, place);
    if (h->mode == TOLD)
        h->a = h->other = (drx_array *)h;
    done_to_array(h, CALL(h, drx_open(place, DRX_SHARED, &h->a)), ALL);
    begin(h, "share %s with another", place);
    done_to_array(h, CALL(h, drx_open(place, DRX_SHARED, &h->other)), ALL);
}

void do_turn(struct history *h)
{
    static const int64_t one[TRUTH_NDIM] = { 1, 1, 1 };
    drx_array *a = h->other;

    begin(h, "what was put reaches the file");
    done_to_array(h, CALL(h, drx_read(h->a, drx_lower(h->a), one, DRX_ROW_MAJOR, h->buf)), ALL);
    h->other = h->a;
    h->a = a;
    begin(h, "turn");
    done_to_array(h, CALL(h, drx_refresh(h->a)), ALL);
}

void do_close(struct history *h)
{
    begin(h, "close");
    done_to_array(h, CALL(h, drx_close(h->a)), ALL);
    if (h->other) {
        begin(h, "close the other one");
        done_to_array(h, CALL(h, drx_close(h->other)), ALL);
    }
    h->a = h->other = NULL;
    h->truth = NULL;
}

void do_rename(struct history *h, const char *from, const char *to, bool replace)
{
    struct truth *t = world_at(&h->world, from);
    const bool replaced = replace && world_at(&h->world, to);

    begin(h, "rename %s to %s", from, to);
    endanger(h, to);
    truth_enter(t, to);
    called(h, CALL(h, drx_rename(from, to, replace ? DRX_REPLACE : 0)));
    truth_leave(t, from);
    if (replaced) { /* what takes its place is on disk */
        const bool synced = t->synced;

        truth_sync(t);
        t->synced = synced;
    }
    alone(h, t, to);
    done(h);
}

void do_remove(struct history *h, const char *place)
{
    begin(h, "remove %s", place);
    endanger(h, place);
    for (int i = 0; i < h->world.truths; i++) /* its stripes may go first, where each folder has a disk of its own */
        if (truth_is_at(h->world.truth[i], place) && h->make.stripes)
            h->world.truth[i]->sound = false;
    called(h, CALL(h, drx_remove(place)));
    alone(h, NULL, place);
    done(h);
}

void do_duplicate(struct history *h, const char *from, const char *to, unsigned flags)
{
    struct truth *source = world_at(&h->world, from);
    const bool replaced = world_at(&h->world, to) != NULL;
    struct truth *copy;

    begin(h, "duplicate %s to %s, flags %u", from, to, flags);
    endanger(h, to);
    copy = truth_clone(source, to);
    world_add(&h->world, copy);
    if (flags & DRX_MOVE)
        source->must = source->there = false;
    copy->sound = replaced || !h->make.stripes;
    called(h, CALL(h, drx_duplicate(from, to, flags, NULL, NULL)));
    copy->must = copy->there = true;
    alone(h, copy, to);
    if (flags & DRX_MOVE)
        alone(h, NULL, from);
    done(h);
}

void do_copy(struct history *h, const char *to, const drx_copy_spec *spec)
{
    const struct truth *source = h->truth;
    drx_array *from = h->a;
    drx_copy_spec with = *spec;

    begin(h, "copy to %s", to);
    with.flags |= h->make.flags;
    with.codec = h->make.codec;
    endanger(h, to);
    h->truth = truth_new(to, source->ndim, source->type, source->shape, source->limit, source->fill);
    memcpy(h->truth->lower, source->lower, sizeof source->lower);
    truth_commit(h->truth);
    for (int j = 0; j < source->ndim; j++)
        if (source->dim[j]) {
            truth_set_dim(h->truth, j, source->dim[j]);
            truth_commit(h->truth);
        }
    for (int i = 0; i < source->attrs; i++) {
        truth_set_attr(h->truth, source->attr[i].name, source->attr[i].value);
        truth_commit(h->truth);
    }
    for (int64_t i = 0, n = truth_cells(source); i < n; i++)
        if (source->cell[i].now != source->fill)
            truth_write(&h->truth->cell[i], source->cell[i].now);
    appear_whole(h);
    done_to_array(h, CALL(h, drx_copy(from, to, &with, &h->a)), ALL);
    assert_ok(CALL(h, drx_close(from)));
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

void do_crash(struct history *h)
{
    struct choice choice;
    struct image im;

    begin(h, "crash");
    cut_choose(h->cut, 0, seed_of_cut(h), cut_listed(h->cut, 0), &choice);
    cut_build(h->cut, &choice, &im);
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
    called(h, DRX_OK);
    done(h);
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
    forget(h);
    free(h->buf);
    world_free(&h->world);
}
