/* What drx_copy and drxmp_copy share: they turn a drx_copy_spec into a request for the planner, and carry out the
 * plan. */
#include "layout/run/copy_request.h"
#include "array/place.h"

static drx_status check_copy_spec(const drx_array *a, const drx_copy_spec *spec)
{
    const unsigned known = DRX_REPLACE | DRX_CHECKSUM | DRX_SHELL | DRX_TEMPORARY | DRX_FROM_ZERO;

    if ((spec->flags & ~known) != 0)
        return drxi_fail(DRX_EINVAL,
                         "%s: flags are %#x, expected a sum of DRX_REPLACE, DRX_CHECKSUM, DRX_SHELL, DRX_TEMPORARY, "
                         "DRX_FROM_ZERO",
                         a->parts.label, spec->flags);
    if (spec->memory_bytes < 0)
        return drxi_fail(DRX_EINVAL, "%s: memory_bytes is %lld, expected 0 or more", a->parts.label,
                         (long long)spec->memory_bytes);
    if (spec->parts < 0 || spec->part < 0 || (spec->part > 0 && spec->part >= spec->parts))
        return drxi_fail(DRX_EINVAL, "%s: part %d of %d", a->parts.label, spec->part, spec->parts);
    if (spec->reserved_word != 0 || !drxi_is_zero(spec->reserved, sizeof spec->reserved))
        return drxi_fail(DRX_EINVAL, "%s: reserved fields of drx_copy_spec are not zero", a->parts.label);
    return spec->keep_bits ? drxi_check_keep_bits(a->parts.label, a->data.type, spec->keep_bits) : DRX_OK;
}

/* The source's axis for axis j. The planner reports an invalid permutation later; this must only not use it. */
static int permuted_axis(const struct drxi_copying *c, int j)
{
    const int ndim = c->from->data.ndim, axis = c->spec->permute ? c->spec->permute[j] : j;

    return axis >= 0 && axis < ndim ? axis : j;
}

static void describe_target(struct drxi_copying *c)
{
    const struct drxi_state *s = &c->from->log.state;
    const drx_copy_spec *spec = c->spec;

    for (int j = 0; j < s->desc.ndim; j++) {
        const int axis = permuted_axis(c, j);

        c->lower[j] = spec->flags & DRX_FROM_ZERO ? 0 : s->lower[axis];
        c->by_boxes = c->by_boxes || s->lower[axis] != 0;
        c->begin[j] = INT64_MIN;
        c->end[j] = INT64_MAX;
        c->shape[j] = s->shape[axis];
        c->chunk[j] = spec->chunk ? spec->chunk[j] : s->desc.chunk[axis];
        c->dims[j] = s->dim[axis];
    }
    c->target = (drx_spec){
        .ndim = s->desc.ndim,
        .type = s->desc.type,
        .shape = c->shape,
        .chunk = c->chunk,
        .fill = s->desc.fill,
        .dims = c->dims,
        .chunk_order = spec->chunk_order ? *spec->chunk_order : s->desc.chunk_order,
        .lower = c->lower,
        .flags = spec->flags & ~(unsigned)(DRX_REPLACE | DRX_FROM_ZERO),
        .align = spec->align ? spec->align : s->desc.align,
        .nstripes = spec->nstripes,
        .stripes = spec->stripes,
        .codec = spec->codec,
        .level = spec->level,
        .shuffle = spec->shuffle,
        .source = s->source,
    };
}

/* Whether the chunks are not in row-major order of their indices. */
static bool is_scattered(const drx_array *a)
{
    const drxi_map *map = &a->data.map;
    struct drxi_walk walk;
    struct drxi_part part;
    int64_t coef = 1;

    if (a->data.chunk_pitch_bytes != a->data.chunk_bytes)
        return true;
    for (int j = 0; j < map->ndim; j++)
        if (drxi_map_extent(map, j) == 0)
            return false;
    drxi_walk_start(&walk, map, map->lower, map->upper);
    if (!drxi_walk_next(&walk, &part))
        return false;
    for (int j = a->data.ndim - 1; j >= 0; j--) {
        if (drxi_map_extent(map, j) > 1 && part.coef[j] != coef)
            return true;
        coef *= drxi_map_extent(map, j);
    }
    return drxi_walk_next(&walk, &part);
}

static void fill_request(struct drxi_copying *c)
{
    const drx_array *a = c->from;
    const int64_t align = c->target.align, bytes = (int64_t)a->data.item_bytes;

    c->request = (struct drxi_relayout_request){
        .ndim = c->target.ndim,
        .shape = a->log.state.shape,
        .source = { a->data.chunk, a->data.chunk_order, is_scattered(a) },
        .target = { c->chunk, c->target.chunk_order, (c->target.flags & DRX_SHELL) != 0 },
        .permute = c->spec->permute,
        .item_bytes = bytes,
        .memory_bytes = c->spec->memory_bytes ? c->spec->memory_bytes : DRX_COPY_MEMORY,
    };
    if (align > 0 && drxi_times(bytes, c->target.ndim, c->chunk) % align != 0)
        c->request.target.scattered = true;
}

drx_status drxi_copying_start(struct drxi_copying *c, const drx_array *from, const drx_copy_spec *spec)
{
    static const drx_copy_spec as_it_is;
    drx_status st;

    c->from = (drx_array *)(uintptr_t)from; /* only read, but its gate is entered */
    c->spec = spec ? spec : &as_it_is;
    st = check_copy_spec(c->from, c->spec);
    if (!st && c->spec->parts != 0)
        st = drxi_fail(DRX_EINVAL, "%s: a copy in %d parts, which drx_copy_into makes, needs an array to copy into",
                       c->from->parts.label, c->spec->parts);
    if (st)
        return st;
    c->fresh = true;
    describe_target(c);
    fill_request(c);
    return DRX_OK;
}

