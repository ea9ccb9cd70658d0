#!/usr/bin/env python3
"""Read a DRX array, by drx-format.md alone: it shares no code with the library.

    read_drx.py PATH [-o FILE.npy] [--info]

This file reads the description and applies the log. read_log.py decodes the records, read_map.py places the chunks, and
read_data.py reads the elements.

Comments such as "2.3" name the section that the code follows. Clear rather than fast, and the array is read whole.
"""
import argparse
import json
import math
import os
import struct
import sys

import numpy as np

from checksum import crc32c
from read_data import read_packed, read_plain
from read_errors import Damaged, FormatError, Unsupported, require
from read_log import (ADD_AXIS, ATTRIBUTE, ATTRIBUTE_DELETE, ATTRIBUTE_LATER, DIMENSION_NAME, GROW, GROW_LOW, INTENT, INTENT_LOW,
                      MEMBER, ORIGIN, STRIPES, SYNC, TRIM, ceil_to, read_attribute, read_padded_name, read_stripes,
                      tail_is_damage, valid_record)
from read_map import SHELL, SHELL_LAST, Map
from read_type import read_fill, read_type, type_name

MAGIC = b"\x89DRX\r\n\x1a\n"
CHECKSUM, PACKED = 1, 8  # flags
CODECS, SHUFFLES = {1: "zstd", 2: "lz4", 3: "zlib"}, {1: "none", 2: "byte", 3: "bit"}
MAX_PACKED = (1 << 31) - 17  # bytes of a compressed chunk


class Array:
    """The array at `path`.

    shape, chunk, dtype, order ("C" or "F", inside a chunk), align, fill (an array of no axes)
    initial_shape  with 1 for each new axis
    lower      the first index of each axis
    dims       a name or None for each axis
    id         of its creation, 16 bytes
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

    def __init__(self, path, judged=None):
        """judged(array) is called before the data are read."""
        with open(f"{path}.xmd", "rb") as file:
            xmd = file.read()
        self.id = xmd[32:48]
        length, crc = self._describe(xmd)
        self.dims, self.attrs, self.history = [None for _ in self.chunk], {}, []
        self.sequence = self.promised_chunks = 0
        self.stem = self.folders = None
        self.member = False
        self.report = self._replay(xmd, length, crc)
        if judged:
            judged(self)
        self.files = [f"{path}.xta"] if self.folders is None else [
            os.path.join(os.path.dirname(path), folder, f"{self.stem}.{k}") for k, folder in enumerate(self.folders)]
        self.wrong, self.packing, self.payloads = [], {}, {}
        self.address, self.index = self.map.address, self.map.index
        if self.codec:
            self.files = [f"{path}.xtz", f"{path}.xct"]
        reports = read_packed(self) if self.codec else read_plain(self, path)
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
        self.initial_shape = struct.unpack_from(f"<{ndim}q", xmd, 72)
        chunk = struct.unpack_from(f"<{ndim}q", xmd, 72 + 8 * ndim)
        if min(self.initial_shape) < 0 or min(chunk) < 1 or self.align not in [1 << n for n in range(31)]:
            raise FormatError("impossible bounds, chunk or align")
        self.shell = flags & (SHELL | SHELL_LAST)
        self.checksums = bool(flags & CHECKSUM)
        size = math.prod(chunk) * self.dtype.itemsize
        pitch = ceil_to(size, self.align)
        self.most = min(((1 << 63) - 1) // max(pitch, 64 if self.codec else 8 if self.checksums else 1), (1 << 63) - 2)
        try:
            require(size + self.align - 1 < 1 << 63 and not (self.codec and size > MAX_PACKED), "chunks of too many bytes")
            self.map = Map((0,) * ndim, self.initial_shape, chunk, self.shell, self.most)
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
        if kind in (GROW, INTENT, GROW_LOW, INTENT_LOW):
            require(entry.argument < len(self.shape), "growth of an axis that is none")
            by, after = struct.unpack("<qq", payload)
            low, axis = kind in (GROW_LOW, INTENT_LOW), entry.argument
            bound = self.map.lower[axis] - by if low else self.map.upper[axis] + by
            require(by > 0 and after == bound, "the bound after a growth is not the sum")
            require(bound >= -1 << 62, "a bound below the least")
            if kind in (GROW, GROW_LOW):  # an INTENT was completed by a GROW, or was undone, or is to be
                self.map.grow(axis, by, low)
                self.history.append((axis, -by if low else by))
        elif kind == ORIGIN:
            require(entry.sequence == 1 + (self.folders is not None), "an ORIGIN after other records")
            lower = struct.unpack(f"<{len(self.shape)}q", payload)
            require(all(low >= -1 << 62 and low + n < 1 << 63 for low, n in zip(lower, self.shape)),
                    "an impossible ORIGIN")
            self.map = Map(lower, self.initial_shape, self.chunk, self.shell, self.most)
        elif kind == TRIM:
            require(entry.argument < len(self.shape), "trim of an axis that is none")
            lower, upper = struct.unpack("<qq", payload)
            require(self.map.lower[entry.argument] <= lower <= upper <= self.map.upper[entry.argument],
                    "a trim to other bounds than those of the axis")
            self.map.trim(entry.argument, lower, upper)
        elif kind == ADD_AXIS:
            name = read_padded_name(payload, 0)
            require(entry.argument <= len(self.shape) < 32, "a new axis in an impossible place")
            self.add_axis(entry.argument, name)
        elif kind == SYNC:
            chunks, *epoch = struct.unpack("<qq" if self.codec else "<q", payload)
            require(chunks == self.map.count(), "a SYNC of another number of chunks")
            if epoch:
                require(epoch[0] >= max(self.epoch, 1), "a SYNC of an earlier epoch")  # 12
                self.epoch = epoch[0]
            self.promised_chunks = self.map.count()
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
        elif kind == MEMBER:  # 10
            _, commit = struct.unpack("<16sq", payload)
            require(commit >= -1, "a MEMBER of an impossible commit")
            if self.member:
                self.promised_chunks = self.map.count()
            self.member = True
        elif kind < 128:
            raise Unsupported(f"a record of kind {kind}")


read = Array


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
