/* Prints what an array is, as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "info.h"
#include "show/map/map_picture.h"

enum { NAME = 16, SHOWN_UNITS = 80 };

static bool value_at(drx_array *a, int64_t index, char out[VALUE_TEXT_BYTES])
{
    _Alignas(VALUE_ALIGN_BYTES) unsigned char value[VALUE_MAX_BYTES];

    index += drx_lower(a)[0];
    if (drx_get(a, &index, value))
        return false;
    value_text(drx_dtype(a), value, out);
    return true;
}

static void put_units(const drx_array *a)
{
    char *units = text_attribute(a, "units");
    const size_t n = units ? strlen(units) : 0;

    if (n > 0)
        put("  %.*s", (int)(n > SHOWN_UNITS ? whole_characters(units, SHOWN_UNITS) : n), units);
    free(units);
}

/* A name made visible, in `width` columns. */
static void put_name(const char *name, int width)
{
    char *visible = visible_text(name, strlen(name));
    const char *shown = visible ? visible : "";

    put("  %-*s  ", width + (int)strlen(shown) - character_count(shown), shown);
    free(visible);
}

/* A line for each coordinate of the array: its name, first and last value, units. */
static void put_coordinates(const drx_array *a, const char *path)
{
    char first[VALUE_TEXT_BYTES], last[VALUE_TEXT_BYTES];
    bool any = false;

    for (int j = 0; j < drx_ndim(a); j++) {
        drx_array *coordinate = open_named_like(a, path, j);
        const int64_t n = coordinate ? drx_shape(coordinate)[0] : 0;

        if (n > 0 && value_at(coordinate, 0, first) && value_at(coordinate, n - 1, last)) {
            put("%s", any ? "" : "coordinates\n");
            put_name(drx_dim_name(a, j), NAME);
            put("%s \u2026 %s", first, last);
            put_units(coordinate);
            if (n != drx_shape(a)[j])
                put("  (%" PRId64 " value%s for %" PRId64 " indices)", n, n == 1 ? "" : "s", drx_shape(a)[j]);
            put("\n");
            any = true;
        }
        (void)drx_close(coordinate);
    }
}

enum { LABEL = 11, SHOWN_STEPS = 12, SHOWN_VALUES = 8, SHOWN_TEXT = 1000 };

static const char times[] = " \u00d7 ";

static void put_label(const char *label)
{
    put("%-*s", LABEL, label);
}

static void put_info_line(const char *label, const char *text)
{
    put("%-*s%s\n", LABEL, label, text);
}

/* Text from a file, made visible, of at most SHOWN_TEXT bytes. */
static void put_bytes(const char *text, size_t n)
{
    const size_t shown = n > SHOWN_TEXT ? whole_characters(text, SHOWN_TEXT) : n;
    char *visible = visible_text(text, shown);

    put("%s", visible ? visible : "");
    if (shown < n)
        put("\u2026 (%zu bytes)", n);
    free(visible);
}

static void put_shape(const struct info *info)
{
    const drx_array *a = info->array;
    const int ndim = drx_ndim(a);
    char text[NUMBERS_TEXT_BYTES];
    const char *name;
    int named = 0;

    put_label("shape");
    put("%s", is_null(a) ? "none  (null: no elements)" : numbers_text(ndim, drx_shape(a), times, text));
    for (int j = 0; j < ndim; j++)
        named += drx_dim_name(a, j) != NULL;
    if (named) {
        put("  (");
        for (int j = 0; j < ndim; j++) {
            name = drx_dim_name(a, j);
            put("%s", j ? ", " : "");
            put_bytes(name ? name : "-", strlen(name ? name : "-"));
        }
        put(")");
    }
    put("\n");
}

/* "-3..8 x 0..9", when an axis does not begin at 0. */
static void put_indices(const drx_array *a)
{
    bool shown = false;

    for (int j = 0; j < drx_ndim(a); j++)
        shown = shown || drx_lower(a)[j] != 0;
    if (!shown)
        return;
    put_label("indices");
    for (int j = 0; j < drx_ndim(a); j++) {
        const int64_t lower = drx_lower(a)[j];

        put("%s%" PRId64 "..", j ? times : "", lower);
        if (drx_shape(a)[j])
            put("%" PRId64, lower + drx_shape(a)[j] - 1);
        else
            put(" (none)");
    }
    put("\n");
}

