/* A gap in the log: finding what was lost from what is left.
 *
 * The record after a lost one holds its CRC, and tells how many were lost. So a guess can be proved: the lost
 * record's own bytes with a correct head, or with one byte changed; a growth between the bounds that later growths
 * give; a SYNC. Where nothing can be proved, the growth may still be certain: later growths give the bounds after
 * the gap, or the number of chunks at the next SYNC leaves no room for growth. */
#include "format/crc.h"
#include "mend/repair.h"

enum {
    MOST_GUESSES = 1 << 16,       /* guesses at a bound; a wrong one passes once in 2^32 */
    MOST_BYTES_FLIPPED = 1 << 12, /* look for a changed byte in records up to this length */
    MOST_BITS_FLIPPED = 1 << 16,  /* and for a changed bit */
    GROW_BYTES = DRXI_RECORD_HEAD_BYTES + 16,
    SYNC_BYTES = DRXI_RECORD_HEAD_BYTES + 8,
    SMALL_BYTES = DRXI_RECORD_HEAD_BYTES + 16 + DRXI_NAME_MAX_BYTES
};

bool drxi_gap_find(struct drxi_state *state, uint8_t *bytes, int64_t n, struct drxi_gap *gap)
{
    const int64_t begin = state->chain.end;
    int64_t budget = drxi_max(1 << 26, drxi_mul_saturated(4, n - begin));
    struct drxi_record record;

    for (int64_t at = begin; at + DRXI_RECORD_HEAD_BYTES <= n && budget > 0; at += 8) {
        const uint64_t ahead = drxi_get64(bytes + at + 16) - state->chain.sequence;

        if (ahead < 1 || ahead > (uint64_t)(at - begin) / DRXI_RECORD_HEAD_BYTES + 1)
            continue;
        budget -= (int64_t)drxi_record_bytes(bytes + at, (size_t)(n - at));
        if (!drxi_record_decode(bytes + at, (size_t)(n - at), &record))
            continue;
        if (at > begin && ahead > 1) {
            *gap = (struct drxi_gap){ state, bytes, n, begin, at, ahead - 1, record.prev, false };
            return true;
        }
        at += (int64_t)record.bytes - 8; /* valid, but of another chain */
    }
    return false;
}

/* Unknown bounds are -1. */
struct knowledge {
    int64_t before[DRX_MAX_NDIM];  /* after the gap, as the next growth of the axis says */
    int64_t at_sync[DRX_MAX_NDIM]; /* at the next SYNC */
    int64_t sync_chunks;           /* -1: no SYNC follows */
};

static void look_ahead(const struct drxi_gap *gap, struct knowledge *k)
{
    uint64_t sequence = gap->state->chain.sequence + gap->lost;
    uint32_t crc = gap->last_crc;
    struct drxi_record record;

    memset(k, -1, sizeof *k);
    for (int64_t at = gap->end; drxi_record_decode(gap->bytes + at, (size_t)(gap->n - at), &record) &&
                                record.prev == crc && record.sequence == sequence + 1;
         at += (int64_t)record.bytes, sequence++, crc = record.crc) {
        struct drxi_growth g;
        int64_t chunks, epoch;

        if (record.kind == DRXI_SYNC && k->sync_chunks < 0 && drxi_sync_decode(&record, &chunks, &epoch))
            k->sync_chunks = chunks;
        if ((record.kind != DRXI_GROW && record.kind != DRXI_INTENT) || !drxi_growth_decode(&record, &g) ||
            g.axis >= gap->state->desc.ndim || g.by <= 0 || g.bound < g.by)
            continue;
        if (k->before[g.axis] < 0)
            k->before[g.axis] = g.bound - g.by;
        if (k->sync_chunks < 0 && record.kind == DRXI_GROW)
            k->at_sync[g.axis] = g.bound;
    }
    for (int j = 0; j < gap->state->desc.ndim; j++)
        if (k->at_sync[j] < 0)
            k->at_sync[j] = k->before[j];
}

/* How many chunks axis j had at the next SYNC if the other unknown axes gained none; 0: impossible. */
static int64_t chunks_of_axis(const struct drxi_gap *gap, const struct knowledge *k, int axis)
{
    const struct drxi_desc *d = &gap->state->desc;
    int64_t others = 1;

    for (int j = 0; j < d->ndim; j++)
        if (j != axis &&
            !drxi_mul(others, k->at_sync[j] < 0 ? gap->state->map.upper[j] : drxi_ceil_div(k->at_sync[j], d->chunk[j]),
                      &others))
            return 0;
    return others > 0 && k->sync_chunks > 0 && k->sync_chunks % others == 0 ? k->sync_chunks / others : 0;
}

