/* An array copied into another layout: from the caller's wishes to a plan, to a new array. */
#include "layout/run.h"

struct copying {
    drx_array *from, *to;
    const drx_copy_spec *spec;
    int64_t shape[DRX_MAX_NDIM], chunk[DRX_MAX_NDIM]; /* of the copy */
    const char *dims[DRX_MAX_NDIM];
    drx_spec target;
    struct drxi_relayout plan;
    int64_t done;
};

static const char *path_of(const drx_array *a)
{
    return a->label;
}

static drx_status check_spec(const drx_array *a, const drx_copy_spec *spec)
{
    const unsigned known = DRX_REPLACE | DRX_SHELL | DRX_TEMPORARY;

    if ((spec->flags & ~known) != 0)
        return drxi_fail(DRX_EINVAL, "%s: flags are %#x, expected a sum of DRX_REPLACE, DRX_SHELL, DRX_TEMPORARY",
                         path_of(a), spec->flags);
    if (spec->memory_bytes < 0)
        return drxi_fail(DRX_EINVAL, "%s: memory_bytes is %lld, expected 0 or more", path_of(a),
                         (long long)spec->memory_bytes);
    if (!drxi_is_zero(spec->reserved, sizeof spec->reserved))
        return drxi_fail(DRX_EINVAL, "%s: reserved fields of drx_copy_spec are not zero", path_of(a));
    return DRX_OK;
}

/* The planner judges permutation and chunk; nothing is taken from a permutation that is none. */
static int axis_of(const struct copying *c, int j)
{
    const int ndim = c->from->state.desc.ndim, axis = c->spec->permute ? c->spec->permute[j] : j;

    return axis >= 0 && axis < ndim ? axis : j;
}

static void describe_target(struct copying *c)
{
    const struct drxi_state *s = &c->from->state;
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
    };
}

/* Whether chunks do not lie one after the other in row-major order of their indices. */
static bool is_scattered(const drx_array *a)
{
    const int64_t none[DRX_MAX_NDIM] = {0};
    struct drxi_walk walk;
    struct drxi_part part;
    int64_t coef = 1;

    if (a->chunk_pitch_bytes != a->chunk_bytes)
        return true;
    if (a->state.map.chunks == 0)
        return false;
    drxi_walk_start(&walk, &a->state.map, none, a->state.map.bound);
    if (!drxi_walk_next(&walk, &part))
        return false;
    for (int j = a->state.desc.ndim - 1; j >= 0; j--) {
        if (a->state.map.bound[j] > 1 && part.coef[j] != coef)
            return true;
        coef *= a->state.map.bound[j];
    }
    return drxi_walk_next(&walk, &part);
}

static drx_status make_plan(struct copying *c, int64_t *least_bytes)
{
    const drx_array *a = c->from;
    const int64_t align = c->target.align;
    struct drxi_relayout_request request = {
        .ndim = c->target.ndim,
        .shape = a->state.shape,
        .source = {a->state.desc.chunk, a->state.desc.chunk_order, is_scattered(a)},
        .target = {c->chunk, c->target.chunk_order, (c->target.flags & DRX_SHELL) != 0},
        .permute = c->spec->permute,
        .item_bytes = (int64_t)a->item_bytes,
        .memory_bytes = c->spec->memory_bytes ? c->spec->memory_bytes : DRX_COPY_MEMORY,
        .ranks = 1,
    };
    int64_t bytes = request.item_bytes;

    for (int j = 0; j < request.ndim; j++)
        bytes = drxi_mul_saturated(bytes, c->chunk[j]);
    if (align > 0 && bytes % align != 0)
        request.target.scattered = true;
    return drxi_relayout_plan(&request, &c->plan, least_bytes);
}

static drx_status prepare(struct copying *c, int64_t *least_bytes)
{
    drx_status st = check_spec(c->from, c->spec);

    if (st)
        return st;
    describe_target(c);
    return make_plan(c, least_bytes);
}

static struct copying *new_copying(const drx_array *src, const drx_copy_spec *spec)
{
    static const drx_copy_spec as_it_is;
    struct copying *c = drxi_calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->from = (drx_array *)(uintptr_t)src; /* only read, but its gate is entered */
    c->spec = spec ? spec : &as_it_is;
    return c;
}

