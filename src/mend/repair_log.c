/* Mending a damaged log.
 *
 * Invariants
 *   1. Good bytes are never overwritten. Bytes that a checksum proves replace bad ones: the log is then, byte for
 *      byte, what it was.
 *   2. Where that is impossible, but the growth is certain, a new log of all that is known replaces the old one at
 *      once, as in compaction. Before that, the old one is durable under another name.
 *   3. Otherwise nothing changes. */
#include "format/crc.h"
#include "mend/repair.h"

enum { KINDS_TOLD = DRXI_KINDS };

static const char *name_of(int kind)
{
    static const char *const names[KINDS_TOLD] = {
        "?",
        "a growth",
        "the announcement of an append",
        "a SYNC",
        "an attribute",
        "the deletion of an attribute",
        "the name of an axis",
        "the stripes",
        "its place in a dataset",
        "the first indices",
        "a growth",
        "the announcement of an append",
        "a trim",
        "a new axis",
        "an attribute",
    };

    return kind > 0 && kind < KINDS_TOLD ? names[kind] : "a record of a later version";
}

static drx_status read_all(drxi_io *io, uint8_t **bytes, int64_t *n)
{
    size_t got = 0;
    drx_status st = io->ops->size(io, n);

    *bytes = st ? NULL : drxi_malloc((size_t)*n);
    if (!*bytes)
        return st ? st : DRX_ENOMEM;
    st = io->ops->read(io, *bytes, (size_t)*n, 0, &got);
    *n = (int64_t)got;
    return st;
}

static drx_status write_durably(drxi_io *io, const uint8_t *bytes, size_t n, int64_t at)
{
    drx_status st = io->ops->write(io, bytes, n, at);

    return st ? st : io->ops->sync(io);
}

drx_status drxi_repair_description(struct drxi_repair *r, bool *done)
{
    drxi_io *meta = r->a->log.io;
    char detail[DRXI_DETAIL_BYTES];
    uint8_t *bytes;
    int64_t n;
    drx_status st;

    drxi_report_keep(detail);
    st = read_all(meta, &bytes, &n);
    *done = !st && drxi_desc_mend(bytes, (size_t)n);
    if (!st && !*done)
        drxi_report_set(detail); /* what is wrong with the record */
    if (*done)
        st = write_durably(meta, bytes, drxi_get32(bytes + 12), 0);
    if (*done && !st)
        drxi_repaired(r, "%s: the description (bytes 0 to %u) was damaged; its checksum proves what it was: put back",
                      meta->path, (unsigned)drxi_get32(bytes + 12));
    drxi_free(bytes);
    return st;
}

static drx_status put_back(struct drxi_repair *r, const struct drxi_gap *gap, size_t bytes)
{
    drxi_io *meta = r->a->log.io;
    const uint8_t *const record = gap->bytes + gap->begin;
    drx_status st = write_durably(meta, record, bytes, gap->begin);

    if (!st)
        drxi_repaired(r, "%s: record %llu at offset %lld was damaged: %s; its checksum proves what it was: put back",
                      meta->path, (unsigned long long)drxi_get64(record + 16), (long long)gap->begin,
                      name_of(drxi_get16(record + 12)));
    return st;
}

/* Apply the records that follow. The deletion of a lost attribute deletes nothing. */
static drx_status apply(struct drxi_state *s, const uint8_t *bytes, int64_t n)
{
    struct drxi_record record;
    drx_status st = DRX_OK;

    while (!st && drxi_record_decode(bytes + s->chain.end, (size_t)(n - s->chain.end), &record) &&
           record.prev == s->chain.crc && record.sequence == s->chain.sequence + 1) {
        st = drxi_state_apply(s, &record);
        if (st == DRX_EDAMAGED && record.kind == DRXI_ATTR_DELETE) {
            s->chain.crc_at = s->chain.end;
            s->chain.end += (int64_t)record.bytes;
            s->chain.sequence = record.sequence;
            s->chain.crc = record.crc;
            st = DRX_OK;
        }
    }
    drxi_attrs_pack(&s->attrs);
    return st;
}

static drx_status cross(struct drxi_repair *r, struct drxi_gap *gap, bool *certain)
{
    struct drxi_growth growth[DRX_MAX_NDIM];
    struct drxi_state *s = gap->state;
    const char *const name = r->a->log.io->path;
    const unsigned long long first = s->chain.sequence + 1, last = s->chain.sequence + gap->lost;
    drx_status st = DRX_OK;
    int n;

    *certain = drxi_gap_bridge(gap, growth, &n);
    drxi_repaired(r,
                  "%s: records %llu to %llu, offsets %lld to %lld, are damaged, and nothing proves what they were: %s",
                  name, first, last, (long long)gap->begin, (long long)gap->end,
                  *certain ? "attributes and names that were set in them are lost"
                           : "they may have been growth, without which the place of what follows is not certain");
    for (int i = 0; !st && *certain && i < n; i++) {
        struct drxi_step step;

        st = drxi_state_prepare(s, growth[i].axis, DRXI_HIGH, growth[i].by, &step);
        if (!st)
            drxi_state_grow(s, &step);
        drxi_repaired(r, "%s: axis %d grew by %lld to %lld in them, as later records tell", name, growth[i].axis,
                      (long long)growth[i].by, (long long)growth[i].bound);
    }
    s->chain.end = gap->end;
    s->chain.sequence += gap->lost;
    s->chain.crc = gap->last_crc;
    s->intent_open = s->at_sync = false;
    return st;
}

