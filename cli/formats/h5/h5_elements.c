/* Types of elements: numbers (h5_types.c), strings (h5_strings.c), and user-defined ones: enums, compounds,
 * opaque bytes and bitfields. These keep the name that they have in the file, and in memory the layout of the file,
 * where numbers are as wide there. */
#include <stdlib.h>
#include <string.h>

#include "h5.h"

hid_t h5_base_type(hid_t type, int *rank, int64_t extents[])
{
    hsize_t dims[H5S_MAX_RANK];
    hid_t own = H5Iinc_ref(type) < 0 ? -1 : type; /* a copy would have no name */

    *rank = 0;
    while (own >= 0 && H5Tget_class(own) == H5T_ARRAY) {
        const int n = H5Tget_array_dims2(own, dims);
        const hid_t super = H5Tget_super(own);

        for (int j = 0; j < n && *rank < H5S_MAX_RANK; j++)
            extents[(*rank)++] = (int64_t)dims[j];
        h5_close(own);
        own = super;
    }
    return own;
}

/* A type that is being described; pointers are freed. */
struct describing {
    drx_type_info info;
    char *name, *tag, **names;
    drx_member *members;
    int64_t (*extents)[H5S_MAX_RANK];
    char *values; /* of an enum, as its base */
};

/* The last part of the name that a type has in the file, to be freed; "": it has none. */
static char *own_name(hid_t type)
{
    const ssize_t n = H5Tcommitted(type) > 0 ? H5Iget_name(type, NULL, 0) : 0;
    char *path = calloc((size_t)(n > 0 ? n : 0) + 1, 1), *name;
    const char *slash;

    if (path && n > 0)
        (void)H5Iget_name(type, path, (size_t)n + 1);
    slash = path ? strrchr(path, '/') : NULL;
    name = path ? utf8_of(slash ? slash + 1 : path, strlen(slash ? slash + 1 : path)) : NULL;
    free(path);
    return name;
}

static bool make_room(struct describing *d, hid_t type, int n)
{
    d->name = own_name(type);
    d->members = calloc((size_t)n + 1, sizeof *d->members);
    d->names = calloc((size_t)n + 1, sizeof *d->names);
    d->extents = calloc((size_t)n + 1, sizeof *d->extents);
    d->info.name = d->name;
    d->info.nmembers = n;
    d->info.members = d->members;
    return d->name && d->members && d->names && d->extents;
}

static bool take_member_name(struct describing *d, hid_t type, int i)
{
    char *own = H5Tget_member_name(type, (unsigned)i);

    d->names[i] = own ? utf8_of(own, strlen(own)) : NULL;
    d->members[i].name = d->names[i];
    (void)H5free_memory(own);
    return d->names[i];
}

/* ---- classes ---- */

static bool describe_enum(struct describing *d, hid_t type)
{
    const int n = H5Tget_nmembers(type);
    const hid_t super = H5Tget_super(type);
    const drx_type base = super >= 0 ? h5_element_type(super) : (drx_type)0;
    const size_t bytes = drx_type_size(base), wide = super >= 0 ? H5Tget_size(super) : 0;
    const hid_t native = base ? h5_memory_type(base, -1) : -1;
    bool good = native >= 0 && n >= 0 && make_room(d, type, n);

    d->info.type_class = DRX_ENUM;
    d->info.base = base;
    d->info.bytes = bytes;
    d->values = good ? calloc((size_t)n + 1, bytes > wide ? bytes : wide) : NULL;
    good = good && d->values;
    for (int i = 0; good && i < n; i++) {
        good =
            take_member_name(d, type, i) && H5Tget_member_value(type, (unsigned)i, d->values + (size_t)i * wide) >= 0;
        d->members[i].type = base;
    }
    good = good && H5Tconvert(super, native, (size_t)n, d->values, NULL, H5P_DEFAULT) >= 0;
    for (int i = 0; good && i < n; i++)
        d->members[i].value = d->values + (size_t)i * bytes;
    h5_close(native);
    h5_close(super);
    return good;
}

static int64_t bytes_of(const drx_member *m)
{
    int64_t bytes = (int64_t)drx_type_size(m->type);

    for (int j = 0; j < m->rank; j++)
        bytes *= m->extents[j];
    return bytes;
}

