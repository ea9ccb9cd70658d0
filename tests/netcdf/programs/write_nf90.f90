! Write a file by netCDF's Fortran interface, as a model does: definitions, records, a second variable along the other
! dimension, text, and a part that is written again. The name alone says what it becomes.
program write_nf90
    use netcdf
    implicit none
    integer, parameter :: nx = 6, ny = 4, records = 5
    character(len=1000) :: path
    integer :: ncid, xid, yid, tid, timeid, hid, kid, nameid, lid, r, i, j
    real :: h(nx, ny)
    integer :: kinds(nx)

    call get_command_argument(1, path)
    call check(nf90_create(trim(path), ior(nf90_netcdf4, nf90_clobber), ncid))
    call check(nf90_def_dim(ncid, 'x', nx, xid))
    call check(nf90_def_dim(ncid, 'y', ny, yid))
    call check(nf90_def_dim(ncid, 'letters', 8, lid))
    call check(nf90_def_dim(ncid, 'time', nf90_unlimited, tid))
    call check(nf90_def_var(ncid, 'time', nf90_double, tid, timeid))
    call check(nf90_put_att(ncid, timeid, 'units', 'hours since 2000-01-01'))
    call check(nf90_def_var(ncid, 'h', nf90_float, [xid, yid, tid], hid, chunksizes=[nx, 2, 3], deflate_level=2, &
        shuffle=.true., cache_size=4))
    call check(nf90_put_att(ncid, hid, '_FillValue', -9999.0))
    call check(nf90_put_att(ncid, hid, 'valid_range', [0.0, 100.0]))
    call check(nf90_def_var(ncid, 'kinds', nf90_short, xid, kid))
    call check(nf90_def_var(ncid, 'names', nf90_char, [lid, yid], nameid))
    call check(nf90_put_att(ncid, nf90_global, 'title', 'shallow water'))
    call check(nf90_enddef(ncid))
    kinds = [(i * 10, i=1, nx)]
    call check(nf90_put_var(ncid, kid, kinds))
    call check(nf90_put_var(ncid, nameid, ['Ulm     ', 'Augsburg'], start=[1, 2], count=[8, 2]))
    do r = 1, records
        h = reshape([((real(i * j + r), i=1, nx), j=1, ny)], [nx, ny])
        call check(nf90_put_var(ncid, timeid, dble(r), start=[r]))
        call check(nf90_put_var(ncid, hid, h, start=[1, 1, r], count=[nx, ny, 1]))
        if (r == 3) call check(nf90_sync(ncid))
    end do
    call check(nf90_put_var(ncid, hid, h(:, 1:2), start=[1, 3, 2], count=[nx, 2, 1]))
    call check(nf90_put_var(ncid, timeid, 9.0d0, start=[records + 3]))
    call check(nf90_redef(ncid))
    call check(nf90_put_att(ncid, nf90_global, 'records', records))
    call check(nf90_close(ncid))
contains
    subroutine check(status)
        integer, intent(in) :: status

        if (status == nf90_noerr) return
        print *, trim(nf90_strerror(status))
        stop 1
    end subroutine check
end program write_nf90
