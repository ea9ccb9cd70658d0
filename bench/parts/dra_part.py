"""Disk Resident Arrays: the same jobs by the drop-in and by Global Arrays' own library, in turn."""

import os

import bench_machine
import bench_plots
import bench_run
from bench_page import (REPEATED, TOUCHED, Aim, Entry, bytes_text, cell, judge, median, mib_text, others, over,
                        processes_text, ratio, ratio_text, section, table, wrap)

HELP, KIND, KEY = "Disk Resident Arrays only", "DRA", "dra_memory"
TITLE = "Disk Resident Arrays"
PLOTS = {"dra-sections": "Sections of many sizes: bandwidth"}

LONGEST = 900  # seconds that a job may take

COLUMNS = [
    Entry("drx", "drx", program="dra-ours"),
    Entry("ga", "Global Arrays' own", program="dra-theirs"),
    Entry("plain", "contiguous, pread and pwrite", program="dra-ours"),
]
LIBRARIES = COLUMNS[:2]

ROWS = [
    Entry("dra-default", "default hint", least={"write": 2, "read": 2, "read-strips": 3, "write-strips": 3}),
    Entry("dra-square", "hint {hint}", least=dict.fromkeys(
        ("write", "read", "read-strips", "write-strips", "read-turned", "read-cold"), 1)),
    Entry("dra-memory", "memory"),
    Entry("dra-riscf", "RI-SCF"),
    Entry("dra-sections", "sections of many sizes"),
    Entry("dra-copy", "array to array"),
]
HINTED = ROWS[:2]

WORKS = {"write": "write", "read": "read", "read-strips": "read by strips of {strip} columns",
         "write-strips": "write by strips of {strip} columns", "read-turned": "read, transposed",
         "read-cold": "read from the disk"}
RISCF = {  # seconds of one pass over all elements
    "write-rows": "rows are written", "read-columns": "columns are read", "work": "they are used",
    "iterate": "both at once", "read-columns-cold": "columns are read from the disk"}
COPIES = {"ndra-copy": "NDRA_Copy", "drxmp-copy": "drxmp_copy"}  # seconds
PASSES, WORK = 3, 4  # passes over all columns; multiplications and additions for each element
BOUNDS_MIB = (4, 64)  # what DRA_Init is told

# Sections of many sizes: what is done, and where they begin
DIRECTIONS = ("write", "read")
ALIGNMENTS = {"aligned": "aligned", "shifted": "non-aligned"}


def edge(size):
    return 16 * size


def block(size):
    """The extent of the square hint."""
    return edge(size) // 32


def section_edges(size):
    """From a block of the hint to half of the array."""
    return [block(size) << i for i in range(5)]


def section_keys(size):
    return [f"{direction}-{alignment}-{extent}" for direction in DIRECTIONS for alignment in ALIGNMENTS
            for extent in section_edges(size)]


def bandwidth(answers, direction, alignment, extent):
    """Of sections, in bytes a second."""
    return 8 * extent ** 2 / median(answers, f"{direction}-{alignment}-{extent}")


def strip(size):
    return edge(size) // 128


# ---- aims


def ratios(row, size):
    for work, title in WORKS.items():
        yield Aim(f"{row.title}, {title}: Global Arrays' own / drx".format(**named(size)),
                  over(row.key, "ga", key=work), row.least.get(work))
        if work == "read-cold":
            yield Aim(f"{row.title}, read: contiguous / drx".format(**named(size)),
                      over(row.key, "plain", key="read"), 0.5)


