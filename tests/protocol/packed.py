"""Compressed chunks: payloads, the table of their places, epochs (10). What Blosc does is left out: a closed payload is
a head, the elements and some bytes more.
"""
import struct
from collections import namedtuple
from zlib import crc32

from plain import WORD
from rules import Broken, on

ENTRY, HALF, HEAD = 64, 32, b"an open payload."
Half = namedtuple("Half", "epoch offset length open crc")
BAD = "a payload that was synced is not there"
Torn = namedtuple("Torn", "sum")  # a half with a wrong CRC: the sum of its epoch


def sum_of(epoch):
    return crc32(struct.pack("<I", epoch))


def encode_half(q, half):
    length = half.length | half.open << 31
    body = struct.pack("<2Iq2I4x", sum_of(half.epoch), half.epoch, half.offset, length, half.crc)
    return struct.pack("<I", crc32(body, crc32(struct.pack("<q", q)))) + body


def decode_half(q, data):
    if not any(data[:8]):
        return None
    crc, epoch_sum, epoch, offset, length, payload = struct.unpack("<3Iq2I4x", data)
    if crc != crc32(data[4:], crc32(struct.pack("<q", q))):
        return Torn(epoch_sum)
    return Half(epoch, offset, length & ~(1 << 31), length >> 31, payload)


def halves_of(q, entry, synced):
    """A half that a power cut has torn is None, as an empty one; another with a wrong CRC is Torn."""
    halves = [decode_half(q, entry[at:at + HALF]) for at in (0, HALF)]
    for i, half in enumerate(halves):
        if isinstance(half, Torn):
            other = halves[1 - i]
            good = other.epoch if isinstance(other, Half) else 0
            epoch = EPOCHS.get(half.sum, 0)  # 0: none that a writer may have written
            if on("torn_new") and epoch > synced or on("torn_old") and 0 < epoch < good:
                halves[i] = None
    return halves


def newest_first(halves):
    return sorted((h for h in halves if isinstance(h, Half)), key=lambda h: -h.epoch)


EPOCHS = {sum_of(epoch): epoch for epoch in range(1, 1 << 14)}


