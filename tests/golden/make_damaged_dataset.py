"""Damaged datasets, made of the golden one (make_dataset.c): main(DATASET, FOLDER) makes them in FOLDER.

Each goes to a folder NAME; NAME.json says what is wrong with it, and what is expected:

    read, write  status of drx_dataset_open for reading, and for writing
    last         the last commit that counts
    log          clean, open, torn or damaged
    check        status of drx_dataset_check
    wrong        variables that cannot be read whole: {name: [status of reading, of opening by a writer]}
    gone         files that the next writer removes
"""
import os
import struct

from make_log import Log, attribute, dimension, read, text, variable, write
from store import (ATTRIBUTE, ATTRIBUTE_DELETE, AXIS, BASE, C, COMMIT, DIMENSION, EPOCH, GROUP, GROW, REMOVE, RENAME,
                      SOURCE, STRIPES, SYNC, TRIM, TYPE, VARIABLE)

OK, CHECKSUM, DAMAGED, UNSUPPORTED, FORMAT, NONE = (
    "DRX_" + word for word in ("OK", "ECHECKSUM", "EDAMAGED", "EUNSUPPORTED", "EFORMAT", "ENOENT"))
LAST = 7                          # the last commit
TIME, X, RUN = 1, 2, 3            # dimensions: 2 to 5, -1 to 2, 0 to 2
U, SUMS, PACKED, AGAIN = 1, 2, 3, 10  # variables; 8 and 9 are removed
ZSTD = dict(codec=1, level=1, shuffle=1)


def commit(number, message=b""):
    return COMMIT, 0, struct.pack("<qqI", number, 10**15, len(message)) + message, C


def grow(number, by, bound):
    return GROW, number, struct.pack("<qq", by, bound), 0


def trim(number, lower, upper):
    return TRIM, number, struct.pack("<qq", lower, upper), 0


def made(number, dims, chunk, name, stem=None, group=0, **values):
    return VARIABLE, number, variable(group, dims, chunk, name, stem or name, **values), 0


def what(kind):
    return struct.pack("<B7x", kind)


