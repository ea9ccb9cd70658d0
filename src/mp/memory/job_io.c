/* The table of file calls for an array in the memory of a job: offsets are those of a file on disk. Another rank's bytes
 * on this node are copied, those on other nodes go by RMA. */
#include <limits.h>

#include "io/lacking.h"
#include "mp/memory/job.h"

enum { MOST_AT_ONCE = 1 << 30, ZEROS_BYTES = 1 << 16 };

static drx_status transfer(const struct drxi_job *job, const struct drxi_job_place *p, bool get, uint8_t *mem,
                           int64_t bytes)
{
    const MPI_Win win = job->piece[p->piece].win;
    MPI_Aint at = (MPI_Aint)drxi_job_in_window(job, p);
    int code = MPI_SUCCESS;

    for (; bytes > 0 && code == MPI_SUCCESS; bytes -= MOST_AT_ONCE, mem += MOST_AT_ONCE, at += MOST_AT_ONCE) {
        const int n = (int)drxi_min(bytes, MOST_AT_ONCE);

        code = get ? MPI_Get(mem, n, MPI_BYTE, p->rank, at, n, MPI_BYTE, win)
                   : MPI_Put(mem, n, MPI_BYTE, p->rank, at, n, MPI_BYTE, win);
    }
    return drxi_mpi(code, "reaching memory of another node");
}

drx_status drxi_job_get(const struct drxi_job *job, const struct drxi_job_place *p, void *to, int64_t bytes)
{
    return transfer(job, p, true, to, bytes);
}

drx_status drxi_job_put(const struct drxi_job *job, const struct drxi_job_place *p, const void *from, int64_t bytes)
{
    return transfer(job, p, false, (uint8_t *)(uintptr_t)from, bytes); /* only read */
}

drx_status drxi_job_finish_at(const struct drxi_job *job, const struct drxi_job_place *p)
{
    return drxi_mpi(MPI_Win_flush(p->rank, job->piece[p->piece].win), "reaching memory of another node");
}

drx_status drxi_job_finish(const struct drxi_job *job, uint64_t pieces)
{
    drx_status st = DRX_OK, one;

    for (; pieces; pieces &= pieces - 1)
        for (int rank = 0; rank < job->ranks; rank++) /* all, since MPI must no longer use the memory of the call */
            if (!job->seat[rank].near) {
                one = drxi_mpi(MPI_Win_flush(rank, job->piece[__builtin_ctzll(pieces)].win),
                               "reaching memory of another node");
                st = st ? st : one;
            }
    return st;
}

/* The place of the byte at an offset, and how many of `n` bytes are in its chunk. */
static struct drxi_job_place place_of(const struct drxi_job *job, int64_t offset, int64_t *n)
{
    const int64_t address = offset / job->pitch_bytes, within = offset - address * job->pitch_bytes;
    struct drxi_job_place p = drxi_job_find(job, address);

    p.offset += within;
    *n = drxi_min(*n, job->pitch_bytes - within);
    return p;
}

static int64_t length(const struct drxi_job *job)
{
    return job->rounds * job->ranks * job->pitch_bytes;
}

static drx_status job_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    const struct drxi_job *job = drxi_job_of(io);
    const int64_t end = drxi_min(length(job), offset + (int64_t)n);
    uint8_t *to = buf;
    uint64_t begun = 0;
    drx_status st = DRX_OK, one;

    drxi_begun_before(&drxi_job_of(io)->outstanding, false, NULL);
    *got = (size_t)drxi_max(end - offset, 0);
    atomic_thread_fence(memory_order_acquire);
    while (!st && offset < end) {
        int64_t part = end - offset;
        const struct drxi_job_place p = place_of(job, offset, &part);
        const uint8_t *near = drxi_job_near(job, &p);

        begun |= near ? 0 : drxi_job_piece_bit(&p);
        st = near ? drxi_job_touch(job, &p, part) : drxi_job_get(job, &p, to, part);
        if (near && !st)
            memcpy(to, near, (size_t)part);
        to += part;
        offset += part;
    }
    one = drxi_job_finish(job, begun);
    return st ? st : one;
}

/* NULL `from`: zeros, of which `zeros` has some. */
static drx_status write_range(const struct drxi_job *job, const uint8_t *from, const uint8_t zeros[], int64_t offset,
                              int64_t end)
{
    uint64_t begun = 0;
    drx_status st = DRX_OK, one;

    while (!st && offset < end) {
        int64_t part = end - offset;
        const struct drxi_job_place p = place_of(job, offset, &part);
        uint8_t *near = drxi_job_near(job, &p);

        if (!near && !from)
            part = drxi_min(part, ZEROS_BYTES);
        if (near && from && !drxi_job_touched(job, &p, part)) {
            st = drxi_job_store(job, &p, from, part);
        } else if (near) {
            st = drxi_job_touch(job, &p, part);
            if (!st && from)
                memcpy(near, from, (size_t)part);
            else if (!st)
                memset(near, 0, (size_t)part);
        } else {
            begun |= drxi_job_piece_bit(&p);
            st = drxi_job_put(job, &p, from ? from : zeros, part);
        }
        from = from ? from + part : NULL;
        offset += part;
    }
    one = drxi_job_finish(job, begun);
    return st ? st : one;
}

static drx_status job_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    const struct drxi_job *job = drxi_job_of(io);
    drx_status st;

    if (offset + (int64_t)n > length(job))
        return drxi_fail(DRX_EIO, "%s: writing %zu bytes at offset %lld, behind its memory", io->path, n,
                         (long long)offset);
    drxi_begun_before(&drxi_job_of(io)->outstanding, true, NULL);
    st = write_range(job, buf, NULL, offset, offset + (int64_t)n);
    atomic_thread_fence(memory_order_release);
    return st;
}

static drx_status job_size(drxi_io *io, int64_t *bytes)
{
    *bytes = length(drxi_job_of(io));
    return DRX_OK;
}

/* What is cut off becomes zero, so that growth finds zeros. The memory is there already. */
static drx_status job_resize(drxi_io *io, int64_t bytes)
{
    static const uint8_t zeros[ZEROS_BYTES];
    struct drxi_job *job = drxi_job_of(io);
    drx_status st = DRX_OK;

    if (bytes < job->bytes)
        st = write_range(job, NULL, zeros, bytes, job->bytes);
    if (!st)
        job->bytes = bytes;
    return st;
}

/* The first rank of a node gives back what its node holds of the range: all ranks make the call, after a trim. */
static drx_status job_punch(drxi_io *io, int64_t begin, int64_t end)
{
    struct drxi_job *job = drxi_job_of(io);
    const struct drxi_seat *mine = &job->seat[job->rank];
    drx_status st = DRX_OK;

    drxi_job_count(job, 0);
    if (mine->rank > 0)
        return DRX_OK;
    if (!job->far)
        return job->file->ops->punch(job->file, begin, end);
    while (!st && begin < end) {
        int64_t part = end - begin;
        const struct drxi_job_place p = place_of(job, begin, &part);
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
    *end = length(drxi_job_of(io));
    *begin = offset < *end ? offset : INT64_MAX;
    return DRX_OK;
}

/* On a single node the file has all bytes in their order. */
static drx_status job_view(drxi_io *io, struct drxi_view *view)
{
    const struct drxi_job *job = drxi_job_of(io);
    const bool has = !job->far && job->rounds > 0 && job->file->cost.mapped;

    return has ? job->file->ops->view(job->file, view) : DRX_OK;
}

static drx_status job_close(drxi_io *io)
{
    drxi_job_free(drxi_job_of(io));
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
