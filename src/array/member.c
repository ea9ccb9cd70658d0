/* An array as a variable of a dataset. The journal of the dataset decides what is committed; the log of the array
 * repeats it, so that the array can be read alone.
 *
 * Invariants
 *   1. A dataset makes the elements durable, then commits, then settles: one write appends to the log of each member its
 *      growths, trims and attributes, and a MEMBER record that names the commit. This need not be durable: what a crash
 *      takes from the log, the next writer appends again, before it does anything else.
 *   2. So a log ends at some moment of the history of commits: so many changes of bounds after the commit that its last
 *      MEMBER names. When its bounds are not those of that moment, the array changed outside of its dataset, and nothing
 *      is done to it.
 *   3. What a trim has freed goes back to the file system when the TRIM is durable, with a SYNC after it, so that nobody
 *      gives it back again. */
#include "array/array.h"

/* Records for the log of a member. */
struct settling {
    const drx_array *a;
    const struct drxi_journal *j;
    const struct drxi_journal_member *m;
    int64_t member;
    uint8_t *bytes;
    int64_t n, room;
    bool moves;                  /* trims or new axes are among them */
    struct drxi_chain chain;     /* after them */
    int ndim, dim[DRX_MAX_NDIM]; /* of the member, on the way through the journal, */
    int64_t at[2][DRX_MAX_NDIM]; /* and the bounds of its axes, by end */
};

/* A place for the payload of the next record. */
static drx_status reserve(struct settling *s, size_t payload_bytes)
{
    return drxi_reserve(&s->bytes, &s->room, s->n + DRXI_RECORD_HEAD_BYTES + (int64_t)payload_bytes, 1);
}

static uint8_t *payload(const struct settling *s)
{
    return s->bytes + s->n + DRXI_RECORD_HEAD_BYTES;
}

static void seal(struct settling *s, enum drxi_kind kind, int arg, size_t payload_bytes)
{
    s->chain.crc_at = s->chain.end;
    s->chain.crc = drxi_record_seal(s->bytes + s->n, payload_bytes, kind, arg, ++s->chain.sequence, s->chain.crc);
    s->chain.end += DRXI_RECORD_HEAD_BYTES + (int64_t)payload_bytes;
    s->n += DRXI_RECORD_HEAD_BYTES + (int64_t)payload_bytes;
}

static bool has_bounds(const struct settling *s, int ndim, const int64_t lower[], const int64_t upper[])
{
    const size_t bytes = (size_t)s->ndim * sizeof *lower;

    return (s->ndim == ndim || s->ndim == 0) && memcmp(s->at[DRXI_LOW], lower, bytes) == 0 &&
           memcmp(s->at[DRXI_HIGH], upper, bytes) == 0;
}

static bool has_present_bounds(const struct settling *s)
{
    const struct drxi_state *state = &s->a->log.state;

    return has_bounds(s, state->desc.ndim, state->lower, state->upper);
}

static bool was_made_so(const struct settling *s)
{
    const struct drxi_state *state = &s->a->log.state;
    int64_t upper[DRX_MAX_NDIM];

    for (int axis = 0; axis < state->made.ndim; axis++)
        upper[axis] = state->origin[axis] + state->made.shape[axis];
    return has_bounds(s, state->made.ndim, state->origin, upper);
}

/* The first change of bounds after what the last MEMBER of the log names, and the bounds before it. A member that is new
 * in a transaction came between two of its growths: where the dataset had the bounds that the array was made with. */
static int64_t first_change(struct settling *s)
{
    const struct drxi_journal *j = s->j;
    const int64_t settled = s->a->log.state.member.settled;
    int64_t first = drxi_journal_first_change(j, settled + 1);

    s->ndim = drxi_journal_dims(j, s->member, settled, s->dim);
    for (int axis = 0; axis < s->ndim; axis++) {
        int64_t bound[2];

        drxi_journal_bounds_before(j, s->dim[axis], first, bound);
        s->at[DRXI_LOW][axis] = bound[DRXI_LOW];
        s->at[DRXI_HIGH][axis] = bound[DRXI_HIGH];
    }
    for (; settled < s->m->added && first < j->changes && j->change[first].commit == s->m->added && !was_made_so(s);
         first++)
        for (int axis = 0; axis < s->ndim; axis++)
            if (s->dim[axis] == j->change[first].what.dim)
                s->at[j->change[first].what.end][axis] = j->change[first].what.bound;
    return first;
}

