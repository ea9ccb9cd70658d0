/* What the file stores of a dataset: boxes of elements, chunks that were never allocated. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "formats/tree.h"
#include "h5.h"

/* Does a read leave elements as they are in memory when nobody wrote them? */
static bool is_bare(hid_t plist)
{
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    H5D_fill_time_t when = H5D_FILL_TIME_NEVER;

    return H5Pfill_value_defined(plist, &defined) < 0 || H5Pget_fill_time(plist, &when) < 0 ||
           defined == H5D_FILL_VALUE_UNDEFINED || when == H5D_FILL_TIME_NEVER;
}

bool h5_open_space(struct source *s)
{
    struct h5 *h5 = s->state;
    hid_t plist;

    h5->space = H5Dget_space(h5->dataset);
    plist = h5->space >= 0 ? H5Dget_create_plist(h5->dataset) : -1;
    if (plist < 0)
        return !h5_failed(s->label, "read the shape");
    h5->layout = H5Pget_layout(plist);
    h5->bare = is_bare(plist);
    h5->external = H5Pget_external_count(plist) > 0;
    if (h5->layout == H5D_CHUNKED)
        (void)H5Pget_chunk(plist, H5S_MAX_RANK, h5->chunk);
    h5_close(plist);
    s->null = H5Sget_simple_extent_type(h5->space) == H5S_NULL;
    if (s->null && !s->tree)
        return !failed("%s: has no elements, not even a shape", s->label);
    if (s->null && s->tree->var[s->var].ndim > 0)
        return !failed("%s: has no elements, not even a shape, and each would be an array", s->label);
    if (s->null)
        s->shape[0] = 0;
    return h5->layout != H5D_VIRTUAL || h5_has_sources(h5->dataset, s->label);
}

static bool has_strings(const struct h5 *h5)
{
    return h5->memory_type >= 0 && H5Tis_variable_str(h5->memory_type) > 0;
}

void h5_close_all(struct h5 *h5)
{
    if (has_strings(h5) && h5->beyond)
        free(*(char **)h5->beyond);
    free(h5->beyond);
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        free(h5->scale[j]);
    h5_close(h5->memory_type);
    h5_close(h5->space);
    h5_close(h5->dataset);
    h5_close(h5->file);
    *h5 = H5_CLOSED;
}

/* HDF5 1.10 has no other call that is fast, and this one fails for a chunk that is not there. */
static bool has_chunk(hid_t dataset, const hsize_t at[])
{
    char reason[H5_REASON_BYTES];
    hsize_t bytes = 0;

    if (H5Dget_chunk_storage_size(dataset, at, &bytes) >= 0)
        return bytes > 0;
    h5_reason(reason);
    return strcmp(reason, "chunk storage is not allocated") != 0; /* else a read finds what is wrong */
}

