/* How much memory the library may use for copies of elements, and large pages. */
#include "base/base.h"
#include "drx_tools.h"

#include <sys/mman.h>
#include <unistd.h>

atomic_size_t drxi_limit_bytes;
static atomic_size_t default_bytes;

void drx_set_memory(size_t bytes)
{
    atomic_store(&drxi_limit_bytes, bytes > 0 ? bytes : atomic_load(&default_bytes));
}

void drxi_default_memory(size_t bytes)
{
    size_t none = 0;

    atomic_store(&default_bytes, bytes);
    (void)atomic_compare_exchange_strong(&drxi_limit_bytes, &none, bytes);
}

void drxi_prefer_huge_pages(void *memory, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)memory;
    const uintptr_t first = (begin + page - 1) / page * page, last = (begin + bytes) / page * page;

    if (last > first)
        (void)madvise((void *)first, last - first, MADV_HUGEPAGE);
}
