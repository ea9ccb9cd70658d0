"""Picture of the bandwidth of sections: over their size for each number of processes, and over the processes."""

from bench_page import processes_text
from bench_plots import LOOKS, pyplot, save, tidy
from dra_table import ALIGNMENTS, DIRECTIONS, LIBRARIES, bandwidth, section_edges

NAME = "benchmarks-dra-sections.svg"
STYLES = {"aligned": ("-", "full"), "shifted": ("--", "none")}
MARKERS = {"drx": "o", "ga": "s"}


def _lines(libraries):
    """Of each panel: library, alignment, how its line looks."""
    for library in libraries:
        for alignment, title in ALIGNMENTS:
            style, fill = STYLES[alignment]
            yield library, alignment, {"color": LOOKS[library.family][0], "linestyle": style, "fillstyle": fill,
                                       "marker": MARKERS[library.key], "markersize": 4, "linewidth": 1.2,
                                       "label": f"{library.title}, {title}"}


def _draw_sizes(axes, answers, direction, edges):
    for library, alignment, look in _lines([one for one in LIBRARIES if one.key in answers]):
        axes.plot(edges, [bandwidth(answers[library.key], direction, alignment, extent) / 1e9
                          for extent in edges], **look)
    axes.set_xscale("log", base=2)
    axes.set_xticks(edges, [f"{extent}²" for extent in edges], rotation=45, fontsize=8)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_formatter("")


def _draw_processes(axes, sections, direction, extent):
    for library, alignment, look in _lines([one for one in LIBRARIES if all(one.key in a for a in sections.values())]):
        rates = [bandwidth(answers[library.key], direction, alignment, extent)
                 for answers in sections.values()]
        aligned = bandwidth(next(iter(sections.values()))[library.key], direction, "aligned", extent)
        axes.plot([int(ranks) for ranks in sections], [rate / aligned for rate in rates], **look)
    axes.set_xscale("log", base=2)
    axes.set_xticks([int(ranks) for ranks in sections], list(sections))
    axes.set_ylim(bottom=0)


def draw(sections, size, folder):
    """sections: {ranks: {column: answers}}"""
    edges, several = section_edges(size), len(sections) > 1
    figure, grid = pyplot.subplots(nrows=2, ncols=len(sections) + several, figsize=(3 * (len(sections) + several), 5.6),
                                   squeeze=False, layout="constrained")
    for row, (direction, what) in zip(grid, DIRECTIONS):
        for axes, (ranks, answers) in zip(row, sections.items()):
            axes.sharey(row[0])
            _draw_sizes(axes, answers, direction, edges)
            tidy(axes, "both", f"{what}, {processes_text(ranks)}", "top", "right")
        row[0].set_ylabel("GB/s")
        if several:
            _draw_processes(row[-1], sections, direction, edges[-1])
            tidy(row[-1], "both", f"{what}, {edges[-1]}², over processes", "top", "right")
            row[-1].set_ylabel("aligned, first = 1")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0), ncol=2, frameon=False, fontsize=8)
    save(figure, NAME, folder)
