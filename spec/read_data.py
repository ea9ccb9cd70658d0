"""The elements of an array, from its files: plain (3, 5 and 9), with checksums (8), or compressed (12).

`a` is an Array of read_drx.py whose log was read. These functions set its `stored`, `lost`, `wrong`, `packing` and `payloads`.
"""
import itertools
import math
import os
import struct

import numpy as np

from checksum import checked_word, crc32c, this_boot
from read_blosc import FrameError, decode as decoded_frame
from read_errors import Damaged, require
from read_log import ceil_to

HALF, OPEN = 32, 1 << 31  # bytes of half of an entry; a bit of its length
LATER_EPOCHS = 1 << 16


def read_plain(a, path):  # 3, 5 and 9
    size, n, count = a.dtype.itemsize, len(a.files), math.prod(a.chunk)
    stride = ceil_to(count * size, a.align)
    data = np.tile(np.frombuffer(a.fill.tobytes(), np.uint8), (a.map.count(), count))
    lost = np.zeros((a.map.count(), count), bool)
    reports = []
    for k, name in enumerate(a.files):
        with open(name, "rb") as file:
            stored = np.frombuffer(file.read(), np.uint8)
        rows, promised = len(range(k, a.map.count(), n)), len(range(k, a.promised_chunks, n))
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
    if a.checksums:
        reports.extend(verify(a, f"{path}.xcs", data))
    a.stored = assemble(a, np.ascontiguousarray(data).reshape(-1).view(a.dtype), count)
    a.lost = assemble(a, lost.reshape(-1), count)
    return reports


def read_packed(a):  # 12
    n = math.prod(a.chunk)
    with open(a.files[0], "rb") as file:
        payloads = file.read()
    with open(a.files[1], "rb") as file:
        table = file.read()
    data = np.full((a.map.count(), n), a.fill)
    lost = np.zeros(data.shape, bool)
    if len(table) < 2 * HALF * a.promised_chunks:
        lost[len(table) // (2 * HALF):a.promised_chunks] = True
        yield (f"damage: {os.path.basename(a.files[1])} has {len(table)} of "
               f"{2 * HALF * a.promised_chunks} bytes")
    for q in range(min(a.map.count(), len(table) // (2 * HALF))):
        try:
            chunk = packed_chunk(a, q, table[2 * HALF * q:2 * HALF * (q + 1)], payloads)
        except Damaged as error:
            lost[q] = True
            yield f"damage: {error}"
            continue
        if chunk is None:
            a.wrong.append(q)
        elif chunk:
            data[q] = np.frombuffer(chunk, a.dtype)
    a.stored = assemble(a, data.reshape(-1), n)
    a.lost = assemble(a, lost.reshape(-1), n)


def packed_chunk(a, q, entry, payloads):  # 12.2
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
            require(is_later(a, epoch_sum), f"the entry of chunk {q} does not match its checksum")
    if len(halves) == 2 and (halves[1][0] - halves[0][0]) % (1 << 32) < 1 << 31:
        halves.reverse()  # the newer one is first; generations go round
    for i, (_, epoch, is_open, crc, offset, payload, length) in enumerate(halves):
        chunk = payload_chunk(a, is_open, crc, payload, length)
        if chunk is not None:
            a.payloads[q] = offset, length, epoch <= a.epoch
            a.packing[q] = "older" if i else "open" if is_open else "compressed"
            return chunk
        if epoch <= a.epoch:
            return None
    return b""


def is_later(a, epoch_sum):
    """Whether that is the sum of an epoch past the last SYNC."""
    return 1 <= (checked_word(epoch_sum) - a.epoch) % (1 << 32) <= LATER_EPOCHS


def payload_chunk(a, is_open, crc, payload, length):  # 12.1
    """The bytes of the chunk that a payload holds; None: it is not what its half says."""
    whole = 16 + math.prod(a.chunk) * a.dtype.itemsize
    if is_open:  # no checksum; what is missing at its end was never written
        if length != whole:
            return None
        elements = payload[16:len(payload) - (len(payload) - 16) % a.dtype.itemsize]
        return elements + a.fill.tobytes() * ((whole - 16 - len(elements)) // a.dtype.itemsize)
    if not 16 <= length <= whole or len(payload) < length or crc32c(0, payload) != crc:
        return None
    try:
        chunk, _ = decoded_frame(payload)
    except FrameError:
        return None
    return chunk if len(chunk) == whole - 16 else None


def verify(a, path, chunks):  # 8
    """Compare chunks with the entries that count."""
    own = this_boot()
    with open(path, "rb") as file:
        entries = file.read(8 * len(chunks))
    if len(entries) < 8 * a.promised_chunks:
        yield f"damage: {os.path.basename(path)} has {len(entries)} of {8 * a.promised_chunks} bytes"
    for q, chunk in enumerate(chunks[:len(entries) // 8]):
        state, crc = struct.unpack_from("<II", entries, 8 * q)
        kind, boot = state & 0xFF, state >> 8
        if kind > 3 or (kind >= 2) != (boot > 0) or kind == 0 and crc:
            yield f"damage: the entry of chunk {q} in {os.path.basename(path)} has the state {state:#x}"
        elif (kind == 1 or kind == 3 and boot == own) and crc32c(0, chunk.tobytes()) != crc and a.map.lives(q):
            a.wrong.append(q)


def assemble(a, elements, stride):
    """The chunks, `stride` elements apart in `elements`, put in their places."""
    whole = np.empty([B * c for B, c in zip(a.map.B, a.chunk)], elements.dtype)
    n = math.prod(a.chunk)
    for index in itertools.product(*map(range, a.map.first, a.map.end)):
        first = a.address(index) * stride
        place = tuple(slice((i - low) * c, (i - low + 1) * c)
                      for i, low, c in zip(index, a.map.first, a.chunk))
        whole[place] = elements[first:first + n].reshape(a.chunk, order=a.order)
    return whole
