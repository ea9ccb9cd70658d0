"""A dataset that is saved or appended to, with the n-th call on its files failing, or the process killed before it."""

import errno
import glob
import os
import shutil

import by_hand  # noqa: F401
import drx
import xarray as xr
from struck import output_of_itself, struck, was_struck
from test_commits import dataset, opened


def append_in_two():
    drx.append_dataset(dataset(3, 4).chunk({"t": 2}), "subject", "t")


def check_append():
    """3 days are there, or all 7, and an append goes on from there."""
    there = opened("subject").sizes["t"]
    assert there in (3, 7)
    xr.testing.assert_identical(opened("subject"), dataset(0, there))
    assert drx.append_dataset(dataset(there, 2), "subject", "t") == there + 2
    xr.testing.assert_identical(opened("subject"), dataset(0, there + 2))


def save_again():
    drx.save_dataset(dataset(0, 2), "subject", overwrite=True)


def check_save():
    """The old dataset is there, or the new one."""
    there = opened("subject").sizes["t"]
    assert there in (2, 3)
    xr.testing.assert_identical(opened("subject"), dataset(0, there))
    drx.save_dataset(dataset(0, 1), "subject", overwrite=True)
    xr.testing.assert_identical(opened("subject"), dataset(0, 1))


def save_new():
    drx.save_dataset(dataset(0, 3), "subject")


def check_new():
    """Nothing, an empty dataset, or a whole one."""
    if os.path.exists("subject/dataset.xds"):
        seen = opened("subject")
        assert not seen.variables or seen.identical(dataset(0, 3))
    drx.save_dataset(dataset(0, 2), "subject", overwrite=True)
    xr.testing.assert_identical(opened("subject"), dataset(0, 2))


def strike_each(change, check, step, error):
    n = 1 - step
    while n < 1 or was_struck():
        n += step
        for left in ["subject", *glob.glob(".subject.*")]:
            shutil.rmtree(left, ignore_errors=True)
        if change is not save_new:
            drx.save_dataset(dataset(0, 3), "subject")
        if error:
            struck(change, n, error)
        else:
            child = os.fork()
            if child == 0:
                struck(change, n, error)
                os._exit(0)
            os.waitpid(child, 0)
        check()
    return n


def main():
    for change, check, step in ((append_in_two, check_append, 2), (save_again, check_save, 7),
                                (save_new, check_new, 5)):
        print(strike_each(change, check, step, 0), strike_each(change, check, step, errno.EIO))


def test_each_call(tmp_path):
    counts = [int(n) for n in output_of_itself(__file__, tmp_path).split()]
    assert len(counts) == 6 and all(n > 30 for n in counts), counts


if __name__ == "__main__":
    main()
