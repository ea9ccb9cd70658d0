"""What save_dataset and append_dataset store: one transaction, one commit."""

from __future__ import annotations

import contextlib
import json
import math
import operator
import os
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from drx import _core, _dataset, fitting, form, meaning, packed, places
from drx.dataset import create_dataset, open_dataset
from drx.opening import SUFFIXES, stem

FILE = "dataset.xds"
FULL, SMALL = 1.1, 1 << 16  # bytes stored over those of the elements; and how many are few
is_dataset = places.has_dataset


def folder_of(path):
    """(folder of the dataset, name of the one variable or None), if the path is a dataset or a variable of one."""
    path = path.rstrip("/") or path
    if places.has_array(path) or not is_dataset(path):
        folder, name = os.path.split(stem(path))
        if places.is_host(folder):
            return None
        return (folder or ".", name) if name and is_dataset(folder or ".") else None
    return path, None


# ---- elements --------------------------------------------------------------------------------------------------------

class New(NamedTuple):
    """What a call of save_dataset stores."""

    variables: dict[str, xr.Variable]  #: encoded
    attrs: dict[str, Any]
    chunks: dict[str, int]
    grows: set[str]
    message: str | None
    later: list | None  #: where what dask computes is put, to be stored later; None: it is stored


def added(ds, name, variable, new):
    """Add the array for an encoded variable, and write it."""
    attrs = dict(variable.attrs)
    grows, codec = [dim for dim in variable.dims if dim in new.grows], packed.of(variable.encoding)
    shape = [max(n, ds.dims.get(dim, n)) for dim, n in variable.sizes.items()]  # a trim comes at the commit
    array = ds.add(name, variable.dims, shape, variable.dtype, chunk_of(variable, new.chunks, grows),
                   form.fill_of(attrs, variable.dtype), attrs=form.dumped_attributes(attrs), grows=grows,
                   checksum=bool(variable.encoding.get(packed.CHECKSUM)) and codec[0] is None,  # else it has them anyway
                   **dict(zip(("compression", "level", "shuffle"), codec)))
    write_variable(array, variable, {}, new.later)


def chunk_of(variable, chunks, grows):
    """Extents of a chunk, or None: DRX chooses."""
    asked = {**{dim: n for dim, n in chunks.items() if dim in variable.dims}, **variable.encoding.get(packed.CHUNKS, {})}
    given = {dim: max(sizes) for dim, sizes in zip(variable.dims, variable.chunks or ())}  # dask's
    if not given and len(asked) < variable.ndim:
        given = source_chunk(variable, grows) or {}
    given.update(asked)
    if not given or not variable.dims:
        return None
    try:
        return tuple(max(operator.index(given.get(dim, n)), 1) for dim, n in zip(variable.dims, variable.shape))
    except TypeError:
        raise TypeError(f"chunks {given}, expected integers") from None


