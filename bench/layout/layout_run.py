"""The part of layouts: copies into other chunks, what requests cost before and after, a product out of core."""

import os
import sys

import bench_machine
import bench_run
import layout_product
import layout_table
from bench_run import without_outcome
from bench_server import Server, python_peer
from layout_table import COPY_ROWS, COSTS, PROCESSES, SAMPLE, chunk_of, shapes

LONGEST = 900  # seconds that a copy by several processes may take


class Run(bench_run.Run):
    def __init__(self, options, folder):
        super().__init__(options, folder, layout_table)
        peers = [self.program("peers")]
        self.readers = ["c", *(f"c-{n}" for n in range(2, max(PROCESSES) + 1))]  # of requests, side by side
        self.servers = {**{name: Server(peers, 1) for name in self.readers},
                        "c-all": Server(peers, len(os.sched_getaffinity(0))),
                        "tools": Server(python_peer("layout", "layout_peer.py"), 1)}
        self.together = os.path.join(options.build, "bench", "ranks-convert")
        self.costs = [cost for cost in COSTS
                      if cost.array or cost.processes == 1 or os.access(self.together, os.X_OK)]
        self.checked = set()  # copies: row and column
        self.access = {}      # "ROWS×COLUMNS": {cost: [answer, ...]}
        self.product = {}     # column: [answer, ...]
        self.left_out = None  # products that are not measured

    def ask(self, server, work, peer="drx", cache="warm"):
        return self.servers[server].ask(work, peer, self.options.size, cache, self.folder)

    def calibrate_row(self, key):
        self.calibrate(self.calibration.setdefault(key, []), lambda: self.ask("c", "calibrate", "truth"))

    def make_room(self):
        """Nothing is written back meanwhile, and the host has pages for a copy and for the memory that it may use."""
        os.sync()
        bench_machine.touch(8 * 1024 * self.options.size ** 2 + layout_table.memory_bytes(self.options.size))

    # ---- copies

    def copy(self, row, column):
        """One copy, which is removed; the first of a row and column is checked."""
        numbers = ":".join(map(str, (*chunk_of(row, self.options.size), int(row.turned))))
        self.make_room()
        answer = self.ask(column.server, f"copy-square:{numbers}", column.peer, row.cache)
        if answer["outcome"] == "done":
            if (row.key, column.key) not in self.checked:
                self.ask(column.checker, f"check-square:{numbers}", column.peer)
                self.checked.add((row.key, column.key))
            self.ask(column.checker, "drop-copy", column.peer)
        return answer

    def measure_copies(self, row):
        def ask(column):
            if column is None:
                return self.calibrate_row(row.key)
            return self.copy(row, column)

        repeat = self.options.cold_repeat if row.cache == "cold" else self.repeat
        columns = [c for c in self.columns if row.cache == "warm" or c.family in ("drx", "cp")]
        self.answers[row.key] = self.turns(row.key, columns, ask, repeat=repeat, slowest=2 if row.cache == "cold" else 1)

    def each_source(self, verb):
        """Of each kind of file that a column reads. cp takes drx's."""
        for server, peer in sorted({("tools" if c.family == "zarr" else "c", "drx" if c.family == "cp" else c.family)
                                    for c in self.columns}):
            self.ask(server, f"{verb}-square", peer)
        os.sync()

    def all_copies(self):
        rows = [row for row in COPY_ROWS if row in self.rows]
        if rows:
            self.spend("building square", "all", self.each_source, "build")
            for row in rows:
                self.measure_copies(row)
            self.each_source("drop")

    # ---- requests of a shape, before and after a copy into chunks of that shape

    def convert(self, shape, what):
        """By one process, or by several together; each has one thread. The source is in memory, or not, before there is
        room, so that it takes no pages of that."""
        self.ask("c", "settle-wide", cache=what.cache)
        self.make_room()
        if what.processes == 1:
            return self.ask("c", "copy-wide:{}:{}".format(*shape), cache=what.cache)
        return self.job(what.processes, LONGEST, "env", "DRX_THREADS=1", self.together, self.options.size, *shape,
                        what.cache, self.folder)[-1]

    def read(self, shape, what):
        """Each process its share of the requests: of all, or, cold, of a sample, which stands for all. The slowest
        counts."""
        every = SAMPLE if what.cache == "cold" else 1
        self.ask("c", f"settle-{what.array}", cache=what.cache)
        works = ["read-{}:{}:{}:{}:{}".format(what.array, *shape, every * p, every * what.processes)
                 for p in range(what.processes)]
        servers = [self.servers[name] for name in self.readers[:what.processes]]
        for server, work in zip(servers, works):
            server.send(work, "drx", self.options.size, what.cache, self.folder)
        answers = [server.receive(work, "drx") for server, work in zip(servers, works)]
        asked, number = sum(a["requests"] for a in answers), answers[0]["all_requests"]
        took = max(a["seconds"] for a in answers)
        return {"outcome": "done", "seconds": took * number / asked, "took": took, "requests": asked}

    def check_requests(self, shape):
        """All of them; makes the copy, which stays, by as many processes as can be."""
        self.convert(shape, [cost for cost in self.costs if not cost.array and cost.cache == "warm"][-1])
        for array in ("wide", "copy"):
            self.ask("c", "check-{}:{}:{}:0:1".format(array, *shape))

    def measure_shape(self, shape):
        def ask(what):
            if what is None:
                return self.calibrate_row("access")
            return self.read(shape, what) if what.array else self.convert(shape, what)

        key = "{}×{}".format(*shape)
        self.spend(key, "checking", self.check_requests, shape)
        self.access[key] = self.turns(key, self.costs, ask, repeat=min(self.repeat, 3), slow=2, slowest=2)

    def all_access(self):
        self.spend("building wide", "drx", self.ask, "c", "build-wide")
        for shape in shapes(self.options.size)[::3 if self.options.quick else 1]:
            self.measure_shape(shape)
        self.ask("c", "drop-copy")
        self.ask("c", "drop-wide")
        os.sync()

    # ---- a product of matrices out of core

    def all_products(self):
        columns, missing = layout_product.columns(self.options.build)
        for column in missing:
            print(f"bench: the product by {column.title} is left out: {column.program} is not built", file=sys.stderr)
        self.left_out = [f"the product by {column.title}" for column in missing]

        def ask(column):
            if column is None:
                return self.calibrate_row("product")
            os.sync()
            return layout_product.run(column, self.options, self.folder)

        self.product = self.turns("product", columns, ask, repeat=1)

    def all(self):
        keys = {row.key for row in self.rows}
        self.all_copies()
        if "access" in keys and any(column.key == "drx" for column in self.columns):
            self.all_access()
            if len(self.costs) < len(COSTS):
                print(f"bench: conversions by several processes are left out: {self.together} is not built", file=sys.stderr)
        if "product" in keys:
            self.all_products()

    def versions(self):
        return without_outcome({**self.ask("c", "versions", "truth"), **self.ask("tools", "versions", "zarr")})

    def results(self):
        return super().results(cold_repeat=self.options.cold_repeat, access=self.access, product=self.product,
                               left_out=self.left_out, calibration=self.calibration)

    @staticmethod
    def needed_bytes(size):
        return 7 * 8 * 1024 * size ** 2  # four sources, a copy, what is between, and one to spare
