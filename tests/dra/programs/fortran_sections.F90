! Random sections by the 2-D calls and by the N-D ones in three dimensions, turned or not, against arrays in memory.
subroutine fortran_sections() bind(C)
    use fortran_testing
    implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
    integer :: i

    call succeed(dra_init(2, -1d0, -1d0, -1d0), 'dra_init')
    do i = 1, 8
        call in_two(3 + below(60), 3 + below(50), 3 + below(60), 3 + below(50))
        call in_three(2 + below(14), 2 + below(12), 2 + below(16))
    end do
    call succeed(dra_terminate(), 'dra_terminate')

contains

    subroutine fill(a)
        double precision, intent(out) :: a(:)
        integer :: k, salt

        salt = below(1000000)
        do k = 1, size(a)
            a(k) = mod(k * 7919 + salt, 1000003)
        end do
    end subroutine

    ! lo and hi of a range of n indices in 1, ..., extent
    subroutine place(n, extent, lo, hi)
        integer, intent(in) :: n, extent
        integer, intent(out) :: lo, hi

        lo = below(extent - n + 1)
        hi = lo + n - 1
    end subroutine

    subroutine in_two(n, m, dn, dm)
        integer, intent(in) :: n, m, dn, dm
        double precision :: global(n * m), disk(dn * dm)
        integer :: g_a, d_a, request, k
        logical :: okay

        if (.not. ga_create(MT_DBL, dn, dm, 'whole', 0, 0, g_a)) call wrong('ga_create', 0)
        call fill(disk)
        if (me == 0) call ga_put(g_a, 1, dn, 1, dm, disk, dn)
        call ga_sync()
        call succeed(dra_create(MT_DBL, dn, dm, 'random', 'random-2d', DRA_RW, hint(dn), hint(dm), d_a), 'dra_create')
        call succeed(dra_write(g_a, d_a, request), 'dra_write')
        call succeed(dra_wait(request), 'dra_wait')
        okay = ga_destroy(g_a)
        if (.not. ga_create(MT_DBL, n, m, 'global', 0, 0, g_a)) call wrong('ga_create', 0)
        do k = 1, 6
            call fill(global)
            call move_in_two(g_a, n, m, global, d_a, dn, dm, disk, mod(k, 2) == 0, below(2) == 1)
        end do
        call succeed(dra_delete(d_a), 'dra_delete')
        okay = ga_destroy(g_a)
    end subroutine

    integer function hint(extent)
        integer, intent(in) :: extent

        hint = -1
        if (below(3) > 1) hint = below(extent)
    end function

    ! A random section of both, there or back.
    subroutine move_in_two(g_a, n, m, global, d_a, dn, dm, disk, writing, turned)
        integer, intent(in) :: g_a, n, m, d_a, dn, dm
        double precision, intent(inout) :: global(n, m), disk(dn, dm)
        logical, intent(in) :: writing, turned
        integer :: g(4), d(4), rows, columns, request
        double precision :: found(n, m)

        if (me == 0) call ga_put(g_a, 1, n, 1, m, global, n)
        call ga_sync()
        rows = below(min(n, merge(dm, dn, turned)))
        columns = below(min(m, merge(dn, dm, turned)))
        call place(rows, n, g(1), g(2))
        call place(columns, m, g(3), g(4))
        call place(merge(columns, rows, turned), dn, d(1), d(2))
        call place(merge(rows, columns, turned), dm, d(3), d(4))
        if (writing) then
            call succeed(dra_write_section(turned, g_a, g(1), g(2), g(3), g(4), d_a, d(1), d(2), d(3), d(4), request), &
                         'dra_write_section')
            if (turned) then
                disk(d(1):d(2), d(3):d(4)) = transpose(global(g(1):g(2), g(3):g(4)))
            else
                disk(d(1):d(2), d(3):d(4)) = global(g(1):g(2), g(3):g(4))
            end if
        else
            call succeed(dra_read_section(turned, g_a, g(1), g(2), g(3), g(4), d_a, d(1), d(2), d(3), d(4), request), &
                         'dra_read_section')
            if (turned) then
                global(g(1):g(2), g(3):g(4)) = transpose(disk(d(1):d(2), d(3):d(4)))
            else
                global(g(1):g(2), g(3):g(4)) = disk(d(1):d(2), d(3):d(4))
            end if
        end if
        call succeed(dra_wait(request), 'dra_wait')
        call ga_sync()
        call ga_get(g_a, 1, n, 1, m, found, n)
        if (any(found /= global)) call wrong('a section in two dimensions', rows)
        call ga_sync()
        call say('two', nint(sum(found)))
    end subroutine

    subroutine in_three(n, m, l)
        integer, intent(in) :: n, m, l
        double precision :: global(n * m * l), disk(n * m * l)
        integer :: g_a, d_a, request, k
        logical :: okay

        if (.not. nga_create(MT_DBL, 3, [n, m, l], 'three', [-1, -1, -1], g_a)) call wrong('nga_create', 0)
        call fill(disk)
        if (me == 0) call nga_put(g_a, [1, 1, 1], [n, m, l], disk, [n, m])
        call ga_sync()
        call succeed(ndra_create(MT_DBL, 3, [n, m, l], 'random', 'random-3d', DRA_RW, &
                                 [hint(n), hint(m), hint(l)], d_a), 'ndra_create')
        call succeed(ndra_write(g_a, d_a, request), 'ndra_write')
        call succeed(dra_wait(request), 'dra_wait')
        do k = 1, 4
            call fill(global)
            call move_in_three(g_a, d_a, [n, m, l], global, disk, mod(k, 2) == 0)
        end do
        call succeed(dra_delete(d_a), 'dra_delete')
        okay = ga_destroy(g_a)
    end subroutine

    subroutine move_in_three(g_a, d_a, dims, global, disk, writing)
        integer, intent(in) :: g_a, d_a, dims(3)
        double precision, intent(inout) :: global(dims(1), dims(2), dims(3)), disk(dims(1), dims(2), dims(3))
        logical, intent(in) :: writing
        double precision :: found(dims(1), dims(2), dims(3))
        integer :: glo(3), ghi(3), dlo(3), dhi(3), k, n, request

        if (me == 0) call nga_put(g_a, [1, 1, 1], dims, global, dims(1:2))
        call ga_sync()
        do k = 1, 3
            n = below(dims(k))
            call place(n, dims(k), glo(k), ghi(k))
            call place(n, dims(k), dlo(k), dhi(k))
        end do
        if (writing) then
            call succeed(ndra_write_section(.false., g_a, glo, ghi, d_a, dlo, dhi, request), 'ndra_write_section')
            disk(dlo(1):dhi(1), dlo(2):dhi(2), dlo(3):dhi(3)) = global(glo(1):ghi(1), glo(2):ghi(2), glo(3):ghi(3))
        else
            call succeed(ndra_read_section(.false., g_a, glo, ghi, d_a, dlo, dhi, request), 'ndra_read_section')
            global(glo(1):ghi(1), glo(2):ghi(2), glo(3):ghi(3)) = disk(dlo(1):dhi(1), dlo(2):dhi(2), dlo(3):dhi(3))
        end if
        call succeed(dra_wait(request), 'dra_wait')
        call ga_sync()
        call nga_get(g_a, [1, 1, 1], dims, found, dims(1:2))
        if (any(found /= global)) call wrong('a section in three dimensions', n)
        call ga_sync()
        call say('three', nint(sum(found)))
    end subroutine

end subroutine
