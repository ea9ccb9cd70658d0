/* The two ways to reach the data file: system calls, or MPI-IO. MPI-IO opens the file twice: once on each rank alone,
 * in place of the array's own file, and once on all ranks together. The log always uses system calls.
 *
 * MPI-IO has no mapped files, so each rank keeps blocks of the data that it reads alone (pool/cached_file.h). A rank
 * sees what others wrote after a collective call; all of these agree, which ends the moment of its blocks. Processes
 * outside the job agree on nothing. A job that writes has the array alone; one that only reads keeps nothing unless the
 * user allows it. */
#include "mp/move/move.h"
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

/* Close what MPI has open, and the cache before it, but not the array's own file. */
static void leave_mpi_io(drxi_io *io, drxi_io *mpi)
{
    char detail[DRXI_DETAIL_BYTES];

    if (!io)
        return;
    drxi_report_keep(detail);
    drxi_mpi_io_let_go(mpi);
    (void)io->ops->close(io);
    drxi_report_set(detail);
}

/* The array's own file, which MPI-IO replaces. */
static drxi_io *own_file(const drxmp_array *m)
{
    return m->file == MPI_FILE_NULL ? drxi_data_of(m->a)->file->io : drxi_mpi_io_own(m->mpi);
}

/* *mpi: the file of MPI; *out: the same, or a cache before it. */
static drx_status open_mpi_io(const drxmp_array *m, const struct drxi_settings *s, drxi_io **out, drxi_io **mpi)
{
    const bool writable = drxi_parts_of(m->a)->writable;
    const struct drxi_cache_spec spec = { .most_bytes = drxi_settings_cache(s, writable),
                                          .moment = &drxi_agreements,
                                          .near = true };
    drx_status st = drxi_mpi_io_open(own_file(m), writable, s->hints, mpi);

    *out = NULL;
    if (st || spec.most_bytes == 0) {
        *out = *mpi;
        return st;
    }
    st = drxi_cached_open(*mpi, &spec, out);
    if (st)
        leave_mpi_io(*mpi, *mpi);
    return st;
}

/* Of an array that MPI-IO serves already, only the hints and the cache change. */
static drx_status use_mpiio(drxmp_array *m, const struct drxi_settings *settings)
{
    const bool serves = m->file != MPI_FILE_NULL;
    drxi_io *io = NULL, *mpi = NULL, *before;
    MPI_File file = MPI_FILE_NULL;
    drx_status st = DRX_OK;

    if (drxi_parts_of(m->a)->temporary || drxi_data_of(m->a)->file->stored->count(drxi_state_of(m->a)) > 1)
        st = drxi_fail(DRX_EUNSUPPORTED, "%s: %s: MPI-IO does not serve it; use drx_backend posix",
                       drxi_parts_of(m->a)->label,
                       drxi_parts_of(m->a)->temporary ? "a temporary array" : "data in several folders");
    else
        st = open_mpi_io(m, settings, &io, &mpi);

    st = drxi_agree(m->comm, st, NULL);
    if (!st)
        st = open_for_all(m, settings->hints, &file);
    if (st) {
        leave_mpi_io(io, mpi);
        return st;
    }
    drxi_leave_backend(m);
    m->file = file;
    before = drxi_redirect_data(m->a, io); /* which owns it, if that was the array's own file */
    if (serves)
        leave_mpi_io(before, m->mpi);
    m->mpi = mpi;
    return DRX_OK;
}

static void use_posix(drxmp_array *m)
{
    if (m->file == MPI_FILE_NULL)
        return;
    drxi_leave_backend(m);
    leave_mpi_io(drxi_redirect_data(m->a, drxi_mpi_io_own(m->mpi)), m->mpi);
    m->mpi = NULL;
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
