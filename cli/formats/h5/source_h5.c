/* A dataset of an HDF5 file as a source. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "formats/tree.h"
#include "frame/cli.h"
#include "h5.h"

/* Candidates. Strings have to be named. */
struct candidates {
    FILE *list; /* their names */
    int n;
};

static herr_t visit(hid_t file, const char *name, const H5O_info_t *info, void *data)
{
    struct candidates *c = data;
    hid_t dataset;

    if (info->type != H5O_TYPE_DATASET)
        return 0;
    dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        return 0; /* it is damaged, but another may be good */
    if (h5_is_candidate(dataset))
        (void)fprintf(c->list, "%s%s", c->n++ ? ", " : "", name);
    h5_close(dataset);
    return 0;
}

static herr_t look_for_object(hid_t file, const char *name, const H5L_info_t *link, void *path)
{
    H5O_info_t info;

    if (link->type != H5L_TYPE_HARD && H5Oget_info_by_name2(file, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
        warn("%s: the link '%s' leads to nothing that HDF5 can open, and is left out", (const char *)path, name);
    return 0;
}

static bool list_candidates(const struct source *s, FILE *out, int *n)
{
    const struct h5 *h5 = s->state;
    struct candidates c = { .list = out };
    const bool good = H5Ovisit2(h5->file, H5_INDEX_NAME, H5_ITER_INC, visit, &c, H5O_INFO_BASIC) >= 0;

    *n = c.n;
    return good || !h5_failed(s->file, "list");
}

/* Does an object have that name? HDF5 wants to be asked link by link. */
static bool is_link_there(hid_t file, const char *name)
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

/* Open the dataset of that name; without a name, the only one. */
static bool find_dataset(struct source *s)
{
    struct h5 *h5 = s->state;
    H5O_info_t info;

    if (!s->name) {
        (void)H5Lvisit(h5->file, H5_INDEX_NAME, H5_ITER_INC, look_for_object, s->file);
        if (!source_choose(s, list_candidates, "dataset"))
            return false;
    }
    if (!is_link_there(h5->file, s->name) ||
        (H5Oget_info_by_name2(h5->file, s->name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
         info.type != H5O_TYPE_DATASET))
        return source_choose(s, list_candidates, "dataset");
    h5->dataset = H5Dopen2(h5->file, s->name, H5P_DEFAULT);
    return h5->dataset >= 0 ? true : !h5_failed(s->label, "open");
}

/* Of a whole file, all characters and strings are texts. Finds the axes in each element, too. */
static bool check_h5_type(struct source *s, int64_t extents[])
{
    struct h5 *h5 = s->state;
    const hid_t given = H5Dget_type(h5->dataset), type = given < 0 ? -1 : h5_base_type(given, &h5->inner, extents);
    const bool text = type >= 0 && s->tree && H5Tget_class(type) == H5T_STRING;
    H5T_order_t order;

    if (type < 0)
        return !h5_failed(s->label, "read the type");
    s->holds = text && !h5_string_type(type) ? STRINGS : text && H5Tget_size(type) == 1 ? CHARACTERS : NUMBERS;
    s->type = s->holds == NUMBERS ? h5_noted_type(h5->dataset, type, h5_element_type(type)) : DRX_UINT8;
    if (s->holds == STRINGS && h5->inner > 0)
        s->type = (drx_type)0;
    h5->bare = h5->bare || DRX_IS_DEFINED(s->type); /* bytes of no field */
    if (s->type)
        h5->memory_type = s->holds == NUMBERS ? h5_memory_type(s->type, given) : H5Tcopy(given);
    else
        (void)failed("%s: holds %s, not whole numbers, floats, complex numbers%s", s->label, h5_type_text(type),
                     s->tree ? " or text" : " or fixed strings");
    if (s->tree && s->holds == NUMBERS && !DRX_IS_NUMBER(s->type))
        s->holds = OTHERS;
    order = type >= 0 && H5Tget_size(type) > 1 ? H5Tget_order(type) : H5T_ORDER_NONE;
    s->stored = true;
    s->origin.byte_order = order == H5T_ORDER_LE ? DRX_LITTLE_ENDIAN : order == H5T_ORDER_BE ? DRX_BIG_ENDIAN : 0;
    h5_close(type);
    h5_close(given);
    return s->type != 0;
}

static bool read_h5_shape(struct source *s, const int64_t extents[])
{
    const struct h5 *h5 = s->state;
    hsize_t shape[H5S_MAX_RANK], most[H5S_MAX_RANK];

    s->ndim = H5Sget_simple_extent_ndims(h5->space);
    if (s->ndim < 1 || s->ndim > DRX_MAX_NDIM || H5Sget_simple_extent_type(h5->space) != H5S_SIMPLE)
        return !failed("%s: has %d dimensions, expected 1 to %d", s->label, s->ndim, DRX_MAX_NDIM);
    (void)H5Sget_simple_extent_dims(h5->space, shape, most);
    for (int j = 0; j < s->ndim; j++) {
        if (shape[j] > INT64_MAX)
            return !failed("%s: has an extent that does not fit in 64 bits", s->label);
        s->shape[j] = (int64_t)shape[j];
        s->grows |= (uint32_t)(most[j] == H5S_UNLIMITED) << j;
    }
    if (s->ndim + h5->inner > DRX_MAX_NDIM)
        return !failed("%s: has %d dimensions, expected 1 to %d", s->label, s->ndim + h5->inner, DRX_MAX_NDIM);
    for (int j = 0; j < h5->inner; j++)
        s->shape[s->ndim++] = extents[j];
    return true;
}

static bool read_filter(struct source *s, hid_t plist, unsigned i)
{
    unsigned none, flags, config;
    size_t n = 0;
    const H5Z_filter_t id = H5Pget_filter2(plist, i, &flags, &n, &none, 0, NULL, &config);
    unsigned *params = calloc(n + 1, sizeof *params);
    bool good = id > 0 && params && H5Pget_filter2(plist, i, &flags, &n, params, 0, NULL, &config) > 0;

    if (!good)
        (void)h5_failed(s->label, "read the filters");
    good = good && source_take_filter(s, (unsigned)id, n, params);
    free(params);
    return good;
}

static bool read_chunks(struct source *s)
{
    const struct h5 *h5 = s->state;
    const hid_t plist = H5Dget_create_plist(h5->dataset);
    bool good = true;
    int n;

    s->chunked = h5->layout == H5D_CHUNKED;
    for (int j = 0; s->chunked && j < s->ndim; j++)
        s->chunk[j] = j < s->ndim - h5->inner ? (int64_t)h5->chunk[j] : s->shape[j];
    n = s->chunked ? H5Pget_nfilters(plist) : 0;
    for (int i = 0; good && i < n; i++)
        good = read_filter(s, plist, (unsigned)i);
    h5_close(plist);
    return good;
}

/* A variable in the tree of its file; alone, in a file of netCDF, with the extents that other variables give its
 * dimensions. */
static bool open_in_tree(struct source *s, const struct tree *t)
{
    struct h5 *h5 = s->state;
    const char *place = t->var[s->var].place;
    int64_t extents[H5S_MAX_RANK];

    h5->dataset = H5Dopen2(h5->file, place, H5P_DEFAULT);
    if (h5->dataset < 0)
        return !h5_failed(s->label, "open");
    if (!source_take_dims(s, t) || !h5_open_space(s) || !check_h5_type(s, extents) || !source_join_characters(s) ||
        !h5_find_beyond(s))
        return false;
    return read_chunks(s) && (!s->tree || H5Dget_storage_size(h5->dataset) == 0 || !source_lacks_filter(s));
}

static bool open_of_netcdf(struct source *s)
{
    struct tree t;
    const bool good = h5_read_tree(&t, s->file) && source_find_var(s, &t) && open_in_tree(s, &t) &&
                      h5_find_dims(s, s->state, s->ndim + s->joined - ((struct h5 *)s->state)->inner);

    free_tree(&t);
    return good;
}

static bool open_alone(struct source *s)
{
    const struct h5 *h5 = s->state;
    int64_t extents[H5S_MAX_RANK];

    if (!find_dataset(s) || !h5_open_space(s) || !check_h5_type(s, extents) || !read_h5_shape(s, extents))
        return false;
    return read_chunks(s) && h5_find_dims(s, s->state, s->ndim - h5->inner);
}

static bool open_dataset(struct source *s)
{
    struct h5 *h5 = calloc(1, sizeof *h5);
    bool marked;

    s->state = h5;
    if (!h5)
        return !out_of_memory(sizeof *h5);
    h5_quiet();
    *h5 = H5_CLOSED;
    h5->file = H5Fopen(s->file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (h5->file < 0)
        return !h5_failed(s->file, "open");
    marked = s->tree || h5_is_netcdf(h5->file);
    if (!(s->tree ? open_in_tree(s, s->tree) : marked ? open_of_netcdf(s) : open_alone(s)))
        return false;
    return s->null || s->holds == STRINGS || h5_find_fill(s, !marked);
}

static void close_dataset(struct source *s)
{
    if (s->state)
        h5_close_all(s->state);
    free(s->state);
}

/* Some of each element's array: the box of all of it is read, and its part taken. */
static bool read_inner(const struct source *s, const int64_t lo[], const int64_t count[], void *buf)
{
    const struct h5 *h5 = s->state;
    const int rank = s->ndim - h5->inner;
    const size_t bytes = drx_type_size(s->type), run = (size_t)count[s->ndim - 1] * bytes;
    const int64_t n = box_bytes(rank, count, 1), whole = (int64_t)(H5Tget_size(h5->memory_type) / bytes);
    char *all = reallocarray(NULL, (size_t)(n * whole) + 1, bytes), *to = buf;
    bool good = all && h5_read(h5, rank, lo, count, all);

    for (int64_t i = 0; good && i < n; i++) {
        int64_t at[DRX_MAX_NDIM] = { 0 };
        int j;

        do {
            int64_t from = i;

            for (int k = rank; k < s->ndim; k++)
                from = from * s->shape[k] + lo[k] + at[k];
            memcpy(to, all + (size_t)from * bytes, run);
            to += run;
            for (j = s->ndim - 2; j >= rank && ++at[j] == count[j]; j--)
                at[j] = 0;
        } while (j >= rank);
    }
    free(all);
    return good;
}

static bool read_h5_box(struct source *s, const int64_t lo[], const int64_t count[], void *buf)
{
    const struct h5 *h5 = s->state;
    int64_t from[DRX_MAX_NDIM + 1] = { 0 }, extent[DRX_MAX_NDIM + 1];
    bool good;

    memcpy(from, lo, (size_t)s->ndim * sizeof *from);
    memcpy(extent, count, (size_t)s->ndim * sizeof *extent);
    extent[s->ndim] = (int64_t)drx_type_size(s->type); /* of strings that are joined */
    good = h5->inner > 0 && memcmp(count + s->ndim - h5->inner, s->shape + s->ndim - h5->inner,
                                   (size_t)h5->inner * sizeof *count) != 0
               ? read_inner(s, lo, count, buf)
           : s->holds == STRINGS ? h5_read_strings(h5, s->ndim - h5->inner, from, extent, buf)
                                 : h5_read(h5, s->ndim - h5->inner + s->joined, from, extent, buf);
    if (!good && !source_lacks_filter(s))
        (void)h5_read_failed(h5, s->label);
    return good && h5_strings_from_file(s->label, s->type, box_bytes(s->ndim, count, 1), buf);
}

static bool holds_box(const struct source *s, const int64_t lo[], const int64_t count[])
{
    return h5_holds(s->state, s->ndim, lo, count);
}

static int copy_h5_attributes(const struct source *s, drx_array *a, const char *path)
{
    const bool known = s->joined || source_notes_fill(s);
    struct keeping to = { .to.array = a, .label = s->label };

    return h5_copy_attributes(((struct h5 *)s->state)->dataset, &to, known ? H5_FILL_KNOWN : H5_FILL, path);
}

const struct source_kind h5_source = { open_dataset,       close_dataset,      read_h5_box,
                                       copy_h5_attributes, h5_coordinate_name, holds_box };
