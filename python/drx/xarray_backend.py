"""xarray's engine "drx": ``xarray.open_dataset(path, engine="drx")``.

A pair is one variable. A folder of pairs is a dataset: those whose name is that of their only axis, or that
``coordinates`` of another names, are coordinates. `form.py` says how types are stored that DRX does not have.
"""

import functools
import os
import warnings

import numpy as np
import xarray as xr
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from drx import form, unfinished
from drx.opening import open as open_array
from drx.opening import stem


class LazyArray(BackendArray):
    """An array that xarray reads when it needs the elements."""

    def __init__(self, array, shape):
        self.array = array
        self.shape = shape
        self.dtype = array.dtype

    def __getitem__(self, key):
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._read)

    def _read(self, key):
        values = self.array.oindex[key] if self.shape else self.array.oindex[(0,)]
        return np.asarray(values)


def variable_of(array):
    """An array as xarray's variable, not decoded."""
    attrs = dict(array.attrs)
    shape, dims, attrs = form.stored_dims(array, attrs)
    variable = xr.Variable(dims, indexing.LazilyIndexedArray(LazyArray(array, shape)), attrs)
    variable.encoding = {"source": str(array.path), "dtype": array.dtype}
    if shape:
        variable.encoding["preferred_chunks"] = {dim: max(min(c, n), 1) for dim, c, n in zip(dims, array.chunks, shape)}
        variable.encoding["chunks"] = array.chunks
    return variable


def clipped(variables):
    """Variables of one dataset: along an axis as long as the shortest, since an append may not be complete."""
    sizes = {}
    for variable in variables.values():
        for dim, n in variable.sizes.items():
            sizes[dim] = min(n, sizes.get(dim, n))
    longer = {name: one for name, one in variables.items() if any(n > sizes[dim] for dim, n in one.sizes.items())}
    for name, one in longer.items():
        warnings.warn(f"{name} has grown to {dict(one.sizes)}, and others have not, as when an append is not complete; "
                      "the dataset has the indices that all variables have", stacklevel=4)
        variables[name] = one[{dim: slice(sizes[dim]) for dim in one.dims}]
    return variables


def paths_of(path):
    """{name: path} of the pairs: one, or those of a folder."""
    path = os.fspath(path).rstrip("/")
    if os.path.isdir(path) and not os.path.exists(path + ".xmd"):
        names = sorted(name[:-4] for name in os.listdir(path) if name.endswith(".xmd"))
        return {name: os.path.join(path, name) for name in names}
    path = stem(path)
    return {os.path.basename(path): path}


def check_saved(path):
    """ValueError for a folder in which save_dataset was cut off: variables may be missing or old."""
    mark = unfinished.read(path) if os.path.isdir(path) else None
    if mark and "save" in mark:
        raise ValueError(f"{os.fspath(path)}: save_dataset is not complete; call it again for "
                         f"{', '.join(mark['save'])} with overwrite=True")


def close_all(arrays):
    """Close a dataset."""
    for array in arrays:
        array.close()


class DrxBackendEntrypoint(BackendEntrypoint):
    """Pairs of DRX files, and folders of them."""

    description = "Open DRX arrays: PATH of a pair, or a folder of pairs"
    open_dataset_parameters = ("filename_or_obj", "mask_and_scale", "decode_times", "concat_characters",
                               "decode_coords", "drop_variables", "use_cftime", "decode_timedelta")

    def open_dataset(self, filename_or_obj, *, mask_and_scale=True, decode_times=True, concat_characters=True,
                     decode_coords=True, drop_variables=None, use_cftime=None, decode_timedelta=None):
        dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        paths = paths_of(filename_or_obj)
        check_saved(filename_or_obj)
        if not paths:
            raise FileNotFoundError(f"{filename_or_obj}: a folder without a .xmd file")
        arrays = {name: open_array(path) for name, path in paths.items() if name not in dropped}
        attrs = form.loaded_attributes(dict(arrays[form.DATASET].attrs)) if form.DATASET in arrays else {}
        variables = clipped({name: variable_of(array) for name, array in arrays.items() if name != form.DATASET})
        variables = {name: form.decoded(variable) for name, variable in variables.items()}
        variables, attrs, coordinates = xr.conventions.decode_cf_variables(
            variables, attrs, concat_characters=concat_characters, mask_and_scale=mask_and_scale,
            decode_times=decode_times, decode_coords=decode_coords, use_cftime=use_cftime,
            decode_timedelta=decode_timedelta)
        dataset = xr.Dataset(variables, attrs=attrs)
        named = coordinates | {name for name, one in variables.items() if one.dims == (name,)}
        dataset = dataset.set_coords(named & set(dataset.variables))
        dataset.set_close(functools.partial(close_all, list(arrays.values())))
        dataset.encoding["source"] = os.fspath(filename_or_obj)
        return dataset

    def guess_can_open(self, filename_or_obj):
        try:
            path = os.fspath(filename_or_obj)
        except TypeError:
            return False
        return os.path.exists(stem(path) + ".xmd")
