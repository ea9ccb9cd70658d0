/* shim.h - what the shims share, on libdrx alone. */
#ifndef SHIM_H
#define SHIM_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "drx_tools.h"

/* Set the detail, and return st. */
__attribute__((format(printf, 2, 3))) static inline drx_status shim_fail(drx_status st, const char *format, ...)
{
    char detail[1024];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    return drx_fail(st, detail);
}

static inline int64_t shim_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t shim_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
