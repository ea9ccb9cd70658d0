/* Handles are numbers: a slot of one table, and how often the slot was used. */
#include <pthread.h>
#include <stdlib.h>

#include "drxf.h"

struct slot {
    const struct drxf_kind *kind;
    void *it; /* NULL: the slot is free */
    int64_t lender;
    uint32_t uses;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot *slots;
static uint32_t nslots;

/* A free slot, under the lock; NULL: no memory. */
static struct slot *free_slot(void)
{
    const uint32_t more = nslots ? nslots : 64;
    struct slot *longer;

    for (uint32_t i = 0; i < nslots; i++)
        if (!slots[i].it)
            return &slots[i];
    longer = realloc(slots, ((size_t)nslots + more) * sizeof *slots);
    if (!longer)
        return NULL;
    slots = longer;
    for (uint32_t i = nslots; i < nslots + more; i++)
        slots[i] = (struct slot){ .uses = 0 };
    nslots += more;
    return &slots[nslots - more];
}

static int64_t id_of(const struct slot *s)
{
    return (int64_t)((uint64_t)(s->uses & 0x7fffffff) << 32 | (uint64_t)(s - slots + 1));
}

static struct slot *slot_of(int64_t id)
{
    const int64_t i = (id & 0xffffffff) - 1;

    return id > 0 && i >= 0 && i < (int64_t)nslots && slots[i].it && id_of(&slots[i]) == id ? &slots[i] : NULL;
}

drx_status drxf_room(void)
{
    struct slot *s;

    (void)pthread_mutex_lock(&lock);
    s = free_slot();
    (void)pthread_mutex_unlock(&lock);
    return s ? DRX_OK : drxf_fail(DRX_ENOMEM, "no memory for a handle");
}

int64_t drxf_hold(const struct drxf_kind *kind, void *it, int64_t lender)
{
    struct slot *s;
    int64_t id = 0;

    (void)pthread_mutex_lock(&lock);
    s = free_slot();
    if (s) {
        *s = (struct slot){ .kind = kind, .it = it, .lender = lender, .uses = s->uses + 1 };
        id = id_of(s);
    }
    (void)pthread_mutex_unlock(&lock);
    return id;
}

void *drxf_find(int64_t id, const struct drxf_kind **kind, int64_t *lender)
{
    const struct slot *s;
    void *it = NULL;

    (void)pthread_mutex_lock(&lock);
    s = slot_of(id);
    if (s) {
        it = s->it;
        *kind = s->kind;
        if (lender)
            *lender = s->lender;
    }
    (void)pthread_mutex_unlock(&lock);
    return it;
}

void drxf_forget(int64_t id)
{
    struct slot *s;

    (void)pthread_mutex_lock(&lock);
    s = slot_of(id);
    if (s)
        s->it = NULL;
    for (uint32_t i = 0; s && i < nslots; i++)
        if (slots[i].it && slots[i].lender == id)
            slots[i].it = NULL;
    (void)pthread_mutex_unlock(&lock);
}

drx_status drxf_any(int64_t id, void **it, const struct drxf_kind **kind)
{
    *it = drxf_find(id, kind, NULL);
    return *it ? DRX_OK : drxf_fail(DRX_EINVAL, "the handle is not open");
}

drx_status drxf_an_array(int64_t id, void **it, const struct drxf_kind **kind, drx_array **a)
{
    drx_status st = drxf_any(id, it, kind);

    if (!st && !(*kind)->array)
        st = drxf_fail(DRX_EINVAL, "the handle is that of a %s, expected an array", (*kind)->name);
    if (!st)
        *a = (*kind)->array(*it);
    return st;
}

drx_status drxf_a_dataset(int64_t id, void **it, const struct drxf_kind **kind, const drx_dataset **ds)
{
    drx_status st = drxf_any(id, it, kind);

    if (!st && !(*kind)->dataset)
        st = drxf_fail(DRX_EINVAL, "the handle is that of an %s, expected a dataset", (*kind)->name);
    if (!st)
        *ds = (*kind)->dataset(*it);
    return st;
}
