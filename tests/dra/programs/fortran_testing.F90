! What the Fortran programs for Disk Resident Arrays share; default integers have 8 bytes, as those of Global Arrays.
module fortran_testing
    use, intrinsic :: iso_c_binding
    implicit none

    integer(c_int), bind(C) :: me, ranks ! of dra_testing.c

    interface
        subroutine say_line(text) bind(C)
            import :: c_char
            character(kind=c_char), intent(in) :: text(*)
        end subroutine
    end interface

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

        character(len=24) :: digits

        write (digits, '(i0)') number
        call say_line(what//': '//trim(digits)//c_null_char)
    end subroutine

    subroutine say_text(what, text)
        character(len=*), intent(in) :: what, text

        call say_line(what//': "'//trim(text)//'"'//c_null_char)
    end subroutine

end module
