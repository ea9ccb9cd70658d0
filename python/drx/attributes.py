"""Attributes as a mapping."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

import numpy as np


class Attributes(MutableMapping):
    """The attributes of an array: text, numbers, and one-dimensional arrays of numbers.

    A number comes back as a NumPy scalar; so does an array of one. Bools are stored as uint8. What cannot be stored
    (None, lists of text, objects) is a TypeError, and nothing is changed.
    """

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getitem__(self, name: str) -> Any:
        return self._array._attr_get(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._array._attr_set(name, storable(name, value))

    def __delitem__(self, name: str) -> None:
        self._array._attr_delete(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._array._attr_names())

    def __len__(self) -> int:
        return len(self._array._attr_names())

    def __repr__(self) -> str:
        return repr(dict(self))


def storable(name: str, value: Any) -> str | np.ndarray:
    """What can be stored: str, or a contiguous array of a type that DRX has."""
    if not isinstance(name, str) or not name or "\0" in name:
        raise TypeError(f"attribute name {name!r}, expected a str of one character and more, without NUL")
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError(f"attribute {name!r} has a NUL in it")
        return str(value)
    if isinstance(value, bytes):
        return np.frombuffer(value, np.uint8)
    array = np.asarray(value)
    if array.dtype == bool:
        array = array.astype(np.uint8)
    if array.dtype.kind not in "iufc" or array.dtype.char in "egG" or array.ndim > 1:
        raise TypeError(f"attribute {name!r} is {value!r}, expected text, a number, or a list of numbers")
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))
