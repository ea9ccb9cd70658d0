"""Groups of datasets: in drx.Dataset, in xarray and in Zarr."""

import os
import pickle
import subprocess

import by_hand  # noqa: F401
import numpy as np
import pytest

import drx

xr = pytest.importorskip("xarray")


@pytest.fixture
def sea(tmp_path):
    with drx.create_dataset(tmp_path / "sea", attrs={"title": "sea"}) as ds:
        ds.add("time", ("time",), (3,), "int32")[...] = [10, 20, 30]
        ds.add_group("ocean/deep", {"source": "argo"})
        ds.add("ocean/temp", ("time", "z"), (3, 2), attrs={"units": "K"})[...] = np.arange(6).reshape(3, 2)
        ds.add("ocean/z", ("z",), dtype="float32")[...] = [5, 50]
        ds.add("ocean/deep/salt", ("z", "time"), dtype="float32")[...] = 35
        ds.commit("groups")
    return str(tmp_path / "sea")


def test_tree(sea):
    with drx.open_dataset(sea) as ds:
        assert list(ds) == ["time", "ocean/temp", "ocean/z", "ocean/deep/salt"] and len(ds) == 4
        assert ds.dims == {"time": 3, "ocean/z": 2} and ds.dims_of("ocean/deep/salt") == ("ocean/z", "time")
        assert "ocean/temp" in ds and "temp" not in ds and "ocean" not in ds
        ocean = ds.groups["ocean"]
        deep = ds.groups["ocean/deep"]
        assert list(ds.groups) == ["ocean"] and list(ocean.groups) == ["deep"] and len(deep.groups) == 0
        assert repr(deep) == repr(ocean.groups["deep"]) and "deep" not in ds.groups
        assert list(ocean) == ["temp", "z"] and list(deep) == ["salt"] and deep.path == "ocean/deep"
        assert ocean["temp"] is ds["ocean/temp"] and ocean["deep/salt"] is deep["salt"]
        assert ocean.dims == {"time": 3, "z": 2} == deep.dims and deep.dims_of("salt") == ("z", "time")
        assert dict(deep.attrs) == {"source": "argo"} and dict(ocean.attrs) == {}
        assert deep["salt"].dims == ("z", "time") and deep["salt"].name == "ocean/deep/salt"
        assert deep["salt"].path == os.path.join(sea, "ocean/deep/salt")
        for wrong in ("temp", "ocean/salt", "ocean"):
            with pytest.raises(KeyError):
                ds[wrong]
            with pytest.raises(KeyError):
                deep[wrong]
        for wrong in ("temp", "ocean/temp", "ocean/deep/x", "deep", ""):
            with pytest.raises(KeyError):
                ds.groups[wrong]
        with pytest.raises(KeyError):
            ds.dims_of("temp")
        assert repr(ds).splitlines()[1:] == ["    time(time)", "    ocean/", "        temp(time, z)", "        z(z)",
                                             "        deep/", "            salt(z, time)"]
        assert repr(ocean).splitlines()[1:] == ["    temp(time, z)", "    z(z)", "    deep/", "        salt(z, time)"]
        assert [(c.kind, c.of, c.name) for c in ds.commits[1].changes if c.of == "group"] == [
            ("added", "group", "ocean"), ("added", "group", "ocean/deep")]


