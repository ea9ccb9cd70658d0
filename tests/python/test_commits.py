"""Datasets of xarray in commits: what is opened, saved and appended, and what readers see meanwhile."""

import multiprocessing
import os
import pickle
import subprocess
import time

import by_hand  # noqa: F401
import drx
import numpy as np
import pytest
import xarray as xr


def dataset(first, days):
    t = np.arange(first, first + days)
    return xr.Dataset({"a": ("t", t * 1.0), "b": (("t", "x"), np.stack([t, -t], 1).astype("int32"))},
                      coords={"t": t, "x": [10, 20], "height": 2.0}, attrs={"title": "two"})


@pytest.fixture
def folder(tmp_path):
    drx.save_dataset(dataset(0, 3), tmp_path / "d", message="first")
    return str(tmp_path / "d")


def opened(path, engine="drx", **options):
    with xr.open_dataset(path, engine=engine, **options) as ds:
        return ds.load()


# ---- opening ---------------------------------------------------------------------------------------------------------

def test_commits(folder):
    assert drx.append_dataset(dataset(3, 4), folder, "t", message="more") == 7
    xr.testing.assert_identical(opened(folder), dataset(0, 7))
    xr.testing.assert_identical(opened(folder, at=1), dataset(0, 3))
    assert not opened(folder, at=0).variables
    with pytest.raises(IndexError):
        opened(folder, at=3)
    with drx.open_dataset(folder) as ds:
        assert [(c.message, c.bounds) for c in ds.commits] == [
            ("created", {}), ("first", {}), ("more", {"t": (range(3), range(7))})]


@pytest.mark.filterwarnings("error")
def test_the_engine_is_guessed(folder):
    xr.testing.assert_identical(opened(folder, None), dataset(0, 3))
    xr.testing.assert_identical(opened(folder + "/", None), dataset(0, 3))
    xr.testing.assert_identical(opened(folder + "/b", None), dataset(0, 3)[["b"]])


def test_one_variable(folder):
    drx.append_dataset(dataset(3, 4), folder, "t")
    for path in (folder + "/b", folder + "/b.xmd"):
        xr.testing.assert_identical(opened(path), dataset(0, 7)[["b"]])
    one = opened(folder + "/a", at=1)
    xr.testing.assert_identical(one, dataset(0, 3)[["a"]])
    with pytest.raises(FileNotFoundError, match="no variable 'a' at commit 0"):
        opened(folder + "/a", at=0)


@pytest.mark.parametrize("show", [
    opened, lambda path, at: opened(path + "/b", at=at), lambda path, at: opened(path + "/t", at=at),
    lambda path, at: repr([(dict(v.attrs), v.dims, v[...].tolist()) for v in drx.open_dataset(path, at=at).values()]),
    lambda path, at: dict(drx.zarr_store(path, at=at)), lambda path, at: dict(drx.zarr_store(path + "/b", at=at)),
    lambda path, at: pickle.loads(pickle.dumps(drx.open_dataset(path, at=at)))["b"].attrs["units"]])
def test_attributes_and_axes_are_those_of_the_commit(folder, show):
    with drx.open_dataset(folder, "r+") as ds:
        ds["b"].attrs.update(units="K", scale_factor=0.5)
        ds["t"].attrs["units"] = "days since 2000-01-01"
    then = show(folder, at=2)
    with drx.open_dataset(folder, "r+") as ds:
        ds["b"].attrs.update(units="m", scale_factor=2.0)
        ds["t"].attrs["units"] = "hours since 1990-01-01"
        ds.attrs["title"] = "later"
        ds.extend("t", 2)
        ds.commit()
        ds.add_axis("b", 0, "run")
    now = show(folder, at=2)
    assert now.identical(then) if isinstance(now, xr.Dataset) else now == then


