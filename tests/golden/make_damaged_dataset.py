#!/usr/bin/python3
"""make_damaged_dataset.py DATASET FOLDER: make damaged datasets from the golden one, in FOLDER.

Each goes to a folder NAME; NAME.json says what is wrong with it, and what is expected:

    read, write  status of drx_dataset_open for reading, and for writing
    last         the last commit that counts
    report       "damage", "torn tail" or null
    u, u_write   status of the member u, opened and read whole as of the last commit, and opened by a writer
    check        exit status of `drx check`
"""
import json
import os
import struct
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from make_damaged import Log, attribute, name, read  # noqa: E402
from checksum import crc32c  # noqa: E402

GROW, MEMBER = 1, 8
DIMENSION, ADD, REMOVE, ATTR, ATTR_DELETE, COMMIT, ADD_AXIS = range(1, 8)
COMMITS = 1, 8, 10, 12  # records of dataset.xds
LAST = len(COMMITS) - 1
OK, MISMATCH, DAMAGED, UNSUPPORTED, FORMAT, NONE = (
    "DRX_" + word for word in ("OK", "EMISMATCH", "EDAMAGED", "EUNSUPPORTED", "EFORMAT", "ENOENT"))


def reseal(log):
    """Give all records the checksums of what they follow."""
    crc, = struct.unpack_from("<I", log.xmd, 8)
    for start, end in zip(log.at[1:], log.at[2:]):
        struct.pack_into("<I", log.xmd, start + 4, crc)
        crc = crc32c(crc, log.xmd[start + 8:end])
        struct.pack_into("<I", log.xmd, start, crc)
    return log.xmd


def dimension(lower, bound, name_):
    return struct.pack("<qq", lower, bound) + name(name_)


def addition(number, dims, name_):
    return number.to_bytes(16, "big") + struct.pack(f"<{len(dims)}I", *dims) + bytes(4 * len(dims) % 8) + name(name_)


def commit(number, changes=(), message=b"", end=0, counts=None):
    counts = counts or (len(changes), len(message))
    return struct.pack("<qqII", number, 10**15, *counts) + b"".join(
        struct.pack("<IIqq", dim, end, by, bound) for dim, by, bound in changes) + message + bytes(-len(message) % 8)


