"""The page's part on sections of many sizes: bandwidths, aims, and the shapes of the paper's figures."""

import dra_plots
from bench_page import at_least, processes_text, ratio_text, table
from dra_table import ALIGNMENTS, DIRECTIONS, LIBRARIES, ROWS, bandwidth, edge, hint, section_edges

TEXT = """\
## Sections of many sizes

The synthetic benchmark of Nieplocha and Foster (1996, section 5.1, Figs. 5 and 6). A global array goes to a square
section of a disk resident array of {edge}×{edge} doubles, and comes back. Both have the hint {hint}, with which
Global Arrays' own library is fastest. *Aligned* sections begin and end at multiples of {extent}. *Non-aligned* ones
are as large, and begin and end inside those blocks. A series covers a quarter of the array, in 2 to 32 calls at
places far from each other, and waits for each. Aligned and non-aligned calls take turns, each first at every other
place, after one that does not count. The file was written before, and is in the page cache; it is closed and opened
for each size and direction. The benchmark compares all elements that are read.

![Sections of many sizes: bandwidth](benchmarks-dra-sections.svg)

"""

SHAPES = """\
### The shapes of the paper's figures

Figs. 5 and 6 of the paper show bandwidth over the number of processes that do input and output. They have one curve
each for aligned and non-aligned reads and writes, of sections of a quarter of the array; Fig. 5 has them for two sizes
of the library's buffer. Files came from the disks there, and are in the page cache here, so only shapes compare:

- **Alignment.** Non-aligned sections are slower, because the library reads, changes and writes back whole blocks. The
  loss is small for large sections, most of whose blocks are whole. The first table has it.
- **Processes.** Bandwidth rises with the number of processes, on a disk for each process almost in proportion (Fig. 6).
  The second table has the rise on one machine with one disk, where more processes than processors bring nothing.
- **Directions.** With more than one process, aligned writes are faster than reads on the Paragon, and slower on the SP.
- **Buffer.** A larger buffer gives a higher bandwidth on the Paragon. Neither library has this choice here: drx moves
  sections without a buffer, and Global Arrays fixes the size when it is built. The size of the section takes its place:
  larger sections give longer runs in the file.

Bandwidth of non-aligned sections / aligned ones, of {largest}×{largest}:

"""

# Non-aligned / aligned, from the rates that the paper's text states for the most processes
PAPER = {"write": ["0.86", "0.94"], "read": ["0.96", "0.96"]}
PAPER_TITLES = ["paper, Paragon", "paper, SP"]

LEAST = 1  # bandwidth of drx / that of Global Arrays' own


def _measured(results):
    """(ranks, answers) of those that were measured."""
    return [(ranks, answers) for ranks, answers in results["sections"].items() if answers]


def aims(results):
    for ranks, answers in _measured(results):
        if all(library.key in answers for library in LIBRARIES):
            for direction, _ in DIRECTIONS:
                for alignment, title in ALIGNMENTS:
                    ours, theirs = ([bandwidth(answers[library.key], direction, alignment, extent)
                                     for extent in section_edges(results["size"])] for library in LIBRARIES)
                    yield at_least(f"{processes_text(ranks)}, {title} sections of any size, {direction}: bandwidth of drx "
                                   "/ Global Arrays' own", min(a / b for a, b in zip(ours, theirs)), LEAST)


# ---- tables


def _sizes_table(results, answers):
    libraries = [library for library in LIBRARIES if library.key in answers]
    header = ["MB/s"] + [f"{direction}, {title}: {library.title}" for _, direction in DIRECTIONS
                         for _, title in ALIGNMENTS for library in libraries]
    lines = [[f"{extent}×{extent}"] + [f"{bandwidth(answers[library.key], direction, alignment, extent) / 1e6:,.0f}"
                                       for direction, _ in DIRECTIONS for alignment, _ in ALIGNMENTS
                                       for library in libraries] for extent in section_edges(results["size"])]
    return table(header, lines)


def _alignment_table(results):
    extent = section_edges(results["size"])[-1]
    found = [(library, ranks, answers[library.key]) for library in LIBRARIES for ranks, answers in _measured(results)
             if library.key in answers]
    lines = [[title, *PAPER[direction]]
             + [ratio_text(bandwidth(answers, direction, "shifted", extent)
                           / bandwidth(answers, direction, "aligned", extent)) for _, _, answers in found]
             for direction, title in DIRECTIONS]
    return table(["non-aligned / aligned", *PAPER_TITLES]
                 + [f"{library.title}, {processes_text(ranks)}" for library, ranks, _ in found], lines)


def _processes_table(results):
    """Nothing when one process was not measured, or nothing else."""
    found, extent = dict(_measured(results)), section_edges(results["size"])[-1]
    if "1" not in found or len(found) < 2:
        return ""
    lines = []
    for library in LIBRARIES:
        for direction, what in DIRECTIONS:
            for alignment, title in ALIGNMENTS:
                if all(library.key in answers for answers in found.values()):
                    one = bandwidth(found["1"][library.key], direction, "aligned", extent)
                    lines.append([f"{library.title}, {what}, {title}"]
                                 + [ratio_text(bandwidth(answers[library.key], direction, alignment, extent) / one)
                                    for answers in found.values()])
    return (f"Bandwidth / that of aligned sections by one process, of {extent}×{extent}:\n\n"
            + table(["processes", *found], lines) + "\n")


def text(results, folder):
    if not _measured(results):
        return ""
    size, edges = results["size"], section_edges(results["size"])
    words = {"edge": edge(size), "hint": hint(size, ROWS[1]).replace("x", "×"), "extent": edges[0],
             "largest": edges[-1]}
    dra_plots.draw(dict(_measured(results)), size, folder)
    tables = [f"Medians, {processes_text(ranks)}:\n\n" + _sizes_table(results, answers) + "\n"
              for ranks, answers in _measured(results)]
    return (TEXT.format(**words) + "".join(tables) + SHAPES.format(**words) + _alignment_table(results) + "\n"
            + _processes_table(results))
