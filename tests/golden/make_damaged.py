#!/usr/bin/python3
"""make_damaged.py VECTORS [FOLDER]: make damaged arrays from VECTORS/log, VECTORS/striped and VECTORS/packed_zstd, in
FOLDER (by default VECTORS/damaged).

Beside each array NAME goes NAME.json: the array it was made from; the number of records that still count; "torn tail",
"damage" or null for what is to be reported; "error" where it cannot be read at all; the boxes [at, count] whose
elements were not stored and read as fill, and those whose elements are lost.
"""
import json
import os
import struct
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "spec"))
from checksum import crc32c  # noqa: E402

GROW, SYNC, ATTRIBUTE, ATTRIBUTE_DELETE, DIMENSION_NAME, STRIPES = 1, 3, 4, 5, 6, 7
ORIGIN, GROW_LOW, TRIM, ADD_AXIS = 9, 10, 12, 13


class Log:
    """The metadata, and where its records begin; record 0 is the description."""

    def __init__(self, xmd):
        self.xmd = bytearray(xmd)
        self.at = [0, struct.unpack_from("<I", xmd, 12)[0]]
        while self.at[-1] < len(xmd):
            self.at.append(self.at[-1] + struct.unpack_from("<I", xmd, self.at[-1] + 8)[0])

    def records(self):
        return len(self.at) - 2

    def cut(self, record, keep=0):
        """Keep only so many bytes of the record, and nothing behind it."""
        del self.xmd[self.at[record] + keep:]
        return self.xmd

    def flip(self, record, byte):
        self.xmd[self.at[record] + byte] ^= 0x40
        return self.xmd

    def clear_last(self):
        """Of the last byte that is not 0, a bit that is 1 becomes 0."""
        last = max(at for at, byte in enumerate(self.xmd) if byte)
        self.xmd[last] &= self.xmd[last] - 1
        return self.xmd

    def zero(self, record):
        self.xmd[self.at[record]:self.at[record + 1]] = bytes(self.at[record + 1] - self.at[record])
        return self.xmd

    def describe(self, offset, value):
        """Change a field of the description, and its CRC accordingly."""
        self.xmd[offset:offset + len(value)] = value
        struct.pack_into("<I", self.xmd, 8, crc32c(0, self.xmd[12:self.at[1]]))
        return self.xmd

    def move(self, record):
        """Let the record be a valid one that follows another than the one before it."""
        start, end = self.at[record], self.at[record + 1]
        struct.pack_into("<I", self.xmd, start + 4, 12345)
        struct.pack_into("<I", self.xmd, start, crc32c(12345, self.xmd[start + 8:end]))
        return self.xmd

    def append(self, kind, argument, payload):
        prev, = struct.unpack_from("<I", self.xmd, self.at[-2])
        body = struct.pack("<IHHQ", 24 + len(payload), kind, argument, self.records() + 1) + payload
        self.xmd += struct.pack("<II", crc32c(prev, body), prev) + body
        self.at.append(len(self.xmd))
        return self.xmd


def name(text):
    return struct.pack("<H6x", len(text)) + text + bytes(-len(text) % 8)


def attribute(kind, is_text, name_, n, values):
    return struct.pack("<BBHIq", kind, is_text, len(name_), 0, n) + name_ + bytes(-len(name_) % 8) + \
        values + bytes(-len(values) % 8)


def texts(*words):
    joined = b"".join(struct.pack("<H", len(word)) + word for word in words)
    return joined + bytes(-len(joined) % 8)


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def store(folder, name, source, what, files, records, report=None, error=None, unstored=(), lost=(), **more):
    """Write the files of an array, as far as it has them, and its JSON."""
    for path, data in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        if data is not None:
            with open(os.path.join(folder, path), "wb") as file:
                file.write(data)
    state = {"error": error} if error else {"records": records, "report": report, "unstored": unstored, "lost": lost,
                                            **more}
    with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
        json.dump({"what": what, "from": source, **state}, file)
        file.write("\n")


