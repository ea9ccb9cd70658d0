/* The hands of a history of tests/model that all ranks of a job are together. */
#include "mp_hands.h"
#include "base/hooks.h"
#include "mp/mp.h"

drxmp_array *team;
static int culprit;

/* What one process does, on rank 0, where the other ranks only know of it. */
static struct model twin;
static bool twinned;

struct model *twin_here(void)
{
    return twinned && mp_rank == 0 ? &twin : NULL;
}

bool has_twin(void)
{
    return twinned;
}

/* Whether one process does now what the ranks did. */
static bool follows(drx_status st)
{
    return !st && twin_here();
}

void drop_twin(void)
{
    if (twin_here()) {
        assert_ok(alone.close(&twin));
        assert_ok(drx_remove(twin.path));
    }
    twinned = false;
}

static void meet(struct model *m)
{
    (void)MPI_Barrier(mp_comm);
}

drx_status together(drx_status st)
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

/* Which ranks share memory. */
static void choose_nodes(struct model *m)
{
    static const char *const ways[] = { "direct", "direct", "2", "3", "rma" };
    uint64_t luck = luck_of(m);

    assert_int_equal(setenv("DRXMP_ONESIDED", ways[random_below(&luck, 5)], 1), 0);
    drxi_hooks.no_aliases = random_below(&luck, 5) == 0;
    drxi_job_least_bytes = random_below(&luck, 3) ? 1 + random_below(&luck, 5000) : 1 << 20;
}

/* MPI-IO, where the environment asks for it, has no arrays in several files or without names. */
static void choose_backend(const struct model *m)
{
    static char given[20];

    if (!given[0])
        (void)snprintf(given, sizeof given, "%s", getenv("DRXMP_BACKEND") ? getenv("DRXMP_BACKEND") : "posix");
    assert_int_equal(setenv("DRXMP_BACKEND", m->stripes > 0 || m->storage == TEMPORARY ? "posix" : given, 1), 0);
}

static drx_status create(struct model *m, const drx_spec *spec)
{
    drx_status st;

    choose_nodes(m);
    choose_backend(m);
    twinned = m->storage == ON_DISK && m->stripes == 0 && !m->faulty && !(m->flags & DRX_CHECKSUM);
    twin.storage = ON_DISK;
    (void)snprintf(twin.path, sizeof twin.path, "%.*s of one", LINE - 8, m->path);
    st = drxmp_create(mp_comm, m->storage == IN_MEMORY ? NULL : m->path, spec, &team);
    if (follows(st))
        st = alone.create(&twin, spec);
    return take(m, together(st));
}

static drx_status open_it(struct model *m, int mode)
{
    drx_status st;

    (void)MPI_Barrier(mp_comm);
    st = drxmp_open(mp_comm, m->path, mode, &team);
    if (follows(st))
        st = alone.open(&twin, mode);
    return take(m, together(st));
}

static drx_status close_it(struct model *m)
{
    drx_status st = drxmp_close(team);

    if (follows(st))
        st = alone.close(&twin);
    m->a = NULL;
    if (!st && twinned)
        mp_assert_same_files(m->path, twin.path);
    return together(st);
}

static drx_status refresh(struct model *m)
{
    return together(drxmp_refresh(team));
}

static drx_status remove_it(struct model *m, const char *path)
{
    drx_status st = drxmp_remove(mp_comm, path);

    if (follows(st))
        st = alone.remove(&twin, twin.path);
    return together(st);
}

static drx_status extend(struct model *m, struct growth g)
{
    drx_status st = g.by < 0 ? drxmp_extend_before(team, g.axis, -g.by) : drxmp_extend(team, g.axis, g.by);

    if (follows(st))
        st = alone.extend(&twin, g);
    return together(st);
}

static drx_status trim(struct model *m, int axis, int64_t before, int64_t after)
{
    drx_status st = drxmp_trim(team, axis, before, after);

    if (follows(st))
        st = alone.trim(&twin, axis, before, after);
    return together(st);
}

static drx_status add_axis(struct model *m, int at, const char *name)
{
    drx_status st = drxmp_add_axis(team, at, name);

    if (follows(st))
        st = alone.add_axis(&twin, at, name);
    return together(st);
}

static drx_status attr_set(struct model *m, const struct attr *attr)
{
    drx_status st = attr->is_text ? drxmp_attr_set_text(team, attr->name, (const char *)attr->values)
                                  : drxmp_attr_set(team, attr->name, attr->type, attr->n, attr->values);

    if (follows(st))
        st = alone.attr_set(&twin, attr);
    return together(st);
}

static drx_status attr_delete(struct model *m, const char *name)
{
    drx_status st = drxmp_attr_delete(team, name);

    if (follows(st))
        st = alone.attr_delete(&twin, name);
    return together(st);
}

static drx_status dim_rename(struct model *m, int axis, const char *name)
{
    drx_status st = drxmp_dim_rename(team, axis, name);

    if (follows(st))
        st = alone.dim_rename(&twin, axis, name);
    return together(st);
}

static drx_status sync_all(struct model *m)
{
    drx_status st = drxmp_sync(team);

    if (follows(st))
        st = alone.sync(&twin);
    return together(st);
}

static drx_status compact(struct model *m)
{
    drx_status st = drxmp_compact(team);

    if (follows(st))
        st = alone.compact(&twin);
    return together(st);
}

static enum mp_fault kind_of(enum fault fault)
{
    return fault == OF_MEMORY ? MP_ALLOCATION : MP_CALL;
}

static void arm(struct model *m, enum fault fault, int64_t nth)
{
    drop_twin();
    culprit = (int)(m->op % mp_ranks);
    mp_arm(kind_of(fault), culprit, nth);
}

static bool disarm(struct model *m, enum fault fault)
{
    return mp_disarm(kind_of(fault), culprit);
}

const struct hands all_ranks = { .create = create,
                                 .open = open_it,
                                 .close = close_it,
                                 .refresh = refresh,
                                 .remove = remove_it,
                                 .extend = extend,
                                 .append = append_share,
                                 .trim = trim,
                                 .add_axis = add_axis,
                                 .attr_set = attr_set,
                                 .attr_delete = attr_delete,
                                 .dim_rename = dim_rename,
                                 .sync = sync_all,
                                 .compact = compact,
                                 .write = write_share,
                                 .read = read_alike,
                                 .arm = arm,
                                 .disarm = disarm,
                                 .meet = meet,
                                 .apart = apart,
                                 .move_as = move_share_as };
