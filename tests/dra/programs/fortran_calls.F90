! Each call of the Fortran interface, 2-D and N-D: codes, handles, names, and that the elements are right.
subroutine fortran_calls() bind(C)
    use fortran_testing
    implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"

    call succeed(dra_init(8, 1d8, 1d9, 1d6), 'dra_init')
    call two_dimensions()
    call sections()
    call integers()
    call many_dimensions()
    call configured()
    call others()
    call succeed(dra_terminate(), 'dra_terminate')

contains

    ! Rows differ from columns: element (i,j) is 1000 i + j.
    subroutine make(n, m, factor, g_a)
        integer, intent(in) :: n, m
        double precision, intent(in) :: factor
        integer, intent(out) :: g_a
        double precision :: row(m)
        integer :: i, j

        if (.not. ga_create(MT_DBL, n, m, 'fortran', 0, 0, g_a)) call wrong('ga_create', 0)
        do i = 1 + me, n, ranks
            row = [(factor * (1000 * i + j), j = 1, m)]
            call ga_put(g_a, i, i, 1, m, row, 1)
        end do
        call ga_sync()
    end subroutine

    ! Elements (i,j) of the global array, gi..., are those of the disk array at di + i - gi; all others are `rest`.
    subroutine check(g_a, what, gilo, gihi, gjlo, gjhi, dilo, djlo, turned, factor, rest)
        integer, intent(in) :: g_a, gilo, gihi, gjlo, gjhi, dilo, djlo
        character(len=*), intent(in) :: what
        logical, intent(in) :: turned
        double precision, intent(in) :: factor, rest
        double precision, allocatable :: found(:, :)
        double precision :: expected
        integer :: type, n, m, i, j

        call ga_sync()
        call ga_inquire(g_a, type, n, m)
        allocate (found(n, m))
        call ga_get(g_a, 1, n, 1, m, found, n)
        do j = 1, m
            do i = 1, n
                expected = rest
                if (i >= gilo .and. i <= gihi .and. j >= gjlo .and. j <= gjhi) then
                    expected = factor * (1000 * (dilo + i - gilo) + djlo + j - gjlo)
                    if (turned) expected = factor * (1000 * (dilo + j - gjlo) + djlo + i - gilo)
                end if
                if (found(i, j) /= expected) call wrong(what, 1000 * i + j)
            end do
        end do
        call ga_sync()
        call say(what, nint(sum(found)))
    end subroutine

    subroutine two_dimensions()
        integer, parameter :: n = 31, m = 22
        integer :: g_a, d_a, request, state, type, dim1, dim2
        character(len=80) :: name
        character(len=200) :: file

        call make(n, m, 1d0, g_a)
        call say('dra_create', dra_create(MT_DBL, n, m, 'a name', 'fortran-2d', DRA_RW, -1, 4, d_a))
        call say('handle', d_a)
        call say('dra_write', dra_write(g_a, d_a, request))
        state = 0
        do while (state == 0)
            call succeed(dra_probe(request, state), 'dra_probe')
        end do
        call say('state', state)
        call say('dra_wait', dra_wait(request))
        call say('dra_close', dra_close(d_a))
        call say('handle', d_a)
        call say('dra_open', dra_open('fortran-2d', DRA_R, d_a))
        call say('dra_inquire', dra_inquire(d_a, type, dim1, dim2, name, file))
        call say('type', type)
        call say('dim1', dim1)
        call say('dim2', dim2)
        call say_text('name', without_newline(name))
        call say_text('file', file)
        call ga_zero(g_a)
        call say('dra_read', dra_read(g_a, d_a, request))
        call say('dra_wait', dra_wait(request))
        call check(g_a, 'dra_read', 1, n, 1, m, 1, 1, .false., 1d0, 0d0)
        call say('dra_delete', dra_delete(d_a))
        call say('handle', d_a)
        if (.not. ga_destroy(g_a)) call wrong('ga_destroy', 0)
    end subroutine

    ! Global Arrays adds a newline when it has read the name.
    function without_newline(text) result(rest)
        character(len=*), intent(in) :: text
        character(len=len(text)) :: rest
        integer :: at

        rest = text
        at = scan(rest, achar(10)//achar(0))
        if (at > 0) rest(at:) = ' '
    end function

    subroutine sections()
        integer, parameter :: n = 40, m = 33
        integer :: g_a, g_b, d_a, request

        call make(n, m, 1d0, g_a)
        call make(n, m, 0d0, g_b)
        call succeed(dra_create(MT_DBL, n, m, 'sections', 'fortran-sections', DRA_RW, 8, 8, d_a), 'dra_create')
        call succeed(dra_write(g_a, d_a, request), 'dra_write')
        call succeed(dra_wait(request), 'dra_wait')
        call say('read', dra_read_section(.false., g_b, 3, 20, 5, 30, d_a, 23, 40, 8, 33, request))
        call say('wait', dra_wait(request))
        call check(g_b, 'read', 3, 20, 5, 30, 23, 8, .false., 1d0, 0d0)
        call ga_zero(g_b)
        call say('read turned', dra_read_section(.true., g_b, 3, 20, 5, 30, d_a, 2, 27, 16, 33, request))
        call say('wait', dra_wait(request))
        call check(g_b, 'read turned', 3, 20, 5, 30, 2, 16, .true., 1d0, 0d0)

        call make(n, m, -1d0, g_a)
        call say('write', dra_write_section(.false., g_a, 1, 7, 9, 33, d_a, 34, 40, 2, 26, request))
        call say('wait', dra_wait(request))
        call ga_zero(g_b)
        call say('read', dra_read_section(.false., g_b, 1, 7, 9, 33, d_a, 34, 40, 2, 26, request))
        call say('wait', dra_wait(request))
        call check(g_b, 'write', 1, 7, 9, 33, 1, 9, .false., -1d0, 0d0)
        call say('write turned', dra_write_section(.true., g_a, 4, 10, 1, 20, d_a, 5, 24, 1, 7, request))
        call say('wait', dra_wait(request))
        call ga_zero(g_b)
        call say('read turned', dra_read_section(.true., g_b, 4, 10, 1, 20, d_a, 5, 24, 1, 7, request))
        call say('wait', dra_wait(request))
        call check(g_b, 'write turned', 4, 10, 1, 20, 4, 1, .false., -1d0, 0d0)
        call succeed(dra_delete(d_a), 'dra_delete')
    end subroutine

    subroutine integers()
        integer, parameter :: n = 12
        integer :: a(n, n), b(n, n), g_a, d_a, request, i, type, dim1, dim2
        character(len=80) :: name, file

        a = reshape([(i * 4294967297, i = 1, n * n)], [n, n])
        if (.not. ga_create(MT_INT, n, n, 'integers', 0, 0, g_a)) call wrong('ga_create', 0)
        if (me == 0) call put_integers(g_a, a, n)
        call ga_sync()
        call succeed(dra_create(MT_INT, n, n, 'integers', 'fortran-integers', DRA_W, -1, -1, d_a), 'dra_create')
        call succeed(dra_write(g_a, d_a, request), 'dra_write')
        call succeed(dra_wait(request), 'dra_wait')
        call succeed(dra_close(d_a), 'dra_close')
        call succeed(dra_open('fortran-integers', DRA_RW, d_a), 'dra_open')
        call succeed(dra_inquire(d_a, type, dim1, dim2, name, file), 'dra_inquire')
        call say('type', type)
        call ga_zero(g_a)
        call succeed(dra_read(g_a, d_a, request), 'dra_read')
        call succeed(dra_wait(request), 'dra_wait')
        call get_integers(g_a, b, n)
        if (any(a /= b)) call wrong('integers', 0)
        call say('integers', sum(b))
        call succeed(dra_delete(d_a), 'dra_delete')
    end subroutine

    subroutine many_dimensions()
        integer, parameter :: dims(4) = [9, 4, 7, 5], one(4) = 1
        integer :: g_a, g_b, d_a, request, type, ndim, found(7), i
        complex(kind(1d0)) :: a(9, 4, 7, 5), b(9, 4, 7, 5), part(2, 3, 4, 5)
        character(len=80) :: name
        character(len=200) :: file

        a = reshape([(cmplx(i, -2 * i, kind(1d0)), i = 1, size(a))], shape(a))
        if (.not. nga_create(MT_DCPL, 4, dims, 'many', -1 * one, g_a)) call wrong('nga_create', 0)
        if (.not. nga_create(MT_DCPL, 4, dims, 'others', -1 * one, g_b)) call wrong('nga_create', 0)
        if (me == 0) call nga_put(g_a, one, dims, a, dims(1:3))
        call ga_sync()
        call say('ndra_create', ndra_create(MT_DCPL, 4, dims, 'many', 'fortran-nd', DRA_RW, [3, 4, -1, 2], d_a))
        call say('ndra_write', ndra_write(g_a, d_a, request))
        call say('dra_wait', dra_wait(request))
        call say('dra_close', dra_close(d_a))
        call say('dra_open', dra_open('fortran-nd', DRA_RW, d_a))
        call say('ndra_inquire', ndra_inquire(d_a, type, ndim, found, name, file))
        call say('type', type)
        call say('ndim', ndim)
        if (any(found(1:4) /= dims)) call wrong('dims', found(1))
        call say_text('name', without_newline(name))
        call say_text('file', file)
        call say('ndra_read', ndra_read(g_b, d_a, request))
        call say('dra_wait', dra_wait(request))
        call nga_get(g_b, one, dims, b, dims(1:3))
        if (any(a /= b)) call wrong('ndra_read', 0)
        call ga_sync()
        call say('ndra_write_section', ndra_write_section(.false., g_a, [1, 1, 1, 1], [2, 3, 4, 5], &
                                                          d_a, [8, 2, 4, 1], [9, 4, 7, 5], request))
        call say('dra_wait', dra_wait(request))
        call say('ndra_read_section', ndra_read_section(.false., g_b, [4, 1, 3, 1], [5, 3, 6, 5], &
                                                        d_a, [8, 2, 4, 1], [9, 4, 7, 5], request))
        call say('dra_wait', dra_wait(request))
        call nga_get(g_b, [4, 1, 3, 1], [5, 3, 6, 5], part, [2, 3, 4])
        if (any(part /= a(1:2, 1:3, 1:4, 1:5))) call wrong('sections', 0)
        call ga_sync()
        call say('turned', ndra_read_section(.true., g_b, [5, 1, 2, 3], [9, 4, 4, 4], &
                                             d_a, [1, 2, 1, 1], [2, 4, 4, 5], request))
        call say('dra_wait', dra_wait(request))
        call check_turned(g_b, a)
        call say('dra_delete', dra_delete(d_a))
    end subroutine

    ! Axis k of the one is axis 5 - k of the other.
    subroutine check_turned(g_b, a)
        integer, intent(in) :: g_b
        complex(kind(1d0)), intent(in) :: a(9, 4, 7, 5)
        complex(kind(1d0)) :: part(5, 4, 3, 2)
        integer :: i, j, k, l

        call ga_sync()
        call nga_get(g_b, [5, 1, 2, 3], [9, 4, 4, 4], part, [5, 4, 3])
        do l = 1, 5
            do k = 1, 4
                do j = 1, 3
                    do i = 1, 2
                        if (part(l, k, j, i) /= a(i, j + 1, k, l)) call wrong('turned', i + 10 * j + 100 * k)
                    end do
                end do
            end do
        end do
        call ga_sync()
    end subroutine

    subroutine configured()
        integer, parameter :: n = 20
        integer :: g_a, d_a, request

        call make(n, n, 3d0, g_a)
        call say('ndra_create_config', ndra_create_config(MT_DBL, 2, [n, n], 'configured', 'fortran-config', DRA_RW, &
                                                          [5, 5], int(ranks), int(ranks), d_a))
        call succeed(ndra_write(g_a, d_a, request), 'ndra_write')
        call succeed(dra_wait(request), 'dra_wait')
        call ga_zero(g_a)
        call succeed(ndra_read(g_a, d_a, request), 'ndra_read')
        call succeed(dra_wait(request), 'dra_wait')
        call check(g_a, 'configured', 1, n, 1, n, 1, 1, .false., 3d0, 0d0)
        call talk(d_a)
        call succeed(dra_delete(d_a), 'dra_delete')
    end subroutine

    subroutine others()
        integer :: d_a

        call say('dra_wait of nothing', dra_wait(DRA_REQ_INVALID))
        call say('dra_open of nothing', dra_open('fortran-none', DRA_R, d_a))
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
subroutine put_integers(g_a, a, n)
    implicit none
    integer, intent(in) :: g_a, n, a(n, n)

    call ga_put(g_a, 1, n, 1, n, a, n)
end subroutine

subroutine get_integers(g_a, a, n)
    implicit none
    integer, intent(in) :: g_a, n
    integer, intent(out) :: a(n, n)

    call ga_sync()
    call ga_get(g_a, 1, n, 1, n, a, n)
    call ga_sync()
end subroutine
