/* Around the library's allocations (linked with --wrap): none is out of proportion to the input. Buffers of a fixed
 * size, the largest of which takes some MiB, go with any. */
#include "base/base.h"
#include "fuzz.h"

enum { FIXED_BYTES = 5 << 20, TIMES = 64 };

static size_t most = SIZE_MAX;

void *__real_drxi_malloc(size_t bytes);
void *__real_drxi_calloc(size_t n, size_t bytes);
void *__real_drxi_realloc(void *old, size_t bytes);
void *__wrap_drxi_malloc(size_t bytes);
void *__wrap_drxi_calloc(size_t n, size_t bytes);
void *__wrap_drxi_realloc(void *old, size_t bytes);

void fuzz_limit_allocations(size_t n)
{
    most = FIXED_BYTES + TIMES * n;
}

void *__wrap_drxi_malloc(size_t bytes)
{
    fuzz_require(bytes <= most);
    return __real_drxi_malloc(bytes);
}

void *__wrap_drxi_calloc(size_t n, size_t bytes)
{
    fuzz_require(bytes == 0 || n <= most / bytes);
    return __real_drxi_calloc(n, bytes);
}

void *__wrap_drxi_realloc(void *old, size_t bytes)
{
    fuzz_require(bytes <= most);
    return __real_drxi_realloc(old, bytes);
}
