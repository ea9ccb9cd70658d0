/* What checking and repairing report. */
#include <stdarg.h>
#include <stdio.h>

#include "repair/check.h"

enum { TEXT_BYTES = 1024 };

void drxi_found(struct drxi_check *c, drx_severity severity, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list args;

    c->errors += severity == DRX_ERROR;
    if (!c->report)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->report(c->user, severity, text);
}

drx_severity drxi_transient_severity(const struct drxi_check *c)
{
    return c->busy ? DRX_NOTE : DRX_WARNING;
}

void drxi_repaired(struct drxi_repair *r, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list args;

    if (!r->report)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->report(r->user, DRX_NOTE, text);
}
