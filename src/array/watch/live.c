/* A reader loads the live words before it reads the log, and compares them after each read of elements
 * (spec/drx-format.md, 5.5).
 *
 * Invariants
 *   1. `sure` is a place in the log behind records that count, which no writer takes back. `kept` has the trims from
 *      the state of the handle up to there. An axis that came later has the bounds 0 and 1.
 *   2. `trims` and `replaced` were in the file before the log was read up to `sure`. While `trims` stays, nobody has
 *      changed cells, or given back their space, because of a later trim.
 *   3. A log that replaces another goes on with its sequence numbers, and begins with a BASE, which has that of the
 *      last trim that it merged. The trims up to its first SYNC are old ones. Before the handle goes on in the new log
 *      it reads the old one to its end. So it misses trims only in logs that it has never seen, and BASE tells whether
 *      it has. */
#include "array/watch/lookout.h"
#include "lone/lone.h"

enum { UNREPLACED, BEING_REPLACED, REPLACED }; /* the word `replaced` */

/* Nobody can tell what was trimmed. */
static void lose(struct drxi_watch *w)
{
    w->lost = true;
    atomic_store(&w->cut, true);
}

/* ---- records ---- */

struct looking {
    struct drxi_watch *w;
    uint16_t variable;
    bool based, merged; /* a BASE has come, and no SYNC since */
};

static void trim(struct drxi_watch *w, uint16_t dimension, int64_t lower, int64_t upper)
{
    bool found = false;

    for (int j = 0; j < w->ndim; j++)
        if (w->live.dim[j] == dimension) {
            w->kept[DRXI_LOW][j] = drxi_max(w->kept[DRXI_LOW][j], lower);
            w->kept[DRXI_HIGH][j] = drxi_min(w->kept[DRXI_HIGH][j], upper);
            found = true;
        }
    for (int k = 0; !found && k < w->live.later; k++)
        if (w->live.later_dim[k] == dimension) {
            found = true;
            if (lower > 0 || upper < 1) /* it had the index 0 alone, and with it the handle has lost all */
                w->kept[DRXI_HIGH][0] = w->kept[DRXI_LOW][0];
        }
    if (found)
        atomic_store(&w->cut, true);
}

/* A log that takes the place of another tells of old axes again. */
static void note_axis(struct drxi_watch *w, uint16_t dimension)
{
    for (int j = 0; j < w->ndim; j++)
        if (w->live.dim[j] == dimension)
            return;
    for (int k = 0; k < w->live.later; k++)
        if (w->live.later_dim[k] == dimension)
            return;
    if (w->live.later < DRX_MAX_NDIM)
        w->live.later_dim[w->live.later++] = dimension;
}

static drx_status see_record(void *arg, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    struct looking *l = arg;
    int64_t lower, upper;

    switch (record->kind) {
    case DRXI_LOG_BASE:
        l->based = l->merged = true;
        if ((uint64_t)drxi_field64(&f) > l->w->sure.sequence)
            lose(l->w);
        break;
    case DRXI_LOG_SYNC:
        l->merged = false;
        break;
    case DRXI_LOG_GROW:
        l->w->growths++;
        break;
    case DRXI_LOG_AXIS:
        (void)drxi_field16(&f);
        if (record->number == l->variable)
            note_axis(l->w, drxi_field16(&f));
        break;
    case DRXI_LOG_TRIM:
        l->w->growths++;
        lower = drxi_field64(&f);
        upper = drxi_field64(&f);
        if (!l->merged)
            trim(l->w, record->number, lower, upper);
        break;
    default:
        break;
    }
    return DRX_OK;
}

/* Read the log on. DRX_EDAMAGED: what the handle knows is not there any more. */
static drx_status read_on_log(drx_array *a)
{
    struct drxi_watch *w = &a->watch;
    struct looking l = { .w = w, .variable = a->log.lone->variable };
    bool more = false, open = false;
    drx_status st = drxi_chain_continues(drxi_watched_now(a), &w->sure, &more);

    if (!st && more)
        st = drxi_store_skim(drxi_watched_now(a), &w->sure, a->log.lone->most, true, see_record, &l, &open);
    w->growths += open; /* whoever appends writes elements before they count */
    return st;
}

/* ---- another log ---- */

/* Go on in the log of the same array that has the name now. */
static drx_status move_on(drx_array *a, drxi_io *io, const struct drxi_log_place *head)
{
    struct drxi_watch *w = &a->watch;
    struct drxi_log_place at = *head;
    struct looking l = { .w = w, .variable = a->log.lone->variable };
    drx_status st = drxi_store_skim(io, &at, INT64_MAX, true, see_record, &l, NULL);

    if (st)
        return st;
    drxi_lookout_slow(w); /* until a look has noted where it ended, no quick check tells */
    if ((st = drxi_lookout_post(w, io, true, false)))
        return st;
    if (!l.based || l.merged) /* no compaction leaves such a log */
        lose(w);
    w->sure = at;
    atomic_store(&w->checks, 0);
    return DRX_OK;
}

