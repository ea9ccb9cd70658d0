/* An array as a dataset of a new HDF5 file. */
#include <hdf5_hl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "files/paths.h"
#include "formats/export.h"
#include "h5.h"

struct h5_part {      /* a dataset being written */
    const char *file; /* as in messages */
    hid_t dataset, space, memory_type;
    drx_type type; /* of the array */
    int ndim;
};

enum { COMPACT_BYTES = 32 << 10 }; /* attributes up to here fit the header of an object */

static hid_t text_type(void)
{
    const hid_t type = H5Tcopy(H5T_C_S1);

    (void)H5Tset_size(type, H5T_VARIABLE);
    (void)H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* One value is a scalar, none is a null. */
static hid_t attribute_space(int64_t n, bool is_text)
{
    const hsize_t extent = (hsize_t)n;

    if (is_text || n == 1)
        return H5Screate(H5S_SCALAR);
    return n == 0 ? H5Screate(H5S_NULL) : H5Screate_simple(1, &extent, NULL);
}

static bool put_h5_attribute(hid_t dataset, const struct attribute *t)
{
    const hid_t plist = H5Pcreate(H5P_ATTRIBUTE_CREATE);
    const hid_t kind = t->is_text ? text_type() : h5_memory_type(t->type, -1);
    const hid_t space = attribute_space(t->n, t->is_text);
    hid_t attribute;
    bool good;

    (void)H5Pset_char_encoding(plist, H5T_CSET_UTF8);
    attribute = H5Acreate2(dataset, t->name, kind, space, plist, H5P_DEFAULT);
    good = attribute >= 0;
    if (good && (t->is_text || t->n > 0))
        good = H5Awrite(attribute, kind, t->is_text ? (const void *)&t->values : t->values) >= 0;
    if (!good)
        (void)h5_failed(t->name, "write the attribute");
    if (attribute >= 0)
        good = H5Aclose(attribute) >= 0 && good;
    h5_close(space);
    h5_close(kind);
    h5_close(plist);
    return good;
}

/* Say of Unicode, which is UTF-8 there, how many code points it has. */
static bool note_type(const struct part *p, hid_t dataset)
{
    const char *name = drx_type_name(drx_dtype(p->array));
    const struct attribute note = { .name = H5_TYPE_NOTE, .is_text = true, .values = name, .n = (int64_t)strlen(name) };

    return !DRX_IS_UNICODE(drx_dtype(p->array)) || put_h5_attribute(dataset, &note);
}

static bool put_h5_attributes(const struct part *p, hid_t dataset)
{
    bool good = note_type(p, dataset);

    for (struct attribute t = { 0 }; good && next_attribute(p->array, &t);)
        good = leaves_out(p, t.name) || put_h5_attribute(dataset, &t);
    return good;
}

static bool has_long_attribute(const drx_array *a)
{
    for (struct attribute t = { 0 }; next_attribute(a, &t);)
        if (!t.is_text && t.n > COMPACT_BYTES / (int64_t)drx_type_size(t.type))
            return true;
    return false;
}

static bool set_filters_of_source(hid_t plist, const struct part *p)
{
    bool good = true;

    for (struct stored_filter f = { 0 }; good && next_filter(p->deflate.source, &f);) {
        const unsigned *params, flag = f.id == FLETCHER32_FILTER ? H5Z_FLAG_MANDATORY : H5Z_FLAG_OPTIONAL;
        const size_t n = filter_params(&f, &params);

        if (f.id != SZIP_FILTER || (n == 2 && box_bytes(p->ndim, p->chunk, 1) >= params[1])) /* it wants one block */
            good = H5Pset_filter(plist, (H5Z_filter_t)f.id, flag, n, params) >= 0;
    }
    return good;
}

static bool set_filters(hid_t plist, const struct part *p)
{
    const struct deflate *d = &p->deflate;

    if (d->source)
        return set_filters_of_source(plist, p);
    if (d->level == 0)
        return true;
    if (d->blosc) /* a chunk that it makes no smaller is stored as it is */
        return H5Pset_filter(plist, BLOSC_FILTER, H5Z_FLAG_OPTIONAL, BLOSC_PARAMS, d->params) >= 0;
    return (!d->shuffle || H5Pset_shuffle(plist) >= 0) && H5Pset_deflate(plist, (unsigned)d->level) >= 0;
}

static hid_t creation(struct part *p, hid_t memory_type)
{
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    const drx_type type = drx_dtype(p->array);
    const void *fill = fill_of(p->array);
    const bool chunked = p->ndim > 0 && box_bytes(p->ndim, p->shape, 1) > 0;
    char utf8[DRX_MAX_STRING_BYTES];
    hsize_t chunk[DRX_MAX_NDIM];
    bool good = H5Pset_attr_creation_order(plist, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0;

    for (int k = 0; k < p->ndim; k++)
        chunk[k] = (hsize_t)p->chunk[k];
    p->deflate.blosc = p->deflate.blosc && chunked && h5_has_blosc();
    if (chunked) {
        good = good && H5Pset_chunk(plist, p->ndim, chunk) >= 0;
        good = good && set_filters(plist, p);
    }
    if (fill && DRX_IS_UNICODE(type))
        good = good && h5_strings_to_file(p->selection.path, type, 1, fill, utf8);
    if (fill)
        good = good && H5Pset_fill_value(plist, memory_type, DRX_IS_UNICODE(type) ? utf8 : fill) >= 0;
    if (is_filled(p->array, "never") || is_filled(p->array, "alloc"))
        good = good &&
               H5Pset_fill_time(plist, is_filled(p->array, "never") ? H5D_FILL_TIME_NEVER : H5D_FILL_TIME_ALLOC) >= 0;
    if (has_long_attribute(p->array))
        good = good && H5Pset_attr_phase_change(plist, 0, 0) >= 0;
    if (good)
        return plist;
    h5_close(plist);
    return -1;
}

/* As elements are in memory, or in the byte order of the source. */
static hid_t file_type(const drx_array *a, hid_t memory_type)
{
    drx_spec spec;

    drx_describe(a, &spec);
    return spec.source && spec.source->byte_order == DRX_BIG_ENDIAN ? h5_big_endian(memory_type) : H5Tcopy(memory_type);
}

static bool create(struct h5_part *out, struct part *p, hid_t file, const char *groups)
{
    hsize_t shape[DRX_MAX_NDIM];
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    hid_t plist = -1, type;
    char *path;

    out->dataset = out->space = -1;
    out->ndim = p->ndim;
    out->type = drx_dtype(p->array);
    out->memory_type = h5_memory_type(out->type, -1);
    type = file_type(p->array, out->memory_type);
    (void)H5Pset_create_intermediate_group(links, 1);
    (void)H5Pset_char_encoding(links, H5T_CSET_UTF8);
    for (int k = 0; k < p->ndim; k++)
        shape[k] = (hsize_t)p->shape[k];
    if (asprintf(&path, "%s%s", groups, p->name) >= 0) {
        out->space = is_null(p->array) ? H5Screate(H5S_NULL)
                     : p->ndim         ? H5Screate_simple(p->ndim, shape, NULL)
                                       : H5Screate(H5S_SCALAR);
        plist = creation(p, out->memory_type);
        if (out->space >= 0 && plist >= 0)
            out->dataset = H5Dcreate2(file, path, type, out->space, links, plist, H5P_DEFAULT);
        if (out->dataset < 0)
            (void)h5_failed(out->file, "write");
        free(path);
    }
    h5_close(plist);
    h5_close(links);
    h5_close(type);
    return out->dataset >= 0 && put_h5_attributes(p, out->dataset);
}

/* Closing may write the data, and fail. */
static bool end(struct h5_part *p)
{
    bool good = true;

    h5_close(p->memory_type);
    h5_close(p->space);
    if (p->dataset >= 0 && H5Dclose(p->dataset) < 0)
        good = !h5_failed(p->file, "write");
    p->memory_type = p->space = p->dataset = -1;
    return good;
}

static bool put_box(const struct h5_part *p, const int64_t at[], const int64_t count[], const void *buf)
{
    const hid_t box = p->ndim ? h5_select(p->space, p->ndim, at, count) : H5Screate(H5S_SCALAR);
    const bool good = box >= 0 && H5Dwrite(p->dataset, p->memory_type, box, p->space, H5P_DEFAULT, buf) >= 0;

    if (!good)
        (void)h5_failed(p->file, "write");
    h5_close(box);
    return good;
}

static bool take_h5(void *to, const int64_t at[], const int64_t count[], const void *buf)
{
    const struct h5_part *p = to;
    const int64_t n = box_bytes(p->ndim, count, 1);
    char *utf8;
    bool good;

    if (!DRX_IS_UNICODE(p->type))
        return put_box(p, at, count, buf);
    utf8 = malloc((size_t)n * drx_type_size(p->type) + 1);
    if (!utf8)
        return !out_of_memory(n);
    good = h5_strings_to_file(p->file, p->type, n, buf, utf8) && put_box(p, at, count, utf8);
    free(utf8);
    return good;
}

static int write_part(struct h5_part *out, struct part *p, hid_t file, const char *groups, struct progress *progress)
{
    if (!create(out, p, file, groups))
        return FAILED;
    if (box_bytes(p->ndim, p->shape, 1) == 0)
        return DONE;
    return pour(p->array, &p->selection, &p->slabs, take_h5, out, progress);
}

/* Write the coordinates of axis k, and let all axes of that name have them. */
static int write_coordinate(const struct h5_part *main, struct export *e, int k, hid_t file, struct progress *progress)
{
    struct h5_part scale = { .file = main->file, .dataset = -1, .space = -1, .memory_type = -1 };
    int status = write_part(&scale, &e->coords[k], file, e->groups, progress);

    if (status == DONE && H5DSset_scale(scale.dataset, e->dims[k]) < 0)
        status = h5_failed(main->file, "write");
    for (int i = k; status == DONE && i < e->main.ndim; i++)
        if ((i == k || same_axis(e, k, i)) && H5DSattach_scale(main->dataset, scale.dataset, (unsigned)i) < 0)
            status = h5_failed(main->file, "write");
    return end(&scale) ? status : FAILED;
}

static int write_parts(struct export *e, hid_t file, const char *name)
{
    struct h5_part main = { .file = name, .dataset = -1, .space = -1, .memory_type = -1 };
    struct progress progress;
    int status;

    begin_progress(&progress, box_bytes(e->main.ndim, e->main.shape, drx_type_size(drx_dtype(e->main.array))));
    status = write_part(&main, &e->main, file, e->groups, &progress);
    for (int k = 0; status == DONE && k < e->main.ndim; k++)
        if (e->dims[k] && H5DSset_label(main.dataset, (unsigned)k, e->dims[k]) < 0)
            status = h5_failed(name, "write");
    for (int k = 0; status == DONE && k < e->main.ndim; k++)
        if (e->coords[k].array)
            status = write_coordinate(&main, e, k, file, &progress);
    hide_progress();
    return end(&main) ? status : FAILED;
}

int export_hdf5(struct export *e, const char *name)
{
    struct target target;
    hid_t access, file;
    int status;

    h5_quiet();
    if (!open_named_target(&target, name))
        return FAILED;
    access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST); /* for long attributes */
    file = H5Fcreate(target.temporary, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    status = file >= 0 ? write_parts(e, file, name) : h5_failed(name, "write");
    if (file >= 0 && H5Fclose(file) < 0 && status == DONE)
        status = h5_failed(name, "write");
    h5_close(access);
    status = close_target(&target, status);
    if (status == DONE)
        tell_of_export(name, e);
    return status;
}
