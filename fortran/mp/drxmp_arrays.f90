! Arrays and datasets that many processes have open together.
module drxmp_arrays
    use, intrinsic :: iso_c_binding
    use drx_handles
    use drx_specs
    use drx_arrays, only: drx_rdonly
    use drx_elements, only: as_bits
    implicit none
    private

    ! All procedures of the module drx take them. Those that change the array or dataset are collective; so is drx_close.
    type, extends(drx_array), public :: drxmp_array
    end type

    type, extends(drx_dataset), public :: drxmp_dataset
    end type

    public :: drxmp_create, drxmp_open, drxmp_read_all, drxmp_write_all, drxmp_append_all, drxmp_prepend_all
    public :: drxmp_get, drxmp_put, drxmp_acc, drxmp_fetch_add
    public :: drxmp_dataset_create, drxmp_dataset_open, stop_all

    interface
        integer(c_int) function c_create(comm, path, spec, id) bind(C, name='drxmpf_create')
            import
            type(*), dimension(..), intent(in) :: comm
            character(kind=c_char), intent(in) :: path(*)
            type(c_spec), intent(in) :: spec
            integer(c_int64_t), intent(out) :: id
        end function

        integer(c_int) function c_open(comm, path, mode, id) bind(C, name='drxmpf_open')
            import
            type(*), dimension(..), intent(in) :: comm
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int), value :: mode
            integer(c_int64_t), intent(out) :: id
        end function

        integer(c_int) function c_read_all(id, values, start, count, stride, bits) bind(C, name='drxmpf_read_all')
            import
            integer(c_int64_t), value :: id
            type(*), dimension(..), intent(inout) :: values
            type(*), dimension(..), intent(in), optional :: start, count, stride
            integer(c_int), value :: bits
        end function

        integer(c_int) function c_write_all(id, values, start, count, stride, bits) bind(C, name='drxmpf_write_all')
            import
            integer(c_int64_t), value :: id
            type(*), dimension(..), intent(in) :: values
            type(*), dimension(..), intent(in), optional :: start, count, stride
            integer(c_int), value :: bits
        end function

        integer(c_int) function c_append_all(id, before, axis, by, values, start, count, bits) &
            bind(C, name='drxmpf_append_all')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: before, bits
            type(*), dimension(..), intent(in) :: axis, by, values
            type(*), dimension(..), intent(in), optional :: start, count
        end function

        integer(c_int) function c_get(id, how, values, start, count, stride, bits) bind(C, name='drxmpf_access')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: how
            type(*), dimension(..), intent(inout) :: values
            type(*), dimension(..), intent(in), optional :: start, count, stride
            integer(c_int), value :: bits
        end function

        integer(c_int) function c_put(id, how, values, start, count, stride, bits) bind(C, name='drxmpf_access')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: how
            type(*), dimension(..), intent(in) :: values
            type(*), dimension(..), intent(in), optional :: start, count, stride
            integer(c_int), value :: bits
        end function

        integer(c_int) function c_fetch_add(id, index, add, old) bind(C, name='drxmpf_fetch_add')
            import
            integer(c_int64_t), value :: id
            type(*), dimension(..), intent(in) :: index, add
            integer(c_int64_t), intent(inout) :: old
        end function

        integer(c_int) function c_dataset_create(comm, path, id) bind(C, name='drxmpf_dataset_create')
            import
            type(*), dimension(..), intent(in) :: comm
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int64_t), intent(out) :: id
        end function

        integer(c_int) function c_dataset_open(comm, path, mode, at, id) bind(C, name='drxmpf_dataset_open')
            import
            type(*), dimension(..), intent(in) :: comm
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int), value :: mode
            type(*), dimension(..), intent(in), optional :: at
            integer(c_int64_t), intent(out) :: id
        end function

        subroutine c_stop() bind(C, name='drxmpf_stop')
        end subroutine
    end interface

