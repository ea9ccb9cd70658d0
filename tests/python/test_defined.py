"""Elements and attributes of defined types: structured dtypes, enums, bitfields and opaque bytes."""
import json
import os
import subprocess

import numpy as np
import pytest

import drx

ENUM = np.dtype("i1", metadata={"enum": {"clear": 0, "cloudy": 1, "unknown": -1}, "enum_name": "sky"})
BITS = np.dtype("u2", metadata={"bitfield": (3, 9)})
OPAQUE = np.dtype("V5", metadata={"tag": "five"})
PLACE = np.dtype({"names": ["x", "y"], "formats": ["i2", "c8"], "offsets": [1, 3], "itemsize": 16}, metadata={"name": "place"})
SAMPLE = np.dtype({"names": ["flags", "sky", "level", "name", "raw", "place", "label"],
                   "formats": [BITS, ENUM, ("f4", (3,)), "S4", OPAQUE, (PLACE, (1, 1)), "U2"],
                   "offsets": [2, 1, 4, 16, 20, 32, 48], "itemsize": 60})
TYPES = {"enum": ENUM, "bits": BITS, "opaque": OPAQUE, "place": PLACE, "sample": SAMPLE,
         "plain": np.dtype([("a", ">i4"), ("b", "f8")])}


def elements(dtype, shape):
    count = int(np.prod(shape))
    if dtype.names is None:
        return np.frombuffer(np.arange(count * dtype.itemsize).astype("u1").tobytes(), dtype).reshape(shape)
    values = np.zeros(shape, dtype)
    for k, name in enumerate(dtype.names):
        one = values[name]
        if one.dtype.names:
            one[...] = elements(one.dtype, one.shape)
        elif one.dtype.kind == "V":
            one[...] = elements(one.dtype, one.shape)
        else:
            one[...] = (np.arange(one.size).reshape(one.shape) * (k + 1) % 100).astype(one.dtype)
    return values


def same_type(is_, expected):
    """Also what only metadata say."""
    assert is_ == expected.newbyteorder("=")
    assert dict(is_.metadata or {}) == dict(expected.metadata or {})
    for name in expected.names or ():
        assert is_.fields[name][1] == expected.fields[name][1]
        same_type(is_.fields[name][0].base, expected.fields[name][0].base)


@pytest.mark.parametrize("dtype", TYPES.values(), ids=TYPES)
@pytest.mark.parametrize("compression", [None, "zstd"])
def test_round_trip(tmp_path, dtype, compression):
    values = elements(dtype, (5, 4))
    fill = values[2, 3]
    with drx.create(tmp_path / "a", (5, 4), dtype, chunks=(2, 3), fill_value=fill, compression=compression) as a:
        same_type(a.dtype, dtype)
        assert a[1, 1] == fill and a.fill_value == fill
        a[...] = values
        a[0, 0] = values[4, 3]
        a[1:3, ::2] = values[1:3, ::2]
        a.append(values[:2])
        a.attrs["one"] = fill
        a.attrs["many"] = values[0]
    with drx.open(tmp_path / "a") as a:
        same_type(a.dtype, dtype)
        np.testing.assert_array_equal(a[1:5], values[1:])
        assert a[0, 0] == values[4, 3] and isinstance(a[0, 0], np.generic)
        np.testing.assert_array_equal(a[5:], values[:2])
        np.testing.assert_array_equal(a.oindex[[3, 1], :], values[[3, 1]])
        np.testing.assert_array_equal(a.vindex[[3, 1], [0, 2]], values[[3, 1], [0, 2]])
        np.testing.assert_array_equal(a.attrs["many"], values[0])
        if dtype.kind == "V":
            assert a.attrs["one"] == fill
            assert a.attrs["many"].dtype == a.dtype
        out = np.empty((7, 4), a.dtype)
        assert a.read(out=out) is out
        np.testing.assert_array_equal(out[1:5], values[1:])


def test_fields(tmp_path):
    values = elements(SAMPLE, (5, 4))
    with drx.create(tmp_path / "a", (5, 4), SAMPLE) as a:
        a[...] = values
        for name in SAMPLE.names:
            np.testing.assert_array_equal(a[name], values[name])
            np.testing.assert_array_equal(a.fields(name)[1:3, -1], values[name][1:3, -1])
            np.testing.assert_array_equal(a.fields(name)[[0, 2]], values[name][[0, 2]])
        same_type(a["sky"].dtype, ENUM)
        some = a.fields(["place", "sky"])[2]
        assert some.dtype.names == ("place", "sky")
        np.testing.assert_array_equal(some["sky"], values["sky"][2])
        np.testing.assert_array_equal(a[["level", "name"]]["level"], values["level"])
        with pytest.raises(KeyError, match="no field 'height'"):
            a.fields("height")
        wide = np.dtype([("level", "f8", 3), ("sky", "i4")])
        np.testing.assert_array_equal(a.read(dtype=wide)["level"], values["level"])
        with pytest.raises(ValueError, match="no field 'height'"):
            a.read(dtype=[("height", "f4")])
        with pytest.raises(ValueError, match="no conversion between"):
            a.read(dtype="f4")
    with drx.create(tmp_path / "b", 3, "f4") as b, pytest.raises(KeyError, match="no field 'x'"):
        b["x"]


