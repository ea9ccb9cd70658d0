# An open array: opening and closing, what it is, growth, names and attributes.

cdef class Handle:
    """One drx_array; the base of drx.Array."""

    def __cinit__(self, *args, **kwargs):
        self._lock = threading.RLock()
        self._requests = set()

    def __dealloc__(self):
        if self._a != NULL:
            with nogil:
                drx_close(self._a)

    cdef int _start(self, object path, str mode) except -1:
        """Copy the constants of an array after `_a` is set."""
        self.dtype = dtype_of(drx_dtype(self._a))
        self._item_bytes = self.dtype.itemsize
        self._numbers = holds_numbers(self.dtype)
        self._copy_axes()
        self.path = path
        self.mode = mode
        return 0

    cdef void _copy_axes(self):
        self._ndim = drx_ndim(self._a)
        memcpy(self._chunk, drx_chunk(self._a), self._ndim * sizeof(int64_t))
        self._copy_shape()

    cdef void _copy_shape(self):
        memcpy(self._lower, drx_lower(self._a), self._ndim * sizeof(int64_t))
        memcpy(self._shape, drx_shape(self._a), self._ndim * sizeof(int64_t))

    cdef int _enter(self) except -1:
        """Begin a call of the library; ValueError: the array is closed."""
        if self._a == NULL or self._closing:
            raise ValueError("the array is closed")
        self._users += 1
        return 0

    cdef int _done(self, drx_status st) except -1:
        """End a call that `_enter` began; raise its error."""
        self._users -= 1
        return check(st, self.path)

    cdef int _done_changing(self, drx_status st) except -1:
        """The same for a call that may have changed the bounds."""
        self._copy_shape()
        return self._done(st)

    def _create(self, path, Spec spec):
        """Create the array and open it; path None: in memory."""
        cdef bytes encoded = None if path is None else without_nul(os.fsencode(path), "path")
        cdef const char *c_path = NULL if path is None else <const char *>encoded
        cdef drx_status st

        with nogil:
            st = self._c_create(c_path, &spec.spec)
        check(st, path)
        self._start(path, "r+")

    def _open(self, path, str mode):
        """Open the array. Returns the library's report: a torn tail, or damage; or ""."""
        cdef bytes encoded = without_nul(os.fsencode(path), "path")
        cdef const char *c_path = encoded
        cdef int c_mode = DRX_RDONLY if mode == "r" else DRX_SHARED if mode == "s" else DRX_RDWR
        cdef drx_status st

        with nogil:
            st = self._c_open(c_path, c_mode)
        check(st, path)
        self._start(path, mode)
        return drx_last_error().decode("utf-8", "replace")

    @property
    def closed(self):
        """bool: whether the array is closed."""
        return self._a == NULL or self._closing

    def close(self):
        """Close the array. Other threads finish the calls that they have begun, and requests are waited for.

        Closing twice does nothing. Data that was not synced is handed to the operating system, but a power cut may
        still lose it.

        Raises
        ------
        OSError
            The operating system refused some data, perhaps those of an asynchronous write. The array is closed all the
            same.
        """
        cdef drx_array *a
        cdef drx_status st

        failed = None
        self._closing = True
        while self._users > 0:
            time.sleep(0.0005)
        for request in list(self._requests):
            failed = request._finish() or failed
        a = self._a
        self._a = NULL
        if a != NULL:
            with nogil:
                st = self._c_close(a)
            check(st, self.path)
        if failed is not None:
            raise failed

    # ---- calls that arrays of many processes make together; _mp.pyx has theirs ----

    cdef drx_status _c_create(self, const char *path, const drx_spec *spec) nogil:
        return drx_create(path, spec, &self._a)

    cdef drx_status _c_open(self, const char *path, int mode) nogil:
        return drx_open(path, mode, &self._a)

    cdef drx_status _c_close(self, drx_array *a) nogil:
        return drx_close(a)

    cdef drx_status _c_sync(self) nogil:
        return drx_sync(self._a)

    cdef drx_status _c_compact(self) nogil:
        return drx_compact(self._a)

    cdef drx_status _c_refresh(self) nogil:
        return drx_refresh(self._a)

    cdef drx_status _c_persist(self, unsigned flags) nogil:
        return drx_persist(self._a, flags)

    cdef drx_status _c_extend(self, int axis, int64_t by, bint before) nogil:
        return drx_extend_before(self._a, axis, by) if before else drx_extend(self._a, axis, by)

    cdef drx_status _c_trim(self, int axis, int64_t before, int64_t after) nogil:
        return drx_trim(self._a, axis, before, after)

    cdef drx_status _c_add_axis(self, int at, const char *name) nogil:
        return drx_add_axis(self._a, at, name)

    cdef drx_status _c_rename(self, int axis, const char *name) nogil:
        return drx_dim_rename(self._a, axis, name)

    cdef drx_status _c_attr_set_text(self, const char *name, const char *text) nogil:
        return drx_attr_set_text(self._a, name, text)

    cdef drx_status _c_attr_set(self, const char *name, drx_type code, int64_t n, const void *values) nogil:
        return drx_attr_set(self._a, name, code, n, values)

    cdef drx_status _c_attr_delete(self, const char *name) nogil:
        return drx_attr_delete(self._a, name)

    # ---- the whole array ----

    def sync(self):
        """Make everything done so far durable: it survives a power cut once this returns.

        Raises
        ------
        OSError
            The device failed or is full.
        """
        cdef drx_status st

        with self._lock:  # where several processes write, it reads what the others have set
            self._enter()
            with nogil:
                st = self._c_sync()
            self._done_changing(st)

    def compact(self):
        """Sync, and replace the log by the shortest one with the same meaning.

        Attributes and names that were set again since are dropped, and growths are joined where no address changes.
        `sync` compacts long, mostly obsolete logs automatically.

        Raises
        ------
        OSError
            The array is open to read only, or the device failed; the old log stays.
        """
        cdef drx_status st

        self._enter()
        with nogil:
            st = self._c_compact()
        self._done(st)

    def refresh(self):
        """See what other processes have committed since: growth, attributes, names.

        Raises
        ------
        FileNotFoundError, ValueError
            The path no longer names this array. The handle stays as it was.
        """
        cdef drx_status st

        with self._lock:
            self._enter()
            with nogil:
                st = self._c_refresh()
            self._done_changing(st)

    def persist(self, bint overwrite=False):
        """Give a temporary array its name, so that it stays after it is closed.

        Parameters
        ----------
        overwrite : bool
            Replace an array that has the name.

        Raises
        ------
        FileExistsError, drx.BusyError, OSError
            The array stays temporary.
        """
        cdef drx_status st
        cdef unsigned flags = DRX_REPLACE if overwrite else 0

        with self._lock:
            self._enter()
            with nogil:
                st = self._c_persist(flags)
            self._done(st)

    # ---- inquiry ----

    @property
    def shape(self):
        """tuple of int: the bounds, in elements along each axis."""
        return tuple([self._shape[j] for j in range(self._ndim)])

    @property
    def lower(self):
        """tuple of int: what the file and the C library call the first index of each axis.

        Python numbers from 0 there. It falls when the array grows at its low end and rises when it is trimmed there, so
        that in the file the index of an element never changes.
        """
        return tuple([self._lower[j] for j in range(self._ndim)])

    @property
    def chunks(self):
        """tuple of int: the extents of a chunk, in elements along each axis."""
        return tuple([self._chunk[j] for j in range(self._ndim)])

    @property
    def ndim(self):
        """int: the number of axes."""
        return self._ndim

    def _describe(self):
        """(fill value, order, flags, align, folders of the stripes, (codec, level, shuffle)); Nones for raw chunks."""
        cdef drx_spec spec

        with self._lock:
            self._enter()
            drx_describe(self._a, &spec)
            fill = np.zeros((), self.dtype)
            if spec.fill != NULL:
                memcpy(cnp.PyArray_DATA(fill), spec.fill, self._item_bytes)
            stripes = [os.fsdecode(spec.stripes[j]) for j in range(spec.nstripes)]
            self._users -= 1
        codec = (None, None, None) if spec.codec == DRX_RAW else (
            drx_codec_name(spec.codec).decode(), spec.level, drx_shuffle_name(spec.shuffle).decode())
        return fill[()], "F" if spec.chunk_order == DRX_COL_MAJOR else "C", spec.flags, spec.align, stripes, codec

    def _initial_shape(self):
        cdef const int64_t *bounds

        with self._lock:
            self._enter()
            bounds = drx_initial_shape(self._a)
            shape = tuple([bounds[j] for j in range(self._ndim)])
            self._users -= 1
        return shape

    def _growth(self):
        """[(axis, by)] since it was created; at the low end `by` is negative."""
        cdef int axis
        cdef int64_t by

        growths = []
        with self._lock:
            self._enter()
            for i in range(drx_growth_count(self._a)):
                drx_growth(self._a, i, &axis, &by)
                growths.append((axis, by))
            self._users -= 1
        return growths

    @property
    def nchunks(self):
        """int: the number of addresses of chunks, 0 to nchunks - 1, also of those that were trimmed since."""
        with self._lock:
            self._enter()
            count = drx_chunk_count(self._a)
            self._users -= 1
        return count

    def chunk_address(self, index):
        """The linear address of a chunk: F* of the paper (Otoo and Rotem 2009, section III).

        Parameters
        ----------
        index : sequence of int
            The index of the chunk, in chunks along each axis. Chunk i begins at index i times the chunk's extent, counted as
            `lower` is: so it may be negative.

        Returns
        -------
        int
            The chunk begins at this number times the bytes of a chunk in the data file.

        Raises
        ------
        IndexError
            There is no such chunk.
        """
        cdef int64_t at[DRX_MAX_NDIM]
        cdef int64_t address = 0
        cdef drx_status st

        set_indices(index, self._ndim, at, "index")
        with self._lock:
            self._enter()
            st = drx_chunk_address(self._a, at, &address)
            self._done(st)
        return address

    def chunk_index(self, address):
        """The index of the chunk at a linear address: the inverse of F*.

        Parameters
        ----------
        address : int
            0 to nchunks - 1.

        Returns
        -------
        tuple of int
            In chunks along each axis.

        Raises
        ------
        IndexError
            No chunk has this address, or it was trimmed.
        """
        cdef int64_t at[DRX_MAX_NDIM]
        cdef int64_t c_address
        cdef drx_status st

        set_indices((address,), 1, &c_address, "address")
        with self._lock:
            self._enter()
            st = drx_chunk_index(self._a, c_address, at)
            self._done(st)
        return tuple([at[j] for j in range(self._ndim)])

    # ---- growth ----

    def extend(self, axis, by, bint before=False):
        """Grow an axis. No stored element moves, and new elements read as the fill value.

        Parameters
        ----------
        axis : int or str
            From -ndim to ndim - 1, or the name of the axis.
        by : int
            Indices to add, 0 or more.
        before : bool
            Add them before the first index, which then gets the number `by`.

        Raises
        ------
        ValueError, PermissionError, OverflowError, OSError
            The array is unchanged.
        """
        cdef int c_axis = self._axis(axis)
        cdef int64_t c_by
        cdef drx_status st

        set_indices((by,), 1, &c_by, "by")
        with self._lock:
            self._enter()
            with nogil:
                st = self._c_extend(c_axis, c_by, before)
            self._done_changing(st)

    def trim(self, axis, before=0, after=0):
        """Drop indices at the ends of an axis. Their elements are gone for good.

        Chunks that are left without an index go back to the file system at the next `sync`. An array that is appended to at
        one end and trimmed at the other takes a bounded part of the disk.

        Parameters
        ----------
        axis : int or str
            From -ndim to ndim - 1, or the name of the axis.
        before, after : int
            How many of the first and of the last indices, 0 or more.

        Raises
        ------
        IndexError, ValueError, PermissionError, OSError
            The array is unchanged.
        """
        cdef int c_axis = self._axis(axis)
        cdef int64_t c_by[2]
        cdef drx_status st

        set_indices((before, after), 2, c_by, "before and after")
        with self._lock:
            self._enter()
            with nogil:
                st = self._c_trim(c_axis, c_by[0], c_by[1])
            self._done_changing(st)

    def add_axis(self, at=0, name=None):
        """Give the array one more axis, of extent 1, without moving an element. It grows as any other.

        Other handles of the array, and views of them, go on with the axes that they know; open it again.

        Parameters
        ----------
        at : int or str
            Its number, 0 to ndim, or the name of the axis that it comes before; the others from there on follow it.
        name : str, optional

        Raises
        ------
        ValueError, PermissionError, drx.BusyError, OSError
            The array is unchanged.
        """
        cdef int64_t c_at
        cdef bytes encoded = without_nul((name or "").encode(), "name")
        cdef const char *c_name = encoded
        cdef drx_status st

        if isinstance(at, str):
            at = self._axis(at)
        set_indices((at,), 1, &c_at, "at")
        if not 0 <= c_at <= self._ndim:
            raise ValueError(f"a new axis {at}, expected 0 to {self._ndim}")
        with self._lock:
            if self._requests:
                raise ValueError("requests are pending: wait for them first")
            self._enter()
            with nogil:
                st = self._c_add_axis(c_at, c_name)
            self._copy_axes()
            self._done(st)

    def reserve(self, axis, by, bint before=False):
        """Grow an axis and own the new box: no other process that shares the array gets these indices.

        The box may be written at any time, and reads as the fill value until then.

        Parameters
        ----------
        axis : int or str
            From -ndim to ndim - 1, or the name of the axis.
        by : int
            Indices to add, 0 or more.
        before : bool
            Before the first index.

        Returns
        -------
        tuple of slice
            The new box: ``a[a.reserve(0, 2)] = data``.

        Raises
        ------
        ValueError, PermissionError, OverflowError, drx.BusyError, OSError
            The array is unchanged.
        """
        cdef int64_t lo[DRX_MAX_NDIM]
        cdef int64_t count[DRX_MAX_NDIM]
        cdef int c_axis = self._axis(axis)
        cdef int64_t c_by
        cdef drx_status st

        set_indices((by,), 1, &c_by, "by")
        with self._lock:
            self._enter()
            with nogil:
                if before:
                    st = drx_reserve_before(self._a, c_axis, c_by, lo, count)
                else:
                    st = drx_reserve(self._a, c_axis, c_by, lo, count)
            self._done_changing(st)
            first = self.lower
        return tuple([slice(lo[j] - first[j], lo[j] - first[j] + count[j]) for j in range(self._ndim)])

    cdef int _axis(self, object axis) except -1:
        if isinstance(axis, str):
            names = self.dims
            if names.count(axis) != 1:
                raise ValueError(f"{names.count(axis)} axes are named {axis!r}; the names are {names}")
            return names.index(axis)
        axis = PyNumber_Index(axis)
        if not -self._ndim <= axis < self._ndim:
            raise ValueError(f"axis {axis} is out of bounds for an array of {self._ndim} axes")
        return axis + self._ndim if axis < 0 else axis

    def _axis_number(self, axis):
        """0 or more, of a number or a name. ValueError: there is no such axis."""
        return self._axis(axis)

    # ---- names and attributes ----

    @property
    def dims(self):
        """tuple of str or None: the names of the axes. Assign a tuple to rename them."""
        cdef const char *name

        names = []
        with self._lock:
            self._enter()
            for j in range(self._ndim):
                name = drx_dim_name(self._a, j)
                names.append(None if name == NULL else name.decode("utf-8", "replace"))
            self._users -= 1
        return tuple(names)

    @dims.setter
    def dims(self, names):
        cdef drx_status st = DRX_OK
        cdef const char *c_name

        names = encoded_names(names, self._ndim)
        with self._lock:
            self._enter()
            for j, encoded in enumerate(names):
                c_name = NULL if encoded is None else <const char *>encoded
                if st == DRX_OK:
                    st = self._c_rename(j, c_name)
            self._done(st)

    def _attr_names(self):
        cdef const char *name

        names = []
        with self._lock:
            self._enter()
            for i in range(drx_attr_count(self._a)):
                drx_attr_info(self._a, i, &name, NULL, NULL, NULL)
                names.append(name.decode("utf-8", "surrogateescape"))
            self._users -= 1
        return names

    def _attr_get(self, str name):
        """str, a scalar, or an array; KeyError."""
        cdef const char *found
        cdef const void *values
        cdef drx_type code
        cdef int64_t n
        cdef int is_text
        cdef cnp.ndarray out

        encoded = name.encode("utf-8", "surrogateescape")
        with self._lock:
            self._enter()
            try:
                for i in range(drx_attr_count(self._a)):
                    drx_attr_info(self._a, i, &found, &code, &n, &is_text)
                    if found != <bytes>encoded:
                        continue
                    drx_attr_get(self._a, found, NULL, NULL, &values)
                    if is_text:
                        return (<const char *>values)[:n].decode("utf-8", "replace")
                    out = np.empty(n, dtype_of(code))
                    memcpy(cnp.PyArray_DATA(out), values, n * drx_type_size(code))
                    return out[0] if n == 1 else out
            finally:
                self._users -= 1
        raise KeyError(name)

    def _attr_set(self, str name, value):
        """`value`: str, or a contiguous array."""
        cdef bytes encoded = without_nul(name.encode("utf-8", "surrogateescape"), "attribute")
        cdef bytes text
        cdef drx_status st = DRX_OK

        with self._lock:
            self._enter()
            try:
                if isinstance(value, str):
                    text = value.encode()
                    st = self._c_attr_set_text(encoded, text)
                else:
                    st = self._c_attr_set(encoded, type_code(value.dtype), value.size, cnp.PyArray_DATA(value))
            finally:
                self._done(st)

    def _attr_delete(self, str name):
        cdef bytes encoded = name.encode("utf-8", "surrogateescape")
        cdef drx_status st

        with self._lock:
            self._enter()
            st = self._c_attr_delete(encoded)
            self._users -= 1
        if st == DRX_ENOENT:
            raise KeyError(name)
        check(st, self.path)
