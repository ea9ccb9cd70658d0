"""The part of one-sided access: one program that holds all peers, on some numbers of processes."""

import json
import os
import subprocess

import bench_machine
from onesided_table import COLUMNS, RANKS, ROWS
from bench_server import ROOT, Failure

LONGEST = 1800  # seconds
TURNS = 5       # each repetition is so many: they are short


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.program = os.path.join(options.build, "bench", "onesided")
        if not os.access(self.program, os.X_OK):
            raise Failure(f"{self.program}: is not there, expected it from `make bench`")
        self.columns = [c for c in COLUMNS if not options.peers or c.key in options.peers or c.family in options.peers]
        self.rows = [r for r in ROWS if not options.only or any(r.key.startswith(word) for word in options.only)]
        self.repeat = 1 if options.quick else options.repeat * TURNS
        self.answers = {}  # ranks: {row: {column: [answer, ...]}}

    def end(self):
        pass

    def all(self):
        for ranks in RANKS:
            answers = self.answers[ranks] = {}
            command = [os.path.join(ROOT, "scripts/in-mpi"), ranks, str(LONGEST), self.program,
                       str(16 * self.options.size), str(self.repeat),
                       ",".join(c.key for c in self.columns), ",".join(r.key for r in self.rows)]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            if done.returncode:
                raise Failure(f"{self.program} on {ranks} processes ended with {done.returncode}")
            for line in done.stdout.splitlines():
                if line.startswith("{"):
                    answer = json.loads(line)
                    answers.setdefault(answer["case"], {})[answer["peer"]] = [
                        {"seconds": seconds} for seconds in answer["seconds"]]

    def results(self):
        return {"machine": bench_machine.describe("/dev/shm", self.options.build), "versions": versions(),
                "edge": 16 * self.options.size, "repeat": self.repeat, "onesided": self.answers}


def versions():
    found = {"Open MPI": bench_machine.output("mpirun", "--version"),
             "Global Arrays": bench_machine.output("dpkg-query", "-W", "-f=${Version}", "libglobalarrays-dev")}
    return {name: text.split("\n")[0].removeprefix("mpirun (Open MPI) ") for name, text in found.items() if text}


def needed_bytes(_size):
    return 0


def left_out(build):
    """Why there is no such part, or None."""
    try:
        with open(os.path.join(build, "bench/onesided-left-out"), encoding="utf-8") as file:
            return file.read().strip()
    except FileNotFoundError:
        return None
