"""A year of an archive: daily files from three sources, what goes wrong with them, and readers beside it all.

`reanalysis` is packed unlike in each file, gets its February after March, has a file that is cut off in April, and a new
variable in June. `stations` has remarks that get longer. `model` starts again in October, some days before it ended. What
is stored in the end is what xarray makes of the right files."""

import multiprocessing
import os
import random
import shutil
import subprocess

import by_hand  # noqa: F401
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import drx

SIDE = (12, 16)
READERS = 10
DAYS = pd.date_range("2003-01-01", "2003-12-31")
START, RESTART, ENDED = "2003-09-01", "2003-10-10", "2003-10-20"  # first days of two runs, last day of the first
LAST_BIT = 5e-5  # xarray unpacks in float32, DRX rounds once
NAMES = ("reanalysis", "stations", "model")
REMARKS = ("calm", "windy", "thunderstorm with hail")


def run(*words, fails=None):
    """The program; its messages."""
    done = subprocess.run([os.environ["DRX"], *map(str, words)], capture_output=True, text=True, check=False)
    if fails is None:
        assert done.returncode == 0, (words, done.stderr)
    else:
        assert done.returncode != 0 and fails in done.stderr, (words, done.stderr)
    return done.stdout


def times(day):
    return pd.date_range(day, periods=2, freq="12h")


def field(rng, day, offset):
    season = np.sin(2 * np.pi * day.dayofyear / 365)
    return (offset + 10 * season + np.linspace(-5, 5, SIDE[0])[:, None] + rng.standard_normal((2, *SIDE)).round(1))


def on_grid(day, **variables):
    return xr.Dataset({name: (("time", "lat", "lon"), values) for name, values in variables.items()},
                      {"time": times(day), "lat": np.linspace(40, 60, SIDE[0]), "lon": np.linspace(0, 30, SIDE[1])})


def reanalysis(rng, day):
    """Packed into two bytes by the range of the day, as ERA5 is."""
    ds = on_grid(day, t2m=field(rng, day, 280), **({"snow": field(rng, day, 40)} if day.month >= 6 else {}))
    encoding = {name: {"dtype": "int16", "scale_factor": float(np.ptp(v.values) / 60000), "_FillValue": -32767,
                       "add_offset": float((v.values.max() + v.values.min()) / 2)} for name, v in ds.items()}
    return ds, encoding


def stations(rng, day):
    size = 1 + (day.dayofyear > 100) + (day.dayofyear > 250)
    remarks = np.array([rng.choice(REMARKS[:size]) for _ in range(2)]).astype("S")
    return xr.Dataset({"remark": ("time", remarks), "wind": ("time", rng.random(2).astype("f4"))}, {"time": times(day)}), {}


def model(rng, day):
    return on_grid(day, rain=field(rng, day, 20).astype("f4")), {}


