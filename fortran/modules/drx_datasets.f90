! Datasets: many arrays that grow together, and whose changes are committed together.
module drx_datasets
    use, intrinsic :: iso_c_binding
    use drx_handles
    use drx_specs, only: drx_spec, described
    use drx_calls
    implicit none
    private

    ! The parts of a dataset.
    integer, parameter, public :: drx_group = 1, drx_dimension = 2, drx_variable = 3

    public :: drx_dataset_add_group, drx_dataset_add_dim, drx_dataset_remove_group, drx_dataset_set_name, &
              drx_dataset_group_count, drx_dataset_group
    public :: drx_dataset_create, drx_dataset_open, drx_dataset_array, drx_dataset_add, drx_dataset_remove
    public :: drx_dataset_extend, drx_dataset_extend_before, drx_dataset_trim, drx_dataset_add_axis
    public :: drx_dataset_begin, drx_dataset_reserve, drx_dataset_reserve_before
    public :: drx_dataset_commit, drx_dataset_abort, drx_dataset_delete, drx_dataset_forget, drx_dataset_compact
    public :: drx_dataset_count, drx_dataset_name, drx_dataset_has, drx_dataset_dim_count, drx_dataset_dim
    public :: drx_dataset_dim_extent, drx_dataset_dim_lower, drx_dataset_shown, drx_dataset_last, drx_dataset_oldest, &
              drx_dataset_commit_info

    interface
        integer(c_int) function c_delete(path) bind(C, name='drx_dataset_delete')
            import
            character(kind=c_char), intent(in) :: path(*)
        end function

        integer(c_int) function c_commit_info(id, number, time, message) bind(C, name='drxf_commit_info')
            import
            integer(c_int64_t), value :: id
            type(*), dimension(..), intent(in) :: number
            integer(c_int64_t), intent(out), optional :: time
            type(c_ptr), intent(out) :: message
        end function
    end interface

