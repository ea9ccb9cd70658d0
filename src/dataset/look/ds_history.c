/* What each commit has changed: the log is read once more, into a store of its own, when somebody asks.
 *
 * Changes of one commit are found by a key: what they are of, its number, which part of it, and, of an attribute, its
 * name. It stands in memory before `other`, which is the name. */
#include "dataset/dataset.h"
#include "store/kinds.h"

enum { KEY_BYTES = 4, NOTHING = -1 };

/* What of a thing has changed. */
enum part { ITS_BEING, ITS_NAME, ITS_BOUNDS, ITS_AXES, AN_ATTRIBUTE };

struct drxi_ds_history {
    struct drxi_store store; /* as of: */
    struct drxi_log_place at;
    uint16_t old[DRXI_WHATS];  /* the largest numbers as of the last C */
    struct drxi_index changed; /* the changes since then */
    int64_t n, room, commits, commit_room;
    drx_change *change;
    int64_t *end; /* of the changes of each commit */
};

static const uint8_t *key_bytes(const drx_change *c)
{
    return (const uint8_t *)c->other - KEY_BYTES;
}

static struct drxi_key key_of(const void *owner, int64_t i)
{
    const drx_change *c = &((const struct drxi_ds_history *)owner)->change[i];
    const uint8_t *p = key_bytes(c);

    return (struct drxi_key){ p, KEY_BYTES + (p[0] == AN_ATTRIBUTE ? strlen(c->other) : 0) };
}

static void free_change(drx_change *c)
{
    drxi_free((char *)c->name);
    drxi_free((uint8_t *)key_bytes(c));
}

void drxi_ds_free_history(drx_dataset *ds)
{
    struct drxi_ds_history *h = ds->history;

    for (int64_t i = 0; h && i < h->n; i++)
        free_change(&h->change[i]);
    if (h) {
        drxi_store_free(&h->store);
        drxi_index_free(&h->changed);
        drxi_free(h->change);
        drxi_free(h->end);
    }
    drxi_free(h);
    ds->history = NULL;
}

/* The change with this key; a new one is NOTHING. NULL: no memory. */
static drx_change *change_of(struct drxi_ds_history *h, enum part part, int what, uint16_t number,
                             struct drxi_text other)
{
    const struct drxi_keys keys = { key_of, h };
    uint8_t *p = drxi_malloc(KEY_BYTES + other.n + 1);
    int64_t i;

    if (!p || drxi_index_reserve(&h->changed, keys) ||
        drxi_reserve(&h->change, &h->room, h->n + 1, sizeof *h->change)) {
        drxi_free(p);
        return NULL;
    }
    p[0] = (uint8_t)part;
    p[1] = (uint8_t)what;
    drxi_put16(p + 2, number);
    memcpy(p + KEY_BYTES, other.p, other.n);
    p[KEY_BYTES + other.n] = '\0';
    i = drxi_index_find(&h->changed, keys, p, KEY_BYTES + (part == AN_ATTRIBUTE ? other.n : 0));
    if (i >= 0) {
        drxi_free(p);
        return &h->change[i];
    }
    h->change[h->n] = (drx_change){ .kind = NOTHING, .of = what, .other = (const char *)p + KEY_BYTES };
    drxi_index_set(&h->changed, keys, h->n);
    return &h->change[h->n++];
}

/* ---- a record, before it is applied ---- */

/* What came with this commit is as it is. */
static bool is_new(const struct drxi_ds_history *h, int what, uint16_t number)
{
    return what != DRXI_THE_STORE && number > h->old[what];
}

static drx_status note_event(struct drxi_ds_history *h, enum part part, int what, uint16_t number, const char *other,
                             int kind)
{
    drx_change *c = change_of(h, part, what, number, (struct drxi_text){ other, strlen(other) });

    if (c)
        c->kind = kind;
    return c ? DRX_OK : DRX_ENOMEM;
}

static drx_status note_bounds(struct drxi_ds_history *h, const struct drxi_dimension *d)
{
    drx_change *c = change_of(h, ITS_BOUNDS, DRXI_A_DIMENSION, d->thing.number, (struct drxi_text){ "", 0 });

    if (c && c->kind == NOTHING) {
        c->kind = DRX_CHANGED_BOUNDS;
        c->lower_before = d->lower;
        c->upper_before = d->upper;
    }
    return c ? DRX_OK : DRX_ENOMEM;
}

