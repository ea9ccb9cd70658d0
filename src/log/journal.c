/* The log of a dataset: read, followed, and appended. */
#include "log/journal.h"

static const drx_status nonsense = DRX_EDAMAGED;

void drxi_journal_free(struct drxi_journal *j)
{
    drxi_journal_free_entries(j);
    if (j->io)
        (void)j->io->ops->close(j->io);
    memset(j, 0, sizeof *j);
}

static drx_status apply_dimension(struct drxi_journal *j, const struct drxi_record *record)
{
    struct drxi_dimension_record dim;

    if (!drxi_dimension_decode(record, &dim) || drxi_journal_find_dim(j, dim.name, dim.name_bytes) >= 0)
        return nonsense;
    return drxi_journal_put_dim(j, &dim);
}

/* Is the creation id that of a member, of any commit, or the name that of one whose files are there until the commit? */
static bool is_taken(const struct drxi_journal *j, const struct drxi_addition *add)
{
    const int64_t last = drxi_journal_find_name(j, add->name, add->name_bytes);

    return (last >= 0 && j->member[last].removed >= j->commits) || drxi_journal_find_id(j, add->id) >= 0;
}

static drx_status apply_addition(struct drxi_journal *j, const struct drxi_record *record)
{
    struct drxi_addition add;

    if (!drxi_addition_decode(record, &add) || is_taken(j, &add))
        return nonsense;
    for (int i = 0; i < add.ndim; i++)
        if (add.dim[i] >= j->dims)
            return nonsense;
    return drxi_journal_put_member(j, &add);
}

static drx_status apply_removal(struct drxi_journal *j, const struct drxi_record *record)
{
    struct drxi_record rest;
    int64_t member;

    if (!drxi_target_decode(record, &member, &rest) || rest.payload_bytes != 0 || member < 0 || member >= j->members ||
        j->member[member].removed != INT64_MAX)
        return nonsense;
    j->member[member].removed = j->commits;
    return DRX_OK;
}

/* A member that a commit has shown gets at most one axis in a transaction, of a dimension that has the index 0 alone. */
static drx_status apply_new_axis(struct drxi_journal *j, const struct drxi_record *record)
{
    struct drxi_new_axis what;

    if (!drxi_new_axis_decode(record, &what) || what.member < 0 || what.member >= j->members || what.dim >= j->dims)
        return nonsense;
    if (j->member[what.member].added >= j->commits || j->member[what.member].removed != INT64_MAX ||
        what.at > j->member[what.member].ndim || j->member[what.member].ndim == DRX_MAX_NDIM ||
        drxi_journal_first_axis(j, what.member, j->commits) >= 0 || j->dim[what.dim].bound[DRXI_LOW] != 0 ||
        j->dim[what.dim].bound[DRXI_HIGH] != 1)
        return nonsense;
    return drxi_journal_put_axis(j, &what);
}

/* Is the payload, of an attribute set or of a name, well-formed? */
static bool is_attr(const struct drxi_record *rest)
{
    struct drxi_attr_payload attr;
    const char *name;
    size_t n;

    return drxi_sets_attr(rest->kind) ? drxi_attr_decode(rest, &attr) : drxi_name_decode(rest, &name, &n) && n > 0;
}

static drx_status apply_attr(struct drxi_journal *j, const struct drxi_record *record)
{
    struct drxi_journal_attr *change;
    struct drxi_record rest;
    int64_t member;
    drx_status st;

    if (drxi_target_decode(record, &member, &rest) && (st = drxi_attr_check_type(&rest)))
        return st;
    if (!drxi_target_decode(record, &member, &rest) || member < -1 || member >= j->members || !is_attr(&rest))
        return nonsense;
    st = drxi_reserve(&j->attr_change, &j->attr_room, j->attr_changes + 1, sizeof *j->attr_change);
    if (st)
        return st;
    change = &j->attr_change[j->attr_changes];
    *change = (struct drxi_journal_attr){ j->commits, member, rest.kind, rest.payload_bytes,
                                          drxi_malloc(rest.payload_bytes) };
    if (!change->payload)
        return DRX_ENOMEM;
    memcpy(change->payload, rest.payload, rest.payload_bytes);
    j->attr_changes++;
    return DRX_OK;
}

