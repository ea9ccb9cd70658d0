/* The folders that the data are spread over. */
#include "format/format.h"

enum { FOLDER_MAX_BYTES = 4095 };

void drxi_stripes_free(struct drxi_stripes *stripes)
{
    for (int k = 0; stripes->folder && k < stripes->n; k++)
        drxi_free(stripes->folder[k]);
    drxi_free(stripes->folder);
    drxi_free(stripes->stem);
    memset(stripes, 0, sizeof *stripes);
}

drx_status drxi_stripes_set(const char *stem, int n, const char *const folder[], struct drxi_stripes *out)
{
    drx_status st = DRX_OK;

    out->n = n;
    out->stem = drxi_strdup(stem);
    out->folder = drxi_calloc((size_t)n, sizeof *out->folder);
    if (!out->stem || !out->folder)
        st = DRX_ENOMEM;
    for (int k = 0; !st && k < n; k++)
        if (!(out->folder[k] = drxi_strdup(folder[k])))
            st = DRX_ENOMEM;
    if (st)
        drxi_stripes_free(out);
    return st;
}

drx_status drxi_stripes_copy(const struct drxi_stripes *from, struct drxi_stripes *out)
{
    return drxi_stripes_set(from->stem, from->n, (const char *const *)from->folder, out);
}

bool drxi_stripes_is_folder(const char *folder)
{
    return folder && folder[0] && strlen(folder) <= FOLDER_MAX_BYTES;
}
