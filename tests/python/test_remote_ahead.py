"""A program that walks over an array on a server: boxes come before they are asked for. What was only guessed never fails
a read, and nothing else is read than without it."""

import itertools
import os
import random
import signal
import time

import by_hand  # noqa: F401
import numpy as np
import pytest

import drx
from far_server import Server
from test_remote import KINDS, made, server, surroundings  # noqa: F401
from test_remote_faults import CHANGED, HOSTILE, cut_before, overwrite

SLABS, DELAY = 40, 0.03


def slab(i, rows=4):
    return slice(rows * i, rows * i + rows), slice(None)


def opened(running, shape=(4 * SLABS, 300), chunks=(4, 100), **kind):
    values = made("a", shape, chunks=chunks, **kind)
    return values, drx.open(f"{running.url}/a")


@pytest.mark.parametrize("kind", KINDS)
def test_slabs(server, kind):  # noqa: F811
    """Forwards, backwards, and with a step: much faster than a round trip for each."""
    values, a = opened(server, **KINDS[kind])
    with a:
        a[0, 0]
        server.delay = DELAY
        for order in (range(SLABS), range(SLABS - 1, -1, -1), range(0, SLABS, 2)):
            a.refresh()
            begun = time.monotonic()
            for i in order:
                assert (a[slab(i)] == values[slab(i)]).all()
            assert time.monotonic() - begun < 0.6 * DELAY * len(order)
        server.delay = 0


def test_rows_of_boxes(server):  # noqa: F811
    values, a = opened(server, (160, 200), (8, 10))
    with a:
        a[0, 0]
        server.delay = DELAY
        begun, boxes = time.monotonic(), list(itertools.product(range(0, 160, 16), range(0, 200, 30)))
        for i, j in boxes:
            assert (a[i:i + 16, j:j + 30] == values[i:i + 16, j:j + 30]).all()
        assert time.monotonic() - begun < 0.6 * DELAY * len(boxes)
        server.delay = 0


def test_large_boxes(server):  # noqa: F811
    """Boxes of which only a part is asked for ahead."""
    values, a = opened(server, (240, 400, 8), (40, 100, 8))
    with a:
        for i in range(0, 240, 24):
            assert (a[i:i + 24] == values[i:i + 24]).all()
        for j in range(0, 400, 50):
            assert (a[:, j:j + 1] == values[:, j:j + 1]).all()


def test_boxes_at_random(server):  # noqa: F811
    """What is no walk asks for nothing more."""
    values, a = opened(server, (400, 400), (20, 25))
    rng = random.Random(4)
    with a:
        server.count()
        for _ in range(30):
            i, j = rng.randrange(390), rng.randrange(390)
            assert (a[i:i + 9, j:j + 9] == values[i:i + 9, j:j + 9]).all()
        assert server.count() <= 400 * 400 * 8 // 65536 + 3  # each block once; and the log


@pytest.mark.parametrize("kind", ["raw", "checksummed"])
@pytest.mark.parametrize("name", ["cut", "503", "another range", "endless body", "412", "too little"])
def test_guesses_fail(server, monkeypatch, kind, name):  # noqa: F811
    """Each request for elements that the program has not asked for yet fails. The others pass, and need one try each."""
    values, a = opened(server, (4 * SLABS, 2200), (4, 2200), **KINDS[kind])
    monkeypatch.setenv("DRX_HTTP_TRIES", "1")
    guessed, now = 0, 0
    faults = {"cut": cut_before, "503": lambda r: r.refuse(503), **HOSTILE}

    def fault(request):
        nonlocal guessed
        first = int(request.headers["Range"].split("=")[1].split("-")[0])
        if not request.path.endswith(".xta") or first < (now + 1) * 4 * 2200 * 8:
            return False
        guessed += 1
        faults[name](request)
        return True

    with a:
        server.fault = fault
        for now in range(SLABS):
            assert (a[slab(now)] == values[slab(now)]).all()
    assert guessed > 0


def test_changed_meanwhile(server):  # noqa: F811
    """Elements that are overwritten during a walk: those that had come are as they were, and the change is told."""
    values, a = opened(server, (4 * SLABS, 2200), (4, 2200))
    with a:
        with pytest.raises(ValueError, match=CHANGED):
            for i in range(SLABS):
                if i == 10:
                    overwrite("a", 5)
                assert (a[slab(i)] == values[slab(i)]).all()
        assert i >= 10
        a.refresh()
        values[3, 4] = 5
        for i in range(SLABS):
            assert (a[slab(i)] == values[slab(i)]).all()


def test_grown_meanwhile(server):  # noqa: F811
    values, a = opened(server, (4 * SLABS, 2200), (4, 2200))
    with a:
        for i in range(SLABS):
            if i % 10 == 5:
                with drx.open("a", "r+") as grown:
                    grown.append(np.full((4, 2200), i), axis=0)
            assert (a[slab(i)] == values[slab(i)]).all()
        a.refresh()
        for i in range(SLABS, SLABS + 6):
            assert (a[slab(i)] == 10 * (i - SLABS) + 5).all()


def test_closed_meanwhile(server):  # noqa: F811
    """With requests under way that nobody will take."""
    values, a = opened(server)
    server.delay = DELAY
    for i in range(8):
        assert (a[slab(i)] == values[slab(i)]).all()
    a.close()
    server.delay = 0