def write(source, rng, day, folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{source.__name__}-{day:%Y%m%d}.nc")
    ds, encoding = source(rng, day)
    encoding["time"] = {"units": "hours since 2003-01-01", "dtype": "int32"}
    ds.to_netcdf(path, unlimited_dims=["time"], encoding=encoding)
    return path


@pytest.fixture(name="files")
def files_of_the_year(tmp_path):
    seed = int(os.environ.get("DRX_SEED", random.randrange(10 ** 9)))
    print("DRX_SEED", seed)
    rng = np.random.default_rng(seed)
    files = {source.__name__: [write(source, rng, day, tmp_path / source.__name__ / f"{day:%m}") for day in DAYS]
             for source in (reanalysis, stations)}
    files["model"] = [write(model, rng, day, tmp_path / "model") for day in DAYS[(DAYS >= START) & (DAYS <= ENDED)]]
    files["again"] = [write(model, rng, day, tmp_path / "again") for day in DAYS[DAYS >= RESTART]]
    return files


def truth_of(files):
    """What xarray makes of the files, and for the model of those of the first run, too."""
    def joined(paths):
        days = [xr.load_dataset(path) for path in paths]
        return xr.concat([xr.full_like(days[-1], np.nan).assign_coords(day.coords).assign(day) if len(day) < len(days[-1]) else day for day in days], "time")

    both = len(files["again"]) - len(DAYS[DAYS > ENDED])
    model = joined(files["model"] + files["again"][both:])
    second = joined(files["model"][:-both] + files["again"])
    return {"reanalysis": joined(files["reanalysis"]), "stations": joined(files["stations"]), "model": second, "first": model}


def watch(number, folder, truth, stop, wrong):
    """A reader: whatever it sees was in a file of that time, or is missing."""
    rng = random.Random(number)
    try:
        while not stop.is_set():
            name = rng.choice(NAMES)
            if os.path.exists(f"{folder}/{name}/dataset.xds"):
                look(rng, f"{folder}/{name}", truth, name)
            stop.wait(0.1)
    except Exception as error:  # pylint: disable=broad-except
        wrong.put(f"reader {number}: {error!r}")


def look(rng, path, truth, name):
    with xr.open_dataset(path, engine="drx") as ds:
        n = ds.sizes["time"]
        first = rng.randrange(n)
        seen = ds.isel(time=slice(first, min(n, first + rng.randint(1, 80)))).load()
    known = truth[name].sel(time=seen.time)
    earlier = truth["first"].sel(time=seen.time) if name == "model" else known
    for var in seen.data_vars:
        got = seen[var].values
        good = (got == known[var].values) | (got == earlier[var].values)
        if name == "reanalysis":
            good |= np.isclose(got, known[var].values, rtol=0, atol=LAST_BIT)
        good |= pd.isnull(got) if got.dtype.kind in "fO" else got == b""
        assert good.all(), f"{path}/{var} from {seen.time.values[0]} on"


def month(folder, source, number):
    return folder / source / f"{number:02d}"


def keep(tmp_path, files):
    """What the keeper of the archive does in the year."""
    os.chdir(tmp_path / "archive")
    for number in range(1, 13):
        keep_reanalysis(tmp_path, files, number)
        for path in files["stations"][number * 30 - 30:number * 30 if number < 12 else None]:
            run("import", path, "stations", *(["--append", "time"] if os.path.exists("stations") else []))
    run("import", *files["model"], "model", "--codec", "lz4")
    run("import", files["again"][0], "model", "--append", "time", fails="--overlap")
    run("import", tmp_path / "again", "model", "--append", "time", "--overlap", "replace")


def keep_reanalysis(tmp_path, files, number):
    here = month(tmp_path, "reanalysis", number)
    if number == 1:
        run("import", here, "reanalysis", "--unpack", "--codec", "zstd")
    elif number == 2:
        return  # it is late
    elif number == 3:
        run("import", here, "reanalysis", "--append", "time", "--unpack", "--leave-gaps")
        run("import", month(tmp_path, "reanalysis", 2), "reanalysis", "--append", "time", "--unpack", "--overlap", "replace")
    elif number == 4:
        cut = files["reanalysis"][100]
        shutil.copy(cut, "whole.nc")
        os.truncate(cut, os.path.getsize(cut) // 2)
        before = run("log", "reanalysis")
        run("import", here, "reanalysis", "--append", "time", "--unpack", fails=os.path.basename(cut))
        assert run("log", "reanalysis") == before
        shutil.move("whole.nc", cut)
        run("import", here, "reanalysis", "--append", "time", "--unpack")
    elif number == 6:
        with xr.open_dataset("reanalysis", engine="drx") as ds:
            none = xr.full_like(ds.t2m, np.nan).rename("snow").load()
        none.attrs, none.encoding = {}, {"compression": "zstd"}
        drx.save_dataset(none, "reanalysis", mode="a")
        run("import", here, "reanalysis", "--append", "time", "--unpack")
    else:
        run("import", here, "reanalysis", "--append", "time", "--unpack")


def test_a_year(tmp_path, files):
    truth = truth_of(files)
    folder = tmp_path / "archive"
    folder.mkdir()
    context = multiprocessing.get_context("fork")
    stop, wrong = context.Event(), context.Queue()
    readers = [context.Process(target=watch, args=(i, str(folder), truth, stop, wrong)) for i in range(READERS)]
    for reader in readers:
        reader.start()
    try:
        keep(tmp_path, files)
    finally:
        stop.set()
        for reader in readers:
            reader.join()
    assert wrong.empty(), wrong.get()
    assert all(reader.exitcode == 0 for reader in readers)
    for name in NAMES:
        with xr.open_dataset(name, engine="drx") as ds:
            if name == "reanalysis":
                xr.testing.assert_allclose(ds, truth[name], rtol=0, atol=LAST_BIT)
            else:
                xr.testing.assert_equal(ds, truth[name])
        run("check", name)
