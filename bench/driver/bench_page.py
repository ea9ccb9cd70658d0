"""What all parts have in common: entries of their tables, statistics, text, aims, and the two pages of each."""

import os
import re
import shutil
import statistics
import textwrap
from collections import namedtuple


class Entry:
    """A column or row: its key, for --peers or --only; its title; and what else its part says of it (None: nothing)."""

    def __init__(self, key, title, **more):
        self.key, self.title = key, title
        self.family = key.partition("-")[0]  # --peers takes it, too; and plots
        self.__dict__.update(more)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None  # its part says nothing of it

    def titled(self, title):
        return Entry(**{**self.__dict__, "title": title})

    def timed(self, seconds):
        return Entry(**{**self.__dict__, "seconds": seconds})


# ---- statistics of answers: [{"seconds": ...}, ...]; of a row {column: answers}; of a part {row: {column: answers}}


def median(answers, key="seconds"):
    return statistics.median(answer[key] for answer in answers)


def least(answers, key="seconds"):
    return min(answer[key] for answer in answers)


def was_measured(answers, key="seconds"):
    return bool(answers) and key in answers[0]


def middle(answers, row, column, key="seconds"):
    """None: it was not measured."""
    found = answers.get(row, {}).get(column)
    return median(found, key) if was_measured(found, key) else None


def ratio(answers, over, under="drx", key="seconds"):
    """Of the medians of two columns of a row; None: one was not measured."""
    if not was_measured(answers.get(over), key) or not was_measured(answers.get(under), key):
        return None
    return median(answers[over], key) / median(answers[under], key)


# ---- text


def seconds_text(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 0.9995:
            return f"{seconds * factor:.3g} {unit}" if seconds < 999 else f"{seconds:.0f} s"
    return f"{seconds * 1e9:.0f} ns"


def ratio_text(value):
    if value is None:
        return "–"
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}" if value < 9.95 else f"{value:.0f}"


def bytes_text(n):
    return f"{n / (1 << 30):g} GiB" if n >= 1 << 30 else f"{n / (1 << 20):g} MiB"


def mib_text(n):
    return f"{n / (1 << 20):.1f}"


def repeat_text(count):
    return "One repetition" if count == 1 else f"{count} repetitions"


def processes_text(count):
    return "1 process" if int(count) == 1 else f"{count} processes"


def shape_text(shape):
    return "×".join(map(str, shape))


def cell(answers, key="seconds"):
    if not was_measured(answers, key):
        return "–"
    return f"{seconds_text(median(answers, key))} ({seconds_text(least(answers, key))})"


def wrap(text):
    """Paragraphs and items of lists, in lines of at most 120 characters; headings, tables and pictures as they are."""
    def filled(block):
        return textwrap.fill(block, 120, subsequent_indent="  " if block.startswith("- ") else "",
                             break_long_words=False, break_on_hyphens=False)

    def paragraph(block):
        if block.startswith(("#", "|", "!")):
            return block
        return "\n".join(filled(item) for item in re.split(r"\n(?=- )", block))

    return "\n\n".join(paragraph(block) for block in text.strip().split("\n\n")) + "\n\n"


# ---- tables


