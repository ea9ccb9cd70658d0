/* Communicators of callers, and the library's own duplicates of them. */
#include "mp/mp.h"

/* Check that MPI is running and `comm` is an intracommunicator. */
static drx_status check_comm(MPI_Comm comm)
{
    int inter = 0;
    const drx_status st = drxi_check_running();

    if (st)
        return st;
    if (comm == MPI_COMM_NULL)
        return drxi_fail(DRX_EINVAL, "the communicator is MPI_COMM_NULL");
    (void)MPI_Comm_test_inter(comm, &inter);
    return inter ? drxi_fail(DRX_EINVAL, "an intercommunicator, expected an intracommunicator") : DRX_OK;
}

drx_status drxi_duplicate_comm(MPI_Comm comm, MPI_Comm *own)
{
    drx_status st = check_comm(comm);

    if (!st)
        st = drxi_mpi(MPI_Comm_dup(comm, own), "duplicating the communicator");
    if (!st)
        (void)MPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN);
    return st;
}

drx_status drxi_new_on(MPI_Comm comm, size_t bytes, MPI_Comm *own, void **handle)
{
    drx_status st = drxi_duplicate_comm(comm, own);

    *handle = NULL;
    if (st)
        return st;
    *handle = drxi_calloc(1, bytes);
    st = drxi_agree(*own, *handle ? DRX_OK : DRX_ENOMEM, NULL);
    if (!st)
        return DRX_OK;
    (void)MPI_Comm_free(own);
    drxi_free(*handle);
    *handle = NULL;
    return st;
}
