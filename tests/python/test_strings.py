"""Fixed strings, S and U, everywhere in the package."""

import os
import subprocess

import by_hand  # noqa: F401
import drx
import numpy as np
import pytest
import xarray as xr

NAMES = np.array([[b"Reading", b"Oslo", b""], [b"a b", b"c", b"12345678\x00"]], "S9")
TOWNS = np.array([["Z\xfcrich", "\u5317\u4eac", ""], ["x", "\U0001f30d", "K\xf8benhavn"]], "U9")
BOTH = pytest.mark.parametrize("values", [NAMES, TOWNS, NAMES.astype("S300"), NAMES.astype("S16")],
                               ids=["S9", "U9", "S300", "S16"])


def same(got, expected):
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)


@BOTH
@pytest.mark.parametrize("options", [{}, {"compression": "zstd"}, {"checksum": True}, {"align": 64}, {"order": "F"}],
                         ids=str)
def test_elements(path, values, options):
    dtype = values.dtype
    with drx.create(path, (0, 3), dtype, chunks=(2, 2), fill_value=values[0, 1], **options) as a:
        a.append(values)
        a.append(values.tolist())
        a.extend(1, 1)
        assert a.fill_value == values[0, 1] and a.info["type"] == dtype.str[1:]
        same(a[:2, :3], values)
        same(a[2:, :3], values)
        same(a[:, 3], np.full(4, values[0, 1], dtype))
        same(a[::-1, ::2], a[...][::-1, ::2])
        same(a.vindex[[0, 1], [2, 0]], values[[0, 1], [2, 0]])
        same(a.oindex[[1, 0], [2, 0, 1]], values[[1, 0]][:, [2, 0, 1]])
        a[0, 0] = a[0, 1] = values[1, 1]
        assert a[0, 0] == values[1, 1] and isinstance(a[0, 0], (np.bytes_, np.str_))
        a[3, 1:3] = values[0, :2]
        same(a[3, 1:3], values[0, :2])
        same(a.read_async((slice(1, 2), slice(0, 3))).wait(), values[1:2])
        same(a.read(order="F"), a[...])
        out = np.empty((4, 4), dtype)
        same(a.read(out=out), a[...])
        a.vindex[[0, 3], [2, 3]] = values[1, :2]
        same(a.vindex[[0, 3], [2, 3]], values[1, :2])
        mask = np.zeros((4, 4), bool)
        mask[1, 1] = mask[3, 2] = True
        a[mask] = values[0, 0]
        same(a[mask], np.full(2, values[0, 0], dtype))
        whole = a[...]
    with drx.open(path) as a:
        assert a.dtype == dtype
        same(a[...], whole)
    assert not [finding for finding in drx.check(path) if finding.severity != "note"]


@pytest.mark.parametrize("dtype", ["S4", "U4"])
def test_longer_is_refused(path, dtype):
    good, long = (b"abcd", b"abcde") if dtype == "S4" else ("abcd", "abcde")
    with drx.create(path, (2, 2), dtype) as a:
        for put in (lambda: a.__setitem__((0, 0), long), lambda: a.__setitem__(slice(None), long),
                    lambda: a.append([[good, long]]), lambda: a.vindex.__setitem__(([0], [1]), [long]),
                    lambda: a.write(0, long)):
            with pytest.raises(ValueError, match="abcde.*is longer than dtype"):
                put()
        assert a.shape == (2, 2) and not np.any(a[...] != a.fill_value)
        a[...] = good
        a[0] = np.array([good, good[:2]], dtype[0] + "20")  # a longer type, but no longer string
        assert a[...].tolist() == [[good, good[:2]], [good, good]]
        for wrong in (1, None, 2.5, [1, 2], "abc" if dtype == "S4" else b"abc"):
            with pytest.raises(TypeError, match="expected (bytes|text)"):
                a[0, 0] = wrong
    with pytest.raises(ValueError, match="is longer than dtype"):
        drx.create(path, (2,), dtype, fill_value=long, overwrite=True)


def test_refused(path):
    for wrong in ("S0", "S4097", "U1025", "M8[s]", object):
        with pytest.raises(TypeError, match="S1 to S4096, U1 to U1024"):
            drx.create(path, (2,), wrong)
    with drx.create(path, (2,), "S12") as a:
        with pytest.raises(TypeError, match="dtype float64: no conversion from .S12"):
            a.read(dtype="f8")
        with pytest.raises(TypeError, match="expected"):
            a.attrs["x"] = np.array([b"ab"])


def test_byte_order(path):
    swapped = TOWNS.astype(">U9")
    with drx.create(path, TOWNS.shape, swapped.dtype) as a:
        a[...] = swapped
        same(a[...], TOWNS)
        a.append(swapped)
        same(a[2:], TOWNS)


xr = pytest.importorskip("xarray")