/* The record of a change of one axis. */
static drx_status add_change(struct settling *s, int axis, const struct drxi_dim_change *what)
{
    const struct drxi_growth growth = { axis, what->end, what->by, what->bound };
    const struct drxi_trimming trim = { axis, s->at[DRXI_LOW][axis], s->at[DRXI_HIGH][axis] };
    drx_status st;

    if (what->by > 0) {
        if (!(st = reserve(s, drxi_growth_encode(&growth, NULL))))
            seal(s, drxi_grow_kind(what->end), axis, drxi_growth_encode(&growth, payload(s)));
    } else if (!(st = reserve(s, drxi_trim_encode(&trim, NULL)))) {
        seal(s, DRXI_TRIM, axis, drxi_trim_encode(&trim, payload(s)));
        s->moves = true;
    }
    return st;
}

/* Its record, and from now on it is there. The axis that the array of a scalar has gets the name. */
static drx_status add_axis(struct settling *s, const struct drxi_new_axis *what, bool record)
{
    const char *name = s->j->dim[what->dim].name;
    const int at = what->at;
    const size_t n = strlen(name), rest = (size_t)(s->ndim - at);
    drx_status st = record ? reserve(s, drxi_name_encode(name, n, NULL)) : DRX_OK;

    if (!st && record) {
        seal(s, s->ndim == 0 ? DRXI_DIM_NAME : DRXI_ADD_AXIS, at, drxi_name_encode(name, n, payload(s)));
        s->moves = true;
    }
    memmove(s->dim + at + 1, s->dim + at, rest * sizeof *s->dim);
    s->dim[at] = what->dim;
    for (int end = 0; end < 2; end++) {
        memmove(s->at[end] + at + 1, s->at[end] + at, rest * sizeof **s->at);
        s->at[end][at] = end == DRXI_HIGH;
    }
    s->ndim++;
    return st;
}

/* Steps through what the journal says of the shape of a member. */
struct walk {
    int64_t upto, has; /* commits; steps that the log has */
    int64_t change, axis, n;
    bool met; /* the bounds after the steps that the log has are those of the array */
};

static void step(const struct settling *s, struct walk *w)
{
    w->met = w->met || (w->n == w->has && has_present_bounds(s));
    w->n++;
}

static drx_status walk_change(struct settling *s, struct walk *w)
{
    const struct drxi_dim_change *what = &s->j->change[w->change++].what;
    drx_status st = DRX_OK;

    for (int axis = 0; !st && axis < s->ndim; axis++) {
        if (s->dim[axis] != what->dim)
            continue;
        step(s, w);
        s->at[what->end][axis] = what->bound;
        if (w->n > w->has)
            st = add_change(s, axis, what);
    }
    return st;
}

/* Records of the changes of commits up to w->upto, but for the first w->has of them. */
static drx_status add_changes(struct settling *s, struct walk *w)
{
    const struct drxi_journal *j = s->j;
    drx_status st = DRX_OK;

    w->change = first_change(s);
    w->axis = drxi_journal_first_axis(j, s->member, s->a->log.state.member.settled + 1);
    while (!st) {
        const int64_t change = w->change < j->changes ? j->change[w->change].commit : INT64_MAX,
                      axis = w->axis >= 0 ? j->axis[w->axis].commit : INT64_MAX;

        if (drxi_min(change, axis) > w->upto)
            break;
        if (change <= axis) {
            st = walk_change(s, w);
        } else {
            const bool scalar = s->ndim == 0;

            if (!scalar)
                step(s, w);
            st = add_axis(s, &j->axis[w->axis].what, scalar || w->n > w->has);
            w->axis = drxi_journal_first_axis(j, s->member, axis + 1);
        }
    }
    w->met = w->met || (w->n == w->has && has_present_bounds(s));
    return st;
}

