"""The part of Disk Resident Arrays: the same jobs by the drop-in and by Global Arrays' own library, in turn."""

import json
import os
import subprocess

import bench_machine
import serial_report
from dra_table import BOUNDS_MIB, COLUMNS, HINTED, PASSES, RISCF, ROWS, WORK, WORKS, edge, hint, strip
from bench_server import ROOT, Failure, take_turns

LONGEST = 900  # seconds that a job may take


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.columns = [c for c in COLUMNS if not options.peers or c.key in options.peers]
        self.rows = [r for r in ROWS if not options.only or any(r.key.startswith(word) for word in options.only)]
        for column in self.columns:
            if not os.access(self.program(column.program), os.X_OK):
                raise Failure(f"{self.program(column.program)}: is not there, expected it from `make bench`")
        self.answers = {}  # ranks: {row: {column: [answer, ...]}}
        self.memory = {}   # ranks: {column: {bound in MiB: bytes}}
        self.riscf = {}    # ranks: {column: [answer, ...]}
        self.versions = {}

    def end(self):
        """Jobs end by themselves."""

    def program(self, name):
        return os.path.join(self.options.build, "bench", name)

    def tell(self, text):
        if not self.options.silent:
            print(text, flush=True)

    def job(self, ranks, name, *words):
        """The answer of a job, which must be right."""
        os.sync()
        done = subprocess.run([os.path.join(ROOT, "scripts/in-mpi"), ranks, str(LONGEST), self.program(name),
                               *map(str, words), self.folder], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              text=True, check=False)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if not lines:
            raise Failure(f"{name} on {ranks}: ended with {done.returncode}, without an answer")
        answer = json.loads(lines[-1])
        if answer["outcome"] != "done":
            raise Failure(f"{name} on {ranks}: {answer['error']}")
        return answer

    def transfer(self, ranks, column, row, bound_bytes=-1):
        size = self.options.size
        if column.key == "plain":
            answer = self.job(ranks, column.program, edge(size))
        else:
            answer = self.job(ranks, column.program, edge(size), hint(size, row), strip(size), bound_bytes)
        for name in ("drx", "Global Arrays", "compiler"):
            if name in answer:
                self.versions[name] = answer[name]
        answer["seconds"] = sum(answer.get(work.key, 0) for work in WORKS)
        return answer

    def measure(self, ranks, row):
        answers = take_turns(self.columns, self.options.repeat,
                             lambda column: column and self.transfer(ranks, column, row))
        self.answers[ranks][row.key] = answers
        for work in WORKS:
            self.tell(f"{ranks} {row.key:12} {work.key:13} " + "  ".join(
                f"{key} {serial_report.seconds_text(serial_report.median(a, work.key))}"
                for key, a in answers.items() if work.key in a[0]))

    def measure_memory(self, ranks):
        for column in self.columns:
            if column.key != "plain":
                self.memory[ranks][column.key] = {
                    str(bound): self.transfer(ranks, column, HINTED[0], bound << 20)["memory_bytes"]
                    for bound in BOUNDS_MIB}

    def measure_riscf(self, ranks):
        columns = [c for c in self.columns if c.key != "plain"]
        programs = {"drx": "dra-riscf-ours", "ga": "dra-riscf-theirs"}
        size = self.options.size

        def ask(column):
            if column is None:
                return None
            answer = self.job(ranks, programs[column.key], edge(size), -1, strip(size), PASSES, WORK)
            answer["seconds"] = sum(answer[key] for key, _ in RISCF)
            return answer

        self.riscf[ranks] = take_turns(columns, self.options.repeat, ask)
        for key, _ in RISCF:
            self.tell(f"{ranks} dra-riscf    {key:13} " + "  ".join(
                f"{column} {serial_report.seconds_text(serial_report.median(a, key))}"
                for column, a in self.riscf[ranks].items()))

    def all(self):
        for ranks in map(str, self.options.ranks):
            self.answers[ranks], self.memory[ranks] = {}, {}
            for row in self.rows:
                if row in HINTED:
                    self.measure(ranks, row)
                elif row.key == "dra-memory":
                    self.measure_memory(ranks)
                else:
                    self.measure_riscf(ranks)

    def results(self):
        return {
            "machine": bench_machine.describe(self.folder, self.options.build),
            "versions": self.versions,
            "size": self.options.size, "repeat": self.options.repeat, "ranks": list(map(str, self.options.ranks)),
            "answers": self.answers, "dra_memory": self.memory, "riscf": self.riscf,
        }


def needed_bytes(size):
    return 4 * 8 * edge(size) ** 2  # two arrays at a time, and as much to spare


def left_out(build):
    """Why there is no such part, or None."""
    try:
        with open(os.path.join(build, "bench/dra-left-out"), encoding="utf-8") as file:
            return file.read().strip()
    except FileNotFoundError:
        return None
