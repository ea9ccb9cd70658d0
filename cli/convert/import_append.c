/* Appends a source to an array in pieces along the axis. Readers see each piece whole or not at all. When a piece
 * fails, those before it stay, and a message says how many indices they are. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/slabs.h"
#include "frame/progress.h"
#include "frame/team.h"
#include "frame/text.h"
#include "import.h"

struct appending {
    struct source *s;
    const struct import *wish;
    drx_array *a;
    const char *path;
    int axis;
    int64_t plane_bytes; /* of one index along the axis */
};

static int check_shape(const struct appending *p)
{
    const struct source *s = p->s;
    const int64_t *shape = drx_shape(p->a);
    char axis[AXIS_TEXT_BYTES];

    if (s->type != drx_dtype(p->a))
        return failed("%s: has type %s, but %s of %s", s->label, drx_type_name(s->type), drx_type_name(drx_dtype(p->a)),
                      p->path);
    if (s->ndim != drx_ndim(p->a))
        return failed("%s: has %d dimensions, expected %d as %s has", s->label, s->ndim, drx_ndim(p->a), p->path);
    for (int j = 0; j < s->ndim; j++) {
        const char *name = drx_dim_name(p->a, j);

        if (j != p->axis && s->shape[j] != shape[j])
            return failed("%s: has %" PRId64 " indices on %s, expected %" PRId64 " as %s has", s->label, s->shape[j],
                          axis_text(p->a, j, axis), shape[j], p->path);
        if (name && p->wish->dims[j] && strcmp(name, p->wish->dims[j]) != 0)
            return failed("%s: axis %d is called '%s', but '%s' in %s; --dims gives other names", s->label, j,
                          p->wish->dims[j], name, p->path);
    }
    if (p->wish->from > s->shape[p->axis])
        return failed("%s: has %" PRId64 " indices on %s; give at most that many with --from", s->label,
                      s->shape[p->axis], axis_text(p->a, p->axis, axis));
    return DONE;
}

static bool is_nan(drx_type type, const void *value)
{
    double part;

    if (type_is_whole(type))
        return false;
    for (int i = 0; i < (type_is_complex(type) ? 2 : 1); i++) {
        part = real_part(type, value, i);
        if (part != part)
            return true;
    }
    return false;
}

/* With another fill value than the array's, missing elements of the source would become numbers. A source without a
 * fill value has no missing elements. */
static int check_fill(const struct appending *p)
{
    static const char zero[VALUE_MAX_BYTES];
    const struct source *s = p->s;
    char have[VALUE_TEXT_BYTES], want[VALUE_TEXT_BYTES];
    const void *fill;
    drx_spec spec;

    drx_describe(p->a, &spec);
    fill = spec.fill ? spec.fill : zero;
    if (!s->fill_name || memcmp(s->fill, fill, drx_type_size(s->type)) == 0 ||
        (is_nan(s->type, s->fill) && is_nan(s->type, fill)))
        return DONE;
    value_text(s->type, s->fill, have);
    value_text(s->type, fill, want);
    return failed("%s: the fill value is %s, but %s has %s; --force appends anyway", s->label, have, p->path, want);
}

static bool same_attribute(const drx_array *a, const drx_array *b, const char *name)
{
    const void *values[2] = { NULL, NULL };
    drx_type type[2] = { 0 };
    int64_t n[2] = { 0 };

    (void)drx_attr_get(a, name, &type[0], &n[0], &values[0]);
    (void)drx_attr_get(b, name, &type[1], &n[1], &values[1]);
    return type[0] == type[1] && n[0] == n[1] &&
           (!n[0] || memcmp(values[0], values[1], (size_t)n[0] * drx_type_size(type[0])) == 0);
}

/* If the source has attributes, those that give the numbers their meaning must be equal. */
static int check_meaning(const struct appending *p)
{
    static const char *const names[] = { "units", "scale_factor", "add_offset" };
    static const int64_t none = 0;
    const drx_spec spec = { .ndim = 1, .type = p->s->type, .shape = &none };
    drx_array *other;
    const drx_status st = drx_create(NULL, &spec, &other);
    int status;

    if (st)
        return failed_drx(p->path, st);
    status = p->s->kind->copy_attributes(p->s, other, p->s->label);
    for (int i = 0; status == DONE && i < 3 && drx_attr_count(other) > 0; i++)
        if (!same_attribute(p->a, other, names[i]))
            status = failed("%s: the attribute %s differs from that of %s; --force appends anyway", p->s->label,
                            names[i], p->path);
    (void)drx_close(other);
    return status;
}

/* A pipe yields pieces along its slowest axis only. */
static int check_pipe(const struct appending *p)
{
    const struct source *s = p->s;
    char axis[AXIS_TEXT_BYTES];

    if (!s->pipe || axis_from_slowest(s->ndim, s->order, 0) == p->axis ||
        (p->wish->from == 0 && box_bytes(s->ndim, s->shape, drx_type_size(s->type)) <= SLAB_BYTES))
        return DONE;
    return failed("%s: cannot be appended along %s piece by piece from a pipe; give a file", s->label,
                  axis_text(p->a, p->axis, axis));
}

