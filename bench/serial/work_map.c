/* What a long history of growth costs: opening, and addresses. No records, no such cost: the peers that are opened
 * have the same history, in their own terms. */
#include <drx.h>
#include <drx_tools.h>

#include "../common/bench.h"

enum { OPENED_RECORDS = 100000, CALLS = 1000000, OPENINGS = 10, INDEX_SEED = 4 << 28, ADDRESS_SEED = 5 << 28 };

/* All of them where arrays are large, fewer in a quick run. */
static int64_t history_records(const struct job *job)
{
    return job->size < 256 ? OPENED_RECORDS / 100 : OPENED_RECORDS;
}

static const struct layout nothing = { 2, { 0, 8 }, { 8, 8 } };

/* Alternately axis 0 and 1, by a chunk; nothing but the first element is written. */
static enum outcome build_history(const struct work *work, const struct job *job)
{
    const struct peer *peer = job->peer;
    const int64_t records = history_records(job);
    struct growth growth = growth_by(&nothing, 0, 8);
    double slab[8 * 8];
    const char *const path = path_of(job, "history");
    enum outcome outcome;
    void *array;

    (void)work;
    remove_files(peer->suffixes, path);
    fill_box(2, growth.lo, growth.count, false, slab);
    growth.slab = slab;
    outcome = peer->create(peer, path, &nothing, GROWTH, &array);
    if (outcome != DONE)
        return outcome;
    outcome = peer->grow(array, &growth);
    for (int64_t g = 1; g < records && outcome == DONE; g++) {
        growth = growth_by(&growth.layout, (int)(g % 2), 8);
        outcome = peer->grow(array, &growth);
    }
    return peer->close(array) != DONE && outcome == DONE ? FAILED : outcome;
}

/* Open, read the first element, close: the mean of a few; always warm. */
static enum outcome run_open(const struct work *work, const struct job *job)
{
    const int64_t at[MAX_NDIM] = { 0 };
    const struct peer *peer = job->peer;
    const int64_t records = history_records(job);
    const struct layout layout = { 2, { (records + 1) / 2 * 8, (records / 2 + 1) * 8 }, { 8, 8 } };
    enum outcome outcome = DONE;
    const char *const path = path_of(job, "history");
    double element = -1, start = 0;
    void *array;

    (void)work;
    for (int i = -1; i < OPENINGS && outcome == DONE; i++) { /* the first is not timed: it warms the cache */
        if (i == 0)
            start = now();
        outcome = peer->open(peer, path, &layout, FIRST, &array);
        if (outcome != DONE)
            return outcome;
        outcome = peer->get(array, at, &element);
        if (peer->close(array) != DONE)
            return FAILED;
    }
    answer_number("seconds", (now() - start) / OPENINGS);
    answer_integer("records", records);
    answer_checksum(checksum(1, &element));
    if (outcome == DONE && element != value_at(2, at))
        return complain("the first element is wrong");
    return outcome;
}

/* Three axes; records: growths that each start a new record, at high ends, or at both ends in turn. With many, every
 * fiftieth is of axis 2, so that the array does not become larger than a file may be. */
static enum outcome grow_map(drx_array *a, int64_t records, bool both_ends)
{
    for (int64_t g = 1; g < records; g++) {
        const int axis = records <= 1000 ? (int)(g % 3) : g % 50 == 0 ? 2 : (int)(g % 2);

        if (both_ends && g % 2 ? drx_extend_before(a, axis, 1) : drx_extend(a, axis, 1))
            return complain("%s", drx_last_error());
    }
    return DONE;
}

/* Random indices, F* of each, and back. All are checked; half of the time is each's. */
static enum outcome time_map(const drx_array *a)
{
    const int64_t *n = drx_shape(a), *lower = drx_lower(a), chunks = drx_chunk_count(a);
    int64_t(*index)[MAX_NDIM] = buffer(SLAB, CALLS * sizeof *index);
    int64_t *address = buffer(STAGE, CALLS * sizeof *address), back[MAX_NDIM];
    double start, forward, inverse;
    drx_status st = DRX_OK;

    if (!index || !address)
        return FAILED;
    for (int64_t c = 0; c < CALLS; c++)
        for (int j = 0; j < 3; j++)
            index[c][j] = lower[j] + (int64_t)(mix(INDEX_SEED + 3 * (uint64_t)c + (uint64_t)j) % (uint64_t)n[j]);
    start = now();
    for (int64_t c = 0; c < CALLS; c++)
        st |= drx_chunk_address(a, index[c], &address[c]);
    forward = now() - start;
    for (int64_t c = 0; c < CALLS; c++)
        if (st || drx_chunk_index(a, address[c], back) || back[0] != index[c][0] || back[1] != index[c][1] ||
            back[2] != index[c][2])
            return complain("F* and its inverse do not agree");
    for (int64_t c = 0; c < CALLS; c++)
        address[c] = (int64_t)(mix(ADDRESS_SEED + (uint64_t)c) % (uint64_t)chunks);
    start = now();
    for (int64_t c = 0; c < CALLS; c++)
        st |= drx_chunk_index(a, address[c], index[c]);
    inverse = now() - start;
    for (int64_t c = 0; c < CALLS; c++)
        if (st || drx_chunk_address(a, index[c], back) || back[0] != address[c])
            return complain("F* and its inverse do not agree");
    answer_number("seconds", forward / CALLS);
    answer_number("inverse_seconds", inverse / CALLS);
    return DONE;
}

/* work->number: the records; negative: at both ends. */
static enum outcome run_addresses(const struct work *work, const struct job *job)
{
    const int64_t one[3] = { 1, 1, 1 };
    const drx_spec spec = { .ndim = 3, .type = DRX_INT8, .shape = one, .chunk = one, .flags = DRX_TEMPORARY };
    const char *const path = path_of(job, work->name);
    enum outcome outcome;
    drx_array *a;
    int64_t records = 0;

    if (drx_create(path, &spec, &a))
        return complain("%s", drx_last_error());
    outcome = grow_map(a, work->number < 0 ? -work->number : work->number, work->number < 0);
    for (int axis = 0; axis < 3; axis++)
        records += drx_axial_count(a, axis);
    answer_integer("records", records);
    if (outcome == DONE)
        outcome = time_map(a);
    if (drx_close(a) && outcome == DONE)
        return complain("%s", drx_last_error());
    return outcome;
}

const struct work map_works[] = {
    { "build-history", build_history, FIRST, 0, NULL },
    { "drop-history", drop_array, FIRST, 0, NULL },
    { "open", run_open, FIRST, 0, NULL },
    { "addresses-10", run_addresses, GROWTH, 10, NULL },
    { "addresses-1000", run_addresses, GROWTH, 1000, NULL },
    { "addresses-ends", run_addresses, GROWTH, -1000, NULL },
    { "addresses-100000", run_addresses, GROWTH, 100000, NULL },
    { 0 },
};
