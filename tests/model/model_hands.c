/* How a history changes its array: by the calls of one process. Those of many are in tests/mp/model. */
#include "file_faults.h"
#include "io/io.h"
#include "model.h"

static drx_status create(struct model *m, const drx_spec *spec)
{
    return drx_create(m->storage == IN_MEMORY ? NULL : m->path, spec, &m->a);
}

static drx_status open_it(struct model *m, int mode)
{
    return drx_open(m->path, mode, &m->a);
}

static drx_status close_it(struct model *m)
{
    drx_array *const a = m->a;

    m->a = NULL;
    return drx_close(a);
}

static drx_status extend(struct model *m, struct growth g)
{
    return g.by < 0 ? drx_extend_before(m->a, g.axis, -g.by) : drx_extend(m->a, g.axis, g.by);
}

static drx_status append(struct model *m, struct growth g, const struct box *slab, drx_order order, const void *buf)
{
    return g.by < 0 ? drx_prepend(m->a, g.axis, -g.by, order, buf) : drx_append(m->a, g.axis, g.by, order, buf);
}

static drx_status trim(struct model *m, int axis, int64_t before, int64_t after)
{
    return drx_trim(m->a, axis, before, after);
}

static drx_status add_axis(struct model *m, int at, const char *name)
{
    return drx_add_axis(m->a, at, name);
}

drx_status alone_attr_set(struct model *m, const struct attr *attr)
{
    return attr->is_text ? drx_attr_set_text(m->a, attr->name, (const char *)attr->values)
                         : drx_attr_set(m->a, attr->name, attr->type, attr->n, attr->values);
}

drx_status alone_attr_delete(struct model *m, const char *name)
{
    return drx_attr_delete(m->a, name);
}

static drx_status dim_rename(struct model *m, int axis, const char *name)
{
    return drx_dim_rename(m->a, axis, name);
}

static drx_status sync_it(struct model *m)
{
    return drx_sync(m->a);
}

static drx_status compact(struct model *m)
{
    return drx_compact(m->a);
}

drx_status alone_write(struct model *m, const struct box *b, const int64_t *step, const int64_t *stride,
                       const void *buf)
{
    return drx_write_box(m->a, &(drx_box){ .lo = b->lo, .count = b->count, .step = step, .stride = stride }, buf);
}

drx_status alone_read(struct model *m, const struct box *b, drx_order order, void *buf)
{
    return drx_read(m->a, b->lo, b->count, order, buf);
}

static drx_status refresh(struct model *m)
{
    return drx_refresh(m->a);
}

static drx_status remove_it(struct model *m, const char *path)
{
    return drx_remove(path);
}

void alone_arm(struct model *m, enum fault fault, int64_t nth)
{
    if (fault == OF_MEMORY)
        drxi_fail_allocation = nth;
    else
        drxi_fault_arm(nth, fault == OF_ROOM ? ENOSPC : EIO, false);
}

bool alone_disarm(struct model *m, enum fault fault)
{
    const bool fired = fault == OF_MEMORY ? drxi_fail_allocation == 0 : drxi_fault_fired();

    drxi_fail_allocation = 0;
    if (fault != OF_MEMORY)
        drxi_fault_arm(0, 0, false);
    return fired;
}

void alone_meet(struct model *m)
{
}

drx_status alone_move_as(struct model *m, bool writing, const struct selection *whole, const drx_box *mine,
                         drx_type type, drx_conversion how, void *buf)
{
    return (writing ? drx_write_box_as(m->a, mine, type, how, buf) : drx_read_box_as(m->a, mine, type, how, buf));
}

const struct hands alone = { .create = create,
                             .open = open_it,
                             .close = close_it,
                             .refresh = refresh,
                             .remove = remove_it,
                             .extend = extend,
                             .append = append,
                             .trim = trim,
                             .add_axis = add_axis,
                             .attr_set = alone_attr_set,
                             .attr_delete = alone_attr_delete,
                             .dim_rename = dim_rename,
                             .sync = sync_it,
                             .compact = compact,
                             .write = alone_write,
                             .read = alone_read,
                             .arm = alone_arm,
                             .disarm = alone_disarm,
                             .meet = alone_meet,
                             .move_as = alone_move_as };
