"""The fields of a record's payload (drx-format.md, 1 and 4), and types (4.3)."""
import math
import struct
from types import SimpleNamespace

import numpy as np


class Refused(Exception):
    """Whole, and from a later version."""


class Impossible(Exception):
    """A record that no writer makes."""


class Damaged(Exception):
    """Bytes were lost."""


def raiser(kind):
    def check(condition, what):
        if condition:
            raise kind(what)
    return check


refuse, impossible, damaged = map(raiser, (Refused, Impossible, Damaged))


def utf8(data):
    text = bytes(data).decode(errors="replace")
    impossible(text.encode() != data or "\0" in text, "a text that is not UTF-8, or has a NUL")
    return text


def name(data, least=1, most=1024):
    impossible(not least <= len(data) <= most, f"a name of {len(data)} bytes")
    return utf8(data)


def path_name(data, least=1, most=200):
    text = name(data, least, most)
    impossible("/" in text or text.startswith("."), f"the name {text!r}")
    return text


class Payload:
    """Read from its begin to its end, before anything but its length is judged; then come reserved bytes (4.4)."""

    def __init__(self, data):
        self.data, self.at, self.reserved = data, 0, False

    def bytes(self, n):
        impossible(self.at + n > len(self.data), "a payload that is too short")
        self.at += n
        return self.data[self.at - n:self.at]

    def fields(self, form):
        return struct.unpack("<" + form, self.bytes(struct.calcsize("<" + form)))

    def one(self, form):
        return self.fields(form)[0]

    def zero(self, n):
        self.reserved |= any(self.bytes(n))

    def pad(self):
        self.zero(-self.at % 8)

    def text(self):
        return self.bytes(self.one("H"))

    def what(self):
        what = self.one("B")
        refuse(what > 4, f"a thing of kind {what}")
        return what

    def end(self):
        self.pad()
        impossible(self.at < len(self.data), "a payload that is too long")
        refuse(self.reserved, "a reserved byte that is not 0")

    def all(self, form):
        """Numbers as struct has them, 7z for zero bytes, w for what, t for a text, m for a message."""
        values, special = [], {"w": self.what, "t": self.text, "m": lambda: self.bytes(self.one("I"))}
        for word in form.split():
            if word[-1] == "z":
                self.zero(int(word[:-1]))
            else:
                values += [special[word]()] if word in special else self.fields(word)
        self.end()
        return values


BASIC = dict(enumerate("<i1 <i2 <i4 <i8 <u1 <u2 <u4 <u8 <f4 <f8 <c8 <c16 <f2 |b1".split(), 1))
BYTES, UNICODE, ENUM, COMPOUND, OPAQUE, BITS, TEXTS = range(1, 8)


def size_of(types, number):
    """Bytes of an element; None: a reader does not know the type. `types` are those of the log, by number."""
    if number > 255:
        impossible(number - 256 not in types, f"type {number}")
        return types[number - 256].size
    impossible(number == 0, "type 0")
    return np.dtype(BASIC[number]).itemsize if number in BASIC else None


def read_type(payload, types):
    """To the end of the payload."""
    it = SimpleNamespace(kind=payload.one("B"), size=None)
    if not BYTES <= it.kind <= TEXTS:
        payload.at = len(payload.data)
        return it
    payload.zero(3)
    it.size = payload.one("I")
    if it.kind == ENUM:
        it.base, n = payload.fields("II")
        it.members = [(payload.bytes(it.size), payload.text()) for _ in range(n)]
    elif it.kind == COMPOUND:
        it.members = [read_field(payload) for _ in range(payload.one("I"))]
    elif it.kind == OPAQUE:
        it.tag = payload.text()
    elif it.kind == BITS:
        it.bits = payload.fields("BB")
    payload.end()
    sizes = [size_of(types, f.type) for f in it.members] if it.kind == COMPOUND else []
    if None in sizes:
        it.size = None
        return it
    least, most = (0, 0) if it.kind == TEXTS else (1, 4096 if it.kind <= UNICODE else 65536)
    impossible(not least <= it.size <= most, f"elements of {it.size} bytes")
    impossible(it.kind == UNICODE and it.size % 4, "a part of a code point")
    if it.kind == ENUM:
        impossible(not 1 <= it.base <= 8 or size_of(types, it.base) != it.size, "the type of an enum")
        it.members = [(value, name(text)) for value, text in it.members]
    elif it.kind == COMPOUND:
        impossible(0 in sizes or any(0 in f.extents for f in it.members), "a field without bytes")
        ends = sorted((f.at, f.at + n * math.prod(f.extents)) for f, n in zip(it.members, sizes)) + [(it.size, 0)]
        impossible(any(a[1] > b[0] for a, b in zip(ends, ends[1:])), "fields that overlap, or are not inside")
        impossible(len({name(f.name) for f in it.members}) < len(it.members), "fields of one name")
    elif it.kind == OPAQUE:
        utf8(it.tag)
    elif it.kind == BITS:
        impossible(it.size not in (1, 2, 4, 8) or it.bits[1] < 1 or sum(it.bits) > 8 * it.size, "bits")
    return it


def read_field(payload):
    at, kind, rank = payload.fields("IIB")
    payload.zero(3)
    return SimpleNamespace(at=at, type=kind, extents=payload.fields(f"{rank}I"), name=payload.text())
