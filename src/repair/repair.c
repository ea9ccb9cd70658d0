/* Repair repairs what a crash left, as opening for writing does, and damage as far as it can prove what was there. It
 * holds the lock, and does not touch what is good. */
#include "repair/check.h"

/* Open both files with the lock, and put back the head of the log if that is what is damaged. */
static drx_status open_repaired(struct drxi_repair *r, enum drxi_tail *tail)
{
    drx_array *a = r->a;
    bool done = false;
    drx_status st = drxi_open_pair(a, tail), other;

    if (!a->log.io || a->data.file->io || (st != DRX_EDAMAGED && st != DRX_EFORMAT && st != DRX_EUNSUPPORTED))
        return st;
    other = drxi_repair_head(r, &done);
    if (other || !done)
        return other ? other : st;
    drxi_close_files(a);
    drxi_report_clear();
    return drxi_open_pair(a, tail);
}

static drx_status tell_lengths(struct drxi_repair *r)
{
    const drx_array *a = r->a;
    drx_status st = DRX_OK;

    for (int k = 0; !st && k < drxi_stripes_count(a->data.file->io); k++) {
        drxi_io *file = drxi_stripes_file(a->data.file->io, k);
        const int64_t length = drxi_data_length(&a->data, k);
        int64_t size = 0;

        st = file->ops->size(file, &size);
        if (!st && size != length && !(size < length && drxi_data_ends_early(&a->data)))
            drxi_repaired(r, "%s: was %lld bytes long, its chunks take %lld: %s", file->path, (long long)size,
                          (long long)length, size < length ? "lengthened, with fill" : "cut");
    }
    return st;
}

/* The length is at least that of the last SYNC, and a log that is damaged may be cut. */
static drx_status repair_log(struct drxi_repair *r, enum drxi_tail tail)
{
    drx_array *a = r->a;
    const struct drxi_growth intent = a->log.state.intent;
    const bool undone = a->log.state.intent_open;
    bool changed = false;
    drx_status st = drxi_repair_sums(r);

    if (!st)
        st = tell_lengths(r);
    if (!st && tail != DRXI_DAMAGED)
        st = drxi_tell_dropped(r);
    if (!st)
        st = drxi_recover(a);
    if (!st && undone)
        drxi_repaired(r, "%s: an append to axis %d by %lld was not completed: undone", a->log.io->path, intent.axis,
                      (long long)intent.by);
    if (!st)
        st = drxi_restore_outside(a, &changed);
    if (!st && changed)
        drxi_repaired(r, "%s: cells outside the bounds did not hold the fill: put back", a->data.file->io->path);
    if (!st && tail == DRXI_DAMAGED)
        st = drxi_cut_log(r);
    if (!st && (undone || tail == DRXI_DAMAGED || (changed && a->data.file->stored->verified) || a->log.unpromised))
        st = drxi_sync_files(a); /* then checksums of restored cells are valid */
    return st;
}

static void drop_file(void *user, const char *name)
{
    struct drxi_repair *r = user;
    const char *const slash = strrchr(r->a->log.io->path, '/');
    char *path = slash ? drxi_format("%.*s%s", (int)(slash - r->a->log.io->path + 1), r->a->log.io->path, name)
                       : drxi_strdup(name);
    bool idle = false;

    if (path && drxi_files->idle(path, &idle) == DRX_OK && idle && drxi_files->remove(path) == DRX_OK)
        drxi_repaired(r, "%s: left by a killed process: removed", path);
    drxi_free(path);
}

/* The array is whole, so it needs no file that was set aside. */
static drx_status drop_leftovers(struct drxi_repair *r)
{
    struct drxi_stored_file f;
    drx_status st = drxi_files->others(r->a->log.io->path, drop_file, r);

    for (int k = 0; !st && drxi_data_file(&r->a->data, k, &f); k++)
        st = f.unique ? DRX_OK : drxi_files->others(f.io->path, drop_file, r);
    return st;
}

static drx_status repair(struct drxi_repair *r)
{
    enum drxi_tail tail = DRXI_WHOLE;
    bool damaged = false, cut = false;
    drx_status st = open_repaired(r, &tail);

    if (!st)
        st = drxi_data_check_lengths(&r->a->data, r->a->path, DRXI_ELEMENTS, &damaged);
    if (!st && tail == DRXI_DAMAGED)
        st = drxi_prepare_cut(r, damaged, &cut);
    if (st || damaged || (tail == DRXI_DAMAGED && !cut))
        return st;
    st = repair_log(r, tail);
    return st ? st : drop_leftovers(r);
}

drx_status drxi_repair_lone(const char *path, drx_report report, void *user, drx_progress progress, void *progress_user)
{
    struct drxi_repair r = { .report = report, .user = user };
    drx_status st = drxi_check_path(path), closed;

    if (st)
        return st;
    drxi_report_clear();
    st = drxi_array_new(path, &r.a);
    if (st)
        return st;
    drxi_set_mode(r.a, DRX_RDWR);
    st = repair(&r);
    if (r.kept && !r.cut)
        (void)drxi_files->remove(r.kept);
    drxi_free(r.kept);
    closed = drxi_array_free(r.a);
    st = st ? st : closed;
    if (st && st != DRX_EDAMAGED && st != DRX_EFORMAT && st != DRX_ENOENT)
        return st; /* the detail says why */
    return drxi_check_lone(path, report, user, progress, progress_user);
}
