"""Whether a dataset of xarray fits to what is stored, and its variables as they are stored."""

import numpy as np
import xarray as xr

from drx import form, meaning, packed


def check_name(name):
    """ValueError unless a file can have the name."""
    if not isinstance(name, str) or not name or "/" in name or "\0" in name or name in (".", ".."):
        raise ValueError(f"variable {name!r} has no name that a file can have")


def encode_dataset(ds, as_new=False, arrays=None):
    """({name: encoded variable}, attributes) of a dataset, of arrays that are there; as_new: see `form.encoded`."""
    variables, attrs = xr.conventions.encode_dataset_coordinates(ds)
    for name, variable in variables.items():
        check_name(name)
        if f"{name}_bytes" in ds.dims and form.is_text(variable):
            raise ValueError(f"variable {name!r} needs the name {name}_bytes for its axis of bytes")
    arrays = arrays or {}
    variables = {name: form.encoded(name, one, as_new, arrays.get(name)) for name, one in variables.items()}
    for name, variable in variables.items():
        packed.check_rounding(name, variable)
    return variables, attrs


def encode_like(ds, arrays, widen=None):
    """{name: variable} of a dataset, encoded, with text as wide as in the stored arrays, or as after `widen(axis, by)`."""
    variables, _ = encode_dataset(ds, as_new=True, arrays=arrays)
    for name, variable in variables.items():
        if name in arrays and variable.dtype.kind == "b" and arrays[name].attrs.get("dtype") == "bool":
            variables[name] = form.as_bytes(variable)
        if name in arrays and variable.attrs.get(form.FORM) == "text":
            padded = form.padded(name, variable, arrays, widen)
            if form.without_notes(arrays[name].attrs).get(form.FORM) in form.TEXTS:  # `drx import` names the last axis
                padded = xr.Variable(padded.dims[:-1] + arrays[name].dims[-1:], padded.data, padded.attrs)
            variables[name] = padded
    return variables


def prepared(ds, arrays, dim, overlap, widen):
    """What is appended to arrays, checked: (its meaning.Place, {name: variable as it is stored})."""
    variables = encode_like(ds, arrays, widen)
    pairs = meaning.pairs(arrays, variables)
    growing = check_alike(arrays, variables, dim, ds, pairs)
    where = meaning.place(arrays, variables, dim, pairs, overlap)
    variables = {name: meaning.stored_like(variables[name], pairs[name]) for name in growing}
    if where.coordinate is not None:
        variables[dim] = where.coordinate
    return where, variables


def dataset_of(data, call):
    """The dataset that a call got, or that of an array, as to_netcdf and open_dataarray of xarray name its variable."""
    if isinstance(data, xr.Dataset):
        return data
    if not isinstance(data, xr.DataArray):
        raise TypeError(f"{call} takes a Dataset or a DataArray of xarray, not {type(data).__name__}")
    if data.name is not None and data.name not in data.coords and data.name not in data.dims:
        return data.to_dataset()
    ds = data.to_dataset(name=xr.backends.api.DATAARRAY_VARIABLE)
    return ds if data.name is None else ds.assign_attrs({xr.backends.api.DATAARRAY_NAME: data.name})


def check_dimension(ds, dim):
    """ValueError unless the dataset has the axis."""
    if dim not in ds.dims:
        raise ValueError(f"the dataset has no axis {dim!r}, only {', '.join(map(str, ds.dims))}")


def check_alike(arrays, variables, dim, ds, pairs):
    """The names of the variables that grow along `dim`, if it is not None; ValueError unless all fit."""
    growing = {name for name, array in arrays.items() if dim in array.dims}
    missing, extra = growing - set(variables), set(variables) - set(arrays)
    if missing or extra:
        raise ValueError("; ".join(
            f"{', '.join(sorted(names))} {'is' if len(names) == 1 else 'are'} {what}"
            for names, what in ((missing, "missing from the new data"), (extra, "not stored")) if names))
    for name, variable in variables.items():
        check_axes(name, arrays[name], variable)
        if dim in variable.dims:
            check_kind(name, arrays[name], variable, pairs[name], name == dim or form.is_time(ds.variables[name]))
            for one, n, bound in zip(variable.dims, variable.shape, arrays[name].shape):
                if one != dim and n != bound:
                    raise ValueError(f"variable {name!r} has {n} along {one!r}, stored are {bound}")
            continue
        try:
            meaning.compare(variable, arrays[name], pairs[name])
        except ValueError as error:
            has = "" if dim is None else f" does not have the axis {dim!r}, and"
            raise ValueError(f"variable {name!r}{has} differs from what is stored: {error}") from None
    return growing


def check_axes(name, array, variable):
    """ValueError unless the axes have the names of the stored ones."""
    dims = variable.dims or (None,)
    if dims != array.dims:
        raise ValueError(f"variable {name!r} has the axes {dims}, stored are {array.dims}")


def check_kind(name, array, variable, pair, is_free):
    """ValueError unless elements can become stored ones; is_free: also those of another type."""
    attrs = form.without_notes(array.attrs)
    for key in ("_Encoding",) if pair else ("_Encoding", "units"):
        if attrs.get(key) != variable.attrs.get(key):
            raise ValueError(f"variable {name!r} has {key} {variable.attrs.get(key)!r}, stored is {attrs.get(key)!r}")
    stored, given = (one.reads for one in pair) if pair else (array.dtype, variable.dtype)
    if stored != given and not (pair and (is_free or meaning.is_free(*pair))):
        raise ValueError(f"variable {name!r} has type {given}, stored is {stored}")
    if pair:
        meaning.match(*pair)


def runs(index):
    """(lo, hi) of the runs of a list of indices in which each is the one before plus one."""
    ends = [0, *(np.flatnonzero(np.diff(index) != 1) + 1).tolist(), len(index)]
    return list(zip(ends, ends[1:])) if len(index) else []
