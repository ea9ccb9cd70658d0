/* Compaction: a shorter log of the same state replaces a long one that is mostly obsolete, such as one with
 * attributes set again and again, or many small growths.
 *
 * The new log has the description of the old one, and so its creation id; then the stripes, its place in a dataset, the
 * names of the axes, the attributes in their order, the merged growths, trims and new axes, and a SYNC. Two growths merge
 * when the second continued the expansion record of the first (past.h): the map keeps its records, and all addresses
 * stay. A change inside a chunk changes no record: it joins the next one at that end of its axis, or one of its own at
 * the end of the log.
 *
 * Invariants
 *   1. The array has just been synced: the new log promises what the old one does.
 *   2. The new log gets a name only when it is complete, locked and durable, and takes it from the old log at once.
 *      So the name leads to one whole, locked log at any time.
 *   3. Nothing is appended to the new log before the folder is durable: otherwise a power cut could bring back the
 *      old log, without later promises. When that sync fails, the log is broken.
 *   4. The old log is closed last. A failure before the new log has the name leaves the old one in use and nothing
 *      else behind. Memory follows when nothing can fail any more.
 *   5. Readers that have the old log open read on. Its last record, which comes before the new log has the name, tells
 *      them where to look for trims (array/watch.c). They find the new log when they refresh.
 *   6. A log that ever had a trim has one: if all have been merged away, one that changes nothing. And its SYNC counts
 *      the compactions: otherwise a reader of the log before last might take this log for the one that followed, when
 *      what was trimmed in between grew again, and look for no trim there.
 *   7. Trims of the new log leave at least as much outside the bounds as those of the old one did: an end whose chunk holds such
 *      elements grows over them, and is trimmed again. */
#include "log/log.h"

enum { CHANGE_BYTES = DRXI_RECORD_HEAD_BYTES + 16, SYNC_BYTES = DRXI_RECORD_HEAD_BYTES + 8 };

/* A record of the new log that changes bounds or axes. */
struct change {
    enum drxi_kind kind;
    int axis;   /* in the numbers of that place of the log */
    int latest; /* the same axis, as it is numbered now; DRXI_ADD_AXIS: none */
    union {
        struct drxi_growth growth;
        struct drxi_trimming trim;
    } to;
};

struct changes {
    int64_t n;
    struct change *item;
};

/* The bounds while the new log is composed, by the numbers of the axes at its end. */
struct bounds {
    int64_t at[2][DRX_MAX_NDIM];
    int64_t left[2][DRX_MAX_NDIM]; /* as in the state */
    int ndim;
    const int64_t *chunk;
    int64_t last_event[2][DRX_MAX_NDIM], last_trim[2][DRX_MAX_NDIM]; /* positions in the past; -1: none */
};

static int64_t final_bound(const struct drxi_state *s, int axis, enum drxi_end end)
{
    return end == DRXI_LOW ? s->lower[axis] : s->upper[axis];
}

/* Give each event the number that its axis has now, and each axis that the array was made with: made[]. */
static void number_axes(const struct drxi_state *s, int latest[], int made[])
{
    int to[DRX_MAX_NDIM + 1];

    for (int j = 0; j < s->desc.ndim; j++)
        to[j] = j;
    for (int64_t i = s->past.n - 1; i >= 0; i--) {
        const struct drxi_event *e = &s->past.event[i];

        latest[i] = to[e->axis];
        if (e->what == DRXI_NEW_AXIS)
            memmove(to + e->axis, to + e->axis + 1, (size_t)(DRX_MAX_NDIM - e->axis) * sizeof *to);
    }
    memcpy(made, to, (size_t)s->made.ndim * sizeof *made);
}

static void start_bounds(const struct drxi_state *s, const int latest[], const int made[], struct bounds *b)
{
    for (int end = 0; end < 2; end++)
        for (int j = 0; j < s->desc.ndim; j++) {
            b->last_event[end][j] = b->last_trim[end][j] = -1;
            b->at[end][j] = end == DRXI_HIGH; /* of an axis that was added */
        }
    for (int j = 0; j < s->made.ndim; j++) {
        b->at[DRXI_LOW][made[j]] = s->origin[j];
        b->at[DRXI_HIGH][made[j]] = s->origin[j] + s->made.shape[j];
    }
    memcpy(b->left, b->at, sizeof b->left);
    b->ndim = s->desc.ndim;
    b->chunk = s->desc.chunk;
    for (int64_t i = 0; i < s->past.n; i++) {
        const struct drxi_event *e = &s->past.event[i];

        for (int end = 0; end < 2; end++) {
            if (e->what == DRXI_NEW_AXIS || (e->what != DRXI_EMPTIED && e->end != end))
                continue;
            b->last_event[end][latest[i]] = i;
            if (e->what != DRXI_GREW)
                b->last_trim[end][latest[i]] = i;
        }
    }
}