static void put_layout(const struct info *info)
{
    const drx_spec *spec = &info->spec;
    static const char zero[VALUE_MAX_BYTES];
    char text[NUMBERS_TEXT_BYTES], size[SIZE_TEXT_BYTES], value[VALUE_TEXT_BYTES];
    char codec[CODEC_TEXT_BYTES], source[SOURCE_TEXT_BYTES];
    const drx_type read = drx_cf_type(spec->type, attribute_text(info->array, "_Unsigned"));

    size_text(info->chunk_bytes, size);
    value_text(read, spec->fill ? spec->fill : zero, value);
    put_label("chunk");
    put("%s  (%s)\n", numbers_text(spec->ndim, drx_chunk(info->array), times, text), size);
    put_label("type");
    put(read == spec->type ? "%s\n" : "%s  (read as %s)\n", drx_type_name(spec->type), drx_type_name(read));
    put_info_line("order", spec->chunk_order == DRX_COL_MAJOR ? "F  (first axis fastest)" : "C  (last axis fastest)");
    put_info_line("fill", value);
    if (spec->align > 1) {
        put_label("align");
        put("%" PRId64 " bytes\n", spec->align);
    }
    if (spec->codec)
        put_info_line("codec", codec_text(spec, codec));
    if (source_text(spec, source)[0])
        put_info_line("source", source);
}

/* The number of chunks, how much of them is inside the bounds, and their segments. */
static void put_chunks(const drx_array *a)
{
    const bool simple = is_simple(a);
    const int ndim = drx_ndim(a);
    int64_t bounds[DRX_MAX_NDIM];
    int64_t segments = 0, records = 0, first_index, first_address;
    int64_t coefficients[DRX_MAX_NDIM];
    char text[NUMBERS_TEXT_BYTES];
    struct growth_steps steps;
    double inside = 100;

    put_label("chunks");
    put("%" PRId64, simple ? drx_chunk_count(a) : chunks_inside(a));
    chunk_bounds(a, bounds);
    if (ndim > 1)
        put("  (%s)", numbers_text(ndim, bounds, times, text));
    for (int j = 0; j < ndim && bounds[j] > 0; j++)
        inside *= (double)drx_shape(a)[j] / (double)drx_chunk(a)[j] / (double)bounds[j];
    if (!simple && drx_chunk_count(a) > chunks_inside(a))
        put(", %" PRId64 " trimmed", drx_chunk_count(a) - chunks_inside(a));
    if (drx_chunk_count(a) > 0 && inside < 1)
        put(", less than 1 %% inside the bounds");
    else if (drx_chunk_count(a) > 0 && inside < 99.5)
        put(", %.0f %% inside the bounds", inside);
    begin_steps(&steps, a);
    while (simple && next_step(&steps))
        segments += steps.step.chunks > 0;
    for (int j = 0; j < ndim; j++)
        for (int64_t i = 0; i < drx_axial_count(a, j); i++)
            records += !drx_axial_record(a, j, i, &first_index, &first_address, coefficients) && first_address >= 0;
    put("\n");
    if (!simple && records > 1) {
        put_label("segments");
        put("%" PRId64 ", each with an expansion record\n", records);
    }
    if (segments > 1) {
        put_label("segments");
        put("%" PRId64 ", in %" PRId64 " expansion record%s\n", segments, records, records == 1 ? "" : "s");
    }
}

static void put_file_sizes(const struct file_sizes *sizes)
{
    char size[SIZE_TEXT_BYTES], on_disk[SIZE_TEXT_BYTES];

    size_text(sizes->bytes, size);
    size_text(sizes->on_disk, on_disk);
    put("%s, %s on disk", size, on_disk);
}

/* A line for each file. */
static void put_stripes(const struct info *info)
{
    for (int k = 0; k < info->spec.nstripes; k++) {
        const char *name = drx_file(info->array, 1 + k);

        put("%*s", LABEL, "");
        put_bytes(name, strlen(name));
        put(": ");
        put_file_sizes(&info->stripe[k]);
        put("\n");
    }
}

/* What the file of payloads holds. */
static void put_packing(const struct info *info)
{
    const drx_packing *p = &info->packing;
    char stored[SIZE_TEXT_BYTES], more[SIZE_TEXT_BYTES];

    if (!info->surveyed)
        return;
    size_text(p->stored_bytes, stored);
    put_label("stored");
    put("%s", stored);
    if (packing_ratio(info) > 0)
        put(", ratio %.2f", packing_ratio(info));
    if (p->open_chunks) {
        size_text(p->open_chunks * info->chunk_bytes, more);
        put("; %" PRId64 " chunk%s open (%s)", p->open_chunks, p->open_chunks == 1 ? "" : "s", more);
    }
    if (p->empty_chunks)
        put("; %" PRId64 " chunk%s empty", p->empty_chunks, p->empty_chunks == 1 ? "" : "s");
    if (p->dead_bytes) {
        size_text(p->dead_bytes, more);
        put("; %s dead", more);
    }
    put("\n");
    put_label("table");
    put_file_sizes(&info->table);
    put("\n");
}