/* Set or delete an attribute of the dataset itself. Nothing comes of deleting one that is not there. */
static drx_status settle_attr(struct drxi_journal *j, const struct drxi_journal_attr *change)
{
    const struct drxi_record record = { .kind = change->kind,
                                        .payload = change->payload,
                                        .payload_bytes = change->bytes };

    if (drxi_sets_attr(change->kind))
        return drxi_attrs_apply_set(&j->attrs, &record);
    (void)drxi_attrs_apply_delete(&j->attrs, &record);
    return DRX_OK;
}

/* Changes of the dataset go to its table, unless they went there already; those of members stay. */
static drx_status settle_attrs(struct drxi_journal *j)
{
    const int64_t first = drxi_journal_first_attr(j, j->commits);
    int64_t kept = first;
    drx_status st = DRX_OK;

    for (int64_t i = first; !st && !j->ahead && i < j->attr_changes; i++)
        if (j->attr_change[i].member < 0)
            st = settle_attr(j, &j->attr_change[i]);
    for (int64_t i = first; !st && i < j->attr_changes; i++) {
        if (j->attr_change[i].member < 0)
            drxi_free(j->attr_change[i].payload);
        else
            j->attr_change[kept++] = j->attr_change[i];
    }
    if (!st)
        j->attr_changes = kept;
    j->ahead = false;
    return st;
}

/* Does the change lead from the present bounds to others? */
static bool plausible(const struct drxi_journal *j, const struct drxi_dim_change *what)
{
    const int64_t *bound;
    int64_t after;

    if (what->dim >= j->dims)
        return false;
    bound = j->dim[what->dim].bound;
    if (!drxi_add(bound[what->end], what->end == DRXI_LOW ? -what->by : what->by, &after) || after != what->bound)
        return false;
    return what->end == DRXI_LOW ? drxi_is_span(after, bound[DRXI_HIGH]) : drxi_is_span(bound[DRXI_LOW], after);
}

/* Growths, then trims. */
static drx_status apply_changes(struct drxi_journal *j, const struct drxi_record *record, int n)
{
    bool trims = false;
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < n; i++) {
        struct drxi_dim_change what;

        if (!drxi_commit_change(record, i, &what) || (trims && what.by > 0) || !plausible(j, &what))
            return nonsense;
        trims = what.by < 0;
        st = drxi_journal_put_change(j, &what);
    }
    return st;
}

static drx_status finish_commit(struct drxi_journal *j, int64_t time, const char *message, size_t n)
{
    drx_status st = drxi_reserve(&j->commit, &j->commit_room, j->commits + 1, sizeof *j->commit);
    char *copy;

    if (st)
        return st;
    copy = drxi_journal_copy_text(message, n);
    if (!copy)
        return DRX_ENOMEM;
    if ((st = settle_attrs(j))) {
        drxi_free(copy);
        return st;
    }
    drxi_journal_settle_axes(j);
    j->commit[j->commits++] = (struct drxi_journal_commit){ time, copy };
    return DRX_OK;
}

static drx_status apply_commit(struct drxi_journal *j, const struct drxi_record *record)
{
    struct drxi_commit_record commit;
    drx_status st;

    if (!drxi_commit_decode(record, &commit) || commit.number != j->commits)
        return nonsense;
    st = apply_changes(j, record, commit.changes);
    return st ? st : finish_commit(j, commit.time, commit.message, commit.message_bytes);
}

