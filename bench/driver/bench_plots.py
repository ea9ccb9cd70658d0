"""Pictures of the results: one SVG for a group of rows."""

import os
import statistics

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({
    "svg.fonttype": "none",  # letters stay letters: small files
    "svg.hashsalt": "drx", "font.size": 9, "font.family": "sans-serif",
})
from matplotlib import pyplot  # noqa: E402

# family: colour (of Okabe and Ito, told apart by colour-blind eyes), and marker
LOOKS = {"drx": ("#000000", "|"), "posix": ("#009E73", "o"), "bare": ("#009E73", "x"), "hdf5": ("#D55E00", "s"),
         "netcdf": ("#0072B2", "D"), "zarr": ("#CC79A7", "^"), "pnetcdf": ("#0072B2", "D"), "mpiio": ("#E69F00", "v"),
         "cp": ("#009E73", "o")}


def look(column):
    """Filled: as it comes; hollow: best; half: two threads, or each rank for itself."""
    colour, marker = LOOKS[column.family]
    style = ("bottom" if column.key.endswith("-best-alone") else "none" if column.key.endswith(("-best", "-map"))
             else "left" if column.key.endswith(("-1", "-2", "-alone")) else "full")
    if column.key in ("drx-1", "drx-2", "drx-sums"):
        marker = "d"
    return {"color": colour, "marker": marker, "fillstyle": style, "markersize": 7 if marker != "|" else 16,
            "linestyle": "none", "label": column.title}


def draw(results, group, heading, unit, rows, columns, folder):
    """Time relative to drx (unit says how it ran), on a logarithmic axis; gives the name of the file."""
    figure, axes = pyplot.subplots(figsize=(8, 1.4 + 0.42 * len(rows)))
    rows = [row for row in rows if "drx" in results["answers"][row.key]]
    for column in columns:
        points = []
        for place, row in enumerate(rows):
            answers = results["answers"][row.key]
            if column.key in answers:
                middles = [statistics.median(a["seconds"] for a in answers[key]) for key in (column.key, "drx")]
                points.append((middles[0] / middles[1], place))
        if points:
            axes.plot(*zip(*points), **look(column))
    axes.axvline(1, color="#000000", linewidth=0.8, zorder=0)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    axes.set_yticks(range(len(rows)), [row.title for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="x", color="#dddddd")
    axes.set_axisbelow(True)
    axes.set_title(f"{heading}: time, {unit} = 1 (more is slower)", loc="left", fontsize=10)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.legend(loc="upper center", bbox_to_anchor=(0.35, -0.1 - 0.25 / len(rows)), ncol=4, frameon=False, fontsize=8)
    name = f"benchmarks-{group}.svg"
    figure.savefig(os.path.join(folder, name), bbox_inches="tight", facecolor="white", metadata={"Date": None})
    pyplot.close(figure)
    return name
