"""Damaged arrays, made of the golden ones: `log`, `striped`, `trims` and `packed_zstd`. main(GOLDEN, FOLDER) makes them in
FOLDER of the files in GOLDEN.

Beside each array NAME goes NAME.json: the array `from` which it was made; how many of its `actions` still count; `report`: "torn
tail", "damage" or null for what is to be reported; `write`, the status of opening for writing where no damage tells it; `error`
where it cannot be read at all; `lost`, the boxes [at, count] whose elements no file has any more. `past` is true where later
records made other bounds, so that the elements are those after the last record that counts.

What was done to a compressed array is damage of single chunks: `wrong` lists those that do not match their checksum, `lost`
the boxes of those whose entry does not. Of the actions, the last `without` ones did not reach the disk."""
import struct

from make_log import Log, attribute, read, stripes, text, write
from store import ATTRIBUTE, ATTRIBUTE_DELETE, AXIS, COMMIT, DIMENSION, EPOCH, GROW, RENAME, STRIPES, SYNC, TRIM, VARIABLE

LOG_SYNC = 8  # of the records of `log`, counted from 0: its last SYNC; 13 and 14 are an append
DONE = 14     # actions of `log`


def store(folder, name, source, what, files, report=None, error=None, **state):
    state = {"error": error} if error else {"report": report, **state}
    write(folder, name, files, {"what": what, "from": source, **state})


def grow(by, bound):
    return struct.pack("<qq", by, bound)


