/* Coordinates imported with an array: one-dimensional arrays beside it, with the names of its dimensions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"
#include "import.h"

/* What to do when an existing array does not fit. */
static const char *way_out(const struct import *wish)
{
    return wish->way_out  ? wish->way_out
           : wish->append ? "--no-coords appends without it"
           : wish->coords ? "import into another folder"
                          : "import into another folder, or give --no-coords";
}

/* Can an existing array be the coordinates? span: it is appended to, and has at least those indices. */
static int check_coordinates(struct coordinate_source *c, drx_array *a, const struct import *wish,
                             const struct span *span)
{
    struct source *s = &c->source;

    if (drx_ndim(a) != 1 || type_is_complex(drx_dtype(a)) || type_is_complex(s->type))
        return failed("%s: must have one dimension and real numbers to hold the coordinates %s; %s", c->path, s->label,
                      way_out(wish));
    if (span && (drx_lower(a)[0] > span->lower || drx_lower(a)[0] + drx_shape(a)[0] < span->upper))
        return failed("%s: has the indices %" PRId64 " to %" PRId64 ", but the array has %" PRId64 " to %" PRId64
                      " there; append the missing ones to it, or %s",
                      c->path, drx_lower(a)[0], drx_lower(a)[0] + drx_shape(a)[0] - 1, span->lower, span->upper - 1,
                      way_out(wish));
    if (!span && drx_shape(a)[0] != s->shape[0])
        return failed("%s: has %" PRId64 " indices, the coordinates %s have %" PRId64 "; %s", c->path, drx_shape(a)[0],
                      s->label, s->shape[0], way_out(wish));
    return span ? DONE : compare_coordinate(c, a, way_out(wish));
}

/* When nobody has asked for it, an array beside counts that is the coordinate of an axis of that extent. One that grows
 * may have any. */
static int look_at(struct coords *all, struct coordinate_source *c, const struct import *wish, int64_t extent,
                   const struct span *span)
{
    drx_array *a;
    drx_status st = drx_open(c->path, DRX_RDONLY, &a);
    int status;

    c->is_there = st != DRX_ENOENT;
    if (!st && !wish->coords)
        c->is_there = drx_ndim(a) == 1 && !type_is_complex(drx_dtype(a)) && (span || drx_shape(a)[0] == extent);
    if (!c->is_there && (!span || !wish->coords))
        return st ? DONE : close_array(a, c->path, DONE);
    if (!st && span) {
        st = drx_close(a);
        if (!st)
            st = drx_open(c->path, DRX_RDWR, &a);
    }
    if (st)
        return failed("%s: %s; %s", c->path, *drx_last_error() ? drx_last_error() : drx_strerror(st), way_out(wish));
    status = check_coordinates(c, a, wish, span);
    if (status != DONE || !span)
        return close_array(a, c->path, status);
    c->array = a;
    return align_coordinate(all, c, wish, span, way_out(wish));
}

/* Does an axis before `axis` have the same name? */
static bool is_repeated(const char *const dims[], int axis)
{
    for (int j = 0; j < axis; j++)
        if (dims[j] && strcmp(dims[j], dims[axis]) == 0)
            return true;
    return false;
}

/* Where the coordinates of a dimension are, or go; to be freed. NULL: nowhere. */
static char *coordinate_place(const struct import *wish, const char *path, const char *dim)
{
    const int d = wish->ds ? find_in_scope(wish->ds, drx_dataset_dim_find, wish->name, dim) : -1;

    if (d < 0)
        return wish->ds && dim[0] == '/' ? in_folder(wish->place, dim + 1) : path_beside(path, dim);
    return in_folder(wish->place, drx_dataset_dim(wish->ds, d, NULL));
}

/* Those of one axis, if there are any. */
static int find_coordinate(struct coords *c, const struct source *s, const struct import *wish, int axis,
                           const char *path, const struct span *span)
{
    const char *dim = wish->dims[axis];
    struct coordinate_source *found = &c->of[c->n];
    char *name = s->kind->coordinate_name ? s->kind->coordinate_name(s, axis) : NULL;
    char *beside = name ? coordinate_place(wish, path, dim) : NULL;
    int status = DONE;

    if (name && !beside)
        status = failed("%s: coordinates cannot be stored as '%s'; give another name with --dims", s->label, dim);
    if (beside && strcmp(beside, path) != 0) {
        status = source_open_other(&found->source, s, name) ? DONE : FAILED;
        if (status == DONE) {
            found->path = beside;
            found->source.grows |= wish->spec.grows >> axis & 1;
            beside = NULL;
            c->n++;
            status = look_at(c, found, wish, s->shape[axis], span);
        }
    }
    free(beside);
    free(name);
    return status;
}

int find_coords(struct coords *c, const struct source *s, const struct import *wish, const char *path, int grown,
                const struct span *span)
{
    const char *const *dims = wish->dims;
    int status = DONE;

    memset(c, 0, sizeof *c);
    for (int j = 0; status == DONE && j < s->ndim; j++)
        if (dims[j] && !is_repeated(dims, j))
            status = find_coordinate(c, s, wish, j, path, j == grown ? span : NULL);
    return status;
}

static int make_one(struct coordinate_source *c)
{
    struct source *s = &c->source;
    const char *name = base_name(c->path);
    drx_spec spec = {
        .ndim = 1, .type = s->type, .shape = s->shape, .grows = s->grows, .fill = s->fill_name ? s->fill : NULL
    };
    int status;

    spec.dims = &name;
    c->array = create_unnamed_array(c->path, &spec);
    if (!c->array)
        return FAILED;
    status = s->kind->copy_attributes(s, c->array, c->path);
    return status == DONE ? copy_elements(s, c->array, c->path, false) : status;
}

int make_coords(struct coords *c)
{
    int status = DONE;

    for (int i = 0; status == DONE && i < c->n; i++)
        if (!c->of[i].is_there)
            status = make_one(&c->of[i]);
    return status;
}

int name_coords(struct coords *c, int status)
{
    for (int i = 0; i < c->n; i++)
        if (c->of[i].array) {
            status = name_array(c->of[i].array, c->of[i].path, 0, status);
            c->of[i].array = NULL;
        }
    return status;
}

int append_coords(struct coords *c)
{
    int status = DONE;

    for (int i = 0; status == DONE && i < c->n; i++) {
        struct coordinate_source *of = &c->of[i];
        const int64_t missing = c->added.count - of->there;
        const char *values = of->values;
        drx_status st = DRX_OK;

        if (!of->array)
            continue;
        if (missing > 0 && c->added.before)
            st = drx_prepend(of->array, 0, missing, DRX_ROW_MAJOR, values);
        else if (missing > 0)
            st = drx_append(of->array, 0, missing, DRX_ROW_MAJOR,
                            values + of->there * (int64_t)drx_type_size(drx_dtype(of->array)));
        status = commit_array(of->array, of->path, exit_code(of->path, st));
        of->array = NULL;
    }
    return status;
}

void release_coords(struct coords *c)
{
    for (int i = 0; i < c->n; i++) {
        (void)drx_close(c->of[i].array);
        source_close(&c->of[i].source);
        free(c->of[i].path);
        free(c->of[i].values);
    }
    free(c->gap);
    free(c->at);
    c->gap = NULL;
    c->at = NULL;
    c->n = 0;
}