bool h5_holds(const struct h5 *h5, int ndim, const int64_t lo[], const int64_t count[])
{
    hsize_t extent[H5S_MAX_RANK], begin[H5S_MAX_RANK], end[H5S_MAX_RANK], at[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(h5->space, extent, NULL);
    int j = rank;

    if (h5->layout != H5D_CHUNKED)
        return h5->layout != H5D_CONTIGUOUS || H5Dget_storage_size(h5->dataset) > 0;
    for (int k = 0; k < rank; k++) {
        begin[k] = k < ndim ? (hsize_t)lo[k] / h5->chunk[k] * h5->chunk[k] : 0;
        end[k] = k < ndim ? (hsize_t)(lo[k] + count[k]) : extent[k];
        end[k] = end[k] < extent[k] ? end[k] : extent[k];
        if (begin[k] >= end[k])
            return false;
        at[k] = begin[k];
    }
    while (j >= 0) {
        if (has_chunk(h5->dataset, at))
            return true;
        for (j = rank - 1; j >= 0 && (at[j] += h5->chunk[j]) >= end[j]; j--)
            at[j] = begin[j];
    }
    return false;
}

/* The whole box before it is read; fill NULL: zeros. */
static void prepare(int64_t n, const void *fill, size_t bytes, void *buf)
{
    if (!fill)
        memset(buf, 0, (size_t)n * bytes);
    for (int64_t i = 0; fill && i < n; i++)
        memcpy((char *)buf + (size_t)i * bytes, fill, bytes);
}

bool h5_read(const struct h5 *h5, int ndim, const int64_t lo[], const int64_t count[], void *buf)
{
    hsize_t extent[H5S_MAX_RANK], some[H5S_MAX_RANK], from[H5S_MAX_RANK], whole[H5S_MAX_RANK];
    const hsize_t origin[H5S_MAX_RANK] = { 0 };
    const bool scalar = H5Sget_simple_extent_dims(h5->space, extent, NULL) == 0;
    bool clipped = false, good = true, empty = false;
    hid_t memory, errors;

    for (int k = 0; !scalar && k < ndim; k++) {
        from[k] = (hsize_t)lo[k];
        whole[k] = some[k] = (hsize_t)count[k];
        if (from[k] + some[k] > extent[k]) {
            some[k] = from[k] < extent[k] ? extent[k] - from[k] : 0;
            clipped = true;
        }
        empty = empty || some[k] == 0;
    }
    if (clipped || h5->bare)
        prepare(scalar ? 1 : box_bytes(ndim, count, 1), clipped && !has_strings(h5) ? h5->beyond : NULL,
                H5Tget_size(h5->memory_type), buf);
    if (empty)
        return true;
    memory = scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(ndim, whole, NULL);
    if (!scalar)
        good = H5Sselect_hyperslab(memory, H5S_SELECT_SET, origin, NULL, some, NULL) >= 0 &&
               H5Sselect_hyperslab(h5->space, H5S_SELECT_SET, from, NULL, some, NULL) >= 0;
    good = good && H5Dread(h5->dataset, h5->memory_type, memory, h5->space, H5P_DEFAULT, buf) >= 0;
    errors = good ? -1 : H5Eget_current_stack(); /* each call forgets them */
    h5_close(memory);
    if (errors >= 0)
        (void)H5Eset_current_stack(errors);
    return good;
}

/* n strings of fixed length, as pointers. */
static bool read_fixed(const struct h5 *h5, int ndim, const int64_t lo[], const int64_t count[], char *strings[])
{
    const size_t bytes = H5Tget_size(h5->memory_type);
    const size_t n = H5Sget_simple_extent_ndims(h5->space) == 0 ? 1 : (size_t)box_bytes(ndim, count, 1);
    char *all = calloc(n + 1, bytes);
    bool good = all && h5_read(h5, ndim, lo, count, all);

    for (size_t i = 0; i < n; i++) {
        strings[i] = good ? strndup(all + i * bytes, bytes) : NULL;
        good = strings[i];
    }
    free(all);
    return good;
}

bool h5_read_strings(const struct h5 *h5, int ndim, const int64_t lo[], const int64_t count[], char *strings[])
{
    const char *beyond = h5->beyond ? *(char **)h5->beyond : NULL;

    if (!has_strings(h5))
        return read_fixed(h5, ndim, lo, count, strings);
    if (!h5_read(h5, ndim, lo, count, strings))
        return false;
    for (int64_t i = beyond ? box_bytes(ndim, count, 1) : 0; i-- > 0;)
        if (!strings[i])
            strings[i] = strdup(beyond);
    return true;
}

int h5_read_failed(const struct h5 *h5, const char *label)
{
    const hid_t plist = h5->external ? H5Dget_create_plist(h5->dataset) : -1;
    char name[PATH_MAX] = "";

    if (h5->layout == H5D_VIRTUAL)
        return failed("%s: is a virtual dataset, and HDF5 cannot read its sources; does one not have the shape that is "
                      "mapped?",
                      label);
    if (!h5->external)
        return h5_failed(label, "read");
    (void)H5Pget_external(plist, 0, sizeof name - 1, name, NULL, NULL);
    h5_close(plist);
    return failed("%s: cannot read: its elements are in other files, such as '%s', which HDF5 looks for in the present "
                  "folder, or in that of HDF5_EXTFILE_PREFIX",
                  label, name);
}
