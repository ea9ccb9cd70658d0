"""A process that reads, of any age, without a lock (5.5)."""
from log import words
from rules import Broken, on
from store import State
from world import Process


class Reader(Process):
    """state: the snapshot; latest: what it has read of the log; trims: those since the snapshot; seen: the words."""

    sharing = False

    def life(self):
        while True:
            yield from self.open_store()
            for _ in range(self.rng.randrange(1, 8)):
                if not (yield from self.box()):
                    break
                for _ in range(self.rng.choice((0, 0, 5, 60))):
                    yield
                if self.rng.random() < .3 and not (yield from self.refresh()):
                    break

    def open_store(self):
        self.open = {}
        self.log = yield self.folder.get("log")
        self.seen = yield words(self.log)
        self.latest = self.state = yield from self.read_log(State())
        if not on("words_first"):
            self.seen = yield words(self.log)
        self.trims = []

    def refresh(self):
        seen = yield words(self.log)
        if seen[1] and (yield self.folder.get("log")) is not self.log:
            return False
        self.latest = self.state = yield from self.read_log(self.latest)
        self.seen, self.trims = seen, []
        return True

    def read_log(self, state):
        """Two reads, between which the log changes: the end of a new record may complete an old one that was torn."""
        while True:
            cut = self.rng.randrange(len(self.log) + 1)
            buffer = yield self.log.read(0, cut)
            for _ in range(self.rng.choice((0, 0, 4, 30))):
                yield
            buffer += yield self.log.read(cut)
            if on("read_twice") and (yield self.log.read(0, len(buffer))) != buffer:
                continue  # the first reading may even have a lost record whole
            log = self.world.read(buffer, state)
            if log.damage:
                raise Broken("false damage: a reader")
            return log.state

    def box(self):
        """Read elements; whether the reader can go on."""
        if not self.state.variables:
            return False
        v = self.rng.choice(list(self.state.variables.values()))
        indices = list(self.state.indices(v))
        files = yield from self.find(v)
        if not files:
            yield from self.go_on(anyway=True)
            if v.number in self.latest.variables or not on("removed_tells"):
                raise Broken("a file of a variable that counts is missing")
            return False
        if not indices:
            return True
        first = self.rng.randrange(len(indices))
        box = indices[first:first + self.rng.randrange(1, 8)]
        start, found = self.truth.time, []
        for index in box:
            found.append((yield from files.read(v, *v.place(index))))
        if on("words_after") and not (yield from self.still(v, box)):
            return False
        self.world.count("boxes read")
        for index, value in zip(box, found):
            self.truth.judge(self.state.key(v, index), value, v.fill, start, f"{v.name}{index}")
        return True

    def still(self, v, box):
        """Whether what was just read counts."""
        return (yield from self.go_on()) and all(
            lower <= index[axis] < upper for _, d, lower, upper in self.trims
            for axis, own in enumerate(v.dims) if own == d for index in box)

    def go_on(self, anyway=False):
        """Look at the live words, and read the log on if they tell to; False: this snapshot is too old."""
        now = yield words(self.log)
        moved = on("look_at_path") and now[1] and (yield self.folder.get("log")) is not self.log
        if moved:
            self.log = self.folder.get("log")
            now = yield words(self.log)
            self.latest = State()
        if moved or anyway or now[0] != self.seen[0]:
            self.latest = yield from self.read_log(self.latest)
            since = [trim for trim in self.latest.trims if trim[0] > self.state.seq]
            self.trims = [*self.trims, *since] if on("keep_trims") else since
        elif not on("keep_trims"):
            self.trims = []
        self.seen = now
        return self.latest.merged_trim <= self.state.seq
