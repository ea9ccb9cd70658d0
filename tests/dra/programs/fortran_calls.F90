! As a program in Fortran makes the calls: logicals, texts and the sizes of integers. dra_history.c makes them, too, and
! sees what they do. Default integers have 8 bytes, as those of Global Arrays.
module fortran_testing
    use, intrinsic :: iso_c_binding
    implicit none

    interface
        subroutine say_line(text) bind(C)
            import :: c_char
            character(kind=c_char), intent(in) :: text(*)
        end subroutine
    end interface

contains

    ! A result.
    subroutine say(what, number)
        character(len=*), intent(in) :: what
        integer, intent(in) :: number
        character(len=24) :: digits

        write (digits, '(i0)') number
        call say_line(what//': '//trim(digits)//c_null_char)
    end subroutine

    ! Global Arrays adds a newline when it has read a name.
    subroutine say_text(what, text)
        character(len=*), intent(in) :: what, text

        call say_line(what//': "'//trim(text(:scan(text//achar(10), achar(10)//achar(0)) - 1))//'"'//c_null_char)
    end subroutine

end module

subroutine fortran_calls() bind(C)
    use fortran_testing
    implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
    integer :: request
    character(len=80) :: name
    character(len=200) :: file

    call say('dra_init', dra_init(8, 1d8, 1d9, 1d6))
    call two_dimensions()
    call many_dimensions()
    call say('dra_wait of nothing', dra_wait(DRA_REQ_INVALID))
    call say('dra_open of nothing', dra_open('fortran-none', DRA_R, request))
    call say('dra_terminate', dra_terminate())

contains

    subroutine expect(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what

        if (.not. holds) call ga_error('wrong: '//what, 1)
    end subroutine

    ! Integers of which 4 bytes would not hold the values.
    subroutine two_dimensions()
        integer, parameter :: n = 31, m = 22
        integer :: a(n, m), b(n, m), part(5, 4), g_a, g_b, d_a, i, state, type, dim1, dim2

        a = reshape([(i*4294967297, i=1, n*m)], [n, m])
        call expect(ga_create(MT_INT, n, m, 'fortran', 0, 0, g_a) .and. ga_create(MT_INT, n, m, 'other', 0, 0, g_b), 'ga_create')
        if (ga_nodeid() == 0) call put_integers(g_a, a, n, m)
        call ga_sync()
        call say('dra_create', dra_create(MT_INT, n, m, 'a name', 'fortran-2d', DRA_RW, -1, 4, d_a))
        call say('handle', d_a)
        call say('dra_write', dra_write(g_a, d_a, request))
        state = 0
        do while (state == 0)
            call expect(dra_probe(request, state) == 0, 'dra_probe')
        end do
        call say('state', state)
        call say('dra_wait', dra_wait(request))
        call say('dra_close', dra_close(d_a))
        call say('handle', d_a)
        call say('dra_open', dra_open('fortran-2d', DRA_RW, d_a))
        call say('dra_inquire', dra_inquire(d_a, type, dim1, dim2, name, file))
        call expect(type == MT_INT .and. dim1 == n .and. dim2 == m, 'dra_inquire')
        call say_text('name', name)
        call say_text('file', file)
        call say('dra_read', dra_read(g_b, d_a, request))
        call say('dra_wait', dra_wait(request))
        call get_integers(g_b, b, n, m)
        call expect(all(a == b), 'dra_read')
        call say('turned', dra_read_section(.true., g_b, 3, 7, 11, 14, d_a, 20, 23, 5, 9, request))
        call say('dra_wait', dra_wait(request))
        call get_integers(g_b, b, n, m)
        part = b(3:7, 11:14)
        call expect(all(part == transpose(a(20:23, 5:9))), 'turned')
        call say('dra_delete', dra_delete(d_a))
        call say('handle', d_a)
    end subroutine

    subroutine many_dimensions()
        integer, parameter :: dims(4) = [9, 4, 7, 5], one(4) = 1
        integer :: g_a, g_b, d_a, type, ndim, found(7), i
        complex(kind(1d0)) :: a(9, 4, 7, 5), b(9, 4, 7, 5)

        a = reshape([(cmplx(i, -2*i, kind(1d0)), i=1, size(a))], shape(a))
        call expect(nga_create(MT_DCPL, 4, dims, 'many', -1*one, g_a) .and. nga_create(MT_DCPL, 4, dims, 'others', -1*one, g_b), &
                    'nga_create')
        if (ga_nodeid() == 0) call nga_put(g_a, one, dims, a, dims(1:3))
        call ga_sync()
        call say('ndra_create_config', ndra_create_config(MT_DCPL, 4, dims, 'many', 'fortran-nd', DRA_RW, [3, 4, -1, 2], &
                                                          ga_nnodes(), ga_nnodes(), d_a))
        call say('ndra_write', ndra_write(g_a, d_a, request))
        call say('dra_wait', dra_wait(request))
        call say('ndra_inquire', ndra_inquire(d_a, type, ndim, found, name, file))
        call expect(type == MT_DCPL .and. ndim == 4 .and. all(found(1:4) == dims), 'ndra_inquire')
        call say_text('name', name)
        call say_text('file', file)
        call say('ndra_read_section', ndra_read_section(.false., g_b, [4, 1, 3, 1], [5, 3, 6, 5], &
                                                        d_a, [8, 2, 4, 1], [9, 4, 7, 5], request))
        call say('dra_wait', dra_wait(request))
        call nga_get(g_b, one, dims, b, dims(1:3))
        call expect(all(b(4:5, 1:3, 3:6, :) == a(8:9, 2:4, 4:7, :)), 'ndra_read_section')
        call ga_sync()
        call talk(d_a)
        call say('dra_delete', dra_delete(d_a))
    end subroutine

end subroutine

! dra.fh says that these are functions, which they are not.
subroutine talk(d_a)
    implicit none
    integer, intent(in) :: d_a

    call dra_set_default_config(1, 1)
    call dra_set_default_config(-1, -1)
    call dra_set_debug(.true.)
    call dra_set_debug(.false.)
    call dra_set_mode(0)
    call dra_flick()
    call dra_print_internals(d_a)
end subroutine

! Elements of another type than that of all other calls.
subroutine put_integers(g_a, a, n, m)
    implicit none
    integer, intent(in) :: g_a, n, m, a(n, m)

    call ga_put(g_a, 1, n, 1, m, a, n)
end subroutine

subroutine get_integers(g_a, a, n, m)
    implicit none
    integer, intent(in) :: g_a, n, m
    integer, intent(out) :: a(n, m)

    call ga_sync()
    call ga_get(g_a, 1, n, 1, m, a, n)
    call ga_sync()
end subroutine
