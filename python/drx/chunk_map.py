"""Where the chunks of an array are: addresses, segments and axial vectors, as a table and as a picture."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from drx import _tools

COLOURS = ("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860", "#da8bc3", "#8c8c8c", "#ccb974",
           "#64b5cd")
SIDE = 420  # pixels of the longer side
CELLS = 24  # up to this many rows and columns each chunk has its address
MOST_AREAS = 20_000  # of a picture
MOST_TEXT = 40  # rows and columns of a table


class Record(NamedTuple):
    """A record of an axial vector: a segment of chunks, which one growth has added, or several that nothing interrupted."""

    axis: int  #: that grew
    low: bool  #: at its low end
    first_index: int  #: N*, in chunks
    first_address: int  #: M*; -1: none begins here
    coefficients: tuple[int, ...]  #: C


class Map:
    """What `Array.map` returns: a slice of chunks along two axes. A notebook shows the picture; ``print`` a table.

    Attributes
    ----------
    records : list of Record
        The axial vectors of all axes.
    axes : tuple of int
        The axes that go down and across; one that is -1 has a single row.
    at : tuple of int
        The chunk indices where the slice lies, on the other axes.
    """

    def __init__(self, array: Any, axes: Sequence[int | str] | None = None,
                 at: Mapping[int | str, int] | None = None) -> None:
        self.records = [Record(*one) for one in _tools.axial_records(array)]
        self._names, self._chunks = array.dims, array.chunks
        self._lower, self._shape = array.lower, array.shape
        self._low = [low // c for low, c in zip(array.lower, array.chunks)]
        self._high = [-(-(low + n) // c) if n else low // c for low, n, c in zip(array.lower, array.shape, array.chunks)]
        self._started = sorted((one.first_address, one.coefficients[one.axis] != 0, i)
                               for i, one in enumerate(self.records) if one.first_address >= 0)
        self.axes = self._chosen() if axes is None else self._given(array, axes)
        self.at = self._place(array, at or {})
        self._areas = list(self._find_areas(array)) if all(a < b for a, b in zip(self._low, self._high)) else []

    def _chosen(self):
        """The axes with most segments, and of equal ones with most chunks; otherwise the last ones."""
        if len(self._low) == 1:
            return -1, 0
        count = [sum(one.axis == j and one.first_address >= 0 for one in self.records) for j in range(len(self._low))]
        best = sorted(range(len(count)), key=lambda j: (count[j], self._high[j] - self._low[j], j))
        return min(best[-2:]), max(best[-2:])

    @staticmethod
    def _given(array, axes):
        down, across = (array._axis_number(axis) for axis in axes)
        if down == across:
            raise ValueError(f"the map has the axes {down} and {across}, expected two different ones")
        return down, across

    def _place(self, array, at):
        place = list(self._low)
        for axis, index in at.items():
            axis = array._axis_number(axis)
            if axis in self.axes:
                raise ValueError(f"axis {axis} is one that the map shows; it lies at an index of the others")
            if not self._low[axis] <= index < self._high[axis]:
                raise IndexError(f"chunk index {index} is out of bounds for axis {axis}, which has {self._low[axis]} to "
                                 f"{self._high[axis] - 1}")
            place[axis] = index
        return tuple(place)

    def _cuts(self, axis):
        """The chunk indices between which one record holds, on one axis of the slice."""
        if axis < 0:
            return [0, 1]
        low, high = self._low[axis], self._high[axis]
        inner = {one.first_index for one in self.records if one.axis == axis and low < one.first_index < high}
        return [low, *sorted(inner), high]

    def _find_areas(self, array):
        """(rows, columns, segment, first address, steps down and across): areas of one segment each."""
        rows, columns = map(self._cuts, self.axes)
        if (len(rows) - 1) * (len(columns) - 1) > MOST_AREAS:
            raise ValueError(f"the slice has more than {MOST_AREAS} areas: give other axes")
        for top, bottom in zip(rows, rows[1:]):
            for left, right in zip(columns, columns[1:]):
                index = list(self.at)
                for axis, first in zip(self.axes, (top, left)):
                    if axis >= 0:
                        index[axis] = first
                address = array.chunk_address(index)
                at = bisect.bisect_right(self._started, (address, True, len(self.records))) - 1
                segment = self._started[at][2]
                steps = [self.records[segment].coefficients[axis] if axis >= 0 else 0 for axis in self.axes]
                yield range(top, bottom), range(left, right), segment, address, steps

    @property
    def addresses(self) -> np.ndarray:
        """numpy.ndarray: the address of each chunk of the slice."""
        rows, columns = (self._cuts(axis) for axis in self.axes)
        table = np.zeros((rows[-1] - rows[0], columns[-1] - columns[0]) if self._areas else (0, 0), np.int64)
        for down, across, _, address, (row_step, column_step) in self._areas:
            part = address + row_step * np.arange(len(down))[:, None] + column_step * np.arange(len(across))
            table[down.start - rows[0]:down.stop - rows[0], across.start - columns[0]:across.stop - columns[0]] = part
        return table

    def _label(self, axis):
        name = self._names[axis]
        return f"axis {axis}" + (f" ({name})" if name else "")

    def __str__(self) -> str:
        table, (rows, columns) = self.addresses, (self._cuts(axis) for axis in self.axes)
        lines = []
        if table.size and max(table.shape) <= MOST_TEXT:
            width = max(len(str(one)) for one in (*table.flat, columns[0], columns[-1]))
            side = max(len(str(rows[0])), len(str(rows[-1])))
            lines = [" " * side + "".join(f" {at:{width}}" for at in range(columns[0], columns[-1]))]
            lines += [f"{rows[0] + i:{side}}" + "".join(f" {one:{width}}" for one in row) for i, row in enumerate(table)]
        for axis in range(len(self._low)):
            for low in (False, True):
                vector = [one for one in self.records if one.axis == axis and one.low == low]
                if vector:
                    text = ", ".join(f"({one.first_index};{one.first_address};{' '.join(map(str, one.coefficients))})"
                                     for one in vector)
                    lines.append(f"{self._label(axis)}{', low end' if low else ''}: {text}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<drx map of {len({area[2] for area in self._areas})} segments>"

    def _repr_svg_(self) -> str:
        return self.svg()

    def svg(self, side: int = SIDE) -> str:
        """The picture: areas with a colour for each segment, chunk indices at the sides, and the bounds as a line.

        Parameters
        ----------
        side : int
            Pixels of the longer side of the chunks.
        """
        if not self._areas:
            return ""
        rows, columns = (self._cuts(axis) for axis in self.axes)
        height, width = rows[-1] - rows[0], columns[-1] - columns[0]
        scale = side / max(height, width)
        picture = Picture(max(scale, 24 / height), max(scale, 24 / width), rows[0], columns[0])
        cells = max(height, width) <= CELLS and side >= SIDE
        for down, across, segment, address, steps in self._areas:
            picture.area(down, across, COLOURS[segment % len(COLOURS)], self._title(segment, down, across, address, steps))
            for i in range(len(down) if cells else 0):
                for j in range(len(across)):
                    picture.text(down[i], across[j], str(address + i * steps[0] + j * steps[1]))
        picture.bounds(*(self._bound(axis) for axis in self.axes))
        names = [self._label(axis) if axis >= 0 else "" for axis in self.axes]
        return picture.finished(height, width, names if side >= SIDE else None)

    def _title(self, segment, down, across, address, steps):
        one = self.records[segment]
        corners = [address + i * steps[0] + j * steps[1] for i in (0, len(down) - 1) for j in (0, len(across) - 1)]
        return (f"addresses {min(corners)} to {max(corners)}: growth of {self._label(one.axis)}"
                f"{' at its low end' if one.low else ''} from address {one.first_address} on")

    def _bound(self, axis):
        """First and last bound of an axis of the slice, in chunks."""
        if axis < 0:
            return 0.0, 1.0
        return self._lower[axis] / self._chunks[axis], (self._lower[axis] + self._shape[axis]) / self._chunks[axis]


class Picture:
    """SVG in chunks: dy and dx are the pixels of one; the first one has the index `top`, `left`."""

    def __init__(self, dy, dx, top, left):
        self.dy, self.dx, self.top, self.left = dy, dx, top, left
        self.parts = []

    def at(self, row, column):
        return (row - self.top) * self.dy, (column - self.left) * self.dx

    def area(self, down, across, colour, title):
        y, x = self.at(down.start, across.start)
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{len(across) * self.dx:.1f}" '
                          f'height="{len(down) * self.dy:.1f}" fill="{colour}" stroke="#fff" stroke-width="0.7">'
                          f"<title>{escape(title)}</title></rect>")

    def text(self, row, column, text):
        y, x = self.at(row + 0.5, column + 0.5)
        size = min(12, self.dy * 0.6, 1.6 * self.dx / max(len(text), 1))
        self.parts.append(f'<text x="{x:.1f}" y="{y + size * 0.35:.1f}" font-size="{size:.1f}" text-anchor="middle" '
                          f'fill="#fff" pointer-events="none">{text}</text>')

    def bounds(self, rows, columns):
        y, x = self.at(rows[0], columns[0])
        height, width = (rows[1] - rows[0]) * self.dy, (columns[1] - columns[0]) * self.dx
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="none" '
                          'stroke="#222" stroke-width="1.5"/>')

    def finished(self, rows, columns, names):
        """names: of the axes down and across, beside the picture with the first and last chunk index; None: none of that."""
        height, width = rows * self.dy, columns * self.dx
        edge = 34 if names else 2
        if names:
            self.parts.append(f'<text x="0" y="-18" font-size="12">{escape(names[1])}: {self.left} to '
                              f"{self.left + columns - 1}</text>")
        if names and names[0]:
            self.parts.append('<text x="-8" y="0" font-size="12" text-anchor="end" transform="rotate(-90 -8 0)">'
                              f"{escape(names[0])}: {self.top} to {self.top + rows - 1}</text>")
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 2 * edge:.0f}" height="{height + 2 * edge:.0f}" '
                f'font-family="sans-serif"><g transform="translate({edge} {edge})" fill="#222">{"".join(self.parts)}</g></svg>')
