/* Verifying the map: segments cover the addresses, and F* and its inverse agree. */
#include "drx_tools.h"
#include "mend/check.h"

enum { MOST_ADDRESSES = 1 << 20, MOST_FINDINGS = 10 };

/* The address of the first chunk of a part, and how many chunks it has. */
static int64_t first_address(const drxi_map *map, const struct drxi_part *part, int64_t *chunks)
{
    int64_t address = 0;

    *chunks = 1;
    for (int j = 0; j < map->ndim; j++) {
        address += part->lo[j] * part->coef[j];
        *chunks = drxi_mul_saturated(*chunks, part->hi[j] - part->lo[j]);
    }
    return address;
}

static void check_segments(struct drxi_check *c)
{
    const drxi_map *map = &c->a->log.state.map;
    const int64_t origin[DRX_MAX_NDIM] = { 0 };
    struct drxi_walk walk;
    struct drxi_part part;
    int64_t expected = 0;
    int findings = 0;

    if (map->chunks == 0)
        return;
    drxi_walk_start(&walk, map, origin, map->bound);
    while (findings < MOST_FINDINGS && drxi_walk_next(&walk, &part)) {
        int64_t chunks;
        const int64_t first = first_address(map, &part, &chunks);

        if (first != expected) {
            drxi_found(c, DRX_ERROR, "%s: axis %d: the segment at index %lld begins at chunk %lld, expected %lld",
                       c->a->log.io->path, part.axis, (long long)part.lo[part.axis], (long long)first,
                       (long long)expected);
            findings++;
        }
        expected = first + chunks;
    }
    if (findings == 0 && expected != map->chunks)
        drxi_found(c, DRX_ERROR, "%s: the segments have %lld chunks, the bounds %lld", c->a->log.io->path,
                   (long long)expected, (long long)map->chunks);
}

/* F*(F*-1(q)) = q, inside the bounds. */
static bool agrees(const drxi_map *map, int64_t q)
{
    int64_t index[DRX_MAX_NDIM];

    drxi_map_index(map, q, index);
    for (int j = 0; j < map->ndim; j++)
        if (index[j] < 0 || index[j] >= map->bound[j])
            return false;
    return drxi_map_address(map, index) == q;
}

static void check_address(struct drxi_check *c, int64_t q, int64_t *findings)
{
    if (!agrees(&c->a->log.state.map, q) && (*findings)++ < MOST_FINDINGS)
        drxi_found(c, DRX_ERROR, "%s: chunk %lld: the map and its inverse do not agree", c->a->log.io->path,
                   (long long)q);
}

/* Check all addresses, or the first and last of as many segments as there may be, and others evenly between. Each
 * inverse is another index, so all indices are checked, too. */
static void check_addresses(struct drxi_check *c)
{
    const drxi_map *map = &c->a->log.state.map;
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
