/* Steps that make, open, sync, move, copy and remove arrays. */
#include "history_step.h"

static const char *const folders[] = { "s0", "s1", "s2" };

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
    step_called(h, st);
    truth_done(h->truth, ALL);
    truth_sync(h->truth);
    for (int k = 0; k < TRUTH_MOST_PLACES; k++)
        if (h->truth->at[k])
            alone(h, h->truth, h->truth->at[k]);
    step_done(h);
}

void do_sync(struct history *h)
{
    step_begin(h, "sync");
    done_durably(h, CALL(h, drx_sync(h->a)));
}

void do_compact(struct history *h)
{
    step_begin(h, "compact");
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

    step_begin(h, "%s %s", replace ? "replace" : "create", place);
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
    step_done_to_array(h, CALL(h, create(h, place, replace, &h->a)), ALL);
}

void do_open(struct history *h, const char *place)
{
    step_begin(h, "open %s", place);
    h->truth = world_at(&h->world, place);
    if (h->mode == TOLD)
        h->a = (drx_array *)h; /* something is open */
    step_done_to_array(h, CALL(h, drx_open(place, DRX_RDWR, &h->a)), ALL);
}

void do_share(struct history *h, const char *place)
{
    step_begin(h, "share %s", place);
    h->truth = world_at(&h->world, place);
    if (h->mode == TOLD)
        h->a = h->other = (drx_array *)h;
    step_done_to_array(h, CALL(h, drx_open(place, DRX_SHARED, &h->a)), ALL);
    step_begin(h, "share %s with another", place);
    step_done_to_array(h, CALL(h, drx_open(place, DRX_SHARED, &h->other)), ALL);
}

void do_swap(struct history *h)
{
    static const int64_t one[TRUTH_NDIM] = { 1, 1, 1 };
    drx_array *a = h->other;

    step_begin(h, "what was put reaches the file");
    step_done_to_array(h, CALL(h, drx_read(h->a, drx_lower(h->a), one, DRX_ROW_MAJOR, h->buf)), ALL);
    h->other = h->a;
    h->a = a;
}

void do_turn(struct history *h)
{
    do_swap(h);
    step_begin(h, "turn");
    step_done_to_array(h, CALL(h, drx_refresh(h->a)), ALL);
}

void do_close(struct history *h)
{
    step_begin(h, "close");
    step_done_to_array(h, CALL(h, drx_close(h->a)), ALL);
    if (h->other) {
        step_begin(h, "close the other one");
        step_done_to_array(h, CALL(h, drx_close(h->other)), ALL);
    }
    h->a = h->other = NULL;
    h->truth = NULL;
}

void do_rename(struct history *h, const char *from, const char *to, bool replace)
{
    struct truth *t = world_at(&h->world, from);
    const bool replaced = replace && world_at(&h->world, to);

    step_begin(h, "rename %s to %s", from, to);
    endanger(h, to);
    truth_enter(t, to);
    step_called(h, CALL(h, drx_rename(from, to, replace ? DRX_REPLACE : 0)));
    truth_leave(t, from);
    if (replaced) { /* what takes its place is on disk */
        const bool synced = t->synced;

        truth_sync(t);
        t->synced = synced;
    }
    alone(h, t, to);
    step_done(h);
}

void do_remove(struct history *h, const char *place)
{
    step_begin(h, "remove %s", place);
    endanger(h, place);
    for (int i = 0; i < h->world.truths; i++) /* its stripes may go first, where each folder has a disk of its own */
        if (truth_is_at(h->world.truth[i], place) && h->make.stripes)
            h->world.truth[i]->sound = false;
    step_called(h, CALL(h, drx_remove(place)));
    alone(h, NULL, place);
    step_done(h);
}

void do_duplicate(struct history *h, const char *from, const char *to, unsigned flags)
{
    struct truth *source = world_at(&h->world, from);
    const bool replaced = world_at(&h->world, to) != NULL;
    struct truth *copy;

    step_begin(h, "duplicate %s to %s, flags %u", from, to, flags);
    endanger(h, to);
    copy = truth_clone(source, to);
    world_add(&h->world, copy);
    if (flags & DRX_MOVE)
        source->must = source->there = false;
    copy->sound = replaced || !h->make.stripes;
    step_called(h, CALL(h, drx_duplicate(from, to, flags, NULL, NULL)));
    copy->must = copy->there = true;
    alone(h, copy, to);
    if (flags & DRX_MOVE)
        alone(h, NULL, from);
    step_done(h);
}

void do_copy(struct history *h, const char *to, const drx_copy_spec *spec)
{
    const struct truth *source = h->truth;
    drx_array *from = h->a;
    drx_copy_spec with = *spec;

    step_begin(h, "copy to %s", to);
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
    step_done_to_array(h, CALL(h, drx_copy(from, to, &with, &h->a)), ALL);
    assert_ok(CALL(h, drx_close(from)));
}
