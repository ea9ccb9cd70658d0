# Types of elements; Python's objects converted for C.

def type_code(dtype):
    """The number of the element type for a dtype, or anything that NumPy takes as one."""
    dtype = np.dtype(dtype)
    code = drx_type_named(dtype.name.encode())
    if code == 0 or dtype.shape:
        raise TypeError(f"dtype {dtype} cannot be stored, expected int8 to int64, uint8 to uint64, float16, float32, "
                        "float64, complex64, complex128 or bool")
    return code


def convertible(given, stored):
    """Whether a dtype converts to another without losing fractions or imaginary parts."""
    kinds = "b", "iu", "f", "c"
    rank = [[given.kind in kind for kind in kinds], [stored.kind in kind for kind in kinds]]
    return any(rank[0]) and rank[0].index(True) <= rank[1].index(True)


def dtype_of(int code):
    """The dtype for the number of an element type."""
    return np.dtype(drx_type_name(code).decode())


cdef int set_indices(object values, int ndim, int64_t *out, str what) except -1:
    values = tuple(values)
    if len(values) != ndim:
        raise ValueError(f"{what} has {len(values)} entries, expected {ndim}")
    for j in range(ndim):
        try:
            out[j] = PyNumber_Index(values[j])
        except (OverflowError, TypeError) as error:
            raise type(error)(f"{what}, entry {j} is {values[j]!r}, expected an int of 64 bits") from None
    return 0


cdef bytes without_nul(bytes encoded, str what):
    if b"\0" in encoded:
        raise ValueError(f"{what} {encoded!r} has a NUL in it")
    return encoded


cdef list encoded_names(object names, int ndim):
    """Names of axes, as bytes or None."""
    names = (names,) if isinstance(names, str) else tuple(names)
    if len(names) != ndim:
        raise ValueError(f"dims has {len(names)} names, expected {ndim}")
    return [None if name is None else without_nul(str(name).encode(), "dims:") for name in names]