def test_what_is_lazy_stays_at_its_commit(folder):
    with xr.open_dataset(folder, engine="drx", chunks={}) as ds:
        copied = pickle.dumps(ds)
        drx.append_dataset(dataset(3, 4), folder, "t")
        with pickle.loads(copied) as again:
            xr.testing.assert_identical(again.load(), dataset(0, 3))
        xr.testing.assert_identical(ds.load(), dataset(0, 3))
    with drx.open_dataset(folder, at=1) as ds:
        copied = pickle.dumps([ds["a"], ds])
    with pytest.raises(TypeError, match="closed"):
        pickle.dumps(ds)
    a, ds = pickle.loads(copied)
    assert a.shape == (3,) and a is ds["a"] and ds.commit_number == 1
    ds.close()


def test_what_was_imported(tmp_path):
    """The notes of `drx import` tell of text."""
    path = tmp_path / "d"
    with drx.create_dataset(path, attrs={"drx.unlimited": "t", "drx.strings": "2 who", "who": "a\nb"}) as ds:
        ds.add("s", ("t", "w"), (2, 3), "uint8", attrs={"drx.string": 1})[...] = [[65, 0, 0], [0xc3, 0xa9, 0]]
        ds.add("c", ("t", "w"), dtype="uint8", attrs={"drx.char": 1})[...] = [[65, 66, 67], [68, 69, 70]]
        ds.commit()
    back = opened(path)
    assert list(back.s.values) == ["A", "\u00e9"] and list(back.c.values) == [b"ABC", b"DEF"]
    assert back.attrs == {"who": ["a", "b"]} and back.encoding["unlimited_dims"] == {"t"}
    more = xr.Dataset({"s": ("t", ["\u00f6b"]), "c": ("t", [b"GH"])})
    assert drx.append_dataset(more, path, "t") == 3
    assert list(opened(path).s.values) == ["A", "\u00e9", "\u00f6b"] and opened(path).c.values[2] == b"GH"
    with pytest.raises(ValueError, match="_Encoding"):
        drx.append_dataset(xr.Dataset({"s": ("t", [b"x"]), "c": ("t", [b"x"])}), path, "t")


def test_lists_of_texts_with_lines(tmp_path):
    """From Python to netCDF and back: as lists, here and there."""
    nc = pytest.importorskip("netCDF4")
    attrs = {"plain": ["a", "", "c"], "lines": ["a\nb", "", "\n"], "alone": ["x\ny"], "text": "a\nb", "odd": ["a\n\x1e", "b"]}
    ds = xr.Dataset({"v": ("x", [1.0, 2.0], attrs), "s": ("x", ["p\nq", "r"])}, attrs=attrs)
    drx.save_dataset(ds, tmp_path / "d")
    xr.testing.assert_identical(opened(tmp_path / "d"), ds)
    with drx.open_dataset(tmp_path / "d") as stored:
        for of in stored.attrs, stored["v"].attrs:
            assert {name: of[name] for name in attrs} == attrs
    subprocess.run([os.environ["DRX"], "export", tmp_path / "d", tmp_path / "o.nc"], check=True)
    with nc.Dataset(tmp_path / "o.nc") as file:
        for of in file, file["v"]:
            assert {name: of.getncattr(name) for name in ("plain", "lines", "text")} == {name: attrs[name] for name in ("plain", "lines", "text")}
    subprocess.run([os.environ["DRX"], "import", tmp_path / "o.nc", tmp_path / "again", "--dataset"], check=True)
    again = opened(tmp_path / "again").v.attrs
    assert {name: again[name] for name in ("plain", "lines", "text")} == {name: attrs[name] for name in ("plain", "lines", "text")}


# ---- saving ----------------------------------------------------------------------------------------------------------

