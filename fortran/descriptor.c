/* Arguments of any type, kind and rank, as the Fortran compiler describes them. */
#include <stdio.h>
#include <string.h>

#include "drxf.h"

static const struct {
    CFI_type_t theirs;
    drx_type ours;
    const char *declared;
} types[] = {
    { CFI_type_int8_t, DRX_INT8, "integer(int8)" },
    { CFI_type_int16_t, DRX_INT16, "integer(int16)" },
    { CFI_type_int32_t, DRX_INT32, "integer(int32)" },
    { CFI_type_int64_t, DRX_INT64, "integer(int64)" },
    { CFI_type_float, DRX_FLOAT32, "real(real32)" },
    { CFI_type_double, DRX_FLOAT64, "real(real64)" },
    { CFI_type_float_Complex, DRX_COMPLEX64, "complex(real32)" },
    { CFI_type_double_Complex, DRX_COMPLEX128, "complex(real64)" },
};
enum { TYPES = sizeof types / sizeof *types };

drx_type drxf_type_of(const CFI_cdesc_t *d)
{
    for (int i = 0; i < TYPES; i++)
        if (types[i].theirs == d->type && drx_type_size(types[i].ours) == d->elem_len)
            return types[i].ours;
    return 0;
}

/* The type of Fortran with as many bits: an unsigned integer, a float16 and a bool have none of their own. */
static drx_type signed_of(drx_type type)
{
    if (type == DRX_FLOAT16 || type == DRX_BOOL)
        return type == DRX_BOOL ? DRX_INT8 : DRX_INT16;
    return type >= DRX_UINT8 && type <= DRX_UINT64 ? (drx_type)(type - DRX_UINT8 + DRX_INT8) : type;
}

bool drxf_lacks(drx_type type)
{
    return signed_of(type) != type;
}

const char *drxf_declared(drx_type type)
{
    for (int i = 0; i < TYPES; i++)
        if (types[i].ours == signed_of(type))
            return types[i].declared;
    return DRX_IS_STRING(type)    ? "an array of numbers, since Fortran reads and writes no strings"
           : DRX_IS_DEFINED(type) ? "an array of numbers, since Fortran reads and writes no elements of defined types"
                                  : "?";
}

const char *drxf_declared_as(const CFI_cdesc_t *d, char room[DRXF_MOST_NAME])
{
    static const struct {
        CFI_type_t kind;
        const char *word;
    } others[] = {
        { DRXF_KIND(CFI_type_Bool), "logical" },           { DRXF_KIND(CFI_type_char), "character" },
        { DRXF_KIND(CFI_type_int64_t), "integer" },        { DRXF_KIND(CFI_type_double), "real" },
        { DRXF_KIND(CFI_type_double_Complex), "complex" },
    };
    const drx_type type = drxf_type_of(d);

    if (type)
        return drxf_declared(type);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].kind == DRXF_KIND(d->type)) {
            (void)snprintf(room, DRXF_MOST_NAME, "%s of %zu bytes", others[i].word, d->elem_len);
            return room;
        }
    return d->type == CFI_type_struct ? "of a derived type" : "of another type";
}

bool drxf_takes(drx_type type, const CFI_cdesc_t *d, bool as_bits)
{
    const drx_type memory = drxf_type_of(d);

    return memory && (memory == type || (as_bits && memory == signed_of(type)));
}

int64_t drxf_size(const CFI_cdesc_t *d)
{
    int64_t n = 1;

    for (int j = 0; j < d->rank; j++) {
        if (d->dim[j].extent < 0)
            return -1;
        n *= d->dim[j].extent;
    }
    return n;
}

drx_status drxf_check_there(const CFI_cdesc_t *d, const char *name)
{
    const int64_t n = drxf_size(d);

    if (n < 0)
        return drxf_fail(DRX_EINVAL, "%s has an assumed size: its last extent is unknown; give a section, (1:n)", name);
    if (n > 0 && !d->base_addr)
        return drxf_fail(DRX_EINVAL, "%s is not allocated", name);
    return DRX_OK;
}

