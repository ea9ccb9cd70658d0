"""Lists of many boxes, which come many at a time from a disk, against NumPy. DRX_SEED and DRX_SAMPLE choose others, and how
many."""

import itertools
import os
import random

import by_hand  # noqa: F401
import drx
import numpy as np
import pytest
from drx import many

SEED = int(os.environ.get("DRX_SEED", random.randrange(1 << 32)))
KEYS = int(60 * float(os.environ.get("DRX_SAMPLE", 1)))


def drawn_list(rng, size):
    """Mostly few different indices, so that runs are short."""
    return rng.integers(-size, size, rng.integers(0, 12))


def drawn_item(rng, size):
    if rng.random() < 0.6:
        return drawn_list(rng, size)
    return slice(int(rng.integers(0, size)), None, int(rng.integers(1, 4)))


@pytest.fixture
def as_from_disk(monkeypatch):
    """Each look at the counter says that the calls before it read the file."""
    calls = itertools.count(0, 1000)
    monkeypatch.setattr(drx.array.Array, "_calls", lambda self: next(calls))


@pytest.mark.parametrize("list_elements", [0, 20, 1 << 20])
@pytest.mark.parametrize("checksum", [False, True])
@pytest.mark.parametrize("kind", ["int32", "S3", "zstd"])
def test_random_lists(tmp_path, monkeypatch, as_from_disk, list_elements, checksum, kind):
    print(f"DRX_SEED={SEED}")
    monkeypatch.setattr(many, "FEW", 1)
    monkeypatch.setattr(many, "TOGETHER", 7)
    monkeypatch.setattr(many, "PENDING", 3)
    monkeypatch.setattr(many, "LIST_ELEMENTS", list_elements)
    monkeypatch.setattr(drx.array, "BOX_ELEMENTS", 1)
    monkeypatch.setattr(drx.fancy, "BOX_ELEMENTS", 1)
    monkeypatch.setattr(drx.fancy, "DENSE", 0)
    if checksum and kind == "zstd":
        pytest.skip("compressed chunks have checksums of their own")
    rng = np.random.default_rng(SEED)
    for number in range(KEYS):
        shape = tuple(rng.integers(1, 30, rng.integers(1, 4)))
        values = rng.integers(0, 1000, shape).astype("int32" if kind == "zstd" else kind)
        with drx.create(tmp_path / f"a{number}", shape, values.dtype, chunks=rng.integers(1, 9, len(shape)),
                        lower=rng.integers(-9, 9, len(shape)), checksum=checksum and kind != "zstd",
                        compression="zstd" if kind == "zstd" else None) as a:
            a[...] = values
            items = tuple(drawn_item(rng, n) for n in shape)
            lists = [np.arange(n)[item] for n, item in zip(shape, items)]
            np.testing.assert_array_equal(a.oindex[items], values[np.ix_(*lists)])
            mixed = (drawn_list(rng, shape[0]),) + tuple(slice(int(rng.integers(0, n)), None, int(rng.integers(1, 3)))
                                                        for n in shape[1:])
            np.testing.assert_array_equal(a[mixed], values[mixed])


def test_damage(tmp_path, monkeypatch, as_from_disk):
    """A chunk that does not match is told, and what is under way ends first."""
    monkeypatch.setattr(many, "PENDING", 3)
    with drx.create(tmp_path / "a", (200, 40), "float64", chunks=(1, 40), checksum=True) as a:
        a[...] = np.arange(8000).reshape(200, 40)
    with open(tmp_path / "a.xta", "r+b") as f:
        f.seek(150 * 320)
        f.write(b"x")
    with drx.open(tmp_path / "a") as a:
        rows = np.arange(0, 200, 3)
        np.testing.assert_array_equal(a.oindex[rows[rows != 150], :][:, 7], rows[rows != 150] * 40 + 7)
        with pytest.raises(drx.ChecksumError, match="chunk 150"):
            a.oindex[rows.tolist() + [199], :]
        assert a[3, 7] == 127
    assert a.closed


def test_from_the_disk(tmp_path, monkeypatch):
    """Of a file that is not in memory the boxes come together, and of one that is, one by one."""
    groups = []
    plain = many.read_together
    monkeypatch.setattr(many, "read_together", lambda array, boxes: (groups.append(len(boxes)), plain(array, boxes)))
    rng = np.random.default_rng(SEED)
    rows = (rng.permutation(1 << 9)[:300] << 9) + rng.integers(0, 400, 300)  # reading one brings no other into memory
    values = rng.random((300, 40))
    with drx.create(tmp_path / "a", (1 << 18, 1024), "float64", chunks=(1, 1024)) as a:
        a.oindex[rows, :40] = values
        a.sync()
    name = str(tmp_path / "a.xta")
    with drx.open(tmp_path / "a") as a:
        np.testing.assert_array_equal(a.oindex[rows, :40], values)
        groups.clear()
        np.testing.assert_array_equal(a.oindex[rows, :40], values)
        assert groups == []
    with drx.open(tmp_path / "a") as a:
        with open(name, "rb") as f:
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        before = a._calls()
        a[rows[0], :40]
        if a._calls() == before:
            pytest.skip("the file system keeps its files in memory")
        np.testing.assert_array_equal(a.oindex[rows, :40], values)
        assert sum(groups) > 200