/* The first record in the gap, whose place in the chain is known. */
struct lost {
    const struct drxi_gap *gap;
    size_t bytes;
    uint32_t crc;
    int matches; /* 2: more than one fits */
    uint8_t found[SMALL_BYTES];
};

static bool can_be(struct drxi_state *s, const uint8_t *bytes, size_t n)
{
    struct drxi_attr_payload attr;
    struct drxi_stripes stripes = { 0 };
    struct drxi_record record;
    struct drxi_growth g;
    const char *name;
    size_t name_bytes;
    int64_t chunks, epoch, bound;
    bool good = false;

    if (!drxi_record_decode(bytes, n, &record))
        return false;
    switch (record.kind) {
    case DRXI_GROW:
    case DRXI_INTENT:
        return drxi_growth_decode(&record, &g) && g.axis < s->desc.ndim && g.by > 0 &&
               drxi_add(s->upper[g.axis], g.by, &bound) && bound == g.bound;
    case DRXI_SYNC:
        return drxi_sync_decode(&record, &chunks, &epoch) && chunks == s->map.chunks;
    case DRXI_ATTR:
    case DRXI_ATTR_LATER:
        return drxi_attr_decode(&record, &attr);
    case DRXI_ATTR_DELETE:
        return drxi_name_decode(&record, &name, &name_bytes) && drxi_attrs_find(&s->attrs, name, name_bytes) >= 0;
    case DRXI_DIM_NAME:
        return drxi_name_decode(&record, &name, &name_bytes) && record.arg < s->desc.ndim;
    case DRXI_MEMBER:
        return drxi_member_decode(&record, &(struct drxi_membership){ .settled = 0 });
    case DRXI_STRIPES:
        good = drxi_stripes_decode(&record, &stripes, &good) == DRX_OK && good;
        drxi_stripes_free(&stripes);
        return good;
    default:
        return record.kind >= DRXI_OPTIONAL;
    }
}

/* Try a guess; its payload follows the room for its head. */
static void guess(struct lost *l, uint8_t record[SMALL_BYTES], size_t payload_bytes, enum drxi_kind kind, int arg)
{
    struct drxi_state *s = l->gap->state;

    if (DRXI_RECORD_HEAD_BYTES + payload_bytes != l->bytes ||
        drxi_record_seal(record, payload_bytes, kind, arg, s->chain.sequence + 1, s->chain.crc) != l->crc)
        return;
    if (l->matches > 0 && memcmp(l->found, record, l->bytes) == 0)
        return;
    if (!can_be(s, record, l->bytes))
        return;
    memcpy(l->found, record, l->bytes);
    l->matches++;
}

static void guess_bound(struct lost *l, int axis, int64_t bound)
{
    const struct drxi_growth growth = { axis, DRXI_HIGH, bound - l->gap->state->upper[axis], bound };
    uint8_t record[SMALL_BYTES];

    if (bound <= l->gap->state->upper[axis])
        return;
    guess(l, record, drxi_growth_encode(&growth, record + DRXI_RECORD_HEAD_BYTES), DRXI_GROW, axis);
    guess(l, record, drxi_growth_encode(&growth, record + DRXI_RECORD_HEAD_BYTES), DRXI_INTENT, axis);
}

/* Bounds that the number of chunks allows: first < bound <= last. */
static bool open_bounds(const struct drxi_gap *gap, const struct knowledge *k, int axis, int64_t *first, int64_t *last)
{
    const int64_t extent = gap->state->desc.chunk[axis];
    const int64_t chunks = chunks_of_axis(gap, k, axis);

    if (k->before[axis] >= 0 || chunks == 0 || !drxi_mul(chunks, extent, last))
        return false;
    *first = drxi_max(gap->state->upper[axis], *last - extent);
    return *last - *first <= MOST_GUESSES;
}

