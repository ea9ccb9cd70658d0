/* The hands of a history of tests/model that all ranks of a job are together. */
#include "mp_hands.h"

static drxmp_array *team; /* m->a is this rank's view of it */
static int culprit;

static void meet(struct model *m)
{
    (void)MPI_Barrier(mp_comm);
}

/* All ranks have come as far before, and after. */
static drx_status together(drx_status st)
{
    (void)MPI_Barrier(mp_comm);
    return st;
}

static drx_status take(struct model *m, drx_status st)
{
    m->a = drxmp_serial(team);
    if (!st && m->storage == ON_DISK && m->stripes == 0 && !m->faulty && m->rng.state % 2) {
        mp_stream = m->rng.state; /* as it is when this history is repeated */
        st = mp_set_any(team);
    }
    return together(st);
}

static drx_status create(struct model *m, const drx_spec *spec)
{
    return take(m, drxmp_create(mp_comm, m->storage == IN_MEMORY ? NULL : m->path, spec, &team));
}

static drx_status open_it(struct model *m, int mode)
{
    (void)MPI_Barrier(mp_comm);
    return take(m, drxmp_open(mp_comm, m->path, mode, &team));
}

static drx_status close_it(struct model *m)
{
    m->a = NULL;
    return together(drxmp_close(team));
}

static drx_status refresh(struct model *m)
{
    return together(drxmp_refresh(team));
}

static drx_status remove_it(struct model *m, const char *path)
{
    return together(drxmp_remove(mp_comm, path));
}

static drx_status extend(struct model *m, struct growth g)
{
    return together(g.by < 0 ? drxmp_extend_before(team, g.axis, -g.by) : drxmp_extend(team, g.axis, g.by));
}

/* The part of this rank along an axis; returns by how much it begins later. */
static int64_t take_part(struct box *b, int axis, int64_t step)
{
    const int64_t n = b->count[axis], from = n * mp_rank / mp_ranks;

    b->count[axis] = n * (mp_rank + 1) / mp_ranks - from;
    b->lo[axis] += b->count[axis] ? from * step : 0;
    return from;
}

/* Each rank gives some of the slowest indices of the slab, which lie together in memory. */
static drx_status append(struct model *m, struct growth g, const struct box *slab, drx_order order, const void *buf)
{
    const int slowest = order == DRX_ROW_MAJOR ? 0 : m->ndim - 1;
    const int64_t by = g.by < 0 ? -g.by : g.by;
    struct box part = *slab;
    int64_t inner = (int64_t)m->elem_bytes;

    for (int j = 0; j < m->ndim; j++)
        inner *= j == slowest ? 1 : slab->count[j];
    buf = (const char *)buf + take_part(&part, slowest, 1) * inner;
    return together(
        (g.by < 0 ? drxmp_prepend_all : drxmp_append_all)(team, g.axis, by, part.lo, part.count, order, buf));
}

static drx_status trim(struct model *m, int axis, int64_t before, int64_t after)
{
    return together(drxmp_trim(team, axis, before, after));
}

static drx_status add_axis(struct model *m, int at, const char *name)
{
    return together(drxmp_add_axis(team, at, name));
}

static drx_status attr_set(struct model *m, const struct attr *attr)
{
    return together(attr->is_text ? drxmp_attr_set_text(team, attr->name, (const char *)attr->values)
                                  : drxmp_attr_set(team, attr->name, attr->type, attr->n, attr->values));
}

static drx_status attr_delete(struct model *m, const char *name)
{
    return together(drxmp_attr_delete(team, name));
}

static drx_status dim_rename(struct model *m, int axis, const char *name)
{
    return together(drxmp_dim_rename(team, axis, name));
}

static drx_status sync_all(struct model *m)
{
    return together(drxmp_sync(team));
}

static drx_status compact(struct model *m)
{
    return together(drxmp_compact(team));
}

/* Along the longest axis. */
static drx_status write_box(struct model *m, const struct box *b, const int64_t *step, const int64_t *stride,
                            const void *buf)
{
    struct box part = *b;
    int axis = 0;
    int64_t from;

    for (int j = 1; j < m->ndim; j++)
        axis = b->count[j] > b->count[axis] ? j : axis;
    from = take_part(&part, axis, step ? step[axis] : 1);
    buf = (const char *)buf + (part.count[axis] ? from * stride[axis] * (int64_t)m->elem_bytes : 0);
    return together(drxmp_write_box_all(
        team, &(drx_box){ .lo = part.lo, .count = part.count, .step = step, .stride = stride }, buf));
}

/* By all together, or by each for itself. */
static drx_status read_box(struct model *m, const struct box *b, drx_order order, void *buf)
{
    return m->op % 2 ? drxmp_read_all(team, b->lo, b->count, order, buf) : drx_read(m->a, b->lo, b->count, order, buf);
}

static enum mp_fault kind_of(enum fault fault)
{
    return fault == OF_MEMORY ? MP_ALLOCATION : MP_CALL;
}

static void arm(struct model *m, enum fault fault, int64_t nth)
{
    culprit = (int)(m->op % mp_ranks);
    mp_arm(kind_of(fault), culprit, nth);
}

static bool disarm(struct model *m, enum fault fault)
{
    return mp_disarm(kind_of(fault), culprit);
}

const struct hands ranks = { .create = create,
                             .open = open_it,
                             .close = close_it,
                             .refresh = refresh,
                             .remove = remove_it,
                             .extend = extend,
                             .append = append,
                             .trim = trim,
                             .add_axis = add_axis,
                             .attr_set = attr_set,
                             .attr_delete = attr_delete,
                             .dim_rename = dim_rename,
                             .sync = sync_all,
                             .compact = compact,
                             .write = write_box,
                             .read = read_box,
                             .arm = arm,
                             .disarm = disarm,
                             .meet = meet };
