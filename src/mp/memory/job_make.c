/* Making an array in the memory of a job. Every rank makes the same state, and writes a fill that is not zero to the
 * chunks that it holds. */
#include "mp/memory/job.h"

enum { FILL_BYTES = 1 << 18 };

static drx_status check_job_spec(const drx_spec *spec)
{
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return drxi_fail(DRX_EUNSUPPORTED, "an array in the memory of a job, on a machine that is not little-endian");
    if (spec->codec != DRX_RAW)
        return drxi_fail(DRX_EUNSUPPORTED, "spec.codec is %s: an array in the memory of a job is not compressed",
                         drx_codec_name(spec->codec));
    return DRX_OK;
}

/* The id is that of the root. */
static drx_status make_state(drxmp_array *m, const drx_spec *spec)
{
    uint8_t id[DRXI_ID_BYTES] = { 0 };
    drx_status st = DRX_OK;

    if (m->rank == DRXI_ROOT) {
        st = check_job_spec(spec);
        if (!st)
            st = drxi_create(NULL, spec, DRXI_BARE, &m->a);
        if (!st)
            memcpy(id, drxi_state_of(m->a)->desc.id, sizeof id);
    }
    st = drxi_from_root(m->comm, st, id, sizeof id);
    if (!st && m->rank != DRXI_ROOT)
        st = drxi_create(NULL, spec, DRXI_BARE, &m->a);
    if (!st)
        drxi_set_id(m->a, id);
    if (!st)
        st = drxi_move_memory(m, drx_ndim(m->a));
    return st;
}

static drx_status new_job(drxmp_array *m, struct drxi_job **out)
{
    struct drxi_job *job = drxi_calloc(1, sizeof *job);

    *out = job;
    if (!job)
        return DRX_ENOMEM;
    job->io = (drxi_io){ .ops = &drxi_job_ops,
                         .path = drxi_strdup("(memory)"),
                         .cost = { .at_once = true, .mapped = true },
                         .filled = true };
    job->comm = m->comm;
    job->rank = m->rank;
    job->ranks = m->ranks;
    job->a = m->a;
    job->type = drx_dtype(m->a);
    job->item_bytes = (int64_t)drxi_data_of(m->a)->item_bytes;
    job->pitch_bytes = drxi_data_of(m->a)->chunk_pitch_bytes;
    job->buffer_bytes = m->settings.buffer_bytes;
    for (int k = 0; k < DRXI_JOB_PIECES; k++)
        job->piece[k].win = MPI_WIN_NULL;
    job->seat = drxi_calloc((size_t)m->ranks, sizeof *job->seat);
    return job->io.path && job->seat ? DRX_OK : DRX_ENOMEM;
}

/* The array's data are the job's from here on. */
static drx_status take_job_memory(drxmp_array *m, MPI_Comm keeper)
{
    const int64_t chunks = drxi_data_of(m->a)->map.chunks;
    struct drxi_job *job;
    drx_status st = drxi_agree(m->comm, new_job(m, &job), NULL);

    m->job = job;
    m->ways = &drxi_in_job;
    if (job)
        (void)drxi_redirect_data(m->a, &job->io);
    if (!st)
        st = drxi_job_begin(job, keeper);
    if (!st)
        st = drxi_agree(m->comm, drxi_job_check(m, chunks), NULL);
    if (!st)
        st = drxi_job_grow(m, chunks);
    return st;
}

/* Write a chunk of fill, `items` elements at a time. */
static drx_status fill_chunk(const struct drxi_job *job, int64_t address, int64_t chunk_bytes, const uint8_t *fill,
                             int64_t fill_bytes)
{
    struct drxi_job_place p = drxi_job_find(job, address);
    drx_status st = DRX_OK;

    for (int64_t at = 0; !st && at < chunk_bytes; at += fill_bytes, p.offset += fill_bytes)
        st = drxi_job_store(job, &p, fill, drxi_min(fill_bytes, chunk_bytes - at));
    return st;
}