/* The bound that an event reaches: the one that the array has in the end, or has reached, if it is the last event there,
 * or where its last chunk ends. A trim that would meet the other end, which is behind what it was, stops at its chunk: add_inside moves it on. */
static int64_t bound_of_event(const struct drxi_state *s, const struct bounds *b, int64_t i, int axis)
{
    const struct drxi_event *e = &s->past.event[i];
    const int64_t sign = e->end == DRXI_LOW ? -1 : 1; /* counted outwards */
    const int64_t whole = drxi_mul_saturated(e->bound * sign, s->desc.chunk[axis]);
    const int64_t end = sign * (e->what == DRXI_TRIMMED ? final_bound(s, axis, (enum drxi_end)e->end)
                                                        : drxi_state_reach(s, axis, (enum drxi_end)e->end));
    const int64_t at = sign * b->at[e->end][axis];

    if (e->what == DRXI_TRIMMED) {
        const bool meets = end <= sign * b->at[e->end == DRXI_LOW ? DRXI_HIGH : DRXI_LOW][axis];

        return sign * (b->last_event[e->end][axis] == i && !meets ? end : whole);
    }
    return sign * (b->last_trim[e->end][axis] < i && end > at ? drxi_min(whole, end) : whole);
}

/* How far out a trim of one end to `bound` leaves elements: at most as far as its chunk goes. */
static int64_t left_by(const struct bounds *b, int axis, enum drxi_end end, int64_t bound)
{
    const int64_t chunk = b->chunk[axis];
    const int64_t chunks = end == DRXI_LOW ? drxi_floor_div(bound, chunk) : drxi_ceil_div(bound, chunk);

    return drxi_inner(end, drxi_outer(end, b->left[end][axis], b->at[end][axis]), drxi_mul_saturated(chunks, chunk));
}

/* Where an axis has no indices, there are no chunks. */
static void leave_nothing(struct bounds *b)
{
    for (int j = 0; j < b->ndim; j++)
        if (b->at[DRXI_LOW][j] == b->at[DRXI_HIGH][j]) {
            memcpy(b->left, b->at, sizeof b->left);
            return;
        }
}

/* A change that moves one end of an axis to `bound`. */
static struct change change_to(struct bounds *b, int axis, int latest, enum drxi_end end, int64_t bound)
{
    const int64_t by = end == DRXI_LOW ? b->at[end][latest] - bound : bound - b->at[end][latest];
    struct change c = { .kind = DRXI_TRIM, .axis = axis, .latest = latest };

    if (by <= 0)
        b->left[end][latest] = left_by(b, latest, end, bound);
    b->at[end][latest] = bound;
    leave_nothing(b);
    if (by > 0) {
        c.kind = drxi_grow_kind(end);
        c.to.growth = (struct drxi_growth){ axis, end, by, bound };
    } else {
        c.to.trim = (struct drxi_trimming){ axis, b->at[DRXI_LOW][latest], b->at[DRXI_HIGH][latest] };
    }
    return c;
}

/* Move an end inside its chunk as far as `bound`, where a trim of the other end reaches, unless it is there. */
static void reach(struct bounds *b, struct changes *c, int axis, int latest, enum drxi_end end, int64_t bound)
{
    if (end == DRXI_LOW ? b->at[end][latest] > bound : b->at[end][latest] < bound)
        c->item[c->n++] = change_to(b, axis, latest, end, bound);
}

static struct change emptying(struct bounds *b, int axis, int latest, int64_t index)
{
    struct change c = { .kind = DRXI_TRIM, .axis = axis, .latest = latest };

    b->at[DRXI_LOW][latest] = b->at[DRXI_HIGH][latest] = index;
    leave_nothing(b);
    c.to.trim = (struct drxi_trimming){ axis, index, index };
    return c;
}

/* Where an end goes inside its chunk before it goes to the final bound: as far out as there is something left. */
static int64_t way_point(const struct drxi_state *s, const struct bounds *b, int axis, enum drxi_end end)
{
    const int64_t reach = drxi_state_reach(s, axis, end), there = drxi_outer(end, b->left[end][axis], b->at[end][axis]);

    return drxi_outer(end, there, reach) == there ? final_bound(s, axis, end) : reach;
}

