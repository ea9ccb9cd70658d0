"""Disk Resident Arrays: the same jobs by the drop-in and by Global Arrays' own library, in turn."""

import os

import bench_machine
import bench_plots
import bench_run
from bench_page import (REPEATED, TOUCHED, Aim, Entry, Group, bytes_text, median, mib_text, over, processes_text,
                        section, table)

TITLE = "Disk Resident Arrays"
NEEDED = 2  # two arrays at a time, and as much to spare
PLOTS = {"dra-sections": "Sections of many sizes: bandwidth"}

LONGEST = 900  # seconds that a job may take

COLUMNS = [
    Entry("drx", "drx", program="dra-ours"),
    Entry("ga", "Global Arrays' own", program="dra-theirs"),
    Entry("plain", "contiguous, pread and pwrite", program="dra-ours"),
]
LIBRARIES = COLUMNS[:2]


def edge(size):
    return 16 * size


def block(size):
    """The extent of the square hint."""
    return edge(size) // 32


def strip(size):
    return edge(size) // 128


PASSES, WORK = 3, 4  # passes over all columns; multiplications and additions for each element
BOUNDS_MIB = (4, 64)  # what DRA_Init is told
JOBS = {  # the words of each, for a size
    "dra-default": lambda size: ("transfer", -1, strip(size), -1),
    "dra-square": lambda size: ("transfer", block(size), strip(size), -1),
    **{f"dra-memory-{bound}": lambda size, bound=bound: ("transfer", -1, strip(size), bound << 20)
       for bound in BOUNDS_MIB},
    "dra-riscf": lambda size: ("riscf", -1, strip(size), PASSES, WORK),
    "dra-sections": lambda size: ("sweep", block(size)),
    "dra-copy": lambda size: ("convert", block(size)),
}
PLAIN, OURS = ("dra-default", "dra-square"), ("dra-copy",)  # that a plain file has, too; that only drx has


def rows(job, works):
    """Of the times that a job answers; works: time, perhaps with the size in it: title."""
    return [Entry(f"{job}-{work}", title, job=job, group=job, seconds=work) for work, title in works.items()]


HINTS = {"dra-default": "default hint", "dra-square": "hint {hint}"}
WORKS = {"write": "write", "read": "read", "read-strips": "read by strips of {strip} columns",
         "write-strips": "write by strips of {strip} columns", "read-turned": "read, transposed",
         "read-cold": "read from the disk"}
EDGES = 5  # of sections: from a block of the hint to half of the array
SECTIONS = [(direction, alignment, title, [f"dra-sections-{direction}-{alignment}-{i}" for i in range(EDGES)])
            for direction in ("write", "read") for alignment, title in (("aligned", "aligned"),
                                                                        ("shifted", "non-aligned"))]
ROWS = [
    *(row for job in HINTS for row in rows(job, WORKS)),
    *(Entry(f"dra-memory-{bound}", f"{bound} MiB", job=f"dra-memory-{bound}", seconds="write", group="memory")
      for bound in BOUNDS_MIB),
    *rows("dra-riscf", {  # of one pass over all elements
        "write-rows": "rows are written", "read-columns": "columns are read", "work": "they are used",
        "iterate": "both at once", "read-columns-cold": "columns are read from the disk"}),
    *(Entry(key, f"{direction}, {title}, {{edge_{i}}}×{{edge_{i}}}", job="dra-sections", group="dra-sections",
            seconds=f"{direction}-{alignment}-{{edge_{i}}}")
      for direction, alignment, title, keys in SECTIONS for i, key in enumerate(keys)),
    *rows("dra-copy", {"ndra-copy": "NDRA_Copy", "drxmp-copy": "drxmp_copy"}),
]


def section_edge(size, i):
    return block(size) << i


def named(size):
    return {"strip": strip(size), "hint": f"{block(size)}×{block(size)}",
            **{f"edge_{i}": section_edge(size, i) for i in range(EDGES)}}


def row_title(row, size):
    return row.title.format(**named(size))


# ---- aims


def slowest(keys):
    """An aim's value: the least of the ratios of bandwidths of these rows."""
    def value(answers):
        found = [over(key, "ga")(answers) for key in keys]
        return min(found) if all(found) else None

    return value


LEAST = {"dra-default": {"write": 2, "read": 2, "read-strips": 3, "write-strips": 3},
         "dra-square": dict.fromkeys(WORKS, 1)}
AIMS = [
    *(aim for job, least in LEAST.items() for aim in (
        *(Aim(f"{HINTS[job]}, {WORKS[work]}: Global Arrays' own / drx", over(f"{job}-{work}", "ga"), times)
          for work, times in least.items()),
        Aim(f"{HINTS[job]}, read: contiguous / drx", over(f"{job}-read", "plain"), 0.5))),
    *(Aim(f"{title} sections of any size, {direction}: bandwidth of drx / Global Arrays' own", slowest(keys), 1)
      for direction, _, title, keys in SECTIONS),
    Aim("a conversion: NDRA_Copy / drxmp_copy", over("dra-copy-ndra-copy", "drx", of="dra-copy-drxmp-copy"), None, 1.3),
]


def memory(answers, bound, column):
    """In bytes; None: it was not measured."""
    found = answers.get(f"dra-memory-{bound}", {}).get(column)
    return found and found[0]["memory_bytes"]


