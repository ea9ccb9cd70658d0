/* The records of a run, judged and applied (spec/drx-format.md, sections 4 and 5.1). */
#include "store/kinds.h"

/* ---- things ---- */

bool drxi_ends_like_a_file(struct drxi_text t)
{
    static const char *const endings[] = { ".xta", ".xcs", ".xtz", ".xct", ".xmd", ".xds" };

    for (size_t i = 0; t.n >= 4 && i < sizeof endings / sizeof *endings; i++)
        if (memcmp(t.p + t.n - 4, endings[i], 4) == 0)
            return true;
    return false;
}

static drx_status apply_group(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    const uint16_t in = drxi_field16(&f);
    const struct drxi_text name = drxi_field_text(&f), folder = drxi_field_text(&f);
    struct drxi_group *g;
    drx_status st = drxi_end_fields(&f);

    if (st)
        return st;
    if (s->kind == DRXI_LONE_ARRAY)
        return drxi_cannot("a group in a lone array");
    if (!drxi_is_path_name(name, DRXI_PATH_NAME_BYTES) || !drxi_is_path_name(folder, DRXI_STEM_BYTES) ||
        drxi_ends_like_a_file(folder))
        return drxi_cannot("the name or the folder of a group");
    st = drxi_store_add(s, DRXI_A_GROUP, record->number, in, name, sizeof *g, &g);
    return st ? st : drxi_store_set_stem(s, &g->thing, folder);
}

static drx_status apply_dimension(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    const uint16_t in = drxi_field16(&f);
    int64_t lower, upper;
    struct drxi_dimension *d;
    struct drxi_text name;
    drx_status st;

    drxi_field_zeros(&f, 6);
    lower = drxi_field64(&f);
    upper = drxi_field64(&f);
    name = drxi_field_text(&f);
    if ((st = drxi_end_fields(&f)))
        return st;
    if (!drxi_is_span(lower, upper))
        return drxi_cannot("bounds that no dimension has");
    if (!(s->kind == DRXI_LONE_ARRAY && name.n == 0) && !drxi_is_path_name(name, DRXI_PATH_NAME_BYTES))
        return drxi_cannot("the name of a dimension");
    if ((st = drxi_store_add(s, DRXI_A_DIMENSION, record->number, in, name, sizeof *d, &d)))
        return st;
    d->lower = lower;
    d->upper = upper;
    d->ever = upper - lower;
    return DRX_OK;
}

/* ---- bounds ---- */

static drx_status apply_grow(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    const int64_t by = drxi_field64(&f), bound = drxi_field64(&f);
    struct drxi_dimension *d;
    int64_t is, lower, upper;
    drx_status st = drxi_end_about(&f, s, DRXI_A_DIMENSION, record->number, &d);

    if (st)
        return st;
    if (by == 0 || !drxi_add(by < 0 ? d->lower : d->upper, by, &is) || is != bound)
        return drxi_cannot("a growth to a bound that is not the sum");
    lower = by < 0 ? bound : d->lower;
    upper = by < 0 ? d->upper : bound;
    if (!drxi_is_span(lower, upper))
        return drxi_cannot("a growth beyond 64 bits");
    if (d->trimmed == s->run.number)
        return drxi_cannot("a growth of a dimension that this transaction has trimmed");
    if ((st = drxi_note_step(s, record, (struct drxi_change_of){ .number = record->number, .a = by, .b = bound })))
        return st;
    d->lower = lower;
    d->upper = upper;
    d->growths++;
    if (by == INT64_MIN || !drxi_add(d->ever, by < 0 ? -by : by, &d->ever))
        d->ever = INT64_MAX;
    return DRX_OK;
}

static drx_status apply_trim(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    const int64_t lower = drxi_field64(&f), upper = drxi_field64(&f);
    struct drxi_dimension *d;
    drx_status st = drxi_end_about(&f, s, DRXI_A_DIMENSION, record->number, &d);

    if (st)
        return st;
    if (lower < d->lower || lower > upper || upper > d->upper)
        return drxi_cannot("a trim to bounds that are not inside");
    if ((st = drxi_note_step(s, record, (struct drxi_change_of){ .number = record->number, .a = lower, .b = upper })))
        return st;
    d->lower = lower;
    d->upper = upper;
    d->trimmed = s->run.number;
    s->last_trim = record->sequence;
    return DRX_OK;
}

/* ---- names ---- */