/* Another log has the name, or none has: the array was removed, replaced or renamed, and its data stay as they are. The
 * detail of a read that failed before stays, too. */
static drx_status follow_log(drx_array *a, bool *moved)
{
    const enum drxi_store_kind kind = drxi_lone_store(&a->log)->kind;
    struct drxi_store head = { .kind = kind };
    drxi_io *io = NULL;
    char detail[DRXI_DETAIL_BYTES];
    drx_status st;

    *moved = false;
    drxi_report_keep(detail);
    st = drxi_files->open(drxi_watched_log(a)->path, DRXI_READ, &io);
    if (!st)
        st = drxi_store_begin(&head, io, kind);
    if (!st && memcmp(head.id, drxi_lone_store(&a->log)->id, sizeof head.id) == 0) {
        st = move_on(a, io, &head.head);
        *moved = !st;
    }
    drxi_store_free(&head);
    if (io && !*moved)
        (void)io->ops->close(io);
    if (st && st != DRX_ENOENT && st != DRX_EFORMAT && st != DRX_EUNSUPPORTED)
        return st;
    drxi_report_set(detail);
    return DRX_OK;
}

/* Follow the name if it is not that of the log any more. */
static drx_status look_at_name(drx_array *a, bool *moved)
{
    drxi_io *const io = drxi_watched_now(a);
    bool named = true;
    drx_status st = io->ops->named(io, &named);

    if (st || named)
        return st;
    st = read_on_log(a); /* to its end */
    return st ? st : follow_log(a, moved);
}

/* ---- looks ---- */

/* The words of a copy in memory are later ones than its records. If the log is replaced, that was not looked at yet. */
static void take_words(const drx_array *a, struct drxi_watch *w)
{
    const struct drxi_live *words = a->replica ? NULL : drxi_lone_words(&a->log);

    w->live.loaded = words != NULL;
    w->live.trims = words ? words->trims : 0;
    w->live.replaced = UNREPLACED;
}

drx_status drxi_live_begin(drx_array *a)
{
    struct drxi_watch *w = &a->watch;
    bool moved = false;
    drx_status st = DRX_OK;

    drxi_lookout_start(a);
    memcpy(w->live.dim, a->log.lone->dim, sizeof w->live.dim);
    w->sure = a->log.state.chain;
    w->live.later = 0;
    take_words(a, w);
    if (w->elsewhere)
        st = follow_log(a, &moved);
    return st || moved ? st : drxi_lookout_post(w, drxi_watched_log(a), false, false);
}

/* See what the words of now tell. */
static drx_status judge_log(drx_array *a, const struct drxi_live *now, bool *moved)
{
    struct drxi_watch *w = &a->watch;
    const bool seen = w->live.loaded && now->replaced == REPLACED && w->live.replaced == REPLACED;
    const bool trimmed = w->live.loaded && now->trims != w->live.trims;
    drx_status st = DRX_OK;

    *moved = false;
    if (trimmed || !w->live.loaded)
        st = read_on_log(a);
    if (!st && trimmed && now->trims > w->sure.sequence) /* it counts, and is not there: behind damage, for instance */
        lose(w);
    if (!st && now->replaced != UNREPLACED && !seen)
        st = look_at_name(a, moved);
    if (st)
        return st;
    w->live.trims = now->trims;
    w->live.replaced = now->replaced;
    w->live.loaded = !*moved;
    return DRX_OK;
}

drx_status drxi_live_look(drx_array *a)
{
    struct drxi_live now = { .known = false };
    uint8_t bytes[DRXI_LIVE_BYTES];
    uint64_t word[2];
    bool moved = true;
    drx_status st = atomic_load(&a->watch.now) ? DRX_OK : drxi_live_begin(a);

    if (!st && drxi_watched_log(a)->pinned) {
        st = read_on_log(a);
        moved = false;
    }
    while (!st && moved) {
        st = drxi_live_load(drxi_watched_now(a), &now);
        if (!st)
            st = judge_log(a, &now, &moved);
    }
    if (st)
        return st;
    drxi_put64(bytes, now.trims);
    drxi_put64(bytes + 8, now.replaced);
    memcpy(word, bytes, sizeof word);
    return drxi_lookout_settle(a, word, now.replaced != UNREPLACED && now.replaced != REPLACED);
}
