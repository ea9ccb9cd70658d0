/* Statuses, and each thread's detail of its last failure. */
#include "base/base.h"
#include "drx_tools.h"

static _Thread_local char detail[DRXI_DETAIL_BYTES];

drx_status drx_fail(drx_status st, const char *text)
{
    const size_t n = text ? strnlen(text, sizeof detail - 1) : 0;

    memmove(detail, text ? text : "", n); /* it may lie in `detail` */
    detail[n] = '\0';
    return st;
}

const char *drx_last_error(void)
{
    return detail;
}

const char *drx_strerror(drx_status st)
{
    static const struct {
        drx_status st;
        const char *text;
    } texts[] = {
#define STATUS_TEXT(name, value, text) { DRX_##name, text },
        DRX_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].st == st)
            return texts[i].text;
    return "unknown status";
}

#define STRING_OF(x) #x
#define VERSION_TEXT(major, minor, patch) STRING_OF(major) "." STRING_OF(minor) "." STRING_OF(patch)

const char *drx_version(void)
{
    return VERSION_TEXT(DRX_VERSION_MAJOR, DRX_VERSION_MINOR, DRX_VERSION_PATCH);
}
