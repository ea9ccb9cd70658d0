! Arrays: create, open, grow, and what they are.
module drx_arrays
    use, intrinsic :: iso_c_binding
    use drx_handles
    use drx_specs
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
        integer(c_int) function c_create(path, spec, id) bind(C, name='drxf_create')
            import
            character(kind=c_char), intent(in) :: path(*)
            type(c_spec), intent(in) :: spec
            integer(c_int64_t), intent(out) :: id
        end function

        integer(c_int) function c_open(path, mode, id) bind(C, name='drxf_open')
            import
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int), value :: mode
            integer(c_int64_t), intent(out) :: id
        end function

        integer(c_int) function c_persist(id, replace) bind(C, name='drxf_persist')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: replace
        end function

        integer(c_int) function c_refresh(id) bind(C, name='drxf_refresh')
            import
            integer(c_int64_t), value :: id
        end function

        integer(c_int) function c_sync(id) bind(C, name='drxf_sync')
            import
            integer(c_int64_t), value :: id
        end function

        integer(c_int) function c_remove(path) bind(C, name='drx_remove')
            import
            character(kind=c_char), intent(in) :: path(*)
        end function

        integer(c_int) function c_rename(from, to, flags) bind(C, name='drx_rename')
            import
            character(kind=c_char), intent(in) :: from(*), to(*)
            integer(c_int), value :: flags
        end function

        integer(c_int) function c_extend(id, before, axis, by) bind(C, name='drxf_extend')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: before
            type(*), dimension(..), intent(in) :: axis, by
        end function

        integer(c_int) function c_trim(id, axis, before, after) bind(C, name='drxf_trim')
            import
            integer(c_int64_t), value :: id
            type(*), dimension(..), intent(in) :: axis
            type(*), dimension(..), intent(in), optional :: before, after
        end function

        integer(c_int) function c_add_axis(id, at, name) bind(C, name='drxf_add_axis')
            import
            integer(c_int64_t), value :: id
            type(*), dimension(..), intent(in) :: at
            character(kind=c_char), intent(in) :: name(*)
        end function

        integer(c_int) function c_dim_rename(id, axis, name) bind(C, name='drxf_dim_rename')
            import
            integer(c_int64_t), value :: id
            type(*), dimension(..), intent(in) :: axis
            character(kind=c_char), intent(in) :: name(*)
        end function

        integer(c_int) function c_ndim(id) bind(C, name='drxf_ndim')
            import
            integer(c_int64_t), value :: id
        end function

        integer(c_int) function c_dtype(id) bind(C, name='drxf_dtype')
            import
            integer(c_int64_t), value :: id
        end function

        subroutine c_bounds(id, which, bounds) bind(C, name='drxf_bounds')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: which
            integer(c_int64_t), intent(inout) :: bounds(*)
        end subroutine

        type(c_ptr) function c_dim_name(id, axis) bind(C, name='drxf_dim_name')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: axis
        end function

        integer(c_int) function c_axis_named(id, name) bind(C, name='drxf_axis_named')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: name(*)
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
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: id
        integer(c_int) :: status

        call begin_handle(a)
        status = c_create(c_text(path), described(spec), id)
        call end_handle(a, id)
        call finish('drx_create', status, stat, errmsg)
    end subroutine

    ! mode: drx_rdonly, which is the default, drx_rdwr or drx_shared
    subroutine drx_open(path, a, mode, stat, errmsg)
        character(len=*), intent(in) :: path
        type(drx_array), intent(inout) :: a
        integer, intent(in), optional :: mode
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: id
        integer(c_int) :: status, its_mode

        its_mode = drx_rdonly
        if (present(mode)) its_mode = mode
        call begin_handle(a)
        status = c_open(c_text(path), its_mode, id)
        call end_handle(a, id)
        call finish('drx_open', status, stat, errmsg)
    end subroutine

    ! Name an array that was created with temporary=.true.
    subroutine drx_persist(a, replace, stat, errmsg)
        class(drx_array), intent(in) :: a
        logical, intent(in), optional :: replace
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call finish('drx_persist', c_persist(a%id, as_int(replace)), stat, errmsg)
    end subroutine

    ! See what another process has committed since, of an array or a dataset.
    subroutine drx_refresh(handle, stat, errmsg)
        class(drx_handle), intent(in) :: handle
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call finish('drx_refresh', c_refresh(handle%id), stat, errmsg)
    end subroutine

    ! Everything written so far is on disk when it returns.
    subroutine drx_sync(a, stat, errmsg)
        class(drx_array), intent(in) :: a
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call finish('drx_sync', c_sync(a%id), stat, errmsg)
    end subroutine

    subroutine drx_remove(path, stat, errmsg)
        character(len=*), intent(in) :: path
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call finish('drx_remove', c_remove(c_text(path)), stat, errmsg)
    end subroutine

    subroutine drx_rename(from, to, replace, stat, errmsg)
        character(len=*), intent(in) :: from, to
        logical, intent(in), optional :: replace
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call finish('drx_rename', c_rename(c_text(from), c_text(to), as_int(replace)), stat, errmsg)
    end subroutine

    ! axis, by, before, after, at: integers of any kind. New elements read as the fill; nothing moves.
    subroutine drx_extend(a, axis, by, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis, by
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drx_extend', c_extend(a%id, 0_c_int, axis, by), stat, errmsg)
    end subroutine

    ! At the low end: what had index 1 has index by + 1 now.
    subroutine drx_extend_before(a, axis, by, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis, by
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drx_extend_before', c_extend(a%id, 1_c_int, axis, by), stat, errmsg)
    end subroutine

    ! Drop the first indices of an axis, and the last ones: absent, none.
    subroutine drx_trim(a, axis, before, after, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis
        type(*), dimension(..), intent(in), optional :: before, after
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drx_trim', c_trim(a%id, axis, before, after), stat, errmsg)
    end subroutine

    ! One more axis, of one index, as axis number `at`; those from there on follow it.
    subroutine drx_add_axis(a, at, name, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: at
        character(len=*), intent(in), optional :: name
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg
        character(kind=c_char, len=:), allocatable :: its_name

        its_name = c_null_char
        if (present(name)) its_name = c_text(name)
        call finish_any('drx_add_axis', c_add_axis(a%id, at, its_name), stat, errmsg)
    end subroutine

    ! A blank name removes the one that the axis had.
    subroutine drx_dim_rename(a, axis, name, stat, errmsg)
        class(drx_array), intent(in) :: a
        type(*), dimension(..), intent(in) :: axis
        character(len=*), intent(in) :: name
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drx_dim_rename', c_dim_rename(a%id, axis, c_text(name)), stat, errmsg)
    end subroutine

    ! ---- inquiries: of what is not open, 0 or empty -------------------------------------

    integer function drx_ndim(a)
        class(drx_array), intent(in) :: a

        drx_ndim = c_ndim(a%id)
    end function

    ! drx_int8, ...
    integer function drx_dtype(a)
        class(drx_array), intent(in) :: a

        drx_dtype = c_dtype(a%id)
    end function

    function whole_shape(a) result(shape)
        class(drx_array), intent(in) :: a
        integer(c_int64_t), allocatable :: shape(:)

        allocate (shape(drx_ndim(a)))
        call c_bounds(a%id, 0_c_int, shape)
    end function

    ! The extent of one axis; 0: there is no such axis.
    integer(c_int64_t) function extent(a, axis)
        class(drx_array), intent(in) :: a
        integer, intent(in) :: axis
        integer(c_int64_t) :: shape(drx_max_ndim)
        integer :: ndim

        extent = 0
        ndim = drx_ndim(a)
        if (axis < 1 .or. axis > ndim) return
        call c_bounds(a%id, 0_c_int, shape)
        extent = shape(axis)
    end function

    ! Where Fortran's index 1 is in the indices of drx.h, which never change; and where the last index is.
    function drx_lower(a) result(lower)
        class(drx_array), intent(in) :: a
        integer(c_int64_t), allocatable :: lower(:)

        allocate (lower(drx_ndim(a)))
        call c_bounds(a%id, 1_c_int, lower)
    end function

    function drx_upper(a) result(upper)
        class(drx_array), intent(in) :: a
        integer(c_int64_t), allocatable :: upper(:)

        upper = drx_lower(a) + whole_shape(a) - 1
    end function

    function drx_chunk(a) result(chunk)
        class(drx_array), intent(in) :: a
        integer(c_int64_t), allocatable :: chunk(:)

        allocate (chunk(drx_ndim(a)))
        call c_bounds(a%id, 2_c_int, chunk)
    end function

    ! Empty: the axis has no name.
    function drx_dim_name(a, axis) result(name)
        class(drx_array), intent(in) :: a
        integer, intent(in) :: axis
        character(len=:), allocatable :: name

        name = text_of(c_dim_name(a%id, int(axis, c_int)))
    end function

    ! The number of the axis of that name; 0: none has it.
    integer function drx_axis(a, name)
        class(drx_array), intent(in) :: a
        character(len=*), intent(in) :: name

        drx_axis = c_axis_named(a%id, c_text(name))
    end function

    ! The drx_array of drx.h, for programs that call C. It is valid as long as the array is open.
    type(c_ptr) function drx_c_array(a)
        class(drx_array), intent(in) :: a

        drx_c_array = c_c_array(a%id)
    end function

    integer(c_int) function as_int(flag)
        logical, intent(in), optional :: flag

        as_int = 0
        if (.not. present(flag)) return
        if (flag) as_int = 1
    end function
end module
