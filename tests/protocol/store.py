"""What a log says: dimensions, variables and their maps (4, 6). A State is what one record makes true; none changes."""
import itertools
import json
import math
import struct
import sys
from pathlib import Path

from log import BASE, COMMIT, DIMENSION, EPOCH, GROW, HEAD, LOG, REMOVE, RENAME, SYNC, TRIM, VARIABLE, crc32
from rules import Broken

sys.path.append(str(Path(__file__).resolve().parents[2] / "spec"))
from map import Map  # noqa: E402  that of the independent reader


class Variable:
    """chunk: extents; fill: an element; stripes: the number of data files; packed: compressed chunks instead"""

    def __init__(self, number, life, group, name, stem, dims, chunk, fill, stripes, packed):
        self.number, self.life, self.group, self.name, self.stem = number, life, group, name, stem
        self.dims, self.chunk, self.fill, self.stripes, self.packed = dims, chunk, fill, stripes, packed
        self.cells = math.prod(chunk)  # of a chunk
        self.map = None
        self.epoch = 0  # of its last EPOCH

    def but(self, **changes):
        new = object.__new__(Variable)
        new.__dict__.update(self.__dict__, **changes)
        return new

    def place(self, index):
        """Chunk address, and cell inside the chunk."""
        cell = 0
        for i, c in zip(index, self.chunk):
            cell = cell * c + i % c
        return self.map.address([i // c for i, c in zip(index, self.chunk)]), cell

    def files(self):
        if self.packed:
            return [self.stem + ".xtz", self.stem + ".xct"]
        return [f"{self.stem}.{k}" for k in range(self.stripes)] if self.stripes > 1 else [self.stem + ".xta"]

    @property
    def given(self):
        return self.map.count


def copy_map(old):
    new = object.__new__(Map)
    new.__dict__.update(old.__dict__)
    new.bounds = [list(pair) for pair in old.bounds]
    for name in "chunk", "low", "high", "records":
        setattr(new, name, list(getattr(old, name)))
    return new


def lives_of(indices, life):
    """life: that of the record, or, of one that a compaction has merged, of each index."""
    return {i: life[i] for i in indices} if isinstance(life, dict) else dict.fromkeys(indices, life)


class State:
    def __init__(self):
        self.seq, self.crc, self.end = 0, crc32(HEAD), LOG
        self.bounds, self.lives = {}, {}  # of each dimension: [lower, upper]; index: which growth it came with
        self.variables, self.removed = {}, {}
        self.last_number = 0
        self.trims, self.merged_trim = (), 0  # (seq, dimension, lower, upper); of a BASE
        self.compacted = False  # between BASE and the SYNC after it: TRIMs there are those that BASE names
        self.commits = 0
        self.sync_at = LOG  # where the last SYNC lies

    @property
    def synced(self):
        """Ends with a SYNC."""
        return self.sync_at + 32 == self.end

    @property
    def last_trim(self):
        return max([self.merged_trim] + [seq for seq, *_ in self.trims])

    def indices(self, variable):
        return itertools.product(*(range(*self.bounds[d]) for d in variable.dims))

    def live(self, variable):
        """Addresses of the chunks that no TRIM has freed."""
        return sorted({variable.place(index)[0] for index in self.indices(variable)})

    def key(self, variable, index):
        """What an element is, however often its cell or its file's name is used again."""
        return variable.life, index, tuple(self.lives[d][i] for d, i in zip(variable.dims, index))

    def after(self, record, life):
        new = object.__new__(State)
        new.__dict__.update(self.__dict__)
        new.seq, new.crc, new.end = record.seq, record.crc, record.offset + record.length
        new.CHANGES.get(record.kind, lambda *_: None)(new, record, life)
        return new

    def _dimension(self, record, life):
        lower, upper = struct.unpack_from("<2q", record.payload)
        self.bounds = {**self.bounds, record.number: (lower, upper)}
        self.lives = {**self.lives, record.number: lives_of(range(lower, upper), life)}

    def _variable(self, record, life):
        said = json.loads(record.payload.rstrip(b"\0"))
        variable = Variable(record.number, life, **said)
        bounds = [self.bounds[d] for d in variable.dims]
        variable.map = Map(bounds, variable.chunk, 0, 8)
        if any(other.name == variable.name for other in self.variables.values()):
            raise Broken("impossible record: two variables of one name")
        self.variables = {**self.variables, record.number: variable}
        self.last_number = max(self.last_number, record.number)

    def _grow(self, record, life):
        by, bound = struct.unpack_from("<2q", record.payload)
        lower, upper = self.bounds[record.number]
        if (upper if by > 0 else lower) + by != bound:
            raise Broken("impossible record: a GROW to another bound")
        self.bounds = {**self.bounds, record.number: (lower, bound) if by > 0 else (bound, upper)}
        new = range(upper, bound) if by > 0 else range(bound, lower)
        self.lives = {**self.lives, record.number: {**self.lives[record.number], **lives_of(new, life)}}
        self._step(record.number, lambda m, axis: m.grow(axis, by))

    def _trim(self, record, life):
        lower, upper = struct.unpack_from("<2q", record.payload)
        self.bounds = {**self.bounds, record.number: (lower, upper)}
        lives = {i: life for i, life in self.lives[record.number].items() if lower <= i < upper}
        self.lives = {**self.lives, record.number: lives}
        self.trims += ((record.seq, record.number, lower, upper),)
        self._step(record.number, lambda m, axis: m.trim(axis, lower, upper))

    def _step(self, dimension, change):
        self.variables = dict(self.variables)
        for number, variable in self.variables.items():
            if dimension in variable.dims:
                new = copy_map(variable.map)
                for axis, d in enumerate(variable.dims):
                    if d == dimension:
                        change(new, axis)
                self.variables[number] = variable.but(map=new)

    def _rename(self, record, life):
        changed = self.variables[record.number].but(name=json.loads(record.payload.rstrip(b"\0")))
        self.variables = {**self.variables, record.number: changed}

    def _remove(self, record, life):
        self.variables = dict(self.variables)
        self.removed = {**self.removed, record.number: self.variables.pop(record.number)}

    def _epoch(self, record, life):
        epoch, = struct.unpack_from("<q", record.payload)
        if epoch < self.variables[record.number].epoch:
            raise Broken("impossible record: an epoch that falls")
        self.variables = {**self.variables, record.number: self.variables[record.number].but(epoch=epoch)}

    def _commit(self, record, life):
        self.commits += 1

    def _sync(self, record, life):
        self.sync_at = record.offset
        if self.compacted:
            self.trims, self.compacted = (), False

    def _base(self, record, life):
        self.merged_trim, self.last_number, self.commits = struct.unpack_from("<3Q", record.payload)
        self.compacted = True

    CHANGES = {DIMENSION: _dimension, VARIABLE: _variable, GROW: _grow, TRIM: _trim, RENAME: _rename, REMOVE: _remove,
               EPOCH: _epoch, COMMIT: _commit, SYNC: _sync, BASE: _base}


def uncovered(before, after):
    """Cells of chunks that `before` has, which lie inside the bounds of `after` alone: (variable, address, cell)."""
    for number, new in after.variables.items():
        old = before.variables.get(number)
        if old and old.map is not new.map:
            had = set(before.indices(old))
            for index in after.indices(new):
                if index not in had:
                    q, cell = new.place(index)
                    if q < old.given:
                        yield new, q, cell
