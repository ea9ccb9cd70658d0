# cython: language_level=3, boundscheck=False, wraparound=False
"""The binding to drx_dataset.h: open datasets, and the arrays that they lend.

One thread at a time uses a dataset: every call holds `_lock`. An array that a dataset lends belongs to it. The array keeps
the dataset alive, and the dataset closes its arrays before it goes."""

cimport numpy as cnp
from libc.stdint cimport INT64_MAX, int64_t
from libc.string cimport memcpy

from drx._core cimport Elements, Handle, Spec, check, without_nul
from drx._drx cimport *

import contextlib
import os
import threading
import weakref

import numpy as np

from drx._core import dtype_of, type_code

cnp.import_array()

cdef extern from "drx_dataset.h" nogil:
    enum: DRX_DIMENSION
    ctypedef struct drx_dataset:
        pass
    ctypedef struct drx_commit:
        int64_t number
        int64_t time
        const char *message
    ctypedef struct drx_change:
        int kind
        int of
        const char *name
        const char *other
        int axis
        int64_t lower_before
        int64_t upper_before
        int64_t lower
        int64_t upper

    drx_status drx_dataset_create(const char *path, drx_dataset **out)
    drx_status drx_dataset_open(const char *path, int mode, int64_t at, drx_dataset **out)
    drx_status drx_dataset_close(drx_dataset *ds)
    drx_status drx_dataset_refresh(drx_dataset *ds)
    drx_status drx_dataset_replace(const char *path, const char *to)
    drx_status drx_dataset_delete(const char *path)
    int drx_dataset_count(const drx_dataset *ds)
    const char *drx_dataset_name(const drx_dataset *ds, int i)
    int drx_dataset_find(const drx_dataset *ds, const char *name)
    int drx_dataset_ndim(const drx_dataset *ds, int i)
    int drx_dataset_axis(const drx_dataset *ds, int i, int axis)
    int drx_dataset_dim_count(const drx_dataset *ds)
    const char *drx_dataset_dim(const drx_dataset *ds, int d, int64_t *bound)
    int64_t drx_dataset_dim_lower(const drx_dataset *ds, int d)
    int64_t drx_dataset_shown(const drx_dataset *ds)
    int64_t drx_dataset_last(const drx_dataset *ds)
    int64_t drx_dataset_oldest(const drx_dataset *ds)
    int drx_dataset_group_count(const drx_dataset *ds)
    const char *drx_dataset_group(const drx_dataset *ds, int i)
    drx_status drx_dataset_add_group(drx_dataset *ds, const char *path)
    drx_status drx_dataset_add_dim(drx_dataset *ds, const char *path, int64_t lower, int64_t upper)
    drx_status drx_dataset_remove_group(drx_dataset *ds, const char *path)
    drx_status drx_dataset_set_name(drx_dataset *ds, int part, const char *old_path, const char *new_path)
    drx_status drx_dataset_commit_info(const drx_dataset *ds, int64_t number, drx_commit *out)
    drx_status drx_dataset_commit_changes(const drx_dataset *ds, int64_t number, const drx_change **out, int64_t *n)
    drx_status drx_dataset_array(drx_dataset *ds, const char *name, drx_array **out)
    drx_status drx_dataset_add(drx_dataset *ds, const char *name, const drx_spec *spec, drx_array **out)
    drx_status drx_dataset_remove(drx_dataset *ds, const char *name)
    drx_status drx_dataset_begin(drx_dataset *ds)
    drx_status drx_dataset_reserve(drx_dataset *ds, const char *dim, int64_t by, int64_t *first)
    drx_status drx_dataset_reserve_before(drx_dataset *ds, const char *dim, int64_t by, int64_t *first)
    drx_status drx_dataset_extend(drx_dataset *ds, const char *dim, int64_t by)
    drx_status drx_dataset_extend_before(drx_dataset *ds, const char *dim, int64_t by)
    drx_status drx_dataset_trim(drx_dataset *ds, const char *dim, int64_t before, int64_t after)
    drx_status drx_dataset_add_axis(drx_dataset *ds, const char *name, int at, const char *dim)
    drx_status drx_dataset_attr_set(drx_dataset *ds, int part, const char *of, const char *name, drx_type type,
                                    int64_t n, const void *values)
    drx_status drx_dataset_attr_set_text(drx_dataset *ds, int part, const char *of, const char *name, const char *utf8)
    drx_status drx_dataset_attr_get(const drx_dataset *ds, int part, const char *of, const char *name,
                                    drx_type *type, int64_t *n, const void **values)
    drx_status drx_dataset_attr_delete(drx_dataset *ds, int part, const char *of, const char *name)
    int drx_dataset_attr_count(const drx_dataset *ds, int part, const char *of)
    drx_status drx_dataset_attr_info(const drx_dataset *ds, int part, const char *of, int i, const char **name,
                                     drx_type *type, int64_t *n, int *is_text)
    drx_status drx_dataset_commit(drx_dataset *ds, const char *message)
    drx_status drx_dataset_abort(drx_dataset *ds)
    drx_status drx_dataset_forget(drx_dataset *ds, int64_t n)
    drx_status drx_dataset_compact(drx_dataset *ds)


