/* A chunk that this rank holds, exported by the Distributed Array Protocol: as the section of one process in a grid
 * that has a process for each chunk. */
#include "mp/memory/job.h"

struct exported {
    struct drxi_job *job;
    int64_t shape[DRX_MAX_NDIM], strides[DRX_MAX_NDIM];
    struct dap_dim dims[DRX_MAX_NDIM];
    char format[DRXI_FORMAT_BYTES];
};

static void release_job_export(struct dap_array *a)
{
    struct exported *e = a->private_data;

    (void)atomic_fetch_sub(&e->job->exports, 1);
    drxi_free(e);
    a->release = NULL;
}

static drx_status check_chunk(const drxmp_array *m, int64_t address, int64_t index[])
{
    const drxi_map *map = &drxi_data_of(m->a)->map;
    const char *label = drxi_parts_of(m->a)->label;

    if (address < 0 || address >= map->chunks)
        return drxi_fail(DRX_ERANGE, "%s: chunk address %lld, there are %lld", label, (long long)address,
                         (long long)map->chunks);
    if (address % m->ranks != m->rank)
        return drxi_fail(DRX_EINVAL, "%s: chunk address %lld, which rank %d holds, not this one", label,
                         (long long)address, (int)(address % m->ranks));
    drxi_map_index(map, address, index);
    return drxi_map_lives(map, address, index)
               ? DRX_OK
               : drxi_fail(DRX_ERANGE, "%s: chunk address %lld, which was trimmed", label, (long long)address);
}

/* Describe the elements of the chunk inside the bounds, in indices from the lower bounds on, and find the first. */
static void describe_export(const drxmp_array *m, const int64_t index[], struct exported *e, uint8_t **first)
{
    const struct drxi_data *s = drxi_data_of(m->a);

    for (int j = 0; j < s->ndim; j++) {
        const int64_t extent = s->chunk[j], begin = index[j] * extent, chunks_begin = s->map.lower[j];
        const int64_t lo = drxi_max(begin, s->lower[j]), hi = drxi_min(begin + extent, s->upper[j]);

        e->shape[j] = hi - lo;
        e->strides[j] = drxi_data_of(m->a)->item_pitch_bytes[j];
        e->dims[j] = (struct dap_dim){ .dist_type = 'b',
                                       .size = s->shape[j],
                                       .proc_grid_size = s->map.upper[j] - chunks_begin,
                                       .proc_grid_rank = index[j] - chunks_begin,
                                       .start = lo - s->lower[j],
                                       .stop = hi - s->lower[j] };
        *first += (lo - begin) * e->strides[j];
    }
}

static drx_status export_chunk(drxmp_array *m, int64_t address, struct dap_array *out)
{
    struct drxi_job *job = m->job;
    struct drxi_job_place place;
    struct drxi_target at;
    int64_t index[DRX_MAX_NDIM];
    struct exported *e;
    uint8_t *first;
    drx_status st = check_chunk(m, address, index);

    if (!st)
        st = drxi_check_dap_type("drxmp_chunk_dap", job->type);
    if (st)
        return st;
    if (!(e = drxi_calloc(1, sizeof *e)))
        return DRX_ENOMEM;
    e->job = job;
    place = drxi_job_find(job, address);
    drxi_job_target(job, &place, &at);
    first = at.near;
    describe_export(m, index, e, &first);
    *out = (struct dap_array){ .abi_major = DAP_ABI_MAJOR,
                               .abi_minor = DAP_ABI_MINOR,
                               .release = release_job_export,
                               .private_data = e,
                               .version = { DAP_VERSION_MAJOR, DAP_VERSION_MINOR, DAP_VERSION_PATCH },
                               .ndim = drx_ndim(m->a),
                               .device_type = DAP_HOST,
                               .data = first,
                               .itemsize = job->item_bytes,
                               .format = drxi_dap_format(job->type, e->format),
                               .shape = e->shape,
                               .strides = e->strides,
                               .dims = e->dims,
                               .dim_stride = sizeof(struct dap_dim) };
    (void)atomic_fetch_add(&job->exports, 1);
    return DRX_OK;
}

drx_status drxmp_chunk_dap(drxmp_array *m, int64_t address, struct dap_array *out)
{
    drx_status st = drxi_job_check_there(m, "drxmp_chunk_dap");

    if (st)
        return st;
    if (!out)
        return drxi_fail(DRX_EINVAL, "drxmp_chunk_dap: out is a null pointer");
    (void)drxi_enter(m->a, NULL);
    st = export_chunk(m, address, out);
    drxi_leave(m->a);
    return st;
}
