"""The serial part of the benchmark: one process for each library."""

import os

import bench_machine
import serial_report
from bench_server import ROOT, Failure, Server, take_turns
from serial_table import COLUMNS, ROWS


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        program = os.path.join(options.build, "bench", "peers")
        if not os.access(program, os.X_OK):
            raise Failure(f"{program}: is not there, expected it from `make bench`")
        self.servers = {}
        self.servers["c"] = Server("peers", [program], 1)
        self.servers["c2"] = Server("peers", [program], 2)
        self.servers["zarr"] = Server("zarr_peer.py", ["/usr/bin/python3", os.path.join(ROOT, "bench/serial/zarr_peer.py")], 1)
        self.columns = [c for c in COLUMNS if not options.peers or c.key in options.peers or c.family in options.peers]
        self.rows = wanted_rows(options)
        self.answers = {}      # row: {column: [answer, ...]}
        self.calibration = {}  # row: [answer, ...]

    def end(self):
        for server in self.servers.values():
            server.end()

    def ask(self, column, work, cache="warm"):
        return self.servers[column.server].ask(work, column.peer, self.options.size, cache, self.folder)

    def control(self, work, cache="warm"):
        """Something that is no peer's: calibration, versions, and what is right."""
        return self.servers["c"].ask(work, "truth", self.options.size, cache, self.folder)

    def tell(self, text):
        if not self.options.silent:
            print(text, flush=True)

    def measure(self, row):
        expected = self.control(row.work).get("checksum") if row.checked else None
        columns = [c for c in self.columns if c.family == "drx" or not row.own]
        columns = [c for c in columns if c.key == "drx"] if row.own else columns
        speeds = self.calibration[row.key] = []

        def ask(column):
            if column is None:
                speeds.append(self.control("calibrate"))
                return None
            if row.group == "growth":
                os.sync()  # what was written before must not be written back meanwhile
            answer = self.ask(column, row.work, row.cache)
            if row.checked and answer["outcome"] == "done" and answer.get("checksum") != expected:
                raise Failure(f"{row.work}: {column.peer}: checksum {answer.get('checksum')}, expected {expected}")
            return answer

        answers = self.answers[row.key] = take_turns(columns, self.options.repeat, ask)
        self.tell(f"{row.key:20} " + "  ".join(
            f"{key} {serial_report.seconds_text(serial_report.median(a))}" for key, a in answers.items()))

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
                self.tell(f"building: {array}")
                self.files("build", array)
            for row in rows:
                self.measure(row)
            if rows and array:
                self.files("drop", array)

    def versions(self):
        found = {**self.control("versions"), **self.servers["zarr"].ask("versions", "zarr", 64, "warm", self.folder)}
        return {name: text for name, text in found.items() if name not in ("workload", "outcome")}

    def results(self):
        return {
            "machine": bench_machine.describe(self.folder, self.options.build),
            "versions": self.versions(), "size": self.options.size, "repeat": self.options.repeat,
            "answers": self.answers, "calibration": self.calibration,
        }


def wanted_rows(options):
    return [r for r in ROWS if not options.only or any(r.key.startswith(word) for word in options.only)]


def needed_bytes(size):
    return 9 * 8 * size ** 3 + (1 << 30 if size >= 256 else 0)
