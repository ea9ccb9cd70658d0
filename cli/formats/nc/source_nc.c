/* A variable of a classic netCDF file as a source. */
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "nc.h"

static bool check_nc_type(struct source *s)
{
    const struct nc *nc = s->state;
    nc_type type;
    const int st = nc_inq_vartype(nc->root, nc->id, &type);

    if (st)
        return nc_failed(s, "read", st);
    s->holds = type == NC_CHAR && s->tree ? CHARACTERS : NUMBERS;
    s->type = s->holds == CHARACTERS ? DRX_UINT8 : type == NC_CHAR ? DRX_BYTES(1) : nc_element_type(type);
    s->stored = true;
    s->origin.byte_order = drx_type_size(s->type) > 1 && !DRX_IS_STRING(s->type) ? DRX_BIG_ENDIAN : 0;
    return s->type || !failed("%s: has type %d, which is none of netCDF's", s->label, type);
}

static int copy_nc_attributes(const struct source *s, drx_array *a, const char *path)
{
    const struct nc *nc = s->state;
    const bool known = DRX_IS_STRING(s->type) || source_notes_fill(s);
    struct keeping to = { .to.array = a, .label = s->label };

    return nc_copy_attributes(nc->root, nc->id, &to, known ? H5_FILL_KNOWN : H5_FILL, path);
}

static bool open_variable(struct source *s)
{
    struct nc *nc = calloc(1, sizeof *nc);
    const struct tree *t = s->tree;

    s->state = nc;
    if (!nc)
        return !out_of_memory(sizeof *nc);
    if (!t && (!nc_read_tree(&nc->own, s->file) || !source_find_var(s, t = &nc->own)))
        return false;
    nc->root = t->id;
    nc->id = t->var[s->var].number;
    return source_take_dims(s, t) && check_nc_type(s) && nc_is_whole(s) && nc_find_fill(s) && source_join_characters(s);
}

static void close_variable(struct source *s)
{
    struct nc *nc = s->state;

    if (nc)
        free_tree(&nc->own);
    free(nc);
}

static bool read_nc_box(struct source *s, const int64_t lo[], const int64_t count[], void *buf)
{
    const struct nc *nc = s->state;
    size_t start[DRX_MAX_NDIM + 1] = { 0 }, extent[DRX_MAX_NDIM + 1];
    int st;

    for (int j = 0; j < s->ndim; j++) {
        start[j] = (size_t)lo[j];
        extent[j] = (size_t)count[j];
    }
    extent[s->ndim] = drx_type_size(s->type); /* of strings that are joined */
    st = nc_get_vara(nc->root, nc->id, start, extent, buf);
    return st ? nc_failed(s, "read", st) : true;
}

static char *coordinate_name(const struct source *s, int axis)
{
    return source_coordinate_in(s, &((struct nc *)s->state)->own, axis);
}

const struct source_kind nc_source = { open_variable,      close_variable,  read_nc_box,
                                       copy_nc_attributes, coordinate_name, NULL };
