/* Functions that only inspect an array. */
#include "array/array.h"
#include "lone/lone.h"

int drx_ndim(const drx_array *a)
{
    return a->data.ndim;
}

drx_type drx_dtype(const drx_array *a)
{
    return a->data.type;
}

const int64_t *drx_shape(const drx_array *a)
{
    return a->log.state.shape;
}

const int64_t *drx_lower(const drx_array *a)
{
    return a->data.lower;
}

const int64_t *drx_chunk(const drx_array *a)
{
    return a->data.chunk;
}

void drx_describe(const drx_array *a, drx_spec *spec)
{
    const struct drxi_state *s = &a->log.state;

    drxi_spec_of_desc(&s->desc, &s->stripes, spec);
    spec->shape = s->shape;
    spec->lower = a->data.lower;
    spec->dims = (const char *const *)s->dim;
    spec->source = s->source;
}

static drxi_io *file_of(const drx_array *a, int i, struct drxi_stored_file *f)
{
    *f = (struct drxi_stored_file){ .io = NULL };
    if (!a || !a->log.io || !a->data.file->io || i < 0 || (i > 0 && drxi_lone_variable(&a->log)->null))
        return NULL;
    return i == 0 ? a->log.io : drxi_data_file(&a->data, i - 1, f) ? f->io : NULL;
}

const char *drx_file(const drx_array *a, int i)
{
    struct drxi_stored_file f;
    const drxi_io *io = file_of(a, i, &f);

    return io ? io->path : NULL;
}

drx_status drx_file_state(const drx_array *a, int i, int64_t *bytes, int64_t *changed)
{
    struct drxi_stored_file f;
    drxi_io *io = file_of(a, i, &f);
    uint64_t stamp = 0;
    drx_status st;

    if (!io || !bytes || !changed)
        return drxi_fail(DRX_EINVAL, "drx_file_state: the array has no file %d, or there is a null pointer", i);
    st = io->ops->size(io, bytes);
    if (!st)
        st = io->ops->stamp(io, &stamp);
    *changed = (int64_t)(stamp / 1000000000);
    return st;
}

drx_status drx_file_version(const drx_array *a, int i, uint64_t version[2])
{
    struct drxi_stored_file f;
    drxi_io *io = file_of(a, i, &f);
    const struct drxi_log_place *end;
    struct drxi_alias alias;
    int64_t bytes = 0;
    drx_status st;

    if (!io || !version)
        return drxi_fail(DRX_EINVAL, "drx_file_version: the array has no file %d, or there is a null pointer", i);
    if (i == 0) {
        memcpy(version, a->log.state.desc.id, sizeof *version);
        end = &drxi_lone_store(&a->log)->end;
        version[1] = (uint64_t)end->end << 32 ^ end->crc;
        return DRX_OK;
    }
    st = io->ops->size(io, &bytes); /* a server tells the state with it */
    version[0] = (uint64_t)bytes;
    if (st || !io->pinned)
        return st ? st : io->ops->stamp(io, &version[1]);
    st = io->ops->alias(io, &alias);
    memcpy(version, alias.id, sizeof alias.id);
    return st;
}

drx_status drx_file_look(const drx_array *a, int i, drx_file_status *out)
{
    struct drxi_stored_file f;
    const drxi_io *io = file_of(a, i, &f);
    struct drxi_looked looked = { .there = false };
    drx_status st = DRX_OK;

    if (!io || !out)
        return drxi_fail(DRX_EINVAL, "drx_file_look: the array has no file %d, or there is a null pointer", i);
    memset(out, 0, sizeof *out);
    if (f.unique)
        st = drxi_stripes_look(&a->data, i - 1, &looked);
    else
        drxi_files->look(io->path, true, &looked);
    if (!st && !looked.there)
        st = drxi_fail(DRX_ENOENT, "%s: nothing is there that can be looked at", io->path);
    if (st)
        return st;
    out->bytes = looked.bytes;
    out->stored_bytes = looked.stored_bytes;
    out->changed = looked.changed;
    out->mode = looked.mode;
    return DRX_OK;
}

