! Distributed arrays in memory: each process has a section, in the order of Fortran.
module drxmp_darrays
    use, intrinsic :: iso_c_binding
    use drx_handles
    use drx_calls
    implicit none
    private

    type, extends(drx_handle), public :: drxmp_darray
    end type

    public :: drxmp_darray_create, drxmp_darray_zones, drxmp_darray_local, drxmp_darray_shape, drxmp_darray_local_shape, &
        drxmp_darray_local_start, drxmp_darray_zone, drxmp_darray_owner, drxmp_darray_read, drxmp_darray_write, &
        drxmp_darray_sync, drxmp_darray_sync_add, drxmp_darray_redistribute, drxmp_darray_get, drxmp_darray_put, &
        drxmp_darray_acc, drxmp_darray_fetch_add

    interface
        integer(c_int) function c_create(comm, shape, type, grid, halo, id) bind(C, name='drxmpf_darray_create')
            import
            type(*), dimension(..), intent(in) :: comm, shape
            integer(c_int), value :: type
            type(*), dimension(..), intent(in), optional :: grid, halo
            integer(c_int64_t), intent(out) :: id
        end function

        integer(c_int) function c_zones(array, grid, id) bind(C, name='drxmpf_darray_zones')
            import
            integer(c_int64_t), value :: array
            type(*), dimension(..), intent(in), optional :: grid
            integer(c_int64_t), intent(out) :: id
        end function

        type(c_ptr) function c_local(id) bind(C, name='drxmpf_darray_local')
            import
            integer(c_int64_t), value :: id
        end function

        integer(c_int) function c_zone(id, rank, start, count) bind(C, name='drxmpf_darray_zone')
            import
            integer(c_int64_t), value :: id
            type(*), dimension(..), intent(in), optional :: rank
            integer(c_int64_t), intent(inout) :: start(*), count(*)
        end function

        integer(c_int) function c_owner(id, index, rank) bind(C, name='drxmpf_darray_owner')
            import
            integer(c_int64_t), value :: id
            type(*), dimension(..), intent(in) :: index
            integer(c_int), intent(inout) :: rank
        end function

        integer(c_int) function c_transfer(id, writing, array, start) bind(C, name='drxmpf_darray_transfer')
            import
            integer(c_int64_t), value :: id, array
            integer(c_int), value :: writing
            type(*), dimension(..), intent(in), optional :: start
        end function

        integer(c_int) function c_sync(id, adding, to) bind(C, name='drxmpf_darray_sync')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: adding
            integer(c_int64_t), intent(in), optional :: to
        end function
    end interface

