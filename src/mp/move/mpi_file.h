/* Files by MPI-IO. */
#ifndef DRXI_MPI_FILE_H
#define DRXI_MPI_FILE_H

#include "mp/mp.h"

/* A table for the bytes of a file that `own` has open, through MPI_COMM_SELF. It is `own`'s owner from then on, closes
 * it, and is for threads that may call MPI. Local. Errors: DRX_EMISMATCH when the path names another file now. */
drx_status drxi_mpi_io_open(drxi_io *own, bool writable, drxi_io **out);
drxi_io *drxi_mpi_io_own(drxi_io *io);
/* Close what MPI has open, and not `own`. */
void drxi_mpi_io_leave(drxi_io *io);

/* Open an existing file on all ranks of comm. *file is MPI_FILE_NULL when MPI has it not open, and may be open also
 * after an error. Collective: however it goes, each rank makes the call. */
drx_status drxi_mpi_open(MPI_Comm comm, const char *path, bool writable, MPI_File *file);

/* A status for what an MPI_File call returned. */
drx_status drxi_mpi_file(int code, const char *path, const char *what);
/* Bytes that a call has moved. */
int drxi_mpi_moved(const MPI_Status *status);
/* Why bytes in that range were not all stored: MPI may not say, so the file system is asked for room. */
drx_status drxi_mpi_write_failed(drxi_io *io, int code, int64_t begin, int64_t end);

#endif
