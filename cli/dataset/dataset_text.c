/* Prints what a dataset is, as `ncdump -h` does for the file that export writes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "datasets.h"
#include "files/paths.h"

enum { SHOWN_VALUES = 50 };

static int depth; /* of the group that is printed */

static void put_line_begin(const char *text)
{
    put("%*s%s", 2 * depth, "", text);
}

/* The names of CDL, and what follows a value. */
static const struct {
    const char *name, *suffix;
} types[] = {
    [DRX_INT8] = { "byte", "b" },      [DRX_INT16] = { "short", "s" },        [DRX_INT32] = { "int", "" },
    [DRX_INT64] = { "int64", "LL" },   [DRX_UINT8] = { "ubyte", "UB" },       [DRX_UINT16] = { "ushort", "US" },
    [DRX_UINT32] = { "uint", "U" },    [DRX_UINT64] = { "uint64", "ULL" },    [DRX_FLOAT32] = { "float", "f" },
    [DRX_FLOAT64] = { "double", "" },  [DRX_COMPLEX64] = { "complex64", "" }, [DRX_COMPLEX128] = { "complex128", "" },
    [DRX_FLOAT16] = { "float16", "" }, [DRX_BOOL] = { "bool", "" },
};

static const char *name_of_type(drx_type type)
{
    const drx_type_info *info = drx_type_describe(type);

    return DRX_IS_NUMBER(type) ? types[type].name : info && *info->name ? info->name : drx_type_name(type);
}

/* bare: without the suffix of its type. */
static void put_value(drx_type type, const void *value, bool bare)
{
    char text[VALUE_TEXT_BYTES];
    const bool real = type == DRX_FLOAT16 || type == DRX_FLOAT32 || type == DRX_FLOAT64;

    value_text(type, value, text);
    if (!DRX_IS_NUMBER(type) || bare)
        put("%s", text);
    else if (real && text[strspn(text, "-0123456789")] == '\0') /* 0 would be an int */
        put("%s.%s", text, types[type].suffix);
    else
        put("%s%s", text, types[type].suffix);
}

/* A text in quotes, as CDL escapes it. */
static void put_quoted(const char *text, size_t n)
{
    char *visible = visible_text(text, n);

    put("\"");
    for (const char *at = visible ? visible : ""; *at; at++)
        put(*at == '"' ? "\\\"" : "%c", *at);
    put("\"");
    free(visible);
}

static void put_strings(const char *text, int64_t count)
{
    const char *separator = separator_of(text);

    for (int64_t i = 0; i < count; i++) {
        const size_t n = count == 1 ? strlen(text) : strcspn(text, separator);

        put("%s", i ? ", " : "");
        put_quoted(text, n);
        text += n + (text[n] == *separator);
    }
}

void put_attribute_value(const struct owner *of, const struct attribute *t, bool bare)
{
    const int64_t strings = t->is_text ? string_count(of, t->name) : -1;
    const char *values = t->values;

    if (t->is_text && bare)
        put_visible(values);
    else if (strings >= 0)
        put_strings(values, strings);
    else if (t->is_text)
        put_quoted(values, (size_t)t->n);
    for (int64_t k = 0; !t->is_text && k < t->n && (bare || k < SHOWN_VALUES); k++) {
        put("%s", k ? bare ? "," : ", " : "");
        put_value(t->type, values + (size_t)k * drx_type_size(t->type), bare);
    }
}

static void put_dataset_attribute(const char *variable, const struct owner *of, const struct attribute *t)
{
    put_line_begin(of->part == DRX_DIMENSION ? "\t\t// " : "\t\t"); /* netCDF has none of dimensions */
    if (t->is_text && string_count(of, t->name) >= 0)
        put("string ");
    if (DRX_IS_DEFINED(t->type))
        put("%s ", name_of_type(t->type));
    put_visible(variable);
    put(":");
    put_visible(t->name);
    put(" = ");
    put_attribute_value(of, t, false);
    put(" ;");
    if (!t->is_text && t->n > SHOWN_VALUES)
        put(" // %d of %" PRId64 " values", SHOWN_VALUES, t->n);
    put("\n");
}

static void put_dataset_attributes(const char *variable, const struct owner *of)
{
    for (struct attribute t = { 0 }; next_of(of, &t);)
        if (!is_note(t.name))
            put_dataset_attribute(variable, of, &t);
}

/* The fill value, if export makes an attribute of it. */
static void put_fill(const char *variable, const drx_array *a)
{
    const void *fill = fill_of(a);

    if (!fill || drx_attr_get(a, "_FillValue", NULL, NULL, NULL) == DRX_OK ||
        drx_attr_get(a, "missing_value", NULL, NULL, NULL) == DRX_OK)
        return;
    put_line_begin("\t\t");
    put_visible(variable);
    put(":_FillValue = ");
    put_value(drx_dtype(a), fill, false);
    put(" ;\n");
}

