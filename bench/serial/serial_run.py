"""The serial part of the benchmark: one process for each library."""

import os

import bench_machine
import bench_run
import serial_table
from bench_run import without_outcome
from bench_server import Failure, Server, python_peer


class Run(bench_run.Run):
    def __init__(self, options, folder):
        super().__init__(options, folder, serial_table)
        peers = [self.program("peers")]
        self.servers = {"c": Server(peers, 1), "c2": Server(peers, 2),
                        "zarr": Server(python_peer("serial", "zarr_peer.py"), 1)}

    def ask(self, column, work, cache="warm"):
        return self.servers[column.server].ask(work, column.peer, self.options.size, cache, self.folder)

    def control(self, work, cache="warm"):
        """Something that is no peer's: calibration, versions, and what is right."""
        return self.servers["c"].ask(work, "truth", self.options.size, cache, self.folder)

    def measure(self, row):
        expected = self.control(row.work).get("checksum") if row.checked else None
        columns = [c for c in self.columns if c.key == "drx" or not row.own]
        speeds = self.calibration[row.key] = []
        grows = row.group in ("growth", "ends", "beside")
        known = set()  # columns that were checked, of those where that takes longer than the work

        def ask(column):
            if column is None:
                self.calibrate(speeds, lambda: self.control("calibrate"))
                if grows:
                    bench_machine.touch(2 * 8 * self.options.size ** 3)
                return None
            if grows:
                os.sync()  # what was written before must not be written back meanwhile
            work = f"{row.work}:1" if column.key in known else row.work
            answer = self.ask(column, work, row.cache)
            if row.checked and work == row.work and answer["outcome"] == "done":
                own = row.group == "growth" and column.server == "zarr"  # it compares elements itself
                if not own and answer.get("checksum") != expected:
                    raise Failure(f"{row.work}: {column.peer}: checksum {answer.get('checksum')}, expected {expected}")
                if row.group == "growth" or column.server == "zarr":
                    known.add(column.key)
            return answer

        self.answers[row.key] = self.turns(row.key, columns, ask)

    def files(self, verb, array):
        """Build or drop the array of each kind of file that a column reads."""
        done = set()
        for column in self.columns:
            if column.files and column.files not in done and (array != "history" or column.history):
                done.add(column.files)
                self.ask(column, f"{verb}-{array}")
        os.sync()

    def all(self):
        for array in (None, "cube", "table", "history"):
            rows = [row for row in self.rows if row.array == array]
            if rows and array:
                self.spend(f"building {array}", "all", self.files, "build", array)
            for row in rows:
                self.measure(row)
            if rows and array:
                self.files("drop", array)

    def versions(self):
        zarr = self.servers["zarr"].ask("versions", "zarr", self.options.size, "warm", self.folder)
        return without_outcome({**self.control("versions"), **zarr})

    def results(self):
        return super().results(calibration=self.calibration)

    @staticmethod
    def needed_bytes(size):
        return 9 * 8 * size ** 3 + (1 << 30 if size >= 256 else 0)
