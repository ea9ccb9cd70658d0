#include "chunk_slice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arrays/arrays.h"
#include "frame/json.h"
#include "frame/text.h"

enum { SHOWN_LINES = 40, SHOWN_RECORDS = 16 };

static bool is_gap(int64_t i, int64_t n, int64_t shown)
{
    return n > shown && i == shown / 2;
}

static int64_t after(int64_t i, int64_t n, int64_t shown)
{
    return is_gap(i, n, shown) ? n - (shown - shown / 2 - 1) : i + 1;
}

static drx_status put_row(const drx_array *a, int64_t row, int64_t columns, int64_t shown, int width)
{
    int64_t index[2] = { row, 0 };
    int64_t address;
    drx_status st;

    for (; index[1] < columns; index[1] = after(index[1], columns, shown)) {
        if (is_gap(index[1], columns, shown)) {
            put(" \u2026");
            continue;
        }
        st = drx_chunk_address(a, index, &address);
        if (st)
            return st;
        put("%s%*" PRId64, index[1] ? " " : "", width, address);
    }
    put("\n");
    return DRX_OK;
}

static drx_status put_table(const drx_array *a, bool all)
{
    int64_t bounds[2];
    const int64_t last = chunks_inside(a) - 1;
    const int64_t shown = all ? INT64_MAX : SHOWN_LINES;
    const int width = snprintf(NULL, 0, "%" PRId64, last);
    drx_status st = DRX_OK;

    if (last < 0)
        return DRX_OK;
    chunk_bounds(a, bounds);
    for (int64_t row = 0; !st && row < bounds[0] && !put_failed(); row = after(row, bounds[0], shown))
        if (is_gap(row, bounds[0], shown))
            put("%*s\n", width + 2, "\u2026"); /* three bytes, one column */
        else
            st = put_row(a, row, bounds[1], shown, width);
    put("\n");
    return st;
}

static drx_status put_vector(const drx_array *a, int axis, bool all)
{
    const int64_t records = records_inside(a, axis);
    const int64_t shown = all ? INT64_MAX : SHOWN_RECORDS;
    int64_t first_index, first_address;
    int64_t coefficients[DRX_MAX_NDIM];
    char name[AXIS_TEXT_BYTES], text[NUMBERS_TEXT_BYTES];
    drx_status st;

    put("%s: ", axis_text(a, axis, name));
    for (int64_t i = 0; i < records && !put_failed(); i = after(i, records, shown)) {
        if (is_gap(i, records, shown)) {
            put(", \u2026");
            continue;
        }
        st = drx_axial_record(a, axis, i, &first_index, &first_address, coefficients);
        if (st)
            return st;
        put("%s(%" PRId64 ";%" PRId64 ";%s)", i ? ", " : "", first_index, first_address,
            numbers_text(drx_ndim(a), coefficients, " ", text));
    }
    put("\n");
    return DRX_OK;
}

int put_map_text(drx_array *a, const char *path, bool all)
{
    drx_status st = DRX_OK;

    if (drx_ndim(a) == 2)
        st = put_table(a, all);
    for (int j = 0; !st && j < drx_ndim(a); j++)
        st = put_vector(a, j, all);
    return exit_code(path, st);
}

static drx_status put_vector_json(struct json *j, const drx_array *a, int axis)
{
    int64_t first_index, first_address;
    int64_t coefficients[DRX_MAX_NDIM];
    drx_status st = DRX_OK;

    json_begin(j, NULL, '[', true);
    for (int64_t i = 0, n = records_inside(a, axis); i < n && !put_failed(); i++) {
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
    int64_t bounds[DRX_MAX_NDIM];
    drx_status st = DRX_OK;

    chunk_bounds(a, bounds);
    json_begin(&j, NULL, '{', true);
    json_string(&j, "path", path);
    json_numbers(&j, "shape", ndim, drx_shape(a));
    json_numbers(&j, "chunk", ndim, drx_chunk(a));
    json_numbers(&j, "bounds_chunks", ndim, bounds);
    json_number(&j, "chunks", chunks_inside(a));
    json_begin(&j, "axial_vectors", '[', true);
    for (int axis = 0; !st && axis < ndim; axis++)
        st = put_vector_json(&j, a, axis);
    json_end(&j, ']');
    json_end(&j, '}');
    return exit_code(path, st);
}
