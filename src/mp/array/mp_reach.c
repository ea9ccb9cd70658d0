/* What a rank does alone with arrays whose stripes lie on several nodes. */
#include "mp/far/far_home.h"

struct drxmp_reach {
    MPI_Comm comm;
    struct drxi_home *home; /* NULL: all is here */
};

static _Thread_local bool reaching;

static drx_status begin_reach(struct drxmp_reach *r)
{
    struct drxi_settings settings = { .local_stripes = false };
    struct drxi_call call;
    int ranks = 1;
    drx_status st;

    (void)MPI_Comm_size(r->comm, &ranks);
    st = reaching ? drxi_fail(DRX_EBUSY, "drxmp_reach_begin: this thread has not ended an earlier one")
                  : drxi_settings_init(&settings, ranks);
    drxi_call_start(&call, "drxmp_reach_begin");
    drxi_call_int(&call, "DRXMP_LOCAL_STRIPES", !st && settings.local_stripes);
    st = drxi_agree(r->comm, st, &call);
    if (!st && settings.local_stripes)
        st = drxi_home_begin(r->comm, drxi_settings_cache(&settings, false), &r->home);
    return st;
}

static void discard_reach(struct drxmp_reach *r)
{
    (void)MPI_Comm_free(&r->comm);
    drxi_free(r);
}

drx_status drxmp_reach_begin(MPI_Comm comm, drxmp_reach **out)
{
    struct drxmp_reach *r;
    void *handle;
    MPI_Comm own;
    drx_status st = out ? drxi_new_on(comm, sizeof *r, &own, &handle) : drxi_fail(DRX_EINVAL, "out is a null pointer");

    if (out)
        *out = NULL;
    if (st)
        return st;
    r = handle;
    r->comm = own;
    st = begin_reach(r);
    if (st) {
        discard_reach(r);
        return st;
    }
    reaching = true;
    drxi_home_reach(r->home);
    *out = r;
    return DRX_OK;
}

drx_status drxmp_reach_end(drxmp_reach *r)
{
    if (!r)
        return DRX_OK;
    drxi_home_reach(NULL);
    reaching = false;
    drxi_home_end(r->home, r->comm);
    discard_reach(r);
    return DRX_OK;
}
