/* What the out-of-core examples share. A failure ends the program with a message. */
#ifndef OUTOFCORE_H
#define OUTOFCORE_H

#include <drx.h>
#include <stdint.h>

enum { OOC_PATH_BYTES = 4096 };

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
_Noreturn void
ooc_fail(const char *format, ...);
void ooc_check(drx_status st);
void ooc_finish(drx_request **request); /* wait for it, and set it to NULL; NULL is fine */

/* What the command line says: extents, and options that all these programs have. */
struct ooc_arguments {
    int64_t extent[3];
    int64_t memory_bytes; /* --memory */
    const char *folder;   /* --folder */
    int verify;           /* --verify */
};
/* usage: the words after the name of the program. own: an option of this program alone. It takes a number; if *value,
 * its default, is 0, it takes none and sets *value to 1. */
struct ooc_arguments ooc_arguments(int argc, char **argv, const char *usage, int extents, const char *own,
                                   int64_t *value);
void ooc_path(char path[OOC_PATH_BYTES], const char *folder, char name);
/* The array, which is at `path`, is a matrix of this type and shape. */
void ooc_expect(const drx_array *a, const char *path, drx_type type, int64_t rows, int64_t columns);

int64_t ooc_number(const char *text); /* "4096", "512M": a number >= 1, with K, M or G in powers of 1024 */
void *ooc_allocate(int64_t bytes);
double ooc_seconds(void); /* since some moment */

/* A number in [-1, 1) that looks random, and depends only on the index. */
double ooc_value(int64_t seed, int64_t row, int64_t column);

/* The memory of this process now, in bytes, without pages of files, which the system can take back. */
int64_t ooc_memory_bytes(void);

static inline int64_t ooc_min(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static inline int64_t ooc_max(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static inline int64_t ooc_ceil(int64_t n, int64_t by) /* n / by, rounded up */
{
    return n / by + (n % by != 0);
}

#endif
