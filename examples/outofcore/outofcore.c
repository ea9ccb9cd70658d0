#include "outofcore.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void ooc_fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

void ooc_check(drx_status st)
{
    if (st)
        ooc_fail("%s", drx_last_error());
}

void ooc_finish(drx_request **request)
{
    if (*request)
        ooc_check(drx_wait(*request));
    *request = NULL;
}

int64_t ooc_number(const char *text)
{
    char *end;
    const long long n = strtoll(text, &end, 10);
    const int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;

    if (end == text || end[shift != 0] || n < 1 || n > INT64_MAX >> shift)
        ooc_fail("%s: expected a number from 1 on, perhaps with K, M or G", text);
    return (int64_t)n << shift;
}

void *ooc_allocate(int64_t bytes)
{
    void *memory = malloc((size_t)bytes);

    if (!memory)
        ooc_fail("no memory for %" PRId64 " bytes", bytes);
    return memory;
}

double ooc_seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Bits are mixed as in SplitMix64 (Steele, Lea and Flood 2014, Fig. 15). */
double ooc_value(int64_t seed, int64_t row, int64_t column)
{
    uint64_t z = ((uint64_t)seed << 56) ^ ((uint64_t)row << 28) ^ (uint64_t)column;

    z = z * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

int64_t ooc_memory_bytes(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long long kib = 0;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %lld kB", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib * 1024;
}
