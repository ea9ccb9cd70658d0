"""Lists and bools among the entries of a key, with the meaning that NumPy gives them.

The lists, and with them the ints of the key, are broadcast together: they name points on their axes. The axes of these
points stand in the result where the lists stood, or first, when a slice, a new axis or ``...`` stands between two of them.
"""

import math
from dataclasses import dataclass

import numpy as np

from drx import indexing, many

BOX_ELEMENTS = 32  # reading a box takes as long as this many elements of a list
DENSE = 16  # where points name one element in this many of the box around them, reading the box takes as long
BOX_BYTES = 64 << 20  # the largest box that is read around points
PART_POINTS = 1 << 20  # of a list


@dataclass
class Mixed:
    """What a key selects: points on some axes, by boxes on the others."""

    axes: list  # those of the points
    points: np.ndarray  # [n][axes], counted from the front
    shape: tuple  # of the points
    at: int  # how many axes of the result come before those of the points
    others: list  # (axis, lo, count, step, reversed) of each other axis, in their order
    new: list  # where the result, before it gets them, gets new axes: positions in it with them

    def box_shape(self):
        return tuple(count for _, _, count, _, _ in self.others)


def is_bools(item):
    return isinstance(item, (bool, np.bool_)) or isinstance(item, (list, tuple, np.ndarray)) and np.asarray(item).dtype == bool


def takes(item):
    """How many axes an entry of a key is about."""
    if item is None or item is Ellipsis:
        return 0
    return np.ndim(item) if is_bools(item) else 1


def as_lists(item, axis, shape):
    """[(axis, indices)] of a list, an int or bools, as they are; bools of several axes give a list for each."""
    if not is_bools(item):
        return [(axis, indexing.as_indices(item, axis, shape[axis], labels=True))]
    bools = np.asarray(item)
    if bools.ndim == 0:  # it selects all or nothing, on an axis of its own
        return [(None, np.zeros(int(bools), np.int64))]
    bounds = tuple(shape[axis:axis + bools.ndim])
    if any(n not in (0, bound) for n, bound in zip(bools.shape, bounds)):  # NumPy takes no bools for any number
        where = f"axis {axis} is" if bools.ndim == 1 else f"the axes {axis} to {axis + bools.ndim - 1} are"
        raise IndexError(f"{where} indexed by bools of shape {bools.shape}, expected {bounds}")
    return [(axis + j, indices) for j, indices in enumerate(np.nonzero(bools))]


def parse(key, shape):
    """A key with at least one list."""
    lists, others, new, between = [], [], [], []
    axis = kept = 0  # kept: axes of the result that are not those of the points
    for item in indexing.expand(key, len(shape), takes, [...]):  # ``...`` for no axis stands between lists, too
        if item is None or item is Ellipsis or isinstance(item, slice):
            between.append(False)
            if item is None:
                new.append(kept)
            elif item is not Ellipsis:
                others.append((axis, *indexing.forward(indexing.as_range(item, axis, shape[axis]))))
            kept += item is not Ellipsis
        else:
            if not any(between):
                first = kept
            between.append(True)
            lists += as_lists(item if indexing.is_list(item) else np.asarray(indexing.as_range(item, axis, shape[axis])[0]),
                              axis, shape)
        axis += takes(item)
    chosen = np.flatnonzero(between)
    together = bool(np.all(np.diff(chosen) == 1))
    try:
        points = np.broadcast_arrays(*(indices for _, indices in lists))
    except ValueError:
        shapes = " ".join(str(indices.shape) for _, indices in lists)
        raise IndexError("shape mismatch: indexing arrays could not be broadcast together with shapes "
                         f"{shapes}") from None
    if points[0].size:  # of no points NumPy does not look at the lists
        points = [one if j is None else indexing.as_indices(one, j, shape[j]) for (j, _), one in zip(lists, points)]
    named = [(j, indices.ravel()) for (j, _), indices in zip(lists, points) if j is not None]
    n = points[0].size
    table = np.stack([indices for _, indices in named], axis=1) if named else np.zeros((n, 0), np.int64)
    return Mixed([j for j, _ in named], np.ascontiguousarray(table, np.int64), points[0].shape,
                 first if together else 0, others, new)


