/* Functions that only inspect an array. */
#include "array/array.h"
#include "data/sums.h"
#include "drx_tools.h"

int drx_ndim(const drx_array *a)
{
    return a->log.state.desc.ndim;
}

drx_type drx_dtype(const drx_array *a)
{
    return a->log.state.desc.type;
}

const int64_t *drx_shape(const drx_array *a)
{
    return a->log.state.shape;
}

const int64_t *drx_chunk(const drx_array *a)
{
    return a->log.state.desc.chunk;
}

void drx_describe(const drx_array *a, drx_spec *spec)
{
    const struct drxi_desc *d = &a->log.state.desc;

    memset(spec, 0, sizeof *spec);
    spec->ndim = d->ndim;
    spec->type = d->type;
    spec->shape = a->log.state.shape;
    spec->chunk = d->chunk;
    spec->fill = d->fill;
    spec->dims = (const char *const *)a->log.state.dim;
    spec->chunk_order = d->chunk_order;
    spec->flags = (d->flags & (DRXI_DESC_SHELL | DRXI_DESC_SHELL_LAST) ? DRX_SHELL : 0) |
                  (d->flags & DRXI_DESC_CHECKSUM ? DRX_CHECKSUM : 0);
    spec->align = d->align;
    spec->nstripes = a->log.state.stripes.n;
    spec->stripes = (const char *const *)a->log.state.stripes.folder;
}

const char *drx_file(const drx_array *a, int i)
{
    const int data = a && a->log.io ? drxi_stripes_count(a->data.io) : 0;

    if (data == 0 || i < 0 || i > data + (a->data.sums != NULL))
        return NULL;
    if (i > data)
        return a->data.sums->io->path;
    return i == 0 ? a->log.io->path : drxi_stripes_file(a->data.io, i - 1)->path;
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
    return a->log.state.map.chunks;
}

static drx_status check_chunk_index(const drx_array *a, const int64_t chunk_index[])
{
    for (int j = 0; j < a->log.state.desc.ndim; j++)
        if (chunk_index[j] < 0 || chunk_index[j] >= a->log.state.map.bound[j])
            return drxi_fail(DRX_ERANGE, "%s: axis %d: chunk index %lld, there are %lld chunks", a->parts.label, j,
                             (long long)chunk_index[j], (long long)a->log.state.map.bound[j]);
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
        *address = drxi_map_address(&a->log.state.map, chunk_index);
    unlock(a);
    return st;
}

drx_status drx_chunk_index(const drx_array *a, int64_t address, int64_t chunk_index[])
{
    drx_status st = DRX_OK;

    if (!a)
        return drxi_no_array();
    lock(a);
    if (address < 0 || address >= a->log.state.map.chunks)
        st = drxi_fail(DRX_ERANGE, "%s: chunk address %lld, there are %lld chunks", a->parts.label, (long long)address,
                       (long long)a->log.state.map.chunks);
    else
        drxi_map_index(&a->log.state.map, address, chunk_index);
    unlock(a);
    return st;
}

int64_t drx_axial_count(const drx_array *a, int axis)
{
    return axis >= 0 && axis < a->log.state.desc.ndim ? a->log.state.map.axial[axis].count : 0;
}

drx_status drx_axial_record(const drx_array *a, int axis, int64_t i, int64_t *first_index, int64_t *first_address,
                            int64_t coefficients[])
{
    const drxi_map *map;
    drx_status st = DRX_OK;

    if (!a)
        return drxi_no_array();
    map = &a->log.state.map;
    if (axis < 0 || axis >= map->ndim)
        return drxi_fail(DRX_EINVAL, "%s: axis %d, expected 0 to %d", a->parts.label, axis, map->ndim - 1);
    lock(a);
    if (i < 0 || i >= map->axial[axis].count) {
        st = drxi_fail(DRX_ERANGE, "%s: axis %d: record %lld, there are %lld", a->parts.label, axis, (long long)i,
                       (long long)map->axial[axis].count);
    } else {
        const int64_t serial = map->axial[axis].serial[i];

        *first_index = map->axial[axis].first[i];
        *first_address = serial < 0 ? -1 : map->start[serial];
        for (int j = 0; j < map->ndim; j++)
            coefficients[j] = serial < 0 ? 0 : map->coef[serial * map->ndim + j];
    }
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
        .wanted_bytes = atomic_load(&a->data.counts.wanted_bytes),
        .mapped_bytes = atomic_load(&a->data.counts.mapped_bytes),
        .copies = atomic_load(&a->data.counts.copies),
        .reads = atomic_load(&a->data.counts.reads),
        .read_bytes = atomic_load(&a->data.counts.read_bytes),
        .writes = atomic_load(&a->data.counts.writes),
        .written_bytes = atomic_load(&a->data.counts.written_bytes),
        .flown = atomic_load(&a->data.counts.flown),
        .direct_bytes = atomic_load(&a->data.counts.direct_bytes),
        .ahead_bytes = atomic_load(&a->data.counts.ahead_bytes),
        .touched_bytes = atomic_load(&a->data.counts.touched_bytes),
    };
    return DRX_OK;
}