def test_saving_into_a_dataset(folder):
    more = xr.Dataset({"c": (("x", "y"), np.ones((2, 5)))}, attrs={"title": "three"})
    drx.save_dataset(more, folder)
    both = dataset(0, 3).assign(c=more.c).assign_attrs(more.attrs)
    assert set(opened(folder).variables) == set(both.variables) and opened(folder).title == "three"
    with pytest.raises(FileExistsError, match="c exists already"):
        drx.save_dataset(more, folder)
    drx.save_dataset(more * 2, folder, overwrite=True)
    assert (opened(folder).c == 2).all() and (opened(folder).b == both.b).all()
    with pytest.raises(ValueError, match="'c' has 7 indices along 'x', the stored variable 'b' has 2"):
        drx.save_dataset(xr.Dataset({"c": ("x", np.ones(7))}), folder, overwrite=True)


@pytest.mark.parametrize("options", [{"mode": "a"}, {"overwrite": True}, {"mode": "a", "compute": False}])
def test_a_variable_is_replaced(folder, options):
    """By one of another type, with other dimensions and extents, in one commit, which says so; also when it is computed
    from the old one. What is not given stays."""
    both = dataset(0, 3)
    for n, c in enumerate(((("x", "y"), np.ones((2, 5))), ("t", np.arange(3)), ((), 7), ("y", np.arange(9, dtype="i2"), {"units": "K"}),
                           ("y", np.arange(4.0)), (("t", "z"), [["a", "b"]] * 3), ("z", [True] * 3))):
        more = xr.Dataset({"c": c}, attrs={"title": "+" * n})
        lazily = drx.save_dataset(more.chunk() if "compute" in options else more, folder, message="c", **options)
        if lazily is not None:
            lazily.compute()
        both = both.drop_vars("c", errors="ignore").assign(c=more.c).assign_attrs(more.attrs)
        xr.testing.assert_identical(opened(folder), both)
        assert not drx.check(folder)
    with drx.open_dataset(folder) as ds:
        assert [(c.message, [x.kind for x in c.changes if x.name == "c"]) for c in ds.commits[2:]] == \
            [("c", ["replaced" if n else "added"]) for n in range(7)]
        assert [c.bounds.get("y") for c in ds.commits[5:7]] == [(range(5), range(9)), (range(9), range(4))]
    with xr.open_dataset(folder, engine="drx", chunks={}) as old:
        drx.save_dataset(old[["a"]] * 2, folder, mode="a")
    assert (opened(folder).a == both.a * 2).all()
    drx.save_dataset(both, folder, mode="w")  # the files have other names than the variables
    xr.testing.assert_identical(opened(folder), both)


def test_a_variable_is_added(folder):
    """mode="a": in one commit, beside coordinates that are stored; attributes that are not given stay."""
    old = dataset(0, 3)
    for name, more in ("c", old[["a"]].rename(a="c") * 2), ("e", xr.Dataset({"e": 5}, attrs={"list": ["a"], "of": [1, 2]})), \
            ("f", xr.Dataset(coords={"f": ("t", ["x", "y", "z"])}, attrs={"title": "f", "more": {"a": 1}})), \
            ("g", xr.Dataset({"g": ("t", [1, 2, 3])}, coords={"f": ("t", ["x", "y", "z"]), "height": 2.0, "t": np.arange(3)})):
        drx.save_dataset(more, folder, mode="a", message=name)
        old = old.merge(more).assign_attrs(more.attrs)
    got = opened(folder)
    xr.testing.assert_identical(got, old.assign(g=got.g).set_coords("f"))
    assert got.title == "f" and got.list == ["a"] and list(got.of) == [1, 2] and got.more == {"a": 1}
    with drx.open_dataset(folder) as ds:
        assert [(c.message, [(of.kind, of.name) for of in c.changes if of.of == "variable"]) for c in ds.commits[2:]] == \
            [(one, [("added", one)]) for one in "cefg"]
        assert [x.other for c in ds.commits[2:] for x in c.changes if x.kind == "attribute changed"] == ["title", "drx_json"]
    for wrong, error, text in (
            ({"t": [0, 1, 7]}, ValueError, "variable 't' differs from what is stored: t: index 2 is 7, but 2 is stored; save it else"),
            ({"t": [0, 1]}, ValueError, r"'t' differs from what is stored: it has shape \(2,\), stored is \(3,\)"),
            ({"x": ("t", [0, 1, 2])}, ValueError, "'x' has the axes"), ({"height": 3.0}, ValueError, "'height'.*index 0 is 3, but 2"),
            ({"f": ("t", ["x", "q", "z"])}, ValueError, "'f' differs from what is stored: index 1 is not what is stored"),
            ({"f": ("t", ["x", "yy", "z"])}, ValueError, "'f' has text of 2 bytes"),
            ({"f": ("t", [1, 2, 3])}, ValueError, "'f' has the axes")):
        with pytest.raises(error, match=text):
            n = len(next(iter(wrong.values()))) if "t" in wrong else 3
            drx.save_dataset(xr.Dataset({"h": ("t", np.ones(n))}, coords=wrong), folder, mode="a")
    with pytest.raises(FileExistsError, match=r"b, c exists already.*drop_vars\(\['b', 'c'\]\)"):
        drx.save_dataset(xr.Dataset({"b": got.b, "c": got.c, "h": got.a}), folder)
    xr.testing.assert_identical(opened(folder), got)
    drx.save_dataset(got.drop_vars("a").assign(c=-got.c), folder, mode="a", overwrite=True)
    assert list(opened(folder).c) == [0, -2, -4]


