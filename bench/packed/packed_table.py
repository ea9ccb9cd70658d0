"""What the part of compressed arrays measures."""

from collections import namedtuple

Column = namedtuple("Column", "key family title")
Row = namedtuple("Row", "key work data title")

COLUMNS = [
    Column("drx", "drx", "drx, zstd"),
    Column("drx-zlib", "drx", "drx, zlib"),
    Column("drx-raw", "drx", "drx, raw"),
    Column("hdf5-blosc", "hdf5", "HDF5, Blosc zstd"),
    Column("hdf5-zlib", "hdf5", "HDF5, shuffle and deflate"),
    Column("zarr", "zarr", "Zarr, Blosc zstd"),
    Column("blosc", "blosc", "Blosc alone"),
]

# name: file of ferret-datasets, variable
DATA = {"winds": ("monthly_navy_winds.cdf", "UWND"), "levitus": ("levitus_climatology.cdf", "TEMP"),
        "etopo": ("etopo20.cdf", "ROSE"), "noise": None}
GROWN = "winds"  # what slabs and small chunks hold

ROWS = (
    [Row(f"{work}-{data}", work, data, f"{title}, {data}")
     for work, title in (("whole", "all of it, warm"), ("cold", "all of it, cold")) for data in DATA]
    + [Row("elements", "elements", GROWN, "an element at random"),
       Row("points", "points", GROWN, "a list of elements at random"),
       Row("boxes", "boxes", GROWN, "a box of 16³ at random"),
       Row("slabs", "slabs", GROWN, "slabs of one plane, until chunks complete"),
       Row("slabs-all", "slabs-all", GROWN, "slabs of one plane, 4 chunks of them"),
       Row("growth-2d", "growth-2d", GROWN, "2-D, chunks of 8×8, every axis in turn")]
)
COUNTS = {"elements": 2000, "points": 200000, "boxes": 400}

CHUNK = (32, 64, 64)
LEVEL = 5


def count(work, quick):
    """How many elements or boxes are read."""
    n = COUNTS.get(work, 1)
    return max(n // 20, 1) if quick else n


def shape(size):
    """Of the array of float32: 1 GiB of the size 512."""
    edge = max(size, 64)
    return 2 * edge, edge, edge


def array_bytes(size):
    return 8 * shape(size)[1] ** 3
