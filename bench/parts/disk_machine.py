"""The disk and the memory of the machine: what fio measures, whether caches can be dropped, how memory is limited."""

import json
import os
import shutil
import subprocess

DROP_CACHES = "/proc/sys/vm/drop_caches"
MOUNTS = "/proc/self/mounts"
CGROUP = "/proc/self/cgroup"

PATTERNS = {  # fio's options
    "sequential read": ("--rw=read", "--bs=1M", "--iodepth=8"),
    "sequential write": ("--rw=write", "--bs=1M", "--iodepth=8", "--end_fsync=1"),
    "8 KiB, one by one": ("--rw=randread", "--bs=8k", "--iodepth=1"),
    "8 KiB, 32 in flight": ("--rw=randread", "--bs=8k", "--iodepth=32"),
    "256 KiB, 32 in flight": ("--rw=randread", "--bs=256k", "--iodepth=32"),
}


class Unavailable(Exception):
    """It cannot be had here, and why."""


def may_drop_caches():
    return os.access(DROP_CACHES, os.W_OK)


def drop_caches():
    with open(DROP_CACHES, "w", encoding="utf-8") as file:
        file.write("3")


class Disk:
    """The disk below a folder, as fio sees it: a file of its own."""

    def __init__(self, folder, size_bytes, seconds):
        self.file, self.size, self.seconds = os.path.join(folder, "fio.data"), size_bytes, seconds
        self.why = None if shutil.which("fio") else "no program fio; Debian has it: scripts/setup bench"
        if not self.why:
            try:
                self._run("--rw=write", "--bs=1M", "--end_fsync=1")
            except Unavailable as error:
                self.why = str(error)

    def _run(self, *options):
        command = ["fio", "--name=disk", f"--filename={self.file}", f"--size={self.size}", "--direct=1",
                   "--ioengine=libaio", "--output-format=json", *options]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)
        if done.returncode:
            raise Unavailable(f"fio: {(done.stderr.strip() or done.stdout.strip()).splitlines()[0]}")
        return json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]

    def measure(self, pattern):
        """Bytes and calls in a second."""
        if self.why:
            raise Unavailable(self.why)
        options = PATTERNS[pattern]
        found = self._run(*options, "--time_based", f"--runtime={self.seconds}", "--norandommap", "--randrepeat=0")
        found = found["write" if "--rw=write" in options else "read"]
        return {"bytes": found["bw_bytes"], "calls": found["iops"]}

    def remove(self):
        if os.path.exists(self.file):
            os.remove(self.file)


def seconds_for(amount, answer, speed):
    """What the device takes for the row: the bytes of all elements, or of the chunks that it meets, or that many small
    reads."""
    if amount == "bytes":
        return answer["bytes"] / speed["bytes"]
    if amount == "all_bytes" or speed["bytes"] / speed["calls"] > 1e5:
        return answer["chunks" if amount == "all_bytes" else amount] * answer["chunk_bytes"] / speed["bytes"]
    return answer[amount] / speed["calls"]


# ---- a limit of memory


def _cgroups():
    """Folders of memory cgroups in which one may perhaps be made, and the names of the limit there."""
    with open(MOUNTS, encoding="utf-8") as file:
        mounts = [line.split() for line in file]
    with open(CGROUP, encoding="utf-8") as file:
        own = [line.rstrip("\n").split(":", 2) for line in file]
    for _, mount, kind, options, *_ in mounts:
        if kind == "cgroup" and "memory" in options.split(","):
            path, limit = next((p for _, names, p in own if "memory" in names.split(",")), "/"), "memory.limit_in_bytes"
        elif kind == "cgroup2":
            path, limit = next((p for _, names, p in own if not names), "/"), "memory.max"
        else:
            continue
        for folder in dict.fromkeys((mount + path, os.path.dirname(mount + path), mount)):
            if folder.startswith(mount) and os.path.isdir(folder):
                yield os.path.join(folder, f"drx-bench-{os.getpid()}"), limit


class Limit:
    """Memory for the processes that enter, page cache included: by a cgroup."""

    def __init__(self, size_bytes):
        reasons = []
        for folder, limit in _cgroups():
            try:
                self._make(folder, limit, size_bytes)
                self.how = "a memory cgroup (v{})".format(2 if limit == "memory.max" else 1)
                return
            except OSError as error:
                reasons.append(f"{error.filename or folder}: {error.strerror}")
        raise Unavailable("; ".join(reasons) or "there is no memory cgroup")

    def _make(self, folder, limit, size_bytes):
        os.mkdir(folder)
        try:
            with open(os.path.join(folder, limit), "w", encoding="utf-8") as file:
                file.write(str(size_bytes))
        except OSError:
            os.rmdir(folder)
            raise
        self.folder = folder

    def enter(self):
        """Called in a process that is to have no more memory."""
        with open(os.path.join(self.folder, "cgroup.procs"), "w", encoding="utf-8") as file:
            file.write(str(os.getpid()))

    def end(self):
        os.rmdir(self.folder)
