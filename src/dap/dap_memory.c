/* Allocation, in one place so that tests can make each one fail. */
#include "dap/dap_internal.h"

#include <stdlib.h>

#ifdef DRXI_FAULTS
_Thread_local long dapi_fail_allocation;
#endif

void *dapi_alloc(int64_t n, size_t bytes)
{
#ifdef DRXI_FAULTS
    if (dapi_fail_allocation > 0 && --dapi_fail_allocation == 0)
        return NULL;
#endif
    return n < 0 || (uint64_t)n > SIZE_MAX ? NULL : calloc(n ? (size_t)n : 1, bytes);
}

void dapi_free(void *p)
{
    free(p);
}
