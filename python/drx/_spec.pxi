# The description of a new array.

CODECS = tuple(drx_codec_names().decode().split(", "))


def number_of(value, dtype, what):
    """An array of one element. ValueError, TypeError: `value` is not a number, or not one of the dtype."""
    if dtype.kind in "SU" and isinstance(value, (str, bytes)):
        return fitting_strings(value, dtype)
    given = np.asarray(value, dtype if dtype.kind == "V" else None)
    if given.ndim:
        raise ValueError(f"{what} has {given.ndim} axes, expected one number")
    if dtype.kind == "V":
        return given
    if dtype.kind in "SU":
        raise TypeError(f"{what} is {value!r}, expected {'text' if dtype.kind == 'U' else 'bytes'}")
    if given.dtype.kind not in "biufc" or given.dtype.kind == "c" != dtype.kind:
        raise TypeError(f"{what} is {value!r}, expected a number that is of type {dtype}")
    with np.errstate(invalid="ignore", over="ignore"):
        element = given.astype(dtype)
    if dtype.kind in "iub" and element != given:
        raise ValueError(f"{what} is {value!r}, expected a number that is of type {dtype}")
    return element


def codec_of(compression):
    """(codec, level, shuffle) as in drx_spec, of what drx.create takes by these names. ValueError, TypeError."""
    name, level, shuffle = compression
    if name is None or name == "raw":
        if level is not None or shuffle is not None:
            raise ValueError(f"level {level!r} and shuffle {shuffle!r} are for compressed arrays; give compression")
        return DRX_RAW, 0, 0
    if name not in CODECS:
        raise ValueError(f"compression {name!r}, expected one of {CODECS} or None")
    number = drx_shuffle_named(str("auto" if shuffle is None else shuffle).encode())
    if number < 0:
        raise ValueError(f"shuffle {shuffle!r}, expected 'none', 'byte', 'bit' or None")
    if level is not None:
        level = PyNumber_Index(level)
        if not 1 <= level <= 9:
            raise ValueError(f"level {level}, expected 1 (fast) to 9 (small)")
    return drx_codec_named(name.encode()), level or 0, number


cdef int axis_among(axis, int ndim, dims) except -1:
    """The number of an axis, given as one or by a name. ValueError."""
    if isinstance(axis, str):
        if axis not in (dims or ()):
            raise ValueError(f"grows: no axis has the name {axis!r}, expected one of {dims!r}, or a number")
        return list(dims).index(axis)
    number = PyNumber_Index(axis)
    if not -ndim <= number < ndim:
        raise ValueError(f"grows: axis {number}, expected {-ndim} to {ndim - 1}, or a name")
    return number % ndim


cdef class Spec:
    """A drx_spec, and what it points to."""

    def __init__(self, shape, int code, chunks, fill, dims, bint fortran, unsigned flags, int64_t align, stripes,
                 lower=None, compression=(None, None, None), grows=()):
        cdef cnp.ndarray element
        cdef int ndim = min(len(shape), DRX_MAX_NDIM + 1)

        if ndim > DRX_MAX_NDIM:
            raise ValueError(f"the shape has {len(shape)} axes, expected 1 to {DRX_MAX_NDIM}")
        self.spec.ndim = ndim
        self.spec.type = code
        set_indices(shape, ndim, self._bounds, "shape")
        self.spec.shape = self._bounds
        if chunks is not None:
            set_indices(chunks, ndim, self._extents, "chunks")
            self.spec.chunk = self._extents
        if lower is not None:
            set_indices(lower, ndim, self._first, "lower")
            self.spec.lower = self._first
        self._kept = element = None if fill is None else number_of(fill, dtype_of(code), "fill_value")
        self.spec.fill = NULL if fill is None else cnp.PyArray_DATA(element)
        self.spec.chunk_order = DRX_COL_MAJOR if fortran else DRX_ROW_MAJOR
        self.spec.flags = flags
        self.spec.codec, self.spec.level, self.spec.shuffle = codec_of(compression)
        self.spec.align = align
        if dims is not None:
            self._names = encoded_names(dims, ndim)
            for j in range(ndim):
                self._c_names[j] = NULL if self._names[j] is None else <const char *>self._names[j]
            self.spec.dims = self._c_names
        for axis in grows:
            self.spec.grows |= <uint32_t>1 << axis_among(axis, ndim, dims)
        self._set_stripes([without_nul(os.fsencode(expanded(folder)), "stripe") for folder in stripes or ()])

    def chosen_chunk(self):
        """What DRX takes for the chunk; `chunks` are those of a source, kept if they suit."""
        cdef int64_t chunk[DRX_MAX_NDIM]

        check(drx_choose_chunk(&self.spec, chunk))
        return tuple(chunk[j] for j in range(self.spec.ndim))

    cdef int _set_stripes(self, list folders) except -1:
        self._folders = folders
        if not folders:
            return 0
        self._c_folders = <const char **>PyMem_Malloc(len(folders) * sizeof(char *))
        if self._c_folders == NULL:
            raise MemoryError()
        for j in range(len(folders)):
            self._c_folders[j] = <const char *>folders[j]
        self.spec.nstripes = len(folders)
        self.spec.stripes = self._c_folders
        return 0

    def __dealloc__(self):
        PyMem_Free(self._c_folders)
