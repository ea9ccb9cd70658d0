! The module drxga, used as programs do: default integers have 8 bytes, as those of Global Arrays.
module ga_fortran_testing
    use, intrinsic :: iso_c_binding
    use drxga
    implicit none
#include "mafdecls.fh"
#include "global.fh"
    integer, parameter :: n = 9, m = 7
    character(len=400) :: text

contains

    subroutine wrong(what)
        character(len=*), intent(in) :: what

        call ga_error('wrong: '//what, 1)
    end subroutine

    subroutine succeed(stat, what)
        integer, intent(in) :: stat
        character(len=*), intent(in) :: what

        if (stat /= 0) call wrong(what//': '//trim(text))
    end subroutine

    ! It has failed with that status, and the message says `detail`.
    subroutine refused(stat, status, detail)
        integer, intent(in) :: stat, status
        character(len=*), intent(in) :: detail

        if (stat /= status) call wrong('another status, expected '//detail)
        if (index(text, detail) == 0) call wrong(trim(text)//', expected '//detail)
        text = ''
    end subroutine

    ! Element (i,j) is i + 100 j, or 0.
    subroutine make(rows, columns, filled, g_a)
        integer, intent(in) :: rows, columns
        logical, intent(in) :: filled
        integer, intent(out) :: g_a
        double precision :: a(rows, columns)
        integer :: i, j

        if (.not. nga_create(MT_DBL, 2, [rows, columns], 'plate', [-1, -1], g_a)) call wrong('nga_create')
        call ga_zero(g_a)
        a = reshape([((dble(i + 100 * j), i = 1, rows), j = 1, columns)], [rows, columns])
        if (filled .and. ga_nodeid() == 0) call nga_put(g_a, [1, 1], [rows, columns], a, [rows])
        call ga_sync()
    end subroutine

    subroutine load(g_a, a)
        integer, intent(in) :: g_a
        double precision, intent(out) :: a(:, :)
        double precision :: found(size(a, 1), size(a, 2))

        call ga_sync()
        call nga_get(g_a, [1, 1], shape(a), found, [size(a, 1)])
        a = found
        call ga_sync()
    end subroutine

    subroutine checkpoint()
        type(drxga_array) :: a
        integer :: g_a, g_b, i, j
        logical :: okay
        double precision :: found(n, m)

        call make(n, m, .true., g_a)
        call make(n, m, .false., g_b)
        call drxga_create('fortran', g_a, a, flags=drxga_temporary + drxga_checksum)
        call drxga_write_all(g_a, a)
        call drxga_persist(a, drxga_replace)
        call drxga_close(a)
        call drxga_open('fortran ', g_b, drxga_rdonly, a)
        if (drxga_extent(a, 1) /= n .or. drxga_extent(a, 2) /= m .or. drxga_extent(a, 3) /= -1) call wrong('extents')
        call drxga_read_all(g_b, a)
        call drxga_close(a)
        call load(g_b, found)
        do j = 1, m
            do i = 1, n
                if (found(i, j) /= i + 100 * j) call wrong('checkpoint')
            end do
        end do
        okay = ga_destroy(g_a)
        okay = ga_destroy(g_b)
    end subroutine

    ! A section that is turned: (i,j) of the array is (2+j,1+i) of the global array. And by one process alone.
    subroutine turned()
        type(drxga_array) :: a
        integer :: g_a, g_b, stat, i, j
        logical :: okay
        double precision :: found(n, m)

        call make(n, m, .true., g_a)
        call make(n, m, .false., g_b)
        call drxga_create('', g_a, a, chunk=[4, 3], stat=stat, errmsg=text) ! in memory
        call succeed(stat, 'drxga_create')
        call drxga_write_all(g_a, a, [3, 2], [6, 6], lo=[2, 1], perm=[2, 1], stat=stat, errmsg=text)
        call succeed(stat, 'drxga_write_all')
        call drxga_read_all(g_b, a, [1, 1], [6, 5], [1, 1], stat=stat, errmsg=text)
        call succeed(stat, 'drxga_read_all')
        if (ga_nodeid() == 0) call drxga_read(g_b, a, [8, 6], [9, 6], lo=[2, 1], stat=stat, errmsg=text)
        call succeed(stat, 'drxga_read')
        call load(g_b, found)
        do j = 1, 4
            do i = 2, 6
                if (found(i, j) /= (2 + j) + 100 * i) call wrong('a turned section')
            end do
        end do
        if (any(found(1, :) /= 0) .or. found(8, 6) /= found(2, 1) .or. found(9, 6) /= found(3, 1)) call wrong('around it')
        if (ga_nodeid() == 0) call drxga_write(g_a, a, [1, 1], [1, 1], lo=[9, 7], stat=stat, errmsg=text)
        call succeed(stat, 'drxga_write')
        call drxga_sync(a)
        call drxga_read_all(g_b, a)
        call load(g_b, found)
        if (found(9, 7) /= 101) call wrong('written alone')
        call drxga_close(a)
        okay = ga_destroy(g_a)
        okay = ga_destroy(g_b)
    end subroutine

    ! A history: the last dimension grows, and each step is a plane of it.
    subroutine history()
        type(drxga_array) :: a
        integer :: g_a, g_cube, g_b, step, stat
        logical :: okay
        double precision :: found(n, m)

        call make(n, m, .true., g_a)
        call make(n, m, .false., g_b)
        if (.not. nga_create(MT_DBL, 3, [n, m, 1], 'cube', [-1, -1, -1], g_cube)) call wrong('nga_create')
        call drxga_create('history', g_cube, a, flags=drxga_replace, codec='lz4', level=1)
        do step = 1, 3
            if (step > 1) call drxga_extend(a, 3, 1)
            call drxga_write_all(g_a, a, lo=[1, 1, step])
            call ga_scale(g_a, 2d0)
        end do
        if (drxga_extent(a, 3) /= 3) call wrong('the history is shorter')
        call drxga_read_all(g_b, a, lo=[1, 1, 3], perm=[1, 2, 0], stat=stat, errmsg=text)
        call succeed(stat, 'drxga_read_all')
        call load(g_b, found)
        if (found(2, 3) /= 4 * 302 .or. found(n, m) /= 4 * (n + 100 * m)) call wrong('history')
        call drxga_close(a)
        okay = ga_destroy(g_a)
        okay = ga_destroy(g_b)
        okay = ga_destroy(g_cube)
    end subroutine

    ! Dimensions and indices in messages are Fortran's.
    subroutine errors()
        integer, parameter :: beyond = 4294967296, huge_one = 9223372036854775807
        type(drxga_array) :: a, b
        integer :: g_a, stat
        logical :: okay

        call make(n, m, .true., g_a)
        call drxga_open('not-there', g_a, drxga_rdonly, b, stat, text)
        call refused(stat, -6, 'not-there')
        if (c_associated(b%handle)) call wrong('a handle after a failure')
        call drxga_create('errors', g_a, a, flags=drxga_replace)
        call drxga_create('errors', g_a, b, stat=stat, errmsg=text)
        call refused(stat, -7, 'errors')
        call drxga_create('errors', g_a, b, codec='zip', stat=stat, errmsg=text)
        call refused(stat, -1, 'codec "zip", expected one of zstd, ')
        call drxga_create('errors', g_a, b, chunk=[1], stat=stat, errmsg=text)
        call refused(stat, -1, 'chunk has 1 elements, the global array 2 dimensions')
        call drxga_create('errors', g_a + beyond, b, stat=stat, errmsg=text)
        call refused(stat, -1, 'is not the handle')
        call drxga_write_all(g_a, a, [0, 1], stat=stat, errmsg=text)
        call refused(stat, -13, 'axis 1: section from 0 to 9, the axis has 1 to 9')
        call drxga_write_all(g_a, a, ghi=[9, 8], stat=stat, errmsg=text)
        call refused(stat, -13, 'axis 2: section from 1 to 8, the axis has 1 to 7')
        call drxga_read_all(g_a, a, [1 + beyond, 1], [2 + beyond, 2], stat=stat, errmsg=text)
        call refused(stat, -13, 'axis 1: section from 4294967297 to 4294967298')
        call drxga_read_all(g_a, a, lo=[1, 2], stat=stat, errmsg=text)
        call refused(stat, -13, 'axis 2 of the array: 7 indices from 2 on, the axis has 7 from 1 on')
        call drxga_read_all(g_a, a, lo=[1, huge_one], stat=stat, errmsg=text)
        call refused(stat, -13, 'axis 2 of the array: 7 indices from')
        call drxga_read_all(g_a, a, lo=[1, -huge_one], stat=stat, errmsg=text)
        call refused(stat, -13, 'axis 2 of the array: 7 indices from')
        call drxga_read_all(g_a, a, lo=[1], stat=stat, errmsg=text)
        call refused(stat, -1, 'lo has 1 elements, expected 2')
        call drxga_read_all(g_a, a, [1], stat=stat, errmsg=text)
        call refused(stat, -1, 'glo has 1 elements, expected 2')
        call drxga_read_all(g_a, a, ghi=[1, 1, 1], stat=stat, errmsg=text)
        call refused(stat, -1, 'ghi has 3 elements, expected 2')
        call drxga_read_all(g_a, a, perm=[1, 2, 3], stat=stat, errmsg=text)
        call refused(stat, -1, 'perm has 3 elements, expected 2')
        call drxga_read_all(g_a, a, perm=[1, 3], stat=stat, errmsg=text)
        call refused(stat, -1, 'perm: 3 for axis 2 of the array, expected 1 to 2, or 0 for none')
        call drxga_read_all(g_a, a, perm=[-1, 2], stat=stat, errmsg=text)
        call refused(stat, -1, 'perm: -1 for axis 1 of the array, expected 1 to 2, or 0 for none')
        call drxga_read_all(g_a, a, perm=[2, 2], stat=stat, errmsg=text)
        call refused(stat, -1, 'perm has 2 twice')
        call drxga_read_all(g_a, a, perm=[0, 1], stat=stat, errmsg=text)
        call refused(stat, -14, 'axis 2 goes to no axis of the array')
        call drxga_read_all(g_a, a, perm=[2 + beyond, 1], stat=stat, errmsg=text)
        call refused(stat, -1, 'perm: 32767 for axis 1')
        call drxga_read_all(17, a, stat=stat, errmsg=text)
        call refused(stat, -1, '17 is not the handle of a global array')
        call drxga_extend(a, 0, 1, stat, text)
        call refused(stat, -1, 'axis')
        call drxga_extend(a, 3, 1, stat, text)
        call refused(stat, -1, 'axis')
        call drxga_close(a)
        call drxga_close(a) ! nothing is open
        call drxga_write_all(g_a, a, stat=stat, errmsg=text)
        call refused(stat, -1, 'null pointer')
        okay = ga_destroy(g_a)
    end subroutine

end module

subroutine fortran() bind(C)
    use ga_fortran_testing
    implicit none

    call checkpoint()
    call turned()
    call history()
    call errors()
end subroutine
