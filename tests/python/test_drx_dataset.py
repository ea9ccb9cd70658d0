"""drx.Dataset: a mapping of arrays that grow together."""

import gc
import os
import shutil
import subprocess
import warnings

import by_hand  # noqa: F401
import numpy as np
import pytest

import drx


@pytest.fixture
def winds(tmp_path):
    with drx.create_dataset(tmp_path / "winds", attrs={"title": "winds"}) as ds:
        for name in "uv":
            ds.add(name, ("time", "x"), (0, 3), "int32", attrs={"units": "m/s"})
        ds.add("time", ("time",))
        ds.add("answer", (), dtype="int8")[0] = 42
        ds.commit("variables")
    return tmp_path / "winds"


def append(ds, value):
    ds.extend("time", 1)
    for name in ("u", "v", "time"):
        ds[name][-1] = value


def test_transactions(winds):
    with drx.open_dataset(winds) as reader, drx.open_dataset(winds, "r+") as ds:
        with ds.transaction("one"):
            append(ds, 1)
            assert reader["u"].shape == (0, 3) and reader.dims["time"] == 0
        reader.refresh()
        assert reader["u"].shape == (1, 3) and reader.dims == {"time": 1, "x": 3}
        u = ds["u"]
        with pytest.raises(RuntimeError), ds.transaction("two"):
            append(ds, 2)
            assert u.shape == (2, 3)
            raise RuntimeError
        assert u.shape == (1, 3) and ds["u"] is u
        with pytest.raises(ValueError), ds.transaction("x" * 5000):  # too long: the commit itself fails
            append(ds, 2)
        assert u.shape == (1, 3) and ds["u"] is u
        np.testing.assert_array_equal(u[...], [[1, 1, 1]])
        assert [(c.number, c.message, c.bounds) for c in ds.commits] == [
            (0, "created", {}), (1, "variables", {}), (2, "one", {"time": (range(0), range(1))})]
        assert abs(ds.commits[2].time - np.datetime64("now")) < np.timedelta64(1, "h")


def test_closing_commits(winds, monkeypatch):
    """So does the end of a block; an exception aborts. What is never closed warns, and is not committed."""
    with drx.open_dataset(winds, "r+") as ds:
        append(ds, 1)
    ds = drx.open_dataset(winds, "r+")
    append(ds, 2)
    ds.close()
    ds.close()
    with pytest.raises(RuntimeError), drx.open_dataset(winds, "r+") as ds:
        append(ds, 3)
        raise RuntimeError
    assert ds.closed
    with drx.open_dataset(winds, "r+") as ds, drx.open_dataset(winds) as reader:
        ds["u"][0] = 5  # in place: there is nothing to commit
        assert reader.commit_number == 3
    ds, reader = drx.open_dataset(winds, "r+"), drx.open_dataset(winds)
    append(ds, 4)
    with pytest.warns(ResourceWarning, match="unclosed dataset .*winds.*is not committed") as said:
        del ds, reader
        gc.collect()
    assert len(said) == 1  # a reader has nothing to lose
    said.clear()  # which has the dataset
    with drx.open_dataset(winds, "r+") as ds:
        assert ds["time"][...].tolist() == [1, 2] and ds.commit_number == 3 and ds["u"][0, 0] == 5
        append(ds, 6)

        def fails(self):
            raise OSError("no space")

        with monkeypatch.context() as patched, pytest.raises(OSError, match="no space"):
            patched.setattr(drx.Dataset, "commit", fails)
            ds.close()
        assert ds.closed
    with drx.create_dataset(winds.parent / "new", attrs={"title": "new"}) as ds:
        ds.add("a", ("x",), (2,))[...] = 7
    with drx.open_dataset(winds.parent / "new") as ds:
        assert ds.commit_number == 1 and ds["a"][...].tolist() == [7, 7] and ds.attrs["title"] == "new"
    with pytest.raises(TypeError), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        drx.create_dataset(winds.parent / "other", attrs={"title": None})
    gc.collect()
    assert not said and not (winds.parent / "other").exists()


