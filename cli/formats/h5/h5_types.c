/* Types of numbers, and messages of the library of HDF5. */
#include <stdlib.h>
#include <string.h>

#include "formats/export.h"
#include "h5.h"

void h5_stay_out_of_exit(void)
{
    (void)H5dont_atexit();
}

void h5_quiet(void)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

bool h5_has_blosc(void)
{
    h5_quiet();
    return H5Zfilter_avail(BLOSC_FILTER) > 0;
}

static herr_t keep_first(unsigned n, const H5E_error2_t *error, void *text)
{
    if (n == 0)
        (void)snprintf(text, H5_REASON_BYTES, "%s", error->desc ? error->desc : "");
    return 0;
}

void h5_reason(char out[H5_REASON_BYTES])
{
    out[0] = '\0';
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, out);
}

int h5_failed(const char *label, const char *what)
{
    static const char errno_text[] = "error message = '";
    char text[H5_REASON_BYTES];
    char *reason = text;
    char *inner;

    h5_reason(text);
    inner = strstr(text, errno_text);
    if (inner) { /* the rest of it is about HDF5 itself */
        reason = inner + strlen(errno_text);
        reason[strcspn(reason, "'")] = '\0';
    }
    return failed("%s: cannot %s: %s", label, what, *reason ? reason : "HDF5 gives no reason");
}

void h5_close(hid_t id)
{
    if (id >= 0)
        (void)H5Idec_ref(id);
}

hid_t h5_select(hid_t space, int ndim, const int64_t lo[], const int64_t count[])
{
    hsize_t start[DRX_MAX_NDIM], extent[DRX_MAX_NDIM];

    for (int k = 0; k < ndim; k++) {
        start[k] = (hsize_t)lo[k];
        extent[k] = (hsize_t)count[k];
    }
    return H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL) < 0
               ? -1
               : H5Screate_simple(ndim, extent, NULL);
}

bool h5_is_file(const char *path)
{
    h5_quiet();
    return H5Fis_hdf5(path) > 0;
}

static drx_type whole_type(hid_t type)
{
    const size_t bytes = H5Tget_size(type);
    const int place = bytes <= 1 ? 0 : bytes <= 2 ? 1 : bytes <= 4 ? 2 : 3;

    if (bytes == 0 || bytes > 8)
        return (drx_type)0;
    return (drx_type)((H5Tget_sign(type) == H5T_SGN_NONE ? DRX_UINT8 : DRX_INT8) + place);
}

enum { HALF_EXPONENT = 5, HALF_MANTISSA = 10, HALF_BIAS = 15 };

/* Whether floats of two bytes are those of IEEE 754; others need more bits of the exponent. */
static bool is_half(hid_t type)
{
    size_t sign, exponent, exponent_bits, mantissa, mantissa_bits;

    return H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) >= 0 &&
           exponent_bits == HALF_EXPONENT && mantissa_bits == HALF_MANTISSA && H5Tget_ebias(type) == HALF_BIAS;
}

static drx_type float_type(hid_t type)
{
    const size_t bytes = H5Tget_size(type);

    if (bytes == 2 && is_half(type))
        return DRX_FLOAT16;
    return bytes == 0 || bytes > 8 ? (drx_type)0 : bytes > 4 ? DRX_FLOAT64 : DRX_FLOAT32;
}

static bool member_is(hid_t type, unsigned i, const char *name, const char *other)
{
    char *own = H5Tget_member_name(type, i);
    const bool same = own && (strcasecmp(own, name) == 0 || strcasecmp(own, other) == 0);

    (void)H5free_memory(own);
    return same;
}

/* Two members, real and imaginary, of the same type of floats. */
static drx_type complex_type(hid_t type)
{
    drx_type part[2] = { 0 };

    if (H5Tget_nmembers(type) != 2 || !member_is(type, 0, "r", "real") || !member_is(type, 1, "i", "imag"))
        return (drx_type)0;
    for (unsigned i = 0; i < 2; i++) {
        const hid_t member = H5Tget_member_type(type, i);

        part[i] = H5Tget_class(member) == H5T_FLOAT ? float_type(member) : (drx_type)0;
        h5_close(member);
    }
    if (part[0] != part[1] || !part[0])
        return (drx_type)0;
    return part[0] != DRX_FLOAT64 ? DRX_COMPLEX64 : DRX_COMPLEX128;
}

