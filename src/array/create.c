/* Making, replacing and removing the files of an array.
 *
 * Both files are made without a name. `.xmd` gets its name last, and is removed
 * first; what is replaced is never written to, and only set aside until the new
 * files have the names. A creation that is cut short leaves nothing, or between the
 * two names a `.xta` without `.xmd`, which is no array. Names change under a lock on
 * the folder. */
#include <stdlib.h>
#include <sys/random.h>

#include "array/array.h"

static const unsigned known_flags = DRX_REPLACE | DRX_CHECKSUM | DRX_SHELL | DRX_TEMPORARY;

/* ---- the description ------------------------------------------------------------- */

static int hex_digit(char c)
{
    const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* Random, or what DRX_CREATION_ID says: 32 digits, 0-9 and a-f. */
static drx_status creation_id(uint8_t id[])
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

static drx_status check_extents(const drx_spec *spec)
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

static drx_status check_spec(const drx_spec *spec)
{
    if (spec->ndim < 1 || spec->ndim > DRX_MAX_NDIM)
        return drxi_fail(DRX_EINVAL, "ndim is %d, expected 1 to %d", spec->ndim, DRX_MAX_NDIM);
    if (drx_type_size(spec->type) == 0)
        return drxi_fail(DRX_EINVAL, "type is %d, expected DRX_INT8 (%d) to DRX_COMPLEX128 (%d)", (int)spec->type,
                         DRX_INT8, DRX_COMPLEX128);
    if (spec->chunk_order != DRX_ROW_MAJOR && spec->chunk_order != DRX_COL_MAJOR)
        return drxi_fail(DRX_EINVAL, "chunk_order is %d, expected DRX_ROW_MAJOR or DRX_COL_MAJOR",
                         (int)spec->chunk_order);
    if (spec->align < 0 || spec->align > (1 << 30) || (spec->align & (spec->align - 1)) != 0)
        return drxi_fail(DRX_EINVAL, "align is %lld, expected a power of two up to 2^30, or 0",
                         (long long)spec->align);
    if ((spec->flags & ~known_flags) != 0 || !drxi_is_zero(spec->reserved, sizeof spec->reserved))
        return drxi_fail(DRX_EINVAL, "flags are %#x or reserved is not zero, expected flags up to %#x", spec->flags,
                         known_flags);
    if (spec->nstripes != 0 || spec->stripes)
        return drxi_fail(DRX_EUNSUPPORTED, "stripes: data in several folders is not supported yet");
    if (spec->flags & DRX_CHECKSUM)
        return drxi_fail(DRX_EUNSUPPORTED, "DRX_CHECKSUM: checksums of the data are not supported yet");
    return check_extents(spec);
}

static drx_status describe(const drx_spec *spec, struct drxi_desc *desc)
{
    const size_t item_bytes = drx_type_size(spec->type);
    drx_status st = check_spec(spec);

    if (st)
        return st;
    memset(desc, 0, sizeof *desc);
    desc->ndim = spec->ndim;
    desc->type = spec->type;
    desc->chunk_order = spec->chunk_order;
    desc->flags = spec->flags & DRX_SHELL ? DRXI_DESC_SHELL : 0;
    desc->align = spec->align ? spec->align : 1;
    if (spec->fill)
        memcpy(desc->fill, spec->fill, item_bytes);
    for (int j = 0; j < spec->ndim; j++)
        desc->shape[j] = spec->shape[j];
    if (spec->chunk)
        memcpy(desc->chunk, spec->chunk, (size_t)spec->ndim * sizeof *desc->chunk);
    else
        drxi_choose_chunk(spec->ndim, spec->shape, item_bytes, desc->chunk);
    return creation_id(desc->id);
}

/* ---- the files ---------------------------------------------------------------------- */

struct names {
    char *meta, *data, *checksums;
};

static drx_status make_names(const drx_array *a, struct names *n)
{
    n->meta = drxi_format("%s.xmd", a->path);
    n->data = drxi_format("%s.xta", a->path);
    n->checksums = drxi_format("%s.xcs", a->path);
    return n->meta && n->data && n->checksums ? DRX_OK : DRX_ENOMEM;
}

static void free_names(struct names *n)
{
    drxi_free(n->meta);
    drxi_free(n->data);
    drxi_free(n->checksums);
}

/* Whether the path is free: taken, unless what is there may be replaced and nobody
 * writes to it. *old, if there is one, holds its lock until it is closed. */
static drx_status check_free(const drx_array *a, const struct names *n, bool replace, drxi_io **old)
{
    drxi_io *data = NULL;
    drx_status st = drxi_files->open(n->meta, replace ? DRXI_WRITE : DRXI_READ, old);

    if (!st)
        return replace ? (*old)->ops->lock(*old) : drxi_fail(DRX_EEXIST, "%s: exists already", n->meta);
    if (st != DRX_ENOENT || replace)
        return st == DRX_ENOENT ? DRX_OK : st;
    st = drxi_files->open(n->data, DRXI_READ, &data);
    if (st)
        return st == DRX_ENOENT ? DRX_OK : st;
    (void)data->ops->close(data);
    return drxi_fail(DRX_EEXIST, "%s: exists already, without its %s.xmd", n->data, a->path);
}

/* Look before the work is done; what counts is the look in put_in_place. */
static drx_status look_first(const drx_array *a, const struct names *n, bool replace)
{
    drxi_io *old = NULL;
    drx_status st = check_free(a, n, replace, &old);

    if (old)
        (void)old->ops->close(old);
    return st;
}

static drx_status make_data(drx_array *a, const struct names *n)
{
    drx_status st = drxi_files->open(n->data, DRXI_NEW, &a->data);

    return st ? st : drxi_allocate(a, 0, a->state.map.chunks);
}

static drx_status make_meta(drx_array *a, const struct names *n)
{
    uint8_t bytes[DRXI_DESC_MAX_BYTES];
    const size_t n_bytes = drxi_desc_bytes(a->state.desc.ndim);
    drx_status st = drxi_files->open(n->meta, DRXI_NEW, &a->meta);

    if (!st)
        st = a->meta->ops->lock(a->meta);
    a->state.crc = drxi_desc_encode(&a->state.desc, bytes);
    a->state.log_end = (int64_t)n_bytes;
    return st ? st : a->meta->ops->write(a->meta, bytes, n_bytes, 0);
}

static drx_status name_axes(drx_array *a, const char *const *dims)
{
    drx_status st = DRX_OK;

    for (int j = 0; !st && dims && j < a->state.desc.ndim; j++)
        if (dims[j])
            st = drxi_name_axis(a, j, dims[j]);
    return st;
}

static drx_status remove_if_there(const char *path)
{
    drx_status st = drxi_files->remove(path);

    return st == DRX_ENOENT ? DRX_OK : st;
}

/* What bears the names now, and is to be replaced: NULL where there is nothing. */
struct old {
    drxi_io *meta, *data;
};

static drx_status park_if_there(drxi_io *io)
{
    return io ? io->ops->park(io) : DRX_OK;
}

/* The new files are on disk and have spare names before the old ones lose theirs. */
static drx_status set_old_aside(drx_array *a, const struct names *n, struct old *old)
{
    drx_status st = drxi_files->open(n->data, DRXI_WRITE, &old->data);

    if (!st || st == DRX_ENOENT)
        st = drxi_make_durable(a, a->data);
    if (!st)
        st = drxi_make_durable(a, a->meta);
    if (!st)
        st = park_if_there(a->data);
    if (!st)
        st = park_if_there(a->meta);
    if (!st)
        st = park_if_there(old->meta);
    if (!st)
        st = park_if_there(old->data);
    return st ? st : remove_if_there(n->checksums);
}

/* The new files are without, the old ones under their names again, as far as that
 * goes; the detail of what failed is kept. */
static void put_back(drx_array *a, struct old *old)
{
    char *detail = drxi_strdup(drx_last_error());

    (void)a->meta->ops->park(a->meta);
    (void)a->data->ops->park(a->data);
    if (old->data)
        (void)old->data->ops->name(old->data);
    if (old->meta)
        (void)old->meta->ops->name(old->meta);
    drxi_report_set(detail ? detail : "");
    drxi_free(detail);
}

/* Close, and so remove, what was set aside. */
static void let_go(struct old *old)
{
    if (old->meta)
        (void)old->meta->ops->close(old->meta);
    if (old->data)
        (void)old->data->ops->close(old->data);
}

/* Give the complete files their names, the metadata last, while nobody else makes,
 * replaces or removes arrays in the folder. */
static drx_status put_in_place(drx_array *a, const struct names *n, bool replace)
{
    drxi_io *folder = NULL;
    struct old old = {NULL, NULL};
    drx_status st = drxi_files->lock_folder(n->meta, &folder);

    if (!st)
        st = check_free(a, n, replace, &old.meta);
    if (!st) {
        if (replace)
            st = set_old_aside(a, n, &old);
        if (!st)
            st = a->data->ops->name(a->data);
        if (!st)
            st = a->meta->ops->name(a->meta);
        if (st)
            put_back(a, &old);
    }
    let_go(&old);
    if (folder)
        (void)folder->ops->close(folder);
    return st;
}

static drx_status make_files(drx_array *a, const drx_spec *spec)
{
    const bool replace = (spec->flags & DRX_REPLACE) != 0;
    struct names n;
    drx_status st = make_names(a, &n);

    if (!st && !a->temporary)
        st = look_first(a, &n, replace);
    if (!st)
        st = make_data(a, &n);
    if (!st)
        st = make_meta(a, &n);
    if (!st)
        st = name_axes(a, spec->dims);
    if (!st)
        st = drxi_pool_new(a->data, a->item_bytes, DRXI_POOL_BYTES, &a->pool);
    if (!st && !a->temporary)
        st = put_in_place(a, &n, replace);
    free_names(&n);
    return st;
}

static drx_status persist(drx_array *a, bool replace)
{
    struct names n;
    drx_status st = drxi_check_writable(a);

    if (st)
        return st;
    if (!a->temporary)
        return drxi_fail(DRX_EINVAL, "%s: not a temporary array on disk", a->label);
    st = make_names(a, &n);
    if (!st)
        st = drxi_pool_flush(a->pool);
    if (!st)
        st = put_in_place(a, &n, replace);
    free_names(&n);
    a->temporary = st != DRX_OK;
    return st;
}

drx_status drx_persist(drx_array *a, unsigned flags)
{
    drx_status st;

    if (!a)
        return drxi_no_array();
    if ((flags & ~(unsigned)DRX_REPLACE) != 0)
        return drxi_fail(DRX_EINVAL, "%s: flags are %#x, expected 0 or DRX_REPLACE", a->label, flags);
    (void)pthread_rwlock_wrlock(&a->lock);
    st = persist(a, (flags & DRX_REPLACE) != 0);
    (void)pthread_rwlock_unlock(&a->lock);
    return st;
}

static drx_status make_in_memory(drx_array *a, const drx_spec *spec)
{
    drx_status st = drxi_memory_open(&a->data);

    if (!st)
        st = drxi_allocate(a, 0, a->state.map.chunks);
    return st ? st : name_axes(a, spec->dims);
}

drx_status drxi_check_path(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *last = slash ? slash + 1 : path;

    if (!last || !*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
        return drxi_fail(DRX_EINVAL, "\"%s\": expected the path of an array, without suffix", path ? path : "");
    return DRX_OK;
}

drx_status drx_create(const char *path, const drx_spec *spec, drx_array **out)
{
    struct drxi_desc desc;
    drx_array *a = NULL;
    drx_status st;

    if (!out || !spec)
        return drxi_fail(DRX_EINVAL, "drx_create: spec or out is a null pointer");
    *out = NULL;
    drxi_report_clear();
    st = path ? drxi_check_path(path) : DRX_OK;
    if (!st)
        st = describe(spec, &desc);
    if (!st)
        st = drxi_array_new(path, &a);
    if (st)
        return st;
    a->writable = true;
    a->new_names = true;
    a->temporary = path && (spec->flags & DRX_TEMPORARY) != 0;
    st = drxi_state_init(&a->state, &desc);
    if (!st) {
        drxi_layout(a);
        st = path ? make_files(a, spec) : make_in_memory(a, spec);
    }
    if (st) {
        (void)drxi_array_free(a);
        return st;
    }
    drxi_report_clear(); /* of what was looked for and not there */
    *out = a;
    return DRX_OK;
}

/* Remove what there is, the metadata first. */
static drx_status remove_files(const char *path)
{
    static const char *const suffixes[] = {".xmd", ".xta", ".xcs"};
    bool found = false;
    drx_status st = DRX_OK;

    for (size_t i = 0; !st && i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char *name = drxi_format("%s%s", path, suffixes[i]);

        st = name ? drxi_files->remove(name) : DRX_ENOMEM;
        drxi_free(name);
        found = found || !st;
        if (st == DRX_ENOENT)
            st = DRX_OK;
    }
    return st || found ? st : drxi_fail(DRX_ENOENT, "%s.xmd: no such array", path);
}

drx_status drx_remove(const char *path)
{
    drxi_io *folder = NULL;
    drxi_io *meta = NULL;
    char *name;
    drx_status st = drxi_check_path(path);

    if (st)
        return st;
    name = drxi_format("%s.xmd", path);
    st = name ? drxi_files->lock_folder(name, &folder) : DRX_ENOMEM;
    if (!st) {
        st = drxi_files->open(name, DRXI_WRITE, &meta);
        st = st ? st : meta->ops->lock(meta);
    }
    if (!st || st == DRX_ENOENT) /* perhaps half a pair is left */
        st = remove_files(path);
    drxi_free(name);
    if (meta)
        (void)meta->ops->close(meta);
    if (folder)
        (void)folder->ops->close(folder);
    return st;
}
