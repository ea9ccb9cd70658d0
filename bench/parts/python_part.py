"""From Python: the package drx, the C library, h5py and zarr, in one process."""

import bench_run
from bench_page import REPEATED, TOUCHED, Aim, Entry, Group, bytes_text, over, own
from bench_run import missing

TITLE = "Python"
NEEDED = 5  # those of three peers, and rows

COLUMNS = [
    Entry("c", "C library", family="drx"),
    Entry("drx", "drx"),
    Entry("h5py", "h5py"),
    Entry("zarr", "zarr"),
    Entry("netcdf4", "netCDF4", family="netcdf"),
]
# count: how many of them a peer does; slow: how many the others than drx do, where it is fewer
ROWS = [
    Entry("whole", "`a[...]`, all of it", touched=2),
    Entry("element", "`a[5, 6, 7]`, always the same", count=100000, slow={"h5py": 5000, "zarr": 1000}),
    Entry("elements", "`a[i, j, k]` at random", count=20000, slow={"h5py": 5000, "zarr": 1000}),
    Entry("boxes-4", "`a[i:i+4, j:j+4, k:k+4]` at random", count=5000, slow={"zarr": 500}),
    Entry("boxes-16", "`a[i:i+16, j:j+16, k:k+16]` at random", count=2000, slow={"zarr": 300}),
    Entry("append", "append of a row of 100 doubles", count=5000, slow={"h5py": 2000, "zarr": 500}),
    Entry("months", "a month of ten variables appended to a dataset, durable", count=12),
]

AIMS = [
    Aim("`a[...]`: drx / the C library", over("whole", "drx", "c", key="each"), None, 1.1),
    Aim("`a[...]`: h5py / drx", over("whole", "h5py", key="each"), 2),
    Aim("random elements: h5py / drx", over("elements", "h5py", key="each"), 10),
    Aim("random boxes of 4³: zarr / drx", over("boxes-4", "zarr", key="each"), 20),
    Aim("a month of a dataset: xarray to Zarr / drx", over("months", "zarr", key="each"), 5),
    Aim("a month of a dataset: netCDF4 / drx", over("months", "netcdf4", key="each"), 1),
    Aim("one element, warm", own("element", "each", 1e6), None, 3, " µs"),
    Aim("append of a row", own("append", "each", 1e6), None, 20, " µs"),
]
AIMS_ARE = "Medians, and ratios of medians"
VERSIONS = ("NumPy", "h5py", "HDF5", "Zarr", "Python")

ABOUT = "The package `drx`, h5py and zarr do the same work from Python, in one process."
METHOD = f"""\
- The cube has {{size}}³ doubles ({{bytes}}) in chunks of 32³, uncompressed, and is in the page cache. Rows of 100
doubles are appended to an array in chunks of 1024 rows. All three packages are used as their documentation says;
h5py with `libver="latest"`. The benchmark checks what was read, untimed.
- A month is ten variables of 73 x 144 float32, in chunks of twelve months. It is durable before the next one
begins: `drx.Dataset` commits, netCDF4 syncs and its file is synced, xarray appends to Zarr and the files that this
changed are synced. This touches the disk.
- *C library*: `drx_read` into memory that is as fresh as NumPy's.
{TOUCHED}
{REPEATED} The times are those of one access.
"""
GROUPS = [Group(None, "Times", key_of="each")]


def words(results):
    return {"bytes": bytes_text(8 * results["size"] ** 3)}


def left_out(build):
    return missing(build, "h5py", "netCDF4", "xarray")


class Run(bench_run.Run):
    MODULE = "python_peer"

    def all(self):
        for peer in dict.fromkeys("drx" if c.key == "c" else c.key for c in self.columns if c.key != "netcdf4"):
            self.spend("building", peer, self.command, "python", "build", peer)
        super().all()

    def ask(self, row, column):
        count = (row.slow or {}).get(column.key, row.count or 1)
        return self.command("python", row.key, column.key, self.quick_count(count))
