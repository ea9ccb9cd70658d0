/* Verifying the map: segments cover the addresses, and F* and its inverse agree. */
#include "repair/check.h"

enum { MOST_ADDRESSES = 1 << 20, MOST_FINDINGS = 10 };

/* The first and last addresses of a part, and how many chunks it has. */
struct extent {
    int64_t first, last, chunks;
};

static struct extent extent_of(const drxi_map *map, const struct drxi_part *part)
{
    int64_t last[DRX_MAX_NDIM];
    struct extent e = { .chunks = 1 };

    for (int j = 0; j < map->ndim; j++) {
        last[j] = part->hi[j] - 1;
        e.chunks = drxi_mul_saturated(e.chunks, part->hi[j] - part->lo[j]);
    }
    e.first = drxi_part_address(part, map->ndim, part->lo);
    e.last = drxi_part_address(part, map->ndim, last);
    return e;
}

/* The chunks inside the bounds. */
static int64_t live_chunks(const drxi_map *map)
{
    int64_t chunks = 1;

    for (int j = 0; j < map->ndim; j++)
        chunks = drxi_mul_saturated(chunks, drxi_map_extent(map, j));
    return chunks;
}

/* The segments follow each other, and without trims there is nothing between them. */
static void check_segments(struct drxi_check *c)
{
    const struct drxi_state *s = &c->a->log.state;
    const int64_t live = live_chunks(&s->map), wanted = s->trimmed ? live : s->map.chunks;
    struct drxi_walk walk;
    struct drxi_part part;
    int64_t expected = 0, chunks = 0;
    int findings = 0;

    if (live == 0)
        return;
    drxi_walk_start(&walk, &s->map, s->map.lower, s->map.upper);
    while (findings < MOST_FINDINGS && drxi_walk_next(&walk, &part)) {
        const struct extent e = extent_of(&s->map, &part);

        if (s->trimmed ? e.first < expected : e.first != expected) {
            drxi_found(c, DRX_ERROR, "%s: axis %d: the segment at index %lld begins at chunk %lld, expected %lld",
                       c->a->log.io->path, part.axis, (long long)part.lo[part.axis], (long long)e.first,
                       (long long)expected);
            findings++;
        }
        expected = e.last + 1;
        chunks = drxi_add(chunks, e.chunks, &chunks) ? chunks : INT64_MAX;
    }
    if (findings == 0 && (chunks != wanted || expected > s->map.chunks))
        drxi_found(c, DRX_ERROR, "%s: the segments have %lld chunks, the bounds %lld", c->a->log.io->path,
                   (long long)chunks, (long long)wanted);
}

/* F*(F*-1(q)) = q, inside the bounds. Only a trim leaves addresses that no chunk has. */
static bool agrees(const struct drxi_state *s, int64_t q)
{
    int64_t index[DRX_MAX_NDIM];

    drxi_map_index(&s->map, q, index);
    return drxi_map_lives(&s->map, q, index) || s->trimmed;
}

static void check_address(struct drxi_check *c, int64_t q, int64_t *findings)
{
    if (!agrees(&c->a->log.state, q) && (*findings)++ < MOST_FINDINGS)
        drxi_found(c, DRX_ERROR, "%s: chunk %lld: the map and its inverse do not agree", c->a->log.io->path,
                   (long long)q);
}

/* Check all addresses, or the first and last of as many segments as there may be, and others evenly between. Each
 * inverse is another index, so all indices are checked, too. */
static void check_addresses(struct drxi_check *c)
{
    const drxi_map *map = &c->a->data.map;
    int64_t findings = 0;

    if (map->chunks <= MOST_ADDRESSES) {
        for (int64_t q = 0; q < map->chunks; q++)
            check_address(c, q, &findings);
        return;
    }
    for (int64_t i = 0; i < MOST_ADDRESSES; i++)
        check_address(c, i * (map->chunks / MOST_ADDRESSES), &findings);
    for (int64_t i = 0; i < map->count; i++) {
        if (map->start[i] < map->chunks)
            check_address(c, map->start[i], &findings);
        if (map->start[i] > 0)
            check_address(c, map->start[i] - 1, &findings);
    }
    drxi_found(c, DRX_NOTE,
               "%s: %lld chunks: the map was checked against its inverse at the ends of all %lld segments and at %d "
               "chunks between",
               c->a->log.io->path, (long long)map->chunks, (long long)map->count, (int)MOST_ADDRESSES);
}

drx_status drxi_check_map(struct drxi_check *c)
{
    check_segments(c);
    check_addresses(c);
    if (c->progress && c->progress(c->progress_user, 0, 0) != 0)
        return drxi_fail(DRX_EINTERRUPTED, "%s: checking it was interrupted", c->a->path);
    return DRX_OK;
}
