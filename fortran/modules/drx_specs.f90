! What an array is made from: drx_spec.
module drx_specs
    use, intrinsic :: iso_c_binding
    use drx_handles, only: text_of, c_text, as_int, drx_last_error
    implicit none
    private

    ! Element types. Fortran has no unsigned integers, no float16, and no logical of one byte as C has it: see bits= of
    ! drx_read.
    integer, parameter, public :: drx_int8 = 1, drx_int16 = 2, drx_int32 = 3, drx_int64 = 4, drx_uint8 = 5, &
        drx_uint16 = 6, drx_uint32 = 7, drx_uint64 = 8, drx_float32 = 9, drx_float64 = 10, drx_complex64 = 11, &
        drx_complex128 = 12, drx_float16 = 13, drx_bool = 14
    integer(c_int64_t), parameter, public :: drx_align_auto = -1
    integer, parameter, public :: drx_max_ndim = 32

    ! As struct drxf_spec.
    type, bind(C), public :: c_spec
        integer(c_int32_t) :: ndim = 0, type = 0, flags = 0, row_major = 0, codec = 0, level = 0, shuffle = 0, nstripes = 0
        integer(c_int64_t) :: align = 0
        integer(c_int64_t), dimension(drx_max_ndim) :: shape = 0, chunk = 0, lower = 0
        integer(c_int32_t) :: has_chunk = 0, has_lower = 0, has_fill = 0
        integer(c_int8_t) :: fill(16) = 0
        type(c_ptr) :: dims = c_null_ptr, stripes = c_null_ptr, wrong = c_null_ptr
    end type

    type, public :: drx_spec
        private
        type(c_spec) :: c
        character(kind=c_char, len=:), allocatable :: dims, stripes, wrong
    end type

    interface drx_spec
        module procedure new_spec
    end interface

    public :: described, drx_type_name, drx_type_size

    interface
        integer(c_int) function c_describe(spec, shape, mold, chunk, fill, lower) bind(C, name='drxf_describe')
            import
            type(c_spec), intent(inout) :: spec
            type(*), dimension(..), intent(in), optional :: shape, mold, chunk, fill, lower
        end function

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

        if (present(type)) spec%c%type = type
        if (c_describe(spec%c, shape, mold, chunk, fill, lower) /= 0) call object('drx_spec: '//drx_last_error())
        if (present(dims)) then
            if (size(dims) /= spec%c%ndim) call object('drx_spec: expected as many dims as there are axes')
            spec%dims = packed(dims)
        end if
        if (present(stripes)) then
            spec%c%nstripes = size(stripes)
            spec%stripes = packed(stripes)
        end if
        if (present(codec)) spec%c%codec = c_codec_named(c_text(codec))
        if (spec%c%codec < 0) call object('drx_spec: codec "'//codec//'", expected one of '//text_of(c_codec_names()))
        if (present(shuffle)) spec%c%shuffle = c_shuffle_named(c_text(shuffle))
        if (spec%c%shuffle < 0) call object('drx_spec: shuffle "'//shuffle//'", expected none, byte or bit')
        if (present(level)) spec%c%level = level
        if (present(align)) spec%c%align = align
        spec%c%flags = as_int(replace) + 2*as_int(checksum) + 4*as_int(shell) + 8*as_int(temporary)
        spec%c%row_major = as_int(row_major)

    contains

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

        c = spec%c
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