def impossible():
    """(name, what, kind, number, payload) of a record that says what cannot be."""
    yield "dim_number", "not the next number", DIMENSION, 5, dimension(0, 3, "z")
    yield "dim_bounds", "a dimension that begins behind its end", DIMENSION, 4, dimension(4, 3, "z")
    yield "dim_far", "a dimension that begins too far from 0", DIMENSION, 4, dimension(-(1 << 63), 3, "z")
    yield "dim_wide", "more indices than 63 bits count", DIMENSION, 4, dimension(-1, (1 << 63) - 1, "z")
    yield "dim_nameless", "a dimension without a name", DIMENSION, 4, dimension(0, 3)
    yield "dim_not_utf8", "a name that is not UTF-8", DIMENSION, 4, dimension(0, 3, b"\xc0\xaf")
    yield "dim_zero_byte", "a name with a zero byte", DIMENSION, 4, dimension(0, 3, b"a\0b")
    yield "dim_slash", "a name with a slash", DIMENSION, 4, dimension(0, 3, "a/b")
    yield "dim_twice", "a dimension that there is already", DIMENSION, 4, dimension(0, 3, "time")
    yield "dim_group", "a dimension of a group that there is not", DIMENSION, 4, dimension(0, 3, "z", group=1)
    yield "dim_long", "a payload that is too long", DIMENSION, 4, dimension(0, 3, "z") + bytes(8)
    yield "var_twice", "a name that a variable has", VARIABLE, 11, variable(0, [TIME], [2], "u", "w")
    yield "var_stem", "the stem of a variable", VARIABLE, 11, variable(0, [TIME], [2], "w", "u")
    yield "var_old_stem", "the stem of a removed variable", VARIABLE, 11, variable(0, [TIME], [2], "w", "gone")
    yield "var_old_number", "the number of a removed variable", VARIABLE, 8, variable(0, [TIME], [2], "w", "w")
    yield "var_slash", "a stem with a slash", VARIABLE, 11, variable(0, [TIME], [2], "w", "w/w")
    yield "var_dot", "a stem that begins with a dot", VARIABLE, 11, variable(0, [TIME], [2], "w", ".w")
    yield "var_no_stem", "a variable without a stem", VARIABLE, 11, variable(0, [TIME], [2], "w", "")
    yield "var_long_stem", "a stem of 241 bytes", VARIABLE, 11, variable(0, [TIME], [2], "w", "w" * 241)
    yield "var_long_name", "a name of 201 bytes", VARIABLE, 11, variable(0, [TIME], [2], "w" * 201, "w")
    yield "var_no_dim", "a dimension that there is not", VARIABLE, 11, variable(0, [4], [2], "w", "w")
    yield "var_33", "33 dimensions", VARIABLE, 11, variable(0, [TIME] * 33, [2] * 33, "w", "w")
    yield "var_chunk", "a chunk without elements", VARIABLE, 11, variable(0, [TIME], [0], "w", "w")
    yield "var_large", "a chunk of too many bytes", VARIABLE, 11, variable(0, [TIME], [1 << 62], "w", "w")
    yield "var_stripes", "stripes in a dataset", VARIABLE, 11, variable(0, [TIME], [2], "w", "w", flags=2)
    yield "var_sums", "a codec with checksums", VARIABLE, 11, variable(0, [TIME], [2], "w", "w", flags=1, **ZSTD)
    yield "var_level", "a level without a codec", VARIABLE, 11, variable(0, [TIME], [2], "w", "w", level=1)
    yield "var_align", "an align of three", VARIABLE, 11, variable(0, [TIME], [2], "w", "w", align=3)
    yield "var_z", "Z order of three chunks", VARIABLE, 11, variable(0, [TIME], [1], "w", "w", initial=2)
    yield "var_fill", "a fill of another size", VARIABLE, 11, variable(0, [TIME], [2], "w", "w", fill=b"abc")
    yield "var_null", "a null variable with checksums", VARIABLE, 11, variable(0, [], [], "w", "w", n=255, flags=1)
    yield "var_null_codec", "one with a codec", VARIABLE, 11, variable(0, [], [], "w", "w", n=255, **ZSTD)
    yield "type_none", "a type that there is not", VARIABLE, 11, variable(0, [TIME], [2], "w", "w", type=259)
    yield "type_long", "a string of more bytes than it may have", TYPE, 3, struct.pack("<HHB3xI", 0, 0, 1, 4097)
    yield "type_empty", "a string of no bytes", TYPE, 3, struct.pack("<HHB3xI", 0, 0, 1, 0)
    yield "type_enum", "an enum of another size", TYPE, 3, struct.pack("<HHB3xIII", 0, 0, 3, 2, 5, 0)
    yield "type_field", "a field outside", TYPE, 3, struct.pack("<HHB3xIIIIB3x", 0, 0, 4, 4, 1, 2, 3, 0) + text("f")
    yield "type_texts", "texts of some bytes", TYPE, 3, struct.pack("<HHB3xI", 0, 0, 7, 8)
    yield "group_slash", "a name with a slash", GROUP, 1, struct.pack("<H", 0) + text("a/b") + text("ab")
    yield "group_name", "a group of the name of a variable", GROUP, 1, struct.pack("<H", 0) + text("u") + text("g")
    yield "group_folder", "a folder that is above it", GROUP, 1, struct.pack("<H", 0) + text("g") + text("..")
    yield "group_file", "a folder like a file", GROUP, 1, struct.pack("<H", 0) + text("g") + text("g.xta")
    yield "grow_none", "a growth by nothing", GROW, TIME, struct.pack("<qq", 0, 5)
    yield "grow_sum", "a bound that is not the sum", GROW, TIME, struct.pack("<qq", 1, 5)
    yield "grow_low_sum", "a lower bound that is not the difference", GROW, X, struct.pack("<qq", -1, -1)
    yield "grow_no_dim", "a growth of a dimension that there is not", GROW, 4, struct.pack("<qq", 1, 1)
    yield "grow_far", "more chunks than there are offsets", GROW, TIME, struct.pack("<qq", 1 << 61, (1 << 61) + 5)
    yield "grow_wide", "bounds too far apart", GROW, X, struct.pack("<qq", (1 << 63) - 3, (1 << 63) - 1)
    yield "trim_outside", "a trim that moves a bound outwards", TRIM, TIME, struct.pack("<qq", 1, 5)
    yield "trim_order", "a trim to bounds in the wrong order", TRIM, TIME, struct.pack("<qq", 4, 3)
    yield "axis_none", "an axis of a variable that there is not", AXIS, 11, struct.pack("<HH", 0, RUN)
    yield "axis_removed", "an axis of a removed variable", AXIS, 8, struct.pack("<HH", 0, RUN)
    yield "axis_no_dim", "an axis of a dimension that there is not", AXIS, SUMS, struct.pack("<HH", 0, 4)
    yield "axis_wide", "an axis of a dimension with more indices", AXIS, SUMS, struct.pack("<HH", 0, RUN)
    yield "rename_root", "another name for the root", RENAME, 0, what(1) + text("root")
    yield "rename_twice", "the name of another variable", RENAME, U, what(3) + text("sums")
    yield "remove_none", "the removal of a variable that there is not", REMOVE, 11, what(3)
    yield "remove_twice", "the removal of a removed variable", REMOVE, 8, what(3)
    yield "remove_dim", "the removal of a dimension", REMOVE, TIME, what(2)
    yield "attr_none", "an attribute of a variable that there is not", ATTRIBUTE, 11, attribute("a", 5, b"")
    yield "attr_store", "an attribute of a numbered store", ATTRIBUTE, 1, attribute("a", 2, bytes(2), what=0)
    yield "attr_zero_byte", "text with a zero byte", ATTRIBUTE, U, attribute("a", 5, b"\0", [1], is_text=1)
    yield "attr_utf8", "text that is not UTF-8", ATTRIBUTE, U, attribute("a", 5, b"\xff", [1], is_text=1)
    yield "attr_short", "fewer values than it says", ATTRIBUTE, U, attribute("a", 2, bytes(8), [5])
    yield "attr_nameless", "an attribute without a name", ATTRIBUTE, U, attribute("", 2, bytes(2))
    yield "delete_none", "an attribute deleted that is not there", ATTRIBUTE_DELETE, U, what(3) + text("no")
    yield "epoch_raw", "an EPOCH of a variable without a codec", EPOCH, U, struct.pack("<II", 1, 0)
    yield "epoch_low", "an EPOCH below the last one", EPOCH, PACKED, struct.pack("<II", 0, 0)
    yield "stripes", "stripes of a variable", STRIPES, U, struct.pack("<H", 1) + text("s") + text("f")
    yield "source_short", "a source that is cut short", SOURCE, U, struct.pack("<B3xI", 1, 1)
    yield "base", "a BASE that is not first", BASE, 0, struct.pack("<Qq4H", 0, 0, 0, 0, 0, 0)


