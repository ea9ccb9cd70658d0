"""What save_dataset and append_dataset store: one transaction, one commit."""

from __future__ import annotations

import contextlib
import os

import numpy as np

from drx import _dataset, earlier, fitting, form, packed, places
from drx.dataset import create_dataset, open_dataset
from drx.opening import SUFFIXES

FILE = "dataset.xds"


def is_dataset(folder):
    """Whether a folder is a dataset."""
    return places.has_dataset(os.fspath(folder))


def opened(folder):
    """A dataset, open for writing; a folder of arrays becomes one."""
    ds = earlier.adopt(folder) if earlier.is_one(folder) else open_dataset(folder, "r+")
    try:
        earlier.take_attributes(ds)
    except BaseException:
        ds.close()
        raise
    return ds


def folder_of(path):
    """(folder of the dataset, name of the one variable or None), if the path is a dataset or a variable of one."""
    path = os.fspath(path)
    path = path.rstrip("/") or path
    if places.has_array(path) or not is_dataset(path):
        root, suffix = os.path.splitext(path)
        stem = root if suffix in SUFFIXES and not places.has_array(path) else path
        folder, name = os.path.split(stem)
        return (folder or ".", name) if name and is_dataset(folder or ".") else None
    return path, None


# ---- elements --------------------------------------------------------------------------------------------------------

def added(ds, name, variable, chunks):
    """Add the array for an encoded variable, and write it."""
    attrs = dict(variable.attrs)
    array = ds.add(name, variable.dims, variable.shape, variable.dtype, chunk_of(variable, chunks),
                   attrs.get("_FillValue"), attrs=form.dumped_attributes(attrs),
                   **dict(zip(("compression", "level", "shuffle"), packed.of(variable.encoding))))
    write_variable(array, variable, (slice(None),) * array.ndim)


def chunk_of(variable, chunks):
    """Extents of a chunk, or None: DRX chooses."""
    given = dict(variable.encoding.get("preferred_chunks") or {})
    if variable.chunks:  # dask's
        given = dict(zip(variable.dims, variable.chunks))
    given = {dim: max(sizes) if isinstance(sizes, tuple) else sizes for dim, sizes in given.items()}
    given = {**given, **{dim: n for dim, n in chunks.items() if dim in variable.dims},
             **variable.encoding.get(packed.CHUNKS, {})}
    if not given or not variable.dims:
        return None
    return tuple(max(int(given.get(dim, n)), 1) for dim, n in zip(variable.dims, variable.shape))


def write_variable(array, variable, key):
    """Write values to where `key` says; those of dask block by block."""
    data = packed.rounded(variable, array)
    if variable.chunks:
        from drx.dask_store import store_into

        store_into(data, array, tuple(one.indices(n)[0] for one, n in zip(key, array.shape)))
    else:
        array[key] = np.asarray(data)


# ---- save ------------------------------------------------------------------------------------------------------------

def save(folder, variables, attrs, overwrite, chunks, message):
    """Store encoded variables, and the attributes.

    Where all variables of a dataset are replaced, the new dataset is made beside it and takes its name. Where others
    stay, those that are replaced are removed by a commit of their own, because a name is free only after that.
    """
    if not is_dataset(folder) and not earlier.is_one(folder):
        with create_dataset(folder) as ds:
            fill(ds, variables, attrs, chunks, message)
        return
    with opened(folder) as ds:
        taken, stay = [name for name in ds if name in variables], [name for name in ds if name not in variables]
        if taken and not overwrite:
            raise FileExistsError(f"{folder}: {', '.join(taken)} exists already; pass overwrite=True to replace it")
        if not taken or stay:
            check_extents(ds, folder, variables)
            with ds.transaction():
                for name in taken:
                    ds.remove(name)
            fill(ds, variables, attrs, chunks, message)
            return
        check_nothing_else(ds, folder)
        place = os.path.abspath(folder)
        beside = os.path.join(os.path.dirname(place), f".{os.path.basename(place)}.new-{os.urandom(4).hex()}")
        with remove_if_left(beside, place), create_dataset(beside) as new:
            fill(new, variables, attrs, chunks, message)
    with remove_if_left(beside, place):
        _dataset.replace(beside, place)


@contextlib.contextmanager
def remove_if_left(beside, place):
    """After an exception nothing stays beside the dataset, if one is in its place."""
    try:
        yield
    except BaseException:
        if is_dataset(beside) and is_dataset(place):
            _dataset.delete(beside)
        raise


def fill(ds, variables, attrs, chunks, message):
    """Add variables and set the attributes, in one commit."""
    with ds.transaction(message):
        for name in [name for name in ds.attrs if name not in attrs]:
            del ds.attrs[name]
        ds.attrs.update(attrs)
        for name, variable in variables.items():
            added(ds, name, variable, chunks)


def check_extents(ds, folder, variables):
    """ValueError if a variable has another extent than the dataset along a dimension."""
    for name, variable in variables.items():
        for dim, n in zip(variable.dims, variable.shape):
            bound = ds.dims.get(dim, n)
            if bound == n:
                continue
            has = [other for other in ds if other not in variables and dim in ds.dims_of(other)]
            whose = f"the stored variable {has[0]!r}" if has else "the stored dimension"
            raise ValueError(f"{folder}: {name!r} has {n} indices along {dim!r}, {whose} has {bound}; "
                             "save it elsewhere, or replace all stored variables")


def check_nothing_else(ds, folder):
    """ValueError if the folder holds files that are not of the dataset: it is going to be replaced."""
    own = {FILE} | {name + suffix for name in ds for suffix in SUFFIXES}
    other = sorted(set(os.listdir(folder)) - own)
    if other:
        raise ValueError(f"{folder}: is not replaced, since it holds other files, too: {', '.join(other)}")


# ---- append ----------------------------------------------------------------------------------------------------------

def grow(ds, variables, dim, where):
    """Grow a dimension as a meaning.Place says, and write what is added of variables there."""
    n = where.stop - where.start
    lo = 0 if where.before else ds.dims[dim]
    (ds.extend_before if where.before else ds.extend)(dim, n)
    for name, variable in variables.items():
        if n:
            write_variable(ds[name], variable[{dim: slice(where.start, where.stop)}], keys_of(variable, dim, lo, lo + n))


def keys_of(variable, dim, lo, hi):
    """The key of the indices lo <= index < hi of an axis."""
    return tuple(slice(lo, hi) if one == dim else slice(None) for one in variable.dims)


def replace(ds, variables, dim, where):
    """Write what is stored already, as a meaning.Place says, over the stored elements; but not the coordinate."""
    first, stop = (where.stop, len(where.index)) if where.before else (0, where.start)
    for lo, hi in fitting.runs(where.index[first:stop]):
        at = int(where.index[first + lo])
        for name, variable in variables.items():
            if name != dim:
                write_variable(ds[name], variable[{dim: slice(first + lo, first + hi)}],
                               keys_of(variable, dim, at, at + hi - lo))
