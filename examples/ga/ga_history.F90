! A Fortran program on Global Arrays that keeps the history of its array: the array on disk has one more dimension, which
! grows by one index for each step. Each step is a plane of it. Then the program reads a time series of one column back.
!
!     mpirun -n 4 ga_history history 12
!
!     mpif90 -fdefault-integer-8 $(pkg-config --variable=module drxga) ga_history.F90 \
!         $(pkg-config --libs drxga) $(ga-config --libs) -lgfortran -lm
program ga_history
    use, intrinsic :: iso_c_binding
    use drxga
    implicit none
#include "mafdecls.fh"
#include "global.fh"
    integer, parameter :: rows = 60, columns = 40
    integer :: g_plate, g_cube, g_series, step, steps, wrong
    character(len=200) :: path, text
    double precision, allocatable :: series(:, :)
    type(drxga_array) :: a
    integer(c_int) :: mpi_error
    logical :: okay

    interface ! whatever kind of integer MPI's own module has
        integer(c_int) function mpi_begin(argc, argv) bind(C, name='MPI_Init')
            import
            type(c_ptr), value :: argc, argv
        end function

        integer(c_int) function mpi_end() bind(C, name='MPI_Finalize')
            import
        end function
    end interface

    call get_command_argument(1, path)
    call get_command_argument(2, text)
    read (text, *) steps
    mpi_error = mpi_begin(c_null_ptr, c_null_ptr)
    call ga_initialize()
    okay = ma_init(MT_DBL, 100000, 100000)
    okay = nga_create(MT_DBL, 2, [rows, columns], 'plate', [-1, -1], g_plate)
    okay = okay .and. nga_create(MT_DBL, 3, [rows, columns, 1], 'cube', [-1, -1, -1], g_cube)
    okay = okay .and. nga_create(MT_DBL, 2, [rows, steps], 'series', [-1, -1], g_series)
    if (.not. okay) call ga_error('no memory', 1)

    ! The first step makes the array; each later one lets it grow and fills the new plane.
    call drxga_create(trim(path), g_cube, a, flags=drxga_replace, chunk=[rows, columns, 1], codec='lz4')
    do step = 1, steps
        call ga_fill_step(step)
        if (step > 1) call drxga_extend(a, 3, 1)
        call drxga_write_all(g_plate, a, lo=[1, 1, step])
    end do

    ! Column 7 at all steps: dimension 1 of the array is dimension 1 of g_series, 3 is 2, and 2 is none.
    call drxga_read_all(g_series, a, lo=[1, 7, 1], perm=[1, 0, 2])
    call drxga_close(a)
    wrong = 0
    if (ga_nodeid() == 0) then
        allocate (series(rows, steps))
        call nga_get(g_series, [1, 1], [rows, steps], series, [rows])
        do step = 1, steps
            wrong = wrong + count(series(:, step) /= step)
        end do
        write (*, '(i0,a,i0,a)') steps, ' steps, ', wrong, ' elements are wrong'
    end if
    call ga_sync()
    if (wrong > 0) call ga_error('wrong elements', wrong)
    call ga_terminate()
    mpi_error = mpi_end()

contains

    subroutine ga_fill_step(step)
        integer, intent(in) :: step

        call ga_fill(g_plate, dble(step))
    end subroutine

end program
