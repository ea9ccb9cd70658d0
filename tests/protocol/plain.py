"""Elements as they are, in one file or in stripes (7, 9). Every method that yields is a generator of steps."""
import struct

from rules import Broken, on

WORD = struct.Struct("<I")


class Plain:
    def __init__(self, process, files):
        self.process, self.files = process, files

    def _at(self, variable, q, cell):
        return self.files[q % len(self.files)], (q // len(self.files) * variable.cells + cell) * WORD.size

    def read(self, variable, q, cell):
        file, at = self._at(variable, q, cell)
        data = yield file.read(at, WORD.size)
        if len(data) < WORD.size and variable.fill:
            raise Broken("false damage: a file is shorter than promised")
        return WORD.unpack(data)[0] if len(data) == WORD.size else variable.fill

    def write(self, variable, q, cells):
        for cell, value in cells.items():
            file, at = self._at(variable, q, cell)
            yield file.write(at, WORD.pack(value))
        return True

    def add(self, variable, before):
        """The chunks from address `before` on: fill, where it is not zeros."""
        for q in range(before if variable.fill else variable.given, variable.given):
            file, at = self._at(variable, q, 0)
            yield file.write(at, WORD.pack(variable.fill) * variable.cells)

    def cut(self, variable):
        stripes = len(self.files)
        for k, file in enumerate(self.files):
            length = max(0, -((k - variable.given) // stripes)) * variable.cells * WORD.size
            if len(file) > length:
                yield file.resize(length)

    def sync(self, variable):
        for file in self.files if on("every_stripe") else self.files[:1]:
            yield file.sync()

    def promise(self, variable):
        """Make elements durable; the epoch that a run has to append, if any."""
        yield from self.sync(variable)

    def recover(self, variable, live):
        yield from ()

    def free(self, variable, q):
        """Give the space of a chunk back."""
        file, at = self._at(variable, q, 0)
        if at < len(file):
            yield file.write(at, bytes(variable.cells * WORD.size))
