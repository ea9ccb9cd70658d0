/* The table of defined types, in blocks that stay where they are. */
#include "types/types.h"

enum { IN_BLOCK = 1024, NUMBER_SHIFT = 8 };

static _Atomic(drxi_place *) block[DRXI_MOST_DEFINED / IN_BLOCK + 1];

const struct drxi_defined *drxi_defined(drx_type type)
{
    const int number = (int)type >> NUMBER_SHIFT;
    drxi_place *in;

    if (!DRX_IS_DEFINED(type) || number < 1 || number > DRXI_MOST_DEFINED)
        return NULL;
    in = atomic_load_explicit(&block[number / IN_BLOCK], memory_order_acquire);
    return in ? atomic_load_explicit(&in[number % IN_BLOCK], memory_order_acquire) : NULL;
}

const drx_type_info *drx_type_describe(drx_type type)
{
    const struct drxi_defined *d = drxi_defined(type);

    return d ? &d->info : NULL;
}

drxi_place *drxi_defined_place(int number)
{
    drxi_place *in = atomic_load(&block[number / IN_BLOCK]);

    if (!in && (in = drxi_calloc(IN_BLOCK, sizeof *in)))
        atomic_store_explicit(&block[number / IN_BLOCK], in, memory_order_release);
    return in ? &in[number % IN_BLOCK] : NULL;
}
