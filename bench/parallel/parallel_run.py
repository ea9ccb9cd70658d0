"""The parallel part of the benchmark: a group of processes that does the same work with each library."""

import os

import bench_machine
import serial_report
from parallel_table import COLUMNS, ROWS, chunk
from bench_server import ROOT, Failure, Server, take_turns

LONGEST = 3 * 3600  # seconds that a group may live: one that hangs ends


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.program = os.path.join(options.build, "bench", "mp-peers")
        if not os.access(self.program, os.X_OK):
            raise Failure(f"{self.program}: is not there, expected it from `make bench`")
        self.columns = [c for c in COLUMNS if not options.peers or c.key in options.peers or c.family in options.peers]
        self.rows = wanted_rows(options)
        self.group = None
        self.versions = {}
        self.answers = {}      # ranks: {row: {column: [answer, ...]}}
        self.calibration = {}  # ranks: {row: [answer, ...]}

    def end(self):
        if self.group:
            self.group.end()
        self.group = None

    def ask(self, work, peer, part):
        size = self.options.size
        return self.group.ask(work, peer, size, chunk(size, part), self.folder)

    def tell(self, text):
        if not self.options.silent:
            print(text, flush=True)

    def measure(self, row, ranks):
        speeds = self.calibration[ranks][row.key] = []

        def ask(column):
            if column is None:
                speeds.append(self.ask("calibrate", "posix", row.part))
                return None
            return self.ask(row.work, column.key, row.part)

        columns = [c for c in self.columns if c.chunked or not row.key.startswith("small-")]
        answers = self.answers[ranks][row.key] = take_turns(columns, self.options.repeat, ask)
        self.tell(f"{ranks} {row.key:22} " + "  ".join(
            f"{key} {serial_report.seconds_text(serial_report.median(a))}" for key, a in answers.items()))

    def files(self, verb, array, part):
        """Build or drop the array of each kind of file that a column reads."""
        done = set()
        for column in self.columns:
            if column.files not in done and (column.chunked or part == 1):
                done.add(column.files)
                self.ask(f"{verb}-{array}", column.key, part)
        os.sync()

    def measure_rows(self, ranks):
        for part, array in sorted({(row.part, row.array or "") for row in self.rows}):
            if array:
                self.files("build", array, part)
            for row in self.rows:
                if (row.part, row.array or "") == (part, array):
                    self.measure(row, ranks)
            if array:
                self.files("drop", array, part)

    def all(self):
        for ranks in map(str, self.options.ranks):
            self.answers[ranks], self.calibration[ranks] = {}, {}
            command = [os.path.join(ROOT, "scripts/in-mpi"), ranks, str(LONGEST), self.program]
            self.group = Server("mp-peers", command, 1)
            self.versions = self.ask("versions", "posix", 1)
            self.measure_rows(ranks)
            self.end()

    def results(self):
        return {
            "machine": bench_machine.describe(self.folder, self.options.build),
            "versions": {name: text for name, text in self.versions.items() if name not in ("workload", "outcome")},
            "size": self.options.size, "repeat": self.options.repeat, "ranks": list(map(str, self.options.ranks)),
            "answers": self.answers, "calibration": self.calibration,
        }


def wanted_rows(options):
    return [r for r in ROWS if not options.only or any(r.key.startswith(word) for word in options.only)]


def needed_bytes(size):
    return 8 * 4096 * size ** 2  # eight arrays


def left_out(build):
    """Why there is no parallel part, or None."""
    try:
        with open(os.path.join(build, "bench/mp-left-out"), encoding="utf-8") as file:
            return file.read().strip()
    except FileNotFoundError:
        return None
