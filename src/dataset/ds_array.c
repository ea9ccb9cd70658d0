/* drx_open and drx_duplicate: of a lone array, or a variable of a dataset. */
#include "dataset/dataset.h"
#include "drx_tools.h"
#include "lone/lone.h"
#include "remote/remote.h"

/* A dataset that only its array knows. */
struct owner {
    struct drxi_owner calls; /* first */
    drx_dataset *ds;
};

static drx_status sync_elements(const struct drxi_owner *owner)
{
    return drx_dataset_commit(((const struct owner *)owner)->ds, NULL);
}

static drx_status refresh(const struct drxi_owner *owner)
{
    return drx_dataset_refresh(((const struct owner *)owner)->ds);
}

/* Attributes that were set stay, as those of any array do when it is closed. */
static drx_status close_both(const struct drxi_owner *owner)
{
    struct owner *own = (struct owner *)(uintptr_t)owner;
    const drx_status st = drxi_ds_pending(own->ds) && !own->ds->broken ? drx_dataset_commit(own->ds, NULL) : DRX_OK,
                     closed = drx_dataset_close(own->ds);

    drxi_free(own);
    return st ? st : closed;
}

static drx_status lend(drx_dataset *ds, const char *name, drx_array **out)
{
    struct owner *own = drxi_calloc(1, sizeof *own);
    drx_status st = own ? drx_dataset_array(ds, name, out) : DRX_ENOMEM;

    if (st) {
        drxi_free(own);
        return st;
    }
    *own = (struct owner){ { sync_elements, refresh, close_both }, ds };
    (*out)->owner = &own->calls;
    return DRX_OK;
}

static drx_status fail_variable(const drx_dataset *ds, const char *name)
{
    return drxi_fail(DRX_ENOENT, "%s: has no variable '%s'", ds->path, name);
}

/* Writers that share a variable have no transaction. One that a dead writer has left is given back first, if nobody writes. */
static drx_status give_back(const drx_dataset *ds)
{
    drx_dataset *writer = NULL;
    int64_t bytes = 0;
    drx_status st = ds->io->ops->size(ds->io, &bytes);

    if (st || bytes == ds->counts.end)
        return st;
    st = drx_dataset_open(ds->path, DRX_RDWR, DRX_LAST, &writer);
    if (!st)
        st = drx_dataset_close(writer);
    return st == DRX_EBUSY ? DRX_OK : st;
}

/* Another dataset may have taken the place of this one, which was only read. */
static drx_status open_shared(const drx_dataset *ds, const char *name, drx_array **out)
{
    const struct drxi_variable *v = drxi_ds_find_variable(ds, name);
    char *path = v ? drxi_ds_stem_path(ds, v) : NULL;
    drx_status st = give_back(ds);

    if (!st)
        st = !v     ? fail_variable(ds, name)
             : path ? drxi_open_shared(path, ds->log_path, v->thing.number, out)
                    : DRX_ENOMEM;
    drxi_free(path);
    if (st || memcmp(drxi_lone_store(&(*out)->log)->id, ds->store.id, sizeof ds->store.id) == 0)
        return st;
    (void)drxi_array_free(*out);
    *out = NULL;
    return drxi_fail(DRX_EBUSY, "%s: was replaced by another dataset: try again", ds->path);
}

/* Of which the array becomes the owner, if it has one. */
static drx_status open_in(drx_dataset *ds, int mode, const char *name, drx_array **out)
{
    char detail[DRXI_DETAIL_BYTES];
    const drx_status st = mode == DRX_SHARED ? open_shared(ds, name, out) : lend(ds, name, out);

    if (!st && mode != DRX_SHARED)
        return DRX_OK;
    drxi_report_keep(detail);
    (void)drx_dataset_close(ds);
    drxi_report_set(detail);
    return st;
}

drx_status drxi_ds_open_above(const char *path, int mode, int64_t at, drx_dataset **ds, const char **name)
{
    int64_t begin;
    char *folder;
    drx_status st = drxi_look_above(path, &begin);

    *ds = NULL;
    *name = path;
    if (st || begin < 0)
        return st ? st : drxi_fail(DRX_ENOENT, "%s: no folder above has a dataset", path);
    *name = path + begin;
    folder = drxi_folder_above(path, begin);
    st = folder ? drx_dataset_open(folder, mode, at, ds) : DRX_ENOMEM;
    drxi_free(folder);
    return st;
}

/* The variable `path` of a dataset, as of a commit. DRX_ENOENT: there is none. */
static drx_status open_variable(const char *path, int mode, int64_t at, drx_array **out)
{
    const char *name;
    drx_dataset *ds;
    const drx_status st = drxi_ds_open_above(path, mode == DRX_SHARED ? DRX_RDONLY : mode, at, &ds, &name);

    return st ? st : open_in(ds, mode, name, out);
}

/* The same, of a path without an array, of which `detail` tells: where there is no variable either, nothing else is said. */
static drx_status open_or_none(const char *path, int mode, const char *detail, drx_array **out)
{
    const drx_status st = open_variable(path, mode, DRX_LAST, out);

    if (st != DRX_ENOENT && st != DRX_EINVAL)
        return st;
    drxi_report_set(detail);
    return DRX_ENOENT;
}

drx_status drx_open(const char *path, int mode, drx_array **out)
{
    char detail[DRXI_DETAIL_BYTES];
    const drx_status st = drxi_open(path, mode, out);

    if (st != DRX_ENOENT)
        return st;
    drxi_report_keep(detail);
    return open_or_none(path, mode, detail, out);
}

drx_status drx_open_at(const char *path, int64_t at, drx_array **out)
{
    int array, dataset;
    drx_status st;

    if (at == DRX_LAST || !path || !out)
        return drx_open(path, DRX_RDONLY, out);
    *out = NULL;
    st = drx_look(path, &array, &dataset);
    if (!st && array)
        st = drxi_fail(DRX_EINVAL, "%s: a lone array, which has no commits", path);
    return st ? st : open_variable(path, DRX_RDONLY, at, out);
}

const drx_dataset *drx_dataset_of(const drx_array *a)
{
    return a ? a->dataset : NULL;
}

/* ---- drx_duplicate ---- */

/* The variable as a lone array, with the layout that it has. */
static drx_status duplicate(drx_array *a, const char *to, unsigned flags, drx_progress progress, void *user)
{
    drx_copy_spec copy = { .flags = flags, .progress = progress, .user = user };
    drx_array *b;
    drx_spec spec;
    drx_status st, closed;

    drx_describe(a, &spec);
    copy.flags |= spec.flags & DRX_CHECKSUM;
    copy.codec = spec.codec;
    copy.level = spec.level;
    copy.shuffle = spec.shuffle;
    st = drx_copy(a, to, &copy, &b);
    if (st)
        return st;
    st = drx_sync(b);
    closed = drx_close(b);
    return st ? st : closed;
}

drx_status drx_duplicate(const char *from, const char *to, unsigned flags, drx_progress progress, void *user)
{
    char detail[DRXI_DETAIL_BYTES];
    drx_array *a;
    drx_status st = drxi_duplicate_lone(from, to, flags, progress, user), closed;

    if (st != DRX_ENOENT || flags & DRX_MOVE)
        return st;
    drxi_report_keep(detail);
    st = open_or_none(from, DRX_RDONLY, detail, &a);
    if (st)
        return st;
    st = duplicate(a, to, flags, progress, user);
    drxi_report_keep(detail);
    closed = drx_close(a);
    drxi_report_set(st ? detail : "");
    return st ? st : closed;
}
