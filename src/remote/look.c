/* What there is under a path. */
#include "drx_tools.h"
#include "remote/remote.h"

int drx_is_url(const char *path)
{
    return drxi_is_url(path);
}

static drx_status look_there(const char *name, bool *there)
{
    drxi_io *io;
    const drx_status st = drxi_files->open(name, DRXI_READ, &io);

    *there = !st;
    if (st == DRX_ENOENT)
        drxi_report_clear();
    else if (!st)
        drxi_remote_keep(io);
    return st == DRX_ENOENT ? DRX_OK : st;
}

static drx_status look(const char *name, bool *there)
{
    struct drxi_looked looked;

    if (drxi_is_url(name))
        return look_there(name, there);
    drxi_files->look(name, true, &looked);
    *there = looked.there;
    return DRX_OK;
}

/* A server may refuse what it does not have: S3 does, where nobody may list the bucket. */
static drx_status look_at_both(const char *meta, const char *journal, bool there[2])
{
    char detail[DRXI_DETAIL_BYTES];
    const drx_status st = look(meta, &there[0]);
    drx_status other;

    if (st && st != DRX_EACCES)
        return st;
    drxi_report_keep(detail);
    other = look(journal, &there[1]);
    if (there[1] || (there[0] && other == DRX_EACCES)) {
        drxi_report_clear();
        return DRX_OK;
    }
    if (st)
        drxi_report_set(detail);
    return st ? st : other;
}

drx_status drx_look(const char *path, int *array, int *dataset)
{
    size_t n = path ? strlen(path) : 0;
    char *meta, *journal;
    bool there[2] = { false, false };
    drx_status st;

    if (array)
        *array = 0;
    if (dataset)
        *dataset = 0;
    if (n == 0 || !array || !dataset)
        return drxi_fail(DRX_EINVAL, "drx_look: expected a path, and no null pointers");
    while (n > 1 && path[n - 1] == '/')
        n--;
    meta = drxi_format("%.*s.xmd", (int)n, path);
    journal = drxi_format("%.*s/dataset.xds", (int)n, path);
    st = meta && journal ? DRX_OK : DRX_ENOMEM;
    if (!st) {
        drxi_remote_expect(meta, true, 0);
        drxi_remote_expect(journal, true, DRXI_MANY_CONNECTIONS);
        st = look_at_both(meta, journal, there);
    }
    *array = there[0];
    *dataset = there[1];
    drxi_free(meta);
    drxi_free(journal);
    return st;
}
