"""A process that writes: alone, or sharing the store with others."""
import struct

from log import C, COMMIT, EPOCH, SYNC, WORDS, encode, words
from rules import Broken, on
from store import uncovered
from world import Process

Q2, Q1 = struct.Struct("<2q"), struct.Struct("<Q")


class Writer(Process):
    """log, words, state: the open log, and what it says up to the last C that this process knows of."""

    def __init__(self, world, operation):
        super().__init__(world)
        self.operation = operation  # does something or other
        self.sharing = world.sharing
        self.writes_elements = None
        self.log = self.state = self.words = None

    def life(self):
        yield from self.begin()
        self.end()
        while self.rng.random() < self.world.patience:
            yield from self.operation(self)
        yield from self.close()

    def close(self):
        yield from self.begin()
        if on("sync_at_close") and not self.state.synced:
            yield from self.sync_log()
            yield from self.sync_record()
        self.truth.guarded = max(self.truth.guarded, self.state.seq - self.state.synced)
        self.release()

    # --- opening, and the lock of changes

    def _open_log(self):
        while True:
            self.log = yield self.folder.get("log")
            yield from self.lock(self.log, "changes")
            if (yield self.folder.get("log")) is self.log or not on("same_inode"):
                break
            self.release()
        if on("open_folder"):
            yield self.folder.sync()
        yield from self.lock(self.log, "open", shared=self.sharing)
        self.state, self.fresh, self.first_change = None, True, True
        self.open, self.freed = {}, {}

    def begin(self):
        """Take the lock of changes, and know all that counts."""
        if self.log and not self.sharing:
            return
        if self.log:
            yield from self.lock(self.log, "changes")
            if (yield self.folder.get("log")) is not self.log and on("same_inode"):
                self.release()
                self.log = None
        if not self.log:
            yield from self._open_log()
        yield from self.follow()

    def end(self):
        if self.sharing:
            self.release(keep=("open",))

    def follow(self):
        if words(self.log)[1] == 1:  # the log that was to take the name did not
            yield self.log.write(WORDS + 8, Q1.pack(0))
        self.words = yield words(self.log)
        log = self.world.read((yield self.log.read()), self.state)
        if log.damage:
            raise Broken("false damage: a writer")
        self.state = log.state
        torn = len(self.log) > self.state.end
        if torn or self.fresh:
            yield from self.give_back(log.tail, torn)

    def unlock_entries(self):
        self.release(keep=("open", "changes", "elements"))

    # --- files

    def sync_data(self, variables):
        for v in variables:
            yield from (yield from self.files(v)).sync(v)

    def last_epoch(self, variable):
        """What a sharing writer asks the log, while it holds an entry."""
        log = yield self.folder.get("log")
        v = self.world.read((yield log.read())).state.variables.get(variable.number)
        return v and v.epoch

    # --- records

    def append(self, t, kind, number=0, payload=b"", flags=0, life=None):
        """Append a record; what is then true."""
        data = encode(kind, number, payload, flags, t.crc, t.seq + 1, t.end)
        key = t.seq + 1, int.from_bytes(data[:4], "little")
        cut = self.rng.randrange(len(data)) if self.rng.random() < .25 else 0
        if cut:  # a write that others see in parts
            yield self.log.write(t.end, data[:cut])
        self.truth.life[key] = life or self.truth.tick()
        self.truth.dead.discard(key)
        self.world.states.pop(key, None)
        if kind == COMMIT and self.transaction:
            self.transaction.state = "committed"
            self.transaction.keys = {key}
        written = self.log.write(t.end + cut, data[cut:])
        after = t.after(self.world.record(data, t.end), self.truth.life[key])
        yield written
        return after

    def sync_log(self):
        yield self.log.sync(self.world.sync_fails())
        self.truth.guarded_for_good = max(self.truth.guarded_for_good, self.truth.guarded)

    def promise(self):
        self.truth.promised = {(self.state.seq, self.state.crc)}

    def sync_record(self, flags=0):
        """SYNC: what precedes it is durable."""
        before = self.state
        self.state = yield from self.append(self.state, SYNC, 0, bytes(8), C | flags)
        self.truth.guarded = max(self.truth.guarded, before.seq)

    def before_first_change(self):
        """What was there when the store was opened is guarded against bit errors from now on."""
        if self.first_change and not self.state.synced:
            found = self.state.seq
            if on("sync_at_open"):
                yield from self.sync_log()
                yield from self.sync_record()
            self.truth.guarded = max(self.truth.guarded, found)
        self.first_change = False

    # --- cells outside the bounds

    def take_cells(self, state):
        """Before anything changes in cells that a TRIM has left outside."""
        if not state.last_trim:
            return
        word = words(self.log)[0]
        if word < state.last_trim or word > state.last_trim and on("word_lower"):
            if on("trim_durable"):
                yield from self.sync_log()
            if on("trims_word") and on("word_by_all"):
                yield self.log.write(WORDS, Q1.pack(state.last_trim))
        if self.sharing and on("trim_waits"):
            yield from self.lock(self.log, "elements")
            self.unlock(self.log, "elements")

    def restore(self, cells):
        """Fill in cells that a record is about to uncover, durably; {variable: epoch} for the run of that record."""
        changed, epochs = {}, {}
        for v, q, cell in cells:
            files = yield from self.files(v)
            if (yield from files.read(v, q, cell)) != v.fill:
                yield from files.write(v, q, {cell: v.fill})
                changed[v.number] = v
        for number in sorted(changed) if on("restore_durable") else ():
            files = yield from self.files(changed[number])
            epochs[number] = yield from (files.promise if on("restore_epoch") else files.sync)(changed[number])
        return epochs

    def append_epochs(self, t, epochs):
        for number, epoch in epochs.items():
            if epoch:
                t = yield from self.append(t, EPOCH, number, epoch.to_bytes(8, "little"))
        return t

    def uncover(self, before, after):
        """Before the step from `before` to `after`; the epochs that its run has to have."""
        trims = bool(before.last_trim) and on("distrust_trims")
        cells = [(before.variables[v.number], q, cell) for v, q, cell in uncovered(before, after)
                 if trims or on("distrust") and q < self.given_at_open.get(v.number, 0)]
        if cells:
            yield from self.take_cells(self.state if on("word_counts") else before)
        return (yield from self.restore(cells))

    def add_chunks(self, before, after):
        """The new chunks of raw variables get their fill."""
        for number, v in after.variables.items():
            old = before.variables.get(number)
            if v.fill and not v.packed and v.given > (old.given if old else 0):
                yield from (yield from self.files(v)).add(v, old.given if old else 0)
                if on("fill_durable"):
                    yield from self.sync_data([v])

    def give_back(self, tail, torn):
        """An open transaction, by an abort, or by the next writer after a crash; what an opening for writing does."""
        self.world.count("given back")
        if torn and self.sharing and on("elements_lock"):
            yield from self.lock(self.log, "elements")
        epochs = {}
        steps = [self._give_back_files(tail, torn, epochs), self._cut_log() if torn else ()]
        opened = self.fresh
        for part in steps if on("restore_first") else steps[::-1]:
            yield from part
        if opened:
            yield from self._write_again()
        if any(epochs.values()):
            t = yield from self.append_epochs(self.state, epochs)
            yield from self.sync_log()
            self.state = t
            yield from self.sync_record()
        self.unlock_entries()
        self.unlock(self.log, "elements")

    def _write_again(self):
        """What the log has since its last SYNC: a sync of it may have failed, which the next one would not tell."""
        if on("write_again"):
            begin, end = self.state.sync_at, self.state.end
            yield self.log.write(begin, self.log.read(begin, end - begin))
        if on("cut_durable"):
            yield from self.sync_log()

    def _give_back_files(self, tail, torn, epochs):
        if self.fresh:
            self.given_at_open = {number: v.given for number, v in self.state.variables.items()}
            for number, v in self.state.variables.items():
                epochs[number] = yield from (yield from self.files(v)).recover(v, self.state.live(v))
            self.fresh = False
        after, cells = self.state, []
        for record in tail:
            before, after = after, after.after(record, 0)
            cells += [(self.state.variables[v.number], q, cell) for v, q, cell in uncovered(before, after)
                      if v.number in self.state.variables and q < self.state.variables[v.number].given]
        if not on("restore_removed"):
            cells = [cell for cell in cells if cell[0].number in after.variables]
        if cells and on("restore"):
            yield from self.take_cells(self.state)
            for number, epoch in (yield from self.restore(cells)).items():
                epochs[number] = max(epoch or 0, epochs.get(number) or 0)
        for v in self.state.variables.values() if torn or on("cut_at_open") else ():
            yield from (yield from self.files(v)).cut(v)
        if on("giving_durable"):
            yield from self.sync_data(self.state.variables.values())
        gone = [v for number, v in {**after.variables, **after.removed}.items()
                if number not in self.state.variables and number not in self.state.removed]
        for v in gone if on("unlink_on_give_back") else ():
            yield from self.unlink(v)
        if gone and on("unlink_durable"):
            yield self.folder.sync()

    def unlink(self, variable):
        for name in variable.files():
            if (yield self.folder.get(name)) is not None:
                yield self.folder.set(name, None)

    def _cut_log(self):
        """An abort needs no sync: nothing has C there. After a power cut something may, so opening makes it durable."""
        yield self.log.resize(self.state.end)
