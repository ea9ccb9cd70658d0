#include "map_picture.h"

#include <stdlib.h>

static int by_address(const void *a, const void *b)
{
    const struct segment *s = a, *t = b;

    return (s->first > t->first) - (s->first < t->first);
}

static bool was_made_with_chunks(const drx_array *a)
{
    for (int j = 0; j < drx_ndim(a); j++)
        if (drx_initial_shape(a)[j] == 0)
            return false;
    return true;
}

/* Each expansion record begins a segment. Of records with one address, all but one have no chunks. */
static void take_records(struct segments *s, const drx_array *a)
{
    int64_t index, address, coefficients[DRX_MAX_NDIM];

    for (int j = 0; j < drx_ndim(a); j++)
        for (int64_t i = 0; i < drx_axial_count(a, j); i++)
            if (!drx_axial_record(a, j, i, &index, &address, coefficients) && address >= 0)
                s->of[s->n++] = (struct segment){ .axis = j, .low = coefficients[j] < 0, .first = address };
}

static void settle_ranges(struct segments *s, const drx_array *a)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < s->n; i++)
        if (kept == 0 || s->of[kept - 1].first != s->of[i].first)
            s->of[kept++] = s->of[i];
    s->n = kept;
    for (int64_t i = 0; i < kept; i++)
        s->of[i].last = (i + 1 < kept ? s->of[i + 1].first : drx_chunk_count(a)) - 1;
    if (kept > 0)
        s->of[0].made = was_made_with_chunks(a);
}

static struct segment *segment_of(const struct segments *s, int64_t address)
{
    int64_t lo = 0, hi = s->n;

    while (hi - lo > 1) {
        const int64_t middle = lo + (hi - lo) / 2;

        if (s->of[middle].first <= address)
            lo = middle;
        else
            hi = middle;
    }
    return &s->of[lo];
}

/* The rows (or columns, of axis `axis`) at which a segment can begin, in increasing order, and the end; returns their
 * number. NULL: out of memory. */
static int64_t *find_borders(const drx_array *a, int axis, int64_t first, int64_t extent, int64_t *n)
{
    const int64_t records = axis < 0 ? 0 : drx_axial_count(a, axis);
    int64_t *border = calloc((size_t)records + 2, sizeof *border), address, coefficients[DRX_MAX_NDIM];

    *n = 0;
    if (!border)
        return NULL;
    border[(*n)++] = 0;
    for (int64_t i = 0; i < records; i++) {
        int64_t index, k;

        if (drx_axial_record(a, axis, i, &index, &address, coefficients) || index <= first || index - first >= extent)
            continue;
        index -= first;
        for (k = *n; border[k - 1] > index; k--)
            border[k] = border[k - 1];
        border[k] = index;
        *n += 1;
    }
    border[*n] = extent;
    return border;
}

static void add_part(struct segments *s, struct segment *segment, const int64_t lo[2], const int64_t hi[2])
{
    struct slice_part *part = &segment->part;

    if (!segment->drawn)
        *part = (struct slice_part){ { lo[0], lo[1] }, { hi[0], hi[1] } };
    for (int i = 0; i < 2; i++) {
        part->lo[i] = lo[i] < part->lo[i] ? lo[i] : part->lo[i];
        part->hi[i] = hi[i] > part->hi[i] ? hi[i] : part->hi[i];
    }
    s->drawn += !segment->drawn;
    segment->drawn = true;
}

/* Between two borders all chunks of the slice belong to one segment, and what is left of a segment is a box. */
static bool take_parts(struct segments *s, const drx_array *a, const struct chunk_slice *slice)
{
    const int axes[2] = { slice->down, slice->across };
    const int64_t extent[2] = { slice->rows, slice->columns };
    int64_t index[DRX_MAX_NDIM], n[2] = { 0 }, address, *border[2];

    for (int i = 0; i < 2; i++)
        border[i] = find_borders(a, axes[i], slice->first[i], extent[i], &n[i]);
    for (int64_t r = 0; border[0] && border[1] && r < n[0]; r++)
        for (int64_t c = 0; c < n[1]; c++) {
            const int64_t lo[2] = { border[0][r], border[1][c] }, hi[2] = { border[0][r + 1], border[1][c + 1] };

            for (int j = 0; j < drx_ndim(a); j++)
                index[j] = slice->at[j];
            for (int i = 0; i < 2; i++)
                if (axes[i] >= 0)
                    index[axes[i]] = slice->first[i] + lo[i];
            if (hi[0] > lo[0] && hi[1] > lo[1] && drx_chunk_address(a, index, &address) == DRX_OK)
                add_part(s, segment_of(s, address), lo, hi);
        }
    free(border[0]);
    free(border[1]);
    return border[0] && border[1];
}

bool find_segments(struct segments *s, const drx_array *a, const struct chunk_slice *slice)
{
    int64_t records = 0;

    for (int j = 0; j < drx_ndim(a); j++)
        records += drx_axial_count(a, j);
    *s = (struct segments){ .of = calloc((size_t)records + 1, sizeof *s->of) };
    if (!s->of)
        return false;
    take_records(s, a);
    qsort(s->of, (size_t)s->n, sizeof *s->of, by_address);
    settle_ranges(s, a);
    return slice->rows == 0 || slice->columns == 0 || s->n == 0 || take_parts(s, a, slice);
}