class Packed:
    def __init__(self, process, files):
        self.process = process
        self.data, self.table = files
        self.present = 0  # the epoch of what this process writes, when it is the only writer
        self.left = []  # (offset, epoch): where an open payload lay that no half names since this epoch

    # --- reading, 10.2

    def _entry(self, q, torn=False):
        """Without a lock, bytes of a change in progress."""
        if not torn:
            return (yield self.table.read(q * ENTRY, ENTRY)).ljust(ENTRY, b"\0")
        cut = self.process.rng.randrange(0, ENTRY, 8)
        begin = (yield self.table.read(q * ENTRY, cut)).ljust(cut, b"\0")
        return begin + (yield self.table.read(q * ENTRY + cut, ENTRY - cut)).ljust(ENTRY - cut, b"\0")

    def _payload(self, half):
        data = yield self.data.read(half.offset, half.length)
        return data if len(data) == half.length and crc32(data) == half.crc else None

    def read(self, variable, q, cell):
        while True:
            entry = yield from self._entry(q, torn=True)
            torn = any(isinstance(decode_half(q, entry[at:at + HALF]), Torn) for at in (0, HALF))
            if torn and on("entry_again") and (yield from self._entry(q, torn=True)) != entry:
                continue
            halves = halves_of(q, entry, variable.epoch)
            if any(isinstance(half, Torn) for half in halves):
                raise Broken("false damage: an entry")
            value, sure = yield from self._first_good(variable, halves, cell)
            if sure:
                return value
            again = yield from self._entry(q)
            if again == entry or not on("entry_after"):
                if value is BAD:
                    raise Broken("false damage: a payload that was synced")
                return value

    def _first_good(self, variable, halves, cell):
        """A cell by the newest half that counts, and whether that is sure although the entry may have changed."""
        lost = False
        for half in newest_first(halves):
            if half.open:
                data = yield self.data.read(half.offset + len(HEAD) + cell * WORD.size, WORD.size)
                return (WORD.unpack(data)[0] if len(data) == WORD.size else variable.fill), False
            payload = yield from self._payload(half)
            if payload:
                return WORD.unpack_from(payload, len(HEAD) + cell * WORD.size)[0], not lost
            if half.epoch <= variable.epoch:
                return BAD, False
            lost = True
        return variable.fill, not lost and not on("empty_again")

    # --- writing, 10.3

    def write(self, variable, q, cells, close=False):
        """Change cells of a chunk. False: the variable is gone."""
        process = self.process
        yield from self._lock(q)
        epoch = yield from self._synced(variable)  # those up to this one are durable
        if epoch is None:
            process.unlock(self.table, q)
            return False
        halves = halves_of(q, (yield from self._entry(q)), epoch)
        newest = (newest_first(halves) or [None])[0]
        if any(isinstance(half, Torn) for half in halves):
            raise Broken("false damage: an entry")
        if newest and newest.open and not close:
            for cell, value in cells.items():
                yield self.data.write(newest.offset + len(HEAD) + cell * WORD.size, WORD.pack(value))
        elif cells or newest and newest.open:
            yield from self._replace(variable, q, cells, halves, newest, epoch, close)
        process.unlock(self.table, q)
        return True

    def _replace(self, variable, q, cells, halves, newest, epoch, close):
        n = variable.cells * WORD.size
        content = bytearray(WORD.pack(variable.fill) * variable.cells)
        if newest:
            payload = yield self.data.read(newest.offset + len(HEAD), n)
            content[:len(payload)] = payload[:n]
        for cell, value in cells.items():
            content[cell * WORD.size:(cell + 1) * WORD.size] = WORD.pack(value)
        rng, opens = self.process.rng, not close and self.process.rng.random() < .4
        more = b"" if opens else rng.randbytes(rng.choice((0, 8, 20)))  # a codec makes payloads of all lengths
        payload = (HEAD if opens else b"a closed payload") + content + more
        ready = [left for left in self.left if left[1] <= epoch or not on("left_synced")]
        if not on("only_open_again") and newest:
            ready.append((newest.offset, 0))
        again = opens and ready and len(HEAD) + n
        if again:
            offset = ready[0][0]
            self.left = [left for left in self.left if left != ready[0]]
        else:
            offset = yield from self._new_place(len(payload))
        yield self.data.write(offset, payload)
        if opens and (again or variable.fill or any(halves)) and on("open_durable"):
            yield self.data.sync()
        slot = self._slot(halves, epoch)
        half = Half(epoch + 1, offset, len(payload), int(opens), 0 if opens else crc32(payload))
        yield self.table.write(q * ENTRY + slot * HALF, encode_half(q, half))
        old = halves[slot] if on("place_unnamed") else newest
        if isinstance(old, Half) and old.open:
            self.left.append((old.offset, half.epoch))

    def _slot(self, halves, epoch):
        """That of the half that is not durable, else of the older or empty one."""
        newest = max((0, 1), key=lambda i: halves[i].epoch if halves[i] else 0)
        lost = halves[newest] and halves[newest].epoch > epoch
        return newest if lost or not on("keep_durable") else 1 - newest

    def _new_place(self, n):
        yield from self.process.lock(self.data, "places", on("place_lock"))
        offset = yield -(-len(self.data) // 8) * 8
        yield self.data.resize(max(len(self.data), offset + n))
        self.process.unlock(self.data, "places")
        return offset

    def _lock(self, q):
        yield from self.process.lock(self.table, q, self.process.sharing and on("entry_lock"))

    def _synced(self, variable):
        if not self.process.sharing:
            return self.present - 1
        return (yield from self.process.last_epoch(variable))

    # --- making durable

    def sync(self, variable):
        yield self.data.sync()
        yield self.table.sync()

    def promise(self, variable):
        """The locks are held until the caller has appended the EPOCH."""
        if on("epoch_locks"):
            for q in range(variable.given):
                yield from self._lock(q)
        epoch = yield from self._synced(variable)
        if epoch is None:
            return None
        if on("payloads_first"):
            yield self.data.sync()
            yield self.table.sync()
        else:
            yield self.table.sync()
        self.present = epoch + 2
        return epoch + 1

    def recover(self, variable, live):
        """As promise, when the store is opened: what a power cut left is cleared first."""
        highest, end = variable.epoch, 0
        for q in range(variable.given):
            yield from self._lock(q)
            entry = yield from self._entry(q)
            for slot, half in enumerate(halves_of(q, entry, variable.epoch)):
                if isinstance(half, Half):
                    end = max(end, half.offset + half.length)
                if q not in live:  # entries of chunks that a TRIM has freed may be torn, as they are emptied
                    continue
                if isinstance(half, Torn):
                    raise Broken("false damage: an entry")
                if half and half.epoch > variable.epoch:
                    highest = max(highest, half.epoch)
                    if half.open:
                        yield self.data.write(half.offset, HEAD)
                    elif on("empty_lost") and not (yield from self._payload(half)):
                        half = None
                if half is None and any(entry[slot * HALF:(slot + 1) * HALF]):
                    yield self.table.write(q * ENTRY + slot * HALF, bytes(HALF))
        if end > len(self.data) and on("places_behind_all"):
            yield self.data.resize(end)
        yield from self.sync(variable)
        self.present = highest + 1
        return highest if highest > variable.epoch else None

    def add(self, variable, before):
        yield from ()

    def cut(self, variable):
        if len(self.table) > variable.given * ENTRY and on("table_cut"):
            yield self.table.resize(variable.given * ENTRY)

    def close(self, variable, q):
        yield from self.write(variable, q, {}, close=True)

    def free(self, variable, q):
        yield from self._lock(q)
        halves = halves_of(q, (yield from self._entry(q)), variable.epoch)
        yield self.table.write(q * ENTRY, bytes(ENTRY))
        for i, half in enumerate(newest_first(halves)):
            if on("place_unnamed") or i == 0 or not half.open:
                yield self.data.write(half.offset, bytes(half.length))
        self.process.unlock(self.table, q)

    def punch(self, variable, q):
        """Make a hole of the payload that a synced one has replaced, or, if it was open, leave its place to others."""
        yield from self._lock(q)
        epoch = yield from self._synced(variable)
        both = halves_of(q, (yield from self._entry(q)), epoch or 0)
        halves = newest_first(both)
        if epoch is not None and len(halves) == 2:
            newer, older = halves
            if older.open and (newer.epoch <= epoch or not on("left_synced")) and on("place_unnamed"):
                yield self.table.write(q * ENTRY + both.index(older) * HALF, bytes(8))
                self.left.append((older.offset, epoch + 1))
            elif not older.open and (newer.epoch <= epoch or not on("hole_after_sync")):
                yield self.data.write(older.offset, bytes(older.length))
        self.process.unlock(self.table, q)
