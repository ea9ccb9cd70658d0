"""A server that fails, lies, or whose files change: right elements or a clear error, and never anything else."""

import os
import random
import re
import resource
import time

import by_hand  # noqa: F401
import numpy as np
import pytest

import drx
from far_server import Server
from test_remote import KINDS, made, server, surroundings  # noqa: F401

REFUSED = (OSError, ValueError, drx.FormatError, NotImplementedError, drx.ChecksumError, drx.BusyError)


# ---- faults that pass ----

def cut_before(request):
    request.cut()


def cut_within(request):
    request.close_connection = True
    request.server_of_files.asked.append("cut")
    real = request.wfile

    class Half:
        sent = 0

        def write(self, data):
            if data[:5] == b"HTTP/":
                return real.write(data)
            real.write(data[:len(data) // 2])
            real.flush()
            request.cut()
            return len(data)

        def flush(self):
            pass

    request.wfile = Half()
    try:
        request.serve()
    except OSError:
        pass
    request.wfile = real


def busy(request):
    request.refuse(503, b"<Error><Code>SlowDown</Code></Error>", Retry_After="0")


def busy_until(request):
    request.refuse(503, Retry_After="Thu, 01 Jan 1970 00:00:00 GMT")


def too_many(request):
    request.refuse(429, b"slow down")


def less(request):
    """A shorter range than was asked for, which a server may send."""
    first, last = request.headers["Range"].split("=")[1].split("-")
    middle = (int(first) + int(last)) // 2
    request.headers.replace_header("Range", f"bytes={first}-{middle}")
    request.serve()


PASSING = {"cut before": cut_before, "cut within": cut_within, "503": busy, "503 until": busy_until, "429": too_many,
           "less": less}


@pytest.mark.parametrize("name, kind", zip(PASSING, ["raw", "checksummed", "compressed", "striped", "compressed", "striped"]))
def test_faults_that_pass(server, name, kind):  # noqa: F811
    values = made("a", (300, 400), chunks=(50, 60), **KINDS[kind])
    rng, faults = random.Random(name + kind), 0

    def fault(request):
        nonlocal faults
        if faults > 0 and rng.random() > 0.3:
            return False
        faults += 1
        PASSING[name](request)
        return True

    os.environ["DRX_HTTP_TRIES"] = "12"
    server.fault = fault
    with drx.open(f"{server.url}/a") as a:
        assert (a[...] == values).all()
        assert a[17, 33] == values[17, 33]
        assert (a[5:200:3, 7] == values[5:200:3, 7]).all()
    assert faults > 0


def test_redirects(server):  # noqa: F811
    values = made("a")
    server.fault = lambda request: ("/far/" in request.path and
                                    (request.refuse(302, Location=server.url + request.path.replace("/far/", "/"))
                                     or True))
    with drx.open(f"{server.url}/far/a") as a:
        assert (a[...] == values).all()
    server.fault = lambda request: request.refuse(302, Location=request.path) or True
    with pytest.raises(OSError, match="redirect"):
        drx.open(f"{server.url}/a")
    server.fault = lambda request: request.refuse(302, Location="file:///etc/passwd") or True
    with pytest.raises(OSError, match="a.xmd"):
        drx.open(f"{server.url}/a")


def test_retry_after(server):  # noqa: F811
    made("a")
    asked = []

    def fault(request):
        asked.append(time.monotonic())
        return len(asked) == 1 and (request.refuse(503, Retry_After="1") or True)

    server.fault = fault
    with drx.open(f"{server.url}/a"):
        pass
    assert asked[-1] - asked[0] >= 1


# ---- faults that stay ----

def scene(url, values):
    """Everything that a reader does; the number of what was right."""
    with drx.open(url) as a:
        assert (a[...] == values).all()
        assert a[7, 9] == values[7, 9]
        assert (a.vindex[[1, 60], [2, 3]] == values[[1, 60], [2, 3]]).all()
        a.refresh()
        assert (a[::2] == values[::2]).all()


@pytest.mark.parametrize("kind, status", [("raw", 404), ("raw", 0), ("checksummed", 500), ("compressed", 403),
                                          ("compressed", 404), ("striped", 0)])
def test_each_request_fails_in_turn(server, kind, status):  # noqa: F811
    values = made("a", **KINDS[kind])
    os.environ["DRX_HTTP_TRIES"] = "1"
    for nth in range(1, 100):
        asked = 0

        def fault(request):
            nonlocal asked
            asked += 1
            if asked < nth:
                return False
            if status:
                request.refuse(status)
            else:
                request.cut()
            return True

        server.fault = fault
        try:
            scene(f"{server.url}/a", values)
            assert asked < nth or nth > 1  # an answer that nobody needed may have failed
            if asked < nth:
                break
        except REFUSED as error:
            assert server.url in str(error), error
    else:
        raise AssertionError("each run failed")
    assert nth > 4
    server.fault = None
    scene(f"{server.url}/a", values)


# ---- hostile answers ----

def answer(request, *lines, body=b""):
    request.close_connection = True
    try:
        request.wfile.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        request.wfile.flush()
    except OSError:
        pass


def endless_headers(request):
    request.close_connection = True
    try:
        request.wfile.write(b"HTTP/1.1 206 Partial Content\r\n")
        for i in range(10 ** 7):
            request.wfile.write(b"X-Header-%d: %s\r\n" % (i, b"x" * 1000))
    except OSError:
        pass


def endless_body(request):
    request.close_connection = True
    try:
        request.wfile.write(b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-65535/1000000\r\nConnection: close\r\n\r\n")
        for _ in range(10 ** 5):
            request.wfile.write(b"x" * 10000)
    except OSError:
        pass


def ranged(text, *more, body=b"x" * 100):
    def fault(request):
        answer(request, "HTTP/1.1 206 Partial Content", f"Content-Range: {text}", f"Content-Length: {len(body)}", *more,
               body=body)
    return fault


HOSTILE = {
    "endless headers": endless_headers,
    "endless body": endless_body,
    "no range": lambda r: answer(r, "HTTP/1.1 206 Partial Content", "Content-Length: 4", body=b"data"),
    "another range": ranged("bytes 100-199/1000"),
    "a wider range": ranged("bytes 0-99999999/100000000"),
    "a range beyond the end": ranged("bytes 0-99/50"),
    "backwards": ranged("bytes 99-0/1000"),
    "an absurd length": ranged("bytes 0-99/99999999999999999999999999"),
    "a long length": ranged("bytes 0-99/999999999999999999"),
    "a negative length": ranged("bytes 0-99/-5"),
    "an unknown length": ranged("bytes 0-99/*"),
    "nonsense": ranged("bytes a-b/c"),
    "words": ranged("lines 0-99/1000"),
    "too little": ranged("bytes 0-99/1000", body=b"x" * 7),
    "a wrong Content-Length": lambda r: answer(r, "HTTP/1.1 206 Partial Content", "Content-Range: bytes 0-99/1000",
                                               "Content-Length: 99999999999999999999", body=b"x" * 100),
    "compressed": ranged("bytes 0-99/100", "Content-Encoding: gzip"),
    "many parts": lambda r: answer(r, "HTTP/1.1 206 Partial Content", "Content-Type: multipart/byteranges; boundary=A",
                                   "Content-Length: 9", body=b"--A\r\n\r\nxx"),
    "no HTTP": lambda r: answer(r, "220 mail.example.org ESMTP"),
    "an old HTTP": lambda r: answer(r, "HTTP/0.9 200 OK"),
    "a whole page": lambda r: answer(r, "HTTP/1.1 200 OK", "Content-Length: 20", body=b"<html>hello</html>  "),
    "a page without a length": lambda r: answer(r, "HTTP/1.1 200 OK", body=b"<html>hello</html>"),
    "204": lambda r: answer(r, "HTTP/1.1 204 No Content"),
    "304": lambda r: answer(r, "HTTP/1.1 304 Not Modified"),
    "412": lambda r: answer(r, "HTTP/1.1 412 Precondition Failed", "Content-Length: 0"),
    "416": lambda r: answer(r, "HTTP/1.1 416 Range Not Satisfiable", "Content-Range: bytes */1000", "Content-Length: 0"),
    "416 of nothing": lambda r: answer(r, "HTTP/1.1 416 Range Not Satisfiable", "Content-Length: 0"),
    "418": lambda r: answer(r, "HTTP/1.1 418 I'm a teapot", "Content-Length: 0"),
    "999": lambda r: answer(r, "HTTP/1.1 999 Strange", "Content-Length: 0"),
    "a long refusal": lambda r: answer(r, "HTTP/1.1 403 Forbidden", "Content-Length: 9000000", body=b"<Code>" * 1500000),
    "nothing": lambda r: answer(r),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers(server, name):  # noqa: F811
    """When it opens the array; and when it reads, after a good start."""
    values = made("a", (300, 400), chunks=(50, 60))
    os.environ["DRX_HTTP_TRIES"] = "1"
    server.fault = lambda request: HOSTILE[name](request) or True
    begun = time.monotonic()
    with pytest.raises(REFUSED, match=re.escape(server.url)):
        drx.open(f"{server.url}/a")
    server.fault = None
    with drx.open(f"{server.url}/a") as a:
        server.fault = lambda request: request.path.endswith(".xta") and (HOSTILE[name](request) or True)
        with pytest.raises(REFUSED, match=re.escape(server.url)):
            a[...]
        server.fault = None
        time.sleep(0.01)
        assert (a[...] == values).all()
    assert time.monotonic() - begun < 5


def test_noise(server):  # noqa: F811
    """Answers with random bytes changed: right elements, or an error."""
    values = made("a", (300, 400), chunks=(50, 60))
    seed = int(os.environ.get("DRX_SEED", random.randrange(10 ** 9)))
    print("DRX_SEED", seed)
    rng, right = random.Random(seed), 0
    os.environ["DRX_HTTP_TRIES"] = "1"

    def fault(request):
        real, request.close_connection = request.wfile, True

        class Noisy:
            def write(self, data):
                if data[:5] == b"HTTP/" and rng.random() < 0.3:
                    data = bytearray(data)
                    for _ in range(rng.randint(1, 4)):
                        at = rng.randrange(len(data))
                        data[at:at + rng.randrange(2)] = bytes(rng.randrange(256) for _ in range(rng.randrange(3)))
                real.write(bytes(data))

            def flush(self):
                real.flush()

        request.wfile = Noisy()
        try:
            request.serve()
        except OSError:
            pass
        request.wfile = real
        return True

    server.fault = fault
    for _ in range(12):
        try:
            with drx.open(f"{server.url}/a") as a:
                assert (a[...] == values).all()
                right += 1
        except REFUSED:
            pass
    assert right > 0


@pytest.mark.parametrize("wrong", ["total", "status"])
def test_wrong_end(server, wrong):  # noqa: F811
    """One answer says that the file ends with it: what lies beyond is not fill."""
    values = made("a", (300, 400), chunks=(50, 60))
    told = []

    def fault(request):
        if told or not request.path.endswith(".xta"):
            return False
        header, status = request.send_header, request.send_response

        def send_header(name, value):
            if name == "Content-Range":
                told.append(value)
                last = int(value[6:].split("/")[0].split("-")[1])
                value = f"bytes 0-{last}/{last + 1}" if wrong == "total" else value
            header(name, value)

        request.send_header = send_header
        request.send_response = lambda code: status(200 if wrong == "status" else code)
        request.serve()
        request.send_header, request.send_response = header, status
        return True

    server.fault = fault
    with drx.open(f"{server.url}/a") as a, pytest.raises(REFUSED):
        assert (a[...] == values).all()
    assert told


# ---- files that change ----

CHANGED = "changed since it was opened, and the log does not tell of growth|replaced by another log since it was opened"


def overwrite(path, value):
    with drx.open(path, "r+") as a:
        a[3, 4] = value


@pytest.mark.parametrize("kind, conditions", [("raw", True), ("raw", False), ("compressed", True), ("checksummed", False)])
def test_overwritten(tmp_path, kind, conditions):
    """Elements that were overwritten are an error, and a refresh shows them."""
    values = made("a", (600, 700), chunks=(100, 100), **KINDS[kind])
    with Server(tmp_path, conditions=conditions) as running, drx.open(f"{running.url}/a") as a:
        assert (a[...] == values).all()
        overwrite("a", 5)
        now = values.copy()
        now[3, 4] = 5
        with pytest.raises(ValueError, match=CHANGED):
            a[...]
        a.refresh()
        assert (a[...] == now).all()


def test_what_is_kept(server):  # noqa: F811
    """Blocks that were read stay as they were, until a refresh."""
    values = made("a", (30, 40))
    with drx.open(f"{server.url}/a") as a:
        assert (a[...] == values).all()
        overwrite("a", 5)
        assert (a[...] == values).all()
        a.refresh()
        assert a[3, 4] == 5


@pytest.mark.parametrize("kind", ["raw", "compressed", "striped", "checksummed"])
def test_replaced(server, kind):  # noqa: F811
    """Another array under the same name."""
    values = made("a", (300, 400), chunks=(50, 60), **KINDS[kind])
    with drx.open(f"{server.url}/a") as a:
        assert (a[:50] == values[:50]).all()
        made("a", (300, 400), chunks=(50, 60), seed=9, **KINDS[kind])
        with pytest.raises(REFUSED, match="since it was opened"):
            a[...]
        with pytest.raises(ValueError, match="replaced by another array since it was opened"):
            a.refresh()


def test_replaced_in_between(server):  # noqa: F811
    """The log of one array and the elements of another: the first read finds out."""
    made("b", (300, 400), chunks=(50, 60), seed=3)
    made("a", (300, 400), chunks=(50, 60))

    def fault(request):
        if request.path.endswith(".xta"):
            for suffix in (".xmd", ".xta"):
                if os.path.exists("b" + suffix):
                    os.replace("b" + suffix, "a" + suffix)
        return False

    time.sleep(0.05)
    server.fault = fault
    try:
        with drx.open(f"{server.url}/a") as a:
            read = a[...]
        with drx.open("a") as now:
            assert (read == now[...]).all()
    except ValueError as error:
        assert re.search(CHANGED, str(error))


def test_gone(server):  # noqa: F811
    values = made("a", (300, 400), chunks=(50, 60))
    with drx.open(f"{server.url}/a") as a:
        assert (a[:50] == values[:50]).all()
        drx.remove("a")
        with pytest.raises(FileNotFoundError, match="a.xta: is gone since it was opened"):
            a[...]
        with pytest.raises(FileNotFoundError):
            a.refresh()


def test_compacted_log(server):  # noqa: F811
    """A shorter log in the place of the old one is the same array's."""
    values = made("a", (30, 40), chunks=(5, 6))
    with drx.open("a", "r+") as grown:
        for i in range(50):
            grown.attrs["n"] = i
    with drx.open(f"{server.url}/a") as a:
        with drx.open("a", "r+") as grown:
            grown.append(np.ones((3, 40)), axis=0)
            grown.compact()
        with pytest.raises(ValueError, match=CHANGED):
            a.vindex[[0, 29], [0, 39]]
        a.refresh()
        assert (a[:30] == values).all() and (a[30:] == 1).all()


def test_an_append_that_was_given_up(server):  # noqa: F811
    """It leaves its first record at the end of the log."""
    values = made("a", (30, 40), chunks=(5, 6))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with drx.open("a", "r+") as grown:
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, limits[1]))
        try:
            with pytest.raises(OSError, match="File too large"):
                grown.append(np.ones((300, 40)), axis=0)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    with drx.open(f"{server.url}/a") as a:
        assert (a[...] == values).all()
        with drx.open("a", "r+") as grown:
            grown.append(np.ones((3, 40)), axis=0)
        assert (a[...] == values).all()
        a.refresh()
        assert (a[:30] == values).all() and (a[30:] == 1).all()


@pytest.mark.parametrize("kind", ["raw", "checksummed", "compressed", "striped"])
def test_readers_of_a_growing_array(server, kind):  # noqa: F811
    """Readers go on with the bounds that they know, without a refresh, while an array grows in both axes."""
    chunks = (8, 10)
    values = made("a", (8, 10), chunks=chunks, **KINDS[kind])
    model = values
    rng = np.random.default_rng(5)
    with drx.open(f"{server.url}/a") as early:
        for step in range(12):
            with drx.open(f"{server.url}/a") as late:
                axis = step % 2
                shape = list(model.shape)
                shape[axis] = int(rng.integers(1, 12))
                more = rng.standard_normal(shape)
                before = model
                with drx.open("a", "r+") as grown:
                    grown.append(more, axis=axis)
                model = np.concatenate([model, more], axis=axis)
                assert (early[...] == values).all()
                assert (late[...] == before).all()
                late.refresh()
                assert late.shape == model.shape and (late[...] == model).all()


def test_random_histories(tmp_path):
    """A writer and readers in any order, over a server whose faults pass."""
    seed = int(os.environ.get("DRX_SEED", random.randrange(10 ** 9)))
    print("DRX_SEED", seed)
    rng = random.Random(seed)
    for _ in range(int(os.environ.get("DRX_SAMPLE", 4))):
        kind = rng.choice(["raw", "checksummed", "compressed", "striped"])
        run_history(tmp_path, rng, KINDS[kind])


class Reader:
    """What a handle knows: elements, the lower bounds, which indices no trim has taken since, and whether elements were
    overwritten."""

    def __init__(self, a, model, low):
        self.a = a
        self.know(model, low)

    def know(self, model, low):
        self.known, self.low, self.overwritten, self.trimmed = model.copy(), list(low), False, False
        self.kept = [[at, at + n] for at, n in zip(low, model.shape)]


def run_history(tmp_path, rng, kind):
    model = made("h", (rng.randint(1, 30), rng.randint(1, 30)), chunks=(rng.randint(1, 9), rng.randint(1, 9)),
                 seed=rng.randrange(99), **kind)
    low, readers = [0, 0], []
    with Server(tmp_path, tags=rng.choice(["strong", "weak", "nginx"]), conditions=rng.random() < 0.7) as running:
        running.age = 0 if running.tags == "nginx" else rng.choice([0, 100])
        running.fault = lambda request: rng.random() < 0.03 and (busy(request) or True)
        for _ in range(40):
            what = rng.choice(["open", "read", "read", "read", "refresh", "grow", "before", "trim", "write", "close"])
            if what == "open" and len(readers) < 4:
                readers.append(Reader(drx.open(f"{running.url}/h"), model, low))
            elif what == "close" and readers:
                readers.pop(rng.randrange(len(readers))).a.close()
            elif what == "refresh" and readers:
                reader = rng.choice(readers)
                reader.a.refresh()
                reader.know(model, low)
            elif what == "read" and readers:
                check(rng, rng.choice(readers))
            elif what in ("grow", "before", "trim", "write"):
                model = change(rng, what, model, low, readers)
        for reader in readers:
            reader.a.close()


def check(rng, reader):
    """A handle gives what it knows. What was trimmed since may be refused; when elements were overwritten, anything."""
    key = tuple(slice(lo := rng.randrange(n + 1), rng.randint(lo, n)) for n in reader.known.shape)
    if reader.known[key].size == 0:
        return
    trimmed = any(k.start + low < kept[0] or k.stop + low > kept[1]
                  for k, low, kept in zip(key, reader.low, reader.kept))
    try:
        read = reader.a[key]
    except IndexError:
        assert trimmed
    except (ValueError, drx.ChecksumError) as error:
        assert reader.overwritten or reader.trimmed, error
    else:
        assert (read == reader.known[key]).all() or reader.overwritten


def change(rng, what, model, low, readers):
    axis, n = rng.randrange(2), rng.randint(1, 9)
    shape = tuple(n if j == axis else model.shape[j] for j in range(2))
    more = np.random.default_rng(rng.randrange(999)).standard_normal(shape)
    with drx.open("h", "r+") as a:
        if rng.random() < 0.7:
            a.flush()  # from now on other chunks may lie where chunks were open
        if what == "grow":
            a.append(more, axis=axis)
            return np.concatenate([model, more], axis=axis)
        if what == "before":
            a.prepend(more, axis=axis)
            low[axis] -= n
            return np.concatenate([more, model], axis=axis)
        if what == "trim":
            before, after = rng.choice([(n, 0), (0, n)])
            before, after = (min(m, model.shape[axis] - 1) for m in (before, after))
            a.trim(axis, before, after)
            low[axis] += before
            model = model[(slice(None),) * axis + (slice(before, model.shape[axis] - after),)]
            for reader in readers:
                reader.trimmed = True  # the bytes are given back: the log does not tell of growth
                reader.kept[axis] = [max(reader.kept[axis][0], low[axis]),
                                     min(reader.kept[axis][1], low[axis] + model.shape[axis])]
            return model
        at = tuple(rng.randrange(m) for m in model.shape)
        model = model.copy()
        model[at] = a[at] = rng.random()
        for reader in readers:
            reader.overwritten = True
        return model
