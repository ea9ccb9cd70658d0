/* Names of arrays: removing, renaming, asking what is missing. The root makes the call, with the stripes of all
 * nodes. */
#include "mp/far/far_home.h"

struct names {
    const char *from, *to;
    unsigned flags;
    drx_missing *missing;
    void *user;
};

typedef drx_status work_on_names(const struct names *n);

static drx_status remove_names(const struct names *n)
{
    return drx_remove(n->from);
}

static drx_status rename_names(const struct names *n)
{
    return drx_rename(n->from, n->to, n->flags);
}

static drx_status find_missing(const struct names *n)
{
    return drx_missing_stripes(n->from, n->missing, n->user);
}

/* All ranks return the root's status, with its detail. */
static drx_status by_root(MPI_Comm comm, bool local, work_on_names *work, const struct names *n)
{
    struct drxi_home *home = NULL;
    int rank = 0;
    drx_status st = local ? drxi_home_begin(comm, 0, &home) : DRX_OK;

    if (st)
        return st;
    (void)MPI_Comm_rank(comm, &rank);
    drxi_home_enter(home);
    st = rank == DRXI_ROOT ? work(n) : DRX_OK;
    st = drxi_from_root(comm, st, NULL, 0);
    drxi_home_leave(home, comm);
    return st;
}

drx_status drxi_rename_for_all(MPI_Comm comm, bool local, const char *from, const char *to, unsigned flags)
{
    return by_root(comm, local, rename_names, &(struct names){ .from = from, .to = to, .flags = flags });
}

drx_status drxi_remove_for_all(MPI_Comm comm, bool local, const char *path)
{
    return by_root(comm, local, remove_names, &(struct names){ .from = path });
}

/* Agree on the call, and make it. */
static drx_status make_call(MPI_Comm comm, const char *name, work_on_names *work, const struct names *n)
{
    struct drxi_settings settings;
    struct drxi_call call;
    MPI_Comm own;
    int ranks = 1;
    drx_status st = drxi_duplicate_comm(comm, &own);

    if (st)
        return st;
    (void)MPI_Comm_size(own, &ranks);
    st = n->from && (work != rename_names || n->to) && (work != find_missing || n->missing)
             ? drxi_settings_init(&settings, ranks)
             : drxi_fail(DRX_EINVAL, "%s: a path or missing is a null pointer", name);
    drxi_call_start(&call, name);
    drxi_call_text(&call, "the path", n->from);
    drxi_call_text(&call, "the new path", n->to);
    drxi_call_int(&call, "flags", n->flags);
    drxi_call_int(&call, "DRXMP_LOCAL_STRIPES", !st && settings.local_stripes);
    st = drxi_agree(own, st, &call);
    if (!st)
        st = by_root(own, settings.local_stripes, work, n);
    (void)MPI_Comm_free(&own);
    return st;
}

drx_status drxmp_remove(MPI_Comm comm, const char *path)
{
    return make_call(comm, "drxmp_remove", remove_names, &(struct names){ .from = path });
}

drx_status drxmp_rename(MPI_Comm comm, const char *from, const char *to, unsigned flags)
{
    return make_call(comm, "drxmp_rename", rename_names, &(struct names){ .from = from, .to = to, .flags = flags });
}

drx_status drxmp_missing_stripes(MPI_Comm comm, const char *path, drx_missing *missing, void *user)
{
    return make_call(comm, "drxmp_missing_stripes", find_missing,
                     &(struct names){ .from = path, .missing = missing, .user = user });
}
