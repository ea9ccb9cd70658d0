/* Statuses, and messages about a broken rule. */
#include "base/line.h"
#include "dap/dap_internal.h"

const char *dap_strerror(int status)
{
    static const struct {
        int status;
        const char *text;
    } texts[] = {
#define STATUS_TEXT(name, value, text) { DAP_##name, text },
        DAP_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].status == status)
            return texts[i].text;
    return "unknown status";
}

struct dapi_place dapi_nowhere(char *why, size_t why_bytes)
{
    const struct dapi_place nowhere = { why, why_bytes, -1, -1 };

    if (why && why_bytes > 0)
        why[0] = '\0';
    return nowhere;
}

int dapi_wrong(const struct dapi_place *at, int status, const char *key, const char *format, ...)
{
    struct drxi_line l = { at->why, at->why ? at->why_bytes : 0, 0 };
    va_list args;

    if (at->rank >= 0)
        drxi_add_text(&l, "rank %lld", (long long)at->rank);
    if (at->axis >= 0)
        drxi_add_text(&l, "%saxis %d", l.length ? ", " : "", at->axis);
    if (key)
        drxi_add_text(&l, "%s%s", l.length ? ", " : "", key);
    drxi_add_text(&l, "%s", l.length ? ": " : "");
    va_start(args, format);
    drxi_add_args(&l, format, args);
    va_end(args);
    return status;
}
