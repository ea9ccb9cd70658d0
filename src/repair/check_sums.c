/* Verifying the checksum of each chunk that has one that counts, and reporting those that have none. Chunks that
 * matched as the data were read (check_fold.c) are not read again. */
#include "data/sums.h"
#include "repair/check.h"

enum { PIECE_BYTES = DRXI_ITEM_MAX_BYTES, MOST_FINDINGS = 20 };

struct verifying {
    struct drxi_check *c;
    int64_t verified, wrong, in_flight, lost, unwritten, trimmed;
    int64_t first_in_flight, first_lost, first_unwritten; /* chunks */
    struct drxi_extent stored;
};

static drx_status note_wrong(struct verifying *v, drx_status st)
{
    if (st == DRX_ENOMEM)
        return st;
    if (v->wrong++ < MOST_FINDINGS)
        drxi_found(v->c, DRX_ERROR, "%s", drx_last_error());
    return DRX_OK;
}

static void count_chunk(int64_t *n, int64_t *first, int64_t address)
{
    if ((*n)++ == 0)
        *first = address;
}

/* A chunk without a checksum holds the fill, or nobody can tell. */
static drx_status look_at_unwritten(struct verifying *v, int64_t address)
{
    drx_array *a = v->c->a;
    const int64_t offset = address * a->data.chunk_pitch_bytes;
    const int64_t piece = PIECE_BYTES - PIECE_BYTES % (int64_t)a->data.item_bytes;
    const uint8_t *const fill = drxi_keep_swapped(a->data.fill, a->data.item_bytes, a->data.type);
    uint8_t bytes[PIECE_BYTES];
    bool stored;
    drx_status st = fill ? drxi_sums_is_stored(&a->data, address, &v->stored, &stored) : DRX_ENOMEM;

    if (st || !stored)
        return st;
    for (int64_t at = 0; !st && at < a->data.chunk_bytes; at += piece) {
        const int64_t n = drxi_min(a->data.chunk_bytes - at, piece);
        size_t got;

        st = a->data.file->io->ops->read(a->data.file->io, bytes, (size_t)n, offset + at, &got);
        if (!st && got == 0)
            break; /* missing bytes are fill */
        if (!st && !drxi_is_filled(bytes, (int64_t)(got / a->data.item_bytes), fill, a->data.item_bytes)) {
            count_chunk(&v->unwritten, &v->first_unwritten, address);
            break;
        }
    }
    return st;
}

/* An entry of another boot: what did not reach the disk is not damage. */
static drx_status look_at_lost(struct verifying *v, int64_t address, const struct drxi_sum *sum)
{
    drx_array *a = v->c->a;
    uint32_t crc;
    drx_status st = drxi_sums_crc(&a->data, address * a->data.chunk_pitch_bytes, a->data.chunk_bytes, &crc);

    if (!st && crc == sum->crc)
        v->verified++;
    else if (!st)
        count_chunk(&v->lost, &v->first_lost, address);
    return st;
}

static drx_status verify(struct verifying *v, int64_t address, const struct drxi_sum *sum, bool there)
{
    drx_array *a = v->c->a;
    drx_status st = drxi_sums_judge(&a->data, address, sum, there);

    if (st)
        return st;
    switch (drxi_sum_kind(sum)) {
    case DRXI_SUM_NEVER:
        return look_at_unwritten(v, address);
    case DRXI_SUM_IN_FLIGHT:
        count_chunk(&v->in_flight, &v->first_in_flight, address);
        return DRX_OK;
    default:
        if (drxi_marks_has(v->c->marks, address)) {
            v->verified++;
            return DRX_OK;
        }
        if (!drxi_sum_counts(a->data.file->sums, sum))
            return look_at_lost(v, address, sum);
        st = drxi_sums_verify_chunk(&a->data, address);
        v->verified += !st;
        return st;
    }
}

static drx_status report_chunks(struct drxi_check *c, int64_t chunks)
{
    c->done = drxi_min(c->total, c->done + drxi_mul_saturated(chunks, c->a->data.chunk_pitch_bytes));
    if (!c->progress || c->progress(c->progress_user, c->done, c->total) == 0)
        return DRX_OK;
    return drxi_fail(DRX_EINTERRUPTED, "%s: checking it was interrupted", c->a->path);
}