drx_status drx_plan_copy(const drx_array *src, const drx_copy_spec *spec, drx_copy_plan *plan, char *text, size_t n,
                         size_t *length)
{
    struct copying *c;
    int64_t least = 0;
    size_t all = 0;
    drx_status st;

    if (!src)
        return drxi_no_array();
    if (!plan || (n > 0 && !text))
        return drxi_fail(DRX_EINVAL, "%s: drx_plan_copy: plan or text is a null pointer", path_of(src));
    *plan = (drx_copy_plan){0};
    if (!(c = new_copying(src, spec)))
        return DRX_ENOMEM;
    drxi_gate_enter(&c->from->gate);
    st = prepare(c, &least);
    drxi_gate_leave(&c->from->gate);
    if (st) {
        plan->memory_bytes = least;
    } else {
        const struct drxi_relayout *p = &c->plan;

        *plan = (drx_copy_plan){p->passes,     p->memory_bytes, p->temporary_bytes, p->read_bytes,
                                p->read_calls, p->write_bytes,  p->write_calls,     p->seconds};
        all = drxi_relayout_print(p, text, n);
    }
    if (length)
        *length = all;
    drxi_free(c);
    return st;
}

/* ---- the copy ------------------------------------------------------------------------- */

static drx_status tell(void *user, int64_t bytes)
{
    struct copying *c = user;

    c->done = drxi_min(c->done + bytes, c->plan.write_bytes); /* what began directly may begin anew */
    if (!c->spec->progress || c->spec->progress(c->spec->user, c->done, c->plan.write_bytes) == 0)
        return DRX_OK;
    return drxi_fail(DRX_EINTERRUPTED, "%s: copying it was interrupted", path_of(c->from));
}

static drx_status copy_attributes(struct copying *c)
{
    const struct drxi_state *s = &c->from->state;
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < s->attrs; i++) {
        const struct drxi_attr *attr = &s->attr[i];

        st = attr->is_text ? drx_attr_set_text(c->to, attr->name, attr->values)
                           : drx_attr_set(c->to, attr->name, attr->type, attr->n, attr->values);
    }
    return st;
}

/* What can be found wrong with the path before anything is read. */
static drx_status check_path(const struct copying *c, const char *path)
{
    struct drxi_names from = {0}, to = {0};
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

/* A path for temporary arrays, which never get a name: in the folder that was given, or beside the copy. */
static drx_status temporary_path(const struct copying *c, const char *path, char **out)
{
    const char *folder = c->spec->tmp;

    *out = NULL;
    if (!folder && !path)
        return DRX_OK;
    *out = folder ? drxi_format("%s/drx-copy", folder) : drxi_strdup(path);
    return *out ? DRX_OK : DRX_ENOMEM;
}

static drx_status run(struct copying *c, const char *path)
{
    const struct drxi_told told = {tell, c};
    char *tmp = NULL;
    drx_status st = temporary_path(c, path, &tmp);

    if (!st && c->from->pool)
        st = drxi_pool_flush(c->from->pool);
    if (!st)
        st = drxi_run_plan(&c->plan, c->from, c->to, c->spec->permute, tmp, &told);
    drxi_free(tmp);
    return st ? st : copy_attributes(c);
}

static drx_status copy(struct copying *c, const char *path)
{
    drx_status st = prepare(c, NULL);

    if (!st && path)
        st = check_path(c, path);
    if (st)
        return st;
    c->target.flags |= path ? DRX_TEMPORARY : 0;
    st = drxi_create(path, &c->target, false, &c->to);
    if (!st)
        st = run(c, path);
    if (!st && path && !(c->spec->flags & DRX_TEMPORARY))
        st = drx_persist(c->to, c->spec->flags & DRX_REPLACE);
    return st;
}

drx_status drx_copy(drx_array *src, const char *path, const drx_copy_spec *spec, drx_array **out)
{
    struct copying *c;
    drx_status st;

    if (out)
        *out = NULL;
    if (!src)
        return drxi_no_array();
    if (!out && (!path || (spec && (spec->flags & DRX_TEMPORARY))))
        return drxi_fail(DRX_EINVAL, "%s: drx_copy: out is a null pointer, and the copy would have no name",
                         path_of(src));
    if (!(c = new_copying(src, spec)))
        return DRX_ENOMEM;
    drxi_report_clear();
    drxi_gate_stay(&src->gate);
    st = copy(c, path);
    drxi_gate_leave(&src->gate);
    if (!st && out) {
        *out = c->to;
    } else if (c->to) {
        const drx_status closed = st ? drxi_array_free(c->to) : drx_close(c->to);

        st = st ? st : closed;
    }
    drxi_free(c);
    return st;
}