def runs():
    """(name, what, records) of a run that cannot be."""
    axis = DIMENSION, 4, dimension(0, 1, "z"), 0
    yield "commit_number", "a commit that is not the next one", [commit(9)]
    yield "commit_described", "a commit of something", [(COMMIT, 1, *commit(8)[2:])]
    yield "commit_utf8", "a message that is not UTF-8", [commit(8, b"\xff")]
    yield "commit_zero_byte", "a message with a zero byte", [commit(8, b"a\0b")]
    yield "commit_long", "a message of 4097 bytes", [commit(8, b"a" * 4097)]
    yield "commit_length", "a longer message than there is", [(COMMIT, 0, struct.pack("<qqI", 8, 0, 99), C)]
    yield "commit_inside", "a COMMIT that does not end its run", [(*commit(8)[:3], 0), commit(9)]
    yield "ends_otherwise", "a run that ends with a growth", [(*grow(TIME, 1, 6)[:3], C)]
    yield "sync_with_change", "a SYNC beside a growth", [grow(TIME, 1, 6), (SYNC, 0, bytes(8), C)]
    yield "sync_inside", "a SYNC beside a COMMIT", [(SYNC, 0, bytes(8), 0), commit(8)]
    yield "sync_described", "a SYNC of something", [(SYNC, 1, bytes(8), C)]
    yield "impossible_first", "what cannot be before an unknown kind", [grow(TIME, 0, 5), (100, 0, b"", 0), commit(8)]
    yield "trim_first", "a growth after a trim", [trim(TIME, 2, 4), grow(TIME, 1, 5), commit(8)]
    yield "axis_scalar_behind", "an axis behind the last one", [axis, (AXIS, SUMS, struct.pack("<HH", 2, 4), 0), commit(8)]
    yield "axis_twice", "two axes of one variable", [axis, *[(AXIS, SUMS, struct.pack("<HH", 0, 4), 0)] * 2, commit(8)]
    yield "axis_beside", "an axis beside a growth", [
        axis, (AXIS, SUMS, struct.pack("<HH", 0, 4), 0), grow(TIME, 1, 6), commit(8)]
    yield "axis_new", "an axis of a variable of this run", [
        axis, made(11, [TIME], [2], "w"), (AXIS, 11, struct.pack("<HH", 0, 4), 0), commit(8)]
    yield "two_runs", "a run that can be before one that cannot", [(200, 0, b"", 0), commit(8), commit(10)]


