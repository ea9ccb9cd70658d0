"""drx.save_dataset and drx.append_dataset: a dataset is a folder with a pair of files for each variable."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
import xarray as xr

from drx import form, unfinished
from drx.opening import Path, create, open


def save_dataset(ds: xr.Dataset, folder: Path, *, overwrite: bool = False,
                 chunks: Mapping[str, int] | None = None) -> None:
    """Store a dataset of xarray in a folder, a pair of files for each variable.

    A folder may hold variables from several calls. All variables of a folder have the same extent along the axes that
    they share.

    Parameters
    ----------
    ds : xarray.Dataset
        Variables of numbers, bools, text and times; dask arrays are computed block by block.
    folder : str or os.PathLike
        Created if it does not exist.
    overwrite : bool
        Replace existing variables.
    chunks : mapping, optional
        Extents of chunks by name of the axis. Default: those of dask or of the encoding, or DRX chooses.

    Raises
    ------
    FileExistsError, TypeError, ValueError, OSError
        TypeError: a variable or attribute cannot be stored. ValueError: an extent differs from that of a stored
        variable, or the folder has an unfinished change. After these nothing was written. When the call is cut off
        later, the folder does not open as a dataset until a call with `overwrite=True` has replaced the variables.
    """
    variables, attrs = encode_dataset(ds)
    attrs = form.dumped_attributes(attrs)
    for name, variable in variables.items():
        form.dumped_attributes(variable.attrs)
    os.makedirs(folder, exist_ok=True)
    mark = unfinished.read(folder)
    taken = [name for name in variables if os.path.exists(path_of(folder, name) + ".xmd")]
    if taken and not overwrite:
        raise FileExistsError(f"{folder}: {', '.join(taken)} exists already; pass overwrite=True to replace it")
    left = set() if mark is None else set(mark.get("save") or mark["to"]) - set(variables)
    if left:
        raise ValueError(f"{folder}: a change of {', '.join(sorted(left))} was cut off; finish it first, or save these "
                         "variables, too")
    check_extents(folder, ds, variables)
    unfinished.write(folder, {"save": list(variables)})
    for name, variable in variables.items():
        save_variable(path_of(folder, name), variable, overwrite, chunks or {})
    with create(path_of(folder, form.DATASET), (0,), "int8", attrs=attrs, overwrite=True) as array:
        array.sync()
    unfinished.remove(folder)


def check_extents(folder, ds, variables):
    """ValueError if a variable that stays in the folder has another extent along an axis of the dataset."""
    for name in names_in(folder):
        if name in variables:
            continue
        with open(path_of(folder, name)) as array:
            for dim, bound in zip(array.dims, array.shape):
                if dim in ds.sizes and ds.sizes[dim] != bound:
                    raise ValueError(f"{folder}: the dataset has {ds.sizes[dim]} indices along {dim!r}, the stored "
                                     f"variable {name!r} has {bound}; save it elsewhere, or replace {name!r}, too")


def names_in(folder):
    """The names of the variables in a folder."""
    names = sorted(entry[:-4] for entry in os.listdir(folder) if entry.endswith(".xmd"))
    return [name for name in names if name != form.DATASET]


def path_of(folder, name):
    """The path of a variable."""
    if not isinstance(name, str) or not name or "/" in name or "\0" in name or name in (".", ".."):
        raise ValueError(f"variable {name!r} has no name that a file can have")
    return os.path.join(os.fspath(folder), name)


def encode_dataset(ds, like=None):
    """({name: encoded variable}, attributes) of a dataset; like: {name: (attributes, dtype)} of what is stored."""
    variables, attrs = xr.conventions.encode_dataset_coordinates(ds)
    for name, variable in variables.items():
        path_of("", name)
        if name == form.DATASET or f"{name}_bytes" in ds.dims and form.is_text(variable):
            raise ValueError(f"variable {name!r} has a name that is needed for itself, or its axis of bytes is")
    return {name: form.encoded(name, one, (like or {}).get(name)) for name, one in variables.items()}, attrs


def save_variable(path, variable, overwrite, chunks):
    """One variable as a pair of files, durable on return."""
    attrs = dict(variable.attrs)
    fill = attrs.get("_FillValue")
    shape, dims = variable.shape, variable.dims
    if not dims:
        attrs[form.FORM] = "scalar"
        shape, dims = (1,), (None,)
    chunk = chunk_of(variable, chunks) if variable.dims else None
    with create(path, shape, variable.dtype, chunks=chunk, fill_value=fill, dims=dims,
                attrs=form.dumped_attributes(attrs), overwrite=overwrite) as array:
        write_variable(array, variable, (slice(None),) * len(shape))
        array.sync()


def chunk_of(variable, chunks):
    """Extents of a chunk, or None: DRX chooses."""
    given = variable.encoding.get("preferred_chunks") or {}
    if variable.chunks:  # dask's
        given = {dim: max(sizes) for dim, sizes in zip(variable.dims, variable.chunks)}
    given = {**given, **{dim: n for dim, n in chunks.items() if dim in variable.dims}}
    if not given:
        return None
    return tuple(max(int(given.get(dim, n)), 1) for dim, n in zip(variable.dims, variable.shape))


def write_variable(array, variable, key):
    """Write values to where `key` says; those of dask block by block."""
    if variable.chunks:
        from drx.dask_store import store_into

        store_into(variable.data, array, tuple(one.indices(n)[0] for one, n in zip(key, array.shape)))
    else:
        array[key] = np.asarray(variable.values)


def append_dataset(ds: xr.Dataset, folder: Path, dim: str) -> int:
    """Append a dataset along an axis to one that `save_dataset` has stored.

    Readers see the new indices only after all variables have grown: the coordinate of the axis, or the smallest
    variable, grows last and at once, in steps of a block if it is dask's. Before the call changes anything, it leaves a
    mark in the folder that says what it is about to do. When the call is cut off, the next one reads the mark, writes
    over what was not complete, and over nothing else.

    Parameters
    ----------
    ds : xarray.Dataset
        With the variables that are stored with the axis, of the same types, axes and extents along other axes.
        Variables that are stored without the axis may be left out, or are equal.
    folder : str or os.PathLike
    dim : str
        The axis.

    Returns
    -------
    int
        The new extent along the axis.

    Raises
    ------
    ValueError
        Unlike or misaligned data, or stored variables of unlike extents that no mark explains; nothing was written.
    FileNotFoundError, drx.BusyError, OSError
    """
    arrays = open_variables(folder)
    try:
        mark = unfinished.read(folder)
        if mark and "save" in mark:
            raise ValueError(f"{folder}: save_dataset was cut off; call it again for {', '.join(mark['save'])} with "
                             "overwrite=True")
        like = {name: (form.loaded_attributes(dict(array.attrs)), array.dtype) for name, array in arrays.items()}
        variables, _ = encode_dataset(ds, like)
        for name, variable in variables.items():
            if name in arrays and variable.attrs.get(form.FORM) == "text":
                variables[name] = form.padded(name, variable, arrays[name].shape[-1])
        growing = check_alike(arrays, variables, dim, ds)
        base = complete_bound(folder, mark, arrays, growing, dim)
        if ds.sizes[dim]:
            append_variables(folder, {name: arrays[name] for name in growing}, variables, dim, base)
        return base + ds.sizes[dim]
    finally:
        for array in arrays.values():
            array.close()


def bounds_along(arrays, dim):
    """{name: bound} of the arrays that have the axis."""
    return {name: array.shape[array.dims.index(dim)] for name, array in arrays.items() if dim in array.dims}


def complete_bound(folder, mark, arrays, growing, dim):
    """The number of indices along `dim` that all variables have; ValueError when that is not certain."""
    bounds = bounds_along({name: arrays[name] for name in growing}, dim)
    if mark and len(set(bounds_along(arrays, mark["append"]).values())) == 1:
        mark = None  # that append was complete
    if mark is None:
        if len(set(bounds.values())) > 1:
            raise ValueError(f"{folder}: the variables have unlike extents along {dim!r}: "
                             + ", ".join(f"{name} {bound}" for name, bound in sorted(bounds.items()))
                             + "; nothing was appended")
        return next(iter(bounds.values()))
    if mark["append"] != dim:
        raise ValueError(f"{folder}: an append along {mark['append']!r} was cut off; "
                         f"finish it before one along {dim!r}")
    base = bounds.get(mark["last"], -1)
    if set(mark["to"]) != growing or base < mark["from"] or any(not base <= bounds[name] <= mark["to"][name]
                                                               for name in growing):
        raise ValueError(f"{folder}: {unfinished.FILE} does not belong to the variables as they are: "
                         + ", ".join(f"{name} {bound}" for name, bound in sorted(bounds.items())))
    return base


def append_variables(folder, arrays, variables, dim, base):
    """Append to all of `arrays`, under a mark."""
    end = base + variables[next(iter(arrays))].sizes[dim]
    bounds = bounds_along(arrays, dim)
    *others, last = sorted(arrays, key=lambda name: (bounds[name] == base, name == dim, -variables[name].nbytes, name))
    unfinished.write(folder, {"append": dim, "from": base, "to": {name: max(bounds[name], end) for name in arrays},
                              "last": last})
    for name in others:
        append_variable(arrays[name], variables[name], dim, base)
        arrays[name].sync()
    append_last(arrays[last], variables[last], dim)
    arrays[last].sync()
    bounds = bounds_along(arrays, dim)
    if set(bounds.values()) == {end}:
        unfinished.remove(folder)
    else:  # an earlier append, cut off, was longer: what it left there is still not complete
        unfinished.write(folder, {"append": dim, "from": end, "to": bounds, "last": last})


def open_variables(folder):
    """{name: array, open for writing}."""
    names = names_in(folder)
    if not names:
        raise FileNotFoundError(f"{folder}: no array is there to append to")
    arrays = {}
    try:
        for name in names:
            arrays[name] = open(path_of(folder, name), "r+")
    except BaseException:
        for array in arrays.values():
            array.close()
        raise
    return arrays


def check_alike(arrays, variables, dim, ds):
    """The names of the variables that grow; ValueError unless all fit."""
    if dim not in ds.dims:
        raise ValueError(f"the dataset has no axis {dim!r}, only {', '.join(map(str, ds.dims))}")
    growing = {name for name, array in arrays.items() if dim in array.dims}
    if not growing:
        raise ValueError(f"no stored variable has the axis {dim!r}")
    missing, extra = growing - set(variables), set(variables) - set(arrays)
    if missing or extra:
        raise ValueError("; ".join(
            f"{', '.join(sorted(names))} {'is' if len(names) == 1 else 'are'} {what}"
            for names, what in ((missing, "missing from the new data"), (extra, "not stored")) if names))
    for name, variable in variables.items():
        check_variable(name, arrays[name], variable, dim)
        check_numbers(name, arrays[name].attrs, variable.attrs, form.is_time(ds.variables[name]))
    return growing


def check_variable(name, array, variable, dim):
    """ValueError unless a variable can be appended to its array, or equals it when it has not the axis."""
    dims = variable.dims or (None,)
    if dims != array.dims:
        raise ValueError(f"variable {name!r} has the axes {dims}, stored are {array.dims}")
    if dim not in dims:
        if not np.array_equal(np.asarray(variable.values).reshape(variable.shape or (1,)), array[...],
                              equal_nan=variable.dtype.kind in "fc"):
            raise ValueError(f"variable {name!r} does not have the axis {dim!r}, and differs from what is stored")
        return
    if variable.dtype != array.dtype:
        raise ValueError(f"variable {name!r} has type {variable.dtype}, stored is {array.dtype}")
    for axis, (one, n, bound) in enumerate(zip(dims, variable.shape, array.shape)):
        if one != dim and n != bound:
            raise ValueError(f"variable {name!r} has {n} along {one!r}, stored are {bound}")


def check_numbers(name, stored, given, is_time):
    """ValueError unless the attributes of two variables say the same of what numbers mean."""
    for key in ("units", "calendar", "scale_factor", "add_offset", "_FillValue", "_Encoding"):
        one, other = stored.get(key), given.get(key)
        if is_time and key == "units" and None not in (one, other):  # the date may be written in other words
            one, other = str(one).split()[:1], str(other).split()[:1]
        if one is None and other is not None and other != other:
            continue  # NaN, which xarray takes for missing anyway
        plain = None in (one, other) and not is_time and key in ("units", "calendar")
        if plain or other is None and key == "_FillValue":
            continue  # one of them says nothing
        if not (one is other or np.array_equal(one, other) or one != one and other != other):
            raise ValueError(f"variable {name!r} has {key} {other!r}, stored is {one!r}")


def append_variable(array, variable, dim, base):
    """Put the values at index `base` of the axis and the following."""
    axis = variable.dims.index(dim)
    n = variable.shape[axis]
    there = array.shape[axis] - base  # an earlier append was cut off
    if there < n:
        array.extend(axis, n - there)
    key = [slice(None)] * array.ndim
    key[axis] = slice(base, base + n)
    write_variable(array, variable, tuple(key))


def append_last(array, variable, dim):
    """Append the values at once, which makes those of the others count; those of dask in steps of a block."""
    lo = 0
    for n in variable.chunksizes.get(dim, (variable.sizes[dim],)):
        array.append(np.asarray(variable[{dim: slice(lo, lo + n)}].values), axis=variable.dims.index(dim))
        lo += n
