! The module drxmp, on any number of processes: each gives its part, and all compare with the same model in memory.
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

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    if (me == 0) call seed_from_environment()
    seed = -1
    if (me == 0) call same_on(seed)
    call MPI_Bcast(seed, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
    call same_on(seed)

    call communicators()
    call histories(12)
    call one_is_wrong()
    call refused()
    call dataset()
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
        call drxmp_open(1.0, 'comm', a, stat=stat, errmsg=message)
        call hold_refused(drx_einval, 'comm is real(real32), expected a type(MPI_Comm) or an integer')
        call drxmp_open([1, 2], 'comm', a, stat=stat, errmsg=message)
        call hold_refused(drx_einval, 'comm')
    end subroutine

    ! The columns of an array that this process has, when they are dealt out as evenly as possible.
    subroutine band(n, first, last)
        integer, intent(in) :: n
        integer, intent(out) :: first, last

        first = n*me/ranks + 1
        last = n*(me + 1)/ranks
    end subroutine

    ! A model of three axes, which all processes have whole, and random growth, appends and writes.
    subroutine histories(steps)
        integer, intent(in) :: steps
        integer(int32), allocatable :: model(:, :, :), slab(:, :, :), seen(:, :, :)
        type(drxmp_array) :: a
        integer :: step, n(3), by, axis, first, last, lo(3), count(3), j

        call drxmp_create(MPI_COMM_WORLD, 'history', a, drx_spec([3, 4, 2], drx_int32, chunk=[2, 3, 2], fill=-1, &
                                                                 dims=['x', 'y', 't'], replace=.true.))
        allocate (model(3, 4, 2), source=-1)
        do step = 1, steps
            n = shape(model)
            axis = 1 + below(3)
            by = 1 + below(3)
            select case (below(5))
            case (0)
                call drx_extend(a, axis, by)
                call grow(model, axis, by, .false., -1)
            case (1)
                call drx_extend_before(a, axis, by)
                call grow(model, axis, by, .true., -1)
            case (2, 3) ! a slab along the last axis, in bands of the second one
                call band(n(2), first, last)
                allocate (slab(n(1), first:last, by))
                slab = 1000*step + me
                if (mod(step, 2) == 0) then
                    call drxmp_append_all(a, 3, by, slab(n(1):1:-1, :, :), start=[1, first, n(3) + 1])
                else
                    call drxmp_prepend_all(a, 3, by, slab, start=[1, first, 1])
                end if
                call grow(model, 3, by, mod(step, 2) == 1, 0)
                do j = 0, ranks - 1
                    model(:, n(2)*j/ranks + 1:n(2)*(j + 1)/ranks, merge(1, n(3) + 1, mod(step, 2) == 1): &
                          merge(by, n(3) + by, mod(step, 2) == 1)) = 1000*step + j
                end do
                deallocate (slab)
            case (4) ! all of one plane, in bands
                call band(n(2), first, last)
                by = 1 + below(n(3))
                allocate (slab(n(1), first:last, 1))
                slab = -1000*step - me
                call drxmp_write_all(a, slab, start=[1, first, by], count=[n(1), last - first + 1, 1])
                do j = 0, ranks - 1
                    model(:, n(2)*j/ranks + 1:n(2)*(j + 1)/ranks, by) = -1000*step - j
                end do
                deallocate (slab)
            end select
            n = shape(model)
            call hold(all(drx_shape(a) == n), 'bounds after a step')
            ! Each reads another box.
            do j = 1, 3
                lo(j) = 1 + mod(me + step*j, n(j))
                count(j) = mod(step + me*j, n(j) - lo(j) + 2)
            end do
            allocate (seen(count(1), 2*count(2), count(3)))
            call drxmp_read_all(a, seen(:, 2*count(2):1:-2, :), start=lo, count=count)
            call hold(all(seen(:, 2*count(2):1:-2, :) == model(lo(1):lo(1) + count(1) - 1, lo(2):lo(2) + count(2) - 1, &
                                                              lo(3):lo(3) + count(3) - 1)), 'a box of each')
            deallocate (seen)
        end do
        call drx_trim(a, 3, before=1)
        call drx_attr_set(a, 'steps', steps)
        call drx_dim_rename(a, 1, 'row')
        call drx_sync(a)
        call drx_close(a)
        call drxmp_open(MPI_COMM_WORLD, 'history', a)
        n = shape(model) - [0, 0, 1]
        allocate (seen(n(1), n(2), n(3)))
        call drx_read(a, seen)
        call hold(all(seen == model(:, :, 2:)) .and. drx_axis(a, 'row') == 1, 'the whole, opened again')
        call drx_attr_get(a, 'steps', j)
        call hold(j == steps, 'attribute')
        call drx_close(a)
    end subroutine

    subroutine grow(model, axis, by, before, fill)
        integer(int32), allocatable, intent(inout) :: model(:, :, :)
        integer, intent(in) :: axis, by, fill
        logical, intent(in) :: before
        integer(int32), allocatable :: wider(:, :, :)
        integer :: n(3), from(3)

        n = shape(model)
        from = 0
        if (before) from(axis) = by
        allocate (wider(n(1) + merge(by, 0, axis == 1), n(2) + merge(by, 0, axis == 2), n(3) + merge(by, 0, axis == 3)))
        wider = fill
        wider(from(1) + 1:from(1) + n(1), from(2) + 1:from(2) + n(2), from(3) + 1:from(3) + n(3)) = model
        call move_alloc(wider, model)
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

    subroutine dataset()
        type(drxmp_dataset) :: ds
        type(drxmp_array) :: u, v
        real(real32), allocatable :: mine(:, :)
        real(real32) :: back(10, 6)
        character(len=20) :: text
        integer :: step, first, last

        if (me == 0) call drx_dataset_delete('fields', stat=stat)
        call MPI_Barrier(MPI_COMM_WORLD)
        call drxmp_dataset_create(MPI_COMM_WORLD, 'fields', ds)
        call drx_dataset_add(ds, 'u', drx_spec([10, 6, 0], drx_float32, dims=['x', 'y', 't']), u)
        call drx_dataset_add(ds, 'v', drx_spec([10, 6, 0], drx_float32, dims=['x', 'y', 't'], codec='lz4'), v)
        call band(6, first, last)
        allocate (mine(10, first:last))
        do step = 1, 3
            call drx_dataset_extend(ds, 't', 1)
            mine = real(10*step + me)
            call drxmp_write_all(u, mine, start=[1, first, step])
            call drxmp_write_all(v, -mine, start=[1, first, step])
            if (step == 3) exit
            call drx_dataset_commit(ds, 'step')
        end do
        call drx_dataset_abort(ds)
        call drx_attr_set(ds, 'model', 'test')
        call drx_dataset_commit(ds, 'named')
        call drx_dataset_forget(ds, 1)
        call drx_dataset_compact(ds)
        call hold(drx_dataset_oldest(ds) == 1, 'forgotten')
        call drx_close(ds)
        call hold(.not. drx_is_open(u), 'closed with its dataset')
        call drxmp_dataset_open(MPI_COMM_WORLD, 'fields', ds)
        call drx_dataset_array(ds, 'v', v)
        call hold(all(drx_shape(v) == [10, 6, 2]) .and. drx_dataset_last(ds) == 3, 'commits')
        call drx_read(v, back, start=[1, 1, 2])
        call hold(all(abs(back(:, first:last) + 20 + me) <= 0), 'elements')
        call drx_attr_get(ds, 'model', text)
        call hold(text == 'test', 'attribute')
        call drx_dataset_array(ds, 'w', v, stat=stat, errmsg=message)
        call hold_refused(drx_enoent, 'w')
        call drx_close(ds)
        call groups()
        call drxmp_dataset_open(MPI_COMM_WORLD, 'fields', ds, at=1)
        call drx_dataset_array(ds, 'u', u)
        call hold(drx_shape(u, 3) == 1, 'an earlier commit')
        call drx_close(ds)
    end subroutine

    subroutine groups()
        type(drxmp_dataset) :: ds
        type(drxmp_array) :: temp
        character(len=:), allocatable :: text

        call drxmp_dataset_open(MPI_COMM_WORLD, 'fields', ds, drx_rdwr)
        call drx_dataset_add_group(ds, 'sea')
        call drx_dataset_add(ds, 'sea/temp', drx_spec([4], drx_int32, dims=['z']), temp)
        call drx_attr_set(ds, 'note', 'of a group', part=drx_group, of='sea')
        call drx_dataset_set_name(ds, drx_dimension, 'sea/z', 'sea/depth')
        call drx_attr_get_text(ds, 'note', text, part=drx_group, of='sea')
        call hold(text == 'of a group' .and. drx_dim_name(temp, 1) == 'depth' .and. drx_dataset_group(ds, 1) == 'sea', 'groups')
        call drx_attr_delete(ds, 'note', part=drx_group, of='sea')
        call drx_attr_set(ds, 'note', 1, part=drx_group, of='lake', stat=stat, errmsg=message)
        call hold_refused(drx_enoent, "has no group 'lake'")
        call drx_dataset_commit(ds)
        call drx_dataset_remove_group(ds, 'sea')
        call hold(drx_dataset_group_count(ds) == 0 .and. .not. drx_dataset_has(ds, 'sea/temp'), 'removed')
        call drx_dataset_abort(ds)
        call drx_close(ds)
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

    ! An array in the memory of all, grown at both ends: index 1 is the first one.
    subroutine one_sided_in_memory()
        type(drxmp_array) :: a
        integer(int64) :: x(6, 2), old, sums(2, 2), whole(6, 5)
        integer :: j

        call drxmp_create(MPI_COMM_WORLD, '', a, drx_spec([4, 3], drx_int64, chunk=[2, 2]))
        call drx_extend(a, 2, 2)
        call drx_extend_before(a, 1, 2)
        if (me == 0) call drxmp_put(a, reshape([(int(j, int64), j=1, 30)], [6, 5]))
        call drx_sync(a)
        call drxmp_get(a, x(6:1:-1, :), start=[1, 2], count=[6, 2], stride=[1, 3])
        call hold(all(x(6:1:-1, 1) == [7, 8, 9, 10, 11, 12]) .and. all(x(:, 2) == [30, 29, 28, 27, 26, 25]), 'get')
        call drx_sync(a)
        sums = 1
        call drxmp_acc(a, sums, start=[2, 2], stride=[3, 2])
        call drxmp_fetch_add(a, [1, 1], 10, old)
        if (me == ranks - 1) call drxmp_put(a, [100_int64, 101_int64], start=[3, 1], count=[2, 1], stride=[2, 1])
        call drx_sync(a)
        call hold(mod(old, 10_int64) == 1, 'counter')
        call drxmp_get(a, whole)
        whole([2, 5], [2, 4]) = whole([2, 5], [2, 4]) - ranks
        whole(1, 1) = whole(1, 1) - 10*ranks
        call hold(all(whole(3:5:2, 1) == [100, 101]), 'put')
        whole(3:5:2, 1) = [3, 5]
        call hold(all(whole == reshape([(int(j, int64), j=1, 30)], [6, 5])), 'accumulated')
        call drxmp_get(a, x, start=[2, 1], stat=stat, errmsg=message)
        call hold_refused(drx_erange, 'axis 1|indices 2 to 7|1 to 6')
        call drxmp_put(a, [1.0], start=[2, 1], stat=stat, errmsg=message)
        call hold_refused(drx_emismatch, 'int64|real(real32)|integer(int64)')
        call drxmp_fetch_add(a, [1, 6], 1, old, stat=stat, errmsg=message)
        call hold(stat == drx_erange, 'an index outside')
        call drx_close(a)
        call bits_in_memory()
        call drxmp_create(MPI_COMM_WORLD, 'in_files', a, drx_spec([4, 3], drx_int64, replace=.true.))
        call drxmp_acc(a, sums, start=[1, 1], stat=stat, errmsg=message)
        call hold_refused(drx_eunsupported, 'drxmp_acc_box|in files')
        call drx_close(a)
    end subroutine

    ! Elements of a type that Fortran lacks.
    subroutine bits_in_memory()
        type(drxmp_array) :: a
        type(drxmp_darray) :: d
        integer(int16) :: x(3)

        call drxmp_create(MPI_COMM_WORLD, '', a, drx_spec([3], drx_uint16))
        call drxmp_darray_create(MPI_COMM_WORLD, d, [3], drx_uint16)
        if (me == 0) then
            call drxmp_put(a, int([1, -1, 7], int16), bits=.true.)
            call drxmp_darray_put(d, int([1, -1, 7], int16), bits=.true.)
        end if
        call drx_sync(a)
        call drxmp_darray_sync(d)
        call drxmp_acc(a, int([1, 0, 2], int16), bits=.true.)
        call drxmp_darray_acc(d, int([1, 0, 2], int16), bits=.true.)
        call drx_sync(a)
        call drxmp_darray_sync(d)
        call drxmp_get(a, x, bits=.true.)
        call hold(all(x == [1 + ranks, -1, 7 + 2*ranks]), 'bits')
        x = 0
        call drxmp_darray_get(d, x, bits=.true.)
        call hold(all(x == [1 + ranks, -1, 7 + 2*ranks]), 'bits of a darray')
        call drxmp_get(a, x, stat=stat, errmsg=message)
        call hold_refused(drx_emismatch, 'uint16|integer(int16)|bits=.true.')
        call drx_close(d)
        call drx_close(a)
    end subroutine

    subroutine one_sided()
        type(drxmp_darray) :: d
        integer(int64) :: x(6, 2), old, sums(3, 3)
        integer :: j

        call drxmp_darray_create(MPI_COMM_WORLD, d, [6, 5], drx_int64)
        if (me == 0) call drxmp_darray_put(d, reshape([(int(j, int64), j=1, 30)], [6, 5]))
        call drxmp_darray_sync(d)
        call drxmp_darray_get(d, x(6:1:-1, :), start=[1, 2], count=[6, 2], stride=[1, 3])
        call hold(all(x(6:1:-1, 1) == [7, 8, 9, 10, 11, 12]) .and. all(x(:, 2) == [30, 29, 28, 27, 26, 25]), 'get')
        call drxmp_darray_sync(d)
        sums = 1
        call drxmp_darray_acc(d, sums, start=[2, 2])
        call drxmp_darray_fetch_add(d, [1, 1], 10, old)
        call drxmp_darray_sync(d)
        call drxmp_darray_get(d, sums, start=[2, 2])
        call hold(all(sums == reshape([8, 9, 10, 14, 15, 16, 20, 21, 22], [3, 3]) + ranks), 'accumulated')
        call drxmp_darray_get(d, sums(1, 1), start=[1, 1])
        call hold(sums(1, 1) == 1 + 10*ranks .and. mod(old, 10_int64) == 1, 'counter')
        call drxmp_darray_get(d, x, start=[2, 1], stat=stat, errmsg=message)
        call hold_refused(drx_erange, 'axis 1|indices 2 to 7|1 to 6')
        call drxmp_darray_put(d, [1.0], start=[2, 1], stat=stat, errmsg=message)
        call hold_refused(drx_emismatch, 'int64|real(real32)|integer(int64)')
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
