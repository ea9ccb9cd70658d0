/* Making an array: its description, and its files. They are made without names; place.c names them. */
#include <stdlib.h>
#include <sys/random.h>

#include "array/place.h"
#include "io/block_bytes.h"

static const unsigned known_flags = DRX_REPLACE | DRX_CHECKSUM | DRX_SHELL | DRX_TEMPORARY;

static int hex_digit(char c)
{
    const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* A random id, or the one that DRX_CREATION_ID gives: 32 digits, 0-9 and a-f. */
drx_status drxi_new_id(uint8_t id[])
{
    const char *text = getenv("DRX_CREATION_ID");

    if (!text)
        return getrandom(id, DRXI_ID_BYTES, 0) == DRXI_ID_BYTES ? DRX_OK
                                                                : drxi_fail(DRX_EIO, "no random bytes to be had");
    for (size_t i = 0; i < DRXI_ID_BYTES; i++) {
        const int high = strlen(text) == 2 * DRXI_ID_BYTES ? hex_digit(text[2 * i]) : -1;
        const int low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);

        if (low < 0)
            return drxi_fail(DRX_EINVAL, "DRX_CREATION_ID is \"%s\", expected %d digits, 0-9 and a-f", text,
                             2 * DRXI_ID_BYTES);
        id[i] = (uint8_t)(high << 4 | low);
    }
    return DRX_OK;
}

static drx_status check_spec_extents(const drx_spec *spec)
{
    if (!spec->shape)
        return drxi_fail(DRX_EINVAL, "spec.shape is a null pointer");
    for (int j = 0; j < spec->ndim; j++) {
        if (spec->shape[j] < 0)
            return drxi_fail(DRX_EINVAL, "axis %d: bound %lld, expected 0 or more", j, (long long)spec->shape[j]);
        if (spec->chunk && spec->chunk[j] < 1)
            return drxi_fail(DRX_EINVAL, "axis %d: chunk extent %lld, expected 1 or more", j,
                             (long long)spec->chunk[j]);
    }
    return DRX_OK;
}

static drx_status check_array_spec(const drx_spec *spec, bool in_memory)
{
    drx_status st;

    if (spec->ndim < 1 || spec->ndim > DRX_MAX_NDIM)
        return drxi_fail(DRX_EINVAL, "ndim is %d, expected 1 to %d", spec->ndim, DRX_MAX_NDIM);
    if (drx_type_size(spec->type) == 0)
        return drxi_fail(DRX_EINVAL,
                         "type is %d, expected one of drx_type, DRX_BYTES or DRX_UNICODE of 1 to %d bytes, or one of "
                         "drx_type_define",
                         (int)spec->type, DRX_MAX_STRING_BYTES);
    if (spec->fill && DRX_IS_STRING(spec->type) && !drxi_string_fill_fits(spec->type, spec->fill))
        return drxi_fail(DRX_EINVAL, "the fill of type %s has more than %d bytes%s", drx_type_name(spec->type),
                         DRX_MAX_STRING_FILL_BYTES,
                         DRX_IS_UNICODE(spec->type) ? " of UTF-8, or is not Unicode" : " before its NULs");
    if (spec->chunk_order != DRX_ROW_MAJOR && spec->chunk_order != DRX_COL_MAJOR)
        return drxi_fail(DRX_EINVAL, "chunk_order is %d, expected DRX_ROW_MAJOR or DRX_COL_MAJOR",
                         (int)spec->chunk_order);
    if (spec->align != DRX_ALIGN_AUTO &&
        (spec->align < 0 || spec->align > DRXI_MOST_ALIGN || (spec->align & (spec->align - 1)) != 0))
        return drxi_fail(DRX_EINVAL, "align is %lld, expected a power of two up to 2^30, 0, or DRX_ALIGN_AUTO (-1)",
                         (long long)spec->align);
    if (spec->ndim < 32 && spec->grows >> spec->ndim != 0)
        return drxi_fail(DRX_EINVAL, "grows is %#x, expected bits of the axes 0 to %d", spec->grows, spec->ndim - 1);
    if ((spec->flags & ~known_flags) != 0 || !drxi_is_zero(spec->reserved, sizeof spec->reserved))
        return drxi_fail(DRX_EINVAL, "flags are %#x or reserved is not zero, expected flags up to %#x", spec->flags,
                         known_flags);
    if (in_memory && spec->flags & DRX_CHECKSUM)
        return drxi_fail(DRX_EINVAL, "drx_create: DRX_CHECKSUM, an array in memory has no files");
    st = drxi_stripes_check(spec, in_memory);
    if (!st)
        st = drxi_source_check(spec->source);
    return st ? st : check_spec_extents(spec);
}