def damage_log(golden, folder):
    """Records 4 and 8 are SYNCs; 9 and 10 a GROW and an attribute, 11 and 12, 13 and 14 are appends."""
    xmd, xta = read(golden, "log.xmd"), read(golden, "log.xta")

    def make(path, what, log=None, new_xta=xta, actions=DONE, **state):
        data = bytes((log or Log(xmd)).data)
        store(folder, path, "log", what, {path + ".xmd": data, path + ".xta": new_xta}, actions=actions, **state)

    def log():
        return Log(xmd)

    torn, damage = dict(report="torn tail"), dict(report="damage")
    make("torn", "the last record is cut short", log().cut(14, 28), actions=13, **torn)
    make("torn_zeros", "only zeros of the last records", log().cut(13).append_raw(bytes(100)), actions=13, **torn)
    make("torn_head", "two bytes of a record", log().append_raw(b"\1\2"), **torn)
    make("lost_page", "zeros in place of a record, after the last SYNC", log().zero(9), actions=9, **torn)
    make("lost_page_synced", "zeros in place of a record, and a SYNC follows", log().zero(6), actions=4, **damage)
    make("flipped", "a byte changed, and a SYNC follows", log().flip(6, 33), actions=4, **damage)
    make("flipped_late", "a byte changed after the last SYNC", log().flip(10, 33), actions=10, **torn)
    make("flipped_first", "a byte of the first record changed", log().flip(0, 33), error="DRX_EDAMAGED")
    make("bitten", "a bit of the last record changed", log().flip(14, 33), actions=13, **torn)
    make("reserved_live", "the live words count what readers need not know", log().write(4096, b"\7" * 16))
    make("reserved_page", "nobody looks at the rest of their page", log().write(4112, b"\7" * 4080))

    make("moved", "a valid record of another chain", log().append(GROW, 1, grow(1, 12), prev=12345), **torn)
    make("skipped_number", "a valid record with the next number but one",
         log().append(GROW, 1, grow(1, 12), sequence=17), **torn)
    make("moved_sync", "a SYNC of a later record in another chain", log().append(SYNC, 0, bytes(8), sequence=17, prev=1),
         **damage)
    make("moved_sync_late", "the same, some bytes after the end",
         log().append_raw(bytes(64)).append_at_end(SYNC, 0, bytes(8), sequence=17, prev=1), **damage)
    make("moved_sync_odd", "not at a multiple of 8",
         log().append_raw(bytes(60)).append_at_end(SYNC, 0, bytes(8), sequence=17, prev=1), **torn)
    make("old_sync", "a SYNC of an earlier record", log().append(SYNC, 0, bytes(8), sequence=15, prev=1), **torn)
    make("open", "an append that was not completed: its data are there, outside the bounds", log().cut(14), actions=13)
    make("open_torn", "and what followed it is cut short", log().cut(14, 28), actions=13, **torn)
    make("open_other", "records of no run: names, a trim, an impossible growth",
         log().append(RENAME, 1, struct.pack("<B7x", 2) + text("q"), 0).append(TRIM, 2, grow(1, 2), 0)
         .append(GROW, 9, grow(0, 0), 0))
    make("open_kind", "a record of an unknown kind in an open transaction", log().append(100, 0, b"", 0),
         write="DRX_EUNSUPPORTED")
    make("open_flag", "an unknown flag there", log().append(GROW, 1, grow(1, 12), 4), write="DRX_EUNSUPPORTED")
    make("open_skipped", "a record that may be skipped there", log().append(200, 0, b"whatever", 0))

    make("magic", "wrong magic", log().write(0, b"\x88"), error="DRX_EFORMAT")
    make("magic_dataset", "the magic of a dataset", log().write(3, b"S"), error="DRX_EFORMAT")
    make("empty", "no byte", Log().cut_at(0), error="DRX_EFORMAT")
    make("version", "major version 3", Log(major=3).append_raw(xmd[8192:]), error="DRX_EUNSUPPORTED")
    make("head", "a byte of the head changed", log().write(40, b"\x77"), error="DRX_EDAMAGED")
    make("head_short", "the live words are cut short", log().cut_at(4111), error="DRX_EDAMAGED")
    make("head_alone", "no record", log().cut_at(8192), error="DRX_EDAMAGED")
    make("no_commit", "the VARIABLE is cut short", log().cut(2, 40), error="DRX_EDAMAGED")
    make("minor_version", "minor version 1, of which nothing need be known", log().head(minor=1))
    make("kind_of_store", "the kind of a dataset", log().head(kind=2), error="DRX_EUNSUPPORTED")

    def variable(at, value):
        return log().change(2, 24 + at, value)

    make("flags", "a flag that no reader knows", variable(5, b"\x40"), error="DRX_EUNSUPPORTED")
    make("codec", "a codec that no reader knows", variable(6, b"\x09\x05\x02"), error="DRX_EUNSUPPORTED")
    make("codec_and_checksums", "two that exclude each other", variable(5, b"\1\1\5\2"), error="DRX_EDAMAGED")
    make("payloads_missing", "no .xtz", variable(6, b"\1\5\2"), error="DRX_ENOENT")
    make("checksums_missing", "no .xcs", variable(5, b"\1"), error="DRX_ENOENT")
    make("type", "an element type that there is not", variable(12, b"\xc8"), error="DRX_EUNSUPPORTED")
    make("flag_of_record", "a flag of a record that no reader knows", log().change(10, 13, b"\3"), error="DRX_EUNSUPPORTED")
    make("reserved", "a reserved byte that is not 0", log().change(0, 26, b"\1"), error="DRX_EUNSUPPORTED")
    make("kind_100", "a record of an unknown kind", log().append(100, 0, b""), error="DRX_EUNSUPPORTED")
    make("kind_200", "a record of an unknown kind that may be skipped", log().append(200, 7, b"whatever"))
    make("what", "an attribute of a thing of an unknown kind",
         log().append(ATTRIBUTE, 1, attribute("c", 2, b"\1\2", what=5)), error="DRX_EUNSUPPORTED")

    for path, what, kind, number, payload in (
            ("bad_bound", "a GROW to a bound that is not the sum", GROW, 1, grow(1, 13)),
            ("bad_growth", "a GROW by nothing", GROW, 1, grow(0, 11)),
            ("bad_axis", "a GROW of a dimension that is not there", GROW, 3, grow(1, 1)),
            ("bad_length", "a GROW with a payload too long", GROW, 1, grow(1, 12) + bytes(8)),
            ("bad_short", "a GROW with a payload too short", GROW, 1, bytes(8)),
            ("bad_name", "a name that is not UTF-8", RENAME, 1, struct.pack("<B7x", 2) + text(b"\xed\xa0\x80")),
            ("bad_rename", "a RENAME of the variable", RENAME, 1, struct.pack("<B7x", 3) + text("v")),
            ("bad_attribute", "an attribute of fewer values than it says", ATTRIBUTE, 1, attribute("c", 2, bytes(6), (5,))),
            ("bad_text", "text that is not UTF-8", ATTRIBUTE, 1, attribute("c", 5, b"\xff\xfe", (2,), 1)),
            ("bad_stripes", "stripes of an array that has none", STRIPES, 1, stripes("log.xta", "a", "b")),
            ("bad_delete", "an attribute deleted that is not there", ATTRIBUTE_DELETE, 1, struct.pack("<B7x", 3) + text("c")),
            ("bad_epoch", "an EPOCH without a codec", EPOCH, 1, struct.pack("<II", 1, 0)),
            ("bad_commit", "a COMMIT with a number that is not the next", COMMIT, 0, struct.pack("<qqI", 5, 0, 0)),
            ("second_variable", "a second VARIABLE", VARIABLE, 2, xmd[Log(xmd).at[2] + 24:Log(xmd).at[3]]),
            ("lone_dimension", "a dimension of no axis", DIMENSION, 3, struct.pack("<H6xqq", 0, 0, 1) + text("z")),
            ("bad_trim", "a TRIM that moves a bound outwards", TRIM, 1, grow(-2, 4)),
            ("bad_trim_order", "a TRIM to bounds in the wrong order", TRIM, 1, grow(3, 2)),
            ("bad_new_axis", "an AXIS of a dimension that is an axis", AXIS, 1, struct.pack("<HH", 0, 1))):
        make(path, what, log().append(kind, number, payload), **damage)
    make("late_axis", "an AXIS in a place that is none",
         log().append(DIMENSION, 3, struct.pack("<H6xqq", 0, 0, 1) + text("z"), 0).append(AXIS, 1, struct.pack("<HH", 3, 3)),
         **damage)
    make("sync_alone", "a SYNC that ends no run", log().append(SYNC, 0, bytes(8), 0).append(RENAME, 1, struct.pack(
        "<B7x", 2) + text("q")), **damage)
    make("sync_beside", "a SYNC beside a change", log().append(GROW, 1, grow(1, 12), 0).append(SYNC, 0, bytes(8)), **damage)
    make("grow_after_trim", "a GROW in the run of a TRIM of its dimension",
         log().append(TRIM, 1, grow(0, 10), 0).append(GROW, 1, grow(1, 11)), **damage)
    make("two_runs", "a good run before one that cannot be",
         log().append(200, 0, b"").append(GROW, 1, grow(1, 13)).append(SYNC, 0, bytes(8)), **damage)

    # The fill is not zeros: all 18 chunks, each of 8 bytes, are promised.
    make("short", "the data end in chunk 2", new_xta=xta[:21],
         lost=[[[0, 4], [11, 2]], [[2, 2], [9, 2]], [[3, 0], [8, 2]]], **damage)
    make("short_element", "the data end in the last element of the last chunk, outside the bounds", new_xta=xta[:-1],
         **damage)
    make("long", "more data than chunks", new_xta=xta + b"what a crash left")
    make("no_data", "no .xta", new_xta=None, error="DRX_ENOENT")


