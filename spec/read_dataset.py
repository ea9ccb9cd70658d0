#!/usr/bin/env python3
"""Read a DRX dataset, by section 10 of drx-format.md alone: it shares no code with the library.

    read_dataset.py PATH [COMMIT]

prints what it holds as of a commit, the last one by default.
"""
import os
import struct
import sys
from collections import namedtuple

import read_drx
from checksum import crc32c
from read_errors import Damaged, FormatError, Unsupported, require
from read_log import (ATTRIBUTE, ATTRIBUTE_DELETE, ATTRIBUTE_LATER, ceil_to, read_attribute, read_name, tail_is_damage,
                      valid_record)

MAGIC = b"\x89DRS\r\n\x1a\n"
DIMENSION, ADD, REMOVE, ATTR, ATTR_DELETE, COMMIT, ADD_AXIS, ATTR_LATER = range(1, 9)
OF_MEMBER = {ATTR: ATTRIBUTE, ATTR_LATER: ATTRIBUTE_LATER, ATTR_DELETE: ATTRIBUTE_DELETE}

Step = namedtuple("Step", "dim end by bound")  # end: 0 the high one, 1 the low one; by < 0: a trim
Axis = namedtuple("Axis", "commit member at dim")
Commit = namedtuple("Commit", "number time message steps")
Change = namedtuple("Change", "member kind payload")  # of an attribute; member -1: the dataset


class Mismatch(Exception):
    """Another array than the one that the dataset has under that name."""


class Trimmed(Exception):
    """A later commit has trimmed what an earlier one shows."""


def is_span(lower, upper):
    return -1 << 62 <= lower <= upper and upper - lower < 1 << 63


def moved(bounds, steps):
    """The bounds, high and low, after these steps of their dimension."""
    bounds = list(bounds)
    for step in steps:
        bounds[step.end] += -step.by if step.end else step.by
    return bounds


class Dim:
    def __init__(self, name, bounds, added):
        self.name, self.bounds, self.added = name, bounds, added  # bounds: high and low, of its record


class Member:
    def __init__(self, name, id, dims, added):
        self.name, self.id, self.made_dims, self.added, self.removed = name, id, dims, added, None