def in_place(mixed, values):
    """From (points, boxes) to the result: slices reversed, new axes, and the axes of the points where NumPy has them."""
    n = len(mixed.shape)
    values = values.reshape(mixed.shape + mixed.box_shape())
    values = values[(slice(None),) * n + tuple(slice(None, None, -1 if back else 1) for *_, back in mixed.others)]
    for at in mixed.new:
        values = np.expand_dims(values, n + at)
    return np.moveaxis(values, range(n), range(mixed.at, mixed.at + n))


def result_shape(mixed):
    boxes = list(mixed.box_shape())
    for at in mixed.new:
        boxes.insert(at, 1)
    return (*boxes[:mixed.at], *mixed.shape, *boxes[mixed.at:])


def out_of_place(mixed, values):
    """The inverse of `in_place`: values of the result's shape, as [points][boxes]."""
    n = len(mixed.shape)
    values = np.moveaxis(values, range(mixed.at, mixed.at + n), range(n))
    values = values[(slice(None),) * n + tuple(0 if at in mixed.new else slice(None) for at in range(values.ndim - n))]
    values = values[(slice(None),) * n + tuple(slice(None, None, -1 if back else 1) for *_, back in mixed.others)]
    return values.reshape((len(mixed.points), *mixed.box_shape()))


def read(array, key):
    """What ``array[key]`` is to NumPy."""
    mixed = parse(key, array.shape)
    box = mixed.box_shape()
    values = np.empty((len(mixed.points), *box), array.dtype)
    if values.size:
        low, high = mixed.points.min(axis=0), mixed.points.max(axis=0)
        around = math.prod((high - low + 1).tolist()) * math.prod(box)
        if around <= DENSE * values.size and around * array.dtype.itemsize <= BOX_BYTES:
            read_around(array, mixed, low, high, values)
        elif math.prod(box) >= BOX_ELEMENTS:
            many.read(array, (box_at(array, mixed, *one) for one in zip(mixed.points, values)))
        else:
            move_points(array, False, mixed, values.reshape(-1))
    return in_place(mixed, values)


def write(array, key, value):
    """``array[key] = value``. Of several values for one element the last one stays."""
    mixed = parse(key, array.shape)
    values = out_of_place(mixed, indexing.broadcast(array._native(value), result_shape(mixed)))
    if math.prod(mixed.box_shape()) >= BOX_ELEMENTS:
        for point, part in zip(mixed.points, values):
            memory, lo, count, step = box_at(array, mixed, point, part)
            array._move(True, lo, count, step, memory)
    elif values.size:
        move_points(array, True, mixed, np.ascontiguousarray(values).reshape(-1))


def axes_of_box(array, mixed, low, extents):
    """lo, count and step of the box that has `extents` indices from `low` on, on the axes of the points."""
    lo, count, step = [0] * array.ndim, [1] * array.ndim, [1] * array.ndim
    for axis, first, n, every, _ in mixed.others:
        lo[axis], count[axis], step[axis] = first, n, every
    for axis, first, n in zip(mixed.axes, low, extents):
        lo[axis], count[axis] = int(first), int(n)
    return tuple(lo), tuple(count), tuple(step)


def read_around(array, mixed, low, high, values):
    """Read the box that has all points, and pick them from it."""
    lo, count, step = axes_of_box(array, mixed, low, high - low + 1)
    memory = np.empty(count, array.dtype)
    array._move(False, lo, count, step, memory)
    order = mixed.axes + [axis for axis, *_ in mixed.others]
    values[...] = memory.transpose(order)[tuple((mixed.points - low).T)] if mixed.axes else memory.transpose(order)


def box_at(array, mixed, point, values):
    """(memory, lo, count, step) of the box at a point, whose values are there."""
    lo, count, step = axes_of_box(array, mixed, point, [1] * len(point))
    return values.reshape(count), lo, count, step


def move_points(array, writing, mixed, values):
    """As a list of single elements, in the order of the values."""
    box = mixed.box_shape()
    each = math.prod(box)
    for first in range(0, len(values), PART_POINTS):
        at = np.arange(first, min(first + PART_POINTS, len(values)))
        indices = np.empty((len(at), array.ndim), np.int64)
        for column, axis in enumerate(mixed.axes):
            indices[:, axis] = mixed.points[at // each, column]
        for picked, (axis, lo, _, step, _) in zip(np.unravel_index(at % each, box) if box else (), mixed.others):
            indices[:, axis] = lo + picked * step
        array._points(writing, indices, values[first:first + len(at)])
