"""What the binding uses of drx.h and drx_tools.h."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef extern from "drx_tools.h" nogil:
    enum: DRX_MAX_NDIM

    ctypedef enum drx_status:
        DRX_OK
        DRX_EINVAL
        DRX_ENOMEM
        DRX_EOVERFLOW
        DRX_EIO
        DRX_ENOSPC
        DRX_ENOENT
        DRX_EEXIST
        DRX_EACCES
        DRX_EBUSY
        DRX_EFORMAT
        DRX_EDAMAGED
        DRX_ECHECKSUM
        DRX_ERANGE
        DRX_EMISMATCH
        DRX_EMPI
        DRX_EUNSUPPORTED
        DRX_EINTERRUPTED

    void drx_set_memory(size_t bytes)
    int drx_is_url(const char *path)
    drx_status drx_look(const char *path, int *array, int *dataset)

    ctypedef int drx_type
    ctypedef int drx_codec
    ctypedef int drx_shuffle
    ctypedef enum drx_conversion:
        DRX_EXACT
        DRX_NEAREST
    enum: DRX_RAW
    ctypedef enum drx_order:
        DRX_ROW_MAJOR
        DRX_COL_MAJOR
    enum: DRX_RDONLY, DRX_RDWR, DRX_SHARED, DRX_REPLACE

    ctypedef struct drx_array:
        pass
    ctypedef struct drx_request:
        pass
    ctypedef struct drx_spec:
        int ndim
        drx_type type
        const int64_t *shape
        const int64_t *chunk
        const void *fill
        const char **dims
        drx_order chunk_order
        unsigned flags
        int64_t align
        int nstripes
        const char **stripes
        const int64_t *lower
        drx_codec codec
        int level
        drx_shuffle shuffle
        uint32_t grows
    ctypedef struct drx_packing:
        int64_t compressed_chunks
        int64_t open_chunks
        int64_t empty_chunks
        int64_t stored_bytes
        int64_t dead_bytes
        int64_t table_bytes
    ctypedef struct drx_box:
        const int64_t *lo
        const int64_t *count
        const int64_t *step
        const int64_t *stride
        drx_order order
        unsigned flags

    drx_status drx_create(const char *path, const drx_spec *spec, drx_array **out)
    drx_status drx_persist(drx_array *a, unsigned flags)
    drx_status drx_open(const char *path, int mode, drx_array **out)
    drx_status drx_close(drx_array *a)
    drx_status drx_sync(drx_array *a)
    drx_status drx_compact(drx_array *a)
    drx_status drx_refresh(drx_array *a)
    drx_status drx_remove(const char *path)

    int drx_ndim(const drx_array *a)
    drx_type drx_dtype(const drx_array *a)
    const int64_t *drx_shape(const drx_array *a)
    const int64_t *drx_lower(const drx_array *a)
    const int64_t *drx_chunk(const drx_array *a)
    void drx_describe(const drx_array *a, drx_spec *spec)
    const int64_t *drx_initial_shape(const drx_array *a)
    int64_t drx_growth_count(const drx_array *a)
    drx_status drx_growth(const drx_array *a, int64_t i, int *axis, int64_t *by)
    size_t drx_type_size(drx_type type)
    const char *drx_type_name(drx_type type)
    drx_type drx_type_named(const char *name)

    enum: DRX_ENUM, DRX_COMPOUND, DRX_OPAQUE, DRX_BITFIELD
    ctypedef struct drx_member:
        const char *name
        drx_type type
        size_t offset
        int rank
        const int64_t *extents
        const void *value
    ctypedef struct drx_type_info:
        int type_class
        const char *name
        size_t bytes
        drx_type base
        int nmembers
        const drx_member *members
        const char *tag
        int first_bit
        int nbits

    drx_status drx_type_define(const drx_type_info *info, drx_type *type)
    const drx_type_info *drx_type_describe(drx_type type)

    const char *drx_codec_name(drx_codec codec)
    const char *drx_codec_names()
    int drx_codec_named(const char *name)
    const char *drx_shuffle_name(drx_shuffle shuffle)
    int drx_shuffle_named(const char *name)
    drx_status drx_packing_of(drx_array *a, drx_packing *out)

    ctypedef struct drx_counters:
        int64_t reads

    drx_status drx_count(const drx_array *a, drx_counters *out)
    const char *drx_file(const drx_array *a, int i)
    drx_status drx_file_version(const drx_array *a, int i, uint64_t *version)
    drx_status drx_choose_chunk(const drx_spec *spec, int64_t *chunk)
    drx_status drx_keep_bits(drx_type type, int bits, const void *skip, int64_t n, void *elements, void *told)

    drx_status drx_extend(drx_array *a, int axis, int64_t by)
    drx_status drx_reserve(drx_array *a, int axis, int64_t by, int64_t *lo, int64_t *count)
    drx_status drx_append(drx_array *a, int axis, int64_t by, drx_order order, const void *buf)
    drx_status drx_extend_before(drx_array *a, int axis, int64_t by)
    drx_status drx_reserve_before(drx_array *a, int axis, int64_t by, int64_t *lo, int64_t *count)
    drx_status drx_prepend(drx_array *a, int axis, int64_t by, drx_order order, const void *buf)
    drx_status drx_trim(drx_array *a, int axis, int64_t before, int64_t after)
    drx_status drx_add_axis(drx_array *a, int at, const char *name)
    drx_status drx_read(drx_array *a, const int64_t *lo, const int64_t *count, drx_order order, void *buf)
    drx_status drx_read_box(drx_array *a, const drx_box *box, void *buf)
    drx_status drx_write_box(drx_array *a, const drx_box *box, const void *buf)
    drx_status drx_read_box_as(drx_array *a, const drx_box *box, drx_type type, drx_conversion how, void *buf)
    drx_status drx_write_box_as(drx_array *a, const drx_box *box, drx_type type, drx_conversion how, const void *buf)
    drx_status drx_get(drx_array *a, const int64_t *index, void *value)
    drx_status drx_read_points(drx_array *a, int64_t n, const int64_t *indices, void *values)
    drx_status drx_write_points(drx_array *a, int64_t n, const int64_t *indices, const void *values)
    drx_status drx_set_pool(drx_array *a, size_t bytes)
    drx_status drx_put(drx_array *a, const int64_t *index, const void *value)

    drx_status drx_read_async(drx_array *a, const drx_box *box, void *buf, drx_request **req)
    drx_status drx_write_async(drx_array *a, const drx_box *box, const void *buf, drx_request **req)
    drx_status drx_test(drx_request *req, int *done)
    drx_status drx_wait(drx_request *req)

    int64_t drx_chunk_count(const drx_array *a)
    drx_status drx_chunk_address(const drx_array *a, const int64_t *chunk_index, int64_t *address)
    drx_status drx_chunk_index(const drx_array *a, int64_t address, int64_t *chunk_index)

    drx_status drx_attr_set(drx_array *a, const char *name, drx_type type, int64_t n, const void *values)
    drx_status drx_attr_set_text(drx_array *a, const char *name, const char *utf8)
    drx_status drx_attr_get(const drx_array *a, const char *name, drx_type *type, int64_t *n, const void **values)
    drx_status drx_attr_delete(drx_array *a, const char *name)
    int drx_attr_count(const drx_array *a)
    drx_status drx_attr_info(const drx_array *a, int i, const char **name, drx_type *type, int64_t *n, int *is_text)
    const char *drx_dim_name(const drx_array *a, int axis)
    drx_status drx_dim_rename(drx_array *a, int axis, const char *name)

    const char *drx_strerror(drx_status st)
    const char *drx_last_error()
    const char *drx_version()
