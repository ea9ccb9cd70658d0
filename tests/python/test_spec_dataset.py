"""Datasets read by spec/read_dataset.py, which was written from the specification alone."""

import os
import random
import shutil
import struct
import sys

import numpy as np
import pytest

import drx

sys.path.insert(0, os.path.join(os.environ["DRX_SOURCE"], "spec"))
import read_dataset  # noqa: E402
from read_errors import Damaged  # noqa: E402

DIMS = {"u": ("t", "x"), "v": ("x", "t"), "t": ("t",), "s": (), "w": ("t",), "c": ("x", "x"), "d": ("z", "t", "x")}
trimmed = []  # what could not be read as of an earlier commit
ATTRIBUTES = ["text", "", 2.5, np.arange(3, dtype="int16"), np.array([], "float32"), 1 + 2j]


def write(array, rng):
    array[...] = rng.randrange(100) + np.arange(array.size, dtype="int16").reshape(array.shape)


def grow(ds, rng):
    """At either end; or a trim, which keeps one index, so that arrays have elements."""
    dim = rng.choice(list(ds.dims))
    try:
        if ds.dims[dim] < 12:
            rng.choice([ds.extend, ds.extend_before])(dim, rng.randrange(1, 4))
            for other in ds:
                if dim in ds.dims_of(other) and rng.random() < 0.7:
                    write(ds[other], rng)
    except ValueError as error:
        assert "this transaction trims" in str(error)
    if rng.random() < 0.5 and ds.dims[dim] > 6:
        try:
            ds.trim(dim, *rng.choice([(1, 0), (0, 1), (3, 2)]))
        except IndexError:  # this transaction trims it already
            pass


def add(ds, rng):
    name = rng.choice(list(DIMS))
    dims = DIMS[name]
    shape = [ds.dims.get(dim, 2) for dim in dims]
    options = {"fill_value": rng.choice([None, 7]), "order": rng.choice("CF"), "checksum": rng.random() < 0.3,
               "shell": rng.random() < 0.2, "attrs": rng.choice([None, {"a0": "first"}])}
    if not options["checksum"]:
        options["compression"] = rng.choice([None, "zstd", "lz4", "zlib"])
    try:
        array = ds.add(name, dims, shape, rng.choice(["int16", "float64"]),
                       [rng.randrange(2, 5) for _ in dims] or 1, **options)
    except FileExistsError:  # this transaction removes it, or it is there
        return
    if rng.random() < 0.7:
        write(array, rng)


def change_attributes(owner, rng):
    name = f"a{rng.randrange(4)}"
    if name in owner.attrs and rng.random() < 0.5:
        del owner.attrs[name]
    else:
        owner.attrs[name] = rng.choice(ATTRIBUTES)


def change(ds, rng):
    """Something at random, in the transaction."""
    what = rng.randrange(8)
    if what < 3 and ds.dims:
        grow(ds, rng)
    elif what < 5:
        add(ds, rng)
    elif what == 5 and rng.random() < 0.4 and len(ds):
        try:
            ds.remove(rng.choice(list(ds)))
        except ValueError:  # this transaction adds it
            pass
    elif what == 6 and len(ds):
        change_attributes(rng.choice(list(ds.values())), rng)
    else:
        change_attributes(ds, rng)


def same_attributes(found, expected):
    assert list(found) == list(expected)
    for key, value in expected.items():
        if isinstance(value, str):
            assert found[key] == value
        else:
            np.testing.assert_array_equal(found[key], np.atleast_1d(value), err_msg=key)


