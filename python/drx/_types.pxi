# Types of elements; Python's objects converted for C.

cdef dict _dtypes = {}  # of defined types, by number


def type_code(dtype):
    """The number of the element type for a dtype, or anything that NumPy takes as one."""
    dtype = np.dtype(dtype)
    about = dtype.metadata or {}
    if dtype.shape:
        code = 0
    elif dtype.kind == "V" or dtype.kind in "iu" and ("enum" in about or "bitfield" in about):
        return defined_code(dtype, about)
    else:
        code = drx_type_named((dtype.str[1:] if dtype.kind in "SU" else dtype.name).encode())
    if code == 0:
        raise TypeError(f"dtype {dtype} cannot be stored, expected int8 to int64, uint8 to uint64, float16, float32, "
                        "float64, complex64, complex128, bool, S1 to S4096, U1 to U1024, fields of these, or V1 to V65536")
    return code


cdef int define(drx_type_info *info, list members, drx_type *code) except -1:
    """Define a type; members: (name, type, offset, extents, value as bytes). What is given stays alive meanwhile."""
    cdef cnp.ndarray c_members = np.zeros(max(len(members), 1) * sizeof(drx_member), np.uint8)
    cdef drx_member *member = <drx_member *>cnp.PyArray_DATA(c_members)
    cdef cnp.ndarray extents
    kept = []

    for i, (name, of, offset, shape, value) in enumerate(members):
        extents = np.array(shape or (0,), np.int64)
        kept.append((without_nul(name.encode(), "field"), extents, value))
        member[i].name = <const char *>(<bytes>kept[i][0])
        member[i].type = of
        member[i].offset = offset
        member[i].rank = len(shape)
        member[i].extents = <const int64_t *>cnp.PyArray_DATA(extents)
        member[i].value = NULL if value is None else <const void *><const char *>(<bytes>value)
    info.members = member
    info.nmembers = len(members)
    return check(drx_type_define(info, code))


cdef object defined_code(dtype, about):
    """Of fields, an enum, a bitfield or opaque bytes."""
    cdef drx_type_info info
    cdef drx_type code
    cdef bytes name = without_nul(str(about.get("enum_name") or about.get("name") or "").encode(), "name of a type")
    cdef bytes tag = without_nul(str(about.get("tag", "")).encode(), "tag")

    memset(&info, 0, sizeof(info))
    info.name = name
    info.tag = tag
    info.bytes = dtype.itemsize
    members = []
    if dtype.names is not None:
        info.type_class = DRX_COMPOUND
        for field in dtype.names:
            of, offset = dtype.fields[field][:2]
            members.append((field, type_code(of.base), offset, of.shape, None))
    elif dtype.kind == "V":
        info.type_class = DRX_OPAQUE
    elif "enum" in about:
        info.type_class = DRX_ENUM
        info.base = drx_type_named(dtype.name.encode())
        members = [(one, 0, 0, (), np.array(value, dtype.newbyteorder("=")).tobytes())
                   for one, value in about["enum"].items()]
    else:
        info.type_class = DRX_BITFIELD
        info.first_bit, info.nbits = about["bitfield"]
    define(&info, members, &code)
    return code


cdef object defined_dtype(const drx_type_info *info):
    """The dtype of a defined type, with what NumPy has no word for in its metadata."""
    cdef const drx_member *m
    about = {"enum_name" if info.type_class == DRX_ENUM else "name": info.name.decode()} if info.name[0] else {}

    if info.type_class == DRX_COMPOUND:
        names, formats, offsets = [], [], []
        for i in range(info.nmembers):
            m = &info.members[i]
            names.append(m.name.decode())
            formats.append((dtype_of(m.type), tuple(m.extents[j] for j in range(m.rank))))
            offsets.append(m.offset)
        plain = np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": info.bytes})
    elif info.type_class == DRX_OPAQUE:
        plain = np.dtype(f"V{info.bytes}")
        about.update({"tag": info.tag.decode()} if info.tag[0] else {})
    elif info.type_class == DRX_ENUM:
        plain = dtype_of(info.base)
        about["enum"] = {info.members[i].name.decode(): np.frombuffer(
            (<const char *>info.members[i].value)[:info.bytes], plain)[0].item() for i in range(info.nmembers)}
    else:
        plain = np.dtype(f"u{info.bytes}")
        about["bitfield"] = info.first_bit, info.nbits
    return np.dtype(plain, metadata=about) if about else plain


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
    if "V" in (given.kind, stored.kind):
        return given.kind == stored.kind and np.can_cast(given, stored, "same_kind")
    if "S" in (given.kind, stored.kind) or "U" in (given.kind, stored.kind):
        return given.kind == stored.kind
    kinds = "b", "iu", "f", "c"
    rank = [[given.kind in kind for kind in kinds], [stored.kind in kind for kind in kinds]]
    return any(rank[0]) and rank[0].index(True) <= rank[1].index(True)


def dtype_of(int code):
    """The dtype for the number of an element type."""
    cdef const drx_type_info *info = drx_type_describe(code)

    if info == NULL:
        return np.dtype(drx_type_name(code).decode())
    if code not in _dtypes:
        _dtypes[code] = defined_dtype(info)
    return _dtypes[code]


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
