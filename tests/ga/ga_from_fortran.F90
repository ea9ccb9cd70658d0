! The module drxga, used as programs do: default integers have 8 bytes, as those of Global Arrays. What moves is seen in
! ga_random.c.
subroutine fortran() bind(C)
    use, intrinsic :: iso_c_binding
    use drxga
    implicit none
#include "mafdecls.fh"
#include "global.fh"
    integer, parameter :: n = 9, m = 7
    integer :: g_a, g_b, stat, i, j
    character(len=400) :: text
    double precision :: found(n, m), plate(n, m)

    if (.not. nga_create(MT_DBL, 2, [n, m], 'plate', [-1, -1], g_a)) call expect(.false., 'nga_create')
    if (.not. nga_create(MT_DBL, 2, [n, m], 'other', [-1, -1], g_b)) call expect(.false., 'nga_create')
    plate = reshape([((dble(i + 100*j), i=1, n), j=1, m)], [n, m])
    if (ga_nodeid() == 0) call nga_put(g_a, [1, 1], [n, m], plate, [n])
    call ga_sync()
    call checkpoint()
    call history()
    call errors()
    call ga_sync()

contains

    subroutine expect(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what

        if (.not. holds) call ga_error('wrong: '//what//': '//trim(text), 1)
    end subroutine

    ! It has failed with that status, and the message says `detail`.
    subroutine refused(status, detail)
        integer, intent(in) :: status
        character(len=*), intent(in) :: detail

        call expect(stat == status .and. index(text, detail) > 0, 'expected '//detail)
        text = ''
    end subroutine

    subroutine no_read(a, status, detail, glo, ghi, lo, perm)
        type(drxga_array), intent(in) :: a
        integer, intent(in) :: status
        character(len=*), intent(in) :: detail
        integer, intent(in), optional :: glo(:), ghi(:), lo(:), perm(:)

        call drxga_read_all(g_a, a, glo, ghi, lo, perm, stat, text)
        call refused(status, detail)
    end subroutine

    ! All of g_b.
    subroutine load()
        call ga_sync()
        call nga_get(g_b, [1, 1], [n, m], found, [n])
        call ga_sync()
    end subroutine

    subroutine checkpoint()
        type(drxga_array) :: a

        call drxga_create('fortran', g_a, a, flags=drxga_temporary + drxga_checksum, chunk=[4, 3])
        call drxga_write_all(g_a, a)
        if (ga_nodeid() == 0) call drxga_write(g_a, a, [1, 1], [1, 1], lo=[9, 7], stat=stat, errmsg=text)
        call drxga_sync(a)
        call drxga_persist(a, drxga_replace)
        call drxga_close(a)
        call drxga_open('fortran ', g_b, drxga_rdonly, a)
        call expect(drxga_extent(a, 1) == n .and. drxga_extent(a, 2) == m .and. drxga_extent(a, 3) == -1, 'extents')
        call drxga_read_all(g_b, a)
        call load()
        call expect(found(9, 7) == 101 .and. all(found(:, :6) == plate(:, :6)), 'checkpoint')
        ! (i,j) of the array is (2+j,1+i) of the global array.
        call drxga_read_all(g_b, a, [3, 2], [6, 6], lo=[2, 1], perm=[2, 1], stat=stat, errmsg=text)
        call load()
        call expect(all(found(3:6, 2:6) == transpose(plate(2:6, 1:4))), 'turned')
        if (ga_nodeid() == 0) call drxga_read(g_b, a, [3, 2], [3, 2], [5, 5], stat=stat, errmsg=text)
        call load()
        call expect(found(3, 2) == plate(5, 5), 'read alone')
        call drxga_close(a)
    end subroutine

    ! The last dimension grows, and each step is a plane of it.
    subroutine history()
        type(drxga_array) :: a
        integer :: g_cube, step

        call expect(nga_create(MT_DBL, 3, [n, m, 1], 'cube', [-1, -1, -1], g_cube), 'nga_create')
        call drxga_create('', g_cube, a) ! in memory
        call drxga_close(a)
        call drxga_create('history', g_cube, a, flags=drxga_replace, codec='lz4', level=1)
        do step = 1, 3
            if (step > 1) call drxga_extend(a, 3, 1)
            call drxga_write_all(g_a, a, lo=[1, 1, step])
            call ga_scale(g_a, 2d0)
        end do
        call expect(drxga_extent(a, 3) == 3, 'the history is shorter')
        call drxga_read_all(g_b, a, lo=[1, 1, 3], perm=[1, 2, 0], stat=stat, errmsg=text)
        call load()
        call expect(all(found == 4*plate), 'history')
        call drxga_close(a)
    end subroutine

    ! Dimensions and indices in messages are Fortran's.
    subroutine errors()
        integer, parameter :: beyond = 4294967296, huge_one = 9223372036854775807
        type(drxga_array) :: a, b

        call drxga_open('not-there', g_a, drxga_rdonly, b, stat, text)
        call refused(-6, 'not-there')
        call expect(.not. c_associated(b%handle), 'a handle after a failure')
        call drxga_create('errors', g_a, a, flags=drxga_replace)
        call drxga_create('errors', g_a, b, stat=stat, errmsg=text)
        call refused(-7, 'errors')
        call drxga_create('errors', g_a, b, codec='zip', stat=stat, errmsg=text)
        call refused(-1, 'codec "zip", expected one of zstd, ')
        call drxga_create('errors', g_a, b, chunk=[1], stat=stat, errmsg=text)
        call refused(-1, 'chunk has 1 elements, the global array 2 dimensions')
        call drxga_create('errors', g_a + beyond, b, stat=stat, errmsg=text)
        call refused(-1, 'is not the handle')
        call no_read(a, -13, 'axis 1: section from 0 to 9, the axis has 1 to 9', glo=[0, 1])
        call no_read(a, -13, 'axis 2: section from 1 to 8, the axis has 1 to 7', ghi=[9, 8])
        call no_read(a, -13, 'axis 1: section from 4294967297 to 4294967298', [1 + beyond, 1], [2 + beyond, 2])
        call no_read(a, -13, 'axis 2 of the array: 7 indices from 2 on, the axis has 7 from 1 on', lo=[1, 2])
        call no_read(a, -13, 'axis 2 of the array: 7 indices from', lo=[1, huge_one])
        call no_read(a, -13, 'axis 2 of the array: 7 indices from', lo=[1, -huge_one])
        call no_read(a, -1, 'lo has 1 elements, expected 2', lo=[1])
        call no_read(a, -1, 'glo has 1 elements, expected 2', glo=[1])
        call no_read(a, -1, 'ghi has 3 elements, expected 2', ghi=[1, 1, 1])
        call no_read(a, -1, 'perm has 3 elements, expected 2', perm=[1, 2, 3])
        call no_read(a, -1, 'perm: 3 for axis 2 of the array, expected 1 to 2, or 0 for none', perm=[1, 3])
        call no_read(a, -1, 'perm: -1 for axis 1 of the array, expected 1 to 2, or 0 for none', perm=[-1, 2])
        call no_read(a, -1, 'perm has 2 twice', perm=[2, 2])
        call no_read(a, -14, 'axis 2 goes to no axis of the array', perm=[0, 1])
        call no_read(a, -1, 'perm: 32767 for axis 1', perm=[2 + beyond, 1])
        call drxga_read_all(17, a, stat=stat, errmsg=text)
        call refused(-1, '17 is not the handle of a global array')
        call drxga_extend(a, 0, 1, stat, text)
        call refused(-1, 'axis')
        call drxga_extend(a, 3, 1, stat, text)
        call refused(-1, 'axis')
        call drxga_close(a)
        call drxga_close(a) ! nothing is open
        call no_read(a, -1, 'null pointer')
    end subroutine

end subroutine
