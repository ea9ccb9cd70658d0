/* Defined types are added to the table, and found by what they are, in lists of those of one hash. These only grow, so
 * a look-up takes no lock. */
#include "types/types.h"

#include <pthread.h>

enum { LISTS = 1024, MOST_BYTES = 64 << 20, WORD = 8 };

static drxi_place list[LISTS];
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
static int last; /* the largest number, from 1 on */

/* ---- copies ---- */

/* Memory of a copy; NULL: it is measured. */
struct copying {
    char *memory;
    size_t n;
};

static const void *copy_bytes(struct copying *c, const void *bytes, size_t n)
{
    void *const at = c->memory ? c->memory + c->n : NULL;

    if (at && n > 0)
        memcpy(at, bytes, n);
    c->n += (n + WORD - 1) / WORD * WORD;
    return at;
}

static const char *copy_text(struct copying *c, const char *text)
{
    const struct drxi_text t = drxi_text_of(text);

    return copy_bytes(c, t.p, t.n + 1);
}

/* Without what the class does not have. */
static void copy_info(struct copying *c, const drx_type_info *from, drx_type_info *to)
{
    static const drx_type of_bytes[] = { [1] = DRX_UINT8, [2] = DRX_UINT16, [4] = DRX_UINT32, [8] = DRX_UINT64 };
    const int class = from->type_class;
    drx_member *members;

    *to = (drx_type_info){ .type_class = class, .bytes = from->bytes };
    to->name = copy_text(c, from->name);
    to->tag = copy_text(c, class == DRX_OPAQUE ? from->tag : NULL);
    to->base = class == DRX_ENUM ? from->base : class == DRX_BITFIELD ? of_bytes[from->bytes] : (drx_type)0;
    to->first_bit = class == DRX_BITFIELD ? from->first_bit : 0;
    to->nbits = class == DRX_BITFIELD ? from->nbits : 0;
    to->nmembers = class == DRX_ENUM || class == DRX_COMPOUND ? from->nmembers : 0;
    members = (drx_member *)(uintptr_t)copy_bytes(c, from->members, (size_t)to->nmembers * sizeof *members);
    to->members = members;
    for (int i = 0; i < to->nmembers; i++) {
        const drx_member *m = &from->members[i];
        const bool named = class == DRX_ENUM;
        const drx_member made = { .name = copy_text(c, m->name),
                                  .type = named ? from->base : m->type,
                                  .offset = named ? 0 : m->offset,
                                  .rank = named ? 0 : m->rank,
                                  .extents = named ? NULL : copy_bytes(c, m->extents, (size_t)m->rank * WORD),
                                  .value = named ? copy_bytes(c, m->value, from->bytes) : NULL };

        if (members)
            members[i] = made;
    }
}

/* How deep its fields are, and whether their bytes have an order. */
static void note_fields(struct drxi_defined *d)
{
    const drx_type_info *info = &d->info;

    d->nested = info->type_class == DRX_COMPOUND;
    d->as_is = info->type_class == DRX_OPAQUE || info->type_class == DRX_COMPOUND || info->bytes == 1;
    for (int i = 0; info->type_class == DRX_COMPOUND && i < info->nmembers; i++) {
        const drx_type type = info->members[i].type;
        const struct drxi_defined *in = drxi_defined(type);

        if (in && in->nested >= d->nested)
            d->nested = in->nested + 1;
        d->as_is = d->as_is && (in ? in->as_is : drxi_swapped_bytes(type) == 1);
    }
}

/* ---- adding ---- */

static const struct drxi_defined *find_alike(const struct drxi_defined *d, const drx_type_info *info)
{
    while (d && !drxi_same_infos(&d->info, info, true))
        d = d->next;
    return d;
}

/* With the lock. */
static drx_status add(const drx_type_info *info, drxi_place *first)
{
    struct copying c = { NULL, 0 };
    struct drxi_defined measured, *d;
    drxi_place *to;

    copy_info(&c, info, &measured.info);
    if (c.n > MOST_BYTES || last == DRXI_MOST_DEFINED)
        return drxi_fail(DRX_EOVERFLOW, "drx_type_define: %zu bytes, after %d types, expected up to %d, and %d", c.n,
                         last, MOST_BYTES, DRXI_MOST_DEFINED);
    to = drxi_defined_place(last + 1);
    d = to ? drxi_malloc(sizeof *d + c.n) : NULL;
    if (!d)
        return DRX_ENOMEM;
    c = (struct copying){ (char *)(d + 1), 0 };
    copy_info(&c, info, &d->info);
    note_fields(d);
    if (!(d->text = drxi_type_text(&d->info))) {
        drxi_free(d);
        return DRX_ENOMEM;
    }
    d->type = (drx_type)(DRX_DEFINED_ | ++last << 8);
    d->next = atomic_load(first);
    atomic_store_explicit(to, d, memory_order_release);
    atomic_store_explicit(first, d, memory_order_release);
    return DRX_OK;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static drxi_place *list_of(const drx_type_info *info)
{
    const bool members = info->type_class == DRX_ENUM || info->type_class == DRX_COMPOUND;
    const struct drxi_text name = drxi_text_of(info->name);
    uint64_t hash = mix((uint64_t)info->type_class, &info->bytes, sizeof info->bytes);

    hash = mix(hash, name.p, name.n);
    for (int i = 0; members && i < info->nmembers; i++) {
        const drx_member *m = &info->members[i];

        hash = mix(hash, m->name, strlen(m->name));
        hash =
            info->type_class == DRX_ENUM ? mix(hash, m->value, info->bytes) : mix(hash, &m->offset, sizeof m->offset);
    }
    return &list[(hash ^ hash >> 32) % LISTS];
}

drx_status drxi_define(const drx_type_info *info, drx_type *type)
{
    drxi_place *const first = list_of(info);
    const struct drxi_defined *d = find_alike(atomic_load_explicit(first, memory_order_acquire), info);
    drx_status st = DRX_OK;

    if (!d) {
        (void)pthread_mutex_lock(&adding);
        if (!find_alike(atomic_load(first), info))
            st = add(info, first);
        d = st ? NULL : find_alike(atomic_load(first), info);
        (void)pthread_mutex_unlock(&adding);
    }
    if (d)
        *type = d->type;
    return st;
}