def impossible():
    """(name, what, kind, argument, payload) of a record that says what cannot be."""
    yield "dim_twice", "a dimension that there is already", DIMENSION, 0, dimension(0, 3, b"time")
    yield "dim_lower", "a dimension that begins behind its end", DIMENSION, 0, dimension(4, 3, b"z")
    yield "dim_far", "a dimension that begins too far from 0", DIMENSION, 0, dimension(-(1 << 62) - 1, 3, b"z")
    yield "dim_wide", "more indices than 63 bits count", DIMENSION, 0, dimension(-1, (1 << 63) - 1, b"z")
    yield "dim_negative", "a bound below zero", DIMENSION, 0, dimension(0, -1, b"z")
    yield "dim_nameless", "a dimension without a name", DIMENSION, 0, dimension(0, 3, b"")
    yield "dim_not_utf8", "a name that is not UTF-8", DIMENSION, 0, dimension(0, 3, b"\xc0\xaf")
    yield "dim_zero_byte", "a name with a zero byte", DIMENSION, 0, dimension(0, 3, b"a\0b")
    yield "dim_long", "a payload that is too long", DIMENSION, 0, dimension(0, 3, b"z") + bytes(8)
    yield "add_twice", "a name that a member has", ADD, 1, addition(9, (0,), b"u")
    yield "add_id_twice", "the id of another member", ADD, 1, addition(2, (0,), b"w")
    yield "add_removed_id", "the id of a removed member", ADD, 1, addition(3, (0,), b"w")
    yield "add_slash", "a name with a slash", ADD, 1, addition(9, (0,), b"w/w")
    yield "add_dot", "a name that begins with a dot", ADD, 1, addition(9, (0,), b".w")
    yield "add_long_name", "a name of 201 bytes", ADD, 1, addition(9, (0,), b"w" * 201)
    yield "add_no_dim", "a dimension that there is not", ADD, 1, addition(9, (2,), b"w")
    yield "add_33", "33 dimensions", ADD, 33, addition(9, (0,) * 33, b"w")
    yield "add_short", "fewer dimensions than it says", ADD, 3, addition(9, (0,), b"w")
    yield "remove_none", "the removal of a member that there is not", REMOVE, 0, struct.pack("<q", 3)
    yield "remove_dataset", "the removal of member -1", REMOVE, 0, struct.pack("<q", -1)
    yield "remove_twice", "the removal of a removed member", REMOVE, 0, struct.pack("<q", 1)
    yield "attr_none", "an attribute of a member that there is not", ATTR, 0, struct.pack("<q", 3) + attribute(5, 1, b"a", 0, b"")
    yield "attr_type", "an attribute of a type that there is not", ATTR, 0, struct.pack("<q", 0) + attribute(13, 0, b"a", 0, b"")
    yield "attr_zero_byte", "text with a zero byte", ATTR, 0, struct.pack("<q", -1) + attribute(5, 1, b"a", 1, b"\0")
    yield "attr_short", "fewer values than it says", ATTR, 0, struct.pack("<q", -1) + attribute(2, 0, b"a", 5, bytes(8))
    yield "delete_nameless", "no name of what to delete", ATTR_DELETE, 0, struct.pack("<q", -1) + name(b"")
    yield "axis_none", "an axis of a member that there is not", ADD_AXIS, 0, struct.pack("<qII", 3, 0, 0)
    yield "axis_removed", "an axis of a removed member", ADD_AXIS, 0, struct.pack("<qII", 1, 0, 0)
    yield "axis_no_dim", "an axis of a dimension that there is not", ADD_AXIS, 0, struct.pack("<qII", 0, 2, 0)
    yield "axis_wide", "an axis of a dimension with more indices", ADD_AXIS, 0, struct.pack("<qII", 0, 0, 0)
    yield "axis_long", "a payload that is too long", ADD_AXIS, 0, struct.pack("<qIIq", 0, 0, 0, 0)
    yield "commit_number", "a commit that is not the next one", COMMIT, 0, commit(5)
    yield "commit_no_dim", "a growth of a dimension that there is not", COMMIT, 0, commit(4, [(2, 1, 1)])
    yield "commit_by_0", "a growth by 0", COMMIT, 0, commit(4, [(0, 0, 3)])
    yield "commit_sum", "a bound that is not the sum", COMMIT, 0, commit(4, [(0, 1, 4), (0, 1, 4)])
    yield "commit_low_sum", "a lower bound that is not the difference", COMMIT, 0, commit(4, [(0, 1, 1)], end=1)
    yield "commit_end", "a growth at an end that there is not", COMMIT, 0, commit(4, [(0, 1, 4)], end=2)
    yield "commit_trim_first", "a growth after a trim", COMMIT, 0, commit(4, [(0, -1, 2), (0, 1, 3)])
    yield "commit_trim_all", "a trim of more than there is", COMMIT, 0, commit(4, [(0, -4, 4)], end=1)
    yield "commit_utf8", "a message that is not UTF-8", COMMIT, 0, commit(4, [], b"\xff")
    yield "commit_zero_byte", "a message with a zero byte", COMMIT, 0, commit(4, [], b"a\0b")
    yield "commit_long", "a message of 4097 bytes", COMMIT, 0, commit(4, [], b"a" * 4097)
    yield "commit_counts", "more growths than there are", COMMIT, 0, commit(4, counts=(0xFFFFFFFF, 0))


