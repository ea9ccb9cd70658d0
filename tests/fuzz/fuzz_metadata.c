/* The log of a lone array, read: records, state, judging the log; all in memory.
 *
 * Input: a byte of flags (1: the checksums are made right), then the bytes of `.xmd` from the first record on. */
#include <stdlib.h>

#include "array/array.h"
#include "fuzz.h"
#include "lone/lone.h"

enum { SEAL = 1, SAMPLES = 32 };

/* A handle that has read these bytes; *st tells what came of it. */
static drx_array *read_meta(const uint8_t *meta, size_t n, enum drxi_tail *tail, drx_status *st)
{
    drx_array *a;

    *tail = DRXI_WHOLE;
    fuzz_require(drxi_array_new("input", &a) == DRX_OK);
    fuzz_require(drxi_memory_open(&a->log.io) == DRX_OK);
    fuzz_require(n == 0 || a->log.io->ops->write(a->log.io, meta, n, 0) == DRX_OK);
    *st = drxi_log_describe(&a->log, tail);
    return a;
}

static int64_t live_chunks(const drxi_map *map)
{
    int64_t chunks = 1;

    for (int j = 0; j < map->ndim; j++)
        chunks = drxi_mul_saturated(chunks, drxi_map_extent(map, j));
    for (int j = 0; j < map->ndim; j++)
        if (drxi_map_extent(map, j) == 0)
            chunks = 0;
    return chunks;
}

static void check_bounds(const struct drxi_state *s)
{
    const int64_t live = live_chunks(&s->map);

    for (int j = 0; j < s->desc.ndim; j++) {
        fuzz_require(s->desc.chunk[j] >= 1 && s->desc.shape[j] >= 0);
        fuzz_require(s->shape[j] >= 0 && s->shape[j] == s->upper[j] - s->lower[j]);
        fuzz_require(s->shape[j] == 0 || s->map.lower[j] == drxi_floor_div(s->lower[j], s->desc.chunk[j]));
        fuzz_require(s->shape[j] == 0 || s->map.upper[j] == drxi_ceil_div(s->upper[j], s->desc.chunk[j]));
    }
    fuzz_require((s->trimmed ? live <= s->map.chunks : live == s->map.chunks) && s->map.chunks <= s->most_chunks);
    fuzz_require(s->synced_chunks >= 0 && s->synced_chunks <= s->map.chunks);
    for (int64_t i = 0; i < s->growths; i++)
        fuzz_require(s->growth_axis[i] < s->desc.ndim && s->growth_by[i] != 0);
}

/* F*-1 gives an index inside the bounds, from which F* gives the address, unless the chunk was trimmed. */
static void check_address(const drxi_map *map, int64_t q, bool trimmed)
{
    int64_t index[DRX_MAX_NDIM];

    drxi_map_index(map, q, index);
    fuzz_require(trimmed || drxi_map_lives(map, q, index));
}

static void check_index(const drxi_map *map, int64_t i)
{
    int64_t index[DRX_MAX_NDIM], back[DRX_MAX_NDIM], q;

    for (int j = 0; j < map->ndim; j++)
        index[j] = map->lower[j] +
                   (int64_t)(((uint64_t)i * 0x9e3779b97f4a7c15u >> (j + 1)) % (uint64_t)drxi_map_extent(map, j));
    q = drxi_map_address(map, index);
    fuzz_require(q >= 0 && q < map->chunks);
    drxi_map_index(map, q, back);
    for (int j = 0; j < map->ndim; j++)
        fuzz_require(back[j] == index[j]);
}

static void check_map(const drxi_map *map, bool trimmed)
{
    if (map->chunks == 0)
        return;
    for (int64_t i = 0; i < SAMPLES; i++) {
        check_address(map, map->chunks / SAMPLES * i, trimmed);
        if (live_chunks(map) > 0)
            check_index(map, i);
    }
    check_address(map, map->chunks - 1, trimmed);
    for (int64_t i = 0; i < map->count && i < SAMPLES; i++)
        if (map->start[i] < map->chunks)
            check_address(map, map->start[i], trimmed);
}