def other_aims(results):
    size = results["size"]
    for ranks, answers in results["sections"].items():
        if all(library.key in answers for library in LIBRARIES):
            for direction in DIRECTIONS:
                for alignment, title in ALIGNMENTS.items():
                    ours, theirs = ([bandwidth(answers[library.key], direction, alignment, extent)
                                     for extent in section_edges(size)] for library in LIBRARIES)
                    yield Aim(f"{processes_text(ranks)}, {title} sections of any size, {direction}: bandwidth of drx / "
                              "Global Arrays' own", min(a / b for a, b in zip(ours, theirs)), 1)
    for ranks, answers in results.get("copies", {}).items():
        if answers:
            yield Aim(f"{processes_text(ranks)}, a conversion: NDRA_Copy / drxmp_copy", copies_ratio(answers), None,
                      1.3)
    for ranks in results["ranks"]:
        for bound, found in results["dra_memory"].get(ranks, {}).get("drx", {}).items():
            yield Aim(f"{processes_text(ranks)}, memory of one, DRA_Init with {bound} MiB", found / (1 << 20), None,
                      int(bound), " MiB", "{:.1f}".format)


def copies_ratio(answers):
    of_dra, of_drxmp = (median(answers, key) for key in COPIES)
    return of_dra / of_drxmp


def aims(results):
    for ranks in results["ranks"]:
        for row in HINTED:
            some = [aim for aim in ratios(row, results["size"]) if aim.least]
            yield from judge(some, results["answers"][ranks], f"{processes_text(ranks)}, ")
    yield from judge(other_aims(results))


# ---- the page

ABOUT = """\
One program makes the calls of Disk Resident Arrays. It is linked with Global Arrays' own library, and with the
drop-in before it, which stores DRX arrays."""
METHOD = f"""\
- A global array of {{edge}}×{{edge}} doubles ({{bytes}}), distributed as Global Arrays does by default, goes to a
disk resident array and comes back: whole; by strips of columns, waiting for each before the next; transposed. Each
element has a value of its own. After each read, the process that has the element compares it.
- The hint tells `NDRA_Create` the shape of a typical request: nothing (*default*), or a square.
- A job makes its array again, and does all works one after the other. The libraries take turns, job by job. The
time runs from when all processes have started until the last has waited for its request. It does not cover
creating, opening and closing. Whole writes and writes by strips go to a new file; nothing is synced meanwhile.
- Reads are from the page cache, except the one *from the disk*: there the files were synced and dropped from the
cache.
- *Contiguous*: each process writes and reads its share of a plain file, 1 MiB at a time, from and to memory of its
own.
{TOUCHED}
- Each library takes its default number of threads: drx one for each processor, in each process.
{REPEATED} The longest work of a job decides.
"""
RISCF_TEXT = """\
Nieplocha and Foster (1996, section 5.3). A program writes integrals once, {strip} rows at a time, and reads them
{passes} times, {strip} columns at a time, for {work} multiplications and additions of each. *Both at once*: it
asks for the next columns before it uses those at hand. Seconds of one pass, with the default hint."""
COPIES_TEXT = """\
`NDRA_Copy` copies the array of the default hint to one of the hint {hint}; `drxmp_copy` makes the same copy beside
it. The time covers creating the copy. Both may use 16 MiB in each process, and take turns, three times in a job.
The benchmark compares both copies."""
MEMORY_TEXT = """\
The most memory that a process had for itself (`RssAnon`, sampled each millisecond), beside what it had after
`DRA_Init`, in MiB. The columns are what `DRA_Init` was told; all works, with the default hint."""
SECTIONS_TEXT = """\
The synthetic benchmark of Nieplocha and Foster (1996, section 5.1, Figs. 5 and 6). A global array goes to a square
section of a disk resident array of {edge}×{edge} doubles, and comes back. Both have the hint {hint}, with which
Global Arrays' own library is fastest. *Aligned* sections begin and end at multiples of {extent}. *Non-aligned*
ones are as large, and begin and end inside those blocks. A series covers a quarter of the array, in 2 to 32 calls
at places far from each other, and waits for each. Aligned and non-aligned calls take turns, each first at every
other place, after one that does not count. The file was written before, and is in the page cache; it is closed and
opened for each size and direction. The benchmark compares all elements that are read."""
SHAPES_TEXT = """\
### The shapes of the paper's figures

Figs. 5 and 6 of the paper show bandwidth over the number of processes that do input and output. They have one
curve each for aligned and non-aligned reads and writes, of sections of a quarter of the array; Fig. 5 has them for
two sizes of the library's buffer. Files came from the disks there, and are in the page cache here, so only shapes
compare:

- **Alignment.** Non-aligned sections are slower, because the library reads, changes and writes back whole blocks.
The loss is small for large sections, most of whose blocks are whole. The first table has it.
- **Processes.** Bandwidth rises with the number of processes, on a disk for each process almost in proportion
(Fig. 6). The second table has the rise on one machine with one disk, where more processes than processors bring
nothing.
- **Directions.** With more than one process, aligned writes are faster than reads on the Paragon, and slower on
the SP.
- **Buffer.** A larger buffer gives a higher bandwidth on the Paragon. Neither library has this choice here: drx
moves sections without a buffer, and Global Arrays fixes the size when it is built. The size of the section takes
its place: larger sections give longer runs in the file.

Bandwidth of non-aligned sections / aligned ones, of {largest}×{largest}:"""

