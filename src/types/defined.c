/* The table of defined types, in blocks that stay where they are: a look-up takes no lock. */
#include "types/types.h"

#include <pthread.h>

enum { IN_BLOCK = 1024, BLOCKS = 8192, NUMBER_SHIFT = 8 };

static _Atomic(_Atomic(struct drxi_defined *) *) block[BLOCKS];
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
static int last; /* the largest number, from 1 on */

const struct drxi_defined *drxi_defined(drx_type type)
{
    const int number = (int)type >> NUMBER_SHIFT;
    _Atomic(struct drxi_defined *) *in;

    if (!DRX_IS_DEFINED(type) || number < 1 || number >= BLOCKS * IN_BLOCK)
        return NULL;
    in = atomic_load_explicit(&block[number / IN_BLOCK], memory_order_acquire);
    return in ? atomic_load_explicit(&in[number % IN_BLOCK], memory_order_acquire) : NULL;
}

const drx_type_info *drx_type_describe(drx_type type)
{
    const struct drxi_defined *d = drxi_defined(type);

    return d ? &d->info : NULL;
}

/* ---- adding ---- */

/* The place of a number; NULL: no memory. */
static _Atomic(struct drxi_defined *) *place_of(int number)
{
    _Atomic(struct drxi_defined *) *in = atomic_load(&block[number / IN_BLOCK]);

    if (!in && (in = drxi_calloc(IN_BLOCK, sizeof *in)))
        atomic_store_explicit(&block[number / IN_BLOCK], in, memory_order_release);
    return in ? &in[number % IN_BLOCK] : NULL;
}

/* A copy that stays. */
static drx_status add_locked(struct drxi_kept *key, const struct drxi_defined *made)
{
    const int number = last + 1;
    _Atomic(struct drxi_defined *) *place;
    struct drxi_defined *d;

    if (number >= BLOCKS * IN_BLOCK)
        return drxi_fail(DRX_EOVERFLOW, "drx_type_define: this process has defined %d types, the most", last);
    place = place_of(number);
    d = place ? drxi_malloc(sizeof *d) : NULL;
    if (!d)
        return DRX_ENOMEM;
    *d = *made;
    atomic_store_explicit(place, d, memory_order_release);
    last = number;
    atomic_store_explicit(&key->number, number, memory_order_release);
    return DRX_OK;
}

drx_status drxi_defined_add(struct drxi_kept *key, struct drxi_defined *made, drx_type *type)
{
    drx_status st = DRX_OK;
    bool taken = false;

    (void)pthread_mutex_lock(&adding);
    if (!drxi_defined_type(key))
        taken = !(st = add_locked(key, made));
    (void)pthread_mutex_unlock(&adding);
    if (!taken) {
        drxi_free(made->text);
        drxi_free((void *)(uintptr_t)made->info.members);
    }
    if (!st)
        *type = drxi_defined_type(key);
    return st;
}
