! What an array is made from: drx_spec.
module drx_specs
    use, intrinsic :: iso_c_binding
    use drx_handles, only: text_of, c_text, drx_last_error
    implicit none
    private

    ! Element types. Fortran has no unsigned integers, no float16, and no logical of one byte as C has it: see bits= of
    ! drx_read.
    integer, parameter, public :: drx_int8 = 1, drx_int16 = 2, drx_int32 = 3, drx_int64 = 4, drx_uint8 = 5, &
        drx_uint16 = 6, drx_uint32 = 7, drx_uint64 = 8, drx_float32 = 9, drx_float64 = 10, drx_complex64 = 11, &
        drx_complex128 = 12, drx_float16 = 13, drx_bool = 14
    integer(c_int64_t), parameter, public :: drx_align_auto = -1
    integer, parameter, public :: drx_max_ndim = 32

    type, public :: drx_spec
        private
        integer(c_int32_t) :: ndim = 0, type = 0, flags = 0, row_major = 0, codec = 0, level = 0, shuffle = 0, nstripes = 0
        integer(c_int64_t) :: align = 0
        integer(c_int64_t), dimension(drx_max_ndim) :: shape = 0, chunk = 0, lower = 0
        logical :: has_chunk = .false., has_lower = .false., has_fill = .false.
        integer(c_int8_t) :: fill(16) = 0
        character(kind=c_char, len=:), allocatable :: dims, stripes, wrong
    end type

    interface drx_spec
        module procedure new_spec
    end interface

    ! As struct drxf_spec.
    type, bind(C), public :: c_spec
        integer(c_int32_t) :: ndim, type, flags, row_major, codec, level, shuffle, nstripes
        integer(c_int64_t) :: align
        type(c_ptr) :: shape, chunk, lower, fill, dims, stripes, wrong
    end type
    public :: described, drx_type_name, drx_type_size

    interface
        integer(c_int) function c_extents(given, name, expected, n, out) bind(C, name='drxf_extents')
            import
            type(*), dimension(..), intent(in) :: given
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: expected
            integer(c_int), intent(inout) :: n
            integer(c_int64_t), intent(inout) :: out(*)
        end function

        integer(c_int) function c_fill(fill, type, out) bind(C, name='drxf_fill')
            import
            type(*), dimension(..), intent(in) :: fill
            integer(c_int), value :: type
            integer(c_int8_t), intent(inout) :: out(*)
        end function

        subroutine c_mold(mold, type, ndim, shape) bind(C, name='drxf_mold')
            import
            type(*), dimension(..), intent(in) :: mold
            integer(c_int), intent(out) :: type, ndim
            integer(c_int64_t), intent(inout) :: shape(*)
        end subroutine

        integer(c_int) function c_codec_named(name) bind(C, name='drx_codec_named')
            import
            character(kind=c_char), intent(in) :: name(*)
        end function

        type(c_ptr) function c_codec_names() bind(C, name='drx_codec_names')
            import
        end function

        integer(c_int) function c_shuffle_named(name) bind(C, name='drx_shuffle_named')
            import
            character(kind=c_char), intent(in) :: name(*)
        end function

        type(c_ptr) function c_type_name(type) bind(C, name='drx_type_name')
            import
            integer(c_int), value :: type
        end function

        integer(c_size_t) function c_type_size(type) bind(C, name='drx_type_size')
            import
            integer(c_int), value :: type
        end function
    end interface

