#include "outofcore.h"

#include <getopt.h>
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

struct ooc_arguments ooc_arguments(int argc, char **argv, const char *usage, int extents, const char *own,
                                   int64_t *value)
{
    const struct option options[] = {
        { "memory", required_argument, NULL, 'm' },
        { "folder", required_argument, NULL, 'f' },
        { "verify", no_argument, NULL, 'v' },
        { own, *value ? required_argument : no_argument, NULL, 'o' },
        { NULL, 0, NULL, 0 },
    };
    struct ooc_arguments a = { .memory_bytes = (int64_t)512 << 20, .folder = "." };
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'm')
            a.memory_bytes = ooc_number(optarg);
        else if (option == 'f')
            a.folder = optarg;
        else if (option == 'v')
            a.verify = 1;
        else if (option == 'o')
            *value = optarg ? ooc_number(optarg) : 1;
        else
            ooc_fail("usage: %s %s", argv[0], usage);
    }
    if (argc - optind != extents)
        ooc_fail("usage: %s %s", argv[0], usage);
    for (int i = 0; i < extents; i++) {
        a.extent[i] = ooc_number(argv[optind + i]);
        if (a.extent[i] > INT32_MAX) /* BLAS and FFTW count in int */
            ooc_fail("%s: expected at most %d", argv[optind + i], INT32_MAX);
    }
    return a;
}

void ooc_path(char path[OOC_PATH_BYTES], const char *folder, char name)
{
    if (snprintf(path, OOC_PATH_BYTES, "%s/%c", folder, name) >= OOC_PATH_BYTES)
        ooc_fail("%s: too long", folder);
}

void ooc_expect(const drx_array *a, const char *path, drx_type type, int64_t rows, int64_t columns)
{
    if (drx_ndim(a) != 2 || drx_dtype(a) != type || drx_shape(a)[0] != rows || drx_shape(a)[1] != columns)
        ooc_fail("%s: expected %s of %" PRId64 " x %" PRId64, path, drx_type_name(type), rows, columns);
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
