/* Names of the files of an array: putting in place, replacing, removing.
 *
 * `.xmd` gets its name last and loses it first. Old files are never written to, but set aside until the new ones
 * have the names. A creation that is cut short leaves nothing, or a `.xta` without `.xmd`, which is not an array.
 * Replacing makes names durable at three points: so a power cut cannot mix the files of two arrays, whichever names
 * survive, and no old file goes before the new names are durable. Names change under a lock on the folder. */
#include "array/place.h"

#include "remote/remote.h"

static const char *const suffix[DRXI_BODIES] = { "xta", "xcs", "xtz", "xct" };

drx_status drxi_names_make(const char *path, struct drxi_names *n)
{
    bool all = true;

    n->meta = drxi_format("%s.xmd", path);
    n->dataset = drxi_format("%s/dataset.xds", path);
    for (int i = 0; i < DRXI_BODIES; i++)
        all = (n->body[i] = drxi_format("%s.%s", path, suffix[i])) && all;
    return n->meta && n->dataset && all ? DRX_OK : DRX_ENOMEM;
}

void drxi_names_free(struct drxi_names *n)
{
    drxi_free(n->meta);
    drxi_free(n->dataset);
    for (int i = 0; i < DRXI_BODIES; i++)
        drxi_free(n->body[i]);
}

drx_status drxi_refuse_dataset(const struct drxi_names *n)
{
    struct drxi_looked looked;

    drxi_files->look(n->dataset, true, &looked);
    return looked.there
               ? drxi_fail(DRX_EEXIST, "%s: a dataset has that name: give another, or rename the dataset", n->dataset)
               : DRX_OK;
}

/* A folder above has a dataset. Where the path leads nowhere, there is none. */
static drx_status is_in_dataset(const char *path, bool *is)
{
    const char *const slash = strrchr(path, '/');
    char *folder = slash ? drxi_format("%.*s", (int)(slash + 1 - path), path) : drxi_strdup(".");
    char *real = NULL, *in = NULL;
    int64_t at = -1;
    drx_status st = folder ? DRX_OK : DRX_ENOMEM;

    if (!st && !drxi_is_url(path) && drxi_files->absolute(folder, &real))
        drxi_report_clear();
    if (real && !(in = drxi_format("%s/?", real)))
        st = DRX_ENOMEM;
    if (in)
        st = drxi_look_above(in, &at);
    *is = at >= 0;
    drxi_free(in);
    drxi_free(real);
    drxi_free(folder);
    return st;
}

drx_status drxi_refuse_dataset_folder(const char *path)
{
    bool is;
    const drx_status st = is_in_dataset(path, &is);

    return st || !is ? st
                     : drxi_fail(DRX_EINVAL,
                                 "%s: in the folder of a dataset, where each array is a variable of the dataset: "
                                 "drx_dataset_add and drx_dataset_remove (`drx add` and `drx rm`) make and remove them",
                                 path);
}

drx_status drxi_check_free(const struct drxi_names *n, bool replace, drxi_io **old)
{
    drxi_io *data = NULL;
    drx_status st = drxi_files->open(n->meta, replace ? DRXI_WRITE : DRXI_READ, old);

    if (!st)
        return replace ? (*old)->ops->lock(*old, DRXI_LOCK_ALONE)
                       : drxi_fail(DRX_EEXIST, "%s: exists already", n->meta);
    if (st == DRX_ENOENT)
        st = drxi_refuse_dataset(n);
    if (st || replace)
        return st;
    for (int i = 0; i < DRXI_BODIES; i++) {
        if (!drxi_has_elements(i))
            continue;
        st = drxi_files->open(n->body[i], DRXI_READ, &data);
        if (st && st != DRX_ENOENT)
            return st;
        if (st)
            continue;
        (void)data->ops->close(data);
        return drxi_fail(DRX_EEXIST, "%s: exists already, without its %s", n->body[i], n->meta);
    }
    return DRX_OK;
}

