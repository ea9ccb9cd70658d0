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

from read_blosc import FrameError, decode as decoded_frame

MAGIC = b"\x89DRX\r\n\x1a\n"
TYPES = dict(enumerate("<i1 <i2 <i4 <i8 <u1 <u2 <u4 <u8 <f4 <f8 <c8 <c16 <f2 |b1".split(), 1))
BYTES, UNICODE, MAX_STRING = 15, 16, 4096
FIRST_TYPES = 12  # those of ATTRIBUTE
CHECKSUM, SHELL_LAST, SHELL, PACKED = 1, 2, 4, 8
CODECS, SHUFFLES = {1: "zstd", 2: "lz4", 3: "zlib"}, {1: "none", 2: "byte", 3: "bit"}
HALF, OPEN = 32, 1 << 31  # bytes of half of an entry; a bit of its length
LATER_EPOCHS = 1 << 16
MAX_PACKED = (1 << 31) - 17  # bytes of a compressed chunk
(GROW, INTENT, SYNC, ATTRIBUTE, ATTRIBUTE_DELETE, DIMENSION_NAME, STRIPES, MEMBER, ORIGIN, GROW_LOW, INTENT_LOW, TRIM,
 ADD_AXIS, ATTRIBUTE_LATER) = range(1, 15)
REPLACED = 128
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


def checked_word(sum_of_word):
    """The word of 32 bits with this CRC: there is one."""
    register = sum_of_word ^ 0xFFFFFFFF
    for _ in range(4):  # the top byte of a table entry tells which entry it is
        byte = next(i for i in range(256) if TABLE[i] >> 24 == register >> 24)
        register = (register ^ TABLE[byte]) << 8 & 0xFFFFFFFF | byte
    return register ^ 0xFFFFFFFF


# ---- 2.1: the type and the fill, of bytes 56 to 72 of the description

def read_type(kind, fill):
    """The dtype; None: there is no such type."""
    if kind not in (BYTES, UNICODE):
        return np.dtype(TYPES[kind]) if kind in TYPES else None
    size, = struct.unpack_from("<I", fill)
    if not 1 <= size <= MAX_STRING or kind == UNICODE and size % 4:
        return None
    return np.dtype(f"S{size}" if kind == BYTES else f"<U{size // 4}")


def read_fill(dtype, fill):
    """An array of no axes; None: it is not one of the type."""
    if dtype.kind not in "SU":
        return None if any(fill[dtype.itemsize:]) else np.frombuffer(fill, dtype, 1).reshape(())
    text = fill[4:].rstrip(b"\0")
    if dtype.kind == "U":
        try:
            text = text.decode()
        except UnicodeDecodeError:
            return None
        if "\0" in text:
            return None
    fits = len(text) * (4 if dtype.kind == "U" else 1) <= dtype.itemsize
    return np.array(text, dtype) if fits else None


# ---- 4: the map

# made counts the records; N is N*, M is M*, L the lower bounds at that time; C of the axis is negative at its low end
Record = namedtuple("Record", "made axis low N M C L")