/* Whether rounding would change the fill of the target, which units hold outside the bounds: what is skipped is that of
 * the source. */
static bool rounds_fill(const struct drxi_copying *c, const drx_array *to)
{
    return c->spec->keep_bits && memcmp(c->from->data.fill, to->data.fill, to->data.item_bytes) != 0;
}

/* Cells outside the bounds of an array that others may grow are not ours to write: then only boxes inside them are. */
drx_status drxi_copying_describe(struct drxi_copying *c, const drx_array *from, const drx_array *to,
                                 const drx_copy_spec *spec)
{
    const struct drxi_state *s = &to->log.state;
    drx_status st;

    c->from = (drx_array *)(uintptr_t)from; /* only read, but its gate is entered */
    c->spec = spec;
    st = check_copy_spec(c->from, spec);
    if (st)
        return st;
    c->by_boxes = to->log.shared || rounds_fill(c, to);
    for (int j = 0; j < s->desc.ndim; j++) {
        c->by_boxes = c->by_boxes || s->lower[j] != 0 || from->data.lower[j] != 0;
        c->lower[j] = s->lower[j];
        c->begin[j] = INT64_MIN;
        c->end[j] = INT64_MAX;
        c->shape[j] = s->shape[j];
        c->chunk[j] = s->desc.chunk[j];
    }
    c->target = (drx_spec){ .ndim = s->desc.ndim,
                            .type = s->desc.type,
                            .fill = from->data.fill,
                            .chunk_order = s->desc.chunk_order,
                            .codec = s->desc.codec.codec };
    fill_request(c);
    c->request.target.scattered = is_scattered(to);
    return DRX_OK;
}

/* The library interprets no attribute, so it copies all unchanged, even when the axes are permuted. */
drx_status drxi_copying_attributes(const struct drxi_copying *c, drx_array *to)
{
    const struct drxi_state *s = &c->from->log.state;
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < s->attrs.n; i++) {
        const struct drxi_attr *attr = &s->attrs.item[i];

        st = attr->is_text ? drx_attr_set_text(to, attr->name, attr->values)
                           : drx_attr_set(to, attr->name, attr->type, attr->n, attr->values);
    }
    return st;
}

drx_status drxi_copying_check_path(const struct drxi_copying *c, const char *path)
{
    struct drxi_names from = { 0 }, to = { 0 };
    bool same = false;
    drx_status st = drxi_check_path(path);

    if (st)
        return st;
    st = drxi_names_make(path, &to);
    if (!st && c->from->path) {
        st = drxi_names_make(c->from->path, &from);
        if (!st)
            st = drxi_files->same(from.meta, to.meta, &same);
    }
    if (!st && same)
        st = drxi_fail(DRX_EINVAL, "%s: is the same array as %s", from.meta, to.meta);
    if (!st && !(c->spec->flags & DRX_TEMPORARY))
        st = drxi_look_first(&to, (c->spec->flags & DRX_REPLACE) != 0);
    drxi_names_free(&from);
    drxi_names_free(&to);
    return st;
}

/* Choose a path for temporary arrays, in the given folder or beside the copy. They never get that name. */
static drx_status temporary_path(const struct drxi_copying *c, const char *path, char **out)
{
    const char *folder = c->spec->tmp;

    *out = NULL;
    if (!folder && !path)
        return DRX_OK;
    *out = folder ? drxi_format("%s/drx-copy", folder) : drxi_strdup(path);
    return *out ? DRX_OK : DRX_ENOMEM;
}

drx_status drxi_copying_run(const struct drxi_copying *c, const struct drxi_relayout *plan, drx_array *to,
                            const char *path, const struct drxi_told *told)
{
    drx_rounding unheard = { 0 };
    const struct drxi_keep keep = { c->target.type, c->spec->keep_bits, c->target.fill,
                                    c->spec->rounding ? c->spec->rounding : &unheard };
    const struct drxi_told rounding = { told->tell, told->user, c->spec->keep_bits ? &keep : NULL };
    const bool packs = c->target.codec != DRX_RAW;
    char *tmp = NULL;
    drx_status st = temporary_path(c, path, &tmp);

    if (!st && c->from->data.file->pool)
        st = drxi_pool_flush(c->from->data.file->pool);
    if (!st && packs) /* each chunk is written once, whole, and compressed then */
        st = drxi_run_boxes(c, to, c->request.memory_bytes, &rounding);
    else if (!st && c->by_boxes)
        st = drxi_run_boxes(c, to, drxi_min(plan->memory_bytes, c->request.memory_bytes), &rounding);
    else if (!st)
        st = drxi_run_plan(plan, c->from, to, c->spec->permute, c->fresh, tmp, &rounding);
    if (!st && packs) /* the chunks that memory had no room for */
        st = drxi_packed_close_all(&to->data, NULL);
    if (!st)
        st = drxi_watch_all(c->from);
    drxi_free(tmp);
    return st;
}

int64_t drxi_copying_bytes(const struct drxi_copying *c)
{
    return drxi_times(c->request.item_bytes, c->target.ndim, c->shape);
}

drx_status drxi_copy_alone_tell(void *user, int64_t bytes)
{
    struct drxi_copy_alone *c = user;
    const drx_copy_spec *spec = c->layout.spec;

    c->done = drxi_min(c->done + bytes, c->plan.write_bytes); /* a copy that began directly may begin again */
    if (!spec->progress || spec->progress(spec->user, c->done, c->plan.write_bytes) == 0)
        return DRX_OK;
    return drxi_fail(DRX_EINTERRUPTED, "%s: copying it was interrupted", c->layout.from->parts.label);
}
