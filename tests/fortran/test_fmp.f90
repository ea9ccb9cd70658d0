! The module drxmp, on any number of processes. test_f_types and test_f_datasets run on many, too.
program test_fmp
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env
    use mpi_f08
    use drxmp
    use f_testing
    implicit none
    integer :: me, ranks, stat
    integer(int64) :: seed
    character(len=400) :: message

    interface get
        procedure drxmp_get, drxmp_darray_get
    end interface
    interface put
        procedure drxmp_put, drxmp_darray_put
    end interface
    interface acc
        procedure drxmp_acc, drxmp_darray_acc
    end interface
    interface fetch_add
        procedure drxmp_fetch_add, drxmp_darray_fetch_add
    end interface
    interface sync
        procedure drx_sync, drxmp_darray_sync
    end interface

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    if (me == 0) call seed_from_environment()
    seed = -1
    if (me == 0) call same_on(seed)
    call MPI_Bcast(seed, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
    call same_on(seed)

    call communicators()
    call one_is_wrong()
    call refused()
    call zones()
    call halos()
    call one_sided()
    call refused_darrays()
    call one_sided_in_memory()
    call all_done()
    call MPI_Finalize()

contains

    ! The failure of one process is that of all: the first one reports.
    subroutine hold(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        logical :: everywhere

        call MPI_Allreduce(holds, everywhere, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
        call check(everywhere, what)
    end subroutine

    subroutine hold_refused(expected, words)
        integer, intent(in) :: expected
        character(len=*), intent(in) :: words

        call hold(stat == expected, 'the same status on all processes: '//words)
        call check_refused(stat, expected, message, words)
    end subroutine

    subroutine communicators()
        type(drxmp_array) :: a
        type(MPI_Comm) :: alone
        integer(int16) :: x(2)
        integer :: number

        call drxmp_create(MPI_COMM_WORLD, 'comm', a, drx_spec([2], drx_int16, replace=.true.))
        call drxmp_write_all(a, [5_int16, 6_int16])
        call drx_close(a)
        call drxmp_open(MPI_COMM_WORLD%MPI_VAL, 'comm', a) ! as the module mpi has it
        call drxmp_read_all(a, x)
        call hold(all(x == [5, 6]), 'an integer as communicator')
        call drx_close(a)
        call MPI_Comm_split(MPI_COMM_WORLD, me, 0, alone)
        call drxmp_open(alone, 'comm', a)
        call drx_read(a, x(1), start=[2])
        call hold(x(1) == 6, 'each its own job')
        call drx_close(a)
        call MPI_Comm_free(alone)
        call drxmp_create(MPI_COMM_WORLD, '', a, drx_spec([ranks], drx_int16, fill=-1_int16)) ! in the memory of the job
        call drx_write(a, int(me, int16), start=[me + 1])
        call drx_sync(a)
        call drx_read(a, x(1), start=[ranks - me])
        call hold(x(1) == ranks - me - 1, 'in the memory of the job')
        call drx_close(a)
        call drxmp_open(MPI_COMM_WORLD, 'comm', a, drx_rdwr)
        call drx_attr_set(a, 'steps', 7)
        call drx_dim_rename(a, 1, 'row')
        call drx_close(a)
        call drxmp_open(MPI_COMM_WORLD, 'comm', a)
        call drx_attr_get(a, 'steps', number)
        call hold(number == 7 .and. drx_axis(a, 'row') == 1, 'attribute and name')
        call drx_close(a)
        call drxmp_open(1.0, 'comm', a, stat=stat, errmsg=message)
        call hold_refused(drx_einval, 'comm is real(real32), expected a type(MPI_Comm) or an integer')
        call drxmp_open([1, 2], 'comm', a, stat=stat, errmsg=message)
        call hold_refused(drx_einval, 'comm')
    end subroutine

    ! The last process has wrong arguments; all get its status, and none waits for it.
    subroutine one_is_wrong()
        type(drxmp_array) :: a
        logical :: wrong
        real(real64) :: x(4)
        integer(int32) :: n(4)

        wrong = me == ranks - 1
        call drxmp_create(MPI_COMM_WORLD, 'wrong', a, drx_spec([4, 0], drx_int32, replace=.true.))
        call drx_extend(a, 2, 2)
        n = me
        if (wrong) then
            call drxmp_write_all(a, x, start=[1, 1], stat=stat, errmsg=message)
        else
            call drxmp_write_all(a, n, start=[1, 1], count=[4, 1], stat=stat, errmsg=message)
        end if
        call check_refused(stat, drx_emismatch, message, 'wrong|int32|real(real64)|integer(int32)')
        if (wrong) then
            call drxmp_append_all(a, 2, 1, x, start=[1, 3], count=[4, 1], stat=stat, errmsg=message)
        else
            call drxmp_append_all(a, 2, 1, n, start=[1, 3], count=[4, 1], stat=stat, errmsg=message)
        end if
        call check_refused(stat, drx_emismatch, message, 'wrong|int32|real(real64)|integer(int32)')
        call drxmp_read_all(a, n, start=[1, merge(3, 1, wrong)], stat=stat, errmsg=message)
        call hold(stat == drx_erange, 'outside on one process')
        call drx_extend(a, merge(7, 2, wrong), 1, stat=stat, errmsg=message)
        call hold(stat < 0, 'no such axis on one process')
        if (wrong) then
            call drx_extend(a, 2, 1.0, stat=stat, errmsg=message)
        else
            call drx_extend(a, 2, 1, stat=stat, errmsg=message)
        end if
        call hold(stat < 0, 'no integer on one process')
        call drxmp_append_all(a, 2, 1, n, start=[merge(2, 1, wrong), 3], stat=stat, errmsg=message)
        call hold(stat < 0, 'a part outside on one process')
        if (wrong) then
            call drx_attr_set(a, 'x', .true., stat=stat, errmsg=message)
        else
            call drx_attr_set(a, 'x', 1, stat=stat, errmsg=message)
        end if
        call hold(stat < 0, 'no attribute on one process')
        if (wrong) then
            call drx_trim(a, 2, before='a', stat=stat, errmsg=message)
        else
            call drx_trim(a, 2, before=1, stat=stat, errmsg=message)
        end if
        call hold(stat < 0 .or. ranks == 1, 'no trim on one process')
        call drx_close(a)
        if (wrong) then
            call drxmp_create(MPI_COMM_WORLD, 'wrong2', a, drx_spec([4.0], drx_int32), stat=stat, errmsg=message)
        else
            call drxmp_create(MPI_COMM_WORLD, 'wrong2', a, drx_spec([4], drx_int32), stat=stat, errmsg=message)
        end if
        call hold(stat < 0 .and. .not. drx_is_open(a), 'no spec on one process')
        if (wrong) call check_refused(stat, stat, message, 'shape is real(real32)')
    end subroutine

    subroutine refused()
        type(drxmp_array) :: a
        type(drx_array) :: alone
        integer(int32) :: n(4)

        call drxmp_open(MPI_COMM_WORLD, 'nothing', a, stat=stat, errmsg=message)
        call hold_refused(drx_enoent, 'nothing')
        call drxmp_open(MPI_COMM_WORLD, 'wrong', a, drx_rdwr)
        call drx_append(a, 2, n, stat=stat, errmsg=message)
        call hold_refused(drx_einval, 'wrong|drxmp_append_all')
        call drx_open('wrong', alone)
        call drxmp_read_all(alone, n, start=[1, 1], stat=stat, errmsg=message)
        call hold_refused(drx_einval, 'expected an array of drxmp_open or drxmp_create')
        call drx_close(alone)
        call drx_close(a)
        call drxmp_read_all(a, n, start=[1, 1], stat=stat, errmsg=message)
        call hold_refused(drx_einval, 'not open')
    end subroutine

    ! Value of an element by its index.
    elemental real(real64) function worth(i, j)
        integer(int64), intent(in) :: i, j

        worth = real(1000*i + j, real64)
    end function

    logical function holds_worth(section, start)
        real(real64), intent(in) :: section(:, :)
        integer(int64), intent(in) :: start(2)
        integer(int64) :: i, j

        holds_worth = .true.
        do j = 1, size(section, 2)
            do i = 1, size(section, 1)
                holds_worth = holds_worth .and. abs(section(i, j) - worth(start(1) + i - 1, start(2) + j - 1)) <= 0
            end do
        end do
    end function

    subroutine zones()
        type(drxmp_array) :: a
        type(drxmp_darray) :: d, e
        real(real64), pointer :: section(:, :)
        real(real64) :: whole(17, 11)
        integer(int64), allocatable :: start(:), count(:)
        integer(int64) :: i, j
        integer :: owner

        whole = reshape([((worth(i, j), i=1, 17), j=1, 11)], [17, 11])
        call drxmp_create(MPI_COMM_WORLD, 'zones', a, drx_spec(mold=whole, chunk=[3, 2], replace=.true.))
        if (me == 0) call drx_write(a, whole)
        call drx_sync(a)
        call drxmp_darray_zones(a, d)
        call hold(all(drxmp_darray_shape(d) == [17, 11]), 'shape of all')
        call drxmp_darray_read(d, a)
        call c_f_pointer(drxmp_darray_local(d), section, drxmp_darray_local_shape(d))
        call drxmp_darray_zone(d, start, count)
        call hold(holds_worth(section, start) .and. all(count == shape(section)), 'a zone')
        call hold(all(drxmp_darray_local_start(d) == start .or. count == 0), 'where it begins')
        if (all(count > 0)) then
            call drxmp_darray_owner(d, start, owner)
            call check(owner == me, 'owner')
        end if
        call drxmp_darray_zone(d, start, count, rank=0)
        call hold(all(start == 1), 'zone of another')
        section = -section
        call drxmp_darray_write(d, a)
        call drx_sync(a)
        call drx_read(a, whole)
        call hold(holds_worth(-whole, [1_int64, 1_int64]), 'written')
        ! Another distribution, of part of it
        call drxmp_darray_create(MPI_COMM_WORLD, e, [5, 4], drx_float64)
        call drxmp_darray_read(e, a, start=[13, 8])
        call c_f_pointer(drxmp_darray_local(e), section, drxmp_darray_local_shape(e))
        start = drxmp_darray_local_start(e) + [12, 7]
        call hold(holds_worth(-section, start), 'part of an array')
        call drx_close(e)
        call drxmp_darray_create(MPI_COMM_WORLD, e, [17, 11], drx_float64, grid=[1, ranks])
        call drxmp_darray_redistribute(d, e)
        call c_f_pointer(drxmp_darray_local(e), section, drxmp_darray_local_shape(e))
        call hold(holds_worth(-section, drxmp_darray_local_start(e)) .and. size(section, 1) == 17, 'redistributed')
        call drx_close(d)
        call drx_close(e)
        call hold(.not. drx_is_open(d), 'freed')
        call drx_close(a)
    end subroutine

    ! What a section has of its neighbours.
    subroutine halos()
        type(drxmp_darray) :: d
        integer(int32), pointer :: section(:)
        integer(int64), allocatable :: zone(:), count(:)
        integer(int64) :: start(1)
        integer :: i, n

        n = 4*ranks
        call drxmp_darray_create(MPI_COMM_WORLD, d, n, drx_int32, halo=2)
        call c_f_pointer(drxmp_darray_local(d), section, drxmp_darray_local_shape(d))
        start = drxmp_darray_local_start(d)
        call drxmp_darray_zone(d, zone, count)
        call hold(zone(1) == 4*me + 1 .and. count(1) == 4, 'even blocks')
        call hold(start(1) == max(1, 4*me - 1) .and. size(section) == min(n, 4*me + 6) - start(1) + 1, 'with a halo')
        section = 0
        do i = 1, size(section)
            if (start(1) + i - 1 >= zone(1) .and. start(1) + i - 1 < zone(1) + 4) section(i) = int(start(1)) + i - 1
        end do
        call drxmp_darray_sync(d)
        call hold(all(section == [(int(start(1)) + i - 1, i=1, size(section))]), 'halo')
        section = 1
        call drxmp_darray_sync_add(d)
        i = merge(1, 2, me == 0) ! the first one that this process owns and a neighbour sees
        if (ranks > 1) call check(maxval(section) == 2 .and. minval(section) >= 1, 'halo added')
        call drx_close(d)
    end subroutine

    subroutine one_sided()
        type(drxmp_darray) :: d

        call drxmp_darray_create(MPI_COMM_WORLD, d, [6, 5], drx_int64)
        include 'one_sided.inc'
        call drxmp_darray_create(MPI_COMM_WORLD, d, [3], drx_uint16)
        include 'one_sided_bits.inc'
    end subroutine

    ! An array in the memory of all, grown at both ends: index 1 is the first one.
    subroutine one_sided_in_memory()
        type(drxmp_array) :: d

        call drxmp_create(MPI_COMM_WORLD, '', d, drx_spec([4, 3], drx_int64, chunk=[2, 2]))
        call drx_extend(d, 2, 2)
        call drx_extend_before(d, 1, 2)
        include 'one_sided.inc'
        call drxmp_create(MPI_COMM_WORLD, '', d, drx_spec([3], drx_uint16))
        include 'one_sided_bits.inc'
        call drxmp_create(MPI_COMM_WORLD, 'in_files', d, drx_spec([4, 3], drx_int64, replace=.true.))
        call drxmp_acc(d, [1_int64], start=[1, 1], stat=stat, errmsg=message)
        call hold_refused(drx_eunsupported, 'drxmp_acc_box|in files')
        call drx_close(d)
    end subroutine

    subroutine refused_darrays()
        type(drxmp_darray) :: d
        type(drxmp_array) :: a
        integer, allocatable :: none(:)

        allocate (none(0))
        call drxmp_darray_create(MPI_COMM_WORLD, d, [4, 4], drx_int32, grid=[ranks + 1, 1], stat=stat, errmsg=message)
        call hold_refused(drx_einval, 'grid(1)')
        call drxmp_darray_create(MPI_COMM_WORLD, d, [4, 4], 99, stat=stat, errmsg=message)
        call hold(stat == drx_einval, 'no type')
        call drxmp_darray_create(MPI_COMM_WORLD, d, none, drx_int32, stat=stat, errmsg=message)
        call hold_refused(drx_einval, 'shape has 0 elements')
        call drxmp_darray_create(MPI_COMM_WORLD, d, [4, 4], drx_int32, halo=[-1, 0], stat=stat, errmsg=message)
        call hold(stat == drx_einval .or. ranks == 1, 'a negative halo')
        if (stat == drx_ok) call drx_close(d)
        call drxmp_open(MPI_COMM_WORLD, 'zones', a)
        call drxmp_darray_zones(a, d, grid=[ranks], stat=stat, errmsg=message)
        call hold_refused(drx_einval, 'grid has 1 elements, expected 2')
        call drxmp_darray_create(MPI_COMM_WORLD, d, [4, 4], drx_int32)
        call drxmp_darray_read(d, a, stat=stat, errmsg=message)
        call hold(stat == drx_einval, 'another type')
        call drxmp_darray_read(d, a, start=[0, 1], stat=stat, errmsg=message)
        call hold(stat < 0, 'outside')
        call drx_refresh(d, stat=stat, errmsg=message)
        call hold_refused(drx_einval, 'distributed array, expected an array or a dataset')
        call drx_close(d)
        call drx_close(a)
    end subroutine
end program
