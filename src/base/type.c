/* Element types: sizes, names, filling, byte order. */
#include "base/base.h"

static const struct {
    const char *name;
    uint8_t bytes;
    uint8_t unit_bytes; /* swapped as a unit: a complex is two floats */
} types[] = {
    [DRX_INT8] = { "int8", 1, 1 },           [DRX_INT16] = { "int16", 2, 2 },
    [DRX_INT32] = { "int32", 4, 4 },         [DRX_INT64] = { "int64", 8, 8 },
    [DRX_UINT8] = { "uint8", 1, 1 },         [DRX_UINT16] = { "uint16", 2, 2 },
    [DRX_UINT32] = { "uint32", 4, 4 },       [DRX_UINT64] = { "uint64", 8, 8 },
    [DRX_FLOAT32] = { "float32", 4, 4 },     [DRX_FLOAT64] = { "float64", 8, 8 },
    [DRX_COMPLEX64] = { "complex64", 8, 4 }, [DRX_COMPLEX128] = { "complex128", 16, 8 },
    [DRX_FLOAT16] = { "float16", 2, 2 },     [DRX_BOOL] = { "bool", 1, 1 },
};

enum { TYPES = sizeof types / sizeof types[0] };

static bool is_type(drx_type type)
{
    return (int)type > 0 && (int)type < TYPES;
}

size_t drx_type_size(drx_type type)
{
    return is_type(type) ? types[type].bytes : 0;
}

const char *drx_type_name(drx_type type)
{
    return is_type(type) ? types[type].name : NULL;
}

drx_type drx_type_named(const char *name)
{
    for (int i = 1; name && i < TYPES; i++)
        if (strcmp(types[i].name, name) == 0)
            return (drx_type)i;
    return (drx_type)0;
}

bool drxi_is_zero(const void *bytes, size_t n)
{
    const uint8_t *p = bytes;

    return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
}

void drxi_fill(void *buf, int64_t n, const void *element, size_t item_bytes)
{
    const size_t total = (size_t)n * item_bytes;
    uint8_t *p = buf;
    size_t done = item_bytes;

    if (n == 0)
        return;
    memcpy(p, element, item_bytes);
    while (done < total) { /* double what is filled already */
        const size_t more = done < total - done ? done : total - done;

        memcpy(p + done, p, more);
        done += more;
    }
}

void drxi_swap_always(void *buf, size_t bytes, drx_type type)
{
    const size_t unit = types[type].unit_bytes;
    uint8_t *p = buf;

    for (size_t at = 0; at < bytes; at += unit)
        for (size_t i = 0, j = unit - 1; i < j; i++, j--) {
            const uint8_t kept = p[at + i];

            p[at + i] = p[at + j];
            p[at + j] = kept;
        }
}