static void guess_growth(struct lost *l, const struct knowledge *k)
{
    const struct drxi_state *s = l->gap->state;
    const uint8_t *stored = l->gap->bytes + l->gap->begin + DRXI_RECORD_HEAD_BYTES;
    struct drxi_record next;
    struct drxi_growth g;
    int64_t bound, first, last;

    if (s->intent_open)
        guess_bound(l, s->intent.axis, s->intent.bound);
    if (drxi_record_decode(l->gap->bytes + l->gap->end, (size_t)(l->gap->n - l->gap->end), &next) &&
        next.kind == DRXI_GROW && drxi_growth_decode(&next, &g) && g.axis < s->desc.ndim)
        guess_bound(l, g.axis, g.bound); /* the growth that an INTENT announced */
    for (int j = 0; j < s->desc.ndim; j++) {
        guess_bound(l, j, k->before[j]);
        guess_bound(l, j, (int64_t)drxi_get64(stored + 8)); /* if the head is whole */
        if (drxi_add(s->upper[j], (int64_t)drxi_get64(stored), &bound))
            guess_bound(l, j, bound);
        for (int64_t i = drxi_max(0, s->growths - 256); i < s->growths; i++) /* the same value as before */
            if (s->growth_axis[i] == j && drxi_add(s->upper[j], s->growth_by[i], &bound))
                guess_bound(l, j, bound);
        if (open_bounds(l->gap, k, j, &first, &last))
            for (bound = first + 1; bound <= last; bound++)
                guess_bound(l, j, bound);
    }
}

static void guess_others(struct lost *l)
{
    const struct drxi_state *s = l->gap->state;
    uint8_t record[SMALL_BYTES];
    uint8_t *payload = record + DRXI_RECORD_HEAD_BYTES;

    guess(l, record, drxi_sync_encode(s->map.chunks, s->epoch + drxi_state_packed(s), payload), DRXI_SYNC, 0);
    for (int j = 0; j < s->desc.ndim; j++)
        guess(l, record, drxi_name_encode("", 0, payload), DRXI_DIM_NAME, j);
    for (int64_t i = 0; i < s->attrs.n; i++)
        if (s->attrs.item[i].name) /* it was not deleted since */
            guess(l, record, drxi_name_encode(s->attrs.item[i].name, strlen(s->attrs.item[i].name), payload),
                  DRXI_ATTR_DELETE, 0);
}

/* Try the record's own bytes: with the head that it must have, or, when the head is whole, with one byte changed.
 * `record` is a copy. */
static bool correct(const struct lost *l, uint8_t *record)
{
    struct drxi_state *s = l->gap->state;
    uint8_t head[DRXI_RECORD_HEAD_BYTES];
    struct drxi_flip flip;
    uint32_t is;

    memcpy(head, record, sizeof head);
    is = drxi_record_seal(record, l->bytes - sizeof head, drxi_get16(head + 12), drxi_get16(head + 14),
                          s->chain.sequence + 1, s->chain.crc);
    drxi_put32(record, l->crc);
    if (is != l->crc) {
        if (memcmp(head, record, sizeof head) != 0 || l->bytes > MOST_BITS_FLIPPED ||
            drxi_find_flip(l->bytes - 8, is ^ l->crc, l->bytes > MOST_BYTES_FLIPPED, &flip) != 1)
            return false;
        record[8 + flip.at] ^= flip.by;
    }
    return can_be(s, record, l->bytes);
}

static bool prove_as(struct lost *l, const struct knowledge *k)
{
    uint8_t *const place = l->gap->bytes + l->gap->begin;
    uint8_t *copy;
    bool found;

    if (l->bytes <= SMALL_BYTES) {
        if (l->bytes == GROW_BYTES)
            guess_growth(l, k);
        guess_others(l);
        if (l->matches == 1)
            memcpy(place, l->found, l->bytes);
        if (l->matches > 0)
            return l->matches == 1;
    }
    copy = drxi_malloc(l->bytes);
    if (!copy)
        return false;
    memcpy(copy, place, l->bytes);
    found = correct(l, copy);
    if (found)
        memcpy(place, copy, l->bytes);
    drxi_free(copy);
    return found;
}

/* When several records are lost, the first one ends where the head of the next one, or what is left of it, shows:
 * the head has the CRC of the first, and its sequence number is right or the first record can be proved. */
static bool ends_at(const struct drxi_gap *gap, size_t bytes)
{
    const uint8_t *here = gap->bytes + gap->begin, *next = here + bytes;

    if (bytes < DRXI_RECORD_HEAD_BYTES || bytes % 8 != 0 ||
        (int64_t)bytes > gap->end - gap->begin - DRXI_RECORD_HEAD_BYTES)
        return false;
    return drxi_get32(next + 4) == drxi_get32(here) || drxi_get64(next + 16) == gap->state->chain.sequence + 2;
}

