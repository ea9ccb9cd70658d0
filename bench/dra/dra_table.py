"""What the part of Disk Resident Arrays measures: jobs of a few processes, with one hint each, that do all works; the
columns are libraries."""

from collections import namedtuple

# key: for --peers; program: in the build folder, below bench/; riscf: that of the pattern of RI-SCF, or None
Column = namedtuple("Column", "key family title program riscf")

COLUMNS = [
    Column("drx", "drx", "drx", "dra-transfer-ours", "dra-riscf-ours"),
    Column("ga", "ga", "Global Arrays' own", "dra-transfer-theirs", "dra-riscf-theirs"),
    Column("plain", "plain", "contiguous, pread and pwrite", "dra-plain", None),
]

# key: for --only
Row = namedtuple("Row", "key title")

ROWS = [
    Row("dra-default", "default hint"),
    Row("dra-square", "hint {hint}"),
    Row("dra-memory", "memory"),
    Row("dra-riscf", "RI-SCF"),
]

HINTED = ROWS[:2]

Work = namedtuple("Work", "key title")

WORKS = [
    Work("write", "write"),
    Work("read", "read"),
    Work("read-strips", "read by strips of {strip} columns"),
    Work("write-strips", "write by strips of {strip} columns"),
    Work("read-turned", "read, transposed"),
    Work("read-cold", "read from the disk"),
]

RISCF = [  # seconds of one pass over all elements
    ("write-rows", "rows are written"),
    ("read-columns", "columns are read"),
    ("work", "they are used"),
    ("iterate", "both at once"),
    ("read-columns-cold", "columns are read from the disk"),
]
PASSES, WORK = 3, 4  # passes over all columns; multiplications and additions for each element

BOUNDS_MIB = (4, 64)  # what DRA_Init is told


def edge(size):
    return 16 * size


def hint(size, row):
    """As the programs take it."""
    extent = edge(size) // 32 if row.key == "dra-square" else -1
    return f"{extent}x{extent}"


def strip(size):
    return edge(size) // 128


def titled(text, size):
    return text.format(strip=strip(size), hint=hint(size, ROWS[1]).replace("x", "×"))
