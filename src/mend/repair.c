/* Repairing: what a crash left is mended as opening for writing does, damage as far as it can be proved what was there.
 * It is done by the one who holds the lock; what is good is not touched. */
#include <stdarg.h>
#include <stdio.h>

#include "data/sums.h"
#include "drx_tools.h"
#include "mend/repair.h"

enum { TEXT_BYTES = 1024, MOST_GAPS = 10000 };

void drxi_repaired(struct drxi_repair *r, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list args;

    if (!r->report)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->report(r->user, DRX_NOTE, text);
}

/* Open both files with the lock, and mend the metadata until they are whole, or as far as it goes. */
static drx_status open_mended(struct drxi_repair *r, enum drxi_tail *tail)
{
    drx_array *a = r->a;

    for (int i = 0; i < MOST_GAPS; i++) {
        bool done = false;
        drx_status st = drxi_open_pair(a, tail), other = DRX_OK;

        if ((!st || (st == DRX_ENOENT && a->log.io)) &&
            *tail == DRXI_DAMAGED) /* which stripes there are may be in it */
            other = drxi_repair_log(r, &done);
        else if (a->log.io && !a->data.io && (st == DRX_EDAMAGED || st == DRX_EFORMAT || st == DRX_EUNSUPPORTED))
            other = drxi_repair_description(r, &done);
        if (other || !done)
            return other ? other : st;
        drxi_close_files(a);
        drxi_report_clear();
    }
    return DRX_OK;
}

/* ---- checksums of the data ------------------------------------------------------------------------------------ */

/* Entries that are missing or damaged are those of the data as they are. */
static drx_status mend_sums(struct drxi_repair *r)
{
    drx_array *a = r->a;
    const bool missing = !a->data.sums;
    int64_t made = 0;
    drx_status st;

    if (!(a->log.state.desc.flags & DRXI_DESC_CHECKSUM))
        return DRX_OK;
    st = drxi_sums_rebuild(&a->data, a->path, &made);
    if (!st && (missing || made > 0))
        drxi_repaired(r, "%s: %s: made from the data as they are, of %lld chunks, which could not be verified",
                      a->data.sums->io->path, missing ? "was missing" : "entries were missing or damaged",
                      (long long)made);
    return st;
}

/* ---- what a crash left --------------------------------------------------------------------------------------- */

static drx_status tell_tail(struct drxi_repair *r)
{
    const drx_array *a = r->a;
    int64_t size;
    drx_status st = a->log.io->ops->size(a->log.io, &size);

    if (!st)
        drxi_repaired(r, "%s: the last %lld bytes, from offset %lld on, were not whole records (a torn tail): dropped",
                      a->log.io->path, (long long)(size - a->log.state.log_end), (long long)a->log.state.log_end);
    return st;
}

static drx_status tell_lengths(struct drxi_repair *r)
{
    const drx_array *a = r->a;
    drx_status st = DRX_OK;

    for (int k = 0; !st && k < drxi_stripes_count(a->data.io); k++) {
        drxi_io *file = drxi_stripes_file(a->data.io, k);
        const int64_t length = drxi_data_length(&a->data, k);
        int64_t size = 0;

        st = file->ops->size(file, &size);
        if (!st && size != length)
            drxi_repaired(r, "%s: was %lld bytes long, its chunks take %lld: %s", file->path, (long long)size,
                          (long long)length, size < length ? "lengthened, with fill" : "cut");
    }
    return st;
}

/* The length is that of the last SYNC at least, and the log is not damaged. */
static drx_status mend(struct drxi_repair *r, enum drxi_tail tail)
{
    drx_array *a = r->a;
    const struct drxi_growth intent = a->log.state.intent;
    const bool undone = a->log.state.intent_open;
    bool changed = false;
    drx_status st = mend_sums(r);

    if (!st)
        st = tell_lengths(r);
    if (!st && tail == DRXI_TORN)
        st = tell_tail(r);
    if (!st)
        st = drxi_recover(a, tail);
    if (!st && undone)
        drxi_repaired(r, "%s: an append to axis %d by %lld was not completed: undone", a->log.io->path, intent.axis,
                      (long long)intent.by);
    if (!st)
        st = drxi_restore_outside(a, &changed);
    if (!st && changed)
        drxi_repaired(r, "%s: cells outside the bounds did not hold the fill: put back", a->data.io->path);
    if (!st && (undone || (changed && a->data.sums)))
        st = drxi_sync_files(a); /* the INTENT is not the last record then; checksums of what was put back are valid */
    return st;
}

/* ---- what killed processes left ---------------------------------------------------------------------------------- */

static void drop(void *user, const char *name)
{
    struct drxi_repair *r = user;
    const char *const slash = strrchr(r->a->log.io->path, '/');
    char *path = slash ? drxi_format("%.*s%s", (int)(slash - r->a->log.io->path + 1), r->a->log.io->path, name)
                       : drxi_strdup(name);
    bool idle = false;

    if (path && drxi_files->idle(path, &idle) == DRX_OK && idle && drxi_files->remove(path) == DRX_OK)
        drxi_repaired(r, "%s: of a process that was killed: removed", path);
    drxi_free(path);
}

/* The array is whole, so it needs nothing that is set aside. */
static drx_status drop_leftovers(struct drxi_repair *r)
{
    drx_status st = drxi_files->others(r->a->log.io->path, drop, r);

    if (!st && r->a->log.state.stripes.n == 0)
        st = drxi_files->others(r->a->data.io->path, drop, r);
    if (!st && r->a->data.sums)
        st = drxi_files->others(r->a->data.sums->io->path, drop, r);
    return st;
}

static drx_status repair(struct drxi_repair *r)
{
    enum drxi_tail tail = DRXI_WHOLE;
    bool damaged;
    int64_t size;
    drx_status st = open_mended(r, &tail);

    damaged = tail == DRXI_DAMAGED;
    if (!st)
        st = drxi_data_check_length(&r->a->data, &size, &damaged);
    if (st || damaged)
        return st;
    st = mend(r, tail);
    return st ? st : drop_leftovers(r);
}

drx_status drx_repair(const char *path, drx_report report, void *user, drx_progress progress, void *progress_user)
{
    struct drxi_repair r = { .report = report, .user = user };
    drx_status st = drxi_check_path(path), closed;

    if (st)
        return st;
    drxi_report_clear();
    st = drxi_array_new(path, &r.a);
    if (st)
        return st;
    r.a->writable = true;
    st = repair(&r);
    closed = drxi_array_free(r.a);
    st = st ? st : closed;
    if (st && st != DRX_EDAMAGED && st != DRX_EFORMAT && st != DRX_ENOENT)
        return st; /* the detail says why */
    return drx_check(path, report, user, progress, progress_user);
}