static drx_status apply_kind(struct drxi_journal *j, const struct drxi_record *record)
{
    switch (record->kind) {
    case DRXI_DS_DIMENSION:
        return apply_dimension(j, record);
    case DRXI_DS_ADD:
        return apply_addition(j, record);
    case DRXI_DS_REMOVE:
        return apply_removal(j, record);
    case DRXI_DS_ATTR:
    case DRXI_DS_ATTR_LATER:
    case DRXI_DS_ATTR_DELETE:
        return apply_attr(j, record);
    case DRXI_DS_COMMIT:
        return apply_commit(j, record);
    case DRXI_DS_ADD_AXIS:
        return apply_new_axis(j, record);
    default:
        return record->kind >= DRXI_OPTIONAL
                   ? DRX_OK
                   : drxi_fail(DRX_EUNSUPPORTED, "a record of the unknown kind %d", record->kind);
    }
}

static drx_status apply(void *journal, const struct drxi_record *record)
{
    struct drxi_journal *j = journal;
    drx_status st = apply_kind(j, record);

    if (st)
        return st;
    drxi_chain_advance(&j->chain, record);
    if (record->kind == DRXI_DS_COMMIT)
        j->committed = j->chain;
    return DRX_OK;
}

static void rewind_to_commit(void *journal)
{
    drxi_journal_drop_pending(journal);
}

static const struct drxi_chain_kind datasets = { DRXI_DS_COMMIT, "dataset", apply, rewind_to_commit };

static drx_status read_records(struct drxi_journal *j, int64_t most, enum drxi_tail *tail)
{
    drx_status st = drxi_chain_read(j->io, most, &j->chain, &datasets, j, tail);

    drxi_attrs_pack(&j->attrs);
    if (!st && j->commits == 0)
        st = drxi_fail(DRX_EDAMAGED, "%s: holds no commit, expected at least one", j->io->path);
    return st;
}

static drx_status read_all(struct drxi_journal *j, int64_t most, enum drxi_tail *tail)
{
    uint8_t bytes[DRXI_DATASET_BYTES];
    size_t got;
    drx_status st = j->io->ops->read(j->io, bytes, sizeof bytes, 0, &got);

    *tail = DRXI_WHOLE;
    if (!st)
        st = drxi_dataset_decode(bytes, got, j->io->path, j->id, &j->chain.crc);
    if (st)
        return st;
    j->chain.crc_at = DRXI_DESC_CRC_AT;
    j->chain.end = DRXI_DATASET_BYTES;
    j->committed = j->chain;
    return read_records(j, most, tail);
}

drx_status drxi_journal_follow(struct drxi_journal *j)
{
    enum drxi_tail tail = DRXI_WHOLE;
    bool more = false;
    drx_status st = drxi_chain_continues(j->io, &j->chain, &more);

    if (!st && more)
        st = read_records(j, INT64_MAX, &tail);
    drxi_journal_drop_pending(j);
    return st ? st : tail == DRXI_DAMAGED ? DRX_EDAMAGED : DRX_OK;
}

void drxi_journal_put_back(struct drxi_journal *j, int64_t end)
{
    struct drxi_journal old = { .io = j->io };
    char detail[DRXI_DETAIL_BYTES];
    enum drxi_tail tail;

    if (j->committed.end == end)
        return;
    drxi_report_keep(detail);
    if (!read_all(&old, end, &tail) && old.committed.end == end) {
        drxi_journal_free_entries(j);
        *j = old;
    } else {
        drxi_journal_free_entries(&old);
    }
    drxi_report_set(detail);
}

static drx_status open_file(const char *folder, enum drxi_how how, drxi_io **out)
{
    char *name = drxi_format("%s/dataset.xds", folder);
    drx_status st = name ? drxi_files->open(name, how, out) : DRX_ENOMEM;

    if (!st && how != DRXI_READ)
        st = (*out)->ops->lock(*out, DRXI_LOCK_ALONE);
    drxi_free(name);
    return st;
}