def test_scopes(sea):
    """A plain name is that of the nearest dimension above, and lower bounds are those of this one."""
    with drx.open_dataset(sea, "r+") as ds:
        ds.extend_before("ocean/z", 1)
        ds.extend_before("time", 2)
        a = ds.groups["ocean"].groups["deep"].add("oxygen", ("time", "z"))
        assert a.shape == (5, 3) and a.lower == (-2, -1)
        b = ds.add("z", ("z",), (4,))                      # the root sees no dimension of a group
        c = ds.add("ocean/deep/root", ("/z",))
        d = ds.add("ocean/deep/own", ("ocean/deep/z", "z"), (7, 3))
        assert ds.dims_of("ocean/deep/own") == ("ocean/deep/z", "ocean/z")
        assert (b.shape, c.shape, d.shape) == ((4,), (4,), (7, 3)) and d.lower == (0, -1)
        assert ds.dims_of("ocean/deep/root") == ("z",)
        assert ds.groups["ocean/deep"].dims == {"z": 7, "time": 5}
        with pytest.raises(ValueError, match="'y' is new: give shape"):
            ds.add("ocean/w", ("time", "y"))
        with pytest.raises(ValueError, match="deep/z"):
            ds.add("w", ("ocean/deep/z",))                  # which the root does not see
        with pytest.raises(FileNotFoundError):
            ds.add("air/w", ("time",))
        with pytest.raises(FileExistsError):
            ds.add("ocean", ("time",))
        ds.extend("ocean/z", 2)
        ds.extend("time", 1)
        assert ds["ocean/temp"].shape == (6, 5) and ds["ocean/deep/own"].shape == (7, 5)
        ds.extend_before("time", 1)
    with drx.open_dataset(sea, "r+") as ds:
        ds.trim("time", 3, 1)
        ds.commit()
        np.testing.assert_array_equal(ds["time"][...], [10, 20, 30])
        ds.add_axis("ocean/deep/salt", 0, "run")
        ds.commit()
        assert ds.dims_of("ocean/deep/salt") == ("ocean/deep/run", "ocean/z", "time")


def test_attributes(sea):
    with drx.open_dataset(sea, "r+") as ds:
        ds.groups["ocean"].attrs["list"] = ["a", "b"]
        ds.groups["ocean"].attrs["gain"] = 0.5
        ds.dim_attrs("time")["axis"] = "T"
        ds.dim_attrs("ocean/z")["positive"] = "down"
        ds.attrs["title"] = "more"
        assert dict(ds.groups["ocean"].attrs) == {"list": ["a", "b"], "gain": 0.5}
        del ds.groups["ocean"].attrs["gain"]
        with pytest.raises(KeyError):
            del ds.groups["ocean"].attrs["gain"]
        with pytest.raises(KeyError):
            ds.dim_attrs("z")
        ds.commit()
        changes = {(c.kind, c.of, c.name, c.other) for c in ds.commits[-1].changes}
        assert ("attribute set", "dimension", "time", "axis") in changes
        assert ("attribute changed", "dataset", "", "title") in changes
    with drx.open_dataset(sea) as ds:
        assert dict(ds.dim_attrs("time")) == {"axis": "T"} and dict(ds.dim_attrs("ocean/z")) == {"positive": "down"}
        assert dict(ds.groups["ocean"].attrs) == {"list": ["a", "b"]} and dict(ds["ocean/temp"].attrs) == {"units": "K"}
        with pytest.raises(PermissionError):
            ds.groups["ocean"].attrs["x"] = 1


def test_names(sea):
    """Open arrays follow their names, and an abort takes the names back."""
    with drx.open_dataset(sea, "r+") as ds:
        salt, temp = ds["ocean/deep/salt"], ds["ocean/temp"]
        with pytest.raises(RuntimeError), ds.transaction():
            ds.rename("ocean", "water", "group")
            ds.rename("water/temp", "water/t")
            ds.rename("time", "month", what="dimension")
            assert list(ds) == ["time", "water/t", "water/z", "water/deep/salt"] and temp.name == "water/t"
            assert temp.dims == ("month", "z") and ds["water/deep/salt"] is salt
            raise RuntimeError
        assert (temp.name, temp.dims, salt.name) == ("ocean/temp", ("time", "z"), "ocean/deep/salt")
        assert ds["ocean/temp"] is temp and temp.path == os.path.join(sea, "ocean/temp")
        ds.rename("ocean", "water", "group")
        ds.rename("time", "month", what="dimension")
        ds.commit()
        assert [(c.of, c.name, c.other) for c in ds.commits[-1].changes] == [("group", "water", "ocean"),
                                                                            ("dimension", "month", "time")]
        temp[0, 0] = -1
        assert salt[0, 0] == 35 and ds["water/temp"] is temp
        for wrong, error in ((("water/temp", "air/temp"), ValueError), (("x", "y"), FileNotFoundError),
                             (("water/temp", "water/z"), FileExistsError), (("x", "y", "dataset"), ValueError)):
            with pytest.raises(error):
                ds.rename(*wrong)
    with drx.open_dataset(sea, at=1) as ds:
        assert list(ds.groups) == ["ocean"] and ds["ocean/temp"][0, 0] == -1
    with drx.open(os.path.join(sea, "water", "temp")) as a:
        assert a[0, 0] == -1 and a.dims == ("month", "z") and a.path.endswith("water/temp")


