"""Elements and attributes of defined types: structured dtypes, enums, bitfields and opaque bytes."""
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


def test_like_h5py(tmp_path):
    """Enums are what h5py makes of them and takes for them."""
    h5py = pytest.importorskip("h5py")
    dtype = h5py.enum_dtype({"a": 1, "b": 300}, "i2")
    with drx.create(tmp_path / "a", 2, dtype) as a:
        assert h5py.check_enum_dtype(a.dtype) == {"a": 1, "b": 300}
