"""A store, the processes that have it open, and what happens to them."""
from disk import File, Folder
from log import C, LOG, SYNC, decode, encode, read_log
from packed import Packed
from plain import Plain
from rules import Broken
from store import State
from truth import Truth


class Process:
    def __init__(self, world):
        self.world, self.rng, self.truth = world, world.rng, world.truth
        self.folder = world.folder
        self.locks, self.open = [], {}
        self.transaction = None
        self.wakes = 0  # when it goes on
        self.steps = self.life()

    def life(self):
        yield from ()

    def find(self, variable, make=False):
        """The open files of a variable; None without."""
        if variable.life not in self.open:
            found = []
            for name in variable.files():
                file = yield self.folder.get(name)
                if make:
                    file = self.world.file()
                    yield self.folder.set(name, file)
                if file is None:
                    return None
                found.append(file)
            self.open[variable.life] = (Packed if variable.packed else Plain)(self, found)
        return self.open[variable.life]

    def files(self, variable):
        """Those of a variable that counts."""
        files = yield from self.find(variable)
        if files is None:
            raise Broken("a file of a variable that counts is missing")
        return files

    def lock(self, file, name, needed=True, shared=False):
        while needed and not file.lock(name, self, shared):
            yield

    def unlock(self, file, name):
        file.locks.get(name, {}).pop(self, None)

    def release(self, keep=()):
        for file, name in self.locks:
            if name not in keep:
                self.unlock(file, name)
        self.locks = [lock for lock in self.locks if lock[1] in keep]


class World:
    def __init__(self, rng):
        self.rng, self.truth, self.folder = rng, Truth(), Folder()
        self.block = rng.choice((8, 16, 64, 512))
        self.lone = rng.random() < .25  # a lone array, else a dataset
        self.sharing = rng.random() < .6
        self.processes, self.states, self.counts, self.seen = [], {}, {}, {}
        self.last_growth = None
        self.patience = rng.choice((.7, .9, .98))  # how likely a writer goes on after an operation
        self.failing = rng.choice((0, 0, .002, .02))  # how often a sync of the log fails

    def count(self, what, n=1):
        self.counts[what] = self.counts.get(what, 0) + n

    def file(self):
        return File(self.block)

    def sync_fails(self):
        return self.rng.random() < self.failing

    def counted(self, state, run):
        """The state after a run that counts."""
        key = run[-1].seq, run[-1].crc
        if key not in self.truth.life:
            raise Broken("a record counts that nobody has written")
        if key in self.truth.dead:
            raise Broken("a lost record with C counts again")
        if key not in self.states:
            for record in run:
                state = state.after(record, self.truth.life[record.seq, record.crc])
            self.states[key] = state
        return self.states[key]

    def read(self, buffer, state=None):
        return read_log(buffer, state or State(), self.counted, self.seen)

    @staticmethod
    def record(data, offset):
        """A record that is to lie at this offset."""
        return decode(bytes(offset) + data, offset)

    def record_of(self, kind, number, payload, state):
        """What would be appended."""
        return self.record(encode(kind, number, payload, 0, state.crc, state.seq + 1, state.end), state.end)

    @staticmethod
    def a_sync(seq):
        """A SYNC that is valid where nobody looks at offsets."""
        return encode(SYNC, 0, bytes(8), C, 77, seq, 0)

    def chain(self, buffer):
        found = set()

        def counted(state, run):
            found.update((record.seq, record.crc) for record in run)
            return self.counted(state, run)
        return read_log(buffer, State(), counted, self.seen), found

    # --- events

    def kill(self, process):
        self.count("kills")
        process.steps.close()
        process.release()
        self.processes.remove(process)
        self.truth.killed(process)
        if process.transaction and process.transaction.state == "open":
            process.transaction.state = "aborted"

    def sync_failed(self):
        """Whoever had the file open is told, so all writers stop."""
        self.count("failed syncs")
        for process in [p for p in self.processes if hasattr(p, "of") or hasattr(p, "operation")]:
            self.kill(process)

    def power_cut(self):
        self.count("power cuts")
        for process in self.processes:
            process.steps.close()
        self.processes = []
        self.folder.power_cut(self.rng)
        log, chain = self.chain(self.folder.get("log").now)
        if log.damage:
            raise Broken("false damage: a torn tail after a power cut")
        self.truth.power_cut(chain)
        self.check(log)
        self.flip()

    def check(self, log):
        """After a power cut, before anybody has the store open: every element, and every file."""
        reader = Process(self)
        for variable in log.state.variables.values():
            for index in log.state.indices(variable):
                found = finish(finish(reader.files(variable)).read(variable, *variable.place(index)))
                key, where = log.state.key(variable, index), f"{variable.name}{index}"
                self.truth.judge(key, found, variable.fill, self.truth.time, where)
        known, state = {"log"}, log.state
        for record in log.tail:
            state = state.after(record, 0)
        for variable in [*state.variables.values(), *state.removed.values()]:
            known.update(variable.files())
        if not self.folder.now.keys() <= known:
            raise Broken(f"an orphan: a file that no record explains: {sorted(self.folder.now.keys() - known)}")

    def flip(self):
        """A bit error in what is guarded is damage, or loses the last SYNC alone."""
        buffer = bytearray(self.folder.get("log").now)
        end, least = LOG, self.truth.guarded
        while (record := decode(buffer, end)) and record.seq <= least:
            end += record.length
        if end > LOG:
            bit = self.rng.randrange(LOG * 8, end * 8)
            buffer[bit // 8] ^= 1 << bit % 8
            self.count("bit errors")
            log = self.read(buffer)
            if not log.damage and log.state.seq < least:
                raise Broken("a bit error was taken for a torn tail")


def finish(steps):
    """Run a generator of steps without interruption; its result."""
    try:
        value = None
        while True:
            value = steps.send(value)
    except StopIteration as end:
        return end.value
