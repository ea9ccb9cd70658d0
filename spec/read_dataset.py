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
from read_drx import ATTRIBUTE, ATTRIBUTE_DELETE, Damaged, FormatError, Unsupported, ceil_to, crc32c, read_name, require

MAGIC = b"\x89DRS\r\n\x1a\n"
DIMENSION, ADD, REMOVE, ATTR, ATTR_DELETE, COMMIT = range(1, 7)

Growth = namedtuple("Growth", "dim by bound")
Commit = namedtuple("Commit", "number time message growths")
Change = namedtuple("Change", "member kind payload")  # of an attribute; member -1: the dataset


class Mismatch(Exception):
    """Another array than the one that the dataset has under that name."""


class Dim:
    def __init__(self, name, bound, added):
        self.name, self.bound, self.added = name, bound, added  # bound: that of its record


class Member:
    def __init__(self, name, id, dims, added):
        self.name, self.id, self.dims, self.added, self.removed = name, id, dims, added, None


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
        self.dims, self.members, self.commits, self.changes, self.report = [], [], [], [], None
        self._kept = (0, 0, 0)
        self._replay(log, 48, crc)
        require(self.commits, "no commit")
        self._drop_pending()
        self.attrs = {}
        self._apply_attributes(self, -1, -1)

    def _replay(self, log, offset, prev):  # 10.3
        sequence = 0
        while offset < len(log):
            entry = read_drx.valid_record(log, offset)
            if entry is None or entry.prev != prev or entry.sequence != sequence + 1:
                damaged = read_drx.tail_is_damage(log, offset, sequence, COMMIT)
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
            require(lower == 0 and bound >= 0 and len(payload) == 24 + ceil_to(length, 8), "an impossible dimension")
            require(name not in [dim.name for dim in self.dims], "a dimension twice")
            self.dims.append(Dim(name, bound, now))
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
        elif kind in (ATTR, ATTR_DELETE):
            number, = struct.unpack_from("<q", payload)
            require(-1 <= number < len(self.members), "an attribute of nothing")
            if kind == ATTR:
                read_drx.read_attribute(payload[8:])
            else:
                length, = struct.unpack_from("<H", payload, 8)
                read_name(payload, 16, length, 1)
                require(len(payload) == 16 + ceil_to(length, 8), "a name has an impossible length")
            self.changes.append((now, Change(number, ATTRIBUTE if kind == ATTR else ATTRIBUTE_DELETE, payload[8:])))
        elif kind == COMMIT:
            number, time, g, m = struct.unpack_from("<qqII", payload)
            end = 24 + 24 * g
            require(number == now and m <= 4096 and len(payload) == end + ceil_to(m, 8), "an impossible commit")
            growths = []
            for i in range(g):
                dim, zero, by, bound = struct.unpack_from("<IIqq", payload, 24 + 24 * i)
                require(dim < len(self.dims) and zero == 0 and by > 0, "an impossible growth")
                before = self.bound(dim, now) + sum(growth.by for growth in growths if growth.dim == dim)
                require(bound == before + by, "the bound after a growth is not the sum")
                growths.append(Growth(dim, by, bound))
            require(0 not in payload[end:end + m], "a message with a zero byte")
            self.commits.append(Commit(number, time, payload[end:end + m].decode(), growths))
            self._kept = len(self.dims), len(self.members), len(self.changes)
        elif kind < 128:
            raise Unsupported(f"a record of kind {kind}")

    def _drop_pending(self):
        dims, members, changes = self._kept
        del self.dims[dims:], self.members[members:], self.changes[changes:]
        for member in self.members:
            if member.removed == len(self.commits):
                member.removed = None

    def bound(self, dim, commit):
        """Of a dimension, after a commit."""
        return self.dims[dim].bound + sum(growth.by for c in self.commits[:commit + 1] for growth in c.growths
                                          if growth.dim == dim)

    def names(self, commit):
        return [m.name for m in self.members if m.added <= commit and (m.removed is None or m.removed > commit)]

    def _apply_attributes(self, owner, number, settled):
        for commit, change in self.changes:
            if change.member != number or commit <= settled:
                continue
            if change.kind == ATTRIBUTE:
                name, value = read_drx.read_attribute(change.payload)
                owner.attrs[name] = value
            else:
                length, = struct.unpack_from("<H", change.payload)
                owner.attrs.pop(read_name(change.payload, 8, length, 1), None)

    def _complete(self, number, array):  # 10.5
        """What the log of a member lacks."""
        member, last = self.members[number], len(self.commits) - 1
        mine = array.id == member.id and (array.member is None or array.member[0] == self.id)
        if not mine or len(array.shape) != max(1, len(member.dims)) or not member.dims and array.shape != (1,):
            raise Mismatch(f"{member.name} is another array")
        settled = -1 if array.member is None else array.member[1]
        steps = [(axis, growth) for c in self.commits[settled + 1:] for growth in c.growths
                 for axis, dim in enumerate(member.dims) if dim == growth.dim]
        at = [self.bound(dim, settled) for dim in member.dims]
        known = settled >= last or at == list(array.shape)[:len(at)]
        for axis, growth in steps:
            if known:
                array.map.grow(axis, growth.by)
            at[axis] = growth.bound
            known = known or at == list(array.shape)
        if not known:
            raise Mismatch(f"{member.name} grew outside of its dataset")
        self._apply_attributes(array, number, settled)

    def array(self, name, commit=None):
        """(elements, attributes) of a member as of a commit."""
        commit = len(self.commits) - 1 if commit is None else commit
        number = max(i for i, m in enumerate(self.members) if m.name == name and m.name in self.names(commit)
                     and m.added <= commit and (m.removed is None or m.removed > commit))
        array = read_drx.Array(os.path.join(self.path, name), lambda array: self._complete(number, array))
        bounds = [self.bound(dim, commit) for dim in self.members[number].dims]
        require(all(have >= bound for have, bound in zip(array.shape, bounds)), "its log lacks a growth")
        return array.array[tuple(map(slice, bounds))], array.attrs


def show(path, commit=None):
    ds = Dataset(path)
    commit = len(ds.commits) - 1 if commit is None else int(commit)
    for c in ds.commits[:commit + 1]:
        print(f"commit {c.number}: {c.message}")
    for name in ds.names(commit):
        try:
            elements, attrs = ds.array(name, commit)
            print(name, elements.shape, elements.dtype, attrs)
        except (FormatError, Damaged, Mismatch, OSError) as error:  # a later commit may have removed it
            print(f"{name}: {error}")
    if ds.report:
        print(ds.report)


if __name__ == "__main__":
    try:
        show(*sys.argv[1:])
    except (FormatError, Damaged, Mismatch, OSError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
