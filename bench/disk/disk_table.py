"""What the part of the disk measures: the columns are peers, the rows are what one process does, which may be timed in
several parts."""

from collections import namedtuple

# key: for --peers; peer: its name in the process; files: of which array files it reads
Column = namedtuple("Column", "key family title peer files")

COLUMNS = [
    Column("drx", "drx", "drx", "drx", "drx"),
    Column("drx-sums", "drx", "drx, checksums", "drx-sums", "drx-sums"),
    Column("drx-striped", "drx", "drx, 3 stripes", "drx-striped", "drx-striped"),
    Column("posix", "posix", "contiguous, pread", "posix", "posix"),
    Column("posix-map", "posix", "contiguous, mmap", "posix-map", "posix"),
    Column("chunks", "bare", "bare chunks", "chunks", "drx"),
    Column("hdf5", "hdf5", "HDF5", "hdf5", "hdf5"),
    Column("hdf5-best", "hdf5", "HDF5, best", "hdf5-best", "hdf5-best"),
    Column("hdf5-big", "hdf5", "HDF5, large cache", "hdf5-big", "hdf5-best"),
]
DEVICE = Column("device", "device", "*the device*", None, None)
HDF5 = ["hdf5", "hdf5-best", "hdf5-big"]  # the fastest of those that were measured is HDF5's best

# key: for --only; work: what a process is asked; seconds: which of its times; pattern: of fio, or None, and amount: how
# much of it the row takes (disk_machine.PATTERNS and AMOUNTS); without: columns that are not asked
Row = namedtuple("Row", "key title group work seconds pattern amount without", defaults=[None, None, ()])

GROWN = ("posix", "chunks", "hdf5-big")  # columns that say nothing more of an array in memory
DEEP = ("drx-striped", "posix-map", "chunks", "hdf5-big")

ROWS = [
    Row("disk-whole", "whole, C order", "cold", "disk-whole", "seconds", "sequential read", "bytes"),
    Row("disk-again", "the same again, now in memory", "cold", "disk-whole", "again_seconds"),
    Row("disk-elements-after", "{after:,} elements after that, in memory", "cold", "disk-whole", "elements_seconds"),
    Row("disk-cat", "whole, C order, after cat", "cold", "disk-cat", "seconds"),
    Row("disk-cat-elements", "{after:,} elements after that", "cold", "disk-cat", "elements_seconds"),
    Row("disk-fortran", "whole, Fortran order", "cold", "disk-fortran", "seconds", "sequential read", "bytes"),
    Row("disk-planes-0", "8 planes a[i,:,:]", "cold", "disk-planes-0", "seconds", "8 KiB, 32 in flight", "chunks"),
    Row("disk-planes-1", "8 planes a[:,j,:]", "cold", "disk-planes-1", "seconds", "256 KiB, 32 in flight",
        "distinct_chunks"),
    Row("disk-planes-2", "8 planes a[:,:,k]", "cold", "disk-planes-2", "seconds", "256 KiB, 32 in flight",
        "distinct_chunks"),
    Row("disk-elements", "{few:,} elements one by one", "cold", "disk-elements", "seconds", "8 KiB, one by one",
        "requests"),
    Row("disk-points", "{few:,} elements as one request", "cold", "disk-points", "seconds", "8 KiB, 32 in flight",
        "requests"),
    Row("disk-boxes", "{boxes:,} boxes of 16³", "cold", "disk-boxes", "seconds", "256 KiB, 32 in flight",
        "distinct_chunks"),
    Row("deep-grow", "growth along all axes in turn, with a sync", "deep", "deep-grow", "seconds", "sequential write",
        "bytes", DEEP),
    *(Row(f"deep-slabs-{axis}", f"all, in slabs of 32 along axis {axis}", "deep", f"deep-slabs-{axis}", "seconds",
          "sequential read", "all_bytes", DEEP + (("posix",) if axis == 2 else ())) for axis in range(3)),
    Row("deep-boxes", "{large:,} boxes of 64³", "deep", "deep-boxes", "seconds", "256 KiB, 32 in flight", "chunks",
        DEEP + ("posix",)),
    Row("grown-elements", "{after:,} elements", "grown", "disk-grown", "seconds", without=GROWN),
    Row("grown-many", "{many:,} elements", "grown", "disk-grown", "many_seconds", without=GROWN),
    Row("grown-boxes", "{boxes:,} boxes of 16³", "grown", "disk-grown", "boxes_seconds", without=GROWN),
]


MOST_CUBES = 2.25


def touched_cubes(work):
    """So many times the memory of the cube does a measurement use: its file, what is read, and a cache of that."""
    return MOST_CUBES if work in ("disk-whole", "disk-cat", "disk-fortran") else 1.25


def _part(count, size):
    return max(20, int(count * (size / 512) ** 3))


def words(size):
    """How many requests there are: work_disk.c and work_deep.c have the same."""
    return {"few": _part(2000, size), "after": _part(20000, size), "many": _part(200000, size),
            "boxes": _part(1000, size), "large": max(10, 500 * size // 512)}


def title(row, size):
    return row.title.format(**words(size))


def array_bytes(size):
    return 8 * size ** 3


def deep_bytes(size):
    return 4 * array_bytes(size)
