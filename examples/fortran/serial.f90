! A field of temperatures, month by month, and then a band of latitudes that was missing. The axes are those of Fortran, in
! its order, and indices count from 1.
!
!     gfortran serial.f90 $(pkg-config --cflags --libs drx-fortran) -o serial && ./serial
program serial
    use, intrinsic :: iso_fortran_env, only: real32
    use drx
    implicit none
    integer, parameter :: lons = 36, lats = 17
    type(drx_array) :: a
    real(real32) :: month(lons, lats), band(lons, 1, 12), series(12), coast(3, 3)
    integer :: m, stat
    character(len=200) :: message

    ! No month yet: the last axis grows.
    call drx_create('temperature', a, drx_spec(shape=[lons, lats, 0], type=drx_float32, chunk=[12, 9, 12], &
                                               dims=['lon ', 'lat ', 'time'], fill=-999.0_real32, replace=.true.))
    call drx_attr_set(a, 'units', 'K')
    do m = 1, 12
        month = 280 + m
        call drx_append(a, 3, month) ! whole or not at all, even if the program is killed
    end do

    ! The band lies before the first latitude. Nothing moves; what had latitude 1 has latitude 2 now.
    band = 250
    call drx_prepend(a, drx_axis(a, 'lat'), band)
    call drx_sync(a) ! from here on it survives a power cut
    print '(a,3(1x,i0))', 'shape', drx_shape(a)

    ! One point through the year; and every other element of a box, into memory that runs backwards.
    call drx_read(a, series, start=[10, 5, 1], count=[1, 1, 12])
    call drx_read(a, coast(:, 3:1:-1), start=[1, 1, 12], stride=[2, 2, 1])
    print '(a,12f5.0)', 'a year ', series
    print '(a,3f5.0)', 'a row  ', coast(1, :)

    ! With stat an error does not end the program.
    call drx_read(a, month, start=[1, 1, 13], stat=stat, errmsg=message)
    if (stat == drx_erange) print '(2a)', 'refused: ', trim(message)
    call drx_close(a)

    if (any(series /= [(280 + m, m=1, 12)]) .or. any(coast(:, 3) /= 250) .or. any(coast(:, 1:2) /= 292)) error stop 'wrong'
end program
