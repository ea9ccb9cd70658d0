"""What the runs of all parts have in common."""

import json
import os
import subprocess
import sys
import time

import bench_machine
from bench_page import median, seconds_text
from bench_server import Failure, in_mpi, take_turns

CALIBRATIONS = 3  # of a row


class Run:
    """Measures the rows and columns of a table that the options ask for. Its page is made of the results."""

    def __init__(self, options, folder, table):
        self.options, self.folder = options, folder
        peers, only = options.peers, options.only
        self.columns = [c for c in table.COLUMNS if not peers or c.key in peers or c.family in peers]
        self.rows = [r for r in table.ROWS if not only or r.key.startswith(tuple(only))]
        self.repeat = options.repeat
        self.servers = {}
        self.answers = {}      # row: {column: [answer, ...]}; of many processes {ranks: that}
        self.calibration = {}  # row: [answer, ...]; likewise

    def end(self):
        for server in self.servers.values():
            server.end()
        self.servers = {}

    def program(self, name):
        path = os.path.join(self.options.build, "bench", name)
        if not os.access(path, os.X_OK):
            raise Failure(f"{path}: is not there, expected it from `make bench`")
        return path

    def job(self, ranks, seconds, *command):
        """The lines of JSON that processes print until they end."""
        done = subprocess.run(in_mpi(ranks, seconds, *command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              text=True, check=False)
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        for answer in answers:
            if answer.get("outcome") == "failed":
                raise Failure(f"{os.path.basename(command[0])} on {ranks}: {answer['error']}")
        if done.returncode or not answers:
            raise Failure(f"{command[0]} on {ranks} processes ended with {done.returncode}")
        return answers

    def calibrate(self, speeds, ask):
        """Adds an answer of how fast the machine is; a few are enough."""
        if len(speeds) < CALIBRATIONS:
            speeds.append(ask())

    def tell(self, text):
        if not self.options.silent:
            print(text, flush=True)

    def tell_answers(self, label, answers, key="seconds"):
        self.tell(f"{label:22} " + "  ".join(
            f"{name} {seconds_text(median(found, key))}" for name, found in answers.items() if key in found[0]))

    # ---- where the time of the run goes, on stderr

    def tell_spent(self, label, spent):
        """spent: what for: seconds."""
        if not self.options.silent:
            parts = sorted(spent.items(), key=lambda part: -part[1])
            print(f"bench: {label}: {sum(spent.values()):.1f} s: "
                  + "  ".join(f"{name} {seconds:.1f}" for name, seconds in parts if seconds >= 0.05),
                  file=sys.stderr, flush=True)

    def spend(self, label, what, work, *words):
        """The result of the work, whose time is told."""
        start = time.monotonic()
        result = work(*words)
        self.tell_spent(label, {what: time.monotonic() - start})
        return result

    def turns(self, label, columns, ask, key="seconds", repeat=None, **more):
        """The answers of the columns, which take turns; tells them, and the time that each column has taken with all
        that makes and checks its files."""
        spent = {}

        def ask_timed(column):
            start = time.monotonic()
            answer = ask(column)
            name = column.key if column else "before"
            spent[name] = spent.get(name, 0) + time.monotonic() - start
            return answer

        answers = take_turns(columns, repeat or self.repeat, ask_timed, **more)
        if key:
            self.tell_answers(label, answers, key)
        self.tell_spent(label, spent)
        return answers

    def results(self, **more):
        return {"machine": bench_machine.describe(self.folder, self.options.build), "versions": self.versions(),
                "size": self.options.size, "repeat": self.repeat, "answers": self.answers, **more}

    @staticmethod
    def needed_bytes(_size):
        return 0


def without_outcome(answer):
    return {name: text for name, text in answer.items() if name not in ("workload", "outcome")}
