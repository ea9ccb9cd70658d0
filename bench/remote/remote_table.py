"""What the part of arrays on a server measures."""

from collections import namedtuple

Column = namedtuple("Column", "key family title")
Row = namedtuple("Row", "key title")

COLUMNS = [
    Column("drx", "drx", "drx"),
    Column("drx-together", "drx", "drx, in one call"),
    Column("zarr", "zarr", "Zarr, consolidated"),
    Column("hdf5", "hdf5", "HDF5, fsspec"),
    Column("hdf5-best", "hdf5", "HDF5, fsspec, blocks of 1 MiB"),
    Column("bytes", "bytes", "*one request*"),
]

ROWS = [
    Row("open", "open an array, and read an element"),
    Row("dataset", "open a dataset, and learn the ten shapes"),
    Row("xarray", "open it with xarray"),
    Row("whole", "all of an array"),
    Row("planes", "8 planes a[:,j,:]"),
    Row("rows", "100 boxes of 16³, row by row"),
    Row("boxes", "100 boxes of 16³ at random"),
]

DELAY_MS = 10  # each way
VARIABLES, GRID = [f"v{i}" for i in range(10)], (120, 73, 144)
EDGE = 16  # of boxes


def count(row, quick):
    """How many planes or boxes are read."""
    n = {"planes": 8, "rows": 100, "boxes": 100}.get(row, 1)
    return max(n // 10, 1) if quick else n
