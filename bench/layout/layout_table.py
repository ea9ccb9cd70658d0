"""What the part of layouts measures: copies of a matrix into other chunks, requests of many shapes, a product."""

from collections import namedtuple

# key: for --peers; server: the process that holds it; peer: its name there; checker: the process that checks its copy
Column = namedtuple("Column", "key family title server peer checker")

COLUMNS = [
    Column("drx", "drx", "drx", "c-all", "drx", "c"),
    Column("drx-1", "drx", "drx, 1 thread", "c", "drx", "c"),
    Column("cp", "cp", "cp", "tools", "cp", "tools"),
    Column("h5repack", "hdf5", "h5repack", "tools", "hdf5", "c"),
    Column("nccopy", "netcdf", "nccopy", "tools", "netcdf", "c"),
    Column("nccopy-best", "netcdf", "nccopy, same memory", "tools", "netcdf-best", "c"),
    Column("zarr", "zarr", "rechunker's way, Zarr", "tools", "zarr", "tools"),
]

# key: for --only. Of a copy: chunk, its extents of 16384 being those of the matrix, whatever its size; turned: its
# axes are permuted
Row = namedtuple("Row", "key cache chunk turned title", defaults=[None])

COPIES = [  # from chunks of 8 x 16384
    ("columns", (16384, 8), False),
    ("blocks", (512, 256), False),
    ("transpose", (8, 16384), True),
]

ROWS = (
    [Row(prefix + key, cache, chunk, turned) for prefix, cache in (("", "warm"), ("cold-", "cold"))
     for key, chunk, turned in COPIES]
    + [Row("access", None, None, None), Row("product", None, None, None)]
)
COPY_ROWS = [row for row in ROWS if row.chunk]

# What the paper's tables have, of requests of one shape. array: that is read; None: it is converted
Cost = namedtuple("Cost", "key title cache processes array")

PROCESSES = (1, 2, 4)
KINDS = (("skewed", "skewed", "wide"), ("conversion", "conversion", None), ("aligned", "aligned", "copy"))
COSTS = [Cost(f"{cache}-{processes}-{key}", title, cache, processes, array)
         for cache in ("warm", "cold") for processes in PROCESSES for key, title, array in KINDS]

REQUEST_ELEMENTS = 131072      # 1 MiB of doubles
REQUEST_ROWS = (4, 4096)       # from, to: by factors of two
SAMPLE = 64                    # cold, one of so many requests is read


def edge(size):
    """Of the square matrix."""
    return 32 * size


def memory_bytes(size):
    return 2048 * size * size  # a quarter of the matrix


def chunk_of(row, size):
    return tuple(edge(size) if extent == 16384 else extent for extent in row.chunk)


def title_of(row, size):
    rows, columns = chunk_of(row, size)
    turned = " of the transpose" if row.turned else ""
    return f"8×{edge(size)} → {rows}×{columns}{turned}"


def shapes(size):
    """Of the requests that divide the matrix, which is half as high as the square one and twice as wide."""
    height, width = edge(size) // 2, 2 * edge(size)
    rows, found = REQUEST_ROWS[0], []
    while rows <= REQUEST_ROWS[1]:
        columns = REQUEST_ELEMENTS // rows
        if height % rows == 0 and width % columns == 0:
            found.append((rows, columns))
        rows *= 2
    return found
