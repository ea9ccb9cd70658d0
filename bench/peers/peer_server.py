#!/usr/bin/python3
"""Serves the peers of a module in Python: peer_server.py MODULE. The protocol is that of bench.h: commands
`WORKLOAD[:NUMBER...] PEER SIZE warm|cold FOLDER` on stdin, answers of JSON on stdout."""

import gc
import importlib
import json
import os
import sys
import time


class Declined(Exception):
    """The peer does not do this."""


class Job:
    """A command. n: its first number, 1 unless it has one."""

    def __init__(self, line):
        work, self.peer, size, cache, self.folder = line.rstrip("\n").split(" ", 4)
        self.work, *numbers = work.split(":")
        self.n, self.size, self.cold = int(numbers[0]) if numbers else 1, int(size), cache == "cold"


def timed(call):
    gc.collect()
    begun = time.perf_counter()
    result = call()
    return time.perf_counter() - begun, result


def settle(files, cold):
    """Bring them into the page cache, or out of it."""
    for name in files:
        fd = os.open(name, os.O_RDONLY)
        try:
            if cold:
                os.fsync(fd)
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            else:
                while os.read(fd, 1 << 20):
                    pass
        finally:
            os.close(fd)


def serve(perform):
    """perform(JOB) gives the members of the answer, or raises what is wrong."""
    for line in sys.stdin:
        try:
            answer = {"outcome": "done", **perform(Job(line))}
        except Declined:
            answer = {"outcome": "declined"}
        except Exception as error:  # whatever it is, the driver reports it
            answer = {"outcome": "failed", "error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"workload": line.split(" ", 1)[0], **answer}), flush=True)


if __name__ == "__main__":
    import peer_server  # whose Declined the peers raise

    peer_server.serve(importlib.import_module(sys.argv[1]).perform)
