"""Logs of lone arrays made by hand, and changed; and payloads of records (spec/drx-format.md, 4)."""
import json
import os
import struct

import vectors  # noqa: F401  where the reader is
from checksum import crc32c
from store import C, DIMENSION, LOG, MAGIC, STRIPES, VARIABLE

HEAD, LIVE = 512, 4096


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def write(folder, name, files, told):
    """Files by their paths, None for those that are not there; and NAME.json."""
    for path, data in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        if data is not None:
            with open(os.path.join(folder, path), "wb") as file:
                file.write(data)
    with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
        json.dump(told, file)


def text(name):
    data = name if isinstance(name, bytes) else name.encode()
    return struct.pack("<H", len(data)) + data


def padded(payload):
    return payload + bytes(-len(payload) % 8)


def dimension(lower, upper, name="", group=0):
    return struct.pack("<H6xqq", group, lower, upper) + text(name)


def variable(group, dimensions, chunk, name, stem, **values):
    v = dict(n=len(dimensions), order=0, initial=0, flags=0, codec=0, level=0, shuffle=0, type=3, align=1, fill=b"")
    v.update(values)
    p = struct.pack("<HBBBBBBB3xIq", group, *[v[k] for k in "n order initial flags codec level shuffle".split()],
                    v["type"], v["align"])
    p += struct.pack(f"<{len(dimensions)}H", *dimensions)
    p = padded(p) + struct.pack(f"<{len(chunk)}q", *chunk) + struct.pack("<I", len(v["fill"])) + v["fill"]
    return padded(p) + text(name) + text(stem)


def attribute(name, kind, values, extents=(), is_text=0, what=3, rank=None):
    rank = len(extents) if rank is None else rank
    return padded(struct.pack(f"<BBBBI{len(extents)}q", what, rank, is_text, 0, kind, *extents) + text(name)) + values


def stripes(stem, *folders):
    return struct.pack("<H", len(folders)) + text(stem) + b"".join(map(text, folders))


def head(creation_id=b"id" * 8, **fields):
    """fields: other values for what it has, at `magic`, `major`, `minor`, `kind`, `length`, or bytes at offsets {at: bytes}."""
    v = dict(magic=1, length=512, major=2, minor=0, kind=1, at={})
    v.update(fields)
    rest = bytearray(struct.pack("<IHHB11x16s464x", v["length"], v["major"], v["minor"], v["kind"], creation_id))
    for at, data in v["at"].items():
        rest[at - 12:at - 12 + len(data)] = data
    return MAGIC[v["magic"]] + struct.pack("<I", crc32c(0, rest)) + rest


class Log:
    """at[i] is where record i + 1 begins, at[-1] the end. `last_crc`, `last_sequence`: of what the next record follows."""

    def __init__(self, data=None, **fields):
        if data is None:
            data = head(**fields)
            data += bytes(LOG - len(data))
        self.data, self.at = bytearray(data), [LOG]
        while self.at[-1] < len(data):
            length, = struct.unpack_from("<I", data, self.at[-1] + 8)
            if length < 24:
                raise ValueError("no record")
            self.at.append(self.at[-1] + length)

    def records(self):
        return len(self.at) - 1

    def append(self, kind, number, payload, flags=C, **other):
        """other: sequence, prev, length."""
        last = self.at[-2] if self.records() else 8 - 16
        sequence = struct.unpack_from("<Q", self.data, last + 16)[0] if self.records() else 0
        prev, = struct.unpack_from("<I", self.data, last if self.records() else 8)
        return self.append_after(kind, number, payload, flags, prev, sequence, other)

    def append_at_end(self, kind, number, payload, flags=C, **other):
        """A record that follows no other."""
        return self.append_after(kind, number, payload, flags, 0, 0, other)

    def append_after(self, kind, number, payload, flags, prev, sequence, other):
        payload = padded(payload)
        prev, sequence = other.get("prev", prev), other.get("sequence", sequence + 1)
        body = struct.pack("<IBBHQ", other.get("length", 24 + len(payload)), kind, flags, number, sequence) + payload
        crc = crc32c(crc32c(prev, struct.pack("<Q", len(self.data))), body)
        self.data += struct.pack("<II", crc, prev) + body
        self.at.append(len(self.data))
        return self

    def seal(self):
        """Give all records their CRCs again."""
        crc, = struct.unpack_from("<I", self.data, 8)
        for begin, end in zip(self.at, self.at[1:]):
            struct.pack_into("<I", self.data, begin + 4, crc)
            crc = crc32c(crc32c(crc, struct.pack("<Q", begin)), self.data[begin + 8:end])
            struct.pack_into("<I", self.data, begin, crc)
        return self

    def again(self):
        """The same log, of the records that are left."""
        return Log(bytes(self.data))

    def head(self, **fields):
        self.data[:HEAD] = head(bytes(self.data[32:48]), **fields)
        return self.seal()

    def write(self, at, value):
        self.data[at:at + len(value)] = value
        return self

    def cut_at(self, at):
        del self.data[at:]
        return self

    def cut(self, record, keep=0):
        """Keep only this many bytes of that record, counted from 0, and nothing after it."""
        del self.data[self.at[record] + keep:]
        return self

    def move(self, record):
        """Let it be a valid record that follows another one."""
        begin, end = self.at[record:record + 2]
        struct.pack_into("<I", self.data, begin + 4, 12345)
        crc = crc32c(crc32c(12345, struct.pack("<Q", begin)), self.data[begin + 8:end])
        struct.pack_into("<I", self.data, begin, crc)
        return self

    def flip(self, record, byte):
        self.data[self.at[record] + byte] ^= 0x40
        return self

    def zero(self, record):
        self.data[self.at[record]:self.at[record + 1]] = bytes(self.at[record + 1] - self.at[record])
        return self

    def change(self, record, byte, value):
        """And seal it: a writer made it so."""
        self.data[self.at[record] + byte:self.at[record] + byte + len(value)] = value
        return self.seal()

    def find(self, kind, nth=0):
        """The record of that kind, counted from 0; negative: from the end."""
        return [i for i, at in enumerate(self.at[:-1]) if self.data[at + 12] == kind][nth]

    def append_raw(self, data):
        self.data += data
        return self


def array(shape, chunk, lower=None, names=(), stripe=None, **values):
    """A log that ends with the C of its VARIABLE; stripe: (stem, folders ...)."""
    log, n = Log(), len(shape)
    lower = lower or [0] * n
    for j, (low, extent) in enumerate(zip(lower, shape)):
        log.append(DIMENSION, j + 1, dimension(low, low + extent, names[j] if names else ""), 0)
    if stripe:
        values["flags"] = values.get("flags", 0) | 2
    log.append(VARIABLE, 1, variable(0, range(1, n + 1), chunk, "", "", **values), 0 if stripe else C)
    if stripe:
        log.append(STRIPES, 1, stripes(*stripe))
    return log
