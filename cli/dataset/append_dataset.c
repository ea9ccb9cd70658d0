/* Appends a whole file to a dataset, in one transaction. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "append.h"
#include "arrays/arrays.h"
#include "arrays/slabs.h"
#include "files/child.h"

static int find_dim(struct appending *p, const char *name)
{
    const int d = dim_of_file(&p->f, name);

    p->dim = drx_dataset_dim_find(p->ds, name);
    if (p->dim < 0)
        return failed("%s: has no dimension '%s'; 'drx info %s' lists them", p->path, name, p->path);
    p->stored = extent_of(p->ds, p->dim);
    p->extent = d < 0 ? 0 : p->f.dim[d].extent;
    return d < 0 ? failed("%s: has no dimension '%s'", p->f.path, name) : DONE;
}

/* The variable with the name of the dimension, if it is one of numbers along it. */
static int find_coordinate(const struct appending *p)
{
    const int i = var_of_file(&p->f, drx_dataset_dim(p->ds, p->dim, NULL));

    return i >= 0 && p->f.var[i].kind == NUMBERS && p->f.var[i].ndim == 1 && p->joined[i].axis == 0 ? i : -1;
}

/* Print why they do not align, and what else of the file is of another extent. */
static int refuse_coordinates(const struct appending *p, const struct aligned *pair, drx_cf_overlap overlap)
{
    char *why = strdup(drx_last_error()), *extents = unlike_extents(p);
    const char *more = extents && extents[0] ? extents : overlap_hint(pair, overlap);
    const int status = failed_why(p->joined[p->coordinate].var->source.label, why ? why : "", more);

    free(why);
    free(extents);
    return status;
}

/* Compare the coordinates: *old and *given are to be freed. */
static int align(struct appending *p, drx_cf_overlap overlap, void **old, void **given)
{
    const struct joined *j = &p->joined[p->coordinate];
    const size_t bytes = drx_type_size(drx_dtype(j->array));
    const int64_t zero = 0;
    struct aligned pair = { &j->means.stored, &j->means.given, p->stored, p->extent, NULL, NULL };
    drx_status st;

    *old = calloc((size_t)p->stored + 1, bytes);
    *given = calloc((size_t)p->extent + 1, drx_type_size(j->var->source.type));
    p->encoded = calloc((size_t)p->extent + 1, bytes);
    if (!*old || !*given || !p->encoded)
        return out_of_memory((p->stored + p->extent) * (int64_t)bytes);
    if (!nc_read(&j->var->source, &zero, &p->extent, *given))
        return FAILED;
    st = read_at(j->array, &zero, &p->stored, DRX_ROW_MAJOR, *old);
    if (!st)
        st = drx_cf_align(&j->means.stored, p->stored, *old, &j->means.given, p->extent, *given, overlap, p->index,
                          p->encoded, &p->place);
    pair.have = *old;
    pair.more = *given;
    if (st)
        return refuse_coordinates(p, &pair, overlap);
    p->gap = gap_text(pair.stored, p->stored, *old, p->place.appended,
                      (char *)p->encoded + (size_t)p->place.from * bytes, p->place.side == DRX_CF_BEFORE);
    return DONE;
}

static int find_place(struct appending *p, drx_cf_overlap overlap)
{
    void *old = NULL, *given = NULL;
    int status = DONE;

    p->index = calloc((size_t)p->extent + 1, sizeof *p->index);
    if (!p->index)
        return out_of_memory(p->extent);
    p->coordinate = find_coordinate(p);
    if (p->coordinate >= 0) {
        status = align(p, overlap, &old, &given);
    } else {
        p->place.appended = p->extent;
        if (overlap != DRX_CF_REFUSE)
            status = failed("%s: --overlap needs a coordinate variable '%s' of numbers", p->path,
                            drx_dataset_dim(p->ds, p->dim, NULL));
    }
    free(old);
    free(given);
    return status;
}

/* Grow the dimension, and those of the bytes of strings where the file has longer ones. */
static int grow(struct appending *p)
{
    const char *dim = drx_dataset_dim(p->ds, p->dim, NULL);
    const drx_status st = p->place.side == DRX_CF_BEFORE ? drx_dataset_extend_before(p->ds, dim, p->place.appended)
                                                         : drx_dataset_extend(p->ds, dim, p->place.appended);
    int status = exit_code(p->path, st);

    for (int i = 0; status == DONE && i < p->f.nvars; i++) {
        const struct joined *j = &p->joined[i];
        int64_t width;
        int d;

        if (j->var->kind != STRINGS || j->axis < 0)
            continue;
        status = measure_strings(&p->f, j->var);
        d = drx_dataset_axis(p->ds, j->member, j->var->ndim);
        width = extent_of(p->ds, d);
        if (status == DONE && j->var->string_bytes > width)
            status = exit_code(
                p->path, drx_dataset_extend(p->ds, drx_dataset_dim(p->ds, d, NULL), j->var->string_bytes - width));
    }
    return status;
}