/* The date of element `index`; false: it is none. */
static bool date_at(drx_array *a, const drx_cf *cf, int64_t index, char text[DRX_CF_TEXT_BYTES])
{
    _Alignas(VALUE_ALIGN_BYTES) unsigned char stored[VALUE_MAX_BYTES];
    double value;

    index += drx_lower(a)[0];
    return !drx_get(a, &index, stored) && !drx_cf_unpack(cf, 1, stored, &value) && !drx_cf_text(cf, value, text);
}

/* After the declaration of a coordinate of times: the first and the last of them, as dates. False: it is none. */
static bool put_dates(drx_array *a)
{
    char first[DRX_CF_TEXT_BYTES], last[DRX_CF_TEXT_BYTES];
    const int64_t n = drx_shape(a)[0];
    drx_cf cf = { 0 };
    int is_date = 0;

    if (drx_ndim(a) != 1 || n == 0 || drx_cf_describe(a, &cf) || !cf.units || drx_cf_is_date(&cf, &is_date) ||
        !is_date || !date_at(a, &cf, 0, first) || !date_at(a, &cf, n - 1, last))
        return false;
    put(n > 1 ? " // %s \u2026 %s" : " // %s", first, last);
    return true;
}

/* And how its chunks are compressed, and were in the file that it comes from; of one variable, info tells all. */
static void put_codec(const drx_array *a, bool more)
{
    char text[SOURCE_TEXT_BYTES];
    drx_spec spec;

    drx_describe(a, &spec);
    if (spec.codec)
        put("%s%s", more ? "; " : " // ", codec_text(&spec, text));
    if (spec.source && spec.source->nwords > 0)
        put("%ssource: %s", more || spec.codec ? "; " : " // ", source_text(&spec, text));
}

static void put_variable(drx_dataset *ds, int i, drx_array *a)
{
    const char *name = base_name(drx_dataset_name(ds, i));
    const struct owner of = { .array = a };
    const bool strings = drx_dataset_ndim(ds, i) != 0 && holds_strings(a);
    const int ndim = drx_dataset_ndim(ds, i) - strings;
    char dim[DIM_TEXT_BYTES];
    bool dates = false;

    put_line_begin("\t");
    put("%s ", strings ? "string" : holds_text(a) ? "char" : name_of_type(drx_dtype(a)));
    put_visible(name);
    for (int k = 0; k < ndim; k++) {
        put("%s", k ? ", " : "(");
        put_visible(dim_text(ds, i, k, dim));
    }
    put("%s ;%s", ndim > 0 ? ")" : "", ndim < 0 ? " // null: no elements" : "");
    if (!strings)
        dates = put_dates(a);
    put_codec(a, dates);
    put("\n");
    put_dataset_attributes(name, &of);
    put_fill(name, a);
}

static void put_dimension(drx_dataset *ds, int d)
{
    const struct owner of = { .ds = ds, .part = DRX_DIMENSION, .name = drx_dataset_dim(ds, d, NULL) };
    const int64_t lower = drx_dataset_dim_lower(ds, d);
    const bool unlimited = is_unlimited(ds, d);

    put_line_begin("\t");
    put_visible(base_name(of.name));
    if (unlimited)
        put(" = UNLIMITED ; // (%" PRId64 " currently)", extent_of(ds, d));
    else
        put(" = %" PRId64 " ;", extent_of(ds, d));
    if (lower != 0)
        put("%s the first index is %" PRId64, unlimited ? "," : " //", lower);
    put("\n");
    put_dataset_attributes(base_name(of.name), &of);
}

/* ---- types, as CDL declares them ---- */

static void put_enum(const drx_type_info *info)
{
    char text[VALUE_TEXT_BYTES];

    put("%s enum ", name_of_type(info->base));
    put_visible(info->name);
    put(" {");
    for (int i = 0; i < info->nmembers; i++) {
        put("%s", i ? ", " : "");
        put_visible(info->members[i].name);
        value_text(info->base, info->members[i].value, text);
        put(" = %s", text);
    }
    put("} ;\n");
}

static void put_compound(const drx_type_info *info)
{
    put("compound ");
    put_visible(info->name);
    put(" {\n");
    for (int i = 0; i < info->nmembers; i++) {
        const drx_member *m = &info->members[i];

        put_line_begin("    ");
        put("%s ", name_of_type(m->type));
        put_visible(m->name);
        for (int j = 0; j < m->rank; j++)
            put("%s%" PRId64 "%s", j ? ", " : "(", m->extents[j], j == m->rank - 1 ? ")" : "");
        put(" ;\n");
    }
    put_line_begin("  }; // ");
    put_visible(info->name);
    put("\n");
}

