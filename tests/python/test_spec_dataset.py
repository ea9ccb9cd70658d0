"""Datasets read by spec/read_drx.py, which was written from the specification alone."""

import os
import random
import shutil
import sys

import by_hand  # noqa: F401
import numpy as np
import pytest

import drx

sys.path.append(os.path.join(os.environ["DRX_SOURCE"], "tests", "golden"))
from vectors import unpacked_dataset  # noqa: E402  and where the reader is
from payload import BASIC, COMPOUND, Damaged, ENUM, OPAQUE, Refused  # noqa: E402
from read_drx import left, read_elements  # noqa: E402
from store import (ATTRIBUTE, ATTRIBUTE_DELETE, AXIS, COMMIT, DIMENSION, EPOCH, GROW, REMOVE, Store, SYNC,  # noqa: E402
                   TRIM, TYPE, VARIABLE)

SKY = np.dtype("i2", metadata={"enum": {"clear": 0, "\u2601": -300}, "enum_name": "sky"})
BITS = np.dtype("u4", metadata={"bitfield": (5, 20)})
RAW = np.dtype("V3", metadata={"tag": "three"})
PLACE = np.dtype({"names": ["y", "x"], "formats": ["c8", ("f4", (2,))], "offsets": [9, 1], "itemsize": 19},
                 metadata={"name": "place"})
CELL = np.dtype([("bits", BITS), ("sky", SKY, (2, 1)), ("raw", RAW), ("name", "S3"), ("place", PLACE), ("word", "U2")])
DEFINED = [SKY, BITS, RAW, PLACE, CELL]
DIMS = {"u": ("t", "x"), "v": ("x", "t"), "t": ("t",), "s": (), "w": ("t",), "c": ("x", "x"), "d": ("z", "t", "x")}
trimmed = []  # what could not be read as of an earlier commit
ATTRIBUTES = [np.array([0, -300], SKY), np.zeros(2, CELL), np.array(9, BITS), np.frombuffer(b"abcdef", RAW), "text", "", 2.5, np.arange(3, dtype="int16"), np.array([], "float32"), 1 + 2j]


def write(array, rng):
    if array.dtype.kind == "V":
        bytes_ = np.frombuffer(rng.randbytes(max(array.nbytes, 1)), "u1") & 0x3f  # no NaN
        zero = np.zeros(array.shape, array.dtype)
        array[...] = with_fields_of(zero, bytes_[:array.nbytes])
        return
    array[...] = (rng.randrange(100) + np.arange(array.size, dtype="int16").reshape(array.shape)).astype(array.dtype)