def more_aims(results):
    for ranks, answers in results["answers"].items():
        for bound in BOUNDS_MIB:
            found = memory(answers, bound, "drx")
            yield Aim(f"{processes_text(ranks)}, memory of one, DRA_Init with {bound} MiB", found and found / (1 << 20),
                      None, bound, " MiB", "{:.1f}".format)


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


def words(results):
    size = results["size"]
    return {**named(size), "edge": edge(size), "bytes": bytes_text(8 * edge(size) ** 2), "passes": PASSES, "work": WORK,
            "extent": block(size)}


GROUPS = [*(Group(job, f"{{processes}}, {hint}") for job, hint in HINTS.items()),
          Group("dra-sections", "{processes}, sections of many sizes", SECTIONS_TEXT),
          Group("dra-riscf", "{processes}, the pattern of RI-SCF", RISCF_TEXT),
          Group("dra-copy", "{processes}, from array to array", COPIES_TEXT)]


STYLES = {"aligned": {"linestyle": "-", "fillstyle": "full"}, "shifted": {"linestyle": "--", "fillstyle": "none"}}
MARKERS = {"drx": "o", "ga": "s"}


def draw_sections(results, folder):
    """Bandwidth over the size of sections, for each number of processes."""
    found = {ranks: answers for ranks, answers in results["answers"].items() if answers.get(SECTIONS[0][-1][0])}
    if not found:
        return ""
    edges = [section_edge(results["size"], i) for i in range(EDGES)]
    figure, grid = bench_plots.pyplot().subplots(nrows=2, ncols=len(found), figsize=(3 * len(found), 5.6),
                                                 squeeze=False, sharey="row", layout="constrained")
    for row, direction in zip(grid, ("write", "read")):
        for axes, (ranks, answers) in zip(row, found.items()):
            for library in LIBRARIES:
                for _, alignment, title, keys in (one for one in SECTIONS if one[0] == direction):
                    if library.key in answers[keys[0]]:
                        speeds = [8e-9 * extent ** 2 / median(answers[key][library.key])
                                  for extent, key in zip(edges, keys)]
                        axes.plot(edges, speeds, **STYLES[alignment], marker=MARKERS[library.key],
                                  color=bench_plots.LOOKS[library.key][0], markersize=4, linewidth=1.2,
                                  label=f"{library.title}, {title}")
            axes.set_xscale("log", base=2)
            axes.set_xticks(edges, [f"{extent}²" for extent in edges], rotation=45, fontsize=8)
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.yaxis.set_minor_formatter("")
            bench_plots.tidy(axes, "both", f"{direction}, {processes_text(ranks)}", "top", "right")
        row[0].set_ylabel("GB/s")
    figure.legend(*grid[0][0].get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0), ncol=2,
                  frameon=False, fontsize=8)
    bench_plots.save(figure, "dra-sections", folder)
    return bench_plots.show("dra-sections", "Sections of many sizes: bandwidth")


def more_sections(results, folder):
    lines = [[f"{column.title}, {processes_text(ranks)}", *(mib_text(memory(answers, bound, column.key))
                                                            for bound in BOUNDS_MIB)]
             for column in COLUMNS for ranks, answers in results["answers"].items()
             if memory(answers, BOUNDS_MIB[-1], column.key) is not None]
    return (section("Bandwidth of sections", "", draw_sections(results, folder))
            + section("Memory", MEMORY_TEXT, table(["told", *(f"{bound} MiB" for bound in BOUNDS_MIB)], lines)
                      if lines else ""))


# ---- the run


class Run(bench_run.Run):
    def __init__(self, options, folder, part):
        super().__init__(options, folder, part)
        self.found = {}  # versions

    def job_of(self, ranks, column, words, seconds):
        """The answer of a job, with the longest of its times, which decides how often it runs."""
        os.sync()
        bench_machine.touch(3 * 8 * edge(self.size) ** 2)
        answer = self.job(ranks, LONGEST, self.program(column.program), ":".join(map(str, words)), column.key,
                          edge(self.size), "warm", self.folder)[-1]
        answer["seconds"] = max(answer.get(key, 0) for key in seconds)
        self.found.update({name: answer[name] for name in ("drx", "Global Arrays", "compiler") if name in answer})
        return answer

    def measure_job(self, ranks, job):
        rows = [row.timed(row.seconds.format(**named(self.size))) for row in self.rows if row.job == job]
        columns = [c for c in self.columns if c.key == "drx" or job not in OURS and (c.key == "ga" or job in PLAIN)]

        def ask(column):
            words = ("plain",) if column.key == "plain" else JOBS[job](self.size)
            return self.job_of(ranks, column, words, [row.seconds for row in rows])

        self.measure_together(f"{ranks} {job}", rows, columns, lambda column: column and ask(column),
                              self.answers[ranks], repeat=1 if rows[0].group == "memory" else None)

    def all(self):
        for ranks in map(str, self.options.ranks):
            self.answers[ranks] = {}
            for job in dict.fromkeys(row.job for row in self.rows):
                self.measure_job(ranks, job)

    def versions(self):
        return self.found

    def results(self):
        return super().results(ranks=list(map(str, self.options.ranks)))