drx_status drxi_look_first(const struct drxi_names *n, bool replace)
{
    drxi_io *old = NULL;
    drx_status st = drxi_check_free(n, replace, &old);

    drxi_close(old);
    return st;
}

drx_status drxi_hold_meta(const char *meta, drxi_io **out)
{
    drx_status st = drxi_files->open(meta, DRXI_WRITE, out);

    if (st == DRX_EACCES)
        st = drxi_files->open(meta, DRXI_READ, out);
    return st ? st : (*out)->ops->lock(*out, DRXI_LOCK_ALONE);
}

static drx_status open_if_there(const char *name, drxi_io **out)
{
    drx_status st = drxi_files->open(name, DRXI_WRITE, out);

    return st == DRX_ENOENT ? DRX_OK : st;
}

static drx_status park_if_there(drxi_io *io)
{
    return io ? io->ops->park(io) : DRX_OK;
}

/* Whichever names survive a power cut, the metadata of one array never meet the data of another. */
static drx_status keep_apart(const struct drxi_names *n, const struct drxi_old *old)
{
    for (int i = 0; i < DRXI_BODIES; i++)
        if (old->body[i])
            return drxi_files->sync_folder(n->meta);
    return DRX_OK;
}

drx_status drxi_set_aside(const struct drxi_names *n, struct drxi_old *old)
{
    drx_status st = old->meta ? drxi_log_find_stripes(old->meta, &old->stripes) : DRX_OK;

    for (int i = 0; !st && i < DRXI_BODIES; i++)
        st = open_if_there(n->body[i], &old->body[i]);
    if (!st)
        st = park_if_there(old->meta);
    if (!st)
        st = keep_apart(n, old);
    for (int i = 0; !st && i < DRXI_BODIES; i++)
        st = park_if_there(old->body[i]);
    return st;
}

/* A file that cannot have its own name again is not removed. */
static bool name_again(drxi_io *io)
{
    const bool good = !io || io->ops->name(io) == DRX_OK;

    if (!good)
        io->ops->keep(io);
    return good;
}

static void keep_aside(drxi_io *io)
{
    if (io)
        io->ops->keep(io);
}

/* Metadata without their own data would meet the data of another array. */
void drxi_put_back(struct drxi_old *old)
{
    bool all = true;

    for (int i = DRXI_BODIES - 1; i >= 0; i--)
        all = name_again(old->body[i]) && all;
    if (all)
        (void)name_again(old->meta);
    else
        keep_aside(old->meta);
}

void drxi_let_go(struct drxi_old *old)
{
    drxi_close(old->meta);
    for (int i = 0; i < DRXI_BODIES; i++)
        drxi_close(old->body[i]);
    drxi_stripes_free(&old->stripes);
}

void drxi_drop_stripes(const char *path, const struct drxi_old *old)
{
    char detail[DRXI_DETAIL_BYTES];

    drxi_report_keep(detail);
    (void)drxi_stripes_remove(path, &old->stripes);
    drxi_report_set(detail);
}

drx_status drxi_name_data(drx_array *a, bool spare)
{
    struct drxi_stored_file f;
    drx_status st = DRX_OK;

    for (int k = 0; !st && drxi_data_file(&a->data, k, &f); k++)
        st = spare && !f.unique ? f.io->ops->park(f.io) : f.io->ops->name(f.io);
    return st || !spare ? st : drxi_stripes_sync_folders(&a->data);
}

static drx_status sync_data(drx_array *a)
{
    drx_status st = a->data.file->io ? drxi_make_durable(&a->log, a->data.file->io) : DRX_OK;

    return st ? st : a->data.file->stored->settle(&a->data);
}

/* Sync the new files and give them spare names before the old ones lose theirs. */
static drx_status make_name_room(drx_array *a, const struct drxi_names *n, struct drxi_old *old)
{
    drx_status st = sync_data(a);

    if (!st)
        st = drxi_make_durable(&a->log, a->log.io);
    if (!st)
        st = drxi_name_data(a, true);
    if (!st)
        st = a->log.io->ops->park(a->log.io);
    return st ? st : drxi_set_aside(n, old);
}

