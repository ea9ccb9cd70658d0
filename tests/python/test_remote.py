"""Arrays and datasets on a server give what the files give on this machine."""

import os
import pickle
import random
import time

import by_hand  # noqa: F401
import numpy as np
import pytest
import xarray

import drx
from far_server import Server

KINDS = {"raw": {}, "checksummed": {"checksum": True}, "compressed": {"compression": "zstd"}, "lz4": {"compression": "lz4"},
         "striped": {"stripes": ["disk1", "disk2", "disk3"]}, "shell": {"shell": True}, "fortran": {"order": "F"}}
TAGS = ["strong", "weak", "date", "none"]


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("DRX_HTTP_TRIES", "3")
    for name in list(os.environ):
        if name.startswith("AWS_"):
            monkeypatch.delenv(name)


@pytest.fixture
def server(tmp_path):
    with Server(tmp_path) as running:
        yield running


def made(path, shape=(70, 90), dtype="float64", chunks=(16, 20), seed=1, **kind):
    for folder in kind.get("stripes", ()):
        os.makedirs(folder, exist_ok=True)
    values = np.random.default_rng(seed).standard_normal(shape).astype(dtype)
    with drx.create(path, shape, dtype, chunks, overwrite=True, **kind) as a:
        a[...] = values
    return values


def test_nothing_below_the_host(server):
    """The error names what was asked for; a dataset may be there, too."""
    for url in (f"{server.url}/oceaan", f"{server.url}/oceaan/", f"{server.url}/folder/oceaan"):
        with pytest.raises(FileNotFoundError, match="/oceaan"):
            xarray.open_dataset(url, engine="drx")
    with drx.create_dataset("ocean") as ds:
        ds.add("sst", ("time",), 3)[...] = [1, 2, 3]
        ds.commit("three")
    for url in (f"{server.url}/ocean", f"{server.url}/ocean/sst"):
        with xarray.open_dataset(url, engine="drx") as got:
            assert got.sst.values.tolist() == [1, 2, 3]


def test_groups(server):
    with drx.create_dataset("ocean") as ds:
        ds.add("time", ("time",), 3, attrs={"units": "1"})[...] = [1, 2, 3]
        ds.add_group("deep/south", {"of": "argo"})
        ds.add("deep/south/temp", ("time", "z"), (3, 2))[...] = np.arange(6).reshape(3, 2)
    with xarray.open_dataset(f"{server.url}/ocean", engine="drx", group="deep/south") as got:
        assert got.attrs == {"of": "argo"} and got.temp.sel(time=2).values.tolist() == [2, 3]
    with xarray.open_dataset(f"{server.url}/ocean/deep/south/temp", engine="drx") as got:
        assert sorted(got.variables) == ["temp", "time"]
    assert list(drx.open_groups(f"{server.url}/ocean")) == ["/", "/deep", "/deep/south"]
    with drx.open(f"{server.url}/ocean/deep/south/temp") as a, drx.open_dataset(f"{server.url}/ocean") as ds:
        assert a.shape == ds.groups["deep/south"]["temp"].shape == (3, 2)
        copy = pickle.loads(pickle.dumps(ds["deep/south/temp"]))
        assert copy[2, 1] == 5
        copy.dataset.close()
    with drx.zarr_store(f"{server.url}/ocean/deep/south/temp", at=1) as store:
        assert store["temp/0.0"] == np.arange(6.).tobytes()
    with pytest.raises(FileNotFoundError):
        drx.open(f"{server.url}/ocean/deep/north/temp")


@pytest.mark.parametrize("kind", KINDS)
def test_boxes_and_points(server, kind):
    values = made("a", **KINDS[kind])
    rng = random.Random(kind)
    with drx.open(f"{server.url}/a") as a:
        assert (a.shape, a.mode) == (values.shape, "r")
        for _ in range(40):
            key = tuple(slice(lo := rng.randrange(n), rng.randint(lo, n), rng.choice((1, 1, 2, 7))) for n in a.shape)
            assert (a.read(key, order=rng.choice("CF")) == values[key]).all()
            point = tuple(rng.randrange(n) for n in a.shape)
            assert a[point] == values[point]
        rows, columns = (np.array([rng.randrange(n) for _ in range(300)]) for n in a.shape)
        assert (a.vindex[rows, columns] == values[rows, columns]).all()
        assert (a[...] == values).all()
        copy = pickle.loads(pickle.dumps(a))
        assert (copy[3] == values[3]).all()


