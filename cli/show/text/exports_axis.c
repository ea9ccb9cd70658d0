/* Reads an axis that a rank exports. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "exports.h"

bool spot_wrong(const struct spot *spot, const char *key, const char *format, ...)
{
    char rank[32] = "", axis[24] = "", what[400];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (spot->rank >= 0)
        (void)snprintf(rank, sizeof rank, "rank %lld%s", (long long)spot->rank, key || spot->axis >= 0 ? ", " : ": ");
    if (spot->axis >= 0)
        (void)snprintf(axis, sizeof axis, "axis %d%s", spot->axis, key ? ", " : ": ");
    (void)snprintf(spot->why, spot->why_bytes, "%s%s%s%s%s", rank, axis, key ? key : "", key ? ": " : "", what);
    return false;
}

bool spot_unfit(const struct spot *spot, const char *key, struct json_object *value, const char *expected)
{
    const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
    const char *text = json_object_to_json_string_ext(value, flags);
    const bool cut = strlen(text) > 60;

    return spot_wrong(spot, key, "%.*s%s, expected %s", cut ? 57 : 60, text, cut ? "..." : "", expected);
}

/* For a number that is too large, json-c returns the nearest one. */
bool spot_whole(const struct spot *spot, const char *key, struct json_object *value, int64_t *out)
{
    if (!json_object_is_type(value, json_type_int))
        return spot_unfit(spot, key, value, "a whole number");
    *out = json_object_get_int64(value);
    if (*out == INT64_MIN || (*out == INT64_MAX && json_object_get_uint64(value) > INT64_MAX))
        return spot_wrong(spot, key, "a number that does not fit in 64 bits");
    return true;
}

bool spot_list(const struct spot *spot, const char *key, struct json_object *value, const char *expected, size_t *n)
{
    if (!json_object_is_type(value, json_type_array))
        return spot_unfit(spot, key, value, expected);
    *n = json_object_array_length(value);
    return true;
}

/* Read a required key. */
static bool required(const struct spot *spot, struct json_object *dictionary, const char *key, int64_t *out)
{
    struct json_object *value;

    if (!json_object_object_get_ex(dictionary, key, &value))
        return spot_wrong(spot, key, "missing");
    return spot_whole(spot, key, value, out);
}

/* Read an optional key. */
static bool optional_flag(const struct spot *spot, struct json_object *dictionary, const char *key, uint32_t flag,
                          uint32_t *flags)
{
    struct json_object *value;

    if (!json_object_object_get_ex(dictionary, key, &value))
        return true;
    if (!json_object_is_type(value, json_type_boolean))
        return spot_unfit(spot, key, value, "true or false");
    *flags |= json_object_get_boolean(value) ? flag : 0;
    return true;
}

static bool optional_padding(const struct spot *spot, struct json_object *dictionary, int64_t padding[2])
{
    struct json_object *value;
    size_t n = 0;

    if (!json_object_object_get_ex(dictionary, "padding", &value))
        return true;
    if (!spot_list(spot, "padding", value, "a list of two whole numbers", &n))
        return false;
    if (n != 2)
        return spot_unfit(spot, "padding", value, "a list of two whole numbers");
    for (size_t end = 0; end < 2; end++)
        if (!spot_whole(spot, "padding", json_object_array_get_idx(value, end), &padding[end]))
            return false;
    return true;
}

static bool read_block(const struct spot *spot, struct json_object *dictionary, struct dap_dim *dim)
{
    return required(spot, dictionary, "start", &dim->start) && required(spot, dictionary, "stop", &dim->stop) &&
           optional_padding(spot, dictionary, dim->padding) &&
           optional_flag(spot, dictionary, "periodic", DAP_DIM_PERIODIC, &dim->flags);
}

static bool read_cyclic(const struct spot *spot, struct json_object *dictionary, struct dap_dim *dim)
{
    struct json_object *value;

    dim->block_size = 1;
    return required(spot, dictionary, "start", &dim->start) &&
           (!json_object_object_get_ex(dictionary, "block_size", &value) ||
            spot_whole(spot, "block_size", value, &dim->block_size));
}

static bool read_unstructured(const struct spot *spot, struct json_object *dictionary, struct dap_dim *dim)
{
    struct json_object *value;
    int64_t *indices;
    size_t n = 0;

    if (!json_object_object_get_ex(dictionary, "indices", &value))
        return spot_wrong(spot, "indices", "missing");
    if (!spot_list(spot, "indices", value, "a list of whole numbers", &n))
        return false;
    indices = calloc(n ? n : 1, sizeof *indices);
    if (!indices)
        return spot_wrong(spot, "indices", "out of memory for %zu of them", n);
    dim->indices = indices;
    dim->n_indices = (int64_t)n;
    for (size_t i = 0; i < n; i++)
        if (!spot_whole(spot, "indices", json_object_array_get_idx(value, i), &indices[i]))
            return false;
    return optional_flag(spot, dictionary, "one_to_one", DAP_DIM_ONE_TO_ONE, &dim->flags);
}

bool read_exported_axis(const struct spot *spot, struct json_object *dictionary, int64_t extent, struct dap_dim *dim)
{
    struct json_object *value;
    const char *type;

    if (!json_object_is_type(dictionary, json_type_object))
        return spot_unfit(spot, "dim_data", dictionary, "a dictionary");
    if (json_object_object_length(dictionary) == 0)
        return dap_undistributed(extent, dim) == DAP_OK || spot_wrong(spot, "shape", "less than 0");
    if (!json_object_object_get_ex(dictionary, "dist_type", &value))
        return spot_wrong(spot, "dist_type", "missing");
    type = json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
    if (strcmp(type, "b") != 0 && strcmp(type, "c") != 0 && strcmp(type, "u") != 0)
        return spot_unfit(spot, "dist_type", value, "\"b\", \"c\" or \"u\"");
    dim->dist_type = type[0];
    if (!required(spot, dictionary, "size", &dim->size) ||
        !required(spot, dictionary, "proc_grid_size", &dim->proc_grid_size) ||
        !required(spot, dictionary, "proc_grid_rank", &dim->proc_grid_rank))
        return false;
    return (type[0] == 'b' ? read_block : type[0] == 'c' ? read_cyclic : read_unstructured)(spot, dictionary, dim);
}
