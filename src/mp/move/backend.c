/* The two ways to reach the data file: system calls, or MPI-IO. MPI-IO opens the file twice: once on each rank alone,
 * in place of the array's own file, and once on all ranks together. The log always uses system calls.
 *
 * MPI-IO has no mapped files, so each rank keeps blocks of the data that it reads alone (pool/cached_file.h). A rank sees what
 * others wrote after a collective call; all of these agree, which ends the moment of its blocks. Processes outside the job
 * agree on nothing. A job that writes has the array alone; one that only reads keeps nothing unless the user allows it. */
#include "mp/move/mpi_file.h"
#include "pool/cached_file.h"

/* MPI_File_close is collective, so a file that is not open on every rank cannot be closed. */
static drx_status open_for_all(drxmp_array *m, const char hints[], MPI_File *file)
{
    drx_status st =
        drxi_mpi_open(m->comm, drxi_data_of(m->a)->file->io->path, drxi_parts_of(m->a)->writable, hints, file);
    int all = *file != MPI_FILE_NULL;
    const int code = MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, m->comm);

    st = drxi_agree(m->comm, st ? st : drxi_mpi(code, "agreeing"), NULL);
    if (st && all)
        (void)MPI_File_close(file);
    else if (st)
        *file = MPI_FILE_NULL;
    return st;
}

/* Let the array's data go through `io`; returns the file used before. */
static drxi_io *redirect(drxmp_array *m, drxi_io *io)
{
    drxi_io *before;

    drxi_finish_requests(m->a); /* those that helper threads work on */
    drxi_gate_shut(drxi_parts_of(m->a)->gate);
    before = drxi_redirect_data(m->a, io);
    drxi_gate_open(drxi_parts_of(m->a)->gate);
    return before;
}

/* Close what MPI has open, and the cache before it, but not the array's own file. */
static void leave_mpi_io(drxi_io *io)
{
    if (io)
        drxi_mpi_io_leave(drxi_cached_leave(io));
}

/* The array's own file, which MPI-IO replaces. */
static drxi_io *own_file(const drxmp_array *m)
{
    drxi_io *io = drxi_data_of(m->a)->file->io;

    return m->file == MPI_FILE_NULL ? io : drxi_mpi_io_own(drxi_cached_inner(io));
}

static drx_status open_mpi_io(const drxmp_array *m, const struct drxi_settings *s, drxi_io **out)
{
    const bool writable = drxi_parts_of(m->a)->writable;
    const struct drxi_cache_spec spec = { .most_bytes = drxi_settings_cache(s, writable),
                                          .moment = &drxi_agreements,
                                          .near = true };
    drxi_io *io;
    drx_status st = drxi_mpi_io_open(own_file(m), writable, s->hints, &io);

    *out = NULL;
    if (st || spec.most_bytes == 0) {
        *out = io;
        return st;
    }
    st = drxi_cached_open(io, &spec, out);
    if (st)
        drxi_mpi_io_leave(io);
    return st;
}

/* Of an array that MPI-IO serves already, only the hints and the cache change. */
static drx_status use_mpiio(drxmp_array *m, const struct drxi_settings *settings)
{
    const bool serves = m->file != MPI_FILE_NULL;
    drxi_io *io = NULL;
    MPI_File file = MPI_FILE_NULL;
    drx_status st = DRX_OK;

    if (drxi_parts_of(m->a)->temporary || drxi_data_of(m->a)->file->stored->count(drxi_state_of(m->a)) > 1)
        st = drxi_fail(DRX_EUNSUPPORTED, "%s: %s: MPI-IO does not serve it; use drx_backend posix",
                       drxi_parts_of(m->a)->label,
                       drxi_parts_of(m->a)->temporary ? "a temporary array" : "data in several folders");
    else
        st = open_mpi_io(m, settings, &io);

    st = drxi_agree(m->comm, st, NULL);
    if (!st)
        st = open_for_all(m, settings->hints, &file);
    if (st) {
        leave_mpi_io(io);
        return st;
    }
    drxi_leave_backend(m);
    m->file = file;
    if (serves)
        leave_mpi_io(redirect(m, io));
    else
        (void)redirect(m, io); /* io owns the file used before */
    return DRX_OK;
}

static void use_posix(drxmp_array *m)
{
    drxi_io *own;

    if (m->file == MPI_FILE_NULL)
        return;
    own = own_file(m);
    drxi_leave_backend(m);
    leave_mpi_io(redirect(m, own));
}

drx_status drxi_use_settings(drxmp_array *m, const struct drxi_settings *settings)
{
    const bool posix_alone = drxi_data_of(m->a)->file->stored->held;
    const enum drxi_backend backend = posix_alone ? DRXI_POSIX : settings->backend;
    const bool as_before = (m->file != MPI_FILE_NULL) == (backend == DRXI_MPIIO) &&
                           strcmp(settings->hints, m->settings.hints) == 0 &&
                           settings->cache_bytes == m->settings.cache_bytes;
    drx_status st = DRX_OK;

    if (backend == DRXI_MPIIO && !as_before)
        st = use_mpiio(m, settings);
    if (st)
        return st;
    if (backend == DRXI_POSIX)
        use_posix(m);
    m->settings = *settings;
    m->settings.backend = backend;
    return DRX_OK;
}

drx_status drxi_tell_hints(const drxmp_array *m, MPI_Info info)
{
    return m->file == MPI_FILE_NULL ? drxi_hints_give(m->settings.hints, info) : drxi_mpi_tell(m->file, info);
}

void drxi_leave_backend(drxmp_array *m)
{
    if (m->file != MPI_FILE_NULL)
        (void)MPI_File_close(&m->file);
}