drx_status drxi_journal_open(const char *folder, enum drxi_how how, struct drxi_journal *j, bool *cut)
{
    enum drxi_tail tail = DRXI_WHOLE;
    int64_t size = 0;
    drx_status st;

    memset(j, 0, sizeof *j);
    st = open_file(folder, how, &j->io);
    if (!st)
        st = read_all(j, INT64_MAX, &tail);
    if (!st && how == DRXI_WRITE)
        st = tail == DRXI_DAMAGED ? DRX_EDAMAGED : j->io->ops->size(j->io, &size);
    *cut = size > j->committed.end;
    if (st)
        drxi_journal_free(j);
    else if (how == DRXI_READ)
        drxi_journal_drop_pending(j);
    return st;
}

drx_status drxi_journal_mend(const char *folder, struct drxi_rest *rest)
{
    enum drxi_tail tail = DRXI_WHOLE;
    struct drxi_journal j = { 0 };
    drx_status st = open_file(folder, DRXI_WRITE, &j.io);

    *rest = (struct drxi_rest){ 0 };
    if (!st)
        st = read_all(&j, INT64_MAX, &tail);
    if (st == DRX_EDAMAGED && j.chain.end > 0) /* no commit is left, but a description */
        st = DRX_OK;
    if (!st && tail != DRXI_WHOLE)
        st = drxi_chain_look_at_rest(j.io, &j.chain, rest);
    if (!st && rest->flip.by)
        st = drxi_chain_mend(j.io, rest);
    drxi_journal_free(&j);
    return st;
}

drx_status drxi_journal_begin(const char *folder, const uint8_t id[], struct drxi_journal *j)
{
    uint8_t bytes[DRXI_DATASET_BYTES];
    drx_status st;

    memset(j, 0, sizeof *j);
    memcpy(j->id, id, sizeof j->id);
    st = folder ? open_file(folder, DRXI_NEW, &j->io) : drxi_memory_open(&j->io);
    j->chain.crc = drxi_dataset_encode(id, bytes);
    j->chain.crc_at = DRXI_DESC_CRC_AT;
    j->chain.end = DRXI_DATASET_BYTES;
    j->committed = j->chain;
    if (!st)
        st = j->io->ops->write(j->io, bytes, sizeof bytes, 0);
    j->unsynced = true;
    if (st)
        drxi_journal_free(j);
    return st;
}

drx_status drxi_journal_copy(const uint8_t bytes[], int64_t n, struct drxi_journal *j)
{
    enum drxi_tail tail;
    drx_status st;

    memset(j, 0, sizeof *j);
    st = drxi_memory_open(&j->io);
    if (!st)
        st = j->io->ops->write(j->io, bytes, (size_t)n, 0);
    if (!st)
        st = read_all(j, INT64_MAX, &tail);
    if (st)
        drxi_journal_free(j);
    return st;
}

/* Append the record whose payload stands at record + DRXI_RECORD_HEAD_BYTES, after it was applied in memory. */
static drx_status append(struct drxi_journal *j, enum drxi_dataset_kind kind, int arg, uint8_t *record, size_t bytes)
{
    bool lost = false;
    drx_status st = drxi_chain_append(j->io, &j->chain, kind, arg, record, bytes, &lost);

    if (st && lost)
        j->broken = st;
    j->unsynced = j->unsynced || !st;
    return st;
}

/* Apply and append: what cannot be appended is taken back. */
static drx_status change(struct drxi_journal *j, enum drxi_dataset_kind kind, int arg, uint8_t *buf, size_t bytes)
{
    const struct drxi_record record = {
        .kind = kind, .arg = arg, .payload = buf + DRXI_RECORD_HEAD_BYTES, .payload_bytes = bytes
    };
    drx_status st = apply_kind(j, &record);

    if (st)
        return st == nonsense ? drxi_fail(DRX_EINVAL, "dataset.xds: a record of kind %d cannot be", kind) : st;
    st = append(j, kind, arg, buf, bytes);
    if (st && kind == DRXI_DS_DIMENSION)
        drxi_journal_pop_dim(j);
    if (st && kind == DRXI_DS_ADD)
        drxi_journal_pop_member(j);
    if (st && kind == DRXI_DS_ADD_AXIS)
        j->axes--;
    if (st && (kind == DRXI_DS_ATTR || kind == DRXI_DS_ATTR_LATER || kind == DRXI_DS_ATTR_DELETE))
        drxi_free(j->attr_change[--j->attr_changes].payload);
    return st;
}