/* What moved inside chunks; growth first, so that no bound passes the other one. */
static void add_inside(const struct drxi_state *s, struct bounds *b, struct changes *c)
{
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < s->desc.ndim; j++)
            for (int end = 0; end < 2; end++) {
                const int64_t bound =
                    pass == 0 ? way_point(s, b, j, (enum drxi_end)end) : final_bound(s, j, (enum drxi_end)end);
                const bool grows = end == DRXI_LOW ? bound < b->at[end][j] : bound > b->at[end][j];

                if (bound != b->at[end][j] && grows == (pass == 0))
                    c->item[c->n++] = change_to(b, j, j, (enum drxi_end)end, bound);
            }
}

static void add_event(const struct drxi_state *s, struct bounds *b, struct changes *c, int64_t i, int latest)
{
    const struct drxi_event *e = &s->past.event[i];
    const enum drxi_end end = (enum drxi_end)e->end;
    int64_t bound;

    switch ((enum drxi_event_kind)e->what) {
    case DRXI_NEW_AXIS:
        c->item[c->n++] = (struct change){ .kind = DRXI_ADD_AXIS, .axis = e->axis };
        break;
    case DRXI_EMPTIED:
        reach(b, c, e->axis, latest, DRXI_LOW, e->bound);
        reach(b, c, e->axis, latest, DRXI_HIGH, e->bound);
        c->item[c->n++] = emptying(b, e->axis, latest, e->bound);
        break;
    default:
        bound = bound_of_event(s, b, i, latest);
        if (e->what == DRXI_TRIMMED)
            reach(b, c, e->axis, latest, end == DRXI_LOW ? DRXI_HIGH : DRXI_LOW, bound);
        c->item[c->n++] = change_to(b, e->axis, latest, end, bound);
    }
}

static void free_changes(struct changes *c)
{
    drxi_free(c->item);
}

/* The most changes: three for each event, and two for each end of each axis that moved inside a chunk. */
static drx_status find_changes(const struct drxi_state *s, struct changes *c)
{
    int *latest = drxi_calloc((size_t)s->past.n + 1, sizeof *latest);
    int made[DRX_MAX_NDIM];
    struct bounds b;

    *c = (struct changes){ 0, drxi_calloc(3 * (size_t)s->past.n + 4 * DRX_MAX_NDIM, sizeof *c->item) };
    if (!latest || !c->item) {
        drxi_free(latest);
        return DRX_ENOMEM;
    }
    number_axes(s, latest, made);
    start_bounds(s, latest, made, &b);
    for (int64_t i = 0; i < s->past.n; i++)
        add_event(s, &b, c, i, latest[i]);
    add_inside(s, &b, c);
    drxi_free(latest);
    return DRX_OK;
}

static bool has_origin(const struct drxi_state *s)
{
    for (int j = 0; j < s->made.ndim; j++)
        if (s->origin[j] != 0)
            return true;
    return false;
}

static struct drxi_attr_payload payload_of(const struct drxi_attr *attr)
{
    return (
        struct drxi_attr_payload){ attr->name, strlen(attr->name), attr->type, attr->is_text, attr->n, attr->values };
}

/* The bytes of everything but the changes. */
static int64_t other_bytes(const struct drxi_state *s)
{
    size_t n = drxi_desc_bytes(s->made.ndim) + SYNC_BYTES + (drxi_state_packed(s) ? 8 : 0);

    if (s->stripes.n > 0)
        n += DRXI_RECORD_HEAD_BYTES + drxi_stripes_encode(&s->stripes, NULL);
    if (has_origin(s))
        n += DRXI_RECORD_HEAD_BYTES + drxi_origin_encode(s->made.ndim, s->origin, NULL);
    if (s->is_member)
        n += DRXI_RECORD_HEAD_BYTES + drxi_member_encode(&s->member, NULL);
    for (int j = 0; j < s->desc.ndim; j++)
        if (s->dim[j])
            n += DRXI_RECORD_HEAD_BYTES + drxi_name_encode(s->dim[j], strlen(s->dim[j]), NULL);
    for (int64_t i = 0; i < s->attrs.n; i++) {
        const struct drxi_attr_payload payload = payload_of(&s->attrs.item[i]);

        n += DRXI_RECORD_HEAD_BYTES + drxi_attr_encode(&payload, NULL);
    }
    return (int64_t)n;
}

