#!/usr/bin/env python3
"""Read a DRX array, by drx-format.md alone: it shares no code with the library.

    read_drx.py PATH [-o FILE.npy] [--info]

Comments such as "2.3" name the section that the code follows. Clear rather than fast, and the array is read whole.
"""
import argparse
import itertools
import json
import math
import os
import struct
import sys
from collections import namedtuple

import numpy as np

MAGIC = b"\x89DRX\r\n\x1a\n"
TYPES = dict(enumerate("<i1 <i2 <i4 <i8 <u1 <u2 <u4 <u8 <f4 <f8 <c8 <c16".split(), 1))
CHECKSUM, SHELL_LAST, SHELL = 1, 2, 4
GROW, INTENT, SYNC, ATTRIBUTE, ATTRIBUTE_DELETE, DIMENSION_NAME, STRIPES, MEMBER = range(1, 9)
MAX_VALUES, MAX_RECORD = 64 << 20, (64 << 20) + 2048


class FormatError(Exception):
    """No DRX array."""


class Unsupported(FormatError):
    """A DRX array that has to be refused."""


class Damaged(Exception):
    """What was stored is no longer there."""


def require(condition, what):
    if not condition:
        raise Damaged(what)


def ceil_to(n, multiple):
    return -(-n // multiple) * multiple


# ---- 1: the checksum

def table_entry(register):
    for _ in range(8):
        register = register >> 1 ^ (register & 1) * 0x82F63B78
    return register


TABLE = [table_entry(byte) for byte in range(256)]


def crc32c(seed, data):
    register = seed ^ 0xFFFFFFFF
    for byte in data:
        register = register >> 8 ^ TABLE[(register ^ byte) & 0xFF]
    return register ^ 0xFFFFFFFF


# ---- 4: the map

Record = namedtuple("Record", "made axis N M C")  # made counts the records; N is N*, M is M*


class Map:
    """The chunks of a growing array and their addresses; `bounds` counts elements, `B` chunks."""

    def __init__(self, bounds, chunk, shell):
        self.bounds, self.chunk = list(bounds), chunk
        self.made = self.last_axis = 0
        axes = range(len(bounds))
        target = [-(-n // c) for n, c in zip(bounds, chunk)]
        shell = 0 if 0 in bounds else shell
        self.B = [1 for _ in axes] if shell else list(target)
        self.vectors = [[] if axis == 0 else [Record(-1, axis, 0, -1, [0 for _ in axes])] for axis in axes]
        self._add_record(0, 0, 0)
        while shell and self.B != target:  # 4.4
            for axis in axes if shell == SHELL else reversed(axes):
                if self.B[axis] < target[axis]:
                    self._add_chunks(axis, 1)
            if self.made > 1 << 24:
                raise Unsupported("too many expansion records in shell order")

    def grow(self, axis, by):
        self.bounds[axis] += by
        more = -(-self.bounds[axis] // self.chunk[axis]) - self.B[axis]
        if more > 0:
            self._add_chunks(axis, more)

    def count(self):
        return math.prod(self.B)

    def _add_chunks(self, axis, more):  # 4.1
        if axis != self.last_axis:
            self._add_record(axis, self.B[axis], self.count())
        self.last_axis = axis
        self.B[axis] += more

    def _add_record(self, axis, N, M):
        others = [1 if r == axis else B for r, B in enumerate(self.B)]
        C = [math.prod(others[j + 1:]) for j in range(len(others))]
        C[axis] = math.prod(others)
        self.vectors[axis].append(Record(self.made, axis, N, M, C))
        self.made += 1

    def address(self, index):  # 4.2
        if len(index) != len(self.B) or not all(0 <= i < B for i, B in zip(index, self.B)):
            raise IndexError(f"no chunk {tuple(index)}")
        last = [[record for record in vector if record.N <= i][-1] for vector, i in zip(self.vectors, index)]
        record = max(last, key=lambda record: (record.M, record.made))
        l = record.axis
        return record.M + (index[l] - record.N) * record.C[l] + sum(
            i * record.C[j] for j, i in enumerate(index) if j != l)

    def index(self, address):  # 4.3
        if not 0 <= address < self.count():
            raise IndexError(f"no chunk {address}")
        records = (record for vector in self.vectors for record in vector if record.M <= address)
        record = max(records, key=lambda record: (record.M, record.made))
        index = [0 for _ in self.B]
        quotient, rest = divmod(address - record.M, record.C[record.axis])
        index[record.axis] = record.N + quotient
        for j, C in enumerate(record.C):
            if j != record.axis:
                index[j], rest = divmod(rest, C)
        return tuple(index)


# ---- 2.2, 2.3: the log

Entry = namedtuple("Entry", "crc prev length kind argument sequence payload")


def valid_record(xmd, offset):
    """The record at `offset`, None when there is no valid one."""
    if offset + 24 > len(xmd):
        return None
    crc, prev, length, kind, *rest = struct.unpack_from("<IIIHHQ", xmd, offset)
    end = offset + length
    if not 24 <= length <= MAX_RECORD or length % 8 or end > len(xmd) or kind == 0:
        return None
    entry = Entry(crc, prev, length, kind, *rest, xmd[offset + 24:end])
    return entry if crc32c(prev, xmd[offset + 8:end]) == crc else None


def lost_write(xmd, start, end):
    """2.3: whether sectors that did not reach the disk explain a gap."""
    return not any(xmd[start:end]) or any(
        not any(xmd[at - 8:at]) for at in range(ceil_to(start + 8, 512), end + 1, 512))


def tail_is_damage(xmd, end, last, promise=SYNC):
    """2.3, for what follows the prefix that ends at `end` with sequence number `last`."""
    offset = gap = end
    while offset + 24 <= len(xmd):
        entry = valid_record(xmd, offset)
        if entry is None or not last < entry.sequence <= last + (offset - end) // 24 + 1:
            offset += 8
            continue
        if entry.kind == promise or offset == end or gap < offset and not lost_write(xmd, gap, offset):
            return True
        offset = gap = offset + entry.length
    return False


def read_name(payload, offset, length, least):
    name = payload[offset:offset + length]
    require(least <= length <= 1024 and 0 not in name, "an impossible name")
    return name.decode()


def read_attribute(payload):
    """2.2: its name, and its value: a str, or an array."""
    kind, text, length, _, n = struct.unpack_from("<BBHIq", payload)
    require(kind in TYPES and text <= 1 and not (text and kind != 5), "an attribute has an impossible type")
    dtype, name = np.dtype(TYPES[kind]), read_name(payload, 16, length, 1)
    start, size = 16 + ceil_to(length, 8), n * dtype.itemsize
    require(0 <= size <= MAX_VALUES and len(payload) == start + ceil_to(size, 8), "values of an impossible length")
    values = payload[start:start + size]
    require(not text or 0 not in values, "text with a zero byte")
    return name, values.decode() if text else np.frombuffer(values, dtype)


def read_stripes(payload, n):
    """9: the stem, and the folders."""
    require(1 <= n <= 128, "an impossible number of stripes")
    texts, at = [], 0
    for k in range(1 + n):
        length, = struct.unpack_from("<H", payload, at)
        text = payload[at + 2:at + 2 + length]
        require(1 <= length <= (4095 if k else 255) and len(text) == length and 0 not in text, "an impossible stripe")
        texts.append(os.fsdecode(text))
        at += 2 + length
    require(len(payload) == ceil_to(at, 8) and not any(payload[at:]), "stripes of an impossible length")
    require(texts[0].endswith(".xta") and len(texts[0]) > 4 and "/" not in texts[0], "an impossible name of stripes")
    return texts[0], texts[1:]


# ---- the array

class Array:
    """The array at `path`.

    shape, chunk, dtype, order ("C" or "F", inside a chunk), align, fill (an array of no axes), initial_shape
    dims       a name or None for each axis
    id         of its creation, 16 bytes; member: None, or the id of a dataset and the number of a commit
    attrs      name -> str, or array of one axis, in the order in which they were first set
    history    (axis, by) of each growth; sequence: number of the last record
    files      of the data, and the folders of these as the log has them, None when there is but one file
    report     None, or what is wrong: a torn tail, or damage
    checksums  whether there are any; wrong: addresses of the chunks that do not match theirs
    stored     every element of every chunk, also those outside the bounds
    lost       for each of these, whether it is missing
    array      the elements
    """

    def __init__(self, path, complete=None):
        """complete(array) is called before the data are read: a dataset adds what the log lacks (10.5)."""
        with open(f"{path}.xmd", "rb") as file:
            xmd = file.read()
        self.id = xmd[32:48]
        length, crc = self._describe(xmd)
        self.dims, self.attrs, self.history = [None for _ in self.chunk], {}, []
        self.sequence = self.promised_chunks = 0
        self.address, self.index = self.map.address, self.map.index
        self.stem = self.folders = self.member = None
        reports = [self._replay(xmd, length, crc)]
        if complete:
            complete(self)
        self.files = [f"{path}.xta"] if self.folders is None else [
            os.path.join(os.path.dirname(path), folder, f"{self.stem}.{k}") for k, folder in enumerate(self.folders)]
        self.wrong = []
        reports.extend(self._read_data(path))
        self.report = "; ".join(filter(None, reports)) or None

    @property
    def shape(self):
        return tuple(self.map.bounds)

    @property
    def array(self):
        bounds = tuple(slice(n) for n in self.shape)
        require(not self.lost[bounds].any(), "stored elements are missing")
        require(not self.wrong, f"chunks that do not match their checksums: {self.wrong}")
        return np.ascontiguousarray(self.stored[bounds])

    def _describe(self, xmd):  # 2.1
        if xmd[:8] != MAGIC:
            raise FormatError("not a DRX array")
        require(len(xmd) >= 72, "the description is cut short")
        crc, length, major, ndim, kind, order, flags, self.align, fill = struct.unpack_from(
            "<IIH2xBBBxI4x16xq16s", xmd, 8)
        if major != 1:
            raise Unsupported(f"version {major} of the format")
        require(72 <= length <= len(xmd) and crc32c(0, xmd[12:length]) == crc, "the CRC of the description is wrong")
        if not 1 <= ndim <= 32 or length != 72 + 16 * ndim:
            raise FormatError(f"{ndim} axes in a description of {length} bytes")
        if kind not in TYPES or order > 1 or flags & ~(CHECKSUM | SHELL | SHELL_LAST) or flags & (SHELL | SHELL_LAST) == SHELL | SHELL_LAST:
            raise Unsupported(f"type {kind}, order {order}, flags {flags}")
        self.dtype, self.order = np.dtype(TYPES[kind]), "CF"[order]
        self.fill = np.frombuffer(fill, self.dtype, 1).reshape(())
        self.initial_shape = struct.unpack_from(f"<{ndim}q", xmd, 72)
        self.chunk = struct.unpack_from(f"<{ndim}q", xmd, 72 + 8 * ndim)
        if min(self.initial_shape) < 0 or min(self.chunk) < 1 or self.align not in [1 << n for n in range(31)]:
            raise FormatError("impossible bounds, chunk or align")
        self.map = Map(self.initial_shape, self.chunk, flags & (SHELL | SHELL_LAST))
        self.checksums = bool(flags & CHECKSUM)
        return length, crc

    def _replay(self, xmd, offset, prev):  # 2.3
        """Apply the longest valid prefix; return what is to be said about the rest."""
        while offset < len(xmd):
            entry = valid_record(xmd, offset)
            if entry is None or entry.prev != prev or entry.sequence != self.sequence + 1:
                kind = "damage" if tail_is_damage(xmd, offset, self.sequence) else "torn tail"
                return f"{kind} in the log at byte {offset}"
            try:
                self._apply(entry)
            except (Damaged, struct.error, UnicodeDecodeError) as error:
                return f"damage in the log at byte {offset}: {error}"
            offset, prev, self.sequence = offset + entry.length, entry.crc, entry.sequence
        return None

    def _apply(self, entry):
        kind, payload = entry.kind, entry.payload
        if kind in (GROW, INTENT):
            require(entry.argument < len(self.shape), "growth of an axis that is none")
            by, after = struct.unpack("<qq", payload)
            require(by > 0 and after == self.shape[entry.argument] + by, "the bound after a growth is not the sum")
            if kind == GROW:  # an INTENT was completed by a GROW, or was undone, or is to be
                self.map.grow(entry.argument, by)
                self.history.append((entry.argument, by))
        elif kind == SYNC:
            require(payload == struct.pack("<q", self.map.count()), "a SYNC of another number of chunks")
            self.promised_chunks = self.map.count()
        elif kind == ATTRIBUTE:
            name, value = read_attribute(payload)
            self.attrs[name] = value
        elif kind in (ATTRIBUTE_DELETE, DIMENSION_NAME):
            length, = struct.unpack_from("<H", payload)
            name = read_name(payload, 8, length, kind == ATTRIBUTE_DELETE)
            require(len(payload) == 8 + ceil_to(length, 8), "a name has an impossible length")
            if kind == ATTRIBUTE_DELETE:
                require(name in self.attrs, "a deleted attribute is not there")
                del self.attrs[name]
            else:
                require(entry.argument < len(self.shape), "name of an axis that is none")
                self.dims[entry.argument] = name or None
        elif kind == STRIPES:
            stem, folders = read_stripes(payload, entry.argument)
            require(entry.sequence == 1 or (stem, len(folders)) == (self.stem, len(self.folders or ())),
                    "other stripes than those of the array")
            self.stem, self.folders = stem, folders
        elif kind == MEMBER:  # 10.5
            dataset, commit = struct.unpack("<16sq", payload)
            require(commit >= -1, "a MEMBER of an impossible commit")
            if self.member:
                self.promised_chunks = self.map.count()
            self.member = dataset, commit
        elif kind < 128:
            raise Unsupported(f"a record of kind {kind}")

    def _read_data(self, path):  # 3, 5 and 9
        size, n = self.dtype.itemsize, len(self.files)
        stride = ceil_to(math.prod(self.chunk) * size, self.align)
        data = np.resize(np.frombuffer(self.fill.tobytes(), np.uint8), (self.map.count(), stride))
        lost = np.zeros((self.map.count(), stride // size), bool)  # every stride is full elements
        reports = []
        for k, name in enumerate(self.files):
            with open(name, "rb") as file:
                stored = np.frombuffer(file.read(), np.uint8)
            whole, missing = data[k::n].reshape(-1), lost[k::n].reshape(-1)
            promised = len(range(k, self.promised_chunks, n)) * stride
            end = min(stored.size, whole.size) // size * size
            whole[:end] = stored[:end]
            missing[stored.size // size:promised // size] = True
            data[k::n], lost[k::n] = whole.reshape(-1, stride), missing.reshape(-1, stride // size)
            if stored.size < promised:
                reports.append(f"damage: {os.path.basename(name)} has {stored.size} of {promised} bytes")
        if self.checksums:
            reports.extend(self._verify(f"{path}.xcs", data[:, :math.prod(self.chunk) * size]))
        self.stored = self._assemble(data.reshape(-1).view(self.dtype), stride // size)
        self.lost = self._assemble(lost.reshape(-1), stride // size)
        return reports

    def _verify(self, path, chunks):  # 8
        """Compare what is durable; whether the boot of an entry of kind 3 is this one nobody can say here."""
        with open(path, "rb") as file:
            entries = file.read(8 * len(chunks))
        if len(entries) < 8 * self.promised_chunks:
            yield f"damage: {os.path.basename(path)} has {len(entries)} of {8 * self.promised_chunks} bytes"
        for q, chunk in enumerate(chunks[:len(entries) // 8]):
            state, crc = struct.unpack_from("<II", entries, 8 * q)
            kind, boot = state & 0xFF, state >> 8
            if kind > 3 or (kind >= 2) != (boot > 0) or kind == 0 and crc:
                yield f"damage: the entry of chunk {q} in {os.path.basename(path)} has the state {state:#x}"
            elif kind == 1 and crc32c(0, chunk.tobytes()) != crc:
                self.wrong.append(q)

    def _assemble(self, elements, stride):
        """The chunks, `stride` elements apart in `elements`, put in their places."""
        whole = np.empty([B * c for B, c in zip(self.map.B, self.chunk)], elements.dtype)
        n = math.prod(self.chunk)
        for index in itertools.product(*map(range, self.map.B)):
            first = self.address(index) * stride
            place = tuple(slice(i * c, (i + 1) * c) for i, c in zip(index, self.chunk))
            whole[place] = elements[first:first + n].reshape(self.chunk, order=self.order)
        return whole


read = Array


def info(a):
    return {"shape": a.shape, "chunk": a.chunk, "dtype": a.dtype.name, "order": a.order, "align": a.align,
            "fill": str(a.fill), "initial_shape": a.initial_shape, "history": a.history, "dims": a.dims,
            "attrs": {name: v if isinstance(v, str) else [str(x) for x in v] for name, v in a.attrs.items()},
            "chunks": a.map.count(), "checksums": a.checksums, "wrong": a.wrong, "sequence": a.sequence, "report": a.report}


def main():
    parser = argparse.ArgumentParser(description="Read a DRX array.")
    parser.add_argument("path", metavar="PATH", help="the array, without suffix")
    parser.add_argument("-o", metavar="FILE.npy", help="write the elements there")
    parser.add_argument("--info", action="store_true", help="print the description as JSON")
    args = parser.parse_args()
    try:
        a = read(args.path)
        if a.report:
            print(f"{args.path}: {a.report}", file=sys.stderr)
        if args.info:
            print(json.dumps(info(a), ensure_ascii=False, indent=2))
        if args.o:
            np.save(args.o, a.array)
        elif not args.info:
            print(a.array)
    except (FormatError, Damaged, OSError) as error:
        sys.exit(f"{args.path}: {error}")


if __name__ == "__main__":
    main()
