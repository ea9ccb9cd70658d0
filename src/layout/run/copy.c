/* Copying an array into another layout by one process. */
#include "drx_tools.h"
#include "layout/run/copy_request.h"

static const char *path_of(const drx_array *a)
{
    return a->parts.label;
}

static drx_status prepare(struct drxi_copy_alone *c, const drx_array *src, const drx_copy_spec *spec,
                          int64_t *least_bytes)
{
    drx_status st = drxi_copying_start(&c->layout, src, spec);

    return st ? st : drxi_relayout_plan(&c->layout.request, &c->plan, least_bytes);
}

drx_status drx_plan_copy(const drx_array *src, const drx_copy_spec *spec, drx_copy_plan *plan, char *text, size_t n,
                         size_t *length)
{
    drx_array *from = (drx_array *)(uintptr_t)src; /* its gate is entered */
    struct drxi_copy_alone *c;
    int64_t least = 0;
    size_t all;
    drx_status st;

    if (!src)
        return drxi_no_array();
    if (!plan || (n > 0 && !text))
        return drxi_fail(DRX_EINVAL, "%s: drx_plan_copy: plan or text is a null pointer", path_of(src));
    if (!(c = drxi_calloc(1, sizeof *c)))
        return DRX_ENOMEM;
    drxi_gate_enter(&from->gate);
    st = prepare(c, src, spec, &least);
    if (!st && c->layout.by_boxes)
        st = drxi_fail(DRX_EUNSUPPORTED, "%s: its indices do not begin at 0: it is copied box by box, without a plan",
                       path_of(src));
    drxi_gate_leave(&from->gate);
    if (st == DRX_ERANGE) {
        plan->memory_bytes = least;
    } else if (!st) {
        const struct drxi_relayout *p = &c->plan;

        *plan = (drx_copy_plan){ .passes = p->passes,
                                 .memory_bytes = p->memory_bytes,
                                 .temporary_bytes = p->temporary_bytes,
                                 .read_bytes = p->read_bytes,
                                 .read_calls = p->read_calls,
                                 .write_bytes = p->write_bytes,
                                 .write_calls = p->write_calls,
                                 .seconds = p->seconds };
        all = drxi_relayout_print(p, text, n);
        if (length)
            *length = all;
    }
    drxi_free(c);
    return st;
}

drx_status drxi_copy_alone_tell(void *user, int64_t bytes)
{
    struct drxi_copy_alone *c = user;
    const drx_copy_spec *spec = c->layout.spec;

    c->done = drxi_min(c->done + bytes, c->plan.write_bytes); /* a copy that began directly may begin again */
    if (!spec->progress || spec->progress(spec->user, c->done, c->plan.write_bytes) == 0)
        return DRX_OK;
    return drxi_fail(DRX_EINTERRUPTED, "%s: copying it was interrupted", path_of(c->layout.from));
}

static drx_status run(struct drxi_copy_alone *c, const char *path)
{
    const struct drxi_told told = { .tell = drxi_copy_alone_tell, .user = c };
    drx_status st = drxi_copying_run(&c->layout, &c->plan, c->to, path, &told);

    return st ? st : drxi_copying_attributes(&c->layout, c->to);
}

static drx_status copy(struct drxi_copy_alone *c, const drx_array *src, const char *path, const drx_copy_spec *spec)
{
    drx_status st = prepare(c, src, spec, NULL);

    if (!st && path)
        st = drxi_copying_check_path(&c->layout, path);
    if (st)
        return st;
    spec = c->layout.spec;
    c->layout.target.flags |= path ? DRX_TEMPORARY : 0;
    if (c->layout.by_boxes || c->layout.target.codec != DRX_RAW)
        c->plan.write_bytes = c->plan.read_bytes = drxi_copying_bytes(&c->layout);
    st = drxi_create(path, &c->layout.target, 0, &c->to);
    if (!st)
        st = run(c, path);
    if (!st && path && !(spec->flags & DRX_TEMPORARY))
        st = drx_persist(c->to, spec->flags & DRX_REPLACE);
    return st;
}

drx_status drx_copy(drx_array *src, const char *path, const drx_copy_spec *spec, drx_array **out)
{
    struct drxi_copy_alone *c;
    drx_status st;

    if (out)
        *out = NULL;
    if (!src)
        return drxi_no_array();
    if (!out && (!path || (spec && (spec->flags & DRX_TEMPORARY))))
        return drxi_fail(DRX_EINVAL, "%s: drx_copy: out is a null pointer, and the copy would have no name",
                         path_of(src));
    if ((st = drxi_wait_for_all(src, false, false)))
        return st;
    if (!(c = drxi_calloc(1, sizeof *c)))
        return DRX_ENOMEM;
    drxi_report_clear();
    drxi_gate_stay(&src->gate);
    st = copy(c, src, path, spec);
    drxi_gate_end_stay(&src->gate);
    if (!st && out) {
        *out = c->to;
    } else if (c->to) {
        const drx_status closed = st ? drxi_array_free(c->to) : drx_close(c->to);

        st = st ? st : closed;
    }
    drxi_free(c);
    return st;
}