@pytest.mark.parametrize("fill", [np.float32(-999), -999, [-999.0], np.nan])
def test_the_attribute_of_the_fill_value(tmp_path, fill):
    """What nobody writes is missing, also to the program; the attribute gets the type of the array."""
    attrs = {"_FillValue": fill, "units": "K"}
    with drx.create_dataset(tmp_path / "d") as ds:
        arrays = [ds.add("t", ("x",), (3,), "float32", attrs=attrs), ds.add("u", ("x",), (3,), "float32", fill_value=fill, attrs=attrs)
                  if np.ndim(fill) == 0 else ds.add("u", ("x",), dtype="float32", attrs=attrs),
                  drx.create(tmp_path / "a", 3, "float32", attrs=attrs)]
        for a in arrays:
            np.testing.assert_array_equal(a[...], np.full(3, np.ravel(fill)[0], "float32"))
            np.testing.assert_equal(a.attrs["_FillValue"], a.fill_value)
            assert a.attrs["_FillValue"].dtype == np.float32 and a.attrs["units"] == "K"
    told = subprocess.run([os.environ["DRX"], "read", tmp_path / "d/t"], check=True, capture_output=True, text=True).stdout
    assert told.split() == ["_"] * 3 or told.split() == ["nan"] * 3
    xr = pytest.importorskip("xarray")
    with xr.open_dataset(tmp_path / "d", engine="drx") as ds:
        assert np.isnan(ds.t.values).all() and np.isnan(ds.u.values).all()


@pytest.mark.parametrize("dtype, fill, given, error, text", [
    ("float32", -1, -999, ValueError, "fill_value is -1, but the attribute _FillValue is -999"),
    ("float32", np.nan, -999.0, ValueError, "fill_value is nan, but the attribute _FillValue is -999.0"),
    ("int16", 0, -999, ValueError, "fill_value is 0, but"), ("int16", None, np.nan, ValueError, "the attribute _FillValue is nan"),
    ("int8", None, 300, ValueError, "_FillValue is 300"), ("float64", None, "-999", TypeError, "_FillValue is '-999'"),
    ("float64", None, [1, 2], ValueError, "_FillValue has 1 axes"), ("U3", "a", "b", ValueError, "'a', but .*'b'")])
def test_a_fill_value_that_the_attribute_contradicts(tmp_path, dtype, fill, given, error, text):
    with drx.create_dataset(tmp_path / "d") as ds:
        for make in (lambda: ds.add("t", ("x",), (3,), dtype, fill_value=fill, attrs={"_FillValue": given}),
                     lambda: drx.create(tmp_path / "a", 3, dtype, fill_value=fill, attrs={"_FillValue": given})):
            with pytest.raises(error, match=text):
                make()
        assert not len(ds) and os.listdir(tmp_path) == ["d"]


def test_an_array_has_the_name(tmp_path, winds):
    drx.create(tmp_path / "one", (3,)).close()
    with pytest.raises(FileExistsError, match="one: an array has that name"):
        drx.create_dataset(tmp_path / "one")
    for mode in ("w", "x"):
        with pytest.raises(FileExistsError, match="winds/dataset.xds: a dataset has that name"):
            drx.open(winds, mode, shape=(3,), dtype="f8")


def test_replaced(winds):
    """A name gives the variable that has it now."""
    with drx.open_dataset(winds, "r+") as ds, drx.open_dataset(winds) as reader:
        there, old = reader["u"], ds["u"]
        ds.remove("u")
        with pytest.raises(KeyError):
            ds["u"]
        new = ds.add("u", ("time",), dtype="f8")
        assert new is not old and new.dtype == "f8" and ds["u"] is new and old.closed
        ds.extend("time", 2)
        new[...] = [1, 2]
        ds.commit()
        assert ds["u"] is new
        reader.refresh()
        assert reader["u"] is not there and there.closed
        assert reader["u"][...].tolist() == [1, 2]


