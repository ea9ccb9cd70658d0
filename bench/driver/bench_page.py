"""What all pages have in common: statistics, numbers as text, tables, aims, the machine."""

import os
import statistics


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
    """Of the medians of two columns; None: one was not measured."""
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


def cell(answers, key="seconds"):
    if not was_measured(answers, key):
        return "–"
    return f"{seconds_text(median(answers, key))} ({seconds_text(least(answers, key))})"


# ---- tables


def table(header, rows, align="---:"):
    lines = ["| " + " | ".join(header) + " |", "| --- |" + f" {align} |" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def measured(answers, rows, columns):
    """The rows that were measured, and the columns that took part in one of them."""
    rows = [row for row in rows if answers.get(row.key)]
    return rows, [c for c in columns if any(answers[row.key].get(c.key) for row in rows)]


def _turned(header, lines, turned):
    grid = [header, *lines]
    if turned:
        grid = list(map(list, zip(*grid)))
    return table(grid[0], grid[1:])


def times_table(answers, rows, columns, speeds=None, turned=False, corner="median (minimum)", key="seconds"):
    """A line for each row, or turned for each column; speeds: of the machine before each repetition."""
    kinds = ("memcpy", "pread") if speeds else ()
    lines = [[row.title, *(cell(answers[row.key].get(column.key), key) for column in columns),
              *(f"{median(speeds[row.key], kind):.1f}" for kind in kinds)] for row in rows]
    return _turned([corner, *(c.title for c in columns), *(f"*{kind}, GB/s*" for kind in kinds)], lines, turned)


def ratios_table(answers, rows, columns, turned=False, corner="peer / drx", of=ratio):
    """How many times as long as drx each other column takes."""
    lines = [[row.title, *(ratio_text(of(answers[row.key], column.key)) for column in columns)] for row in rows]
    return _turned([corner, *(c.title for c in columns)], lines, turned)


def others(columns):
    return [column for column in columns if column.key != "drx"]


# ---- aims: lines of what, the aim, what was measured, whether it was reached


def at_least(what, value, aim, unit="", number="{:.3g}".format):
    return [what, f"at least {aim:.3g}{unit}", number(value) + unit, value >= aim]


def at_most(what, value, aim, unit="", number="{:.3g}".format):
    return [what, f"at most {aim:.3g}{unit}", number(value) + unit, value <= aim]


def ratio_aims(answers, aims, key="seconds"):
    """aims: (what, (row, columns), (row, column), at least). Divides the fastest of the columns by the column. All
    columns of a tuple must have been measured; of a list, any."""
    for what, (row, columns), own, aim in aims:
        theirs, ours = [middle(answers, row, column, key) for column in columns], middle(answers, *own, key)
        there = [value for value in theirs if value]
        if ours and there and (len(there) == len(theirs) or isinstance(columns, list)):
            yield at_least(what, min(there) / ours, aim)


def aims_text(lines, what):
    """The section of these lines, or nothing."""
    lines = list(lines)
    if not lines:
        return ""
    head = (f"## Aims, and what came of them\n\n{what}; {sum(line[3] for line in lines)} of {len(lines)} reached.\n\n"
            "| | aim | measured | |\n| --- | ---: | ---: | --- |\n")
    return head + "".join(f"| {what} | {aim} | {value} | {'reached' if reached else '**not reached**'} |\n"
                          for what, aim, value, reached in lines)


# ---- the page


def machine_text(results):
    versions = [f"{name} {version}" for name, version in results["versions"].items() if name != "netCDF_cache"]
    return ("## The machine\n\n" + table(["", ""], list(results["machine"].items()), "---")
            + (f"\n{', '.join(versions)}.\n" if versions else ""))


def write_page(name, folder, text, results):
    """Gives the path."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + machine_text(results))
    return path
