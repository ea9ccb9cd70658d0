"""The part of Python: the package drx, the C library, h5py and zarr take turns."""

import importlib.util
import os
import sys

import bench_machine
import serial_report
from python_table import COLUMNS, ROWS, count
from bench_server import ROOT, Failure, Server, take_turns


def left_out(build):
    """Why it cannot run here, or None."""
    if not os.path.isdir(os.path.join(build, "python", "drx")):
        return f"{build}: the Python package was not built"
    if not importlib.util.find_spec("h5py"):
        return "no Python module h5py (Debian: python3-h5py)"
    return None


def needed_bytes(size):
    """Of the cubes of three peers, and rows."""
    return 4 * 8 * size**3 + (64 << 20)


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        program = ["/usr/bin/python3", os.path.join(ROOT, "bench/python/python_peer.py")]
        self.server = Server("python_peer.py", program, len(os.sched_getaffinity(0)),
                             {"PYTHONPATH": os.path.join(options.build, "python"), "NUMPY_MADVISE_HUGEPAGE": "1"})
        self.columns = [c for c in COLUMNS if not options.peers or c.key in options.peers or c.family in options.peers]
        self.rows = [r for r in ROWS if not options.only or any(r.key.startswith(word) for word in options.only)]
        self.answers = {}

    def end(self):
        self.server.end()

    def ask(self, work, peer, n):
        return self.server.ask(work, peer, n, self.options.size, self.folder)

    def all(self):
        for peer in dict.fromkeys("drx" if c.key == "c" else c.peer for c in self.columns):
            self.ask("build", peer, 1)
        for row in self.rows:
            def ask(column):
                if column is None:
                    return None
                return self.ask(row.key, column.peer, count(row.key, column.peer, self.options.quick))

            self.answers[row.key] = take_turns(self.columns, self.options.repeat, ask)
            if not self.options.silent:
                print(f"{row.key:20} " + "  ".join(
                    f"{key} {serial_report.seconds_text(serial_report.median(answers, 'each'))}"
                    for key, answers in self.answers[row.key].items()), flush=True)

    def results(self):
        import h5py
        import numpy
        import zarr

        return {"python": sys.version.split()[0], "size": self.options.size, "repeat": self.options.repeat,
                "answers": self.answers, "machine": bench_machine.describe(self.folder, self.options.build),
                "versions": {"NumPy": numpy.__version__, "h5py": h5py.__version__, "HDF5": h5py.version.hdf5_version,
                             "Zarr": zarr.__version__, "Python": sys.version.split()[0]}}


__all__ = ["Failure", "Run", "left_out", "needed_bytes"]
