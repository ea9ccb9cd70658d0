/* Descriptions of what numbers mean: from attributes, and whether two of them match. */
#include "cf/cf.h"
#include "drx_tools.h"

/* ---- from attributes ------------------------------------------------------------------ */

static const char *called(const drx_array *a)
{
    return drx_file(a, 0) ? drx_file(a, 0) : "the array";
}

static drx_status take_text(const drx_array *a, const char *name, const char **out)
{
    const void *values;
    int64_t n;
    drx_type type;

    *out = NULL;
    if (drx_attr_get(a, name, &type, &n, &values) != DRX_OK)
        return DRX_OK;
    if (type != DRX_UINT8)
        return drxi_fail(DRX_EINVAL, "%s: the attribute %s is not a text", called(a), name);
    *out = values;
    return DRX_OK;
}

static drx_status take_number(const drx_array *a, const char *name, double *out)
{
    drx_cf cf = { 0 };
    const void *values;
    int64_t n;

    if (drx_attr_get(a, name, &cf.type, &n, &values) != DRX_OK)
        return DRX_OK;
    if (n != 1 || drxi_cf_check(&cf) != DRX_OK)
        return drxi_fail(DRX_EINVAL, "%s: the attribute %s is not one real number", called(a), name);
    *out = (double)drxi_cf_unpack_one(&cf, values, 0);
    return DRX_OK;
}

static const void *fill_of(const drx_array *a)
{
    const void *values;
    drx_spec spec;
    drx_type type;
    int64_t n;

    drx_describe(a, &spec);
    if (drx_attr_get(a, "_FillValue", &type, &n, &values) == DRX_OK && type == spec.type && n == 1)
        return values;
    return spec.fill && !drxi_is_zero(spec.fill, drx_type_size(spec.type)) ? spec.fill : NULL;
}

drx_status drx_cf_describe(const drx_array *a, drx_cf *cf)
{
    drx_cf found = { 0 };
    drx_status st;

    if (!a)
        return drxi_no_array();
    if (!cf)
        return drxi_fail(DRX_EINVAL, "the description is a null pointer");
    found.type = drx_dtype(a);
    found.fill = fill_of(a);
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

    if (cf && is_date && DRX_IS_STRING(cf->type)) {
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