def compare(path, least=0):
    """Every commit from that one on: what it did, dimensions, members, elements, attributes."""
    read, trimmed = read_dataset.Dataset(path), []
    with drx.open_dataset(path) as last:
        commits = last.commits
        same_attributes(read.attrs, last.attrs)
    for c, expected in zip(read.commits, commits, strict=True):
        assert (c.number, np.datetime64(c.time, "us"), c.message) == (expected.number, expected.time, expected.message)
    for at in range(least, len(commits)):
        with drx.open_dataset(path, at=at) as ds:
            assert list(ds) == read.names(at)
            bounds = {dim.name: read.bounds(d, at) for d, dim in enumerate(read.dims) if dim.added <= at}
            assert dict(ds.dims) == {name: high - low for name, (high, low) in bounds.items()}
            assert dict(ds.lower) == {name: low for name, (_, low) in bounds.items()}
            for name in ds:
                if all(m.name != name or m.added > at or m.removed is not None for m in read.members):
                    continue  # a later commit removed it
                try:
                    array = ds[name]
                except IndexError:
                    with pytest.raises(read_dataset.Trimmed):
                        read.array(name, at)
                    trimmed.append(name)
                    continue
                found, attrs = read.array(name, at)
                np.testing.assert_array_equal(found, array[...], err_msg=f"{name} at {at}")
                same_attributes(attrs, array.attrs)
    return trimmed


def records_of(log):
    """(kind, payload, end) of each record."""
    at, = struct.unpack_from("<I", log, 12)
    while at < len(log):
        length, kind = struct.unpack_from("<IH", log, at + 8)
        yield kind, log[at + 24:at + length], at + length
        at += length


def begin(path, rng):
    """A new dataset; or arrays that become one."""
    if rng.random() < 0.7:
        return drx.create_dataset(path)
    os.mkdir(path)
    for name in "t", "u":
        with drx.create(path / name, (3, 2)[:len(DIMS[name])], "int16", (2, 2)[:len(DIMS[name])], dims=DIMS[name],
                        compression=rng.choice([None, "zstd"])) as array:
            array[...] = 5
    return drx.adopt_dataset(path)


def lag(path, rng):
    """A crash has taken ends of the logs of members, which nobody had made durable. How many."""
    cut = 0
    for file in path.glob("*.xmd"):
        log = file.read_bytes()
        records = list(records_of(log))
        durable = next(end for kind, _, end in records if kind == 8)
        durable = max([durable] + [end for kind, _, end in records if kind == 3])
        if durable < len(log) and rng.random() < 0.9:
            os.truncate(file, rng.randrange(durable, len(log)))
            cut += 1
    return cut


def widen(ds, rng):
    """A commit of new axes."""
    for name in rng.sample(list(ds), min(2, len(ds))):
        if len(ds.dims_of(name)) < 4 and "run" not in ds.dims_of(name) and ds.dims.get("run", 1) == 1:
            try:
                ds.add_axis(name, rng.randrange(len(ds.dims_of(name)) + 1), "run")
            except ValueError as error:  # it is trimmed or grew at its low end
                assert "index 0 alone" in str(error)
    ds.commit("axes")


@pytest.mark.parametrize("seed", range(12))
def test_random(tmp_path, seed):
    rng = random.Random(seed)
    path = tmp_path / "ds"
    with begin(path, rng) as ds:
        for step in range(8):
            for _ in range(rng.randrange(1, 7)):
                change(ds, rng)
            if step == 5:  # a process that dies in the transaction
                shutil.copytree(path, tmp_path / "cut")
            if rng.random() < 0.2:
                ds.abort()
            ds.commit(rng.choice([f"message {rng.random()}", "Mitte\u00e4\u20ac", ""]))
            if step in (2, 6):
                widen(ds, rng)
    trimmed.extend(compare(path))
    compare(tmp_path / "cut", 5)
    drx.open_dataset(tmp_path / "cut", "r+").close()
    assert read_dataset.Dataset(tmp_path / "cut").report is None
    compare(tmp_path / "cut", 5)
    lag(path, rng)
    compare(path, 6)
    with drx.open_dataset(path, "r+") as ds:  # which completes the logs
        list(ds.values())
    compare(path, 7)


def test_trims_were_met():
    assert len(trimmed) > 5


def test_random_datasets_have_all_there_is(tmp_path):
    """Records of every kind, commits of several growths, logs that lag behind."""
    kinds, most, cut = set(), 0, 0
    for seed in range(12):
        rng = random.Random(seed)
        with begin(tmp_path / str(seed), rng) as ds:
            for _ in range(6):
                for _ in range(6):
                    change(ds, rng)
                ds.commit()
            widen(ds, rng)
        for kind, payload, _ in records_of((tmp_path / str(seed) / "dataset.xds").read_bytes()):
            kinds.add(kind)
            if kind == 6:
                most = max(most, struct.unpack_from("<I", payload, 16)[0])
        cut += lag(tmp_path / str(seed), rng)
    assert kinds == set(range(1, 8)) and most > 2 and cut > 12