static drx_status apply_rename(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_thing *t;
    struct drxi_text name;
    bool may_be_empty;
    int what;
    drx_status st = drxi_read_subject(s, record, &what, &name, &t);

    if (st)
        return st;
    if (what == DRXI_THE_STORE || (what == DRXI_A_VARIABLE && s->kind == DRXI_LONE_ARRAY) ||
        (what == DRXI_A_TYPE && drxi_store_group(s, t->group)->thing.removed))
        return drxi_cannot("a new name of what keeps its name");
    may_be_empty = what == DRXI_A_DIMENSION && s->kind == DRXI_LONE_ARRAY;
    if (!(may_be_empty && name.n == 0) && !drxi_is_path_name(name, DRXI_PATH_NAME_BYTES))
        return drxi_cannot("a name that nothing can have");
    return drxi_store_rename(s, t, name);
}

static drx_status apply_remove(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_thing *t;
    int what;
    drx_status st = drxi_read_subject(s, record, &what, NULL, &t);

    if (st)
        return st;
    if (s->kind == DRXI_LONE_ARRAY || (what != DRXI_A_GROUP && what != DRXI_A_VARIABLE))
        return drxi_cannot("a removal of what is never removed alone");
    drxi_store_remove(s, t);
    return DRX_OK;
}

/* ---- what counts ---- */

static drx_status apply_commit(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    const int64_t number = drxi_field64(&f), time = drxi_field64(&f);
    const struct drxi_text message = drxi_field_long_text(&f);
    struct drxi_commit *c;
    drx_status st = drxi_end_fields(&f);

    if (st)
        return st;
    if (record->number != 0 || !(record->flags & DRXI_C) || number != s->next_commit)
        return drxi_cannot("a commit without an end, or with another number than the next");
    if (s->commits > 0 && s->commit[s->commits - 1].number == INT64_MAX) /* a BASE can lead there */
        return drxi_cannot("a commit after the largest number");
    if (message.n > DRXI_MOST_MESSAGE_BYTES || !drxi_is_utf8(message.p, message.n))
        return drxi_cannot("the message of a commit");
    if ((st = drxi_reserve(&s->commit, &s->commit_room, s->commits + 1, sizeof *s->commit)))
        return st;
    c = &s->commit[s->commits];
    *c = (struct drxi_commit){ number, time, NULL, record->sequence, record->at + (int64_t)record->bytes };
    if (message.n > 0 && !(c->message = drxi_copy_with_nul(message.p, message.n)))
        return DRX_ENOMEM;
    s->commits++;
    s->next_commit += number < INT64_MAX;
    return DRX_OK;
}

static drx_status apply_sync(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    drx_status st;

    (void)s;
    drxi_field_zeros(&f, 8);
    if ((st = drxi_end_fields(&f)))
        return st;
    return record->number == 0 && record->flags & DRXI_C ? DRX_OK : drxi_cannot("a promise without an end");
}

static drx_status apply_base(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    const uint64_t trim = (uint64_t)drxi_field64(&f);
    const int64_t commit = drxi_field64(&f);
    uint16_t largest[DRXI_WHATS] = { 0 };
    drx_status st;

    for (int what = DRXI_A_GROUP; what < DRXI_WHATS; what++)
        largest[what] = drxi_field16(&f);
    if ((st = drxi_end_fields(&f)))
        return st;
    if (record->at != DRXI_LOG_AT || record->number != 0)
        return drxi_cannot("a begin inside the log");
    s->base.is = true;
    s->base.sequence = record->sequence;
    memcpy(s->base.largest, largest, sizeof largest);
    s->last_trim = trim;
    s->next_commit = commit;
    return DRX_OK;
}

/* ---- runs ---- */

static drx_status (*const apply_kind[DRXI_LOG_KINDS])(struct drxi_store *, const struct drxi_log_record *) = {
    [DRXI_LOG_GROUP] = apply_group,
    [DRXI_LOG_DIMENSION] = apply_dimension,
    [DRXI_LOG_VARIABLE] = drxi_read_variable_record,
    [DRXI_LOG_TYPE] = drxi_read_type_record,
    [DRXI_LOG_GROW] = apply_grow,
    [DRXI_LOG_TRIM] = apply_trim,
    [DRXI_LOG_AXIS] = drxi_read_axis_record,
    [DRXI_LOG_RENAME] = apply_rename,
    [DRXI_LOG_REMOVE] = apply_remove,
    [DRXI_LOG_ATTRIBUTE] = drxi_read_attribute_record,
    [DRXI_LOG_EPOCH] = drxi_read_epoch_record,
    [DRXI_LOG_ATTRIBUTE_DELETE] = drxi_read_attribute_delete_record,
    [DRXI_LOG_STRIPES] = drxi_read_stripes_record,
    [DRXI_LOG_SOURCE] = drxi_read_source_record,
    [DRXI_LOG_COMMIT] = apply_commit,
    [DRXI_LOG_SYNC] = apply_sync,
    [DRXI_LOG_BASE] = apply_base
};