def test_as_numbers(tmp_path):
    with drx.create(tmp_path / "a", 4, ENUM) as a:
        a[...] = [0, 1, -1, 7]
        np.testing.assert_array_equal(a.read(dtype="f8"), [0, 1, -1, 7])
        assert a[2] == -1
        a.append([1])
        with pytest.raises(TypeError):
            a.append([0.5])
    with drx.create(tmp_path / "b", 2, BITS, fill_value=65535) as a:
        assert a[0] == 65535
        with pytest.raises(ValueError, match="which uint8 does not hold"):
            a.read(dtype="u1", exact=True)


def test_append_of_tuples(tmp_path):
    with drx.create(tmp_path / "a", 0, [("x", "i4"), ("y", "f8")]) as a:
        a.append([(1, 2.5), (3, 4)])
        a[0] = (7, 8)
        assert a[0] == np.array((7, 8), a.dtype) and a[1]["y"] == 4
        with pytest.raises(TypeError, match="not appended"):
            a.append(np.zeros(2, [("x", "O")]))


def test_refusals(tmp_path):
    for dtype, message in ((np.dtype([("x", "O")]), "cannot be stored"), (np.dtype("V65537"), "65537 bytes"),
                           (np.dtype([("x", "M8[s]")]), "cannot be stored"),
                           (np.dtype("i1", metadata={"enum": {"": 1}}), "expected a name")):
        with pytest.raises((TypeError, ValueError), match=message):
            drx.create(tmp_path / "a", 3, dtype)
    with drx.create(tmp_path / "a", 3, SAMPLE) as a:
        with pytest.raises(TypeError, match="attribute"):
            a.attrs["x"] = [object()]
        with pytest.raises((TypeError, ValueError)):
            a.attrs["x"] = np.zeros((2, 2), SAMPLE)
        with pytest.raises(TypeError, match="Zarr's store has no elements of"):
            drx.zarr_store(str(tmp_path / "a"))[".zarray"]


def test_large_elements(tmp_path):
    dtype = np.dtype("V65536")
    with drx.create(tmp_path / "a", (2, 2), dtype) as a:
        value = np.frombuffer(np.arange(1 << 16).astype("u1").tobytes(), dtype)[0]
        a[1, 1] = value
        assert a[1, 1] == value and a[0, 0] == np.zeros((), dtype)


def test_dataset(tmp_path):
    values = elements(SAMPLE, 6)
    with drx.create_dataset(tmp_path / "ds") as ds:
        ds.add("v", ["x"], (6,), SAMPLE)[...] = values
        ds.add("sky_of", ["x"], (6,), ENUM)[...] = values["sky"]
        ds.attrs["place"] = values["place"][0, 0, 0]
        ds.commit("typed")
    with drx.open_dataset(tmp_path / "ds") as ds:
        same_type(ds["v"].dtype, SAMPLE)
        same_type(ds["sky_of"].dtype, ENUM)
        np.testing.assert_array_equal(ds["v"][...], values)
        same_type(ds.attrs["place"].dtype, PLACE)
        assert ds.attrs["place"] == values["place"][0, 0, 0]


def test_xarray(tmp_path):
    """As xarray's way to netCDF has it: an enum is integers, whose encoding tells the names; a compound stays one."""
    xr = pytest.importorskip("xarray")
    test_dataset(tmp_path)
    with xr.open_dataset(tmp_path / "ds", engine="drx") as ds:
        assert ds["sky_of"].dtype == "i1"
        assert ds["sky_of"].encoding["dtype"].metadata["enum"] == ENUM.metadata["enum"]
        assert ds["sky_of"].encoding["dtype"].metadata["enum_name"] == "sky"
        np.testing.assert_array_equal(ds["v"].values, elements(SAMPLE, 6))
        np.testing.assert_array_equal(ds["v"][1:3].values["level"], elements(SAMPLE, 6)["level"][1:3])
    with drx.open_dataset(tmp_path / "ds", "r+") as ds:
        ds["v"].attrs["_FillValue"] = elements(SAMPLE, 6)[0]
        ds.commit("a fill")
    with xr.open_dataset(tmp_path / "ds", engine="drx") as ds:  # nothing is masked
        assert ds["v"].encoding["_FillValue"] == elements(SAMPLE, 6)[0] and "_FillValue" not in ds["v"].attrs


def test_like_h5py(tmp_path):
    """Enums are what h5py makes of them and takes for them."""
    h5py = pytest.importorskip("h5py")
    dtype = h5py.enum_dtype({"a": 1, "b": 300}, "i2")
    with drx.create(tmp_path / "a", 2, dtype) as a:
        assert h5py.check_enum_dtype(a.dtype) == {"a": 1, "b": 300}


# ---- the command line ----