cdef bytes encoded(str text):
    return without_nul(text.encode("utf-8", "surrogateescape"), "name")


def replace(str path, str to):
    """Put a dataset in the place of another one, which is removed."""
    cdef bytes c_path = without_nul(os.fsencode(path), "path"), c_to = without_nul(os.fsencode(to), "path")

    check(drx_dataset_replace(c_path, c_to), to)


def delete(str path):
    """Remove a dataset, and its folder, which holds nothing else."""
    cdef bytes c_path = without_nul(os.fsencode(path), "path")

    check(drx_dataset_delete(c_path), path)


cdef class Lent(Elements):
    """An array that a dataset has lent; the base of drx.dataset.Variable."""

    cdef readonly object dataset
    cdef readonly str name  # its path in the dataset

    def __dealloc__(self):
        self._a = NULL  # belongs to the dataset

    cdef drx_status _c_close(self, drx_array *a) nogil:
        return DRX_OK

    def _renew(self):
        """The dataset has changed: copy the bounds, and the number of axes."""
        with self._lock:
            if self._a != NULL:
                self._copy_axes()


cdef class Store:
    """One drx_dataset; the base of drx.Dataset."""

    cdef drx_dataset *_ds
    cdef object __weakref__
    cdef readonly object path
    cdef readonly str mode
    cdef readonly object _lock
    cdef dict _lent  # name -> weak reference
    cdef list _renamed  # (new name, old name) of this transaction

    def __cinit__(self, *args, **kwargs):
        self._lock = threading.RLock()
        self._lent = {}
        self._renamed = []

    def __dealloc__(self):
        if self._ds != NULL:
            with nogil:
                drx_dataset_close(self._ds)

    @contextlib.contextmanager
    def _opened(self):
        """A context that holds the lock of the dataset, which is open. ValueError: it is closed."""
        with self._lock:
            if self._ds == NULL:
                raise ValueError("the dataset is closed")
            yield

    def _start(self, path, str how, int64_t at):
        """how: 'create', or a mode, 'r', 'r+' or 's'. Returns the library's report."""
        cdef bytes c_path = without_nul(os.fsencode(path), "path")
        cdef const char *name = c_path
        cdef bint create = how == "create"
        cdef int mode = DRX_RDONLY if how == "r" else DRX_SHARED if how == "s" else DRX_RDWR
        cdef drx_status st

        with nogil:
            if create:
                st = drx_dataset_create(name, &self._ds)
            else:
                st = drx_dataset_open(name, mode, at, &self._ds)
        check(st, path)
        self.path = path
        self.mode = "r+" if create else how
        return drx_last_error().decode("utf-8", "replace")

    @property
    def closed(self):
        """bool: whether the dataset is closed."""
        return self._ds == NULL

    def _release(self):
        """Abort the transaction in progress, and close the dataset and its arrays."""
        cdef drx_dataset *ds
        cdef drx_status st

        with self._lock:
            for name in list(self._lent):
                array = self._lent.pop(name)()
                if array is not None:
                    array.close()
            ds = self._ds
            self._ds = NULL
            if ds != NULL:
                with nogil:
                    st = drx_dataset_close(ds)
                check(st, self.path)

    def _renew(self):
        """Arrays that are gone, or replaced, are closed; others get their bounds."""
        cdef bytes c_name
        cdef drx_array *now

        for name, reference in list(self._lent.items()):
            array = reference()
            c_name = encoded(name)
            if array is None:
                del self._lent[name]
            elif (drx_dataset_find(self._ds, c_name) < 0 or drx_dataset_array(self._ds, c_name, &now) != DRX_OK
                  or now != (<Lent>array)._a):
                del self._lent[name]
                array.close()
            else:
                array._renew()

    def _hold(self):
        """A context in which no other thread asks the arrays for attributes and names: they get new ones."""
        held = contextlib.ExitStack()
        for reference in list(self._lent.values()):
            array = reference()
            if array is not None:
                held.enter_context(array._lock)
        return held

    def _names(self):
        with self._opened():
            return [drx_dataset_name(self._ds, i).decode() for i in range(drx_dataset_count(self._ds))]

    def _group_names(self):
        with self._opened():
            return [drx_dataset_group(self._ds, i).decode() for i in range(drx_dataset_group_count(self._ds))]

    def _array(self, str name, Lent new):
        """The array of that name: `new`, or one that is open. KeyError."""
        cdef bytes c_name = encoded(name)
        cdef const char *text = c_name
        cdef drx_status st

        with self._opened():
            if drx_dataset_find(self._ds, text) < 0:
                raise KeyError(name)
            with nogil:
                st = drx_dataset_array(self._ds, text, &new._a)
            check(st, self.path)
            if self.mode == "s":  # the first time it shows what others committed
                self._renew()
            there = self._lent[name]() if name in self._lent else None
            if there is not None and not there.closed:
                if (<Lent>there)._a == new._a:
                    new._a = NULL
                    return there
                there.close()  # of a variable that was replaced
            (<Handle>new)._start(os.path.join(self.path, name), self.mode)
            new.dataset, new.name = self, name
            self._lent[name] = weakref.ref(new)
            return new

    def _dims_of(self, str name):
        """Paths of the dimensions of a variable; () for a scalar."""
        with self._opened():
            i = drx_dataset_find(self._ds, encoded(name))
            if i < 0:
                raise KeyError(name)
            return tuple([drx_dataset_dim(self._ds, drx_dataset_axis(self._ds, i, j), NULL).decode()
                          for j in range(drx_dataset_ndim(self._ds, i))])

    def is_null(self, str name):
        """Whether a variable is null: without elements and without a shape, as null dataspaces of HDF5 are. Its array has
        the shape (0,). KeyError."""
        return self._dims_of(name) == () and drx_dataset_ndim(self._ds, drx_dataset_find(self._ds, encoded(name))) < 0

    def _bounds(self):
        """{dimension: (first index, bound)}"""
        cdef int64_t bound
        cdef const char *name

        bounds = {}
        with self._opened():
            for d in range(drx_dataset_dim_count(self._ds)):
                name = drx_dataset_dim(self._ds, d, &bound)
                bounds[name.decode()] = (drx_dataset_dim_lower(self._ds, d), bound)
        return bounds

    @property
    def dims(self):
        """dict of str to int: the dimensions of all groups, by their paths, and their extents."""
        return {name: bound - lower for name, (lower, bound) in self._bounds().items()}

    @property
    def lower(self):
        """dict of str to int: the index that the first element along each dimension has in the files; see
        `drx.Array.lower`."""
        return {name: lower for name, (lower, _) in self._bounds().items()}

    @property
    def commit_number(self):
        """int: the commit that the dataset shows."""
        with self._opened():
            return drx_dataset_shown(self._ds)

    @property
    def oldest(self):
        """int: the first commit that is there; earlier ones were forgotten."""
        with self._opened():
            return drx_dataset_oldest(self._ds)

    def _commits(self):
        """[(number, microseconds, message, [(kind, part, name, other name, axis, indices before, after)])]"""
        cdef drx_commit c
        cdef const drx_change *of
        cdef int64_t n, i

        commits = []
        with self._opened():
            for number in range(drx_dataset_oldest(self._ds), drx_dataset_last(self._ds) + 1):
                check(drx_dataset_commit_info(self._ds, number, &c))
                check(drx_dataset_commit_changes(self._ds, number, &of, &n))
                commits.append((c.number, c.time, c.message.decode(), [
                    (of[i].kind, of[i].of, of[i].name.decode(), of[i].other.decode(), of[i].axis,
                     range(of[i].lower_before, of[i].upper_before), range(of[i].lower, of[i].upper)) for i in range(n)]))
        return commits

    def _add(self, str name, Spec spec, bint scalar):
        cdef bytes c_name = encoded(name)
        cdef const char *text = c_name
        cdef drx_status st

        if scalar:
            spec.spec.dims = NULL
        with self._opened():
            with nogil:
                st = drx_dataset_add(self._ds, text, &spec.spec, NULL)
            check(st, self.path)

    def remove(self, str name):
        """Remove a variable; its files go after the commit.

        Raises
        ------
        FileNotFoundError, drx.BusyError, ValueError, PermissionError
        """
        cdef bytes c_name = encoded(name)

        with self._opened():
            check(drx_dataset_remove(self._ds, c_name), self.path)

    def _add_group(self, str path):
        cdef bytes c_path = encoded(path)

        with self._opened():
            check(drx_dataset_add_group(self._ds, c_path), self.path)

    def add_dim(self, str path, int64_t length, int64_t first=0):
        """Add a dimension of `length` indices from `first` on, to a group that is there; variables may have it later.

        Raises
        ------
        FileExistsError, FileNotFoundError, OverflowError, ValueError, PermissionError
        """
        cdef bytes c_path = encoded(path)

        with self._opened():
            if length < 0:
                raise ValueError(f"{self.path}: dimension {path!r}: a length of {length}, expected 0 or more")
            if first > 0 and length > INT64_MAX - first:
                raise OverflowError(f"{self.path}: dimension {path!r}: indices would exceed 64 bits")
            check(drx_dataset_add_dim(self._ds, c_path, first, first + length), self.path)

    def remove_group(self, str path):
        """Remove a group with its variables, dimensions and groups, as `remove` does. ValueError: this transaction has
        added it, or something in it."""
        cdef bytes c_path = encoded(path)

        with self._opened():
            check(drx_dataset_remove_group(self._ds, c_path), self.path)

    def _rename(self, int part, str old, str new):
        cdef bytes c_old = encoded(old), c_new = encoded(new)

        with self._opened(), self._hold():
            check(drx_dataset_set_name(self._ds, part, c_old, c_new), self.path)
            if part != DRX_DIMENSION:
                self._renamed.append((new, old))
                self._move(old, new)

    def _move(self, str old, str new):
        """Arrays of a variable, or in a group, that has another name."""
        for name in [name for name in self._lent if name == old or name.startswith(old + "/")]:
            array = self._lent.pop(name)()
            name = new + name[len(old):]
            there = self._lent.pop(name, type(None))()  # of a variable that this transaction has removed
            if there is not None:
                there.close()
            if array is not None:
                self._lent[name] = weakref.ref(array)
                (<Lent>array).name, (<Lent>array).path = name, os.path.join(self.path, name)

    def extend(self, str dim, int64_t by):
        """Grow a dimension, and all variables that have it. What nobody writes reads as the fill value.

        Parameters
        ----------
        dim : str
            Its path.
        by : int
            Indices to add, 0 or more.

        Raises
        ------
        FileNotFoundError
            There is no such dimension.
        ValueError
            It is negative, or the transaction trims that end.
        PermissionError, OverflowError, drx.BusyError, OSError
        """
        self._change(0, dim, by, 0)

    def extend_before(self, str dim, int64_t by):
        """As `extend`, before the first index: what was at index i is at i + by afterwards."""
        self._change(1, dim, by, 0)

    def trim(self, str dim, int64_t before=0, int64_t after=0):
        """Cut indices off a dimension, and off all variables that have it.

        It takes effect at the commit; until then the variables have what they had. Then the space of whole chunks
        goes back to the file system, and no variable of the dimension opens as of an earlier commit that shows more.

        Parameters
        ----------
        dim : str
        before, after : int
            How many of the first, and of the last indices, 0 or more.

        Raises
        ------
        FileNotFoundError
            There is no such dimension.
        IndexError
            It has fewer indices.
        ValueError, PermissionError, drx.BusyError, OSError
        """
        self._change(2, dim, before, after)

    def reserve(self, str dim, int64_t by, bint before=False):
        """Grow a dimension in a transaction of its own, which is committed. The new elements read as the fill value until
        somebody writes them; on a dataset opened with mode 's' that needs no transaction.

        Parameters
        ----------
        dim : str
        by : int
            Indices to add, 0 or more.
        before : bool
            Add them before the first index.

        Returns
        -------
        slice
            The new indices, which no other process gets. They hold until a process grows or trims the low end, and this
            dataset shows it: after `refresh`, `begin` or `reserve`.

        Raises
        ------
        ValueError
            It is negative, or a transaction is in progress.
        FileNotFoundError
            There is no such dimension.
        PermissionError, OverflowError, drx.BusyError, OSError
        """
        cdef bytes c_dim = encoded(dim)
        cdef const char *text = c_dim
        cdef int64_t first
        cdef drx_status st

        with self._opened(), self._hold():
            with nogil:
                if before:
                    st = drx_dataset_reserve_before(self._ds, text, by, &first)
                else:
                    st = drx_dataset_reserve(self._ds, text, by, &first)
            try:
                check(st, self.path)
            finally:
                self._renew()
            first -= self.lower[dim]
            return slice(first, first + by)

    def _change(self, int what, str dim, int64_t by, int64_t after):
        cdef bytes c_dim = encoded(dim)
        cdef const char *text = c_dim
        cdef drx_status st

        with self._opened():
            with nogil:
                if what == 0:
                    st = drx_dataset_extend(self._ds, text, by)
                elif what == 1:
                    st = drx_dataset_extend_before(self._ds, text, by)
                else:
                    st = drx_dataset_trim(self._ds, text, by, after)
            try:
                check(st, self.path)
            finally:
                self._renew()

    def add_axis(self, str name, int at, str dim):
        """Give a variable one more axis; no element moves, and all have index 0 on it.

        It takes effect at the commit, and a transaction that adds axes, to any number of variables, does nothing else.
        An earlier commit shows the variable without the axis.

        Parameters
        ----------
        name : str
            The variable.
        at : int
            The number that the axis gets, 0 for the first one.
        dim : str
            Its dimension, which is new or has the index 0 alone.

        Raises
        ------
        FileNotFoundError
            There is no such variable.
        ValueError
            The dimension has other indices, or something else is pending.
        PermissionError, drx.BusyError, OSError
        """
        cdef bytes c_name = encoded(name), c_dim = encoded(dim)

        with self._opened():
            check(drx_dataset_add_axis(self._ds, c_name, at, c_dim), self.path)

    def forget(self, int64_t n):
        """Forget the commits before number n, with the attributes and removed variables that only they showed.

        Numbers of commits and elements stay. Readers go on; nobody opens an earlier commit any more. No transaction
        may be in progress.

        Parameters
        ----------
        n : int
            The commit that becomes the oldest one.

        Raises
        ------
        IndexError
            There is no commit n.
        PermissionError, drx.BusyError, OSError
        """
        cdef drx_status st

        with self._opened():
            with nogil:
                st = drx_dataset_forget(self._ds, n)
            check(st, self.path)

    def compact(self):
        """Make dataset.xds as short as it can be with all its commits. `drx.Array.compact` of an array that is opened
        alone does the same for its elements.

        Raises
        ------
        PermissionError, drx.BusyError, OSError
        """
        cdef drx_status st

        with self._opened():
            with nogil:
                st = drx_dataset_compact(self._ds)
            check(st, self.path)

    def commit(self, message=None):
        """Make the transaction the next commit. It is durable on return, with all its elements.

        Parameters
        ----------
        message : str, optional
            Without changes and without a message, no commit is made.

        Raises
        ------
        PermissionError, OSError
        """
        cdef bytes c_message = None if message is None else encoded(message)
        cdef const char *text = NULL if message is None else <const char *>c_message
        cdef drx_status st

        with self._opened():
            with nogil:
                st = drx_dataset_commit(self._ds, text)
            check(st, self.path)
            self._renamed.clear()
            self._renew()

    def begin(self):
        """Begin a transaction. A dataset opened with mode 's' needs it before the first change: other processes wait until
        `commit` or `abort`, and the dataset first shows what they committed. `transaction` calls it.

        Raises
        ------
        drx.BusyError
            Another process has begun one, and its files have not changed for 30 s; or another handle of this process.
        ValueError
            A transaction is in progress.
        PermissionError, OSError
        """
        self._show_commit(2)

    def abort(self):
        """Take the transaction back. Arrays of variables that it added are closed."""
        self._show_commit(1)

    def refresh(self):
        """Show the last commit of another process, whole, in the dataset and in its arrays. Those of variables that it has
        removed or given another name are closed."""
        self._show_commit(0)

    def _show_commit(self, int how):
        cdef drx_status st

        with self._opened(), self._hold():
            with nogil:
                if how == 2:
                    st = drx_dataset_begin(self._ds)
                else:
                    st = drx_dataset_abort(self._ds) if how == 1 else drx_dataset_refresh(self._ds)
            while how == 1 and self._renamed:
                self._move(*self._renamed.pop())
            try:
                check(st, self.path)
            finally:
                self._renew()


