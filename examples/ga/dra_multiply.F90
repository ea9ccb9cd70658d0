! C = A B with all three matrices on disk: the out-of-core multiplication of Nieplocha and Foster (1996, section 5.2).
!
!     mpirun -n 4 dra_multiply 8192 1024 /scratch/product
!
! A row of blocks of A and a column of blocks of B are in memory, as global arrays, and their product is a block of C.
! While Global Arrays multiply, the next column of B is read and the last block of C is written: so there are two of each.
! Plain Disk Resident Arrays: it runs with those of Global Arrays, and with libdra-drx linked in front of them:
!
!     mpif90 -O2 -fdefault-integer-8 -I/usr/include dra_multiply.F90 -o dra_multiply -ldra-drx -ldrxmp -ldrx \
!         -lga-openmpi -lscalapack-openmpi -llapack -lblas -larmci-openmpi -lm
!
! All elements are small whole numbers, so the product is exact, and is verified exactly: C x = A (B x) for vectors x
! (Freivalds 1977), C read from the disk, the right side computed without.
module product
    use, intrinsic :: iso_c_binding
    implicit none
    integer, parameter :: wide = 8 ! bytes of the integers of Global Arrays
    integer(wide) :: n, nb         ! rows and columns; of a block
    integer(wide) :: me, processes
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"

    interface
        integer(c_int) function mpi_begin(argc, argv) bind(C, name='MPI_Init')
            import c_int, c_ptr
            type(c_ptr), value :: argc, argv
        end function
        integer(c_int) function mpi_end() bind(C, name='MPI_Finalize')
            import c_int
        end function
    end interface

    type seconds
        double precision :: multiply = 0, read_a = 0, begin_b = 0, wait_b = 0, write_c = 0, alone_b = 0, total = 0
    end type

