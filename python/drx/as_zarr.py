"""drx.zarr_store: an array or a dataset as a store of Zarr, version 2.

Nothing is listed: the key of a chunk says which elements it has, and DRX reads them. The metadata are those that
`drx refs` writes, but for chunks, which begin with the first index here, and compression, which DRX undoes.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import os
import warnings
from collections.abc import Iterator, MutableMapping
from typing import Any, NamedTuple

import numpy as np

from drx import notes, places
from drx._core import expanded
from drx.array import Array
from drx.dataset import Dataset, open_dataset, tokens_of
from drx.groups import Group
from drx.opening import Path, stem
from drx.opening import open as open_array

Bounds = dict[str, tuple[tuple[int, ...], tuple[int, ...]]]  # name: (first indices, shape)


class Member(NamedTuple):
    """An array as Zarr has it; its bounds stay as they were when the store was opened."""

    array: Array
    dims: tuple[str, ...] | None  #: () for a scalar, whose array has one axis
    lower: tuple[int, ...]
    shape: tuple[int, ...]
    chunks: tuple[int, ...]

    def counts(self) -> tuple[int, ...]:
        """The chunks along each axis."""
        return tuple(-(-n // c) for n, c in zip(self.shape, self.chunks)) if self.dims else ()

    def read(self, index: tuple[int, ...]) -> bytes:
        """The bytes of a chunk, whole, as they lie in a file."""
        array, order = self.array, self.array.order
        first = [i * c for i, c in zip(index, self.chunks)] if index else [0] * len(self.shape)
        count = [min(c, n - i) for i, c, n in zip(first, self.chunks, self.shape)]
        at = [i + old - now for i, old, now in zip(first, self.lower, array.lower)]
        if any(not 0 <= i <= n - k for i, k, n in zip(at, count, array.shape)):
            raise ValueError(f"{array.path}: was trimmed since the store was opened")
        box = tuple(slice(i, i + k) for i, k in zip(at, count))
        values = np.empty(self.chunks, array.dtype, order=order)
        if tuple(count) != self.chunks:
            values[...] = array.fill_value
        array.read(box, out=values[tuple(slice(k) for k in count)])
        return values.astype(array.dtype.newbyteorder("<"), copy=False).tobytes(order)


class ZarrStore(MutableMapping):
    """A store of Zarr, version 2, to read. `drx.zarr_store` returns one.

    It maps keys to bytes. It shows the bounds that the array had, or the commit that the dataset showed, when it was
    opened; elements that are overwritten in place show their present values. Threads may share it. It can be pickled;
    unpickling opens the same bounds, or the same commit, again.
    """

    def __init__(self, path: Path, at: int | None = None, bounds: Bounds | None = None) -> None:
        path = expanded(path)
        path = path.rstrip("/") or path
        is_folder = places.is_folder(path) and not places.has_array(path)
        path = path if is_folder else stem(path)
        self._path, self._at = places.absolute(path), at
        self._members: dict[str, Member] = {}
        folder, name = path, None
        if at is not None and not is_folder:
            folder, name = places.dataset_above(path) or (os.path.dirname(path) or os.curdir, path)
        self._opened = open_array(path) if at is None and not is_folder else open_dataset(folder, at=at)
        try:
            arrays, attrs = parts_of(self._opened, path, name)
            if is_folder and places.has_dataset(path):
                self._at = self._opened.commit_number
            self._members = {name: member_of(*array, (bounds or {}).get(name)) for name, array in arrays.items()}
            self._metadata = metadata_of(self._members, attrs)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close what was opened; reading raises ValueError then."""
        self._opened.close()

    def __enter__(self) -> ZarrStore:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        bounds = {name: (one.lower, one.shape) for name, one in self._members.items()}
        return functools.partial(ZarrStore, bounds=bounds), (self._path, self._at)

    def __dask_tokenize__(self) -> Any:
        """What tells its chunks from others, also from later ones."""
        bounds = [(name, one.lower, one.shape) for name, one in self._members.items()]
        return self._path, self._at, bounds, tokens_of(one.array for one in self._members.values())

    def __repr__(self) -> str:
        return f"<drx.zarr_store {self._path!r}, {len(self._members)} arrays>"

    def _find(self, key: object) -> tuple[Member, tuple[int, ...]] | None:
        """The array and the index of a chunk; None: no chunk has that key."""
        name, _, chunk = key.rpartition("/") if isinstance(key, str) else ("", "", "")
        one = self._members.get(name)
        if one is None:
            return None
        if one.dims == ():
            return (one, ()) if chunk == "0" else None
        parts, counts = chunk.split("."), one.counts()
        if len(parts) != len(counts) or not all(part.isascii() and part.isdigit() for part in parts):
            return None
        index = tuple(map(int, parts))
        if any(str(i) != part or i >= n for i, part, n in zip(index, parts, counts)):
            return None
        return (one, index) if math.prod(counts) else None

    def __getitem__(self, key: str) -> bytes:
        if key in self._metadata:
            return self._metadata[key]
        found = self._find(key)
        if found is None:
            raise KeyError(key)
        return found[0].read(found[1])

    def __contains__(self, key: object) -> bool:
        return key in self._metadata or self._find(key) is not None

    def __iter__(self) -> Iterator[str]:
        yield from self._metadata
        for name, one in self._members.items():
            if one.dims == ():
                yield f"{name}/0"
                continue
            for index in itertools.product(*map(range, one.counts())):
                yield f"{name}/{'.'.join(map(str, index))}"

    def __len__(self) -> int:
        return len(self._metadata) + sum(math.prod(one.counts()) for one in self._members.values())

    def __setitem__(self, key: str, value: Any) -> None:
        raise PermissionError(f"{self!r} is to read: {key!r} cannot be set")

    def __delitem__(self, key: str) -> None:
        raise PermissionError(f"{self!r} is to read: {key!r} cannot be deleted")

    __eq__ = object.__eq__  # not by all elements
    __hash__ = object.__hash__


