"""What the part of netCDF measures."""

from collections import namedtuple

Column = namedtuple("Column", "key family title")
Row = namedtuple("Row", "key work data cold title")

COLUMNS = [
    Column("drx", "drx", "netCDF-C reads DRX"),
    Column("read", "drx", "libdrx alone"),
    Column("default", "netcdf", "netCDF-4, its default chunks"),
    Column("same", "netcdf", "netCDF-4, the same chunks"),
]

STORED = {"raw": "raw", "packed": "compressed"}
READS = {"whole": "all of it", "series": "a time series at a point", "strip": "a row of latitude through all times",
         "map": "one time, all points"}

ROWS = [
    Row("open", "open", "raw", False, "2 variables, 1 commit: open and close"),
    Row("open-many", "open", "many", False, "many variables and commits: open and close"),
    Row("ask-many", "ask", "many", False, "the same, and ask about each variable"),
    *(Row(f"{work}-{data}", work, data, False, f"{title}, {stored}")
      for data, stored in STORED.items() for work, title in READS.items()),
    *(Row(f"cold-{work}-{data}", work, data, True, f"{READS[work]}, {stored}, from the disk")
      for data, stored in STORED.items() for work in ("whole", "series")),
]

CHUNK = (32, 64, 64)
LEVEL = 5
REQUESTS = 4  # series, rows and maps in a measurement


def many(quick):
    """The numbers of variables and commits."""
    return (100, 100) if quick else (1000, 10000)


def count(row, quick):
    """How often a measurement makes the request."""
    if row.work in ("open", "ask"):
        n = {"open": 200, "open-many": 20, "ask-many": 3}[row.key]
        return max(n // 20, 1) if quick else n
    return 1 if row.work == "whole" else REQUESTS


def shape(size):
    """Of the grid of float32: 1 GiB of the size 512."""
    return 2 * size, size, size


def grid_bytes(size):
    return 4 * 2 * size**3
