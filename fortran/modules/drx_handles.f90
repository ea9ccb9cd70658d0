! Handles, errors and texts: what all procedures of the modules drx and drxmp have in common.
module drx_handles
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit, int64
    implicit none
    private

    ! What stands for an open array or dataset: a number, which is never used for another one. A copy, by an assignment, is
    ! another name for the same thing; it does not close it.
    type, public :: drx_handle
        integer(c_int64_t) :: id = 0 ! 0: nothing is open
        logical :: owner = .false.
    contains
        procedure, private :: alias
        generic :: assignment(=) => alias
        final :: drop
    end type

    type, extends(drx_handle), public :: drx_array
    end type

    type, extends(drx_handle), public :: drx_dataset
    end type

    ! The statuses of drx.h.
    integer, parameter, public :: drx_ok = 0, drx_einval = -1, drx_enomem = -2, drx_eoverflow = -3, drx_eio = -4, &
        drx_enospc = -5, drx_enoent = -6, drx_eexist = -7, drx_eacces = -8, drx_ebusy = -9, drx_eformat = -10, &
        drx_edamaged = -11, drx_echecksum = -12, drx_erange = -13, drx_emismatch = -14, drx_empi = -15, &
        drx_eunsupported = -16, drx_einterrupted = -17

    public :: begin_handle, finish, text_of, c_text, as_int, drx_close, drx_is_open, drx_strerror, drx_last_error

    interface
        integer(c_int) function c_close(id) bind(C, name='drxf_close')
            import
            integer(c_int64_t), value :: id
        end function

        subroutine c_drop(id) bind(C, name='drxf_drop')
            import
            integer(c_int64_t), value :: id
        end subroutine

        integer(c_int) function c_is_open(id) bind(C, name='drxf_is_open')
            import
            integer(c_int64_t), value :: id
        end function

        type(c_ptr) function c_strerror(status) bind(C, name='drx_strerror')
            import
            integer(c_int), value :: status
        end function

        type(c_ptr) function c_last_error() bind(C, name='drx_last_error')
            import
        end function

        integer(c_int) function c_message(errmsg, text) bind(C, name='drxf_message')
            import
            type(*), dimension(..), intent(inout) :: errmsg
            character(kind=c_char), intent(in) :: text(*)
        end function

        subroutine c_stop() bind(C, name='drxf_stop')
        end subroutine

        integer(c_size_t) function c_strlen(text) bind(C, name='strlen')
            import
            type(c_ptr), value :: text
        end function
    end interface

contains

    impure elemental subroutine alias(to, from)
        class(drx_handle), intent(inout) :: to
        class(drx_handle), intent(in) :: from

        if (to%id == from%id) return
        call drop(to)
        to%id = from%id
        to%owner = .false.
    end subroutine

    ! A variable goes out of scope: what it has opened is closed, unless that is a collective call.
    impure elemental subroutine drop(handle)
        type(drx_handle), intent(inout) :: handle

        if (handle%owner) call c_drop(handle%id)
        handle%id = 0
        handle%owner = .false.
    end subroutine

    ! The variable gets what a call makes, whose id C sets. What it had opened before is closed, as if it went out of
    ! scope, or by all processes.
    subroutine begin_handle(handle)
        class(drx_handle), intent(inout) :: handle
        integer(c_int) :: status

        if (handle%owner) status = c_close(handle%id)
        handle%id = 0
        handle%owner = .true.
    end subroutine

    subroutine drx_close(handle, stat, errmsg)
        class(drx_handle), intent(inout) :: handle
        include 'f_status.inc'
        integer(c_int) :: status

        status = c_close(handle%id)
        if (status /= drx_ebusy) then ! a pending request: it is open yet
            handle%id = 0
            handle%owner = .false.
        end if
        call finish('drx_close', status, stat, errmsg)
    end subroutine

    logical function drx_is_open(handle)
        class(drx_handle), intent(in) :: handle

        drx_is_open = c_is_open(handle%id) /= 0
    end function

    ! The end of each call: without stat, an error ends the program.
    subroutine finish(call, status, stat, errmsg)
        character(len=*), intent(in) :: call
        integer(c_int), intent(in) :: status
        include 'f_status_any.inc'

        if (present(stat)) stat = status
        if (status == drx_ok) return
        if (present(errmsg)) then
            if (c_message(errmsg, c_text(detail(status))) /= 0) call stop_with(call, 'errmsg is not a variable of characters')
        end if
        if (.not. present(stat)) call stop_with(call, detail(status))
    end subroutine

    subroutine stop_with(call, why)
        character(len=*), intent(in) :: call, why

        write (error_unit, '(3a)') call, ': ', why
        flush (error_unit)
        call c_stop()
        error stop 1
    end subroutine

    ! What failed, and where; else what the status means.
    function detail(status)
        integer(c_int), intent(in) :: status
        character(len=:), allocatable :: detail

        detail = drx_last_error()
        if (detail == '') detail = drx_strerror(int(status))
    end function

    function drx_strerror(status) result(text)
        integer, intent(in) :: status
        character(len=:), allocatable :: text

        text = text_of(c_strerror(int(status, c_int)))
    end function

    function drx_last_error() result(text)
        character(len=:), allocatable :: text

        text = text_of(c_last_error())
    end function

    ! A text of C, of n letters or up to its NUL; empty for a null pointer.
    function text_of(text, n) result(string)
        type(c_ptr), intent(in) :: text
        integer(c_size_t), intent(in), optional :: n
        character(len=:), allocatable :: string
        integer(c_size_t) :: length
        character(kind=c_char), pointer :: letters(:)
        integer :: i

        if (.not. c_associated(text)) then
            string = ''
            return
        end if
        if (present(n)) length = n
        if (.not. present(n)) length = c_strlen(text)
        call c_f_pointer(text, letters, [length])
        allocate (character(len=length) :: string)
        do i = 1, size(letters)
            string(i:i) = letters(i)
        end do
    end function

    ! A text for C, without the blanks at its end; an absent one is empty.
    pure function c_text(text)
        character(len=*), intent(in), optional :: text
        character(kind=c_char, len=:), allocatable :: c_text

        c_text = c_null_char
        if (present(text)) c_text = trim(text)//c_null_char
    end function

    ! 1: it is there, and true.
    pure integer(c_int) function as_int(flag)
        logical, intent(in), optional :: flag

        as_int = 0
        if (.not. present(flag)) return
        if (flag) as_int = 1
    end function
end module
