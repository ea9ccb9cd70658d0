/* Exports and imports of the Distributed Array Protocol. */
#include <stdio.h>
#include <stdlib.h>

#include "mp/darray/darray.h"

/* NULL: no number. */
static const char *number_format(drx_type type)
{
    static const char *const formats[] = {
        [DRX_INT8] = "b",       [DRX_INT16] = "h",       [DRX_INT32] = "i",   [DRX_INT64] = "q",   [DRX_UINT8] = "B",
        [DRX_UINT16] = "H",     [DRX_UINT32] = "I",      [DRX_UINT64] = "Q",  [DRX_FLOAT32] = "f", [DRX_FLOAT64] = "d",
        [DRX_COMPLEX64] = "Zf", [DRX_COMPLEX128] = "Zd", [DRX_FLOAT16] = "e", [DRX_BOOL] = "?"
    };

    return DRX_IS_NUMBER(type) ? formats[type] : NULL;
}

const char *drxi_dap_format(drx_type type, char text[DRXI_FORMAT_BYTES])
{
    const int bytes = (int)drx_type_size(type);

    if (!DRX_IS_STRING(type))
        return number_format(type);
    (void)snprintf(text, DRXI_FORMAT_BYTES, "%d%c", DRX_IS_BYTES(type) ? bytes : bytes / 4,
                   DRX_IS_BYTES(type) ? 's' : 'w');
    return text;
}

/* The type of "12s" or "12w", if elements have this many bytes; 0: another format. */
static drx_type string_type(const char *format, int64_t bytes)
{
    char *end;
    const long n = *format >= '1' && *format <= '9' ? strtol(format, &end, 10) : 0;

    if (n < 1 || bytes > DRX_MAX_STRING_BYTES || (*end != 's' && *end != 'w') || end[1] != '\0' ||
        n != bytes / (*end == 's' ? 1 : 4) || bytes % (*end == 's' ? 1 : 4) != 0)
        return (drx_type)0;
    return *end == 's' ? DRX_BYTES((int)n) : DRX_UNICODE((int)n);
}

/* The letter that stands for all formats of one kind, such as signed integers, whose sizes depend on the machine; 0 for
 * another format. */
static char family(const char *format)
{
    static const char *const families[] = { "bhilqn", "BHILQN", "fd", "e", "?" };
    const bool complex = format[0] == 'Z';
    const char letter = format[complex];

    if (letter == '\0' || format[complex + 1] != '\0')
        return 0;
    for (int i = complex ? 2 : 0; i < (complex ? 3 : 5); i++)
        if (strchr(families[i], letter))
            return complex ? 'Z' : families[i][0];
    return 0;
}

static drx_status find_type(const struct dap_array *in, drx_type *type)
{
    const char native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    const char *format = in->format + (in->format[0] == '@' || in->format[0] == '=' || in->format[0] == native);

    if ((*type = string_type(format, in->itemsize)))
        return DRX_OK;
    for (int t = DRX_INT8; drx_type_size((drx_type)t) > 0; t++)
        if (family(format) && family(format) == family(number_format((drx_type)t)) &&
            (int64_t)drx_type_size((drx_type)t) == in->itemsize) {
            *type = (drx_type)t;
            return DRX_OK;
        }
    return drxi_fail(DRX_EUNSUPPORTED, "format \"%s\" of %lld bytes is not one of drx_type", in->format,
                     (long long)in->itemsize);
}

static void release_export(struct dap_array *a)
{
    drxmp_darray *d = a->private_data;

    (void)atomic_fetch_sub(&d->exports, 1);
    a->release = NULL;
}

drx_status drxi_check_dap_type(const char *call, drx_type type)
{
    return DRX_IS_DEFINED(type)
               ? drxi_fail(DRX_EUNSUPPORTED, "%s: elements of %s, for which the protocol has no format", call,
                           drx_type_name(type))
               : DRX_OK;
}

drx_status drxmp_darray_dap(drxmp_darray *d, struct dap_array *out)
{
    drx_status st;

    if (!d || !out)
        return drxi_fail(DRX_EINVAL, "drxmp_darray_dap: d or out is a null pointer");
    if ((st = drxi_check_dap_type("drxmp_darray_dap", d->type)))
        return st;
    *out = (struct dap_array){ .abi_major = DAP_ABI_MAJOR,
                               .abi_minor = DAP_ABI_MINOR,
                               .release = release_export,
                               .private_data = d,
                               .flags = d->read_only ? DAP_READ_ONLY : 0,
                               .version = { DAP_VERSION_MAJOR, DAP_VERSION_MINOR, DAP_VERSION_PATCH },
                               .ndim = d->ndim,
                               .device_type = DAP_HOST,
                               .data = d->mem,
                               .itemsize = (int64_t)d->item_bytes,
                               .format = drxi_dap_format(d->type, d->format),
                               .shape = d->extent,
                               .strides = d->stride_bytes,
                               .dims = drxi_darray_dim(d, d->rank, 0),
                               .dim_stride = sizeof(struct dap_dim) };
    (void)atomic_fetch_add(&d->exports, 1);
    return DRX_OK;
}

/* `dims` has room for DRX_MAX_NDIM. */
static drx_status look_at_array(const struct dap_array *in, struct drxi_darray_plan *plan, struct dap_dim dims[])
{
    char why[512];
    drx_status st = drxi_dap_fail(dap_validate(in, why, sizeof why), why);

    if (!st && in->device_type != DAP_HOST)
        st = drxi_fail(DRX_EUNSUPPORTED, "device_type %ld, expected %d, the host", (long)in->device_type, DAP_HOST);
    if (!st)
        st = find_type(in, &plan->type);
    if (st)
        return st;
    plan->ndim = in->ndim;
    for (int j = 0; j < in->ndim && j < DRX_MAX_NDIM; j++)
        dims[j] = *dap_dim_at(in, j);
    return DRX_OK;
}

drx_status drxmp_darray_from_dap(MPI_Comm comm, struct dap_array *in, drxmp_darray **out)
{
    struct dap_dim dims[DRX_MAX_NDIM];
    struct drxi_darray_plan plan = {
        .order = DRX_ROW_MAJOR, .dims = dims, .imported = in ? in : &(struct dap_array){ 0 }, .comm = comm
    };
    struct drxi_call call;
    drx_status st;

    if (out)
        *out = NULL;
    drxi_call_start(&call, "drxmp_darray_from_dap");
    st = in && out ? look_at_array(in, &plan, dims)
                   : drxi_fail(DRX_EINVAL, "drxmp_darray_from_dap: in or out is a null pointer");
    st = drxi_darray_make(st, &plan, &call, out);
    if (!st)
        dap_move(in, &(*out)->imported);
    return st;
}