def with_fields_of(zero, raw):
    """Elements of these bytes in fields; text is ASCII."""
    elements = raw.view(zero.dtype).reshape(zero.shape).copy() if zero.size else zero
    if "name" in (zero.dtype.names or ()):
        elements["name"], elements["word"] = b"ab", "\xe9x"
    return elements


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
    dtype = np.dtype(rng.choice(["int16", "float64", "S6", "U5", *DEFINED]))
    fill = with_fields_of(np.zeros((), dtype), np.frombuffer(rng.randbytes(dtype.itemsize), "u1") & 0x3f) if dtype.kind == "V" else 7
    options = {"fill_value": rng.choice([None, {"S": b"x", "U": "x"}.get(dtype.kind, fill)]), "order": rng.choice("CF"),
               "checksum": rng.random() < 0.3, "shell": rng.random() < 0.2,
               "attrs": rng.choice([None, {"a0": "first"}])}
    if not options["checksum"]:
        options["compression"] = rng.choice([None, *drx.CODECS])
    try:
        array = ds.add(name, dims, shape, dtype,
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


def dtype_of(store, kind):
    """By what the record of the type says alone."""
    if kind in BASIC:
        return np.dtype(BASIC[kind])
    it = store.now.types[kind - 256]
    about = {"enum_name" if it.kind == ENUM else "name": it.name} if it.name else {}
    if it.kind == ENUM:
        dtype = np.dtype(BASIC[it.base])
        about["enum"] = {name: np.frombuffer(value, dtype)[0].item() for value, name in it.members}
    elif it.kind == COMPOUND:
        dtype = np.dtype({"names": [f.name.decode() for f in it.members], "offsets": [f.at for f in it.members],
                          "formats": [(dtype_of(store, f.type), tuple(f.extents)) for f in it.members],
                          "itemsize": it.size})
    elif it.kind == OPAQUE:
        dtype = np.dtype(f"V{it.size}")
        about.update({"tag": it.tag.decode()} if it.tag else {})
    elif it.kind < ENUM:
        return np.dtype(f"S{it.size}" if it.kind == 1 else f"<U{it.size // 4}")
    else:
        dtype = np.dtype(f"<u{it.size}")
        about["bitfield"] = tuple(it.bits)
    return np.dtype(dtype, metadata=about) if about else dtype


def same_dtype(mine, stored):
    assert mine == stored and dict(mine.metadata or {}) == dict(stored.metadata or {})
    for name in mine.names or ():
        same_dtype(mine.fields[name][0].base, stored.fields[name][0].base)


def attribute(store, a):
    return a.values.decode() if a.text else np.frombuffer(a.values, dtype_of(store, a.type))


def same_attributes(store, found, expected):
    assert list(found) == list(expected)
    for key, value in expected.items():
        mine = attribute(store, found[key])
        if isinstance(value, str):
            assert mine == value
        else:
            np.testing.assert_array_equal(mine, np.atleast_1d(value), err_msg=key)


def elements_of(store, number, state):
    """The elements; and the part of them that no trim has taken since, of which all must be read. Damaged: a file is
    missing."""
    v = state.variables[number]
    elements, lost = read_elements(store, number, state)
    for box, error in lost:
        if isinstance(error, Damaged):
            assert box == ()
            raise error
    try:
        kept = left(store, state, number)
    except Refused:
        kept = [(lower, lower) for lower, _ in v.map.bounds]
    inside = tuple(slice(l - low, u - low) for (l, u), (low, _) in zip(kept, v.map.bounds))
    return elements.view(dtype_of(store, v.type)), inside


def compare_variable(store, number, state, ds):
    """Whether trims have taken some of it."""
    v = state.variables[number]
    if store.now.variables[number].removed:
        with pytest.raises(FileNotFoundError):
            ds[v.name]
        return False
    try:
        expected, inside = elements_of(store, number, state)
    except Damaged:
        with pytest.raises(FileNotFoundError):
            ds[v.name]
        return False
    array = ds[v.name]
    same_attributes(store, v.attributes, array.attrs)
    same_dtype(array.dtype, expected.dtype)
    whole = expected[inside].size == expected.size
    if not v.dimensions:
        inside, expected = slice(None), expected.reshape(1)
    if whole:
        np.testing.assert_array_equal(array[...], expected, err_msg=v.name)
        return False
    with pytest.raises(IndexError):
        array[...]
    if expected[inside].size:
        np.testing.assert_array_equal(array[inside], expected[inside], err_msg=v.name)
    return True


def compare(path, least=0):
    """Every commit from that one on: what it says, dimensions, variables, elements, attributes."""
    store, trimmed = Store(path), []
    with drx.open_dataset(path) as last:
        commits = last.commits
    for c, expected in zip(store.now.commits, commits, strict=True):
        assert (c.number, np.datetime64(c.time, "us"), c.message) == (expected.number, expected.time, expected.message)
    for at in range(max(least, commits[0].number), commits[-1].number + 1):
        state = store.at(at)
        variables = {v.name: number for number, v in state.variables.items() if not v.removed}
        with drx.open_dataset(path, at=at) as ds:
            assert list(ds) == list(variables)
            same_attributes(store, state.groups[0].attributes, ds.attrs)
            assert dict(ds.dims) == {d.name: d.bounds[1] - d.bounds[0] for d in state.dimensions.values()}
            assert dict(ds.lower) == {d.name: d.bounds[0] for d in state.dimensions.values()}
            trimmed += [name for name, number in variables.items() if compare_variable(store, number, state, ds)]
    return trimmed


def widen(ds, rng):
    """A commit of new axes."""
    for name in rng.sample(list(ds), min(2, len(ds))):
        if len(ds.dims_of(name)) < 4 and "run" not in ds.dims_of(name) and ds.dims.get("run", 1) == 1:
            try:
                ds.add_axis(name, rng.randrange(len(ds.dims_of(name)) + 1), "run")
            except ValueError as error:  # it is trimmed or grew at its low end
                assert "index 0 alone" in str(error)
    ds.commit("axes")


def files_of(store):
    endings = [[".xta"], [".xta", ".xcs"], [".xtz", ".xct"]]
    return {"dataset.xds"} | {v.stem + ending for v in store.now.variables.values() if not v.removed
                              for ending in endings[2 if v.codec else v.flags & 1]}


def cut(path, rng):
    """The log ends earlier, and the files are as they are: a reader that looks while others write sees the like."""
    ends = [r.at + r.length for r in Store(path).records if r.kind == COMMIT]
    os.truncate(path / "dataset.xds", rng.randrange(ends[(len(ends) - 1) // 2], ends[-1] + 1))


@pytest.mark.parametrize("seed", range(12))
def test_random(tmp_path, seed):
    rng = random.Random(seed)
    path, dead = tmp_path / "ds", tmp_path / "dead"
    with drx.create_dataset(path) as ds:
        for step in range(8):
            for _ in range(rng.randrange(1, 7)):
                change(ds, rng)
            if step == 5:  # a process that dies in the transaction
                shutil.copytree(path, dead)
            if rng.random() < 0.2:
                ds.abort()
            ds.commit(rng.choice([f"message {rng.random()}", "Mitte\u00e4\u20ac", ""]))
            if step in (2, 6):
                widen(ds, rng)
            if seed % 2 and step in (3, 7):
                ds.forget(rng.randrange(ds.oldest, len(ds.commits) + ds.oldest))
    trimmed.extend(compare(path))
    assert Store(path).log == "clean" and set(os.listdir(path)) == files_of(Store(path))
    compare(dead, 5)
    drx.open_dataset(dead, "r+").close()
    assert Store(dead).log == "clean" and set(os.listdir(dead)) == files_of(Store(dead))
    compare(dead, 5)
    cut(path, rng)
    compare(path)


def test_trims_were_met():
    assert len(trimmed) > 5


def test_random_datasets_have_all_there_is(tmp_path):
    """Records of every kind but BASE, commits of several growths."""
    kinds, most = set(), 0
    for seed in range(12):
        rng = random.Random(seed)
        with drx.create_dataset(tmp_path / str(seed)) as ds:
            for _ in range(6):
                for _ in range(6):
                    change(ds, rng)
                ds.commit()
            widen(ds, rng)
        growths = 0
        for record in Store(tmp_path / str(seed)).records:
            kinds.add(record.kind)
            growths = 0 if record.kind == COMMIT else growths + (record.kind == GROW)
            most = max(most, growths)
    assert kinds == {DIMENSION, VARIABLE, TYPE, GROW, TRIM, AXIS, REMOVE, ATTRIBUTE, ATTRIBUTE_DELETE, EPOCH, COMMIT, SYNC}
    assert most > 2


def test_damage(tmp_path):
    with drx.create_dataset(tmp_path / "ds") as ds:
        ds.add("t", ("t",), (0,), "int16")
        for i in range(9):
            ds.extend("t", 1)
            ds.commit(f"step {i}")
    log = bytearray((tmp_path / "ds/dataset.xds").read_bytes())
    (tmp_path / "ds/dataset.xds").write_bytes(log + b"what a crash left")
    read = Store(tmp_path / "ds")
    assert read.log == "torn" and len(read.now.commits) == 10
    log[8192 + (len(log) - 8192) // 2] ^= 1
    (tmp_path / "ds/dataset.xds").write_bytes(log)
    read = Store(tmp_path / "ds")
    with pytest.warns(UserWarning, match="damaged"):
        ds = drx.open_dataset(tmp_path / "ds")
    assert read.log == "damaged" and len(read.now.commits) == len(ds.commits) < 10
    with pytest.raises(drx.FormatError):
        drx.open_dataset(tmp_path / "ds", "r+")
    log[40] ^= 1
    (tmp_path / "ds/dataset.xds").write_bytes(log)
    with pytest.raises(Damaged):
        Store(tmp_path / "ds")


def test_golden(tmp_path):
    """What tests/golden pins."""
    path = unpacked_dataset(tmp_path)
    assert len(compare(path)) > 10
    with drx.open_dataset(path) as ds:
        assert [c.message for c in ds.commits] == [
            "created", "variables", "two steps", "the west", "wider", "trimmed", "runs", ""]
        np.testing.assert_array_equal(ds["packed"][...], [[141, 142, 143], [250, 251, 252], [253, 254, 255]])
