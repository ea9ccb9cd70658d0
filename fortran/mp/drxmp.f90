! drxmp - arrays that many processes have open together, on MPI, in Fortran. docs/fortran.md describes it.
!
!     use drxmp
!     use mpi_f08
!     type(drxmp_array) :: a
!
!     call drxmp_open(MPI_COMM_WORLD, 'sst', a, drx_rdwr)  ! all processes
!     call drx_extend(a, 3, 1)
!     call drxmp_write_all(a, mine, start=[1, first, month]) ! each its own box
!     call drx_close(a)
!
! The module has all of the module drx. Its procedures take a drxmp_array and a drxmp_dataset, too; those that change it are
! collective then, and give all processes the same status. drx_read and drx_write stay calls of one process.
module drxmp
    use drx
    use drxmp_arrays, only: drxmp_array, drxmp_dataset, drxmp_create, drxmp_open, drxmp_read_all, drxmp_write_all, &
        drxmp_append_all, drxmp_prepend_all, drxmp_get, drxmp_put, drxmp_acc, drxmp_fetch_add, &
        drxmp_dataset_create, drxmp_dataset_open
    use drxmp_darrays
    implicit none
    public
end module
