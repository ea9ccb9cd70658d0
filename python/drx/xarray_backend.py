"""xarray's engine "drx": ``xarray.open_dataset(path, engine="drx")``.

A dataset (drx.Dataset) opens as its last commit, or as that of ``at=``: its root group, or that of ``group=``, with the
coordinates above it that its dimensions have. A variable of it opens with its coordinates.
Elsewhere a pair is one variable. A folder of pairs is a dataset: those whose name is that of their only axis, or that
``coordinates`` of another names, are coordinates. `form.py` says how types are stored that DRX does not have.
"""

import functools
import itertools
import math
import os
import warnings

import numpy as np
import xarray as xr
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from drx import commits, form, limits, packed, places
from drx._core import expanded
from drx.dataset import open_dataset as open_commit
from drx.dataset import tokens_of
from drx.groups import existing
from drx.opening import open as open_array
from drx.opening import stem


MUCH = 16  # elements of a box take as long as one of a list
SMALL = 1 << 20  # bytes of a coordinate that is read at once
MANY = 10_000  # chunks


class LazyArray(BackendArray):
    """An array that xarray reads when it needs the elements."""

    def __init__(self, array, shape):
        self.stored = array
        self.lower = array.lower
        self.shape = shape
        self.dtype = array.dtype

    def __getitem__(self, key):
        if self.stored.lower != self.lower:  # as a worker may find it, which opens the array again
            raise ValueError(f"{self.stored.path}: has grown or was trimmed at a low end since the dataset was opened: "
                             "open it again")
        limits.keep()
        if not isinstance(key, indexing.VectorizedIndexer):
            return np.asarray(self.stored.oindex[key.tuple if self.shape else (0,)])
        lists = lists_of(key.tuple, self.shape)
        axes = [np.unique(one, return_inverse=True) for one in lists]
        points = math.prod(np.broadcast_shapes(*(one.shape for one in lists)))
        if points * MUCH < math.prod(len(one) for one, _ in axes):
            return self.stored.vindex[lists]
        around = self.stored.oindex[tuple(one for one, _ in axes)]
        return around[tuple(at.reshape(one.shape) for one, (_, at) in zip(lists, axes))]


def preferred(chunk, n, lower):
    """Blocks of whole chunks; the first one is shorter where the array does not begin with a chunk."""
    first = -lower % chunk
    if first == 0 or first >= n:
        return max(min(chunk, n), 1)
    whole, rest = divmod(n - first, chunk)
    return (first,) + (chunk,) * whole + (rest,) * (rest > 0)


def lists_of(key, shape):
    """A key of arrays that belong together, and of slices, whose axes come last, as arrays that belong together."""
    ranges = np.ix_(*(np.arange(n)[one] for one, n in zip(key, shape) if isinstance(one, slice)))
    rest = iter(ranges)
    return tuple(next(rest) if isinstance(one, slice) else one.reshape(one.shape + (1,) * len(ranges)) for one in key)


def variable_of(array, values=None):
    """An array as xarray's variable, not decoded. values: its elements, where they have been read."""
    attrs = dict(array.attrs)
    shape, dims, attrs = form.stored_dims(array, attrs)
    if values is None:
        values = indexing.LazilyIndexedArray(LazyArray(array, shape))
    variable = xr.Variable(dims, values, attrs)
    variable.encoding = {"source": str(array.path), "dtype": array.dtype, **packed.encoding_of(array)}
    if shape:
        variable.encoding["preferred_chunks"] = {dim: preferred(c, n, lower) for dim, c, n, lower in zip(dims, array.chunks, shape, array.lower)}
        variable.encoding.update(chunks=array.chunks, chunksizes=array.chunks, original_shape=shape)
    return variable


def far_coordinates(arrays):
    """{name: elements} of the coordinates of axes on a server. xarray reads them one after the other when it opens a dataset,
    and here all requests are under way together."""
    pending = {name: array.read_async() for name, array in arrays.items()
               if places.is_url(str(array.path)) and tuple(array.dims) == (name,) and 0 < array.nbytes <= SMALL}
    return {name: request.wait() for name, request in pending.items()}


def variables_of(arrays):
    """{name: xarray's variable} of arrays of one dataset."""
    read = far_coordinates(arrays)
    return {name: variable_of(array, read.get(name)) for name, array in arrays.items()}


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
    path = path.rstrip("/")
    if os.path.isdir(path) and not places.has_array(path):
        names = sorted(entry[:-4] for entry in os.listdir(path) if entry.endswith(".xmd"))
        return {name: os.path.join(path, name) for name in names}
    path = stem(path)
    return {os.path.basename(path): path}