def damage_stripes(vectors, folder):
    """From `striped`: each array with folders of its own, which its log has to name, for the stem does not change."""
    xmd = read(vectors, "striped.xmd")
    stem = "striped.0123456789abcdeffedcba9876543210.xta"
    stripes = [read(vectors, f"disk{k}", f"{stem}.{k}") for k in range(3)]

    def make(path, what, new=tuple(stripes), **state):
        own = [f"{path}/disk{k}" for k in range(3)]
        log = Log(xmd)
        log.append(STRIPES, 3, texts(stem.encode(), *(name.encode() for name in own)))
        files = {path + ".xmd": log.xmd, **{f"{own[k]}/{stem}.{k}": data for k, data in enumerate(new)}}
        store(folder, path, "striped", what, files, log.records(), **state)

    make("stripes_moved", "folders given anew at the end of the log")
    make("stripe_missing", "a stripe is not there", new=[stripes[0], None, stripes[2]], error="DRX_ENOENT")
    # Chunks 0 to 8 were promised by the last SYNC: three in each stripe, 8 bytes and 8 of padding.
    make("stripe_short", "a stripe ends in its first chunk, before what the last SYNC promised",
         new=[stripes[0], stripes[1][:3], stripes[2]], report="damage",
         lost=[[[0, 3], [1, 1]], [[1, 2], [1, 2]], [[4, 0], [2, 2]], [[2, 4], [2, 1]]], unstored=[[[6, 2], [3, 2]]])
    make("stripe_short_unsynced", "stripes end behind what was promised, one of them in an element",
         new=[stripes[0][:51], stripes[1][:48], stripes[2]],
         unstored=[[[6, 1], [1, 1]], [[7, 0], [2, 2]], [[6, 2], [3, 2]]])


def damage_trims(vectors, folder):
    """From `trims`: whose indices are 0 to 5 and 1 to 6 at the end. Record 9 is its last SYNC, 17 an INTENT LOW."""
    xmd, xta = read(vectors, "trims.xmd"), read(vectors, "trims.xta")

    def make(path, what, new_xmd, count=Log(xmd).records(), **state):
        store(folder, path, "trims", what, {path + ".xmd": new_xmd, path + ".xta": xta}, count, past=True, **state)

    make("intent_low", "a prepend that was not completed: its data are there, outside the bounds", Log(xmd).cut(18),
         count=17)
    make("torn_low", "its GROW LOW is cut short", Log(xmd).cut(18, 28), count=17, report="torn tail")
    for path, what, kind, argument, payload in (
            ("bad_low", "a GROW LOW to a bound that is not the difference", GROW_LOW, 0, struct.pack("<qq", 1, 1)),
            ("bad_trim", "a TRIM that moves a bound outwards", TRIM, 0, struct.pack("<qq", -2, 4)),
            ("bad_trim_order", "a TRIM to bounds in the wrong order", TRIM, 0, struct.pack("<qq", 3, 2)),
            ("bad_trim_axis", "a TRIM of an axis that is none", TRIM, 2, struct.pack("<qq", 0, 0)),
            ("bad_new_axis", "a new axis in a place that is none", ADD_AXIS, 3, name(b"z")),
            ("late_origin", "an ORIGIN that is not the first record", ORIGIN, 0, struct.pack("<qq", 1, 1))):
        make(path, what, Log(xmd).append(kind, argument, payload), report="damage")