def damage_stripes(golden, folder):
    """From `striped`: 15 chunks of 8 bytes and 8 of padding, whose fill is not zeros; each with folders of its own."""
    stem = "striped.0123456789abcdeffedcba9876543210.xta"
    parts = [read(golden, f"disk{k}", f"{stem}.{k}") for k in range(3)]

    def make(path, what, new=tuple(parts), log=None, **state):
        own = [f"{path}/disk{k}" for k in range(3)]
        log = log or Log(read(golden, "striped.xmd")).append(STRIPES, 1, stripes(stem, *own))
        files = {path + ".xmd": log.data, **{f"{own[k]}/{stem}.{k}": data for k, data in enumerate(new)}}
        store(folder, path, "striped", what, files, actions=state.pop("actions", 7), **state)

    make("stripes_moved", "folders given again at the end of the log")
    make("stripe_missing", "a stripe is not there", new=[parts[0], None, parts[2]], error="DRX_ENOENT")
    make("stripe_short", "a stripe ends in its first chunk", new=[parts[0], parts[1][:3], parts[2]], report="damage",
         lost=[[[0, 3], [1, 1]], [[1, 2], [1, 2]], [[4, 0], [2, 2]], [[2, 4], [2, 1]], [[6, 2], [3, 2]]])
    make("stripe_unpadded", "the padding of the last chunk of a stripe is not there: its elements are", report="damage",
         new=[parts[0], parts[1], parts[2][:-1]])
    log = Log(read(golden, "striped.xmd"))
    for path, what, payload in (
            ("stripes_other_stem", "another stem than before", stripes("s.xta", "a", "b", "c")),
            ("stripes_fewer", "fewer folders than before", stripes(stem, "a", "b")),
            ("stripes_none", "no folder", stripes(stem)),
            ("stripes_nul", "a folder with a NUL", stripes(stem, "a", "b\0", "c"))):
        own = Log(read(golden, "striped.xmd")).append(STRIPES, 1, stripes(stem, *[f"{path}/disk{k}" for k in range(3)]))
        make(path, what, log=own.append(STRIPES, 1, payload), report="damage")
    make("stripes_later", "the record after VARIABLE is another", error="DRX_EDAMAGED",
         log=log.cut_at(log.at[3]).again().append(200, 0, b"", 0).append(RENAME, 1, struct.pack("<B7x", 2) + text("x"), 0)
         .append(STRIPES, 1, stripes(stem, "a", "b", "c")))


