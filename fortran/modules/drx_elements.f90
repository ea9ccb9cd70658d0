! Elements of arrays, in memory of any type, kind, rank and strides: the descriptors of the language tell C of it.
module drx_elements
    use, intrinsic :: iso_c_binding
    use drx_handles
    use drx_calls
    implicit none
    private

    public :: drx_read, drx_write, drx_get, drx_put, drx_append, drx_prepend, drx_read_points, drx_write_points

    interface
        integer(c_int) function c_element(id, how, index, value, bits) bind(C, name='drxf_element')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: how, bits
            type(*), dimension(..), intent(in) :: index
            type(*), dimension(..) :: value
        end function

        integer(c_int) function c_points(id, how, indices, values, bits) bind(C, name='drxf_points')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: how, bits
            type(*), dimension(..), intent(in) :: indices
            type(*), dimension(..) :: values
        end function
    end interface

contains

    ! start, count, stride  one for each axis of the array: the first index, from 1 on, how many, and the step between them.
    !                       All absent: the whole array. Without count it is the extents of values, and 1 for further axes
    ! values                a scalar or an array, of any strides, whose extents are those of count. Extents of 1 do not matter
    ! bits                  .true.: the elements are unsigned, values are signed, and have their bits
    subroutine drx_read(a, values, start, count, stride, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(inout) :: values
        include 'f_box.inc'

        call finish('drx_read', c_move(a%id, move_read, values, start, count, stride, as_int(bits)), stat, errmsg)
    end subroutine

    subroutine drx_write(a, values, start, count, stride, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: values
        include 'f_box.inc'

        call finish('drx_write', c_move(a%id, move_write, values, start, count, stride, as_int(bits)), stat, errmsg)
    end subroutine

    ! Grow and write the new slab: others see it whole or not at all. values has the shape of the array, and on the axis as
    ! many indices as are new; or it lacks the axis, and one index is new.
    subroutine drx_append(a, axis, values, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis, values
        logical, intent(in), optional :: bits
        include 'f_status_any.inc'

        call finish('drx_append', c_append(a%id, 0_c_int, axis, values, as_int(bits)), stat, errmsg)
    end subroutine

    ! At the low end: the slab gets the indices from 1 on.
    subroutine drx_prepend(a, axis, values, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis, values
        logical, intent(in), optional :: bits
        include 'f_status_any.inc'

        call finish('drx_prepend', c_append(a%id, 1_c_int, axis, values, as_int(bits)), stat, errmsg)
    end subroutine

    ! One element, through a pool: many puts are written together, at the next growth, sync or close.
    subroutine drx_get(a, index, value, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: index
        type(*), dimension(..), intent(inout) :: value
        logical, intent(in), optional :: bits
        include 'f_status_any.inc'

        call finish('drx_get', c_element(a%id, move_read, index, value, as_int(bits)), stat, errmsg)
    end subroutine

    subroutine drx_put(a, index, value, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: index, value
        logical, intent(in), optional :: bits
        include 'f_status_any.inc'

        call finish('drx_put', c_element(a%id, move_write, index, value, as_int(bits)), stat, errmsg)
    end subroutine

    ! A list of elements anywhere: column j of indices is the index of element j of values.
    subroutine drx_read_points(a, indices, values, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: indices
        type(*), dimension(..), intent(inout) :: values
        logical, intent(in), optional :: bits
        include 'f_status_any.inc'

        call finish('drx_read_points', c_points(a%id, move_read, indices, values, as_int(bits)), stat, errmsg)
    end subroutine

    subroutine drx_write_points(a, indices, values, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: indices, values
        logical, intent(in), optional :: bits
        include 'f_status_any.inc'

        call finish('drx_write_points', c_points(a%id, move_write, indices, values, as_int(bits)), stat, errmsg)
    end subroutine
end module