contains

    ! comm  a communicator, of mpi_f08 or an integer of mpi. An empty path: in the memory of the job
    subroutine drxmp_create(comm, path, a, spec, stat, errmsg)
        type(*), dimension(..), intent(in) :: comm
        character(len=*), intent(in) :: path
        type(drxmp_array), intent(inout) :: a
        type(drx_spec), intent(in), target :: spec
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg
        integer(c_int64_t) :: id
        integer(c_int) :: status

        call begin_handle(a)
        status = c_create(comm, c_text(path), described(spec), id)
        call end_handle(a, id)
        drx_before_stop => stop_all
        call finish_any('drxmp_create', status, stat, errmsg)
    end subroutine

    subroutine drxmp_open(comm, path, a, mode, stat, errmsg)
        type(*), dimension(..), intent(in) :: comm
        character(len=*), intent(in) :: path
        type(drxmp_array), intent(inout) :: a
        integer, intent(in), optional :: mode
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg
        integer(c_int64_t) :: id
        integer(c_int) :: status, its_mode

        its_mode = drx_rdonly
        if (present(mode)) its_mode = mode
        call begin_handle(a)
        status = c_open(comm, c_text(path), its_mode, id)
        call end_handle(a, id)
        drx_before_stop => stop_all
        call finish_any('drxmp_open', status, stat, errmsg)
    end subroutine

    ! Each process gives its own box, as to drx_read and drx_write; it may be empty.
    subroutine drxmp_read_all(a, values, start, count, stride, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(inout) :: values
        type(*), dimension(..), intent(in), optional :: start, count, stride
        logical, intent(in), optional :: bits
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drxmp_read_all', c_read_all(a%id, values, start, count, stride, as_bits(bits)), stat, errmsg)
    end subroutine

    subroutine drxmp_write_all(a, values, start, count, stride, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: values
        type(*), dimension(..), intent(in), optional :: start, count, stride
        logical, intent(in), optional :: bits
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drxmp_write_all', c_write_all(a%id, values, start, count, stride, as_bits(bits)), stat, errmsg)
    end subroutine

    ! Grow an axis by so many indices and write the new slab, of which each process gives a part: a box of the grown array.
    subroutine drxmp_append_all(a, axis, by, values, start, count, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis, by, values
        type(*), dimension(..), intent(in), optional :: start, count
        logical, intent(in), optional :: bits
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drxmp_append_all', c_append_all(a%id, 0_c_int, axis, by, values, start, count, as_bits(bits)), &
                        stat, errmsg)
    end subroutine

    ! At the low end: the slab has the indices 1 to by.
    subroutine drxmp_prepend_all(a, axis, by, values, start, count, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis, by, values
        type(*), dimension(..), intent(in), optional :: start, count
        logical, intent(in), optional :: bits
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drxmp_prepend_all', c_append_all(a%id, 1_c_int, axis, by, values, start, count, as_bits(bits)), &
                        stat, errmsg)
    end subroutine

    ! ---- one-sided, to an array in the memory of the job: not collective. Boxes are as those of drx_read ------

    subroutine drxmp_get(a, values, start, count, stride, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(inout) :: values
        type(*), dimension(..), intent(in), optional :: start, count, stride
        logical, intent(in), optional :: bits
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drxmp_get', c_get(a%id, 0_c_int, values, start, count, stride, as_bits(bits)), stat, errmsg)
    end subroutine

    subroutine drxmp_put(a, values, start, count, stride, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: values
        type(*), dimension(..), intent(in), optional :: start, count, stride
        logical, intent(in), optional :: bits
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drxmp_put', c_put(a%id, 1_c_int, values, start, count, stride, as_bits(bits)), stat, errmsg)
    end subroutine

    ! Add values to the elements of a box, each atomically.
    subroutine drxmp_acc(a, values, start, count, stride, bits, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: values
        type(*), dimension(..), intent(in), optional :: start, count, stride
        logical, intent(in), optional :: bits
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drxmp_acc', c_put(a%id, 2_c_int, values, start, count, stride, as_bits(bits)), stat, errmsg)
    end subroutine

    ! Add to one element, of integers, and get what it was before.
    subroutine drxmp_fetch_add(a, index, add, old, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: index, add
        integer(c_int64_t), intent(out) :: old
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        old = 0
        call finish_any('drxmp_fetch_add', c_fetch_add(a%id, index, add, old), stat, errmsg)
    end subroutine

    subroutine drxmp_dataset_create(comm, path, ds, stat, errmsg)
        type(*), dimension(..), intent(in) :: comm
        character(len=*), intent(in) :: path
        type(drxmp_dataset), intent(inout) :: ds
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg
        integer(c_int64_t) :: id
        integer(c_int) :: status

        call begin_handle(ds)
        status = c_dataset_create(comm, c_text(path), id)
        call end_handle(ds, id)
        drx_before_stop => stop_all
        call finish_any('drxmp_dataset_create', status, stat, errmsg)
    end subroutine

    subroutine drxmp_dataset_open(comm, path, ds, mode, at, stat, errmsg)
        type(*), dimension(..), intent(in) :: comm
        character(len=*), intent(in) :: path
        type(drxmp_dataset), intent(inout) :: ds
        integer, intent(in), optional :: mode
        type(*), dimension(..), intent(in), optional :: at
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg
        integer(c_int64_t) :: id
        integer(c_int) :: status, its_mode

        its_mode = drx_rdonly
        if (present(mode)) its_mode = mode
        call begin_handle(ds)
        status = c_dataset_open(comm, c_text(path), its_mode, at, id)
        call end_handle(ds, id)
        drx_before_stop => stop_all
        call finish_any('drxmp_dataset_open', status, stat, errmsg)
    end subroutine

    ! An error without stat ends all processes of the job.
    subroutine stop_all()
        call c_stop()
    end subroutine
end module
