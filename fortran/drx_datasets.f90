! Datasets: many arrays that grow together, and whose changes are committed together.
module drx_datasets
    use, intrinsic :: iso_c_binding
    use drx_handles
    use drx_specs
    use drx_arrays, only: drx_rdonly
    implicit none
    private

    ! The parts of a dataset.
    integer, parameter, public :: drx_group = 1, drx_dimension = 2, drx_variable = 3

    public :: drx_dataset_add_group, drx_dataset_remove_group, drx_dataset_set_name, drx_dataset_group_count, drx_dataset_group
    public :: drx_dataset_create, drx_dataset_open, drx_dataset_array, drx_dataset_add, drx_dataset_remove
    public :: drx_dataset_extend, drx_dataset_extend_before, drx_dataset_trim, drx_dataset_add_axis
    public :: drx_dataset_begin, drx_dataset_reserve, drx_dataset_reserve_before
    public :: drx_dataset_commit, drx_dataset_abort, drx_dataset_delete, drx_dataset_forget, drx_dataset_compact
    public :: drx_dataset_count, drx_dataset_name, drx_dataset_has, drx_dataset_dim_count, drx_dataset_dim
    public :: drx_dataset_dim_extent, drx_dataset_dim_lower, drx_dataset_shown, drx_dataset_last, drx_dataset_oldest, &
              drx_dataset_commit_info

    interface
        integer(c_int) function c_create(path, id) bind(C, name='drxf_dataset_create')
            import
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int64_t), intent(out) :: id
        end function

        integer(c_int) function c_open(path, mode, at, id) bind(C, name='drxf_dataset_open')
            import
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int), value :: mode
            type(*), dimension(..), intent(in), optional :: at
            integer(c_int64_t), intent(out) :: id
        end function

        integer(c_int) function c_delete(path) bind(C, name='drx_dataset_delete')
            import
            character(kind=c_char), intent(in) :: path(*)
        end function

        integer(c_int) function c_array(id, name, array) bind(C, name='drxf_dataset_array')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), intent(out) :: array
        end function

        integer(c_int) function c_add(id, name, spec, array) bind(C, name='drxf_dataset_add')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: name(*)
            type(c_spec), intent(in) :: spec
            integer(c_int64_t), intent(out) :: array
        end function

        integer(c_int) function c_remove(id, name) bind(C, name='drxf_dataset_remove')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: name(*)
        end function

        integer(c_int) function c_add_group(id, path) bind(C, name='drxf_dataset_add_group')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: path(*)
        end function

        integer(c_int) function c_remove_group(id, path) bind(C, name='drxf_dataset_remove_group')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: path(*)
        end function

        integer(c_int) function c_set_name(id, part, old_path, new_path) bind(C, name='drxf_dataset_set_name')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: part
            character(kind=c_char), intent(in) :: old_path(*), new_path(*)
        end function

        integer(c_int) function c_extend(id, how, dim, by, first) bind(C, name='drxf_dataset_extend')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: how
            character(kind=c_char), intent(in) :: dim(*)
            type(*), dimension(..), intent(in) :: by
            integer(c_int64_t), intent(out), optional :: first
        end function

        integer(c_int) function c_trim(id, dim, before, after) bind(C, name='drxf_dataset_trim')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: dim(*)
            type(*), dimension(..), intent(in), optional :: before, after
        end function

        integer(c_int) function c_add_axis(id, name, at, dim) bind(C, name='drxf_dataset_add_axis')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: name(*), dim(*)
            type(*), dimension(..), intent(in) :: at
        end function

        integer(c_int) function c_commit(id, message) bind(C, name='drxf_dataset_commit')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: message(*)
        end function

        integer(c_int) function c_forget(id, n) bind(C, name='drxf_dataset_forget')
            import
            integer(c_int64_t), value :: id
            type(*), dimension(..), intent(in) :: n
        end function

        integer(c_int) function c_do(id, what) bind(C, name='drxf_dataset_do')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: what
        end function

        integer(c_int) function c_count(id, part) bind(C, name='drxf_dataset_count')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: part
        end function

        type(c_ptr) function c_name(id, part, i) bind(C, name='drxf_dataset_name')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: part, i
        end function

        integer(c_int) function c_has(id, name) bind(C, name='drxf_dataset_has')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: name(*)
        end function

        subroutine c_dim(id, name, extent, lower) bind(C, name='drxf_dataset_dim')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), intent(out) :: extent, lower
        end subroutine

        integer(c_int64_t) function c_number(id, which) bind(C, name='drxf_dataset_number')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: which
        end function

        integer(c_int) function c_commit_info(id, number, time, message) bind(C, name='drxf_dataset_commit_info')
            import
            integer(c_int64_t), value :: id
            type(*), dimension(..), intent(in) :: number
            integer(c_int64_t), intent(inout) :: time
            type(c_ptr), intent(inout) :: message
        end function
    end interface

