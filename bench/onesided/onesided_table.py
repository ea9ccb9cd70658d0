"""What the part of one-sided access measures: the columns are peers, the rows are calls."""

from collections import namedtuple

RANKS = ("2", "4")

# key: for --peers, and its name in the program
Column = namedtuple("Column", "key family title")

COLUMNS = [
    Column("drx", "drx", "drx"),
    Column("ga", "ga", "Global Arrays"),
    Column("mpi", "mpi", "MPI RMA"),
    Column("copy", "copy", "bare copy"),
    Column("drx-rma", "drx", "drx, by RMA"),
]

# key: for --only, and its name in the program; aim: the time of drx is at most so much of that of Global Arrays
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
]
