/* Verifying an array: its names, its log and its length. check_map.c, check_data.c and check_sums.c do the rest.
 * What a live writer may be doing is not an error. */
#include "repair/check.h"
#include "array/place.h"

/* A file that cannot be opened is there, too. */
static drx_status look_for(const char *name, bool *there)
{
    drxi_io *io = NULL;
    const drx_status st = drxi_files->open(name, DRXI_READ, &io);

    drxi_close(io);
    *there = st == DRX_OK || st == DRX_EACCES || st == DRX_EFORMAT;
    return *there || st == DRX_ENOENT ? DRX_OK : st;
}

struct beside {
    struct drxi_check *c;
    const char *name;
};

static void found_other(void *user, const char *name)
{
    const struct beside *b = user;

    drxi_found(b->c, DRX_NOTE, "%s: beside it is %s, of a process at work or a killed one: if killed, remove it",
               b->name, name);
}

static drx_status look_beside(struct drxi_check *c, const char *name)
{
    struct beside b = { c, name };
    drx_status st = drxi_files->others(name, found_other, &b);

    if (st != DRX_EACCES)
        return st;
    drxi_found(c, DRX_NOTE, "%s: it cannot be seen whether anything was left beside it: %s", name, drx_last_error());
    return DRX_OK;
}

/* Report a file that the array would have if it were another kind of array. */
static drx_status look_for_left(struct drxi_check *c, const char *name, const char *why)
{
    bool there;
    const drx_status st = look_for(name, &there);

    if (there)
        drxi_found(c, DRX_NOTE, "%s: is there, but the array %s: another array owns it, or it can be removed", name,
                   why);
    return st;
}

/* Report names that were left over. */
static drx_status check_names(struct drxi_check *c, const struct drxi_names *n)
{
    struct drxi_stored_file f;
    bool compares = false, unique = false;
    drx_status st = DRX_OK;

    for (int i = -1; !st && i < DRXI_BODIES; i++)
        st = look_beside(c, i < 0 ? n->meta : n->body[i]);
    for (int k = 0; !st && drxi_data_file(&c->a->data, k, &f); k++) {
        compares = compares || f.compares;
        unique = unique || f.unique;
        st = f.unique ? look_beside(c, f.io->path) : DRX_OK;
    }
    if (!st && !compares)
        st = look_for_left(c, n->body[DRXI_SUMS_BODY], "keeps no checksums");
    if (!st && unique)
        st = look_for_left(c, n->body[DRXI_DATA_BODY], "is striped");
    return st;
}

/* The array could not be opened: report what is wrong with its files. */
static drx_status tell_unopened(struct drxi_check *c, const struct drxi_names *n, drx_status st)
{
    bool meta = true;
    bool data = true;
    drx_status other = DRX_OK;

    if (st == DRX_ENOMEM || st == DRX_EACCES || st == DRX_EUNSUPPORTED)
        return st;
    if (st == DRX_ENOENT)
        other = look_for(n->meta, &meta);
    if (!other && !meta)
        other = look_for(n->body[DRXI_DATA_BODY], &data);
    if (other)
        return other;
    if (!data)
        return drxi_fail(st, "%s: no such array", n->meta);
    if (!meta) /* else the detail tells what is missing */
        (void)drxi_fail(st, "%s: is there without its %s: it is not an array, but what is left of one",
                        n->body[DRXI_DATA_BODY], n->meta);
    drxi_found(c, DRX_ERROR, "%s", drx_last_error());
    return st;
}

/* Report what the end of the log says. */
static void check_end(struct drxi_check *c)
{
    const struct drxi_state *s = &c->a->log.state;
    const char *name = c->a->log.io->path;

    if (s->intent_open)
        drxi_found(c, drxi_transient_severity(c), "%s: record %llu: an append to axis %d by %lld %s", name,
                   (unsigned long long)s->chain.sequence + 1, s->intent.axis, (long long)s->intent.by,
                   c->busy ? "is going on" : "was not completed: undone when it is next opened for writing");
    else if (!s->ever_synced)
        drxi_found(c, DRX_NOTE, "%s: never synced: a power cut may lose elements and growth", name);
    else if (!s->at_sync)
        drxi_found(c, DRX_NOTE, "%s: changed since its last sync: a power cut may lose these changes", name);
}