bool drxf_contiguous(const CFI_cdesc_t *d)
{
    int64_t bytes = (int64_t)d->elem_len;

    if (drxf_size(d) <= 1)
        return true;
    for (int j = 0; j < d->rank; j++) {
        if (d->dim[j].extent != 1 && d->dim[j].sm != bytes)
            return false;
        bytes *= d->dim[j].extent;
    }
    return true;
}

const char *drxf_shape_text(int n, const int64_t extents[], char room[DRXF_MOST_SHAPE])
{
    int at = snprintf(room, DRXF_MOST_SHAPE, "(");

    for (int j = 0; j < n && at < DRXF_MOST_SHAPE - 24; j++)
        at += snprintf(room + at, (size_t)(DRXF_MOST_SHAPE - at), "%s%lld", j ? "," : "", (long long)extents[j]);
    (void)snprintf(room + at, (size_t)(DRXF_MOST_SHAPE - at), ")");
    return room;
}

const char *drxf_shape_of(const CFI_cdesc_t *d, char room[DRXF_MOST_SHAPE])
{
    int64_t extents[CFI_MAX_RANK];

    for (int j = 0; j < d->rank; j++)
        extents[j] = d->dim[j].extent;
    return drxf_shape_text(d->rank, extents, room);
}

/* Each element in turn, from where it is to where it goes; `bytes` are those in one piece. */
static void copy(const CFI_cdesc_t *d, char *bytes, bool pack)
{
    CFI_index_t at[CFI_MAX_RANK] = { 0 };
    char *element = d->base_addr;

    for (int64_t left = drxf_size(d); left > 0; left--) {
        memcpy(pack ? bytes : element, pack ? element : bytes, d->elem_len);
        bytes += d->elem_len;
        for (int j = 0; j < d->rank; j++) {
            element += d->dim[j].sm;
            if (++at[j] < d->dim[j].extent)
                break;
            element -= d->dim[j].sm * d->dim[j].extent;
            at[j] = 0;
        }
    }
}

void drxf_pack(const CFI_cdesc_t *d, void *packed)
{
    copy(d, packed, true);
}

void drxf_unpack(const CFI_cdesc_t *d, const void *packed)
{
    copy(d, (char *)(uintptr_t)packed, false); /* only read */
}

/* Its bytes become the upper ones, whose sign a shift keeps. */
static int64_t integer_at(const CFI_cdesc_t *d, int64_t i)
{
    const size_t less = sizeof i - d->elem_len;
    uint64_t bits = 0;

    memcpy((char *)&bits + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? less : 0),
           (const char *)d->base_addr + (d->rank ? d->dim[0].sm * i : 0), d->elem_len);
    return (int64_t)bits >> 8 * less;
}

drx_status drxf_integers(const CFI_cdesc_t *d, const char *name, int n, const char *each, int64_t out[])
{
    const drx_type type = drxf_type_of(d);
    char room[DRXF_MOST_NAME], shape[DRXF_MOST_SHAPE];
    const drx_status st = drxf_check_there(d, name);

    if (st)
        return st;
    if (type < DRX_INT8 || type > DRX_INT64)
        return drxf_fail(DRX_EINVAL, "%s is %s, expected an integer", name, drxf_declared_as(d, room));
    if (d->rank > 1)
        return drxf_fail(DRX_EINVAL, "%s has the shape %s, expected one axis", name, drxf_shape_of(d, shape));
    if (drxf_size(d) != n)
        return drxf_fail(DRX_EINVAL, "%s has %lld elements, expected %d%s", name, (long long)drxf_size(d), n, each);
    for (int i = 0; i < n; i++)
        out[i] = integer_at(d, i);
    return DRX_OK;
}

drx_status drxf_integer(const CFI_cdesc_t *d, const char *name, int64_t *out)
{
    return drxf_integers(d, name, 1, "", out);
}