# Non-aligned / aligned, from the rates that the paper's text states for the most processes
PAPER = {"write": ["0.86", "0.94"], "read": ["0.96", "0.96"]}


def named(size):
    return {"strip": strip(size), "hint": f"{block(size)}×{block(size)}"}


def words(results):
    size = results["size"]
    return {**named(size), "edge": edge(size), "bytes": bytes_text(8 * edge(size) ** 2), "passes": PASSES, "work": WORK,
            "extent": block(size), "largest": section_edges(size)[-1]}


def hinted_table(results, ranks, row):
    names, answers = named(results["size"]), results["answers"][ranks].get(row.key, {})
    columns = [c for c in COLUMNS if answers.get(c.key)]
    lines = [[title.format(**names)] + [cell(answers[c.key], work) for c in columns]
             + [ratio_text(ratio(answers, c.key, key=work)) for c in others(columns)] for work, title in WORKS.items()]
    header = [row.title.format(**names), *(c.title for c in columns), *(f"{c.title} / drx" for c in others(columns))]
    return table(header, lines) if columns else ""


def sections_tables(results):
    size, all_found = results["size"], {ranks: found for ranks, found in results["sections"].items() if found}
    kinds = [(direction, alignment, f"{direction}, {title}") for direction in DIRECTIONS
             for alignment, title in ALIGNMENTS.items()]
    largest = section_edges(size)[-1]
    for ranks, found in all_found.items():
        libraries = [library for library in LIBRARIES if library.key in found]
        yield (f"Medians, {processes_text(ranks)}:\n\n" + table(
            ["MB/s", *(f"{kind}: {library.title}" for *_, kind in kinds for library in libraries)],
            [[f"{extent}×{extent}", *(f"{bandwidth(found[library.key], direction, alignment, extent) / 1e6:,.0f}"
                                      for direction, alignment, _ in kinds for library in libraries)]
             for extent in section_edges(size)]))
    if not all_found:
        return

    def rate(found, library, direction, alignment):
        return bandwidth(found[library.key], direction, alignment, largest)

    both = [(library, ranks, found) for library in LIBRARIES for ranks, found in all_found.items()
            if library.key in found]
    from_shapes = [[direction, *PAPER[direction], *(ratio_text(rate(found, library, direction, "shifted")
                                                               / rate(found, library, direction, "aligned"))
                                                    for library, _, found in both)] for direction in DIRECTIONS]
    yield wrap(SHAPES_TEXT.format(**words(results))) + table(
        ["non-aligned / aligned", "paper, Paragon", "paper, SP",
         *(f"{library.title}, {processes_text(ranks)}" for library, ranks, _ in both)], from_shapes)
    if "1" in all_found and len(all_found) > 1:
        yield f"Bandwidth / that of aligned sections by one process, of {largest}×{largest}:\n\n" + table(
            ["processes", *all_found],
            [[f"{library.title}, {kind}", *(ratio_text(rate(found, library, direction, alignment)
                                                       / rate(all_found["1"], library, direction, "aligned"))
                                            for found in all_found.values())]
             for library in LIBRARIES for direction, alignment, kind in kinds
             if all(library.key in found for found in all_found.values())])


