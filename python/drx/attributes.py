"""Attributes as a mapping."""

from __future__ import annotations

import json
from collections.abc import Iterator, MutableMapping
from typing import Any

import numpy as np

from drx import _core
from drx.notes import JSON, RECORD_END, STRINGS, counted_strings, texts_of


class Attributes(MutableMapping):
    """The attributes of an array: text, numbers, and lists of either.

    A number or a bool comes back as a NumPy scalar; so does an array of one. Numbers come back as an array, texts as a list. What
    cannot be stored (None, objects) is a TypeError, and nothing is changed.

    DRX has no lists of texts. They are the lines of one text, or U+001E separates them where they have lines themselves,
    and the attribute `drx.strings` counts them, as for `drx import`; one alone is JSON, which the attribute `drx_json`
    says. These two attributes are not shown, unless they say more than that.
    """

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getitem__(self, name: str) -> Any:
        value = self._array._attr_get(name)
        return self._listed(name, value) if isinstance(value, str) and name not in (JSON, STRINGS) else value

    def __setitem__(self, name: str, value: Any) -> None:
        value = storable(name, value)
        lines, quoted = self._noted()
        if isinstance(value, list):
            as_lines = len(value) != 1 and not any(RECORD_END in text for text in value)
            end = RECORD_END if any("\n" in text for text in value) else "\n"
            self._array._attr_set(name, end.join(value) if as_lines else json.dumps(value))
            self._note(name, lines, quoted, len(value) if as_lines else None, not as_lines)
            return
        self._array._attr_set(name, value)
        if name not in (JSON, STRINGS):
            self._note(name, lines, quoted, None, False)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """As of a dict. Attributes that note how others are stored come after these, as in a copy of `attrs`."""
        super().update(sorted(dict(*args, **kwargs).items(), key=lambda pair: pair[0] in (JSON, STRINGS)))

    def __delitem__(self, name: str) -> None:
        if name in (JSON, STRINGS):  # it goes with the last attribute that it is about
            self._set_note(name, "", name in self)
            return
        lines, quoted = self._noted()
        self._array._attr_delete(name)
        self._note(name, lines, quoted, None, False)

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown())

    def __len__(self) -> int:
        return len(self._shown())

    def _shown(self):
        """The names, without those of notes that say nothing but what values show. Notes come last: so a copy keeps them."""
        names = self._array._attr_names()
        if JSON not in names and STRINGS not in names:
            return names
        lines, quoted = self._noted()
        said = {STRINGS: all(n != 1 for n in lines.values()), JSON: all(isinstance(self.get(name), list) for name in quoted)}
        return sorted((name for name in names if not said.get(name, False)), key=said.__contains__)

    def __repr__(self) -> str:
        return repr(dict(self))

    def _raw(self, name):
        """Text, or "" where there is none."""
        value = self._array._attr_get(name) if name in self._array._attr_names() else ""
        return value if isinstance(value, str) else ""

    def _noted(self):
        """({name: how many lines}, [names of what is JSON])"""
        try:
            quoted = json.loads(self._raw(JSON) or "[]")
        except (ValueError, RecursionError):
            quoted = []
        quoted = [name for name in quoted if isinstance(name, str)] if isinstance(quoted, list) else []
        return counted_strings(self._raw(STRINGS)), quoted

    def _listed(self, name, text):
        """The texts that one text stands for, or the text."""
        lines, quoted = self._noted()
        if lines.get(name, 1) != 1:
            return texts_of(text, lines[name])
        if name in quoted:
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                return text
            if is_texts(value):
                return value
        return text

    def _note(self, name, lines, quoted, count, as_json):
        """Note how the value of an attribute is stored, where that changes something."""
        changed = {key: n for key, n in lines.items() if key != name}
        if count is not None:
            changed[name] = count
        self._set_note(STRINGS, "\n".join(f"{n} {key}" for key, n in changed.items()), changed != lines)
        names = [key for key in quoted if key != name] + [name] * as_json
        self._set_note(JSON, json.dumps(names) if names else "", names != quoted)

    def _set_note(self, note, text, changed):
        if changed and text:
            self._array._attr_set(note, text)
        elif changed:
            self._array._attr_delete(note)


def is_texts(value: Any) -> bool:
    """Whether it is a list of one text and more."""
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(one, str) for one in value)


def checked_text(name: str, text: str) -> str:
    if "\0" in text:
        raise ValueError(f"attribute {name!r} has a NUL in it")
    return str(text)


def storable(name: str, value: Any) -> str | np.ndarray | list[str]:
    """What can be stored: str, a list of them, or a contiguous array of a type that DRX has."""
    if not isinstance(name, str) or not name or "\0" in name:
        raise TypeError(f"attribute name {name!r}, expected a str of one character and more, without NUL")
    if isinstance(value, str):
        return checked_text(name, value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "U" and value.ndim == 1:
        value = value.tolist()
    if is_texts(value):
        return [checked_text(name, text) for text in value]
    if isinstance(value, bytes):
        return np.frombuffer(value, np.uint8)
    array = np.asarray(value)
    if array.dtype.kind not in "biufcV" or array.dtype.char in "gG" or array.ndim > 1:
        raise TypeError(f"attribute {name!r} is {value!r}, expected text, a number, or a list of texts or numbers")
    return np.ascontiguousarray(array, _core.dtype_of(_core.type_code(array.dtype)))