static bool describe_compound(struct describing *d, hid_t type)
{
    const int n = H5Tget_nmembers(type);
    bool good = n >= 0 && make_room(d, type, n), same = true;
    int64_t end = 0;

    d->info.type_class = DRX_COMPOUND;
    d->info.bytes = H5Tget_size(type);
    for (int i = 0; good && i < n; i++) {
        drx_member *m = &d->members[i];
        const hid_t own = H5Tget_member_type(type, (unsigned)i), field = h5_base_type(own, &m->rank, d->extents[i]);

        m->extents = d->extents[i];
        m->type = field >= 0 ? h5_element_type(field) : (drx_type)0;
        m->offset = H5Tget_member_offset(type, (unsigned)i);
        good = m->type && take_member_name(d, type, i);
        same = same && good && bytes_of(m) == (int64_t)H5Tget_size(own);
        h5_close(field);
        h5_close(own);
    }
    for (int i = 0; good && !same && i < n; i++) { /* numbers are wider in memory: one field after the other */
        d->members[i].offset = (size_t)end;
        end += bytes_of(&d->members[i]);
        d->info.bytes = (size_t)end;
    }
    return good;
}

static bool describe_opaque(struct describing *d, hid_t type)
{
    char *tag = H5Tget_tag(type);

    d->info.type_class = DRX_OPAQUE;
    d->info.bytes = H5Tget_size(type);
    d->tag = tag ? utf8_of(tag, strlen(tag)) : NULL;
    d->info.tag = d->tag;
    (void)H5free_memory(tag);
    return d->tag && make_room(d, type, 0);
}

static bool describe_bits(struct describing *d, hid_t type)
{
    d->info.type_class = DRX_BITFIELD;
    d->info.bytes = H5Tget_size(type);
    d->info.first_bit = H5Tget_offset(type);
    d->info.nbits = (int)H5Tget_precision(type);
    return make_room(d, type, 0);
}

static drx_type defined_type(hid_t type)
{
    struct describing d = { .name = NULL };
    drx_type defined = (drx_type)0;
    bool good;

    switch (H5Tget_class(type)) {
    case H5T_ENUM:
        good = describe_enum(&d, type);
        break;
    case H5T_COMPOUND:
        good = describe_compound(&d, type);
        break;
    case H5T_OPAQUE:
        good = describe_opaque(&d, type);
        break;
    default:
        good = H5Tget_class(type) == H5T_BITFIELD && describe_bits(&d, type);
    }
    if (!good || drx_type_define(&d.info, &defined))
        defined = (drx_type)0;
    for (int i = 0; d.names && i < d.info.nmembers; i++)
        free(d.names[i]);
    free(d.name);
    free(d.tag);
    free(d.names);
    free(d.members);
    free(d.extents);
    free(d.values);
    return defined;
}

/* ---- names that netCDF gives ---- */

/* The types of the file at hand that have names, and what they are without. */
static struct known {
    drx_type named, bare;
} * known;
static int nknown;

void h5_forget_names(void)
{
    free(known);
    known = NULL;
    nknown = 0;
}

void h5_note_name(drx_type named)
{
    drx_type_info bare = *drx_type_describe(named);
    struct known *more = reallocarray(known, (size_t)nknown + 1, sizeof *more);

    if (!more)
        return;
    known = more;
    bare.name = NULL;
    if (drx_type_define(&bare, &known[nknown].bare) == DRX_OK)
        known[nknown++].named = named;
}

/* netCDF writes variables of types that are only equal to those with names. */
static drx_type find_name(drx_type type)
{
    for (int i = 0; i < nknown; i++)
        if (known[i].bare == type)
            return known[i].named;
    return type;
}

drx_type h5_element_type(hid_t type)
{
    const drx_type number = H5Tget_class(type) == H5T_STRING ? h5_string_type(type) : h5_number_type(type);

    return number ? number : find_name(defined_type(type));
}

