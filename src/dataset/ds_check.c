/* Verifying and repairing: a dataset, its log and its variables; and what drx_check and drx_repair are given. */
#include "dataset/dataset.h"
#include "repair/check.h"

/* What follows the last commit, and whether somebody is writing. */
static drx_status check_log(struct drxi_check *c, const drx_dataset *ds)
{
    int64_t size = 0;
    drx_status st;

    if (drx_last_error()[0])
        drxi_found(c, DRX_ERROR, "%s", drx_last_error());
    st = ds->io->ops->locked(ds->io, &c->busy);
    if (!st && c->busy)
        drxi_found(c, DRX_NOTE, "%s: open for writing elsewhere: it may change while it is checked", ds->io->path);
    if (!st)
        st = ds->io->ops->size(ds->io, &size);
    if (st || size <= ds->store.counts.end || c->errors)
        return st;
    drxi_found(
        c, c->busy ? DRX_NOTE : DRX_WARNING,
        "%s: %lld bytes after the last commit, from offset %lld on, of a transaction that was not committed: taken "
        "back when it is next opened for writing",
        ds->io->path, (long long)(size - ds->store.counts.end), (long long)ds->store.counts.end);
    return DRX_OK;
}

static drx_status check_variable(struct drxi_check *c, drx_dataset *ds, uint16_t number)
{
    struct drxi_check check = *c;
    struct drxi_lent *lent;
    drx_status st = drxi_ds_lend(ds, number, &lent);

    if (st == DRX_EINTERRUPTED || st == DRX_ENOMEM)
        return st;
    if (st) {
        drxi_found(c, DRX_ERROR, "%s", drx_last_error());
        return DRX_OK;
    }
    check.a = lent->a;
    check.errors = 0;
    st = drxi_check_elements(&check);
    c->errors += check.errors;
    if (st && st != DRX_EINTERRUPTED && st != DRX_ENOMEM) {
        drxi_found(c, DRX_ERROR, "%s", drx_last_error());
        st = DRX_OK;
    }
    return st;
}

/* The log, and the variables with those numbers; then close the dataset. */
static drx_status check_all(struct drxi_check *c, drx_dataset *ds, const char *path, int64_t n, const uint16_t number[])
{
    drx_status st = check_log(c, ds);

    for (int64_t i = 0; !st && i < n; i++)
        st = check_variable(c, ds, number[i]);
    drxi_ds_free(ds);
    if (!st && c->errors > 0)
        st =
            drxi_fail(DRX_EDAMAGED, "%s: damaged: %lld error%s", path, (long long)c->errors, c->errors == 1 ? "" : "s");
    else if (!st)
        drxi_report_clear();
    return st;
}

static drx_status open_to_check(struct drxi_check *c, const char *path, drx_dataset **ds)
{
    const drx_status st = drx_dataset_open(path, DRX_RDONLY, DRX_LAST, ds);

    if (st == DRX_EDAMAGED || st == DRX_EFORMAT)
        drxi_found(c, DRX_ERROR, "%s", drx_last_error());
    return st;
}

drx_status drx_dataset_check(const char *path, drx_report report, void *user, drx_progress progress,
                             void *progress_user)
{
    struct drxi_check c = { .report = report, .user = user, .progress = progress, .progress_user = progress_user };
    drx_dataset *ds;
    drx_status st = open_to_check(&c, path, &ds);

    return st ? st : check_all(&c, ds, path, ds->variables.n, ds->variables.number);
}

/* The next writer repairs what a crash has left. */
drx_status drx_dataset_repair(const char *path, drx_report report, void *user, drx_progress progress,
                              void *progress_user)
{
    drx_dataset *ds;
    drx_status st = drx_dataset_open(path, DRX_RDWR, DRX_LAST, &ds);

    if (!st) {
        for (int64_t i = 0; i < ds->variables.n; i++) {
            struct drxi_lent *lent;

            (void)drxi_ds_lend(ds, ds->variables.number[i], &lent);
        }
        st = drx_dataset_close(ds);
    } else if (st == DRX_ENOENT || st == DRX_EDAMAGED || st == DRX_EFORMAT) {
        st = DRX_OK; /* what follows reports it */
    }
    return st ? st : drx_dataset_check(path, report, user, progress, progress_user);
}

/* ---- one array, which may be a variable ---- */

/* The dataset that has such a variable; NULL: the path is that of an array, or of nothing. */
static drx_status find_variable(const char *path, drx_dataset **ds, uint16_t *number)
{
    const bool any = path && *path;
    int array, dataset;
    const char *name;
    drx_status st = any ? drx_look(path, &array, &dataset) : DRX_OK;

    *ds = NULL;
    *number = 0;
    if (!st && any && !array)
        st = drxi_ds_open_above(path, DRX_RDONLY, DRX_LAST, ds, &name);
    if (*ds)
        *number = drxi_ds_find(*ds, DRXI_A_VARIABLE, name);
    if (*ds && *number == 0) {
        drxi_ds_free(*ds);
        *ds = NULL;
    }
    return st == DRX_ENOENT || st == DRX_EINVAL ? DRX_OK : st;
}

drx_status drx_check(const char *path, drx_report report, void *user, drx_progress progress, void *progress_user)
{
    struct drxi_check c = { .report = report, .user = user, .progress = progress, .progress_user = progress_user };
    uint16_t number;
    drx_dataset *ds;
    drx_status st = find_variable(path, &ds, &number);

    if (st)
        return st;
    return ds ? check_all(&c, ds, path, 1, &number) : drxi_check_lone(path, report, user, progress, progress_user);
}

drx_status drx_repair(const char *path, drx_report report, void *user, drx_progress progress, void *progress_user)
{
    uint16_t number;
    drx_dataset *ds;
    drx_array *a;
    drx_status st = find_variable(path, &ds, &number);

    if (st)
        return st;
    if (!ds)
        return drxi_repair_lone(path, report, user, progress, progress_user);
    drxi_ds_free(ds);
    st = drx_open(path, DRX_RDWR, &a);
    if (!st)
        st = drx_close(a);
    return st && st != DRX_EDAMAGED ? st : drx_check(path, report, user, progress, progress_user);
}
