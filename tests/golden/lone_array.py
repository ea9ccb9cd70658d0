"""A lone array as the reader of spec reads it.

`lost` are the elements of damaged chunks; `gone` those of them that no file has any more, where others may be read."""
import functools
import itertools
import os
import re
import struct
from collections import namedtuple

import numpy as np

import vectors  # which says where the reader is
from checksum import crc32c
from payload import BASIC, BITS, BYTES, COMPOUND, Damaged, damaged, ENUM, OPAQUE, Refused, refuse, UNICODE
from read_drx import Chunks, file_bytes, OPEN
from store import BASE, C, DIMENSION, GROW, read_prefix, STRIPED, Store, SUMS

CODECS, SHUFFLES = (None, *vectors.CODECS), (None, "none", "byte", "bit")


def dtype_of(store, kind):
    """None: of no type that the library has."""
    if kind < 256:
        return np.dtype(BASIC[kind])
    it = store.now.types[kind - 256]
    if it.kind in (ENUM, COMPOUND, OPAQUE, BITS):
        return np.dtype((np.void, it.size))
    return {BYTES: np.dtype(f"S{it.size}"), UNICODE: np.dtype(f"<U{it.size // 4}")}.get(it.kind)


Record = namedtuple("Record", "N M C")


class LoneMap:
    """The map of the reader as axial vectors: records of the high and low end of each axis."""

    def __init__(self, m, trimmed):
        self.map, self.first, self.B, self.trimmed = m, list(m.low), m.extents(), trimmed
        n, before = len(self.B), None
        first, _, _, _, _, lows = m.records[0]
        self.vectors = [[] if j == first else [Record(lows[j], -1, [0] * n)] for j in range(n)]
        self.low = [[] for _ in range(n)]
        for axis, high, index, address, factors, low in m.records:
            others = [(c, l) for j, (c, l) in enumerate(zip(factors, low)) if j != axis]
            same = before and before[:2] == (axis, high) and before[4] == factors[axis] and before[5] == others
            if not same or (index - before[2]) * (1 if high else -1) * factors[axis] != address - before[3]:
                signed = [-c if j == axis and not high else c for j, c in enumerate(factors)]
                (self.vectors if high else self.low)[axis].append(Record(index, address, signed))
            before = axis, high, index, address, factors[axis], others

    def count(self):
        return self.map.count

    def lives(self, q):
        return self.map.index(q) is not None


