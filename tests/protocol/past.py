"""What random histories found once in thousands, told directly."""
import random
from types import SimpleNamespace

from disk import File
from packed import HALF, Packed
from rules import Broken
from world import Process, World, finish


class Opening(random.Random):
    """A writer that has this makes open payloads; a reader reads the first 16 bytes of an entry, then the rest."""

    def random(self):
        return 0

    def randrange(self, *_):
        return 16


class Store:
    """One compressed variable, and its writer."""

    def __init__(self):
        self.process = Process(World(random.Random(1)))
        self.process.sharing, self.process.rng = False, Opening()
        self.v = SimpleNamespace(cells=2, fill=0, epoch=0, given=2)
        self.files = Packed(self.process, [File(8), File(8)])
        self.files.present = 1

    def does(self, what, *rest):
        """And a sync."""
        finish(getattr(self.files, what)(self.v, *rest))
        self.v.epoch = finish(self.files.promise(self.v))


def torn_emptying():
    """The entry of a freed chunk is emptied; a power cut brings its older half back, whose place another one has."""
    store = Store()
    store.does("write", 0, {0: 7})
    store.does("close", 0)
    store.does("punch", 0)
    store.does("write", 1, {0: 8})
    before = store.files.table.read(HALF, HALF)
    store.does("free", 0)
    store.files.table.write(HALF, before)
    store.does("free", 0)
    if finish(store.files.read(store.v, 1, 0)) != 8:
        raise Broken("giving back the payload of one chunk wiped another one")


def emptied_half():
    """Of an entry a reader has a half that was not yet written, and one that was emptied since."""
    store = Store()
    store.does("write", 0, {0: 7})
    steps = store.files.read(store.v, 0, 0)
    value = steps.send(None)
    store.does("close", 0)
    store.does("punch", 0)
    try:
        while True:
            value = steps.send(value)
    except StopIteration as end:
        if end.value != 7:
            raise Broken("a reader took two empty halves for an empty chunk") from None


def past():
    torn_emptying()
    emptied_half()
