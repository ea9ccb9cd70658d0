! Arrays: create, open, grow, and what they are.
module drx_arrays
    use, intrinsic :: iso_c_binding
    use drx_handles
    use drx_specs, only: drx_spec, described
    use drx_calls
    implicit none
    private

    integer, parameter, public :: drx_rdonly = 0, drx_rdwr = 1, drx_shared = 2 ! modes of drx_open

    public :: drx_create, drx_open, drx_persist, drx_refresh, drx_sync, drx_remove, drx_rename
    public :: drx_extend, drx_extend_before, drx_trim, drx_add_axis, drx_dim_rename
    public :: drx_ndim, drx_dtype, drx_shape, drx_lower, drx_upper, drx_chunk, drx_dim_name, drx_axis, drx_c_array

    interface drx_shape
        module procedure whole_shape, extent
    end interface

    interface
        integer(c_int) function c_remove(path) bind(C, name='drx_remove')
            import
            character(kind=c_char), intent(in) :: path(*)
        end function

        integer(c_int) function c_rename(from, to, flags) bind(C, name='drx_rename')
            import
            character(kind=c_char), intent(in) :: from(*), to(*)
            integer(c_int), value :: flags
        end function

        type(c_ptr) function c_c_array(id) bind(C, name='drxf_c_array')
            import
            integer(c_int64_t), value :: id
        end function
    end interface

