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
    struct drxi_dimension dim;

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

/* Is the payload, of an attribute set or of a name, well-formed? */
static bool is_attr(const struct drxi_record *rest)
{
    struct drxi_attr_payload attr;
    const char *name;
    size_t n;

    return rest->kind == DRXI_ATTR ? drxi_attr_decode(rest, &attr) : drxi_name_decode(rest, &name, &n) && n > 0;
}

static drx_status apply_attr(struct drxi_journal *j, const struct drxi_record *record)
{
    struct drxi_journal_attr *change;
    struct drxi_record rest;
    int64_t member;
    drx_status st;

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

    if (change->kind == DRXI_ATTR)
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

static drx_status note_growth(struct drxi_journal *j, const struct drxi_dim_growth *what)
{
    drx_status st = drxi_reserve(&j->growth, &j->growth_room, j->growths + 1, sizeof *j->growth);

    if (st)
        return st;
    j->growth[j->growths++] = (struct drxi_journal_growth){ j->commits, *what };
    j->dim[what->dim].bound = what->bound;
    return DRX_OK;
}

static drx_status apply_growths(struct drxi_journal *j, const struct drxi_record *record, int n)
{
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < n; i++) {
        struct drxi_dim_growth what;
        int64_t bound;

        if (!drxi_commit_growth(record, i, &what) || what.dim >= j->dims ||
            !drxi_add(j->dim[what.dim].bound, what.by, &bound) || bound != what.bound)
            return nonsense;
        st = note_growth(j, &what);
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
    j->commit[j->commits++] = (struct drxi_journal_commit){ time, copy };
    return DRX_OK;
}

static drx_status apply_commit(struct drxi_journal *j, const struct drxi_record *record)
{
    struct drxi_commit commit;
    drx_status st;

    if (!drxi_commit_decode(record, &commit) || commit.number != j->commits)
        return nonsense;
    st = apply_growths(j, record, commit.growths);
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
    case DRXI_DS_ATTR_DELETE:
        return apply_attr(j, record);
    case DRXI_DS_COMMIT:
        return apply_commit(j, record);
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

static drx_status read_records(struct drxi_journal *j, enum drxi_tail *tail)
{
    drx_status st = drxi_chain_read(j->io, &j->chain, &datasets, j, tail);

    drxi_attrs_pack(&j->attrs);
    if (!st && j->commits == 0)
        st = drxi_fail(DRX_EDAMAGED, "%s: holds no commit, expected at least one", j->io->path);
    return st;
}

static drx_status read_all(struct drxi_journal *j, enum drxi_tail *tail)
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
    return read_records(j, tail);
}

drx_status drxi_journal_follow(struct drxi_journal *j, bool *more)
{
    const int64_t before = j->commits;
    enum drxi_tail tail = DRXI_WHOLE;
    drx_status st = drxi_chain_continues(j->io, &j->chain, more);

    if (!st && *more)
        st = read_records(j, &tail);
    drxi_journal_drop_pending(j);
    *more = j->commits > before;
    return st ? st : tail == DRXI_DAMAGED ? DRX_EDAMAGED : DRX_OK;
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
        st = read_all(j, &tail);
    if (!st && how == DRXI_WRITE)
        st = tail == DRXI_DAMAGED ? DRX_EDAMAGED : j->io->ops->size(j->io, &size);
    *cut = size > j->committed.end;
    if (st)
        drxi_journal_free(j);
    else if (how == DRXI_READ)
        drxi_journal_drop_pending(j);
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
        st = read_all(j, &tail);
    if (st)
        drxi_journal_free(j);
    return st;
}

/* Two growths are one, unless a member was added between them: it begins with the bounds at that moment. */
static bool merges(const struct drxi_journal *j, int64_t last, int dim)
{
    return last >= 0 && j->growth[last].commit == j->commits && j->growth[last].what.dim == dim &&
           (j->members == 0 || j->member[j->members - 1].grows_from <= last);
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
    if (st && (kind == DRXI_DS_ATTR || kind == DRXI_DS_ATTR_DELETE))
        drxi_free(j->attr_change[--j->attr_changes].payload);
    return st;
}

drx_status drxi_journal_add_dim(struct drxi_journal *j, const char *name, int64_t bound, int *dim)
{
    const struct drxi_dimension d = { 0, bound, name, strlen(name) };
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

drx_status drxi_journal_attr(struct drxi_journal *j, int64_t member, enum drxi_kind kind, const uint8_t *payload,
                             size_t bytes)
{
    uint8_t *record = drxi_malloc(DRXI_RECORD_HEAD_BYTES + DRXI_TARGET_BYTES + bytes);
    drx_status st;

    if (!record)
        return DRX_ENOMEM;
    drxi_target_encode(member, record + DRXI_RECORD_HEAD_BYTES);
    memcpy(record + DRXI_RECORD_HEAD_BYTES + DRXI_TARGET_BYTES, payload, bytes);
    st = change(j, kind == DRXI_ATTR ? DRXI_DS_ATTR : DRXI_DS_ATTR_DELETE, 0, record, DRXI_TARGET_BYTES + bytes);
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

drx_status drxi_journal_grow(struct drxi_journal *j, int dim, int64_t by)
{
    const int64_t last = j->growths - 1;
    struct drxi_dim_growth what = { dim, by, 0 };

    if (!drxi_add(j->dim[dim].bound, by, &what.bound))
        return drxi_fail(DRX_EOVERFLOW, "dimension '%s': growing by %lld from %lld overflows 64 bits", j->dim[dim].name,
                         (long long)by, (long long)j->dim[dim].bound);
    if (!merges(j, last, dim))
        return note_growth(j, &what);
    j->growth[last].what.by += by;
    j->growth[last].what.bound = j->dim[dim].bound = what.bound;
    return DRX_OK;
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
    const int64_t first = drxi_journal_first_growth(j, j->commits);
    const int n = (int)(j->growths - first);
    struct drxi_dim_growth *growth = drxi_malloc((size_t)n * sizeof *growth);
    const struct drxi_commit commit = { j->commits, time, n, message, strlen(message) };
    uint8_t *record = drxi_malloc(DRXI_RECORD_HEAD_BYTES + drxi_commit_encode(&commit, NULL, NULL));

    if (growth && record) {
        for (int i = 0; i < n; i++)
            growth[i] = j->growth[first + i].what;
        *bytes = drxi_commit_encode(&commit, growth, record + DRXI_RECORD_HEAD_BYTES);
    }
    if (!growth) {
        drxi_free(record);
        record = NULL;
    }
    drxi_free(growth);
    return record;
}

drx_status drxi_journal_commit(struct drxi_journal *j, int64_t time, const char *message)
{
    size_t bytes = 0;
    uint8_t *record = compose_commit(j, time, message, &bytes);
    drx_status st = record ? drxi_journal_sync(j) : DRX_ENOMEM;

    if (!st)
        st = drxi_reserve(&j->commit, &j->commit_room, j->commits + 1, sizeof *j->commit);
    if (!st)
        st = append(j, DRXI_DS_COMMIT, 0, record, bytes);
    drxi_free(record);
    if (st)
        return st;
    if ((st = j->io->ops->sync(j->io))) {
        j->broken = st; /* nobody can know whether it will be there */
        return st;
    }
    j->unsynced = false;
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
    st = read_all(j, &tail);
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
