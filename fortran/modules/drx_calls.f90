! The calls of C that the modules drx and drxmp make. What they want is a number, and arguments go by their names.
module drx_calls
    use, intrinsic :: iso_c_binding
    use drx_specs, only: c_spec
    implicit none
    private :: c_spec

    ! As drxf.h has them, with the prefix drxf_.
    enum, bind(C) ! of c_make
        enumerator :: make_array, make_dataset, make_open_array, make_open_dataset
    end enum
    enum, bind(C) ! of c_change
        enumerator :: to_refresh, to_attr_set, to_attr_set_text, to_attr_delete
        enumerator :: to_sync, to_persist, to_extend, to_extend_before, to_trim, to_add_axis, to_dim_rename
        enumerator :: to_remove, to_add_group, to_add_dim, to_remove_group, to_set_name, to_grow, to_grow_before, &
            to_reserve, to_reserve_before, to_shrink, to_widen, to_begin, to_commit, to_abort, to_forget, to_compact
    end enum
    enum, bind(C) ! of c_move, c_element, c_points, c_fetch_add
        enumerator :: move_read, move_write, move_read_all, move_write_all, move_get, move_put, move_add, move_darray_get, &
            move_darray_put, move_darray_add
    end enum
    enum, bind(C) ! of c_number, c_name
        enumerator :: of_ndim, of_dtype, of_axis, of_count, of_has, of_dim_extent, of_dim_lower, of_shown, of_last, &
            of_oldest, of_attrs
    end enum
    enum, bind(C) ! of c_bounds
        enumerator :: bounds_shape, bounds_lower, bounds_chunk, bounds_local_shape, bounds_local_start
    end enum

    interface
        integer(c_int) function c_make(what, path, id, spec, mode, at) bind(C, name='drxf_make')
            import
            integer(c_int), value :: what
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int64_t), intent(out) :: id
            type(c_spec), intent(in), optional :: spec
            integer(c_int), intent(in), optional :: mode
            type(*), dimension(..), intent(in), optional :: at
        end function

        integer(c_int) function c_lend(id, name, spec, array) bind(C, name='drxf_lend')
            import
            integer(c_int64_t), value :: id
            character(kind=c_char), intent(in) :: name(*)
            type(c_spec), intent(in), optional :: spec
            integer(c_int64_t), intent(out) :: array
        end function

        integer(c_int) function c_change(id, what, name, text, part, of, axis, by, before, after, values, first) &
            bind(C, name='drxf_change')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: what
            character(kind=c_char), intent(in), optional :: name(*), text(*), of(*)
            integer(c_int), intent(in), optional :: part
            type(*), dimension(..), intent(in), optional :: axis, by, before, after, values
            integer(c_int64_t), intent(out), optional :: first
        end function

        integer(c_int) function c_move(id, how, values, start, count, stride, bits) bind(C, name='drxf_move')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: how, bits
            type(*), dimension(..) :: values
            type(*), dimension(..), intent(in), optional :: start, count, stride
        end function

        integer(c_int) function c_append(id, before, axis, values, bits, by, start, count) bind(C, name='drxf_append')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: before, bits
            type(*), dimension(..), intent(in) :: axis, values
            type(*), dimension(..), intent(in), optional :: by, start, count
        end function

        integer(c_int) function c_fetch_add(id, how, index, add, old) bind(C, name='drxf_fetch_add')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: how
            type(*), dimension(..), intent(in) :: index, add
            integer(c_int64_t), intent(inout) :: old
        end function

        integer(c_int64_t) function c_number(id, of, name, part) bind(C, name='drxf_number')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: of
            character(kind=c_char), intent(in), optional :: name(*)
            integer(c_int), intent(in), optional :: part
        end function

        type(c_ptr) function c_name(id, of, i, part, path) bind(C, name='drxf_name')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: of, i
            integer(c_int), intent(in), optional :: part
            character(kind=c_char), intent(in), optional :: path(*)
        end function

        subroutine c_bounds(id, which, bounds) bind(C, name='drxf_bounds')
            import
            integer(c_int64_t), value :: id
            integer(c_int), value :: which
            integer(c_int64_t), intent(inout) :: bounds(*)
        end subroutine
    end interface

contains

    ! One for each axis.
    function bounds_of(id, which) result(bounds)
        integer(c_int64_t), intent(in) :: id
        integer(c_int), intent(in) :: which
        integer(c_int64_t), allocatable :: bounds(:)

        allocate (bounds(c_number(id, of_ndim)))
        call c_bounds(id, which, bounds)
    end function
end module
