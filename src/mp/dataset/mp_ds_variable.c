/* drxmp_open, drxmp_open_at: a lone array, or a variable of a dataset. */
#include "mp/dataset/mp_dataset.h"
#include "remote/remote.h"

/* A dataset that only its array knows. */
struct owner {
    struct drxi_mp_owner calls; /* first */
    drxmp_dataset *d;
};

static drx_status sync_mp_variable(const struct drxi_mp_owner *owner)
{
    return drxmp_dataset_commit(((const struct owner *)owner)->d, NULL);
}

static drx_status refresh_mp_variable(const struct drxi_mp_owner *owner)
{
    return drxmp_dataset_refresh(((const struct owner *)owner)->d);
}

static drx_status close_both(const struct drxi_mp_owner *owner)
{
    struct owner *own = (struct owner *)(uintptr_t)owner;
    const drx_status st = drxmp_dataset_close(own->d);

    if (st != DRX_EBUSY) /* a request is pending: it is open still */
        drxi_free(own);
    return st;
}

static drx_status lend(drxmp_dataset *d, const char *name, drxmp_array **out)
{
    struct owner *own = drxi_calloc(1, sizeof *own);
    drx_status st = drxi_agree(d->comm, own ? DRX_OK : DRX_ENOMEM, NULL);

    if (!st)
        st = drxi_ds_lend_all(d, name, out);
    if (st) {
        drxi_free(own);
        return st;
    }
    *own = (struct owner){ { sync_mp_variable, refresh_mp_variable, close_both }, d };
    (*out)->owner = &own->calls;
    return DRX_OK;
}

/* The root looks for the folder of the dataset. *begin: where the variable begins in the path. */
static drx_status find_folder(MPI_Comm comm, const char *path, int64_t *begin)
{
    struct drxi_call call;
    int rank;
    drx_status st;

    drxi_call_start(&call, "drxmp_open_at");
    drxi_call_text(&call, "the path", path);
    st = drxi_agree(comm, DRX_OK, &call);
    if (st)
        return st;
    (void)MPI_Comm_rank(comm, &rank);
    if (rank == DRXI_ROOT)
        st = drxi_look_above(path, begin);
    if (!st && rank == DRXI_ROOT && *begin < 0)
        st = drxi_fail(DRX_ENOENT, "%s: no folder above has a dataset", path);
    return drxi_from_root(comm, st, begin, sizeof *begin);
}

/* The variable `path` of a dataset. */
static drx_status open_variable(MPI_Comm comm, const char *path, int mode, int64_t at, drxmp_array **out)
{
    int64_t begin = 0;
    char *folder = NULL;
    drxmp_dataset *d = NULL;
    drx_status st = find_folder(comm, path, &begin);

    if (!st) {
        folder = drxi_folder_above(path, begin);
        st = drxi_agree(comm, folder ? DRX_OK : DRX_ENOMEM, NULL);
    }
    if (!st)
        st = drxmp_dataset_open(comm, folder, mode, at, &d);
    drxi_free(folder);
    if (!st && (st = lend(d, path + begin, out))) {
        char detail[DRXI_DETAIL_BYTES];

        drxi_report_keep(detail);
        (void)drxmp_dataset_close(d);
        drxi_report_set(detail);
    }
    return st;
}

drx_status drxmp_open(MPI_Comm comm, const char *path, int mode, drxmp_array **out)
{
    char detail[DRXI_DETAIL_BYTES];
    drx_status st = drxi_open_lone(comm, path, mode, out), other;

    if (st != DRX_ENOENT)
        return st;
    drxi_report_keep(detail);
    other = open_variable(comm, path, mode, DRX_LAST, out);
    if (other != DRX_ENOENT && other != DRX_EINVAL)
        return other;
    drxi_report_set(detail);
    return st;
}

drx_status drxmp_open_at(MPI_Comm comm, const char *path, int64_t at, drxmp_array **out)
{
    if (at == DRX_LAST || !path || !out) /* on all, or drxmp_open says so */
        return drxmp_open(comm, path, DRX_RDONLY, out);
    *out = NULL;
    return open_variable(comm, path, DRX_RDONLY, at, out);
}
