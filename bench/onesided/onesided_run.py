"""The part of one-sided access: one program that holds all peers, on some numbers of processes."""

import bench_machine
import bench_run
import onesided_table
from onesided_table import RANKS

LONGEST = 1800  # seconds
TURNS = 3       # each repetition is so many: they are short


class Run(bench_run.Run):
    def __init__(self, options, folder):
        super().__init__(options, folder, onesided_table)
        self.peers = self.program("onesided")
        self.repeat = 1 if options.quick else options.repeat * TURNS
        self.edge = 16 * options.size

    def all(self):
        for ranks in RANKS:
            answers = self.answers[ranks] = {}
            found = self.spend(f"{ranks} onesided", "all", self.job, ranks, LONGEST, self.peers, self.edge, self.repeat,
                               5 if self.options.quick else 1,
                               ",".join(c.key for c in self.columns), ",".join(r.key for r in self.rows))
            for answer in found:
                answers.setdefault(answer["case"], {})[answer["peer"]] = [{"seconds": seconds}
                                                                         for seconds in answer["seconds"]]

    def versions(self):
        found = {"Open MPI": bench_machine.output("mpirun", "--version"),
                 "Global Arrays": bench_machine.output("dpkg-query", "-W", "-f=${Version}", "libglobalarrays-dev")}
        return {name: text.split("\n")[0].removeprefix("mpirun (Open MPI) ") for name, text in found.items() if text}

    def results(self):
        return {"machine": bench_machine.describe("/dev/shm", self.options.build), "versions": self.versions(),
                "edge": self.edge, "repeat": self.repeat, "onesided": self.answers}
