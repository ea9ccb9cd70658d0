/* Another name for an array.
 *
 * Renaming `.xmd` is what counts. Before it, `.xta` is linked to the new name; after it, the old name of `.xta`
 * goes: before and after there is one whole array. Stripes stay where they are, and only `.xmd` is renamed. Where
 * files cannot have two names, `.xta` is renamed, too; between the two renames the array is half here and half
 * there. What is replaced is only set aside until all is done. */
#include "array/place.h"

struct renaming {
    const char *from_path;
    struct drxi_names from, to;
    drxi_io *folder[2]; /* locks */
    drxi_io *meta;
    drxi_io *data;
    struct drxi_stripes stripes; /* of the source */
    struct drxi_old old;
    bool replace, one_folder, packed;
    bool apart; /* its elements are in files with other names, which stay */
    enum { UNTOUCHED, LINKED, MOVED } body[DRXI_BODIES];
    bool renamed; /* the metadata */
};

/* Lock both folders, always in the same order; one folder only once. */
static drx_status lock_folders(struct renaming *r)
{
    int order;
    bool apart;
    drx_status st = drxi_files->order(r->from.meta, r->to.meta, &order, &apart);

    if (!st && apart)
        st = drxi_fail(DRX_EUNSUPPORTED, "%s: on another file system than %s", r->to.meta, r->from.meta);
    if (st)
        return st;
    r->one_folder = order == 0;
    st = drxi_files->lock_folder(order < 0 ? r->from.meta : r->to.meta, &r->folder[0]);
    if (!st && !r->one_folder)
        st = drxi_files->lock_folder(order < 0 ? r->to.meta : r->from.meta, &r->folder[1]);
    return st;
}

/* Open the source, and keep writers away. */
static drx_status hold_meta(struct renaming *r)
{
    drx_status st = drxi_hold_meta(r->from.meta, &r->meta);

    drxi_stripes_free(&r->stripes);
    return st ? st : drxi_log_find_stripes(r->meta, &r->stripes);
}

/* Where the elements are, as the description says; not *known: that cannot be read. */
static drx_status find_kind(struct renaming *r, bool *known)
{
    struct drxi_log log;
    drx_status st = drxi_log_peek(r->meta, &log, known);
    char *name = *known ? drxi_data_name(&log.state, r->from_path) : NULL;

    if (*known && !name)
        st = DRX_ENOMEM;
    r->packed = name && strcmp(name, r->from.body[DRXI_PAYLOADS_BODY]) == 0;
    r->apart = name && !r->packed && strcmp(name, r->from.body[DRXI_DATA_BODY]) != 0;
    drxi_free(name);
    drxi_log_free(&log);
    return st;
}

/* The description may not say whether the array is compressed; then it is if there is no `.xta`. */
static drx_status hold_source(struct renaming *r)
{
    const char *payloads = r->from.body[DRXI_PAYLOADS_BODY];
    char detail[DRXI_DETAIL_BYTES];
    bool known = false;
    drx_status st = hold_meta(r), other;

    if (!st)
        st = find_kind(r, &known);
    if (!st && !r->packed)
        st = drxi_data_open(r->from_path, &r->stripes, 1, DRXI_READ, &r->data);
    if (r->packed && !st && (st = drxi_files->open(payloads, DRXI_READ, &r->data)) == DRX_ENOENT)
        return drxi_fail(st, "%s: missing, %s is there", payloads, r->from.meta);
    if (st != DRX_ENOENT || known || !r->meta)
        return st;
    drxi_report_keep(detail);
    other = drxi_files->open(payloads, DRXI_READ, &r->data);
    r->packed = !other;
    if (other == DRX_ENOENT)
        drxi_report_set(detail);
    return other;
}

static drx_status name_absolutely(drx_array *a)
{
    struct drxi_stripes absolute;
    drx_status st = drxi_stripes_copy(&a->log.state.stripes, &absolute);

    if (st)
        return st;
    st = drxi_stripes_absolute(a->path, &absolute);
    if (!st)
        st = drxi_log_append_stripes(&a->log, &absolute);
    drxi_stripes_free(&absolute);
    return st ? st : drx_sync(a);
}

drx_status drxi_fix_stripe_folders(const char *path)
{
    drx_array *a;
    drx_status st = drxi_open(path, DRX_RDWR, &a), closed;

    if (st)
        return st;
    st = drxi_stripes_relative(&a->log.state.stripes) ? name_absolutely(a) : DRX_OK;
    closed = drx_close(a);
    return st ? st : closed;
}

