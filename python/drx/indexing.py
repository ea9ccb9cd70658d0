"""Indices: the elements that they select on each axis, and the shape of the result.

The selection of an axis is (lo, count, step) with step >= 1, in the order of the array. The result reverses it for a
negative step, drops the axis for an int, and picks and repeats indices for a list.
"""

import operator
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass
class Box:
    """Basic indexing: one strided box."""

    lo: tuple  # for each axis of the array
    count: tuple
    step: tuple
    view: tuple  # index the box with this in NumPy for the result

    def shape(self):
        """The shape of the result."""
        return np.broadcast_to(np.empty(()), self.count)[self.view].shape

    def full(self, memory):
        """The inverse of `view`: the box as a view of a result."""
        return memory[tuple(0 if item is None else item if isinstance(item, slice) else None for item in self.view)]


def expand(key, ndim, takes=lambda item: 1, none=()):
    """A key as a list of its entries, with slices for ``...`` and for what is missing, and None for each new axis.
    takes(item): how many axes an entry is about; none: the entries where no slice is missing."""
    key = list(key) if isinstance(key, tuple) else [key]
    ellipses = [at for at, item in enumerate(key) if item is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    given = sum(takes(item) for item in key if item is not None and item is not Ellipsis)
    if given > ndim:
        raise IndexError(f"too many indices: the array has {ndim} axes, but {given} were indexed")
    at = ellipses[0] if ellipses else len(key)
    return key[:at] + ([slice(None)] * (ndim - given) or [*none]) + key[at + 1:]


def is_list(item):
    """Whether an entry of a key picks indices one by one."""
    return isinstance(item, (list, tuple, np.ndarray)) and np.ndim(item) > 0 or isinstance(item, (bool, np.bool_))


def has_list(key):
    return any(is_list(item) for item in (key if isinstance(key, tuple) else (key,)))


def by_name(key, names):
    """A key; a mapping of names of axes to ints, slices and lists as a tuple of them. IndexError: no axis has the name."""
    if not isinstance(key, Mapping):
        return key
    items = [slice(None)] * len(names)
    for name, item in key.items():
        if names.count(name) != 1:
            raise IndexError(f"{names.count(name)} axes are named {name!r}; the names are {names}")
        items[names.index(name)] = item
    return tuple(items)


def whole_mask(key, shape):
    """The bools that a key has for all axes of an array of several together, or None."""
    if isinstance(key, tuple) and len(key) == 1:
        key = key[0]
    if not isinstance(key, (list, np.ndarray)) or np.ndim(key) < 2:
        return None
    mask = np.asarray(key)
    return mask if mask.dtype == bool and mask.shape == tuple(shape) else None


def is_orthogonal(key):
    """Whether a key with lists means to NumPy what it means to orthogonal indexing: it has one, of one axis, whose axis stays
    in its place."""
    key = key if isinstance(key, tuple) else (key,)
    lists = [at for at, item in enumerate(key) if is_list(item)]
    if len(lists) > 1 or np.ndim(key[lists[0]]) != 1 or np.size(key[lists[0]]) == 0 or any(item is None for item in key):
        return False
    whole = [isinstance(item, slice) or item is Ellipsis for item in key]
    picked = [at for at, item in enumerate(whole) if not item]
    return not (any(whole[:lists[0]]) and any(whole[picked[0]:picked[-1]]))


def broadcast(values, shape):
    """Values broadcast to the shape of a selection; as in NumPy, leading axes of extent 1 are dropped."""
    while values.ndim > len(shape) and values.shape[0] == 1:
        values = values[0]
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        raise ValueError(f"the values have shape {values.shape}, which does not broadcast to {tuple(shape)}") from None


def wrap(index, axis, size):
    """An index within the bounds, counted from the front."""
    at = operator.index(index)
    if not -size <= at < size:
        raise IndexError(f"index {at} is out of bounds for axis {axis} with size {size}")
    return at + size if at < 0 else at


def as_range(item, axis, size):
    """The range that an int or a slice selects."""
    if isinstance(item, slice):
        return range(*item.indices(size))
    try:
        at = wrap(item, axis, size)
    except TypeError:
        raise IndexError(f"axis {axis} is indexed by {item!r}, expected an int, a slice, '...', None, or a list of "
                         "ints or bools") from None
    return range(at, at + 1)


def as_labels(item, axis, size):
    """The range that an int or a slice selects of an axis whose indices may be any ints: none counts from the end."""
    if not isinstance(item, slice):
        try:
            at = operator.index(item)
        except TypeError:
            raise IndexError(f"axis {axis} is indexed by {item!r}, expected an int, a slice or '...'") from None
        return range(at, at + 1)
    first, end = (default if given is None else operator.index(given)
                  for given, default in ((item.start, 0), (item.stop, size)))
    return range(first, max(first, end), 1 if item.step is None else operator.index(item.step))


def forward(indices):
    """(lo, count, step, reversed) of a range."""
    count = len(indices)
    if count <= 1:
        return (indices[0] if count else 0), count, 1, False
    if indices.step < 0:
        return indices[-1], count, -indices.step, True
    return indices[0], count, indices.step, False


def parse_box(key, shape, labels=()):
    """The box that a key of ints, slices, `...` and None selects. `labels`: axes for as_labels."""
    lo, count, step, view = [], [], [], []
    for item in expand(key, len(shape)):
        if item is None:
            view.append(None)
            continue
        axis = len(lo)
        first, n, every, backwards = forward((as_labels if axis in labels else as_range)(item, axis, shape[axis]))
        lo.append(first)
        count.append(n)
        step.append(every)
        view.append(slice(None, None, -1 if backwards else 1) if isinstance(item, slice) else 0)
    return Box(tuple(lo), tuple(count), tuple(step), tuple(view))


def parse_plain(key, shape, what, labels=()):
    """The box of a key of ints, slices of step 1 and `...`. IndexError for others, which `what` does not take."""
    box = parse_box(key, shape, labels)
    if any(step != 1 for step in box.step) or None in box.view or any(
            isinstance(item, slice) and item.step == -1 for item in box.view):
        raise IndexError(f"{what} takes ints, slices of step 1 and '...'")
    return box


def as_indices(item, axis, size, labels=False):
    """The int64 indices that a list of ints or bools selects, counted from the front. labels: any ints, as they are."""
    picked = np.asarray(item)
    if picked.dtype == bool:
        if picked.shape != (size,):
            raise IndexError(f"axis {axis} is indexed by bools of shape {picked.shape}, expected ({size},)")
        return np.flatnonzero(picked)
    if picked.size == 0:
        return np.zeros(picked.shape, np.int64)
    if picked.dtype.kind not in "iu":
        raise IndexError(f"axis {axis} is indexed by {picked.dtype}, expected ints or bools")
    if labels:
        return picked.astype(np.int64)
    wrong = picked[(picked < -size) | (picked >= size)]
    if wrong.size:
        raise IndexError(f"index {wrong.flat[0]} is out of bounds for axis {axis} with size {size}")
    picked = picked.astype(np.int64)
    return np.where(picked < 0, picked + size, picked)


def changes(indices):
    """The steps of sorted unique indices, and the positions of the steps that differ from the one before."""
    steps = np.diff(indices)
    return steps, np.flatnonzero(steps[1:] != steps[:-1]) + 1


def runs(indices):
    """Sorted unique indices as runs (position, lo, count, step)."""
    steps, change = changes(indices)
    ends = iter(change.tolist() + [len(indices) - 1])
    at, end = 0, 0
    while at < len(indices):
        if at + 1 == len(indices):
            yield at, int(indices[at]), 1, 1
            return
        while end <= at:
            end = next(ends)
        count, step = end - at + 1, int(steps[at])
        if count == 2 and step > 1:  # the second may begin a longer run
            count = 1
        yield at, int(indices[at]), count, step if count > 1 else 1
        at += count


@dataclass
class Axis:
    """The selection of one axis by orthogonal indexing."""

    indices: object  # what is read: a range, or sorted unique indices
    pick: object  # index the elements with this in NumPy for the result

    @property
    def count(self):
        return len(self.indices)

    @property
    def nruns(self):
        """About how many runs there are."""
        return 1 if isinstance(self.indices, range) else 1 + len(changes(self.indices)[1])

    def runs(self):
        """Runs (position, lo, count, step)."""
        if not isinstance(self.indices, range):
            return list(runs(self.indices))
        n = len(self.indices)
        return [(0, self.indices[0] if n else 0, n, self.indices.step if n > 1 else 1)]


def parse_axis(item, axis, size):
    """An axis of orthogonal indexing."""
    if not is_list(item):
        selected = as_range(item, axis, size)
        backwards = len(selected) > 1 and selected.step < 0
        pick = slice(None, None, -1 if backwards else 1) if isinstance(item, slice) else 0
        return Axis(selected[::-1] if backwards else selected, pick)
    indices = as_indices(item, axis, size)
    if indices.ndim != 1:
        raise IndexError(f"axis {axis} is indexed by a list of {indices.ndim} axes, expected 1; see vindex")
    unique, inverse = np.unique(indices, return_inverse=True)
    same = len(unique) == len(indices) and bool(np.all(inverse == np.arange(len(indices))))
    return Axis(unique, slice(None) if same else inverse)


def points_of(axes, first, end):
    """The points `first` to `end` of the product of the axes, in C order: [n][ndim]."""
    at = np.unravel_index(np.arange(first, end), [axis.count for axis in axes])
    return np.stack([np.asarray(axis.indices, np.int64)[i] for axis, i in zip(axes, at)], axis=1)


def parse_orthogonal(key, shape):
    """The selections of all axes. IndexError for new axes."""
    items = expand(key, len(shape))
    if any(item is None for item in items):
        raise IndexError("oindex takes no new axes")
    return [parse_axis(item, j, shape[j]) for j, item in enumerate(items)]


def points_in(mask, first=0):
    """The points that a mask selects, in C order: [n][ndim]. It begins at index `first` of axis 0."""
    points = np.stack(np.unravel_index(np.flatnonzero(mask), mask.shape), axis=1)
    points[:, 0] += first
    return points


def parse_points(key, shape, labels=()):
    """Points [n][ndim], and the shape of the result. `labels`: axes whose indices are taken as they are."""
    key = key if isinstance(key, tuple) else (key,)
    if len(key) == 1 and isinstance(key[0], np.ndarray) and key[0].dtype == bool and key[0].shape == tuple(shape):
        points = points_in(key[0])
        return points, (len(points),)
    if len(key) != len(shape):
        raise IndexError(f"vindex takes a list of indices for each axis: {len(shape)}, not {len(key)}")
    lists = [as_indices(np.asarray(item), j, shape[j], j in labels) for j, item in enumerate(key)]
    try:
        lists = np.broadcast_arrays(*lists)
    except ValueError:
        raise IndexError(f"vindex: lists of shapes {', '.join(str(one.shape) for one in lists)} do not broadcast "
                         "together") from None
    points = np.stack([one.ravel() for one in lists], axis=1) if lists else np.zeros((1, 0), np.int64)
    return np.ascontiguousarray(points, np.int64), lists[0].shape
