/* Descriptions of what numbers mean: from attributes, and whether two of them match. */
#include "cf/cf.h"
#include "drx_tools.h"

#include <strings.h>

/* ---- from attributes ------------------------------------------------------------------ */

static const char *called(const drx_array *a)
{
    return drx_file(a, 0) ? drx_file(a, 0) : "the array";
}

struct attribute {
    const void *values; /* NULL: there is none */
    int64_t n;
    drx_type type;
    int is_text;
};

static struct attribute attribute_of(const drx_array *a, const char *name)
{
    struct attribute t = { 0 };
    const char *other = NULL;

    if (drx_attr_get(a, name, NULL, NULL, &t.values) == DRX_OK)
        for (int i = 0; !other || strcmp(other, name) != 0; i++)
            (void)drx_attr_info(a, i, &other, &t.type, &t.n, &t.is_text);
    return t;
}

static drx_status take_text(const drx_array *a, const char *name, const char **out)
{
    const struct attribute t = attribute_of(a, name);

    *out = t.values;
    if (t.values && !t.is_text)
        return drxi_fail(DRX_EINVAL, "%s: the attribute %s is not a text", called(a), name);
    return DRX_OK;
}

static drx_status take_number(const drx_array *a, const char *name, double *out)
{
    const struct attribute t = attribute_of(a, name);
    const drx_cf cf = { .type = t.type };

    if (!t.values)
        return DRX_OK;
    if (t.is_text || t.n != 1 || drxi_cf_check(&cf) != DRX_OK)
        return drxi_fail(DRX_EINVAL, "%s: the attribute %s is not one real number", called(a), name);
    *out = (double)drxi_cf_unpack_one(&cf, t.values, 0);
    return DRX_OK;
}

static bool is_complex(drx_type type)
{
    return type == DRX_COMPLEX64 || type == DRX_COMPLEX128;
}

/* The numbers of an attribute that stand for missing elements; other attributes stand for none. Those of the type of
 * the elements are read as these are. */
static struct attribute marks_of(const drx_array *a, const char *name, drx_type read_as)
{
    struct attribute t = attribute_of(a, name);

    if (t.is_text || t.n > INT32_MAX || (is_complex(t.type) && (t.n != 1 || !is_complex(read_as))))
        return (struct attribute){ 0 };
    if (t.type == drx_dtype(a))
        t.type = read_as;
    return t;
}

static void take_missing(const drx_array *a, drx_cf *cf)
{
    const struct attribute fill = marks_of(a, "_FillValue", cf->type), other = marks_of(a, "missing_value", cf->type);
    drx_spec spec;

    drx_describe(a, &spec);
    if (fill.n == 1) {
        cf->fill = fill.values;
        cf->fill_type = fill.type;
    } else if (spec.fill && !drxi_is_zero(spec.fill, drx_type_size(spec.type))) {
        cf->fill = spec.fill;
        cf->fill_type = cf->type;
    }
    cf->missing = other.values;
    cf->nmissing = (int32_t)other.n;
    cf->missing_type = other.type;
}

drx_type drx_cf_type(drx_type stored, const char *is_unsigned)
{
    const bool is_signed = stored >= DRX_INT8 && stored <= DRX_INT64;
    const char *other = is_signed ? "true" : stored >= DRX_UINT8 && stored <= DRX_UINT64 ? "false" : NULL;

    if (!other || !is_unsigned || strcasecmp(is_unsigned, other) != 0)
        return stored;
    return is_signed ? stored + (DRX_UINT8 - DRX_INT8) : stored - (DRX_UINT8 - DRX_INT8);
}

drx_status drx_cf_describe(const drx_array *a, drx_cf *cf)
{
    struct attribute sign;
    drx_cf found = { 0 };
    drx_status st;

    if (!a)
        return drxi_no_array();
    if (!cf)
        return drxi_fail(DRX_EINVAL, "the description is a null pointer");
    sign = attribute_of(a, "_Unsigned");
    found.type = drx_cf_type(drx_dtype(a), sign.is_text ? sign.values : NULL);
    take_missing(a, &found);
    st = take_text(a, "units", &found.units);
    if (!st)
        st = take_text(a, "calendar", &found.calendar);
    if (!st)
        st = take_text(a, "standard_name", &found.standard_name);
    if (!st)
        st = take_number(a, "scale_factor", &found.scale_factor);
    if (!st)
        st = take_number(a, "add_offset", &found.add_offset);
    if (!st)
        *cf = found;
    return st;
}

/* ---- do two of them match? ---------------------------------------------------------------- */

drx_status drx_cf_is_date(const drx_cf *cf, int *is_date)
{
    struct drxi_since since;
    bool found;
    drx_status st;

    if (cf && is_date && (DRX_IS_STRING(cf->type) || DRX_IS_DEFINED(cf->type))) {
        *is_date = 0;
        return DRX_OK;
    }
    st = drxi_cf_check(cf);
    if (!st)
        st = drxi_since_of(cf, &found, &since);
    if (!st)
        *is_date = found;
    return st;
}

static drx_status match_names(const drx_cf *stored, const drx_cf *given)
{
    if (stored->name && given->name && strcmp(stored->name, given->name) != 0)
        return drxi_fail(DRX_EMISMATCH, "the name is '%s', but '%s' is stored", given->name, stored->name);
    if (stored->standard_name && given->standard_name && strcmp(stored->standard_name, given->standard_name) != 0)
        return drxi_fail(DRX_EMISMATCH, "%s: the standard_name is '%s', but '%s' is stored", drxi_cf_label(stored),
                         given->standard_name, stored->standard_name);
    return DRX_OK;
}

drx_status drx_cf_match(const drx_cf *stored, const drx_cf *given)
{
    struct drxi_conversion conversion;
    drx_status st = DRX_OK;

    if (drxi_cf_has_names(stored, given)) {
        st = drxi_names_match(stored, given);
        return st ? st : match_names(stored, given);
    }
    st = drxi_cf_check(stored);
    if (!st)
        st = drxi_cf_check(given);
    if (!st)
        st = match_names(stored, given);
    if (!st)
        st = drxi_conversion_begin(given, stored, &conversion);
    return st;
}
