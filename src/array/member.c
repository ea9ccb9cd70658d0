/* An array as a variable of a dataset. The journal of the dataset decides what is committed; the log of the array
 * repeats it, so that the array can be read alone.
 *
 * Invariants
 *   1. A dataset makes the elements durable, then commits, then settles: one write appends to the log of each member its
 *      growths and attributes, and a MEMBER record that names the commit. This need not be durable: what a crash takes
 *      from the log, the next writer appends again, before it does anything else.
 *   2. So the bounds in a log are those at some moment of the history of commits. Bounds that are not are an array that
 *      grew outside of its dataset, and nothing is done to it. */
#include "array/array.h"

/* Records for the log of a member. */
struct settling {
    const drx_array *a;
    const struct drxi_journal *j;
    const struct drxi_journal_member *m;
    int64_t member;
    uint8_t *bytes;
    int64_t n, room;
    struct drxi_chain chain; /* after them */
};

static int axis_count(const struct settling *s)
{
    return s->m->ndim;
}

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

/* The first growth that the log may lack. */
static int64_t first_growth(const struct settling *s)
{
    return drxi_max(drxi_journal_first_growth(s->j, s->a->log.state.member.settled + 1), s->m->grows_from);
}

/* The growths of commits up to `upto` that the bounds `at` do not have yet. *known: the bounds were met. */
static drx_status add_growths(struct settling *s, int64_t upto, int64_t at[], const int64_t shape[], bool *known)
{
    const struct drxi_journal *j = s->j;
    drx_status st = DRX_OK;

    *known = memcmp(at, shape, (size_t)axis_count(s) * sizeof *at) == 0;
    for (int64_t i = first_growth(s); !st && i < j->growths && j->growth[i].commit <= upto; i++) {
        for (int axis = 0; !st && axis < axis_count(s); axis++) {
            const struct drxi_growth growth = { axis, j->growth[i].what.by, j->growth[i].what.bound };

            if (s->m->dim[axis] != j->growth[i].what.dim)
                continue;
            if (*known && !(st = reserve(s, drxi_growth_encode(&growth, NULL))))
                seal(s, DRXI_GROW, axis, drxi_growth_encode(&growth, payload(s)));
            at[axis] = growth.bound;
            *known = *known || memcmp(at, shape, (size_t)axis_count(s) * sizeof *at) == 0;
        }
    }
    return st;
}

/* The name of the attribute that change i sets or deletes. */
static struct drxi_key attr_name(const void *journal, int64_t i)
{
    const struct drxi_journal_attr *change = &((const struct drxi_journal *)journal)->attr_change[i];
    const struct drxi_record record = { .payload = change->payload, .payload_bytes = change->bytes };
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
        return s->j->attr_change[last].kind == DRXI_ATTR;
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
        if (all || change->kind == DRXI_ATTR || is_there(s, &seen, i)) {
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

static drx_status compose(struct settling *s, int64_t upto, bool all)
{
    const struct drxi_state *state = &s->a->log.state;
    struct drxi_membership member = { .settled = upto };
    int64_t at[DRX_MAX_NDIM], before[DRX_MAX_NDIM];
    bool known = true;
    drx_status st;

    for (int axis = 0; axis < axis_count(s); axis++)
        before[axis] = at[axis] = drxi_journal_bound_before(s->j, s->m->dim[axis], first_growth(s));
    st = add_growths(s, upto, at, all ? before : state->shape, &known);
    if (!st && !known)
        return drxi_fail(DRX_EMISMATCH,
                         "%s: its bounds are none that the dataset gave it from commit %lld to %lld: it grew outside "
                         "of its dataset",
                         s->a->parts.label, (long long)state->member.settled, (long long)upto);
    if (!st)
        st = add_attrs(s, upto, all);
    if (!st)
        st = reserve(s, drxi_member_encode(&member, NULL));
    if (st || (s->n == 0 && state->is_member)) /* nothing to say */
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
    struct drxi_record record;
    drx_status st = DRX_OK;

    for (int64_t at = 0; !st && at < s->n; at += (int64_t)record.bytes)
        if (drxi_record_decode(s->bytes + at, (size_t)(s->n - at), &record))
            st = drxi_state_apply(&a->log.state, &record);
        else
            return drxi_fail(DRX_EDAMAGED, "%s: a record of its dataset cannot be read", a->parts.label);
    drxi_attrs_pack(&a->log.state.attrs);
    return st == DRX_EDAMAGED ? drxi_fail(st, "%s: what its dataset committed contradicts what it has", a->parts.label)
                              : st;
}

/* The state has all of it, but for where the log ends. */
static void follow_records(drx_array *a, const struct settling *s, int64_t upto)
{
    struct drxi_state *state = &a->log.state;

    state->chain = s->chain;
    state->at_sync = false;
    state->is_member = true;
    state->member.settled = upto;
    memcpy(state->member.dataset, s->j->id, sizeof state->member.dataset);
    state->synced_chunks = state->map.chunks;
    state->ever_synced = true;
}

drx_status drxi_member_settle(drx_array *a, const struct drxi_journal *j, int64_t member, int64_t upto,
                              enum drxi_settling how)
{
    struct settling s = { a, j, &j->member[member], member, NULL, 0, 0, a->log.state.chain };
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
        follow_records(a, &s, upto);
    else if (!st)
        st = apply_records(a, &s);
    if (how == DRXI_SETTLE_STATE)
        a->log.state.chain = before;
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
        st = drxi_fail(DRX_EINVAL, "%s: a variable of the dataset beside it: remove it there, with drx_dataset_remove",
                       path);
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

drx_status drxi_member_grow(drx_array *a, int axis, int64_t by)
{
    struct drxi_step step;
    drx_status st = drxi_wait_to_grow(a, axis);

    if (st)
        return st;
    drxi_gate_shut(&a->gate);
    a->in_dataset = false;
    st = drxi_check_log(a);
    if (!st)
        st = drxi_prepare_growth(a, axis, by, &step);
    if (!st && a->replica)
        drxi_follow_growth(a, &step);
    else if (!st)
        st = drxi_extend(a, &step);
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
        st = tail == DRXI_DAMAGED ? DRX_EDAMAGED : tail == DRXI_TORN ? drxi_cut_tail(a) : DRX_OK;
    if (!st)
        st = drxi_member_settle(a, j, member, j->commits - 1, DRXI_SETTLE_BOTH);
    if (st) {
        drxi_state_free(&a->log.state);
        a->log.state = before;
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
    st = a->data.pool ? drxi_pool_flush(a->data.pool) : DRX_OK;
    if (!st)
        st = read_anew(a, j, member);
    drxi_data_resized(&a->data);
    a->log.defer = defer;
    if (st)
        a->log.broken = st;
    drxi_gate_open(&a->gate);
    return st;
}
