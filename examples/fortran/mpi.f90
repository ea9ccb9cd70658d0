! A plate that warms up, on all processes of a job: each has a band of columns. At each step the array grows by one plane,
! and all write it together. The file is that of one process. Then each reads the history of one point.
!
!     mpifort mpi.f90 $(pkg-config --cflags --libs drxmp-fortran) -o mpi && mpirun -n 4 ./mpi
program mpi_bands
    use, intrinsic :: iso_fortran_env, only: real64
    use mpi_f08
    use drxmp
    implicit none
    integer, parameter :: rows = 40, columns = 30, steps = 6
    type(drxmp_array) :: a
    real(real64), allocatable :: plate(:, :)
    real(real64) :: history(steps)
    integer :: me, ranks, first, last, step, wrong

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    first = columns*me/ranks + 1
    last = columns*(me + 1)/ranks
    allocate (plate(0:rows + 1, first:last), source=0.0_real64) ! with a border that is not stored

    ! Calls that change the array are made by all. An error without stat ends the job.
    call drxmp_create(MPI_COMM_WORLD, 'plate', a, drx_spec([rows, columns, 0], drx_float64, chunk=[20, 10, 1], &
                                                           dims=['row   ', 'column', 'step  '], replace=.true.))
    do step = 1, steps
        plate(1:rows, :) = step*100 + me
        call drx_extend(a, 3, 1)
        call drxmp_write_all(a, plate(1:rows, :), start=[1, first, step]) ! each its band, also parts of chunks
    end do
    call drx_sync(a)

    ! By one process alone: the history of the last column, which the last process wrote.
    call drx_read(a, history, start=[1, columns, 1], count=[1, 1, steps])
    wrong = count(history /= [(step*100 + ranks - 1, step=1, steps)])
    call drx_close(a)
    if (me == 0) print '(a,*(f6.0))', 'history', history
    if (wrong > 0) error stop 'wrong'
    call MPI_Finalize()
end program
