"""What is measured: the columns are peers, each with a setting; the rows are workloads."""

from collections import namedtuple

# key: for --peers; server: the process that holds it; peer: its name there; files: of which array files it reads;
# history: it can have a history of growth
Column = namedtuple("Column", "key family title server peer files history")

COLUMNS = [
    Column("drx", "drx", "drx", "c", "drx", "drx", True),
    Column("drx-2", "drx", "drx, 2 threads", "c2", "drx", "drx", True),
    Column("drx-sums", "drx", "drx, checksums", "c", "drx-sums", "drx-sums", True),
    Column("posix", "posix", "contiguous, pread", "c", "posix", "posix", False),
    Column("posix-2", "posix", "contiguous, 2 threads", "c", "posix-2", "posix", False),
    Column("posix-map", "posix", "contiguous, mmap", "c", "posix-map", "posix", False),
    Column("bare", "bare", "bare pwrite", "c", "bare", None, False),
    Column("hdf5", "hdf5", "HDF5", "c", "hdf5", "hdf5", True),
    Column("hdf5-best", "hdf5", "HDF5, best", "c", "hdf5-best", "hdf5-best", True),
    Column("netcdf", "netcdf", "netCDF-4", "c", "netcdf", "netcdf", True),
    Column("netcdf-best", "netcdf", "netCDF-4, best", "c", "netcdf-best", "netcdf-best", True),
    Column("zarr", "zarr", "Zarr", "zarr", "zarr", "zarr", True),
    Column("zarr-best", "zarr", "Zarr, best", "zarr", "zarr-best", "zarr", True),
]

# key: for --only; own: only drx has it; checked: there is a checksum
Row = namedtuple("Row", "key title work array cache group own checked")

READS = [
    ("whole-c", "whole, C order"),
    ("whole-f", "whole, Fortran order"),
    ("planes-0", "64 planes a[i,:,:]"),
    ("planes-1", "64 planes a[:,j,:]"),
    ("planes-2", "64 planes a[:,:,k]"),
    ("elements", "random elements"),
    ("boxes", "random boxes of 16³"),
]

ROWS = (
    [Row("growth-3d", "3-D, every axis in turn", "growth-3d", None, "warm", "growth", False, True),
     Row("growth-2d", "2-D, chunks of 8×8, every axis in turn", "growth-2d", None, "warm", "growth", False, True),
     Row("growth-axis-0", "3-D, axis 0 only", "growth-axis-0", None, "warm", "growth", False, True)]
    + [Row(key, title, key, "cube", "warm", "warm", False, True) for key, title in READS]
    + [Row("boxes-shared", "the same boxes, two threads of the program", "boxes-shared", "cube", "warm", "warm", False,
           True)]
    + [Row(f"cold-{key}", title, key, "cube", "cold", "cold", False, True) for key, title in READS]
    + [Row("strips", "column strips of a table chunked in rows", "strips", "table", "warm", "warm", False, True),
       Row("cold-strips", "column strips of a table chunked in rows", "strips", "table", "cold", "cold", False, True),
       Row("open", "open and read the first element", "open", "history", "warm", "open", False, True)]
    + [Row(f"addresses-{n}", f"{n:,} records", f"addresses-{n}", None, "warm", "addresses", True, False)
       for n in (10, 1000, 100000)]
    + [Row("addresses-ends", "1,000 records, at both ends", "addresses-ends", None, "warm", "addresses", True, False)]
    + [Row("ends-high", "growth at the high ends", "ends-high", None, "warm", "ends", True, False),
       Row("ends-low", "growth at the low ends", "ends-low", None, "warm", "ends", True, False)]
    + [Row("beside-nobody", "alone", "beside-nobody", None, "warm", "beside", True, False),
       Row("beside-appends", "while another thread appends", "beside-appends", None, "warm", "beside", True, False)]
    + [Row(f"rolling-{n}", f"{n:,} days", f"rolling-{n}", None, "warm", "rolling", True, False)
       for n in (1000, 10000, 1000000)]
    + [Row("dataset", "100 variables", "dataset", None, "warm", "dataset", True, False),
       Row("jobs", "ten jobs", "jobs", None, "warm", "jobs", True, False)]
)