/* With the path of `other` as it is now. */
static drx_status note_path(struct drxi_ds_history *h, enum part part, int what, uint16_t number,
                            const struct drxi_thing *other, int kind)
{
    char *path = drxi_ds_path_of(&h->store, other, drxi_thing_name);
    const drx_status st = path ? note_event(h, part, what, number, path, kind) : DRX_ENOMEM;

    drxi_free(path);
    return st;
}

static drx_status note_axis(struct drxi_ds_history *h, uint16_t variable, int at, const struct drxi_dimension *d)
{
    const drx_status st = note_path(h, ITS_AXES, DRXI_A_VARIABLE, variable, &d->thing, DRX_GOT_AXIS);

    if (!st)
        h->change[h->n - 1].axis = at; /* a run gives a variable one */
    return st;
}

/* Behind `what`. */
static drx_status note_attribute(struct drxi_ds_history *h, const struct drxi_thing *t, int what, bool deleted,
                                 struct drxi_fields f)
{
    const int rank = drxi_field8(&f);
    struct drxi_text name;
    drx_change *c;

    drxi_field_bytes(&f, 6 + (deleted || rank == DRXI_NULL ? 0 : 8 * (uint64_t)rank));
    name = drxi_field_text(&f);
    c = change_of(h, AN_ATTRIBUTE, what, t->number, name);
    if (c && deleted)
        c->kind = c->kind == DRX_SET_ATTRIBUTE ? NOTHING : DRX_DELETED_ATTRIBUTE;
    else if (c && c->kind != DRX_SET_ATTRIBUTE)
        c->kind = c->kind != NOTHING || drxi_attrs_find(&t->attrs, name.p, name.n) >= 0 ? DRX_CHANGED_ATTRIBUTE
                                                                                        : DRX_SET_ATTRIBUTE;
    return c ? DRX_OK : DRX_ENOMEM;
}

/* It counts, so that what it names is there. */
static drx_status note_record(struct drxi_ds_history *h, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    const struct drxi_dimension *d = drxi_store_dimension(&h->store, record->number);
    const uint16_t number = record->number;
    const struct drxi_thing *t;
    int what, at;

    switch (record->kind) {
    case DRXI_LOG_GROUP:
    case DRXI_LOG_DIMENSION:
    case DRXI_LOG_VARIABLE:
        return note_event(h, ITS_BEING, record->kind, number, "", DRX_ADDED);
    case DRXI_LOG_TYPE:
        (void)drxi_field16(&f);
        return drxi_field_text(&f).n > 0 ? note_event(h, ITS_BEING, DRXI_A_TYPE, number, "", DRX_ADDED) : DRX_OK;
    case DRXI_LOG_GROW:
    case DRXI_LOG_TRIM:
        return !d || is_new(h, DRXI_A_DIMENSION, number) ? DRX_OK : note_bounds(h, d);
    case DRXI_LOG_AXIS:
        at = drxi_field16(&f);
        d = drxi_store_dimension(&h->store, drxi_field16(&f));
        return d ? note_axis(h, number, at, d) : DRX_OK;
    case DRXI_LOG_RENAME:
    case DRXI_LOG_REMOVE:
    case DRXI_LOG_ATTRIBUTE:
    case DRXI_LOG_ATTRIBUTE_DELETE:
        if (drxi_read_what(&f, &what) || !(t = drxi_store_thing(&h->store, (enum drxi_what)what, number)))
            return DRX_OK;
        if (record->kind == DRXI_LOG_REMOVE)
            return note_event(h, ITS_BEING, what, number, "", is_new(h, what, number) ? NOTHING : DRX_REMOVED);
        if (is_new(h, what, number))
            return DRX_OK;
        return record->kind == DRXI_LOG_RENAME
                   ? note_path(h, ITS_NAME, what, number, t, DRX_RENAMED)
                   : note_attribute(h, t, what, record->kind == DRXI_LOG_ATTRIBUTE_DELETE, f);
    default:
        return DRX_OK;
    }
}

/* ---- the end of a run ---- */

/* Also one that was removed. */
static const struct drxi_thing *thing_of(const struct drxi_store *s, const drx_change *c)
{
    const uint16_t number = drxi_get16(key_bytes(c) + 2);

    return c->of == DRX_DATASET ? &s->root.thing : drxi_table_of(s, c->of)->of[number];
}

