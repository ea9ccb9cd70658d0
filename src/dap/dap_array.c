/* The exported struct: its descriptions and its lifetime. */
#include "dap/dap_internal.h"

const struct dap_dim *dap_dim_at(const struct dap_array *a, int axis)
{
    return (const struct dap_dim *)(const void *)((const char *)a->dims + (size_t)axis * a->dim_stride);
}

void dap_release(struct dap_array *a)
{
    if (a->release)
        a->release(a);
}

void dap_move(struct dap_array *from, struct dap_array *to)
{
    *to = *from;
    from->release = NULL;
}
