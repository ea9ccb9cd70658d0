! The restart file of a model: a dataset of its fields, whose last axis counts restarts. Each restart adds one index and is
! one commit, which is whole or not at all. So a model that is killed, at whatever moment, goes on from the last commit. The
! oldest restarts are trimmed, and their space goes back to the file system.
!
!     gfortran restart.f90 $(pkg-config --cflags --libs drx-fortran) -o restart
!     ./restart 5 crash   # is killed in the middle of the fifth restart
!     ./restart 9         # goes on after the fourth
program restart
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: real64
    use drx
    implicit none
    integer, parameter :: nx = 24, ny = 12, levels = 3, kept = 3
    integer(c_int), parameter :: sigkill = 9
    real(real64) :: height(nx, ny), wind(nx, ny, levels)
    type(drx_dataset) :: ds
    type(drx_array) :: heights, winds, steps
    integer :: step, last
    character(len=8) :: word
    logical :: crash

    interface
        integer(c_int) function c_raise(signal) bind(C, name='raise')
            import :: c_int
            integer(c_int), value :: signal
        end function
    end interface

    call get_command_argument(1, word)
    read (word, *) last
    call get_command_argument(2, word)
    crash = word == 'crash'

    call begin()
    do while (step < last)
        step = step + 1
        height = height + 1 ! the model
        wind = wind + 2
        call save()
    end do
    call drx_close(ds)
    if (any(abs(height - last) > 0) .or. any(abs(wind - 2*last) > 0)) error stop 'the model has lost a step'
    print '(a,i0)', 'the model is at step ', step

contains

    ! The state of the last commit; or a new run.
    subroutine begin()
        integer :: stat, n
        character(len=200) :: message

        step = 0
        height = 0
        wind = 0
        call drx_dataset_open('run', ds, drx_rdwr, stat=stat, errmsg=message)
        if (stat == drx_enoent) then
            call drx_dataset_create('run', ds)
            call drx_dataset_add(ds, 'height', drx_spec([nx, ny, 0], drx_float64, dims=['x      ', 'y      ', 'restart']), heights)
            call drx_dataset_add(ds, 'wind', drx_spec([nx, ny, levels, 0], drx_float64, &
                                                      dims=['x      ', 'y      ', 'level  ', 'restart']), winds)
            call drx_dataset_add(ds, 'step', drx_spec([0], drx_int32, dims=['restart']), steps)
            call drx_dataset_commit(ds, 'a new run')
            return
        end if
        if (stat /= drx_ok) error stop message
        call drx_dataset_array(ds, 'height', heights)
        call drx_dataset_array(ds, 'wind', winds)
        call drx_dataset_array(ds, 'step', steps)
        n = int(drx_dataset_dim_extent(ds, 'restart'))
        if (n == 0) return
        call drx_read(heights, height, start=[1, 1, n])
        call drx_read(winds, wind, start=[1, 1, 1, n])
        call drx_read(steps, step, start=[n])
        print '(a,i0)', 'goes on after step ', step
    end subroutine

    ! One more restart, in one commit.
    subroutine save()
        integer :: n, unused
        character(len=20) :: message

        call drx_dataset_extend(ds, 'restart', 1)
        n = int(drx_dataset_dim_extent(ds, 'restart'))
        call drx_write(heights, height, start=[1, 1, n])
        if (crash .and. step == last) unused = c_raise(sigkill) ! as if the machine's time were up
        call drx_write(winds, wind, start=[1, 1, 1, n])
        call drx_write(steps, step, start=[n])
        if (n > kept) call drx_dataset_trim(ds, 'restart', before=n - kept)
        write (message, '(a,i0)') 'step ', step
        call drx_dataset_commit(ds, message)
    end subroutine
end program
