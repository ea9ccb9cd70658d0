/* Names of dimensions in HDF5: labels, and dimension scales with coordinates. */
#include <hdf5_hl.h>
#include <stdlib.h>
#include <string.h>

#include "frame/cli.h"
#include "frame/text.h"
#include "h5.h"

/* The dimensions of netCDF that have no coordinates are scales so named. */
static const char no_variable[] = "This is a netCDF dimension but not a netCDF variable";

enum { NAME_BYTES = 1025 };

/* The path of an object in its file, to be freed; NULL when it has none. */
static char *h5_path(hid_t object)
{
    const ssize_t n = H5Iget_name(object, NULL, 0);
    char *path = n > 0 ? calloc((size_t)n + 1, 1) : NULL;

    if (path)
        (void)H5Iget_name(object, path, (size_t)n + 1);
    return path;
}

/* The name given to the scale, or its name in the file; to be freed. */
static char *name_of_scale(hid_t scale)
{
    char given[NAME_BYTES] = "";
    char *path, *name;

    if (H5DSget_scale_name(scale, given, sizeof given) > 0 && strncmp(given, no_variable, strlen(no_variable)) != 0)
        return utf8_of(given, strlen(given));
    path = h5_path(scale);
    if (!path)
        return NULL;
    name = strrchr(path, '/');
    name = name ? name + 1 : path;
    name = *name ? utf8_of(name, strlen(name)) : NULL;
    free(path);
    return name;
}

static herr_t take_first(hid_t dataset, unsigned axis, hid_t scale, void *taken)
{
    (void)dataset, (void)axis;
    *(hid_t *)taken = scale;
    return H5Iinc_ref(scale) < 0 ? -1 : 1; /* first_scale's caller closes it */
}

/* Open the attribute if it has `ndim` sequences of that class, or strings of any length. HDF5 does not check this
 * before it reads its own attributes into `ndim` places. */
static bool open_own_attribute(struct h5_attribute *t, hid_t dataset, const char *name, int ndim, H5T_class_t class)
{
    hid_t super = -1;
    bool good;

    if (H5Aexists(dataset, name) <= 0 || !h5_open_attribute(t, dataset, name))
        return false;
    good = H5Sget_simple_extent_ndims(t->space) == 1 && t->n == ndim;
    if (good && class == H5T_STRING) {
        good = H5Tget_class(t->type) == H5T_STRING && H5Tis_variable_str(t->type) > 0;
    } else if (good) {
        super = H5Tget_class(t->type) == H5T_VLEN ? H5Tget_super(t->type) : -1;
        good = super >= 0 && H5Tget_class(super) == class;
    }
    h5_close(super);
    if (!good)
        h5_close_attribute(t);
    return good;
}

/* The label of the axis, to be freed; NULL when it has none. */
static char *label_of(hid_t dataset, int ndim, int axis)
{
    struct h5_attribute t;
    char **labels, *label = NULL;

    if (!open_own_attribute(&t, dataset, "DIMENSION_LABELS", ndim, H5T_STRING))
        return NULL;
    labels = calloc((size_t)ndim, sizeof *labels);
    if (labels && H5Aread(t.id, t.type, labels) >= 0) {
        if (labels[axis] && labels[axis][0])
            label = utf8_of(labels[axis], strlen(labels[axis]));
        (void)H5Dvlen_reclaim(t.type, t.space, H5P_DEFAULT, labels);
    }
    free(labels);
    h5_close_attribute(&t);
    return label;
}

/* The first scale of the axis, to be closed; -1 when it has none. */
static hid_t first_scale(hid_t dataset, int ndim, int axis)
{
    struct h5_attribute t;
    hid_t scale = -1;

    if (!open_own_attribute(&t, dataset, "DIMENSION_LIST", ndim, H5T_REFERENCE))
        return -1;
    h5_close_attribute(&t);
    if (H5DSget_num_scales(dataset, (unsigned)axis) > 0)
        (void)H5DSiterate_scales(dataset, (unsigned)axis, NULL, take_first, &scale);
    return scale;
}

uint64_t h5_scale_of_axis(hid_t dataset, int ndim, int axis)
{
    const hid_t scale = first_scale(dataset, ndim, axis);
    H5O_info_t info = { .addr = 0 };

    if (scale >= 0)
        (void)H5Oget_info2(scale, &info, H5O_INFO_BASIC);
    h5_close(scale);
    return info.addr;
}

bool h5_is_bare_scale(hid_t dataset)
{
    char name[NAME_BYTES] = "";

    return H5DSis_scale(dataset) > 0 && H5DSget_scale_name(dataset, name, sizeof name) > 0 &&
           strncmp(name, no_variable, strlen(no_variable)) == 0;
}

static char *name_of_dim(hid_t dataset, int ndim, int axis)
{
    char *name = label_of(dataset, ndim, axis);
    const hid_t scale = name ? -1 : first_scale(dataset, ndim, axis);

    if (scale >= 0)
        name = name_of_scale(scale);
    h5_close(scale);
    return name;
}

void h5_find_dims(struct source *s, hid_t dataset, int ndim)
{
    for (int j = 0; j < ndim; j++)
        s->dims[j] = name_of_dim(dataset, ndim, j);
    if (ndim == 1 && !s->dims[0] && H5DSis_scale(dataset) > 0)
        s->dims[0] = name_of_scale(dataset);
}

/* Can the scale be coordinates of `extent` indices? */
static bool holds_coordinates(const struct source *s, hid_t scale, const char *path, int64_t extent)
{
    const hid_t type = H5Dget_type(scale), space = H5Dget_space(scale);
    hsize_t n = 0, most = 0;
    const bool fits = space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                      H5Sget_simple_extent_dims(space, &n, &most) == 1 &&
                      (n == (hsize_t)extent || (most == H5S_UNLIMITED && n < (hsize_t)extent));
    const bool numbers = type >= 0 && h5_element_type(type) != 0;

    h5_close(type);
    h5_close(space);
    if (h5_is_bare_scale(scale))
        return false;
    if (!fits || !numbers)
        warn("%s: the coordinates %s %s and are left out", s->label, path,
             numbers ? "have another extent than the dimension" : "are not numbers");
    return fits && numbers;
}

char *h5_coordinate_name(const struct source *s, int axis)
{
    const struct h5 *h5 = s->state;
    const hid_t scale = first_scale(h5->dataset, s->ndim + s->joined, axis);
    char *path, *name = NULL;

    if (scale < 0)
        return NULL;
    path = h5_path(scale);
    if (path && holds_coordinates(s, scale, path, s->shape[axis]))
        name = strdup(path + (*path == '/'));
    free(path);
    h5_close(scale);
    return name;
}
