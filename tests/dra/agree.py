#!/usr/bin/python3
"""A program gives the same results with Global Arrays' own library and with the drop-in, on any number of ranks.
Usage: agree.py RANKS,... THEIRS OURS [ARG...], the two programs and what both get"""

import sys

import dra_jobs


def first_difference(got, expected):
    for i, (one, other) in enumerate(zip(got, expected)):
        if one != other:
            return f"line {i}:\n  {one}\nexpected\n  {other}"
    return f"{len(got)} lines, expected {len(expected)}"


def main():
    ranks, programs, words = sys.argv[1].split(","), sys.argv[2:4], sys.argv[4:]
    expected = None
    for n in ranks:
        for i, program in enumerate(programs):
            try:
                got = dra_jobs.results(n, program, *words, folder=f"{n}-{i}")
            except dra_jobs.Failed as failure:
                return str(failure)
            if expected is None:
                expected = got
                print(f"{len(got)} results, {got[0][2:]}", flush=True)
            if got != expected or not got:
                return f"{program} on {n}: {first_difference(got, expected)}"
    return None


if __name__ == "__main__":
    sys.exit(main())