/* The extent of the next piece: SLAB_BYTES at most, or one index; it ends with a chunk if it can. */
static int64_t extent_of_piece(const struct appending *p, int64_t left)
{
    const int64_t chunk = drx_chunk(p->a)[p->axis];
    int64_t by = SLAB_BYTES / p->plane_bytes, over;

    if (by >= left)
        return left;
    over = (drx_shape(p->a)[p->axis] + by) % chunk;
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

/* Read this rank's part of the piece that begins at `lo` of the source, and append the piece. Collective. */
static int append_piece(const struct appending *p, const int64_t lo[], const int64_t count[], void *buf)
{
    int64_t from[DRX_MAX_NDIM], extent[DRX_MAX_NDIM];
    int status = DONE;

    memcpy(from, lo, sizeof from);
    memcpy(extent, count, sizeof extent);
    take_part(p, from, extent);
    if (interrupted() || (box_bytes(p->s->ndim, extent, 1) > 0 && !source_read(p->s, from, extent, buf)))
        status = FAILED;
    status = agree(status);
    if (status != DONE)
        return status;
    from[p->axis] += drx_shape(p->a)[p->axis] - lo[p->axis];
    return exit_code(p->path, append_together(p->a, p->axis, count[p->axis], from, extent, p->s->order, buf));
}

/* Append the indices from *at on, and move *at past what was appended. Collective. */
static int append_pieces(const struct appending *p, int64_t *at, void *buf)
{
    struct source *s = p->s;
    int64_t lo[DRX_MAX_NDIM] = { 0 }, count[DRX_MAX_NDIM];
    struct progress progress;
    int status = agree(skip(p, buf) ? DONE : FAILED);

    memcpy(count, s->shape, sizeof count);
    begin_progress(&progress, p->plane_bytes * (s->shape[p->axis] - *at));
    while (status == DONE && *at < s->shape[p->axis]) {
        lo[p->axis] = *at;
        count[p->axis] = extent_of_piece(p, s->shape[p->axis] - *at);
        status = append_piece(p, lo, count, buf);
        if (status == DONE) {
            *at += count[p->axis];
            add_progress(&progress, p->plane_bytes * count[p->axis]);
        }
    }
    hide_progress();
    return status;
}

static int tell_part(const struct appending *p, int64_t done, int status)
{
    char axis[AXIS_TEXT_BYTES];

    if (status != DONE && done > 0 && done < p->s->shape[p->axis] - p->wish->from)
        (void)failed("%s: %" PRId64 " of %" PRId64 " indices were appended to %s; --append %s --from %" PRId64
                     " appends the rest",
                     p->path, done, p->s->shape[p->axis] - p->wish->from, axis_text(p->a, p->axis, axis),
                     p->wish->append, p->wish->from + done);
    return status;
}

static int append_source(const struct appending *p, struct coords *coords)
{
    const int64_t from = p->wish->from, left = p->s->shape[p->axis] - from;
    int64_t at = from;
    int64_t most;
    void *buf;
    int status;

    if (p->plane_bytes == 0 || left == 0) { /* no elements, but perhaps indices */
        const drx_status st = extend_together(p->a, p->axis, left);

        return st ? failed_drx(p->path, st) : append_coords(coords, from, left);
    }
    most = p->plane_bytes > SLAB_BYTES ? p->plane_bytes : SLAB_BYTES;
    if (left <= most / p->plane_bytes)
        most = left * p->plane_bytes;
    buf = calloc((size_t)most, 1);
    watch_interrupts();
    status = agree(buf ? DONE : out_of_memory(most));
    if (status == DONE)
        status = append_pieces(p, &at, buf);
    free(buf);
    if (at > from) {
        const drx_status st = sync_together(p->a);
        const int also = append_coords(coords, from, at - from);

        if (status == DONE && st)
            status = failed_drx(p->path, st);
        if (status == DONE && also != DONE)
            return failed("%s: was appended to, but its coordinates were not; append to the array of each with "
                          "'drx import FILE:VARIABLE PATH --append 0'",
                          p->path);
    }
    return tell_part(p, at - from, status);
}

static int check_all(struct appending *p, struct coords *coords)
{
    int64_t plane[DRX_MAX_NDIM];
    int status = check_shape(p);

    if (status == DONE && !p->wish->force)
        status = check_fill(p);
    if (status == DONE && !p->wish->force)
        status = check_meaning(p);
    if (status == DONE)
        status = check_pipe(p);
    if (status == DONE && p->wish->coords && team_rank() == 0)
        status = find_coords(coords, p->s, p->wish->dims, p->path, p->axis, drx_shape(p->a)[p->axis]);
    memcpy(plane, p->s->shape, sizeof plane);
    plane[p->axis] = 1;
    p->plane_bytes = box_bytes(p->s->ndim, plane, drx_type_size(p->s->type));
    if (status == DONE && p->plane_bytes < 0)
        status = failed("%s: is too large", p->s->label);
    return agree(status);
}

int import_append(struct source *s, struct import *wish, const char *path)
{
    struct appending p = { .s = s, .wish = wish, .path = path, .a = open_together(path, DRX_RDWR) };
    struct coords coords = { 0 };
    int status;

    if (!p.a)
        return FAILED;
    for (int j = 0; j < s->ndim && j < drx_ndim(p.a) && s->ndim == drx_ndim(p.a); j++)
        if (!wish->dims[j] && !wish->names.n)
            wish->dims[j] = drx_dim_name(p.a, j);
    status = find_axis(p.a, path, wish->append, &p.axis) ? check_all(&p, &coords) : FAILED;
    if (status == DONE)
        status = append_source(&p, &coords);
    release_coords(&coords);
    return commit_together(p.a, path, status);
}