@pytest.mark.parametrize("kind", ["raw", "checksummed", "compressed", "striped"])
def test_large_boxes(server, kind):
    values = made("a", (700, 1300), chunks=(100, 130), **KINDS[kind])
    with drx.open(f"{server.url}/a") as a:
        assert (a[...] == values).all()
        assert (a.read(order="F") == values).all()
        assert (a[::3, 5:1200:11] == values[::3, 5:1200:11]).all()


@pytest.mark.parametrize("tags", TAGS)
@pytest.mark.parametrize("conditions", [True, False])
def test_any_server(tmp_path, tags, conditions):
    values = made("a")
    with Server(tmp_path, tags=tags, conditions=conditions) as server, drx.open(f"{server.url}/a") as a:
        assert (a[...] == values).all()
        with drx.open("a", "r+") as grown:
            more = np.ones((5, 90))
            grown.append(more, axis=0)
        os.utime("a.xmd", (1, 1))  # a date that differs by more than the second that it counts
        os.utime("a.xta", (1, 1))
        a.refresh()
        assert (a[...] == np.concatenate([values, more])).all()


def test_without_ranges(tmp_path):
    values = made("small", (4, 5))
    made("large", (100, 200))
    with Server(tmp_path, ranges=False) as server:
        with drx.open(f"{server.url}/small") as a:  # what fits into one answer needs no range
            assert (a[...] == values).all()
        with pytest.raises(NotImplementedError, match="large.xta: reading at offset 0: the server sends whole files, not ranges"):
            drx.open(f"{server.url}/large")


def test_empty_files(server):
    drx.create("a", (0, 5), chunks=(4, 5)).close()
    with drx.open(f"{server.url}/a") as a:
        assert a[...].shape == (0, 5)


def test_names(server):
    os.makedirs("some folder/größe%41")
    values = made("some folder/größe%41/a b+c&d")
    with pytest.raises(FileNotFoundError):  # what is encoded in a URL stays so
        drx.open(f"{server.url}/some folder/größe%41/a b+c&d")
    with drx.open(f"{server.url}/some folder/größe%2541/a b+c&d") as a:
        assert (a[...] == values).all()


@pytest.mark.parametrize("url, words", [
    ("http://127.0.0.1:1", "expected http://HOST/PATH"), ("http:///a", "expected http://HOST/PATH"),
    ("https://u:secret@h/a", "netrc"), ("http://h/a?b", "query"), ("http://h/a#b", "query"), ("http://h/a\nb", "0x0a"),
    ("s3://bucket", "expected s3://BUCKET/KEY"), ("s3:///a", "expected s3://BUCKET/KEY"),
    ("s3://Bu_cket/a", "expected s3://BUCKET/KEY"), ("http://h/" + "a" * 5000, "at most 4096")])
def test_bad_urls(url, words):
    with pytest.raises(ValueError, match=words) as caught:
        drx.open(url)
    assert "secret" not in str(caught.value)


def test_other_schemes_are_paths():
    for path in ("file:///tmp/none/a", "ftp://h/a", "http:/h/a", "httpx://h/a"):
        with pytest.raises(FileNotFoundError, match=f"the folder {path.split('/')[0]} does not exist"):
            drx.open(path)


def test_only_read(server):
    made("a")
    url = f"{server.url}/a"
    for mode in ("r+", "s"):
        with pytest.raises(PermissionError, match="lies on a server, and servers are read-only"):
            drx.open(url, mode)
    with pytest.raises(PermissionError):
        drx.create(f"{server.url}/b", (3,))
    with pytest.raises(PermissionError, match="servers are read-only"):
        drx.remove(url)
    with drx.open(url) as a:
        with pytest.raises(PermissionError, match="opened read-only"):
            a[0, 0] = 1
    with pytest.raises(PermissionError, match="servers are read-only"):
        drx.open_dataset(url, "r+")
    with pytest.raises(PermissionError):
        drx.create_dataset(f"{server.url}/ds")