static void put_type(const drx_type_info *info)
{
    put_line_begin("  ");
    if (info->type_class == DRX_ENUM) {
        put_enum(info);
    } else if (info->type_class == DRX_COMPOUND) {
        put_compound(info);
    } else {
        if (info->type_class == DRX_OPAQUE)
            put("opaque(%zu) ", info->bytes);
        else
            put("bitfield(%zu) ", 8 * info->bytes);
        put_visible(info->name);
        put(" ;");
        if (info->type_class == DRX_BITFIELD)
            put(" // bits %d to %d", info->first_bit, info->first_bit + info->nbits - 1);
        put("\n");
    }
}

/* Open the arrays, and find the dimensions that only the bytes of strings have. */
static int find_hidden(drx_dataset *ds, const char *path, bool hidden[])
{
    const int n = drx_dataset_count(ds);

    for (int i = 0; i < 2 * n && !put_failed(); i++) { /* what strings have, then what others have, too */
        const int ndim = drx_dataset_ndim(ds, i % n);
        const drx_array *a = member_array(ds, path, i % n);
        const bool strings = a && ndim > 0 && holds_strings(a);

        if (!a)
            return FAILED;
        for (int k = 0; i >= n && k < ndim - strings; k++)
            hidden[drx_dataset_axis(ds, i % n, k)] = false;
        if (i < n && strings)
            hidden[drx_dataset_axis(ds, i, ndim - 1)] = true;
    }
    return DONE;
}

static void put_head(const drx_dataset *ds, const char *path, const char *group)
{
    const int64_t shown = drx_dataset_shown(ds), last = drx_dataset_last(ds);
    char time[COMMIT_TIME_BYTES];
    drx_commit c;

    put("dataset ");
    put_visible(path);
    put("%s", group[0] ? ", group /" : "");
    put_visible(group);
    put(" { // commit %" PRId64, shown);
    if (shown < last)
        put(" of %" PRId64, last);
    if (drx_dataset_commit_info(ds, shown, &c) == DRX_OK)
        put(", %s", commit_time_text(c.time, time));
    put("\n");
}

/* Is it in that group, and in no group of it? */
static bool is_in(const char *group, const char *path)
{
    const size_t n = strlen(group);

    return (size_t)(base_name(path) - path) == n + (n > 0) && strncmp(path, group, n) == 0;
}

/* The heading before the first line. */
static void put_heading(bool *done, const char *text)
{
    if (!*done)
        put_line_begin(text);
    *done = true;
}

static void put_group(drx_dataset *ds, const char *path, const char *group, const bool hidden[])
{
    const struct owner of = { .ds = ds, .part = DRX_GROUP, .name = group };
    struct attribute first = { 0 };
    bool types_too = false, dims = false, variables = false;
    drx_type type;

    for (int i = 0; i < drx_dataset_type_count(ds); i++) {
        const char *name = drx_dataset_type(ds, i, &type);

        if (!*name || !DRX_IS_DEFINED(type) || !is_in(group, name))
            continue;
        put_heading(&types_too, "types:\n");
        put_type(drx_type_describe(type));
    }
    for (int d = 0; d < drx_dataset_dim_count(ds); d++)
        if (!hidden[d] && is_in(group, drx_dataset_dim(ds, d, NULL))) {
            put_heading(&dims, "dimensions:\n");
            put_dimension(ds, d);
        }
    for (int i = 0; i < drx_dataset_count(ds) && !put_failed(); i++)
        if (is_in(group, drx_dataset_name(ds, i))) {
            put_heading(&variables, "variables:\n");
            put_variable(ds, i, member_array(ds, path, i));
        }
    while (next_of(&of, &first) && is_note(first.name))
        first.name = NULL;
    if (first.name && !is_note(first.name)) {
        put("\n");
        put_line_begin(group[0] ? "// group attributes:\n" : "// global attributes:\n");
    }
    put_dataset_attributes("", &of);
    for (int i = 0; i < drx_dataset_group_count(ds) && !put_failed(); i++) {
        const char *inside = drx_dataset_group(ds, i);

        if (!is_in(group, inside))
            continue;
        put("\n");
        put_line_begin("group: ");
        put_visible(base_name(inside));
        put(" {\n");
        depth++;
        put_group(ds, path, inside, hidden);
        put_line_begin("} // group /");
        put_visible(inside);
        put("\n");
        depth--;
    }
}

int put_dataset_text(drx_dataset *ds, const char *path, const char *group)
{
    const int dims = drx_dataset_dim_count(ds);
    bool *hidden = calloc((size_t)dims + 1, sizeof *hidden);
    int status = hidden ? find_hidden(ds, path, hidden) : out_of_memory(dims);

    if (status == DONE) {
        put_head(ds, path, group);
        put_group(ds, path, group, hidden);
        put("}\n");
    }
    free(hidden);
    return status;
}