def stations(dtype, names=("Oslo", "Z\xfcrich")):
    values = np.array(names, "U" if dtype[0] == "U" else object)
    if dtype[0] == "S":
        values = np.array([name.encode() for name in names], dtype)
    return xr.Dataset({"t": (("station", "time"), np.arange(2.0 * len(names)).reshape(len(names), 2))},
                      {"station": ("station", values.astype(dtype))})


@pytest.mark.parametrize("dtype", ["S8", "U8"])
def test_xarray(tmp_path, dtype):
    folder = tmp_path / "ds"
    ds = stations(dtype)
    drx.save_dataset(ds, folder, encoding={"station": {"dtype": dtype}})
    with drx.open(folder / "station") as a:
        assert a.dtype == np.dtype(dtype) and a.shape == (2,)
    with xr.open_dataset(folder, engine="drx") as back:
        xr.testing.assert_identical(back.load(), ds)
        assert back["station"].dtype == np.dtype(dtype)
        assert float(back["t"].sel(station=ds["station"].values[1])[0]) == 2
        again = tmp_path / "again"
        drx.save_dataset(back, again)  # the encoding asks for the same type
    with drx.open(again / "station") as a:
        assert a.dtype == np.dtype(dtype)
    more = stations(dtype, ("Bergen",)).assign(t=(("station", "time"), [[9.0, 9]]))
    drx.append_dataset(more, folder, "station")
    with xr.open_dataset(folder, engine="drx") as back:
        assert back["station"].values.tolist() == [*ds["station"].values.tolist(), more["station"].values[0]]
        assert float(back["t"][2, 0]) == 9
    with pytest.raises(ValueError, match="is stored already at index 2"):
        drx.append_dataset(more, folder, "station")
    with pytest.raises(ValueError, match="'?A long name.* is longer than dtype"):
        drx.append_dataset(stations("U20" if dtype[0] == "U" else "S20", ("A long name",)), folder, "station")
    later = xr.Dataset({"t": (("station", "time"), np.ones((3, 1)))},
                       {"station": ("station", np.array([b"x", b"y", b"z"] if dtype[0] == "S" else list("xyz"), dtype))})
    with pytest.raises(ValueError, match="station.*differs from what is stored"):
        drx.append_dataset(later, folder, "time")


def test_single_characters(tmp_path):
    """Which xarray would join, as characters of netCDF."""
    values = np.array([[b"a", b"b"], [b"", b"d"]], "S1")
    with drx.create(tmp_path / "flags", values.shape, "S1", dims=("x", "y")) as a:
        a[...] = values
    with xr.open_dataset(tmp_path / "flags", engine="drx") as ds:
        same(ds["flags"].values, values)


def test_text_stays_utf8(tmp_path):
    """Without an encoding text is stored as before."""
    drx.save_dataset(stations("U8"), tmp_path / "ds")
    with drx.open(tmp_path / "ds" / "station") as a:
        assert a.dtype == np.uint8 and a.attrs["drx_form"] == "text"


def test_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")
    for values in (NAMES, TOWNS):
        with drx.create(tmp_path / "a", values.shape, values.dtype, chunks=(2, 2), dims=("x", "y"), overwrite=True) as a:
            a[...] = values
        same(zarr.open_group(drx.zarr_store(tmp_path / "a"), mode="r")["a"][...], values)


def test_text_on_the_command_line(tmp_path):
    """Saved text is strings in netCDF, and saved bytes are characters; `drx read` prints it, `drx info` names no axis of bytes."""
    ds = xr.Dataset({"t": ("station", [1.0, 2.0]), "code": ("station", [b"a", b"bc"]), "one": ((), "Z\xfcrich")},
                    {"station": ["Oslo", "Bergen"]}, {"plain": "x"})
    drx.save_dataset(ds, tmp_path / "d")

    def run(*words):
        return subprocess.run([os.environ["DRX"], *words], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    run("export", "d", "o.nc")
    with xr.open_dataset(tmp_path / "o.nc") as got:
        assert {name: (got[name].dims, got[name].values.tolist()) for name in got.variables} == {
            name: (ds[name].dims, ds[name].values.tolist()) for name in ds.variables}
        assert got.attrs == ds.attrs and not any(got[name].attrs for name in got.variables)
    assert run("read", "d/station") == '"Oslo"  "Bergen"\n' or run("read", "d/station") == '  "Oslo"  "Bergen"\n'
    assert run("read", "d/station[1]") == '"Bergen"\n' and run("read", "d/one") == '"Z\xfcrich"\n'
    assert run("read", "d/station", "--raw").split() == [str(i) for i in b"Oslo\0\0Bergen"]
    assert "string station(station) ;" in run("info", "d") and "char code(station, code_bytes) ;" in run("info", "d")
    run("import", "o.nc", "back")
    run("import", "o.nc", "d", "--append", "station")
    assert run("read", "d/station").split() == ['"Oslo"', '"Bergen"'] * 2