static int write_new(const struct appending *p, int i)
{
    const struct joined *j = &p->joined[i];
    const int64_t at = p->place.side == DRX_CF_BEFORE ? 0 : p->stored;
    const struct piece piece = { j->axis, p->place.from, p->place.appended, at, false };
    const size_t skipped = (size_t)p->place.from * drx_type_size(drx_dtype(j->array));

    if (i == p->coordinate)
        return exit_code(p->path,
                         write_at(j->array, &piece.at, &piece.count, DRX_ROW_MAJOR, (char *)p->encoded + skipped));
    return copy_variable(&p->f, j->var, j->array, &piece, j->means.same ? NULL : &j->means);
}

/* Overwrite what is stored for the same coordinates, in runs of indices. Those of the file are its first ones, or, when
 * the new ones lead up to what is stored, its last ones. */
static int write_again(const struct appending *p, int i)
{
    const bool before = p->place.side == DRX_CF_BEFORE;
    const int64_t shift = before ? p->place.appended : 0, end = before ? p->extent : p->place.from;
    const struct joined *j = &p->joined[i];
    int status = DONE;

    for (int64_t from = shift, n; status == DONE && i != p->coordinate && from < end; from += n) {
        struct piece piece = { j->axis, from, 1, p->index[from] + shift, true };

        for (n = 1; from + n < end && p->index[from + n] == p->index[from] + n; n++)
            piece.count++;
        status = copy_variable(&p->f, j->var, j->array, &piece, j->means.same ? NULL : &j->means);
    }
    return status;
}

static int write_all(struct appending *p, bool replace)
{
    int status = grow(p);

    if (status == DONE)
        status = find_meanings(p);
    for (int i = 0; status == DONE && i < p->f.nvars; i++)
        if (p->joined[i].axis >= 0)
            status = write_new(p, i);
    remains->overwritten = replace;
    for (int i = 0; status == DONE && replace && i < p->f.nvars; i++)
        if (p->joined[i].axis >= 0)
            status = write_again(p, i);
    return status;
}

static int append(struct appending *p, const char *dim, drx_cf_overlap overlap)
{
    int status = find_dim(p, dim);

    p->joined = calloc((size_t)p->f.nvars + 1, sizeof *p->joined);
    if (status == DONE && !p->joined)
        status = out_of_memory(p->f.nvars);
    if (status == DONE)
        status = check_names(p);
    if (status == DONE)
        status = check_variables(p);
    if (status == DONE)
        status = find_place(p, overlap);
    if (status == DONE)
        status = check_others(p);
    if (status == DONE)
        status = check_types(p);
    if (status != DONE || (p->place.appended == 0 && (overlap != DRX_CF_REPLACE || p->extent == 0)))
        return status;
    watch_interrupts();
    status = write_all(p, overlap == DRX_CF_REPLACE);
    return status == DONE ? commit_with_command(p->ds, p->path, p->f.path, dim) : status;
}

int append_dataset(const char *file, const char *path, const char *dim, drx_cf_overlap overlap,
                   struct rounding *rounding)
{
    struct appending p = { .path = path, .coordinate = -1 };
    int status = FAILED;

    if (!open_whole(&p.f, file))
        return FAILED;
    p.f.rounding = rounding;
    (void)snprintf(remains->changed, PATH_MAX, "%s", path);
    p.ds = open_dataset(path, DRX_RDWR, DRX_LAST);
    if (p.ds)
        status = close_dataset(p.ds, path, append(&p, dim, overlap));
    remains->complete = status == DONE;
    if (status == DONE && p.gap)
        warn("%s 'drx trim %s %s --%s %" PRId64 "' takes this append back", p.gap, path, dim,
             p.place.side == DRX_CF_BEFORE ? "before" : "after", p.place.appended);
    free(p.gap);
    for (int i = 0; p.joined && i < p.f.nvars; i++)
        (void)drx_close(p.joined[i].given);
    free(p.joined);
    free(p.index);
    free(p.encoded);
    close_whole(&p.f);
    return status;
}