const int64_t *drx_initial_shape(const drx_array *a)
{
    return a->log.state.desc.shape;
}

/* The lock is not part of the array that the caller sees as const. */
static void lock(const drx_array *a)
{
    drxi_gate_enter((struct drxi_gate *)(uintptr_t)&a->gate);
}

static void unlock(const drx_array *a)
{
    drxi_gate_leave((struct drxi_gate *)(uintptr_t)&a->gate);
}

int64_t drx_growth_count(const drx_array *a)
{
    int64_t growths;

    lock(a);
    growths = a->log.state.growths;
    unlock(a);
    return growths;
}

drx_status drx_growth(const drx_array *a, int64_t i, int *axis, int64_t *by)
{
    drx_status st = DRX_OK;

    if (!a)
        return drxi_no_array();
    lock(a);
    if (i < 0 || i >= a->log.state.growths) {
        st = drxi_fail(DRX_ERANGE, "%s: growth %lld, there are %lld", a->parts.label, (long long)i,
                       (long long)a->log.state.growths);
    } else {
        *axis = a->log.state.growth_axis[i];
        *by = a->log.state.growth_by[i];
    }
    unlock(a);
    return st;
}

int64_t drx_chunk_count(const drx_array *a)
{
    return a->data.map.chunks;
}

static drx_status check_chunk_index(const drx_array *a, const int64_t chunk_index[])
{
    for (int j = 0; j < a->data.ndim; j++)
        if (chunk_index[j] < a->data.map.lower[j] || chunk_index[j] >= a->data.map.upper[j])
            return drxi_fail(DRX_ERANGE, "%s: axis %d: chunk index %lld, there are the chunks %lld to %lld",
                             a->parts.label, j, (long long)chunk_index[j], (long long)a->data.map.lower[j],
                             (long long)a->data.map.upper[j] - 1);
    return DRX_OK;
}

drx_status drx_chunk_address(const drx_array *a, const int64_t chunk_index[], int64_t *address)
{
    drx_status st;

    if (!a)
        return drxi_no_array();
    lock(a);
    st = check_chunk_index(a, chunk_index);
    if (!st)
        *address = drxi_map_address(&a->data.map, chunk_index);
    unlock(a);
    return st;
}

/* The chunk at that address, unless it was trimmed. */
static drx_status find_chunk(const drx_array *a, int64_t address, int64_t chunk_index[])
{
    const struct drxi_state *s = &a->log.state;
    int64_t index[DRX_MAX_NDIM];

    if (!s->trimmed) {
        drxi_map_index(&s->map, address, chunk_index);
        return DRX_OK;
    }
    drxi_map_index(&s->map, address, index);
    if (!drxi_map_lives(&s->map, address, index))
        return drxi_fail(DRX_ERANGE, "%s: chunk address %lld: the chunk was trimmed", a->parts.label,
                         (long long)address);
    memcpy(chunk_index, index, (size_t)s->desc.ndim * sizeof *index);
    return DRX_OK;
}

drx_status drx_chunk_index(const drx_array *a, int64_t address, int64_t chunk_index[])
{
    drx_status st;

    if (!a)
        return drxi_no_array();
    lock(a);
    if (address < 0 || address >= a->data.map.chunks)
        st = drxi_fail(DRX_ERANGE, "%s: chunk address %lld, there are %lld", a->parts.label, (long long)address,
                       (long long)a->data.map.chunks);
    else
        st = find_chunk(a, address, chunk_index);
    unlock(a);
    return st;
}

