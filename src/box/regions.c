#include "box/regions.h"

#include "copy/copy.h"

/* Put `count` of a region into place, from `bytes`. */
static void place_region(const struct drxi_regions *all, const int64_t count[], uint8_t *mem, const uint8_t *bytes)
{
    const struct drxi_layout *l = all->layout;
    struct drxi_copy_axis axes[DRX_MAX_NDIM];

    for (int j = 0; j < l->ndim; j++)
        axes[j] = (struct drxi_copy_axis){ count[j], l->mem_stride[j], l->file_stride[j] };
    drxi_copy_axes(l->ndim, axes, (size_t)l->item_bytes, mem, bytes, all->large);
}

void drxi_regions_place(const struct drxi_regions *all, int64_t first, int64_t n, int64_t offset, const uint8_t *bytes)
{
    for (int64_t i = first; i < first + n; i++) {
        const int64_t k = i % all->room;

        place_region(all, all->count + k * all->layout->ndim, all->placed[k].mem,
                     bytes + (all->placed[k].offset - offset));
    }
}

/* ---- pouring ---- */

/* The part that comes next, and those after it in its region. */
struct part {
    const int64_t *count; /* of the region */
    uint8_t *mem;
    int64_t begin, end; /* of its bytes, in the read */
    int64_t by, left;   /* from one to the next, and how many there are */
    int axis;           /* along which the region has parts; -1: it is one */
};

static struct part next_part(const struct drxi_pour *p)
{
    const struct drxi_layout *l = p->all->layout;
    const int64_t k = (p->first + p->region) % p->all->room;
    int64_t one[DRX_MAX_NDIM];
    struct part part = { .count = p->all->count + k * l->ndim, .mem = p->all->placed[k].mem, .left = 1 };

    memcpy(one, part.count, (size_t)l->ndim * sizeof *one);
    part.axis = drxi_region_of(l, one).slowest;
    part.begin = p->all->placed[k].offset - p->read->offset;
    if (part.axis >= 0) {
        part.by = l->file_stride[part.axis];
        part.left = one[part.axis] - p->index;
        part.begin += p->index * part.by;
        part.mem += p->index * l->mem_stride[part.axis];
        one[part.axis] = 1;
    }
    part.end = part.begin + drxi_region_of(l, one).span;
    return part;
}

static void place_parts(struct drxi_pour *p, const struct part *part, int64_t n, const uint8_t *bytes)
{
    int64_t count[DRX_MAX_NDIM];

    memcpy(count, part->count, (size_t)p->all->layout->ndim * sizeof *count);
    if (part->axis >= 0)
        count[part->axis] = n;
    place_region(p->all, count, part->mem, bytes);
    p->index += n;
    if (n == part->left) {
        p->region++;
        p->index = 0;
    }
}

/* Keep what has come of a part. */
static void keep_bytes(const struct drxi_pour *p, const uint8_t *bytes, int64_t from, int64_t at, int64_t end)
{
    uint8_t *const buf = p->read->buf;

    from = drxi_max(from, at);
    if (from < end && buf + from != bytes + (from - at))
        memcpy(buf + from, bytes + (from - at), (size_t)(end - from));
}

static void pour(struct drxi_sink *sink, const uint8_t *bytes, size_t n, size_t offset)
{
    struct drxi_pour *p = (struct drxi_pour *)(void *)sink;
    const int64_t at = (int64_t)offset, end = at + (int64_t)n;

    while (p->region < p->n) {
        const struct part part = next_part(p);

        if (part.end > end) {
            keep_bytes(p, bytes, part.begin, at, end);
            return;
        }
        if (part.begin < at) {
            keep_bytes(p, bytes, part.begin, at, part.end);
            place_parts(p, &part, 1, (const uint8_t *)p->read->buf + part.begin);
        } else {
            const int64_t fit = part.axis < 0 ? 1 : (end - part.end) / part.by + 1;

            place_parts(p, &part, drxi_min(part.left, fit), bytes + (part.begin - at));
        }
    }
}

void drxi_pour_begin(struct drxi_pour *p, const struct drxi_regions *all, int64_t first, int64_t n,
                     const struct drxi_flying *read)
{
    *p = (struct drxi_pour){ .sink = { pour }, .all = all, .first = first, .n = n, .read = read };
}
