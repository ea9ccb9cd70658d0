"""What the part of one-sided access measures: the columns are peers, the rows are calls."""

from collections import namedtuple

RANKS = ("1", "2", "4")

# key: for --peers, and its name in the program
Column = namedtuple("Column", "key family title")

COLUMNS = [
    Column("drx", "drx", "drx"),
    Column("drx-memory", "drx", "drx, grown in memory"),
    Column("drx-file", "drx", "drx, in files"),
    Column("ga", "ga", "Global Arrays"),
    Column("mpi", "mpi", "MPI RMA"),
    Column("copy", "copy", "bare copy"),
    Column("drx-rma", "drx", "drx, by RMA"),
]

# key: for --only, and its name in the program; aim: the time of drx is at most so much of that of Global Arrays; None: it
# has no such call
Row = namedtuple("Row", "key title aim")

ROWS = [
    Row("get", "get 256×256, hot", 0.6),
    Row("get-cold", "get 256×256, cold", 0.6),
    Row("put", "put 256×256, hot", 0.6),
    Row("put-cold", "put 256×256, cold", 0.6),
    Row("acc", "acc 256×256, hot", 1),
    Row("acc-cold", "acc 256×256, cold", 1),
    Row("get-8", "get 8 bytes, hot", 1),
    Row("get-8-cold", "get 8 bytes, cold", 1),
    Row("put-8", "put 8 bytes, hot", 1),
    Row("put-8-cold", "put 8 bytes, cold", 1),
    Row("acc-8", "acc 8 bytes, hot", 1),
    Row("grow", "grow by a chunk", None),
    Row("append", "grow and write", None),
]

# An array grown in memory: its time is at most so much of that of another column, in a row
MEMORY_AIMS = [
    ("get", "drx", 1.1, "a fixed darray"),
    ("get-cold", "drx", 1.1, "a fixed darray"),
    ("get", "ga", 0.6, "Global Arrays"),
    ("get-cold", "ga", 0.6, "Global Arrays"),
    ("grow", "drx-file", 3, "in a file"),
    ("append", "drx-file", 3, "in a file"),
]