/* The name of the attribute that change i sets or deletes. */
static struct drxi_key attr_name(const void *journal, int64_t i)
{
    const struct drxi_journal_attr *change = &((const struct drxi_journal *)journal)->attr_change[i];
    const struct drxi_record record = { .kind = change->kind,
                                        .payload = change->payload,
                                        .payload_bytes = change->bytes };
    struct drxi_attr_payload attr = { .name = "" };

    if (change->kind == DRXI_ATTR_DELETE)
        (void)drxi_name_decode(&record, &attr.name, &attr.name_bytes);
    else
        (void)drxi_attr_decode(&record, &attr);
    return (struct drxi_key){ attr.name, attr.name_bytes };
}

/* Is the attribute that change i deletes there? An interrupted settling may have deleted it already. `seen` has the last
 * change of each name before this one. */
static bool is_there(const struct settling *s, const struct drxi_index *seen, int64_t i)
{
    const struct drxi_key name = attr_name(s->j, i);
    const int64_t last = drxi_index_find(seen, (struct drxi_keys){ attr_name, s->j }, name.bytes, name.n);

    if (last >= 0)
        return s->j->attr_change[last].kind != DRXI_ATTR_DELETE;
    return drxi_attrs_find(&s->a->log.state.attrs, name.bytes, name.n) >= 0;
}

static drx_status add_attrs(struct settling *s, int64_t upto, bool all)
{
    const struct drxi_journal *j = s->j;
    const struct drxi_keys names = { attr_name, j };
    struct drxi_index seen = { .n = 0 };
    drx_status st = DRX_OK;

    for (int64_t i = drxi_journal_first_attr(j, s->a->log.state.member.settled + 1);
         !st && i < j->attr_changes && j->attr_change[i].commit <= upto; i++) {
        const struct drxi_journal_attr *change = &j->attr_change[i];

        if (change->member != s->member)
            continue;
        if (all || change->kind != DRXI_ATTR_DELETE || is_there(s, &seen, i)) {
            if ((st = reserve(s, change->bytes)))
                break;
            memcpy(payload(s), change->payload, change->bytes);
            seal(s, change->kind, 0, change->bytes);
        }
        if (!(st = drxi_index_reserve(&seen, names)))
            drxi_index_set(&seen, names, i);
    }
    drxi_index_free(&seen);
    return st;
}

/* `all`: the log has nothing of what the handle has, as the handle of the transaction has it. */
static drx_status compose(struct settling *s, int64_t upto, bool all)
{
    const struct drxi_state *state = &s->a->log.state;
    struct drxi_membership member = { .settled = upto };
    struct walk walk = { .upto = upto, .has = all ? 0 : state->steps };
    drx_status st = add_changes(s, &walk);

    if (!st && !all && !walk.met)
        return drxi_fail(DRX_EMISMATCH,
                         "%s: its bounds are none that the dataset gave it from commit %lld to %lld: it grew outside "
                         "of its dataset",
                         s->a->parts.label, (long long)state->member.settled, (long long)upto);
    if (!st)
        st = add_attrs(s, upto, all);
    if (!st)
        st = reserve(s, drxi_member_encode(&member, NULL));
    if (st || (s->n == 0 && state->is_member && state->steps == 0)) /* nothing to say */
        return st;
    memcpy(member.dataset, s->j->id, sizeof member.dataset);
    seal(s, DRXI_MEMBER, 0, drxi_member_encode(&member, payload(s)));
    return DRX_OK;
}

