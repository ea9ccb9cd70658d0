/* A new array from a source. */
#include "files/paths.h"
#include "frame/team.h"
#include "import.h"

/* Rank 0 makes the array and its coordinates, all ranks copy its elements. */
static int make_array(struct source *s, struct import *wish, struct coords *coords, const char *path)
{
    drx_array *a = NULL;
    int status = DONE;

    watch_interrupts();
    if (team_rank() == 0) {
        a = start_array(path, &wish->spec);
        status = a ? s->kind->copy_attributes(s, a, path) : FAILED;
    }
    status = spread_array(&a, path, &wish->spec, status);
    if (status == DONE)
        status = copy_elements(s, a, path, true);
    if (status == DONE && wish->coords)
        status = make_coords(coords);
    if (status == DONE && interrupted())
        status = FAILED;
    status = name_coords(coords, agree(status));
    status = finish_array(a, path, wish->spec.flags, status);
    remains->complete = status == DONE;
    return status;
}

int import_new(struct source *s, struct import *wish, const char *path)
{
    drx_spec *spec = &wish->spec;
    const struct codec codec = codec_for(&wish->codec, &s->codec, wish->stripes.n, spec->flags);
    struct coords coords = { 0 };
    int64_t chunk[DRX_MAX_NDIM];
    int status = DONE;

    if (wish->chunk.each.n && !has_one_each(s->label, "--chunk", &wish->chunk.each, s->ndim))
        return FAILED;
    spec->stripes = wish->stripes.n ? wish->stripes.of : NULL;
    spec->nstripes = wish->stripes.n;
    spec->ndim = s->ndim;
    spec->type = s->type;
    spec->shape = s->shape;
    spec->dims = wish->dims;
    spec->fill = s->fill_name ? s->fill : NULL;
    spec->source = source_origin(s);
    set_codec(spec, &codec);
    if (wish->chunk.each.n)
        spec->chunk = wish->chunk.each.of;
    else
        source_set_chunk(s, spec, chunk);
    spec->flags |= wish->force ? DRX_REPLACE : 0;
    if (!wish->no_coords && team_rank() == 0) /* also without --coords: those beside would be taken for its own */
        status = find_coords(&coords, s, wish, path, -1, NULL);
    status = agree(status);
    if (status == DONE)
        status = make_array(s, wish, &coords, path);
    release_coords(&coords);
    return status;
}
