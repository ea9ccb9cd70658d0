"""The log of an array: where its records end (2.3), and what they hold (2.2)."""
import os
import struct
from collections import namedtuple

import numpy as np

from checksum import crc32c
from read_errors import Unsupported, require
from read_type import TYPES

FIRST_TYPES = 12  # those of ATTRIBUTE
(GROW, INTENT, SYNC, ATTRIBUTE, ATTRIBUTE_DELETE, DIMENSION_NAME, STRIPES, MEMBER, ORIGIN, GROW_LOW, INTENT_LOW, TRIM,
 ADD_AXIS, ATTRIBUTE_LATER) = range(1, 15)
MAX_VALUES, MAX_RECORD = 64 << 20, (64 << 20) + 2048

Entry = namedtuple("Entry", "crc prev length kind argument sequence payload")


def ceil_to(n, multiple):
    return -(-n // multiple) * multiple


def valid_record(xmd, offset):
    """The record at `offset`, None when there is no valid one."""
    if offset + 24 > len(xmd):
        return None
    crc, prev, length, kind, *rest = struct.unpack_from("<IIIHHQ", xmd, offset)
    end = offset + length
    if not 24 <= length <= MAX_RECORD or length % 8 or end > len(xmd) or kind == 0:
        return None
    entry = Entry(crc, prev, length, kind, *rest, xmd[offset + 24:end])
    return entry if crc32c(prev, xmd[offset + 8:end]) == crc else None


def lost_write(xmd, start, end):
    """2.3: whether sectors that did not reach the disk explain a gap."""
    return not any(xmd[start:end]) or any(
        not any(xmd[at - 8:at]) for at in range(ceil_to(start + 8, 512), end + 1, 512))


def is_bitten(xmd, end, last, prev):
    """2.3: whether one wrong bit keeps the rest from being the last record, and no write that was cut short left it so."""
    size = len(xmd) - end
    if not 24 <= size <= 8192 or size % 8:
        return False
    _, its_prev, length, _, _, sequence = struct.unpack_from("<IIIHHQ", xmd, end)
    if sum(bin(wrong).count("1") for wrong in (its_prev ^ prev, length ^ size, sequence ^ (last + 1))) > 1:
        return False
    found = []
    for bit in range(8 * size):
        record = bytearray(xmd[end:])
        record[bit // 8] ^= 1 << bit % 8
        entry = valid_record(record, 0)
        if entry and (entry.length, entry.prev, entry.sequence) == (size, prev, last + 1):
            found.append(bit)
    if len(found) != 1:
        return False
    at, mask = end + found[0] // 8, 1 << found[0] % 8
    return at // 512 == end // 512 and (xmd[at] & mask != 0 or any(xmd[at + 1:ceil_to(at + 1, 512)]))


def tail_is_damage(xmd, end, last, prev, promise=SYNC):
    """2.3, for what follows the prefix that ends at `end` with sequence number `last` and CRC `prev`."""
    if is_bitten(xmd, end, last, prev):
        return True
    offset = gap = end
    while offset + 24 <= len(xmd):
        entry = valid_record(xmd, offset)
        if entry is None or not last < entry.sequence <= last + (offset - end) // 24 + 1:
            offset += 8
            continue
        if entry.kind == promise or offset == end or gap < offset and not lost_write(xmd, gap, offset):
            return True
        offset = gap = offset + entry.length
    return False


def read_name(payload, offset, length, least):
    name = payload[offset:offset + length]
    require(least <= length <= 1024 and 0 not in name, "an impossible name")
    return name.decode()


def read_padded_name(payload, least):
    length, = struct.unpack_from("<H", payload)
    name = read_name(payload, 8, length, least)
    require(len(payload) == 8 + ceil_to(length, 8), "a name has an impossible length")
    return name


def read_attribute(payload, later=False):
    """2.2: its name, and its value: a str, or an array."""
    kind, text, length, _, n = struct.unpack_from("<BBHIq", payload)
    if later and kind > FIRST_TYPES and kind not in TYPES:
        raise Unsupported(f"an attribute of type {kind}")
    require(kind in TYPES and later == (kind > FIRST_TYPES) and text <= 1 and not (text and kind != 5),
            "an attribute has an impossible type")
    dtype, name = np.dtype(TYPES[kind]), read_name(payload, 16, length, 1)
    start, size = 16 + ceil_to(length, 8), n * dtype.itemsize
    require(0 <= size <= MAX_VALUES and len(payload) == start + ceil_to(size, 8), "values of an impossible length")
    values = payload[start:start + size]
    require(not text or 0 not in values, "text with a zero byte")
    return name, values.decode() if text else np.frombuffer(values, dtype)


def read_stripes(payload, n):
    """9: the stem, and the folders."""
    require(1 <= n <= 128, "an impossible number of stripes")
    texts, at = [], 0
    for k in range(1 + n):
        length, = struct.unpack_from("<H", payload, at)
        text = payload[at + 2:at + 2 + length]
        require(1 <= length <= (4095 if k else 255) and len(text) == length and 0 not in text, "an impossible stripe")
        texts.append(os.fsdecode(text))
        at += 2 + length
    require(len(payload) == ceil_to(at, 8) and not any(payload[at:]), "stripes of an impossible length")
    require(texts[0].endswith(".xta") and len(texts[0]) > 4 and "/" not in texts[0], "an impossible name of stripes")
    return texts[0], texts[1:]
