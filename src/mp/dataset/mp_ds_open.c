/* Creating, opening, closing and refreshing a dataset. */
#include "mp/dataset/mp_dataset.h"

static void free_dataset(drxmp_dataset *d)
{
    drxi_ds_free_arrays(d);
    (void)drx_dataset_close(d->ds);
    (void)MPI_Comm_free(&d->comm);
    drxi_free(d->array);
    drxi_free(d);
}

static drx_status new_dataset(MPI_Comm comm, drxmp_dataset **out)
{
    MPI_Comm own;
    void *d;
    const drx_status st = drxi_new_on(comm, sizeof **out, &own, &d);

    *out = d;
    if (st)
        return st;
    (*out)->comm = own;
    (void)MPI_Comm_rank(own, &(*out)->rank);
    return DRX_OK;
}

/* Give all ranks the dataset that the root has opened, or its error. */
static drx_status share_dataset(drxmp_dataset *d, const char *path, drx_status roots)
{
    struct drxi_ds_news news = { 0 };
    uint8_t *log = NULL;
    drx_status st;

    if (d->rank == DRXI_ROOT && !roots)
        roots = drxi_ds_tell(d->ds, &news, &log);
    st = drxi_from_root(d->comm, roots, &news, sizeof news);
    if (st)
        return st;
    st = drxi_share_bytes(d->comm, &log, news.bytes);
    if (!st && d->rank != DRXI_ROOT)
        st = drxi_ds_open_replica(path, &news, log, &d->ds);
    drxi_free(log);
    return drxi_agree(d->comm, st, NULL);
}

/* A dataset to open or to make. */
struct opening {
    enum { OPEN, CREATE } what;
    const char *call, *path;
    int mode;
    int64_t at;
};

static drx_status open_dataset_files(const struct opening *o, drx_dataset **out)
{
    return o->what == CREATE ? drx_dataset_create(o->path, out) : drx_dataset_open(o->path, o->mode, o->at, out);
}

static drx_status agree_and_open(drxmp_dataset *d, drx_status mine, const struct opening *o)
{
    struct drxi_call call;
    int ranks;
    drx_status st;

    (void)MPI_Comm_size(d->comm, &ranks);
    drxi_call_start(&call, o->call);
    drxi_call_text(&call, "the path", o->path);
    drxi_call_int(&call, "the mode", o->mode);
    drxi_call_int(&call, "the commit", o->at);
    mine = drxi_settings_init_anyway(&d->settings, ranks, mine);
    drxi_call_settings(&call, &d->settings);
    st = drxi_agree(d->comm, mine, &call);
    if (st)
        return st;
    if (d->rank == DRXI_ROOT)
        st = open_dataset_files(o, &d->ds);
    st = share_dataset(d, o->path, st);
    if (st && d->rank == DRXI_ROOT && o->what == CREATE && d->ds) {
        (void)drx_dataset_close(d->ds);
        (void)drx_dataset_delete(o->path);
        d->ds = NULL;
    }
    return st;
}

static drx_status make_handle(MPI_Comm comm, const struct opening *o, drxmp_dataset **out)
{
    drxmp_dataset *d;
    drx_status st;

    if (out)
        *out = NULL;
    if ((st = new_dataset(comm, &d)))
        return st;
    st = agree_and_open(
        d, out && o->path ? DRX_OK : drxi_fail(DRX_EINVAL, "%s: path or out is a null pointer", o->call), o);
    if (st)
        free_dataset(d);
    else
        *out = d;
    return st;
}

drx_status drxmp_dataset_create(MPI_Comm comm, const char *path, drxmp_dataset **out)
{
    return make_handle(comm, &(struct opening){ CREATE, "drxmp_dataset_create", path, 0, 0 }, out);
}

drx_status drxmp_dataset_open(MPI_Comm comm, const char *path, int mode, int64_t at, drxmp_dataset **out)
{
    if (mode == DRX_SHARED)
        return drxi_fail(DRX_EUNSUPPORTED, "%s: DRX_SHARED: the processes of a job are one writer, expected DRX_RDWR",
                         path ? path : "");
    return make_handle(comm, &(struct opening){ OPEN, "drxmp_dataset_open", path, mode, at }, out);
}

const drx_dataset *drxmp_dataset_serial(const drxmp_dataset *d)
{
    return d ? d->ds : NULL;
}

drx_status drxmp_dataset_close(drxmp_dataset *d)
{
    struct drxi_call call;
    drx_status st, flushed;

    if (!d)
        return DRX_OK;
    drxi_call_start(&call, "drxmp_dataset_close");
    flushed = drxi_ds_flush_puts(d, DRX_OK);
    if ((st = drxi_agree(d->comm, drxi_ds_check_idle(d), &call)))
        return st;
    drxi_ds_free_arrays(d);
    st = drx_dataset_close(d->ds);
    d->ds = NULL;
    st = drxi_agree(d->comm, flushed ? flushed : st, NULL);
    free_dataset(d);
    return st;
}

drx_status drxmp_dataset_refresh(drxmp_dataset *d)
{
    struct drxi_call call;
    drx_status st;

    drxi_call_start(&call, "drxmp_dataset_refresh");
    if ((st = drxi_ds_agree(d, d ? drxi_ds_check_idle(d) : DRX_OK, &call)))
        return st;
    if (d->rank == DRXI_ROOT)
        st = drx_dataset_refresh(d->ds);
    return drxi_ds_tell_others(d, st);
}
