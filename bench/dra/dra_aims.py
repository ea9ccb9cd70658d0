"""What the drop-in for Disk Resident Arrays is to reach, as ratios of medians of one run, and what it did reach."""

import bench_aims
from dra_table import HINTED, WORKS, titled
from serial_report import median

# row: {work: Global Arrays' own / drx, at least}
OWN = {
    "dra-default": {"write": 2, "read": 2, "read-strips": 3, "write-strips": 3},
    "dra-square": {work.key: 1 for work in WORKS},
}
PLAIN = 0.5  # contiguous / drx, at least, of whole reads


def processes(ranks):
    return "1 process" if ranks == "1" else f"{ranks} processes"


def ratio(answers, column, work):
    """Of the column to drx; None if either was not measured."""
    if any(work not in (answers.get(key) or [{}])[0] for key in (column, "drx")):
        return None
    return median(answers[column], work) / median(answers["drx"], work)


def row_of(what, value, aim):
    return [what, f"at least {aim:.3g}", f"{value:.3g}", value >= aim]


def ratios(results):
    for ranks in results["ranks"]:
        for row in HINTED:
            answers = results["answers"][ranks].get(row.key, {})
            for work in WORKS:
                aim, value = OWN[row.key].get(work.key), ratio(answers, "ga", work.key)
                what = f"{processes(ranks)}, {row.title}, {work.title}"
                if aim and value:
                    yield row_of(titled(what, results["size"]) + ": Global Arrays' own / drx", value, aim)
            value = ratio(answers, "plain", "read")
            if value:
                yield row_of(titled(f"{processes(ranks)}, {row.title}, read: contiguous / drx", results["size"]), value,
                             PLAIN)


def memory(results):
    for ranks in results["ranks"]:
        for bound, found in results["dra_memory"].get(ranks, {}).get("drx", {}).items():
            mib = found / (1 << 20)
            yield [f"{processes(ranks)}, memory of one, DRA_Init with {bound} MiB", f"at most {bound} MiB",
                   f"{mib:.1f} MiB", mib <= int(bound)]


def text(results):
    return bench_aims.section(list(ratios(results)) + list(memory(results)), "Ratios of medians")