drx_status drx_chunk_place(drx_array *a, const int64_t chunk_index[], drx_place *out)
{
    drx_place place = { .file = -1 };
    drx_status st;

    if (!a)
        return drxi_no_array();
    if (!out || !a->log.io)
        return drxi_fail(DRX_EINVAL, "%s: out is a null pointer, or the array lives in memory", a->parts.label);
    drxi_gate_enter(&a->gate);
    st = check_chunk_index(a, chunk_index);
    if (!st && a->data.file->pool)
        st = drxi_pool_flush(a->data.file->pool);
    if (!st)
        st = a->data.file->stored->place(&a->data, drxi_map_address(&a->data.map, chunk_index), &place);
    drxi_gate_leave(&a->gate);
    if (!st)
        *out = place;
    return st;
}

int64_t drx_axial_count(const drx_array *a, int axis)
{
    const drxi_map *map = &a->data.map;

    return axis >= 0 && axis < map->ndim ? map->axial[DRXI_HIGH][axis].count + map->axial[DRXI_LOW][axis].count : 0;
}

int64_t drx_axial_low_count(const drx_array *a, int axis)
{
    const drxi_map *map = &a->data.map;

    return axis >= 0 && axis < map->ndim ? map->axial[DRXI_LOW][axis].count : 0;
}

/* Record i of a vector. */
static void get_record(const drxi_map *map, int axis, enum drxi_end end, int64_t i, int64_t *first_index,
                       int64_t *first_address, int64_t coefficients[])
{
    const struct drxi_axial *v = &map->axial[end][axis];
    const int64_t serial = v->serial[i];

    *first_index = end == DRXI_LOW ? -v->first[i] : v->first[i];
    *first_address = serial < 0 ? -1 : map->start[serial];
    for (int j = 0; j < map->ndim; j++)
        coefficients[j] = serial < 0 ? 0 : map->coef[serial * map->ndim + j];
}

drx_status drx_axial_record(const drx_array *a, int axis, int64_t i, int64_t *first_index, int64_t *first_address,
                            int64_t coefficients[])
{
    const drxi_map *map;
    drx_status st = DRX_OK;
    int64_t high;

    if (!a)
        return drxi_no_array();
    map = &a->data.map;
    if (axis < 0 || axis >= map->ndim)
        return drxi_fail(DRX_EINVAL, "%s: axis %d, expected 0 to %d", a->parts.label, axis, map->ndim - 1);
    lock(a);
    high = map->axial[DRXI_HIGH][axis].count;
    if (i < 0 || i >= drx_axial_count(a, axis))
        st = drxi_fail(DRX_ERANGE, "%s: axis %d: record %lld, there are %lld", a->parts.label, axis, (long long)i,
                       (long long)drx_axial_count(a, axis));
    else if (i < high)
        get_record(map, axis, DRXI_HIGH, i, first_index, first_address, coefficients);
    else
        get_record(map, axis, DRXI_LOW, i - high, first_index, first_address, coefficients);
    unlock(a);
    return st;
}

drx_status drx_count(const drx_array *a, drx_counters *out)
{
    if (!a)
        return drxi_no_array();
    if (!out)
        return drxi_fail(DRX_EINVAL, "%s: out is a null pointer", a->parts.label);
    *out = (drx_counters){
        .wanted_bytes = atomic_load(&a->data.file->counts.wanted_bytes),
        .mapped_bytes = atomic_load(&a->data.file->counts.mapped_bytes),
        .copies = atomic_load(&a->data.file->counts.copies),
        .reads = atomic_load(&a->data.file->counts.reads),
        .read_bytes = atomic_load(&a->data.file->counts.read_bytes),
        .writes = atomic_load(&a->data.file->counts.writes),
        .written_bytes = atomic_load(&a->data.file->counts.written_bytes),
        .concurrent = atomic_load(&a->data.file->counts.concurrent),
        .direct_bytes = atomic_load(&a->data.file->counts.direct_bytes),
        .ahead_bytes = atomic_load(&a->data.file->counts.ahead_bytes),
        .touched_bytes = atomic_load(&a->data.file->counts.touched_bytes),
    };
    return DRX_OK;
}
