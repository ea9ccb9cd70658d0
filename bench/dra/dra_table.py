"""What the part of Disk Resident Arrays measures: jobs of a few processes, with one hint each, that do all works; the
columns are libraries."""

from collections import namedtuple

from bench_page import median

# key: for --peers; programs: in the build folder, below bench/, by what they measure
Column = namedtuple("Column", "key family title programs")


def _programs(whose):
    return {what: f"dra-{what}-{whose}" for what in ("transfer", "riscf", "sweep")}


CONVERT = "dra-convert-ours"  # Global Arrays' own library has no such call


COLUMNS = [
    Column("drx", "drx", "drx", _programs("ours")),
    Column("ga", "ga", "Global Arrays' own", _programs("theirs")),
    Column("plain", "plain", "contiguous, pread and pwrite", {"transfer": "dra-plain"}),
]
LIBRARIES = COLUMNS[:2]

# key: for --only
Row = namedtuple("Row", "key title")

ROWS = [
    Row("dra-default", "default hint"),
    Row("dra-square", "hint {hint}"),
    Row("dra-memory", "memory"),
    Row("dra-riscf", "RI-SCF"),
    Row("dra-sections", "sections of many sizes"),
    Row("dra-copy", "array to array"),
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
COPIES = [("ndra-copy", "NDRA_Copy"), ("drxmp-copy", "drxmp_copy")]  # seconds
PASSES, WORK = 3, 4  # passes over all columns; multiplications and additions for each element

BOUNDS_MIB = (4, 64)  # what DRA_Init is told


# Sections of many sizes: what is done, and where they begin
DIRECTIONS = [("write", "write"), ("read", "read")]
ALIGNMENTS = [("aligned", "aligned"), ("shifted", "non-aligned")]


def edge(size):
    return 16 * size


def section_edges(size):
    """From a block of the hint to half of the array."""
    return [(edge(size) // 32) << i for i in range(5)]


def section_key(direction, alignment, extent):
    """Of the answers."""
    return f"{direction}-{alignment}-{extent}"


def section_keys(size):
    return [section_key(direction, alignment, extent) for direction, _ in DIRECTIONS for alignment, _ in ALIGNMENTS
            for extent in section_edges(size)]


def hint(size, row):
    """As the programs take it."""
    extent = edge(size) // 32 if row.key == "dra-square" else -1
    return f"{extent}x{extent}"


def bandwidth(answers, direction, alignment, extent):
    """Of sections, in bytes a second."""
    return 8 * extent ** 2 / median(answers, section_key(direction, alignment, extent))


def strip(size):
    return edge(size) // 128


def titled(text, size):
    return text.format(strip=strip(size), hint=hint(size, ROWS[1]).replace("x", "×"))
