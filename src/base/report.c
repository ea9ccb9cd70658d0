/* Failures with a detail, through the public calls: libdrxmp has this file, too. */
#include "base/base.h"
#include "drx_tools.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static __attribute__((format(printf, 1, 0))) void set_detail(const char *format, va_list args)
{
    char text[DRXI_DETAIL_BYTES]; /* the arguments may lie in the detail */

    (void)vsnprintf(text, sizeof text, format, args);
    (void)drx_fail(DRX_OK, text);
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
    char text[DRXI_DETAIL_BYTES];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return drxi_fail(status_of_errno(error), "%s: %s", text, strerror(error));
}

void drxi_report(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_detail(format, args);
    va_end(args);
}

void drxi_report_keep(char kept[DRXI_DETAIL_BYTES])
{
    (void)snprintf(kept, DRXI_DETAIL_BYTES, "%s", drx_last_error());
}

void drxi_report_set(const char *detail)
{
    (void)drx_fail(DRX_OK, detail);
}

void drxi_report_clear(void)
{
    drxi_report_set("");
}
