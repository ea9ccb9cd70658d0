"""A random history of a store: its processes take steps, are killed, and lose the power together."""
import json
import random

import changes
from disk import FAILED
from log import C, DIMENSION, HEAD, SYNC, VARIABLE, WORDS
from reader import Reader
from store import State
from world import World, finish
from writer import Q2, Writer


def make(world):
    """The store as it is made, durably."""
    rng, p = world.rng, Writer(world, None)
    p.log = world.file()
    p.log.write(0, HEAD)
    p.log.write(WORDS, Q2.pack(rng.choice((0, 0, 0, 1 << 40)), 0))  # no CRC covers it
    world.folder.set("log", p.log)
    t = State()
    for number in (1, 2):
        lower = rng.choice((0, 0, -3, 2))
        t = finish(p.append(t, DIMENSION, number, Q2.pack(lower, lower + rng.choice((1, 2)))))
    for number in range(1, 2 if world.lone else rng.choice((2, 2, 3))):
        dims = rng.choice(([1, 2], [2, 1])) if world.lone else rng.choice(([1], [2], [1, 2], [2, 1], [1, 1]))
        packed = rng.random() < .45
        said = dict(group=0, name="uvwx"[number], stem="uvwx"[number], dims=dims, packed=packed,
                    chunk=[rng.choice((1, 2, 2, 3)) for _ in dims], fill=rng.choice((0, 0, (1 << 32) - 1)),
                    stripes=1 if packed else rng.choice((1, 1, 2, 3)))
        before = t
        t = finish(p.append(t, VARIABLE, number, json.dumps(said).encode()))
        finish(p.find(t.variables[number], make=True))
        finish(p.add_chunks(before, t))
    finish(p.append(t, SYNC, 0, bytes(8), C))
    p.log.sync()
    world.folder.sync()


def history(seed):
    """Its counts of events; Broken says what went wrong."""
    rng = random.Random(seed)
    world = World(rng)
    world.likings = changes.likings(rng)
    make(world)
    writers, readers = rng.choice((1, 2, 3)), rng.choice((1, 2))
    power, kill = rng.choice((.0005, .002, .006, .02)), rng.choice((0, .001, .004, .02))
    sleep, storm = rng.choice((0, .02, .1)), 0
    for now in range(rng.choice((300, 800, 2000))):
        for kind, n in ((Writer, writers), (Reader, readers)):
            while sum(type(p) is kind for p in world.processes) < n:
                world.processes.append(Writer(world, changes.some) if kind is Writer else Reader(world))
        event = rng.random()
        if event < (power if now > storm else .05):
            world.power_cut()
            storm = now + rng.choice((0, 0, 40))  # the next one comes soon
        elif event < power + kill:
            world.kill(rng.choice([p for p in world.processes if type(p) is Writer]))
        elif event > .998:
            world.flip()
        else:
            process = rng.choice(world.processes)
            if rng.random() < sleep:
                process.wakes = now + rng.choice((20, 150))
            if process.wakes <= now:
                step(world, process, rng.choice((1, 1, 2, 8, 20)))
    return world.counts


def step(world, process, n):
    for _ in range(n):
        try:
            process.value = process.steps.send(getattr(process, "value", None))
            if process.value is FAILED:
                world.sync_failed()
                return
        except StopIteration:
            world.processes.remove(process)
            return