contains

    ! Zeros, in even blocks.
    !
    ! shape  of all, one extent for each axis
    ! grid   numbers of processes along each axis; absent: that of MPI_Dims_create
    ! halo   this many indices of each neighbour are in the section, too, for each axis: see drxmp_darray_sync
    subroutine drxmp_darray_create(comm, d, shape, type, grid, halo, stat, errmsg)
        type(*), dimension(..), intent(in) :: comm, shape
        type(drxmp_darray), intent(inout) :: d
        integer, intent(in) :: type
        type(*), dimension(..), intent(in), optional :: grid, halo
        include 'f_status_any.inc'

        call begin_handle(d)
        call finish('drxmp_darray_create', c_create(comm, shape, int(type, c_int), grid, halo, d%id), stat, errmsg)
    end subroutine

    ! Zeros, spread as zones of whole chunks of an array.
    subroutine drxmp_darray_zones(a, d, grid, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(drxmp_darray), intent(inout) :: d
        type(*), dimension(..), intent(in), optional :: grid
        include 'f_status_any.inc'

        call begin_handle(d)
        call finish('drxmp_darray_zones', c_zones(a%id, grid, d%id), stat, errmsg)
    end subroutine

    ! ---- inquiries; not collective -----------------------------------------------------------

    ! The section of this process: call c_f_pointer(drxmp_darray_local(d), section, drxmp_darray_local_shape(d))
    type(c_ptr) function drxmp_darray_local(d)
        class(drxmp_darray), intent(in) :: d

        drxmp_darray_local = c_local(d%id)
    end function

    ! Of all processes together.
    function drxmp_darray_shape(d) result(shape)
        class(drxmp_darray), intent(in) :: d
        integer(c_int64_t), allocatable :: shape(:)

        shape = bounds_of(d%id, bounds_shape)
    end function

    ! Of the section of this process, with what it has of its neighbours.
    function drxmp_darray_local_shape(d) result(shape)
        class(drxmp_darray), intent(in) :: d
        integer(c_int64_t), allocatable :: shape(:)

        shape = bounds_of(d%id, bounds_local_shape)
    end function

    ! The index, in all, of the section's first element.
    function drxmp_darray_local_start(d) result(start)
        class(drxmp_darray), intent(in) :: d
        integer(c_int64_t), allocatable :: start(:)

        start = bounds_of(d%id, bounds_local_start)
    end function

    ! What a process owns; absent: this one. start and count are one for each axis.
    subroutine drxmp_darray_zone(d, start, count, rank, stat, errmsg)
        class(drxmp_darray), intent(in) :: d
        integer(c_int64_t), allocatable, intent(out) :: start(:), count(:)
        type(*), dimension(..), intent(in), optional :: rank
        include 'f_status_any.inc'

        start = 0*bounds_of(d%id, bounds_shape)
        count = start
        call finish('drxmp_darray_zone', c_zone(d%id, rank, start, count), stat, errmsg)
    end subroutine

    ! The rank that owns an element.
    subroutine drxmp_darray_owner(d, index, rank, stat, errmsg)
        class(drxmp_darray), intent(in) :: d
        type(*), dimension(..), intent(in) :: index
        integer, intent(out) :: rank
        include 'f_status_any.inc'

        rank = -1
        call finish('drxmp_darray_owner', c_owner(d%id, index, rank), stat, errmsg)
    end subroutine

    ! ---- to and from arrays, and from one distribution to another: collective -----------------------

    ! Index 1 of d is index start of the array; absent: its first one.
    subroutine drxmp_darray_read(d, a, start, stat, errmsg)
        class(drxmp_darray), intent(in) :: d
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in), optional :: start
        include 'f_status_any.inc'

        call finish('drxmp_darray_read', c_transfer(d%id, 0_c_int, a%id, start), stat, errmsg)
    end subroutine

    subroutine drxmp_darray_write(d, a, start, stat, errmsg)
        class(drxmp_darray), intent(in) :: d
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in), optional :: start
        include 'f_status_any.inc'

        call finish('drxmp_darray_write', c_transfer(d%id, 1_c_int, a%id, start), stat, errmsg)
    end subroutine

    ! Refresh what each process has of its neighbours; and order one-sided calls.
    subroutine drxmp_darray_sync(d, stat, errmsg)
        class(drxmp_darray), intent(in) :: d
        include 'f_status.inc'

        call finish('drxmp_darray_sync', c_sync(d%id, 0_c_int), stat, errmsg)
    end subroutine

    ! Add what each process has of its neighbours to what these have, then refresh it.
    subroutine drxmp_darray_sync_add(d, stat, errmsg)
        class(drxmp_darray), intent(in) :: d
        include 'f_status.inc'

        call finish('drxmp_darray_sync_add', c_sync(d%id, 1_c_int), stat, errmsg)
    end subroutine

    subroutine drxmp_darray_redistribute(from, to, stat, errmsg)
        class(drxmp_darray), intent(in) :: from, to
        include 'f_status.inc'

        call finish('drxmp_darray_redistribute', c_sync(from%id, 0_c_int, to%id), stat, errmsg)
    end subroutine

    ! ---- one-sided: not collective. Boxes are as those of drx_read ------------------------------------

    subroutine drxmp_darray_get(d, values, start, count, stride, bits, stat, errmsg)
        class(drxmp_darray), intent(in) :: d
        type(*), dimension(..), intent(inout) :: values
        include 'f_box.inc'

        call finish('drxmp_darray_get', c_move(d%id, move_darray_get, values, start, count, stride, as_int(bits)), stat, errmsg)
    end subroutine

    subroutine drxmp_darray_put(d, values, start, count, stride, bits, stat, errmsg)
        class(drxmp_darray), intent(in) :: d
        type(*), dimension(..), intent(in) :: values
        include 'f_box.inc'

        call finish('drxmp_darray_put', c_move(d%id, move_darray_put, values, start, count, stride, as_int(bits)), stat, errmsg)
    end subroutine

    ! Add values to the elements of a box, each atomically.
    subroutine drxmp_darray_acc(d, values, start, count, stride, bits, stat, errmsg)
        class(drxmp_darray), intent(in) :: d
        type(*), dimension(..), intent(in) :: values
        include 'f_box.inc'

        call finish('drxmp_darray_acc', c_move(d%id, move_darray_add, values, start, count, stride, as_int(bits)), stat, errmsg)
    end subroutine

    ! Add to one element, of integers, and get what it was before.
    subroutine drxmp_darray_fetch_add(d, index, add, old, stat, errmsg)
        class(drxmp_darray), intent(in) :: d
        type(*), dimension(..), intent(in) :: index, add
        integer(c_int64_t), intent(out) :: old
        include 'f_status_any.inc'

        old = 0
        call finish('drxmp_darray_fetch_add', c_fetch_add(d%id, move_darray_add, index, add, old), stat, errmsg)
    end subroutine
end module
