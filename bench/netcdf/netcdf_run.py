"""The part of netCDF: netCDF-C reads datasets and files of netCDF-4 in turns, and libdrx the datasets."""

import os

import bench_machine
import bench_run
import netcdf_table
from bench_server import Server

TURNS = 3  # each repetition is so many: most are short


class Run(bench_run.Run):
    def __init__(self, options, folder):
        super().__init__(options, folder, netcdf_table)
        self.servers["c"] = Server([self.program("netcdf-peers")], len(os.sched_getaffinity(0)))
        self.repeat = 1 if options.quick else options.repeat * TURNS

    def ask(self, work, peer, n=1, cold=False):
        return self.servers["c"].ask(f"{work}:{n}", peer, self.options.size, "cold" if cold else "warm", self.folder)

    def build(self, data):
        n = netcdf_table.many(self.options.quick)[1] if data == "many" else 1
        for peer in dict.fromkeys("drx" if c.key == "read" else c.key for c in self.columns):
            self.spend(f"building {data}", peer, self.ask, f"build-{data}", peer, n)

    def measure(self, row, columns):
        quick = self.options.quick

        def ask(column):
            if column is not None:
                return self.ask(f"{row.work}-{row.data}", column.key, netcdf_table.count(row, quick), row.cold)
            if row.cold:  # the page cache needs so much
                bench_machine.touch(netcdf_table.grid_bytes(self.options.size))
            return None

        self.answers[row.key] = self.turns(row.key, columns, ask)

    def all(self):
        for data in dict.fromkeys(row.data for row in self.rows):
            self.build(data)
            for row in self.rows:
                if row.data == data:
                    self.measure(row, [c for c in self.columns if data != "many" or c.key != "same"])

    def versions(self):
        found = {"netCDF": bench_machine.output("nc-config", "--version"),
                 "HDF5": bench_machine.output("dpkg-query", "-W", "-f=${source:Upstream-Version}", "libhdf5-103-1")}
        return {name: text.removeprefix("netCDF ") for name, text in found.items() if text}

    def results(self):
        return super().results(netcdf_many=netcdf_table.many(self.options.quick))

    @staticmethod
    def needed_bytes(size):
        return 6 * netcdf_table.grid_bytes(size) + (256 << 20)  # of three peers, raw and compressed
