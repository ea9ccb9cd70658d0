#include "map_picture.h"

#include <inttypes.h>
#include <string.h>

#include "arrays/arrays.h"
#include "frame/json.h"

enum { SHOWN_LINES = 40, SHOWN_RECORDS = 16, SEARCHED = 100000 };

static bool is_gap(int64_t i, int64_t n, int64_t shown)
{
    return n > shown && i == shown / 2;
}

static int64_t after(int64_t i, int64_t n, int64_t shown)
{
    return is_gap(i, n, shown) ? n - (shown - shown / 2 - 1) : i + 1;
}

static drx_status put_row(const drx_array *a, const int64_t first[2], int64_t row, int64_t columns, int64_t shown,
                          int width)
{
    int64_t address;
    drx_status st;

    for (int64_t column = 0; column < columns; column = after(column, columns, shown)) {
        if (is_gap(column, columns, shown)) {
            put(" \u2026");
            continue;
        }
        st = drx_chunk_address(a, (int64_t[]){ first[0] + row, first[1] + column }, &address);
        if (st)
            return st;
        put("%s%*" PRId64, column ? " " : "", width, address);
    }
    put("\n");
    return DRX_OK;
}

static int digits(int64_t n)
{
    return snprintf(NULL, 0, "%" PRId64, n);
}

static int wider(int a, int b)
{
    return a > b ? a : b;
}

/* The chunk indices above the columns. */
static void put_columns(int64_t first, int64_t columns, int64_t shown, int label, int width)
{
    put("%*s", label + 2, "");
    for (int64_t column = 0; column < columns; column = after(column, columns, shown))
        if (is_gap(column, columns, shown))
            put(" \u2026");
        else
            put("%s%*" PRId64, column ? " " : "", width, first + column);
    put("\n");
}

/* Unless it begins at chunk 0,0, the table has chunk indices above and beside it. */
static drx_status put_map_table(const drx_array *a, bool all)
{
    int64_t bounds[2], first[2];
    const int64_t last = (is_simple(a) ? chunks_inside(a) : drx_chunk_count(a)) - 1;
    const int64_t shown = all ? INT64_MAX : SHOWN_LINES;
    int width = digits(last), label;
    bool labels;
    drx_status st = DRX_OK;

    if (chunks_inside(a) == 0)
        return DRX_OK;
    chunk_bounds(a, bounds);
    first_chunk(a, first);
    labels = first[0] != 0 || first[1] != 0;
    label = wider(digits(first[0]), digits(first[0] + bounds[0] - 1));
    if (labels) {
        width = wider(width, wider(digits(first[1]), digits(first[1] + bounds[1] - 1)));
        put_columns(first[1], bounds[1], shown, label, width);
    }
    for (int64_t row = 0; !st && row < bounds[0] && !put_failed(); row = after(row, bounds[0], shown))
        if (is_gap(row, bounds[0], shown)) {
            put("%*s\n", width + 2 + (labels ? label + 2 : 0), "\u2026"); /* three bytes, one column */
        } else {
            if (labels)
                put("%*" PRId64 "  ", label, first[0] + row);
            st = put_row(a, first, row, bounds[1], shown, width);
        }
    put("\n");
    return st;
}

/* The records of growth at the high end come first in the list of an axis. */
static int64_t high_records(const drx_array *a, int axis)
{
    const int64_t records = records_inside(a, axis), high = drx_axial_count(a, axis) - drx_axial_low_count(a, axis);

    return records < high ? records : high;
}

/* The axial vector of an end of an axis. */
static drx_status put_vector(const drx_array *a, int axis, bool low, bool all)
{
    const int64_t high = high_records(a, axis), begin = low ? high : 0;
    const int64_t records = (low ? records_inside(a, axis) : high) - begin;
    const int64_t shown = all ? INT64_MAX : SHOWN_RECORDS;
    int64_t first_index, first_address;
    int64_t coefficients[DRX_MAX_NDIM];
    char name[AXIS_TEXT_BYTES], text[NUMBERS_TEXT_BYTES];
    drx_status st;

    if (low && records == 0)
        return DRX_OK;
    put("%s%s: ", axis_text(a, axis, name), low ? ", low end" : "");
    for (int64_t i = 0; i < records && !put_failed(); i = after(i, records, shown)) {
        if (is_gap(i, records, shown)) {
            put(", \u2026");
            continue;
        }
        st = drx_axial_record(a, axis, begin + i, &first_index, &first_address, coefficients);
        if (st)
            return st;
        put("%s(%" PRId64 ";%" PRId64 ";%s)", i ? ", " : "", first_index, first_address,
            numbers_text(drx_ndim(a), coefficients, " ", text));
    }
    put("\n");
    return DRX_OK;
}

