/* Elements that are kept: a table of lists, which only grow. */
#include "types/types.h"

enum { LISTS = 1024 };

struct kept {
    struct kept *next; /* of the same list */
    size_t n;
    _Alignas(16) uint8_t bytes[];
};

static _Atomic(struct kept *) lists[LISTS];
static uint8_t zeros[DRXI_ITEM_MAX_BYTES];

static uint64_t hash_of(const uint8_t *p, size_t n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static struct kept *find_kept(struct kept *in, const void *bytes, size_t n)
{
    for (; in; in = in->next)
        if (in->n == n && memcmp(in->bytes, bytes, n) == 0)
            return in;
    return NULL;
}

static struct kept *keep(const void *bytes, size_t n)
{
    _Atomic(struct kept *) *const list = &lists[hash_of(bytes, n) % LISTS];
    struct kept *first = atomic_load_explicit(list, memory_order_acquire), *made, *there;

    if ((there = find_kept(first, bytes, n)) || !(made = drxi_malloc(sizeof *made + n)))
        return there;
    made->n = n;
    memcpy(made->bytes, bytes, n);
    do {
        if ((there = find_kept(first, bytes, n))) { /* another thread's */
            drxi_free(made);
            return there;
        }
        made->next = first;
    } while (!atomic_compare_exchange_weak_explicit(list, &first, made, memory_order_acq_rel, memory_order_acquire));
    return made;
}

const uint8_t *drxi_keep_element(const void *element, size_t n)
{
    const struct kept *kept;

    if (!element || drxi_is_zero(element, n))
        return zeros;
    kept = keep(element, n);
    return kept ? kept->bytes : NULL;
}

const uint8_t *drxi_keep_swapped(const uint8_t *element, size_t n, drx_type type)
{
    uint8_t *swapped;

    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ || element == zeros)
        return element;
    if (!(swapped = drxi_malloc(n)))
        return NULL;
    drxi_swap_always(memcpy(swapped, element, n), n, type);
    element = drxi_keep_element(swapped, n);
    drxi_free(swapped);
    return element;
}
