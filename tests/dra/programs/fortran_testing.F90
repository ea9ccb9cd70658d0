! What the Fortran programs for Disk Resident Arrays share; default integers have 8 bytes, as those of Global Arrays.
module fortran_testing
    use, intrinsic :: iso_c_binding
    implicit none

    integer :: me, ranks
    integer, private :: stream

    interface
        integer(c_int) function mpi_begin(argc, argv) bind(C, name='MPI_Init')
            import c_int, c_ptr
            type(c_ptr), value :: argc, argv
        end function
        integer(c_int) function mpi_end() bind(C, name='MPI_Finalize')
            import c_int
        end function
    end interface

contains

    subroutine begin()
        character(len=32) :: seed
        integer, external :: ga_nodeid, ga_nnodes
        integer :: length
#include "mafdecls.fh"

        if (mpi_begin(c_null_ptr, c_null_ptr) /= 0) stop 3
        call ga_initialize()
        if (.not. ma_init(MT_DBL, 1000000, 1000000)) call wrong('ma_init', 0)
        me = ga_nodeid()
        ranks = ga_nnodes()
        stream = 1
        call get_environment_variable('DRX_SEED', seed, length)
        if (length > 0) read (seed, *) stream
        call say('DRX_SEED', stream)
        stream = mod(stream, 2147483647) + 1
    end subroutine

    subroutine finish()
        call ga_terminate()
        if (mpi_end() /= 0) stop 3
    end subroutine

    ! Random, from 1 to n; the same on all ranks.
    integer function below(n)
        integer, intent(in) :: n

        stream = mod(stream * 48271, 2147483647)
        below = 1 + mod(stream / 7, n)
    end function

    subroutine wrong(what, code)
        character(len=*), intent(in) :: what
        integer, intent(in) :: code

        call ga_error('wrong: '//what, code)
    end subroutine

    subroutine succeed(code, what)
        integer, intent(in) :: code
        character(len=*), intent(in) :: what

        if (code /= 0) call wrong(what, code)
    end subroutine

    ! A result.
    subroutine say(what, number)
        character(len=*), intent(in) :: what
        integer, intent(in) :: number

        if (me /= 0) return
        write (*, '(a,a,a,i0)') '> ', what, ': ', number
        flush (6)
    end subroutine

    subroutine say_text(what, text)
        character(len=*), intent(in) :: what, text

        if (me /= 0) return
        write (*, '(a,a,a,a,a)') '> ', what, ': "', trim(text), '"'
        flush (6)
    end subroutine

end module
