"""A disk that loses power: files whose blocks, lengths and names become durable one by one, in any order, until a sync.

A step of a process is one call of these. It yields after it, so that others run, it is killed, or the power goes.
"""

FAILED = "a sync that failed"


class File:
    def __init__(self, block):
        self.block = block  # what a power cut writes as a whole
        self.now, self.durable = bytearray(), bytearray()
        self.clean = bytearray()  # `now` at the last sync, of which a sync that failed has left blocks not durable
        self.changes = []  # since the last sync: (offset, bytes), or the length alone
        self.locks = {}  # name: {process: shared}

    def __len__(self):
        return len(self.now)

    def write(self, offset, data):
        if offset + len(data) > len(self.now):
            self.resize(offset + len(data))
        self.now[offset:offset + len(data)] = data
        self.changes.append((offset, bytes(data)))

    def resize(self, length):
        if length != len(self.now):
            self.now[:] = self.now[:length].ljust(length, b"\0")
            self.changes.append(length)

    def read(self, offset=0, n=1 << 40):
        return bytes(self.now[offset:offset + n])

    def sync(self, fails=False):
        """One that fails leaves what it should have written clean in memory: the next one does not write it."""
        block, lost = self.block, set()
        for at in range(0, max(len(self.clean), len(self.durable)), block):
            if self.clean[at:at + block] != self.durable[at:at + block]:
                lost.add(at // block)
        written = {b for change in self.changes for b in self._blocks(change)}
        lost = lost | written if fails else lost - written
        old, self.durable = self.durable, bytearray(self.now)
        for b in lost:
            kept = old[b * block:(b + 1) * block].ljust(block, b"\0")
            self.durable[b * block:(b + 1) * block] = kept[:max(0, len(self.now) - b * block)]
        self.clean, self.changes = bytearray(self.now), []
        return FAILED if fails else None

    def _blocks(self, change):
        if isinstance(change, int):
            return ()
        return range(change[0] // self.block, -(-(change[0] + len(change[1])) // self.block))

    def lock(self, name, process, shared=False):
        holders = self.locks.setdefault(name, {})
        if any(who is not process and not (shared and other) for who, other in holders.items()):
            return False
        holders[process] = shared
        process.locks.append((self, name))
        return True

    def power_cut(self, rng):
        """Of each block some version since the last sync survives; of the lengths, those up to some one."""
        likely = rng.choice((0, .2, .5, .8, 1))
        lengths = [i for i, change in enumerate(self.changes) if isinstance(change, int)]
        kept = lengths[:rng.choice((0, len(lengths), rng.randint(0, len(lengths))))]
        image, versions, floor = bytearray(self.clean), {}, {}  # of a block, where a cut that survived leaves no choice
        for i, change in enumerate(self.changes):
            if isinstance(change, int):
                blocks = range(change // self.block, -(-len(image) // self.block))
                image[:] = image[:change].ljust(change, b"\0")
            else:
                blocks = self._blocks(change)
                image[:] = image.ljust(change[0] + len(change[1]), b"\0")
                image[change[0]:change[0] + len(change[1])] = change[1]
            for b in blocks:
                if i in kept:
                    floor[b] = i
                content = bytes(image[b * self.block:(b + 1) * self.block]).ljust(self.block, b"\0")
                versions.setdefault(b, []).append((i, content))
        result = bytearray(self.durable)
        for b, history in versions.items():
            old = bytes(self.durable[b * self.block:(b + 1) * self.block]).ljust(self.block, b"\0")
            choices = [c for i, c in [(-1, old)] + history if i >= floor.get(b, -1)]
            content = choices[-1] if rng.random() < likely else rng.choice(choices)
            result[:] = result.ljust((b + 1) * self.block, b"\0")
            result[b * self.block:(b + 1) * self.block] = content
        length = self.changes[kept[-1]] if kept else len(self.durable)
        self.now = result[:length].ljust(length, b"\0")
        self.clean, self.durable, self.changes, self.locks = bytearray(self.now), bytearray(self.now), [], {}


class Folder:
    def __init__(self):
        self.now, self.durable, self.changes = {}, {}, []

    def get(self, name):
        return self.now.get(name)

    def set(self, name, file):
        """Give a file a name, in place of another one; None takes the name away."""
        self.changes.append((name, file))
        self._change(self.now, name, file)

    @staticmethod
    def _change(names, name, file):
        names[name] = file
        if file is None:
            del names[name]

    def sync(self):
        self.durable, self.changes = dict(self.now), []

    def power_cut(self, rng):
        files = dict.fromkeys([*self.now.values(), *self.durable.values(), *(file for _, file in self.changes if file)])
        likely = rng.choice((0, .2, .5, .8, 1))
        self.now = dict(self.durable)
        for name, file in self.changes:
            if rng.random() < likely:
                self.now.pop(name, None) if file is None else self.now.update({name: file})
        self.sync()
        for file in files:
            file.power_cut(rng)
