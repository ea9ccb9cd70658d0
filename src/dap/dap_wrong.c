/* Statuses, and messages about a broken rule. */
#include "dap/dap_internal.h"

#include <stdarg.h>
#include <stdio.h>

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

static void add_reason(const struct dapi_place *at, size_t *used, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_reason(const struct dapi_place *at, size_t *used, const char *format, ...)
{
    va_list args;

    if (!at->why || *used >= at->why_bytes)
        return;
    va_start(args, format);
    *used += (size_t)vsnprintf(at->why + *used, at->why_bytes - *used, format, args);
    va_end(args);
}

int dapi_wrong(const struct dapi_place *at, int status, const char *key, const char *format, ...)
{
    size_t used = 0;
    va_list args;

    if (at->rank >= 0)
        add_reason(at, &used, "rank %lld", (long long)at->rank);
    if (at->axis >= 0)
        add_reason(at, &used, "%saxis %d", used ? ", " : "", at->axis);
    if (key)
        add_reason(at, &used, "%s%s", used ? ", " : "", key);
    add_reason(at, &used, "%s", used ? ": " : "");
    if (at->why && used < at->why_bytes) {
        va_start(args, format);
        (void)vsnprintf(at->why + used, at->why_bytes - used, format, args);
        va_end(args);
    }
    return status;
}
