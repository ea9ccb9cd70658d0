/* Copying an array into another layout by one process. */
#include "dataset/dataset.h"
#include "layout/run/copy_request.h"
#include "remote/remote.h"

static const char *array_path(const drx_array *a)
{
    return a->parts.label;
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
        return drxi_fail(DRX_EINVAL, "%s: drx_plan_copy: plan or text is a null pointer", array_path(src));
    if (!(c = drxi_calloc(1, sizeof *c)))
        return DRX_ENOMEM;
    drxi_gate_enter(&from->gate);
    st = drxi_copying_start(&c->layout, src, spec);
    if (!st)
        st = drxi_relayout_plan(&c->layout.request, &c->plan, &least);
    if (!st && c->layout.by_boxes)
        st = drxi_fail(DRX_EUNSUPPORTED, "%s: its indices do not begin at 0: it is copied box by box, without a plan",
                       array_path(src));
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

static drx_status run_copy(struct drxi_copy_alone *c, const char *path)
{
    const struct drxi_told told = { .tell = drxi_copy_alone_tell, .user = c };
    drx_status st = drxi_copying_run(&c->layout, &c->plan, c->to, path, &told);

    return st ? st : drxi_copying_attributes(&c->layout, c->to);
}

/* ---- a variable of a dataset, in a commit of its own ---- */

static bool is_scalar(const drx_spec *spec)
{
    return spec->ndim == 1 && spec->shape[0] == 1 && spec->lower[0] == 0 && !spec->dims[0];
}

static drx_status add_variable(struct drxi_copy_alone *c, drx_dataset *ds, const char *name)
{
    drx_spec target = c->layout.target;
    drx_status st = DRX_OK;

    target.dims = is_scalar(&target) ? NULL : target.dims;
    target.flags &= ~(unsigned)DRX_REPLACE;
    if (c->layout.spec->flags & DRX_REPLACE && drx_dataset_find(ds, name) >= 0)
        st = drx_dataset_remove(ds, name);
    return st ? st : drx_dataset_add(ds, name, &target, &c->to);
}

static drx_status copy_to_dataset(struct drxi_copy_alone *c, const char *path, drx_array **out)
{
    char detail[DRXI_DETAIL_BYTES];
    const char *name;
    drx_dataset *ds;
    drx_status st = drxi_ds_open_above(path, DRX_RDWR, DRX_LAST, &ds, &name), closed;

    if (st)
        return st;
    st = c->layout.spec->flags & DRX_TEMPORARY
             ? drxi_fail(DRX_EINVAL, "%s: DRX_TEMPORARY: a variable of a dataset has a name", path)
             : add_variable(c, ds, name);
    if (!st)
        st = run_copy(c, path);
    if (!st)
        st = drx_dataset_commit(ds, NULL);
    c->to = NULL;
    drxi_report_keep(detail);
    closed = drx_dataset_close(ds);
    if (st)
        drxi_report_set(detail);
    st = st ? st : closed;
    return st || !out ? st : drx_open(path, DRX_RDWR, out);
}

/* ---- an array ---- */

static drx_status copy_alone(struct drxi_copy_alone *c, const char *path)
{
    const unsigned flags = c->layout.spec->flags;
    drx_status st = path ? drxi_copying_check_path(&c->layout, path) : DRX_OK;

    if (st)
        return st;
    c->layout.target.flags |= path ? DRX_TEMPORARY : 0;
    st = drxi_create(path, &c->layout.target, 0, &c->to);
    if (!st)
        st = run_copy(c, path);
    if (!st && path && !(flags & DRX_TEMPORARY))
        st = drx_persist(c->to, flags & DRX_REPLACE);
    return st;
}

static drx_status copy_array(struct drxi_copy_alone *c, drx_array *src, const char *path, const drx_copy_spec *spec,
                             drx_array **out)
{
    int64_t begin = -1;
    drx_status st = drxi_copying_begin(&c->layout, src, NULL, spec, false);

    if (!st)
        st = drxi_relayout_plan(&c->layout.request, &c->plan, NULL);
    if (!st && path)
        st = drxi_look_above(path, &begin);
    if (st)
        return st;
    if (c->layout.by_boxes || c->layout.target.codec != DRX_RAW)
        c->plan.write_bytes = c->plan.read_bytes = drxi_copying_bytes(&c->layout);
    return begin < 0 ? copy_alone(c, path) : copy_to_dataset(c, path, out);
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
                         array_path(src));
    if (!(c = drxi_calloc(1, sizeof *c)))
        return DRX_ENOMEM;
    drxi_report_clear();
    st = copy_array(c, src, path, spec, out);
    drxi_copying_end(&c->layout);
    if (!st && out && c->to) {
        *out = c->to;
    } else if (c->to) {
        const drx_status closed = st ? drxi_array_free(c->to) : drx_close(c->to);

        st = st ? st : closed;
    }
    drxi_free(c);
    return st;
}