def coordinates_of(ds, name):
    """The names of a variable of a group and of its coordinates there."""
    dims = set(ds.dims_of(name))
    named = [one for attrs in (ds[name].attrs, ds.attrs) for one in str(attrs.get("coordinates", "")).split()]
    found = [name] + [dim for dim in dims if dim in ds]
    for one in named:
        if one in ds:
            kind, own = form.without_notes(ds[one].attrs).get(form.FORM), ds.dims_of(one)
            text = kind == "text" or kind == "characters" and own and form.joins(ds, own[-1])
            if set(own[:-1] if text else own) <= dims:
                found.append(one)
    return [one for one in ds if one in found]


def named_above(of, arrays):
    """{name: array} of what the attribute `coordinates` of arrays of a group, or its own, names in groups above."""
    ds, found = of.dataset, {}
    dims = {dim for array in arrays.values() for dim in ds.dims_of(array.name)}
    for attrs in [of.attrs, *(array.attrs for array in arrays.values())] if of.path else ():
        for one in set(str(attrs.get("coordinates", "")).split()) - {*arrays}:
            above = itertools.accumulate(of.path.split("/")[:-1], "{}/{}".format)
            paths = [path for path in (one, *(f"{at}/{one}" for at in above)) if path in ds]
            found.update({one: ds[paths[-1]]} if paths and {*ds.dims_of(paths[-1])} <= dims else {})
    return found


def opened_dataset(path, dropped, at, group):
    """(variables, attributes, Opened) of a group of a dataset or of one of its variables; None: the path is neither."""
    there = commits.folder_of(path)
    if there is None:
        return None
    folder, name = there
    while True:
        before = identity(folder)
        try:
            return opened_commit(folder, name, dropped, at, group)
        except (OSError, ValueError):
            if identity(folder) == before:
                raise


def identity(folder):
    """What tells a dataset from another one that has replaced it."""
    try:
        there = os.stat(os.path.join(folder, commits.FILE))
    except FileNotFoundError:
        return None
    return there.st_dev, there.st_ino, there.st_ctime_ns


def opened_commit(folder, path, dropped, at, group):
    """The same, of a dataset that may be replaced meanwhile: that gives OSError or ValueError. path: of a variable or a
    group in it, or None."""
    ds = open_commit(folder, at=at)
    try:
        if path and group:
            raise ValueError(f"{folder}: {path} and group={group!r} are both given, expected one of them")
        if path in ds:
            group, _, name = path.rpartition("/")
        elif path is not None and path not in ds._group_names():
            raise FileNotFoundError(f"{folder}: has no variable {path!r} at commit {ds.commit_number}")
        else:
            group, name = path or group, None
        of = existing(ds, group)
        for one in of if name is None else [name]:
            if one not in dropped and of.is_null(one):
                warnings.warn(f"{folder}: {of.at(one)!r} is null, without elements and without a shape, which xarray's "
                              "variables are not; it is left out", stacklevel=5)
        arrays = of.arrays(None if name is None else coordinates_of(of, name))
        arrays = {one: array for one, array in {**named_above(of, arrays), **arrays}.items() if one not in dropped}
        return variables_of(arrays), form.loaded_attributes(dict(of.attrs)), Opened(arrays, ds, of)
    except BaseException:
        ds.close()
        raise


def opened_pairs(path, dropped):
    """The same of a pair, or of a folder of pairs."""
    paths = paths_of(path)
    if not paths:
        raise FileNotFoundError(f"{path}: a folder without a .xmd file")
    arrays = {name: open_array(path) for name, path in paths.items() if name not in dropped}
    return clipped({name: variable_of(array) for name, array in arrays.items()}), {}, Opened(arrays)


class Opened:
    """The arrays of a dataset of xarray, and their drx.Dataset and group, if they have one. A call closes them."""

    def __init__(self, arrays, ds=None, group=None):
        self.arrays, self.ds, self.group = arrays, ds, group

    def __call__(self):
        for one in self.arrays.values() if self.ds is None else [self.ds]:
            one.close()

    def __dask_tokenize__(self):
        """What tells these elements from others, also from later ones of the same arrays."""
        return self.ds and self.ds.commit_number, tokens_of(self.arrays.values())


