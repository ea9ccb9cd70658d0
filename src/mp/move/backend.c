/* The two ways to reach the data file: system calls, or MPI-IO. MPI-IO opens the file twice: once on each rank alone,
 * in place of the array's own file, and once on all ranks together. The log always uses system calls. */
#include "mp/move/mpi_file.h"

/* MPI_File_close is collective, so a file that is not open on every rank cannot be closed. */
static drx_status open_for_all(drxmp_array *m)
{
    drx_status st = drxi_mpi_open(m->comm, drxi_data_of(m->a)->io->path, drxi_parts_of(m->a)->writable, &m->file);
    int all = m->file != MPI_FILE_NULL;
    const int code = MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, m->comm);

    st = drxi_agree(m->comm, st ? st : drxi_mpi(code, "agreeing"), NULL);
    if (st && all)
        (void)MPI_File_close(&m->file);
    else if (st)
        m->file = MPI_FILE_NULL;
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

static drx_status use_mpiio(drxmp_array *m)
{
    drxi_io *io = NULL;
    drx_status st = DRX_OK;

    if (drxi_parts_of(m->a)->temporary || drxi_state_of(m->a)->stripes.n > 1)
        st = drxi_fail(DRX_EUNSUPPORTED, "%s: %s: MPI-IO does not serve it; use drx_backend posix",
                       drxi_parts_of(m->a)->label,
                       drxi_parts_of(m->a)->temporary ? "a temporary array" : "data in several folders");
    else
        st = drxi_mpi_io_open(drxi_data_of(m->a)->io, drxi_parts_of(m->a)->writable, &io);

    st = drxi_agree(m->comm, st, NULL);
    if (!st)
        st = open_for_all(m);
    if (!st)
        (void)redirect(m, io); /* io owns the file used before */
    else if (io)
        drxi_mpi_io_leave(io);
    return st;
}

drx_status drxi_use_backend(drxmp_array *m, enum drxi_backend backend)
{
    const bool mpiio = m->file != MPI_FILE_NULL;

    if (drxi_data_of(m->a)->sums) /* MPI-IO does not update checksums */
        m->settings.backend = backend = DRXI_POSIX;
    if (mpiio == (backend == DRXI_MPIIO))
        return DRX_OK;
    if (!mpiio)
        return use_mpiio(m);
    drxi_leave_backend(m);
    drxi_mpi_io_leave(redirect(m, drxi_mpi_io_own(drxi_data_of(m->a)->io)));
    return DRX_OK;
}

void drxi_leave_backend(drxmp_array *m)
{
    if (m->file != MPI_FILE_NULL)
        (void)MPI_File_close(&m->file);
}