/* What was removed, and has a successor of the same name. */
static drx_status pair(struct drxi_ds_history *h, drx_change *c, const struct drxi_thing *t)
{
    const enum drxi_what what = (enum drxi_what)c->of;
    const uint16_t next = drxi_store_find(&h->store, what, t->group, drxi_thing_name(t));

    if (c->kind != DRX_REMOVED || next == 0 || !is_new(h, what, next))
        return DRX_OK;
    c->kind = DRX_REPLACED;
    return note_event(h, ITS_BEING, what, next, "", NOTHING);
}

/* Complete a change, which has its path. False: on the whole there is none. */
static bool is_change(drx_change *c, const struct drxi_thing *t)
{
    if ((t->removed && c->kind != DRX_REMOVED && c->kind != DRX_REPLACED) ||
        (c->kind == DRX_RENAMED && strcmp(c->other, c->name) == 0))
        return false;
    if (c->of != DRX_DIMENSION)
        return true;
    c->lower = ((const struct drxi_dimension *)t)->lower;
    c->upper = ((const struct drxi_dimension *)t)->upper;
    if (c->kind != DRX_CHANGED_BOUNDS)
        c->lower_before = c->upper_before = c->lower;
    return c->kind != DRX_CHANGED_BOUNDS || c->lower != c->lower_before || c->upper != c->upper_before;
}

static drx_status end_run(struct drxi_ds_history *h, int kind)
{
    const int64_t begin = h->commits > 0 ? h->end[h->commits - 1] : 0, n = h->n;
    drx_status st = drxi_reserve(&h->end, &h->commit_room, h->commits + 1, sizeof *h->end);

    for (int64_t i = begin; !st && i < n; i++)
        st = pair(h, &h->change[i], thing_of(&h->store, &h->change[i]));
    if (st)
        return st;
    h->n = begin;
    for (int64_t i = begin; i < n; i++) {
        drx_change c = h->change[i];
        const struct drxi_thing *t = thing_of(&h->store, &c);

        if (!st && kind == DRXI_LOG_COMMIT && c.kind != NOTHING &&
            !(c.name = drxi_ds_path_of(&h->store, t, drxi_thing_name)))
            st = DRX_ENOMEM;
        if (c.name && is_change(&c, t))
            h->change[h->n++] = c;
        else
            free_change(&c);
    }
    drxi_index_free(&h->changed);
    if (kind == DRXI_LOG_COMMIT)
        h->end[h->commits++] = h->n;
    for (int what = DRXI_A_GROUP; what < DRXI_WHATS; what++)
        h->old[what] = drxi_table_of(&h->store, what)->largest;
    return st;
}

static drx_status visit(void *history, const struct drxi_log_record *record)
{
    struct drxi_ds_history *h = history;
    drx_status st = note_record(h, record);

    if (!st)
        st = drxi_store_apply(&h->store, record);
    return st || !(record->flags & DRXI_C) ? st : end_run(h, record->kind);
}

/* ---- asked ---- */

/* Up to the last commit that is known. What came is behind what was read before. */
static drx_status read_on_history(drx_dataset *ds)
{
    const struct drxi_store *s = ds->whole;
    const int64_t end = s->commit[s->commits - 1].end;
    struct drxi_ds_history *h = ds->history;
    bool open;
    drx_status st;

    if (h && drxi_chain_continues(ds->io, &h->at, &open)) { /* another log has taken the place */
        drxi_ds_free_history(ds);
        h = NULL;
    }
    if (!h) {
        h = ds->history = drxi_calloc(1, sizeof *h);
        if (!h)
            return DRX_ENOMEM;
        h->store.kind = DRXI_DATASET;
        drxi_store_start(&h->store, s->head.crc);
        h->at = h->store.head;
    }
    if (h->at.end == end)
        return DRX_OK;
    st = drxi_store_skim(ds->io, &h->at, end, false, visit, h, &open);
    if (!st && h->at.end != end)
        st = drxi_fail(DRX_EDAMAGED, "%s: damaged: other records than before", ds->log_path);
    if (st)
        drxi_ds_free_history(ds);
    return st;
}

drx_status drxi_ds_changes_of(drx_dataset *ds, int64_t at, const drx_change **out, int64_t *n)
{
    const drx_status st = read_on_history(ds);
    const struct drxi_ds_history *h = ds->history;

    if (st)
        return st;
    *out = h->change + (at > 0 ? h->end[at - 1] : 0);
    *n = h->change + h->end[at] - *out;
    return DRX_OK;
}
