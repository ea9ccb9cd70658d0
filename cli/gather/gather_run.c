/* Carries a plan out: the dataset grows, then the elements of one file after the other are copied. */
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"
#include "gather.h"

/* Grow the dimension, and those of texts where files have longer ones. */
static int grow(struct appending *p)
{
    drx_status st = drx_dataset_extend_before(p->ds, p->name, p->before);

    if (!st)
        st = drx_dataset_extend(p->ds, p->name, p->extent - p->before - p->stored);
    for (int d = 0; !st && d < drx_dataset_dim_count(p->ds); d++)
        if (p->width[d] > extent_of(p->ds, d))
            st = drx_dataset_extend(p->ds, drx_dataset_dim(p->ds, d, NULL), p->width[d] - extent_of(p->ds, d));
    return exit_code(p->path, st);
}

/* Write the coordinates on both sides of those that were stored. */
static int write_values(const struct appending *p)
{
    const struct joined *j = &p->joined[p->coordinate];
    const int64_t zero = 0, behind = p->before + p->stored, after = p->extent - behind;
    const char *values = p->values;
    drx_status st = write_at(j->array, &zero, &p->before, DRX_ROW_MAJOR, values);

    if (!st)
        st = write_at(j->array, &behind, &after, DRX_ROW_MAJOR,
                      values + (size_t)behind * drx_type_size(drx_dtype(j->array)));
    return exit_code(p->path, st);
}

static int copy_piece(struct appending *p, int i, drx_array *a, const struct piece *piece)
{
    const struct joined *j = &p->joined[i];

    j->var->named = p->wish->rounding->bits && is_coordinate_in(p->ds, p->path, j->member);
    return copy_variable(&p->f, j->var, a, piece, j->means.same ? NULL : &j->means);
}

/* ---- late data: files in sequence often hold parts of one chunk, and each write to it compresses it again ---- */

/* Make an array in memory for one row of chunks of a compressed variable. *rows stays NULL where that takes too much
 * memory, or the variable is not compressed. */
static int make_rows(const struct appending *p, const drx_array *a, int axis, drx_array **rows)
{
    int64_t shape[DRX_MAX_NDIM], bytes;
    drx_spec spec;

    drx_describe(a, &spec);
    memcpy(shape, drx_shape(a), (size_t)spec.ndim * sizeof *shape);
    shape[axis] = drx_chunk(a)[axis];
    bytes = box_bytes(spec.ndim, shape, drx_type_size(spec.type));
    if (spec.codec == DRX_RAW || bytes < 0 || bytes > 4 * (int64_t)SLAB_BYTES / drx_dataset_count(p->ds))
        return DONE;
    spec.shape = shape;
    spec.lower = NULL;
    spec.flags = 0;
    set_codec(&spec, &(struct codec){ .codec = DRX_RAW });
    return exit_code(p->path, drx_create(NULL, &spec, rows));
}

/* Write what the row of a variable holds. */
static int write_late(const struct appending *p, int member)
{
    struct late *l = &p->late[member];
    drx_array *a = l->from < l->to ? member_array(p->ds, p->path, member) : NULL;
    int64_t lo[DRX_MAX_NDIM] = { 0 }, count[DRX_MAX_NDIM], bytes;
    drx_status st;
    void *buf;

    if (!a)
        return l->from < l->to ? FAILED : DONE;
    memcpy(count, drx_shape(a), (size_t)drx_ndim(a) * sizeof *count);
    lo[l->axis] = l->from - l->first;
    count[l->axis] = l->to - l->from;
    bytes = box_bytes(drx_ndim(a), count, drx_type_size(drx_dtype(a)));
    buf = calloc((size_t)bytes + 1, 1);
    if (!buf)
        return out_of_memory(bytes);
    st = read_at(l->rows, lo, count, DRX_ROW_MAJOR, buf);
    lo[l->axis] = l->from;
    if (!st)
        st = write_at(a, lo, count, DRX_ROW_MAJOR, buf);
    l->from = l->to;
    free(buf);
    return exit_code(p->path, st);
}