def fit_chunks(variable):
    """Let the chunks of an encoding divide dask's blocks, because to_zarr refuses others; without them it takes the blocks."""
    own, blocks = variable.encoding.get("chunks"), variable.chunks
    if not own or not blocks:
        return
    fitting = tuple(math.gcd(*sizes[:-1]) if any(n % c for n in sizes[:-1]) else c for c, sizes in zip(own, blocks))
    if fitting == own or math.prod(-(-n // c) for n, c in zip(variable.shape, fitting)) <= MANY:
        variable.encoding["chunks"] = fitting
    else:
        del variable.encoding["chunks"]


_chunk_ds = getattr(xr.backends.api, "_chunk_ds", None)  # None: a later xarray has another way


def chunked(ds, path, *args, **kwargs):
    """xarray names arrays of dask by a path, and by the time of change of a file of that name. That of the folder of a
    dataset stays when elements change, and an array has no such file. So let what tells the elements apart name them."""
    if not isinstance(ds._close, Opened):
        return _chunk_ds(ds, path, *args, **kwargs)
    ds = _chunk_ds(ds, ds._close, *args, **kwargs)
    for variable in ds.variables.values():
        fit_chunks(variable)
    return ds


if _chunk_ds is not None:
    xr.backends.api._chunk_ds = chunked
_order = getattr(xr.backends.plugins, "STANDARD_BACKENDS_ORDER", None)
if _order is not None and "drx" not in _order:  # asked first, because the engine of netCDF4 warns of folders
    _order.insert(0, "drx")


class DrxBackendEntrypoint(BackendEntrypoint):
    """Datasets, pairs of DRX files, and folders of them."""

    description = "Open DRX datasets, also as of an earlier commit (at=N), groups, arrays, and folders of arrays"
    supports_groups = True
    open_dataset_parameters = ("filename_or_obj", "mask_and_scale", "decode_times", "concat_characters",
                               "decode_coords", "drop_variables", "use_cftime", "decode_timedelta", "at", "group")

    def open_dataset(self, filename_or_obj, *, mask_and_scale=True, decode_times=True, concat_characters=True,
                     decode_coords=True, drop_variables=None, use_cftime=None, decode_timedelta=None, at=None,
                     group=None):
        filename_or_obj = expanded(filename_or_obj)
        dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        opened = opened_dataset(filename_or_obj, dropped, at, group)
        if opened is None:
            if at is not None or group is not None:
                raise ValueError(f"{filename_or_obj}: is no dataset with commits, so it takes no at={at} or {group=}")
            opened = opened_pairs(filename_or_obj, dropped)
        variables, attrs, close = opened
        unlimited = set(str(attrs.get(form.UNLIMITED, "")).split())
        attrs = {name: value for name, value in form.without_notes(attrs).items() if name != form.UNLIMITED}
        joins = functools.cache(functools.partial(form.joins, close.arrays if close.ds is None else close.group))
        variables = {name: form.decoded(variable, concat_characters, joins) for name, variable in variables.items()}
        # Text is joined already, and elements of one byte each are no characters of a text.
        variables, attrs, coordinates = xr.conventions.decode_cf_variables(
            variables, attrs, concat_characters=False, mask_and_scale=mask_and_scale,
            decode_times=decode_times, decode_coords=decode_coords, use_cftime=use_cftime,
            decode_timedelta=decode_timedelta)
        dataset = xr.Dataset(variables, attrs=attrs)
        named = coordinates | {name for name, one in variables.items() if one.dims == (name,)}
        dataset = dataset.set_coords(named & set(dataset.variables))
        dataset.set_close(close)
        dataset.encoding["source"] = filename_or_obj
        if unlimited:
            dataset.encoding["unlimited_dims"] = unlimited
        return dataset

    def open_groups_as_dict(self, filename_or_obj, **options):
        """See `open_groups`."""
        return open_groups(filename_or_obj, **options)

    def open_datatree(self, filename_or_obj, **options):
        groups = open_groups(filename_or_obj, **options)
        whole = xr.DataTree.from_dict(groups)
        for path, ds in groups.items():
            whole[path].set_close(ds._close)
        return whole

    def guess_can_open(self, filename_or_obj):
        try:
            path = expanded(filename_or_obj)
        except TypeError:
            return False
        if places.is_url(path) and "netcdf4" in xr.backends.list_engines():  # which takes all URLs, and asks no server
            return False
        return places.has_array(stem(path)) or commits.is_dataset(path)


def open_groups(path, *, at=None, group=None, **options):
    """Open a dataset with all its groups, or a group with those in it, as xarray.open_groups does: each as
    ``xarray.open_dataset(path, engine="drx", group=..., **options)`` opens it, as of one commit.

    Returns
    -------
    dict of str to xarray.Dataset
        Their paths there begin with "/", which is the root, or the group.

    Raises
    ------
    FileNotFoundError, IndexError, ValueError, OSError
    """
    path = expanded(path)
    with open_commit(path, at=at) as ds:
        at, top = ds.commit_number, existing(ds, group).path
        paths = [top, *(one for one in ds._group_names() if one.startswith(top + "/" * bool(top)))]
    return {"/" + one[len(top):].lstrip("/"): xr.open_dataset(path, engine="drx", at=at, group=one, **options)
            for one in paths}