def damage_trims(golden, folder):
    """From `trims`: the last append, records 19 and 20, is at the low end."""
    xmd, xta = read(golden, "trims.xmd"), read(golden, "trims.xta")
    for path, what, log, state in (
            ("open_low", "a prepend that was not completed: its data are there, outside the bounds", Log(xmd).cut(20), {}),
            ("torn_low", "its COMMIT is cut short", Log(xmd).cut(20, 28), dict(report="torn tail"))):
        store(folder, path, "trims", what, {path + ".xmd": log.data, path + ".xta": xta}, actions=14, past=True,
              **state)


def damage_packed(golden, folder):
    """From `packed_zstd`: chunk 0 has two payloads, of which the last is not synced; so has chunk 1, both synced."""
    xmd, xtz, xct = (read(golden, "packed_zstd" + suffix) for suffix in (".xmd", ".xtz", ".xct"))

    def half_of(q, newest):
        """(where it is in the table, offset of its payload, length)"""
        both = [(64 * q + at, *struct.unpack_from("<I4xqI", xct, 64 * q + at + 8)) for at in (0, 32)]
        at, _, offset, length = sorted(both, key=lambda half: half[1])[1 if newest else 0]
        return at, offset, length

    def changed(data, at, value):
        return data[:at] + bytes(value) + data[at + len(value):]

    def make(path, what, new_xtz=xtz, new_xct=xct, actions=6, **state):
        files = {path + ".xmd": xmd, path + ".xtz": new_xtz, path + ".xct": new_xct}
        store(folder, path, "packed_zstd", what, files, actions=actions, **state)

    at, offset, length = half_of(1, True)
    make("packed_payload", "a byte of a synced payload changed", changed(xtz, offset + 40, [xtz[offset + 40] ^ 1]),
         wrong=[1])
    make("packed_length", "the length of a synced payload, and its entry, are wrong",
         new_xct=changed(xct, at + 24, [1, 0]), lost=[[[0, 16], [8, 16]]])
    make("packed_superseded", "a byte of a payload changed that another has replaced",
         changed(xtz, half_of(1, False)[1] + 40, [xtz[half_of(1, False)[1] + 40] ^ 1]))
    make("packed_superseded_entry", "the half changed that another has replaced, which has a later epoch",
         new_xct=changed(xct, half_of(1, False)[0] + 24, [1, 0]))
    at, offset, length = half_of(0, True)
    make("packed_unsynced", "the last payload did not reach the disk", changed(xtz, offset, bytes(length)), actions=5,
         without=1)
    make("packed_unsynced_entry", "the last entry did not reach the disk", new_xct=changed(xct, at, bytes(32)), actions=5,
         without=1)
    make("packed_torn_entry", "half of the last entry did not reach the disk", new_xct=changed(xct, at + 16, bytes(16)),
         actions=5, without=1)
    make("packed_long", "more payloads and entries than there are", xtz + bytes(100),
         xct + bytes(64) + b"what a crash left")
    make("packed_short", "the table ends in its last entry", new_xct=xct[:-33], lost=[[[16, 16], [8, 16]]], report="damage")


def main(golden, folder):
    for damage in damage_log, damage_stripes, damage_trims, damage_packed:
        damage(golden, folder)
