/* What went wrong, for drx_last_error. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "drxf.h"

drx_status drxf_fail(drx_status st, const char *format, ...)
{
    char detail[1024];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    return drx_fail(st, detail);
}

drx_status drxf_fail_of(const drx_array *a, drx_status st, const char *format, ...)
{
    const char *file = drx_file(a, 0);
    char detail[700];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    if (!file)
        return drxf_fail(st, "%s", detail);
    return drxf_fail(st, "%.*s: %s", (int)(strlen(file) - strlen(".xmd")), file, detail);
}

void drxf_keep(struct drxf_kept *kept, drx_status st)
{
    kept->st = st;
    (void)snprintf(kept->detail, sizeof kept->detail, "%s", st ? drx_last_error() : "");
}

drx_status drxf_tell(const struct drxf_kept *kept, drx_status st)
{
    return kept->st ? drx_fail(st ? st : kept->st, kept->detail) : st;
}