int64_t drxi_log_compacted_bytes(const struct drxi_log *log)
{
    const struct drxi_state *s = &log->state;
    struct changes c;
    int64_t n;

    if (log->lone)
        return log->next->compacted_bytes(log);
    n = s->past.n + 4 * s->desc.ndim; /* as many as there may well be */
    if (!find_changes(s, &c))
        n = c.n;
    free_changes(&c);
    return other_bytes(s) + n * CHANGE_BYTES;
}

/* The new log in memory. */
struct composed {
    uint8_t *bytes;
    size_t n;
    uint64_t sequence;
    uint32_t crc;
    int64_t crc_at;
    uint16_t compaction;
};

/* The place for the payload of the next record; seal completes the record. */
static uint8_t *payload(const struct composed *l)
{
    return l->bytes + l->n + DRXI_RECORD_HEAD_BYTES;
}

static void seal(struct composed *l, enum drxi_kind kind, int arg, size_t payload_bytes)
{
    l->crc_at = (int64_t)l->n;
    l->crc = drxi_record_seal(l->bytes + l->n, payload_bytes, kind, arg, ++l->sequence, l->crc);
    l->n += DRXI_RECORD_HEAD_BYTES + payload_bytes;
}

static void put_first(const struct drxi_state *s, struct composed *l)
{
    if (s->stripes.n > 0)
        seal(l, DRXI_STRIPES, s->stripes.n, drxi_stripes_encode(&s->stripes, payload(l)));
    if (has_origin(s))
        seal(l, DRXI_ORIGIN, 0, drxi_origin_encode(s->made.ndim, s->origin, payload(l)));
}

static void put_names(const struct drxi_state *s, struct composed *l)
{
    if (s->is_member)
        seal(l, DRXI_MEMBER, 0, drxi_member_encode(&s->member, payload(l)));
    for (int j = 0; j < s->desc.ndim; j++)
        if (s->dim[j])
            seal(l, DRXI_DIM_NAME, j, drxi_name_encode(s->dim[j], strlen(s->dim[j]), payload(l)));
    for (int64_t i = 0; i < s->attrs.n; i++) {
        const struct drxi_attr_payload attr = payload_of(&s->attrs.item[i]);

        seal(l, drxi_attr_kind(attr.type), 0, drxi_attr_encode(&attr, payload(l)));
    }
}

static void put_changes(const struct changes *c, struct composed *l)
{
    for (int64_t i = 0; i < c->n; i++) {
        const struct change *change = &c->item[i];
        const size_t bytes = change->kind == DRXI_ADD_AXIS ? drxi_name_encode("", 0, payload(l))
                             : change->kind == DRXI_TRIM   ? drxi_trim_encode(&change->to.trim, payload(l))
                                                           : drxi_growth_encode(&change->to.growth, payload(l));

        seal(l, change->kind, change->axis, bytes);
    }
}

static bool has_trim(const struct changes *c)
{
    for (int64_t i = 0; i < c->n; i++)
        if (c->item[i].kind == DRXI_TRIM)
            return true;
    return false;
}

/* The names follow new axes. */
static drx_status compose(const struct drxi_log *log, const struct changes *c, struct composed *l)
{
    const struct drxi_state *s = &log->state;
    const bool wider = s->desc.ndim > s->made.ndim;

    memset(l, 0, sizeof *l);
    l->bytes = drxi_malloc((size_t)(other_bytes(s) + (c->n + 1) * CHANGE_BYTES));
    if (!l->bytes)
        return DRX_ENOMEM;
    l->crc = drxi_desc_encode(&s->made, l->bytes);
    l->n = drxi_desc_bytes(s->made.ndim);
    put_first(s, l);
    if (!wider)
        put_names(s, l);
    put_changes(c, l);
    if (wider)
        put_names(s, l);
    if (s->trimmed && !has_trim(c))
        seal(l, DRXI_TRIM, 0, drxi_trim_encode(&(struct drxi_trimming){ 0, s->lower[0], s->upper[0] }, payload(l)));
    l->compaction = s->trimmed ? (uint16_t)(s->compaction + 1) : s->compaction;
    seal(l, DRXI_SYNC, l->compaction, drxi_sync_encode(s->map.chunks, s->epoch, payload(l)));
    return DRX_OK;
}

