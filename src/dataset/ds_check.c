/* Verifying and mending a dataset: its journal, its members, and what lies beside them. */
#include <stdarg.h>
#include <stdio.h>

#include "data/sums.h"
#include "dataset/dataset.h"

struct checking {
    drx_report report;
    void *user;
    int64_t errors;
};

static void pass_on(void *user, drx_severity severity, const char *text)
{
    struct checking *c = user;

    c->errors += severity == DRX_ERROR;
    if (c->report)
        c->report(c->user, severity, text);
}

static void found(struct checking *c, drx_severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void found(struct checking *c, drx_severity severity, const char *format, ...)
{
    char text[DRXI_DETAIL_BYTES];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pass_on(c, severity, text);
}

/* What follows the last commit, and whether somebody is writing. */
static drx_status check_journal(struct checking *c, const drx_dataset *ds)
{
    char more[DRXI_REST_TEXT_BYTES] = "";
    struct drxi_rest rest;
    int64_t size = 0;
    bool busy = false;
    drx_status st;

    if (ds->folder) {
        found(c, DRX_NOTE, "%s: a folder of arrays without dataset.xds", ds->path);
        return DRX_OK;
    }
    if (drx_last_error()[0])
        found(c, DRX_ERROR, "%s", drx_last_error());
    st = ds->j.io->ops->locked(ds->j.io, &busy);
    if (!st && busy)
        found(c, DRX_NOTE, "%s: open for writing elsewhere: it may change while it is checked", ds->j.io->path);
    if (!st)
        st = ds->j.io->ops->size(ds->j.io, &size);
    if (st || size <= ds->j.committed.end || c->errors)
        return st;
    st = drxi_chain_look_at_rest(ds->j.io, &ds->j.committed, &rest);
    if (!st && !busy && rest.bytes > 0)
        drxi_rest_text(&rest, more);
    if (!st)
        found(
            c, busy ? DRX_NOTE : DRX_WARNING,
            "%s: %lld bytes after the last commit, from offset %lld on, of a transaction that was not committed: taken "
            "back when it is next opened for writing%s",
            ds->j.io->path, (long long)(size - ds->j.committed.end), (long long)ds->j.committed.end, more);
    return st;
}

/* Its own log, with what the dataset says of it, ends at the last commit: else nobody can open it for writing. */
static void check_bounds(struct checking *c, drx_dataset *ds, const struct drxi_lent *lent)
{
    const struct drxi_state *s = &lent->a->log.state;
    const int64_t *lower = s->logged[DRXI_LOW], *upper = s->logged[DRXI_HIGH];
    const int64_t commits = ds->j.commits;

    if (ds->folder || drxi_ds_check_bounds(ds, lent->a, lent->member, lower, upper) == DRX_OK)
        return;
    if (drxi_journal_follow(&ds->j) || ds->j.commits > commits) /* a writer has committed meanwhile */
        return;
    (void)drxi_ds_check_bounds(ds, lent->a, lent->member, lower, upper);
    found(c, DRX_ERROR, "%s", drx_last_error());
}

/* Elements that a commit promised are there, also where the member's own log lacks that commit. */
static drx_status check_length(struct checking *c, struct drxi_lent *lent)
{
    bool damaged = false;
    int64_t size;
    drx_status st = drxi_data_check_length(&lent->a->data, &size, &damaged);

    if (!st)
        st = drxi_sums_check_length(&lent->a->data, &damaged);
    if (!st && damaged)
        found(c, DRX_ERROR, "%s", drx_last_error());
    return st;
}

/* A member is good, and can be opened as of the last commit. */
static drx_status check_member(struct checking *c, drx_dataset *ds, int64_t member, bool repair, drx_progress progress,
                               void *progress_user)
{
    const int64_t before = c->errors;
    char *path = drxi_ds_member_path(ds, ds->j.member[member].name);
    struct drxi_lent *lent;
    drx_status st = path ? (repair ? drx_repair : drx_check)(path, pass_on, c, progress, progress_user) : DRX_ENOMEM;

    drxi_free(path);
    if (st == DRX_EINTERRUPTED || st == DRX_ENOMEM)
        return st;
    if (!st)
        st = drxi_ds_lend(ds, member, &lent);
    if (!st)
        check_bounds(c, ds, lent);
    if (!st && c->errors == before)
        st = check_length(c, lent);
    if (st && c->errors == before)
        found(c, DRX_ERROR, "%s", drx_last_error());
    return DRX_OK;
}

static drx_status check_all(struct checking *c, drx_dataset *ds, bool repair, drx_progress progress,
                            void *progress_user)
{
    drx_status st = check_journal(c, ds);

    for (int64_t i = 0; !st && i < ds->visible; i++)
        st = check_member(c, ds, ds->member[i], repair, progress, progress_user);
    if (!st && c->errors)
        return drxi_fail(DRX_EDAMAGED, "%s: damaged: %lld error%s", ds->path, (long long)c->errors,
                         c->errors == 1 ? "" : "s");
    if (!st)
        drxi_report_clear();
    return st;
}

static drx_status run(const char *path, bool repair, drx_report report, void *user, drx_progress progress,
                      void *progress_user)
{
    struct checking c = { report, user, 0 };
    drx_dataset *ds;
    drx_status st = drx_dataset_open(path, DRX_RDONLY, DRX_LAST, &ds);

    if (st == DRX_EDAMAGED || st == DRX_EFORMAT || st == DRX_EMISMATCH)
        found(&c, DRX_ERROR, "%s", drx_last_error());
    if (st)
        return st;
    st = check_all(&c, ds, repair, progress, progress_user);
    drxi_ds_free(ds);
    return st;
}

drx_status drx_dataset_check(const char *path, drx_report report, void *user, drx_progress progress,
                             void *progress_user)
{
    return run(path, false, report, user, progress, progress_user);
}

/* A bit that is wrong in the last record. Other failures come again when the dataset is opened. */
static drx_status mend_journal(const char *path, drx_report report, void *user)
{
    struct checking c = { report, user, 0 };
    struct drxi_rest rest;
    const drx_status st = drxi_journal_mend(path, &rest);

    if (!st && rest.flip.by)
        found(&c, DRX_NOTE,
              "%s/dataset.xds: a bit of the last record, number %llu, at offset %lld, was wrong%s; its checksum "
              "proves what it was: put back",
              path, (unsigned long long)rest.sequence, (long long)(rest.offset + (int64_t)rest.flip.at),
              rest.kind == DRXI_DS_COMMIT ? ": a commit" : "");
    if (rest.flip.by)
        return st;
    drxi_report_clear();
    return DRX_OK;
}

/* The next writer mends the journal but for that; members that it cannot open, drx_repair may. */
drx_status drx_dataset_repair(const char *path, drx_report report, void *user, drx_progress progress,
                              void *progress_user)
{
    drx_dataset *ds;
    drx_status st = path ? mend_journal(path, report, user) : DRX_OK;

    if (st)
        return st;
    st = drx_dataset_open(path, DRX_RDWR, DRX_LAST, &ds);
    if (!st)
        for (int64_t i = 0; i < ds->visible; i++) {
            struct drxi_lent *lent;

            (void)drxi_ds_lend(ds, ds->member[i], &lent);
        }
    if (!st)
        st = drx_dataset_close(ds);
    else if (st == DRX_ENOENT || st == DRX_EDAMAGED || st == DRX_EFORMAT)
        st = DRX_OK; /* what follows reports it */
    return st ? st : run(path, true, report, user, progress, progress_user);
}
