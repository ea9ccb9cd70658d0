/* Attributes of an HDF5 dataset, and the fill value. */
#include <stdlib.h>
#include <string.h>

#include "formats/export.h"
#include "h5.h"

static const char reading[] = "read the attributes";

void h5_close_attribute(struct h5_attribute *t)
{
    h5_close(t->space);
    h5_close(t->type);
    h5_close(t->id);
}

bool h5_open_attribute(struct h5_attribute *t, hid_t dataset, const char *name)
{
    int64_t extents[H5S_MAX_RANK];
    hid_t base;
    int rank;

    t->type = t->space = -1;
    t->id = H5Aopen(dataset, name, H5P_DEFAULT);
    if (t->id >= 0) {
        t->type = H5Aget_type(t->id);
        t->space = H5Aget_space(t->id);
    }
    if (t->type >= 0 && t->space >= 0) {
        base = h5_base_type(t->type, &rank, extents);
        t->kept = H5Tget_class(base) == H5T_STRING ? (drx_type)0 : h5_element_type(base); /* texts are kept otherwise */
        h5_close(base);
        t->n = H5Sget_simple_extent_type(t->space) == H5S_NULL ? 0 : (int64_t)H5Sget_simple_extent_npoints(t->space);
        for (int j = 0; j < rank; j++) /* of arrays all elements */
            t->n *= extents[j];
        if (t->n >= 0)
            return true;
    }
    h5_close_attribute(t);
    return false;
}

/* Its numbers or strings, to be freed; NULL: they cannot be read. */
static void *read_values(const struct h5_attribute *t)
{
    const hid_t memory_type = t->kept ? h5_memory_type(t->kept, t->type) : H5Tcopy(t->type);
    void *values = calloc((size_t)t->n + 1, H5Tget_size(memory_type));

    if (values && t->n > 0 && H5Aread(t->id, memory_type, values) < 0) {
        free(values);
        values = NULL;
    }
    h5_close(memory_type);
    return values;
}

/* Take it from that attribute, if there is one of numbers, or of a character for characters. */
static bool take_fill(struct source *s, hid_t dataset, const char *name)
{
    struct h5_attribute t;
    void *values = NULL;
    bool byte, good;

    if (H5Aexists(dataset, name) == 0)
        return true;
    if (!h5_open_attribute(&t, dataset, name))
        return !h5_failed(s->label, reading);
    byte = s->type == DRX_UINT8 && H5Tget_class(t.type) == H5T_STRING && H5Tget_size(t.type) == 1; /* a character */
    if ((t.kept || byte) && t.n > 0) {
        values = read_values(&t);
        if (values)
            source_take_fill(s, name, byte ? DRX_UINT8 : t.kept, values, t.n);
        else
            (void)h5_failed(s->label, reading);
    }
    good = (!t.kept && !byte) || t.n == 0 || values;
    h5_close_attribute(&t);
    free(values);
    return good;
}

static bool take_own_fill(struct source *s)
{
    const struct h5 *h5 = s->state;
    const hid_t plist = H5Dget_create_plist(h5->dataset);
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    const bool has = plist >= 0 && h5->inner == 0 && drx_type_size(s->type) <= VALUE_MAX_BYTES &&
                     H5Pfill_value_defined(plist, &defined) >= 0 && defined == H5D_FILL_VALUE_USER_DEFINED;
    const bool good = plist >= 0 && (!has || H5Pget_fill_value(plist, h5->memory_type, s->fill) >= 0);

    if (!good)
        (void)h5_failed(s->label, "read the fill value");
    h5_close(plist);
    if (good && has)
        s->fill_name = "the fill value of the dataset";
    return good && (!has || h5_strings_from_file(s->label, s->type, 1, s->fill));
}

bool h5_find_fill(struct source *s, bool own)
{
    const struct h5 *h5 = s->state;

    return take_fill(s, h5->dataset, "_FillValue") && (!own || s->fill_name || take_own_fill(s)) &&
           (s->fill_name || take_fill(s, h5->dataset, "missing_value"));
}

