"""The part of the disk: each measurement is made by a process of its own, so that its memory is known and limited."""

import os
import signal

import bench_machine
import bench_run
import disk_machine
import disk_table
from bench_run import without_outcome
from bench_server import Failure, Server
from disk_machine import Disk, Limit, Unavailable, seconds_for
from disk_table import DEVICE, array_bytes, deep_bytes

LIMIT_BYTES = 1_100_000_000     # of memory, for the array of 4 GiB
LEAST_LIMIT_BYTES = 256 << 20   # what the process itself needs, and some
MOST_RESIDENT = 0.02            # a read is from the disk when no more of the file stayed in the page cache


class Run(bench_run.Run):
    def __init__(self, options, folder):
        super().__init__(options, folder, disk_table)
        self.peers = [self.program("peers")]
        self.threads = len(os.sched_getaffinity(0))
        self.drops = not options.quick and disk_machine.may_drop_caches()
        self.limit = None
        self.memory = {}   # how it was limited, and to what
        self.missing = []  # what could not be had, and why
        self.deep_repeat = min(self.repeat, 3)
        self.disk = Disk(folder, max(array_bytes(options.size), 16 << 20), "200ms" if options.quick else "3s")
        self.device = {}   # pattern: [{bytes, calls}, ...]

    def end(self):
        super().end()
        if self.limit:
            self.limit.end()
            self.limit = None

    # ---- one measurement

    def ask(self, work, peer, enter=None):
        server = self.servers["c"] = Server(self.peers, self.threads, enter=enter)
        try:
            return server.ask(f"{work}:1" if self.drops else work, peer, self.options.size, "cold", self.folder)
        finally:
            server.end()

    def speed(self, pattern):
        if self.options.quick and pattern in self.device:
            return self.device[pattern][0]
        try:
            found = self.disk.measure(pattern)
        except Unavailable as error:
            self.miss("the device's own figures", str(error))
            return None
        self.device.setdefault(pattern, []).append(found)
        return found

    def miss(self, what, why):
        if [what, why] not in self.missing:
            self.missing.append([what, why])

    def is_cold(self, row, column, answer):
        """False: what stayed in memory makes it a measurement of something else."""
        if "resident" not in answer or answer["resident"] <= MOST_RESIDENT:
            return True
        self.miss(f"{disk_table.title(row, self.options.size)}, {column.title}",
                  f"{100 * answer['resident']:.0f} % of the file stayed in the page cache")
        return False

    # ---- the rows that one kind of process measures

    def measure(self, rows, columns, repeat, size_bytes, enter=None):
        """Take turns; the rows are times of the same work."""
        work = rows[0].work
        checked = rows[0].group != "deep"
        expected = self.ask(work, "truth").get("checksum") if checked else None
        patterns = [row.pattern for row in rows if row.pattern]
        speeds = []

        def ask(column):
            if column is None:
                self.calibrate(speeds, lambda: {pattern: self.speed(pattern) for pattern in patterns})
                if self.drops:
                    disk_machine.drop_caches()  # so that the pages of the cache, which are ready, are those touched
                bench_machine.touch(size_bytes)
                return None
            if rows[0].group == "deep":
                os.sync()  # what was written before must not be written back meanwhile
            try:
                answer = self.ask(work, column.peer, enter)
            except Failure as error:
                if not enter or not str(error).endswith(f" {-signal.SIGKILL}"):
                    raise
                self.miss(f"{disk_table.title(rows[0], self.options.size)}, {column.title}",
                          "the system killed the process, which had too little memory")
                return {"outcome": "declined"}
            if checked and answer["outcome"] == "done" and answer.get("checksum") != expected:
                raise Failure(f"{work}: {column.peer}: checksum {answer.get('checksum')}, expected {expected}")
            return answer if self.is_cold(rows[0], column, answer) else {"outcome": "declined"}

        answers = self.turns(work, [c for c in columns if c.key not in rows[0].without], ask, key=None, repeat=repeat)
        for row in rows:
            found = self.answers[row.key] = {
                key: [{**answer, "seconds": answer[row.seconds]} for answer in each] for key, each in answers.items()}
            if row.pattern and found:
                sample = next(iter(found.values()))[0]
                found[DEVICE.key] = [{"seconds": seconds_for(row.amount, sample, speed[row.pattern])}
                                     for speed in speeds if speed[row.pattern]]
            found = self.answers[row.key] = {key: each for key, each in found.items() if each}
            self.tell_answers(row.key, found)

    def measure_group(self, group):
        rows = [row for row in self.rows if row.group == group]
        for work in dict.fromkeys(row.work for row in rows):
            self.measure([row for row in rows if row.work == work], self.columns, self.repeat,
                         int(disk_table.touched_cubes(work) * array_bytes(self.options.size)))

    def has(self, group):
        return any(row.group == group for row in self.rows)

    def each_file(self, work, columns):
        for files in dict.fromkeys(column.files for column in columns):
            self.ask(work, files)
        os.sync()

    def all_cold(self):
        self.spend("building cube", "all", self.each_file, "build-cube", self.columns)
        self.measure_group("cold")
        self.each_file("drop-cube", self.columns)

    # ---- with little memory

    def balloon(self, mib):
        server = Server(self.peers, 1)
        try:
            server.ask(f"balloon:{mib}", "drx", self.options.size, "cold", self.folder)
        except Failure:
            server.end()
            raise
        return server

    def verify(self, columns):
        """All elements that growth has written, with all the memory of the machine."""
        expected = self.ask("deep-verify", "truth")["checksum"]
        for column in columns:
            found = self.ask("deep-verify", column.peer)["checksum"]
            if found != expected:
                raise Failure(f"deep-grow: {column.peer}: checksum {found}, expected {expected}")

    def all_deep(self):
        size = self.options.size
        limit = max(LIMIT_BYTES * size ** 3 // 512 ** 3, LEAST_LIMIT_BYTES)
        self.memory = {"bytes": limit}
        columns = [c for c in self.columns if c.key not in disk_table.DEEP]
        self.tell("touching memory")
        bench_machine.touch(limit)
        try:
            self.limit = Limit(limit, None if self.options.quick else self.balloon)
        except Unavailable as error:
            self.miss("Out of core", str(error))
            return
        self.memory["how"] = self.limit.how
        rows = [row for row in self.rows if row.group == "deep"]
        if rows[0].work != "deep-grow":
            self.each_file("deep-grow", columns)
        for row in rows:
            self.measure([row], columns, self.deep_repeat, limit if self.limit.folder else 0, self.limit.enter)
            if row.work == "deep-grow" and self.limit.folder:
                self.spend(row.work, "checking", self.verify, columns)
        self.limit.end()
        self.limit = None
        self.each_file("drop-deep", columns)

    def all(self):
        for group, measure in (("cold", self.all_cold), ("deep", self.all_deep)):
            if self.has(group):
                measure()
        if self.has("grown"):
            self.measure_group("grown")
        self.disk.remove()

    def versions(self):
        return without_outcome(self.ask("versions", "truth"))

    def results(self):
        return super().results(device=self.device, memory=self.memory, missing=self.missing, threads=self.threads,
                               drops=self.drops, deep_repeat=self.deep_repeat, most_resident=MOST_RESIDENT,
                               touched=int(disk_table.MOST_CUBES * array_bytes(self.options.size)))

    @staticmethod
    def needed_bytes(size):
        return 6 * deep_bytes(size)