def zarr_store(path: Path, *, at: int | None = None) -> ZarrStore:
    """An array or a dataset as a store of Zarr, version 2: ``zarr.open_group(drx.zarr_store(path), mode="r")``,
    ``xarray.open_zarr(drx.zarr_store(path))``.

    It works for all that DRX reads. Keys are computed, so it opens at once, whatever the number of chunks.

    Parameters
    ----------
    path : str or os.PathLike
        An array, or the folder of a dataset. The store is a group, in which each array has its name, and groups are
        groups.
    at : int, optional
        Of a dataset, or an array of one: the commit to show. Default: the last one.

    Returns
    -------
    ZarrStore

    Raises
    ------
    FileNotFoundError, PermissionError, drx.FormatError, ValueError, IndexError, OSError
    """
    return ZarrStore(path, at)


def parts_of(opened: Array | Dataset, path: str,
             name: str | None) -> tuple[dict[str, tuple[Array, Any]], dict[str, dict[str, Any]]]:
    """{path: (array, plain names of its dimensions in the dataset, or None)} of what a store shows: a dataset, or its
    array of that name; and {path: attributes} of its groups."""
    if isinstance(opened, Array):
        return {os.path.basename(path): (opened, None)}, {"": {}}
    if name is None:
        groups = {"": Group(opened), **{one: Group(opened, one) for one in opened._group_names()}}
        nulls = [one for one in opened if opened.is_null(one)]
        if nulls:
            warnings.warn(f"{path}: null, without elements, and left out, since Zarr has no such arrays: {', '.join(nulls)}",
                          stacklevel=4)
        return ({of.at(one): (array, of.dims_of(one)) for of in groups.values() for one, array in of.items()
                 if of.at(one) not in nulls},
                {one: dict(of.attrs) for one, of in groups.items()})
    if name not in opened:
        raise FileNotFoundError(f"{path}: the dataset has no such variable at commit {opened.commit_number}")
    return {os.path.basename(path): (opened[name], None)}, {"": {}}


def member_of(array: Array, dims: tuple[str, ...] | None,
              bounds: tuple[tuple[int, ...], tuple[int, ...]] | None) -> Member:
    """An array with the bounds that it has, or is to have. Chunks are no longer than an axis."""
    lower, shape = bounds or (array.lower, array.shape)
    if dims == ():
        return Member(array, dims, lower, (1,), (1,))
    if dims is None:
        own = os.path.basename(str(array.path))
        dims = tuple(name or f"{own}_dim_{j}" for j, name in enumerate(array.dims))
    return Member(array, dims, lower, shape, tuple(min(c, max(n, 1)) for c, n in zip(array.chunks, shape)))


