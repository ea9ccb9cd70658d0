#include "store_digest.h"

enum { MOST_STEPS_OF_MAPS = 1 << 20, MOST_SHELLS = 1 << 10 };

/* ---- a digest: 64-bit FNV-1a, a word at a time ---- */

static void add(uint64_t *digest, uint64_t word)
{
    *digest = (*digest ^ word) * UINT64_C(0x100000001b3);
    *digest ^= *digest >> 29;
}

static void add_bytes(uint64_t *digest, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;

    add(digest, n);
    for (size_t i = 0; i < n; i++)
        add(digest, p[i]);
}

static void add_text(uint64_t *digest, const char *text)
{
    add_bytes(digest, text ? text : "", text ? strlen(text) : 0);
}

static void add_numbers(uint64_t *digest, const int64_t numbers[], int64_t n)
{
    add_bytes(digest, numbers, (size_t)n * sizeof *numbers);
}

static void add_place(uint64_t *digest, const struct drxi_log_place *p)
{
    add(digest, (uint64_t)p->end);
    add(digest, (uint64_t)p->last);
    add(digest, p->sequence);
    add(digest, p->crc);
}

static void add_attributes(uint64_t *digest, const struct drxi_attrs *t)
{
    add(digest, (uint64_t)t->n);
    for (int64_t i = 0; i < t->n; i++) {
        const struct drxi_attr *a = &t->item[i];

        add_text(digest, a->name);
        add(digest, a->stored);
        add(digest, (uint64_t)a->rank << 32 | a->is_text);
        add(digest, (uint64_t)a->n);
        add_numbers(digest, a->extents, a->rank == DRXI_NULL ? 0 : a->rank);
        add_bytes(digest, a->values, a->bytes);
    }
}

static void add_thing(uint64_t *digest, const struct drxi_thing *t)
{
    add(digest, (uint64_t)t->what << 32 | t->number);
    add(digest, (uint64_t)t->removed << 32 | t->group);
    add_text(digest, drxi_thing_name(t));
    add_text(digest, drxi_thing_stem(t));
    add(digest, t->next);
    add(digest, (uint64_t)t->before << 32 | t->behind);
    add_attributes(digest, &t->attrs);
}

static void add_group(uint64_t *digest, const struct drxi_group *g)
{
    add_thing(digest, &g->thing);
    add(digest, g->first);
    add(digest, g->depth);
    add(digest, g->thing.removed ? 0 : g->jump);
}

static void add_dimension(uint64_t *digest, const struct drxi_dimension *d)
{
    add_thing(digest, &d->thing);
    add(digest, (uint64_t)d->lower);
    add(digest, (uint64_t)d->upper);
    add(digest, (uint64_t)d->ever);
    add(digest, (uint64_t)d->growths);
    add(digest, d->trimmed);
}

static void add_type(uint64_t *digest, const struct drxi_type *t)
{
    add_thing(digest, &t->thing);
    add(digest, (uint64_t)t->class << 32 | t->bytes);
    add(digest, t->known);
    add_bytes(digest, t->fields, t->n_fields);
}

/* Whether its map takes little time: not one of shells by the thousand. */
static bool has_small_map(const struct drxi_store *s, const struct drxi_variable *v)
{
    int64_t shells = 0;

    for (int j = 0; v->initial == 1 && j < v->made_ndim; j++)
        shells = drxi_min(MOST_SHELLS + 1,
                          shells + drxi_min(MOST_SHELLS + 1, (v->made_upper[j] - v->made_lower[j]) / v->made_chunk[j]));
    return shells <= MOST_SHELLS && s->steps * s->variable.largest <= MOST_STEPS_OF_MAPS;
}

/* Bounds, and the expansion records. */
static void add_map(uint64_t *digest, const struct drxi_store *s, const struct drxi_variable *v)
{
    char detail[DRXI_DETAIL_BYTES]; /* of the reading, which stays */
    struct drxi_state state;
    int64_t step;
    drx_status st;

    drxi_report_keep(detail);
    st = drxi_store_map(s, v, &state, &step);
    drxi_report_set(detail);
    add(digest, (uint64_t)st);
    if (!st) {
        add(digest, (uint64_t)state.map.chunks);
        add_numbers(digest, state.lower, state.desc.ndim);
        add_numbers(digest, state.upper, state.desc.ndim);
        add_numbers(digest, state.map.start, state.map.count);
        add_bytes(digest, state.map.axis, (size_t)state.map.count);
        add_numbers(digest, state.map.coef, state.map.count * state.desc.ndim);
    }
    drxi_state_free(&state);
}

