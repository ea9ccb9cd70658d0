"""Picture of what requests cost before and after a copy, for each shape of them."""

from layout_table import COSTS, PROCESSES
from bench_page import median, processes_text
from bench_plots import pyplot, save, tidy

COLOURS = {"skewed": "#D55E00", "conversion": "#0072B2", "aligned": "#000000"}  # of Okabe and Ito
STYLES = {1: "-o", 2: "--s", 4: ":^"}
HEADINGS = {"warm": "warm, all requests", "cold": "cold"}


def draw_lines(axes, access, cache):
    for cost in COSTS:
        if cost.cache == cache and all(cost.key in answers for answers in access.values()):
            axes.plot([median(answers[cost.key]) for answers in access.values()], STYLES[cost.processes],
                      color=COLOURS[cost.title], markersize=4, linewidth=1.2,
                      fillstyle="full" if cost.processes == PROCESSES[0] else "none",
                      label=f"{cost.title}, {processes_text(cost.processes)}")
    axes.set_xticks(range(len(access)), list(access), rotation=60, ha="right", fontsize=8)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} s")
    tidy(axes, "y", HEADINGS[cache], "top", "right")


def draw(access, folder):
    """Gives the name of the file."""
    figure, both = pyplot.subplots(ncols=2, figsize=(8, 3.6), sharey=True)
    for axes, cache in zip(both, HEADINGS):
        draw_lines(axes, access, cache)
    handles, labels = both[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", bbox_to_anchor=(0.5, -0.24), ncol=3, frameon=False, fontsize=8)
    name = "benchmarks-layout-access.svg"
    save(figure, name, folder)
    return name
