/* What drx_copy and drxmp_copy share: they turn a drx_copy_spec into a request for the planner, and carry out the
 * plan. */
#include "layout/run/copy_request.h"
#include "array/place.h"
#include "drx_tools.h"

static drx_status check_spec(const drx_array *a, const drx_copy_spec *spec)
{
    const unsigned known = DRX_REPLACE | DRX_CHECKSUM | DRX_SHELL | DRX_TEMPORARY;

    if ((spec->flags & ~known) != 0)
        return drxi_fail(DRX_EINVAL,
                         "%s: flags are %#x, expected a sum of DRX_REPLACE, DRX_CHECKSUM, DRX_SHELL, DRX_TEMPORARY",
                         a->parts.label, spec->flags);
    if (spec->memory_bytes < 0)
        return drxi_fail(DRX_EINVAL, "%s: memory_bytes is %lld, expected 0 or more", a->parts.label,
                         (long long)spec->memory_bytes);
    if (!drxi_is_zero(spec->reserved, sizeof spec->reserved))
        return drxi_fail(DRX_EINVAL, "%s: reserved fields of drx_copy_spec are not zero", a->parts.label);
    return DRX_OK;
}

/* The source's axis for axis j. The planner reports an invalid permutation later; this must only not use it. */
static int axis_of(const struct drxi_copying *c, int j)
{
    const int ndim = c->from->log.state.desc.ndim, axis = c->spec->permute ? c->spec->permute[j] : j;

    return axis >= 0 && axis < ndim ? axis : j;
}

static void describe_target(struct drxi_copying *c)
{
    const struct drxi_state *s = &c->from->log.state;
    const drx_copy_spec *spec = c->spec;

    for (int j = 0; j < s->desc.ndim; j++) {
        const int axis = axis_of(c, j);

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
        .flags = spec->flags & ~(unsigned)DRX_REPLACE,
        .align = spec->align ? spec->align : s->desc.align,
        .nstripes = spec->nstripes,
        .stripes = spec->stripes,
    };
}

/* Whether the chunks are not in row-major order of their indices. */
static bool is_scattered(const drx_array *a)
{
    const int64_t none[DRX_MAX_NDIM] = { 0 };
    struct drxi_walk walk;
    struct drxi_part part;
    int64_t coef = 1;

    if (a->data.chunk_pitch_bytes != a->data.chunk_bytes)
        return true;
    if (a->log.state.map.chunks == 0)
        return false;
    drxi_walk_start(&walk, &a->log.state.map, none, a->log.state.map.bound);
    if (!drxi_walk_next(&walk, &part))
        return false;
    for (int j = a->log.state.desc.ndim - 1; j >= 0; j--) {
        if (a->log.state.map.bound[j] > 1 && part.coef[j] != coef)
            return true;
        coef *= a->log.state.map.bound[j];
    }
    return drxi_walk_next(&walk, &part);
}

static void fill_request(struct drxi_copying *c)
{
    const drx_array *a = c->from;
    const int64_t align = c->target.align;
    int64_t bytes = (int64_t)a->data.item_bytes;

    c->request = (struct drxi_relayout_request){
        .ndim = c->target.ndim,
        .shape = a->log.state.shape,
        .source = { a->log.state.desc.chunk, a->log.state.desc.chunk_order, is_scattered(a) },
        .target = { c->chunk, c->target.chunk_order, (c->target.flags & DRX_SHELL) != 0 },
        .permute = c->spec->permute,
        .item_bytes = bytes,
        .memory_bytes = c->spec->memory_bytes ? c->spec->memory_bytes : DRX_COPY_MEMORY,
    };
    for (int j = 0; j < c->target.ndim; j++)
        bytes = drxi_mul_saturated(bytes, c->chunk[j]);
    if (align > 0 && bytes % align != 0)
        c->request.target.scattered = true;
}

drx_status drxi_copying_start(struct drxi_copying *c, const drx_array *from, const drx_copy_spec *spec)
{
    static const drx_copy_spec as_it_is;
    drx_status st;

    c->from = (drx_array *)(uintptr_t)from; /* only read, but its gate is entered */
    c->spec = spec ? spec : &as_it_is;
    st = check_spec(c->from, c->spec);
    if (st)
        return st;
    describe_target(c);
    fill_request(c);
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
    char *tmp = NULL;
    drx_status st = temporary_path(c, path, &tmp);

    if (!st && c->from->data.pool)
        st = drxi_pool_flush(c->from->data.pool);
    if (!st)
        st = drxi_run_plan(plan, c->from, to, c->spec->permute, tmp, told);
    drxi_free(tmp);
    return st;
}
