/* Appends a source to an array: the library takes it in pieces of bounded memory, and nobody sees any of them before
 * all are written. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"
#include "frame/team.h"
#include "import_append.h"

/* The extent of the piece that begins at that index of the array: SLAB_BYTES at most, or one index; it ends with a
 * chunk if it can. */
static int64_t extent_of_piece(const struct appending *p, int64_t at, int64_t left)
{
    const int64_t chunk = drx_chunk(p->a)[p->axis];
    int64_t by = SLAB_BYTES / p->plane_bytes, over;

    if (by >= left)
        return left;
    over = (at + by) % chunk;
    over += over < 0 ? chunk : 0;
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
    int64_t from, by;            /* index of the source where the slab begins, and its indices */
    int64_t first[DRX_MAX_NDIM]; /* and where it begins in the array */
    int64_t shown;               /* indices that the progress shows */
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
        status = append_coords(pieces->coords);
    } else if (status == DONE) {
        memcpy(count, p->s->shape, sizeof *count * (size_t)p->s->ndim);
        lo[p->axis] = pieces->from + done;
        *n = count[p->axis] = extent_of_piece(p, pieces->first[p->axis] + done, pieces->by - done);
        *buf = pieces->buf;
        add_progress(&pieces->progress, p->plane_bytes * (done - pieces->shown));
        pieces->shown = done;
        take_own_part(p->a, p->s->chunk, p->s->order, lo, count);
        if (box_bytes(p->s->ndim, count, 1) > 0)
            status = read_part(p, lo, count, pieces->buf);
        lo[p->axis] -= pieces->from;
        for (int j = 0; j < p->s->ndim; j++)
            lo[j] += pieces->first[j];
    }
    return status == DONE ? DRX_OK : DRX_EINTERRUPTED;
}

/* Append what is added, in pieces. Collective. */
static int append_pieces(const struct appending *p, struct coords *coords)
{
    const struct addition *added = &coords->added;
    struct pieces pieces = { .p = p, .coords = coords, .from = p->wish->from + added->from, .by = added->count };
    int64_t most = p->plane_bytes > SLAB_BYTES ? p->plane_bytes : SLAB_BYTES;
    drx_status st;
    int status;

    memcpy(pieces.first, drx_lower(p->a), (size_t)p->s->ndim * sizeof *pieces.first);
    pieces.first[p->axis] += added->before ? -added->count : drx_shape(p->a)[p->axis];
    if (pieces.by <= most / p->plane_bytes)
        most = pieces.by * p->plane_bytes;
    pieces.buf = calloc((size_t)most, 1);
    watch_interrupts();
    status = agree(pieces.buf ? DONE : out_of_memory(most));
    if (status == DONE)
        status = agree(skip(p, pieces.buf) ? DONE : FAILED);
    if (status == DONE) {
        begin_progress(&pieces.progress, p->plane_bytes * pieces.by);
        st = append_together(p->a, p->axis, added->before, pieces.by, p->s->order, next_part, &pieces);
        hide_progress();
        status = st == DRX_EINTERRUPTED ? FAILED : exit_code(p->path, st);
    }
    free(pieces.buf);
    return status;
}

static int append_source(const struct appending *p, struct coords *coords)
{
    const struct addition *added = &coords->added;
    int status;

    if (p->plane_bytes > 0 && added->count > 0)
        return append_pieces(p, coords);
    status = agree(append_coords(coords)); /* no elements, but perhaps indices */
    return status == DONE ? exit_code(p->path, extend_together(p->a, p->axis, added->before, added->count)) : status;
}

/* Write an index of the source, counted from --from on, over that of the array. Collective. */
static int replace_one(const struct appending *p, int64_t i, int64_t at, void *buf)
{
    const struct source *s = p->s;
    int64_t lo[DRX_MAX_NDIM] = { 0 }, count[DRX_MAX_NDIM];
    drx_status st = DRX_OK;
    int status = DONE;

    memcpy(count, s->shape, sizeof count);
    lo[p->axis] = p->wish->from + i;
    count[p->axis] = 1;
    take_own_part(p->a, s->chunk, s->order, lo, count);
    if (box_bytes(s->ndim, count, 1) > 0)
        status = read_part(p, lo, count, buf);
    lo[p->axis] = at;
    for (int j = 0; j < s->ndim; j++)
        lo[j] += drx_lower(p->a)[j];
    status = agree(status);
    if (status == DONE)
        st = write_together(p->a, lo, count, s->order, buf);
    return st ? failed_drx(p->path, st) : status;
}