# ---- metadata -------------------------------------------------------------------------------------------------------

def metadata_of(members: dict[str, Member], groups: dict[str, dict[str, Any]]) -> dict[str, bytes]:
    """{key: JSON} of groups with these attributes, their arrays, and all of that once more."""
    found: dict[str, Any] = {}
    for name, attrs in groups.items():
        at = name + "/" * bool(name)
        found[at + ".zgroup"], found[at + ".zattrs"] = {"zarr_format": 2}, shown_attributes(attrs)[0]
    for name, one in members.items():
        found[name + "/.zarray"], found[name + "/.zattrs"] = described(one)
    found[".zmetadata"] = {"metadata": dict(found), "zarr_consolidated_format": 1}
    return {key: json.dumps(value, allow_nan=False).encode() for key, value in found.items()}


def shown_attributes(attrs: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Attributes for JSON without those that only DRX understands; and whether they are those of text."""
    attrs = notes.without_notes(notes.loaded_attributes(attrs))
    is_text = attrs.pop(notes.FORM, None) in notes.TEXTS
    for name in (notes.UNLIMITED, "_ARRAY_DIMENSIONS"):
        attrs.pop(name, None)
    for name in ("_FillValue", "missing_value"):  # NaN marks nothing that is not NaN already
        if isinstance(attrs.get(name), np.floating) and np.isnan(attrs[name]):
            del attrs[name]
    return {name: json_of(value) for name, value in attrs.items()}, is_text


def described(one: Member) -> tuple[dict[str, Any], dict[str, Any]]:
    """.zarray and .zattrs."""
    array, dims = one.array, one.dims or ()
    if array.dtype.kind == "V":
        raise TypeError(f"{array.path}: Zarr's store has no elements of {array.dtype}")
    stored = dict(array.attrs)
    attrs, is_text = shown_attributes(dict(stored))
    is_text = is_text and array.dtype == np.uint8
    mark = None
    if is_text:
        attrs.pop("_FillValue", None)
    else:
        mark, noted = mark_of(array, stored.get("_FillValue"))
        if noted:
            attrs.pop("_FillValue", None)
    attrs["_ARRAY_DIMENSIONS"] = list(dims)
    if dims and any(one.lower):
        attrs["drx_lower"] = list(one.lower)
    zarray = {"zarr_format": 2, "shape": list(one.shape[:len(dims)]), "chunks": list(one.chunks[:len(dims)]),
              "dtype": "|S1" if is_text else array.dtype.newbyteorder("<").str, "compressor": None,
              "fill_value": json_of(mark), "order": array.order, "filters": None}
    return zarray, attrs


def mark_of(array: Array, noted: Any) -> tuple[Any, bool]:
    """What marks missing elements, or None, and whether the attribute _FillValue says it.

    No chunk is missing, so the fill value of Zarr only tells xarray. Where integers have no mark it is None: xarray
    would take 0 for one. Of bools neither value is missing, and of strings none.
    """
    dtype, fill = array.dtype, array.fill_value
    if dtype.kind in "SU":
        return None, False
    if noted is not None:
        if isinstance(noted, np.generic) and (noted.dtype.kind == "c") == (dtype.kind == "c"):
            with np.errstate(all="ignore"):
                same = np.isnan(noted) if dtype.kind not in "iu" and np.isnan(noted) else noted.astype(dtype) == noted
            if same:
                return noted.astype(dtype), True
        return None, False
    if dtype.kind != "b" and fill != 0 and fill == fill:
        return fill, False
    return (None if dtype.kind in "iub" else dtype.type(complex(np.nan, np.nan) if dtype.kind == "c" else np.nan)), False


def json_of(value: Any) -> Any:
    """A value for JSON, which has no NaN, no infinite and no complex numbers: Zarr writes them as here."""
    if isinstance(value, np.ndarray):
        return [json_of(item) for item in value]
    if isinstance(value, (np.complexfloating, complex)):
        return [json_of(float(value.real)), json_of(float(value.imag))]
    if isinstance(value, (np.floating, float)):
        value = float(value)
        return value if math.isfinite(value) else {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if isinstance(value, dict):
        return {key: json_of(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_of(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value
