/* Files through MPI-IO. */
#ifndef DRXI_MPI_FILE_H
#define DRXI_MPI_FILE_H

#include "mp/mp.h"

/* Make a file that reads and writes the bytes of `own` through MPI_COMM_SELF. It owns `own` from then on, and closes
 * it. Only threads that may call MPI use it. Local. Errors: DRX_EMISMATCH when the path names another file now. */
drx_status drxi_mpi_io_open(drxi_io *own, bool writable, const char hints[], drxi_io **out);
drxi_io *drxi_mpi_io_own(drxi_io *io);
/* It owns `own` no more, and may only be closed. */
void drxi_mpi_io_let_go(drxi_io *io);

/* Open an existing file on all ranks of comm. After an error *file may still be open; it is MPI_FILE_NULL when it is
 * not. Collective: each rank makes the MPI call, also one that has failed. */
drx_status drxi_mpi_open(MPI_Comm comm, const char *path, bool writable, const char hints[], MPI_File *file);
/* Set in `to` what MPI says of an open file. */
drx_status drxi_mpi_tell(MPI_File file, MPI_Info to);

/* The status for the error code of an MPI_File call. */
drx_status drxi_mpi_file(int code, const char *path, const char *what);
/* The bytes that a call has moved. */
int drxi_mpi_moved(const MPI_Status *status);
/* The reason why a write in that range fell short. MPI may not tell, so this asks the file system for room. */
drx_status drxi_mpi_write_failed(drxi_io *io, int code, int64_t begin, int64_t end);

#endif