def test_remove_group(sea):
    with drx.open_dataset(sea, "r+") as ds:
        temp = ds["ocean/temp"]
        ds.remove_group("ocean")
        assert list(ds) == ["time"] and list(ds.groups) == [] and ds.dims == {"time": 3}
        ds.abort()
        assert list(ds.groups) == ["ocean"] and ds["ocean/temp"][2, 1] == 5
        ds.remove_group("ocean")
        ds.commit()
        assert temp.closed or "ocean/temp" not in ds
        with pytest.raises(FileNotFoundError):
            ds.remove_group("ocean")
        with pytest.raises(FileExistsError):
            ds.add_group("time")
        ds.add_group("ocean")
        ds.add_group("ocean/new", {"a": 1})
        ds.add_dim("ocean/depth", 5, first=-2)
        assert ds.dims["ocean/depth"] == 5 and ds.lower["ocean/depth"] == -2
        for length, first, error in (-1, 0, ValueError), (1, 2**63 - 1, OverflowError), (1, -2**63, OverflowError):
            with pytest.raises(error, match="dimension 'z'"):
                ds.add_dim("z", length, first)
        with pytest.raises(FileExistsError, match="'ocean/depth' already"):
            ds.add_dim("ocean/depth", 1)
        ds.add("ocean/new/x", ("x",), (2,))
    with drx.open_dataset(sea) as ds:
        assert list(ds) == ["time", "ocean/new/x"] and dict(ds.groups["ocean/new"].attrs) == {"a": 1}


def test_pickles(sea):
    with drx.open_dataset(sea) as ds:
        copies = pickle.loads(pickle.dumps((ds["ocean/temp"], ds.groups["ocean/deep"], ds)))
        np.testing.assert_array_equal(copies[0][...], ds["ocean/temp"][...])
        assert copies[0].name == "ocean/temp" and list(copies[1]) == ["salt"] and list(copies[2]) == list(ds)
        copies[0].dataset.close(), copies[1].dataset.close(), copies[2].close()
    with drx.open_dataset(sea, "s") as ds:
        copy = pickle.loads(pickle.dumps(ds["ocean/temp"]))
        copy[0, 0] = 9
        assert ds["ocean/temp"][0, 0] == 9
        copy.dataset.close()


def test_one_alone(sea, tmp_path, monkeypatch):
    """The nearest folder above with a dataset has a path."""
    with drx.open(os.path.join(sea, "ocean/deep/salt"), "r+") as a:
        a[0, 0] = 1
    monkeypatch.chdir(tmp_path)
    with drx.open("sea/ocean/deep/salt", "a") as a:
        assert a[0, 0] == 1
    monkeypatch.chdir("sea")
    with drx.open("ocean/deep/salt") as a:
        assert a[0, 0] == 1
    with pytest.raises(FileNotFoundError):
        drx.open("ocean/deep")
    with xr.open_dataset("ocean/deep/salt", engine="drx") as ds:
        assert sorted(ds.variables) == ["salt", "time", "z"]
        assert ds.z.values.tolist() == [5, 50] and ds.salt.dims == ("z", "time")
    with xr.open_dataset("ocean/deep/salt") as ds:  # it finds the engine
        assert ds.salt[0, 0] == 1


# ---- xarray ----------------------------------------------------------------------------------------------------------

def opened(path, **options):
    with xr.open_dataset(path, engine="drx", **options) as ds:
        return ds.load()


