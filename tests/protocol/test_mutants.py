"""Each rule of the protocol, switched off, is found by the random histories. DRX_SEED=N begins with other ones, and
DRX_SECONDS=N says how long each rule is looked for. Those of SELDOM are looked for a short time, and may be missed."""
import os
import sys
import time

from history import history
from past import past
from rules import OFF, RULES, SELDOM, Broken

SECONDS = float(os.environ.get("DRX_SECONDS", "300"))


def hunt(rule, seed):
    """What the first broken history says, or None."""
    OFF.clear()
    OFF.add(rule)
    begin, n = time.monotonic(), 0
    found = None
    while not found and time.monotonic() < begin + (SECONDS / 30 if rule in SELDOM else SECONDS):
        try:
            past()
            history(seed + n)
        except Broken as what:
            found = what
        n += 1
    print(f"{rule:18} {time.monotonic() - begin:6.1f} s {n:5} histories: {found or 'NOT FOUND'}", flush=True)
    return found


def main():
    seed = int(os.environ.get("DRX_SEED") or 1)
    print(f"DRX_SEED={seed}", flush=True)
    rules = sys.argv[2:] or RULES
    missed = [rule for rule in rules if not hunt(rule, seed) and rule not in SELDOM]
    if missed:
        sys.exit(f"these rules were broken, and nothing was found: {' '.join(missed)}")
    print(f"{len(rules)} rules, each found, but for those of SELDOM that say so")


if __name__ == "__main__":
    main()