def test_coordinates_that_variables_do_not_name(tmp_path):
    """The attribute "coordinates" of the dataset names those of all that was added."""
    drx.save_dataset(xr.Dataset(coords={"p": ("x", [1.0, 2.0])}), tmp_path / "d")
    drx.save_dataset(xr.Dataset(coords={"q": ("x", [3.0, 4.0])}), tmp_path / "d", mode="a")
    assert set(opened(tmp_path / "d").coords) == {"p", "q"}


def test_modes(folder):
    other = xr.Dataset({"z": ("t", [1.0, 2.0])})
    with pytest.raises(FileExistsError, match="exists already; mode='a' adds"):
        drx.save_dataset(other, folder, mode="w-")
    for options in {"mode": "r"}, {"mode": "w-", "overwrite": True}, {"mode": "w", "region": "auto"}:
        with pytest.raises(ValueError, match="mode"):
            drx.save_dataset(other, folder, **options)
    xr.testing.assert_identical(opened(folder), dataset(0, 3))
    for mode in "w", "w-":
        drx.save_dataset(other, folder if mode == "w" else folder + "-new", mode=mode, message="new")
    xr.testing.assert_identical(opened(folder), other)
    xr.testing.assert_identical(opened(folder + "-new"), other)


def test_replacing_all(folder):
    with xr.open_dataset(folder, engine="drx", chunks={}) as old:  # computed from what it replaces
        drx.save_dataset(old.isel(t=slice(2)), folder, overwrite=True)
    xr.testing.assert_identical(opened(folder), dataset(0, 2))
    assert os.listdir(os.path.dirname(folder)) == ["d"]
    with drx.open(folder + "/a", "r+"), pytest.raises(drx.BusyError):
        drx.save_dataset(dataset(0, 1), folder, overwrite=True)
    assert os.listdir(os.path.dirname(folder)) == ["d"]
    with open(folder + "/notes.txt", "w", encoding="utf-8") as file:
        file.write("mine")
    with pytest.raises(ValueError, match="other files, too: notes.txt"):
        drx.save_dataset(dataset(0, 1), folder, overwrite=True)
    xr.testing.assert_identical(opened(folder), dataset(0, 2))


# ---- appending -------------------------------------------------------------------------------------------------------

