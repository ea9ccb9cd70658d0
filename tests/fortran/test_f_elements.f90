! Elements: what is refused, bits, memory of all kinds. test_f_types moves boxes, slabs and lists of all types.
program test_f_elements
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env
    use drx
    use f_testing
    implicit none
    character(len=400) :: message
    integer :: stat

    interface
        integer(c_int) function c_read(a, lo, count, order, buf) bind(C, name='drx_read')
            import
            type(c_ptr), value :: a
            integer(c_int64_t), intent(in) :: lo(*), count(*)
            integer(c_int), value :: order
            real(c_double), intent(inout) :: buf(*)
        end function
    end interface

    call seed_from_environment()
    call slices()
    call order_of_axes()
    call slabs()
    call lists()
    call records()
    call single()
    call bits()
    call memory_of_all_kinds()
    call refused_memory()
    call refused_places()
    call all_done()

contains

    ! Values whose digits are their indices.
    function coded(n1, n2, n3) result(x)
        integer, intent(in) :: n1, n2, n3
        real(real64) :: x(n1, n2, n3)
        integer :: i, j, k

        do k = 1, n3
            do j = 1, n2
                do i = 1, n1
                    x(i, j, k) = 100*i + 10*j + k
                end do
            end do
        end do
    end function

    subroutine make(a)
        type(drx_array), intent(inout) :: a

        call drx_create('digits', a, drx_spec(mold=coded(4, 3, 5), chunk=[3, 2, 2], dims=['x', 'y', 't'], replace=.true.))
        call drx_write(a, coded(4, 3, 5))
    end subroutine

    ! A call that gives this status, and a message with these words: see check_refused.
    subroutine no_read(words, expected, a, values, start, count, stride)
        character(len=*), intent(in) :: words
        integer, intent(in) :: expected
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(inout) :: values
        type(*), dimension(..), intent(in), optional :: start, count, stride

        call drx_read(a, values, start, count, stride, stat=stat, errmsg=message)
        call check_refused(stat, expected, message, words)
    end subroutine

    subroutine no_write(words, expected, a, values, start, bits)
        character(len=*), intent(in) :: words
        integer, intent(in) :: expected
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: values
        type(*), dimension(..), intent(in), optional :: start
        logical, intent(in), optional :: bits

        call drx_write(a, values, start, bits=bits, stat=stat, errmsg=message)
        call check_refused(stat, expected, message, words)
    end subroutine

    subroutine slices()
        type(drx_array) :: a
        real(real64) :: plane(4, 3), all_of(4, 3, 5), again(5, 3, 4)

        call make(a)
        call drx_read(a, plane, start=[1_int8, 1_int8, 2_int8])
        call drx_write(a, -plane, start=[1, 1, 5])
        call drx_read(a, all_of)
        call check(all(all_of(:, :, 5) == -all_of(:, :, 2)) .and. all(all_of(:, :, :4) == coded(4, 3, 4)), 'an expression')
        call no_read('digits|(5,3,4)|(4,3,5)', drx_emismatch, a, again)
        call drx_read(a, plane(:, :0), start=[1, 1, 1])
        call drx_write(a, plane(:0, :), start=[5, 1, 1])
        call drx_close(a)
    end subroutine

    ! The axes of the file are in the order of Fortran: C has the same indices, from 0 on.
    subroutine order_of_axes()
        type(drx_array) :: a
        real(real64) :: x(6)

        call make(a)
        call check(c_read(drx_c_array(a), [1_c_int64_t, 2_c_int64_t, 3_c_int64_t], [3_c_int64_t, 1_c_int64_t, 2_c_int64_t], &
                          0_c_int, x) == 0, 'read by C')
        call check(all(x == [234, 235, 334, 335, 434, 435]), 'by C, row-major')
        call check(drx_axis(a, 'y') == 2 .and. drx_dim_name(a, 3) == 't' .and. drx_axis(a, 'z') == 0, 'names of axes')
        call drx_close(a)
    end subroutine

    subroutine slabs()
        type(drx_array) :: a
        integer(int32) :: page(3, 2)

        page = 1
        call drx_create('slabs', a, drx_spec(shape=[3, 2, 0], type=drx_int32))
        call drx_append(a, 3, page)
        call drx_prepend(a, 3_int64, page)
        call check(all(drx_lower(a) == [0, 0, -1]) .and. all(drx_upper(a) == [2, 1, 0]) .and. drx_shape(a, 4) == 0, 'bounds')
        call drx_extend(a, 1, 1)
        call drx_append(a, 1, page, stat=stat, errmsg=message)
        call check_refused(stat, drx_emismatch, message, 'slabs|(3,2)|axis 1|(1,2,2)')
        call drx_append(a, 4, page, stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, 'slabs|axis 4|1 to 3')
        call drx_append(a, 3, real(page), stat=stat, errmsg=message)
        call check_refused(stat, drx_emismatch, message, 'int32|real(real32)|integer(int32)')
        call drx_trim(a, 1, before=5, stat=stat, errmsg=message)
        call check_refused(stat, drx_erange, message, 'slabs')
        call drx_add_axis(a, 4, 'member')
        call check(all(drx_shape(a) == [4, 2, 2, 1]) .and. drx_dim_name(a, 4) == 'member', 'a new axis')
        call drx_add_axis(a, 6, stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, 'at is 6|1 to 5')
        call drx_dim_rename(a, 4, 'run')
        call check(drx_axis(a, 'run') == 4, 'renamed')
        call drx_close(a)
    end subroutine

    subroutine lists()
        type(drx_array) :: a
        integer, parameter :: n = 50
        integer :: at(3, n), line(1)
        real(real64) :: values(n)
        integer(int32) :: cells(3)

        call make(a)
        at = 1
        at(2, 7) = 4
        call drx_read_points(a, at, values, stat=stat, errmsg=message)
        call check_refused(stat, drx_erange, message, 'element 7|axis 2|index 4|1 to 3')
        call drx_read_points(a, at(:, 2:), values, stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, 'digits|(3,49)|(3,50)')
        call drx_read_points(a, at(:, :0), values(:0))
        call drx_close(a)
        call drx_create('', a, drx_spec(shape=10, type=drx_int32)) ! in memory
        call drx_write_points(a, [3, 1, 10], [30, 10, 100])
        call drx_read(a, cells, start=8)
        line = 1
        call drx_read_points(a, line, cells(1:1))
        call check(all(cells == [10, 0, 100]), 'lists along one axis')
        call drx_close(a)
    end subroutine

    subroutine records()
        type(drx_array) :: a
        complex(real32) :: x(5)

        x = 0
        call drx_create('records  ', a, drx_spec(shape=[0], type=drx_complex64))
        call drx_append(a, 1, (2.0, 2.0))
        call drx_append(a, 1, x(:0))
        call drx_append(a, 1, 5.0, stat=stat, errmsg=message)
        call check_refused(stat, drx_emismatch, message, 'records|complex64|real(real32)|complex(real32)')
        call drx_append(a, 1, reshape(x, [5, 1]), stat=stat, errmsg=message)
        call check_refused(stat, drx_emismatch, message, 'records|(5,1)')
        call no_read('records|axis 1|indices 0 to 4', drx_erange, a, x, start=0)
        call drx_open('records', a) ! without the blanks
        call check(drx_shape(a, 1) == 1, 'records')
        call drx_close(a)
    end subroutine

    subroutine single()
        type(drx_array) :: a
        real(real64) :: x

        call make(a)
        call drx_put(a, [2, 2, 2], 7d0)
        call drx_close(a)
        call drx_open('digits', a)
        call drx_get(a, [2, 2, 2], x)
        call check(x == 7, 'put, after close')
        call drx_put(a, [2, 2, 2], x, stat=stat, errmsg=message)
        call check_refused(stat, drx_eacces, message, 'digits')
        call drx_get(a, [2, 4, 2], x, stat=stat, errmsg=message)
        call check_refused(stat, drx_erange, message, 'digits|axis 2|index 4|1 to 3')
        call drx_get(a, [0, 1, 2], x, stat=stat, errmsg=message)
        call check_refused(stat, drx_erange, message, 'axis 1|index 0')
        call drx_get(a, [1, 2], x, stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, 'index has 2 elements, expected 3')
        call drx_close(a)
    end subroutine

    ! Unsigned integers are the bits of signed ones, when the program says so.
    subroutine bits()
        type(drx_array) :: a
        integer(int8) :: bytes(4)
        integer(int16) :: words(4)

        call drx_create('bits', a, drx_spec(shape=[4], type=drx_uint8, fill=-1_int8))
        call no_read('bits: its elements are uint8|integer(int8)|bits=.true.', drx_emismatch, a, bytes)
        call no_write('uint8|integer(int16)|expected integer(int8)', drx_emismatch, a, [200_int16], start=[1])
        call no_write('uint8|integer(int16)', drx_emismatch, a, [int(z'c8', int16)], start=[1], bits=.true.)
        call drx_write(a, int([200 - 256, 100], int8), start=[1], bits=.true.)
        call drx_read(a, bytes, bits=.true.)
        words = iand(int(bytes, int16), 255_int16)
        call check(all(words == [200, 100, 255, 255]), 'bits')
        call drx_close(a)
        call drx_create('', a, drx_spec(shape=[4], type=drx_int8))
        call drx_write(a, bytes, bits=.true.)
        call drx_close(a)
    end subroutine

    subroutine memory_of_all_kinds()
        type point
            sequence
            real(real64) :: value
            integer(int32) :: tag
        end type
        type(drx_array) :: a
        type(point) :: points(4)
        real(real64), allocatable :: own(:, :)
        real(real64), pointer :: seen(:)
        real(real64), target :: box(4, 3)
        complex(real64) :: wave(4)
        integer :: i

        call make(a)
        points = [(point(0, i), i=1, 4)]
        call drx_read(a, points%value, start=[1, 2, 3])
        call check(all(points%value == [123, 223, 323, 423]) .and. all(points%tag == [1, 2, 3, 4]), 'components')
        call drx_write(a, -points(4:1:-1)%value, start=[1, 3, 3])
        allocate (own(-1:2, 0:2))
        call drx_read(a, own, start=[1, 1, 3])
        call check(all(own(:, 2) == [-423, -323, -223, -123]) .and. own(-1, 0) == 113, 'allocatable with bounds of its own')
        seen => box(3, :)
        call drx_read(a, seen, start=[4, 1, 1], count=[1, 3, 1])
        call check(all(box(3, :) == [411, 421, 431]), 'pointer to a row')
        call explicit(box(2:3, :), 2)
        call check(all(box(2:3, 1) == [111, 211]), 'explicit shape')
        wave = (0, 0)
        call drx_write(a, real(wave), start=[1, 1, 1])
        call drx_read(a, box(:, 1), start=[1, 1, 1])
        call check(all(box(:, 1) == 0), 'the result of a function')
        call sized(a, box, 4)
        do i = 1, 3
            call deep(i)
        end do
        call drx_close(a)
    end subroutine

    subroutine explicit(x, n)
        integer, intent(in) :: n
        real(real64), intent(inout) :: x(n, 3)
        type(drx_array) :: a

        call drx_open('digits', a)
        call drx_read(a, x, start=[1, 1, 1])
    end subroutine

    subroutine sized(a, x, n)
        type(drx_array), intent(in) :: a
        integer, intent(in) :: n
        real(real64), intent(inout) :: x(n, *)

        call no_read('values has an assumed size|(1:n)', drx_einval, a, x, start=[1, 1, 1])
        call drx_read(a, x(:, 1:2), start=[1, 1, 2])
        call check(x(4, 2) == 422, 'section of an assumed size')
    end subroutine

    ! More axes than seven go, too: extents of 1 do not matter.
    subroutine deep(n)
        integer, intent(in) :: n
        type(drx_array) :: a
        integer(int16) :: x(2, 1, 3, 1, 2, 1, 2), y(2, 3, 2, 2)

        call drx_create('', a, drx_spec(shape=[2, 1, 3, 1, 2, 1, 1, 1, 2, 1], type=drx_int16))
        x = int(reshape([integer :: (/0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23/)], &
                        shape(x))*n, int16)
        call drx_write(a, x)
        call drx_read(a, y)
        call check(all(reshape(y, [24]) == reshape(x, [24])), 'ten axes')
        call drx_close(a)
    end subroutine

    subroutine refused_memory()
        type(drx_array) :: a
        real(real32) :: single_precision(4, 3)
        logical :: truth(4, 3)
        character(len=8) :: words(4, 3)
        real(real64) :: x(4, 3)

        call make(a)
        call no_read('digits|float64|real(real32)|expected real(real64)', drx_emismatch, a, single_precision, start=[1, 1, 1])
        call no_read('digits|float64|logical|expected real(real64)', drx_emismatch, a, truth, start=[1, 1, 1])
        words = ''
        call no_write('digits|float64|character|expected real(real64)', drx_emismatch, a, words, start=[1, 1, 1])
        call drx_read(a, x, start=['a', 'b', 'c'], stat=stat, errmsg=message)
        call check(stat /= drx_ok, 'letters are no integers')
        message = 'as it was'
        call drx_read(a, x, start=[1, 1, 1], stat=stat, errmsg=message)
        call check(stat == drx_ok .and. message == 'as it was', 'errmsg stays after a success')
        call drx_close(a)
    end subroutine

    subroutine refused_places()
        type(drx_array) :: a
        real(real64) :: x(4, 3), cube(4, 3, 5, 2)

        call make(a)
        call no_read('digits|axis 3 (t)|indices 6 to 6|1 to 5', drx_erange, a, x, start=[1, 1, 6])
        call no_read('axis 1 (x)|indices 0 to 3|1 to 4', drx_erange, a, x, start=[0, 1, 1])
        call no_read('axis 1 (x)|indices 2 to 5', drx_erange, a, x, start=[2, 1, 1])
        call no_read('axis 1 (x)|indices 1 to 7', drx_erange, a, x, start=[1, 1, 1], stride=[2, 1, 1])
        call no_read('stride(2) is 0', drx_einval, a, x, start=[1, 1, 1], stride=[1, 0, 1])
        call drx_read(a, x, start=[1, 1, 1], count=[4, -3, 1], stat=stat, errmsg=message)
        call check(stat < 0, 'a negative count')
        call no_read('(4,3)|(3,4,1)', drx_emismatch, a, x, start=[1, 1, 1], count=[3, 4, 1])
        call no_read('start has 2 elements, expected 3, one for each axis', drx_einval, a, x, start=[1, 1])
        call no_read('start is real(real32), expected an integer', drx_einval, a, x, start=[1.0, 1.0, 1.0])
        call no_read('axis 1', drx_erange, a, x, start=[huge(1_int64), 1_int64, 1_int64])
        call no_read('axis 2', drx_erange, a, x, start=[1_int64, -huge(1_int64), 1_int64])
        call no_read('axis 1', drx_erange, a, x, start=[1, 1, 1], stride=[huge(1_int64), 1_int64, 1_int64])
        call no_read('values has 4 axes, the array 3', drx_einval, a, cube, start=[1, 1, 1])
        call drx_extend(a, 1, 1.5, stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, 'by is real(real32), expected an integer')
        call drx_extend(a, 0, 1, stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, 'axis 0, expected 1 to 3')
        call check(all(drx_shape(a) == [4, 3, 5]), 'what was refused has changed nothing')
        call drx_close(a)
        call no_read('the handle is not open', drx_einval, a, x, start=[1, 1, 1])
    end subroutine
end program
