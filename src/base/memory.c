/* All allocation, in one place, so that tests can make any of it fail. libdrxmp has this file, too. */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef DRXI_FAULTS
_Thread_local long drxi_fail_allocation;

static bool fail_allocation(void)
{
    return drxi_fail_allocation > 0 && --drxi_fail_allocation == 0;
}
#else
static bool fail_allocation(void)
{
    return false;
}
#endif

static void *checked(void *p, size_t bytes)
{
    if (!p)
        (void)drxi_fail(DRX_ENOMEM, "out of memory allocating %zu bytes", bytes);
    return p;
}

void *drxi_malloc(size_t bytes)
{
    return checked(fail_allocation() ? NULL : malloc(bytes ? bytes : 1), bytes);
}

void *drxi_calloc(size_t n, size_t bytes)
{
    return checked(fail_allocation() ? NULL : calloc(n ? n : 1, bytes ? bytes : 1), n * bytes);
}

void *drxi_realloc(void *old, size_t bytes)
{
    return checked(fail_allocation() ? NULL : realloc(old, bytes ? bytes : 1), bytes);
}

char *drxi_format(const char *format, ...)
{
    va_list args;
    char *text;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    text = drxi_malloc((size_t)length + 1);
    if (!text)
        return NULL;
    va_start(args, format);
    (void)vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

void drxi_free(void *p)
{
    free(p);
}

drx_status drxi_reserve(void *items, int64_t *room, int64_t n, size_t bytes)
{
    int64_t wanted = drxi_max(n, *room + *room / 2 + 4);
    void *old;
    void *more;
    int64_t total;

    if (n <= *room)
        return DRX_OK;
    if (!drxi_mul(wanted, (int64_t)bytes, &total))
        return drxi_fail(DRX_ENOMEM, "out of memory for %lld records", (long long)n);
    memcpy(&old, items, sizeof old); /* items: the address of a pointer of any type */
    more = drxi_realloc(old, (size_t)total);
    if (!more)
        return DRX_ENOMEM;
    memcpy(items, &more, sizeof more);
    *room = wanted;
    return DRX_OK;
}

void drxi_prefer_huge_pages(void *memory, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)memory;
    const uintptr_t first = (begin + page - 1) / page * page, last = (begin + bytes) / page * page;

    if (last > first)
        (void)madvise((void *)first, last - first, MADV_HUGEPAGE);
}
