"""save_dataset with `region`: elements inside the stored bounds are overwritten.

It makes no commit, so it needs no lock of the dataset: each variable is opened as writers that share do (mode "s")."""

import contextlib
import errno
import os
from collections.abc import Mapping

import numpy as np

from drx import _cf, commits, fitting, form, meaning
from drx.dataset import open_dataset
from drx.errors import BusyError
from drx.groups import existing
from drx.opening import open as open_array


def write(ds, folder, region, later, group):
    """Write the variables of a dataset of xarray to a region of those of a group; all is checked before. Those of dask
    are written `later`, if it is a list."""
    with open_dataset(folder) as opened:
        stored = existing(opened, group)
        there = stored.arrays()
        arrays = {name: there[name] for name in map(str, ds.variables) if name in there}
        paths = {name: array.name for name, array in arrays.items()}
        bounds = {name: (array.lower, array.shape) for name, array in arrays.items()}
        extra = [name for name in ds.variables if name not in arrays]
        if extra:
            raise ValueError(f"{', '.join(map(str, extra))}: not stored; leave them out: .drop_vars({extra!r})")
        variables = fitting.encode_like(ds, arrays)
        pairs = meaning.pairs(arrays, variables)
        for name, variable in variables.items():
            fitting.check_axes(name, arrays[name], variable)
            fitting.check_kind(name, arrays[name], variable, pairs[name],
                               name in ds.dims or form.is_time(ds.variables[name]))
        slices = placed(ds, stored.dims, arrays, variables, pairs, region)
        for name, variable in variables.items():
            for dim, n, bound in zip(variable.dims, variable.shape, arrays[name].shape):
                if dim not in slices and n != bound:
                    raise ValueError(f"variable {name!r} has {n} along {dim!r}, stored are {bound}, and the region "
                                     f"does not name {dim!r}")
        variables = {name: meaning.stored_like(variable, pairs[name]) for name, variable in variables.items()
                     if not is_coordinate(variables, name)}
    with contextlib.ExitStack() as opened:
        targets = {name: opened.enter_context(open_array(os.path.join(folder, paths[name]), "s")) for name in variables}
        for name, array in targets.items():
            lower, shape = bounds[name]
            if array.lower != lower or any(now < n for now, n in zip(array.shape, shape)):
                raise BusyError(errno.EBUSY, f"{array.path}: another process changed its bounds in the meantime; try again")
        at = {dim: where.start for dim, where in slices.items()}
        for name, variable in variables.items():
            commits.write_variable(targets[name], paths[name], variable, at, later)
            targets[name].sync()


def is_coordinate(variables, name):
    """Whether the variable gives the coordinates of an axis: these are compared and not written."""
    return name in variables and variables[name].dims[:1] == (name,)


def placed(ds, bounds, arrays, variables, pairs, region):
    """{dimension: slice of the stored indices}; ValueError unless the dataset fits there."""
    if isinstance(region, str) and region == "auto":
        region = dict.fromkeys(ds.dims, "auto")
    if not isinstance(region, Mapping):
        raise TypeError(f"region is {region!r}, expected a mapping of dimensions to slices, or 'auto'")
    slices = {}
    for dim, where in region.items():
        fitting.check_dimension(ds, dim)
        if dim not in bounds:
            raise ValueError(f"the region has the dimension {dim!r}, which is not stored")
        if isinstance(where, str) and where == "auto":
            slices[dim] = found(ds.sizes[dim], bounds[dim], arrays, variables, pairs, dim)
        else:
            slices[dim] = checked(where, ds.sizes[dim], bounds[dim], dim)
            if is_coordinate(variables, dim):
                compare(arrays[dim][slices[dim]], variables[dim], pairs[dim])
    outside = [name for name, variable in ds.variables.items() if not set(variable.dims) & set(slices)]
    if outside:
        raise ValueError(f"{', '.join(map(str, outside))}: no dimension of the region {list(slices)}; leave them out: "
                         f".drop_vars({outside!r})")
    return slices


def checked(where, n, bound, dim):
    """A slice with both ends."""
    if not isinstance(where, slice):
        raise TypeError(f"the region has {where!r} for {dim!r}, expected a slice or 'auto'")
    if where.step not in (None, 1):
        raise ValueError(f"the region of {dim!r} has step {where.step}, expected 1")
    if any(end is not None and not -bound <= end <= bound for end in (where.start, where.stop)):
        raise ValueError(f"the region of {dim!r} is {where.start}:{where.stop}, stored are {bound} indices; "
                         "append_dataset lets them grow")
    lo, hi, _ = where.indices(bound)
    if hi - lo != n:
        raise ValueError(f"the region of {dim!r} is {lo}:{hi}, the dataset has {n} indices")
    return slice(lo, hi)


def compare(have, variable, pair):
    """ValueError unless the coordinates are the stored ones."""
    try:
        meaning.compare(variable, have, pair)
    except ValueError as error:
        raise ValueError(f"{error}; a region is where the coordinates are stored") from None


def found(n, bound, arrays, variables, pairs, dim):
    """Where the coordinates of an axis are stored."""
    if not is_coordinate(variables, dim):
        if n != bound:
            raise ValueError(f"the dataset has {n} of {bound} indices along {dim!r}, and no coordinates to find their "
                             f"place; name it: region={{{dim!r}: slice(...)}}")
        return slice(0, n)
    have, values = arrays[dim][...], variables[dim].values
    index = nearest(have, values, pairs[dim]) if pairs[dim] else equal(have, values, dim)
    if n and len(index) and pairs[dim]:
        compare(have[index], variables[dim], pairs[dim])
    runs = fitting.runs(index)
    if len(runs) > 1:
        end = runs[0][1]
        raise ValueError(f"{dim}: indices {end - 1} and {end} are stored at {index[end - 1]} and {index[end]}, and a "
                         "region has no gaps; write the parts one after the other")
    return slice(int(index[0]), int(index[0]) + n) if n else slice(0, 0)


def nearest(have, values, pair):
    """The indices of the stored numbers that are nearest to those given."""
    if not len(have):
        raise ValueError(f"{pair[0].name}: no coordinates are stored")
    have, values = _cf.converted(have, pair[0], pair[0]), _cf.converted(values, pair[1], pair[0])
    order = np.argsort(have, kind="stable")
    after = np.clip(np.searchsorted(have[order], values), 1, max(len(have) - 1, 1))
    before, after = order[after - 1], order[np.minimum(after, len(have) - 1)]
    return np.where(np.abs(values - have[before]) <= np.abs(have[after] - values), before, after)


def equal(have, values, dim):
    """The indices of the stored elements, texts among them, that equal those given."""
    there = {one.tobytes(): i for i, one in reversed(list(enumerate(have)))}
    missing = [one for one in values if one.tobytes() not in there]
    if missing:
        text = bytes(missing[0]).rstrip(b"\0").decode("utf-8", "replace")
        raise ValueError(f"{dim}: {text!r} is not stored")
    return np.array([there[one.tobytes()] for one in values], np.int64)