def test_earlier_commits(winds):
    with drx.open_dataset(winds, "r+") as ds:
        for i in range(3):
            append(ds, i)
            ds.commit()
    for at in range(1, 5):
        with drx.open_dataset(winds, at=at) as ds:
            assert ds.commit_number == at
            np.testing.assert_array_equal(ds["time"][...], range(at - 1))
    with pytest.raises(IndexError, match="commit 5, expected 0 to 4"):
        drx.open_dataset(winds, at=5)
    before = drx.open_dataset(winds, at=1)
    with drx.open_dataset(winds, "r+") as ds, drx.open_dataset(winds) as reader:
        commits = ds.commits
        ds.compact()
        assert ds.commits == commits and ds.oldest == 0
        ds.forget(3)
        assert ds.commits == commits[3:] and ds.oldest == 3
        append(ds, 3)
        with pytest.raises(drx.BusyError, match="a transaction is in progress"):
            ds.compact()
        ds.commit()
        reader.refresh()
        assert (reader.oldest, reader.commit_number) == (3, 5)
        np.testing.assert_array_equal(reader["time"][...], range(4))
        with pytest.raises(IndexError, match="the oldest one is 3"):
            ds.forget(2)
    np.testing.assert_array_equal(before["u"].shape, (0, 3))
    with pytest.raises(IndexError, match="commit 2 was forgotten"):
        drx.open_dataset(winds, at=2)


def test_both_ends(winds):
    with drx.open_dataset(winds, "r+") as ds, drx.open_dataset(winds) as reader:
        with ds.transaction("two"):
            append(ds, 1)
            append(ds, 2)
        with ds.transaction("before"):
            ds.extend_before("time", 3)
            ds["time"][:3] = [7, 8, 9]
            assert ds["u"].shape == (5, 3) and ds["u"].lower == (-3, 0)
        assert ds.lower == {"time": -3, "x": 0} and ds.dims == {"time": 5, "x": 3}
        np.testing.assert_array_equal(ds["time"][...], [7, 8, 9, 1, 2])
        assert ds.commits[-1].bounds == {"time": (range(2), range(-3, 2))}
        w = ds.add("w", ("time",), dtype="int8")
        assert w.lower == (-3,)
        reader.refresh()
        old = reader["time"]
        with ds.transaction("trimmed"):
            ds.trim("time", before=4)
            assert ds["u"].shape == (5, 3)
            with pytest.raises(ValueError, match="trims it there"):
                ds.extend_before("time", 1)
            ds.extend("time", 1)
        np.testing.assert_array_equal(ds["time"][...], [2, 0])
        with pytest.raises(IndexError, match="trim"):
            old[...]
        reader.refresh()
        np.testing.assert_array_equal(old[...], [2, 0])
        with pytest.raises(IndexError):
            ds.trim("time", after=3)
        with pytest.raises(FileNotFoundError):
            ds.trim("y", before=1)
    with drx.open_dataset(winds, at=3) as ds:
        assert ds.dims["time"] == 5
        with pytest.raises(IndexError, match="are left by a trim"):
            ds["u"][...]
        assert (ds["u"][4:] == 2).all()


def test_another_axis(winds):
    """Runs of one field."""
    with drx.open_dataset(winds, "r+") as ds, drx.open_dataset(winds) as reader:
        with ds.transaction("one"):
            append(ds, 1)
        reader.refresh()
        old, u = reader["u"], ds["u"]
        with ds.transaction("runs"):
            for name in "uv":
                ds.add_axis(name, 0, "run")
            with pytest.raises(ValueError, match="adds axes"):
                ds.extend("time", 1)
            assert ds.dims_of("u") == ("time", "x") and u.ndim == 2
        assert ds.dims_of("u") == ("run", "time", "x") and u.shape == (1, 1, 3) and u.dims == ("run", "time", "x")
        with ds.transaction("another run"):
            ds.extend("run", 1)
            u[1] = 5
        np.testing.assert_array_equal(u[...], [[[1, 1, 1]], [[5, 5, 5]]])
        np.testing.assert_array_equal(old[...], [[1, 1, 1]])
        with pytest.raises(ValueError, match="one more axis"):
            reader.refresh()
        with pytest.raises(FileNotFoundError):
            ds.add_axis("w", 0, "level")
        with pytest.raises(ValueError, match="index 0 alone"):
            ds.add_axis("time", 0, "run")
    with drx.open_dataset(winds, at=2) as ds:
        np.testing.assert_array_equal(ds["u"][...], [[1, 1, 1]])
        assert "run" not in ds.dims


