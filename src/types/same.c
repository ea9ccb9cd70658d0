/* Types that are the same, as libdrxmp has it, too. */
#include "types/types.h"

static bool are_same_members(const drx_type_info *x, const drx_type_info *y, int i, bool named)
{
    const drx_member *a = &x->members[i], *b = &y->members[i];

    if (strcmp(a->name, b->name) != 0)
        return false;
    if (x->type_class == DRX_ENUM)
        return memcmp(a->value, b->value, x->bytes) == 0;
    return (a->type == b->type || (!named && drxi_same_types(a->type, b->type))) && a->offset == b->offset &&
           a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->extents, b->extents, (size_t)a->rank * sizeof *a->extents) == 0);
}

bool drxi_same_infos(const drx_type_info *x, const drx_type_info *y, bool named)
{
    const bool bits = x->type_class == DRX_BITFIELD,
               members = x->type_class == DRX_ENUM || x->type_class == DRX_COMPOUND;
    bool same = x->type_class == y->type_class && x->bytes == y->bytes &&
                (x->type_class != DRX_ENUM || x->base == y->base) && (!members || x->nmembers == y->nmembers) &&
                (!bits || (x->first_bit == y->first_bit && x->nbits == y->nbits)) &&
                (x->type_class != DRX_OPAQUE || strcmp(x->tag ? x->tag : "", y->tag ? y->tag : "") == 0) &&
                (!named || strcmp(x->name ? x->name : "", y->name ? y->name : "") == 0);

    for (int i = 0; same && members && i < x->nmembers; i++)
        same = are_same_members(x, y, i, named);
    return same;
}

bool drxi_same_types(drx_type a, drx_type b)
{
    const drx_type_info *x = drx_type_describe(a), *y = drx_type_describe(b);

    return a == b || (x && y && drxi_same_infos(x, y, false));
}