class Array:
    """NotDrx, Refused, Damaged; FileNotFoundError: not all files are there."""

    def __init__(self, path):
        self.path, self.store = path, Store(path)
        v = self.v = self.store.now.variables[1]
        refuse(v.refused or v.null or not v.dimensions or v.initial > 1 or dtype_of(self.store, v.type) is None,
               "what the library does not read")
        self.describe()
        try:
            self.chunks = Chunks(self.store, 1, v)
        except Damaged as error:
            raise FileNotFoundError(str(error)) from None
        self.files = [os.fsdecode(name) for name in self.chunks.data]
        if v.codec:
            self.files.append(os.fsdecode(self.chunks.table))

    def describe(self):
        store, v = self.store, self.v
        self.dtype, self.order, self.align = dtype_of(store, v.type), "CF"[v.order], v.align
        self.fill = np.frombuffer(v.fill, self.dtype).reshape(())
        self.lower = tuple(lower for lower, _ in v.map.bounds)
        self.shape = tuple(upper - lower for lower, upper in v.map.bounds)
        self.chunk, self.map, self.id = tuple(v.map.chunk), LoneMap(v.map, bool(store.now.trims)), store.id
        self.checksums = bool(v.flags & SUMS)
        self.codec = (CODECS[v.codec], v.level, SHUFFLES[v.shuffle]) if v.codec else None
        self.epoch, self.sequence = v.epoch, store.records[-1].sequence
        self.dims = [store.now.dimensions[d].name or None for d in v.dimensions]
        self.folders = [os.fsdecode(f) for f in v.stripes[1]] if v.flags & STRIPED else None
        self.attrs = {name: self.attribute(a) for name, a in v.attributes.items() if self.is_shown(a)}
        first, grown = {}, []
        for r in store.records:
            if r.kind == DIMENSION:
                lower, upper = struct.unpack_from("<qq", r.payload, 8)
                first[r.number] = upper - lower
            elif r.kind == GROW:
                grown.append((v.dimensions.index(r.number), struct.unpack_from("<q", r.payload)[0]))
        self.initial_shape, self.history = tuple(first[d] for d in v.dimensions), grown
        self.address, self.index = v.map.address, v.map.index
        self.log_report = {"torn": "torn tail in the log", "damaged": "damage in the log"}.get(store.log)

    def is_shown(self, a):
        return not (a.values is None or a.null or isinstance(a.values, list) or dtype_of(self.store, a.type) is None)

    def attribute(self, a):
        return a.values.decode() if a.text else np.frombuffer(a.values, dtype_of(self.store, a.type))

    @property
    def inside(self):
        return tuple(slice(low - first * c, low + n - first * c)
                     for low, n, first, c in zip(self.lower, self.shape, self.map.first, self.chunk))

    def short(self):
        """What a SYNC promised of the length of a file, and is not there."""
        v, n = self.v, len(self.chunks.data)
        whole = v.map.count if self.chunks.synced and any(v.fill) else v.promised
        least = [(path, -(-max(whole - k, 0) // n) * v.step) for k, path in enumerate(self.chunks.data)]
        if v.codec:
            least = [(self.chunks.table, 64 * v.promised)]
        elif v.flags & SUMS:
            least.append((self.chunks.table, 8 * v.promised))
        return [path for path, length in least if os.path.getsize(path) < length]

    @property
    def opening_report(self):
        """What is said before elements are read."""
        return self.report if self.codec or self.log_report or self.short() else None

    @functools.cached_property
    def unknown_open(self):
        """What comes after the last C is of a later version."""
        with open(self.path + ".xmd", "rb") as file:
            data = file.read()
        rest = read_prefix(data, int.from_bytes(data[8:12], "little"))[0][len(self.store.records):]
        return self.store.log in ("open", "torn") and any(BASE < r.kind < 128 or r.flags & ~C for r in rest)

    @functools.cached_property
    def report(self):
        entries = [f"damage: the entry of chunk {q}" for q in self.bad_entries]
        short = [f"damage: {os.fsdecode(os.path.basename(path))} is short" for path in self.short()]
        return "; ".join(filter(None, [self.log_report, *short, *entries])) or None

    @functools.cached_property
    def chunk_data(self):
        """The bytes of each chunk, or what is wrong."""
        read = {}
        for q in range(self.map.count()):
            if self.map.lives(q):
                try:
                    read[q] = self.chunks.read(q)
                except (Damaged, Refused) as error:
                    read[q] = error
        return read

    def wrongs(self, pattern):
        return [q for q, data in self.chunk_data.items() if isinstance(data, Exception) and
                re.fullmatch(pattern, str(data))]

    @property
    def wrong(self):
        """Chunks whose bytes do not match their checksum."""
        return self.wrongs(r"chunk \d+( differs)?")

    @property
    def bad_entries(self):
        return self.wrongs(r"entry \d+|the checksum of chunk \d+")

    def put_together(self, of_chunk, dtype):
        whole = np.empty([n * c for n, c in zip(self.map.B, self.chunk)], dtype)
        for index in itertools.product(*(range(low, low + n) for low, n in zip(self.map.first, self.map.B))):
            place = tuple(slice((i - low) * c, (i - low + 1) * c)
                          for i, low, c in zip(index, self.map.first, self.chunk))
            data = of_chunk(self.address(index))
            whole[place] = data if np.isscalar(data) else data.reshape(self.chunk, order=self.order)
        return whole

    @functools.cached_property
    def stored(self):
        def of_chunk(q):
            data = self.chunk_data[q]
            return np.frombuffer(data if isinstance(data, bytes) else bytes(self.v.chunk_bytes), self.dtype)
        return self.put_together(of_chunk, self.dtype)

    @functools.cached_property
    def lost(self):
        return self.put_together(lambda q: isinstance(self.chunk_data[q], Exception) and q not in self.wrong, bool)

    @functools.cached_property
    def gone(self):
        """Elements of chunks that are as they are, and lost, of which a file lacks bytes."""
        def of_chunk(q):
            if not isinstance(self.chunk_data[q], Exception) or "is missing" not in str(self.chunk_data[q]):
                return False
            n = len(self.files)
            ends = q // n * self.v.step + (np.arange(np.prod(self.chunk)) + 1) * self.dtype.itemsize
            return ends > os.path.getsize(self.files[q % n])
        return self.put_together(of_chunk, bool)

    @property
    def array(self):
        inside = self.inside
        damaged(self.lost[inside].any(), "stored elements are missing")
        damaged(self.wrong, f"chunks that do not match their checksums: {self.wrong}")
        return np.ascontiguousarray(self.stored[inside])

    def payload(self, q):
        """(offset, length, whether it is synced, whether it is open) of the payload that counts; None: there is none."""
        for epoch, at, length, crc in self.chunks.halves(q):
            payload = file_bytes(self.chunks.data[0], at, length % OPEN)
            if length >= OPEN or len(payload) == length and crc32c(0, payload) == crc:
                return at, length % OPEN, epoch <= self.epoch, length >= OPEN
        return None

    @property
    def payloads(self):
        found = {q: self.payload(q) for q, data in self.chunk_data.items() if isinstance(data, bytes)}
        return {q: p[:3] for q, p in found.items() if p}

    @property
    def packing(self):
        return {q: "open" if self.payload(q)[3] else "compressed" for q in self.payloads}


def read(path):
    return Array(path)