/* The truth values of h5py: an enum. HDF5 converts enums by their names. */
static drx_type truth_type(hid_t type)
{
    if (H5Tget_nmembers(type) != 2 || !member_is(type, 0, "FALSE", "FALSE") || !member_is(type, 1, "TRUE", "TRUE"))
        return (drx_type)0;
    return DRX_BOOL;
}

hid_t h5_big_endian(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    hid_t made;

    if (class != H5T_COMPOUND) {
        made = H5Tcopy(type);
        if (class == H5T_INTEGER || class == H5T_FLOAT || class == H5T_BITFIELD)
            (void)H5Tset_order(made, H5T_ORDER_BE);
        return made;
    }
    made = H5Tcreate(H5T_COMPOUND, H5Tget_size(type));
    for (unsigned i = 0; i < (unsigned)H5Tget_nmembers(type); i++) {
        const hid_t member = H5Tget_member_type(type, i), big = h5_big_endian(member);
        char *name = H5Tget_member_name(type, i);

        (void)H5Tinsert(made, name, H5Tget_member_offset(type, i), big);
        (void)H5free_memory(name);
        h5_close(big);
        h5_close(member);
    }
    return made;
}

drx_type h5_number_type(hid_t type)
{
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        return whole_type(type);
    case H5T_FLOAT:
        return float_type(type);
    case H5T_COMPOUND:
        return complex_type(type);
    case H5T_ENUM:
        return truth_type(type);
    default:
        return (drx_type)0;
    }
}

static hid_t native_type(drx_type type)
{
    const hid_t types[] = {
        [DRX_INT8] = H5T_NATIVE_INT8,      [DRX_INT16] = H5T_NATIVE_INT16,     [DRX_INT32] = H5T_NATIVE_INT32,
        [DRX_INT64] = H5T_NATIVE_INT64,    [DRX_UINT8] = H5T_NATIVE_UINT8,     [DRX_UINT16] = H5T_NATIVE_UINT16,
        [DRX_UINT32] = H5T_NATIVE_UINT32,  [DRX_UINT64] = H5T_NATIVE_UINT64,   [DRX_FLOAT32] = H5T_NATIVE_FLOAT,
        [DRX_FLOAT64] = H5T_NATIVE_DOUBLE, [DRX_COMPLEX64] = H5T_NATIVE_FLOAT, [DRX_COMPLEX128] = H5T_NATIVE_DOUBLE,
    };

    return types[type];
}

/* HDF5 has had a name for it only since 1.14.4. */
static hid_t half_type(void)
{
    const hid_t half = H5Tcopy(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? H5T_IEEE_F32LE : H5T_IEEE_F32BE);

    (void)H5Tset_fields(half, HALF_EXPONENT + HALF_MANTISSA, HALF_MANTISSA, HALF_EXPONENT, 0, HALF_MANTISSA);
    (void)H5Tset_size(half, 2);
    (void)H5Tset_ebias(half, HALF_BIAS);
    return half;
}

/* As h5py writes it. */
static hid_t bool_type(void)
{
    const hid_t truth = H5Tenum_create(H5T_NATIVE_INT8);
    const int8_t no = 0, yes = 1;

    (void)H5Tenum_insert(truth, "FALSE", &no);
    (void)H5Tenum_insert(truth, "TRUE", &yes);
    return truth;
}

hid_t h5_number_memory(drx_type type, hid_t like)
{
    const size_t bytes = drx_type_size(type);
    char *name;
    hid_t part, pair;

    if (type == DRX_FLOAT16 || type == DRX_BOOL)
        return type == DRX_BOOL ? bool_type() : half_type();
    part = native_type(type);
    if (!type_is_complex(type))
        return H5Tcopy(part);
    pair = H5Tcreate(H5T_COMPOUND, bytes);
    for (unsigned i = 0; i < 2; i++) {
        name = like >= 0 ? H5Tget_member_name(like, i) : NULL;
        (void)H5Tinsert(pair, name ? name : i == 0 ? "r" : "i", i * bytes / 2, part);
        (void)H5free_memory(name);
    }
    return pair;
}