contains

    ! A new folder; or one that holds no arrays.
    subroutine drx_dataset_create(path, ds, stat, errmsg)
        character(len=*), intent(in) :: path
        type(drx_dataset), intent(inout) :: ds
        include 'f_status.inc'

        call begin_handle(ds)
        call finish('drx_dataset_create', c_make(make_dataset, c_text(path), ds%id), stat, errmsg)
    end subroutine

    ! at: the number of the commit to show; absent, or -1: the last one
    subroutine drx_dataset_open(path, ds, mode, at, stat, errmsg)
        character(len=*), intent(in) :: path
        type(drx_dataset), intent(inout) :: ds
        integer, intent(in), optional :: mode
        type(*), dimension(..), intent(in), optional :: at
        include 'f_status_any.inc'

        call begin_handle(ds)
        call finish('drx_dataset_open', c_make(make_open_dataset, c_text(path), ds%id, mode=mode, at=at), stat, errmsg)
    end subroutine

    ! Remove a dataset and its folder.
    subroutine drx_dataset_delete(path, stat, errmsg)
        character(len=*), intent(in) :: path
        include 'f_status.inc'

        call finish('drx_dataset_delete', c_delete(c_text(path)), stat, errmsg)
    end subroutine

    ! The array of a variable. It is the dataset's, which closes it.
    subroutine drx_dataset_array(ds, name, a, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: name
        class(drx_array), intent(inout) :: a
        include 'f_status.inc'

        call begin_handle(a)
        call finish('drx_dataset_array', c_lend(ds%id, c_text(name), array=a%id), stat, errmsg)
    end subroutine

    ! A new variable, whose dims the spec names.
    subroutine drx_dataset_add(ds, name, spec, a, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: name
        type(drx_spec), intent(in), target :: spec
        class(drx_array), intent(inout), optional :: a
        include 'f_status.inc'
        integer(c_int64_t) :: id
        integer(c_int) :: status

        if (present(a)) call begin_handle(a)
        status = c_lend(ds%id, c_text(name), described(spec), id)
        if (present(a)) a%id = id
        call finish('drx_dataset_add', status, stat, errmsg)
    end subroutine

    subroutine drx_dataset_remove(ds, name, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: name
        include 'f_status.inc'

        call finish('drx_dataset_remove', c_change(ds%id, to_remove, c_text(name)), stat, errmsg)
    end subroutine

    ! A group, in one that is there.
    subroutine drx_dataset_add_group(ds, path, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: path
        include 'f_status.inc'

        call finish('drx_dataset_add_group', c_change(ds%id, to_add_group, c_text(path)), stat, errmsg)
    end subroutine

    ! A dimension of the indices from `lower` up to, without, `upper`, in a group that is there.
    subroutine drx_dataset_add_dim(ds, path, lower, upper, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: path
        type(*), dimension(..), intent(in) :: lower, upper
        include 'f_status_any.inc'

        call finish('drx_dataset_add_dim', c_change(ds%id, to_add_dim, c_text(path), before=lower, after=upper), stat, errmsg)
    end subroutine

    ! With all that is in it.
    subroutine drx_dataset_remove_group(ds, path, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: path
        include 'f_status.inc'

        call finish('drx_dataset_remove_group', c_change(ds%id, to_remove_group, c_text(path)), stat, errmsg)
    end subroutine

    ! part: drx_group, drx_dimension or drx_variable, which stays in its group
    subroutine drx_dataset_set_name(ds, part, old_path, new_path, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        integer, intent(in) :: part
        character(len=*), intent(in) :: old_path, new_path
        include 'f_status.inc'

        call finish('drx_dataset_set_name', c_change(ds%id, to_set_name, c_text(old_path), c_text(new_path), part), &
                    stat, errmsg)
    end subroutine

    ! Grow a dimension, and all variables that have it.
    subroutine drx_dataset_extend(ds, dim, by, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim
        type(*), dimension(..), intent(in) :: by
        include 'f_status_any.inc'

        call finish('drx_dataset_extend', c_change(ds%id, to_grow, c_text(dim), by=by), stat, errmsg)
    end subroutine

    subroutine drx_dataset_extend_before(ds, dim, by, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim
        type(*), dimension(..), intent(in) :: by
        include 'f_status_any.inc'

        call finish('drx_dataset_extend_before', c_change(ds%id, to_grow_before, c_text(dim), by=by), stat, errmsg)
    end subroutine

    ! Grow a dimension in a transaction of its own. first: the lowest new index
    subroutine drx_dataset_reserve(ds, dim, by, first, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim
        type(*), dimension(..), intent(in) :: by
        integer(c_int64_t), intent(out) :: first
        include 'f_status_any.inc'

        call finish('drx_dataset_reserve', c_change(ds%id, to_reserve, c_text(dim), by=by, first=first), stat, errmsg)
    end subroutine

    subroutine drx_dataset_reserve_before(ds, dim, by, first, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim
        type(*), dimension(..), intent(in) :: by
        integer(c_int64_t), intent(out) :: first
        include 'f_status_any.inc'

        call finish('drx_dataset_reserve_before', c_change(ds%id, to_reserve_before, c_text(dim), by=by, first=first), stat, errmsg)
    end subroutine

    subroutine drx_dataset_trim(ds, dim, before, after, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim
        type(*), dimension(..), intent(in), optional :: before, after
        include 'f_status_any.inc'

        call finish('drx_dataset_trim', c_change(ds%id, to_shrink, c_text(dim), before=before, after=after), stat, errmsg)
    end subroutine

    ! Variable `name` gets one more axis, number `at`, of the dimension `dim`.
    subroutine drx_dataset_add_axis(ds, name, at, dim, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: name, dim
        type(*), dimension(..), intent(in) :: at
        include 'f_status_any.inc'

        call finish('drx_dataset_add_axis', c_change(ds%id, to_widen, c_text(name), c_text(dim), axis=at), stat, errmsg)
    end subroutine

    ! Before the first change of a dataset that is opened with drx_shared: others wait until the commit.
    subroutine drx_dataset_begin(ds, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        include 'f_status.inc'

        call finish('drx_dataset_begin', c_change(ds%id, to_begin), stat, errmsg)
    end subroutine

    ! All changes since the last commit become the next one; it is on disk on return.
    subroutine drx_dataset_commit(ds, message, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in), optional :: message
        include 'f_status.inc'

        call finish('drx_dataset_commit', c_change(ds%id, to_commit, text=c_text(message)), stat, errmsg)
    end subroutine

    ! Commits before number n are forgotten; numbers stay.
    subroutine drx_dataset_forget(ds, n, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        type(*), dimension(..), intent(in) :: n
        include 'f_status_any.inc'

        call finish('drx_dataset_forget', c_change(ds%id, to_forget, by=n), stat, errmsg)
    end subroutine

    ! dataset.xds becomes as short as it can be with all its commits.
    subroutine drx_dataset_compact(ds, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        include 'f_status.inc'

        call finish('drx_dataset_compact', c_change(ds%id, to_compact), stat, errmsg)
    end subroutine

    ! The changes since the last commit are taken back.
    subroutine drx_dataset_abort(ds, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        include 'f_status.inc'

        call finish('drx_dataset_abort', c_change(ds%id, to_abort), stat, errmsg)
    end subroutine

    ! ---- inquiries; names are paths; variables, dimensions and groups have numbers from 1 on --------------------------

    integer function drx_dataset_count(ds)
        class(drx_dataset), intent(in) :: ds

        drx_dataset_count = int(c_number(ds%id, of_count, part=drx_variable))
    end function

    ! Of variable i; empty: there are fewer.
    function drx_dataset_name(ds, i) result(name)
        class(drx_dataset), intent(in) :: ds
        integer, intent(in) :: i
        character(len=:), allocatable :: name

        name = text_of(c_name(ds%id, of_count, i, drx_variable))
    end function

    ! Whether it has a variable of that name.
    logical function drx_dataset_has(ds, name)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: name

        drx_dataset_has = c_number(ds%id, of_has, c_text(name)) /= 0
    end function

    ! Without the root.
    integer function drx_dataset_group_count(ds)
        class(drx_dataset), intent(in) :: ds

        drx_dataset_group_count = int(c_number(ds%id, of_count, part=drx_group))
    end function

    ! The path of group i; empty: there are fewer.
    function drx_dataset_group(ds, i) result(path)
        class(drx_dataset), intent(in) :: ds
        integer, intent(in) :: i
        character(len=:), allocatable :: path

        path = text_of(c_name(ds%id, of_count, i, drx_group))
    end function

    integer function drx_dataset_dim_count(ds)
        class(drx_dataset), intent(in) :: ds

        drx_dataset_dim_count = int(c_number(ds%id, of_count, part=drx_dimension))
    end function

    ! The name of dimension d; empty: there are fewer.
    function drx_dataset_dim(ds, d) result(name)
        class(drx_dataset), intent(in) :: ds
        integer, intent(in) :: d
        character(len=:), allocatable :: name

        name = text_of(c_name(ds%id, of_count, d, drx_dimension))
    end function

    ! -1: there is no such dimension.
    integer(c_int64_t) function drx_dataset_dim_extent(ds, dim) result(extent)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim

        extent = c_number(ds%id, of_dim_extent, c_text(dim))
    end function

    ! Where index 1 is in the indices of drx.h.
    integer(c_int64_t) function drx_dataset_dim_lower(ds, dim) result(lower)
        class(drx_dataset), intent(in) :: ds
        character(len=*), intent(in) :: dim

        lower = c_number(ds%id, of_dim_lower, c_text(dim))
    end function

    ! The number of the commit shown, of the last one known, and of the first one that is not forgotten; from 0 on.
    integer(c_int64_t) function drx_dataset_shown(ds)
        class(drx_dataset), intent(in) :: ds

        drx_dataset_shown = c_number(ds%id, of_shown)
    end function

    integer(c_int64_t) function drx_dataset_last(ds)
        class(drx_dataset), intent(in) :: ds

        drx_dataset_last = c_number(ds%id, of_last)
    end function

    integer(c_int64_t) function drx_dataset_oldest(ds)
        class(drx_dataset), intent(in) :: ds

        drx_dataset_oldest = c_number(ds%id, of_oldest)
    end function

    ! time: microseconds since 1970
    subroutine drx_dataset_commit_info(ds, number, time, message, stat, errmsg)
        class(drx_dataset), intent(in) :: ds
        type(*), dimension(..), intent(in) :: number
        integer(c_int64_t), intent(out), optional :: time
        character(len=:), allocatable, intent(out), optional :: message
        include 'f_status_any.inc'
        type(c_ptr) :: its_message
        integer(c_int) :: status

        status = c_commit_info(ds%id, number, time, its_message)
        if (present(message)) message = text_of(its_message)
        call finish('drx_dataset_commit_info', status, stat, errmsg)
    end subroutine
end module