def damage_packed(vectors, folder):
    """From `packed_zstd`: chunk 0 has two payloads, of which the last is not synced; so has chunk 1, both synced."""
    xmd, xtz, xct = (read(vectors, "packed_zstd" + suffix) for suffix in (".xmd", ".xtz", ".xct"))

    def half_of(q, newest):
        """(where it is in the table, offset of its payload, length)"""
        both = [(64 * q + at, *struct.unpack_from("<IqI", xct, 64 * q + at + 12)) for at in (0, 32)]
        at, _, offset, length = sorted(both, key=lambda half: half[1])[1 if newest else 0]
        return at, offset, length

    def changed(data, at, value):
        return data[:at] + bytes(value) + data[at + len(value):]

    def make(path, what, new_xtz=xtz, new_xct=xct, **state):
        files = {path + ".xmd": xmd, path + ".xtz": new_xtz, path + ".xct": new_xct}
        store(folder, path, "packed_zstd", what, files, Log(xmd).records(), **state)

    at, offset, length = half_of(1, True)
    make("packed_payload", "a byte of a synced payload changed", changed(xtz, offset + 40, [xtz[offset + 40] ^ 1]),
         wrong=[1])
    make("packed_length", "the length of a synced payload, and its entry, are wrong",
         new_xct=changed(xct, at + 24, [1, 0]), lost=[[[0, 16], [8, 16]]])
    make("packed_superseded", "a byte of a payload changed that another has replaced",
         changed(xtz, half_of(1, False)[1] + 40, [xtz[half_of(1, False)[1] + 40] ^ 1]))
    at, offset, length = half_of(0, True)
    make("packed_unsynced", "the last payload did not reach the disk", changed(xtz, offset, bytes(length)), without=1)
    make("packed_unsynced_entry", "the last entry did not reach the disk", new_xct=changed(xct, at, bytes(32)),
         without=1)
    make("packed_torn_entry", "half of the last entry did not reach the disk",
         new_xct=changed(xct, at + 16, bytes(16)), without=1)
    make("packed_long", "more payloads and entries than there are", xtz + bytes(100),
         xct + bytes(64) + b"what a crash left")


