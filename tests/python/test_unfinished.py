"""A dataset that is saved or appended to, with the n-th call on its files failing, or the process killed before it."""

import errno
import os
import shutil
import warnings

import drx
import numpy as np
import pytest
import xarray as xr
from struck import output_of_itself, struck, was_struck


def dataset(first, days):
    t = np.arange(first, first + days)
    return xr.Dataset({"a": ("t", t * 1.0), "b": (("t", "x"), np.stack([t, -t], 1).astype("int32"))}, coords={"t": t})


def shown(folder):
    """The dataset as a reader sees it; None: it says that it is not complete."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with xr.open_dataset(folder, engine="drx") as seen:
                return seen.load()
        except (FileNotFoundError, ValueError) as error:
            assert any(text in str(error) for text in ("o such", "without a .xmd", "is not complete")), error
            return None


def append_in_two(folder="subject"):
    drx.append_dataset(dataset(3, 4).chunk({"t": 2}), folder, "t")


def save_again(folder="subject"):
    drx.save_dataset(dataset(0, 2), folder, overwrite=True)


def check_append(folder):
    """3 days are there, or 5, or all 7; and an append of others goes on from there, whatever was left behind."""
    seen = shown(folder)
    assert seen.sizes["t"] in (3, 5, 7), seen.sizes
    xr.testing.assert_identical(seen, dataset(0, seen.sizes["t"]))
    for days in (1, 5):
        there = shown(folder).sizes["t"]
        assert drx.append_dataset(dataset(there, days), folder, "t") == there + days
        xr.testing.assert_identical(shown(folder), dataset(0, there + days))


def check_save(folder):
    """The old dataset, the new one, or none until it is saved again."""
    seen = shown(folder)
    if seen is None:
        with pytest.raises(ValueError, match="cut off|no array"):
            drx.append_dataset(dataset(3, 1), folder, "t")
    else:
        xr.testing.assert_identical(seen, dataset(0, seen.sizes["t"]))
        assert seen.sizes["t"] in (2, 3)
    save_again(folder)
    xr.testing.assert_identical(shown(folder), dataset(0, 2))


def strike_each(change, check, error):
    n = 0
    while n == 0 or was_struck():
        n += 1
        shutil.rmtree("subject", ignore_errors=True)
        drx.save_dataset(dataset(0, 3), "subject")
        if error:
            assert struck(change, n, error) in (None, error)
        else:
            child = os.fork()
            if child == 0:
                struck(change, n, error)
                os._exit(0)
            os.waitpid(child, 0)
        check("subject")
    return n


def main():
    for change, check, error in ((append_in_two, check_append, 0), (append_in_two, check_append, errno.EIO),
                                 (save_again, check_save, 0)):
        print(strike_each(change, check, error))


def test_each_call(tmp_path):
    assert all(int(n) > 30 for n in output_of_itself(__file__, tmp_path).split())


def test_unlike_extents(tmp_path):
    """What is committed stays, whatever the extents suggest."""
    folder = str(tmp_path / "d")
    drx.save_dataset(xr.Dataset({"a": ("time", np.arange(20.0))}), folder)
    short = xr.Dataset({"b": ("time", np.arange(5.0))})
    with pytest.raises(ValueError, match="5 indices along 'time', the stored variable 'a' has 20"):
        drx.save_dataset(short, folder)
    assert not os.path.exists(folder + "/b.xmd")
    drx.save_dataset(short, str(tmp_path / "e"))
    for end in (".xmd", ".xta"):
        shutil.copy(tmp_path / f"e/b{end}", tmp_path / f"d/b{end}")
    two = xr.Dataset({"a": ("time", [-1.0, -2.0]), "b": ("time", [-1.0, -2.0])})
    with pytest.raises(ValueError, match="unlike extents along 'time': a 20, b 5"):
        drx.append_dataset(two, folder, "time")
    with drx.open(folder + "/a") as a, drx.open(folder + "/b") as b:
        np.testing.assert_array_equal(a[...], np.arange(20.0))
        assert b.shape == (5,)


@pytest.mark.filterwarnings("ignore:.*has grown")
def test_marks_that_do_not_fit(tmp_path, monkeypatch):
    folder = str(tmp_path / "d")
    drx.save_dataset(dataset(0, 3), folder)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        def interrupted(*_, **__):
            raise KeyboardInterrupt
        patch.setattr(drx.Array, "append", interrupted)
        drx.append_dataset(dataset(3, 2), folder, "t")
    mark = (tmp_path / "d/_unfinished.json").read_text()
    wide = xr.Dataset({"b": (("t", "x"), np.zeros((5, 1), "int32"))})
    with pytest.raises(ValueError):  # along another axis
        drx.append_dataset(wide, folder, "x")
    with pytest.raises(ValueError, match="a change of a, b, t was cut off"):
        drx.save_dataset(xr.Dataset({"c": ("y", [1.0])}), folder)
    with drx.open(folder + "/a", "r+") as a:
        a.append([100.0])  # by hand, past what the mark tells of
    with pytest.raises(ValueError, match="does not belong to the variables as they are: a 6, b 5, t 3"):
        drx.append_dataset(dataset(3, 2), folder, "t")
    for text in ("{}", "[]", '{"save": 1}', mark.replace('"from": 3', '"from": -3'), mark[:-3]):
        (tmp_path / "d/_unfinished.json").write_text(text)
        with pytest.raises(ValueError, match="not the mark of an unfinished change"):
            drx.append_dataset(dataset(3, 2), folder, "t")


if __name__ == "__main__":
    main()
