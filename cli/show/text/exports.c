#include "exports.h"

#include <stdlib.h>
#include <string.h>

#include "frame/json.h"

/* The first key that is not good, or NULL. */
static const char *find_key(struct json_object *object, bool (*is_good)(const char *key))
{
    struct json_object_iterator at = json_object_iter_begin(object);
    const struct json_object_iterator end = json_object_iter_end(object);

    while (!json_object_iter_equal(&at, &end)) {
        const char *key = json_object_iter_peek_name(&at);

        if (!is_good(key))
            return key;
        json_object_iter_next(&at);
    }
    return NULL;
}

static char no_data; /* stands for the elements, which are not read */

static void release_export(struct dap_array *a)
{
    for (int axis = 0; axis < a->ndim && a->dims; axis++)
        free((void *)a->dims[axis].indices);
    free((void *)a->dims);
    free((void *)a->shape);
    free(a->private_data);
    a->release = NULL;
}

static const char digits[] = "0123456789";

/* A number of at most nine digits, and what follows it. */
static bool short_number(const char **text, int64_t *out)
{
    const size_t n = strspn(*text, digits);

    *out = strtoll(*text, NULL, 10);
    *text += n;
    return n > 0 && n <= 9;
}

static const char *string_of(struct json_object *value)
{
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
}

static bool read_version(const struct spot *spot, struct json_object *value, uint32_t version[3])
{
    const char *text = string_of(value);
    int64_t number = 0;
    bool good = true;

    for (int i = 0; good && i < 3; i++) {
        good = short_number(&text, &number) && *text == (i < 2 ? '.' : '\0');
        version[i] = (uint32_t)number;
        text++;
    }
    return good || spot_unfit(spot, "__version__", value, "\"major.minor.patch\", such as \"" DAP_VERSION "\"");
}

/* NumPy's: byte order, kind, bytes, and the unit of a time. */
static bool read_typestr(const struct spot *spot, struct json_object *buffer, struct dap_array *a)
{
    struct json_object *value;
    const char *text;

    if (!json_object_object_get_ex(buffer, "typestr", &value))
        return spot_wrong(spot, "buffer", "typestr is missing");
    text = string_of(value);
    a->private_data = strdup(text);
    if (!a->private_data)
        return spot_wrong(spot, NULL, "out of memory");
    a->format = a->private_data;
    if (*text && strchr("<>|=", text[0]) && text[1] && strchr("biufcmMOSUVt", text[1])) {
        const int64_t unit = text[1] == 'U' ? 4 : 1;

        text += 2;
        if (short_number(&text, &a->itemsize) && (!*text || *text == '[')) {
            a->itemsize *= unit;
            return true;
        }
    }
    return spot_unfit(spot, "typestr", value, "NumPy's name of a type, such as \"<f8\"");
}

/* Row-major, up to INT64_MAX, since there are no elements. */
static void fill_strides(const int64_t shape[], int ndim, int64_t itemsize, int64_t strides[])
{
    int64_t bytes = itemsize;

    for (int axis = ndim - 1; axis >= 0; axis--) {
        strides[axis] = bytes;
        if (__builtin_mul_overflow(bytes, shape[axis], &bytes))
            bytes = INT64_MAX;
    }
}

static bool read_buffer(const struct spot *spot, struct json_object *buffer, struct dap_array *a)
{
    struct json_object *list;
    int64_t *shape;
    size_t n;

    if (!json_object_is_type(buffer, json_type_object))
        return spot_unfit(spot, "buffer", buffer, "an object with shape and typestr");
    if (!json_object_object_get_ex(buffer, "shape", &list))
        return spot_wrong(spot, "buffer", "shape is missing");
    if (!spot_list(spot, "shape", list, "a list of whole numbers", &n) || !read_typestr(spot, buffer, a))
        return false;
    a->shape = shape = calloc(2 * n + 1, sizeof *shape);
    if (!shape)
        return spot_wrong(spot, NULL, "out of memory");
    for (size_t axis = 0; axis < n; axis++)
        if (!spot_whole(spot, "shape", json_object_array_get_idx(list, axis), &shape[axis]))
            return false;
    a->ndim = (int32_t)n;
    fill_strides(shape, a->ndim, a->itemsize, shape + n);
    a->strides = shape + n;
    return true;
}