def source_chunk(variable, grows):
    """{dim: extent} of a chunk of the file that the variable was read from, if it suits the shape, or None.

    One of DRX or Zarr was chosen for such an array, also where it is small. That of a file of netCDF must not be tiny.
    """
    encoding = variable.encoding
    own = tuple(encoding.get("chunks") or ())
    chunk = own or tuple(encoding.get("chunksizes") or ())
    if len(chunk) != variable.ndim or not chunk:
        return None
    stored = math.prod(-(-n // c) * c for n, c in zip(variable.shape, chunk)) * variable.dtype.itemsize
    if own and stored <= max(FULL * variable.nbytes, SMALL):
        return dict(zip(variable.dims, own))
    spec = _core.Spec(variable.shape, _core.type_code(variable.dtype), chunk, None, variable.dims, False, 0, 0, None,
                      grows=grows)
    return dict(zip(variable.dims, spec.chosen_chunk()))


def write_variable(array, variable, at, later=None):
    """Write values from the indices {dimension: index} on, 0 along others; those of dask block by block, or `later`."""
    data = packed.rounded(variable, array)
    lo = [at.get(dim, 0) for dim in variable.dims]
    if variable.chunks and later is not None:
        later.append((os.path.basename(str(array.path)), data, array.chunks, lo, array.lower))
    elif variable.chunks:
        from drx.dask_store import store_into

        store_into(data, array, lo)
    else:
        array[tuple(slice(i, i + n) for i, n in zip(lo, variable.shape))] = np.asarray(data)


# ---- save ------------------------------------------------------------------------------------------------------------

def save(folder, ds, new, mode, overwrite):
    """Store encoded variables of a dataset, and its attributes.

    Where `overwrite` replaces all variables of a dataset, or mode "w" does, the new dataset is made beside it and takes
    its name.
    """
    if not is_dataset(folder):
        is_new = not os.path.isdir(folder)
        with create_dataset(folder) as stored:
            try:
                fill(stored, new)
            except BaseException:
                if stored.commit_number == 0 and set(os.listdir(folder)) == {FILE}:  # which mode "w-" would refuse
                    with contextlib.suppress(OSError):
                        os.unlink(os.path.join(folder, FILE))
                        if is_new:
                            os.rmdir(folder)
                raise
        return
    if mode == "w-":
        raise FileExistsError(f"{folder}: exists already; mode='a' adds variables to it, mode='w' replaces it")
    with open_dataset(folder, "r+") as stored:
        if mode != "w" and not overwrite:
            new = new._replace(variables=not_stored(stored, folder, ds, new.variables, mode))
        if mode != "w" and (not overwrite or any(name not in new.variables for name in stored)):
            check_extents(stored, folder, new.variables)
            fill(stored, new)
            return
        check_nothing_else(stored, folder)
        place = os.path.abspath(folder)
        beside = os.path.join(os.path.dirname(place), f".{os.path.basename(place)}.new-{os.urandom(4).hex()}")
        with remove_if_left(beside, place), create_dataset(beside) as other:
            fill(other, new)
    with remove_if_left(beside, place):
        _dataset.replace(beside, place)


def not_stored(stored, folder, ds, variables, mode):
    """Without stored coordinates. FileExistsError: others are stored; ValueError: coordinates differ from those."""
    there, data = ([name for name in stored if name in variables and (name in ds.coords) == is_coordinate]
                   for is_coordinate in (True, False))
    if data and mode is None:
        raise FileExistsError(f"{folder}: {', '.join(data)} exists already; leave out what is to stay: "
                              f".drop_vars({data!r}), or pass mode='a' to replace it")
    arrays, coords = ({name: of[name] for name in there} for of in (stored, ds.variables))
    try:
        coords = fitting.encode_like(xr.Dataset(coords=coords), arrays)
        fitting.check_alike(arrays, coords, None, ds, meaning.pairs(arrays, coords))
    except ValueError as error:
        raise ValueError(f"{folder}: {error}; save it elsewhere, leave it out, or pass overwrite=True") from None
    return {name: variable for name, variable in variables.items() if name not in there}


@contextlib.contextmanager
def remove_if_left(beside, place):
    """After an exception nothing stays beside the dataset, if one is in its place."""
    try:
        yield
    except BaseException:
        if is_dataset(beside) and is_dataset(place):
            _dataset.delete(beside)
        raise


def fill(ds, new):
    """Add or replace variables, and set the attributes, in one commit. Other attributes stay."""
    attrs = new.attrs
    quoted = [name for name in json.loads(ds.attrs.get(form.JSON, "[]")) if name not in attrs]
    if quoted and form.JSON in attrs:
        attrs = {**attrs, form.JSON: json.dumps(quoted + json.loads(attrs[form.JSON]))}
    for key in {"coordinates", form.UNLIMITED} & {*attrs} & {*ds.attrs}:
        attrs = {**attrs, key: " ".join(dict.fromkeys(f"{ds.attrs[key]} {attrs[key]}".split()))}
    sizes = {dim: n for variable in new.variables.values() for dim, n in variable.sizes.items()}
    with ds.transaction(new.message):
        ds.attrs.update({name: value for name, value in attrs.items() if not is_same(ds.attrs.get(name), value)})
        for name in [name for name in ds if name in new.variables]:
            ds.remove(name)
        for dim in {*sizes} & {*ds.dims}:
            if ds.dims[dim] < sizes[dim]:
                ds.extend(dim, sizes[dim] - ds.dims[dim])
        for name, variable in new.variables.items():
            added(ds, name, variable, new)
        for dim in sizes:
            if ds.dims[dim] > sizes[dim]:
                ds.trim(dim, after=ds.dims[dim] - sizes[dim])


def is_same(a, b):
    """Whether an attribute is stored with that value, of its type."""
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and np.array_equal(a, b)


def check_extents(ds, folder, variables):
    """ValueError if a variable has another extent along a dimension than one that stays."""
    for name, variable in variables.items():
        for dim, n in variable.sizes.items():
            for other in ds:
                if other not in variables and dim in ds.dims_of(other) and ds.dims[dim] != n:
                    raise ValueError(f"{folder}: {name!r} has {n} indices along {dim!r}, the stored variable {other!r} "
                                     f"has {ds.dims[dim]}; save it elsewhere, or replace all variables with that dimension")


def check_nothing_else(ds, folder):
    """ValueError if the folder holds files that are not of the dataset: it is going to be replaced."""
    def is_own(name):  # NAME~N.xta, or NAME.xta.new-..., which never had a name
        base, new, _ = name.partition(".new-")
        return name == FILE or base.endswith(SUFFIXES) and bool(new or base[:-4] in ds or base[:-4].partition("~")[0] in ds)

    other = [name for name in sorted(os.listdir(folder)) if not is_own(name)]
    if other:
        raise ValueError(f"{folder}: is not replaced, since it holds other files, too: {', '.join(other)}")


# ---- append ----------------------------------------------------------------------------------------------------------

def grow(ds, variables, dim, where, later=None):
    """Grow a dimension as a meaning.Place says, and write what is added of variables there."""
    n = where.stop - where.start
    at = {dim: 0 if where.before else ds.dims[dim]}
    (ds.extend_before if where.before else ds.extend)(dim, n)
    for name, variable in variables.items():
        if n:
            write_variable(ds[name], variable[{dim: slice(where.start, where.stop)}], at, later)


def replace(ds, variables, dim, where, later=None):
    """Write what is stored already, as a meaning.Place says, over the stored elements; but not the coordinate."""
    first, stop = (where.stop, len(where.index)) if where.before else (0, where.start)
    for lo, hi in fitting.runs(where.index[first:stop]):
        at = {dim: int(where.index[first + lo])}
        for name, variable in variables.items():
            if name != dim:
                write_variable(ds[name], variable[{dim: slice(first + lo, first + hi)}], at, later)