drx_status drxi_journal_add_dim(struct drxi_journal *j, const char *name, int64_t lower, int64_t upper, int *dim)
{
    const struct drxi_dimension_record d = { lower, upper, name, strlen(name) };
    uint8_t record[DRXI_RECORD_HEAD_BYTES + 32 + DRXI_NAME_MAX_BYTES];
    const size_t bytes = drxi_dimension_encode(&d, record + DRXI_RECORD_HEAD_BYTES);

    *dim = (int)j->dims;
    return change(j, DRXI_DS_DIMENSION, 0, record, bytes);
}

drx_status drxi_journal_add(struct drxi_journal *j, const struct drxi_addition *add)
{
    uint8_t record[DRXI_RECORD_HEAD_BYTES + DRXI_ID_BYTES + 4 * DRX_MAX_NDIM + 16 + DRXI_NAME_MAX_BYTES];
    const size_t bytes = drxi_addition_encode(add, record + DRXI_RECORD_HEAD_BYTES);

    return change(j, DRXI_DS_ADD, add->ndim, record, bytes);
}

drx_status drxi_journal_remove(struct drxi_journal *j, int64_t member)
{
    uint8_t record[DRXI_RECORD_HEAD_BYTES + DRXI_TARGET_BYTES];
    drx_status st;

    drxi_target_encode(member, record + DRXI_RECORD_HEAD_BYTES);
    st = change(j, DRXI_DS_REMOVE, 0, record, DRXI_TARGET_BYTES);
    if (st && j->member[member].removed == j->commits)
        j->member[member].removed = INT64_MAX;
    return st;
}

drx_status drxi_journal_add_axis(struct drxi_journal *j, const struct drxi_new_axis *what)
{
    uint8_t record[DRXI_RECORD_HEAD_BYTES + DRXI_NEW_AXIS_BYTES];

    drxi_new_axis_encode(what, record + DRXI_RECORD_HEAD_BYTES);
    return change(j, DRXI_DS_ADD_AXIS, what->at, record, DRXI_NEW_AXIS_BYTES);
}

drx_status drxi_journal_attr(struct drxi_journal *j, int64_t member, enum drxi_kind kind, const uint8_t *payload,
                             size_t bytes)
{
    uint8_t *record = drxi_malloc(DRXI_RECORD_HEAD_BYTES + DRXI_TARGET_BYTES + bytes);
    drx_status st;

    if (!record)
        return DRX_ENOMEM;
    drxi_target_encode(member, record + DRXI_RECORD_HEAD_BYTES);
    memcpy(record + DRXI_RECORD_HEAD_BYTES + DRXI_TARGET_BYTES, payload, bytes);
    st = change(j,
                kind == DRXI_ATTR         ? DRXI_DS_ATTR
                : kind == DRXI_ATTR_LATER ? DRXI_DS_ATTR_LATER
                                          : DRXI_DS_ATTR_DELETE,
                0, record, DRXI_TARGET_BYTES + bytes);
    drxi_free(record);
    if (st || member >= 0)
        return st;
    st = settle_attr(j, &j->attr_change[j->attr_changes - 1]);
    drxi_attrs_pack(&j->attrs);
    if (st) /* the record is there, and the table is not */
        j->broken = st;
    j->ahead = true;
    return st;
}

drx_status drxi_journal_sync(struct drxi_journal *j)
{
    drx_status st = j->unsynced ? j->io->ops->sync(j->io) : DRX_OK;

    if (st)
        j->broken = st;
    else
        j->unsynced = false;
    return st;
}

