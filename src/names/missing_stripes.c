/* Stripes that an array names and that are not there. */
#include "array/place.h"

drx_status drx_missing_stripes(const char *path, drx_missing *missing, void *user)
{
    struct drxi_stripes stripes = { .n = 0 };
    struct drxi_names n;
    drxi_io *meta = NULL;
    drx_status st = drxi_check_path(path);

    if (!st && !missing)
        st = drxi_fail(DRX_EINVAL, "%s: missing is a null pointer", path);
    if (st)
        return st;
    st = drxi_names_make(path, &n);
    if (!st)
        st = drxi_files->open(n.meta, DRXI_READ, &meta);
    if (!st)
        st = drxi_log_find_stripes(meta, &stripes);
    if (!st)
        st = drxi_stripes_missing(path, &stripes, missing, user);
    drxi_close(meta);
    drxi_stripes_free(&stripes);
    drxi_names_free(&n);
    return st;
}