static void add_made(uint64_t *digest, const struct drxi_variable *v)
{
    const uint8_t bytes[] = { v->null, v->refused, v->order, v->initial, v->flags, v->codec, v->level, v->shuffle };

    add_bytes(digest, bytes, sizeof bytes);
    add(digest, (uint64_t)v->type << 32 | v->item_bytes);
    add(digest, (uint64_t)v->align);
    add_bytes(digest, v->dim, (size_t)v->ndim * sizeof *v->dim);
    add_numbers(digest, v->chunk, v->ndim);
    add_bytes(digest, v->made_dim, (size_t)v->made_ndim * sizeof *v->dim);
    add_numbers(digest, v->made_chunk, v->made_ndim);
    add_numbers(digest, v->made_lower, v->made_ndim);
    add_numbers(digest, v->made_upper, v->made_ndim);
    add_bytes(digest, v->fill, v->fill ? v->item_bytes : 0);
}

static void add_variable(uint64_t *digest, const struct drxi_store *s, const struct drxi_variable *v)
{
    add_thing(digest, &v->thing);
    add_made(digest, v);
    add(digest, (uint64_t)v->first_step);
    add(digest, (uint64_t)v->last_step);
    add(digest, v->thing.made_by);
    add(digest, v->axis_by);
    add(digest, v->epoch);
    add(digest, (uint64_t)v->stripes.n);
    add_text(digest, v->stripes.stem);
    for (int k = 0; k < v->stripes.n; k++)
        add_text(digest, v->stripes.folder[k]);
    add(digest, v->source ? (uint64_t)v->source->byte_order + 1 : 0);
    add_bytes(digest, v->source ? v->source->filters : NULL, v->source ? 4 * v->source->nwords : 0);
    if (!v->refused && !v->null && has_small_map(s, v))
        add_map(digest, s, v);
}

static void add_things(uint64_t *digest, const struct drxi_store *s)
{
    add_group(digest, &s->root);
    for (int64_t i = 1; i <= s->group.largest; i++)
        if (s->group.of[i])
            add_group(digest, s->group.of[i]);
    for (int64_t i = 1; i <= s->dimension.largest; i++)
        if (s->dimension.of[i])
            add_dimension(digest, s->dimension.of[i]);
    for (int64_t i = 1; i <= s->type.largest; i++)
        if (s->type.of[i])
            add_type(digest, s->type.of[i]);
    for (int64_t i = 1; i <= s->variable.largest; i++)
        if (s->variable.of[i])
            add_variable(digest, s, s->variable.of[i]);
}

static void add_past(uint64_t *digest, const struct drxi_store *s)
{
    add(digest, (uint64_t)s->steps);
    for (int64_t i = 0; i < s->steps; i++) {
        const struct drxi_change_of *c = &s->step[i];

        add(digest, (uint64_t)c->kind << 48 | (uint64_t)c->at << 32 | (uint64_t)c->number << 16 | c->variable);
        add(digest, c->sequence);
        add(digest, (uint64_t)c->a);
        add(digest, (uint64_t)c->b);
    }
    add(digest, (uint64_t)s->commits);
    for (int64_t i = 0; i < s->commits; i++) {
        const struct drxi_commit *c = &s->commit[i];

        add(digest, (uint64_t)c->number);
        add(digest, (uint64_t)c->time);
        add_text(digest, c->message);
        add(digest, c->sequence);
        add(digest, (uint64_t)c->end);
    }
}

uint64_t store_digest(const struct drxi_store *s)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);

    add(&digest, s->kind);
    add_bytes(&digest, s->id, sizeof s->id);
    add_place(&digest, &s->head);
    add_place(&digest, &s->end);
    add_things(&digest, s);
    add_past(&digest, s);
    add(&digest, (uint64_t)s->alike);
    add(&digest, (uint64_t)s->next_commit);
    add(&digest, s->last_trim);
    add(&digest, s->last_sync);
    add(&digest, s->named);
    add(&digest, (uint64_t)s->ends_with_sync << 1 | s->optional);
    add(&digest, s->base.is);
    add_bytes(&digest, s->base.largest, sizeof s->base.largest);
    add(&digest, s->run.number);
    add(&digest, (uint64_t)s->run.kinds << 16 | s->run.awaited);
    return digest;
}