def test_forking(server):  # noqa: F811
    """A child leaves its parent's requests alone, and makes its own."""
    values, a = opened(server)
    with a:
        server.delay = DELAY
        for i in range(6):
            assert (a[slab(i)] == values[slab(i)]).all()
        child = os.fork()
        signal.alarm(0 if child else 60)
        for i in range(6, SLABS):
            right = (a[slab(i)] == values[slab(i)]).all()
            if child:
                assert right
            elif not right:
                os._exit(1)
        if not child:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        server.delay = 0


@pytest.mark.parametrize("kind", ["raw", "compressed"])
def test_against_a_model(server, kind):  # noqa: F811
    """Walks at random, left at random, between reads at random, while some requests are cut."""
    seed = int(os.environ.get("DRX_SEED", random.randrange(10 ** 9)))
    print("DRX_SEED", seed)
    rng = random.Random(seed)
    os.environ["DRX_HTTP_TRIES"] = "9"
    values, a = opened(server, (120, 130, 14), (16, 11, 14), **KINDS[kind])
    server.fault = lambda request: rng.random() < 0.03 and (request.cut() or True)
    with a:
        for _ in range(60):
            count = [rng.randint(1, 40), rng.randint(1, 40), 14]
            by = [rng.randint(-15, 15), rng.randint(-15, 15), 0]
            at = [rng.randrange(n) for n in values.shape[:2]] + [0]
            for _ in range(rng.randint(1, 12)):
                key = tuple(slice(i, min(i + n, bound)) for i, n, bound in zip(at, count, values.shape))
                assert (a[key] == values[key]).all(), key
                at = [i + step for i, step in zip(at, by)]
                if any(i < 0 or i >= n for i, n in zip(at, values.shape)):
                    break


@pytest.mark.parametrize("kind", ["raw", "compressed"])
def test_lists_of_boxes(server, kind):  # noqa: F811
    values, a = opened(server, (200, 210), (16, 20), **KINDS[kind])
    rng = random.Random(2)
    keys = [..., 3, (slice(5, 100, 7), slice(None)), (slice(0, 0), slice(None)), (None, 4), (7, slice(None, None, -1))]
    keys += [tuple(slice(lo := rng.randrange(n), rng.randint(lo, n)) for n in a.shape) for _ in range(400)]
    with a:
        a[0, 0]
        server.delay = DELAY
        begun = time.monotonic()
        found = a.read_boxes(iter(keys))
        assert time.monotonic() - begun < 0.3 * DELAY * len(keys)
        server.delay = 0
        for key, box in zip(keys, found, strict=True):
            assert box.shape == values[key].shape and (box == values[key]).all()
        assert a.read_boxes([]) == []
        assert a.read_boxes([slice(0, 9)], order="F")[0].flags.f_contiguous
        with pytest.raises(IndexError):
            a.read_boxes([3, 999])
    with drx.open("a") as a:
        for key, box in zip(keys, a.read_boxes(keys), strict=True):
            assert (box == values[key]).all()


def test_round_trips(server):  # noqa: F811
    """How many each call takes, as docs/remote.md says; a connection that is there costs none."""
    values = made("a", (300, 400), chunks=(50, 60))
    drx.open(f"{server.url}/a").close()
    server.delay = 0.25

    def trips(call, times=1):
        """What it gives, and the least of some times."""
        least = 99
        for _ in range(times):
            begun = time.monotonic()
            found = call()
            least = min(least, int((time.monotonic() - begun) / server.delay))
        return found, least

    a, n = trips(lambda: drx.open(f"{server.url}/a"))
    assert n == 1
    with a:
        found, n = trips(lambda: a[250, 7])
        assert (found, n) == (values[250, 7], 1)  # the log is looked at meanwhile
        found, n = trips(lambda: a.vindex[[51, 110, 170], [2, 70, 390]])
        assert (found == values[[51, 110, 170], [2, 70, 390]]).all() and n == 1
        found, n = trips(lambda: a[:], 3)
        assert (found == values).all() and n == 1
        assert trips(a.refresh, 3)[1] == 2
    server.delay = 0


def test_connections_made_ahead(server):  # noqa: F811
    """The arrays of a dataset come over connections that were made beside the first one."""
    with drx.create_dataset("ds") as ds, ds.transaction("all"):
        for i in range(10):
            ds.add(f"v{i}", ("t", "x"), (4, 5))[...] = i
    made("a", (40, 50))
    server.delay = server.handshake = 0.15
    begun = time.monotonic()
    with drx.open_dataset(f"{server.url}/ds") as ds:
        assert [ds[f"v{i}"].shape for i in range(10)] == [(4, 5)] * 10
        assert time.monotonic() - begun < 3.8 * server.delay  # to connect; the log; the arrays
        assert server.connections <= 1 + 24
        for i in range(10):
            assert (ds[f"v{i}"][...] == i).all()
    server.delay = server.handshake = 0
    with drx.open(f"{server.url}/a") as a:
        a[...]
    assert server.connections <= 1 + 24  # which serve again


def test_connections_that_end(server):  # noqa: F811
    """The server closes each connection after an answer."""
    values = made("a", (300, 400), chunks=(50, 60))

    def fault(request):
        request.close_connection = True
        return False

    server.fault = fault
    with drx.open(f"{server.url}/a") as a:
        assert (a[...] == values).all()
        time.sleep(0.1)
        a.refresh()
        assert (a[::2] == values[::2]).all()