static void put_sizes(const struct info *info)
{
    char size[SIZE_TEXT_BYTES], changed[TIME_TEXT_BYTES];

    put_chunks(info->array);
    put_label("data");
    put_file_sizes(&info->data);
    put("\n");
    put_stripes(info);
    if (info->spec.codec)
        put_packing(info);
    size_text(info->metadata.bytes, size);
    put_info_line("metadata", size);
    if (info->spec.flags & DRX_CHECKSUM) {
        put_label("checksums");
        put_file_sizes(&info->checksums);
        put("\n");
    }
    put_info_line("changed", time_text(info->changed, changed));
}

static void put_info_attribute(const struct attribute *t)
{
    const char *values = t->values;
    char text[VALUE_TEXT_BYTES];

    put_name(t->name, LABEL + 5);
    if (t->is_text) {
        put("\"");
        put_bytes(values, (size_t)t->n);
        put("\"\n");
        return;
    }
    for (int64_t k = 0; k < t->n && k < SHOWN_VALUES; k++) {
        value_text(t->type, values + (size_t)k * drx_type_size(t->type), text);
        put("%s ", text);
    }
    if (t->n > SHOWN_VALUES)
        put("\u2026 (%" PRId64 " values) ", t->n);
    put(" (%s)\n", drx_type_name(t->type));
}

static void put_info_attributes(const drx_array *a)
{
    if (drx_attr_count(a) > 0)
        put("attributes\n");
    for (struct attribute t = { 0 }; next_attribute(a, &t);)
        put_info_attribute(&t);
}

/* The number of consecutive growths of one axis, from growth i on; 0: at the end. */
static int64_t same_axis(const drx_array *a, int64_t i, int *axis, int64_t *by)
{
    int64_t n = 0, more;
    int other;

    for (*by = 0;
         drx_growth(a, i + n, &other, &more) == DRX_OK && (n == 0 || (other == *axis && (more < 0) == (*by < 0)));
         n++) {
        *axis = other;
        *by += more;
    }
    return n;
}

/* Consecutive growths of one axis are one step. Of many steps the first and the last are shown. */
static void put_history(const struct info *info)
{
    const drx_array *a = info->array;
    const int ndim = drx_ndim(a);
    int64_t shape[DRX_MAX_NDIM];
    int64_t n, by, steps = 0, step = 0;
    char text[NUMBERS_TEXT_BYTES], axis_name[AXIS_TEXT_BYTES];
    const bool trimmed = is_trimmed(a);
    int axis = 0;

    memcpy(shape, drx_initial_shape(a), (size_t)ndim * sizeof *shape);
    put_label("history");
    put("made as %s%s\n", numbers_text(ndim, shape, times, text), info->spec.flags & DRX_SHELL ? ", in shells" : "");
    for (int64_t i = 0; (n = same_axis(a, i, &axis, &by)) > 0; i += n)
        steps++;
    for (int64_t i = 0; (n = same_axis(a, i, &axis, &by)) > 0; i += n, step++) {
        shape[axis] += by < 0 ? -by : by;
        if (steps > SHOWN_STEPS && step == SHOWN_STEPS / 2)
            put("%*s\u2026 %" PRId64 " more\n", LABEL, "", steps - SHOWN_STEPS);
        if (step >= SHOWN_STEPS / 2 && step < steps - SHOWN_STEPS / 2)
            continue;
        put("%*s%s +%" PRId64, LABEL, "", axis_text(a, axis, axis_name), by < 0 ? -by : by);
        if (by < 0)
            put(" at the low end");
        if (n > 1)
            put(" in %" PRId64 " growths", n);
        if (trimmed)
            put("\n");
        else
            put(": %s\n", numbers_text(ndim, shape, times, text));
    }
    for (int j = 0; j < ndim; j++)
        if (shape[j] != drx_shape(a)[j])
            put("%*s%s trimmed by %" PRId64 "\n", LABEL, "", axis_text(a, j, axis_name), shape[j] - drx_shape(a)[j]);
}

void put_info_text(const struct info *info)
{
    put_label("path");
    put_bytes(info->path, strlen(info->path));
    put("\n");
    put_shape(info);
    put_indices(info->array);
    put_layout(info);
    put_sizes(info);
    put_history(info);
    put_coordinates(info->array, info->path);
    put_info_attributes(info->array);
}