def test_open_groups(sea):
    assert sorted(opened(sea).variables) == ["time"] and opened(sea).attrs == {"title": "sea"}
    for group in ("ocean", "/ocean", "ocean/"):
        ds = opened(sea, group=group)
        assert sorted(ds.variables) == ["temp", "time", "z"] and sorted(ds.coords) == ["time", "z"]
        assert ds.temp.sel(time=20, z=50) == 3 and ds.temp.attrs == {"units": "K"}
    assert opened(sea + "/ocean").equals(ds)
    deep = opened(sea, group="ocean/deep")
    assert sorted(deep.variables) == ["salt", "time", "z"] and deep.attrs == {"source": "argo"}
    groups = drx.open_groups(sea)
    assert list(groups) == ["/", "/ocean", "/ocean/deep"]
    assert groups["/ocean"].identical(ds) and groups["/ocean/deep"].identical(deep)
    assert list(drx.open_groups(sea, group="ocean", drop_variables="temp")) == ["/", "/deep"]
    with drx.open_dataset(sea, "r+") as writer:
        writer.rename("ocean/deep", "ocean/abyss", "group")
    assert list(drx.open_groups(sea)) == ["/", "/ocean", "/ocean/abyss"]
    assert list(drx.open_groups(sea, at=1)) == list(groups) and opened(sea, group="ocean/deep", at=1).identical(deep)
    with pytest.raises(FileNotFoundError, match="no group 'ocean/deep' at commit 2"):
        opened(sea, group="ocean/deep")
    assert opened(sea, group="ocean/abyss").identical(deep)
    with pytest.raises(ValueError, match="both given"):
        opened(sea + "/ocean", group="deep")
    with drx.create(os.path.join(os.path.dirname(sea), "lone"), (2,)):
        pass
    with pytest.raises(ValueError, match="no dataset"):
        opened(os.path.join(os.path.dirname(sea), "lone"), group="x")


def test_datatree(sea):
    if not hasattr(xr, "DataTree"):
        pytest.skip("xarray has no DataTree")
    with xr.open_datatree(sea, engine="drx") as tree:
        assert tree["ocean/deep"].attrs == {"source": "argo"}
        assert tree["ocean/temp"].sel(time=20, z=50) == 3
    with xr.open_datatree(sea, engine="drx", group="ocean", chunks=None) as tree:
        assert tree["deep"].attrs == {"source": "argo"} and sorted(tree.to_dataset().variables) == ["temp", "time", "z"]
    assert list(xr.open_groups(sea, engine="drx")) == ["/", "/ocean", "/ocean/deep"]


def test_chunks(sea):
    pytest.importorskip("dask")
    with xr.open_dataset(sea, engine="drx", group="ocean", chunks={}) as ds:
        name = ds.temp.data.name
        assert float(pickle.loads(pickle.dumps(ds)).temp.sum()) == 15
    with xr.open_dataset(sea, engine="drx", group="ocean/deep", chunks={}) as ds:
        assert ds.salt.data.name != name


def weather(first=0, n=4, x=3):
    return xr.Dataset({"t": (("time", "x"), np.arange(n * x).reshape(n, x) + 100.0 * first)},
                      coords={"time": np.arange(first, first + n), "x": np.arange(x) * 10.0}, attrs={"of": "air"})


def dims(folder):
    with drx.open_dataset(folder) as ds:
        return ds.dims


def test_save(tmp_path):
    folder = str(tmp_path / "w")
    drx.save_dataset(weather(), folder, group="a/b", message="first")
    with drx.open_dataset(folder) as ds:
        assert set(ds) == {"a/b/t", "a/b/time", "a/b/x"}
        assert ds.dims == {"a/b/time": 4, "a/b/x": 3} and [c.message for c in ds.commits] == ["created", "first"]
    assert opened(folder, group="a/b").identical(weather())
    assert opened(folder).sizes == {} and len(opened(folder, group="a").variables) == 0
    with pytest.raises(FileExistsError, match="t exists already"):
        drx.save_dataset(weather(), folder, group="a/b")
    with pytest.raises(FileExistsError, match="group 'a/b' exists already"):
        drx.save_dataset(weather(), folder, group="a/b", mode="w-")
    drx.save_dataset(weather(1), folder, group="/c/", mode="w-")
    drx.save_dataset(weather(5, 7), folder, group="a/b", mode="w")
    assert opened(folder, group="a/b").identical(weather(5, 7)) and opened(folder, group="c").identical(weather(1))
    drx.save_dataset(weather(5, 7).rename(t="u"), folder, group="a/b")       # its coordinates are there
    assert sorted(opened(folder, group="a/b").data_vars) == ["t", "u"]
    drx.save_dataset(weather(5, 7).isel(time=0, drop=True), folder, group="a/b", mode="a")
    assert opened(folder, group="a/b").t.dims == ("x",)
    with pytest.raises(ValueError, match="time"):
        drx.save_dataset(weather(0, 2).rename(t="v"), folder, group="a/b")
    drx.save_dataset(weather(2), folder)                                     # beside the groups
    assert opened(folder).identical(weather(2)) and set(drx.open_groups(folder)) == {"/", "/a", "/a/b", "/c"}
    drx.save_dataset(weather(3), folder, overwrite=True)
    assert opened(folder).identical(weather(3)) and set(drx.open_groups(folder)) == {"/", "/a", "/a/b", "/c"}
    drx.save_dataset(weather(4), folder, mode="w")
    assert opened(folder).identical(weather(4)) and set(drx.open_groups(folder)) == {"/"}
    assert sorted(os.listdir(tmp_path)) == ["w"]


