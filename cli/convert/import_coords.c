/* Coordinates imported with an array: one-dimensional arrays beside it, with the names of its dimensions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/slabs.h"
#include "files/folder.h"
#include "import.h"

enum { SMALL_CHUNK = 256, LARGE_CHUNK_BYTES = 1 << 20 }; /* coordinates are short, mostly */

/* Are the values in `a` those of the source? */
static int compare(struct source *s, drx_array *a, const char *path)
{
    struct slabs slabs;
    const int64_t total = cut_box(&slabs, 1, s->shape, s->chunk, 2 * drx_type_size(s->type), s->order);
    const size_t most = total > 0 ? (size_t)largest_slab_bytes(&slabs) : 1;
    char *there = calloc(2, most);
    char *here = there ? there + most : NULL;
    drx_status st = DRX_OK;
    int status = DONE;

    if (!there)
        return out_of_memory((int64_t)most);
    while (status == DONE && !st && total > 0 && next_slab(&slabs)) {
        if (!source_read(s, slabs.at, slabs.extent, there))
            status = FAILED;
        else
            st = drx_read(a, slabs.at, slabs.extent, s->order, here);
        if (!st && status == DONE &&
            memcmp(there, here, (size_t)(slabs.extent[0] * (int64_t)drx_type_size(s->type))) != 0)
            status =
                failed("%s: its values differ from the coordinates %s; import into another folder", path, s->label);
    }
    free(there);
    return st ? failed_drx(path, st) : status;
}

/* Can an existing array be the coordinates? bound >= 0: it is appended to, and must have so many indices. */
static int check(struct coordinate_source *c, drx_array *a, int64_t bound)
{
    struct source *s = &c->source;

    if (drx_ndim(a) != 1 || drx_dtype(a) != s->type)
        return failed("%s: must have one dimension and type %s to hold the coordinates %s; import into another folder",
                      c->path, drx_type_name(s->type), s->label);
    if (bound >= 0 && drx_shape(a)[0] != bound)
        return failed("%s: has %" PRId64 " indices, but the array has %" PRId64 " there", c->path, drx_shape(a)[0],
                      bound);
    if (bound < 0 && drx_shape(a)[0] != s->shape[0])
        return failed("%s: has %" PRId64 " indices, the coordinates %s have %" PRId64 "; import into another folder",
                      c->path, drx_shape(a)[0], s->label, s->shape[0]);
    return bound < 0 ? compare(s, a, c->path) : DONE;
}

static int look_at(struct coordinate_source *c, int64_t bound)
{
    drx_array *a;
    const drx_status st = drx_open(c->path, bound < 0 ? DRX_RDONLY : DRX_RDWR, &a);
    int status;

    c->is_there = st != DRX_ENOENT;
    if (!c->is_there && bound < 0)
        return DONE;
    if (st)
        return failed_drx(c->path, st);
    status = check(c, a, bound);
    if (status != DONE || bound < 0)
        return close_array(a, c->path, status);
    c->array = a;
    return DONE;
}

/* Does an axis before `axis` have the same name? */
static bool is_repeated(const char *const dims[], int axis)
{
    for (int j = 0; j < axis; j++)
        if (dims[j] && strcmp(dims[j], dims[axis]) == 0)
            return true;
    return false;
}

/* Those of one axis, if there are any. */
static int find_coordinate(struct coords *c, const struct source *s, int axis, const char *dim, const char *path,
                           int64_t bound)
{
    struct coordinate_source *found = &c->of[c->n];
    char *name = s->kind->coordinate_name ? s->kind->coordinate_name(s, axis) : NULL;
    char *beside = name ? path_beside(path, dim) : NULL;
    int status = DONE;

    if (name && !beside)
        status = failed("%s: coordinates cannot be stored as '%s'; give another name with --dims", s->label, dim);
    if (beside && strcmp(beside, path) != 0) {
        status = source_open_other(&found->source, s, name) ? DONE : FAILED;
        if (status == DONE) {
            found->path = beside;
            beside = NULL;
            c->n++;
            status = look_at(found, bound);
        }
    }
    free(beside);
    free(name);
    return status;
}

int find_coords(struct coords *c, const struct source *s, const char *const dims[], const char *path, int grown,
                int64_t bound)
{
    int status = DONE;

    memset(c, 0, sizeof *c);
    for (int j = 0; status == DONE && j < s->ndim; j++)
        if (dims[j] && !is_repeated(dims, j))
            status = find_coordinate(c, s, j, dims[j], path, j == grown ? bound : -1);
    return status;
}

static int make_one(struct coordinate_source *c)
{
    struct source *s = &c->source;
    const char *name = base_name(c->path);
    const int64_t most = LARGE_CHUNK_BYTES / (int64_t)drx_type_size(s->type);
    const int64_t chunk = s->shape[0] < SMALL_CHUNK ? SMALL_CHUNK : s->shape[0] > most ? most : s->shape[0];
    drx_spec spec = {
        .ndim = 1, .type = s->type, .shape = s->shape, .chunk = &chunk, .fill = s->fill_name ? s->fill : NULL
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

int append_coords(struct coords *c, int64_t from, int64_t by)
{
    int status = DONE;

    for (int i = 0; status == DONE && i < c->n; i++) {
        struct coordinate_source *of = &c->of[i];
        const int64_t bytes = box_bytes(1, &by, drx_type_size(of->source.type));
        void *values;

        if (!of->array)
            continue;
        values = calloc(bytes ? (size_t)bytes : 1, 1);
        if (!values)
            return out_of_memory(bytes);
        status = source_read(&of->source, &from, &by, values) ? DONE : FAILED;
        if (status == DONE) {
            const drx_status st = drx_append(of->array, 0, by, DRX_ROW_MAJOR, values);

            status = st ? failed_drx(of->path, st) : DONE;
        }
        free(values);
        status = commit_array(of->array, of->path, status);
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
    }
    c->n = 0;
}