static bool read_axes(const struct spot *spot, struct json_object *list, struct dap_array *a)
{
    struct spot there = *spot;
    struct dap_dim *dims;
    size_t n;

    if (!spot_list(spot, "dim_data", list, "a list of dictionaries", &n))
        return false;
    if (n != (size_t)a->ndim)
        return spot_wrong(spot, "dim_data", "%zu dictionaries, expected %d, one for each axis of the buffer", n,
                          (int)a->ndim);
    a->dims = dims = calloc(n ? n : 1, sizeof *dims);
    if (!dims)
        return spot_wrong(spot, NULL, "out of memory");
    for (there.axis = 0; there.axis < a->ndim; there.axis++)
        if (!read_exported_axis(&there, json_object_array_get_idx(list, (size_t)there.axis), a->shape[there.axis],
                                &dims[there.axis]))
            return false;
    return true;
}

static const char *const three_keys[] = { "__version__", "buffer", "dim_data" };

static bool is_one_of_three(const char *key)
{
    return strcmp(key, three_keys[0]) == 0 || strcmp(key, three_keys[1]) == 0 || strcmp(key, three_keys[2]) == 0;
}

/* The three keys, and no others. */
static bool read_rank(const struct spot *spot, struct json_object *export, struct dap_array *a)
{
    struct json_object *value[3];
    const char *other;

    *a = (struct dap_array){ .abi_major = DAP_ABI_MAJOR,
                             .abi_minor = DAP_ABI_MINOR,
                             .release = release_export,
                             .flags = DAP_READ_ONLY,
                             .device_type = DAP_HOST,
                             .data = &no_data,
                             .dim_stride = sizeof *a->dims };
    if (!json_object_is_type(export, json_type_object))
        return spot_unfit(spot, NULL, export, "an object with __version__, buffer and dim_data");
    for (int i = 0; i < 3; i++)
        if (!json_object_object_get_ex(export, three_keys[i], &value[i]))
            return spot_wrong(spot, three_keys[i], "missing");
    other = find_key(export, is_one_of_three);
    if (other)
        return spot_wrong(spot, other, "unexpected; give only __version__, buffer and dim_data");
    return read_version(spot, value[0], a->version) && read_buffer(spot, value[1], a) && read_axes(spot, value[2], a);
}

static bool is_rank(const char *key)
{
    return *key && !key[strspn(key, digits)];
}

/* The n keys are ranks. Each key occurs once, so if 0 to n - 1 are there, there are no others. */
static bool read_ranks(struct spot *spot, struct json_object *root, struct exports *f)
{
    const int64_t n = json_object_is_type(root, json_type_object) ? json_object_object_length(root) : 0;
    const char *other;

    if (n == 0)
        return spot_unfit(spot, NULL, root, "an object with an export for each rank");
    other = find_key(root, is_rank);
    if (other)
        return spot_wrong(spot, NULL, "key \"%s\", expected a rank", other);
    f->ranks = calloc((size_t)n, sizeof *f->ranks);
    f->set = calloc((size_t)n, sizeof *f->set);
    if (!f->ranks || !f->set)
        return spot_wrong(spot, NULL, "out of memory");
    for (int64_t rank = 0; rank < n; rank++) {
        struct json_object *export;
        char name[24];

        spot->rank = rank;
        (void)snprintf(name, sizeof name, "%lld", (long long)rank);
        if (!json_object_object_get_ex(root, name, &export))
            return spot_wrong(spot, NULL, "missing; %lld keys stand for the ranks 0 to %lld", (long long)n,
                              (long long)n - 1);
        f->set[rank] = &f->ranks[rank];
        f->nranks = rank + 1;
        if (!read_rank(spot, export, &f->ranks[rank]))
            return false;
    }
    return true;
}

bool read_exports(struct exports *f, const char *path)
{
    struct spot spot = { f->why, sizeof f->why, -1, -1 };
    struct json_object *root;
    bool good;

    memset(f, 0, sizeof *f);
    root = json_read(path, f->why, sizeof f->why);
    if (!root)
        return false;
    good = read_ranks(&spot, root, f) && dap_validate_set(f->set, f->nranks, f->why, sizeof f->why) == DAP_OK;
    json_object_put(root);
    return good;
}

void free_exports(struct exports *f)
{
    for (int64_t rank = 0; rank < f->nranks; rank++)
        dap_release(&f->ranks[rank]);
    free(f->ranks);
    free(f->set);
}
