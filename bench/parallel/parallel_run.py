"""The parallel part of the benchmark: a group of processes that does the same work with each library."""

import os

import bench_run
import parallel_table
from bench_run import without_outcome
from bench_server import Server, in_mpi
from parallel_table import chunk

LONGEST = 3 * 3600  # seconds that a group may live: one that hangs ends


class Run(bench_run.Run):
    def __init__(self, options, folder):
        super().__init__(options, folder, parallel_table)
        self.peers = self.program("mp-peers")
        self.found = {}  # versions

    def ask(self, work, peer, part):
        return self.servers["group"].ask(work, peer, self.options.size, chunk(self.options.size, part), self.folder)

    def measure(self, row, ranks):
        speeds = self.calibration[ranks][row.key] = []

        def ask(column):
            if column is None:
                speeds.append(self.ask("calibrate", "posix", row.part))
                return None
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

    def measure_rows(self, ranks):
        for part, array in sorted({(row.part, row.array or "") for row in self.rows}):
            if array:
                self.spend(f"{ranks} {array}", "building", self.files, "build", array, part)
            for row in self.rows:
                if (row.part, row.array or "") == (part, array):
                    self.measure(row, ranks)
            if array:
                self.files("drop", array, part)

    def all(self):
        for ranks in map(str, self.options.ranks):
            self.answers[ranks], self.calibration[ranks] = {}, {}
            self.servers["group"] = Server(in_mpi(ranks, LONGEST, self.peers), 1)
            self.found = self.ask("versions", "posix", 1)
            self.measure_rows(ranks)
            self.end()

    def versions(self):
        return without_outcome(self.found)

    def results(self):
        return super().results(ranks=list(map(str, self.options.ranks)), calibration=self.calibration)

    @staticmethod
    def needed_bytes(size):
        return 8 * 4096 * size ** 2  # eight arrays
