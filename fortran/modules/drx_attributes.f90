! Attributes of arrays, of datasets, and of parts of these.
!
! part, of    of a dataset: drx_group, drx_dimension or drx_variable, and its path; absent: of the array or dataset itself
module drx_attributes
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
    use drx_handles
    use drx_calls
    implicit none
    private

    public :: drx_attr_get_of
    public :: drx_attr_count, drx_attr_name, drx_attr_exists, drx_attr_info, drx_attr_get, drx_attr_get_text, drx_attr_set, &
        drx_attr_delete

    interface drx_attr_set
        module procedure set_one, set_list
    end interface

    interface
        integer(c_int) function c_info(id, name, type, n, is_text, part, of) bind(C, name='drxf_attr_info')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: name(*), of(*)
            integer(c_int), intent(out), optional :: type
            integer(c_int64_t), intent(out), optional :: n
            integer(c_int), intent(out) :: is_text
            integer(c_int), intent(in), optional :: part
        end function

        integer(c_int) function c_get(id, name, values, bits, part, of) bind(C, name='drxf_attr_get')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: bits
            character(kind=c_char), intent(in) :: name(*)
            type(*), dimension(..), intent(inout) :: values
            integer(c_int), intent(in), optional :: part
            character(kind=c_char), intent(in), optional :: of(*)
        end function

        integer(c_int) function c_get_text(id, name, text, n, part, of) bind(C, name='drxf_attr_get_text')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: name(*), of(*)
            type(c_ptr), intent(out) :: text
            integer(c_size_t), intent(out) :: n
            integer(c_int), intent(in), optional :: part
        end function
    end interface

contains

    integer function drx_attr_count(handle, part, of)
        class(drx_handle), intent(in) :: handle
        integer, intent(in), optional :: part
        character(len=*), intent(in), optional :: of

        drx_attr_count = int(c_number(handle%id, of_attrs, c_text(of), part))
    end function

    ! Of attribute i, from 1 on, in the order in which they were first set; empty: there are fewer.
    function drx_attr_name(handle, i, part, of) result(name)
        class(drx_handle), intent(in) :: handle
        integer, intent(in) :: i
        integer, intent(in), optional :: part
        character(len=*), intent(in), optional :: of
        character(len=:), allocatable :: name

        name = text_of(c_name(handle%id, of_attrs, i, part, c_text(of)))
    end function

    logical function drx_attr_exists(handle, name, part, of)
        class(drx_handle), intent(in) :: handle
        character(len=*), intent(in) :: name
        integer, intent(in), optional :: part
        character(len=*), intent(in), optional :: of
        integer :: stat

        call drx_attr_info(handle, name, stat=stat, part=part, of=of)
        drx_attr_exists = stat == drx_ok
    end function

    ! type: drx_int8, ...; n: of values, or of the letters of a text
    subroutine drx_attr_info(handle, name, type, n, is_text, stat, errmsg, part, of)
        class(drx_handle), intent(in) :: handle
        character(len=*), intent(in) :: name
        integer, intent(out), optional :: type
        integer(c_int64_t), intent(out), optional :: n
        logical, intent(out), optional :: is_text
        include 'f_status.inc'
        integer, intent(in), optional :: part
        character(len=*), intent(in), optional :: of
        integer(c_int) :: text, status

        status = c_info(handle%id, c_text(name), type, n, text, part, c_text(of))
        if (present(is_text)) is_text = text /= 0
        call finish('drx_attr_info', status, stat, errmsg)
    end subroutine

    ! values: a scalar or an array with as many elements as the attribute has, and of its type; or a variable of characters
    ! that is long enough for a text
    subroutine drx_attr_get(handle, name, values, bits, stat, errmsg)
        class(drx_handle), intent(in) :: handle
        character(len=*), intent(in) :: name
        type(*), dimension(..), intent(inout) :: values
        logical, intent(in), optional :: bits
        include 'f_status_any.inc'

        call finish('drx_attr_get', c_get(handle%id, c_text(name), values, as_int(bits)), stat, errmsg)
    end subroutine

    ! The same of a part of a dataset, whose path comes first: behind arguments of any type gfortran mistakes its length.
    subroutine drx_attr_get_of(handle, part, of, name, values, bits, stat, errmsg)
        class(drx_handle), intent(in) :: handle
        integer, intent(in) :: part
        character(len=*), intent(in) :: of, name
        type(*), dimension(..), intent(inout) :: values
        logical, intent(in), optional :: bits
        include 'f_status_any.inc'

        call finish('drx_attr_get_of', c_get(handle%id, c_text(name), values, as_int(bits), part, c_text(of)), stat, errmsg)
    end subroutine

    subroutine drx_attr_get_text(handle, name, text, stat, errmsg, part, of)
        class(drx_handle), intent(in) :: handle
        character(len=*), intent(in) :: name
        character(len=:), allocatable, intent(out) :: text
        include 'f_status.inc'
        integer, intent(in), optional :: part
        character(len=*), intent(in), optional :: of
        type(c_ptr) :: its_text
        integer(c_size_t) :: n
        integer(c_int) :: status

        status = c_get_text(handle%id, c_text(name), its_text, n, part, c_text(of))
        text = text_of(its_text, n)
        call finish('drx_attr_get_text', status, stat, errmsg)
    end subroutine

    ! An integer, a real or complex number, or a text, which is stored without the blanks at its end.
    subroutine set_one(handle, name, values, stat, errmsg, part, of)
        class(drx_handle), intent(in) :: handle
        character(len=*), intent(in) :: name
        class(*), intent(in) :: values
        include 'f_status.inc'
        integer, intent(in), optional :: part
        character(len=*), intent(in), optional :: of
        integer(c_int) :: status

        select type (values)
        type is (character(len=*))
            status = c_change(handle%id, to_attr_set_text, c_text(name), c_text(values), part, c_text(of))
        include 'f_numbers.inc'
        end select
        call finish('drx_attr_set', status, stat, errmsg)
    end subroutine

    ! A list of such numbers.
    subroutine set_list(handle, name, values, stat, errmsg, part, of)
        class(drx_handle), intent(in) :: handle
        character(len=*), intent(in) :: name
        class(*), intent(in) :: values(:)
        include 'f_status.inc'
        integer, intent(in), optional :: part
        character(len=*), intent(in), optional :: of
        integer(c_int) :: status

        select type (values)
        include 'f_numbers.inc'
        end select
        call finish('drx_attr_set', status, stat, errmsg)
    end subroutine

    subroutine drx_attr_delete(handle, name, stat, errmsg, part, of)
        class(drx_handle), intent(in) :: handle
        character(len=*), intent(in) :: name
        include 'f_status.inc'
        integer, intent(in), optional :: part
        character(len=*), intent(in), optional :: of

        call finish('drx_attr_delete', c_change(handle%id, to_attr_delete, c_text(name), part=part, of=c_text(of)), stat, errmsg)
    end subroutine
end module
