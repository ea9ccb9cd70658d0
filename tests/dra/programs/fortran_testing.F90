! What the Fortran programs for Disk Resident Arrays share; default integers have 8 bytes, as those of Global Arrays.
module fortran_testing
    use, intrinsic :: iso_c_binding
    implicit none

    integer(c_int), bind(C) :: me, ranks ! of dra_testing.c

contains

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