contains

    ! A new folder; or one that holds no arrays.
    subroutine drx_dataset_create(path, ds, stat, errmsg)
        character(len=*), intent(in) :: path
        type(drx_dataset), intent(inout) :: ds
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: id
        integer(c_int) :: status

        call begin_handle(ds)
        status = c_create(c_text(path), id)
        call end_handle(ds, id)
        call finish('drx_dataset_create', status, stat, errmsg)
    end subroutine

    ! at: the number of the commit to show; absent, or -1: the last one
    subroutine drx_dataset_open(path, ds, mode, at, stat, errmsg)
        character(len=*), intent(in) :: path
        type(drx_dataset), intent(inout) :: ds
        integer, intent(in), optional :: mode
        type(*), dimension(..), intent(in), optional :: at
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg
        integer(c_int64_t) :: id
        integer(c_int) :: status, its_mode

        its_mode = drx_rdonly
        if (present(mode)) its_mode = mode
        call begin_handle(ds)
        status = c_open(c_text(path), its_mode, at, id)
        call end_handle(ds, id)
        call finish_any('drx_dataset_open', status, stat, errmsg)
    end subroutine

    ! Remove a dataset and its folder.
    subroutine drx_dataset_delete(path, stat, errmsg)
        character(len=*), intent(in) :: path
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call finish('drx_dataset_delete', c_delete(c_text(path)), stat, errmsg)
    end subroutine

    ! The array of a variable. It is the dataset's, which closes it.
    subroutine drx_dataset_array(ds, name, a, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: name
        class(drx_array), intent(inout) :: a
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: id
        integer(c_int) :: status

        call begin_handle(a)
        status = c_array(ds%id, c_text(name), id)
        call end_handle(a, id)
        call finish('drx_dataset_array', status, stat, errmsg)
    end subroutine

    ! A new variable, whose dims the spec names.
    subroutine drx_dataset_add(ds, name, spec, a, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: name
        type(drx_spec), intent(in), target :: spec
        class(drx_array), intent(inout), optional :: a
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: id
        integer(c_int) :: status

        if (present(a)) call begin_handle(a)
        status = c_add(ds%id, c_text(name), described(spec), id)
        if (present(a)) call end_handle(a, id)
        call finish('drx_dataset_add', status, stat, errmsg)
    end subroutine

    subroutine drx_dataset_remove(ds, name, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: name
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call finish('drx_dataset_remove', c_remove(ds%id, c_text(name)), stat, errmsg)
    end subroutine

    ! A group, in one that is there.
    subroutine drx_dataset_add_group(ds, path, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: path
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call finish('drx_dataset_add_group', c_add_group(ds%id, c_text(path)), stat, errmsg)
    end subroutine

    ! With all that is in it.
    subroutine drx_dataset_remove_group(ds, path, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: path
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call finish('drx_dataset_remove_group', c_remove_group(ds%id, c_text(path)), stat, errmsg)
    end subroutine

    ! part: drx_group, drx_dimension or drx_variable, which stays in its group
    subroutine drx_dataset_set_name(ds, part, old_path, new_path, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        integer, intent(in) :: part
        character(len=*), intent(in) :: old_path, new_path
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call finish('drx_dataset_set_name', c_set_name(ds%id, int(part, c_int), c_text(old_path), c_text(new_path)), stat, errmsg)
    end subroutine

    ! Grow a dimension, and all variables that have it.
    subroutine drx_dataset_extend(ds, dim, by, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim
        type(*), dimension(..), intent(in) :: by
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drx_dataset_extend', c_extend(ds%id, 0_c_int, c_text(dim), by), stat, errmsg)
    end subroutine

    subroutine drx_dataset_extend_before(ds, dim, by, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim
        type(*), dimension(..), intent(in) :: by
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drx_dataset_extend_before', c_extend(ds%id, 1_c_int, c_text(dim), by), stat, errmsg)
    end subroutine

    ! Grow a dimension in a transaction of its own. first: the lowest new index
    subroutine drx_dataset_reserve(ds, dim, by, first, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim
        type(*), dimension(..), intent(in) :: by
        integer(c_int64_t), intent(out) :: first
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drx_dataset_reserve', c_extend(ds%id, 2_c_int, c_text(dim), by, first), stat, errmsg)
    end subroutine

    subroutine drx_dataset_reserve_before(ds, dim, by, first, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim
        type(*), dimension(..), intent(in) :: by
        integer(c_int64_t), intent(out) :: first
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drx_dataset_reserve_before', c_extend(ds%id, 3_c_int, c_text(dim), by, first), stat, errmsg)
    end subroutine

    subroutine drx_dataset_trim(ds, dim, before, after, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim
        type(*), dimension(..), intent(in), optional :: before, after
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drx_dataset_trim', c_trim(ds%id, c_text(dim), before, after), stat, errmsg)
    end subroutine

    ! Variable `name` gets one more axis, number `at`, of the dimension `dim`.
    subroutine drx_dataset_add_axis(ds, name, at, dim, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: name, dim
        type(*), dimension(..), intent(in) :: at
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drx_dataset_add_axis', c_add_axis(ds%id, c_text(name), at, c_text(dim)), stat, errmsg)
    end subroutine

    ! Before the first change of a dataset that is opened with drx_shared: others wait until the commit.
    subroutine drx_dataset_begin(ds, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call finish('drx_dataset_begin', c_do(ds%id, 0_c_int), stat, errmsg)
    end subroutine

    ! All changes since the last commit become the next one; it is on disk on return.
    subroutine drx_dataset_commit(ds, message, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in), optional :: message
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(kind=c_char, len=:), allocatable :: its_message

        its_message = c_null_char
        if (present(message)) its_message = c_text(message)
        call finish('drx_dataset_commit', c_commit(ds%id, its_message), stat, errmsg)
    end subroutine

    ! Commits before number n are forgotten; numbers stay.
    subroutine drx_dataset_forget(ds, n, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        type(*), dimension(..), intent(in) :: n
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg

        call finish_any('drx_dataset_forget', c_forget(ds%id, n), stat, errmsg)
    end subroutine

    ! dataset.xds becomes as short as it can be with all its commits.
    subroutine drx_dataset_compact(ds, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call finish('drx_dataset_compact', c_do(ds%id, 1_c_int), stat, errmsg)
    end subroutine

    ! The changes since the last commit are taken back.
    subroutine drx_dataset_abort(ds, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg

        call finish('drx_dataset_abort', c_do(ds%id, 2_c_int), stat, errmsg)
    end subroutine

    ! ---- inquiries; names are paths; variables, dimensions and groups have numbers from 1 on --------------------------

    integer function drx_dataset_count(ds)
        class(drx_dataset), intent(in) :: ds

        drx_dataset_count = c_count(ds%id, int(drx_variable, c_int))
    end function

    ! Of variable i; empty: there are fewer.
    function drx_dataset_name(ds, i) result(name)
        class(drx_dataset), intent(in) :: ds
        integer, intent(in) :: i
        character(len=:), allocatable :: name

        name = text_of(c_name(ds%id, int(drx_variable, c_int), int(i, c_int)))
    end function

    ! Whether it has a variable of that name.
    logical function drx_dataset_has(ds, name)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: name

        drx_dataset_has = c_has(ds%id, c_text(name)) /= 0
    end function

    ! Without the root.
    integer function drx_dataset_group_count(ds)
        class(drx_dataset), intent(in) :: ds

        drx_dataset_group_count = c_count(ds%id, int(drx_group, c_int))
    end function

    ! The path of group i; empty: there are fewer.
    function drx_dataset_group(ds, i) result(path)
        class(drx_dataset), intent(in) :: ds
        integer, intent(in) :: i
        character(len=:), allocatable :: path

        path = text_of(c_name(ds%id, int(drx_group, c_int), int(i, c_int)))
    end function

    integer function drx_dataset_dim_count(ds)
        class(drx_dataset), intent(in) :: ds

        drx_dataset_dim_count = c_count(ds%id, int(drx_dimension, c_int))
    end function

    ! The name of dimension d; empty: there are fewer.
    function drx_dataset_dim(ds, d) result(name)
        class(drx_dataset), intent(in) :: ds
        integer, intent(in) :: d
        character(len=:), allocatable :: name

        name = text_of(c_name(ds%id, int(drx_dimension, c_int), int(d, c_int)))
    end function

    ! -1: there is no such dimension.
    integer(c_int64_t) function drx_dataset_dim_extent(ds, dim) result(extent)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim
        integer(c_int64_t) :: lower

        call c_dim(ds%id, c_text(dim), extent, lower)
    end function

    ! Where index 1 is in the indices of drx.h.
    integer(c_int64_t) function drx_dataset_dim_lower(ds, dim) result(lower)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim
        integer(c_int64_t) :: extent

        call c_dim(ds%id, c_text(dim), extent, lower)
    end function

    ! The number of the commit shown, of the last one known, and of the first one that is not forgotten; from 0 on.
    integer(c_int64_t) function drx_dataset_shown(ds)
        class(drx_dataset), intent(in) :: ds

        drx_dataset_shown = c_number(ds%id, 0_c_int)
    end function

    integer(c_int64_t) function drx_dataset_last(ds)
        class(drx_dataset), intent(in) :: ds

        drx_dataset_last = c_number(ds%id, 1_c_int)
    end function

    integer(c_int64_t) function drx_dataset_oldest(ds)
        class(drx_dataset), intent(in) :: ds

        drx_dataset_oldest = c_number(ds%id, 2_c_int)
    end function

    ! time: microseconds since 1970
    subroutine drx_dataset_commit_info(ds, number, time, message, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        type(*), dimension(..), intent(in) :: number
        integer(c_int64_t), intent(out), optional :: time
        character(len=:), allocatable, intent(out), optional :: message
        integer, intent(out), optional :: stat
        type(*), dimension(..), intent(inout), optional :: errmsg
        integer(c_int64_t) :: its_time
        type(c_ptr) :: its_message
        integer(c_int) :: status

        its_time = 0
        its_message = c_null_ptr
        status = c_commit_info(ds%id, number, its_time, its_message)
        if (present(time)) time = its_time
        if (present(message)) message = text_of(its_message)
        call finish_any('drx_dataset_commit_info', status, stat, errmsg)
    end subroutine
end module
