"""The type and the fill of an array: bytes 56 to 72 of its description (2.1)."""
import struct

import numpy as np

TYPES = dict(enumerate("<i1 <i2 <i4 <i8 <u1 <u2 <u4 <u8 <f4 <f8 <c8 <c16 <f2 |b1".split(), 1))
BYTES, UNICODE, MAX_STRING = 15, 16, 4096


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


def type_name(dtype):
    return dtype.str[1:] if dtype.kind in "SU" else dtype.name