contains

    ! Make an array and open it for writing. An empty path: in memory.
    subroutine drx_create(path, a, spec, stat, errmsg)
        character(len=*), intent(in) :: path
        type(drx_array), intent(inout) :: a
        type(drx_spec), intent(in), target :: spec
        include 'f_status.inc'

        call begin_handle(a)
        call finish('drx_create', c_make(make_array, c_text(path), a%id, described(spec)), stat, errmsg)
    end subroutine

    ! mode: drx_rdonly, which is the default, drx_rdwr or drx_shared
    subroutine drx_open(path, a, mode, stat, errmsg)
        character(len=*), intent(in) :: path
        type(drx_array), intent(inout) :: a
        integer, intent(in), optional :: mode
        include 'f_status.inc'

        call begin_handle(a)
        call finish('drx_open', c_make(make_open_array, c_text(path), a%id, mode=mode), stat, errmsg)
    end subroutine

    ! Name an array that was created with temporary=.true.
    subroutine drx_persist(a, replace, stat, errmsg)
        class(drx_array), intent(in) :: a
        logical, intent(in), optional :: replace
        include 'f_status.inc'

        call finish('drx_persist', c_change(a%id, to_persist, part=as_int(replace)), stat, errmsg)
    end subroutine

    ! See what another process has committed since, of an array or a dataset.
    subroutine drx_refresh(handle, stat, errmsg)
        class(drx_handle), intent(in) :: handle
        include 'f_status.inc'

        call finish('drx_refresh', c_change(handle%id, to_refresh), stat, errmsg)
    end subroutine

    ! Everything written so far is on disk when it returns.
    subroutine drx_sync(a, stat, errmsg)
        class(drx_array), intent(in) :: a
        include 'f_status.inc'

        call finish('drx_sync', c_change(a%id, to_sync), stat, errmsg)
    end subroutine

    subroutine drx_remove(path, stat, errmsg)
        character(len=*), intent(in) :: path
        include 'f_status.inc'

        call finish('drx_remove', c_remove(c_text(path)), stat, errmsg)
    end subroutine

    subroutine drx_rename(from, to, replace, stat, errmsg)
        character(len=*), intent(in) :: from, to
        logical, intent(in), optional :: replace
        include 'f_status.inc'

        call finish('drx_rename', c_rename(c_text(from), c_text(to), as_int(replace)), stat, errmsg)
    end subroutine

    ! axis, by, before, after, at: integers of any kind. New elements read as the fill; nothing moves.
    subroutine drx_extend(a, axis, by, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis, by
        include 'f_status_any.inc'

        call finish('drx_extend', c_change(a%id, to_extend, axis=axis, by=by), stat, errmsg)
    end subroutine

    ! At the low end: what had index 1 has index by + 1 now.
    subroutine drx_extend_before(a, axis, by, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis, by
        include 'f_status_any.inc'

        call finish('drx_extend_before', c_change(a%id, to_extend_before, axis=axis, by=by), stat, errmsg)
    end subroutine

    ! Drop the first indices of an axis, and the last ones: absent, none.
    subroutine drx_trim(a, axis, before, after, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis
        type(*), dimension(..), intent(in), optional :: before, after
        include 'f_status_any.inc'

        call finish('drx_trim', c_change(a%id, to_trim, axis=axis, before=before, after=after), stat, errmsg)
    end subroutine

    ! One more axis, of one index, as axis number `at`; those from there on follow it.
    subroutine drx_add_axis(a, at, name, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: at
        character(len=*), intent(in), optional :: name
        include 'f_status_any.inc'

        call finish('drx_add_axis', c_change(a%id, to_add_axis, c_text(name), axis=at), stat, errmsg)
    end subroutine

    ! A blank name removes the one that the axis had.
    subroutine drx_dim_rename(a, axis, name, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis
        character(len=*), intent(in) :: name
        include 'f_status_any.inc'

        call finish('drx_dim_rename', c_change(a%id, to_dim_rename, c_text(name), axis=axis), stat, errmsg)
    end subroutine

    ! ---- inquiries: of what is not open, 0 or empty -------------------------------------

    integer function drx_ndim(a)
        class(drx_array), intent(in) :: a

        drx_ndim = int(c_number(a%id, of_ndim))
    end function

    ! drx_int8, ...
    integer function drx_dtype(a)
        class(drx_array), intent(in) :: a

        drx_dtype = int(c_number(a%id, of_dtype))
    end function

    function whole_shape(a) result(shape)
        class(drx_array), intent(in) :: a
        integer(c_int64_t), allocatable :: shape(:)

        shape = bounds_of(a%id, bounds_shape)
    end function

    ! The extent of one axis; 0: there is no such axis.
    integer(c_int64_t) function extent(a, axis)
        class(drx_array), intent(in) :: a
        integer, intent(in) :: axis
        integer(c_int64_t), allocatable :: shape(:)

        allocate (shape, source=bounds_of(a%id, bounds_shape))
        extent = 0
        if (axis >= 1 .and. axis <= size(shape)) extent = shape(axis)
    end function

    ! Where Fortran's index 1 is in the indices of drx.h, which never change; and where the last index is.
    function drx_lower(a) result(lower)
        class(drx_array), intent(in) :: a
        integer(c_int64_t), allocatable :: lower(:)

        lower = bounds_of(a%id, bounds_lower)
    end function

    function drx_upper(a) result(upper)
        class(drx_array), intent(in) :: a
        integer(c_int64_t), allocatable :: upper(:)

        upper = drx_lower(a) + whole_shape(a) - 1
    end function

    function drx_chunk(a) result(chunk)
        class(drx_array), intent(in) :: a
        integer(c_int64_t), allocatable :: chunk(:)

        chunk = bounds_of(a%id, bounds_chunk)
    end function

    ! Empty: the axis has no name.
    function drx_dim_name(a, axis) result(name)
        class(drx_array), intent(in) :: a
        integer, intent(in) :: axis
        character(len=:), allocatable :: name

        name = text_of(c_name(a%id, of_axis, axis))
    end function

    ! The number of the axis of that name; 0: none has it.
    integer function drx_axis(a, name)
        class(drx_array), intent(in) :: a
        character(len=*), intent(in) :: name

        drx_axis = int(c_number(a%id, of_axis, c_text(name)))
    end function

    ! The drx_array of drx.h, for programs that call C. It is valid as long as the array is open.
    type(c_ptr) function drx_c_array(a)
        class(drx_array), intent(in) :: a

        drx_c_array = c_c_array(a%id)
    end function
end module