STYLES = {"aligned": {"linestyle": "-", "fillstyle": "full"}, "shifted": {"linestyle": "--", "fillstyle": "none"}}
MARKERS = {"drx": "o", "ga": "s"}


def draw_sections(results, folder):
    """Bandwidth over the size of sections for each number of processes, and over the processes."""
    found = {ranks: answers for ranks, answers in results["sections"].items() if answers}
    if not found:
        return ""
    edges, several = section_edges(results["size"]), len(found) > 1
    columns = len(found) + several
    figure, grid = bench_plots.pyplot().subplots(nrows=2, ncols=columns, figsize=(3 * columns, 5.6), squeeze=False,
                                                 layout="constrained")

    def curves(axes, xs, direction, ys):
        for library in LIBRARIES:
            for alignment, title in ALIGNMENTS.items():
                if all(library.key in answers for answers in found.values()):
                    axes.plot(xs, ys(library.key, alignment), **STYLES[alignment],
                              color=bench_plots.LOOKS[library.key][0], marker=MARKERS[library.key], markersize=4,
                              linewidth=1.2, label=f"{library.title}, {title}")
        axes.set_xscale("log", base=2)

    for row, direction in zip(grid, DIRECTIONS):
        for axes, (ranks, answers) in zip(row, found.items()):
            axes.sharey(row[0])
            curves(axes, edges, direction, lambda library, alignment: [
                bandwidth(answers[library], direction, alignment, extent) / 1e9 for extent in edges])
            axes.set_xticks(edges, [f"{extent}²" for extent in edges], rotation=45, fontsize=8)
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.yaxis.set_minor_formatter("")
            bench_plots.tidy(axes, "both", f"{direction}, {processes_text(ranks)}", "top", "right")
        row[0].set_ylabel("GB/s")
        if several:
            curves(row[-1], list(map(int, found)), direction, lambda library, alignment: [
                bandwidth(answers[library], direction, alignment, edges[-1])
                / bandwidth(next(iter(found.values()))[library], direction, "aligned", edges[-1])
                for answers in found.values()])
            row[-1].set_xticks(list(map(int, found)), list(found))
            row[-1].set_ylim(bottom=0)
            bench_plots.tidy(row[-1], "both", f"{direction}, {edges[-1]}², over processes", "top", "right")
            row[-1].set_ylabel("aligned, first = 1")
    figure.legend(*grid[0][0].get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0), ncol=2,
                  frameon=False, fontsize=8)
    bench_plots.save(figure, "dra-sections", folder)
    return bench_plots.show("dra-sections", "Sections of many sizes: bandwidth")


def sections(results, folder):
    names = words(results)
    text = "".join(section(processes_text(ranks), "", *(hinted_table(results, ranks, row) for row in HINTED))
                   for ranks in results["ranks"])
    text += section("Sections of many sizes", SECTIONS_TEXT.format(**names), draw_sections(results, folder),
                    *sections_tables(results))
    riscf = [[f"{processes_text(ranks)}, {title}", *(cell(answers.get(c.key), key) for c in LIBRARIES),
              ratio_text(ratio(answers, "ga", key=key))] for ranks, answers in results["riscf"].items()
             for key, title in RISCF.items()]
    copies = [[processes_text(ranks), *(cell(answers, key) for key in COPIES), ratio_text(copies_ratio(answers))]
              for ranks, answers in results.get("copies", {}).items() if answers]
    memory = [[f"{column.title}, {processes_text(ranks)}", *(mib_text(found[str(bound)]) for bound in BOUNDS_MIB)]
              for column in COLUMNS for ranks in results["ranks"]
              for found in [results["dra_memory"].get(ranks, {}).get(column.key)] if found]
    for heading, what, header, lines in (
            ("The pattern of RI-SCF", RISCF_TEXT, ["median (minimum)", *(c.title for c in LIBRARIES),
                                                   f"{LIBRARIES[1].title} / drx"], riscf),
            ("From array to array", COPIES_TEXT, ["median (minimum)", *COPIES.values(), " / ".join(COPIES.values())],
             copies),
            ("Memory", MEMORY_TEXT, ["told", *(f"{bound} MiB" for bound in BOUNDS_MIB)], memory)):
        text += section(heading, what.format(**names), table(header, lines) if lines else "")
    return text