/* Build the state of all records that are there. */
static drx_status understand(struct drxi_repair *r, uint8_t *bytes, int64_t n, bool *certain)
{
    struct drxi_state *s = &r->a->log.state;
    struct drxi_gap gap;
    drx_status st = DRX_OK;

    *certain = true;
    while (!st && *certain && drxi_gap_find(s, bytes, n, &gap)) {
        if (drxi_gap_prove(&gap) == 0)
            st = cross(r, &gap, certain);
        if (!st && *certain)
            st = apply(s, bytes, n);
        if (st == DRX_EDAMAGED || st == DRX_EOVERFLOW) { /* the growth does not fit what follows */
            *certain = false;
            st = DRX_OK;
        }
    }
    drxi_attrs_pack(&s->attrs);
    drxi_data_follow(&r->a->data);
    return st;
}

/* Whether the data are no longer than what is known; an append that was going on may have left some. */
static drx_status fits_data(struct drxi_repair *r, bool *fits)
{
    drx_array *a = r->a;
    bool damaged = false;
    int64_t size;
    drx_status st = drxi_data_check_length(&a->data, &size, &damaged);

    *fits = !damaged;
    for (int k = 0; !st && k < drxi_stripes_count(a->data.file->io); k++) {
        drxi_io *file = drxi_stripes_file(a->data.file->io, k);

        st = file->ops->size(file, &size);
        *fits = *fits && (size <= drxi_data_length(&a->data, k) || a->log.state.intent_open);
    }
    if (!st && !*fits)
        drxi_repaired(r, "%s: %lld chunks are known, but the data have another number", a->log.io->path,
                      (long long)a->log.state.map.chunks);
    return st;
}

static drx_status write_new(struct drxi_repair *r)
{
    drx_array *a = r->a;
    char *kept = NULL;
    drx_status st = a->log.io->ops->sole(a->log.io);

    if (!st)
        st = drxi_keep_log(r, &kept);
    if (!st)
        st = drxi_recover(a, DRXI_WHOLE);
    if (!st)
        st = drxi_make_durable(&a->log, a->data.file->io);
    if (!st) {
        st = drxi_compact_log(a);
        if (st && !a->log.broken)
            (void)drxi_files->remove(kept);
    }
    if (!st)
        drxi_repaired(r, "%s: a new log was made of what is known; the old one is kept as %s", a->log.io->path, kept);
    drxi_free(kept);
    return st;
}

static drx_status rebuild(struct drxi_repair *r, uint8_t *bytes, int64_t n, bool *done)
{
    const uint64_t known = r->a->log.state.chain.sequence;
    bool certain;
    drx_status st = understand(r, bytes, n, &certain);

    certain =
        certain && r->a->data.file->io && !r->a->log.state.is_member; /* of whose elements its dataset knows more */
    if (!st && certain)
        st = fits_data(r, &certain);
    if (!st && !certain)
        drxi_repaired(
            r,
            "%s: nothing else was changed; it can be opened to read, as it was after record %llu, and cannot be "
            "written",
            r->a->log.io->path, (unsigned long long)known);
    *done = !st && certain;
    return *done ? write_new(r) : st;
}

drx_status drxi_repair_last(struct drxi_repair *r, bool *done)
{
    drxi_io *meta = r->a->log.io;
    struct drxi_rest rest;
    drx_status st = drxi_chain_look_at_rest(meta, &r->a->log.state.chain, &rest);

    *done = !st && rest.flip.by != 0;
    if (*done)
        st = drxi_chain_mend(meta, &rest);
    if (*done && !st)
        drxi_repaired(r,
                      "%s: a bit of the last record, number %llu, at offset %lld, was wrong: %s; its checksum proves "
                      "what it was: put back",
                      meta->path, (unsigned long long)rest.sequence, (long long)(rest.offset + (int64_t)rest.flip.at),
                      name_of(rest.kind));
    return st;
}

drx_status drxi_repair_log(struct drxi_repair *r, bool *done)
{
    struct drxi_gap gap;
    uint8_t *bytes;
    int64_t n;
    drx_status st = drxi_repair_last(r, done);

    if (st || *done)
        return st;
    st = read_all(r->a->log.io, &bytes, &n);
    if (!st && drxi_gap_find(&r->a->log.state, bytes, n, &gap)) {
        const uint32_t before = drxi_crc32c(0, bytes + gap.begin, (size_t)(n - gap.begin));
        const size_t proved = drxi_gap_prove(&gap);

        /* a record that is as its checksum says, and yet cannot be, stays what it is */
        *done = proved > 0 && drxi_crc32c(0, bytes + gap.begin, (size_t)(n - gap.begin)) != before;
        st = *done ? put_back(r, &gap, proved) : rebuild(r, bytes, n, done);
    } else if (!st) {
        drxi_repaired(
            r,
            "%s: the record at offset %lld is whole, but says what cannot be: that is no damage of bytes, and "
            "cannot be mended",
            r->a->log.io->path, (long long)r->a->log.state.chain.end);
    }
    drxi_free(bytes);
    return st;
}
