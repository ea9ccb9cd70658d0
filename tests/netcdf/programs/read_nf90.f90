! Read t2m of a file by netCDF's Fortran interface, and print what is in it.
program read_nf90
    use netcdf
    implicit none
    character(len=1000) :: path, units
    integer :: ncid, varid, dims(3), n(3), k, unlimited
    real, allocatable :: t2m(:, :, :)
    double precision, allocatable :: some(:, :)
    character(len=4) :: names(5)

    call get_command_argument(1, path)
    call check(nf90_open(trim(path), nf90_nowrite, ncid))
    call check(nf90_inq_varid(ncid, 't2m', varid))
    call check(nf90_inquire_variable(ncid, varid, dimids=dims))
    do k = 1, 3
        call check(nf90_inquire_dimension(ncid, dims(k), len=n(k)))
    end do
    call check(nf90_inquire(ncid, unlimiteddimid=unlimited))
    call check(nf90_get_att(ncid, varid, 'units', units))
    allocate (t2m(n(1), n(2), n(3)), some(3, 4))
    call check(nf90_get_var(ncid, varid, t2m))
    call check(nf90_get_var(ncid, varid, some, start=[2, 3, 1], count=[3, 1, 4], stride=[2, 1, 3], map=[1, 3, 3]))
    print *, n, unlimited == dims(3), trim(units), minval(t2m), maxval(t2m), sum(dble(t2m))
    print *, some
    call check(nf90_inq_varid(ncid, 'name', varid))
    call check(nf90_get_var(ncid, varid, names))
    print *, names
    call check(nf90_close(ncid))
contains
    subroutine check(status)
        integer, intent(in) :: status

        if (status == nf90_noerr) return
        print *, trim(nf90_strerror(status))
        stop 1
    end subroutine check
end program read_nf90