class Dataset:
    """The dataset in the folder `path`.

    dims, members   in the order of their records; commits
    attrs           of the dataset, name -> str or array
    report          None, or what is wrong
    """

    def __init__(self, path):
        self.path = path
        with open(os.path.join(path, "dataset.xds"), "rb") as file:
            log = file.read()
        if log[:8] != MAGIC:
            raise FormatError("not a DRX dataset")
        require(len(log) >= 20, "the description is cut short")
        crc, length, major = struct.unpack_from("<IIH", log, 8)
        if major != 1:
            raise Unsupported(f"version {major} of the format")
        require(length == 48 <= len(log) and crc32c(0, log[12:48]) == crc, "the CRC of the description is wrong")
        if any(log[20:32]):
            raise Unsupported("flags")
        self.id = log[32:48]
        self.dims, self.members, self.commits, self.changes, self.axes, self.report = [], [], [], [], [], None
        self._kept = (0, 0, 0, 0)
        self._replay(log, 48, crc)
        require(self.commits, "no commit")
        self._drop_pending()
        self.attrs = {}
        self._apply_attributes(self, -1, -1)

    def _replay(self, log, offset, prev):  # 10.3
        sequence = 0
        while offset < len(log):
            entry = valid_record(log, offset)
            if entry is None or entry.prev != prev or entry.sequence != sequence + 1:
                damaged = tail_is_damage(log, offset, sequence, prev, COMMIT)
                self.report = f"{'damage' if damaged else 'torn tail'} at byte {offset}"
                return
            try:
                self._apply(entry)
            except (Damaged, struct.error, UnicodeDecodeError) as error:
                self.report = f"damage at byte {offset}: {error}"
                return
            offset, prev, sequence = offset + entry.length, entry.crc, entry.sequence

    def _apply(self, entry):  # 10.2
        kind, payload, now = entry.kind, entry.payload, len(self.commits)
        if kind == DIMENSION:
            lower, bound, length = struct.unpack_from("<qqH", payload)
            name = read_name(payload, 24, length, 1)
            require(is_span(lower, bound) and len(payload) == 24 + ceil_to(length, 8), "an impossible dimension")
            require(name not in [dim.name for dim in self.dims], "a dimension twice")
            self.dims.append(Dim(name, (bound, lower), now))
        elif kind == ADD:
            n = entry.argument
            dims = struct.unpack_from(f"<{n}I", payload, 16)
            at = 16 + ceil_to(4 * n, 8)
            length, = struct.unpack_from("<H", payload, at)
            name = read_name(payload, at + 8, length, 1)
            require(n <= 32 and len(payload) == at + 8 + ceil_to(length, 8), "an impossible member")
            require(length <= 200 and name[0] != "." and "/" not in name, "a name that a member cannot have")
            require(all(dim < len(self.dims) for dim in dims), "a dimension that is none")
            require(name not in [m.name for m in self.members if m.removed in (None, now)], "a member twice")
            require(payload[:16] not in [m.id for m in self.members], "an id twice")
            self.members.append(Member(name, payload[:16], dims, now))
        elif kind == REMOVE:
            number, = struct.unpack("<q", payload)
            require(0 <= number < len(self.members) and self.members[number].removed is None, "nothing to remove")
            self.members[number].removed = now
        elif kind in OF_MEMBER:
            number, = struct.unpack_from("<q", payload)
            require(-1 <= number < len(self.members), "an attribute of nothing")
            if kind != ATTR_DELETE:
                read_attribute(payload[8:], kind == ATTR_LATER)
            else:
                length, = struct.unpack_from("<H", payload, 8)
                read_name(payload, 16, length, 1)
                require(len(payload) == 16 + ceil_to(length, 8), "a name has an impossible length")
            self.changes.append((now, Change(number, OF_MEMBER[kind], payload[8:])))
        elif kind == ADD_AXIS:
            number, dim, zero = struct.unpack("<qII", payload)
            require(0 <= number < len(self.members) and dim < len(self.dims) and zero == 0, "an axis of nothing")
            member = self.members[number]
            require(member.added < now and member.removed is None, "an axis of a member that is not there")
            require(entry.argument <= len(self.dims_of(number, now)) <= 31,
                    "an axis in an impossible place")
            require(all(axis.member != number or axis.commit != now for axis in self.axes), "two axes at once")
            require(list(self.bounds(dim, now)) == [1, 0], "an axis with other indices than 0")
            self.axes.append(Axis(now, number, entry.argument, dim))
        elif kind == COMMIT:
            number, time, g, m = struct.unpack_from("<qqII", payload)
            end = 24 + 24 * g
            require(number == now and m <= 4096 and len(payload) == end + ceil_to(m, 8), "an impossible commit")
            steps = []
            for i in range(g):
                step = Step(*struct.unpack_from("<IIqq", payload, 24 + 24 * i))
                require(step.dim < len(self.dims) and step.end < 2 and step.by, "an impossible change of a dimension")
                require(step.by < 0 or not steps or steps[-1].by > 0, "a growth after a trim")
                bounds = moved(self.bounds(step.dim, now), [one for one in steps if one.dim == step.dim])
                high, low = bounds = moved(bounds, [step])
                require(bounds[step.end] == step.bound, "the bound after a change is not the sum")
                require(is_span(low, high), "impossible bounds")
                steps.append(step)
            require(0 not in payload[end:end + m], "a message with a zero byte")
            self.commits.append(Commit(number, time, payload[end:end + m].decode(), steps))
            self._kept = len(self.dims), len(self.members), len(self.changes), len(self.axes)
        elif kind < 128:
            raise Unsupported(f"a record of kind {kind}")

    def _drop_pending(self):
        dims, members, changes, axes = self._kept
        del self.dims[dims:], self.members[members:], self.changes[changes:], self.axes[axes:]
        for member in self.members:
            if member.removed == len(self.commits):
                member.removed = None

    def bounds(self, dim, commit):
        """Of a dimension, high and low, after a commit."""
        return moved(self.dims[dim].bounds, [step for c in self.commits[:commit + 1] for step in c.steps if step.dim == dim])

    def axes_of(self, number, commit):
        """The new axes of a member that came after a commit, in their order."""
        return [axis for axis in self.axes if axis.member == number and commit < axis.commit < len(self.commits)]

    def dims_of(self, number, commit):
        """Numbers of the dimensions of a member, as of a commit."""
        dims = list(self.members[number].made_dims)
        for axis in self.axes_of(number, -1):
            if axis.commit <= commit:
                dims.insert(axis.at, axis.dim)
        return dims

    def names(self, commit):
        return [m.name for m in self.members if m.added <= commit and (m.removed is None or m.removed > commit)]

    def _apply_attributes(self, owner, number, settled):
        for commit, change in self.changes:
            if change.member != number or commit <= settled:
                continue
            if change.kind != ATTRIBUTE_DELETE:
                name, value = read_attribute(change.payload, change.kind == ATTRIBUTE_LATER)
                owner.attrs[name] = value
            else:
                length, = struct.unpack_from("<H", change.payload)
                owner.attrs.pop(read_name(change.payload, 8, length, 1), None)

    def _complete(self, number, array, upto):  # 10.5
        """What the log of a member lacks, up to a commit."""
        member = self.members[number]
        mine = array.id == member.id and (array.member is None or array.member[0] == self.id)
        settled = -1 if array.member is None else array.member[1]
        if not mine:
            raise Mismatch(f"{member.name} is another array")
        if settled < upto and not array.passed:
            self._add_steps(number, array, settled, upto)
        ndim = len(self.dims_of(number, upto))
        if len(array.shape) != max(1, ndim) or ndim == 0 and array.shape != (1,) and not self.axes_of(number, upto):
            raise Mismatch(f"{member.name} is another array")
        self._apply_attributes(array, number, settled)

    def _steps(self, number, settled, upto):
        """(what, Step or Axis): of the changes after a commit, for each axis."""
        for now in range(settled + 1, upto + 1):
            dims = self.dims_of(number, now - 1)
            for step in self.commits[now].steps:
                yield from ((axis, step) for axis, dim in enumerate(dims) if dim == step.dim)
            yield from ((axis.at, axis) for axis in self.axes if axis.member == number and axis.commit == now)

    def _add_steps(self, number, array, settled, upto):
        member, steps = self.members[number], list(self._steps(number, settled, upto))
        at = [list(self.bounds(dim, settled)) for dim in self.dims_of(number, settled)]
        made = [[low + n, low] for low, n in zip(array.origin, array.made_shape)]
        if not at and steps:  # a scalar: the axis that it has gets a name, and its array no record that counts
            at.append([1, 0])
            array.dims[0] = self.dims[steps.pop(0)[1].dim].name
        while settled < member.added and steps and at != made[:len(at)]:  # those before it was added
            axis, step = steps.pop(0)
            at[axis][step.end] = step.bound
        if array.steps > len(steps):
            raise Mismatch(f"{member.name} grew outside of its dataset")
        for n in range(len(steps) + 1):
            if n == array.steps and at != [list(pair) for pair in zip(array.map.upper, array.map.lower)][:len(at)]:
                raise Mismatch(f"{member.name} grew outside of its dataset")
            if n == len(steps):
                break
            axis, step = steps[n]
            if isinstance(step, Axis):
                at.insert(axis, [1, 0])
            else:
                at[axis][step.end] = step.bound
            if n < array.steps:
                continue
            if isinstance(step, Axis):
                array.add_axis(axis, self.dims[step.dim].name)
            elif step.by > 0:
                array.map.grow(axis, step.by, step.end == 1)
            else:
                array.map.trim(axis, at[axis][1], at[axis][0])

    def array(self, name, commit=None):
        """(elements, attributes) of a member as of a commit."""
        commit = len(self.commits) - 1 if commit is None else commit
        number = max(i for i, m in enumerate(self.members) if m.name == name and m.name in self.names(commit)
                     and m.added <= commit and (m.removed is None or m.removed > commit))
        dims, later = self.dims_of(number, commit), self.axes_of(number, commit)
        upto = later[0].commit - 1 if later else len(self.commits) - 1
        array = read_drx.Array(os.path.join(self.path, name), lambda array: self._complete(number, array, upto),
                               max(1, len(dims)))
        bounds = [self.bounds(dim, commit) for dim in dims] or [(1, 0)]
        for dim, (high, low), since in [*((dim, bound, commit) for dim, bound in zip(dims, bounds)),
                                        *((axis.dim, (1, 0), axis.commit) for axis in later)]:
            after = [step for c in self.commits[since + 1:] for step in c.steps if step.dim == dim]
            if any(step.bound > low if step.end else step.bound < high for step in after):
                raise Trimmed(f"a later commit has trimmed dimension {self.dims[dim].name}")
        require(all(low <= bound[1] and bound[0] <= low + n for bound, low, n in zip(bounds, array.lower, array.shape)),
                "its log lacks a change of bounds")
        return array.array[tuple(slice(bound[1] - low, bound[0] - low)
                                 for bound, low in zip(bounds, array.lower))], array.attrs


def show(path, commit=None):
    ds = Dataset(path)
    commit = len(ds.commits) - 1 if commit is None else int(commit)
    for c in ds.commits[:commit + 1]:
        print(f"commit {c.number}: {c.message}")
    for name in ds.names(commit):
        try:
            elements, attrs = ds.array(name, commit)
            print(name, elements.shape, elements.dtype, attrs)
        except (FormatError, Damaged, Mismatch, Trimmed, OSError) as error:  # a later commit may have removed it
            print(f"{name}: {error}")
    if ds.report:
        print(ds.report)


if __name__ == "__main__":
    try:
        show(*sys.argv[1:])
    except (FormatError, Damaged, Mismatch, OSError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
