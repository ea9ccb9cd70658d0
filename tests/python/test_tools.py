"""drx.check, drx.repair and drx.copy."""

import os
import signal
import subprocess
import sys

import by_hand  # noqa: F401
import drx
import numpy as np
import pytest


def make(path, **more):
    values = np.arange(60.0).reshape(6, 10)
    with drx.create(path, (0, 10), chunks=(2, 4), dims=("t", "x"), **more) as a:
        a.append(values)
        a.attrs["units"] = "K"
        a.sync()
    return values


def test_check_and_repair(tmp_path):
    make(tmp_path / "a")
    assert drx.check(tmp_path / "a") == [] and drx.repair(tmp_path / "a") == []
    with open(tmp_path / "a.xmd", "ab") as file:
        file.write(b"torn")
    torn = drx.check(tmp_path / "a")
    assert [found.severity for found in torn] == ["warning"] and "torn tail" in str(torn[0])
    mended = drx.repair(tmp_path / "a")
    assert [found.severity for found in mended] == ["note"] and drx.check(tmp_path / "a") == []
    with open(tmp_path / "a.xta", "r+b") as file:
        file.truncate(100)
    assert "error" in [found.severity for found in drx.check(tmp_path / "a")]
    with pytest.raises(FileNotFoundError, match="nothing"):
        drx.check(tmp_path / "nothing")
    with pytest.raises(ValueError, match="NUL"):
        drx.check("with\0nul")


def test_check_of_a_dataset(tmp_path):
    with drx.create_dataset(tmp_path / "ds") as ds, ds.transaction():
        ds.add("u", ("t",), (5,), "int32")
    assert drx.check(tmp_path / "ds") == []
    with drx.open_dataset(tmp_path / "ds", "r+"), pytest.raises(drx.BusyError):
        drx.repair(tmp_path / "ds")
    os.truncate(tmp_path / "ds/dataset.xds", 50)
    assert any("dataset.xds" in found.text and found.severity == "error" for found in drx.check(tmp_path / "ds"))


def test_copy(tmp_path):
    values = make(tmp_path / "a")
    drx.copy(tmp_path / "a", tmp_path / "b", chunks=(5, 6), order="F", axes=(1, 0), checksum=True)
    with drx.open(tmp_path / "b") as b:
        assert (b.shape, b.chunks, b.order, b.dims, b.checksum) == ((10, 6), (5, 6), "F", ("x", "t"), True)
        assert b.attrs["units"] == "K" and (b[...] == values.T).all()
    with pytest.raises(FileExistsError):
        drx.copy(tmp_path / "a", tmp_path / "b")
    drx.copy(tmp_path / "a", tmp_path / "b", overwrite=True, compression="zstd", level=3, keep_bits=3, memory=1 << 20)
    with drx.open(tmp_path / "b") as b:
        assert b.compression == "zstd" and (b[...] == drx.keep_bits(values, 3)).all()
    for wrong, message in (({"chunks": (1,)}, "chunks has 1 numbers, expected 2"), ({"axes": (0, 0)}, "permut"),
                           ({"axes": (0,)}, "axes has 1 numbers"), ({"order": "A"}, "order 'A'"),
                           ({"chunks": (0, 1)}, "chunk"), ({"level": 3}, "level"), ({"memory": 10}, "10 bytes of memory are too little")):
        with pytest.raises(ValueError, match=message):
            drx.copy(tmp_path / "a", tmp_path / "c", **wrong)
    with pytest.raises(FileNotFoundError):
        drx.copy(tmp_path / "nothing", tmp_path / "c")
    assert not list(tmp_path.glob("c.*"))


def test_a_signal_ends_a_copy(tmp_path):
    with drx.create(tmp_path / "a", (2000, 2000), chunks=(20, 2000)) as a:
        a[...] = 1
        a.sync()
    code = ("import drx\ntry:\n    print('ready', flush=True)\n    while True:\n"
            "        drx.copy('a', 'b', chunks=(2000, 20), memory=2 << 20, overwrite=True)\n"
            "except KeyboardInterrupt:\n    print('interrupted')\n")
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        while not os.path.exists(tmp_path / "b.xmd"):  # it copies for the second time, at least
            assert child.poll() is None
        child.send_signal(signal.SIGINT)
        assert child.stdout.read() == "interrupted\n"
    assert {name.split(".")[0] for name in os.listdir(tmp_path)} == {"a", "b"} and len(os.listdir(tmp_path)) == 4
    assert drx.check(tmp_path / "a") == []


def test_the_home_folder(tmp_path, monkeypatch):
    """Every call that takes a path knows ~."""
    xr = pytest.importorskip("xarray")
    da = pytest.importorskip("dask.array")
    home = tmp_path / "home"
    for folder in home, home / "s1", home / "s2", home / "h":
        folder.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    drx.create("~/a", (2,), stripes=["~/s1", "~/s2"], chunks=1).close()
    drx.open("~/b", "a", shape=(2,)).close()
    assert drx.open("~/a.xmd").path == str(home / "a") and os.listdir(home / "s1")
    drx.store(da.zeros(3), "~/c").close()
    drx.store(da.zeros(3), "~/d", compute=False).compute()
    drx.copy("~/a", "~/e")
    assert drx.check("~/e") == [] and drx.repair("~/e") == []
    drx.remove("~/e")
    drx.create_dataset("~/f").close()
    drx.open_dataset("~/f").close()
    one = xr.Dataset({"v": ("x", [1.0])}, coords={"x": [0]})
    drx.save_dataset(one, "~/g")
    assert drx.append_dataset(one.assign_coords(x=[1]), "~/g", "x") == 2
    drx.save_dataset(one * 2, "~/g", region="auto")
    entry = xr.backends.list_engines()["drx"]
    assert entry.guess_can_open("~/g")
    with entry.open_dataset("~/g") as ds, xr.open_dataset("~/g/v", engine="drx") as again:
        assert ds.v.values.tolist() == again.v.values.tolist() == [2, 1]
    with drx.zarr_store("~/g") as store:
        assert "v/0" in store
    assert os.listdir(tmp_path) == ["home"]
    with pytest.raises(FileNotFoundError, match=str(home / "none")):
        drx.open("~/none")