def test_an_axis_of_a_scalar(winds):
    """In Python, and by the program."""
    with drx.open_dataset(winds, "r+") as ds:
        scalar = ds["answer"]
        value = scalar[0]
        with pytest.raises(ValueError, match="expected 0 to 0"):
            ds.add_axis("answer", 1, "run")
        with ds.transaction("runs"):
            ds.add_axis("answer", 0, "run")
        assert ds.dims_of("answer") == ("run",) and scalar.dims == ("run",) and scalar.shape == (1,)
        with ds.transaction("more"):
            ds.extend("run", 2)
            scalar[1:] = [7, 8]
        with ds.transaction("another"):
            ds.add("other", (), dtype="int16")[0] = 3
    subprocess.run([os.environ["DRX"], "add-axis", f"{winds}/other", "0", "member"], check=True)
    with drx.open_dataset(winds) as ds:
        assert ds.dims_of("other") == ("member",) and ds["other"][0] == 3
        np.testing.assert_array_equal(ds["answer"][...], [value, 7, 8])
    with drx.open_dataset(winds, at=1) as ds:
        assert ds.dims_of("answer") == () and ds["answer"].shape == (1,) and ds["answer"][0] == value
    xr = pytest.importorskip("xarray")
    with xr.open_dataset(winds, engine="drx") as ds:
        assert ds["answer"].dims == ("run",) and ds["answer"].values.tolist() == [value, 7, 8]
    with xr.open_dataset(winds, engine="drx", at=1) as ds:
        assert ds["answer"].dims == () and ds["answer"].item() == value


def test_mapping(winds):
    with drx.open_dataset(winds) as ds:
        assert list(ds) == ["u", "v", "time", "answer"] and len(ds) == 4 and "u" in ds and "w" not in ds
        assert ds.dims_of("u") == ("time", "x") and ds.dims_of("answer") == ()
        assert ds["answer"][0] == 42 and ds["u"].attrs["units"] == "m/s" and ds.attrs["title"] == "winds"
        with pytest.raises(KeyError):
            ds["w"]
        with pytest.raises(PermissionError):
            ds.extend("time", 1)
        assert "commit 1" in repr(ds)


def test_arrays_belong_to_their_dataset(winds):
    u = drx.open_dataset(winds, "r+")["u"]  # keeps the dataset open
    gc.collect()
    assert u.shape == (0, 3)
    with pytest.raises(ValueError, match="a variable of a dataset"):
        u.extend(0, 1)
    ds = u.dataset
    ds.close()
    assert u.closed and repr(ds) == "<drx.Dataset, closed>"
    with pytest.raises(ValueError, match="closed"):
        u[...]
    with pytest.raises(ValueError, match="closed"):
        ds["u"]
    ds.close()


def test_what_is_taken_back_is_closed(winds):
    with drx.open_dataset(winds, "r+") as ds:
        w = ds.add("w", ("x",))
        ds.attrs["title"] = "other"
        ds.abort()
        assert w.closed and "w" not in ds and ds.attrs["title"] == "winds"
        ds.remove("v")
        ds.commit("without v")
        assert "v" not in ds and not (winds / "v.xta").exists()


def test_refusals(winds):
    with drx.open_dataset(winds, "r+") as ds:
        with pytest.raises(ValueError, match="dimension 'x' has 3"):
            ds.add("w", ("x",), (4,))
        with pytest.raises(ValueError, match="'y' is new"):
            ds.add("w", ("y",))
        with pytest.raises(FileExistsError):
            ds.add("u", ("x",))
        with pytest.raises(FileNotFoundError):
            ds.extend("y", 1)
        with pytest.raises(drx.BusyError):
            drx.open_dataset(winds, "r+")
    with pytest.raises(FileExistsError):
        drx.create_dataset(winds)
    with pytest.raises(FileNotFoundError):
        drx.open_dataset(winds.parent / "none")