/* Append the records in one write. */
static drx_status write_records(drx_array *a, const struct settling *s)
{
    drx_status st = a->log.io->ops->write(a->log.io, s->bytes, (size_t)s->n, a->log.state.chain.end);
    char detail[DRXI_DETAIL_BYTES];

    if (!st)
        return DRX_OK;
    drxi_report_keep(detail);
    if (a->log.io->ops->resize(a->log.io, a->log.state.chain.end))
        a->log.broken = st;
    drxi_report_set(detail);
    return st;
}

static drx_status apply_records(drx_array *a, const struct settling *s)
{
    const bool fixed_axes = a->log.state.fixed_axes;
    struct drxi_record record;
    drx_status st = DRX_OK;

    a->log.state.fixed_axes = false; /* nobody has the handle yet */
    for (int64_t at = 0; !st && at < s->n; at += (int64_t)record.bytes)
        if (drxi_record_decode(s->bytes + at, (size_t)(s->n - at), &record))
            st = drxi_state_apply(&a->log.state, &record);
        else
            return drxi_fail(DRX_EDAMAGED, "%s: a record of its dataset cannot be read", a->parts.label);
    a->log.state.fixed_axes = fixed_axes;
    drxi_data_follow(&a->data);
    drxi_attrs_pack(&a->log.state.attrs);
    return st == DRX_EDAMAGED ? drxi_fail(st, "%s: what its dataset committed contradicts what it has", a->parts.label)
                              : st;
}

static drx_status follow_trim(drx_array *a, const struct drxi_record *record)
{
    struct drxi_trimming trim;
    drx_status st = drxi_trim_decode(record, &trim) ? drxi_state_prepare_trim(&a->log.state, &trim) : DRX_EDAMAGED;

    if (!st)
        drxi_apply_trim(a, &trim);
    return st;
}

/* A new axis, or the name of the one that a scalar has. */
static drx_status follow_axis(drx_array *a, const struct drxi_record *record)
{
    const bool is_new = record->kind == DRXI_ADD_AXIS;
    const char *name;
    size_t n;
    char *kept = drxi_name_decode(record, &name, &n) ? drxi_format("%.*s", (int)n, name) : NULL;
    drx_status st = !kept ? DRX_ENOMEM : is_new ? drxi_state_prepare_axis(&a->log.state) : DRX_OK;

    drxi_data_follow(&a->data); /* vectors may lie elsewhere */
    if (st)
        drxi_free(kept);
    else if (!is_new)
        drxi_state_set_dim(&a->log.state, record->arg, kept);
    else
        drxi_apply_axis(a, record->arg, kept);
    return st;
}

/* The state has all of it, but for the trims and new axes, and where the log ends. */
static drx_status follow_records(drx_array *a, const struct settling *s, int64_t upto)
{
    struct drxi_state *state = &a->log.state;
    struct drxi_record record;
    drx_status st = DRX_OK;

    for (int64_t at = 0; !st && at < s->n; at += (int64_t)record.bytes) {
        if (!drxi_record_decode(s->bytes + at, (size_t)(s->n - at), &record))
            return DRX_EDAMAGED;
        if (record.kind == DRXI_TRIM)
            st = follow_trim(a, &record);
        else if (record.kind == DRXI_ADD_AXIS || record.kind == DRXI_DIM_NAME)
            st = follow_axis(a, &record);
    }
    state->chain = s->chain;
    state->at_sync = false;
    state->is_member = true;
    state->member.settled = upto;
    memcpy(state->member.dataset, s->j->id, sizeof state->member.dataset);
    state->synced_chunks = state->map.chunks;
    state->ever_synced = true;
    state->steps = 0;
    return st;
}

drx_status drxi_member_settle(drx_array *a, const struct drxi_journal *j, int64_t member, int64_t upto,
                              enum drxi_settling how)
{
    struct settling s = { .a = a, .j = j, .m = &j->member[member], .member = member, .chain = a->log.state.chain };
    const struct drxi_chain before = a->log.state.chain;
    drx_status st;

