/* A type that a program defines: checked, and laid out as one string of bytes, its key. Equal keys are one type. The
 * members of what is kept point into the key. */
#include "types/types.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_KEY_BYTES = 64 << 20, MOST_RANK = 255, MOST_TAG_BYTES = 65535, WORD = 8 };

/* ---- checks ---- */

static drx_status wrong_member(const drx_type_info *info, int i, const char *what)
{
    const char *const name = info->members[i].name;
    const bool good = name && drxi_is_name(drxi_text_of(name), DRXI_NAME_MAX_BYTES);

    return drxi_fail(DRX_EINVAL, "drx_type_define: %s: %s %d%s%s: %s",
                     info->name && *info->name ? info->name : "a type without a name",
                     info->type_class == DRX_ENUM ? "name" : "field", i, good ? ", " : "", good ? name : "", what);
}

static drx_status wrong_type(const drx_type_info *info, const char *what)
{
    return drxi_fail(DRX_EINVAL, "drx_type_define: %s: %s",
                     info->name && *info->name ? info->name : "a type without a name", what);
}

static drx_status check_member_names(const drx_type_info *info)
{
    if (info->nmembers < 0 || (info->nmembers > 0 && !info->members))
        return wrong_type(info, "a negative number of members, or no pointer to them");
    for (int i = 0; i < info->nmembers; i++)
        if (!drxi_is_name(drxi_text_of(info->members[i].name), DRXI_NAME_MAX_BYTES))
            return wrong_member(info, i, "expected a name of 1 to 1024 bytes of UTF-8");
    return DRX_OK;
}

static drx_status check_enum(const drx_type_info *info)
{
    const drx_status st = check_member_names(info);

    if (info->base < DRX_INT8 || info->base > DRX_UINT64 || drx_type_size(info->base) != info->bytes)
        return wrong_type(info, "the base of an enum is an integer type of as many bytes, DRX_INT8 to DRX_UINT64");
    for (int i = 0; !st && i < info->nmembers; i++)
        if (!info->members[i].value)
            return wrong_member(info, i, "expected a value, not a null pointer");
    return st;
}

/* Where the field ends; -1: it lies outside, or has no values. */
static int64_t end_of(const drx_type_info *info, const drx_member *m)
{
    int64_t n = (int64_t)drx_type_size(m->type);

    if (n == 0 || m->rank < 0 || m->rank > MOST_RANK || (m->rank > 0 && !m->extents) || m->offset > info->bytes)
        return -1;
    for (int j = 0; j < m->rank; j++) {
        if (m->extents[j] < 1)
            return -1;
        n = drxi_mul_saturated(n, m->extents[j]);
    }
    return n <= (int64_t)(info->bytes - m->offset) ? (int64_t)m->offset + n : -1;
}

static drx_status check_field(const drx_type_info *info, int i)
{
    const drx_member *m = &info->members[i];
    const struct drxi_defined *d = drxi_defined(m->type);

    if (drx_type_size(m->type) == 0)
        return wrong_member(info, i, "its type is not one of drx_type");
    if (d && d->nested == DRXI_MOST_NESTED)
        return drxi_fail(DRX_EUNSUPPORTED, "drx_type_define: compounds in compounds, more than %d deep",
                         DRXI_MOST_NESTED);
    return end_of(info, m) < 0 ? wrong_member(info, i,
                                              "expected up to 255 extents, each 1 or more, and a place inside the "
                                              "bytes of the element")
                               : DRX_OK;
}

struct placed {
    const drx_member *m;
    int64_t end;
};

static int by_place(const void *a, const void *b)
{
    const drx_member *x = ((const struct placed *)a)->m, *y = ((const struct placed *)b)->m;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct placed *)a)->m->name, ((const struct placed *)b)->m->name);
}