def test_shared_dimensions(tmp_path):
    """A group shares a dimension above that means the same, and has its own one otherwise."""
    folder = str(tmp_path / "w")
    drx.save_dataset(weather(), folder)
    drx.save_dataset(weather().rename(t="u"), folder, group="same")
    drx.save_dataset(weather(7).rename(t="u"), folder, group="later")
    drx.save_dataset(weather(0, 4, 2).drop_vars(["x", "time"]), folder, group="bare")
    assert dims(folder) == {"time": 4, "x": 3, "later/time": 4, "bare/x": 2}
    with drx.open_dataset(folder) as ds:
        assert set(ds.groups["same"]) == {"u"} and set(ds.groups["later"]) == {"u", "time"}
        assert ds.dims_of("bare/t") == ("time", "bare/x")
    assert opened(folder, group="same").identical(weather().rename(t="u"))
    assert opened(folder, group="later").identical(weather(7).rename(t="u"))
    with pytest.raises(ValueError, match="group 'same'.*time"):
        drx.save_dataset(weather(1).rename(t="v"), folder, group="same")
    with pytest.raises(ValueError, match="'same/u' has 4; save it elsewhere"):
        drx.save_dataset(weather(0, 2), folder, overwrite=True)               # others have its dimension
    drx.save_dataset(weather(1).rename(t="u"), folder, group="same", mode="a")  # all variables: a dimension of its own
    assert dims(folder)["same/time"] == 4 and opened(folder, group="same").identical(weather(1).rename(t="u"))
    assert opened(folder).identical(weather())
    with drx.open_dataset(folder) as ds:
        number = ds.commit_number
    for path, one in drx.open_groups(folder).items():                         # a copy with all groups
        drx.save_dataset(one, tmp_path / "copy", group=path)
    for path, one in drx.open_groups(folder, at=number).items():
        assert opened(tmp_path / "copy", group=path).identical(one.load()), path
    assert dims(tmp_path / "copy") == dims(folder)


def test_append(tmp_path):
    folder = str(tmp_path / "w")
    drx.save_dataset(weather(), folder)
    drx.save_dataset(weather().rename(t="u"), folder, group="a/same")
    drx.save_dataset(weather(7), folder, group="own")
    assert drx.append_dataset(weather(11, 2), folder, "time", group="own") == 6
    assert opened(folder, group="own").identical(xr.concat([weather(7), weather(11, 2)], "time"))
    assert dims(folder) == {"time": 4, "x": 3, "own/time": 6}
    assert drx.append_dataset(weather(4, 2).rename(t="u"), folder, "time", group="a/same") == 6
    assert opened(folder, group="a/same").identical(xr.concat([weather(), weather(4, 2)], "time").rename(t="u"))
    assert opened(folder).t[4:].isnull().all() or (opened(folder).t[4:] == 0).all()
    drx.save_dataset(weather(4, 2), folder, region="auto")
    assert opened(folder).identical(xr.concat([weather(), weather(4, 2)], "time"))
    later = weather(2, 3).rename(t="u") * 0 + 5
    drx.save_dataset(later, folder, region="auto", group="a/same")
    assert (opened(folder, group="a/same").u[2:5] == 5).all() and opened(folder).identical(
        xr.concat([weather(), weather(4, 2)], "time"))
    drx.save_dataset(later.drop_vars(["x", "time"]) + 1, folder, region={"time": slice(0, 3)}, group="a/same")
    assert (opened(folder, group="a/same").u[:3] == 6).all()
    drx.save_dataset(weather(13, 1), folder, append_dim="time", group="own")
    assert opened(folder, group="own").sizes["time"] == 7
    for call in (lambda: drx.append_dataset(weather(), folder, "time", group="b"),
                 lambda: drx.save_dataset(weather(), folder, region="auto", group="b")):
        with pytest.raises(FileNotFoundError, match="no group 'b'"):
            call()