def test_what_is_stored_can_be_read_meanwhile(folder):
    seen = []

    def later(values):
        seen.append(opened(folder).sizes["t"])
        return values + 3

    with xr.open_dataset(folder, engine="drx", chunks={"t": 3}) as old:
        new = old.assign(a=old.a.copy(data=old.a.data.map_blocks(later, dtype=float, meta=np.empty(0))),
                         b=old.b + np.array([3, -3], "int32")).assign_coords(t=old.t + 3)
        assert drx.append_dataset(new, folder, "t") == 6
    assert set(seen) == {3}
    xr.testing.assert_identical(opened(folder), dataset(0, 6))


@pytest.mark.parametrize("chunks", [None, {}, {"t": 6}])
@pytest.mark.parametrize("overlap", ["refuse", "replace"])
def test_an_append_of_what_is_computed_from_the_dataset_itself(folder, chunks, overlap):
    """It is read while it grows, from one open dataset or by each block again."""
    for _ in range(2):
        with xr.open_dataset(folder, engine="drx", chunks=chunks) as old:
            n = old.sizes["t"]
            new = old.assign_coords(t=old.t + (n if overlap == "refuse" else 0)) + 0
            new["a"] = old.a.variable * 2
            assert drx.append_dataset(new, folder, "t", overlap=overlap) == (2 * n if overlap == "refuse" else n)
    a = opened(folder).a.values
    assert list(a) == ([0, 4, 8] if overlap == "replace" else [0, 1, 2, 0, 2, 4, 0, 2, 4, 0, 4, 8])


def test_an_append_that_fails_leaves_the_last_commit(folder):
    def fails(values):
        raise ArithmeticError

    new = dataset(3, 2).chunk({"t": 1})
    new = new.assign(b=new.b.copy(data=new.b.data.map_blocks(fails, dtype="int32", meta=np.empty((0, 0), "int32"))))
    with pytest.raises(ArithmeticError):
        drx.append_dataset(new, folder, "t")
    xr.testing.assert_identical(opened(folder), dataset(0, 3))
    with drx.open_dataset(folder, "r+"), pytest.raises(drx.BusyError):
        drx.append_dataset(dataset(3, 2), folder, "t")
    assert drx.append_dataset(dataset(3, 2), folder, "t") == 5


def test_overlaps(folder):
    with pytest.raises(ValueError, match="stored already"):
        drx.append_dataset(dataset(1, 4), folder, "t")
    assert drx.append_dataset(dataset(1, 4), folder, "t", overlap="skip") == 5
    changed = dataset(3, 4)
    changed["a"] += 100
    assert drx.append_dataset(changed, folder, "t", overlap="replace") == 7
    assert list(opened(folder).a) == [0, 1, 2, 103, 104, 105, 106]
    assert drx.append_dataset(changed, folder, "t", overlap="skip") == 7
    with drx.open_dataset(folder) as ds:
        assert ds.commit_number == 3


def replace_again_and_again(folder):
    for n in range(1, 10**6):
        drx.save_dataset(dataset(0, 1 + n % 5), folder, overwrite=True)


def test_readers_beside_a_writer_that_replaces_all_and_is_killed(folder):
    """At every instant one whole dataset has the name."""
    seen = set()
    for _ in range(3):
        writer = multiprocessing.get_context("spawn").Process(target=replace_again_and_again, args=(folder,), daemon=True)
        writer.start()
        begin, alone = time.monotonic(), opened(folder)
        while opened(folder).identical(alone) and time.monotonic() < begin + 30:
            pass
        end = time.monotonic() + 0.7
        while time.monotonic() < end or (len(seen) < 5 and time.monotonic() < end + 60):
            there = opened(folder)
            xr.testing.assert_identical(there, dataset(0, there.sizes["t"]))
            seen.add(there.sizes["t"])
            assert all(os.path.exists(folder + "/dataset.xds") for _ in range(5000))
        writer.kill()
        writer.join()
        there = opened(folder)
        xr.testing.assert_identical(there, dataset(0, there.sizes["t"]))
    assert len(seen) == 5