/* No two of them overlap, or have one name. */
static drx_status check_fields(const drx_type_info *info, struct placed *p)
{
    const int n = info->nmembers;

    for (int i = 0; i < n; i++)
        p[i] = (struct placed){ &info->members[i], end_of(info, &info->members[i]) };
    qsort(p, (size_t)n, sizeof *p, by_place);
    for (int i = 1; i < n; i++)
        if ((int64_t)p[i].m->offset < p[i - 1].end)
            return wrong_member(info, (int)(p[i].m - info->members), "it overlaps with another field");
    qsort(p, (size_t)n, sizeof *p, by_name);
    for (int i = 1; i < n; i++)
        if (by_name(&p[i - 1], &p[i]) == 0)
            return wrong_member(info, (int)(p[i].m - info->members), "another field has this name");
    return DRX_OK;
}

static drx_status check_compound(const drx_type_info *info)
{
    drx_status st = check_member_names(info);
    struct placed *p;

    for (int i = 0; !st && i < info->nmembers; i++)
        st = check_field(info, i);
    if (st || info->nmembers == 0)
        return st;
    if (!(p = drxi_malloc((size_t)info->nmembers * sizeof *p)))
        return DRX_ENOMEM;
    st = check_fields(info, p);
    drxi_free(p);
    return st;
}

static drx_status check_class(const drx_type_info *info)
{
    const struct drxi_text tag = drxi_text_of(info->tag);
    const size_t n = info->bytes;

    switch (info->type_class) {
    case DRX_ENUM:
        return check_enum(info);
    case DRX_COMPOUND:
        return check_compound(info);
    case DRX_OPAQUE:
        return tag.n <= MOST_TAG_BYTES && drxi_is_utf8(tag.p, tag.n)
                   ? DRX_OK
                   : wrong_type(info, "the tag is not UTF-8 of up to 65535 bytes");
    case DRX_BITFIELD:
        return (n == 1 || n == 2 || n == 4 || n == 8) && info->first_bit >= 0 && info->nbits >= 1 &&
                       info->nbits <= 64 && info->first_bit + (int64_t)info->nbits <= 8 * (int64_t)n
                   ? DRX_OK
                   : wrong_type(info, "a bitfield has 1, 2, 4 or 8 bytes, and 1 bit or more of them");
    default:
        return wrong_type(info, "the class is not DRX_ENUM, DRX_COMPOUND, DRX_OPAQUE or DRX_BITFIELD");
    }
}

static drx_status check_info(const drx_type_info *info)
{
    const struct drxi_text name = drxi_text_of(info->name);

    if (name.n > 0 && !drxi_is_path_name(name, DRXI_PATH_NAME_BYTES))
        return drxi_fail(DRX_EINVAL,
                         "drx_type_define: the name is not 1 to %d bytes of UTF-8 without a slash, no dot in "
                         "front",
                         DRXI_PATH_NAME_BYTES);
    if (info->bytes < 1 || info->bytes > DRX_MAX_TYPE_BYTES)
        return drxi_fail(DRX_EINVAL, "drx_type_define: elements of %zu bytes, expected 1 to %d", info->bytes,
                         DRX_MAX_TYPE_BYTES);
    if (!drxi_is_zero(info->reserved, sizeof info->reserved))
        return drxi_fail(DRX_EINVAL, "drx_type_define: reserved is not zero");
    return check_class(info);
}

/* ---- the key ---- */

struct key {
    uint8_t *bytes;
    int64_t n, room;
    drx_status failed;
};

/* With zeros up to a multiple of a word. */
static void add_bytes(struct key *k, const void *bytes, size_t n)
{
    const int64_t padded = ((int64_t)n + WORD - 1) / WORD * WORD;

    if (!k->failed && k->n + padded > MOST_KEY_BYTES)
        k->failed = drxi_fail(DRX_EOVERFLOW, "drx_type_define: a description of more than %d bytes", MOST_KEY_BYTES);
    if (!k->failed)
        k->failed = drxi_reserve(&k->bytes, &k->room, k->n + padded, 1);
    if (k->failed)
        return;
    memset(k->bytes + k->n, 0, (size_t)padded);
    memcpy(k->bytes + k->n, bytes, n);
    k->n += padded;
}

static void add_text(struct key *k, const char *text)
{
    const struct drxi_text t = drxi_text_of(text);

    add_bytes(k, t.p, t.n + 1);
}

static void add_word(struct key *k, int64_t word)
{
    add_bytes(k, &word, sizeof word);
}