/* The codec goes into the description, whose chunk is known. */
static drx_status choose_codec(const drx_spec *spec, struct drxi_desc *desc)
{
    struct drxi_laid laid;
    drx_status st = drxi_codec_of(spec->codec, spec->level, spec->shuffle, drx_type_size(spec->type), &desc->codec);

    if (st || spec->codec == DRX_RAW)
        return st;
    if (spec->flags & DRX_CHECKSUM)
        return drxi_fail(DRX_EINVAL,
                         "DRX_CHECKSUM beside codec %s: the table of a compressed array has a checksum of "
                         "each chunk already; leave the flag out",
                         drx_codec_name(spec->codec));
    (void)drxi_desc_lay(desc, &laid);
    return drxi_codec_check(&desc->codec, laid.bytes);
}

static struct drxi_bounds bounds_of(const drx_spec *spec)
{
    return (struct drxi_bounds){ .ndim = spec->ndim,
                                 .shape = spec->shape,
                                 .lower = spec->lower,
                                 .item_bytes = drx_type_size(spec->type),
                                 .grows = spec->grows };
}

drx_status drx_choose_chunk(const drx_spec *spec, int64_t chunk[])
{
    struct drxi_bounds bounds;
    drx_status st;

    if (!spec || !chunk)
        return drxi_fail(DRX_EINVAL, "drx_choose_chunk: spec or chunk is a null pointer");
    st = check_array_spec(spec, false);
    if (st)
        return st;
    bounds = bounds_of(spec);
    if (spec->chunk && drxi_is_sensible_chunk(&bounds, spec->chunk))
        memmove(chunk, spec->chunk, (size_t)spec->ndim * sizeof *chunk);
    else
        drxi_choose_chunk(&bounds, chunk);
    return DRX_OK;
}

static drx_status describe_spec(const drx_spec *spec, bool in_memory, struct drxi_desc *desc)
{
    drx_status st = check_array_spec(spec, in_memory);

    if (st)
        return st;
    if ((st = drxi_desc_of_spec(spec, desc)))
        return st;
    if (!spec->chunk) {
        const struct drxi_bounds bounds = bounds_of(spec);

        drxi_choose_chunk(&bounds, desc->chunk);
    }
    st = choose_codec(spec, desc);
    return st ? st : drxi_new_id(desc->id);
}

/* With room for the initial chunks; without `fill`, the caller writes all of them. */
static drx_status make_data(drx_array *a, const drx_spec *spec, bool fill)
{
    struct drxi_state *s = &a->log.state;
    drx_status st = DRX_OK;

    if (a->path)
        st = drxi_stripes_new(a->path, s->desc.id, spec, &s->stripes);
    if (!st)
        st = drxi_data_start(&a->data, a->path, DRXI_NEW);
    if (st)
        return st;
    return fill ? drxi_data_allocate(&a->data, 0, s->map.chunks) : drxi_data_resize(&a->data, s->map.chunks);
}

/* The log begins with the names of axes. */
static drx_status name_described(drx_array *a, const char *const *dims)
{
    for (int j = 0; dims && j < a->log.state.desc.ndim; j++)
        if (dims[j] && *dims[j] && !(a->log.state.dim[j] = drxi_strdup(dims[j])))
            return DRX_ENOMEM;
    return DRX_OK;
}

static drx_status name_axes(drx_array *a, const char *const *dims)
{
    drx_status st = DRX_OK;

    for (int j = 0; !st && dims && j < a->log.state.desc.ndim; j++)
        if (dims[j])
            st = drxi_name_axis(a, j, dims[j]);
    return st;
}

static drx_status make_meta(drx_array *a, const struct drxi_names *n, const char *const *dims)
{
    drx_status st = drxi_files->open(n->meta, DRXI_NEW, &a->log.io);

    if (!st)
        st = a->log.io->ops->lock(a->log.io, DRXI_LOCK_ALONE);
    if (!st)
        st = name_described(a, dims);
    return st ? st : drxi_log_create(&a->log);
}

