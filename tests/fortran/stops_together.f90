! One process ends the job by an error of its own, while the others wait in a collective call.
program stops_together
    use mpi
    use drxmp
    implicit none
    type(drxmp_array) :: a
    integer :: x(2), me, ierror

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
    call drxmp_create(MPI_COMM_WORLD, 'array', a, drx_spec([2], drx_int32))
    if (me == 0) call drx_read(a, x, start=[2])
    call drx_sync(a)
    call MPI_Finalize(ierror)
end program