/* Write what is stored already. Collective. */
static int replace(const struct appending *p, const struct coords *coords, int64_t n)
{
    const struct addition *added = &coords->added;
    void *buf = calloc((size_t)p->plane_bytes + 1, 1);
    int status = agree(buf ? DONE : out_of_memory(p->plane_bytes));

    remains->overwritten = true;
    for (int64_t i = 0; status == DONE && i < n; i++)
        if (i < added->from || i >= added->from + added->count)
            status = replace_one(p, i, coords->at[i], buf);
    free(buf);
    return status;
}

/* Rank 0 knows what is added; tell the others, and replace or skip what is stored already. Collective. */
static int settle_overlap(const struct appending *p, struct coords *coords)
{
    const int64_t n = p->s->shape[p->axis] - p->wish->from;
    int there = coords->at != NULL;
    int status = DONE;

    share_bytes(&there, sizeof there);
    if (!there)
        coords->added = (struct addition){ .count = n };
    share_bytes(&coords->added, sizeof coords->added);
    if (!there || coords->added.count == n || p->wish->overlap != DRX_CF_REPLACE)
        return DONE;
    if (!coords->at)
        coords->at = calloc((size_t)n + 1, sizeof *coords->at);
    status = agree(coords->at ? DONE : out_of_memory(n));
    if (status == DONE)
        share_bytes(coords->at, (size_t)n * sizeof *coords->at);
    return status == DONE && p->plane_bytes > 0 ? replace(p, coords, n) : status;
}

/* The array and its coordinate are trimmed one by one. */
static void warn_of_gap(const struct coords *coords, const char *path, const char *axis)
{
    const char *end = coords->added.before ? "before" : "after";

    warn("%s 'drx trim %s %s --%s %" PRId64 "' takes this append back, and the same of the coordinate beside it",
         coords->gap, path, axis, end, coords->added.count);
}

int import_append(struct source *s, struct import *wish, const char *path)
{
    struct appending p = { .s = s, .wish = wish, .path = path, .a = open_together(path, DRX_RDWR, DRX_LAST) };
    struct coords coords = { 0 };
    struct span span;
    char axis[AXIS_TEXT_BYTES];
    int status;

    if (!p.a)
        return FAILED;
    for (int j = 0; j < s->ndim && j < drx_ndim(p.a) && s->ndim == drx_ndim(p.a); j++)
        if (!wish->dims[j] && !wish->names.n)
            wish->dims[j] = drx_dim_name(p.a, j);
    (void)snprintf(remains->changed, PATH_MAX, "%s", path);
    status = find_axis(p.a, path, wish->append, &p.axis) ? check_source(&p) : FAILED;
    for (int j = 0; status == DONE && !wish->coords && j < s->ndim; j++)
        if (!drx_dim_name(p.a, j))
            wish->dims[j] = NULL; /* what lies there with that name belongs to others */
    span = (struct span){ drx_lower(p.a)[p.axis], drx_lower(p.a)[p.axis] + drx_shape(p.a)[p.axis] };
    if (status == DONE && !wish->no_coords && team_rank() == 0)
        status = find_coords(&coords, s, wish, path, p.axis, &span);
    if (status == DONE && team_rank() == 0 && wish->overlap != DRX_CF_REFUSE && !coords.at)
        status = failed("%s: --overlap needs a coordinate of %s: in %s, and an array of it beside %s", path,
                        axis_text(p.a, p.axis, axis), s->file, path);
    status = agree(status);
    if (status == DONE)
        status = settle_overlap(&p, &coords);
    if (status == DONE)
        status = append_source(&p, &coords);
    release_source(&p);
    status = commit_together(p.a, path, status);
    remains->complete = status == DONE;
    if (status == DONE && coords.gap)
        warn_of_gap(&coords, path, wish->append);
    release_coords(&coords);
    return status;
}