static drx_status fill_mine(const drxmp_array *m, int64_t before, int64_t after)
{
    const struct drxi_data *data = drxi_data_of(m->a);
    const int64_t item = m->job->item_bytes, items = drxi_min(data->chunk_bytes, FILL_BYTES) / item;
    uint8_t *fill = drxi_malloc((size_t)(items * item));
    drx_status st = fill ? DRX_OK : DRX_ENOMEM;

    if (!st)
        drxi_fill(fill, items, data->fill, data->item_bytes);
    for (int64_t q = before + drxi_floor_mod(m->rank - before, m->ranks); !st && q < after; q += m->ranks)
        st = fill_chunk(m->job, q, data->chunk_bytes, fill, items * item);
    drxi_free(fill);
    return st;
}

/* Each rank writes the fill to those of the new chunks that it holds, unless it is zero. Collective. */
static drx_status fill_all(const drxmp_array *m, int64_t before, int64_t after)
{
    if (drxi_data_of(m->a)->zero_fill || before == after)
        return DRX_OK;
    return drxi_agree(m->comm, fill_mine(m, before, after), NULL);
}

/* The chunks that the array begins with: the file of the root has their length. */
static drx_status lengthen(const drxmp_array *m)
{
    drxi_io *io = &m->job->io;

    return m->rank == DRXI_ROOT ? io->ops->resize(io, drxi_data_of(m->a)->map.chunks * m->job->pitch_bytes) : DRX_OK;
}

static drx_status move_own_part(drxmp_array *m, bool writing, const struct drxi_box *box, void *mem)
{
    return drxi_job_move(m, writing ? DRXI_PUT : DRXI_GET, NULL, box, mem, NULL);
}

/* All first make sure of their memory. */
static drx_status make_job_room(drxmp_array *m, const struct drxi_step *step, bool doubt)
{
    const drx_status st = drxi_job_grow(m, step->chunks_after);

    (void)doubt;
    return st ? st : fill_all(m, step->chunks_before, step->chunks_after);
}

const struct drxi_mp_ways drxi_in_job = { drxi_job_access, move_own_part, make_job_room };

drx_status drxi_job_make(drxmp_array *m, MPI_Comm keeper, const drx_spec *spec)
{
    drx_status st = drxi_agree(m->comm, make_state(m, spec), NULL);

    if (!st)
        st = take_job_memory(m, keeper);
    if (!st)
        st = fill_all(m, 0, drxi_data_of(m->a)->map.chunks);
    if (!st)
        st = drxi_from_root(m->comm, lengthen(m), NULL, 0);
    if (st)
        return st;
    drxi_job_settings(m, &m->settings);
    drxi_share_machine(m->a, m->ranks);
    drxi_set_parallel(m->a, m->ranks);
    return DRX_OK;
}

void drxi_job_settings(const drxmp_array *m, struct drxi_settings *s)
{
    if (!m->job)
        return;
    s->backend = DRXI_POSIX;
    s->io_ranks = m->ranks;
}

void drxi_job_end(drxmp_array *m)
{
    if (m->job)
        drxi_job_leave(m->job);
    m->job = NULL;
}

drx_status drxi_job_check_idle(const drxmp_array *m)
{
    const int exports = m->job ? atomic_load(&m->job->exports) : 0;

    return exports > 0 ? drxi_fail(DRX_EBUSY, "%s: %d exports of its chunks were not released",
                                   drxi_parts_of(m->a)->label, exports)
                       : DRX_OK;
}

drx_status drxi_job_check_waited(const drxmp_array *m)
{
    const int requests = m->job ? atomic_load(&m->job->outstanding.given) : 0;

    return requests > 0 ? drxi_fail(DRX_EBUSY, "%s: %d one-sided requests were not waited for",
                                    drxi_parts_of(m->a)->label, requests)
                        : DRX_OK;
}

void drxi_job_recount(const drxmp_array *m)
{
    if (m->job)
        drxi_job_count(m->job, 0);
}

void drxi_job_settle(const drxmp_array *m)
{
    if (m && m->job && !drxi_check_running())
        drxi_job_fence(m->job);
}
