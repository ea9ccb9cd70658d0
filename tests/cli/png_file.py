"""Reading PNG files of 8-bit RGB without interlacing, for tests."""

import struct
import zlib

import numpy as np


def decode(data):
    """The pixels: height x width x 3."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    at, packed, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
            assert body[8:] == bytes([8, 2, 0, 0, 0]), body
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    assert kind == b"IEND"
    width, height = size
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 3 * width)
    out = np.zeros((height, 3 * width), np.uint8)
    above = [0] * (3 * width)
    for y, line in enumerate(lines):
        above = unfilter(line[0], line[1:], above)
        out[y] = above
    return out.reshape(height, width, 3)


def unfilter(kind, line, above):
    if kind in (0, 2):
        return (line + (np.array(above, np.uint8) if kind else np.uint8(0))).tolist()
    line = line.tolist()
    for x, value in enumerate(line):
        left, corner = (line[x - 3], above[x - 3]) if x >= 3 else (0, 0)
        if kind == 1:
            guess = left
        elif kind == 3:
            guess = (left + above[x]) // 2
        else:
            far = abs(above[x] - corner), abs(left - corner), abs(left + above[x] - 2 * corner)
            guess = left if far[0] <= far[1] and far[0] <= far[2] else above[x] if far[1] <= far[2] else corner
        line[x] = value + guess & 255
    return line