class Maker:
    def __init__(self, dataset, folder):
        self.folder = folder
        self.files = {file: read(dataset, file) for file in os.listdir(dataset)}
        self.xds, self.u = self.files["dataset.xds"], self.files["u.xmd"]

    def make(self, path, what, files, **expected):
        """Its files are the golden ones, but for those given; None: not there."""
        os.makedirs(os.path.join(self.folder, path))
        for file, data in {**self.files, **files}.items():
            if data is not None:
                with open(os.path.join(self.folder, path, file), "wb") as out:
                    out.write(data)
        expected = {"read": OK, "last": LAST, "report": None, "u": OK, "write": OK, "u_write": OK, "check": 0, **expected}
        with open(os.path.join(self.folder, path + ".json"), "w", encoding="utf-8") as file:
            json.dump({"what": what, **expected}, file)
            file.write("\n")

    def dataset(self, path, what, xds, **expected):
        """Another dataset.xds. One that damage keeps from being read gives no member."""
        if expected.get("report") == "damage":
            expected = {"write": DAMAGED, "check": 1, **expected}
        self.make(path, what, {"dataset.xds": bytes(xds)}, **expected)

    def refused(self, path, what, xds, status):
        self.dataset(path, what, xds, read=status, write=status, check=1)

    def member(self, path, what, xmd, **expected):
        self.make(path, what, {"u.xmd": xmd and bytes(xmd)}, **expected)

    def descriptions(self):
        self.refused("magic", "wrong magic", b"\x88" + self.xds[1:], FORMAT)
        self.refused("array", "the log of an array", self.u, FORMAT)
        self.refused("empty", "no byte", b"", FORMAT)
        self.refused("short", "the description is cut short", self.xds[:47], DAMAGED)
        self.refused("description", "a bit of the description changed", Log(self.xds).flip(0, 33), DAMAGED)
        self.refused("length", "a description of another length", Log(self.xds).describe(12, b"\x38"), DAMAGED)
        self.refused("version", "major version 2", Log(self.xds).describe(16, b"\2"), UNSUPPORTED)
        self.refused("flags", "bits that no reader knows", Log(self.xds).describe(20, b"\1"), UNSUPPORTED)
        log = Log(self.xds)
        log.describe(18, b"\1")
        self.dataset("minor_version", "minor version 1", reseal(log))
        log.describe(47, b"\2")
        self.dataset("other_id", "the id of another dataset", reseal(log), u=MISMATCH, u_write=MISMATCH, check=1)

    def ends(self):
        """Cut off at every record, or in it; a bit changed in every record. The log of u is ahead then."""
        for record in range(1, len(Log(self.xds).at) - 1):
            last = sum(at < record for at in COMMITS) - 1
            if last < 0:
                self.refused(f"cut_{record}", "cut off before the first commit", Log(self.xds).cut(record), DAMAGED)
                self.refused(f"flip_{record}", "a bit of the first commit changed", Log(self.xds).flip(record, 30), DAMAGED)
                continue
            expected = {"last": last, "u": OK if last else NONE, "u_write": MISMATCH if last else NONE, "check": int(last > 0)}
            self.dataset(f"cut_{record}", f"cut off before record {record}", Log(self.xds).cut(record), **expected)
            self.dataset(f"torn_{record}", f"record {record} is cut short", Log(self.xds).cut(record, 28), report="torn tail",
                         **expected)
            self.dataset(f"zeros_{record}", f"zeros from record {record} on", Log(self.xds).cut(record) + bytes(99),
                         report="torn tail", **expected)
            expected.update(report="damage", check=1)
            self.dataset(f"flip_{record}", f"a bit of record {record} changed", Log(self.xds).flip(record, 30), **expected)
            self.dataset(f"move_{record}", f"record {record} is one of another chain", Log(self.xds).move(record),
                         **{**expected, "report": "damage", "check": 1})
        self.dataset("tail", "what a crash left", self.xds + b"what a crash left", report="torn tail")

    def records(self):
        """One more record, or some."""
        for path, what, kind, argument, payload in impossible():
            self.dataset(path, what, Log(self.xds).append(kind, argument, payload), report="damage")
        for path, what, records in (
                ("pending", "a transaction that was cut short", [(DIMENSION, 0, dimension(0, 3, b"z")),
                                                                 (ADD, 1, addition(9, (2,), b"w")),
                                                                 (ATTR_DELETE, 0, struct.pack("<q", -1) + name(b"title"))]),
                ("axis_scalar", "an axis of a scalar", [(DIMENSION, 0, dimension(0, 1, b"z")),
                                                        (ADD_AXIS, 0, struct.pack("<qII", 2, 2, 0)), (COMMIT, 0, commit(4))]),
                ("axis_scalar_behind", "an axis of a scalar behind the only one",
                 [(DIMENSION, 0, dimension(0, 1, b"z")), (ADD_AXIS, 1, struct.pack("<qII", 2, 2, 0)), (COMMIT, 0, commit(4))]),
                ("axis_behind", "an axis behind the last one", [(DIMENSION, 0, dimension(0, 1, b"z")),
                                                                (ADD_AXIS, 3, struct.pack("<qII", 0, 2, 0)),
                                                                (COMMIT, 0, commit(4))]),
                ("axis", "an axis that the log of u lacks", [(DIMENSION, 0, dimension(0, 1, b"z")),
                                                             (ADD_AXIS, 1, struct.pack("<qII", 0, 2, 0)),
                                                             (COMMIT, 0, commit(4))]),
                ("kind_200", "a record of a kind that may be passed over", [(200, 7, b"whatever"), (COMMIT, 0, commit(4))]),
                ("delete_none", "an attribute deleted that is not there", [(ATTR_DELETE, 0, struct.pack("<q", -1) + name(b"no")),
                                                                           (COMMIT, 0, commit(4))])):
            log = Log(self.xds)
            for record in records:
                log.append(*record)
            impossible_axis = path in ("axis_scalar_behind", "axis_behind")
            self.dataset(path, what, log.xmd, last=LAST + (records[-1][0] == COMMIT and not impossible_axis),
                         report="damage" if impossible_axis else None)
        self.refused("kind_100", "a record of an unknown kind", Log(self.xds).append(100, 0, b""), UNSUPPORTED)
        log = Log(self.xds)
        log.append(REMOVE, 0, struct.pack("<q", 2))
        self.dataset("same_name", "the name of a member that this transaction removes",
                     log.append(ADD, 0, addition(9, (), b"s")), report="damage")

    def members(self):
        wrong = {"u": MISMATCH, "u_write": MISMATCH, "check": 1}
        missing = {"u": NONE, "u_write": NONE, "check": 1}
        self.member("member_missing", "u has no files", None, **missing)
        self.make("member_no_data", "u has no data", {"u.xta": None}, **missing)
        self.make("member_short", "the data of u end before what is promised", {"u.xta": self.files["u.xta"][:5]}, u=DAMAGED,
                  u_write=DAMAGED, check=1)
        log = Log(self.u)
        log.describe(47, b"\x77")
        self.member("member_other", "another array", reseal(log), **wrong)
        self.member("member_swapped", "the log of another member", self.files["s.xmd"], **wrong)
        log = Log(self.u)
        self.member("member_foreign", "a member of another dataset", log.append(MEMBER, 0, bytes(16) + struct.pack("<q", 3)), **wrong)
        self.member("member_longer", "it has grown alone", Log(self.u).append(GROW, 0, struct.pack("<qq", 1, 4)),
                    u_write=MISMATCH, check=1)
        self.member("member_knows_more", "it names a later commit",
                    Log(self.u).append(MEMBER, 0, (1).to_bytes(16, "big") + struct.pack("<q", 4)), u_write=MISMATCH, check=1)
        log = Log(self.u)
        log.cut(log.records() - 1)
        log = Log(log.xmd)
        self.member("member_shorter", "it lacks a growth that it says it has",
                    log.append(MEMBER, 0, (1).to_bytes(16, "big") + struct.pack("<q", 3)), u=DAMAGED, u_write=MISMATCH, check=1)
        for record in range(1, log.records() + 2):
            self.member(f"member_lags_{record}", f"its log lacks record {record} and those after it", Log(self.u).cut(record))
        self.member("member_flipped", "a bit of its log changed", Log(self.u).flip(4, 30), u_write=DAMAGED, check=1)


def main(dataset, folder):
    maker = Maker(dataset, folder)
    maker.descriptions()
    maker.ends()
    maker.records()
    maker.members()


if __name__ == "__main__":
    main(*sys.argv[1:])
