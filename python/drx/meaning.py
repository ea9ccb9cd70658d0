"""What stored and new variables mean: the pairs that `append_dataset` compares and converts, by `_cf`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import xarray as xr

from drx import _cf, form
from drx._cf import match

__all__ = ["compare", "is_free", "match", "pairs", "place", "stored_like"]


def attributes_of(array):
    """The attributes of an array, with its fill value among them."""
    attrs = form.loaded_attributes(dict(array.attrs))
    fill = array.fill_value
    if array.dtype.kind not in "SU" and fill != 0 and fill == fill:
        attrs.setdefault("_FillValue", fill)
    return attrs


def with_inherited(name, attrs, of):
    """Bounds have the units of their coordinate, unless they have their own."""
    for other in of.values():
        if name in (other.get("bounds"), other.get("climatology")) and "units" not in attrs:
            return {**attrs, **{key: other[key] for key in ("units", "calendar") if key in other}}
    return attrs


def pairs(arrays, variables):
    """{name: (stored Meaning, given Meaning)}; None for text in bytes and complex numbers, which have none."""
    old = {name: attributes_of(arrays[name]) for name in variables if name in arrays}
    new = {name: variable.attrs for name, variable in variables.items() if name in arrays}
    found = {}
    for name in old:
        kinds = {one.dtype.kind for one in (arrays[name], variables[name])}
        plain = kinds <= set("iuf") or kinds in ({"S"}, {"U"})  # strings of one kind are compared and aligned as names
        is_text = form.CHARACTERS in old[name] or "text" in (old[name].get(form.FORM), new[name].get(form.FORM))
        if plain and not is_text:
            found[name] = (_cf.Meaning(name, arrays[name].dtype, with_inherited(name, old[name], old)),
                           _cf.Meaning(name, variables[name].dtype, with_inherited(name, new[name], new)))
        else:
            found[name] = None
    return found


def is_free(stored, given):
    """Whether the new numbers may have another type: they are converted without loss, or refused."""
    return (stored.is_packed or given.is_packed or stored.is_date() and given.is_date()
            or stored.dtype.kind in "iu" and stored.has_fill
            or given.reads.kind in "iu" and stored.reads.kind == "f" or np.can_cast(given.reads, stored.reads))


def stored_like(variable, pair):
    """The variable with its numbers as they are stored, or a ValueError: not near them."""
    return form.stored_like(variable, pair, exact=True)


def compare(variable, array, pair):
    """ValueError unless the elements mean the same, beyond rounding."""
    have, values = array[...], np.asarray(variable.values).reshape(variable.shape or (1,))
    if have.shape != values.shape:
        raise ValueError(f"it has shape {values.shape}, stored is {have.shape}")
    kinds = {values.dtype.kind, have.dtype.kind}
    if pair:
        _cf.compare(pair[0], have, pair[1], values)
        return
    if kinds & set("SU") and len(kinds) > 1:
        raise ValueError(f"it has type {values.dtype}, stored is {have.dtype}")
    differ = values != have if kinds & set("SU") else (values != have) & ((values == values) | (have == have))
    if differ.any():
        ndim = variable.ndim - (variable.attrs.get(form.FORM) == "text")
        at = np.unravel_index(np.argmax(differ), differ.shape)[:ndim]
        raise ValueError(f"index {', '.join(map(str, at))} is not what is stored" if at else "it is not what is stored")


class Place(NamedTuple):
    """Where new indices of an axis go."""

    before: bool  #: those that are added lead up to what is stored
    start: int
    stop: int  #: the new indices from `start` to `stop` are added
    index: np.ndarray  #: the others are stored there, counted from the first stored one
    coordinate: xr.Variable | None  #: as it is stored


def place(arrays, variables, dim, pairs, overlap):
    """The Place of the new indices of an axis; see `_cf.align`."""
    if overlap not in _cf.OVERLAPS:
        raise ValueError(f"overlap is {overlap!r}, expected one of {', '.join(_cf.OVERLAPS)}")
    pair = pairs.get(dim)
    if pair is None or variables[dim].dims != (dim,):
        if overlap != "refuse":
            raise ValueError(f"overlap={overlap!r} needs coordinates {dim!r} of numbers, times or fixed strings")
        return Place(False, 0, next(one.sizes[dim] for one in variables.values() if dim in one.dims), np.empty(0, np.int64), None)
    *where, encoded = _cf.align(pair[0], arrays[dim][...], pair[1], variables[dim].values, overlap)
    return Place(*where, xr.Variable((dim,), encoded, variables[dim].attrs))