/* What netCDF gives for elements that nobody wrote: near the end of the range of integers. */
static void put_default(drx_type type, void *out)
{
    const bool whole = type_is_whole(type), wide = drx_type_size(type) == 8;
    const int64_t least = wide ? INT64_MIN + 2 : -(INT64_C(1) << (8 * drx_type_size(type) % 64 - 1)) + 1;
    const uint64_t most = UINT64_MAX - wide;
    const double number = 9.9692099683868690e+36;

    if (!whole)
        (void)convert_value(DRX_FLOAT64, &number, type, out);
    else if (!convert_value(DRX_INT64, &least, type, out))
        memcpy(out, &most, drx_type_size(type));
}

bool h5_find_beyond(struct source *s)
{
    struct h5 *h5 = s->state;
    hsize_t extent[H5S_MAX_RANK];
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    const hid_t plist = H5Dget_create_plist(h5->dataset);
    bool beyond = false, good = plist >= 0;

    for (int j = H5Sget_simple_extent_dims(h5->space, extent, NULL) - 1; j >= 0; j--)
        beyond = beyond || extent[j] < (hsize_t)s->shape[j];
    if (beyond && good && h5->inner == 0) {
        h5->beyond = calloc(1, H5Tget_size(h5->memory_type) + sizeof(void *));
        (void)H5Pfill_value_defined(plist, &defined);
        if (defined == H5D_FILL_VALUE_USER_DEFINED)
            good = h5->beyond && H5Pget_fill_value(plist, h5->memory_type, h5->beyond) >= 0;
        else if (h5->beyond && s->holds == NUMBERS && type_is_real(s->type) && s->type != DRX_BOOL)
            put_default(s->type, h5->beyond);
    }
    h5_close(plist);
    if (!good)
        return !h5_failed(s->label, "read the fill value");
    return !beyond || h5->beyond || h5->inner ? true : !out_of_memory(sizeof(void *));
}

/* The text of the attribute, to be freed; NULL: it is not there, or is no text of varying length. */
static char *note_of(hid_t dataset)
{
    struct h5_attribute t;
    char *read = NULL, *note = NULL;

    if (H5Aexists(dataset, H5_TYPE_NOTE) <= 0 || !h5_open_attribute(&t, dataset, H5_TYPE_NOTE))
        return NULL;
    if (H5Tget_class(t.type) == H5T_STRING && H5Tis_variable_str(t.type) > 0 && t.n == 1 &&
        H5Aread(t.id, t.type, &read) >= 0 && read) {
        note = strdup(read);
        (void)H5Dvlen_reclaim(t.type, t.space, H5P_DEFAULT, &read);
    }
    h5_close_attribute(&t);
    return note;
}

drx_type h5_noted_type(hid_t dataset, hid_t stored, drx_type type)
{
    char *note = DRX_IS_BYTES(type) && H5Tget_cset(stored) == H5T_CSET_UTF8 ? note_of(dataset) : NULL;
    const drx_type noted = note ? drx_type_named(note) : (drx_type)0;

    free(note);
    return DRX_IS_UNICODE(noted) && drx_type_size(noted) == drx_type_size(type) ? noted : type;
}

/* Strings of fixed length, without padding: a text, or a list of them. */
static drx_status take_fixed(struct keeping *to, const struct h5_attribute *t, const char *name, const char *all)
{
    const size_t bytes = H5Tget_size(t->type), n = (size_t)t->n;
    const bool spaces = H5Tget_strpad(t->type) == H5T_STR_SPACEPAD;
    char *spread = calloc(n + 1, bytes + 1), **strings = calloc(n + 1, sizeof *strings);
    drx_status st = spread && strings ? DRX_OK : DRX_ENOMEM;
    size_t end = 0;
    bool nul = false;

    for (size_t i = 0; !st && i < n; i++) {
        strings[i] = spread + i * (bytes + 1);
        memcpy(strings[i], all + i * bytes, bytes);
        for (end = bytes; end > 0 && (strings[i][end - 1] == '\0' || (spaces && strings[i][end - 1] == ' '));)
            strings[i][--end] = '\0';
        nul = nul || memchr(strings[i], '\0', end);
    }
    if (!st && H5Sget_simple_extent_type(t->space) != H5S_SIMPLE)
        st = keep_text(to, name, spread, end);
    else if (!st && nul)
        warn_left_out(to, name, "has a NUL in one of its strings, which DRX cannot store,");
    else if (!st)
        st = keep_strings(to, name, strings, n);
    free(strings);
    free(spread);
    return st;
}

