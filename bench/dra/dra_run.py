"""The part of Disk Resident Arrays: the same jobs by the drop-in and by Global Arrays' own library, in turn."""

import os

import bench_machine
import bench_run
import dra_table
from dra_table import (BOUNDS_MIB, CONVERT, COPIES, HINTED, LIBRARIES, PASSES, RISCF, ROWS, WORK, WORKS, edge, hint,
                       section_keys, strip)

LONGEST = 900  # seconds that a job may take


class Run(bench_run.Run):
    def __init__(self, options, folder):
        super().__init__(options, folder, dra_table)
        self.programs = {c.key: {what: self.program(name) for what, name in c.programs.items()} for c in self.columns}
        self.libraries = [c for c in self.columns if c in LIBRARIES]
        self.memory = {}    # ranks: {column: {bound in MiB: bytes}}
        self.riscf = {}     # ranks: {column: [answer, ...]}
        self.sections = {}  # likewise
        self.copies = {}    # ranks: [answer, ...]
        self.found = {}     # versions

    def run_job(self, ranks, program, keys, *words):
        """The answer of a job, with the longest of its times, which decides how often it runs."""
        os.sync()
        bench_machine.touch(3 * 8 * edge(self.options.size) ** 2)
        answer = self.job(ranks, LONGEST, program, *words, self.folder)[-1]
        answer["seconds"] = max(answer.get(key, 0) for key in keys)
        self.found.update({name: answer[name] for name in ("drx", "Global Arrays", "compiler") if name in answer})
        return answer

    def transfer(self, ranks, column, row, bound_bytes=-1):
        size, words = self.options.size, ()
        if column in LIBRARIES:
            words = hint(size, row), strip(size), bound_bytes
        return self.run_job(ranks, self.programs[column.key]["transfer"], [work.key for work in WORKS], edge(size), *words)

    def measure(self, ranks, row):
        answers = self.answers[ranks][row.key] = self.turns(
            f"{ranks} {row.key}", self.columns, lambda column: column and self.transfer(ranks, column, row), key=None)
        for work in WORKS:
            self.tell_answers(f"{ranks} {row.key} {work.key}", answers, work.key)

    def measure_memory(self, ranks):
        for column in self.libraries:
            self.memory[ranks][column.key] = {
                str(bound): self.spend(f"{ranks} dra-memory", column.key, self.transfer, ranks, column, HINTED[0],
                                       bound << 20)["memory_bytes"]
                for bound in BOUNDS_MIB}

    def measure_riscf(self, ranks):
        keys, size = [key for key, _ in RISCF], self.options.size
        self.riscf[ranks] = self.turns(
            f"{ranks} dra-riscf", self.libraries, lambda column: column and self.run_job(
                ranks, self.programs[column.key]["riscf"], keys, edge(size), -1, strip(size), PASSES, WORK), key=None)
        for key in keys:
            self.tell_answers(f"{ranks} dra-riscf {key}", self.riscf[ranks], key)

    def measure_sections(self, ranks):
        size = self.options.size
        extent = hint(size, ROWS[1]).partition("x")[0]
        self.sections[ranks] = self.turns(
            f"{ranks} dra-sections", self.libraries, lambda column: column and self.run_job(
                ranks, self.programs[column.key]["sweep"], section_keys(size), edge(size), extent), key=None)

    def measure_copies(self, ranks):
        keys, size = [key for key, _ in COPIES], self.options.size
        extent = hint(size, ROWS[1]).partition("x")[0]
        answers = self.turns(f"{ranks} dra-copy", self.libraries[:1], lambda column: column and self.run_job(
            ranks, self.program(CONVERT), keys, edge(size), extent), key=None)
        self.copies[ranks] = answers.get("drx", [])
        for key in keys:
            self.tell_answers(f"{ranks} dra-copy {key}", answers, key)

    def all(self):
        for ranks in map(str, self.options.ranks):
            self.answers[ranks], self.memory[ranks] = {}, {}
            for row in self.rows:
                if row in HINTED:
                    self.measure(ranks, row)
                elif row.key == "dra-memory":
                    self.measure_memory(ranks)
                elif row.key == "dra-riscf":
                    self.measure_riscf(ranks)
                elif row.key == "dra-copy":
                    if "drx" in self.programs:
                        self.measure_copies(ranks)
                else:
                    self.measure_sections(ranks)

    def versions(self):
        return self.found

    def results(self):
        return super().results(ranks=list(map(str, self.options.ranks)), dra_memory=self.memory, riscf=self.riscf,
                               sections=self.sections, copies=self.copies)

    @staticmethod
    def needed_bytes(size):
        return 4 * 8 * edge(size) ** 2  # two arrays at a time, and as much to spare
