"""The log of a store (drx-format.md, 3 to 5): what counts, and the state that it leads to."""
import math
import os
import struct
from types import SimpleNamespace

from checksum import crc32c
from map import LEAST, Map
from payload import damaged, Impossible, impossible, name, path_name, Payload, read_type, refuse, size_of, utf8

C = 1  # the flag
(GROUP, DIMENSION, VARIABLE, TYPE, GROW, TRIM, AXIS, RENAME, REMOVE, ATTRIBUTE, ATTRIBUTE_DELETE, EPOCH, STRIPES,
 SOURCE, COMMIT, SYNC, BASE) = range(1, 18)
LOG, MOST_RECORD = 8192, (64 << 20) + 4096
MAGIC = {1: bytes.fromhex("894452580d0a1a0a"), 2: bytes.fromhex("894452530d0a1a0a")}
MOST_AXES, NULL, SUMS, STRIPED = 32, 255, 1, 2


class NotDrx(Exception):
    """Not in this format."""


def read_head(data, kind):
    """The creation id and the CRC."""
    if data[:8] != MAGIC[kind]:
        raise NotDrx("another magic")
    damaged(len(data) < 20, "a part of a head")
    crc, length, major, _ = struct.unpack_from("<IIHH", data, 8)
    refuse(major != 2, f"version {major}")
    damaged(len(data) < 512 or length != 512 or crc32c(0, data[12:512]) != crc, "the head")
    refuse(data[20] != kind or any(data[21:32]) or any(data[48:512]), "the head")
    damaged(len(data) < 4112, "the live words are missing")
    return data[32:48], crc


def record_at(data, at):
    """None: it is not valid."""
    if at + 24 > len(data):
        return None
    crc, prev, length, kind, flags, number, sequence = struct.unpack_from("<IIIBBHQ", data, at)
    if not 24 <= length <= MOST_RECORD or length % 8 or at + length > len(data) or kind == 0:
        return None
    if crc32c(crc32c(prev, struct.pack("<Q", at)), data[at + 8:at + length]) != crc:
        return None
    return SimpleNamespace(at=at, crc=crc, prev=prev, length=length, kind=kind, flags=flags, number=number,
                           sequence=sequence, payload=data[at + 24:at + length])


def read_prefix(data, crc):
    """The records of the longest valid prefix, and whether a SYNC lies after it (5.2)."""
    records, at, sequence = [], LOG, 0
    while (record := record_at(data, at)) and record.prev == crc and (
            record.sequence == sequence + 1 or at == LOG and record.kind == BASE):
        records.append(record)
        at, crc, sequence = at + record.length, record.crc, record.sequence
    return records, any(data[x + 12] == SYNC and (r := record_at(data, x)) and r.length == 32 and r.sequence > sequence
                        for x in range(at, len(data) - 31, 8))


