#!/usr/bin/python3
"""An educational reader: read_drx.py PATH [VARIABLE] reads a store of drx-format.md, by that document alone.

It is to be read beside the document, and to be the start of another reader. README.md says which file has which
sections. It is clear rather than fast: each file is read as a whole, and each element is looked up by itself."""
import itertools
import os
import struct
import sys

import numpy as np

from checksum import checked_word, crc32c, this_boot
from frame import decode, ERRORS
from payload import Damaged, damaged, Refused, refuse
from store import Store, SUMS

OPEN = 1 << 31


def file_bytes(path, at, n):
    """As many as there are."""
    with open(path, "rb") as file:
        return file.read()[at:at + n]


class Chunks:
    """The chunks of a variable, by their addresses; read(q) gives its bytes. Damaged: a file is missing."""

    def __init__(self, store, number, variable):
        """`variable` may be that of an earlier commit; files are read as the log says now."""
        self.v, self.now, self.synced = variable, store.now.variables[number], store.now.synced
        self.read = self.compressed if variable.codec else self.plain
        folders = [store.now.groups[g].folder for g in store.now.above(variable.group)]
        folder = os.fsencode(os.path.join(store.folder, *reversed(folders)))
        path = os.path.join(folder, os.fsencode(store.stem or variable.stem))
        data, self.table = (path + b".xtz", path + b".xct") if variable.codec else (path + b".xta", path + b".xcs")
        stem, parts = self.now.stripes or ("", [])
        self.data = [os.path.join(folder, part, stem + b".%d" % k) for k, part in enumerate(parts)] or [data]
        paths = self.data + [self.table] * (variable.codec > 0 or variable.flags & SUMS)
        damaged(not all(map(os.path.exists, paths)), "a file is missing")

    def filled(self, data):
        whole = len(data) - len(data) % self.v.size
        return data[:whole] + self.v.fill * ((self.v.chunk_bytes - whole) // self.v.size)

    def entry(self, q, size):
        data = file_bytes(self.table, size * q, size)
        damaged(len(data) < size and q < self.now.promised, f"entry {q} is missing")
        return data.ljust(size, b"\0")

    def plain(self, q):
        v, n = self.v, len(self.data)
        data = file_bytes(self.data[q % n], q // n * v.step, v.step)
        promised = q < self.now.promised or self.synced and any(v.fill)
        damaged(len(data) < v.step and promised, f"chunk {q} is missing")
        data = self.filled(data[:v.chunk_bytes])
        if v.flags & SUMS:
            state, crc = struct.unpack("<II", self.entry(q, 8))
            kind, boot = state & 255, state >> 8
            damaged(kind > 3 or (kind < 2) != (boot == 0) or kind == 0 and crc, f"the checksum of chunk {q}")
            damaged((kind == 1 or kind == 3 and boot == this_boot()) and crc32c(0, data) != crc, f"chunk {q} differs")
        return data

    def possible(self, half):
        """10.1 and 10.2 allow it."""
        _, epoch_sum, epoch, zero, at, length, crc = half
        n, most, opened = length % OPEN, self.v.chunk_bytes + 16, length >= OPEN
        return (epoch > 0 == zero and epoch_sum == crc32c(0, struct.pack("<I", epoch)) and 0 <= at < 1 << 62 and
                at % (max(self.v.align, 16) if opened else self.v.align) == 0 and
                (n == most and not crc if opened else 16 <= n <= most))

    def halves(self, q):
        """Those that are not empty, as (epoch, offset, length, crc), the newer first (10.2)."""
        entry, good, bad = self.entry(q, 64), [], []
        for data in (entry[:32], entry[32:]):
            half = struct.unpack("<IIIIqII", data)
            if crc32c(crc32c(0, struct.pack("<q", q)), data[4:]) == half[0]:
                good.append(half)
            elif any(data[:8]):
                bad.append(checked_word(half[1]))
        known, epochs = self.now.epoch, [half[2] for half in good]
        damaged(any(not known < e <= known + 65536 and not (good and epochs[0] > e) for e in bad) or
                not all(map(self.possible, good)) or len(set(epochs)) < len(good), f"entry {q}")
        return sorted(((epoch, *rest) for _, _, epoch, _, *rest in good), reverse=True)

    def compressed(self, q):
        for epoch, at, length, crc in self.halves(q):
            payload = file_bytes(self.data[0], at, length % OPEN)
            if length >= OPEN:
                return self.filled(payload[16:])
            if len(payload) == length and crc32c(0, payload) == crc:
                try:
                    data = decode(payload)
                    if len(data) == self.v.chunk_bytes:
                        return data
                except ERRORS:
                    pass
            damaged(epoch <= self.now.epoch, f"chunk {q}")
        return self.filled(b"")


def left(store, state, number):
    """The bounds of a variable at a commit, without what TRIMs have taken since (5.1). Refused: all is gone."""
    then, now = state.variables[number], store.now.variables[number]
    refuse(now.removed, "it was removed")
    bounds = [list(pair) for pair in then.map.bounds]
    for record, dimension, lower, upper in store.now.trims:
        axes = [bounds[axis] for axis, own in enumerate(then.dimensions) if own == dimension]
        axes += [[0, 1] for _ in range(now.dimensions.count(dimension) - len(axes))]
        for pair in axes if record > state.records else ():
            pair[:] = max(pair[0], lower), min(pair[1], upper)
            refuse(pair[0] >= pair[1], "a TRIM took all")
    return bounds


def read_elements(store, number, state=None):
    """The elements inside the bounds, as bytes (V), and what is not read of them: boxes, and errors. `state`: as of a
    commit."""
    v = (state or store.now).variables[number]
    m, lower, lost = v.map, [l for l, _ in v.map.bounds], []
    out = np.zeros([u - l for l, u in m.bounds], f"V{v.size}")
    try:
        bounds = left(store, state, number) if state else m.bounds
        chunks = Chunks(store, number, v)
    except (Damaged, Refused) as error:
        return out, [((), error)]
    for axis, (l, u) in enumerate(bounds if state else ()):
        for part in slice(0, l - lower[axis]), slice(u - lower[axis], None):
            lost.append(((slice(None),) * axis + (part,), Refused("a TRIM took them")))
    chunk_indices = [range(l // c, -(-u // c)) for (l, u), c in zip(bounds, m.chunk)]
    for index in itertools.product(*chunk_indices) if out.size else ():
        first = [i * c for i, c in zip(index, m.chunk)]
        begin = [max(f, l) for f, (l, _) in zip(first, bounds)]
        end = [min(f + c, u) for f, c, (_, u) in zip(first, m.chunk, bounds)]
        box = tuple(slice(b - l, e - l) for b, e, l in zip(begin, end, lower))
        try:
            data = np.frombuffer(chunks.read(m.address(index)), f"V{v.size}").reshape(m.chunk, order="CF"[v.order])
            out[box] = data[tuple(slice(b - f, e - f) for b, e, f in zip(begin, end, first))]
        except (Damaged, Refused) as error:
            lost.append((box, error))
    return out, lost


def main(path, name=None):
    store = Store(path)
    print(f"{path}: {store.id.hex()}, {len(store.records)} records, log {store.log} {store.why or ''}")
    for number, it in store.now.types.items() if name is None else ():
        print("type", 256 + number, {key: value for key, value in vars(it).items() if key not in ("attributes", "removed")})
    for number, v in store.now.variables.items():
        if not v.removed and name in (None, v.name):
            print(number, repr(v.name), "type", v.type, v.map.bounds if v.map else v.refused or "null",
                  *(read_elements(store, number) if name is not None and v.map else ()))


if __name__ == "__main__":
    main(*sys.argv[1:3])
