# Exceptions for the statuses of the library.

_OS_ERRORS = {
    DRX_EIO: errno.EIO, DRX_ENOSPC: errno.ENOSPC, DRX_ENOENT: errno.ENOENT, DRX_EEXIST: errno.EEXIST,
    DRX_EACCES: errno.EACCES,
}
_ERRORS = {
    DRX_EINVAL: ValueError, DRX_ENOMEM: MemoryError, DRX_EOVERFLOW: OverflowError, DRX_EFORMAT: FormatError,
    DRX_EDAMAGED: FormatError, DRX_ECHECKSUM: ChecksumError, DRX_ERANGE: IndexError, DRX_EMISMATCH: ValueError,
    DRX_EMPI: MPIError, DRX_EUNSUPPORTED: NotImplementedError, DRX_EINTERRUPTED: KeyboardInterrupt,
}


cdef object error_of(drx_status st, object path):
    """The exception for a status of the calling thread's last call."""
    detail = drx_last_error().decode("utf-8", "replace")
    text = detail or drx_strerror(st).decode()
    if st == DRX_EBUSY:
        return BusyError(errno.EBUSY, text)
    if st in _OS_ERRORS:
        return OSError(_OS_ERRORS[st], text)  # the detail names the file
    return _ERRORS.get(st, RuntimeError)(text)


cdef int check(drx_status st, object path=None) except -1:
    if st != DRX_OK:
        raise error_of(st, path)
    return 0
