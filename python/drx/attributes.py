"""Attributes as a mapping."""

from __future__ import annotations

import json
from collections.abc import Iterator, MutableMapping
from typing import Any

import numpy as np

from drx.notes import JSON


class Attributes(MutableMapping):
    """The attributes of an array: text, numbers, one-dimensional arrays of numbers, and lists of texts.

    A number or a bool comes back as a NumPy scalar; so does an array of one. A list of texts is stored as JSON, and its
    name stands in the attribute ``drx_json``, where `save_dataset` notes such attributes, too. What cannot be stored
    (None, objects) is a TypeError, and nothing is changed.
    """

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getitem__(self, name: str) -> Any:
        value = self._array._attr_get(name)
        if isinstance(value, str) and name != JSON and name in self._noted():
            return texts_of(value)
        return value

    def __setitem__(self, name: str, value: Any) -> None:
        self._array._attr_set(name, storable(name, value))
        self._note(name, is_list_of_texts(value))

    def __delitem__(self, name: str) -> None:
        self._array._attr_delete(name)
        self._note(name, False)

    def update(self, *others: Any, **values: Any) -> None:
        """As that of a dict. The names of those that are JSON come last, since a text that is set is none."""
        given = dict(*others, **values)
        noted = given.pop(JSON, None)
        for name, value in given.items():
            self[name] = value
        if noted is not None:
            self[JSON] = noted

    def _noted(self) -> list[str]:
        """The names of the attributes whose text is JSON."""
        if JSON not in self._array._attr_names():
            return []
        names = json.loads(self._array._attr_get(JSON))
        return names if isinstance(names, list) else []

    def _note(self, name: str, is_json: bool) -> None:
        """Whether the text of an attribute is JSON."""
        noted = [] if name == JSON else self._noted()
        if name == JSON or (name in noted) == is_json:
            return
        noted = noted + [name] if is_json else [one for one in noted if one != name]
        if noted:
            self._array._attr_set(JSON, json.dumps(noted))
        else:
            self._array._attr_delete(JSON)

    def __iter__(self) -> Iterator[str]:
        return iter(self._array._attr_names())

    def __len__(self) -> int:
        return len(self._array._attr_names())

    def __repr__(self) -> str:
        return repr(dict(self))


def is_list_of_texts(value: Any) -> bool:
    """Whether it is a list or an array of str, with one at least."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and value.size > 0 and value.dtype.kind == "U"
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(one, str) for one in value)


def texts_of(text: str) -> Any:
    """The list of texts that a text has as JSON; other JSON stays as it is."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if is_list_of_texts(value) else text


def storable(name: str, value: Any) -> str | np.ndarray:
    """What can be stored: str, or a contiguous array of a type that DRX has."""
    if not isinstance(name, str) or not name or "\0" in name:
        raise TypeError(f"attribute name {name!r}, expected a str of one character and more, without NUL")
    if is_list_of_texts(value):
        return json.dumps(list(value))
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError(f"attribute {name!r} has a NUL in it")
        return str(value)
    if isinstance(value, bytes):
        return np.frombuffer(value, np.uint8)
    array = np.asarray(value)
    if array.dtype.kind not in "biufc" or array.dtype.char in "gG" or array.ndim > 1:
        raise TypeError(f"attribute {name!r} is {value!r}, expected text, a number, or a list of texts or of numbers")
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))
