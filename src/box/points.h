/* What points.c offers points_read.c and points_write.c: lists of elements, where they lie in the file, in that order.
 */
#pragma once

#include "box/box.h"

struct drxi_point {
    int64_t offset; /* in the file */
    int64_t place;  /* in the list */
};

struct drxi_points {
    struct drxi_data *data;
    const int64_t *indices; /* of the whole list */
    int64_t n;
    struct drxi_point *point; /* of a block of the list, by offset; those of one offset in the order of the list */
    struct drxi_point *spare; /* for sorting */
    int64_t room;             /* of a block */
};

/* Reserve memory for a list that is worked through in blocks. Free with drxi_points_end, also on failure. */
drx_status drxi_points_begin(struct drxi_points *p, struct drxi_data *data, int64_t n, const int64_t *indices);
void drxi_points_end(struct drxi_points *p);

/* Locate and sort the block of `count` <= p->room points from `first` on. */
void drxi_points_sort(struct drxi_points *p, int64_t first, int64_t count);

/* The end of the points from `i` on, up to `end`, that are moved by one call: gaps are at most `gap` bytes, and all of
 * it at most `most`. */
int64_t drxi_points_span(const struct drxi_points *p, int64_t i, int64_t end, int64_t gap, int64_t most);
/* Their bytes, from the first to the last. */
static inline size_t drxi_points_bytes(const struct drxi_points *p, int64_t i, int64_t end)
{
    return (size_t)(p->point[end - 1].offset - p->point[i].offset) + p->data->item_bytes;
}

/* Whether the view has the data, and samples of the list are in memory. */
bool drxi_points_viewed(struct drxi_data *data, int64_t n, const int64_t *indices);

/* Bring the pages of the points `first` to `end` of the block into the system's cache. It does not tell what fails. */
void drxi_points_fetch(struct drxi_points *p, int64_t first, int64_t end);