static drx_status write_new(const struct drxi_log *log, const struct composed *l, drxi_io **out)
{
    drx_status st = drxi_files->open(log->io->path, DRXI_NEW, out);

    if (!st)
        st = (*out)->ops->lock(*out, DRXI_LOCK_ALONE);
    if (!st)
        st = (*out)->ops->write(*out, l->bytes, l->n, 0);
    return st ? st : (*out)->ops->sync(*out);
}

/* Whether the old log still has its name, in spite of the failure to replace it. */
static bool is_still_named(const struct drxi_log *log)
{
    char detail[DRXI_DETAIL_BYTES];
    bool named = false;
    drx_status st;

    drxi_report_keep(detail);
    st = log->io->ops->named(log->io, &named);
    drxi_report_set(detail);
    return !st && named;
}

/* Names change under the folder's lock, so nobody who removes or replaces the array looks at the old log meanwhile. */
drx_status drxi_log_take_name(struct drxi_log *log, drxi_io *io)
{
    drxi_io *folder = NULL;
    drx_status st = drxi_files->lock_folder(log->io->path, &folder);

    if (!st) {
        st = io->ops->replace(io, log->io);
        if (st && !is_still_named(log))
            log->broken = st;
    }
    if (folder)
        (void)folder->ops->close(folder);
    return st;
}

/* The growth history of the new log. There is room. */
static void follow_changes(struct drxi_state *s, const struct changes *c)
{
    s->growths = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const struct change *change = &c->item[i];

        if (change->kind != DRXI_GROW && change->kind != DRXI_GROW_LOW)
            continue;
        s->growth_axis[s->growths] = (uint8_t)change->latest;
        s->growth_by[s->growths++] = change->kind == DRXI_GROW ? change->to.growth.by : -change->to.growth.by;
    }
}

/* Memory follows. */
static void follow(struct drxi_log *log, drxi_io *io, const struct changes *c, const struct composed *l)
{
    struct drxi_state *s = &log->state;
    drxi_io *const old = log->io;

    log->io = io;
    s->chain.end = (int64_t)l->n;
    s->chain.sequence = l->sequence;
    s->chain.crc = l->crc;
    s->chain.crc_at = l->crc_at;
    s->at_sync = true;
    s->compaction = l->compaction;
    drxi_state_promise(s);
    s->intent_open = false;
    follow_changes(s, c);
    (void)old->ops->close(old);
}

/* Tell those who have the old log open. */
static drx_status say_farewell(struct drxi_log *log, const struct composed *l)
{
    const struct drxi_successor next = { (int64_t)l->n, l->sequence, l->crc };
    uint8_t record[DRXI_RECORD_HEAD_BYTES + 24];

    return drxi_log_append(log, DRXI_REPLACED, 0, record,
                           drxi_successor_encode(&next, record + DRXI_RECORD_HEAD_BYTES));
}

static drx_status replace_log(struct drxi_log *log, const struct changes *c, const struct composed *l)
{
    drxi_io *io = NULL;
    drx_status st = write_new(log, l, &io);

    if (!st)
        st = say_farewell(log, l);
    if (!st)
        st = drxi_log_take_name(log, io);
    if (st) {
        if (io)
            (void)io->ops->close(io); /* which removes the file */
        return st;
    }
    st = drxi_files->sync_folder(io->path);
    if (st)
        log->broken = st;
    follow(log, io, c, l);
    return st;
}

static drx_status make_room(struct drxi_state *s, int64_t growths)
{
    const drx_status st = drxi_reserve(&s->growth_axis, &s->growth_axis_room, growths, sizeof *s->growth_axis);

    return st ? st : drxi_reserve(&s->growth_by, &s->growth_by_room, growths, sizeof *s->growth_by);
}

drx_status drxi_log_compact(struct drxi_log *log)
{
    struct changes c = { 0 };
    struct composed l = { 0 };
    drx_status st = log->io->ops->sole(log->io);

    if (!st && log->lone)
        return log->next->compact(log);
    if (!st && log->state.unknown_records)
        st = drxi_fail(DRX_EUNSUPPORTED, "%s: has records that this version does not know", log->io->path);
    if (!st)
        st = find_changes(&log->state, &c);
    if (!st)
        st = make_room(&log->state, c.n);
    if (!st)
        st = compose(log, &c, &l);
    if (!st)
        st = replace_log(log, &c, &l);
    free_changes(&c);
    drxi_free(l.bytes);
    return st;
}
