/* What the library of netCDF passes over in silence in a file of HDF5: datasets and attributes of types that netCDF has
 * not, and fixed-length strings, which it reads wrongly. */
#include <stdio.h>
#include <string.h>

#include "formats/export.h"
#include "formats/h5/h5.h"
#include "frame/text.h"
#include "whole_file.h"

struct search {
    char *text;         /* NULL: nothing was found yet */
    const char *object; /* where; "": the file */
};

static bool is_power_of_two(size_t bytes)
{
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* Is it a type that netCDF reads? */
static bool is_known(hid_t type, bool attribute)
{
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        return is_power_of_two(H5Tget_size(type));
    case H5T_FLOAT:
        return H5Tget_size(type) <= 8;
    case H5T_STRING:
        return attribute || H5Tis_variable_str(type) > 0 || H5Tget_size(type) == 1;
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

/* The first thing that is found. */
static void note(struct search *s, const char *attribute, hid_t type)
{
    const char *colon = s->object[0] ? ":" : "";
    const int n =
        attribute ? asprintf(&s->text, "%s%s the attribute '%s' holds %s", s->object, colon, attribute, text_of(type))
                  : asprintf(&s->text, "%s: holds %s", s->object, text_of(type));

    if (n < 0)
        s->text = NULL;
}

static herr_t look_at_attribute(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    struct search *s = data;
    struct h5_attribute t;

    (void)info;
    if (is_internal_attribute(name) || !h5_open_attribute(&t, object, name))
        return 0;
    if (!s->text && !is_known(t.type, true))
        note(s, name, t.type);
    h5_close_attribute(&t);
    return 0;
}

static herr_t look_at_link(hid_t group, const char *name, const H5L_info_t *link, void *data)
{
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    struct search *s = data;
    hid_t type;

    (void)link;
    if (object < 0)
        return 0;
    s->object = name;
    if (H5Iget_type(object) == H5I_DATASET) {
        type = H5Dget_type(object);
        if (type >= 0 && !is_known(type, false))
            note(s, NULL, type);
        h5_close(type);
        (void)H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, look_at_attribute, s);
    }
    h5_close(object);
    return s->text != NULL;
}

char *find_unknown(const char *path)
{
    struct search s = { .object = "" };
    hid_t file;

    if (!h5_is_file(path))
        return NULL;
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return NULL; /* netCDF says why */
    (void)H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, look_at_attribute, &s);
    if (!s.text)
        (void)H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, look_at_link, &s);
    h5_close(file);
    return s.text;
}
