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
from drx.groups import Group, coordinate
from drx.opening import SUFFIXES, stem

FILE = "dataset.xds"
FULL, SMALL = 1.1, 1 << 16  # bytes stored over those of the elements; and how many are few
is_dataset = places.has_dataset


def folder_of(path):
    """(folder of the dataset, path in it or None), if the path is a dataset or may be a variable or a group of one."""
    path = path.rstrip("/") or path
    if is_dataset(path) and not places.has_array(path):
        return path, None
    path = stem(path)
    return None if places.is_lone(path) else places.dataset_above(path)


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
    write_variable(array, array.name, variable, {}, new.later)


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


def write_variable(array, path, variable, at, later=None):
    """Write values from the indices {dimension: index} on, 0 along others; those of dask block by block, or `later`.
    path: of the array in its dataset."""
    data = packed.rounded(variable, array)
    lo = [at.get(dim, 0) for dim in variable.dims]
    if variable.chunks and later is not None:
        later.append((path, data, array.chunks, lo, array.lower))
    elif variable.chunks:
        from drx.dask_store import store_into

        store_into(data, array, lo)
    else:
        array[tuple(slice(i, i + n) for i, n in zip(lo, variable.shape))] = np.asarray(data)


# ---- save ------------------------------------------------------------------------------------------------------------

def save(folder, ds, new, mode, overwrite, group):
    """Store encoded variables of a dataset, and its attributes, in a group; that with the path "" is the root.

    Where `overwrite` replaces all variables of a dataset, or mode "w" does, the new dataset is made beside it and takes
    its name.
    """
    if not is_dataset(folder):
        is_new = not os.path.isdir(folder)
        with create_dataset(folder) as stored:
            try:
                fill(stored, ds, new, group)
            except BaseException:
                if stored.commit_number == 0 and set(os.listdir(folder)) == {FILE}:  # which mode "w-" would refuse
                    with contextlib.suppress(OSError):
                        os.unlink(os.path.join(folder, FILE))
                        if is_new:
                            os.rmdir(folder)
                raise
        return
    if mode == "w-" and not group:
        raise FileExistsError(f"{folder}: exists already; mode='a' adds variables to it, mode='w' replaces it")
    with open_dataset(folder, "r+") as stored:
        if mode == "w-" and group in stored._group_names():
            raise FileExistsError(f"{folder}: group {group!r} exists already; mode='a' adds to it, mode='w' replaces it")
        if mode != "w" and not overwrite:
            new = new._replace(variables=not_stored(Group(stored, group), folder, ds, new.variables, mode))
        if group or mode != "w" and (not overwrite or stored.groups or not {*stored} <= {*new.variables}):
            fill(stored, ds, new, group, mode == "w")
            return
        check_nothing_else(stored, folder)
        place = os.path.abspath(folder)
        beside = os.path.join(os.path.dirname(place), f".{os.path.basename(place)}.new-{os.urandom(4).hex()}")
        with remove_if_left(beside, place), create_dataset(beside) as other:
            fill(other, ds, new, "")
    with remove_if_left(beside, place):
        _dataset.replace(beside, place)


def not_stored(stored, folder, ds, variables, mode):
    """Without stored coordinates. FileExistsError: others are stored; ValueError: coordinates differ from those."""
    there, data = ([name for name in stored if name in variables and (name in ds.coords) == is_coordinate]
                   for is_coordinate in (True, False))
    if data and mode is None:
        raise FileExistsError(f"{folder}: {', '.join(data)} exists already; leave out what is to stay: "
                              f".drop_vars({data!r}), or pass mode='a' to replace it")
    try:
        check_same({name: stored[name] for name in there}, ds)
    except ValueError as error:
        raise ValueError(f"{folder}: {error}; save it elsewhere, leave it out, or pass overwrite=True") from None
    return {name: variable for name, variable in variables.items() if name not in there}


def check_same(arrays, ds):
    """ValueError unless stored coordinates mean the same as those of a dataset."""
    coords = fitting.encode_like(xr.Dataset(coords={name: ds.variables[name] for name in arrays}), arrays)
    fitting.check_alike(arrays, coords, None, ds, meaning.pairs(arrays, coords))


def in_group(stored, group, ds, variables):
    """(the Group, the variables without coordinates that are stored above it). It shares a dimension of a group above
    that has the same extent and coordinates, and else gets its own, unless a variable that stays has that from above."""
    view, own, variables = Group(stored, group), set(), dict(variables)
    used = {path for name in view if name not in variables for path in stored.dims_of(view.at(name))}
    for dim, path in view.seen.items():
        if path == view.at(dim):
            continue
        above = coordinate(stored, path) if dim in variables and dim not in view else None
        try:
            if stored.dims[path] != ds.sizes.get(dim):  # also an axis of the bytes of text
                raise ValueError(f"{dim!r} has {ds.sizes.get(dim)} indices, and {stored.dims[path]} in a group above")
            check_same({} if above is None else {dim: above}, ds)
        except ValueError as error:
            if path in used and dim in ds.sizes:
                raise ValueError(f"{stored.path}: group {group!r}: {error}; save it elsewhere, or mode='w'") from None
            own.add(dim)
        else:
            if above is not None:
                del variables[dim]
    return Group(stored, group, own), variables


