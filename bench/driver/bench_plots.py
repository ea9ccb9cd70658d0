"""Pictures of the results. pyplot takes a second to import, which only runs that draw should take."""

import functools
import os

from bench_page import ratio

# family: colour (of Okabe and Ito, told apart by colour-blind eyes), and marker
LOOKS = {"drx": ("#000000", "|"), "posix": ("#009E73", "o"), "bare": ("#009E73", "x"), "hdf5": ("#D55E00", "s"),
         "netcdf": ("#0072B2", "D"), "zarr": ("#CC79A7", "^"), "pnetcdf": ("#0072B2", "D"), "mpiio": ("#E69F00", "v"),
         "cp": ("#009E73", "o"), "ga": ("#D55E00", "s"), "device": ("#E69F00", "v")}


@functools.cache
def pyplot():
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({
        "svg.fonttype": "none",  # letters stay letters: small files
        "svg.hashsalt": "drx", "font.size": 9, "font.family": "sans-serif",
    })
    from matplotlib import pyplot as plots

    return plots


def look(column):
    """Filled: as it comes; hollow: best; half: two threads, or each rank for itself."""
    colour, marker = LOOKS[column.family]
    style = ("bottom" if column.key.endswith("-best-alone")
             else "none" if column.key.endswith(("-best", "-map", "-big"))
             else "left" if column.key.endswith(("-1", "-2", "-alone")) else "full")
    if column.key in ("drx-1", "drx-2", "drx-sums", "drx-striped"):
        marker = "d"
    return {"color": colour, "marker": marker, "fillstyle": style, "markersize": 7 if marker != "|" else 16,
            "linestyle": "none", "label": column.title}


def save(figure, name, folder):
    """Gives the line that shows it."""
    os.makedirs(folder, exist_ok=True)
    figure.savefig(os.path.join(folder, f"benchmarks-{name}.svg"), bbox_inches="tight", facecolor="white",
                   metadata={"Date": None})
    pyplot().close(figure)


def show(name, what):
    return f"![{what}](benchmarks-{name}.svg)\n\n"


def tidy(axes, grid, title, *hidden):
    axes.grid(axis=grid, color="#dddddd")
    axes.set_axisbelow(True)
    axes.set_title(title, loc="left", fontsize=10)
    for side in hidden:
        axes.spines[side].set_visible(False)


def picture(answers, name, heading, unit, rows, columns, folder):
    """Draw time relative to drx (unit says how it ran) on a logarithmic axis; gives the line that shows the picture, or
    nothing."""
    rows = [row for row in rows if "drx" in answers[row.key]]
    if not rows:
        return ""
    figure, axes = pyplot().subplots(figsize=(8, 1.4 + 0.42 * len(rows)))
    for column in columns:
        points = [(ratio(answers[row.key], column.key), place) for place, row in enumerate(rows)]
        points = [point for point in points if point[0] is not None]
        if points:
            axes.plot(*zip(*points), **look(column))
    axes.axvline(1, color="#000000", linewidth=0.8, zorder=0)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    axes.set_yticks(range(len(rows)), [row.title for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    tidy(axes, "x", f"{heading}: time, {unit} = 1 (more is slower)", "top", "right", "left")
    axes.tick_params(axis="y", length=0)
    axes.legend(loc="upper center", bbox_to_anchor=(0.35, -0.1 - 0.25 / len(rows)), ncol=4, frameon=False, fontsize=8)
    save(figure, name, folder)
    return show(name, f"{heading}: time of each peer relative to drx")
