"""The protocol of spec/drx-format.md as a model that runs: records, files and locks as it has them, and random
histories of writers alone and sharing, ranks of jobs, readers without locks, kills, power cuts, failed syncs and bit
errors. This test runs them for some seconds; test_mutants.py shows that they find each rule of rules.py that is broken.

    log.py store.py    records, and what is true after each
    plain.py packed.py elements as they are, in stripes, and in compressed chunks
    writer.py          opening, the lock of changes, giving back
    changes.py compaction.py  the operations
    reader.py          a reader of any age
    disk.py world.py truth.py history.py past.py  what happens to them, and what must never be seen

DRX_SEED=N repeats from the history for which it was printed; DRX_HISTORIES=N or DRX_SECONDS=N says how many;
DRX_WITHOUT="RULE ..." switches rules off. Every `yield` is a step: there others run, or it ends.
"""
import collections
import os
import random
import sys
import time
import traceback

from history import history
from past import past
from rules import OFF, RULES, Broken

SECONDS = float(os.environ.get("DRX_SECONDS", "300" if os.environ.get("DRX_TORTURE") == "1" else "5"))


def main():
    OFF.update(os.environ.get("DRX_WITHOUT", "").split())
    if OFF - RULES.keys():
        sys.exit(f"no such rule: {' '.join(sorted(OFF - RULES.keys()))}")
    seed = int(os.environ.get("DRX_SEED") or random.randrange(1 << 32))
    most = int(os.environ.get("DRX_HISTORIES") or 1 << 62)
    counts, end, n = collections.Counter(), time.monotonic() + (SECONDS if most == 1 << 62 else 1 << 62), 0
    past()
    print(f"DRX_SEED={seed}", flush=True)
    while n < most and (n == 0 or time.monotonic() < end):
        try:
            counts.update(history(seed + n))
        except Exception as what:  # the last line says all that repeats it
            if not isinstance(what, Broken):
                traceback.print_exc()
            sys.exit(f"history {n}: DRX_SEED={seed + n}: {type(what).__name__}: {what}")
        n += 1
    print(f"{n} histories:", ", ".join(f"{number} {what}" for what, number in sorted(counts.items())))


if __name__ == "__main__":
    main()
