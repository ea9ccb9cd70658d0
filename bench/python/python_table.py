"""What the part of Python measures."""

from collections import namedtuple

Column = namedtuple("Column", "key family peer title")
Row = namedtuple("Row", "key title unit")

COLUMNS = [
    Column("c", "drx", "c", "C library"),
    Column("drx", "drx", "drx", "drx"),
    Column("h5py", "h5py", "h5py", "h5py"),
    Column("zarr", "zarr", "zarr", "zarr"),
    Column("netcdf4", "netcdf", "netcdf4", "netCDF4"),
]

# What one of them is, for tables: the time is divided by their number
ROWS = [
    Row("whole", "`a[...]`, all of it", "reading"),
    Row("element", "`a[5, 6, 7]`, always the same", "read"),
    Row("elements", "`a[i, j, k]` at random", "read"),
    Row("boxes-4", "`a[i:i+4, j:j+4, k:k+4]` at random", "read"),
    Row("boxes-16", "`a[i:i+16, j:j+16, k:k+16]` at random", "read"),
    Row("append", "append of a row of 100 doubles", "append"),
    Row("months", "a month of ten variables appended to a dataset, durable", "month"),
]
EDGE = 32  # of chunks
COUNTS = {"whole": 1, "element": 100000, "elements": 20000, "boxes-4": 5000, "boxes-16": 2000, "append": 5000,
          "months": 12}
SLOW_COUNTS = {"h5py": {"element": 5000, "elements": 5000, "append": 2000},
               "zarr": {"element": 1000, "elements": 1000, "boxes-4": 500, "boxes-16": 300, "append": 500}}


def count(row, peer, quick):
    """How many of a row a peer does."""
    n = SLOW_COUNTS.get(peer, {}).get(row, COUNTS[row])
    return max(n // 20, 1) if quick else n