/* Take the names from the new files, and give them back to the old ones as far as possible; keep the detail of the
 * failure. */
static void undo(drx_array *a, struct drxi_old *old)
{
    char detail[DRXI_DETAIL_BYTES];
    struct drxi_stored_file f;
    bool in_place = false;

    drxi_report_keep(detail);
    if (a->log.io->ops->park(a->log.io) && (a->log.io->ops->named(a->log.io, &in_place) || in_place)) {
        keep_aside(old->meta); /* the new array is in place and stays, whole */
        for (int i = 0; i < DRXI_BODIES; i++)
            keep_aside(old->body[i]);
    } else {
        for (int k = 0; drxi_data_file(&a->data, k, &f); k++)
            (void)f.io->ops->park(f.io);
        drxi_put_back(old);
    }
    drxi_report_set(detail);
}

drx_status drxi_put_in_place(drx_array *a, const struct drxi_names *n, bool replace)
{
    drxi_io *folder = NULL;
    struct drxi_old old = { .meta = NULL };
    drx_status st = replace ? sync_data(a) : DRX_OK; /* most of it before the lock is taken */

    if (!st)
        st = drxi_files->lock_folder(n->meta, &folder);
    if (!st)
        st = drxi_check_free(n, replace, &old.meta);
    if (!st) {
        if (replace)
            st = make_name_room(a, n, &old);
        if (!st)
            st = drxi_name_data(a, false);
        if (!st)
            st = keep_apart(n, &old);
        if (!st)
            st = a->log.io->ops->name(a->log.io);
        if (!st && old.meta) /* before any old file goes */
            st = drxi_files->sync_folder(n->meta);
        if (st)
            undo(a, &old);
        else
            drxi_drop_stripes(a->path, &old);
    }
    drxi_let_go(&old);
    drxi_close(folder);
    return st;
}

drx_status drxi_remove_files(const struct drxi_names *n, bool found)
{
    for (int i = -1; i < DRXI_BODIES; i++) {
        drx_status st = drxi_files->remove(i < 0 ? n->meta : n->body[i]);

        if (st && st != DRX_ENOENT)
            return st;
        found = found || !st;
    }
    return found ? drxi_files->sync_folder(n->meta) : drxi_fail(DRX_ENOENT, "%s: no such array", n->meta);
}

static drx_status remove_array(const char *path, const struct drxi_names *n, drxi_io *meta)
{
    struct drxi_stripes stripes = { .n = 0 };
    char detail[DRXI_DETAIL_BYTES];
    bool parked = false;
    drx_status st = meta ? drxi_log_find_stripes(meta, &stripes) : DRX_OK;

    if (!st)
        st = drxi_stripes_remove_with(path, &stripes, meta, &parked);
    if (st && parked) {
        drxi_report_keep(detail);
        (void)name_again(meta);
        drxi_report_set(detail);
    }
    if (!st)
        st = drxi_remove_files(n, parked);
    drxi_stripes_free(&stripes);
    return st;
}

drx_status drx_remove(const char *path)
{
    struct drxi_names n;
    drxi_io *folder = NULL;
    drxi_io *meta = NULL;
    drx_status st = drxi_check_path(path), closed = DRX_OK;

    if (st || (st = drxi_refuse_dataset_folder(path)))
        return st;
    st = drxi_names_make(path, &n);
    if (!st)
        st = drxi_files->lock_folder(n.meta, &folder);
    if (!st)
        st = drxi_hold_meta(n.meta, &meta);
    if (!st || st == DRX_ENOENT) /* half of an array may be left */
        st = remove_array(path, &n, st ? NULL : meta);
    drxi_names_free(&n);
    if (meta)
        closed = meta->ops->close(meta);
    if (!st) /* a file under a spare name could not be removed */
        st = closed;
    drxi_close(folder);
    return st;
}
