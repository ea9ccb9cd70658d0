"""What the parallel part measures: the columns are peers, each with a setting; the rows are workloads."""

from collections import namedtuple

# key: for --peers, and its name in mp-peers; files: of which array files it reads; chunked: its arrays have chunks
Column = namedtuple("Column", "key family title files chunked")

COLUMNS = [
    Column("drx", "drx", "drx", "drx", True),
    Column("hdf5", "hdf5", "HDF5", "hdf5", True),
    Column("hdf5-alone", "hdf5", "HDF5, independent", "hdf5", True),
    Column("hdf5-best", "hdf5", "HDF5, best", "hdf5-best", True),
    Column("hdf5-best-alone", "hdf5", "HDF5, best, independent", "hdf5-best", True),
    Column("pnetcdf", "pnetcdf", "PnetCDF", "pnetcdf", False),
    Column("mpiio", "mpiio", "contiguous, MPI-IO", "mpiio", False),
    Column("posix", "posix", "contiguous, pread", "posix", False),
]

# key: for --only; array: it reads this one, which is made beforehand; part: of the size, the extent of a chunk is this
Row = namedtuple("Row", "key title work array part")

WORKS = [  # name, title, array
    ("write", "write", None),
    ("write-fortran", "write, Fortran order", None),
    ("write-history", "write after 8 growths", None),
    ("write-unaligned", "write, unaligned", None),
    ("read", "read", "plain"),
    ("read-fortran", "read, Fortran order", "plain"),
    ("read-unaligned", "read, unaligned", "plain"),
    ("strips", "16 strips of 64 columns", "plain"),
    ("sections", "8 unaligned square sections", "plain"),
    ("boxes", "random boxes of 16×16", "plain"),
    ("read-history", "read after 8 growths", "history"),
    ("extend", "one growth", None),
    ("extend-stored", "one growth, stored", None),
]

LARGE, SMALL = 1, 8

ROWS = [Row(prefix + name, title, name, array, part) for part, prefix in ((LARGE, ""), (SMALL, "small-"))
        for name, title, array in WORKS]
AHEAD = Row("zones-ahead", "zones read ahead", None, None, None)  # a program of its own, which only drx has
ROWS.append(AHEAD)


def chunk(size, part):
    return max(size // part, 32)
