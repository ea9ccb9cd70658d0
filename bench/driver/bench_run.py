"""What the runs of all parts have in common."""

import importlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import time

import bench_machine
from bench_page import median, seconds_text
from bench_server import ROOT, Failure, Server, in_mpi, take_turns

CALIBRATIONS = 3  # of a row


def missing(build, *modules):
    """Why a part that is measured from Python cannot run here, or None."""
    if not os.path.isdir(os.path.join(build, "python", "drx")):
        return f"{build}: the Python package was not built"
    for module in modules:
        if not importlib.util.find_spec(module):
            return f"no Python module {module} (Debian: python3-{module.lower()})"
    return None


def versions_of(*names):
    """Of Python modules, as the pages call them; HDF5: that of h5py."""
    found = {}
    for name in names:
        if name == "Python":
            found[name] = sys.version.split()[0]
        elif name == "HDF5":
            found[name] = importlib.import_module("h5py").version.hdf5_version
        else:
            found[name] = importlib.import_module(name.lower()).__version__
    return found


class Run:
    """Measures the rows and columns of a part that the options ask for. Its pages are made of the results.

    What a part says of the order of things: the arrays that rows read (row.array) are built one after the other for all
    columns, their rows measured, and dropped. A row is a workload of the server of its column (row.work or its key,
    row.count: its number). A part has more of what follows where it differs."""

    MODULE = None   # of peers in Python, all in one process; else the server is "c"
    COUNTED = True  # workloads have a number, which is 1 where the row has no count

    def __init__(self, options, folder, part):
        self.part, self.options, self.folder, self.size = part, options, folder, options.size
        peers, only = options.peers, options.only
        self.columns = [c for c in part.COLUMNS if not peers or c.key in peers or c.family in peers]
        self.rows = [r for r in part.ROWS if not only or r.key.startswith(tuple(only))]
        self.repeat = options.repeat
        self.servers = {}
        self.answers = {}      # row: {column: [answer, ...]}; of many processes {ranks: that}
        self.calibration = {}  # row: [answer, ...]; likewise
        if self.MODULE:
            self.servers["python"] = self.python_server(self.MODULE)

    def end(self):
        for server in self.servers.values():
            server.end()
        self.servers = {}

    def all(self):
        for array in dict.fromkeys(row.array for row in self.rows):
            if array:
                self.build(array)
            for row in self.rows:
                if row.array == array:
                    self.measure(row)
            if array:
                self.drop(array)

    def measure(self, row):
        self.answers[row.key] = self.turns(row.key, self.columns_of(row), lambda column: (
            self.ask(row, column) if column else self.before(row)))

    def measure_together(self, label, rows, columns, ask, answers, **more):
        """Rows that are times of the same work: of each, what the answers call row.seconds. Gives what came of it."""
        found = self.turns(label, columns, ask, key=None, **more)
        for row in rows:
            answers[row.key] = {key: [{**one, "seconds": one[row.seconds]} for one in each]
                                for key, each in found.items() if each and row.seconds in each[0]}
            self.tell_answers(f"{label} {row.seconds}", answers[row.key])
        return found

    def command(self, server, work, peer, *numbers, cache="warm"):
        return self.servers[server].ask(":".join(map(str, (work, *numbers))), peer, self.size, cache, self.folder)

    def quick_count(self, count):
        return max(count // 20, 1) if self.options.quick else count

    # ---- what parts replace

    def columns_of(self, _row):
        return self.columns

    def before(self, row):
        """What precedes each repetition. row.touched: how many times the memory of the cube a measurement uses."""
        if row.touched:
            bench_machine.touch(int(row.touched * 8 * self.size ** 3))

    def ask(self, row, column):
        numbers = [self.quick_count(row.count or 1)] if self.COUNTED else []
        return self.command(column.server or ("python" if self.MODULE else "c"), row.work or row.key, column.peer or column.key, *numbers,
                            cache=row.cache or "warm")

    def build(self, array):
        pass

    def drop(self, array):
        pass

    def versions(self):
        return versions_of(*self.part.VERSIONS)

    # ---- processes

    def program(self, name):
        path = os.path.join(self.options.build, "bench", name)
        if not os.access(path, os.X_OK):
            raise Failure(f"{path}: is not there, expected it from `make bench`")
        return path

    def python_server(self, module, **more):
        """Peers in Python that use the package of the build."""
        return Server(["/usr/bin/python3", os.path.join(ROOT, "bench/peers/peer_server.py"), module],
                      len(os.sched_getaffinity(0)), [os.path.join(self.options.build, "python")],
                      **{"NUMPY_MADVISE_HUGEPAGE": "1", **more})

    def zarr_server(self):
        """Zarr, which the same program calls as the other peers."""
        return Server(["/usr/bin/python3", os.path.join(ROOT, "bench/peers/zarr_peer.py"), self.program("libpeers.so")],
                      1)

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

    # ---- the clock

    def calibrate(self, key, ask, speeds=None):
        """How fast the machine is before repetitions of the row; a few answers are enough."""
        found = (self.calibration if speeds is None else speeds).setdefault(key, [])
        if len(found) < CALIBRATIONS:
            found.append(ask())

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
        machine = bench_machine.describe(self.folder, self.options.build)
        return {"part": self.part.option, "machine": machine, "versions": self.versions(), "size": self.size,
                "repeat": self.repeat, "answers": self.answers, **more}


# ---- programs of examples/, which report numbers


def numbers_in(text, patterns, who):
    """What a program of examples/ reports: name: pattern of a line, whose first group is a number."""
    found = {name: re.search(pattern, text, re.MULTILINE) for name, pattern in patterns.items()}
    absent = [name for name, match in found.items() if not match]
    if absent:
        raise Failure(f"{who}: '{text.strip()}', expected {', '.join(absent)}")
    return {name: float(match.group(1)) for name, match in found.items()}


def run_example(command, patterns, ranks=None, seconds=3600, **more):
    """Once; ranks: of MPI, unless None."""
    words = in_mpi(ranks, seconds, *command) if ranks else list(map(str, command))
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, **more)
    if done.returncode:
        raise Failure(f"{command[0]}: exit code {done.returncode}: {done.stderr.strip().partition(os.linesep)[0]}")
    return {"outcome": "done", **numbers_in(done.stdout, patterns, command[0])}


def example(build, name):
    """Where it is, and whether it is built."""
    path = os.path.join(build, "examples", name)
    return path, os.access(path, os.X_OK)


def without_outcome(answer):
    return {name: text for name, text in answer.items() if name not in ("workload", "outcome")}