# ---- the run


class Run(bench_run.Run):
    def __init__(self, options, folder, part):
        super().__init__(options, folder, part)
        self.libraries = [c for c in self.columns if c in LIBRARIES]
        self.memory = {}    # ranks: {column: {bound in MiB: bytes}}
        self.riscf = {}     # ranks: {column: [answer, ...]}
        self.sections = {}  # likewise
        self.copies = {}    # ranks: [answer, ...]
        self.found = {}     # versions

    def job_of(self, ranks, column, what, keys, *words):
        """The answer of a job, with the longest of its times, which decides how often it runs."""
        os.sync()
        bench_machine.touch(3 * 8 * edge(self.size) ** 2)
        answer = self.job(ranks, LONGEST, self.program(column.program), what, edge(self.size), *words, self.folder)[-1]
        answer["seconds"] = max(answer.get(key, 0) for key in keys)
        self.found.update({name: answer[name] for name in ("drx", "Global Arrays", "compiler") if name in answer})
        return answer

    def jobs(self, ranks, row, columns, what, keys, *words):
        """Of columns that take turns."""
        answers = self.turns(f"{ranks} {row.key}", columns,
                             lambda column: column and self.job_of(ranks, column, what, keys, *words), key=None)
        for key in keys:
            self.tell_answers(f"{ranks} {row.key} {key}", answers, key)
        return answers

    def transfer(self, ranks, column, row, bound_bytes=-1):
        extent = block(self.size) if row.key == "dra-square" else -1
        if column in LIBRARIES:
            return self.job_of(ranks, column, "transfer", WORKS, extent, strip(self.size), bound_bytes)
        return self.job_of(ranks, column, "plain", WORKS)

    def measure_hinted(self, ranks, row):
        answers = self.answers[ranks][row.key] = self.turns(
            f"{ranks} {row.key}", self.columns, lambda column: column and self.transfer(ranks, column, row), key=None)
        for work in WORKS:
            self.tell_answers(f"{ranks} {row.key} {work}", answers, work)

    def measure_memory(self, ranks):
        for column in self.libraries:
            self.memory[ranks][column.key] = {
                str(bound): self.spend(f"{ranks} dra-memory", column.key, self.transfer, ranks, column, HINTED[0],
                                       bound << 20)["memory_bytes"]
                for bound in BOUNDS_MIB}

    def measure_ranks(self, ranks, row):
        if row in HINTED:
            self.measure_hinted(ranks, row)
        elif row.key == "dra-memory":
            self.measure_memory(ranks)
        elif row.key == "dra-riscf":
            self.riscf[ranks] = self.jobs(ranks, row, self.libraries, "riscf", RISCF, -1, strip(self.size), PASSES,
                                          WORK)
        elif row.key == "dra-sections":
            self.sections[ranks] = self.jobs(ranks, row, self.libraries, "sweep", section_keys(self.size),
                                             block(self.size))
        elif COLUMNS[0] in self.columns:  # Global Arrays' own library has no such call
            self.copies[ranks] = self.jobs(ranks, row, COLUMNS[:1], "convert", COPIES, block(self.size)).get("drx", [])

    def all(self):
        for ranks in map(str, self.options.ranks):
            self.answers[ranks], self.memory[ranks] = {}, {}
            for row in self.rows:
                self.measure_ranks(ranks, row)

    def versions(self):
        return self.found

    def results(self):
        return super().results(ranks=list(map(str, self.options.ranks)), dra_memory=self.memory, riscf=self.riscf,
                               sections=self.sections, copies=self.copies)


def needed_bytes(size):
    return 4 * 8 * edge(size) ** 2  # two arrays at a time, and as much to spare