    if (a->log.state.member.settled >= upto)
        return DRX_OK;
    st = compose(&s, upto, how == DRXI_SETTLE_LOG);
    if (!st && s.n == 0) /* known from now on, though no record says it */
        a->log.state.member.settled = upto;
    if (st || s.n == 0) {
        drxi_free(s.bytes);
        return st;
    }
    if (how != DRXI_SETTLE_STATE)
        st = write_records(a, &s);
    if (!st && how == DRXI_SETTLE_LOG)
        st = follow_records(a, &s, upto);
    else if (!st)
        st = apply_records(a, &s);
    if (how == DRXI_SETTLE_STATE)
        a->log.state.chain = before;
    else if (st && s.moves) /* what comes later would lie elsewhere */
        a->log.broken = st;
    drxi_free(s.bytes);
    return st;
}

/* The journal of the dataset beside `path` that lists an array of that creation id; *member is -1: there is none. */
static drx_status find_dataset(const char *path, const uint8_t id[], struct drxi_journal *j, int64_t *member)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? drxi_format("%.*s", (int)(slash - path), path) : drxi_strdup(".");
    bool cut;
    drx_status st = folder ? drxi_journal_open(*folder ? folder : "/", DRXI_READ, j, &cut) : DRX_ENOMEM;

    *member = -1;
    drxi_free(folder);
    if (st == DRX_ENOENT) {
        drxi_report_clear();
        return DRX_OK;
    }
    if (!st)
        *member = drxi_journal_find_id(j, id);
    if (*member >= 0 && !drxi_journal_has(j, *member, j->commits - 1))
        *member = -1;
    return st;
}

/* Is there a file dataset.xds beside `path`? */
static bool is_in_dataset(const char *path, struct drxi_looked *there)
{
    const char *slash = strrchr(path, '/');
    char *name = slash ? drxi_format("%.*sdataset.xds", (int)(slash + 1 - path), path) : drxi_strdup("dataset.xds");

    there->there = true;
    if (name)
        drxi_files->look(name, true, there);
    drxi_free(name);
    return there->there;
}

drx_status drxi_refuse_member(const char *path)
{
    struct drxi_journal j = { .io = NULL };
    struct drxi_log log = { .io = NULL };
    struct drxi_looked there;
    int64_t member = -1;
    char *name;
    drx_status st;

    if (!is_in_dataset(path, &there))
        return DRX_OK;
    name = drxi_format("%s.xmd", path);
    st = name ? drxi_files->open(name, DRXI_READ, &log.io) : DRX_ENOMEM;
    if (!st)
        st = drxi_log_describe(&log);
    if (!st)
        st = find_dataset(path, log.state.desc.id, &j, &member);
    else if (st != DRX_ENOMEM) /* it is nobody's, or its own error comes later */
        st = DRX_OK;
    if (!st && member >= 0)
        st =
            drxi_fail(DRX_EINVAL,
                      "%s: a variable of the dataset in its folder: `drx rm %s` or drx_dataset_remove removes it there",
                      path, path);
    else if (!st)
        drxi_report_clear();
    drxi_state_free(&log.state);
    if (log.io)
        (void)log.io->ops->close(log.io);
    drxi_journal_free(&j);
    drxi_free(name);
    return st;
}

drx_status drxi_member_catch_up(drx_array *a, enum drxi_tail *tail)
{
    struct drxi_journal own = { .io = NULL };
    const struct drxi_journal *j = a->journal ? a->journal : &own;
    int64_t member = a->journal ? drxi_journal_find_id(a->journal, a->log.state.desc.id) : -1;
    drx_status st = a->journal ? DRX_OK : find_dataset(a->path, a->log.state.desc.id, &own, &member);

    if (!st && member >= 0) {
        a->in_dataset = true;
        if (*tail == DRXI_TORN)
            st = drxi_cut_tail(a);
        *tail = DRXI_WHOLE;
        if (!st)
            st = drxi_member_settle(a, j, member, j->commits - 1, DRXI_SETTLE_BOTH);
    }
    drxi_journal_free(&own);
    return st;
}