def test_missing(server):
    with pytest.raises(FileNotFoundError, match="/none.xmd: the server has no such file"):
        drx.open(f"{server.url}/none")
    with pytest.raises(FileNotFoundError, match="/none/dataset.xds: the server has no such file"):
        drx.open_dataset(f"{server.url}/none")
    made("a")
    os.rename("a.xta", "b.xta")
    with pytest.raises(FileNotFoundError, match="a.xta: missing, only .*/a.xmd is there"):
        drx.open(f"{server.url}/a")


def test_no_server(server):
    server.close()
    with pytest.raises(OSError, match="/a.xmd: reading 65536 bytes at offset 0: .*onnect.*, 3 times; check the address"):
        drx.open(f"{server.url}/a")
    with pytest.raises(OSError, match="resolve"):
        drx.open("http://no-such-host.invalid/a")


def test_stripes_elsewhere(server, tmp_path):
    """Metadata from a server do not make this machine open its own files."""
    os.makedirs("away")
    made("a", stripes=[str(tmp_path / "away")])
    with pytest.raises(NotImplementedError, match="its stripe 0 is /.*a path on the server's own machine"):
        drx.open(f"{server.url}/a")


# ---- few requests ----

def test_requests_of_an_array(server):
    values = made("a", (700, 1300), chunks=(100, 130))
    with drx.open(f"{server.url}/a") as a:
        assert server.count() == 2  # the log and the first bytes of the elements, at once
        assert a[5, 6] == values[5, 6]
        assert server.count() <= 2  # a block, and the log once more after the first read
        for column in range(60):
            assert a[5, column] == values[5, column]
        assert server.count() == 0
        assert (a[...] == values).all()
        assert server.count() <= 9  # of 1 MiB
        a.refresh()
        assert server.count() == 2  # the log and the file


def test_requests_of_a_dataset(server):
    import xarray as xr

    rng = np.random.default_rng(2)
    ds = xr.Dataset({f"v{i}": (("time", "x"), rng.standard_normal((30, 20))) for i in range(10)},
                    coords={"time": np.arange(30.0)})
    drx.save_dataset(ds, "ds")
    server.delay = 0.15
    begun = time.monotonic()
    with drx.open_dataset(f"{server.url}/ds") as opened:
        arrays = {name: opened[name] for name in opened}
    assert time.monotonic() - begun < 0.15 * 2.9  # two round trips
    server.delay = 0
    with xr.open_dataset(f"{server.url}/ds", engine="drx") as read:
        xr.testing.assert_identical(read.load(), ds)
    with xr.open_dataset(f"{server.url}/ds/v3", engine="drx") as read:
        xr.testing.assert_identical(read.v3.load(), ds.v3)
    store = drx.zarr_store(f"{server.url}/ds")
    assert sorted({key.split("/")[0] for key in store if "/" in key}) == sorted(arrays)
    assert pickle.loads(pickle.dumps(store))["v1/.zarray"] == store["v1/.zarray"]


@pytest.mark.parametrize("tags", ["strong", "weak"])
def test_names_for_dask_follow_the_tags(tmp_path, tags):
    with Server(tmp_path, tags=tags) as server:
        def name(path):
            with xarray.open_dataset(f"{server.url}/{path}", engine="drx", chunks={}) as ds:
                return ds.v.data.name

        drx.save_dataset(xarray.Dataset({"v": ("t", np.arange(9.0)), "w": ("t", np.arange(9))}), "ds")
        made("v", compression="zstd")
        for path in ("ds", "ds/v", "v"):
            seen = {name(path)}
            assert name(path) in seen
            for _ in range(2):
                with drx.open("v" if path == "v" else "ds/v", "r+") as a:
                    a[...] = a[...] + 1
                assert name(path) not in seen
                seen.add(name(path))


