"""Decode a frame of Blosc 1, by section 12.4 of drx-format.md alone: it does not use Blosc.

LZ4 is decoded here, zlib by Python, Zstandard by libzstd, which ctypes loads. Clear rather than fast.
"""
import ctypes
import ctypes.util
import functools
import struct
import zlib

import numpy as np

HEAD = 16
SHUFFLED, COPIED, BIT_SHUFFLED, WHOLE_BLOCKS = 1, 2, 4, 16  # flags; the upper three bits are the codec
MOST_STREAMS, LEAST_STREAM = 16, 128


class FrameError(Exception):
    """The bytes are not a frame."""


class UnknownCodec(FrameError):
    """They are a frame, of a codec that no writer uses."""


def require(condition, what):
    if not condition:
        raise FrameError(what)


def lz4(data, size):
    """A block of LZ4: runs of literals, each followed by a copy of earlier bytes."""
    out, at = bytearray(), 0

    def length(n):
        nonlocal at
        more = n == 15
        while more:
            n, more = n + data[at], data[at] == 255
            at += 1
        return n

    while at < len(data):
        token = data[at]
        at += 1
        n = length(token >> 4)
        out += data[at:at + n]
        at += n
        if at >= len(data):
            break
        back = data[at] | data[at + 1] << 8
        at += 2
        n = 4 + length(token & 15)
        require(0 < back <= len(out) and len(out) + n <= size, "a copy of bytes that are not there")
        for _ in range(n):
            out.append(out[-back])
    return bytes(out)


@functools.cache
def libzstd():
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    return library


def zstd(data, size):
    out = ctypes.create_string_buffer(size)
    require(libzstd().ZSTD_decompress(out, size, data, len(data)) == size, "a stream of Zstandard is damaged")
    return out.raw


CODECS = {1: ("lz4", lz4), 3: ("zlib", lambda data, size: zlib.decompress(data)), 4: ("zstd", zstd)}


def unshuffled(block, size):
    """The bytes of the elements lie apart: all first bytes, then all second bytes, ... A rest stays at the end."""
    n = len(block) // size
    planes = np.frombuffer(block, np.uint8, n * size).reshape(size, n)
    return planes.T.tobytes() + block[n * size:]


def bit_unshuffled(block, size):
    """The same with bits, if the number of elements is a multiple of 8; else nothing was shuffled."""
    n = len(block) // size
    if n % 8 or n == 0:
        return block
    planes = np.frombuffer(block, np.uint8, n * size).reshape(size * 8, n // 8)
    planes = np.unpackbits(planes, axis=1, bitorder="little")
    return np.packbits(planes.T, axis=1, bitorder="little").tobytes() + block[n * size:]


def decode_block(frame, at, size, streams, decode):
    """A block is `streams` streams, each after its length in 4 bytes; one as long as what it stands for is it."""
    parts = []
    for _ in range(streams):
        length, = struct.unpack_from("<i", frame, at)
        stream = frame[at + 4:at + 4 + length]
        require(0 < length == len(stream), "a stream has an impossible length")
        parts.append(stream if length == size // streams else decode(stream, size // streams))
        require(len(parts[-1]) == size // streams, "a stream has another length decoded")
        at += 4 + length
    return b"".join(parts)


def decode(frame):
    """The bytes that a frame holds, and the name of its codec; None: it is a copy. FrameError."""
    try:
        return decode_frame(frame)
    except (struct.error, IndexError, zlib.error) as error:
        raise FrameError(str(error)) from None


def decode_frame(frame):
    require(len(frame) >= HEAD, "it is shorter than its head")
    version, _, flags, item, nbytes, blocksize, cbytes = struct.unpack_from("<BBBBIII", frame)
    if version == 2 and not flags & COPIED and flags >> 5 not in CODECS:
        raise UnknownCodec(f"codec {flags >> 5}")
    require(version == 2 and item > 0 and cbytes == len(frame) and 0 < blocksize <= nbytes and not flags & 8,
            "its head is not one")
    if flags & COPIED:
        require(cbytes == HEAD + nbytes, "a copy of another length")
        return frame[HEAD:], None
    name, stream = CODECS[flags >> 5]
    out = []
    for i in range(-(-nbytes // blocksize)):
        at, = struct.unpack_from("<i", frame, HEAD + 4 * i)
        size = min(blocksize, nbytes - i * blocksize)
        split = not flags & WHOLE_BLOCKS and item <= MOST_STREAMS and blocksize // item >= LEAST_STREAM
        block = decode_block(frame, at, size, item if split and size == blocksize else 1, stream)
        if flags & SHUFFLED and item > 1:
            block = unshuffled(block, item)
        elif flags & BIT_SHUFFLED:
            block = bit_unshuffled(block, item)
        out.append(block)
    return b"".join(out), name