def table(header, rows, align="---:"):
    lines = ["| " + " | ".join(header) + " |", "| --- |" + f" {align} |" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n\n"


def fields_table(lines, fields, corner=""):
    """lines: (title, answers); fields: (heading, text of the answers). Nothing without lines."""
    rows = [[title, *(text(found) for _, text in fields)] for title, found in lines if found]
    return table([corner, *(heading for heading, _ in fields)], rows) if rows else ""


def number(key, factor=1, digits=0):
    """For fields: the median of the key."""
    return lambda found: f"{factor * median(found, key):,.{digits}f}"


def measured(answers, rows, columns):
    """The rows that were measured, and the columns that took part in one of them."""
    rows = [row for row in rows if answers.get(row.key)]
    return rows, [c for c in columns if any(answers[row.key].get(c.key) for row in rows)]


def _turned(header, lines, turned):
    grid = [header, *lines]
    if turned:
        grid = list(map(list, zip(*grid)))
    return table(grid[0], grid[1:])


def times_table(answers, rows, columns, speeds=None, turned=False, key="seconds"):
    """A line for each row, or turned for each column; speeds: of the machine before each repetition."""
    kinds = ("memcpy", "pread") if speeds else ()
    lines = [[row.title, *(cell(answers[row.key].get(column.key), key) for column in columns),
              *(f"{median(speeds[row.key], kind):.1f}" for kind in kinds)] for row in rows]
    return _turned(["median (minimum)", *(c.title for c in columns), *(f"*{kind}, GB/s*" for kind in kinds)], lines,
                   turned)


def ratios_table(answers, rows, columns, turned=False, key="seconds"):
    """How many times as long as drx each other column takes."""
    lines = [[row.title, *(ratio_text(ratio(answers[row.key], column.key, key=key)) for column in columns)]
             for row in rows] if columns else []
    return _turned(["peer / drx", *(c.title for c in columns)], lines, turned) if lines else ""


def others(columns):
    return [column for column in columns if column.key != "drx"]


def section(heading, text, *tables):
    """Nothing when no table has a line."""
    body = "".join(tables)
    return f"## {heading}\n\n" + (wrap(text) if text else "") + body if body else ""


# Rows of a part in a section of its page. heading: with {processes}, or None: how many there are; fields: of a table
# that only drx has, else there are times and ratios; plot: the name of their picture, in which the time of `unit` is 1;
# turned: a line for each column; key_of: of the answers; compared: columns of the ratios, which `merged` may add to
# answers; more(results, rows, columns): text that follows.
Group = namedtuple("Group", "key heading text fields plot unit turned key_of compared merged more",
                   defaults=[None, "", None, None, "drx", False, "seconds", None, lambda answers: answers,
                             lambda results, rows, columns: ""])


def _group_text(part, results, ranks, group, folder):
    answers, speeds = results["answers"], results.get("calibration")
    if ranks:
        answers, speeds = answers.get(ranks, {}), speeds and speeds[ranks]
    answers = group.merged(answers)
    words = {"processes": ranks and processes_text(ranks), **words_of(part, results)}
    heading = (group.heading or "{processes}").format(**words)
    rows = [row.titled(part.row_title(row, results["size"])) for row in part.ROWS if row.group == group.key]
    rows, columns = measured(answers, rows, part.COLUMNS + part.BESIDE)
    if not rows:
        return ""
    text = group.text.format(**words)
    if group.fields:
        lines = [(row.title, [{**answer, "memcpy": speeds and median(speeds[row.key], "memcpy")}
                              for answer in answers[row.key]["drx"]]) for row in rows]
        return section(heading, text, fields_table(lines, group.fields))
    compared = measured(answers, rows, group.compared)[1] if group.compared else others(columns)
    drawn = ""
    if group.plot:
        import bench_plots  # which imports this

        drawn = bench_plots.picture(answers, group.plot.format(ranks=ranks), heading, group.unit, rows,
                                    compared if group.compared else columns, folder)
    return section(heading, text, drawn, times_table(answers, rows, columns, speeds, group.turned, group.key_of),
                   ratios_table(answers, rows, compared, group.turned, group.key_of),
                   group.more(results, rows, columns))


def groups_text(part, results, folder):
    """Sections of the groups, one after the other for each number of processes."""
    return "".join(_group_text(part, results, ranks, group, folder)
                   for ranks in results.get("ranks", [None]) for group in part.GROUPS)


# ---- aims: lines of what, the aim, what was measured, whether it was reached

# value: a number, or a function of the answers; None: not measured
Aim = namedtuple("Aim", "what value least most unit number", defaults=[None, None, "", "{:.3g}".format])


def over(row, columns, under="drx", of=None, key="seconds"):
    """An aim's value: the time of the fastest of the columns / that of one, perhaps of another row. All columns of a
    tuple must have been measured; of a list, any."""
    def value(answers):
        names = [columns] if isinstance(columns, str) else columns
        theirs, ours = [middle(answers, row, name, key) for name in names], middle(answers, of or row, under, key)
        there = [one for one in theirs if one]
        if ours and there and (len(there) == len(theirs) or isinstance(columns, list)):
            return min(there) / ours
        return None

    return value


def own(row, key="seconds", factor=1):
    """An aim's value: what drx takes."""
    def value(answers):
        found = middle(answers, row, "drx", key)
        return found and found * factor

    return value


def judge(aims, answers=None, before=""):
    for aim in aims:
        value = aim.value(answers) if callable(aim.value) else aim.value
        if value is not None:
            bound = "most" if aim.least is None else "least"
            limit = getattr(aim, bound)
            yield [before + aim.what, f"at {bound} {limit:.3g}{aim.unit}", aim.number(value) + aim.unit,
                   value <= limit if bound == "most" else value >= limit]


def aims_of(part, results):
    """The lines of all aims: those of each number of processes, and of what else the part has."""
    words = words_of(part, results)
    aims = [aim._replace(what=aim.what.format(**words)) for aim in part.AIMS]
    if "ranks" not in results:
        yield from judge(aims, results["answers"])
    for ranks in part.AIM_RANKS or results.get("ranks", ()):
        yield from judge(aims, results["answers"].get(ranks, {}), f"{processes_text(ranks)}, ")
    yield from judge(part.more_aims(results))


def aims_text(lines, what):
    """What came of the aims, or nothing."""
    lines = list(lines)
    if not lines:
        return ""
    return (f"{what}; {sum(line[3] for line in lines)} of {len(lines)} reached.\n\n"
            "| | aim | measured | |\n| --- | ---: | ---: | --- |\n"
            + "".join(f"| {what} | {aim} | {value} | {'reached' if reached else '**not reached**'} |\n"
                      for what, aim, value, reached in lines) + "\n")


# ---- what several parts say of how they measure

COLD = """\
- *Warm*: the files are in the page cache. *Cold*: they were synced and dropped from it (`POSIX_FADV_DONTNEED`)."""
TOUCHED = """\
- On a virtual machine the first use of a page costs the host time. So as much memory as a measurement uses is
touched and given back before it."""
SPEEDS = """\
- The last figures of a table say how fast the machine was before each of three repetitions (medians): `memcpy`
between buffers, and `pread` of files in the page cache, 1 MiB at a time."""
REPEATED = """\
- {repeat}; the peers take turns. The tables give the median, with the minimum in brackets. What takes more than 1
s is measured twice, or a third time if the first two differ by a quarter; more than 3 s, once."""


# ---- pages


def versions_text(results):
    return ", ".join(f"{name} {version}" for name, version in results["versions"].items() if name != "netCDF_cache")


def words_of(part, results):
    return {"size": results.get("size"), "repeat": repeat_text(results["repeat"]), **part.words(results)}


def _write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def write_tables(part, results, folder):
    """The page of all tables. Gives its path."""
    words = words_of(part, results)
    aims = aims_text(aims_of(part, results), part.AIMS_ARE)
    machine = "## The machine\n\n" + table(["", ""], list(results["machine"].items()), "---")
    text = (f"# Benchmarks: {part.TITLE}\n\n"
            + wrap("`make bench` writes this page; do not edit it. " + part.ABOUT.format(**words)
                   + " **Only ratios within one run mean something.**")
            + (f"## Aims, and what came of them\n\n{aims}" if aims else "")
            + "## How it was measured\n\n" + wrap(part.METHOD.format(**words))
            + groups_text(part, results, folder) + part.more_sections(results, folder) + machine
            + versions_text(results) + ".\n")
    return _write(os.path.join(folder, f"{part.option}.md"), text)


SUMMARIES = {  # file: title, what it is about
    "benchmarks.md": ("Benchmarks of one process", "reads, growth, datasets and copies by one process"),
    "benchmarks-disk.md": ("Benchmarks of the disk and of servers", "arrays on the disk, larger than memory, and on"
                           " a server"),
    "benchmarks-parallel.md": ("Benchmarks of many processes", "arrays that several processes share"),
}
SUMMARY = """\
# {title}

`make bench` writes this page; do not edit it. It has what came of the aims of drx, for {about}. Each section is
one run on one machine. The peers do the same work and take turns in it, and what they read is checked. **Only
ratios within one run mean something**: machines differ, and one machine differs from hour to hour. The run also
writes all tables, and how each was measured, into the build folder ({tables}).

{links}
"""


def _summary_head(part, parts):
    title, about = SUMMARIES[part.summary]
    links = [f"[{SUMMARIES[name][0]}]({name})" for name in SUMMARIES if name != part.summary]
    tables = ", ".join(f"`bench/{other.option}.md`" for other in parts if other.summary == part.summary)
    return wrap(SUMMARY.format(title=title, about=about, tables=tables,
                               links="The other pages: " + ", ".join(links) + "."))


def measured_text(machine, versions):
    """machine: what the page of all tables says of it."""
    cores = "1 core" if machine["Cores"] == "1" else f"{machine['Cores']} cores"
    system = [machine[name] for name in ("Processor", "Memory", "File system", "System") if name in machine]
    return wrap(f"Measured on {machine['Date']}, in {machine['Time taken']}, with {cores}: {', '.join(system)}. "
                f"{versions}.")


def _summary_section(part, results, plots):
    machine = results["machine"]
    return (wrap(part.ABOUT.format(**words_of(part, results))) + aims_text(aims_of(part, results), part.AIMS_ARE)
            + "".join(f"![{what}](benchmarks-{plot}.svg)\n\n" for plot, what in plots.items())
            + measured_text(machine, versions_text(results)))


def put_summary(part, parts, text, folder):
    """Put the section into its page, where those of other parts stay. Gives the path."""
    path, sections = os.path.join(folder, part.summary), {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            _, *found = re.split(r"^## ", file.read(), flags=re.MULTILINE)
        sections = dict(one.split("\n\n", 1) for one in found)
    sections[part.TITLE] = text
    order = [other.TITLE for other in parts if other.summary == part.summary]
    return _write(path, _summary_head(part, parts)
                  + "\n\n".join(f"## {heading}\n\n{sections[heading].strip()}" for heading in order
                                if heading in sections) + "\n")


def write_summary(part, parts, results, tables, folder):
    """tables: the folder that has the page of all tables, and its pictures."""
    plots = {}
    for plot, what in part.PLOTS.items():
        drawn, shown = (os.path.join(where, f"benchmarks-{plot}.svg") for where in (tables, folder))
        if os.path.exists(drawn):
            plots[plot] = what
            os.makedirs(folder, exist_ok=True)
            if not os.path.exists(shown) or not os.path.samefile(drawn, shown):
                shutil.copyfile(drawn, shown)
    return put_summary(part, parts, _summary_section(part, results, plots), folder)
