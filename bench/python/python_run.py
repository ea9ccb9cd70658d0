"""The part of Python: the package drx, the C library, h5py and zarr take turns."""

import importlib.util
import os
import sys

import bench_machine
import bench_run
import python_table
from bench_server import Server, python_peer


def left_out(build):
    """Why it cannot run here, or None."""
    if not os.path.isdir(os.path.join(build, "python", "drx")):
        return f"{build}: the Python package was not built"
    if not importlib.util.find_spec("h5py"):
        return "no Python module h5py (Debian: python3-h5py)"
    for module in ("netCDF4", "xarray"):
        if not importlib.util.find_spec(module):
            return f"no Python module {module} (Debian: python3-{module.lower()})"
    return None


class Run(bench_run.Run):
    def __init__(self, options, folder):
        super().__init__(options, folder, python_table)
        self.servers["python"] = Server(python_peer("python", "python_peer.py"), len(os.sched_getaffinity(0)),
                                        [os.path.join(options.build, "python")], NUMPY_MADVISE_HUGEPAGE="1")

    def ask(self, work, peer, n):
        return self.servers["python"].ask(work, peer, n, self.options.size, self.folder)

    def all(self):
        for peer in dict.fromkeys("drx" if c.key == "c" else c.peer for c in self.columns if c.key != "netcdf4"):
            self.spend("building", peer, self.ask, "build", peer, 1)
        for row in self.rows:
            def ask(column):
                if column is None:
                    return None
                if row.key == "whole":
                    bench_machine.touch(2 * 8 * self.options.size ** 3)
                return self.ask(row.key, column.peer, python_table.count(row.key, column.peer, self.options.quick))

            self.answers[row.key] = self.turns(row.key, self.columns, ask, "each")

    def versions(self):
        import h5py
        import numpy
        import zarr

        return {"NumPy": numpy.__version__, "h5py": h5py.__version__, "HDF5": h5py.version.hdf5_version,
                "Zarr": zarr.__version__, "Python": sys.version.split()[0]}

    def results(self):
        return super().results(python=sys.version.split()[0])

    @staticmethod
    def needed_bytes(size):
        return 4 * 8 * size**3 + (64 << 20)  # the cubes of three peers, and rows