@contextlib.contextmanager
def remove_if_left(beside, place):
    """After an exception nothing stays beside the dataset, if one is in its place."""
    try:
        yield
    except BaseException:
        if is_dataset(beside) and is_dataset(place):
            _dataset.delete(beside)
        raise


def fill(stored, data, new, path, as_new=False):
    """Add or replace variables of a group, or all of it (`as_new`), and set attributes, in one commit. Others stay."""
    with stored.transaction(new.message):
        if as_new and path in stored._group_names():
            stored.remove_group(path)
        if path and path not in stored._group_names():
            stored.add_group(path)
        ds, variables = in_group(stored, path, data, new.variables)
        check_extents(ds, variables)
        set_attributes(ds, new.attrs)
        sizes = {dim: n for variable in variables.values() for dim, n in variable.sizes.items()}
        for name in [name for name in ds if name in variables]:
            stored.remove(ds.at(name))
        for dim in {*sizes} & {*ds.dims}:
            if ds.dims[dim] < sizes[dim]:
                stored.extend(ds.seen[dim], sizes[dim] - ds.dims[dim])
        for name, variable in variables.items():
            added(ds, name, variable, new)
        for dim in sizes:
            if ds.dims[dim] > sizes[dim]:
                stored.trim(ds.seen[dim], after=ds.dims[dim] - sizes[dim])


def set_attributes(ds, attrs):
    """Set those of a group. Others stay, and lists of names become longer."""
    quoted = [name for name in json.loads(ds.attrs.get(form.JSON, "[]")) if name not in attrs]
    if quoted and form.JSON in attrs:
        attrs = {**attrs, form.JSON: json.dumps(quoted + json.loads(attrs[form.JSON]))}
    for key in {"coordinates", form.UNLIMITED} & {*attrs} & {*ds.attrs}:
        attrs = {**attrs, key: " ".join(dict.fromkeys(f"{ds.attrs[key]} {attrs[key]}".split()))}
    ds.attrs.update({name: value for name, value in attrs.items() if not is_same(ds.attrs.get(name), value)})


def is_same(a, b):
    """Whether an attribute is stored with that value, of its type."""
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and np.array_equal(a, b)


def check_extents(ds, variables):
    """ValueError if a variable has another extent along a dimension than one that stays, in any group."""
    stored, dims, replaced = ds.dataset, ds.dims, set(map(ds.at, variables))
    for name, variable in variables.items():
        for dim, n in variable.sizes.items():
            for other in stored if dims.get(dim, n) != n else ():
                if other not in replaced and ds.seen[dim] in stored.dims_of(other):
                    raise ValueError(f"{stored.path}: {name!r} has {n} indices along {dim!r}, the stored variable "
                                     f"{other!r} has {dims[dim]}; save it elsewhere, or replace all variables with "
                                     "that dimension")


def check_nothing_else(ds, folder):
    """ValueError if the folder holds files that are not of the dataset: it is going to be replaced. The library looks
    into folders of groups, which keep their first names."""
    def is_own(name):  # NAME~N.xta, or NAME.xta.new-..., which never had a name
        base, new, _ = name.partition(".new-")
        return name == FILE or base.endswith(SUFFIXES) and bool(new or base[:-4] in ds or base[:-4].partition("~")[0] in ds)

    other = [name for name in sorted(os.listdir(folder))
             if not is_own(name) and not (ds.groups and os.path.isdir(os.path.join(folder, name)))]
    if other:
        raise ValueError(f"{folder}: is not replaced, since it holds other files, too: {', '.join(other)}")


# ---- append ----------------------------------------------------------------------------------------------------------

def grow(ds, arrays, variables, dim, where, later=None):
    """Grow a dimension of a group as a meaning.Place says, and write what is added of variables there."""
    n = where.stop - where.start
    at = {dim: 0 if where.before else ds.dims[dim]}
    (ds.dataset.extend_before if where.before else ds.dataset.extend)(ds.seen[dim], n)
    for name, variable in variables.items():
        if n:
            write_variable(arrays[name], arrays[name].name, variable[{dim: slice(where.start, where.stop)}], at, later)


def replace(arrays, variables, dim, where, later=None):
    """Write what is stored already, as a meaning.Place says, over the stored elements; but not the coordinate."""
    first, stop = (where.stop, len(where.index)) if where.before else (0, where.start)
    for lo, hi in fitting.runs(where.index[first:stop]):
        at = {dim: int(where.index[first + lo])}
        for name, variable in variables.items():
            if name != dim:
                part = variable[{dim: slice(first + lo, first + hi)}]
                write_variable(arrays[name], arrays[name].name, part, at, later)
