! Waves in shallow water, written through netCDF's Fortran interface, nf90. The name of the output alone says what it
! becomes: out.nc a netCDF-4 file, out.drx a dataset of DRX, since the program is linked with libdrx-netcdf.
!
!     shallow OUTPUT [STEPS]
!
! The grid grows along an unlimited time. A nest follows the highest crest: a window with a finer grid, in a group of its
! own. It is written more often than the grid, along a time of its own, and each move of it adds its new place along a
! third unlimited dimension.
program shallow
    use netcdf
    implicit none
    integer, parameter :: nx = 96, ny = 64             ! cells, periodic in both directions
    integer, parameter :: every = 4                    ! steps between two records of the grid
    integer, parameter :: cells = 12, finer = 4        ! of the grid that the nest covers each way, and its points in each
    integer, parameter :: points = cells * finer
    real, parameter :: dx = 1000., dt = 20., g = 9.81, depth = 100. ! m, s, m/s2, m
    real :: h(nx, ny), u(nx, ny), v(nx, ny)            ! height above the depth, and velocities
    character(len=1000) :: output, word
    integer :: nc, nest, time_id, h_id, u_id, v_id, nest_time_id, nest_h_id, move_id, x0_id, y0_id
    integer :: steps, step, records, moves, corner(2)

    call get_command_argument(1, output)
    if (output == '') stop 'usage: shallow OUTPUT [STEPS]'
    call get_command_argument(2, word)
    steps = 60
    if (word /= '') read (word, *) steps

    call define(trim(output))
    call start
    records = 0
    moves = 0
    corner = -1
    do step = 0, steps
        call write_nest(step)
        if (mod(step, every) == 0) call write_grid(step * dt)
        call advance
    end do
    call check(nf90_close(nc))
    print '(i0, a, i0, a, i0, a)', records, ' records of the grid, ', steps + 1, ' of the nest, which lay at ', moves, ' places'

contains

    ! ---- the output

    subroutine define(path)
        character(len=*), intent(in) :: path
        integer :: x, y, time, nest_x, nest_y, nest_time, move

        call check(nf90_create(path, ior(nf90_netcdf4, nf90_clobber), nc))
        call check(nf90_put_att(nc, nf90_global, 'title', 'waves in shallow water'))
        call check(nf90_def_dim(nc, 'x', nx, x))
        call check(nf90_def_dim(nc, 'y', ny, y))
        call check(nf90_def_dim(nc, 'time', nf90_unlimited, time))
        time_id = variable(nc, 'time', [time], 's')
        h_id = variable(nc, 'h', [x, y, time], 'm')
        u_id = variable(nc, 'u', [x, y, time], 'm s-1')
        v_id = variable(nc, 'v', [x, y, time], 'm s-1')

        call check(nf90_def_grp(nc, 'nest', nest))
        call check(nf90_put_att(nest, nf90_global, 'points_in_a_cell', finer))
        call check(nf90_def_dim(nest, 'x', points, nest_x))
        call check(nf90_def_dim(nest, 'y', points, nest_y))
        call check(nf90_def_dim(nest, 'time', nf90_unlimited, nest_time))
        call check(nf90_def_dim(nest, 'move', nf90_unlimited, move))
        nest_time_id = variable(nest, 'time', [nest_time], 's')
        nest_h_id = variable(nest, 'h', [nest_x, nest_y, nest_time], 'm')
        move_id = variable(nest, 'move', [move], 's')
        x0_id = variable(nest, 'x0', [move], 'm')
        y0_id = variable(nest, 'y0', [move], 'm')
        call check(nf90_enddef(nc))
    end subroutine define

    ! A variable of the group `in`, which is large if it has more than one dimension
    integer function variable(in, name, dims, units) result(id)
        integer, intent(in) :: in, dims(:)
        character(len=*), intent(in) :: name, units

        if (size(dims) > 1) then
            call check(nf90_def_var(in, name, nf90_float, dims, id, shuffle=.true., deflate_level=1))
        else
            call check(nf90_def_var(in, name, nf90_double, dims, id))
        end if
        call check(nf90_put_att(in, id, 'units', units))
    end function variable

    subroutine write_grid(time)
        real, intent(in) :: time

        records = records + 1
        call check(nf90_put_var(nc, time_id, time, start=[records]))
        call check(nf90_put_var(nc, h_id, h, start=[1, 1, records], count=[nx, ny, 1]))
        call check(nf90_put_var(nc, u_id, u, start=[1, 1, records], count=[nx, ny, 1]))
        call check(nf90_put_var(nc, v_id, v, start=[1, 1, records], count=[nx, ny, 1]))
    end subroutine write_grid

    subroutine write_nest(step)
        integer, intent(in) :: step
        integer :: wanted(2)

        wanted = modulo(maxloc(h) - cells / 2 - 1, [nx, ny]) + 1
        if (corner(1) < 0 .or. any(abs(wanted - corner) > 2)) then ! it moves by more than two cells, or not at all
            corner = wanted
            moves = moves + 1
            call check(nf90_put_var(nest, move_id, step * dt, start=[moves]))
            call check(nf90_put_var(nest, x0_id, (corner(1) - 1) * dx, start=[moves]))
            call check(nf90_put_var(nest, y0_id, (corner(2) - 1) * dx, start=[moves]))
        end if
        call check(nf90_put_var(nest, nest_time_id, step * dt, start=[step + 1]))
        call check(nf90_put_var(nest, nest_h_id, window(), start=[1, 1, step + 1], count=[points, points, 1]))
    end subroutine write_nest

    ! ---- the model

    subroutine start
        integer :: i, j

        do j = 1, ny
            do i = 1, nx
                h(i, j) = 5 * exp(-((i - nx / 4.)**2 + (j - ny / 3.)**2) / 30)
            end do
        end do
        u = 0
        v = 0
    end subroutine start

    ! One step: velocities by the slope of the surface, then the surface by what flows together
    subroutine advance
        u = u - g * dt / dx * (cshift(h, 1, 1) - h)
        v = v - g * dt / dx * (cshift(h, 1, 2) - h)
        h = h - depth * dt / dx * (u - cshift(u, -1, 1) + v - cshift(v, -1, 2))
    end subroutine advance

    ! The surface in the nest, between the cells of the grid
    function window() result(fine)
        real :: fine(points, points), p, q
        integer :: i, j, a, b, a1, b1

        do j = 1, points
            q = real(mod(j - 1, finer)) / finer
            b = modulo(corner(2) - 1 + (j - 1) / finer, ny) + 1
            b1 = modulo(b, ny) + 1
            do i = 1, points
                p = real(mod(i - 1, finer)) / finer
                a = modulo(corner(1) - 1 + (i - 1) / finer, nx) + 1
                a1 = modulo(a, nx) + 1
                fine(i, j) = (1 - q) * ((1 - p) * h(a, b) + p * h(a1, b)) + q * ((1 - p) * h(a, b1) + p * h(a1, b1))
            end do
        end do
    end function window

    subroutine check(status)
        integer, intent(in) :: status

        if (status == nf90_noerr) return
        print '(a)', trim(nf90_strerror(status))
        stop 1
    end subroutine check
end program shallow
