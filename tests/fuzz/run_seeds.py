"""Run a target on its seeds, on what made it crash in the past, and on mutations of these.
Usage: run_seeds.py PROGRAM [ARG ...]"""

import os
import sys

import seeds

program = sys.argv[1]
target = os.path.basename(program)
crashes = f"{os.path.dirname(os.path.abspath(__file__))}/crashes/{target}"
seeds.write(target, "seeds")
with open(os.devnull, "wb") as nothing:  # what drx says of bad inputs
    os.dup2(nothing.fileno(), 2) if os.environ.get("DRX_FUZZ_QUIET", "1") == "1" else None
os.execv(program, [program, crashes, "seeds", *sys.argv[2:]])
