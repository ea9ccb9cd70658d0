"""The parallel part of the benchmark: a group of processes that does the same work with each library."""

import os
import sys

import bench_machine
import bench_run
import parallel_ahead
import parallel_table
from bench_run import without_outcome
from bench_server import Server, in_mpi
from disk_machine import Limit, Unavailable
from parallel_table import AHEAD, chunk

LONGEST = 3 * 3600  # seconds that a group may live: one that hangs ends


class Run(bench_run.Run):
    def __init__(self, options, folder):
        super().__init__(options, folder, parallel_table)
        self.peers = self.program("mp-peers")
        self.shared = [row for row in self.rows if row != AHEAD]  # what the group of all peers does
        self.ahead = {}  # room: {ranks: [answer, ...]}; None: it is not built
        self.no_limit = None  # why memory cannot be limited
        self.found = {}  # versions

    def ask(self, work, peer, part):
        return self.servers["group"].ask(work, peer, self.options.size, chunk(self.options.size, part), self.folder)

    def measure(self, row, ranks):
        speeds = self.calibration[ranks][row.key] = []

        def ask(column):
            if column is None:
                self.calibrate(speeds, lambda: self.ask("calibrate", "posix", row.part))
                return None
            if row.work.startswith("write"):
                bench_machine.touch(5 * 8 * 512 * self.options.size ** 2 // 4)
            return self.ask(row.work, column.key, row.part)

        columns = [c for c in self.columns if c.chunked or not row.key.startswith("small-")]
        self.answers[ranks][row.key] = self.turns(f"{ranks} {row.key}", columns, ask)

    def files(self, verb, array, part):
        """Build or drop the array of each kind of file that a column reads."""
        done = set()
        for column in self.columns:
            if column.files not in done and (column.chunked or part == 1):
                done.add(column.files)
                self.ask(f"{verb}-{array}", column.key, part)
        os.sync()

    def start_group(self, ranks):
        self.end()
        self.servers["group"] = Server(in_mpi(ranks, LONGEST, self.peers), 1)

    def measure_array(self, part, array):
        """The rows that read this array, or none of those that are made beforehand. The first group makes it for all."""
        rows = [row for row in self.shared if (row.part, row.array or "") == (part, array)]
        for ranks in self.answers:
            self.start_group(ranks)
            if array and ranks == next(iter(self.answers)):
                self.spend(f"building {array}, part {part}", "all", self.files, "build", array, part)
            for row in rows:
                self.measure(row, ranks)
        if array:
            self.files("drop", array, part)
        self.found = self.ask("versions", "posix", 1)
        self.end()

    def measure_ahead(self):
        columns = [column for column in self.columns if column.key == "drx"]
        if not parallel_ahead.is_built(self.options.build):
            print(f"bench: zones read ahead are left out: {parallel_ahead.program(self.options.build)} is not built",
                  file=sys.stderr)
            self.ahead = None
            return

        def ask(column, ranks, enter):
            if column:
                os.sync()
                return parallel_ahead.run(ranks, self.options.build, self.options.size, self.folder, enter)
            return None

        def measure(room, enter=None):
            self.ahead[room] = {}
            for ranks in map(str, self.options.ranks):
                answers = self.turns(f"{ranks} {AHEAD.key}-{room}", columns, lambda column: ask(column, ranks, enter))
                self.ahead[room].update({ranks: found for found in answers.values()})

        try:
            limit = Limit(parallel_ahead.limit_bytes(self.options.size), None)
        except Unavailable as error:
            self.no_limit = str(error)
        else:
            try:
                measure(parallel_ahead.BEYOND, limit.enter)
            finally:
                limit.end()
        measure(parallel_ahead.FITS)

    def all(self):
        for ranks in map(str, self.options.ranks):
            self.answers[ranks], self.calibration[ranks] = {}, {}
        for part, array in sorted({(row.part, row.array or "") for row in self.shared}):
            self.measure_array(part, array)
        if AHEAD in self.rows:
            self.measure_ahead()

    def versions(self):
        return without_outcome(self.found)

    def results(self):
        return super().results(ranks=list(map(str, self.options.ranks)), calibration=self.calibration,
                               ahead=self.ahead, no_limit=self.no_limit)

    @staticmethod
    def needed_bytes(size):
        return 8 * 4096 * size ** 2  # eight arrays