class State:
    def __init__(self, kind):
        self.kind = kind
        self.groups = {0: SimpleNamespace(group=None, name="", folder="", attributes={}, removed=False)}
        self.dimensions, self.variables, self.types = {}, {}, {}
        self.commits, self.trims, self.base, self.stems = [], [], None, set()
        self.run, self.trimmed, self.awaited, self.records = [], set(), None, 0
        self.settled = set()  # variables of earlier runs
        self.synced = kind == 2  # the whole length of a fill that is not zeros is promised (5.3)

    def thing(self, what, number):
        impossible((what == 0) != (number == 0), "the store")
        table = (self.groups, self.groups, self.dimensions, self.variables, self.types)[what]
        impossible(number not in table or table[number].removed, f"thing {number} of kind {what}")
        return table[number]

    def above(self, group):
        while group is not None:
            yield group
            group = self.groups[group].group

    def add(self, kind, table, number, thing):
        self.thing(thing.group > 0, thing.group)
        last = max((n for n in table), default=0)
        given = self.base.largest[kind - 1] if self.base else 0
        impossible(number <= last or number > given and number != max(last, given) + 1, f"the number {number}")
        thing.attributes, thing.removed = {}, False
        table[number] = thing

    def take_stem(self, group, text):
        stem = path_name(text, 1, 240)
        impossible((group, stem) in self.stems, f"a second {stem!r}")
        self.stems.add((group, stem))
        return stem

    def users(self, dimension):
        return [(v, axis) for v in self.variables.values() if not v.removed and v.map
                for axis, d in enumerate(v.dimensions) if d == dimension]

    def apply(self, record):
        kind, self.records = record.kind, self.records + 1
        if kind < 128:
            impossible(self.awaited and kind != STRIPES, "a VARIABLE without STRIPES")
            refuse(record.flags & ~C, f"flags {record.flags}")
            refuse(kind > BASE, f"a record of kind {kind}")
            payload, (read, form) = Payload(record.payload), READERS[kind]
            read(self, record, *([payload] if form is None else payload.all(form)))
            self.run.append(kind)
        if record.flags & C:
            self.end_of_run(kind)

    def end_of_run(self, kind):
        impossible(self.awaited, "a VARIABLE without STRIPES")
        allowed = kind == COMMIT or (kind == SYNC if self.commits else self.base)
        impossible(self.kind == 2 and not allowed, "a C in a dataset")
        impossible(SYNC in self.run and set(self.run) - {SYNC, EPOCH}, "a SYNC with changes")
        impossible(AXIS in self.run and set(self.run) - {AXIS, DIMENSION, EPOCH, COMMIT}, "an AXIS with changes")
        if self.kind == 1:
            axes = [d for v in self.variables.values() for d in v.dimensions]
            impossible(not self.variables or sorted(axes) != sorted(self.dimensions), "dimensions that are no axes")
        for tables in ((self.groups, self.variables, self.types), (self.dimensions,) if self.kind == 2 else ()):
            names = [(t.group, t.name) for table in tables for t in table.values() if not t.removed and t.name]
            impossible(len(set(names)) < len(names), "names that are alike")
        self.run, self.trimmed, self.settled = [], set(), set(self.variables)

    def read_group(self, record, group, text, folder):
        impossible(self.kind == 1, "a group in a lone array")
        it = SimpleNamespace(group=group, name=path_name(text), folder=self.take_stem(group, folder))
        impossible(it.folder[-4:] in (".xta", ".xcs", ".xtz", ".xct", ".xmd", ".xds"), f"the folder {it.folder!r}")
        self.add(GROUP, self.groups, record.number, it)

    def read_dimension(self, record, group, lower, upper, text):
        check_bounds(lower, upper)
        it = SimpleNamespace(group=group, bounds=[lower, upper], name=path_name(text, self.kind == 2))
        self.add(DIMENSION, self.dimensions, record.number, it)

    def read_variable(self, record, p):
        v = SimpleNamespace(epoch=0, stripes=None, source=None, map=None, refused=None, promised=0)
        v.group, n, v.order, v.initial, v.flags, v.codec, v.level, v.shuffle = p.fields("HBBBBBBB")
        p.zero(3)
        v.type, v.align = p.fields("Iq")
        v.null, n = n == NULL, 0 if n == NULL else n
        impossible(n > MOST_AXES, f"{n} axes")
        v.dimensions = list(p.fields(f"{n}H"))
        p.pad()
        v.chunk = list(p.fields(f"{n}q"))
        v.fill = bytes(p.bytes(p.one("I")))
        p.pad()
        v.name, v.stem = p.text(), p.text()
        p.end()
        self.add(VARIABLE, self.variables, record.number, v)
        if self.kind == 2:
            v.name, v.stem = path_name(v.name), self.take_stem(v.group, v.stem)
        else:
            impossible(record.number > 1 or v.group or v.name or v.stem, "a lone array's variable")
            v.name = v.stem = ""
        for d in v.dimensions:
            impossible(self.thing(2, d).group not in self.above(v.group), f"dimension {d} of another group")
        v.size = size_of(self.types, v.type)
        if v.order > 1 or v.initial > 2 or v.flags > 3 or v.codec > 4 or v.shuffle > 3 or v.size is None:
            v.refused = "values of a later version"
        else:
            self.check_variable(v, n)
            self.awaited = v.flags & STRIPED

    def check_variable(self, v, n):
        impossible(v.size == 0, "texts of any length")
        impossible(v.align not in [1 << i for i in range(31)] or any(c < 1 for c in v.chunk), "a chunk")
        v.chunk_bytes = math.prod(v.chunk) * v.size
        v.step = -(-v.chunk_bytes // v.align) * v.align
        impossible(v.flags & STRIPED and self.kind == 2 or v.codec and v.flags, "flags that contradict others")
        impossible(v.level not in (range(1, 10) if v.codec else [0]) or (v.shuffle > 0) != (v.codec > 0),
                   "level or shuffle")
        impossible(len(v.fill) not in (0, v.size), "a fill of another size")
        if v.null:
            impossible(v.order or v.initial or v.flags or v.codec or v.align > 1 or v.fill, "a null variable")
            return
        v.fill = v.fill or bytes(v.size)
        impossible(n == 0 and v.initial, "an order of a scalar")
        impossible(v.chunk_bytes + v.align > 1 << 63 or v.codec and v.chunk_bytes > (1 << 31) - 17, "a chunk too large")
        bounds = [self.dimensions[d].bounds for d in v.dimensions]
        v.map = Map(bounds, v.chunk, v.initial, max(v.step, 64 if v.codec else 8))

    def read_type(self, record, p):
        group, text, it = p.one("H"), p.text(), read_type(p, self.types)
        it.group, it.name = group, path_name(text, 0)
        self.add(TYPE, self.types, record.number, it)

    def read_grow(self, record, by, bound):
        d = self.thing(2, record.number)
        impossible(by == 0 or d.bounds[by > 0] + by != bound, "a bound that is not the sum")
        impossible(record.number in self.trimmed, "a growth after a TRIM")
        d.bounds[by > 0] = bound
        check_bounds(*d.bounds)
        for v, axis in self.users(record.number):
            v.map.grow(axis, by)

    def read_trim(self, record, *bounds):
        d = self.thing(2, record.number)
        impossible(not d.bounds[0] <= bounds[0] <= bounds[1] <= d.bounds[1], "bounds that are not inside")
        d.bounds = list(bounds)
        self.trimmed.add(record.number)
        self.trims.append((self.records, record.number, *bounds))
        for v, axis in self.users(record.number):
            v.map.trim(axis, *bounds)

    def read_axis(self, record, at, dimension):
        v, d = self.thing(3, record.number), self.thing(2, dimension)
        impossible(d.group not in self.above(v.group), f"dimension {dimension} of another group")
        impossible(record.number not in self.settled or v.null or at > len(v.dimensions) or d.bounds != [0, 1] or
                   len(v.dimensions) == MOST_AXES, "an AXIS")
        self.settled.discard(record.number)
        v.dimensions.insert(at, dimension)
        if v.map:
            v.map.add_axis(at)

    def read_rename(self, record, what, text):
        it = self.thing(what, record.number)
        impossible(what == 0 or what == 3 and self.kind == 1 or what == 4 and self.groups[it.group].removed, "a RENAME")
        it.name = path_name(text, what != 2 or self.kind == 2)

    def read_remove(self, record, what):
        it = self.thing(what, record.number)
        impossible(self.kind == 1 or what not in (1, 3), "a REMOVE")
        it.removed = True
        gone = [group for group in self.groups if what == 1 and record.number in self.above(group)]
        for thing in (*self.groups.values(), *self.variables.values(), *self.dimensions.values()):
            thing.removed |= thing.group in gone
        for thing in self.types.values():
            thing.name = "" if thing.group in gone else thing.name

    def read_attribute(self, record, p):
        what, rank, text = p.what(), *p.fields("BB")
        p.zero(1)
        kind, null = p.one("I"), rank == NULL
        extents, key = p.fields(f"{rank % NULL}q"), p.text()
        p.pad()
        size, begin = size_of(self.types, kind), p.at
        impossible(rank > MOST_AXES and not null or any(n < 0 for n in extents), f"rank {rank}")
        n = 0 if null else math.prod(extents)
        if size is None:
            values, p.at = None, len(p.data)
        else:
            values = bytes(p.bytes(n * size)) if size else [p.bytes(p.one("I")) for _ in range(n)]
        most = p.at - begin
        p.end()
        it, key = self.thing(what, record.number), name(key)
        if size is not None:
            impossible(text > 1 or text and (kind != 5 or rank != 1) or most > 64 << 20, "an attribute")
            values = [utf8(value) for value in values] if size == 0 else values
            utf8(values if text else b"")
        it.attributes[key] = SimpleNamespace(type=kind, text=text, null=null, extents=list(extents), values=values)

    def delete_attribute(self, record, what, key):
        impossible(self.thing(what, record.number).attributes.pop(name(key), None) is None, "no such attribute")

    def read_epoch(self, record, epoch):
        v = self.thing(3, record.number)
        impossible(not v.refused and (epoch < v.epoch or v.codec == 0 or v.null), "an EPOCH")
        v.epoch = epoch

    def read_stripes(self, record, p):
        n, stem = p.one("H"), bytes(p.text())
        folders = [bytes(p.text()) for _ in range(n)]
        p.end()
        v, self.awaited = self.thing(3, record.number), None
        impossible(not 1 <= n <= 128 or not 1 <= len(stem) <= 240 or not all(1 <= len(f) <= 4095 for f in folders) or
                   b"/" in stem or b"\0" in stem + b"".join(folders), "STRIPES")
        impossible(not v.refused and (not v.flags & STRIPED or v.stripes and (v.stripes[0], len(v.stripes[1])) !=
                                      (stem, n)), "STRIPES of another variable")
        v.stripes = (stem, folders)

    def read_source(self, record, p):
        order = p.one("B")
        p.zero(3)
        filters = [(p.one("I"), p.fields(f"{p.one('I')}I")) for _ in range(p.one("I"))]
        p.end()
        self.thing(3, record.number).source = (order, filters)

    def read_commit(self, record, number, time, message):
        due = self.commits[-1].number + 1 if self.commits else self.base.commit if self.base else 0
        impossible(number != due or len(message) > 4096 or record.number or not record.flags & C, "a COMMIT")
        self.commits.append(SimpleNamespace(number=number, time=time, message=utf8(message), records=self.records))

    def read_sync(self, record):
        impossible(record.number or not record.flags & C, "a SYNC")
        self.synced = True
        for v in self.variables.values() if self.kind == 1 else ():
            v.promised = v.map.count if v.map else 0

    def read_base(self, record, trim, commit, *largest):
        impossible(self.records > 1 or record.number, "a BASE")
        self.base = SimpleNamespace(trim=trim, commit=commit, largest=largest)


READERS = [None, (State.read_group, "H t t"), (State.read_dimension, "H 6z q q t"), (State.read_variable, None),
           (State.read_type, None), (State.read_grow, "q q"), (State.read_trim, "q q"), (State.read_axis, "H H"),
           (State.read_rename, "w 7z t"), (State.read_remove, "w 7z"), (State.read_attribute, None),
           (State.delete_attribute, "w 7z t"), (State.read_epoch, "I 4z"), (State.read_stripes, None),
           (State.read_source, None), (State.read_commit, "q q m"), (State.read_sync, "8z"),
           (State.read_base, "Q q H H H H")]


def check_bounds(lower, upper):
    impossible(not LEAST <= lower <= upper < 1 << 63 or upper - lower >= 1 << 63, "bounds")


class Store:
    """`now` is the state that counts; `log` is clean, open, torn or damaged."""

    def __init__(self, path):
        self.kind = 2 if os.path.exists(os.path.join(path, "dataset.xds")) else 1
        self.folder, self.stem = (path, None) if self.kind == 2 else os.path.split(path)
        with open(os.path.join(path, "dataset.xds") if self.kind == 2 else path + ".xmd", "rb") as file:
            data = file.read()
        self.id, crc = read_head(data, self.kind)
        records, sync_follows = read_prefix(data, crc)
        ends = [i + 1 for i, record in enumerate(records) if record.flags & C]
        self.records = records[:ends[-1]] if ends else []
        end = records[-1].at + records[-1].length if records else LOG
        self.log = ("damaged" if sync_follows else "torn" if end < len(data) else
                    "open" if len(records) > len(self.records) else "clean")
        self.why, good, state = None, 0, State(self.kind)
        try:
            for record in self.records:
                state.apply(record)
                good = state.records if record.flags & C else good
        except Impossible as error:
            self.log, self.why = "damaged", f"record {record.sequence}: {error}"
        damaged(not good, self.why or "a store without a C")
        self.records = self.records[:good]
        self.now = self.state_after(good) if self.why else state

    def state_after(self, n):
        state = State(self.kind)
        for record in self.records[:n]:
            state.apply(record)
        return state

    def at(self, commit):
        """As of a commit of a dataset; None: it is not in this log."""
        return next((self.state_after(c.records) for c in self.now.commits if c.number == commit), None)