static uint32_t bit(int kind)
{
    return UINT32_C(1) << kind;
}

/* In a lone array each dimension is that of one axis. */
static bool are_axes(const struct drxi_store *s)
{
    const struct drxi_variable *v = drxi_store_variable(s, 1);
    int64_t n = 0;

    for (int64_t i = 1; i <= s->dimension.largest; i++)
        n += s->dimension.of[i] != NULL;
    if (!v || n != v->ndim)
        return false;
    for (int j = 0; j < v->ndim; j++)
        for (int k = 0; k < j; k++)
            if (v->dim[j] == v->dim[k])
                return false;
    return true;
}

static drx_status end_run(struct drxi_store *s, int kind)
{
    const uint32_t axis = bit(DRXI_LOG_AXIS), sync = bit(DRXI_LOG_SYNC), epoch = bit(DRXI_LOG_EPOCH);
    const uint32_t beside_axis = axis | epoch | bit(DRXI_LOG_DIMENSION) | bit(DRXI_LOG_COMMIT);
    const uint32_t axes = axis | bit(DRXI_LOG_DIMENSION) | bit(DRXI_LOG_VARIABLE);
    const uint32_t kinds = s->run.kinds;

    if (s->run.awaited)
        return drxi_cannot("a striped variable without stripes");
    if (s->kind == DRXI_DATASET && kind != DRXI_LOG_COMMIT && !(s->commits > 0 ? kind == DRXI_LOG_SYNC : s->base.is))
        return drxi_cannot("an end that no transaction of a dataset has");
    if ((kinds & sync && kinds & ~(sync | epoch)) || (kinds & axis && kinds & ~beside_axis))
        return drxi_cannot("records that do not go together in one transaction");
    if (s->kind == DRXI_LONE_ARRAY && (kinds & axes || !drxi_store_variable(s, 1)) && !are_axes(s))
        return drxi_cannot("dimensions that are not those of its axes");
    if (s->alike > 0)
        return drxi_cannot("two things of one name");
    s->run.kinds = 0;
    s->run.number++;
    return DRX_OK;
}

drx_status drxi_store_apply(struct drxi_store *s, const struct drxi_log_record *record)
{
    const int kind = record->kind;
    drx_status st = DRX_OK;

    if (s->run.number == 0)
        s->run.number = 1;
    if (kind < DRXI_LOG_OPTIONAL) {
        if (s->run.awaited && (kind != DRXI_LOG_STRIPES || record->number != s->run.awaited))
            return drxi_cannot("a striped variable without stripes");
        if (kind >= DRXI_LOG_KINDS || record->flags & ~DRXI_C)
            return drxi_fail(DRX_EUNSUPPORTED, "a record of kind %d, flags %#x, which this version does not know", kind,
                             (unsigned)record->flags);
        if ((st = apply_kind[kind](s, record)))
            return st;
        s->run.kinds |= bit(kind);
    } else {
        s->optional = true;
    }
    if (!st && record->flags & DRXI_C)
        st = end_run(s, kind);
    if (st)
        return st;
    if (record->flags & DRXI_C && s->commits == 0)
        s->counted = record->sequence;
    s->ends_with_sync = kind == DRXI_LOG_SYNC;
    s->last_sync = s->ends_with_sync ? record->sequence : s->last_sync;
    s->sync_at = s->ends_with_sync ? record->at : s->sync_at;
    s->named += kind == DRXI_LOG_ATTRIBUTE || kind == DRXI_LOG_ATTRIBUTE_DELETE || kind == DRXI_LOG_RENAME ||
                kind == DRXI_LOG_SOURCE;
    s->end = (struct drxi_log_place){ record->at + (int64_t)record->bytes, record->at, record->sequence, record->crc };
    if (record->flags & DRXI_C)
        s->counts = s->end;
    return DRX_OK;
}