/* What of a compound, or of its fields in turn, no type of DRX is. */
static const char *field_text(hid_t type)
{
    static char text[512];
    int64_t extents[H5S_MAX_RANK];
    int rank;

    for (int i = 0; i < H5Tget_nmembers(type); i++) {
        const hid_t own = H5Tget_member_type(type, (unsigned)i), field = h5_base_type(own, &rank, extents);

        h5_close(own);
        if (!h5_element_type(field)) {
            char *name = H5Tget_member_name(type, (unsigned)i);
            char what[256];

            (void)snprintf(what, sizeof what, "%s", h5_type_text(field));
            (void)snprintf(text, sizeof text, "compounds whose field '%.128s' holds %s", name ? name : "", what);
            (void)H5free_memory(name);
            h5_close(field);
            return text;
        }
        h5_close(field);
    }
    return drx_last_error()[0] ? drx_last_error() : "compounds";
}

const char *h5_type_text(hid_t type)
{
    static const char *const texts[H5T_NCLASSES] = {
        [H5T_INTEGER] = "integers of more than 8 bytes",
        [H5T_FLOAT] = "floats of more than 8 bytes",
        [H5T_BITFIELD] = "bit fields of 3, 5, 6, 7 or more than 8 bytes",
        [H5T_OPAQUE] = "opaque bytes, more than 65536 an element",
        [H5T_REFERENCE] = "references",
        [H5T_ENUM] = "enumerated names of integers of more than 8 bytes",
        [H5T_VLEN] = "lists of varying length",
        [H5T_ARRAY] = "arrays",
    };
    const int class = (int)H5Tget_class(type);

    if (class == H5T_STRING)
        return H5Tis_variable_str(type) > 0 ? "strings of varying length" : "strings of more than 4096 bytes";
    if (class == H5T_COMPOUND)
        return field_text(type);
    return class >= 0 && class < H5T_NCLASSES && texts[class] ? texts[class] : "an unknown type";
}

/* ---- in memory ---- */

static hid_t array_of(hid_t own, int rank, const int64_t extents[])
{
    hsize_t dims[H5S_MAX_RANK];

    for (int j = 0; j < rank; j++)
        dims[j] = (hsize_t)extents[j];
    return rank > 0 ? H5Tarray_create2(own, (unsigned)rank, dims) : H5Tcopy(own);
}

/* HDF5 finds fields by their names, which `like` has as the file spells them. */
static hid_t compound_memory(const drx_type_info *info, hid_t like)
{
    const hid_t memory = H5Tcreate(H5T_COMPOUND, info->bytes);

    for (int i = 0; memory >= 0 && i < info->nmembers; i++) {
        const drx_member *m = &info->members[i];
        const hid_t given = like >= 0 ? H5Tget_member_type(like, (unsigned)i) : -1;
        const hid_t own = h5_memory_type(m->type, given);
        const hid_t field = given >= 0 ? H5Tcopy(own) : array_of(own, m->rank, m->extents);
        char *name = like >= 0 ? H5Tget_member_name(like, (unsigned)i) : NULL;

        (void)H5Tinsert(memory, name ? name : m->name, m->offset, field);
        (void)H5free_memory(name);
        h5_close(field);
        h5_close(own);
        h5_close(given);
    }
    return memory;
}

/* An enum is read as its base: HDF5 would lose values without a name. */
static hid_t defined_memory(drx_type type, hid_t like)
{
    const drx_type_info *info = drx_type_describe(type);
    hid_t memory;

    if (info->type_class == DRX_ENUM)
        return h5_memory_type(info->base, -1);
    if (info->type_class == DRX_COMPOUND)
        return compound_memory(info, like);
    memory = H5Tcopy(like);
    if (info->type_class == DRX_BITFIELD)
        (void)H5Tset_order(memory, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? H5T_ORDER_LE : H5T_ORDER_BE);
    return memory;
}

hid_t h5_memory_type(drx_type type, hid_t like)
{
    hsize_t dims[H5S_MAX_RANK];
    hid_t super, own, memory;
    int rank;

    if (like >= 0 && H5Tget_class(like) == H5T_ARRAY) {
        super = H5Tget_super(like);
        own = h5_memory_type(type, super);
        rank = H5Tget_array_dims2(like, dims);
        memory = H5Tarray_create2(own, (unsigned)rank, dims);
        h5_close(own);
        h5_close(super);
        return memory;
    }
    return DRX_IS_STRING(type)    ? h5_string_memory(type, like)
           : DRX_IS_DEFINED(type) ? defined_memory(type, like)
                                  : h5_number_memory(type, like);
}