contains

    ! shape, chunk, lower   integers of any kind, one for each axis
    ! type                  drx_int8, ...; absent: that of mold
    ! mold                  any array or scalar; without shape, an array gives its shape, too
    ! fill                  what elements read as before they are written; else 0
    ! dims                  names of the axes; a blank one: none
    ! codec                 'zstd' or another, with level 1 to 9 and shuffle 'none', 'byte' or 'bit'
    ! checksum              keep a CRC of each chunk
    ! row_major             the order of the elements inside a chunk is that of C
    ! replace, temporary    as DRX_REPLACE and DRX_TEMPORARY of drx.h; shell, align, stripes: likewise
    ! The call that makes the array reports what is wrong with the arguments.
    function new_spec(shape, type, dims, codec, shuffle, stripes, mold, chunk, fill, lower, level, checksum, row_major, &
                      replace, temporary, shell, align) result(spec)
        type(*), dimension(..), intent(in), optional :: shape, mold, chunk, fill, lower
        integer, intent(in), optional :: type, level
        character(len=*), intent(in), optional :: dims(:), codec, shuffle, stripes(:)
        logical, intent(in), optional :: checksum, row_major, replace, temporary, shell
        integer(c_int64_t), intent(in), optional :: align
        type(drx_spec) :: spec
        integer(c_int) :: n

        if (present(mold)) call c_mold(mold, spec%type, spec%ndim, spec%shape)
        if (present(type)) spec%type = type
        if (present(shape)) call judge(c_extents(shape, c_text('shape'), -1_c_int, spec%ndim, spec%shape))
        if (spec%ndim == 0) call object('drx_spec: expected shape, or an array as mold')
        if (spec%type == 0) call object('drx_spec: expected type, or a mold of integers, real or complex numbers')
        if (present(chunk)) call judge(c_extents(chunk, c_text('chunk'), spec%ndim, n, spec%chunk))
        if (present(lower)) call judge(c_extents(lower, c_text('lower'), spec%ndim, n, spec%lower))
        spec%has_chunk = present(chunk)
        spec%has_lower = present(lower)
        spec%has_fill = present(fill)
        if (present(fill)) call judge(c_fill(fill, spec%type, spec%fill))
        if (present(dims)) then
            if (size(dims) /= spec%ndim) call object('drx_spec: expected as many dims as there are axes')
            spec%dims = packed(dims)
        end if
        if (present(stripes)) then
            spec%nstripes = size(stripes)
            spec%stripes = packed(stripes)
        end if
        if (present(codec)) spec%codec = c_codec_named(c_text(codec))
        if (spec%codec < 0) call object('drx_spec: codec "'//codec//'", expected one of '//text_of(c_codec_names()))
        if (present(shuffle)) spec%shuffle = c_shuffle_named(c_text(shuffle))
        if (spec%shuffle < 0) call object('drx_spec: shuffle "'//shuffle//'", expected none, byte or bit')
        if (present(level)) spec%level = level
        if (present(align)) spec%align = align
        call flag(replace, 1)
        call flag(checksum, 2)
        call flag(shell, 4)
        call flag(temporary, 8)
        if (present(row_major)) spec%row_major = merge(1, 0, row_major)

    contains

        subroutine flag(given, bit)
            logical, intent(in), optional :: given
            integer, intent(in) :: bit

            if (.not. present(given)) return
            if (given) spec%flags = spec%flags + bit
        end subroutine

        subroutine judge(status)
            integer(c_int), intent(in) :: status

            if (status /= 0) call object('drx_spec: '//drx_last_error())
        end subroutine

        ! The first objection stays.
        subroutine object(why)
            character(len=*), intent(in) :: why

            if (.not. allocated(spec%wrong)) spec%wrong = why//c_null_char
        end subroutine
    end function

    ! Texts one after another, each with its NUL.
    pure function packed(texts)
        character(len=*), intent(in) :: texts(:)
        character(kind=c_char, len=:), allocatable :: packed
        integer :: i

        packed = ''
        do i = 1, size(texts)
            packed = packed//c_text(texts(i))
        end do
    end function

    ! For C; as long as spec lives.
    function described(spec) result(c)
        type(drx_spec), intent(in), target :: spec
        type(c_spec) :: c

        c = c_spec(spec%ndim, spec%type, spec%flags, spec%row_major, spec%codec, spec%level, spec%shuffle, spec%nstripes, &
                   spec%align, c_loc(spec%shape), c_null_ptr, c_null_ptr, c_null_ptr, c_null_ptr, c_null_ptr, c_null_ptr)
        if (spec%has_chunk) c%chunk = c_loc(spec%chunk)
        if (spec%has_lower) c%lower = c_loc(spec%lower)
        if (spec%has_fill) c%fill = c_loc(spec%fill)
        if (allocated(spec%dims)) c%dims = c_loc(spec%dims)
        if (allocated(spec%stripes)) c%stripes = c_loc(spec%stripes)
        if (allocated(spec%wrong)) c%wrong = c_loc(spec%wrong)
    end function

    ! As NumPy writes it: 'float64'; empty for an unknown one.
    function drx_type_name(type) result(name)
        integer, intent(in) :: type
        character(len=:), allocatable :: name

        name = text_of(c_type_name(int(type, c_int)))
    end function

    ! Bytes of an element.
    integer function drx_type_size(type)
        integer, intent(in) :: type

        drx_type_size = int(c_type_size(int(type, c_int)))
    end function
end module
