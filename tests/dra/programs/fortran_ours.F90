! What only the drop-in does, from Fortran: copies, growth, other shapes, errors in place of aborts.
subroutine fortran_ours() bind(C)
    use fortran_testing
    implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
    integer, external :: ndra_copy, ndra_extend

    call fail(dra_open('before', DRA_R, dummy()), 'dra_open before dra_init')
    call succeed(dra_init(-1, -1d0, -1d0, -1d0), 'dra_init')
    call copies()
    call grows()
    call other_shapes()
    call errors()
    call succeed(dra_terminate(), 'dra_terminate')

contains

    integer function dummy()
        dummy = 0
    end function

    subroutine fail(code, what)
        integer, intent(in) :: code
        character(len=*), intent(in) :: what

        if (code == 0) call wrong(what//' succeeded', code)
    end subroutine

    ! Element (i,j,k) is i + 100 j + 10000 k.
    double precision function element(i, j, k)
        integer, intent(in) :: i, j, k

        element = i + 100 * j + 10000 * k
    end function

    subroutine make(n, m, l, g_a, filled)
        integer, intent(in) :: n, m, l
        logical, intent(in) :: filled
        integer, intent(out) :: g_a
        double precision :: a(n, m, l)
        integer :: i, j, k

        if (.not. nga_create(MT_DBL, 3, [n, m, l], 'cube', [-1, -1, -1], g_a)) call wrong('nga_create', 0)
        call ga_zero(g_a)
        a = reshape([(((element(i, j, k), i = 1, n), j = 1, m), k = 1, l)], [n, m, l])
        if (filled .and. me == 0) call nga_put(g_a, [1, 1, 1], [n, m, l], a, [n, m])
        call ga_sync()
    end subroutine

    ! The disk array of the name, filled, from a global array that is no more.
    subroutine store(name, n, m, l, d_a)
        character(len=*), intent(in) :: name
        integer, intent(in) :: n, m, l
        integer, intent(out) :: d_a
        integer :: g_a, request
        logical :: okay

        call make(n, m, l, g_a, .true.)
        call succeed(ndra_create(MT_DBL, 3, [n, m, l], name, name, DRA_RW, [3, -1, 2], d_a), 'ndra_create')
        call succeed(ndra_write(g_a, d_a, request), 'ndra_write')
        call succeed(dra_wait(request), 'dra_wait')
        okay = ga_destroy(g_a)
    end subroutine

    ! All elements of the disk array, on each process.
    subroutine load(d_a, a)
        integer, intent(in) :: d_a
        double precision, intent(out) :: a(:, :, :)
        double precision :: found(size(a, 1), size(a, 2), size(a, 3))
        integer :: g_a, request
        logical :: okay

        call make(size(a, 1), size(a, 2), size(a, 3), g_a, .false.)
        call succeed(ndra_read(g_a, d_a, request), 'ndra_read')
        call succeed(dra_wait(request), 'dra_wait')
        call nga_get(g_a, [1, 1, 1], shape(a), found, [size(a, 1), size(a, 2)])
        a = found
        call ga_sync()
        okay = ga_destroy(g_a)
    end subroutine

    ! Dimension j of the copy is dimension perm(j) of the source: (2,3,1), so that b(j,k,i) = a(i,j,k).
    subroutine copies()
        integer, parameter :: n = 7, m = 5, l = 4
        integer :: source, target, request, i, j, k
        double precision :: b(m, l, n)

        call store('source', n, m, l, source)
        call succeed(ndra_create(MT_DBL, 3, [m, l, n], 'target', 'target', DRA_RW, [-1, -1, -1], target), 'ndra_create')
        call succeed(ndra_copy(source, target, [2, 3, 1], request), 'ndra_copy')
        call succeed(dra_wait(request), 'dra_wait')
        call load(target, b)
        do k = 1, l
            do j = 1, m
                do i = 1, n
                    if (b(j, k, i) /= element(i, j, k)) call wrong('ndra_copy', i)
                end do
            end do
        end do
        call fail(ndra_copy(source, target, [3, 2, 1], request), 'ndra_copy of another shape')
        call fail(ndra_copy(source, target, [2, 3, 4], request), 'ndra_copy of a dimension that is none')
        call fail(ndra_copy(source, target, [2, 3, 0], request), 'ndra_copy of dimension 0')
        call succeed(dra_delete(source), 'dra_delete')
        call succeed(dra_delete(target), 'dra_delete')
        call say('copies', 1)
    end subroutine

    subroutine grows()
        integer, parameter :: n = 4, m = 3, l = 5
        integer :: d_a, i, j, k
        double precision :: a(n + 2, m, l + 3), expected

        call store('grows', n, m, l, d_a)
        call succeed(ndra_extend(d_a, 3, 3), 'ndra_extend')
        call succeed(ndra_extend(d_a, 1, 2), 'ndra_extend')
        call load(d_a, a)
        do k = 1, l + 3
            do j = 1, m
                do i = 1, n + 2
                    expected = 0
                    if (i <= n .and. k <= l) expected = element(i, j, k)
                    if (a(i, j, k) /= expected) call wrong('ndra_extend', i)
                end do
            end do
        end do
        call fail(ndra_extend(d_a, 0, 1), 'ndra_extend of dimension 0')
        call fail(ndra_extend(d_a, 4, 1), 'ndra_extend of dimension 4')
        call fail(ndra_extend(d_a, 1, -1), 'ndra_extend by -1')
        call succeed(dra_delete(d_a), 'dra_delete')
        call say('grows', 1)
    end subroutine

    ! As many elements, in the order of Fortran.
    subroutine other_shapes()
        integer, parameter :: n = 8, m = 6, l = 5
        integer :: d_a, g_a, request, i, j, k
        double precision :: part(8, 3, 2), box(4, 6, 2)

        call store('shapes', n, m, l, d_a)
        call make(n, m, l, g_a, .false.)
        call succeed(ndra_read_section(.false., g_a, [5, 1, 4], [8, 6, 5], d_a, [1, 2, 3], [8, 4, 4], request), &
                     'ndra_read_section')
        call succeed(dra_wait(request), 'dra_wait')
        call nga_get(g_a, [5, 1, 4], [8, 6, 5], box, [4, 6])
        part = reshape(box, shape(part))
        do k = 1, 2
            do j = 1, 3
                do i = 1, 8
                    if (part(i, j, k) /= element(i, 1 + j, 2 + k)) call wrong('another shape', i)
                end do
            end do
        end do
        call ga_sync()
        call succeed(dra_delete(d_a), 'dra_delete')
        call say('other shapes', 1)
    end subroutine

    ! Numbers of 8 bytes of which the lower 4 would be right.
    subroutine errors()
        integer, parameter :: beyond = 4294967296
        integer :: d_a, g_a, request, again, type, dim1, dim2
        character(len=80) :: name, file

        call store('errors', 6, 5, 4, d_a)
        call make(6, 5, 4, g_a, .false.)
        call fail(ndra_read(g_a, d_a + beyond, request), 'a handle that is too large')
        call fail(ndra_read(g_a + beyond, d_a, request), 'a global handle that is too large')
        call fail(dra_wait(request), 'a request that failed')
        call fail(ndra_read_section(.false., g_a, [1, 1, 1], [2, 2, 2] + beyond, d_a, [1, 1, 1], [2, 2, 2], request), &
                  'a bound that is too large')
        call fail(ndra_read_section(.false., g_a, [0, 1, 1], [2, 2, 2], d_a, [1, 1, 1], [3, 2, 2], request), 'index 0')
        call fail(ndra_read_section(.false., g_a, [1, 1, 1], [6, 5, 4], d_a, [1, 1, 1], [6, 5, 5], request), 'index 5')
        call fail(dra_read_section(.false., g_a, 1, 2, 1, 2, d_a, 1, 2, 1, 2, request), '2-D sections of 3-D arrays')
        call fail(dra_write_section(.true., g_a, 1, 2, 1, 2, d_a, 1, 2, 1, 2, request), '2-D sections of 3-D arrays')
        call fail(dra_create(MT_DBL, 0, 5, 'none', 'none', DRA_RW, -1, -1, again), 'no rows')
        call fail(dra_create(MT_DBL, 5, 5, 'none', 'none', 17, -1, -1, again), 'mode 17')
        call fail(dra_create(MT_DBL + 1000, 5, 5, 'none', 'none', DRA_RW, -1, -1, again), 'a type that is none')
        call fail(dra_create(MT_DBL, beyond * beyond / 4, 5, 'none', 'none', DRA_RW, -1, -1, again), 'a size')
        call fail(dra_inquire(17, type, dim1, dim2, name, file), 'dra_inquire')
        call succeed(ndra_read(g_a, d_a, request), 'ndra_read')
        again = request
        call succeed(dra_wait(request), 'dra_wait')
        call succeed(dra_wait(again), 'waiting again')
        call fail(dra_wait(again + beyond), 'a request that is too large')
        again = d_a
        call succeed(dra_delete(d_a), 'dra_delete')
        call fail(dra_close(again), 'closing what was deleted')
        call say('errors', 1)
    end subroutine

end subroutine