static void add_member(struct key *k, const drx_type_info *info, const drx_member *m)
{
    add_text(k, m->name);
    if (info->type_class == DRX_ENUM) {
        add_bytes(k, m->value, info->bytes);
        return;
    }
    add_word(k, m->type);
    add_word(k, (int64_t)m->offset);
    add_word(k, m->rank);
    for (int j = 0; j < m->rank; j++)
        add_word(k, m->extents[j]);
}

/* What the class does not have counts as zero. */
static struct key compose_key(const drx_type_info *info)
{
    const bool bits = info->type_class == DRX_BITFIELD;
    const bool members = info->type_class == DRX_ENUM || info->type_class == DRX_COMPOUND;
    struct key k = { .n = 0 };

    add_word(&k, info->type_class);
    add_word(&k, (int64_t)info->bytes);
    add_word(&k, info->type_class == DRX_ENUM ? info->base : 0);
    add_word(&k, bits ? info->first_bit : 0);
    add_word(&k, bits ? info->nbits : 0);
    add_word(&k, members ? info->nmembers : 0);
    add_text(&k, info->name);
    add_text(&k, info->type_class == DRX_OPAQUE ? info->tag : NULL);
    for (int i = 0; members && i < info->nmembers; i++)
        add_member(&k, info, &info->members[i]);
    return k;
}

/* ---- the description that is kept ---- */

static const void *take(const uint8_t **p, size_t n)
{
    const void *const at = *p;

    *p += (n + WORD - 1) / WORD * WORD;
    return at;
}

static int64_t take_word(const uint8_t **p)
{
    return *(const int64_t *)take(p, WORD);
}

static const char *next_text(const uint8_t **p)
{
    return take(p, strlen((const char *)*p) + 1);
}

static void take_member(const uint8_t **p, const drx_type_info *info, drx_member *m)
{
    *m = (drx_member){ .name = next_text(p), .type = info->base };
    if (info->type_class == DRX_ENUM) {
        m->value = take(p, info->bytes);
        return;
    }
    m->type = (drx_type)take_word(p);
    m->offset = (size_t)take_word(p);
    m->rank = (int)take_word(p);
    m->extents = m->rank > 0 ? take(p, (size_t)m->rank * WORD) : NULL;
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
        d->as_is = d->as_is && (in ? in->as_is : DRX_IS_BYTES(type) || drx_type_size(type) == 1);
    }
}

static drx_status define(struct drxi_kept *key, drx_type *type)
{
    const uint8_t *p = key->bytes;
    struct drxi_defined made = { .text = NULL };
    drx_type_info *info = &made.info;
    drx_member *members;

    info->type_class = (int)take_word(&p);
    info->bytes = (size_t)take_word(&p);
    info->base = (drx_type)take_word(&p);
    info->first_bit = (int)take_word(&p);
    info->nbits = (int)take_word(&p);
    info->nmembers = (int)take_word(&p);
    info->name = next_text(&p);
    info->tag = next_text(&p);
    info->members = members = drxi_calloc((size_t)info->nmembers + 1, sizeof *members);
    if (!members)
        return DRX_ENOMEM;
    for (int i = 0; i < info->nmembers; i++)
        take_member(&p, info, &members[i]);
    note_fields(&made);
    if (!(made.text = drxi_type_text(info))) {
        drxi_free(members);
        return DRX_ENOMEM;
    }
    return drxi_defined_add(key, &made, type);
}

drx_status drx_type_define(const drx_type_info *info, drx_type *type)
{
    struct drxi_kept *kept = NULL;
    struct key k;
    drx_status st;

    if (!info || !type)
        return drxi_fail(DRX_EINVAL, "drx_type_define: info or type is a null pointer");
    if ((st = check_info(info)))
        return st;
    k = compose_key(info);
    if (!k.failed)
        kept = drxi_keep(k.bytes, (size_t)k.n);
    drxi_free(k.bytes);
    if (!kept)
        return k.failed ? k.failed : DRX_ENOMEM;
    *type = drxi_defined_type(kept);
    return *type ? DRX_OK : define(kept, type);
}
