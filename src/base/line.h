/* Text that is put together in a buffer. Inline, so that libdap, which stands alone, has it, too. */
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "base/base.h"

/* The buffer keeps what fits; `length` counts everything. */
struct drxi_line {
    char *text;
    size_t room, length;
};

static inline __attribute__((format(printf, 2, 0))) void drxi_add_args(struct drxi_line *l, const char *format,
                                                                       va_list args)
{
    const size_t used = l->length < l->room ? l->length : l->room;
    const int n = vsnprintf(l->room > used ? l->text + used : NULL, l->room - used, format, args);

    l->length += n > 0 ? (size_t)n : 0;
}

static inline __attribute__((format(printf, 2, 3))) void drxi_add_text(struct drxi_line *l, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    drxi_add_args(l, format, args);
    va_end(args);
}
