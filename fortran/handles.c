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

bool drxf_find(int64_t id, struct drxf_target *out)
{
    const struct slot *s;

    *out = (struct drxf_target){ .it = NULL };
    (void)pthread_mutex_lock(&lock);
    s = slot_of(id);
    if (s)
        *out = (struct drxf_target){ .kind = s->kind, .it = s->it, .lender = s->lender };
    (void)pthread_mutex_unlock(&lock);
    if (!out->it)
        return false;
    out->a = out->kind->array ? out->kind->array(out->it) : NULL;
    out->ds = out->kind->dataset ? out->kind->dataset(out->it) : NULL;
    return true;
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

drx_status drxf_give(drx_status st, const struct drxf_kind *kind, void *it, int64_t lender, int64_t *id)
{
    *id = st ? 0 : drxf_hold(kind, it, lender);
    if (st || *id)
        return st;
    if (!lender)
        (void)kind->close(it);
    return drxf_fail(DRX_ENOMEM, "no memory for a handle");
}

/* ---- what a call is for ----------------------------------------------------------- */

drx_status drxf_other(const struct drxf_kind *kind, const char *expected)
{
    return drxf_fail(DRX_EINVAL, "the handle is that of %s, expected %s", kind->name, expected);
}

drx_status drxf_any(int64_t id, struct drxf_target *out)
{
    return drxf_find(id, out) ? DRX_OK : drxf_fail(DRX_EINVAL, "the handle is not open");
}

drx_status drxf_an_array(int64_t id, struct drxf_target *out)
{
    const drx_status st = drxf_any(id, out);

    return st || out->a ? st : drxf_other(out->kind, "an array");
}

drx_status drxf_a_dataset(int64_t id, struct drxf_target *out)
{
    const drx_status st = drxf_any(id, out);

    return st || out->ds ? st : drxf_other(out->kind, "a dataset");
}

drx_status drxf_an_owner(int64_t id, int part, struct drxf_target *out)
{
    const drx_status st = drxf_any(id, out);

    if (!st && !out->a && !out->ds)
        return drxf_fail(DRX_EINVAL, "the handle is that of %s, which has no attributes", out->kind->name);
    if (!st && !out->ds && part != DRX_DATASET)
        return drxf_fail(DRX_EINVAL, "the handle is that of an array, which has no parts");
    return st;
}

void drxf_frame_at(const struct drxf_target *t, struct drxf_frame *out)
{
    if (t->a)
        drxf_frame_of(t->a, out);
    else
        *out = *t->kind->frame(t->it);
}
