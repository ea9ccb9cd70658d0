# Types of elements; Python's objects converted for C.

def type_code(dtype):
    """The number of the element type for a dtype, or anything that NumPy takes as one."""
    dtype = np.dtype(dtype)
    code = drx_type_named((dtype.str[1:] if dtype.kind in "SU" else dtype.name).encode())
    if code == 0 or dtype.shape:
        raise TypeError(f"dtype {dtype} cannot be stored, expected int8 to int64, uint8 to uint64, float16, float32, "
                        "float64, complex64, complex128, bool, S1 to S4096 or U1 to U1024")
    return code


def type_name(dtype):
    """The name of an element type, as `drx info` prints it."""
    return drx_type_name(type_code(dtype)).decode()


def fitting_strings(value, dtype):
    """Strings as an array of the dtype. TypeError: they are no strings of its kind; ValueError: one is longer than the
    dtype."""
    given = np.asarray(value)
    if given.dtype.kind == "O" and all(isinstance(item, str if dtype.kind == "U" else bytes) for item in given.flat):
        given = np.asarray(value, dtype.kind)
    if given.dtype.kind != dtype.kind:
        what = "text" if dtype.kind == "U" else "bytes"
        raise TypeError(f"{value!r} has dtype {given.dtype}, expected {what} of dtype {dtype}")
    if given.dtype.itemsize > dtype.itemsize:
        long = np.char.str_len(given) * given.dtype.alignment > dtype.itemsize
        if long.any():
            first = tuple(int(i) for i in np.argwhere(long)[0]) if given.ndim else ()
            where = f"element {first}, {given[first]!r}," if given.ndim else repr(given[()])
            raise ValueError(f"{where} is longer than dtype {dtype}")
    return given.astype(dtype, copy=False)


def convertible(given, stored):
    """Whether a dtype converts to another without losing fractions or imaginary parts."""
    if "S" in (given.kind, stored.kind) or "U" in (given.kind, stored.kind):
        return given.kind == stored.kind
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
