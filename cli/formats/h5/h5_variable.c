#include "h5_variable.h"

#include <stdlib.h>

#include "frame/cli.h"

static bool check_type(struct source *s)
{
    struct h5 *h5 = s->state;
    const hid_t type = H5Dget_type(h5->dataset);

    if (type < 0)
        return h5_failed(s->label, "read the type");
    s->type = h5_element_type(type);
    if (s->type)
        h5->memory_type = h5_memory_type(s->type, type);
    else
        (void)failed("%s: holds %s, not whole numbers, floats or complex numbers", s->label, h5_type_text(type));
    (void)H5Tclose(type);
    return s->type != 0;
}

static bool read_shape(struct source *s)
{
    struct h5 *h5 = s->state;
    hsize_t shape[H5S_MAX_RANK];

    h5->space = H5Dget_space(h5->dataset);
    if (h5->space < 0)
        return h5_failed(s->label, "read the shape");
    s->ndim = H5Sget_simple_extent_ndims(h5->space);
    if (s->ndim < 1 || s->ndim > DRX_MAX_NDIM || H5Sget_simple_extent_type(h5->space) != H5S_SIMPLE)
        return !failed("%s: has %d dimensions, expected 1 to %d", s->label, s->ndim, DRX_MAX_NDIM);
    (void)H5Sget_simple_extent_dims(h5->space, shape, NULL);
    for (int j = 0; j < s->ndim; j++) {
        if (shape[j] > INT64_MAX)
            return !failed("%s: has an extent that does not fit in 64 bits", s->label);
        s->shape[j] = (int64_t)shape[j];
    }
    return true;
}

static void read_chunk(struct source *s)
{
    const struct h5 *h5 = s->state;
    const hid_t plist = H5Dget_create_plist(h5->dataset);
    hsize_t chunk[H5S_MAX_RANK];

    if (H5Pget_layout(plist) == H5D_CHUNKED && H5Pget_chunk(plist, H5S_MAX_RANK, chunk) == s->ndim)
        for (int j = 0; j < s->ndim; j++)
            s->chunk[j] = (int64_t)chunk[j];
    (void)H5Pclose(plist);
}

static bool open_dataset(struct source *s)
{
    struct h5 *h5 = calloc(1, sizeof *h5);

    s->state = h5;
    if (!h5)
        return !out_of_memory(sizeof *h5);
    h5_quiet();
    h5->dataset = h5->space = h5->memory_type = -1;
    h5->file = H5Fopen(s->file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (h5->file < 0)
        return h5_failed(s->file, "open");
    if (!h5_find_dataset(s) || !read_shape(s) || !check_type(s) || !h5_find_fill(s))
        return false;
    h5_find_dims(s);
    read_chunk(s);
    return true;
}

static void close_dataset(struct source *s)
{
    const struct h5 *h5 = s->state;

    if (h5 && h5->memory_type >= 0)
        (void)H5Tclose(h5->memory_type);
    if (h5 && h5->space >= 0)
        (void)H5Sclose(h5->space);
    if (h5 && h5->dataset >= 0)
        (void)H5Dclose(h5->dataset);
    if (h5 && h5->file >= 0)
        (void)H5Fclose(h5->file);
    free(s->state);
}

static bool read_box(struct source *s, const int64_t lo[], const int64_t count[], void *buf)
{
    const struct h5 *h5 = s->state;
    hsize_t start[DRX_MAX_NDIM], extent[DRX_MAX_NDIM];
    hid_t box;
    bool good;

    for (int j = 0; j < s->ndim; j++) {
        start[j] = (hsize_t)lo[j];
        extent[j] = (hsize_t)count[j];
    }
    box = H5Screate_simple(s->ndim, extent, NULL);
    good = box >= 0 && H5Sselect_hyperslab(h5->space, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0 &&
           H5Dread(h5->dataset, h5->memory_type, box, h5->space, H5P_DEFAULT, buf) >= 0;
    if (!good)
        (void)h5_failed(s->label, "read");
    if (box >= 0)
        (void)H5Sclose(box);
    return good;
}

const struct source_kind h5_source = { open_dataset, close_dataset, read_box, h5_copy_attributes, h5_coordinate_name };