static void check_axis_names(struct drxi_check *c)
{
    const struct drxi_state *s = &c->a->log.state;

    for (int j = 1; j < s->desc.ndim; j++)
        for (int i = 0; s->dim[j] && i < j; i++)
            if (s->dim[i] && strcmp(s->dim[i], s->dim[j]) == 0)
                drxi_found(c, DRX_NOTE, "%s: axes %d and %d have the same name, %s: only their numbers tell them apart",
                           c->a->log.io->path, i, j, s->dim[j]);
}

static drx_status check_length(struct drxi_check *c, int k)
{
    const drx_array *a = c->a;
    drxi_io *file = drxi_stripes_file(a->data.file->io, k);
    const int64_t promised =
        drxi_stripes_share(a->data.file->io, k, a->log.state.synced_chunks * a->data.chunk_pitch_bytes);
    const int64_t length = drxi_data_length(&a->data, k);
    int64_t size = 0;
    drx_status st = file->ops->size(file, &size);

    if (!st && size < promised) {
        drxi_found(c, DRX_ERROR, "%s: damaged: %lld bytes long, its last sync promised %lld", file->path,
                   (long long)size, (long long)promised);
        drxi_tell_missing(c, k, size);
    } else if (!st && size < length && !c->damaged && !drxi_data_ends_early(&a->data))
        drxi_found(
            c, drxi_transient_severity(c),
            "%s: %lld bytes long, its %lld chunks take %lld: what is missing reads as fill, and is added when it "
            "is next opened for writing",
            file->path, (long long)size, (long long)(length / a->data.chunk_pitch_bytes), (long long)length);
    if (!st && size > length && !c->damaged)
        drxi_found(c, drxi_transient_severity(c),
                   "%s: %lld bytes after its last chunk, from offset %lld on, of an append that was not completed: cut "
                   "off when it is next opened for writing",
                   file->path, (long long)(size - length), (long long)length);
    return st;
}

static drx_status check_lengths(struct drxi_check *c, int64_t *end)
{
    drxi_io *io = c->a->data.file->io;
    drx_status st = DRX_OK;

    for (int k = 0; !st && k < drxi_stripes_count(io); k++)
        st = check_length(c, k);
    return st ? st : io->ops->size(io, end);
}

drx_status drxi_check_elements(struct drxi_check *c)
{
    int64_t end = 0;
    drx_status st = drxi_check_map(c);

    if (!st)
        st = check_lengths(c, &end);
    if (!st)
        st = drxi_check_data(c, end);
    if (!st)
        st = drxi_check_packed(c);
    if (!st)
        st = drxi_check_sums(c);
    drxi_marks_free(c->marks);
    c->marks = NULL;
    return st;
}

static drx_status check_pair(struct drxi_check *c, enum drxi_tail tail)
{
    drx_status st = drxi_check_rest(c, tail);

    if (st)
        return st;
    if (!c->damaged)
        check_end(c);
    check_axis_names(c);
    return drxi_check_elements(c);
}

static drx_status check_array(struct drxi_check *c, const struct drxi_names *n)
{
    enum drxi_tail tail = DRXI_WHOLE;
    char *detail;
    drx_status st = drxi_open_pair(c->a, &tail);

    if (st)
        return tell_unopened(c, n, st);
    detail = drxi_strdup(drx_last_error()); /* about the tail */
    if (!detail)
        return DRX_ENOMEM;
    st = c->a->log.io->ops->locked(c->a->log.io, &c->busy);
    if (!st && c->busy)
        drxi_found(c, DRX_NOTE, "%s: open for writing elsewhere: it may change while it is checked", n->meta);
    if (!st)
        st = check_names(c, n);
    if (!st)
        drxi_report_set(detail);
    drxi_free(detail);
    return st ? st : check_pair(c, tail);
}

drx_status drxi_check_lone(const char *path, drx_report report, void *user, drx_progress progress, void *progress_user)
{
    struct drxi_check c = { .report = report, .user = user, .progress = progress, .progress_user = progress_user };
    struct drxi_names n = { .meta = NULL };
    drx_status st = drxi_check_path(path);

    if (st)
        return st;
    drxi_report_clear();
    st = drxi_array_new(path, &c.a);
    if (st)
        return st;
    st = drxi_names_make(path, &n);
    if (!st)
        st = check_array(&c, &n);
    (void)drxi_array_free(c.a);
    drxi_names_free(&n);
    if (!st && c.errors > 0)
        return drxi_fail(DRX_EDAMAGED, "%s: damaged: %lld error%s", path, (long long)c.errors,
                         c.errors == 1 ? "" : "s");
    if (!st)
        drxi_report_clear();
    return st;
}
