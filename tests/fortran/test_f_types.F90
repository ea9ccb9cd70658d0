! Each type, in each rank: of one process or, with TOGETHER, of many.
module of_int8
#define TEST test_of_int8
#define ELEMENT integer(int8)
#define VALUE(i) int(mod(i, 100), int8)
#include "round_trip.inc"
end module

module of_int16
#define TEST test_of_int16
#define ELEMENT integer(int16)
#define VALUE(i) int(-300 - (i), int16)
#include "round_trip.inc"
end module

module of_int32
#define TEST test_of_int32
#define ELEMENT integer(int32)
#define VALUE(i) (65537*(i)) ! for i up to 32,767
#include "round_trip.inc"
end module

module of_int64
#define TEST test_of_int64
#define ELEMENT integer(int64)
#define VALUE(i) (10000000019_int64*(i))
#include "round_trip.inc"
end module

module of_real32
#define TEST test_of_real32
#define ELEMENT real(real32)
#define VALUE(i) (0.5_real32*real(i, real32))
#include "round_trip.inc"
end module

module of_real64
#define TEST test_of_real64
#define ELEMENT real(real64)
#define VALUE(i) (1.0_real64/real(i + 3, real64))
#include "round_trip.inc"
end module

module of_complex32
#define TEST test_of_complex32
#define ELEMENT complex(real32)
#define VALUE(i) cmplx(i, -(i), real32)
#include "round_trip.inc"
end module

module of_complex64
#define TEST test_of_complex64
#define ELEMENT complex(real64)
#define VALUE(i) cmplx(0.1_real64*(i), 3*(i), real64)
#include "round_trip.inc"
end module

program test_f_types
    use, intrinsic :: iso_fortran_env, only: int64
#ifdef TOGETHER
    use mpi_f08
#endif
    use f_testing
    use of_int8
    use of_int16
    use of_int32
    use of_int64
    use of_real32
    use of_real64
    use of_complex32
    use of_complex64
    implicit none
    integer, parameter :: rounds = 24
    integer(int64) :: seed = -1
    integer :: me = 0

#ifdef TOGETHER
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    everywhere => agreed
#endif
    if (me == 0) call seed_from_environment()
    if (me == 0) call same_on(seed)
#ifdef TOGETHER
    call MPI_Bcast(seed, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
#endif
    call same_on(seed)
    call test_of_int8(rounds)
    call test_of_int16(rounds)
    call test_of_int32(rounds)
    call test_of_int64(rounds)
    call test_of_real32(rounds)
    call test_of_real64(rounds)
    call test_of_complex32(rounds)
    call test_of_complex64(rounds)
    call all_done()
#ifdef TOGETHER
    call MPI_Finalize()

contains

    logical function agreed(holds)
        logical, intent(in) :: holds

        call MPI_Allreduce(holds, agreed, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
    end function
#endif
end program