def test_commits(server):
    import xarray as xr

    def part(first, n):
        return xr.Dataset({"v": (("t", "x"), np.arange(first * 3, (first + n) * 3.0).reshape(n, 3))},
                          coords={"t": np.arange(float(first), first + n)})

    drx.save_dataset(part(0, 4), "ds")
    with drx.open_dataset(f"{server.url}/ds") as ds, xr.open_dataset(f"{server.url}/ds", engine="drx") as lazy:
        assert ds["v"].shape == (4, 3)
        for first in (4, 7, 10):
            drx.append_dataset(part(first, 3), "ds", "t")
            assert ds["v"].shape == (first, 3)
            xr.testing.assert_identical(lazy.load(), part(0, 4))
            ds.refresh()
            assert ds["v"].shape == (first + 3, 3)
            assert (ds["v"][...] == np.arange((first + 3) * 3.0).reshape(-1, 3)).all()
        with drx.open_dataset(f"{server.url}/ds", at=1) as before:
            assert before["v"].shape == (4, 3)
            assert (before["v"][...] == part(0, 4).v.values).all()
        with drx.open_dataset("ds", "r+") as writer:
            writer.forget(3)
        drx.append_dataset(part(13, 3), "ds", "t")
        ds.refresh()
        assert ds["v"].shape == (16, 3) and ds.oldest == 3
        assert (ds["v"][...] == np.arange(48.0).reshape(-1, 3)).all()


# ---- S3 ----

@pytest.fixture
def bucket(tmp_path, monkeypatch):
    os.makedirs(tmp_path / "store" / "my-bucket" / "deep folder")
    with Server(tmp_path / "store", secret={"AKIDEXAMPLE": "very/secret+key"}) as running:
        monkeypatch.setenv("AWS_ENDPOINT_URL", running.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very/secret+key")
        monkeypatch.setenv("AWS_REGION", "eu-west-9")
        yield running


@pytest.mark.parametrize("kind", ["raw", "compressed", "checksummed"])
@pytest.mark.parametrize("name", ["a", "deep folder/größe (1) 50%?#=&+,;:@!$'*~"])
def test_s3(bucket, kind, name):
    values = made(f"store/my-bucket/{name}", (100, 200), **KINDS[kind])
    with drx.open(f"s3://my-bucket/{name}") as a:
        assert (a[...] == values).all()
        with drx.open(f"store/my-bucket/{name}", "r+") as grown:
            grown.append(np.ones((5, 200)), axis=0)
        a.refresh()
        assert (a[100:] == 1).all() and (a[:100] == values).all()


def test_s3_tokens(bucket, monkeypatch):
    values = made("store/my-bucket/a")
    seen = []
    bucket.fault = lambda request: seen.append(request.headers.get("x-amz-security-token"))
    monkeypatch.setenv("AWS_SESSION_TOKEN", "a+session/token==")
    with drx.open("s3://my-bucket/a") as a:
        assert (a[...] == values).all()
    assert set(seen) == {"a+session/token=="}


def test_a_server_that_refuses_what_it_lacks(server):
    """As S3 does where nobody may list the bucket."""
    drx.save_dataset(xarray.Dataset({"u": ("x", [1.0, 2.0])}), "ocean")
    made("a")
    server.fault = lambda request: not os.path.exists(request.file()) and (request.refuse(403) or True)
    with xarray.open_dataset(f"{server.url}/ocean", engine="drx") as ds:
        assert list(ds.u.values) == [1, 2]
    xarray.open_dataset(f"{server.url}/a", engine="drx").close()
    with pytest.raises(PermissionError, match="none.xmd: the server answered 403"):
        xarray.open_dataset(f"{server.url}/none", engine="drx")


def test_s3_refuses(bucket, monkeypatch):
    made("store/my-bucket/a")
    with pytest.raises(FileNotFoundError, match="s3://my-bucket/none.xmd: the server has no such file"):
        drx.open("s3://my-bucket/none")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(PermissionError, match=r"s3://my-bucket/a.xmd: the server answered 403 \(SignatureDoesNotMatch\)"):
        drx.open("s3://my-bucket/a")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(PermissionError, match="belong together, and one is not set"):
        drx.open("s3://my-bucket/a")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(PermissionError, match="403"):
        drx.open("s3://my-bucket/a")
    bucket.secret = None  # a public bucket
    drx.open("s3://my-bucket/a").close()
    bucket.fault = lambda request: request.refuse(301, x_amz_bucket_region="eu-north-7") or True
    with pytest.raises(OSError, match="the bucket is in the region eu-north-7: set AWS_REGION"):
        drx.open("s3://my-bucket/a")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "localhost:9000")
    with pytest.raises(ValueError, match="expected a URL with http"):
        drx.open("s3://my-bucket/a")
