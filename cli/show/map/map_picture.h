/* A picture of the chunks as SVG: a slice along two axes, coloured by segment, and the history of growth as legend. */
#pragma once

#include "frame/cli.h"

/* ---- chunk_slice.c: What `drx map` shows: the history of an array, slices through its chunks, addresses. */

/* A growth and the following ones that only fill its last chunks; or the creation of the array, or a shell of it. */
struct step {
    int axis;                /* that grew; -1: the creation */
    bool shell;              /* a part of the initial array */
    int64_t by;              /* elements; of a shell, chunks */
    int64_t growths;         /* 0: part of the creation */
    int64_t lo;              /* the bound of `axis` before, in chunks */
    const int64_t *bounds;   /* of all axes after it, in chunks; valid until the next step */
    int64_t address, chunks; /* of its segment: the first address and the number; 0 chunks: none */
};

struct growth_steps { /* as begin_steps leaves it */
    const drx_array *a;
    struct step step; /* the present one, once next_step gave true */
    int64_t shape[DRX_MAX_NDIM], bounds[DRX_MAX_NDIM], made[DRX_MAX_NDIM];
    int64_t growth; /* the next one */
    int64_t total;  /* chunks so far */
    int turn;       /* the axis of the next shell */
    bool forward;   /* the first axis has the first shell */
    bool begun;
};

void begin_steps(struct growth_steps *steps, const drx_array *a);
bool next_step(struct growth_steps *steps);

struct chunk_slice {
    int down, across;         /* the axes; down -1: the array has only one */
    int64_t at[DRX_MAX_NDIM]; /* the chunk index on each other axis */
    int64_t first[2];         /* the chunk indices of the first row and column */
    int64_t rows, columns;    /* its extents in chunks; 1 row when there is one axis */
};

/* The slice along the axes "A,B" (NULL: the two with most segments), at the chunk indices `at` of the other axes (none:
 * 0, or the nearest). Gives the exit code. */
int settle_slice(struct chunk_slice *slice, const drx_array *a, const char *path, const char *axes,
                 const struct numbers *at);

/* Print that the array has no chunk with that index on the axis; gives the exit code. */
int chunk_outside(const drx_array *a, const char *path, const char *what, int axis, int64_t index);

/* The part of a step's segment in the slice: rows lo[0] to hi[0] - 1, columns lo[1] to hi[1] - 1. False: none. */
struct slice_part {
    int64_t lo[2], hi[2];
};
bool part_of_slice(const struct step *step, const struct chunk_slice *slice, int ndim, struct slice_part *part);
/* Go on to the next step with such a part. */
bool next_part(struct growth_steps *steps, const struct chunk_slice *slice, struct slice_part *part);

/* The extents of `a` in chunks, and the chunk indices of its first chunk. */
void chunk_bounds(const drx_array *a, int64_t bounds[]);
void first_chunk(const drx_array *a, int64_t first[]);

/* Chunks, and expansion records of an axis, inside the bounds. An array as of an earlier commit knows of more: growth
 * appends, so those inside come first. */
int64_t chunks_inside(const drx_array *a);
int64_t records_inside(const drx_array *a, int axis);

/* The addresses of a 2-D array as a table, then the axial vectors; long ones are abbreviated unless `all`. */
int put_map_text(drx_array *a, const char *path, bool all);
int put_map_json(drx_array *a, const char *path);

/* ---- segments.c: The segments of any array, from its axial vectors: also of one that grew at low ends, or was
 * trimmed. */

struct segment {
    int axis;               /* that grew */
    bool low, made;         /* at the low end; or by the creation of the array */
    int64_t first, last;    /* addresses */
    bool drawn;             /* some of its chunks are in the slice: */
    struct slice_part part; /* these; rows and columns count from 0 */
};

struct segments {
    int64_t n, drawn;
    struct segment *of; /* by address; free it */
};

/* False: out of memory. */
bool find_segments(struct segments *s, const drx_array *a, const struct chunk_slice *slice);

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
