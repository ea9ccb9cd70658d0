/* A dataset of an HDF5 file as a source. */
#include <hdf5_hl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/cli.h"
#include "h5.h"

/* Candidates: the datasets of numbers, with dimensions, that are no dimension scales. */
struct candidates {
    FILE *list; /* their names, as in an error message */
    int n;
};

static bool is_candidate(hid_t dataset)
{
    const hid_t type = H5Dget_type(dataset);
    const hid_t space = H5Dget_space(dataset);
    const bool good = type >= 0 && h5_element_type(type) && space >= 0 && H5Sget_simple_extent_ndims(space) > 0 &&
                      H5DSis_scale(dataset) <= 0;

    if (type >= 0)
        (void)H5Tclose(type);
    if (space >= 0)
        (void)H5Sclose(space);
    return good;
}

static herr_t visit(hid_t file, const char *name, const H5O_info_t *info, void *data)
{
    struct candidates *c = data;
    hid_t dataset;

    if (info->type != H5O_TYPE_DATASET)
        return 0;
    dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        return 0; /* a damaged one may lie beside a good one */
    if (is_candidate(dataset))
        (void)fprintf(c->list, "%s%s", c->n++ ? ", " : "", name);
    (void)H5Dclose(dataset);
    return 0;
}

/* The candidates as text, to be freed; NULL after printing why. */
static char *list_candidates(const struct source *s, int *n)
{
    const struct h5 *h5 = s->state;
    struct candidates c = { 0 };
    char *text = NULL;
    size_t bytes;
    bool visited;

    c.list = open_memstream(&text, &bytes);
    if (!c.list) {
        (void)out_of_memory(1);
        return NULL;
    }
    visited = H5Ovisit2(h5->file, H5_INDEX_NAME, H5_ITER_INC, visit, &c, H5O_INFO_BASIC) >= 0;
    if (!visited)
        (void)h5_failed(s->file, "list");
    if (fclose(c.list) != 0 || !visited) {
        free(text);
        return NULL;
    }
    *n = c.n;
    return text;
}

static bool take_only_one(struct source *s)
{
    int n;
    char *list = list_candidates(s, &n);
    const bool good = list && source_take_only(s, n, list, "dataset");

    free(list);
    return good;
}

static bool has_no_dataset(const struct source *s)
{
    int n;
    char *list = list_candidates(s, &n);

    if (list)
        (void)source_has_none(s, list, "dataset");
    free(list);
    return false;
}

/* Is there something of that name? Asked link by link, as HDF5 wants it. */
static bool is_there(hid_t file, const char *name)
{
    char *path = strdup(name);
    bool found = path && path[strspn(path, "/")];

    for (size_t i = found ? strspn(path, "/") : 0; found && path[i];) {
        i += strcspn(path + i, "/");
        const char kept = path[i];

        path[i] = '\0';
        found = H5Oexists_by_name(file, path, H5P_DEFAULT) > 0;
        path[i] = kept;
        i += strspn(path + i, "/");
    }
    free(path);
    return found;
}

/* Open the dataset of that name. Without one, set the name, too, when only one dataset can be meant. */
static bool find_dataset(struct source *s)
{
    struct h5 *h5 = s->state;
    H5O_info_t info;

    if (!s->name && !take_only_one(s))
        return false;
    if (!is_there(h5->file, s->name))
        return has_no_dataset(s);
    if (H5Oget_info_by_name2(h5->file, s->name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
        info.type != H5O_TYPE_DATASET)
        return has_no_dataset(s);
    h5->dataset = H5Dopen2(h5->file, s->name, H5P_DEFAULT);
    return h5->dataset >= 0 ? true : !h5_failed(s->label, "open");
}

static bool check_type(struct source *s)
{
    struct h5 *h5 = s->state;
    const hid_t type = H5Dget_type(h5->dataset);

    if (type < 0)
        return !h5_failed(s->label, "read the type");
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
        return !h5_failed(s->label, "read the shape");
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
        return !h5_failed(s->file, "open");
    if (!find_dataset(s) || !read_shape(s) || !check_type(s) || !h5_find_fill(s))
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
