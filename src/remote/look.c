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

static drx_status look_up_url(const char *name, bool *there)
{
    struct drxi_looked looked;

    if (drxi_is_url(name))
        return look_there(name, there);
    drxi_files->look(name, true, &looked);
    *there = looked.there;
    return DRX_OK;
}

/* Where the part of a path that ends before `at` begins; -1: no folder is above it, or it is "..", which lies in
 * none. */
static int64_t before(const char *path, int64_t at)
{
    const char *const host = drxi_is_url(path) ? strstr(path, "://") + 3 : NULL;
    const int64_t least = host ? host - path + (int64_t)strcspn(host, "/") + 1 : *path == '/';

    if (at <= least)
        return -1;
    do
        at--;
    while (at > least && path[at - 1] != '/');
    return strncmp(path + at, "..", 2) == 0 && (path[at + 2] == '/' || !path[at + 2]) ? -1 : at;
}

static char *log_in(const char *path, int64_t at)
{
    return drxi_format("%.*sdataset.xds", (int)at, path);
}

drx_status drxi_look_above(const char *path, int64_t *at)
{
    const int64_t first = before(path, (int64_t)strlen(path));
    char detail[DRXI_DETAIL_BYTES] = "";
    drx_status st = DRX_OK, refused = DRX_OK;
    bool there = false;

    for (*at = first; drxi_is_url(path) && *at >= 0; *at = before(path, *at)) {
        char *name = log_in(path, *at);

        if (name)
            drxi_remote_expect(name, "", true, DRXI_MANY_CONNECTIONS);
        drxi_free(name);
    }
    for (*at = first; *at >= 0; *at = before(path, *at)) {
        char *name = log_in(path, *at);

        st = name ? look_up_url(name, &there) : DRX_ENOMEM;
        drxi_free(name);
        if (there || (st && st != DRX_EACCES))
            return st;
        if (st) { /* as below */
            refused = st;
            drxi_report_keep(detail);
        }
    }
    drxi_report_set(detail);
    return refused;
}

char *drxi_folder_above(const char *path, int64_t at)
{
    const int n = at > 1 ? (int)at - 1 : (int)at;

    return at == 0 ? drxi_strdup(".") : drxi_format("%.*s", n, path);
}

/* A server may refuse what it does not have: S3 does, where nobody may list the bucket. */
static drx_status look_at_both(const char *meta, const char *journal, bool there[2])
{
    char detail[DRXI_DETAIL_BYTES];
    const drx_status st = look_up_url(meta, &there[0]);
    drx_status other;

    if (st && st != DRX_EACCES)
        return st;
    drxi_report_keep(detail);
    other = look_up_url(journal, &there[1]);
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
        drxi_remote_expect(meta, "", true, 0);
        drxi_remote_expect(journal, "", true, DRXI_MANY_CONNECTIONS);
        st = look_at_both(meta, journal, there);
    }
    *array = there[0];
    *dataset = there[1];
    drxi_free(meta);
    drxi_free(journal);
    return st;
}
