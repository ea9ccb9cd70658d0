/* Names of dimensions in HDF5: labels, and dimension scales with coordinates. */
#include <hdf5_hl.h>
#include <stdlib.h>
#include <string.h>

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
 * before it reads its own attributes into `ndim` places. *bad: HDF5 failed. */
static bool open_own_attribute(struct h5_attribute *t, hid_t dataset, const char *name, int ndim, H5T_class_t class,
                               bool *bad)
{
    const htri_t there = H5Aexists(dataset, name);
    hid_t super = -1;
    bool good;

    if (there <= 0 || !h5_open_attribute(t, dataset, name)) {
        *bad = *bad || there != 0;
        return false;
    }
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
static char *label_of(hid_t dataset, int ndim, int axis, bool *bad)
{
    struct h5_attribute t;
    char **labels, *label = NULL;

    if (!open_own_attribute(&t, dataset, "DIMENSION_LABELS", ndim, H5T_STRING, bad))
        return NULL;
    labels = calloc((size_t)ndim, sizeof *labels);
    if (labels && H5Aread(t.id, t.type, labels) >= 0) {
        if (labels[axis] && labels[axis][0])
            label = utf8_of(labels[axis], strlen(labels[axis]));
        (void)H5Dvlen_reclaim(t.type, t.space, H5P_DEFAULT, labels);
    } else {
        *bad = true;
    }
    free(labels);
    h5_close_attribute(&t);
    return label;
}

/* The first scale of the axis, to be closed; -1 when it has none. */
static hid_t first_scale(hid_t dataset, int ndim, int axis, bool *bad)
{
    struct h5_attribute t;
    hid_t scale = -1;
    int n;

    if (!open_own_attribute(&t, dataset, "DIMENSION_LIST", ndim, H5T_REFERENCE, bad))
        return -1;
    h5_close_attribute(&t);
    n = H5DSget_num_scales(dataset, (unsigned)axis);
    if (n > 0)
        (void)H5DSiterate_scales(dataset, (unsigned)axis, NULL, take_first, &scale);
    *bad = *bad || n < 0 || (n > 0 && scale < 0);
    return scale;
}

/* The numbers of files are those of this process. */
bool h5_address_of(hid_t object, uint64_t *address)
{
    H5O_info_t info;
    const bool good = H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0;

    *address = good ? info.addr ^ (uint64_t)info.fileno << 48 : 0;
    return good;
}

bool h5_scale_of_axis(hid_t dataset, int ndim, int axis, uint64_t *address)
{
    bool bad = false;
    const hid_t scale = first_scale(dataset, ndim, axis, &bad);

    *address = 0;
    bad = bad || (scale >= 0 && !h5_address_of(scale, address));
    h5_close(scale);
    return !bad;
}

bool h5_is_scale(hid_t dataset, bool *is, bool *bare)
{
    char name[NAME_BYTES] = "";
    const htri_t there = H5Aexists(dataset, "CLASS");
    struct h5_attribute t;

    *is = *bare = false;
    if (there <= 0)
        return there == 0;
    if (!h5_open_attribute(&t, dataset, "CLASS"))
        return false;
    h5_close_attribute(&t);
    *is = H5DSis_scale(dataset) > 0;
    *bare = *is && H5DSget_scale_name(dataset, name, sizeof name) > 0 &&
            strncmp(name, no_variable, strlen(no_variable)) == 0;
    return true;
}

static char *name_of_dim(hid_t dataset, int ndim, int axis, char **path, bool *bad)
{
    char *name = label_of(dataset, ndim, axis, bad);
    const hid_t scale = first_scale(dataset, ndim, axis, bad);

    *path = scale >= 0 ? h5_path(scale) : NULL;
    *bad = *bad || (scale >= 0 && !*path);
    if (scale >= 0 && !name)
        name = name_of_scale(scale);
    h5_close(scale);
    return name;
}

bool h5_find_dims(struct source *s, struct h5 *h5, int ndim)
{
    bool bad = false, is, bare;

    for (int j = 0; j < ndim; j++) {
        char *name = name_of_dim(h5->dataset, ndim, j, &h5->scale[j], &bad);

        if (s->dims[j])
            free(name);
        else
            s->dims[j] = name;
    }
    bad = bad || !h5_is_scale(h5->dataset, &is, &bare);
    if (!bad && ndim == 1 && !s->dims[0] && is)
        s->dims[0] = name_of_scale(h5->dataset);
    return bad ? !h5_failed(s->label, "read the dimensions") : true;
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
    bool is, bare;

    h5_close(type);
    h5_close(space);
    if (h5_is_scale(scale, &is, &bare) && bare)
        return false;
    if (!fits || !numbers)
        warn("%s: the coordinates %s %s and are left out", s->label, path,
             numbers ? "have another extent than the dimension" : "are not numbers");
    return fits && numbers;
}

/* A scale that cannot be opened here fails when it is opened as a source. */
char *h5_coordinate_name(const struct source *s, int axis)
{
    const struct h5 *h5 = s->state;
    const char *path = h5->scale[axis];
    const hid_t scale = path ? H5Dopen2(h5->file, path, H5P_DEFAULT) : -1;
    const bool left_out = !path || (scale >= 0 && !holds_coordinates(s, scale, path, s->shape[axis]));

    h5_close(scale);
    return left_out ? NULL : strdup(path + (*path == '/'));
}