def test_low_end_and_overlap(tmp_path):
    folder = str(tmp_path / "w")
    drx.save_dataset(weather(10), folder)
    drx.save_dataset(weather(10).rename(t="u"), folder, group="g")
    assert drx.append_dataset(weather(8, 2).rename(t="u"), folder, "time", group="g") == 6
    assert drx.append_dataset(weather(13, 3).rename(t="u"), folder, "time", group="g", overlap="replace") == 8
    got = opened(folder, group="g")
    assert got.time.values.tolist() == list(range(8, 16)) and (got.u[5:] == weather(13, 3).t.values).all()


def test_later(tmp_path):
    pytest.importorskip("dask")
    folder = str(tmp_path / "w")
    later = drx.save_dataset(weather().chunk({"time": 2}), folder, group="g", compute=False)
    assert (opened(folder, group="g").t.fillna(0) == 0).all()
    later.compute()
    assert opened(folder, group="g").identical(weather())
    more = drx.append_dataset(weather(4, 2).chunk({"time": 1}), folder, "time", group="g", shared=True, compute=False)
    more.compute()
    assert opened(folder, group="g").identical(xr.concat([weather(), weather(4, 2)], "time"))
    drx.save_dataset((weather() + 1).chunk({"time": 2}), folder, group="g", region="auto", compute=False).compute()
    assert (opened(folder, group="g").t[:4] == weather().t + 1).all()


def test_zarr(sea):
    zarr = pytest.importorskip("zarr")
    with drx.zarr_store(sea) as store:
        group = zarr.open_group(store, mode="r")
        assert sorted(group) == ["ocean", "time"] and sorted(group["ocean"]) == ["deep", "temp", "z"]
        np.testing.assert_array_equal(group["ocean/temp"][...], np.arange(6).reshape(3, 2))
        assert dict(group["ocean/deep"].attrs) == {"source": "argo"} and dict(group.attrs) == {"title": "sea"}
        assert group["ocean/deep/salt"].attrs["_ARRAY_DIMENSIONS"] == ["z", "time"]
        assert set(store) == {key for key in store if store[key] is not None} and len(list(store)) == len(store)
        for consolidated in (True, False):
            ds = xr.open_zarr(store, group="ocean", consolidated=consolidated)
            assert ds.temp.dims == ("time", "z") and ds.z.values.tolist() == [5, 50]
        assert pickle.loads(pickle.dumps(store))["ocean/temp/0.0"] == store["ocean/temp/0.0"]
    with drx.zarr_store(os.path.join(sea, "ocean/temp"), at=1) as store:
        assert zarr.open_group(store, mode="r")["temp"].shape == (3, 2)
    with pytest.raises(FileNotFoundError):
        drx.zarr_store(os.path.join(sea, "ocean/temp"), at=0)


