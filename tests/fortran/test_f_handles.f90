! Handles: closed when they go out of scope, copied, kept in arrays and in other types; what makes arrays; attributes.
program test_f_handles
    use, intrinsic :: iso_fortran_env
    use drx
    use f_testing
    implicit none

    type named
        character(len=8) :: name
        type(drx_array) :: a
    end type
    character(len=400) :: message
    integer :: stat
    logical :: is_there

    call scopes()
    call copies()
    call containers()
    call many()
    call opened_again()
    call specs()
    call refused_specs()
    call files()
    call attributes()
    call refused_attributes()
    call compressed()
    call all_done()

contains

    ! A second writer is refused as long as the first one is open.
    logical function is_free(path)
        character(len=*), intent(in) :: path
        type(drx_array) :: a

        call drx_open(path, a, drx_rdwr, stat=stat)
        is_free = stat == drx_ok
        call check(is_free .or. stat == drx_ebusy, 'open')
    end function

    subroutine make(path)
        character(len=*), intent(in) :: path
        type(drx_array) :: a

        call drx_create(path, a, drx_spec(shape=[2, 2], type=drx_int32, replace=.true.))
        call check(drx_is_open(a), 'is open')
    end subroutine

    subroutine scopes()
        type(drx_array) :: a
        type(drx_array), allocatable :: b

        call make('one')
        call check(is_free('one'), 'closed at the end of its scope')
        call drx_open('one', a, drx_rdwr)
        call check(.not. is_free('one'), 'locked')
        call drx_close(a)
        call check(is_free('one'), 'closed')
        call drx_close(a)
        call check(.not. drx_is_open(a) .and. drx_ndim(a) == 0 .and. size(drx_shape(a)) == 0, 'closed twice')
        allocate (b)
        call drx_open('one', b, drx_rdwr)
        deallocate (b)
        call check(is_free('one'), 'closed when it is deallocated')
        block
            type(drx_array) :: c

            call drx_open('one', c, drx_rdwr)
        end block
        call check(is_free('one'), 'closed at the end of a block')
    end subroutine

    subroutine copies()
        type(drx_array) :: a, b
        integer(int32) :: x(2, 2)

        call drx_open('one', a, drx_rdwr)
        b = a
        call inner(b)
        call check(drx_is_open(a), 'a copy does not close it')
        call drx_write(b, reshape([1, 2, 3, 4], [2, 2]))
        call drx_read(a, x)
        call check(all(x == reshape([1, 2, 3, 4], [2, 2])), 'a copy is the same array')
        b = b
        call check(drx_is_open(b), 'assigned to itself')
        call drx_close(b)
        call check(.not. drx_is_open(a), 'closed by a copy')
        call drx_read(a, x, stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, 'not open')
        call make('two')
        call drx_open('two', b, drx_rdwr) ! another number
        call check(.not. drx_is_open(a), 'stale')
    end subroutine

    subroutine inner(from)
        type(drx_array), intent(in) :: from
        type(drx_array) :: local

        local = from
        call check(drx_ndim(local) == 2, 'the copy')
    end subroutine

    subroutine containers()
        type(named) :: one, other
        type(drx_array) :: list(3)
        integer :: i

        one%name = 'one'
        call drx_open('one', one%a, drx_rdwr)
        other = one
        call check(drx_is_open(other%a), 'in another type')
        call drx_close(one%a)
        call check(.not. drx_is_open(other%a), 'in another type, closed')
        do i = 1, 3
            call drx_create('', list(i), drx_spec(shape=[i], type=drx_int8))
        end do
        call check(all([(drx_shape(list(i), 1) == i, i=1, 3)]), 'in an array')
        call drx_close(list(2))
        call check(drx_is_open(list(1)) .and. .not. drx_is_open(list(2)), 'one of an array')
    end subroutine

    ! More than the table has room for at first.
    subroutine many()
        type(drx_array) :: list(200)
        integer(int16) :: x(1)
        integer :: i

        do i = 1, 200
            call drx_create('', list(i), drx_spec(shape=[1], type=drx_int16))
            call drx_write(list(i), [int(i, int16)])
            if (mod(i, 3) == 0) call drx_close(list(max(1, i - 1)))
        end do
        do i = 1, 200
            call check(drx_is_open(list(i)) .neqv. mod(i, 3) == 2 .and. i < 200, 'one of many')
            if (drx_is_open(list(i))) call drx_read(list(i), x)
            if (drx_is_open(list(i))) call check(x(1) == i, 'its element')
        end do
    end subroutine

    subroutine opened_again()
        type(drx_array) :: a

        call drx_open('one', a, drx_rdwr)
        call drx_open('two', a, drx_rdwr)
        call check(is_free('one') .and. .not. is_free('two'), 'what a variable had open is closed')
        call drx_open('nothing', a, stat=stat, errmsg=message)
        call check_refused(stat, drx_enoent, message, 'nothing')
        call check(.not. drx_is_open(a) .and. is_free('two'), 'a failure leaves nothing open')
    end subroutine

    subroutine specs()
        type(drx_array) :: a
        type(drx_spec) :: spec
        real(real32) :: x(5, 7)
        complex(real64) :: z(4)

        spec = drx_spec(mold=x, chunk=[2_int64, 3_int64], fill=2.5, dims=[character(len=5) :: 'row', ' '], lower=[-3, 10], &
                        replace=.true.)
        call drx_create('spec', a, spec)
        call check(all(drx_shape(a) == [5, 7]) .and. drx_dtype(a) == drx_float32 .and. all(drx_chunk(a) == [2, 3]), 'spec')
        call check(all(drx_lower(a) == [-3, 10]) .and. all(drx_upper(a) == [1, 16]), 'lower')
        call check(drx_dim_name(a, 1) == 'row' .and. drx_dim_name(a, 2) == '' .and. drx_dim_name(a, 3) == '', 'dims')
        call drx_read(a, x)
        call check(all(abs(x - 2.5) <= 0), 'fill')
        call drx_create('spec', a, spec) ! it is in use by this variable, which closes it
        call drx_create('', a, drx_spec([4], mold=z, fill=(1d0, -1d0), checksum=.false.))
        call drx_read(a, z)
        call check(all(abs(z - (1d0, -1d0)) <= 0) .and. drx_dtype(a) == drx_complex128, 'type of a mold')
        call drx_create('', a, drx_spec(3_int16, drx_uint16, fill=-1_int16))
        call check(drx_type_name(drx_dtype(a)) == 'uint16' .and. drx_type_size(drx_dtype(a)) == 2, 'names of types')
        call check(drx_type_name(77) == '' .and. drx_type_size(77) == 0, 'no type')
        call drx_create('spec', a, drx_spec([2], drx_int8), stat=stat, errmsg=message)
        call check_refused(stat, drx_eexist, message, 'spec')
    end subroutine

    subroutine refused_specs()
        type(drx_array) :: a

        call refuse(drx_spec(type=drx_int8), 'expected shape')
        call refuse(drx_spec([2, 2]), 'expected type')
        call refuse(drx_spec([2, 2], mold=.true.), 'expected type')
        call refuse(drx_spec([2.0, 2.0], drx_int8), 'shape is real(real32), expected an integer')
        call refuse(drx_spec([2, 2], drx_int8, chunk=[2]), 'chunk has 1 elements, expected 2')
        call refuse(drx_spec([2, 2], drx_int8, lower=[2, 3, 4]), 'lower has 3 elements, expected 2')
        call refuse(drx_spec([2, 2], drx_int8, dims=['x']), 'as many dims')
        call refuse(drx_spec([2, 2], drx_int8, fill=1), 'fill is integer(int32)|int8')
        call refuse(drx_spec([2, 2], drx_int8, fill=[1_int8, 1_int8]), 'fill has 2 elements')
        call refuse(drx_spec([2, 2], drx_int8, codec='zip'), 'codec "zip", expected one of zstd, ')
        call refuse(drx_spec([2, 2], drx_int8, shuffle='words'), 'shuffle "words"')
        call refuse(drx_spec([2, -2], drx_int8), 'axis')
        call refuse(drx_spec([2, 2], 99), 'type')
        call refuse(drx_spec([2, 2], drx_int8, chunk=[2, 0]), 'chunk')
        call drx_open('refused', a, stat=stat)
        call check(stat == drx_enoent, 'no array was made')
    end subroutine

    subroutine refuse(spec, words)
        type(drx_spec), intent(in) :: spec
        character(len=*), intent(in) :: words
        type(drx_array) :: a

        call drx_create('refused', a, spec, stat=stat, errmsg=message)
        call check_refused(stat, drx_einval + merge(drx_emismatch - drx_einval, 0, stat == drx_emismatch), message, words)
        call check(.not. drx_is_open(a), 'refused')
    end subroutine

    subroutine files()
        type(drx_array) :: a, b
        integer(int32) :: x(2)

        call drx_create('passing', a, drx_spec([2], drx_int32, temporary=.true.))
        call drx_write(a, [5, 6])
        call drx_open('passing', b, stat=stat)
        call check(stat == drx_enoent, 'temporary')
        call drx_persist(a)
        call drx_sync(a)
        call drx_open('passing', b)
        call drx_extend(a, 1, 1)
        call check(drx_shape(b, 1) == 2, 'before refresh')
        call drx_refresh(b)
        call check(drx_shape(b, 1) == 3, 'after refresh')
        call drx_close(a)
        call drx_rename('passing', 'stays')
        call drx_rename('stays', 'one', stat=stat, errmsg=message)
        call check_refused(stat, drx_eexist, message, 'one')
        call drx_rename('stays', 'one', replace=.true.)
        call drx_open('one', b)
        call drx_read(b, x, start=[1])
        call check(all(x == [5, 6]), 'renamed')
        call drx_close(b)
        call drx_remove('one')
        call drx_remove('one', stat=stat, errmsg=message)
        call check_refused(stat, drx_enoent, message, 'one')
        call check(drx_strerror(drx_enoent) == 'no such array or name', 'strerror')
        call check(index(drx_last_error(), 'one') > 0, 'last_error')
    end subroutine

    subroutine attributes()
        type(drx_array) :: a
        character(len=:), allocatable :: text
        character(len=12) :: short
        integer(int64) :: n
        integer :: numbers(3)
        logical :: is_text

        call drx_create('noted', a, drx_spec([2, 2], drx_int8))
        call drx_attr_set(a, 'units', 'degrees C   ')
        call drx_attr_set(a, 'numbers', [1, 2, 3])
        call drx_attr_set(a, 'z', [(1d0, 2d0), (3d0, 4d0)])
        call drx_attr_set(a, 'empty', '')
        call drx_close(a)
        call drx_open('noted', a, drx_rdwr)
        call check(drx_attr_count(a) == 4 .and. drx_attr_name(a, 1) == 'units' .and. drx_attr_name(a, 5) == '', 'count')
        call drx_attr_get_text(a, 'units', text)
        call check(text == 'degrees C' .and. len(text) == 9, 'text')
        call drx_attr_get(a, 'units', short)
        call check(short == 'degrees C', 'text, into a variable')
        call drx_attr_get_text(a, 'empty', text)
        call check(len(text) == 0, 'an empty text')
        call drx_attr_get(a, 'numbers', numbers(3:1:-1))
        call check(all(numbers == [3, 2, 1]), 'numbers')
        call drx_attr_info(a, 'units', n=n, is_text=is_text)
        call check(n == 9 .and. is_text, 'info of a text')
        call drx_close(a)
    end subroutine

    subroutine refused_attributes()
        type(drx_array) :: a
        character(len=:), allocatable :: text
        character(len=3) :: short
        integer :: numbers(2)
        real(real64) :: x

        call drx_open('noted', a)
        call drx_attr_get(a, 'numbers', x, stat=stat, errmsg=message)
        call check_refused(stat, drx_emismatch, message, '"numbers" is int32|real(real64)|expected integer(int32)')
        call drx_attr_get(a, 'numbers', numbers, stat=stat, errmsg=message)
        call check_refused(stat, drx_emismatch, message, '"numbers" has 3 values|room for 2')
        call drx_attr_get(a, 'units', x, stat=stat, errmsg=message)
        call check_refused(stat, drx_emismatch, message, '"units" is a text')
        call drx_attr_get(a, 'units', short, stat=stat, errmsg=message)
        call check_refused(stat, drx_emismatch, message, '"units" has 9 characters|room for 3')
        call drx_attr_get_text(a, 'z', text, stat=stat, errmsg=message)
        call check_refused(stat, drx_emismatch, message, '"z" is complex128, expected a text')
        call check(len(text) == 0, 'no text')
        call drx_attr_get(a, 'none', x, stat=stat, errmsg=message)
        call check_refused(stat, drx_enoent, message, 'noted|no attribute "none"')
        call drx_attr_set(a, 'units', 'K', stat=stat, errmsg=message)
        call check_refused(stat, drx_eacces, message, 'noted')
        call drx_open('noted', a, drx_rdwr)
        call drx_attr_set(a, 'flag', .true., stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, '"flag"|expected a text, or integers')
        call drx_attr_set(a, 'texts', ['a', 'b'], stat=stat, errmsg=message)
        call check_refused(stat, drx_einval, message, '"texts"')
        call drx_attr_set(a, '', 1, stat=stat, errmsg=message)
        call check(stat == drx_einval, 'no name')
        call drx_attr_delete(a, 'none', stat=stat, errmsg=message)
        call check_refused(stat, drx_enoent, message, 'none')
        call check(drx_attr_count(a) == 4, 'what was refused has changed nothing')
    end subroutine

    ! test_f_types reads and writes such arrays.
    subroutine compressed()
        type(drx_array) :: a

        call drx_create('packed', a, drx_spec([2], drx_int32, codec='zstd', level=3, shuffle='bit'))
        call drx_write(a, [5, 6])
        call drx_create('summed', a, drx_spec([2], drx_int32, checksum=.true., row_major=.true.))
        call drx_write(a, [5, 6])
        call drx_close(a)
        inquire (file='packed.xtz', exist=is_there)
        call check(is_there, 'payloads')
        inquire (file='summed.xcs', exist=is_there)
        call check(is_there, 'checksums')
    end subroutine
end program
