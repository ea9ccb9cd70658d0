! Datasets, their transactions and commits: of one process or, with TOGETHER, of many.
program test_f_datasets
    use, intrinsic :: iso_fortran_env
#ifdef TOGETHER
#define ON MPI_COMM_WORLD,
    use mpi_f08
    use drxmp, array => drxmp_array, dataset => drxmp_dataset, create => drxmp_dataset_create, open => drxmp_dataset_open
#else
#define ON
    use drx, array => drx_array, dataset => drx_dataset, create => drx_dataset_create, open => drx_dataset_open
#endif
    use drx, only: drx_array
    use f_testing
    implicit none
    character(len=400) :: message
    integer :: stat, me = 0

#ifdef TOGETHER
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    everywhere => agreed
#endif
    call fields()
    call earlier()
    call growth()
    call groups()
    call refused()
    call all_done()
#ifdef TOGETHER
    call MPI_Finalize()
#endif

contains

#ifdef TOGETHER
    logical function agreed(holds)
        logical, intent(in) :: holds

        call MPI_Allreduce(holds, agreed, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
    end function
#endif

    ! What one process does for all.
    subroutine delete(path)
        character(len=*), intent(in) :: path

        if (me == 0) call drx_dataset_delete(path)
        call check(.true., 'deleted')
    end subroutine

    ! Of many processes no dataset is closed at the end of its scope.
    subroutine close_together(ds)
        type(dataset), intent(inout) :: ds

#ifdef TOGETHER
        call drx_close(ds)
#else
        call check(drx_is_open(ds), 'open')
#endif
    end subroutine

    subroutine fields()
        type(dataset) :: ds, other
        type(array) :: u, time, seen
        character(len=:), allocatable :: text
        real(real32) :: wind(3, 2), back(3, 2)
        integer(int64) :: when
        integer :: step

        call create(ON 'run', ds)
        call drx_dataset_add(ds, 'u', drx_spec([3, 2, 0], drx_float32, dims=[character(len=4) :: 'x', 'y', 'time'], fill=-9.0), u)
        call drx_dataset_add(ds, 'time', drx_spec([0], drx_float64, dims=['time']), time)
        call drx_attr_set(ds, 'title', 'a run')
        call drx_attr_set(u, 'units', 'm/s')
        call drx_dataset_commit(ds, 'empty')
        do step = 1, 3
            wind = real(step)
            call drx_dataset_extend(ds, 'time', 1)
            call drx_write(u, wind, start=[1, 1, step])
            call drx_write(time, 3600d0*step, start=[step])
            call drx_dataset_commit(ds, 'step')
        end do
        call open(ON 'run', other)
        call drx_dataset_array(other, 'u', seen)
        call check(drx_shape(seen, 3) == 3 .and. drx_dataset_last(other) == 4 .and. drx_dataset_shown(other) == 4, 'commits')

        call drx_dataset_extend(ds, 'time', 5)
        call drx_write(u, wind, start=[1, 1, 4])
        call drx_dataset_abort(ds)
        call check(drx_shape(u, 3) == 3 .and. drx_dataset_dim_extent(ds, 'time') == 3, 'aborted')
        call drx_dataset_extend(ds, 'time', 1_int64)
        call drx_write(u, 4*wind, start=[1, 1, 4])
        call drx_refresh(other)
        call check(drx_shape(seen, 3) == 3, 'not yet committed')
        call drx_dataset_commit(ds)
        call drx_refresh(other)
        call check(drx_shape(seen, 3) == 4, 'committed')
        call drx_read(seen, back, start=[1, 1, 4])
        call check(all(abs(back - 12) <= 0), 'element of a commit')
        call drx_dataset_commit_info(other, 2, when, text)
        call check(text == 'step' .and. when > 0, 'commit info')
        call drx_dataset_commit_info(other, 17, when, text, stat=stat, errmsg=message)
        call check_refused(stat, drx_erange, message, '17')

        call check(drx_dataset_count(other) == 2 .and. drx_dataset_name(other, 1) == 'u' .and. drx_dataset_name(other, 3) == '' &
                   .and. drx_dataset_has(other, 'time') .and. .not. drx_dataset_has(other, 'v'), 'variables')
        call check(drx_dataset_dim_count(other) == 3 .and. drx_dataset_dim(other, 3) == 'time' .and. &
                   drx_dataset_dim_extent(other, 'x') == 3 .and. drx_dataset_dim_extent(other, 'z') == -1, 'dimensions')
        call drx_attr_get_text(other, 'title', text)
        call check(text == 'a run' .and. drx_attr_count(other) == 1, 'attribute of a dataset')
        call drx_attr_get_text(seen, 'units', text)
        call check(text == 'm/s', 'attribute of a variable')
        call drx_close(other)
        call check(.not. drx_is_open(seen) .and. drx_is_open(u), 'a dataset closes what it lent')
        call drx_close(u)
        call drx_dataset_array(ds, 'u', u)
        call check(drx_shape(u, 3) == 4, 'asked for again')
        call close_together(ds)
    end subroutine

    subroutine earlier()
        type(dataset) :: ds
        type(array) :: u
        real(real32) :: wind(3, 2)

        call open(ON 'run', ds, at=2)
        call drx_dataset_array(ds, 'u', u)
        call check(drx_shape(u, 3) == 1 .and. drx_dataset_shown(ds) == 2, 'an earlier commit')
        call drx_read(u, wind, start=[1, 1, 1])
        call check(all(abs(wind - 1) <= 0), 'its elements')
        call open(ON 'run', ds, at=99, stat=stat, errmsg=message)
        call check_refused(stat, drx_erange, message, '99')
        call check(.not. drx_is_open(ds) .and. .not. drx_is_open(u), 'nothing is open')
    end subroutine

    subroutine growth()
        type(dataset) :: ds
        type(array) :: u
        real(real32) :: x
#ifndef TOGETHER
        integer(int64) :: first
#endif

        call open(ON 'run', ds, drx_rdwr)
        call drx_dataset_extend_before(ds, 'x', 2)
        call drx_dataset_array(ds, 'u', u)
        call check(all(drx_shape(u) == [5, 2, 4]) .and. drx_dataset_dim_lower(ds, 'x') == -2, 'before')
        call drx_read(u, x, start=[3, 1, 2])
        call check(abs(x - 2) <= 0, 'what had index 1 has index 3')
        call drx_read(u, x, start=[2, 1, 2])
        call check(abs(x + 9) <= 0, 'fill')
        call drx_dataset_commit(ds, 'wider')
        call drx_dataset_trim(ds, 'time', before=1)
        call drx_dataset_commit(ds, 'without the first')
        call check(all(drx_shape(u) == [5, 2, 3]), 'trimmed')
        call drx_dataset_add_axis(ds, 'u', 4, 'member')
        call drx_dataset_commit(ds, 'members')
        call drx_dataset_remove(ds, 'time')
        call drx_dataset_commit(ds, 'no time')
        call check(.not. drx_dataset_has(ds, 'time') .and. drx_dataset_dim_extent(ds, 'member') == 1, 'removed')
        call drx_close(ds)
        call open(ON 'run', ds)
        call drx_dataset_array(ds, 'u', u)
        call check(all(drx_shape(u) == [5, 2, 3, 1]), 'one more axis')
        call drx_close(ds)
        call open(ON 'run', ds, drx_rdwr)
        call check(drx_dataset_oldest(ds) == 0, 'nothing forgotten')
        call drx_dataset_compact(ds)
        call drx_dataset_forget(ds, 6)
        call check(drx_dataset_oldest(ds) == 6 .and. drx_dataset_last(ds) == 9, 'forgotten')
        call drx_dataset_forget(ds, 5, stat=stat, errmsg=message)
        call check_refused(stat, drx_erange, message, 'the oldest one is 6')
        call drx_dataset_forget(ds, 7_int64)
        call drx_dataset_commit_info(ds, 6, stat=stat, errmsg=message)
        call check_refused(stat, drx_erange, message, '7')
        call drx_close(ds)
#ifndef TOGETHER
        call open(ON 'run', ds, drx_shared)
        call drx_dataset_extend(ds, 'member', 1, stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, 'drx_dataset_begin')
        call drx_dataset_begin(ds)
        call drx_dataset_extend(ds, 'member', 1)
        call drx_dataset_commit(ds)
        call drx_dataset_reserve(ds, 'member', 2, first)
        call check(first == 2, 'reserved')
        call drx_dataset_reserve_before(ds, 'member', 1_int64, first)
        call check(first == -1 .and. drx_dataset_dim_extent(ds, 'member') == 5, 'reserved before')
#endif
    end subroutine

    subroutine groups()
        type(dataset) :: ds
        type(array) :: temp
        type(drx_array) :: alone
        character(len=:), allocatable :: text
        integer(int64) :: when_n
        integer :: n, number

        call create(ON 'seas', ds)
        call drx_dataset_add_group(ds, 'ocean')
        call drx_dataset_add_group(ds, 'ocean/deep')
        call drx_dataset_add(ds, 'ocean/temp', drx_spec([3], drx_float32, dims=['depth']), temp)
        call drx_dataset_add(ds, 'ocean/deep/salt', drx_spec([3], drx_float32, dims=['depth']))
        call drx_attr_set(ds, 'note', 'of a group', part=drx_group, of='ocean/deep')
        call drx_attr_set(ds, 'n', [1, 2], part=drx_dimension, of='ocean/depth')
        call drx_attr_set(ds, 'units', 'K', part=drx_variable, of='ocean/temp')
        call drx_attr_set(ds, 'title', 'seas')
        call drx_dataset_commit(ds)
        call drx_dataset_set_name(ds, drx_group, 'ocean', 'sea')
        call drx_dataset_set_name(ds, drx_dimension, 'sea/depth', 'sea/level')
        call drx_dataset_commit(ds)
        call check(drx_dataset_group_count(ds) == 2 .and. drx_dataset_group(ds, 2) == 'sea/deep' .and. &
                   drx_dataset_group(ds, 3) == '', 'groups')
        call check(drx_dataset_name(ds, 2) == 'sea/deep/salt' .and. drx_dataset_dim(ds, 1) == 'sea/level' .and. &
                   drx_dim_name(temp, 1) == 'level', 'paths')
        call drx_attr_get_text(ds, 'note', text, part=drx_group, of='sea/deep')
        call check(text == 'of a group' .and. drx_attr_count(ds, drx_group, 'sea/deep') == 1 .and. drx_attr_count(ds) == 1, &
                   'attribute of a group')
        call drx_attr_get_text(temp, 'units', text)
        call check(text == 'K' .and. drx_attr_exists(ds, 'units', drx_variable, 'sea/temp'), 'attribute of a variable')
        call drx_attr_info(ds, 'n', n=when_n, part=drx_dimension, of='sea/level')
        call check(when_n == 2 .and. drx_attr_name(ds, 1, drx_dimension, 'sea/level') == 'n', 'attribute of a dimension')
        call drx_attr_delete(ds, 'n', part=drx_dimension, of='sea/level')
        call drx_attr_get_of(ds, drx_dimension, 'sea/level', 'n', number, stat=stat, errmsg=message)
        call check_refused(stat, drx_enoent, message, 'sea/level has no attribute "n"')
        call drx_attr_set(ds, 'n', 1, stat=stat, errmsg=message, part=drx_group, of='lake')
        call check_refused(stat, drx_enoent, message, "has no group 'lake'")
        call drx_attr_get_of(ds, drx_group, 'lake', 'n', number, stat=stat, errmsg=message)
        call check_refused(stat, drx_enoent, message, "has no group 'lake'")
        call drx_attr_set(temp, 'n', 1, stat=stat, errmsg=message, part=drx_group, of='sea')
        call check_refused(stat, drx_einval, message, 'an array, which has no parts')
        call drx_dataset_add_group(ds, 'lake/deep', stat=stat, errmsg=message)
        call check_refused(stat, drx_enoent, message, "has no group 'lake'")
        call drx_dataset_set_name(ds, drx_variable, 'sea/temp', 'temp', stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, 'stays in its group')
        n = drx_dataset_dim_count(ds)
        call drx_dataset_remove_group(ds, 'sea')
        call check(n == 1 .and. drx_dataset_count(ds) + drx_dataset_group_count(ds) + drx_dataset_dim_count(ds) == 0, 'gone')
        call drx_dataset_abort(ds)
        call check(drx_dataset_count(ds) == 2, 'back')
        call drx_close(ds)
        call drx_open('seas/sea/deep/salt', alone)
        call check(drx_shape(alone, 1) == 3, 'a variable of a group')
        call drx_close(alone)
        call delete('seas')
    end subroutine

    subroutine refused()
        type(dataset) :: ds, second
        type(array) :: u

        call create(ON 'run', ds, stat=stat, errmsg=message)
        call check_refused(stat, drx_eexist, message, 'run')
        call open(ON 'run', ds)
        call drx_dataset_array(ds, 'v', u, stat=stat, errmsg=message)
        call check_refused(stat, drx_enoent, message, 'v')
        call drx_dataset_extend(ds, 'time', 1, stat=stat, errmsg=message)
        call check(stat == drx_eacces, 'opened for reading')
        call open(ON 'run', ds, drx_rdwr)
        call open(ON 'run', second, drx_rdwr, stat=stat, errmsg=message)
        call check_refused(stat, drx_ebusy, message, 'run')
        call drx_dataset_extend(ds, 'z', 1, stat=stat, errmsg=message)
        call check_refused(stat, drx_enoent, message, 'z')
        call drx_dataset_extend(ds, 'time', 1.0, stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, 'by is real(real32), expected an integer')
        call drx_dataset_add(ds, 'v', drx_spec([4], drx_int8, dims=['x']), u, stat=stat, errmsg=message)
        call check_refused(stat, drx_emismatch, message, 'x')
        call drx_dataset_add(ds, 'v', drx_spec([4], drx_int8, dims=['x', 'y']), u, stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, 'dims')
        call drx_dataset_array(ds, 'u', u)
        call drx_extend(u, 3, 1, stat=stat, errmsg=message)
        call check(stat /= drx_ok, 'a variable grows with its dataset')
        call drx_attr_get(ds, 'none', stat, stat=stat, errmsg=message)
        call check_refused(stat, drx_enoent, message, 'the dataset has no attribute "none"')
        call drx_close(ds)
        call drx_dataset_commit(ds, stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, 'not open')
        call delete('run')
        call open(ON 'run', ds, stat=stat)
        call check(stat == drx_enoent, 'deleted')
    end subroutine
end program
