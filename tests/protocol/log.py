"""The log: records, the longest valid prefix, what counts of it, damage and torn tails (4, 5.1, 5.2)."""
import struct
from collections import namedtuple
from zlib import crc32

from rules import on

DIMENSION, VARIABLE, GROW, TRIM, RENAME, REMOVE = 2, 3, 5, 6, 8, 9
ATTRIBUTE, EPOCH, COMMIT, SYNC, BASE = 10, 12, 15, 16, 17
C = 1  # the flag of a record that ends a run
HEAD = b"head of the log."
WORDS = len(HEAD)  # `trims` and `replaced`; in the block of the log's first records, or in one of their own
LOG = WORDS + 16

Record = namedtuple("Record", "crc prev length kind flags number seq payload offset")
Log = namedtuple("Log", "state tail end damage")  # tail: the records of the prefix after its last C


def words(file):
    return struct.unpack("<2Q", file.read(WORDS, 16))


def crc_of(prev, offset, body):
    return crc32(body, crc32(struct.pack("<Q", offset), prev) if on("offset_in_crc") else prev)


def encode(kind, number, payload, flags, prev, seq, offset):
    payload += bytes(-len(payload) % 8)
    body = struct.pack("<IBBHQ", 24 + len(payload), kind, flags, number, seq) + payload
    return struct.pack("<2I", crc_of(prev, offset, body), prev) + body


def decode(buffer, offset):
    """The valid record at this offset, or None."""
    if offset + 24 > len(buffer):
        return None
    crc, prev, length, kind, flags, number, seq = struct.unpack_from("<3I2BHQ", buffer, offset)
    if length < 24 or length % 8 or offset + length > len(buffer) or kind == 0:
        return None
    body = bytes(buffer[offset + 8:offset + length])
    if crc_of(prev, offset, body) != crc:
        return None
    return Record(crc, prev, length, kind, flags, number, seq, body[16:], offset)


def follows(record, prev, seq):
    return record.prev == prev and (record.seq == seq + 1 or record.kind == BASE and seq == 0)


def read_log(buffer, state, counted, seen):
    """What the bytes say, read from `state` on; counted(state, run) is the state after a run that ends with C. seen: by
    offset, bytes that were decoded there, and the record; it only saves time."""
    offset, prev, seq, run = state.end, state.crc, state.seq, []
    while True:
        data, record = seen.get(offset, (b"", None))
        if not record or not buffer.startswith(data, offset):
            record = decode(buffer, offset)
            seen[offset] = record and bytes(buffer[offset:offset + record.length]), record
        if not record or not follows(record, prev, seq):
            break
        run.append(record)
        offset, prev, seq = offset + record.length, record.crc, record.seq
        if record.flags & C or not on("only_c_counts"):
            state, run = counted(state, run), []
    damage = False
    for at in range(offset, len(buffer) - 23, 8):
        record = decode(buffer, at)
        if record and record.seq > seq and (record.kind == SYNC or not on("only_sync_proves")):
            damage = True
            break
    return Log(state, run, offset, damage)
