/* Statuses, and each thread's detail of its last failure. */
#include "base/base.h"
#include "drx_tools.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char detail[DRXI_DETAIL_BYTES];

static void set_detail(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

static void set_detail(const char *format, va_list args)
{
    char text[DRXI_DETAIL_BYTES]; /* the arguments may lie in `detail` */

    (void)vsnprintf(text, sizeof text, format, args);
    memcpy(detail, text, sizeof text);
}

drx_status drxi_fail(drx_status st, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_detail(format, args);
    va_end(args);
    return st;
}

static drx_status status_of_errno(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return DRX_ENOENT;
    case EEXIST:
        return DRX_EEXIST;
    case EACCES:
    case EPERM:
    case EROFS:
        return DRX_EACCES;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return DRX_ENOSPC;
    case ENOMEM:
        return DRX_ENOMEM;
    case EXDEV:
        return DRX_EUNSUPPORTED;
    case EOVERFLOW:
        return DRX_EOVERFLOW;
    case ENAMETOOLONG:
    case EINVAL:
    case EISDIR:
        return DRX_EINVAL;
    default:
        return DRX_EIO;
    }
}

drx_status drxi_fail_errno(int error, const char *format, ...)
{
    size_t used;
    va_list args;

    va_start(args, format);
    set_detail(format, args);
    va_end(args);
    used = strlen(detail);
    (void)snprintf(detail + used, sizeof detail - used, ": %s", strerror(error));
    return status_of_errno(error);
}

void drxi_report(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_detail(format, args);
    va_end(args);
}

void drxi_report_clear(void)
{
    detail[0] = '\0';
}

void drxi_report_keep(char kept[DRXI_DETAIL_BYTES])
{
    memcpy(kept, detail, sizeof detail);
}

void drxi_report_set(const char *text)
{
    (void)snprintf(detail, sizeof detail, "%s", text);
}

drx_status drx_fail(drx_status st, const char *text)
{
    drxi_report_set(text ? text : "");
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
