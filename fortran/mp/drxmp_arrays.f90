! Arrays and datasets that many processes have open together.
module drxmp_arrays
    use, intrinsic :: iso_c_binding
    use drx_handles
    use drx_specs, only: drx_spec, c_spec, described
    use drx_calls
    implicit none
    private

    ! All procedures of the module drx take them. Those that change the array or dataset are collective; so is drx_close.
    type, extends(drx_array), public :: drxmp_array
    end type

    type, extends(drx_dataset), public :: drxmp_dataset
    end type

    public :: drxmp_create, drxmp_open, drxmp_read_all, drxmp_write_all, drxmp_append_all, drxmp_prepend_all
    public :: drxmp_get, drxmp_put, drxmp_acc, drxmp_fetch_add
    public :: drxmp_dataset_create, drxmp_dataset_open

    interface
        integer(c_int) function c_make_on(comm, what, path, id, spec, mode, at) bind(C, name='drxmpf_make')
            import
            type(*), dimension(..), intent(in) :: comm
            integer(c_int), value :: what
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int64_t), intent(out) :: id
            type(c_spec), intent(in), optional :: spec
            integer(c_int), intent(in), optional :: mode
            type(*), dimension(..), intent(in), optional :: at
        end function
    end interface

contains

    ! comm  a communicator, of mpi_f08 or an integer of mpi. An empty path: in the memory of the job
    subroutine drxmp_create(comm, path, a, spec, stat, errmsg)
        type(*), dimension(..), intent(in) :: comm
        character(len=*), intent(in) :: path
        type(drxmp_array), intent(inout) :: a
        type(drx_spec), intent(in), target :: spec
        include 'f_status_any.inc'

        call begin_handle(a)
        call finish('drxmp_create', c_make_on(comm, make_array, c_text(path), a%id, described(spec)), stat, errmsg)
    end subroutine

    subroutine drxmp_open(comm, path, a, mode, stat, errmsg)
        type(*), dimension(..), intent(in) :: comm
        character(len=*), intent(in) :: path
        type(drxmp_array), intent(inout) :: a
        integer, intent(in), optional :: mode
        include 'f_status_any.inc'

        call begin_handle(a)
        call finish('drxmp_open', c_make_on(comm, make_open_array, c_text(path), a%id, mode=mode), stat, errmsg)
    end subroutine

    ! Each process gives its own box, as to drx_read and drx_write; it may be empty.
    subroutine drxmp_read_all(a, values, start, count, stride, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(inout) :: values
        include 'f_box.inc'

        call finish('drxmp_read_all', c_move(a%id, move_read_all, values, start, count, stride, as_int(bits)), stat, errmsg)
    end subroutine

    subroutine drxmp_write_all(a, values, start, count, stride, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: values
        include 'f_box.inc'

        call finish('drxmp_write_all', c_move(a%id, move_write_all, values, start, count, stride, as_int(bits)), stat, errmsg)
    end subroutine

    ! Grow an axis by n indices and write the new slab, of which each process gives a part: a box of the grown array.
    subroutine drxmp_append_all(a, axis, by, values, start, count, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis, by, values
        type(*), dimension(..), intent(in), optional :: start, count
        logical, intent(in), optional :: bits
        include 'f_status_any.inc'

        call finish('drxmp_append_all', c_append(a%id, 0_c_int, axis, values, as_int(bits), by, start, count), &
                    stat, errmsg)
    end subroutine

    ! At the low end: the slab has the indices 1 to by.
    subroutine drxmp_prepend_all(a, axis, by, values, start, count, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis, by, values
        type(*), dimension(..), intent(in), optional :: start, count
        logical, intent(in), optional :: bits
        include 'f_status_any.inc'

        call finish('drxmp_prepend_all', c_append(a%id, 1_c_int, axis, values, as_int(bits), by, start, count), &
                    stat, errmsg)
    end subroutine

    ! ---- one-sided, to an array in the memory of the job: not collective. Boxes are as those of drx_read ------

    subroutine drxmp_get(a, values, start, count, stride, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(inout) :: values
        include 'f_box.inc'

        call finish('drxmp_get', c_move(a%id, move_get, values, start, count, stride, as_int(bits)), stat, errmsg)
    end subroutine

    subroutine drxmp_put(a, values, start, count, stride, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: values
        include 'f_box.inc'

        call finish('drxmp_put', c_move(a%id, move_put, values, start, count, stride, as_int(bits)), stat, errmsg)
    end subroutine

    ! Add values to the elements of a box, each atomically.
    subroutine drxmp_acc(a, values, start, count, stride, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: values
        include 'f_box.inc'

        call finish('drxmp_acc', c_move(a%id, move_add, values, start, count, stride, as_int(bits)), stat, errmsg)
    end subroutine

    ! Add to one element, of integers, and get what it was before.
    subroutine drxmp_fetch_add(a, index, add, old, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: index, add
        integer(c_int64_t), intent(out) :: old
        include 'f_status_any.inc'

        old = 0
        call finish('drxmp_fetch_add', c_fetch_add(a%id, move_add, index, add, old), stat, errmsg)
    end subroutine

    subroutine drxmp_dataset_create(comm, path, ds, stat, errmsg)
        type(*), dimension(..), intent(in) :: comm
        character(len=*), intent(in) :: path
        type(drxmp_dataset), intent(inout) :: ds
        include 'f_status_any.inc'

        call begin_handle(ds)
        call finish('drxmp_dataset_create', c_make_on(comm, make_dataset, c_text(path), ds%id), stat, errmsg)
    end subroutine

    subroutine drxmp_dataset_open(comm, path, ds, mode, at, stat, errmsg)
        type(*), dimension(..), intent(in) :: comm
        character(len=*), intent(in) :: path
        type(drxmp_dataset), intent(inout) :: ds
        integer, intent(in), optional :: mode
        type(*), dimension(..), intent(in), optional :: at
        include 'f_status_any.inc'

        call begin_handle(ds)
        call finish('drxmp_dataset_open', c_make_on(comm, make_open_dataset, c_text(path), ds%id, mode=mode, at=at), &
                    stat, errmsg)
    end subroutine
end module
