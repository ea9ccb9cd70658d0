/* A type that a program defines, checked. */
#include "types/types.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_RANK = 255, MOST_TAG_BYTES = 65535 };

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

drx_status drx_type_define(const drx_type_info *info, drx_type *type)
{
    const drx_status st =
        info && type ? check_info(info) : drxi_fail(DRX_EINVAL, "drx_type_define: info or type is a null pointer");

    return st ? st : drxi_define(info, type);
}
