/* The table of file calls for an array in the memory of a job: offsets are those of a file on disk. Another rank's
 * bytes on this node are copied, those on other nodes go by RMA. */
#include "io/lacking.h"
#include "mp/memory/job.h"

enum { ZEROS_BYTES = 1 << 16 };

static struct drxi_job *job_of(drxi_io *io)
{
    return (struct drxi_job *)(void *)io;
}

/* The place of the byte at an offset, and how many of `n` bytes are in its chunk. */
static struct drxi_job_place offset_place(const struct drxi_job *job, int64_t offset, int64_t *n)
{
    const int64_t address = offset / job->pitch_bytes, within = offset - address * job->pitch_bytes;
    struct drxi_job_place p = drxi_job_find(job, address);

    p.offset += within;
    *n = drxi_min(*n, job->pitch_bytes - within);
    return p;
}

static int64_t job_length(const struct drxi_job *job)
{
    return job->rounds * job->ranks * job->pitch_bytes;
}

/* Read or write the bytes of a range. NULL `mem`: they become zero. */
static drx_status move_range(const struct drxi_job *job, bool writing, uint8_t *mem, int64_t offset, int64_t end)
{
    static uint8_t zeros[ZEROS_BYTES];
    struct drxi_rma rma;
    drx_status st = DRX_OK, one;

    rma.begun = rma.targets = 0;
    while (!st && offset < end) {
        int64_t part = end - offset;
        const struct drxi_job_place p = offset_place(job, offset, &part);
        struct drxi_target at;

        drxi_job_target(job, &p, &at);
        if (!at.near && !mem)
            part = drxi_min(part, ZEROS_BYTES);
        if (!at.near)
            st = drxi_rma_begin(&rma, !writing, &at, mem ? mem : zeros, part);
        else if (writing && mem && !drxi_job_touched(job, &p, part))
            st = drxi_job_store(job, &p, mem, part);
        else if (!(st = drxi_job_touch(job, &p, part)) && mem)
            memcpy(writing ? at.near : mem, writing ? mem : at.near, (size_t)part);
        else if (!st)
            memset(at.near, 0, (size_t)part);
        mem = mem ? mem + part : NULL;
        offset += part;
    }
    one = drxi_rma_finish(&rma);
    return st ? st : one;
}

static drx_status job_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    struct drxi_job *job = job_of(io);
    const int64_t end = drxi_min(job_length(job), offset + (int64_t)n);

    drxi_begun_before(&job->outstanding, false, NULL);
    *got = (size_t)drxi_max(end - offset, 0);
    atomic_thread_fence(memory_order_acquire);
    return move_range(job, false, buf, offset, end);
}

static drx_status job_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    struct drxi_job *job = job_of(io);
    const int64_t end = offset + (int64_t)n;
    drx_status st;

    if (end > job_length(job))
        return drxi_fail(DRX_EIO, "%s: writing %zu bytes at offset %lld, behind its memory", io->path, n,
                         (long long)offset);
    drxi_begun_before(&job->outstanding, true, NULL);
    st = move_range(job, true, (uint8_t *)(uintptr_t)buf, offset, end); /* only read */
    atomic_thread_fence(memory_order_release);
    return st;
}

static drx_status job_size(drxi_io *io, int64_t *bytes)
{
    *bytes = job_length(job_of(io));
    return DRX_OK;
}

/* What is cut off becomes zero, so that growth finds zeros. The memory is there already. */
static drx_status job_resize(drxi_io *io, int64_t bytes)
{
    struct drxi_job *job = job_of(io);
    drx_status st = DRX_OK;

    if (bytes < job->bytes)
        st = move_range(job, true, NULL, bytes, job->bytes);
    if (!st)
        job->bytes = bytes;
    return st;
}

/* The first rank of a node gives back what its node holds of the range: all ranks make the call, after a trim. */
static drx_status job_punch(drxi_io *io, int64_t begin, int64_t end)
{
    struct drxi_job *job = job_of(io);
    const struct drxi_seat *mine = &job->seat[job->rank];
    drx_status st = DRX_OK;

    drxi_job_count(job, 0);
    if (mine->rank > 0)
        return DRX_OK;
    if (!job->far)
        return job->file->ops->punch(job->file, begin, end);
    while (!st && begin < end) {
        int64_t part = end - begin;
        const struct drxi_job_place p = offset_place(job, begin, &part);
        const int64_t at =
            drxi_job_first_round(job, p.piece) * mine->ranks * job->pitch_bytes + p.offset; /* in the file */

        if (job->seat[p.rank].near)
            st = job->file->ops->punch(job->file, at, at + part);
        begin += part;
    }
    return st;
}

static drx_status job_extent(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end)
{
    *end = job_length(job_of(io));
    *begin = offset < *end ? offset : INT64_MAX;
    return DRX_OK;
}

/* On a single node the file has all bytes in their order. */
static drx_status job_view(drxi_io *io, struct drxi_view *view)
{
    const struct drxi_job *job = job_of(io);
    const bool has = !job->far && job->rounds > 0 && job->file->cost.mapped;

    return has ? job->file->ops->view(job->file, view) : DRX_OK;
}

static drx_status job_close(drxi_io *io)
{
    drxi_job_free(job_of(io));
    return DRX_OK;
}

const struct drxi_io_ops drxi_job_ops = {
    .read = job_read,
    .write = job_write,
    .size = job_size,
    .resize = job_resize,
    .reserve = drxi_no_reserve,
    .punch = job_punch,
    .sync = drxi_no_sync,
    .extent = job_extent,
    .view = job_view,
    .lock = drxi_no_lock,
    .unlock = drxi_no_unlock,
    .locked = drxi_never_locked,
    .stamp = drxi_no_stamp,
    .named = drxi_always_named,
    .park = drxi_no_sole,
    .name = drxi_no_sole,
    .keep = drxi_no_keep,
    .sole = drxi_no_sole,
    .replace = drxi_no_replace,
    .alias = drxi_no_alias,
    .close = job_close,
};