@pytest.mark.parametrize("options", [{}, {"checksum": True}, {"compression": "zstd"}])
def test_writers_share_a_variable(tmp_path, options):
    """They write its elements, and nothing else; nobody else writes to the dataset meanwhile."""
    with drx.create_dataset(tmp_path / "ds") as ds, ds.transaction():
        ds.add("v", ("x",), (12,), "int32", 4, -1, **options)
        ds.add("w", ("x",), (12,), "int32")
    with drx.open_dataset(tmp_path / "ds", "r+") as ds:  # a process that dies in a transaction
        ds.add("new", ("x",))
        ds.extend("x", 4)
        shutil.copytree(tmp_path / "ds", tmp_path / "cut")
        ds.abort()
    with drx.open_dataset(tmp_path / "ds", "r+"), pytest.raises(drx.BusyError):
        drx.open(tmp_path / "ds/v", "s")
    for path in (tmp_path / "ds", tmp_path / "cut"):
        with drx.open(path / "v", "s") as a, drx.open(path / "v", "s") as b, drx.open(path / "w", "s") as w:
            assert a.shape == b.shape == (12,) and not (path / "new.xta").exists()
            a[1:6], b[6:11], w[...] = 1, 2, 3
            a.sync()
            b[0] = 5
            b.sync()
            with pytest.raises(drx.BusyError):
                drx.open_dataset(path, "r+")
            with pytest.raises(ValueError, match="a variable of a dataset"):
                a.extend(0, 1)
            with pytest.raises(ValueError, match="drx_dataset_begin comes before a change"):
                a.attrs["units"] = "m"
            np.testing.assert_array_equal(a, [5] + [1] * 5 + [2] * 5 + [-1])
        with drx.open_dataset(path, "r+") as ds:
            np.testing.assert_array_equal(ds["v"], [5] + [1] * 5 + [2] * 5 + [-1])
            assert (ds["w"][...] == 3).all() and ds.commit_number == 1 and "units" not in ds["v"].attrs
            with ds.transaction("longer"):
                ds.extend("x", 1)
        assert not [found for found in drx.check(path) if found.severity != "note"]
    with pytest.raises(FileNotFoundError):
        drx.open(tmp_path / "ds/none", "s")


def test_a_variable_opened_alone(tmp_path):
    """drx_sync commits; compact gives dead space back."""
    path = tmp_path / "ds"
    values = np.random.default_rng(1).integers(0, 1 << 30, 1 << 16, "int32")
    with drx.create_dataset(path) as ds, ds.transaction():
        ds.add("v", ("x",), values.shape, "int32", 1 << 14, compression="zstd")[...] = values
    with drx.open(path / "v", "a") as v:
        v.attrs["units"] = "m"
        v.sync()
        for k in range(3):
            v[...] = values + k
            v.sync()
    before = os.stat(path / "v.xtz").st_blocks
    with drx.open(path / "v", "r+") as v:
        v.compact()
    assert os.stat(path / "v.xtz").st_blocks < before
    with drx.open_dataset(path) as ds:
        np.testing.assert_array_equal(ds["v"], values + 2)
        assert ds["v"].attrs["units"] == "m" and ds.commit_number == 2
    with pytest.raises(ValueError, match="drx rm"):
        drx.remove(path / "v")


@pytest.mark.parametrize("options", [{}, {"checksum": True}, {"compression": "zstd"}, {"shell": True}, {"chunks": 7}])
def test_scalars_are_one_chunk_of_one_element(tmp_path, options):
    with drx.create_dataset(tmp_path / "ds") as ds:
        ds.add("s", (), dtype="int64", **options)[0] = 7
        assert ds["s"].chunks == (1,)
    with drx.open_dataset(tmp_path / "ds") as ds:
        assert ds["s"][0] == 7 and ds["s"].chunks == (1,)
    assert not [found for found in drx.check(tmp_path / "ds") if found.severity != "note"]