cdef class Part:
    """A dataset, or a part of it: a source of drx.attributes.Attributes."""

    cdef Store _store
    cdef int _part  # enum drx_part
    cdef bytes _path

    def __cinit__(self, Store store, int part, str path):
        self._store, self._part, self._path = store, part, encoded(path)

    def _attr_names(self):
        cdef const char *name

        names = []
        with self._store._opened():
            for i in range(drx_dataset_attr_count(self._store._ds, self._part, self._path)):
                drx_dataset_attr_info(self._store._ds, self._part, self._path, i, &name, NULL, NULL, NULL)
                names.append(name.decode("utf-8", "surrogateescape"))
        return names

    def _attr_get(self, str name):
        cdef const char *found
        cdef const void *values
        cdef drx_type code
        cdef int64_t n
        cdef int is_text
        cdef cnp.ndarray out
        cdef bytes c_name = name.encode("utf-8", "surrogateescape")

        with self._store._opened():
            for i in range(drx_dataset_attr_count(self._store._ds, self._part, self._path)):
                drx_dataset_attr_info(self._store._ds, self._part, self._path, i, &found, &code, &n, &is_text)
                if found != c_name:
                    continue
                drx_dataset_attr_get(self._store._ds, self._part, self._path, found, NULL, NULL, &values)
                if is_text:
                    return (<const char *>values)[:n].decode("utf-8", "replace")
                out = np.empty(n, dtype_of(code))
                memcpy(cnp.PyArray_DATA(out), values, n * drx_type_size(code))
                return out[0] if n == 1 else out
        raise KeyError(name)

    def _attr_set(self, str name, value):
        cdef bytes c_name = encoded(name)
        cdef bytes text
        cdef drx_status st

        with self._store._opened():
            if isinstance(value, str):
                text = value.encode()
                st = drx_dataset_attr_set_text(self._store._ds, self._part, self._path, c_name, text)
            else:
                st = drx_dataset_attr_set(self._store._ds, self._part, self._path, c_name, type_code(value.dtype),
                                          value.size, cnp.PyArray_DATA(value))
            check(st, self._store.path)

    def _attr_delete(self, str name):
        cdef bytes c_name = encoded(name)
        cdef drx_status st

        with self._store._opened():
            st = drx_dataset_attr_delete(self._store._ds, self._part, self._path, c_name)
        if st == DRX_ENOENT:
            raise KeyError(name)
        check(st, self._store.path)