class Maker:
    def __init__(self, dataset, folder):
        self.folder = folder
        self.files = {file: read(dataset, file) for file in os.listdir(dataset) if file[0] != "."}
        self.xds = self.files["dataset.xds"]
        log = Log(self.xds)
        self.commits = [i for i in range(log.records()) if self.kind(log, i) == COMMIT]
        self.syncs = [i for i in range(log.records()) if self.kind(log, i) == SYNC]

    def kind(self, log, record):
        return log.data[log.at[record] + 12]

    def log(self):
        return Log(self.xds)

    def make(self, path, why, files, **expected):
        """Its files are the golden ones, but for those given; None: not there."""
        files = {os.path.join(path, file): data for file, data in {**self.files, **files}.items()}
        write(self.folder, path, files, {"what": why, "read": OK, "last": LAST, "log": "clean", "write": OK, "check": OK,
                                         "wrong": {}, "gone": [], **expected})

    def dataset(self, path, why, data, files=(), **expected):
        """Another dataset.xds."""
        if expected.get("log") == "damaged":
            expected = {"write": DAMAGED, "check": DAMAGED, **expected}
        self.make(path, why, {"dataset.xds": bytes(data.data), **dict(files)}, **expected)

    def refused(self, path, why, log, status):
        self.dataset(path, why, log, read=status, write=status, check=status)

    def heads(self):
        self.refused("magic", "wrong magic", self.log().write(0, b"\x88"), FORMAT)
        self.refused("array", "the magic of a lone array", self.log().write(3, b"X"), FORMAT)
        self.refused("empty", "no byte", self.log().cut_at(0), FORMAT)
        self.refused("head_short", "19 bytes", self.log().cut_at(19), DAMAGED)
        self.refused("head_cut", "511 bytes", self.log().cut_at(511), DAMAGED)
        self.refused("live_cut", "the live words are cut short", self.log().cut_at(4111), DAMAGED)
        self.refused("head_alone", "no record", self.log().cut_at(8192), DAMAGED)
        self.refused("head", "a bit of the head changed", self.log().write(40, b"\x77"), DAMAGED)

        def head(**fields):
            return self.log().head(**{"magic": 2, "kind": 2, **fields})

        self.refused("length", "a head of another length", head(length=520), DAMAGED)
        self.refused("version", "major version 3", head(major=3), UNSUPPORTED)
        self.refused("version_1", "major version 1", head(major=1), UNSUPPORTED)
        self.refused("kind", "the kind of a lone array", head(kind=1), UNSUPPORTED)
        self.refused("reserved", "a reserved byte that is not 0", head(at={21: b"\1"}), UNSUPPORTED)
        self.refused("reserved_end", "the last one", head(at={511: b"\1"}), UNSUPPORTED)
        self.dataset("minor_version", "minor version 1", head(minor=1))
        self.dataset("live_page", "nobody looks at the rest of the page of the live words",
                     self.log().write(4112, b"\7" * 4080))

    def state(self, record):
        """What counts of the records before that one."""
        last = sum(i < record for i in self.commits) - 1
        wrong = {name: [NONE, NONE] for name in ("gone", "again")} if 1 <= last < 4 else {}
        return {"last": last, "wrong": wrong, "gone": self.given_back(record), "check": DAMAGED if wrong else OK}

    def ends(self):
        """Cut off at every record, or in it; lost, changed, moved. The files have what the whole log says."""
        for record in range(self.log().records()):
            cut, expected = self.log().cut(record), self.state(record)
            ends = record - 1 in (*self.commits, *self.syncs)
            damaged = {**expected, "log": "damaged", "check": DAMAGED}
            torn = {**expected, "log": "torn"}
            if expected["last"] < 0:
                self.refused(f"cut_{record}", "cut off before the first commit", cut, DAMAGED)
                self.refused(f"flip_{record}", "a bit of the first commit changed", self.log().flip(record, 30), DAMAGED)
                continue
            self.dataset(f"cut_{record}", f"cut off before record {record}", cut,
                         **{**expected, "log": "clean" if ends else "open"})
            self.dataset(f"torn_{record}", f"record {record} is cut short", self.log().cut(record, 28), **torn)
            self.dataset(f"zeros_{record}", f"zeros from record {record} on",
                         self.log().cut(record).append_raw(bytes(99)), **torn)
            promised = damaged if record < self.syncs[-1] else torn
            self.dataset(f"flip_{record}", f"a bit of record {record} changed", self.log().flip(record, 30), **promised)
            self.dataset(f"zero_{record}", f"zeros in place of record {record}", self.log().zero(record), **promised)
            self.dataset(f"move_{record}", f"record {record} is one of another chain", self.log().move(record), **damaged
                         if record < self.syncs[-1] or record == self.syncs[-1] else promised)
        self.dataset("tail", "what a crash left", self.log().append_raw(b"what a crash left"), log="torn")

    def given_back(self, record):
        """Files that an open transaction has made, which its VARIABLEs name."""
        log, stems = self.log(), []
        begin = max([i + 1 for i in (*self.commits, *self.syncs) if i < record], default=0)
        for i in range(begin, record):
            if self.kind(log, i) == VARIABLE:
                stems.append(self.stem(log, i))
        return [file for file in self.files if os.path.splitext(file)[0] in stems]

    def stem(self, log, record):
        """Its last text, which padding follows."""
        payload = bytes(log.data[log.at[record] + 24:log.at[record + 1]]).rstrip(b"\0")
        at = next(at for at in range(len(payload) - 2, 0, -1)
                  if struct.unpack_from("<H", payload, at)[0] == len(payload) - at - 2 > 0)
        return payload[at + 2:].decode()

    def appended(self, *records):
        log = self.log()
        for record in records:
            log.append(*record)
        return log

    def records(self):
        """One more run."""
        for path, why, kind, number, payload in impossible():
            self.dataset(path, why, self.appended((kind, number, payload, 0), commit(8)), log="damaged")
            self.dataset(path + "_open", why + ", in an open transaction", self.appended((kind, number, payload, 0)),
                         log="open")
        for path, why, records in runs():
            self.dataset(path, why, self.appended(*records), log="damaged", last=LAST + (path == "two_runs"))
        self.refused("refused_first", "an unknown kind before what cannot be",
                     self.appended((100, 0, b"", 0), grow(TIME, 0, 5), commit(8)), UNSUPPORTED)
        for path, why, record in (
                ("kind_100", "a record of an unknown kind", (100, 0, b"", 0)),
                ("flag", "an unknown flag of a record", (*grow(TIME, 1, 6)[:3], 2)),
                ("padding", "padding that is not 0", (ATTRIBUTE_DELETE, U, what(3) + text("units") + b"\1", 0)),
                ("zeros", "a byte that is not 0", (REMOVE, U, b"\3\1" + bytes(6), 0)),
                ("what", "an attribute of a thing of an unknown kind", (ATTRIBUTE, U, attribute("a", 2, bytes(2), what=5), 0))):
            self.refused("refused_" + path, why, self.appended(record, commit(8)), UNSUPPORTED)
            write = UNSUPPORTED if path in ("kind_100", "flag") else OK
            self.dataset(f"refused_{path}_open", why + ", in an open transaction", self.appended(record), log="open",
                         write=write)
        self.dataset("moved_sync", "a SYNC of a later record in another chain",
                     self.log().append(SYNC, 0, bytes(8), sequence=60, prev=1), log="damaged")
        self.dataset("old_sync", "a SYNC of an earlier record",
                     self.log().append(SYNC, 0, bytes(8), sequence=9, prev=1), log="torn")

    def possible(self):
        new_axis = [(DIMENSION, 4, dimension(0, 1, "z"), 0), (AXIS, SUMS, struct.pack("<HH", 2 - 1, 4), 0), commit(8)]
        for path, why, records in (
                ("kind_200", "a record of a kind that may be passed over", [(200, 7, b"whatever", 0), commit(8)]),
                ("axis", "a new axis", new_axis),
                ("grown_and_trimmed", "a trim after a growth", [grow(TIME, 1, 6), trim(TIME, 2, 5), commit(8)]),
                ("source", "where it came from", [(SOURCE, U, struct.pack("<B3xI4I", 2, 1, 32015, 2, 7, 8), 0), commit(8)]),
                ("sync_twice", "a SYNC after a SYNC", [(SYNC, 0, bytes(8), C)]),
                ("renamed", "other names", [(RENAME, U, what(3) + text("sums"), 0), (RENAME, SUMS, what(3) + text("u"), 0),
                                            (RENAME, TIME, what(2) + text("x"), 0), (RENAME, X, what(2) + text("time"), 0),
                                            commit(8)]),
                ("message", "a message of 4096 bytes", [commit(8, b"a" * 4096)]),
                ("grown", "a growth that wrote nothing, of variables whose fill is zeros", [grow(X, -2, -3), commit(8)]),
                ("trimmed", "nothing left", [trim(X, 0, 0), trim(TIME, 5, 5), commit(8)])):
            wrong = {"u": [DAMAGED, DAMAGED]} if path == "grown" else {}
            self.dataset(path, why, self.appended(*records), last=LAST + (records[-1][0] == COMMIT), wrong=wrong,
                         check=DAMAGED if wrong else OK)
        self.dataset("removed", "a crash has left files of a removed variable",
                     self.appended((REMOVE, SUMS, what(3), 0), commit(8)), last=8, gone=["sums.xta", "sums.xcs"])
        self.dataset("removed_file", "and of one that was removed before", self.log(), {"gone.xta": b"a"},
                     gone=["gone.xta"])
        self.dataset("pending", "a transaction that was cut short", self.appended(
            (DIMENSION, 4, dimension(0, 3, "z"), 0), made(11, [4], [2], "w"), made(12, [4], [2], "v", "v~12", flags=1),
            (ATTRIBUTE_DELETE, U, what(3) + text("units"), 0), (REMOVE, SUMS, what(3), 0), grow(TIME, 1, 6)),
            {"w.xta": b"ab", "v~12.xta": b"", "v~12.xcs": b"", "v.xta": b"somebody's"}, log="open",
            gone=["w.xta", "v~12.xta", "v~12.xcs"])
        self.dataset("pending_stem", "an open transaction that has the stem of a variable",
                     self.appended(made(11, [TIME], [2], "w", "u"), (RENAME, U, what(3) + text("q"), 0)), log="open")
        self.dataset("pending_unknown", "a record of an unknown kind after new variables, of files that a later version has",
                     self.appended(made(11, [TIME], [2], "w"), (100, 0, b"", 0)), {"w.xta": b"ab"}, log="open",
                     write=UNSUPPORTED)
        self.dataset("pending_torn", "a transaction whose last record is cut short",
                     self.cut_end(self.appended(made(11, [TIME], [2], "w"), grow(TIME, 1, 6)), 8), {"w.xta": b""},
                     log="torn", gone=["w.xta"])
        self.make("orphans", "files of no variable", {"w.xta": b"ab", "w.xmd": b"ab", "u.xmd": b"", "u.xcs": b"",
                                                      "dataset.xds.new-1": b"", "u.txt": b""})

    def cut_end(self, log, n):
        return log.cut_at(len(log.data) - n)

    def refused_variables(self):
        """That a later version made, or the library does not read: the others are read."""
        self.dataset("refused_names", "variables with values that no reader knows", self.appended(
            made(11, [TIME], [2], "a", order=2), made(12, [TIME], [2], "b", initial=3), made(13, [TIME], [2], "c", flags=4),
            made(14, [TIME], [2], "d", codec=9, level=1, shuffle=1), made(15, [TIME], [2], "e", type=200),
            (TYPE, 3, struct.pack("<HHB3xI", 0, 0, 8, 4), 0), made(16, [TIME], [2], "f", type=256 + 3),
            (ATTRIBUTE, U, attribute("odd", 200, b"whatever"), 0), commit(8)), last=8,
            wrong={name: [UNSUPPORTED] * 2 for name in "abcdef"}, check=DAMAGED)
        self.dataset("structured", "a variable of opaque bytes, and one without elements", self.appended(
            (TYPE, 3, struct.pack("<HHB3xIH", 0, 0, 5, 4, 0), 0), made(11, [TIME], [2], "a", type=256 + 3),
            made(12, [], [], "b", n=255), made(13, [], [], "c"), commit(8)), {"a.xta": b"", "c.xta": b"\7\0"}, last=8)

    def typed_variables(self):
        """Variables and attributes of a type of each class."""
        def type_of(kind, size, rest, name=""):
            return struct.pack("<H", 0) + text(name) + struct.pack("<B3xI", kind, size) + rest

        def field(at, kind, name, *extents):
            return struct.pack(f"<IIB3x{len(extents)}I", at, kind, len(extents), *extents) + text(name)

        sky = struct.pack("<IIh", 2, 3, -2) + text("clear") + struct.pack("<h", 300) + text("\u2601") + struct.pack(
            "<h", 300) + text("clear")
        cell = struct.pack("<I", 4) + field(9, 9, "level", 2, 1) + field(0, 259, "sky") + field(3, 260, "raw") + field(8, 261, "bits")
        types = [(TYPE, 3, type_of(3, 2, sky, "sky"), 0), (TYPE, 4, type_of(5, 4, text("a tag")), 0),
                 (TYPE, 5, type_of(6, 1, bytes([2, 5]), "bits"), 0), (TYPE, 6, type_of(4, 20, cell), 0),
                 (TYPE, 7, type_of(4, 1, struct.pack("<I", 0), "empty"), 0)]
        sizes = 2, 4, 1, 20, 1
        names, fills = "abcde", [*(bytes(range(size)) for size in sizes[:4]), bytes(1)]
        data = {f"{name}.xta": bytes(range(7, 7 + 3 * len(fill))) + fill for name, fill in zip(names, fills)}
        self.dataset("typed", "variables and attributes of defined types, all of which are read", self.appended(
            *types, *(made(11 + i, [TIME], [2], name, type=259 + i, fill=fill if any(fill) else b"")
                      for i, (name, fill) in enumerate(zip(names, fills))),
            *((ATTRIBUTE, U, attribute(f"of {259 + i}", 259 + i, bytes(range(2 * size)), [2]), 0)
              for i, size in enumerate(sizes)), commit(8)), data, last=8, check=OK)

    def variable_files(self):
        def one(path, why, files, name, status, write=None, check=DAMAGED):
            self.make(path, why, files, wrong={name: [status, status if write is None else write]}, check=check)

        for name in "u", "packed", "square", "scalar":
            for ending in ".xta", ".xtz", ".xct":
                if name + ending in self.files:
                    one(f"missing_{name}{ending[1:]}", f"no {name}{ending}", {name + ending: None}, name, NONE)
        one("missing_sums", "no checksums", {"sums.xcs": None}, "sums", NONE)
        one("missing_summed", "no data but checksums", {"sums.xta": None}, "sums", NONE)
        u, again = self.files["u.xta"], self.files["again~10.xta"]
        one("short_u", "the data of u lack an element outside the bounds", {"u.xta": u[:-1]}, "u", OK, DAMAGED)
        one("short_u_more", "they end in the middle", {"u.xta": u[:len(u) // 2 + 1]}, "u", DAMAGED)
        one("short_u_all", "at once", {"u.xta": b""}, "u", DAMAGED)
        one("short_again", "of another variable", {"again~10.xta": again[:3]}, "again", DAMAGED)
        self.make("short_zeros", "data that end early, whose fill is zeros",
                  {"square.xta": self.files["square.xta"][:9], "letters.xta": b"", "scalar.xta": b"", "bytes.xta": b"a"})
        whole = {"bytes.xta": 30, "letters.xta": 512, "scalar.xta": 8, "square.xta": 36}  # these end early
        self.make("long", "data that are longer than the chunks",
                  {file: data.ljust(whole.get(file, 0), b"\0") + b"what a crash left"
                   for file, data in self.files.items() if file != "dataset.xds"})
        for path, why, length, fill in (("zero_fill", "a fill that is given as zeros promises nothing", 1, b"\0\0"),
                                        ("some_fill", "any other does", 1, b"\0\1"), ("whole_fill", "which is kept", 12, b"\0\1")):
            short = path == "some_fill"
            self.dataset(path, why, self.appended(made(11, [TIME], [2], "w", type=2, fill=fill), commit(8)),
                         {"w.xta": b"\1" * length}, last=8, wrong={"w": [DAMAGED] * 2} if short else {},
                         check=DAMAGED if short else OK)
        sums = bytearray(self.files["sums.xta"])
        sums[16] ^= 1  # of index 4
        one("summed", "an element that does not match its checksum", {"sums.xta": bytes(sums)}, "sums", CHECKSUM, OK)
        self.payloads(one)

    def payloads(self, one):
        """A chunk of `packed`: index 2 of time."""
        xct, xtz = self.files["packed.xct"], self.files["packed.xtz"]
        q = next(q for q in range(len(xct) // 64) if len(self.halves(q)) == 2)
        (old, old_at), (new, new_at) = self.halves(q)

        def changed(data, at):
            return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]

        one("payload", "a byte of a synced payload changed", {"packed.xtz": changed(xtz, new_at + 30)}, "packed",
            CHECKSUM, OK)
        one("entry", "a byte of a synced entry changed", {"packed.xct": changed(xct, new + 24)}, "packed", DAMAGED, OK)
        self.make("payload_old", "a byte of a payload that another has replaced",
                  {"packed.xtz": changed(xtz, old_at + 30)})
        self.make("entry_old", "a byte of its half of the entry", {"packed.xct": changed(xct, old + 24)})

    def halves(self, q):
        """(where it is, offset of its payload) of those that are not empty, the newer last."""
        xct = self.files["packed.xct"]
        found = [(*struct.unpack_from("<8xI4xq", xct, at), at) for at in (64 * q, 64 * q + 32)]
        return [(at, offset) for epoch, offset, at in sorted(found) if epoch]


def main(dataset, folder):
    maker = Maker(dataset, folder)
    maker.heads()
    maker.ends()
    maker.records()
    maker.possible()
    maker.refused_variables()
    maker.typed_variables()
    maker.variable_files()
