/* Errors, memory, the clock. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "demo.h"

void fail(const char *format, ...)
{
    va_list args;

    (void)fflush(stdout);
    (void)fputs("demo: ", stderr);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
    exit(EXIT_FAILURE);
}

void check(drx_status st, const char *what)
{
    if (st)
        fail("cannot %s: %s (%s)", what, drx_strerror(st), drx_last_error());
}

void *allocate(int64_t n, size_t bytes)
{
    void *p = calloc((size_t)n, bytes);

    if (!p)
        fail("out of memory");
    return p;
}

double now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}