/* No later chunk has an entry, or is stored. */
static drx_status count_chunks(const drx_array *a, int64_t *chunks)
{
    int64_t entries = 0, data = 0;
    drx_status st = a->data.file->sums->io->ops->size(a->data.file->sums->io, &entries);

    if (!st)
        st = a->data.file->io->ops->size(a->data.file->io, &data);
    *chunks = drxi_max(drxi_ceil_div(entries, DRXI_SUM_BYTES), drxi_ceil_div(data, a->data.chunk_pitch_bytes));
    *chunks = drxi_min(*chunks, a->data.map.chunks);
    return st;
}

static drx_status verify_all(struct verifying *v)
{
    drx_array *a = v->c->a;
    int64_t chunks = 0;
    drx_status st = count_chunks(a, &chunks);

    v->wrong += drxi_max(0, a->log.state.synced_chunks - chunks); /* which was reported before */
    for (int64_t at = 0; !st && at < chunks; at += DRXI_SUMS_MOST) {
        const int64_t n = drxi_min(chunks - at, DRXI_SUMS_MOST);
        struct drxi_sum sum[DRXI_SUMS_MOST];
        int64_t there;

        st = drxi_sums_get(a->data.file->sums, at, n, sum, &there);
        for (int64_t i = 0; !st && i < n; i++) {
            if (!drxi_data_lives(&a->data, at + i)) {
                v->trimmed++;
                continue;
            }
            st = verify(v, at + i, &sum[i], i < there);
            if (st)
                st = note_wrong(v, st);
        }
        if (!st)
            st = report_chunks(v->c, n);
    }
    return st ? st : report_chunks(v->c, a->data.map.chunks - chunks);
}

static void summarise(const struct verifying *v)
{
    struct drxi_check *c = v->c;
    const char *name = c->a->data.file->sums->io->path;

    if (v->wrong > MOST_FINDINGS)
        drxi_found(c, DRX_ERROR, "%s: %lld more chunks are damaged", name, (long long)(v->wrong - MOST_FINDINGS));
    if (v->in_flight > 0)
        drxi_found(c, DRX_NOTE, "%s: %lld chunks, the first at address %lld, %s: not verified", name,
                   (long long)v->in_flight, (long long)v->first_in_flight,
                   c->busy ? "are being written" : "were being written by a process that was killed");
    if (v->lost > 0)
        drxi_found(c, DRX_NOTE,
                   "%s: %lld chunks, the first at address %lld, were written but not synced before a power cut or on "
                   "another machine, and parts are missing: not verified",
                   name, (long long)v->lost, (long long)v->first_lost);
    if (v->unwritten > 0)
        drxi_found(
            c, DRX_NOTE,
            "%s: %lld chunks, the first at address %lld, have no checksum and do not hold the fill: not verified", name,
            (long long)v->unwritten, (long long)v->first_unwritten);
    drxi_found(c, DRX_NOTE, "%s: %lld of %lld chunks match their checksums, %lld do not", name, (long long)v->verified,
               (long long)(c->a->data.map.chunks - v->trimmed), (long long)v->wrong);
}

drx_status drxi_check_sums(struct drxi_check *c)
{
    drx_array *a = c->a;
    struct verifying v = { .c = c };
    bool damaged = false;
    drx_status st;

    if (!(a->log.state.desc.flags & DRXI_DESC_CHECKSUM))
        return DRX_OK;
    if (!a->data.file->sums) {
        (void)drxi_data_check_lengths(&a->data, a->path, DRXI_BESIDE, &damaged);
        drxi_found(c, DRX_ERROR, "%s", drx_last_error());
        return DRX_OK;
    }
    st = drxi_data_check_lengths(&a->data, a->path, DRXI_BESIDE, &damaged);
    if (damaged)
        drxi_found(c, DRX_ERROR, "%s", drx_last_error());
    if (!st)
        st = verify_all(&v);
    if (!st)
        summarise(&v);
    return st;
}

/* Make entries that are missing or damaged from the data as they are. */
drx_status drxi_repair_sums(struct drxi_repair *r)
{
    drx_array *a = r->a;
    const bool missing = !a->data.file->sums;
    int64_t made = 0;
    drx_status st;

    if (!(a->log.state.desc.flags & DRXI_DESC_CHECKSUM))
        return DRX_OK;
    st = drxi_sums_rebuild(&a->data, a->path, &made);
    if (!st && (missing || made > 0))
        drxi_repaired(r, "%s: %s: made from the data as they are, of %lld chunks, which could not be verified",
                      a->data.file->sums->io->path, missing ? "was missing" : "entries were missing or damaged",
                      (long long)made);
    return st;
}