/* ---- invariants ---- */

static const char *find_fault_of(const struct drxi_store *s, const struct drxi_thing *t)
{
    const char *const name = drxi_thing_name(t);
    const bool indexed = name[0] && !t->removed && (s->kind == DRXI_DATASET || t->what != DRXI_A_DIMENSION);

    if (t->before || t->behind)
        return "a thing in a list of one name";
    if (indexed && drxi_store_find(s, (enum drxi_what)t->what, t->group, name) != t->number)
        return "a thing that its name does not lead to";
    if (t->stem_key && !drxi_store_of_stem(s, t->group, drxi_thing_stem(t)))
        return "a stem that is not known";
    if (t->attrs.holes > 0)
        return "a hole among attributes";
    for (int64_t i = 0; i < t->attrs.n; i++)
        if (drxi_attrs_find(&t->attrs, t->attrs.item[i].name, strlen(t->attrs.item[i].name)) != i)
            return "an attribute that its name does not lead to";
    return NULL;
}

/* The things in a group are those that say so. */
static const char *find_fault_in(const struct drxi_store *s, const struct drxi_group *g, int64_t *in)
{
    for (uint32_t id = g->first; id != 0; ++*in) {
        const struct drxi_table *const tables[] = { NULL, &s->group, &s->dimension, &s->variable, &s->type };
        const struct drxi_thing *t = id >> 16 < DRXI_WHATS ? tables[id >> 16]->of[id & 0xffff] : NULL;

        if (!t || t->group != g->thing.number)
            return "a thing in the list of another group";
        if (g->thing.removed && !t->removed && t->what != DRXI_A_TYPE)
            return "a thing in a group that was removed";
        if (!g->thing.removed && t->what == DRXI_A_GROUP && !t->removed &&
            !drxi_store_is_above(s, g->thing.number, t->number))
            return "a group that is not above what lies in it";
        id = t->next;
    }
    return NULL;
}

static const char *find_fault_of_variable(const struct drxi_store *s, const struct drxi_variable *v)
{
    if (v->thing.removed ? v->last_step > s->steps : v->last_step != INT64_MAX)
        return "the last step of a variable";
    for (int j = 0; j < v->ndim; j++)
        if (!drxi_store_dimension(s, v->dim[j]) || (!v->refused && v->chunk[j] < 1) ||
            (!v->thing.removed &&
             !drxi_store_is_above(s, drxi_store_dimension(s, v->dim[j])->thing.group, v->thing.group)))
            return "an axis of a variable";
    return NULL;
}

const char *find_fault(const struct drxi_store *s)
{
    const struct drxi_table *const tables[] = { &s->group, &s->dimension, &s->variable, &s->type };
    int64_t things = 0, in = 0;
    const char *fault = find_fault_in(s, &s->root, &in);

    for (int k = 0; k < 4; k++)
        for (int64_t i = 1; !fault && i <= tables[k]->largest; i++) {
            const struct drxi_thing *t = tables[k]->of[i];

            things += t != NULL;
            if (t && t->number != i)
                fault = "a thing of another number";
            if (t && !fault)
                fault = find_fault_of(s, t);
            if (t && !fault && t->what == DRXI_A_GROUP)
                fault = find_fault_in(s, (const struct drxi_group *)t, &in);
            if (t && !fault && t->what == DRXI_A_VARIABLE)
                fault = find_fault_of_variable(s, (const struct drxi_variable *)t);
        }
    if (fault)
        return fault;
    if (things != in)
        return "a thing in no group";
    if (s->alike != 0 || s->run.awaited || s->run.kinds)
        return "a run that has not ended";
    for (int64_t i = 0; i < s->commits; i++)
        if (s->commit[i].end > s->end.end || (i > 0 && s->commit[i].number != s->commit[i - 1].number + 1))
            return "a commit";
    return NULL;
}
