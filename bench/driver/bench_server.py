"""The processes that do the work, and how peers take turns."""

import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOMS = [os.path.join(ROOT, "bench", room) for room in ("driver", "parts", "peers")]  # that have Python

SLOW, VERY_SLOW = 1.0, 3.0  # seconds: longer work is done twice, or once more; once
ALIKE = 1.25               # times that differ by no more need no third one


class Failure(Exception):
    pass


def in_mpi(ranks, seconds, *command):
    """The command, run by this many processes for this many seconds at most."""
    return [os.path.join(ROOT, "scripts/in-mpi"), str(ranks), str(seconds), *map(str, command)]


class Server:
    """A process, or a group of them, that holds peers and answers commands."""

    def __init__(self, command, threads, path=(), enter=None, **more):
        """path: where peers in Python find what they import, beside the rooms of the benchmark; enter: called in the
        new process; more: environment."""
        environment = {**os.environ, "DRX_THREADS": str(threads), "PYTHONDONTWRITEBYTECODE": "1",
                       "PYTHONPATH": os.pathsep.join([*ROOMS, *path]),
                       "NUMPY_MADVISE_HUGEPAGE": "0",  # memory as malloc gives it, to Zarr as to all others
                       **more}
        self.name = os.path.basename(command[-1])
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment, start_new_session=True,
                                        preexec_fn=enter)  # ^C is for this process

    def ask(self, work, peer, *rest):
        self.send(work, peer, *rest)
        return self.receive(work, peer)

    def send(self, work, peer, *rest):
        try:
            self.process.stdin.write(" ".join(map(str, (work, peer, *rest))) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # receive tells

    def receive(self, work, peer):
        """The answer to what was sent."""
        line = self.process.stdout.readline()
        if not line:
            raise Failure(f"{work}: {peer}: the process {self.name} ended with {self.process.wait()}")
        answer = json.loads(line)
        if answer["outcome"] == "failed":
            raise Failure(f"{work}: {peer}: {answer['error']}")
        return answer

    def end(self):
        """It ends by itself when there are no more commands, unless it hangs in one."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait()


def repetitions(repeat, times, slow, slowest):
    """How often a column that has taken these times is asked in all."""
    if not times or min(times) <= SLOW:
        return repeat
    if min(times) > VERY_SLOW:
        return min(repeat, slowest)
    return min(repeat, 2 if max(times) <= ALIKE * min(times) else slow)


def take_turns(columns, repeat, ask, slow=3, slowest=1):
    """Ask each column `repeat` times, another one first each time; gives {key: [answer, ...]} without who declined.

    ask(None) comes before each repetition. What takes longer than SLOW seconds is asked twice, or `slow` times
    where that varies, and what takes longer than VERY_SLOW seconds `slowest` times. An answer has the seconds that it
    took, where they are not those that it is about ("took")."""
    answers = {}
    for repetition in range(repeat):
        ask(None)
        turn = repetition % len(columns) if columns else 0
        for column in columns[turn:] + columns[:turn]:
            earlier = answers.setdefault(column.key, [])
            if earlier is None:
                continue
            if len(earlier) >= repetitions(repeat, [a.get("took", a["seconds"]) for a in earlier], slow, slowest):
                continue
            answer = ask(column)
            if answer["outcome"] == "declined":
                answers[column.key] = None
            else:
                earlier.append(answer)
    return {key: value for key, value in answers.items() if value is not None}
