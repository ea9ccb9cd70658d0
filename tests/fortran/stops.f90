! What ends a program: an error without stat. The argument says which.
program stops
    use drx
    implicit none
    type(drx_array) :: a
    character(len=20) :: how
    integer :: x(2), number

    call get_command_argument(1, how)
    if (how == 'open') call drx_open('nothing', a)
    call drx_create('', a, drx_spec([2], drx_int32))
    if (how == 'read') call drx_read(a, x, start=[2])
    if (how == 'errmsg') call drx_read(a, x, start=[2], stat=number, errmsg=number)
end program
