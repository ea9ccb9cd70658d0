"""One rank of a job that grows and writes an array, or a dataset, is killed at a random moment. Then the array opens and
holds each slab whole or not at all, and the dataset each transaction."""

import os
import random
import signal
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import by_hand  # noqa: E402, F401

VICTIM = sys.argv[1]
IN_MPI = os.path.join(os.environ["DRX_SOURCE"], "scripts", "in-mpi")
KILLS = int(os.environ.get("DRX_KILLS", "6"))


def ranks_of(job):
    """The processes of the victim that descend from the job."""
    found, parents = [], [job]
    while parents:
        children = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", ",".join(map(str, parents))],
                                  capture_output=True, text=True, check=False).stdout.split("\n")
        children = [line.split(None, 1) for line in children if line.strip()]
        parents = [int(pid) for pid, _ in children]
        found += [int(pid) for pid, name in children if name.strip() == os.path.basename(VICTIM)[:15]]
    return found


def check():
    for _ in range(100):
        done = subprocess.run([VICTIM, "killed", "check"], capture_output=True, text=True, timeout=600, check=False)
        if "open for writing elsewhere" not in done.stderr:
            break
        time.sleep(0.1)  # a rank that mpirun has told to end, and not waited for
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def kill_one(ranks, chance, packs):
    env = dict(os.environ, DRX_VICTIM_PACKS="1") if packs else None
    job = subprocess.Popen([IN_MPI, str(ranks), "600", VICTIM, "killed"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, env=env)
    line = job.stdout.readline()
    assert line == "made\n", job.stderr.read()
    time.sleep(chance.uniform(0, 0.15))
    processes = ranks_of(job.pid)
    if processes:  # else it is over already
        try:
            os.kill(chance.choice(processes), signal.SIGKILL)
        except ProcessLookupError:
            pass
    job.communicate(timeout=600)
    return check()


def main():
    seed = int(os.environ.get("DRX_SEED", time.time()))
    print(f"DRX_SEED={seed}")
    chance = random.Random(seed)
    growths = [kill_one(chance.choice([2, 3, 4]), chance, i % 2 == 0) for i in range(KILLS)]
    print("growths, or commits, before the end:", *growths)
    assert max(growths) > 0


main()
