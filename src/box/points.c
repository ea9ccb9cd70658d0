/* Lists of single elements, in the order of their addresses. */
#include "box/points.h"
#include "base/hooks.h"

enum {
    DIGIT_BITS = 8,
    FEW_POINTS = 32,    /* sorted by insertion */
    SAMPLE_POINTS = 16, /* one point in this many is checked for being in memory */
    SAMPLES = 32
};

drx_status drxi_points_begin(struct drxi_points *p, struct drxi_data *data, int64_t n, const int64_t *indices)
{
    const int64_t most = drxi_may_take(DRXI_FOR_POINTS) / (int64_t)(2 * sizeof *p->point); /* sorted at a time */

    *p = (struct drxi_points){ .data = data, .n = n, .indices = indices };
    p->room = drxi_min(n, most);
    p->point = drxi_malloc((size_t)p->room * sizeof *p->point);
    p->spare = drxi_malloc((size_t)p->room * sizeof *p->spare);
    return p->point && p->spare ? DRX_OK : DRX_ENOMEM;
}

void drxi_points_end(struct drxi_points *p)
{
    drxi_free(p->point);
    drxi_free(p->spare);
}

static void sort_few(struct drxi_point point[], int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const struct drxi_point it = point[i];
        int64_t at = i;

        for (; at > 0 && point[at - 1].offset > it.offset; at--)
            point[at] = point[at - 1];
        point[at] = it;
    }
}

/* Move the points to `to` in the order of one digit of the offset; equal ones keep their order. */
static void sort_digit(const struct drxi_point from[], struct drxi_point to[], int64_t n, int shift)
{
    int64_t at[1 << DIGIT_BITS] = { 0 };
    int64_t before = 0;

    for (int64_t i = 0; i < n; i++)
        at[from[i].offset >> shift & ((1 << DIGIT_BITS) - 1)]++;
    for (int digit = 0; digit < 1 << DIGIT_BITS; digit++) {
        const int64_t count = at[digit];

        at[digit] = before;
        before += count;
    }
    for (int64_t i = 0; i < n; i++)
        to[at[from[i].offset >> shift & ((1 << DIGIT_BITS) - 1)]++] = from[i];
}

void drxi_points_sort(struct drxi_points *p, int64_t first, int64_t count)
{
    const int ndim = p->data->ndim;
    int64_t differing = 0; /* bits in which offsets differ */
    bool sorted = true;

    for (int64_t i = 0; i < count; i++) {
        const int64_t place = first + i;
        const int64_t offset = drxi_offset_of(p->data, p->indices + place * ndim);

        p->point[i] = (struct drxi_point){ offset, place };
        differing |= offset ^ p->point[0].offset;
        sorted = sorted && (i == 0 || p->point[i - 1].offset <= offset);
    }
    if (sorted)
        return;
    if (count <= FEW_POINTS) {
        sort_few(p->point, count);
        return;
    }
    for (int shift = 0; shift < 63; shift += DIGIT_BITS) {
        struct drxi_point *const from = p->point;

        if ((differing >> shift & ((1 << DIGIT_BITS) - 1)) == 0)
            continue;
        sort_digit(from, p->spare, count, shift);
        p->point = p->spare;
        p->spare = from;
    }
}

int64_t drxi_points_span(const struct drxi_points *p, int64_t i, int64_t end, int64_t gap, int64_t most)
{
    const int64_t item = (int64_t)p->data->item_bytes, begin = p->point[i].offset;

    for (i++; i < end; i++)
        if (p->point[i].offset - p->point[i - 1].offset > item + gap || p->point[i].offset - begin > most - item)
            break;
    return i;
}

bool drxi_points_viewed(struct drxi_data *data, int64_t n, const int64_t *indices)
{
    const struct drxi_view *view = drxi_as_from_disk() ? NULL : drxi_data_view(data);
    const int64_t samples = drxi_hooks.way == DRXI_MAPPED ? 0 : drxi_min(drxi_ceil_div(n, SAMPLE_POINTS), SAMPLES);
    bool there = view && drxi_data_fits(data, drxi_view_most()); /* else they map much, and use little of it */

    for (int64_t i = 0; there && i < samples; i++) {
        const int64_t offset = drxi_offset_of(data, indices + n / samples * i * data->ndim);

        there = offset < view->bytes && drxi_data_resident(data, offset);
    }
    return there;
}
