! drx - dense N-dimensional arrays on disk that grow along every axis, in Fortran. docs/fortran.md describes it.
!
!     use drx
!     type(drx_array) :: a
!     real(real64) :: field(360, 180)
!
!     call drx_create('sst', a, drx_spec(shape=[360, 180, 0], type=drx_float64))
!     call drx_append(a, 3, field)                     ! a month more: 360 x 180 x 1
!     call drx_read(a, field, start=[1, 1, 1])
!     call drx_close(a)
!
! The axes of the array are those of Fortran, in its order, and indices count from 1.
!
! stat    0, or a status such as drx_enoent. Without it an error ends the program
! errmsg  what has failed, and where; unchanged after a success
module drx
    use drx_handles, only: drx_handle, drx_array, drx_dataset, drx_close, drx_is_open, drx_strerror, drx_last_error, drx_ok, &
        drx_einval, drx_enomem, drx_eoverflow, drx_eio, drx_enospc, drx_enoent, drx_eexist, drx_eacces, drx_ebusy, &
        drx_eformat, drx_edamaged, drx_echecksum, drx_erange, drx_emismatch, drx_empi, drx_eunsupported, drx_einterrupted
    use drx_specs, only: drx_spec, drx_int8, drx_int16, drx_int32, drx_int64, drx_uint8, drx_uint16, drx_uint32, &
        drx_uint64, drx_float16, drx_float32, drx_float64, drx_complex64, drx_complex128, drx_bool, &
        drx_align_auto, drx_max_ndim, drx_type_name, drx_type_size
    use drx_arrays
    use drx_elements, only: drx_read, drx_write, drx_get, drx_put, drx_append, drx_prepend, drx_read_points, drx_write_points
    use drx_attributes
    use drx_datasets
    implicit none
    public
end module
