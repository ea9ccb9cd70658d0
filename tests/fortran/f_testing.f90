! What the test programs have in common: checks, and random numbers with a seed that DRX_SEED sets and the program prints.
module f_testing
    use, intrinsic :: iso_fortran_env, only: int64, real64, error_unit
    implicit none
    private
    integer :: checks = 0, failures = 0
    integer(int64) :: state = 0

    ! Of a job: whether something holds on all processes.
    abstract interface
        logical function agreement(holds)
            logical, intent(in) :: holds
        end function
    end interface
    procedure(agreement), pointer, public :: everywhere => null()

    public :: check, check_refused, below, seed_from_environment, all_done, same_on, place, nth

contains

    subroutine check(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what

        checks = checks + 1
        if (associated(everywhere)) then
            if (everywhere(holds)) return
        else if (holds) then
            return
        end if
        failures = failures + 1
        if (failures <= 20) write (error_unit, '(2a)') 'FAILED ', what
    end subroutine

    ! A call gave this status, and a message that has all of these words, which stand between bars.
    subroutine check_refused(stat, expected, message, words)
        integer, intent(in) :: stat, expected
        character(len=*), intent(in) :: message, words
        integer :: from, to

        checks = checks + 1
        from = 1
        do while (from <= len(words))
            to = index(words(from:), '|')
            if (to == 0) to = len(words) - from + 2
            if (index(message, words(from:from + to - 2)) == 0) exit
            from = from + to
        end do
        if (stat == expected .and. from > len(words)) return
        failures = failures + 1
        write (error_unit, '(a,i0,4a,i0,2a)') 'FAILED status ', stat, ', "', trim(message), '"', ', expected ', expected, &
            ' and ', words
    end subroutine

    ! 0 <= below < n
    integer function below(n)
        integer, intent(in) :: n

        state = iand(state*1103515245_int64 + 12345_int64, int(z'7fffffff', int64))
        below = int(mod(state/256, int(n, int64)))
    end function

    subroutine seed_from_environment()
        character(len=20) :: text
        integer :: length, status

        call get_environment_variable('DRX_SEED', text, length, status)
        if (status == 0 .and. length > 0) then
            read (text, *) state
        else
            call system_clock(state)
            state = iand(state, int(z'7fffff', int64))
        end if
        write (error_unit, '(a,i0)') 'DRX_SEED=', state
    end subroutine

    ! Processes of a job go on with the same numbers.
    subroutine same_on(seed)
        integer(int64), intent(inout) :: seed

        if (seed < 0) seed = state
        state = seed
    end subroutine

    ! The place of an element of an array in one piece, in the order of Fortran; and the index of the i-th one.
    pure integer function place(index, extents)
        integer, intent(in) :: index(:), extents(:)
        integer :: j

        place = 0
        do j = size(extents), 1, -1
            place = place*extents(j) + index(j) - 1
        end do
        place = place + 1
    end function

    pure function nth(i, extents) result(index)
        integer, intent(in) :: i, extents(:)
        integer :: index(size(extents)), rest, j

        rest = i - 1
        do j = 1, size(extents)
            index(j) = 1 + mod(rest, extents(j))
            rest = rest/extents(j)
        end do
    end function

    subroutine all_done()
        write (error_unit, '(i0,a,i0,a)') checks, ' checks, ', failures, ' failed'
        if (failures > 0 .or. checks == 0) error stop 1
    end subroutine
end module