static void check_names(const struct drxi_state *s)
{
    for (int64_t i = 0; i < s->attrs.n; i++) {
        const struct drxi_attr *attr = &s->attrs.item[i];
        const size_t n = strlen(attr->name);

        fuzz_require(n >= 1 && n <= DRXI_NAME_MAX_BYTES && drxi_is_utf8(attr->name, n));
        fuzz_require(drxi_attrs_find(&s->attrs, attr->name, n) == i);
        fuzz_require(attr->n >= 0 && attr->n <= DRXI_ATTR_MAX_BYTES / (int64_t)drx_type_size(attr->type));
        fuzz_require(!attr->is_text || (attr->type == DRX_UINT8 && drxi_is_utf8(attr->values, (size_t)attr->n)));
    }
    for (int j = 0; j < s->desc.ndim; j++)
        fuzz_require(!s->dim[j] || (s->dim[j][0] && drxi_is_utf8(s->dim[j], strlen(s->dim[j]))));
    for (int k = 0; k < s->stripes.n; k++)
        fuzz_require(s->stripes.folder[k][0] && !strchr(s->stripes.stem, '/'));
}

static void check_same(const struct drxi_state *s, const struct drxi_state *other)
{
    fuzz_require(s->chain.end == other->chain.end && s->chain.sequence == other->chain.sequence &&
                 s->chain.crc == other->chain.crc);
    fuzz_require(s->growths == other->growths && s->attrs.n == other->attrs.n && s->map.count == other->map.count);
    fuzz_require(memcmp(s->shape, other->shape, sizeof s->shape) == 0);
}

/* The prefix alone says the same, with nothing behind it; and a record can follow it. */
static void check_prefix(const uint8_t *meta, const drx_array *a)
{
    enum drxi_tail tail;
    drx_status st;
    drx_array *b = read_meta(meta, (size_t)a->log.state.chain.end, &tail, &st);

    fuzz_require(st == DRX_OK && tail == DRXI_WHOLE);
    check_same(&a->log.state, &b->log.state);
    fuzz_require(drxi_log_append_sync(&b->log) == DRX_OK);
    fuzz_require(b->log.state.chain.sequence == a->log.state.chain.sequence + 1 &&
                 b->log.state.synced_chunks == a->log.state.map.chunks);
    fuzz_require(drxi_log_read(&b->log, &tail) == DRX_OK && tail == DRXI_WHOLE);
    (void)drxi_array_free(b);
}

static void check_stripes(const drx_array *a)
{
    struct drxi_stripes stripes;

    fuzz_require(drxi_log_find_stripes(a->log.io, &stripes) == DRX_OK);
    fuzz_require(stripes.n == a->log.state.stripes.n);
    drxi_stripes_free(&stripes);
}

static void try_meta(const uint8_t *meta, size_t n)
{
    enum drxi_tail tail;
    drx_status st;
    drx_array *a = read_meta(meta, n, &tail, &st);

    if (!st) {
        fuzz_require(a->log.state.chain.end <= (int64_t)n);
        check_bounds(&a->log.state);
        check_map(&a->log.state.map, a->log.state.trimmed);
        check_names(&a->log.state);
        check_stripes(a);
        check_prefix(meta, a);
    } else {
        fuzz_require(drx_last_error()[0]);
    }
    (void)drxi_array_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct fuzz_input in = { data, n };
    const uint64_t flags = fuzz_number(&in, 1);
    uint8_t *meta;

    n = SIZE_MAX;
    meta = fuzz_log(&in, &n, flags & SEAL);
    fuzz_limit_allocations(n);
    if (!fuzz_is_slow(meta, n))
        try_meta(meta, n);
    free(meta);
    return 0;
}