/* Copy elements that are new. Late ones that they overwrite are written first, since the last file counts. */
static int copy_new(struct appending *p, int i, const struct piece *piece)
{
    const struct joined *j = &p->joined[i];
    const struct late *l = &p->late[j->member];
    const int status = piece->at < l->to && piece->at + piece->count > l->from ? write_late(p, j->member) : DONE;

    return status == DONE ? copy_piece(p, i, j->array, piece) : status;
}

/* Copy elements over those that are stored. */
static int copy_again(struct appending *p, int i, struct piece piece)
{
    const struct joined *j = &p->joined[i];
    struct late *l = &p->late[j->member];
    const int64_t chunk = drx_chunk(j->array)[j->axis], lower = drx_lower(j->array)[j->axis];
    int status = l->rows ? DONE : make_rows(p, j->array, j->axis, &l->rows);

    if (status == DONE && !l->rows)
        return copy_piece(p, i, j->array, &piece);
    while (status == DONE && piece.count > 0) {
        const int64_t over = ((lower + piece.at) % chunk + chunk) % chunk, first = piece.at - over;
        const int64_t n = piece.count < chunk - over ? piece.count : chunk - over;

        if (l->first != first || l->to != piece.at)
            status = write_late(p, j->member);
        if (status == DONE && l->from == l->to)
            *l = (struct late){ l->rows, j->axis, first, piece.at, piece.at };
        if (status == DONE)
            status = copy_piece(p, i, l->rows, &(struct piece){ piece.axis, piece.from, n, over, true });
        l->to += n;
        piece = (struct piece){ piece.axis, piece.from + n, piece.count - n, piece.at + n, true };
    }
    return status;
}

/* Overwrite what is stored for the same coordinates, in runs of indices. Those of the file are its first ones, or, when
 * the new ones lead up to what is stored, its last ones. */
static int write_again(struct appending *p, int i)
{
    const struct planned *now = p->now;
    const bool before = now->place.side == DRX_CF_BEFORE;
    const int64_t end = before ? now->extent : now->place.from;
    int status = DONE;

    for (int64_t from = before ? now->place.appended : 0, n; status == DONE && from < end; from += n) {
        struct piece piece = { p->joined[i].axis, from, 1, now->index[from] + p->before, true };

        for (n = 1; from + n < end && now->index[from + n] == now->index[from] + n; n++)
            piece.count++;
        status = copy_again(p, i, piece);
    }
    return status;
}

static int gather_file(struct appending *p)
{
    const struct planned *now = p->now;
    int status = DONE;

    for (int i = 0; status == DONE && i < p->f.nvars; i++) {
        const struct piece piece = { p->joined[i].axis, now->place.from, now->place.appended, now->at + p->before,
                                     false };

        if (piece.axis >= 0 && i != p->coordinate)
            status = copy_new(p, i, &piece);
    }
    if (p->wish->overlap != DRX_CF_REPLACE || now->extent == now->place.appended)
        return status;
    remains->overwritten = true;
    for (int i = 0; status == DONE && i < p->f.nvars; i++)
        if (p->joined[i].axis >= 0 && i != p->coordinate)
            status = write_again(p, i);
    return status;
}

int run_plan(struct appending *p)
{
    struct progress progress;
    int status = grow(p);

    if (status == DONE && p->values)
        status = write_values(p);
    if (p->leading > 1) { /* which moves the files */
        close_planned(p);
        put_in_sequence(p);
    }
    p->late = calloc((size_t)drx_dataset_count(p->ds) + 1, sizeof *p->late);
    if (status == DONE && !p->late)
        status = out_of_memory(drx_dataset_count(p->ds));
    begin_progress(&progress, p->bytes);
    for (int i = 0; status == DONE && i < p->n; i++) {
        const bool is_open = p->now == &p->of[i];

        status = open_planned(p, &p->of[i]);
        p->f.progress = &progress;
        if (status == DONE)
            status = is_open ? find_meanings(p) : check_variables(p);
        p->coordinate = status == DONE ? coordinate_of_file(&p->f, p->name) : -1;
        if (status == DONE)
            status = gather_file(p);
    }
    for (int i = 0; p->late && i < drx_dataset_count(p->ds); i++) {
        if (status == DONE)
            status = write_late(p, i);
        (void)drx_close(p->late[i].rows);
    }
    free(p->late);
    hide_progress();
    return status;
}