static int64_t free_addresses(const drx_array *a)
{
    return is_simple(a) ? 0 : drx_chunk_count(a) - chunks_inside(a);
}

static void put_range(int64_t from, int64_t to, int64_t number)
{
    put("%s%" PRId64, number ? ", " : ": ", from);
    if (to > from)
        put("\u2013%" PRId64, to);
}

/* The addresses of chunks that were trimmed: how many, and of few addresses, which. */
static void put_free(const drx_array *a, bool all)
{
    const int64_t count = drx_chunk_count(a);
    int64_t index[DRX_MAX_NDIM], ranges = 0, from = -1;

    put("free: %" PRId64 " of %" PRId64 " addresses, of chunks trimmed since", free_addresses(a), count);
    for (int64_t q = 0; q <= count && (all || count <= SEARCHED); q++) {
        const bool is_free = q < count && drx_chunk_index(a, q, index) == DRX_ERANGE;

        if (is_free && from < 0)
            from = q;
        if (is_free || from < 0)
            continue;
        if (all || ranges < SHOWN_RECORDS)
            put_range(from, q - 1, ranges);
        ranges++;
        from = -1;
    }
    put(!all && ranges > SHOWN_RECORDS ? ", \u2026\n" : "\n");
}

int put_map_text(drx_array *a, const char *path, bool all)
{
    drx_status st = DRX_OK;

    if (drx_ndim(a) == 2)
        st = put_map_table(a, all);
    for (int j = 0; !st && j < drx_ndim(a); j++) {
        st = put_vector(a, j, false, all);
        st = st ? st : put_vector(a, j, true, all);
    }
    if (!st && free_addresses(a) > 0)
        put_free(a, all);
    return exit_code(path, st);
}

static drx_status put_vector_json(struct json *j, const drx_array *a, int axis, bool low)
{
    const int64_t high = high_records(a, axis), end = low ? records_inside(a, axis) : high;
    int64_t first_index, first_address;
    int64_t coefficients[DRX_MAX_NDIM];
    drx_status st = DRX_OK;

    json_begin(j, NULL, '[', true);
    for (int64_t i = low ? high : 0; i < end && !put_failed(); i++) {
        st = drx_axial_record(a, axis, i, &first_index, &first_address, coefficients);
        if (st)
            break;
        json_begin(j, NULL, '{', false);
        json_number(j, "first_index", first_index);
        json_number(j, "first_address", first_address);
        json_numbers(j, "coefficients", drx_ndim(a), coefficients);
        json_end(j, '}');
    }
    json_end(j, ']');
    return st;
}

int put_map_json(drx_array *a, const char *path)
{
    const int ndim = drx_ndim(a);
    struct json j = { 0 };
    int64_t bounds[DRX_MAX_NDIM], first[DRX_MAX_NDIM];
    drx_status st = DRX_OK;

    chunk_bounds(a, bounds);
    first_chunk(a, first);
    json_begin(&j, NULL, '{', true);
    json_string(&j, "path", path);
    json_numbers(&j, "shape", ndim, drx_shape(a));
    json_numbers(&j, "lower", ndim, drx_lower(a));
    json_numbers(&j, "chunk", ndim, drx_chunk(a));
    json_numbers(&j, "bounds_chunks", ndim, bounds);
    json_numbers(&j, "first_chunk", ndim, first);
    json_number(&j, "chunks", chunks_inside(a));
    json_number(&j, "free_addresses", free_addresses(a));
    for (int low = 0; low < 2; low++) {
        json_begin(&j, low ? "low_axial_vectors" : "axial_vectors", '[', true);
        for (int axis = 0; !st && axis < ndim; axis++)
            st = put_vector_json(&j, a, axis, low);
        json_end(&j, ']');
    }
    json_end(&j, '}');
    return exit_code(path, st);
}