drx_status drxi_member_mark(drx_array *a, const uint8_t dataset[], int64_t settled)
{
    struct drxi_membership member = { .settled = settled };
    uint8_t record[DRXI_RECORD_HEAD_BYTES + DRXI_ID_BYTES + 8];
    drx_status st;

    memcpy(member.dataset, dataset, sizeof member.dataset);
    st = drxi_log_append(&a->log, DRXI_MEMBER, 0, record, drxi_member_encode(&member, record + DRXI_RECORD_HEAD_BYTES));
    if (!st) {
        a->log.state.is_member = true;
        a->log.state.member = member;
    }
    return st;
}

drx_status drxi_member_sync(drx_array *a)
{
    const struct drxi_deferral *defer = a->log.defer;
    const bool packed = a->data.file->pack && a->data.file->pack->unsynced, freed = drxi_freed_any(&a->log.state.freed);
    drx_status st;

    if (a->replica)
        drxi_freed_clear(&a->log.state.freed);
    if (a->replica && packed)
        a->data.file->pack->unsynced = false;
    if ((!packed && !freed) || a->replica)
        return DRX_OK;
    st = drxi_data_sync(&a->data);
    a->log.defer = NULL;
    if (!st) /* a lost record before a SYNC would be damage */
        st = drxi_make_durable(&a->log, a->log.io);
    if (!st && freed)
        st = drxi_data_give_back(&a->data, &a->log.state.freed);
    if (!st)
        st = drxi_log_append_sync(&a->log);
    a->log.defer = defer;
    if (!st && packed)
        a->data.file->pack->unsynced = false;
    return st;
}

drx_status drxi_member_grow(drx_array *a, int axis, enum drxi_end end, int64_t by)
{
    struct drxi_change c;
    drx_status st = drxi_wait_to_grow(a, axis, end);

    if (st)
        return st;
    drxi_change_start(&c);
    drxi_claim_change(a);
    a->in_dataset = false;
    st = drxi_check_log(a);
    if (!st)
        st = drxi_prepare_growth(a, axis, end, by, false, &c);
    if (!st && a->replica)
        c.publish(a, &c);
    else if (!st)
        st = drxi_change_run(a, &c, &drxi_alone);
    drxi_change_end(&c);
    a->in_dataset = true;
    drxi_gate_open(&a->gate);
    return st;
}

/* Read the log anew, and give the data its length. On failure the state is the one before. */
static drx_status read_anew(drx_array *a, const struct drxi_journal *j, int64_t member)
{
    struct drxi_state before = a->log.state;
    enum drxi_tail tail = DRXI_WHOLE;
    drx_status st;

    memset(&a->log.state, 0, sizeof a->log.state);
    st = drxi_log_describe(&a->log);
    if (!st)
        st = drxi_log_read(&a->log, &tail);
    if (!st)
        drxi_data_follow(&a->data);
    if (!st)
        st = tail == DRXI_DAMAGED ? DRX_EDAMAGED : tail == DRXI_TORN ? drxi_cut_tail(a) : DRX_OK;
    if (!st)
        st = drxi_member_settle(a, j, member, j->commits - 1, DRXI_SETTLE_BOTH);
    if (st) {
        drxi_state_free(&a->log.state);
        a->log.state = before;
        drxi_data_follow(&a->data);
        return st;
    }
    drxi_state_free(&before);
    return a->replica ? DRX_OK : drxi_recover(a, DRXI_WHOLE);
}

drx_status drxi_member_restore(drx_array *a, const struct drxi_journal *j, int64_t member)
{
    const struct drxi_deferral *defer = a->log.defer;
    drx_status st;

    drxi_finish_requests(a);
    drxi_gate_shut(&a->gate);
    a->log.defer = NULL;
    st = a->data.file->pool ? drxi_pool_flush(a->data.file->pool) : DRX_OK;
    if (!st)
        st = read_anew(a, j, member);
    drxi_data_resized(&a->data);
    a->log.defer = defer;
    if (st)
        a->log.broken = st;
    drxi_gate_open(&a->gate);
    return st;
}
