/* Chunks that are missing from data that were cut short, as boxes of indices. */
#include <stdio.h>

#include "repair/check.h"

enum { MOST_FINDINGS = 20, BOX_BYTES = 1024 };

/* "0..3, 2..5": the elements inside the bounds of the chunks from index `lo` to `hi`. NULL: a trim has left none. */
static const char *box_text(const drx_array *a, const int64_t lo[], const int64_t hi[], char text[BOX_BYTES])
{
    const struct drxi_state *s = &a->log.state;
    size_t used = 0;

    text[0] = '\0';
    for (int j = 0; j < s->desc.ndim && used < BOX_BYTES; j++) {
        const int64_t first = drxi_max(s->lower[j], lo[j] * s->desc.chunk[j]);
        const int64_t end = drxi_min(s->upper[j], drxi_mul_saturated(hi[j] + 1, s->desc.chunk[j]));

        if (first >= end)
            return NULL;
        used += (size_t)snprintf(text + used, BOX_BYTES - used, "%s%lld..%lld", j ? ", " : "", (long long)first,
                                 (long long)end - 1);
    }
    return text;
}

/* Report the chunks from `begin` to `end` of one segment, as the smallest box that has them. */
static void tell_part(struct drxi_check *c, const char *name, int64_t serial, int64_t begin, int64_t end)
{
    const drxi_map *map = &c->a->data.map;
    const int axis = map->axis[serial];
    const int64_t coef = map->coef[serial * map->ndim + axis];
    const int64_t slice = drxi_max(1, coef < 0 ? -coef : coef); /* chunks with one index along the axis */
    const int64_t *const corner = map->corner + serial * map->ndim;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM], slice_end[DRX_MAX_NDIM];
    char text[BOX_BYTES];
    const char *box;

    drxi_map_index(map, begin, lo);
    drxi_map_index(map, end - 1, hi);
    drxi_map_index(map, map->start[serial] + slice - 1, slice_end);
    for (int j = 0; j < map->ndim; j++)
        if (j != axis && (hi[axis] != lo[axis] || lo[j] != hi[j])) {
            lo[j] = corner[j];
            hi[j] = slice_end[j];
        }
    if (coef < 0) { /* a low end: addresses rise with the distance */
        const int64_t last = hi[axis];

        hi[axis] = lo[axis];
        lo[axis] = last;
    }
    box = box_text(c->a, lo, hi, text);
    if (box)
        drxi_found(
            c, DRX_NOTE, "%s: missing: chunks %lld to %lld, %s indices %s", name, (long long)begin, (long long)end - 1,
            (begin - map->start[serial]) % slice || (end - map->start[serial]) % slice ? "within" : "all of", box);
}

void drxi_tell_missing(struct drxi_check *c, int k, int64_t size)
{
    const drx_array *a = c->a;
    const drxi_map *map = &a->data.map;
    const char *const name = drxi_stripes_file(a->data.file->io, k)->path;
    const int64_t promised = a->log.state.synced_chunks;
    const int64_t first = drxi_stripes_whole(a->data.file->io, k, size) / a->data.chunk_pitch_bytes;
    int64_t told = 0;

    if (drxi_stripes_count(a->data.file->io) > 1) {
        drxi_found(c, DRX_NOTE, "%s: missing: chunks %lld to %lld, as far as they belong to this stripe", name,
                   (long long)first, (long long)promised - 1);
        return;
    }
    for (int64_t i = 0; i < map->count && told < MOST_FINDINGS; i++) {
        const int64_t begin = drxi_max(first, map->start[i]);
        const int64_t end = drxi_min(promised, i + 1 < map->count ? map->start[i + 1] : map->chunks);

        if (begin < end) {
            tell_part(c, name, i, begin, end);
            told++;
        }
    }
    if (told == MOST_FINDINGS)
        drxi_found(c, DRX_NOTE, "%s: and all that follow, up to chunk %lld", name, (long long)promised - 1);
}