/* Metadata that move to another folder have to find the stripes from there. */
static drx_status fix_folders(struct renaming *r)
{
    drx_status st;

    if (r->one_folder || !drxi_stripes_relative(&r->stripes))
        return DRX_OK;
    (void)r->meta->ops->close(r->meta);
    r->meta = NULL;
    st = drxi_fix_stripe_folders(r->from_path);
    return st ? st : hold_meta(r);
}

/* Remove the new names of files that were linked after the data. */
static drx_status remove_second_names(const struct renaming *r)
{
    drx_status st = DRX_OK;

    for (int i = DRXI_BODIES - 1; !st && i > 0; i--) {
        bool same = false;

        if (drxi_files->same(r->from.body[i], r->to.body[i], &same) == DRX_OK && same)
            st = drxi_files->remove(r->to.body[i]);
    }
    return st;
}

/* A link that a killed rename has left does not count as taken. */
static drx_status check_target(struct renaming *r)
{
    int data;
    bool same;
    drx_status st = drxi_files->same(r->from.meta, r->to.meta, &same);

    if (!st && same)
        return drxi_fail(DRX_EINVAL, "%s: is the same array as %s", r->from.meta, r->to.meta);
    if (st)
        return st;
    st = drxi_check_free(&r->to, r->replace, &r->old.meta);
    if (!st)
        return remove_second_names(r);
    if (st != DRX_EEXIST || r->old.meta || drxi_refuse_dataset(&r->to))
        return st;
    data = r->packed ? DRXI_PAYLOADS_BODY : DRXI_DATA_BODY;
    if (drxi_files->same(r->from.body[data], r->to.body[data], &same) != DRX_OK || !same)
        return drxi_fail(st, "%s: exists already, without its %s", r->to.body[data], r->to.meta);
    st = drxi_files->remove(r->to.body[data]);
    return st ? st : remove_second_names(r);
}

static drx_status sync_body(const char *name)
{
    drxi_io *io = NULL;
    drx_status st = drxi_files->open(name, DRXI_READ, &io);

    if (st)
        return st == DRX_ENOENT ? DRX_OK : st;
    st = io->ops->sync(io);
    (void)io->ops->close(io);
    return st;
}

/* Sync the new files before the old ones go. */
static drx_status make_new_room(struct renaming *r)
{
    drx_status st = r->data->ops->sync(r->data);

    if (!st)
        st = sync_body(r->from.body[r->packed ? DRXI_TABLE_BODY : DRXI_SUMS_BODY]);
    if (!st)
        st = r->meta->ops->sync(r->meta);
    return st ? st : drxi_set_aside(&r->to, &r->old);
}

static drx_status name_body(struct renaming *r, int i)
{
    const char *from = r->from.body[i];
    const char *to = r->to.body[i];
    bool can;
    drx_status st;

    if (r->apart && i == DRXI_DATA_BODY)
        return DRX_OK;
    st = drxi_files->link(from, to, &can);

    if (st || can) {
        r->body[i] = st ? UNTOUCHED : LINKED;
        return st;
    }
    st = drxi_files->rename(from, to);
    r->body[i] = st ? UNTOUCHED : MOVED;
    return st;
}

/* A symbolic link may lead elsewhere from another folder. */
static drx_status check_body(const struct renaming *r, int i)
{
    bool same = true;
    drx_status st = r->body[i] == LINKED ? drxi_files->same(r->from.body[i], r->to.body[i], &same) : DRX_OK;

    return st || same ? st
                      : drxi_fail(DRX_EUNSUPPORTED, "%s: a symbolic link, which leads elsewhere from %s",
                                  r->from.body[i], r->to.body[i]);
}

static drx_status check_there(const char *name)
{
    drxi_io *there = NULL;
    const drx_status st = drxi_files->open(name, DRXI_READ, &there);

    drxi_close(there);
    return st == DRX_ENOENT ? drxi_fail(DRX_EUNSUPPORTED, "%s: a symbolic link, which leads nowhere from there", name)
                            : st;
}

/* The same for files that were renamed. */
static drx_status check_moved(const struct renaming *r)
{
    drx_status st = check_there(r->to.meta);

    for (int i = 0; !st && i < DRXI_BODIES; i++)
        if (r->body[i] == MOVED)
            st = check_there(r->to.body[i]);
    return st;
}

