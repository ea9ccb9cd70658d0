"""Decode a frame of Blosc 1 (drx-format.md, 10.4), without Blosc: LZ4 here, zlib by Python, Zstandard by libzstd."""
import ctypes
import ctypes.util
import io
import struct
import zlib

import numpy as np

from payload import raiser, refuse

SHUFFLED, COPIED, BIT_SHUFFLED, WHOLE_BLOCKS = 1, 2, 4, 16  # flags; the upper three bits are the codec
ERRORS = ValueError, struct.error, IndexError, zlib.error  # the bytes are not a frame
wrong = raiser(ValueError)


def lz4(data, size):
    """A block of LZ4: runs of literals, each followed by a copy of earlier bytes."""
    out, data = bytearray(), io.BytesIO(data)

    def length(n):
        more = 255 if n == 15 else 0
        while more == 255:
            more = data.read(1)[0]
            n += more
        return n

    while token := data.read(1):
        out += data.read(length(token[0] >> 4))
        if back := int.from_bytes(data.read(2), "little"):
            n = 4 + length(token[0] & 15)
            wrong(back > len(out) or len(out) + n > size, "a copy of bytes that are not there")
            for _ in range(n):
                out.append(out[-back])
    return bytes(out)


def zstd(data, size):
    decompress = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1").ZSTD_decompress
    decompress.restype, out = ctypes.c_size_t, ctypes.create_string_buffer(size)
    wrong(decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data))) != size, "a frame of Zstandard")
    return out.raw


CODECS = {1: lz4, 3: lambda data, size: zlib.decompress(data), 4: zstd}


def unshuffled(block, size, bits):
    """The bytes of the elements lie apart: all first bytes, then all second bytes, ...; or their bits, if the number of
    elements is a multiple of 8. A rest stays at the end."""
    n = len(block) // size
    if n == 0 or bits and n % 8:
        return block
    planes = np.frombuffer(block, np.uint8, n * size).reshape(size * (8 if bits else 1), -1)
    if bits:
        planes = np.packbits(np.unpackbits(planes, axis=1, bitorder="little").T, axis=1, bitorder="little")
    return (planes if bits else planes.T).tobytes() + block[n * size:]


def decode_block(frame, at, size, streams, codec):
    """A block is `streams` streams, each after its length in 4 bytes; one as long as what it stands for is it."""
    block = b""
    for _ in range(streams):
        length, = struct.unpack_from("<I", frame, at)
        stream = frame[at + 4:at + 4 + length]
        wrong(not 0 < length == len(stream), "a stream has an impossible length")
        part = stream if length == size // streams else codec(stream, size // streams)
        wrong(len(part) != size // streams, "a stream has another length decoded")
        block, at = block + part, at + 4 + length
    return block


def decode(frame):
    """The bytes that a frame holds. ERRORS; Refused: of a codec that no writer uses."""
    version, _, flags, item, n, blocksize, length = struct.unpack_from("<BBBBIII", frame)
    refuse(version == 2 and not flags & COPIED and flags >> 5 not in CODECS, f"a frame of codec {flags >> 5}")
    wrong(version != 2 or item == 0 or length != len(frame) or not 0 < blocksize <= n or flags & 8, "a head")
    if flags & COPIED:
        wrong(length != 16 + n, "a copy of another length")
        return frame[16:]
    out = []
    for i in range(-(-n // blocksize)):
        at, = struct.unpack_from("<I", frame, 16 + 4 * i)
        size = min(blocksize, n - i * blocksize)
        split = not flags & WHOLE_BLOCKS and item <= 16 and blocksize // item >= 128 and size == blocksize
        block = decode_block(frame, at, size, item if split else 1, CODECS[flags >> 5])
        if flags & SHUFFLED and item > 1 or flags & (SHUFFLED | BIT_SHUFFLED) == BIT_SHUFFLED:
            block = unshuffled(block, item, not flags & SHUFFLED)
        out.append(block)
    return b"".join(out)
