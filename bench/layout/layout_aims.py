"""What copies into other layouts are to reach, and what they did reach."""

import bench_aims
from layout_table import COSTS
from serial_report import least, median

# what is divided, by what; row, columns, of the minima or medians, at most
COPIES = [
    ("{}, warm: drx / cp, minima", "columns", least, 1.4),
    ("{}, warm: drx / cp, minima", "blocks", least, 1.4),
    ("{}, cold, durable: drx / cp, medians", "cold-columns", median, 1.2),
    ("{}, cold, durable: drx / cp, medians", "cold-blocks", median, 1.2),
]

# title, peer, at least; of medians, warm
PEERS = [("h5repack", "h5repack", 15), ("nccopy", "nccopy", 4), ("rechunker's way", "zarr", 5)]

WHOLE = 512    # the size for which the memory of the aims allows one pass
FLAT = 1.5     # the slowest shape / the fastest
PRODUCT = 0.95


def at_most(what, value, aim, unit=""):
    return [what, f"at most {aim:.3g}{unit}", f"{value:.3g}{unit}", value <= aim]


def at_least(what, value, aim):
    return [what, f"at least {aim:.3g}", f"{value:.3g}", value >= aim]


def copies(results, titles):
    for what, row, of, aim in COPIES:
        answers = results["answers"].get(row, {})
        if answers.get("drx") and answers.get("cp"):
            yield at_most(what.format(titles[row]), of(answers["drx"]) / of(answers["cp"]), aim)
    for row in ("columns", "blocks"):
        answers = results["answers"].get(row, {})
        if answers.get("drx") and results["size"] >= WHOLE:
            yield at_most(f"{titles[row]}: passes of drx", answers["drx"][0]["passes"], 1)
        for peer, column, aim in PEERS:
            if answers.get("drx") and answers.get(column):
                yield at_least(f"{titles[row]}, warm: {peer} / drx", median(answers[column]) / median(answers["drx"]),
                               aim)


def flatness(results):
    for cost in COSTS:
        middles = [median(answers[cost.key]) for answers in results["access"].values()]
        if len(middles) > 1 and cost.title != "skewed":
            processes = "1 process" if cost.processes == 1 else f"{cost.processes} processes"
            yield at_most(f"{cost.title}, {cost.cache}, {processes}: the slowest shape / the fastest",
                          max(middles) / min(middles), FLAT)


def products(results):
    for key, answers in results["product"].items():
        processes = key.rpartition("-")[2] if "-" in key else "1"
        yield at_least(f"product out of core / in core, {processes} process{'es' if processes != '1' else ''}",
                       median(answers, "gflops") / median(answers, "in_core"), PRODUCT)


def text(results, titles):
    rows = list(copies(results, titles)) + list(flatness(results)) + list(products(results))
    return bench_aims.section(rows, "Ratios within one run")