static drx_status name_bodies(struct renaming *r)
{
    const int first = r->packed ? DRXI_PAYLOADS_BODY : DRXI_DATA_BODY;
    drx_status st = DRX_OK;

    for (int i = first; !st && i < first + 2; i++) {
        st = name_body(r, i);
        if (st == DRX_ENOENT && i == DRXI_SUMS_BODY) /* it has no checksums */
            st = DRX_OK;
        if (!st)
            st = check_body(r, i);
    }
    return st;
}

static drx_status sync_names(const struct renaming *r)
{
    drx_status st = drxi_files->sync_folder(r->to.meta);

    return st || r->one_folder ? st : drxi_files->sync_folder(r->from.meta);
}

/* Remove the old links, .xta last: with it the source would be whole again. */
static drx_status remove_old_names(const struct renaming *r)
{
    drx_status st = DRX_OK;

    for (int i = DRXI_BODIES - 1; !st && i >= 0; i--)
        if (r->body[i] == LINKED)
            st = drxi_files->remove(r->from.body[i]);
    return st;
}

static drx_status change_names(struct renaming *r)
{
    drx_status st = r->replace ? make_new_room(r) : DRX_OK;

    if (!st)
        st = name_bodies(r);
    if (!st)
        st = drxi_files->sync_folder(r->to.meta);
    if (!st)
        st = drxi_files->rename(r->from.meta, r->to.meta);
    r->renamed = !st;
    if (!st)
        st = check_moved(r);
    if (!st)
        st = sync_names(r);
    return st ? st : remove_old_names(r);
}

static void take_body_back(const struct renaming *r, int i)
{
    const char *from = r->from.body[i];
    const char *to = r->to.body[i];
    bool can;

    if (r->body[i] == MOVED) {
        (void)drxi_files->rename(to, from);
    } else if (r->body[i] == LINKED) {
        drx_status st = drxi_files->link(to, from, &can); /* the old name may be gone */

        if ((!st && can) || st == DRX_EEXIST)
            (void)drxi_files->remove(to);
    }
}

/* Undo everything. When the metadata cannot have their old name again, the array stays whole under the new one. Keep
 * the detail of the failure. */
static void take_back(struct renaming *r)
{
    char detail[DRXI_DETAIL_BYTES];

    drxi_report_keep(detail);
    if (!r->renamed || drxi_files->rename(r->to.meta, r->from.meta) == DRX_OK) {
        for (int i = 0; i < DRXI_BODIES; i++)
            take_body_back(r, i);
        drxi_put_back(&r->old);
    }
    drxi_report_set(detail);
}

static void finish_rename(struct renaming *r)
{
    drxi_io *const files[] = { r->meta, r->data, r->folder[0], r->folder[1] };

    drxi_let_go(&r->old);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        drxi_close(files[i]);
    drxi_stripes_free(&r->stripes);
    drxi_names_free(&r->from);
    drxi_names_free(&r->to);
}

drx_status drx_rename(const char *from, const char *to, unsigned flags)
{
    struct renaming r;
    drx_status st = drxi_check_path(from);

    if (!st)
        st = drxi_check_path(to);
    if (st)
        return st;
    if ((flags & ~(unsigned)DRX_REPLACE) != 0)
        return drxi_fail(DRX_EINVAL, "%s: flags are %#x, expected 0 or DRX_REPLACE", from, flags);
    if ((st = drxi_refuse_dataset_folder(from)) || (st = drxi_refuse_dataset_folder(to)))
        return st;
    memset(&r, 0, sizeof r);
    r.from_path = from;
    r.replace = (flags & DRX_REPLACE) != 0;
    st = drxi_names_make(from, &r.from);
    if (!st)
        st = drxi_names_make(to, &r.to);
    if (!st)
        st = lock_folders(&r);
    if (!st)
        st = hold_source(&r);
    if (!st)
        st = check_target(&r);
    if (!st)
        st = fix_folders(&r);
    if (!st) {
        st = change_names(&r);
        if (st)
            take_back(&r);
        else
            drxi_drop_stripes(to, &r.old);
        if (!st)
            (void)drxi_files->sync_folder(r.from.meta); /* for the removal of the old link */
    }
    finish_rename(&r);
    return st;
}