static drx_status take_strings_of(struct keeping *to, const struct h5_attribute *t, const char *name, void *values)
{
    drx_status st;

    if (H5Tis_variable_str(t->type) <= 0)
        return take_fixed(to, t, name, values);
    st = keep_strings(to, name, values, (size_t)t->n);
    if (t->n > 0)
        (void)H5Dvlen_reclaim(t->type, t->space, H5P_DEFAULT, values);
    return st;
}

static void warn_unread(const struct keeping *to, const char *name)
{
    char reason[H5_REASON_BYTES], what[H5_REASON_BYTES + 64];

    h5_reason(reason);
    (void)snprintf(what, sizeof what, "cannot be read (HDF5: %s)", *reason ? reason : "it gives no reason");
    warn_left_out(to, name, what);
}

struct copying {
    struct keeping *to;
    enum h5_fill fill;
    drx_status st;
};

static void warn_of_shape(const struct keeping *to, const struct h5_attribute *t, const char *name)
{
    hsize_t extent[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(t->space, extent, NULL);
    char text[NUMBERS_TEXT_BYTES];

    if (rank > 1)
        warn("%s: attribute %s has %d dimensions, %s; its %lld numbers become a list", to->label, name, rank,
             numbers_text(rank, (const int64_t *)extent, " x ", text), (long long)t->n);
}

static void copy_attribute(struct copying *c, const struct h5_attribute *t, const char *name)
{
    const bool text = H5Tget_class(t->type) == H5T_STRING, fill = strcmp(name, "_FillValue") == 0;
    void *values = text || t->kept ? read_values(t) : NULL;
    char what[128];

    if (!text && !t->kept) {
        (void)snprintf(what, sizeof what, "holds %s", h5_type_text(t->type));
        warn_left_out(c->to, name, what);
    } else if (!values) {
        warn_unread(c->to, name);
    } else if (text && !(fill && c->fill == H5_FILL_BYTE && H5Tget_size(t->type) == 1)) {
        c->st = take_strings_of(c->to, t, name, values);
    } else {
        if (!text)
            warn_of_shape(c->to, t, name);
        c->st = keep_numbers(c->to, name, text ? DRX_UINT8 : t->kept, t->n, values);
    }
    free(values);
}

static herr_t visit(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    struct copying *c = data;
    struct h5_attribute t;
    char *to;

    (void)info;
    if (is_internal_attribute(name) || (c->fill == H5_FILL_KNOWN && strcmp(name, "_FillValue") == 0))
        return 0;
    to = utf8_of(name, strlen(name));
    if (!to) {
        c->st = DRX_ENOMEM;
    } else if (!h5_open_attribute(&t, object, name)) {
        warn_unread(c->to, to);
    } else {
        if (can_keep(c->to, to))
            copy_attribute(c, &t, to);
        h5_close_attribute(&t);
    }
    free(to);
    return c->st ? -1 : 0;
}

/* When HDF5 writes the fill value, if not as usual: strings of any length always have it. */
static const char *fill_time(hid_t dataset, hid_t plist)
{
    H5D_fill_time_t when = H5D_FILL_TIME_IFSET;
    const hid_t type = H5Dget_type(dataset);
    const bool usual = H5Pget_fill_time(plist, &when) < 0 || H5Tis_variable_str(type) > 0;

    h5_close(type);
    return usual ? NULL : when == H5D_FILL_TIME_NEVER ? "never" : when == H5D_FILL_TIME_ALLOC ? "alloc" : NULL;
}

int h5_copy_attributes(hid_t object, struct keeping *to, enum h5_fill fill, const char *path)
{
    struct copying c = { .to = to, .fill = fill };
    const hid_t plist = H5Iget_type(object) == H5I_DATASET ? H5Dget_create_plist(object) : H5Gget_create_plist(object);
    unsigned order = 0;
    herr_t error;

    if (plist >= 0)
        (void)H5Pget_attr_creation_order(plist, &order);
    if (H5Iget_type(object) == H5I_DATASET)
        to->fill_time = fill_time(object, plist);
    h5_close(plist);
    error = H5Aiterate2(object, order & H5P_CRT_ORDER_INDEXED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC, NULL,
                        visit, &c);
    if (error < 0 && !c.st) {
        (void)h5_failed(to->label, reading);
        (void)end_keeping(to, DRX_EIO);
        return FAILED;
    }
    return exit_code(path, end_keeping(to, c.st));
}