/* The record of the COMMIT, to be freed. */
static uint8_t *compose_commit(const struct drxi_journal *j, int64_t time, const char *message, size_t *bytes)
{
    const int64_t first = drxi_journal_first_change(j, j->commits);
    const int n = (int)(j->changes - first);
    struct drxi_dim_change *change = drxi_malloc((size_t)n * sizeof *change);
    const struct drxi_commit_record commit = { j->commits, time, n, message, strlen(message) };
    uint8_t *record = drxi_malloc(DRXI_RECORD_HEAD_BYTES + drxi_commit_encode(&commit, NULL, NULL));

    if (change && record) {
        for (int i = 0; i < n; i++)
            change[i] = j->change[first + i].what;
        *bytes = drxi_commit_encode(&commit, change, record + DRXI_RECORD_HEAD_BYTES);
    }
    if (!change) {
        drxi_free(record);
        record = NULL;
    }
    drxi_free(change);
    return record;
}

/* Append the record of the COMMIT, once all before it is durable. */
static drx_status append_commit(struct drxi_journal *j, int64_t time, const char *message)
{
    size_t bytes = 0;
    uint8_t *record = compose_commit(j, time, message, &bytes);
    drx_status st = record ? drxi_journal_sync(j) : DRX_ENOMEM;

    if (!st)
        st = drxi_reserve(&j->commit, &j->commit_room, j->commits + 1, sizeof *j->commit);
    if (!st)
        st = append(j, DRXI_DS_COMMIT, 0, record, bytes);
    drxi_free(record);
    return st;
}

drx_status drxi_journal_commit(struct drxi_journal *j, int64_t time, const char *message)
{
    drx_status st = drxi_journal_put_trims(j);

    if (st)
        return st;
    if ((st = append_commit(j, time, message))) {
        drxi_journal_drop_trims(j);
        return st;
    }
    if ((st = j->io->ops->sync(j->io))) {
        j->broken = st; /* nobody can know whether it will be there */
        return st;
    }
    j->unsynced = false;
    for (int64_t i = 0; i < j->dims; i++)
        memset(j->dim[i].cut, 0, sizeof j->dim[i].cut);
    st = finish_commit(j, time, message, strlen(message));
    if (st) /* it is committed, but this handle does not know all of it */
        j->broken = st;
    j->committed = j->chain;
    return st;
}

void drxi_journal_rewind(struct drxi_journal *j, struct drxi_journal_mark mark)
{
    char detail[DRXI_DETAIL_BYTES];
    drx_status st;

    drxi_report_keep(detail);
    st = j->io->ops->resize(j->io, mark.chain.end);
    drxi_report_set(detail);
    if (st)
        j->broken = st;
    while (j->members > mark.members)
        drxi_journal_pop_member(j);
    while (j->dims > mark.dims)
        drxi_journal_pop_dim(j);
    j->chain = mark.chain;
}

/* The table of attributes has pending changes, so all is read again. */
static drx_status read_again(struct drxi_journal *j)
{
    enum drxi_tail tail = DRXI_WHOLE;
    drxi_io *const io = j->io;
    drx_status st;

    drxi_journal_free_entries(j);
    memset(j, 0, sizeof *j);
    j->io = io;
    st = read_all(j, INT64_MAX, &tail);
    if (!st && tail == DRXI_DAMAGED)
        st = DRX_EDAMAGED;
    return st;
}

drx_status drxi_journal_abort(struct drxi_journal *j)
{
    const bool ahead = j->ahead;
    drx_status st = j->io->ops->resize(j->io, j->committed.end);

    if (!st)
        st = j->io->ops->sync(j->io);
    if (!st) {
        drxi_journal_drop_pending(j);
        j->unsynced = false;
        st = ahead ? read_again(j) : DRX_OK;
    }
    if (st)
        j->broken = st;
    return st;
}