class Map:
    """The chunks of a growing array and their addresses.

    lower, upper   bounds in elements, `bounds` the extents
    first, end     bounds in chunks, `B` the extents
    vectors, low   of each axis, the expansion records of its high end and of its low end
    """

    def __init__(self, lower, extents, chunk, shell, most):
        self.most = most  # addresses
        self.chunk, self.lower = list(chunk), list(lower)
        self.upper = [low + n for low, n in zip(lower, extents)]
        self.made, self.trimmed = 0, False
        axes = range(len(chunk))
        self.first = [low // c for low, c in zip(lower, chunk)]
        target = [-(-up // c) if n else first for up, c, n, first in zip(self.upper, chunk, extents, self.first)]
        shell = 0 if 0 in extents else shell
        self.end = [first + 1 for first in self.first] if shell else list(target)
        self.vectors = [[] if axis == 0 else [Record(-1, axis, False, self.first[axis], -1, [0 for _ in axes],
                                                     list(self.first))] for axis in axes]
        self.low = [[] for _ in axes]
        self.given = 0
        end, self.end[0] = self.end[0], self.first[0]  # a growth of axis 0 from nothing
        self.last = None
        self._add_chunks(0, False, end - self.first[0])
        while shell and self.end != target:  # 4.4
            for axis in axes if shell == SHELL else reversed(axes):
                if self.end[axis] < target[axis]:
                    self._add_chunks(axis, False, 1)
            if self.made > 1 << 24:
                raise Unsupported("too many expansion records in shell order")

    @property
    def bounds(self):
        return [upper - lower for lower, upper in zip(self.lower, self.upper)]

    @property
    def B(self):
        return [end - first for first, end in zip(self.first, self.end)]

    def count(self):
        """Addresses that were given out."""
        return self.given

    def grow(self, axis, by, low=False):
        before = [list(bounds) for bounds in (self.lower, self.upper, self.first, self.end)]
        try:
            self._grow(axis, by, low)
        except Damaged:
            self.lower, self.upper, self.first, self.end = before
            raise

    def _grow(self, axis, by, low):
        c = self.chunk[axis]
        if self.first[axis] == self.end[axis]:  # 4.5: no chunks, which may be anywhere
            at = (self.lower[axis] - 1) // c + 1 if low else self.upper[axis] // c
            if at != self.first[axis]:
                self.first[axis] = self.end[axis] = at
                self.last = None
        if low:
            self.lower[axis] -= by
            more = self.first[axis] - self.lower[axis] // c
        else:
            self.upper[axis] += by
            more = -(-self.upper[axis] // c) - self.end[axis]
        require(self.upper[axis] - self.lower[axis] < 1 << 63, "an axis with too many indices")
        if more > 0:
            self._add_chunks(axis, low, more)
        else:
            self._check_limits(axis, low, 0)

    def trim(self, axis, lower, upper):  # 4.5
        c = self.chunk[axis]
        end = min(self.end[axis], -(-upper // c))
        first = min(max(self.first[axis], lower // c), end)
        end = first if lower == upper else end
        for moved, low in ((first > self.first[axis], True), (end < self.end[axis], False)):
            if moved and self.last != (axis, not low):
                self.last = None
        self.first[axis], self.end[axis] = first, end
        self.lower[axis], self.upper[axis] = lower, upper
        self.trimmed = True

    def add_axis(self, at):  # 4.6
        for values, value in ((self.chunk, 1), (self.lower, 0), (self.upper, 1), (self.first, 0), (self.end, 1)):
            values.insert(at, value)
        for vectors in self.vectors, self.low:
            vectors[:] = [[record._replace(axis=record.axis + (record.axis >= at), L=record.L[:at] + [0] + record.L[at:],
                                           C=record.C[:at] + [0] + record.C[at:]) for record in vector]
                          for vector in vectors]
        axes = self.chunk
        self.vectors.insert(at, [Record(-1, at, False, 0, -1, [0 for _ in axes], [0 for _ in axes])])
        self.low.insert(at, [])
        if self.last:
            self.last = self.last[0] + (self.last[0] >= at), self.last[1]

    def _check_limits(self, axis, low, more):  # 3
        others = [1 if r == axis else B for r, B in enumerate(self.B)]
        C = [math.prod(others[j + 1:]) for j in range(len(others))]
        C[axis] = math.prod(others)
        Q = self.given + more * C[axis]
        require(max(C) < 1 << 63 and Q <= self.most, "more chunks than there may be")
        D = [max(abs(first), abs(end)) for first, end in zip(self.first, self.end)]
        D[axis] += more
        require(not any(self.first) and not low or 2 * (Q + sum(d * c for d, c in zip(D, C))) <= self.most,
                "indices too far from 0")

    def _add_chunks(self, axis, low, more):  # 4.1
        self._check_limits(axis, low, more)
        others = [1 if r == axis else B for r, B in enumerate(self.B)]
        if (axis, low) != self.last:
            C = [math.prod(others[j + 1:]) for j in range(len(others))]
            C[axis] = -math.prod(others) if low else math.prod(others)
            N = self.first[axis] if low else self.end[axis]
            vector = (self.low if low else self.vectors)[axis]
            vector.append(Record(self.made, axis, low, N, self.given, C, list(self.first)))
            self.made += 1
        self.last = axis, low
        self.given += more * math.prod(others)
        if low:
            self.first[axis] -= more
        else:
            self.end[axis] += more

    def address(self, index):  # 4.2
        if len(index) != len(self.B) or not all(a <= i < b for i, a, b in zip(index, self.first, self.end)):
            raise IndexError(f"no chunk {tuple(index)}")
        last = [[record for record in vector if record.N <= i][-1:] for vector, i in zip(self.vectors, index)]
        last += [[record for record in vector if i < record.N][-1:] for vector, i in zip(self.low, index)]
        record = max(sum(last, []), key=lambda record: (record.M, record.made))
        l = record.axis
        along = index[l] - record.N + (1 if record.low else 0)  # of a low end, C is negative
        return record.M + along * record.C[l] + sum(
            (i - record.L[j]) * record.C[j] for j, i in enumerate(index) if j != l)

    def index(self, address):  # 4.3
        if not 0 <= address < self.given:
            raise IndexError(f"no chunk {address}")
        records = (record for vector in self.vectors + self.low for record in vector if record.M <= address)
        record = max(records, key=lambda record: (record.M, record.made))
        index = list(record.L)
        quotient, rest = divmod(address - record.M, abs(record.C[record.axis]))
        index[record.axis] = record.N - 1 - quotient if record.low else record.N + quotient
        for j, C in enumerate(record.C):
            if j != record.axis and C:
                more, rest = divmod(rest, C)
                index[j] += more
        return tuple(index)

    def lives(self, address):
        """Whether the chunk was not trimmed."""
        index = self.index(address)
        return all(a <= i < b for i, a, b in zip(index, self.first, self.end)) and self.address(index) == address


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


def is_bitten(xmd, end, last, prev):
    """2.3: whether one wrong bit keeps the rest from being the last record, and no write that was cut short left it so."""
    size = len(xmd) - end
    if not 24 <= size <= 8192 or size % 8:
        return False
    _, its_prev, length, _, _, sequence = struct.unpack_from("<IIIHHQ", xmd, end)
    if sum(bin(wrong).count("1") for wrong in (its_prev ^ prev, length ^ size, sequence ^ (last + 1))) > 1:
        return False
    found = []
    for bit in range(8 * size):
        record = bytearray(xmd[end:])
        record[bit // 8] ^= 1 << bit % 8
        entry = valid_record(record, 0)
        if entry and (entry.length, entry.prev, entry.sequence) == (size, prev, last + 1):
            found.append(bit)
    if len(found) != 1:
        return False
    at, mask = end + found[0] // 8, 1 << found[0] % 8
    return at // 512 == end // 512 and (xmd[at] & mask != 0 or any(xmd[at + 1:ceil_to(at + 1, 512)]))


def tail_is_damage(xmd, end, last, prev, promise=SYNC):
    """2.3, for what follows the prefix that ends at `end` with sequence number `last` and CRC `prev`."""
    if is_bitten(xmd, end, last, prev):
        return True
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


def read_padded_name(payload, least):
    length, = struct.unpack_from("<H", payload)
    name = read_name(payload, 8, length, least)
    require(len(payload) == 8 + ceil_to(length, 8), "a name has an impossible length")
    return name


def read_attribute(payload, later=False):
    """2.2: its name, and its value: a str, or an array."""
    kind, text, length, _, n = struct.unpack_from("<BBHIq", payload)
    if later and kind > FIRST_TYPES and kind not in TYPES:
        raise Unsupported(f"an attribute of type {kind}")
    require(kind in TYPES and later == (kind > FIRST_TYPES) and text <= 1 and not (text and kind != 5), "an attribute has an impossible type")
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


def this_boot():
    """8: the number of this start of this machine; None: unknown."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            name = file.read()
    except OSError:
        return None
    h = 0xCBF29CE484222325
    for byte in name:
        h = (h ^ byte) * 0x100000001B3 % (1 << 64)
    return 1 + (h ^ h >> 32) % ((1 << 24) - 2)


# ---- the array

class Array:
    """The array at `path`.

    shape, chunk, dtype, order ("C" or "F", inside a chunk), align, fill (an array of no axes)
    initial_shape  with 1 for each new axis
    lower      the first index of each axis
    dims       a name or None for each axis
    origin     the first lower bounds; steps: changes of bounds after the last MEMBER or SYNC
    id         of its creation, 16 bytes; member: None, or the id of a dataset and the number of a commit
    attrs      name -> str, or array of one axis, in the order in which they were first set
    history    (axis, by) of each growth, by negative at the low end; sequence: number of the last record
    files      of the data, and the folders of these as the log has them, None when there is but one file
    report     None, or what is wrong: a torn tail, or damage
    checksums  whether there are any; wrong: addresses of the chunks that do not match theirs
    codec      None, or (name, level, shuffle) of a compressed array
    payloads   of that: address -> (offset, length, whether the last SYNC promised it)
    packing    of that: address -> "compressed", "open" (stored as it is), "older" (the last payload is lost)
    stored     every element of every chunk, also those outside the bounds; stored[inside] are those inside
    lost       for each of these, whether it is missing
    array      the elements
    """

    def __init__(self, path, complete=None, most_axes=None):
        """complete(array) is called before the data are read: a dataset adds what the log lacks (10.5). most_axes: the array
        as it was before it had more."""
        with open(f"{path}.xmd", "rb") as file:
            xmd = file.read()
        self.id = xmd[32:48]
        self.most_axes, self.passed = most_axes, False
        length, crc = self._describe(xmd)
        self.dims, self.attrs, self.history = [None for _ in self.chunk], {}, []
        self.sequence = self.promised_chunks = self.steps = 0
        self.stem = self.folders = self.member = None
        self.report = self._replay(xmd, length, crc)
        if complete:
            complete(self)
        self.files = [f"{path}.xta"] if self.folders is None else [
            os.path.join(os.path.dirname(path), folder, f"{self.stem}.{k}") for k, folder in enumerate(self.folders)]
        self.wrong, self.packing, self.payloads = [], {}, {}
        self.address, self.index = self.map.address, self.map.index
        if self.codec:
            self.files = [f"{path}.xtz", f"{path}.xct"]
        reports = self._read_packed() if self.codec else self._read_data(path)
        self.report = "; ".join(filter(None, [self.report, *reports])) or None

    @property
    def shape(self):
        return tuple(self.map.bounds)

    @property
    def lower(self):
        return tuple(self.map.lower)

    @property
    def chunk(self):
        return tuple(self.map.chunk)

    @property
    def inside(self):
        return tuple(slice(low - first * c, up - first * c) for low, up, first, c in zip(
            self.map.lower, self.map.upper, self.map.first, self.map.chunk))

    @property
    def array(self):
        bounds = self.inside
        require(not self.lost[bounds].any(), "stored elements are missing")
        require(not self.wrong, f"chunks that do not match their checksums: {self.wrong}")
        return np.ascontiguousarray(self.stored[bounds])

    def _describe(self, xmd):  # 2.1
        if xmd[:8] != MAGIC:
            raise FormatError("not a DRX array")
        require(len(xmd) >= 20, "the description is cut short")
        major, = struct.unpack_from("<H", xmd, 16)
        if major != 1:
            raise Unsupported(f"version {major} of the format")
        require(len(xmd) >= 72, "the description is cut short")
        crc, length, ndim, kind, order, zero, flags, codec, level, shuffle, last, self.align, fill = struct.unpack_from(
            "<II4xBBBBIBBBB16xq16s", xmd, 8)
        require(72 <= length <= len(xmd) and crc32c(0, xmd[12:length]) == crc, "the CRC of the description is wrong")
        if not 1 <= ndim <= 32 or length != 72 + 16 * ndim:
            raise FormatError(f"{ndim} axes in a description of {length} bytes")
        self.dtype = read_type(kind, fill)
        if self.dtype is None or order > 1 or flags & ~(CHECKSUM | SHELL | SHELL_LAST | PACKED) or any(
                flags & both == both for both in (SHELL | SHELL_LAST, CHECKSUM | PACKED)):
            raise Unsupported(f"type {kind}, order {order}, flags {flags}")
        if flags & PACKED and not (codec in CODECS and 1 <= level <= 9 and shuffle in SHUFFLES):
            raise Unsupported(f"codec {codec}, level {level}, shuffle {shuffle}")
        self.order = "CF"[order]
        self.fill = read_fill(self.dtype, fill)
        if zero or last or self.fill is None or not flags & PACKED and (codec or level or shuffle):
            raise Unsupported("reserved bytes that are not zero, or a fill that is no string")
        self.codec = (CODECS[codec], level, SHUFFLES[shuffle]) if flags & PACKED else None
        self.epoch = 0
        self.initial_shape = self.made_shape = struct.unpack_from(f"<{ndim}q", xmd, 72)
        chunk = struct.unpack_from(f"<{ndim}q", xmd, 72 + 8 * ndim)
        if min(self.initial_shape) < 0 or min(chunk) < 1 or self.align not in [1 << n for n in range(31)]:
            raise FormatError("impossible bounds, chunk or align")
        self.shell = flags & (SHELL | SHELL_LAST)
        self.origin = (0,) * ndim
        self.checksums = bool(flags & CHECKSUM)
        size = math.prod(chunk) * self.dtype.itemsize
        pitch = ceil_to(size, self.align)
        self.most = min(((1 << 63) - 1) // max(pitch, 64 if self.codec else 8 if self.checksums else 1), (1 << 63) - 2)
        try:
            require(size + self.align - 1 < 1 << 63 and not (self.codec and size > MAX_PACKED), "chunks of too many bytes")
            self.map = Map(self.origin, self.initial_shape, chunk, self.shell, self.most)
        except Damaged as error:
            raise FormatError(str(error)) from None
        return length, crc

    def _replay(self, xmd, offset, prev):  # 2.3
        """Apply the longest valid prefix; return what is to be said about the rest."""
        while offset < len(xmd):
            entry = valid_record(xmd, offset)
            if entry is None or entry.prev != prev or entry.sequence != self.sequence + 1:
                kind = "damage" if tail_is_damage(xmd, offset, self.sequence, prev) else "torn tail"
                return f"{kind} in the log at byte {offset}"
            try:
                self._apply(entry)
            except (Damaged, struct.error, UnicodeDecodeError) as error:
                return f"damage in the log at byte {offset}: {error}"
            offset, prev, self.sequence = offset + entry.length, entry.crc, entry.sequence
        return None

    def add_axis(self, at, name):
        self.map.add_axis(at)
        self.initial_shape = self.initial_shape[:at] + (1,) + self.initial_shape[at:]
        self.dims.insert(at, name or None)
        self.history = [(axis + (axis >= at), by) for axis, by in self.history]

    def _apply(self, entry):
        kind, payload = entry.kind, entry.payload
        self.passed = self.passed or kind == ADD_AXIS and len(self.shape) == self.most_axes
        if self.passed and kind in (GROW, INTENT, GROW_LOW, INTENT_LOW, TRIM, ADD_AXIS, DIMENSION_NAME):
            return
        if kind in (GROW, INTENT, GROW_LOW, INTENT_LOW):
            require(entry.argument < len(self.shape), "growth of an axis that is none")
            by, after = struct.unpack("<qq", payload)
            low, axis = kind in (GROW_LOW, INTENT_LOW), entry.argument
            bound = self.map.lower[axis] - by if low else self.map.upper[axis] + by
            require(by > 0 and after == bound, "the bound after a growth is not the sum")
            require(bound >= -1 << 62, "a bound below the least")
            if kind in (GROW, GROW_LOW):  # an INTENT was completed by a GROW, or was undone, or is to be
                self.map.grow(axis, by, low)
                self.steps += 1
                self.history.append((axis, -by if low else by))
        elif kind == ORIGIN:
            require(entry.sequence == 1 + (self.folders is not None), "an ORIGIN after other records")
            lower = struct.unpack(f"<{len(self.shape)}q", payload)
            require(all(low >= -1 << 62 and low + n < 1 << 63 for low, n in zip(lower, self.shape)),
                    "an impossible ORIGIN")
            self.map, self.origin = Map(lower, self.initial_shape, self.chunk, self.shell, self.most), lower
        elif kind == TRIM:
            require(entry.argument < len(self.shape), "trim of an axis that is none")
            lower, upper = struct.unpack("<qq", payload)
            require(self.map.lower[entry.argument] <= lower <= upper <= self.map.upper[entry.argument],
                    "a trim to other bounds than those of the axis")
            self.map.trim(entry.argument, lower, upper)
            self.steps += 1
        elif kind == ADD_AXIS:
            name = read_padded_name(payload, 0)
            require(entry.argument <= len(self.shape) < 32, "a new axis in an impossible place")
            self.add_axis(entry.argument, name)
            self.steps += 1
        elif kind == SYNC:
            chunks, *epoch = struct.unpack("<qq" if self.codec else "<q", payload)
            require(chunks == self.map.count() or self.passed, "a SYNC of another number of chunks")
            if epoch:
                require(epoch[0] >= max(self.epoch, 1), "a SYNC of an earlier epoch")  # 12
                self.epoch = epoch[0]
            self.promised_chunks, self.steps = self.map.count(), 0
        elif kind in (ATTRIBUTE, ATTRIBUTE_LATER):
            name, value = read_attribute(payload, kind == ATTRIBUTE_LATER)
            self.attrs[name] = value
        elif kind in (ATTRIBUTE_DELETE, DIMENSION_NAME):
            name = read_padded_name(payload, kind == ATTRIBUTE_DELETE)
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
            self.member, self.steps = (dataset, commit), 0
        elif kind < 128:
            raise Unsupported(f"a record of kind {kind}")

    def _read_data(self, path):  # 3, 5 and 9
        size, n, count = self.dtype.itemsize, len(self.files), math.prod(self.chunk)
        stride = ceil_to(count * size, self.align)
        data = np.tile(np.frombuffer(self.fill.tobytes(), np.uint8), (self.map.count(), count))
        lost = np.zeros((self.map.count(), count), bool)
        reports = []
        for k, name in enumerate(self.files):
            with open(name, "rb") as file:
                stored = np.frombuffer(file.read(), np.uint8)
            rows, promised = len(range(k, self.map.count(), n)), len(range(k, self.promised_chunks, n))
            whole = np.zeros(rows * stride, np.uint8)
            end = min(stored.size, whole.size)
            whole[:end] = stored[:end]
            ends = np.arange(rows)[:, None] * stride + (np.arange(count)[None, :] + 1) * size
            there = ends <= stored.size
            elements = whole.reshape(rows, stride)[:, :count * size]
            data[k::n] = np.where(np.repeat(there, size, axis=1), elements, data[k::n])
            lost[k::n] = ~there & (np.arange(rows) < promised)[:, None]
            if stored.size < promised * stride:
                reports.append(f"damage: {os.path.basename(name)} has {stored.size} of {promised * stride} bytes")
        if self.checksums:
            reports.extend(self._verify(f"{path}.xcs", data))
        self.stored = self._assemble(np.ascontiguousarray(data).reshape(-1).view(self.dtype), count)
        self.lost = self._assemble(lost.reshape(-1), count)
        return reports

    def _read_packed(self):  # 12
        size, n = self.dtype.itemsize, math.prod(self.chunk)
        with open(self.files[0], "rb") as file:
            payloads = file.read()
        with open(self.files[1], "rb") as file:
            table = file.read()
        data = np.full((self.map.count(), n), self.fill)
        lost = np.zeros(data.shape, bool)
        if len(table) < 2 * HALF * self.promised_chunks:
            lost[len(table) // (2 * HALF):self.promised_chunks] = True
            yield (f"damage: {os.path.basename(self.files[1])} has {len(table)} of "
                   f"{2 * HALF * self.promised_chunks} bytes")
        for q in range(min(self.map.count(), len(table) // (2 * HALF))):
            try:
                chunk = self._packed_chunk(q, table[2 * HALF * q:2 * HALF * (q + 1)], payloads)
            except Damaged as error:
                lost[q] = True
                yield f"damage: {error}"
                continue
            if chunk is None:
                self.wrong.append(q)
            elif chunk:
                data[q] = np.frombuffer(chunk, self.dtype)
        self.stored = self._assemble(data.reshape(-1), n)
        self.lost = self._assemble(lost.reshape(-1), n)

    def _packed_chunk(self, q, entry, payloads):  # 12.2
        """The bytes of a chunk; b"": none were written; None: they do not match their checksum."""
        halves = []
        for half in entry[:HALF], entry[HALF:]:
            crc, epoch_sum, epoch, generation, offset, length, payload_crc = struct.unpack("<IIIIqII", half)
            if not any(half[:8]):
                continue
            if crc32c(crc32c(0, struct.pack("<q", q)), half[4:]) == crc and 0 <= offset <= 1 << 62:
                end = offset + length % OPEN
                halves.append((generation, epoch, length & OPEN, payload_crc, offset, payloads[offset:end],
                               end - offset))
            else:  # one that was being written when the power went was not promised
                require(self._is_later(epoch_sum), f"the entry of chunk {q} does not match its checksum")
        if len(halves) == 2 and (halves[1][0] - halves[0][0]) % (1 << 32) < 1 << 31:
            halves.reverse()  # the newer one is first; generations go round
        for i, (_, epoch, is_open, crc, offset, payload, length) in enumerate(halves):
            chunk = self._payload(is_open, crc, payload, length)
            if chunk is not None:
                self.payloads[q] = offset, length, epoch <= self.epoch
                self.packing[q] = "older" if i else "open" if is_open else "compressed"
                return chunk
            if epoch <= self.epoch:
                return None
        return b""

    def _is_later(self, epoch_sum):
        """Whether that is the sum of an epoch past the last SYNC."""
        return 1 <= (checked_word(epoch_sum) - self.epoch) % (1 << 32) <= LATER_EPOCHS

    def _payload(self, is_open, crc, payload, length):  # 12.1
        """The bytes of the chunk that a payload holds; None: it is not what its half says."""
        whole = 16 + math.prod(self.chunk) * self.dtype.itemsize
        if is_open:  # no checksum; what is missing at its end was never written
            if length != whole:
                return None
            elements = payload[16:len(payload) - (len(payload) - 16) % self.dtype.itemsize]
            return elements + self.fill.tobytes() * ((whole - 16 - len(elements)) // self.dtype.itemsize)
        if not 16 <= length <= whole or len(payload) < length or crc32c(0, payload) != crc:
            return None
        try:
            chunk, _ = decoded_frame(payload)
        except FrameError:
            return None
        return chunk if len(chunk) == whole - 16 else None

    def _verify(self, path, chunks):  # 8
        """Compare chunks with the entries that count."""
        own = this_boot()
        with open(path, "rb") as file:
            entries = file.read(8 * len(chunks))
        if len(entries) < 8 * self.promised_chunks:
            yield f"damage: {os.path.basename(path)} has {len(entries)} of {8 * self.promised_chunks} bytes"
        for q, chunk in enumerate(chunks[:len(entries) // 8]):
            state, crc = struct.unpack_from("<II", entries, 8 * q)
            kind, boot = state & 0xFF, state >> 8
            if kind > 3 or (kind >= 2) != (boot > 0) or kind == 0 and crc:
                yield f"damage: the entry of chunk {q} in {os.path.basename(path)} has the state {state:#x}"
            elif (kind == 1 or kind == 3 and boot == own) and crc32c(0, chunk.tobytes()) != crc and self.map.lives(q):
                self.wrong.append(q)

    def _assemble(self, elements, stride):
        """The chunks, `stride` elements apart in `elements`, put in their places."""
        whole = np.empty([B * c for B, c in zip(self.map.B, self.chunk)], elements.dtype)
        n = math.prod(self.chunk)
        for index in itertools.product(*map(range, self.map.first, self.map.end)):
            first = self.address(index) * stride
            place = tuple(slice((i - low) * c, (i - low + 1) * c)
                          for i, low, c in zip(index, self.map.first, self.chunk))
            whole[place] = elements[first:first + n].reshape(self.chunk, order=self.order)
        return whole


read = Array


def type_name(dtype):
    return dtype.str[1:] if dtype.kind in "SU" else dtype.name


def info(a):
    return {"shape": a.shape, "lower": a.lower, "chunk": a.chunk, "dtype": type_name(a.dtype), "order": a.order, "align": a.align,
            "fill": str(a.fill), "initial_shape": a.initial_shape, "history": a.history, "dims": a.dims,
            "attrs": {name: v if isinstance(v, str) else [str(x) for x in v] for name, v in a.attrs.items()},
            "chunks": a.map.count(), "checksums": a.checksums, "codec": a.codec,
            "wrong": a.wrong, "sequence": a.sequence, "report": a.report}


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
