"""One-sided access: one program that holds all peers, on some numbers of processes."""

import bench_machine
import bench_run
from bench_page import Aim, Entry, Group, bytes_text, over, ratio_text
from bench_server import Server, in_mpi

TITLE = "One-sided access"
NEEDED = 0  # it has no files

AIM_RANKS = ("1", "2", "4")
LONGEST = 1800  # seconds

# Their names in the program, too
COLUMNS = [
    Entry("drx", "drx"),
    Entry("drx-memory", "drx, grown in memory"),
    Entry("drx-file", "drx, in files"),
    Entry("ga", "Global Arrays"),
    Entry("mpi", "MPI RMA"),
    Entry("copy", "bare copy"),
    Entry("drx-rma", "drx, by RMA"),
]
# aim: the time of drx is at most so much of that of Global Arrays; None: it has no such call
ROWS = [
    *(Entry(f"{move}{'-cold' * (cache == 'cold')}", f"{move} 256×256, {cache}", aim=aim)
      for move, aim in (("get", 0.6), ("put", 0.6), ("acc", 1)) for cache in ("hot", "cold")),
    *(Entry(f"{move}-8{'-cold' * (cache == 'cold')}", f"{move} 8 bytes, {cache}", aim=1)
      for move in ("get", "put", "acc") for cache in ("hot", "cold") if (move, cache) != ("acc", "cold")),
    Entry("grow", "grow by a chunk"),
    Entry("append", "grow and write"),
]

AIMS = [Aim(f"{row.title}: drx / Global Arrays", over(row.key, "drx", "ga"), None, row.aim, number=ratio_text)
        for row in ROWS if row.aim]
TITLES = {row.key: row.title for row in ROWS}
AIMS += [Aim(f"{TITLES[row]}: drx, grown in memory / {whose}", over(row, "drx-memory", column), None, most,
             number=ratio_text)
         for row, column, most, whose in (
             ("get", "drx", 1.1, "a fixed darray"), ("get-cold", "drx", 1.1, "a fixed darray"),
             ("get", "ga", 0.6, "Global Arrays"), ("get-cold", "ga", 0.6, "Global Arrays"),
             ("grow", "drx-file", 3, "in a file"), ("append", "drx-file", 3, "in a file"))]
GROUPS = [Group(None)]

ABOUT = """\
`drxmp_darray_get`, `drxmp_darray_put` and `drxmp_darray_acc` move boxes of a distributed array here. Global Arrays
and MPI's own windows do the same in the same job."""
METHOD = """\
- The array has {edge}×{edge} doubles ({bytes}) in C order, in equal blocks over 1×1, 1×2 or 2×2 processes, with
every peer. A process gets, puts or adds boxes of the block of the next one, which takes no part; a process alone
has one block. Of 2 processes one works and the other waits; 4 processes all work at once. When a call returns, the
move is complete at the target.
- *Hot*: the same box and the same buffer each time. *Cold*: another box and buffer each time, over all of the
block and 64 MiB of buffers. *8 bytes*: one element.
- A repetition is 200 calls, or 20,000 calls of 8 bytes, of the slowest process. There are {repeats} repetitions
after one that does not count; the peers take turns. The tables give the median of a call, with the minimum in
brackets. Before, each peer has to show that another process gets what it puts and adds.

The peers:

- **drx**: by loads and stores, as inside a node.
- **drx, grown in memory**: an array of `drxmp_create` without a path, of chunks of 1024×1024, grown to its size
along both axes, by loads and stores, too. *Grow*: a new array of chunks of 64×64 grows by a chunk 200 times, its
axes in turn. *Grow and write*: 60 times, by `drxmp_append_all`, to which each process gives its part.
- **drx, in files**: the same growth of an array in files, in memory here (`/dev/shm`).
- **Global Arrays**: `NGA_Get`, `NGA_Put`, `NGA_Acc` of Debian's library, which uses MPI's windows through ARMCI.
- **MPI RMA**: a window of `MPI_Win_allocate`, locked once; one operation of a vector type, and a flush.
- **bare copy**: rows by `memcpy` in a shared window, or sums in a loop, without a lock. This is right for one
process alone.
- **drx, by RMA**: `DRXMP_ONESIDED=rma`, the way that drx takes between nodes, here inside one node; a tenth as
many calls.
"""


def words(results):
    edge = 16 * results["size"]
    return {"edge": edge, "bytes": bytes_text(8 * edge ** 2), "repeats": results["repeat"]}


class Run(bench_run.Run):
    def __init__(self, options, folder, part):
        super().__init__(options, "/dev/shm", part)  # where no file stays
        self.peers = self.program("onesided")
        self.repeat = 1 if options.quick else options.repeat * 3  # they are short
        self.share = 5 if options.quick else 1

    def ask_part(self, row, column, turns):
        """The part of that repetition; the first one does not count."""
        turn = turns[column.key] = turns.get(column.key, 0) + 1
        if turn == 1:
            self.command("group", row.key, column.key, self.share, 0)
        return self.command("group", row.key, column.key, self.share, turn)

    def all(self):
        for ranks in AIM_RANKS:
            self.answers[ranks] = {}
            self.servers["group"] = Server(in_mpi(ranks, LONGEST, self.peers), 1)
            for row in self.rows:
                turns = {}
                self.answers[ranks][row.key] = self.turns(
                    f"{ranks} {row.key}", self.columns,
                    lambda column, row=row, turns=turns: column and self.ask_part(row, column, turns))
            for column in self.columns:
                self.command("group", "drop", column.key, self.share, 0)
            self.end()

    def versions(self):
        found = {"Open MPI": bench_machine.output("mpirun", "--version"),
                 "Global Arrays": bench_machine.output("dpkg-query", "-W", "-f=${Version}", "libglobalarrays-dev")}
        return {name: text.split("\n")[0].removeprefix("mpirun (Open MPI) ") for name, text in found.items() if text}

    def results(self):
        return super().results(ranks=AIM_RANKS)
