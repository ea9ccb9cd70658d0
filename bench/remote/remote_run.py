"""The part of arrays on a server: drx, Zarr and HDF5 take turns at the end of a slow line."""

import importlib.util
import os

import bench_machine
import bench_run
import remote_site
import remote_table
from bench_server import ROOT, Server, python_peer


def left_out(build):
    """Why it cannot run here, or None."""
    if not os.path.isdir(os.path.join(build, "python", "drx")):
        return f"{build}: the Python package was not built"
    if not remote_site.NGINX:
        return "no program nginx (Debian: nginx-light)"
    for module in ("aiohttp", "fsspec", "h5netcdf", "h5py", "xarray"):
        if not importlib.util.find_spec(module):
            return f"no Python module {module} (Debian: python3-{module})"
    return None


class Run(bench_run.Run):
    def __init__(self, options, folder):
        super().__init__(options, folder, remote_table)
        self.root = os.path.join(folder, "served")
        os.makedirs(self.root)
        os.chmod(folder, 0o755)
        self.site = remote_site.Site(self.root, os.path.join(folder, "nginx"), self.program("delayed"),
                                     remote_table.DELAY_MS)
        rooms = [os.path.join(options.build, "python"), *(os.path.join(ROOT, "bench", r) for r in ("python", "remote"))]
        self.servers["python"] = Server(python_peer("remote", "remote_peer.py"), len(os.sched_getaffinity(0)), rooms,
                                        NUMPY_MADVISE_HUGEPAGE="1", BENCH_URL=self.site.url)

    def end(self):
        super().end()
        self.site.end()

    def ask(self, work, peer, n=1):
        before = self.site.requests()
        answer = self.servers["python"].ask(work, peer, n, self.options.size, self.root)
        return {**answer, "requests": self.site.requests() - before}

    def all(self):
        for family in dict.fromkeys(c.family for c in self.columns if c.family != "bytes"):
            self.spend("building", family, self.ask, "build", family)
        for row in self.rows:
            def ask(column):
                if column is not None:
                    return self.ask(row.key, column.key, remote_table.count(row.key, self.options.quick))
                if row.key == "whole":
                    bench_machine.touch(2 * 8 * self.options.size**3)
                return None

            self.answers[row.key] = self.turns(row.key, self.columns, ask)

    def versions(self):
        import fsspec
        import h5py
        import xarray
        import zarr

        return {"Zarr": zarr.__version__, "fsspec": fsspec.__version__, "h5py": h5py.__version__,
                "HDF5": h5py.version.hdf5_version, "xarray": xarray.__version__}

    def results(self):
        return super().results(remote_ms=remote_table.DELAY_MS)

    @staticmethod
    def needed_bytes(size):
        return 3 * 8 * size**3 + (512 << 20)  # the cubes and datasets of three peers
