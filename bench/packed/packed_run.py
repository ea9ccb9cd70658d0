"""The part of compressed arrays: drx, HDF5, Zarr and Blosc alone take turns."""

import importlib.util
import os

import bench_run
import packed_table
from bench_server import Server, python_peer


def left_out(build):
    """Why it cannot run here, or None."""
    if not os.path.isdir(os.path.join(build, "python", "drx")):
        return f"{build}: the Python package was not built"
    for module in ("h5py", "netCDF4", "numcodecs"):
        if not importlib.util.find_spec(module):
            return f"no Python module {module} (Debian: python3-{module.lower()})"
    import packed_data

    if not packed_data.has_files():
        return f"{packed_data.FOLDER}: has not the files of ferret-datasets"
    return None


class Run(bench_run.Run):
    def __init__(self, options, folder):
        super().__init__(options, folder, packed_table)
        self.servers["python"] = Server(python_peer("packed", "packed_peer.py"), len(os.sched_getaffinity(0)),
                                        [os.path.join(options.build, "python")], NUMPY_MADVISE_HUGEPAGE="1")
        self.built = {}  # data: {column: answer}

    def ask(self, work, data, column):
        return self.servers["python"].ask(f"{work}-{data}", column.key, packed_table.count(work, self.options.quick),
                                          self.options.size, self.folder)

    def all(self):
        for data in packed_table.DATA:
            rows = [row for row in self.rows if row.data == data]
            if rows:
                self.measure(data, rows)

    def measure(self, data, rows):
        stored = [column for column in self.columns if column.key != "blosc"]
        answers = {column.key: self.spend(f"building {data}", column.key, self.ask, "build", data, column)
                   for column in stored}
        self.built[data] = {key: answer for key, answer in answers.items() if answer["outcome"] == "done"}
        columns = [c for c in self.columns if c.key == "blosc" or c.key in self.built[data]]
        for row in rows:
            def ask(column):
                return None if column is None else self.ask(row.work, row.data, column)

            self.answers[row.key] = self.turns(row.key, columns, ask)
        for column in stored:
            if column.key in self.built[data]:
                self.ask("drop", data, column)

    def versions(self):
        import h5py
        import numcodecs
        import zarr

        return {"h5py": h5py.__version__, "HDF5": h5py.version.hdf5_version, "Zarr": zarr.__version__,
                "Blosc": numcodecs.blosc.VERSION_STRING}

    def results(self):
        return super().results(packed=self.built)

    @staticmethod
    def needed_bytes(size):
        return 12 * packed_table.array_bytes(size) + (64 << 20)  # one array at a time, of six peers, and slabs
