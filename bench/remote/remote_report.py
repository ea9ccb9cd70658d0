"""The page of the part of arrays on a server: docs/benchmarks-remote.md."""

from bench_page import (aims_text, at_least, at_most, bytes_text, middle, ratio, ratios_table, repeat_text, table,
                        times_table, write_page)
from remote_table import COLUMNS, DELAY_MS, ROWS

PAGE = "benchmarks-remote.md"
ROUND_TRIP = 2 * DELAY_MS / 1e3
HDF5 = ("hdf5", "hdf5-best")

INTRODUCTION = """\
# Benchmarks of arrays on a server

`make bench` writes this page; do not edit it. Python programs read arrays and datasets from a server by HTTP: `drx`, Zarr
with its metadata consolidated, and HDF5 through fsspec. **Only ratios within one run mean something.** How drx reads from
servers: [remote.md](remote.md).

{aims}
## How it was measured

- nginx serves the files of this machine, from its page cache, without TLS. A program between it and the peers delays all
  bytes by {ms} ms each way, and the first of each connection by {trip} ms more, as its handshake would. So a round trip
  takes {trip} ms. The bandwidth is that of the machine.
- The cube has {size}³ doubles ({bytes}) in chunks of 32³, the dataset ten variables of 120 × 73 × 144 float32 in chunks of
  12 × 73 × 144 and three coordinates; nothing is compressed.
- Each measurement is made by a new process, which has made no request before. All modules are imported before the clock
  starts. Planes and boxes are read from an array that is open; there is one call for each. The benchmark checks what was
  read, untimed.
- *Row by row*: a loop over 32 boxes along the last axis, in a loop along the one before it. drx asks for the boxes that follow
  ahead of the program.
- *In one call*: `a.read_boxes(keys)`. The others have no such call. Boxes at random, one after the other, cost a round trip each
  in any library.
- *HDF5* reads a file object of fsspec with the default cache, which reads 5 MiB ahead; *blocks of 1 MiB*:
  `cache_type="block"`, 64 blocks.
- *One request*: one GET for all elements of drx's file, by Python's `http.client`, into memory that is there.
- {repeat}. The tables give the median, with the minimum in brackets. What takes more than 3 s is repeated once at most.

"""


def aims(answers):
    opens = middle(answers, "dataset", "drx")
    if opens:
        yield at_most("opening a dataset, in round trips, two of them to connect", opens / ROUND_TRIP, 4.5)
    value = ratio(answers.get("whole", {}), "bytes")
    if value:
        yield at_least("all of an array: one request / drx", value, 0.9)
    for row, mine, name in (("boxes", "drx", "at random, one after the other"), ("boxes", "drx-together", "at random, in one call"),
                            ("rows", "drx", "row by row")):
        for theirs, columns in (("Zarr", ("zarr",)), ("HDF5's best", HDF5)):
            found = [ratio(answers.get(row, {}), column, mine) for column in columns]
            if all(found):
                yield at_least(f"100 boxes {name}: {theirs} / drx", min(found), 5)


def requests_table(answers, rows, columns):
    lines = []
    for row in rows:
        found = answers[row.key]
        lines.append([row.title, *(str(found[c.key][0]["requests"]) if found.get(c.key) else "–" for c in columns)])
    return table(["", *(c.title for c in columns)], lines)


def write(results, folder):
    size, answers = results["size"], results["answers"]
    rows = [row for row in ROWS if answers.get(row.key)]
    columns = [c for c in COLUMNS if any(answers[row.key].get(c.key) for row in rows)]
    text = INTRODUCTION.format(aims=aims_text(aims(answers), "Ratios of medians"), size=size, ms=DELAY_MS,
                               trip=2 * DELAY_MS, bytes=bytes_text(8 * size**3), repeat=repeat_text(results["repeat"]))
    text += "## Times\n\n" + times_table(answers, rows, columns, corner="") + "\n"
    text += ratios_table(answers, rows, [c for c in columns if c.key != "drx"], corner="time / drx's") + "\n"
    text += ("## Requests\n\nHow many the server answered.\n\n" + requests_table(answers, rows, columns) + "\n")
    return write_page(PAGE, folder, text, results)