contains

    double precision function now()
        integer(8) :: count, rate

        call system_clock(count, rate)
        now = dble(count) / dble(rate)
    end function

    ! Calls of Disk Resident Arrays give 0 when all is well.
    subroutine check(code, what)
        integer(wide), intent(in) :: code
        character(*), intent(in) :: what

        if (code /= 0) call ga_error('dra_multiply: ' // what, code)
    end subroutine

    double precision function element_a(i, j)
        integer(wide), intent(in) :: i, j

        element_a = dble(mod(7 * i + 13 * j + i * j, 17_wide) - 8)
    end function

    double precision function element_b(i, j)
        integer(wide), intent(in) :: i, j

        element_b = dble(mod(5 * i + 11 * j + i * j, 13_wide) - 6)
    end function

    ! The last index of a block that begins with `first`.
    integer(wide) function last_of(first)
        integer(wide), intent(in) :: first

        last_of = min(first + nb - 1, n)
    end function

    integer(wide) function new_global(rows, columns, name)
        integer(wide), intent(in) :: rows, columns
        character(*), intent(in) :: name
        integer(wide) :: dims(2), chunk(2)

        dims = [rows, columns]
        chunk = -1
        if (.not. nga_create(MT_DBL, 2_wide, dims, name, chunk, new_global)) &
            call ga_error('dra_multiply: no memory for ' // name, 0_wide)
    end function

    integer(wide) function new_disk(file, hint_rows, hint_columns)
        character(*), intent(in) :: file
        integer(wide), intent(in) :: hint_rows, hint_columns

        call check(dra_create(MT_DBL, n, n, file, file, DRA_RW, hint_rows, hint_columns, new_disk), file)
    end function

    ! Wait for a request, and add the time to `spent`.
    subroutine wait_for(request, spent)
        integer(wide), intent(inout) :: request
        double precision, intent(inout) :: spent
        double precision :: start

        start = now()
        call check(dra_wait(request), 'a request fails')
        call ga_sync()
        request = DRA_REQ_INVALID
        spent = spent + now() - start
    end subroutine

    ! Fill a matrix on disk, some columns at a time.
    subroutine fill(d, element)
        integer(wide), intent(in) :: d
        double precision, external :: element
        integer(wide) :: g, first, last, request, ilo, ihi, jlo, jhi, i, j
        double precision, allocatable :: part(:, :)
        double precision :: unused = 0

        g = new_global(n, nb, 'some columns')
        do first = 1, n, nb
            last = last_of(first)
            call ga_distribution(g, me, ilo, ihi, jlo, jhi)
            if (ilo > 0 .and. ihi >= ilo) then
                allocate (part(ilo:ihi, jlo:jhi))
                do j = jlo, jhi
                    do i = ilo, ihi
                        part(i, j) = element(i, first + j - 1)
                    end do
                end do
                call ga_put(g, ilo, ihi, jlo, jhi, part, ihi - ilo + 1)
                deallocate (part)
            end if
            call ga_sync()
            call check(dra_write_section(.false., g, 1_wide, n, 1_wide, last - first + 1, d, 1_wide, n, first, last, &
                                         request), 'a matrix cannot be written')
            call wait_for(request, unused)
        end do
        if (.not. ga_destroy(g)) call ga_error('dra_multiply: ga_destroy', g)
    end subroutine

    subroutine begin_b(g, d, first, request, spent)
        integer(wide), intent(in) :: g, d, first
        integer(wide), intent(out) :: request
        double precision, intent(inout) :: spent
        double precision :: start

        start = now()
        call check(dra_read_section(.false., g, 1_wide, n, 1_wide, last_of(first) - first + 1, d, 1_wide, n, first, &
                                    last_of(first), request), 'B cannot be read')
        spent = spent + now() - start
    end subroutine

    subroutine read_a(g, d, first, spent)
        integer(wide), intent(in) :: g, d, first
        double precision, intent(inout) :: spent
        integer(wide) :: request
        double precision :: start

        start = now()
        call check(dra_read_section(.false., g, 1_wide, last_of(first) - first + 1, 1_wide, n, d, first, &
                                    last_of(first), 1_wide, n, request), 'A cannot be read')
        spent = spent + now() - start
        call wait_for(request, spent)
    end subroutine

    ! Begin to write block `at` of C; 0: there is none.
    subroutine begin_c(g, d, at, request, spent)
        integer(wide), intent(in) :: g, d, at(2)
        integer(wide), intent(out) :: request
        double precision, intent(inout) :: spent
        double precision :: start

        request = DRA_REQ_INVALID
        if (at(1) == 0) return
        start = now()
        call check(dra_write_section(.false., g, 1_wide, last_of(at(1)) - at(1) + 1, 1_wide, &
                                     last_of(at(2)) - at(2) + 1, d, at(1), last_of(at(1)), at(2), last_of(at(2)), &
                                     request), 'C cannot be written')
        spent = spent + now() - start
    end subroutine

    ! The algorithm of the paper, but that a block of C is written while the next one is computed: so there are two. Its
    ! time does not include reading B once alone, for comparison.
    subroutine multiply(d_a, d_b, d_c, t)
        integer(wide), intent(in) :: d_a, d_b, d_c
        type(seconds), intent(inout) :: t
        integer(wide) :: g_a, g_b(2), g_c(2), request_b, request_c, i, j, next, rows, columns, written(2)
        integer :: current
        double precision :: start, before

        g_a = new_global(nb, n, 'A')
        do current = 1, 2
            g_b(current) = new_global(n, nb, 'B')
            g_c(current) = new_global(nb, nb, 'C')
        end do
        do j = 1, n, nb
            call begin_b(g_b(1), d_b, j, request_b, t%alone_b)
            call wait_for(request_b, t%alone_b)
        end do
        start = now()
        current = 2
        written = 0
        call begin_b(g_b(1), d_b, 1_wide, request_b, t%begin_b)
        do i = 1, n, nb
            rows = last_of(i) - i + 1
            call read_a(g_a, d_a, i, t%read_a)
            do j = 1, n, nb
                columns = last_of(j) - j + 1
                current = 3 - current
                call wait_for(request_b, t%wait_b)
                next = merge(1_wide, j + nb, j + nb > n)
                if (next > 1 .or. i + nb <= n) call begin_b(g_b(3 - current), d_b, next, request_b, t%begin_b)
                call begin_c(g_c(3 - current), d_c, written, request_c, t%write_c)
                before = now()
                call ga_matmul_patch('n', 'n', 1d0, 0d0, g_a, 1_wide, rows, 1_wide, n, g_b(current), 1_wide, n, &
                                     1_wide, columns, g_c(current), 1_wide, rows, 1_wide, columns)
                call ga_sync()
                t%multiply = t%multiply + now() - before
                call wait_for(request_c, t%write_c)
                written = [i, j]
            end do
        end do
        call begin_c(g_c(current), d_c, written, request_c, t%write_c)
        call wait_for(request_c, t%write_c)
        t%total = now() - start
        do i = 1, 2
            if (.not. (ga_destroy(g_b(i)) .and. ga_destroy(g_c(i)))) call ga_error('dra_multiply: ga_destroy', i)
        end do
        if (.not. ga_destroy(g_a)) call ga_error('dra_multiply: ga_destroy', g_a)
    end subroutine

    ! Is C x = A (B x), element by element? Each process does some rows of C.
    subroutine verify(d_c)
        integer(wide), intent(in) :: d_c
        integer(wide) :: g, request, first, rows, i, j, wrong(1)
        double precision :: x(n), y(n), row(n), unused = 0

        do j = 1, n
            x(j) = dble(mod(j * j + 3 * j, 19_wide) - 9)
        end do
        do i = 1, n
            y(i) = sum([(element_b(i, j) * x(j), j = 1, n)])
        end do
        wrong = 0
        g = new_global(nb, n, 'rows of C')
        do first = 1, n, nb
            rows = last_of(first) - first + 1
            call check(dra_read_section(.false., g, 1_wide, rows, 1_wide, n, d_c, first, last_of(first), 1_wide, n, &
                                        request), 'C cannot be read')
            call wait_for(request, unused)
            do i = 1 + me, rows, processes
                call ga_get(g, i, i, 1_wide, n, row, 1_wide)
                if (dot_product(row, x) /= sum([(element_a(first + i - 1, j) * y(j), j = 1, n)])) wrong = wrong + 1
            end do
            call ga_sync()
        end do
        call ga_igop(1_wide, wrong, 1_wide, '+')
        call check(wrong(1), 'rows of C are wrong')
        if (.not. ga_destroy(g)) call ga_error('dra_multiply: ga_destroy', g)
    end subroutine

    subroutine report(t)
        type(seconds), intent(in) :: t
        double precision :: columns_read

        columns_read = dble((n + nb - 1) / nb) ! times all of B is read
        print '(a, i0, a, i0, a, i0, a)', 'C = A B of ', n, ' rows, in blocks of ', nb, ', by ', processes, ' processes'
        print '(f8.3, a, f0.2, a, i0, a)', t%total, ' s in all: ', 2d-9 * dble(n) ** 3 / t%total, ' Gflop/s, ', &
            nint(100 * t%multiply / t%total), ' % of the speed of multiplying alone'
        print '(f8.3, a)', t%multiply, ' s multiplying', t%read_a, ' s reading A', t%write_c, ' s writing C'
        print '(f8.3, a, f0.3, a, i0, a)', t%begin_b + t%wait_b, ' s beginning to read B and waiting for it; alone, ', &
            columns_read * t%alone_b, ' s: ', &
            nint(100 * max(0d0, 1 - (t%begin_b + t%wait_b) / (columns_read * t%alone_b))), ' % overlap'
        print '(a)', 'verified: every row of C is exact'
    end subroutine
end module

program dra_multiply
    use product
    implicit none
    integer :: code
    integer(wide) :: d_a, d_b, d_c
    character(200) :: argument, path
    type(seconds) :: t

    if (mpi_begin(c_null_ptr, c_null_ptr) /= 0) stop 1
    call ga_initialize()
    me = ga_nodeid()
    processes = ga_nnodes()
    n = 0
    if (command_argument_count() == 3) then
        call get_command_argument(1, argument)
        read (argument, *, iostat=code) n
        call get_command_argument(2, argument)
        if (code == 0) read (argument, *, iostat=code) nb
        call get_command_argument(3, path)
        if (code /= 0) n = 0
    end if
    if (n < 1 .or. nb < 1) call ga_error('usage: dra_multiply ROWS BLOCK PATH', 1_wide)
    nb = min(nb, n)
    if (.not. ma_init(MT_DBL, 4 * n * nb / processes + 1000000, 1000000_wide)) call ga_error('ma_init', 0_wide)
    call check(dra_init(4_wide, -1d0, -1d0, -1d0), 'dra_init')

    d_a = new_disk(trim(path) // '-A', nb, n)
    d_b = new_disk(trim(path) // '-B', n, nb)
    d_c = new_disk(trim(path) // '-C', nb, nb)
    call fill(d_a, element_a)
    call fill(d_b, element_b)
    call multiply(d_a, d_b, d_c, t)
    call verify(d_c)
    if (me == 0) call report(t)

    call check(dra_close(d_a), 'A cannot be closed')
    call check(dra_close(d_b), 'B cannot be closed')
    call check(dra_close(d_c), 'C cannot be closed')
    call check(dra_terminate(), 'dra_terminate')
    call ga_terminate()
    if (mpi_end() /= 0) stop 1
end program