size_t drxi_gap_prove(struct drxi_gap *gap)
{
    const size_t all = (size_t)(gap->end - gap->begin);
    const size_t lengths[] = { drxi_get32(gap->bytes + gap->begin + 8), GROW_BYTES, SYNC_BYTES };
    struct lost l = { .gap = gap };
    struct knowledge k;

    if (all < DRXI_RECORD_HEAD_BYTES || all % 8 != 0)
        return 0;
    look_ahead(gap, &k);
    if (gap->lost == 1) {
        l.bytes = all;
        l.crc = gap->last_crc;
        if (prove_as(&l, &k))
            return l.bytes;
        gap->ambiguous = l.matches > 1;
        return 0;
    }
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        if (!ends_at(gap, lengths[i]))
            continue;
        l.bytes = lengths[i];
        l.crc = drxi_get32(gap->bytes + gap->begin + (int64_t)l.bytes + 4);
        l.matches = 0;
        if (prove_as(&l, &k))
            return l.bytes;
    }
    return 0;
}

/* The bound of an axis after the gap; -1 when uncertain. */
static int64_t bound_behind(const struct drxi_gap *gap, const struct knowledge *k, int j)
{
    const struct drxi_state *s = gap->state;
    const int64_t lost_bytes = gap->end - gap->begin;
    const int64_t chunks = chunks_of_axis(gap, k, j);
    int64_t first, last;

    if (k->before[j] >= 0)
        return k->before[j];
    if (gap->lost == 1 && lost_bytes != GROW_BYTES)
        return s->upper[j];
    for (int i = 0; i < s->desc.ndim; i++)
        if (i != j && k->before[i] < 0 && chunks != s->map.upper[j])
            return -1; /* either of two axes may have gained chunks */
    if (gap->ambiguous || chunks == 0 || !drxi_mul(chunks, s->desc.chunk[j], &last))
        return -1;
    if (s->desc.chunk[j] == 1 || (chunks == s->map.upper[j] && last == s->upper[j]))
        return last;
    /* all growths with so many chunks have been tried on the one record */
    return gap->lost == 1 && chunks == s->map.upper[j] && open_bounds(gap, k, j, &first, &last) ? s->upper[j] : -1;
}

/* Whether the array has grown at high ends alone, before the gap and after it. What is certain then need not be so
 * otherwise. */
static bool is_plain(const struct drxi_gap *gap)
{
    const struct drxi_state *s = gap->state;
    struct drxi_record record;

    for (int j = 0; j < s->desc.ndim; j++)
        if (s->lower[j] != 0)
            return false;
    for (int64_t at = gap->end; drxi_record_decode(gap->bytes + at, (size_t)(gap->n - at), &record);
         at += (int64_t)record.bytes)
        if (record.kind >= DRXI_ORIGIN && record.kind <= DRXI_ADD_AXIS)
            return false;
    return !s->trimmed && !s->map.two_ended && !s->map.wider;
}

bool drxi_gap_bridge(const struct drxi_gap *gap, struct drxi_growth steps[], int *n)
{
    const struct drxi_state *s = gap->state;
    const int64_t lost_bytes = gap->end - gap->begin;
    struct knowledge k;
    int gained = 0;

    *n = 0;
    if (!is_plain(gap))
        return false;
    look_ahead(gap, &k);
    for (int j = 0; j < s->desc.ndim; j++) {
        const int64_t bound = bound_behind(gap, &k, j);

        if (bound < s->upper[j])
            return false;
        if (bound == s->upper[j])
            continue;
        gained += drxi_ceil_div(bound, s->desc.chunk[j]) > s->map.upper[j];
        steps[(*n)++] = (struct drxi_growth){ j, DRXI_HIGH, bound - s->upper[j], bound };
    }
    if (gap->lost == 1 && *n > 0)
        return false; /* and would have been proved */
    /* either of two axes that gained chunks may have been the first */
    return gained < 2 && (uint64_t)*n <= gap->lost &&
           *n * GROW_BYTES + ((int64_t)gap->lost - *n) * DRXI_RECORD_HEAD_BYTES <= lost_bytes;
}