def test_text_and_named_coordinates(tmp_path):
    """Coordinates of text above belong to their dimension; so do those that `coordinates` names."""
    folder = str(tmp_path / "w")

    def stations(names, **more):
        n = len(names)
        return xr.Dataset({"t": ("station", np.arange(n) * 1.0), **more},
                          coords={"station": names, "height": ("station", np.arange(n) * 100.0)})

    drx.save_dataset(stations(["Oslo", "Bergen"]), folder)
    drx.save_dataset(stations(["Oslo", "Bergen"]).drop_vars("height"), folder, group="same")
    drx.save_dataset(stations(["Longyearbyen", "Alta"]).drop_vars("height"), folder, group="other")
    drx.save_dataset(stations(["Oslo", "Bergen"], label=("station", ["a", "b" * 40])), folder, group="same/wide")
    with drx.open_dataset(folder, "r+") as ds:
        assert set(ds.groups["same"]) == {"t"} and set(ds.groups["other"]) == {"station", "t"}
        ds["same/t"].attrs["coordinates"] = "height"
        ds["other/t"].attrs["coordinates"] = "height"        # whose dimension is another one
    assert opened(folder, group="same").identical(stations(["Oslo", "Bergen"]))
    assert opened(folder, group="other").station.values.tolist() == ["Longyearbyen", "Alta"]
    assert "height" not in opened(folder, group="other").variables
    wide = opened(folder, group="same/wide")
    assert wide.label.values.tolist() == ["a", "b" * 40] and wide.station.values.tolist() == ["Oslo", "Bergen"]
    assert opened(folder).identical(stations(["Oslo", "Bergen"]))
    new = stations(["Trondheim", "Longyearbyen"]).drop_vars("height")        # wider text, in the group above
    assert drx.append_dataset(new, folder, "station", group="same") == 4
    assert opened(folder, group="same").station.values.tolist() == ["Oslo", "Bergen", "Trondheim", "Longyearbyen"]
    assert opened(folder).station.values.tolist() == ["Oslo", "Bergen", "Trondheim", "Longyearbyen"]


def test_name_of_a_removed_variable(sea):
    """An open array of it is closed, and the other one has its name."""
    with drx.open_dataset(sea, "r+") as ds:
        z, temp = ds["ocean/z"], ds["ocean/temp"]
        ds.remove("ocean/z")
        ds.rename("ocean/temp", "ocean/z")
        assert z.closed and ds["ocean/z"] is temp
        ds.commit()
        assert temp[2, 1] == 5 and temp.name == "ocean/z"
        with pytest.raises(ValueError):
            z[...]


def test_empty_coordinates(tmp_path):
    folder = str(tmp_path / "w")
    drx.save_dataset(weather(0, 0), folder)
    drx.save_dataset(weather(0, 0).rename(t="u"), folder, group="g")
    assert set(opened(folder, group="g").coords) == {"time", "x"}
    with drx.open_dataset(folder) as ds:
        assert list(ds.groups["g"]) == ["u"]
    assert drx.append_dataset(weather(0, 2).rename(t="u"), folder, "time", group="g") == 2
    assert opened(folder, group="g").identical(weather(0, 2).rename(t="u"))


def test_null(sea, tmp_path):
    """Variables without elements: xarray and Zarr, which have none, leave them out, and appends let them be."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["g/u"], file["g/time"], file["s"] = h5py.Empty("f4"), np.arange(3.0), 4.0
        file["g/u"].attrs["units"] = "m"
        file["g/time"].make_scale("time")
    path = str(tmp_path / "ds")
    subprocess.run([os.environ["DRX"], "import", tmp_path / "in.h5", path, "--dataset"], check=True)
    with drx.open_dataset(path) as ds:
        assert [name for name in ds if ds.is_null(name)] == ["g/u"] and ds.groups["g"].is_null("u")
        u = ds["g/u"]
        assert u.shape == (0,) and u.dtype == "f4" and u.size == 0 and u[...].shape == (0,) and ds.dims_of("g/u") == ()
        assert dict(u.attrs)["units"] == "m"
        with pytest.raises(KeyError):
            ds.is_null("u")
        assert sorted(ds.groups["g"].arrays()) == ["time"]
        assert ds["g/u"] is u and "u()" in repr(ds)
    for opened in (lambda: xr.open_dataset(path, engine="drx", group="g"), lambda: xr.open_dataset(path + "/g/u", engine="drx")):
        with pytest.warns(UserWarning, match="'g/u' is null, without elements"), opened() as got:
            assert "u" not in got.variables
    with xr.open_dataset(path, engine="drx", group="g", drop_variables="u") as got:
        more = got.load().assign_coords(time=[7.0, 8.0, 9.0])
    drx.append_dataset(more, path, "time", group="g")
    with drx.open_dataset(path) as ds:
        assert ds.is_null("g/u") and ds["g/time"].shape == (6,)
    with pytest.warns(UserWarning, match="null, without elements, and left out, since Zarr has no such arrays: g/u"):
        keys = set(drx.zarr_store(path))
    assert "g/time/.zarray" in keys and "g/u/.zarray" not in keys