static drx_status make_files(drx_array *a, const drx_spec *spec, unsigned how)
{
    const bool replace = (spec->flags & DRX_REPLACE) != 0, for_dataset = (how & DRXI_FOR_DATASET) != 0;
    struct drxi_names n;
    drx_status st = drxi_names_make(a->path, &n);

    if (!st && !for_dataset)
        st = drxi_refuse_dataset_folder(a->path);
    if (!st && !a->parts.temporary && !for_dataset)
        st = drxi_look_first(&n, replace);
    if (!st)
        st = make_data(a, spec, how & DRXI_FILLED);
    if (!st && !for_dataset)
        st = make_meta(a, &n, spec->dims);
    if (!st)
        st = drxi_data_new_pool(&a->data);
    if (!st && !a->parts.temporary && !for_dataset)
        st = drxi_put_in_place(a, &n, replace);
    drxi_names_free(&n);
    return st;
}

static drx_status persist(drx_array *a, bool replace)
{
    struct drxi_names n;
    drx_status st = drxi_check_changeable(a);

    if (st)
        return st;
    if (!a->parts.temporary)
        return drxi_fail(DRX_EINVAL, "%s: not a temporary array on disk", a->parts.label);
    if ((st = drxi_refuse_dataset_folder(a->path)))
        return st;
    st = drxi_names_make(a->path, &n);
    if (!st)
        st = drxi_pool_flush(a->data.file->pool);
    if (!st)
        st = drxi_put_in_place(a, &n, replace);
    drxi_names_free(&n);
    a->parts.temporary = st != DRX_OK;
    return st;
}

drx_status drx_persist(drx_array *a, unsigned flags)
{
    drx_status st;

    if (!a)
        return drxi_no_array();
    if ((flags & ~(unsigned)DRX_REPLACE) != 0)
        return drxi_fail(DRX_EINVAL, "%s: flags are %#x, expected 0 or DRX_REPLACE", a->parts.label, flags);
    drxi_gate_shut(&a->gate);
    st = persist(a, (flags & DRX_REPLACE) != 0);
    drxi_gate_open(&a->gate);
    return st;
}

/* Align raw chunks to the file system of the first data file. Payloads have no fixed length to align. */
static drx_status choose_align(const char *path, const drx_spec *spec, struct drxi_desc *desc)
{
    struct drxi_laid laid;
    char *folder;

    if (spec->align != DRX_ALIGN_AUTO || !path || spec->codec != DRX_RAW)
        return DRX_OK;
    folder = drxi_first_folder(path, spec);
    if (!folder)
        return DRX_ENOMEM;
    (void)drxi_desc_lay(desc, &laid);
    desc->align = drxi_fitting_align(drxi_block_bytes(folder), laid.bytes);
    drxi_free(folder);
    return DRX_OK;
}

/* A handle of an array that has a description, and neither data nor files yet. */
static drx_status begin_create(const char *path, const drx_spec *spec, drx_array **out)
{
    struct drxi_desc desc;
    drx_array *a;
    drx_status st = path ? drxi_check_path(path) : DRX_OK;

    if (!st)
        st = describe_spec(spec, !path, &desc);
    if (!st)
        st = choose_align(path, spec, &desc);
    if (!st)
        st = drxi_array_new(path, &a);
    if (st)
        return st;
    drxi_set_mode(a, DRX_RDWR);
    a->new_names = true;
    a->parts.temporary = path && (spec->flags & DRX_TEMPORARY) != 0;
    *out = a;
    st = drxi_state_init(&a->log.state, &desc, spec->lower);
    if (!st)
        st = drxi_source_copy(spec->source, &a->log.state.source);
    if (!st)
        drxi_data_follow(&a->data);
    return st;
}

drx_status drxi_create(const char *path, const drx_spec *spec, unsigned how, drx_array **out)
{
    drx_array *a = NULL;
    drx_status st;

    if (!out || !spec)
        return drxi_fail(DRX_EINVAL, "drx_create: spec or out is a null pointer");
    *out = NULL;
    drxi_report_clear();
    st = begin_create(path, spec, &a);
    if (!st && path)
        st = make_files(a, spec, how);
    else if (!st && !(how & DRXI_BARE))
        st = make_data(a, spec, how & DRXI_FILLED);
    if (!st && !path)
        st = name_axes(a, spec->dims);
    if (!st) {
        drxi_report_clear(); /* which the search for old files may have set */
        *out = a;
    } else if (a) {
        (void)drxi_array_free(a);
    }
    return st;
}

drx_status drx_create(const char *path, const drx_spec *spec, drx_array **out)
{
    return drxi_create(path, spec, DRXI_FILLED, out);
}
