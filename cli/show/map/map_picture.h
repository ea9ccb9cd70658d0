/* A picture of the chunks as SVG: a slice along two axes, coloured by segment, and the history of growth as legend. */
#ifndef MAP_PICTURE_H
#define MAP_PICTURE_H

#include <stdio.h>

#include "segments.h"

/* Draw it into a file, "-" for standard output. Returns the exit code. */
int draw_map(const drx_array *a, const char *path, const struct chunk_slice *slice, const char *output);

enum { CELL_TABLE = 40 }; /* up to this many rows and columns each chunk is drawn */

static const char map_ink[] = "#222222", map_grey[] = "#666666";

struct map_picture { /* the origin is the corner of the first chunk */
    const drx_array *a;
    const struct chunk_slice *slice;
    const struct segments *list; /* NULL: the history tells them */
    int64_t segments;            /* in the picture; each has a colour */
    bool cells;                  /* each chunk is drawn */
    double dx, dy;               /* size of a chunk */
    double width, height;        /* of all chunks */
};

/* Each chunk with its address. */
drx_status put_map_cells(FILE *out, const struct map_picture *p);

/* The segments with their addresses. True: some were too thin and are drawn together. */
bool put_map_areas(FILE *out, const struct map_picture *p);

/* The bounds of the array as a line, and what the last chunks hold beyond it made paler. Put it before the text. */
void put_map_bounds(FILE *out, const struct map_picture *p);

/* Where the bounds of the array begin and how far they reach along an axis of the slice (-1: the only row), in chunks
 * from the first one. */
double map_begin(const struct map_picture *p, int axis);
double map_reach(const struct map_picture *p, int axis);

/* Chunk indices and names of axes along the borders. Sets the space that they take. */
struct map_edges {
    double left, above, right, below;
};
bool put_map_borders(FILE *out, const struct map_picture *p, struct map_edges *edges);

/* The legend at (0, 0), in columns up to `width` (0: one column). Sets the size. */
bool put_map_legend(FILE *out, const struct map_picture *p, double width, double size[2]);

/* "axis 0 (lat)", cut at about `width`, to be freed. NULL: out of memory. */
char *map_axis_text(const drx_array *a, int axis, double width, double font_size);

#endif
