/* Appends a source to an array: the library takes it in pieces of bounded memory, and nobody sees any of them before all
 * are written. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/slabs.h"
#include "frame/progress.h"
#include "frame/team.h"
#include "import_append.h"

/* The extent of the piece from index `done` of the slab on: SLAB_BYTES at most, or one index; it ends with a chunk if it
 * can. */
static int64_t extent_of_piece(const struct appending *p, int64_t done, int64_t left)
{
    const int64_t chunk = drx_chunk(p->a)[p->axis];
    int64_t by = SLAB_BYTES / p->plane_bytes, over;

    if (by >= left)
        return left;
    over = (drx_shape(p->a)[p->axis] + done + by) % chunk;
    by -= over < by ? over : 0;
    return by > 0 ? by : 1;
}

/* Read a pipe up to --from. */
static bool skip(const struct appending *p, void *buf)
{
    struct source *s = p->s;
    int64_t lo[DRX_MAX_NDIM] = { 0 }, count[DRX_MAX_NDIM];
    bool good = true;

    memcpy(count, s->shape, sizeof count);
    count[p->axis] = 1;
    for (; good && s->pipe && lo[p->axis] < p->wish->from; lo[p->axis]++)
        good = source_read(s, lo, count, buf);
    return good;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* This rank's part of a piece: whole chunks of the array and of the source. The piece is cut along the slowest axis
 * that has a chunk for each rank, or else along the axis with most chunks. */
static void take_part(const struct appending *p, int64_t lo[], int64_t count[])
{
    const struct source *s = p->s;
    int64_t most = 0, extent = 0, first;
    int axis = 0;

    for (int k = 0; k < s->ndim && most < team_size(); k++) {
        const int j = axis_from_slowest(s->ndim, s->order, k);
        const int64_t chunk = drx_chunk(p->a)[j] > s->chunk[j] ? drx_chunk(p->a)[j] : s->chunk[j];
        const int64_t unit = smaller(chunk, count[j]), units = (count[j] - 1) / unit + 1;

        if (units > most) {
            most = units;
            extent = ((units - 1) / team_size() + 1) * unit;
            axis = j;
        }
    }
    first = smaller(extent * team_rank(), count[axis]); /* no overflow: a piece is in memory */
    lo[axis] += first;
    count[axis] = smaller(extent, count[axis] - first);
}

/* Read a box of the source, as elements of the array. */
static int read_part(const struct appending *p, const int64_t lo[], const int64_t count[], void *buf)
{
    const struct meaning *m = &p->means;
    char axis[AXIS_TEXT_BYTES];

    if (!source_read(p->s, lo, count, buf))
        return FAILED;
    if (m->same || drx_cf_encode(&m->given, &m->stored, box_bytes(p->s->ndim, count, 1), buf, buf) == DRX_OK)
        return DONE;
    return failed("%s: from index %" PRId64 " on %s: %s", p->s->label, lo[p->axis], axis_text(p->a, p->axis, axis),
                  drx_last_error());
}

struct pieces {
    const struct appending *p;
    struct coords *coords;
    struct progress progress;
    int64_t from, by, first; /* index of the source, indices of the slab, and index of the array where it begins */
    int64_t shown;           /* indices that the progress shows */
    void *buf;
};

/* Give this rank's part of the next piece. At the end, with all of the array's elements written and none of them to be
 * seen, the coordinate grows: what a kill leaves there from now on, an import finds. What fails has been told. */
static drx_status next_part(void *with, int64_t done, int64_t *n, int64_t lo[], int64_t count[], const void **buf)
{
    struct pieces *pieces = with;
    const struct appending *p = pieces->p;
    int status = interrupted() ? FAILED : DONE;

    if (status == DONE && done == pieces->by) {
        hide_progress();
        status = append_coords(pieces->coords, pieces->by);
    } else if (status == DONE) {
        memcpy(count, p->s->shape, sizeof *count * (size_t)p->s->ndim);
        lo[p->axis] = pieces->from + done;
        *n = count[p->axis] = extent_of_piece(p, done, pieces->by - done);
        *buf = pieces->buf;
        add_progress(&pieces->progress, p->plane_bytes * (done - pieces->shown));
        pieces->shown = done;
        take_part(p, lo, count);
        if (box_bytes(p->s->ndim, count, 1) > 0)
            status = read_part(p, lo, count, pieces->buf);
        lo[p->axis] += pieces->first - pieces->from;
    }
    return status == DONE ? DRX_OK : DRX_EINTERRUPTED;
}

/* Append the indices from wish->from on. Collective. */
static int append_pieces(const struct appending *p, struct coords *coords)
{
    struct pieces pieces = { .p = p,
                             .coords = coords,
                             .from = p->wish->from,
                             .by = p->s->shape[p->axis] - p->wish->from,
                             .first = drx_shape(p->a)[p->axis] };
    int64_t most = p->plane_bytes > SLAB_BYTES ? p->plane_bytes : SLAB_BYTES;
    drx_status st;
    int status;

    if (pieces.by <= most / p->plane_bytes)
        most = pieces.by * p->plane_bytes;
    pieces.buf = calloc((size_t)most, 1);
    watch_interrupts();
    status = agree(pieces.buf ? DONE : out_of_memory(most));
    if (status == DONE)
        status = agree(skip(p, pieces.buf) ? DONE : FAILED);
    if (status == DONE) {
        begin_progress(&pieces.progress, p->plane_bytes * pieces.by);
        st = append_together(p->a, p->axis, pieces.by, p->s->order, next_part, &pieces);
        hide_progress();
        status = st == DRX_EINTERRUPTED ? FAILED : exit_code(p->path, st);
    }
    free(pieces.buf);
    return status;
}

static int append_source(const struct appending *p, struct coords *coords)
{
    const int64_t by = p->s->shape[p->axis] - p->wish->from;
    int status;

    if (p->plane_bytes > 0 && by > 0)
        return append_pieces(p, coords);
    status = agree(append_coords(coords, by)); /* no elements, but perhaps indices */
    return status == DONE ? exit_code(p->path, extend_together(p->a, p->axis, by)) : status;
}

/* Write what is stored already at the indices of the array where it is. Collective. */
static int replace(const struct appending *p, const struct coords *coords)
{
    const struct source *s = p->s;
    int64_t lo[DRX_MAX_NDIM] = { 0 }, count[DRX_MAX_NDIM];
    void *buf = calloc((size_t)p->plane_bytes + 1, 1);
    int status = agree(buf ? DONE : out_of_memory(p->plane_bytes));

    for (int64_t i = 0; status == DONE && i < coords->overlap; i++) {
        drx_status st = DRX_OK;

        memset(lo, 0, sizeof lo);
        memcpy(count, s->shape, sizeof count);
        lo[p->axis] = p->wish->from + i;
        count[p->axis] = 1;
        take_part(p, lo, count);
        if (box_bytes(s->ndim, count, 1) > 0) {
            status = read_part(p, lo, count, buf);
            lo[p->axis] = coords->at[i];
            if (status == DONE)
                st = drx_write(p->a, lo, count, s->order, buf);
        }
        status = agree(st ? failed_drx(p->path, st) : status);
    }
    free(buf);
    return status;
}

/* Rank 0 knows what is stored already; tell the others, and replace or skip it. Collective. */
static int settle_overlap(const struct appending *p, struct coords *coords)
{
    int status = DONE;

    share_bytes(&coords->overlap, sizeof coords->overlap);
    if (coords->overlap > 0 && p->wish->overlap == DRX_CF_REPLACE) {
        if (!coords->at)
            coords->at = calloc((size_t)coords->overlap, sizeof *coords->at);
        status = agree(coords->at ? DONE : out_of_memory(coords->overlap));
        if (status == DONE)
            share_bytes(coords->at, (size_t)coords->overlap * sizeof *coords->at);
        if (status == DONE && p->plane_bytes > 0)
            status = replace(p, coords);
    }
    p->wish->from += coords->overlap;
    return status;
}

int import_append(struct source *s, struct import *wish, const char *path)
{
    struct appending p = { .s = s, .wish = wish, .path = path, .a = open_together(path, DRX_RDWR) };
    struct coords coords = { 0 };
    char axis[AXIS_TEXT_BYTES];
    int status;

    if (!p.a)
        return FAILED;
    for (int j = 0; j < s->ndim && j < drx_ndim(p.a) && s->ndim == drx_ndim(p.a); j++)
        if (!wish->dims[j] && !wish->names.n)
            wish->dims[j] = drx_dim_name(p.a, j);
    status = find_axis(p.a, path, wish->append, &p.axis) ? check_source(&p) : FAILED;
    for (int j = 0; status == DONE && !wish->coords && j < s->ndim; j++)
        if (!drx_dim_name(p.a, j))
            wish->dims[j] = NULL; /* what lies there with that name belongs to others */
    if (status == DONE && !wish->no_coords && team_rank() == 0)
        status = find_coords(&coords, s, wish, path, p.axis, drx_shape(p.a)[p.axis]);
    if (status == DONE && team_rank() == 0 && wish->overlap != DRX_CF_REFUSE && !coords.at)
        status = failed("%s: --overlap needs a coordinate of %s: in %s, and an array of it beside %s", path,
                        axis_text(p.a, p.axis, axis), s->file, path);
    status = agree(status);
    if (status == DONE)
        status = settle_overlap(&p, &coords);
    if (status == DONE)
        status = append_source(&p, &coords);
    release_coords(&coords);
    release_source(&p);
    return commit_together(p.a, path, status);
}
