/* What the library of netCDF passes over in silence in a file of HDF5: datasets of types that netCDF has not, and of
 * fixed-length strings, which it reads wrongly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/export.h"
#include "formats/h5/h5.h"
#include "frame/text.h"
#include "whole_file.h"

enum { NAMED = 5 };

struct search {
    FILE *out; /* the first ones of those that were found */
    int n;
};

/* Is it a type that netCDF reads? */
static bool is_known(hid_t type)
{
    const size_t bytes = H5Tget_size(type);

    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        return bytes <= 8 && (bytes & (bytes - 1)) == 0;
    case H5T_FLOAT:
        return bytes <= 8;
    case H5T_STRING:
        return H5Tis_variable_str(type) > 0 || bytes == 1;
    default:
        return false;
    }
}

static const char *text_of(hid_t type)
{
    if (H5Tget_class(type) == H5T_STRING)
        return "strings of fixed length";
    return H5Tget_class(type) == H5T_COMPOUND && h5_element_type(type) ? "complex numbers" : h5_type_text(type);
}

static herr_t look_at_link(hid_t group, const char *name, const H5L_info_t *link, void *data)
{
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    struct search *s = data;
    hid_t type;

    (void)link;
    if (object < 0)
        return 0;
    if (H5Iget_type(object) == H5I_DATASET) {
        type = H5Dget_type(object);
        if (type >= 0 && !is_known(type) && s->n++ < NAMED)
            (void)fprintf(s->out, "%s%s: holds %s", s->n > 1 ? "; " : "", name, text_of(type));
        h5_close(type);
    }
    h5_close(object);
    return 0;
}

char *find_unknown(const char *path)
{
    const hid_t file = h5_is_file(path) ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    struct search s = { 0 };
    char *text = NULL;
    size_t bytes;

    if (file < 0)
        return NULL; /* netCDF says why */
    h5_warn_of_links(file, path);
    s.out = open_memstream(&text, &bytes);
    if (s.out)
        (void)H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, look_at_link, &s);
    h5_close(file);
    if (s.n > NAMED)
        (void)fputs("; and so on", s.out);
    if (s.out && end_text(s.out, &text) && s.n > 0)
        return text;
    free(text);
    return NULL;
}

struct wanted {
    const struct whole_file *f;
    int id;
    char *name;
};

static herr_t look_for(hid_t group, const char *name, const H5L_info_t *link, void *data)
{
    const struct wanted *w = data;
    int id;

    (void)group, (void)link;
    if (strlen(name) > NC_MAX_NAME || nc_inq_varid(w->f->id, name, &id) != NC_NOERR || id != w->id)
        return 0;
    (void)stpcpy(w->name, name);
    return 1;
}

/* The dimension of an axis: that of its scale, or else one that netCDF has made up for the extent. */
static int find_dim(const struct whole_file *f, const char *scale, int64_t extent, const int before[], int n)
{
    int id;

    for (int i = 0; !scale && i < f->ndims; i++) {
        bool taken = false;

        for (int k = 0; k < n; k++)
            taken = taken || before[k] == i;
        if (f->dim[i].extent == extent && strncmp(f->dim[i].name, "phony_dim_", 10) == 0 && !taken)
            return i;
    }
    return scale && nc_inq_dimid(f->id, scale, &id) == NC_NOERR ? id : -1;
}

static bool describe_h5(const struct whole_file *f, hid_t dataset, nc_type *type, int *ndim, int ids[])
{
    const hid_t stored = H5Dget_type(dataset), space = H5Dget_space(dataset);
    hsize_t extent[H5S_MAX_RANK];
    bool good = true;

    *ndim = H5Sget_simple_extent_dims(space, extent, NULL);
    *type = H5Tget_class(stored) != H5T_STRING ? nc_type_of(nc_held_type(h5_element_type(stored)))
            : H5Tis_variable_str(stored) > 0   ? NC_STRING
                                               : NC_CHAR;
    for (int j = 0; good && j < *ndim; j++) {
        char *scale = h5_name_of_scale(dataset, *ndim, j);

        ids[j] = find_dim(f, scale, (int64_t)extent[j], ids, j);
        good = ids[j] >= 0;
        free(scale);
    }
    h5_close(space);
    h5_close(stored);
    return good && *type != NC_NAT;
}

bool find_in_h5(const struct whole_file *f, int id, char name[NC_MAX_NAME + 1], nc_type *type, int *ndim, int ids[])
{
    const hid_t file = h5_is_file(f->path) ? H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    struct wanted w = { f, id, name };
    const bool found = file >= 0 && H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, look_for, &w) > 0;
    const hid_t dataset = found ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
    const bool good = dataset >= 0 && describe_h5(f, dataset, type, ndim, ids);

    h5_close(dataset);
    h5_close(file);
    return good;
}