def main(vectors, folder):
    xmd, xta = read(vectors, "log.xmd"), read(vectors, "log.xta")

    def make(path, what, new_xmd=xmd, new_xta=xta, count=Log(xmd).records(), **state):
        store(folder, path, "log", what, {path + ".xmd": new_xmd, path + ".xta": new_xta}, count, **state)

    # Records 2 and 6 are SYNCs; 7 to 12 were never synced; 9 and 11 are INTENTs, 10 and 12 the GROWs they announce.
    make("torn", "the last record is cut short", Log(xmd).cut(12, 28), count=11, report="torn tail")
    make("torn_zeros", "only zeros of the last records", Log(xmd).cut(11) + bytes(100), count=10, report="torn tail")
    make("lost_page", "zeros in place of a record, behind the last SYNC", Log(xmd).zero(8), count=7, report="torn tail")
    make("lost_page_synced", "zeros in place of a record, and a SYNC follows", Log(xmd).zero(4), count=3,
         report="damage")
    make("flipped", "a byte changed, and a SYNC follows", Log(xmd).flip(4, 33), count=3, report="damage")
    make("flipped_late", "a byte changed behind the last SYNC", Log(xmd).flip(8, 33), count=7, report="damage")
    make("bitten", "a bit of the last record changed", Log(xmd).flip(12, 33), count=11, report="damage")
    make("bitten_zeros", "a bit of the last record became 0, and only zeros follow", Log(xmd).clear_last(), count=11,
         report="torn tail")
    make("moved", "a valid record of another chain", Log(xmd).move(9), count=8, report="damage")
    make("intent", "an append that was not completed: its data are there, outside the bounds", Log(xmd).cut(12),
         count=11)

    make("magic", "wrong magic", b"\x88" + xmd[1:], error="DRX_EFORMAT")
    make("empty", "no byte of metadata", b"", error="DRX_EFORMAT")
    make("version", "major version 3", Log(xmd).describe(16, b"\3"), error="DRX_EUNSUPPORTED")
    make("minor_version", "minor version 1, of which nothing need be known", xmd_of_minor_version(xmd), count=0)
    make("flags", "a flag that no reader knows", Log(xmd).describe(24, b"\x40"), error="DRX_EUNSUPPORTED")
    make("codec", "a codec that no reader knows", Log(xmd).describe(24, b"\x08\0\0\0\x09\x05\x02\0"),
         error="DRX_EUNSUPPORTED")
    make("codec_and_checksums", "two flags that exclude each other", Log(xmd).describe(24, b"\x09\0\0\0\1\5\2\0"),
         error="DRX_EUNSUPPORTED")
    make("payloads_missing", "no .xtz", Log(xmd).describe(24, b"\x08\0\0\0\1\5\2\0"), error="DRX_ENOENT")
    make("checksums_missing", "no .xcs", Log(xmd).describe(24, b"\1"), error="DRX_ENOENT")
    make("type", "an element type that there is not", Log(xmd).describe(21, b"\xc8"), error="DRX_EUNSUPPORTED")
    make("description", "a byte of the description changed", Log(xmd).flip(0, 80), error="DRX_EDAMAGED")
    make("description_short", "the description is cut short", xmd[:90], error="DRX_EDAMAGED")

    make("kind_100", "a record of an unknown kind", Log(xmd).append(100, 0, b""), error="DRX_EUNSUPPORTED")
    make("kind_200", "a record of an unknown kind that may be passed over", Log(xmd).append(200, 7, b"whatever"),
         count=13)
    for path, what, kind, argument, payload in (
            ("bad_sync", "a SYNC of another number of chunks", SYNC, 0, struct.pack("<q", 6)),
            ("bad_bound", "a GROW to a bound that is not the sum", GROW, 0, struct.pack("<qq", 1, 13)),
            ("bad_growth", "a GROW by less than 1", GROW, 0, struct.pack("<qq", -1, 10)),
            ("bad_axis", "a GROW of an axis that is none", GROW, 2, struct.pack("<qq", 1, 1)),
            ("bad_length", "a GROW with a payload too long", GROW, 0, struct.pack("<qqq", 1, 12, 0)),
            ("bad_name", "a name that is not UTF-8", DIMENSION_NAME, 0, name(b"\xed\xa0\x80")),
            ("bad_attribute", "an attribute of fewer values than it says", ATTRIBUTE, 0,
             attribute(2, 0, b"c", 5, bytes(8))),
            ("bad_text", "text that is not UTF-8", ATTRIBUTE, 0, attribute(5, 1, b"c", 2, b"\xff\xfe")),
            ("late_stripes", "stripes that are not the first record", STRIPES, 2, texts(b"log.xta", b"a", b"b")),
            ("bad_delete", "an attribute deleted that is not there", ATTRIBUTE_DELETE, 0, name(b"c"))):
        make(path, what, Log(xmd).append(kind, argument, payload), report="damage")

    # Chunks 0 to 5 were promised by the last SYNC; each has 8 bytes.
    make("short", "the data end in chunk 2, before what the last SYNC promised", new_xta=xta[:21], report="damage",
         lost=[[[3, 0], [1, 2]], [[2, 2], [2, 2]], [[4, 0], [2, 4]]],
         unstored=[[[6, 0], [5, 4]], [[0, 4], [11, 2]]])
    make("short_unsynced", "the data end in an element of chunk 7, behind what was promised", new_xta=xta[:61],
         unstored=[[[7, 2], [1, 2]], [[8, 0], [3, 4]], [[0, 4], [11, 2]]])
    make("long", "more data than chunks", new_xta=xta + b"what a crash left")
    make("no_data", "no .xta", new_xta=None, error="DRX_ENOENT")


def xmd_of_minor_version(xmd):
    """The description alone, for the first record holds its CRC."""
    log = Log(xmd)
    log.cut(1)
    return log.describe(18, b"\1")


if __name__ == "__main__":
    target = sys.argv[2] if len(sys.argv) > 2 else os.path.join(sys.argv[1], "damaged")
    main(sys.argv[1], target)
    damage_packed(sys.argv[1], target)
    damage_stripes(sys.argv[1], target)
    damage_trims(sys.argv[1], target)