def run(*words, status=0):
    done = subprocess.run([os.environ["DRX"], *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def test_drx_shows_types(tmp_path):
    test_dataset(tmp_path)
    ds = tmp_path / "ds"
    shown = run("info", ds)
    assert ("types:\n  byte enum sky {clear = 0, cloudy = 1, unknown = -1} ;\n  compound place {\n    short x ;\n"
            "    complex64 y ;\n  }; // place\n") in shown
    assert "\tsky sky_of(x) ;\n" in shown and "\t\tplace :place = {0, 0+0j} ;\n" in shown
    assert "types added: sky, place" in run("log", ds)
    told = json.loads(run("info", "--json", ds))
    assert told["types"]["sky"] == {"class": "enum", "name": "sky", "bytes": 1, "base": "int8", "values": [
        {"name": "clear", "value": 0}, {"name": "cloudy", "value": 1}, {"name": "unknown", "value": -1}]}
    fields = told["variables"]["v"]["defined"]["fields"]
    assert [(one["name"], one["offset"], one["shape"]) for one in fields] == [
        ("flags", 2, []), ("sky", 1, []), ("level", 4, [3]), ("name", 16, []), ("raw", 20, []), ("place", 32, [1, 1]),
        ("label", 48, [])]
    assert fields[0]["defined"] == {"class": "bitfield", "name": None, "bytes": 2, "first_bit": 3, "bits": 9}
    assert fields[4]["defined"] == {"class": "opaque", "name": None, "bytes": 5, "tag": "five"}
    assert told["variables"]["v"]["fill"] == {"flags": 0, "sky": 0, "level": [0.0, 0.0, 0.0], "name": "", "raw": "0x0000000000",
                                              "place": [{"x": 0, "y": [0.0, 0.0]}], "label": ""}
    run("copy", ds, tmp_path / "again")
    assert run("info", tmp_path / "again").split("types:")[1] == shown.split("types:")[1]
    with drx.open_dataset(tmp_path / "again") as again:
        same_type(again["v"].dtype, SAMPLE)


def test_drx_reads_elements(tmp_path):
    test_dataset(tmp_path)
    v, sky = tmp_path / "ds" / "v", tmp_path / "ds" / "sky_of"
    assert run("read", f"{v}[3]") == ('{3, 6, {27, 30, 33}, "12", 0x0f10111213, {{3, 6+0j}}, "21"}\n')
    with drx.open_dataset(tmp_path / "ds", "r+") as ds:
        ds["sky_of"][...] = [0, 1, -1, 7, 1, 0]
    assert run("read", "--raw", sky).split() == ["clear", "cloudy", "unknown", "7", "cloudy", "clear"]
    for name, dtype in (("v", SAMPLE), ("sky_of", ENUM)):
        run("read", tmp_path / "ds" / name, "-o", tmp_path / "o.npy")
        with drx.open_dataset(tmp_path / "ds") as ds:
            found, expected = np.load(tmp_path / "o.npy"), ds[name][...]
        assert found.dtype.itemsize == dtype.itemsize
        for field in dtype.names or ():
            np.testing.assert_array_equal(found[field], expected[field])
        assert dtype.names or (found == expected).all()
    with drx.create(tmp_path / "odd", 2, np.dtype([("it's\\", "f4"), ("\u00e9", "i2", (2, 3))])) as a:
        a[1] = (2.5, np.arange(6).reshape(2, 3))
    run("read", tmp_path / "odd", "-o", tmp_path / "odd.npy")
    found = np.load(tmp_path / "odd.npy")
    assert found.dtype.names == ("it's\\", "\u00e9") and found["\u00e9"][1, 1, 2] == 5 and found["it's\\"][1] == 2.5


def test_long_header_of_npy(tmp_path):
    dtype = np.dtype([(f"a field with a name of some length, number {i}", "i2") for i in range(2000)])
    with drx.create(tmp_path / "a", 2, dtype, fill_value=np.ones((), dtype)):
        pass
    run("read", tmp_path / "a", "-o", tmp_path / "a.npy")
    assert np.load(tmp_path / "a.npy", max_header_size=10**6).dtype == dtype


def test_drx_refuses_by_name(tmp_path):
    test_dataset(tmp_path)
    ds = tmp_path / "ds"
    assert "elements of sky enum int8 {clear=0, cloudy=1, unknown=-1} have no picture" in run(
        "view", ds / "sky_of", "-o", tmp_path / "x.png", status=1)
    assert "which Zarr has not" in run("refs", ds, status=1)
    assert "--keep-bits rounds floating-point ones" in run("copy", ds / "sky_of", tmp_path / "c", "--keep-bits", "3", status=1)
    np.save(tmp_path / "numbers.npy", np.zeros(6))
    assert "sky enum int8" in run("write", ds / "sky_of", "--at", "0", tmp_path / "numbers.npy", status=1)
    assert "holds records" in run("import", *[tmp_path / one for one in np_records(tmp_path)], status=1)


def np_records(tmp_path):
    np.save(tmp_path / "records.npy", np.zeros(2, [("x", "i4")]))
    return "records.npy", "imported"