def test_damage(tmp_path):
    with drx.create_dataset(tmp_path / "ds") as ds:
        ds.add("t", ("t",), (0,), "int16")
        for i in range(9):
            ds.extend("t", 1)
            ds.commit(f"step {i}")
    log = bytearray((tmp_path / "ds/dataset.xds").read_bytes())
    (tmp_path / "ds/dataset.xds").write_bytes(log + b"what a crash left")
    read = read_dataset.Dataset(tmp_path / "ds")
    assert read.report.startswith("torn tail") and len(read.commits) == 10
    log[len(log) // 2] ^= 1
    (tmp_path / "ds/dataset.xds").write_bytes(log)
    read = read_dataset.Dataset(tmp_path / "ds")
    with pytest.warns(UserWarning, match="damaged"):
        ds = drx.open_dataset(tmp_path / "ds")
    assert read.report.startswith("damage") and len(read.commits) == len(ds.commits) < 10
    with pytest.raises(drx.FormatError):
        drx.open_dataset(tmp_path / "ds", "r+")
    log[40] ^= 1
    (tmp_path / "ds/dataset.xds").write_bytes(log)
    with pytest.raises(Damaged):
        read_dataset.Dataset(tmp_path / "ds")


GOLDEN = os.path.join(os.environ["DRX_SOURCE"], "spec", "dataset")


def make_golden(path, monkeypatch):
    """Growth of two dimensions, an attribute, a scalar, a removed variable, an aborted transaction: always the same bytes."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")

    def add(ds, number, name, dims, shape):
        monkeypatch.setenv("DRX_CREATION_ID", f"{number:032x}")
        array = ds.add(name, dims, shape, "int16", [2] * max(1, len(dims)))
        array[...] = number
        return array

    monkeypatch.setenv("DRX_CREATION_ID", f"{1:032x}")
    with drx.create_dataset(path, attrs={"title": "golden"}) as ds:
        u = add(ds, 2, "u", ("time", "x"), (1, 3))
        add(ds, 3, "v", ("time",), (1,))
        add(ds, 4, "s", (), (1,))
        ds.commit("variables")
        ds.extend("time", 2)
        u[1:] = [[5, 6, 7], [8, 9, 10]]
        u.attrs["units"] = "m"
        ds.commit("two steps")
        ds.extend("x", 1)
        u[...] = 99
        ds.abort()
        u[...] = np.arange(9).reshape(3, 3)
        ds.extend("x", 2)
        ds.remove("v")
        ds.commit("wider, without v")


def test_golden(tmp_path, monkeypatch):
    """What is written today is what was written when the format was fixed, and both readers read it."""
    make_golden(tmp_path / "ds", monkeypatch)
    names = sorted(os.listdir(GOLDEN))
    assert sorted(os.listdir(tmp_path / "ds")) == names
    for name in names:
        with open(os.path.join(GOLDEN, name), "rb") as file:
            assert file.read() == (tmp_path / "ds" / name).read_bytes(), name
    read = read_dataset.Dataset(GOLDEN)
    assert [(c.number, c.time, c.message) for c in read.commits] == [
        (i, 10**15, text) for i, text in enumerate(("created", "variables", "two steps", "wider, without v"))]
    assert [read.names(i) for i in range(4)] == [[], ["u", "v", "s"], ["u", "v", "s"], ["u", "s"]]
    expected = np.zeros((3, 5), "int16")
    expected[:, :3] = np.arange(9).reshape(3, 3)
    for found, attrs in (read.array("u"), (drx.open_dataset(GOLDEN)["u"][...], drx.open_dataset(GOLDEN)["u"].attrs)):
        np.testing.assert_array_equal(found, expected)
        assert attrs["units"] == "m"
    np.testing.assert_array_equal(read.array("u", 1)[0], expected[:1, :3])
