"""Folders of arrays without dataset.xds, as earlier versions saved them: how they open, and become datasets."""

import errno
import json
import os
import shutil

import drx
import numpy as np
import pytest
import xarray as xr
from drx import fitting, form
from struck import output_of_itself, struck, was_struck


def save_earlier(ds, folder):
    """What save_dataset did before there was dataset.xds."""
    variables, attrs = fitting.encode_dataset(ds)
    os.makedirs(folder)
    for name, variable in variables.items():
        attributes, shape, dims = dict(variable.attrs), variable.shape, variable.dims
        if not dims:
            attributes["drx_form"], shape, dims = "scalar", (1,), (None,)
        with drx.create(f"{folder}/{name}", shape, variable.dtype, fill_value=attributes.get("_FillValue"), dims=dims,
                        attrs=form.dumped_attributes(attributes)) as array:
            array[...] = np.asarray(variable.values)
    drx.create(f"{folder}/_dataset", (0,), "int8", attrs=form.dumped_attributes(attrs)).close()
    return folder


def dataset(first, days):
    t = np.arange(first, first + days)
    return xr.Dataset({"a": ("t", t * 1.0), "b": (("t", "x"), np.stack([t, -t], 1).astype("int32"))},
                      coords={"t": t, "x": ["\u00e9", "long"], "height": 2.5},
                      attrs={"title": "two", "of": ["a", None], "version": 3})


def shown(folder, **options):
    with xr.open_dataset(folder, engine="drx", **options) as seen:
        return seen.load()


@pytest.fixture
def folder(tmp_path):
    return save_earlier(dataset(0, 3), str(tmp_path / "d"))


def test_it_opens_as_before(folder):
    before = sorted(os.listdir(folder))
    xr.testing.assert_identical(shown(folder), dataset(0, 3))
    assert sorted(os.listdir(folder)) == before and "dataset.xds" not in before
    with pytest.raises(ValueError, match="no dataset with commits"):
        shown(folder, at=0)


def check_adopted(folder):
    assert not [name for name in os.listdir(folder) if name.startswith("_")]
    with drx.open_dataset(folder) as ds:
        assert [c.message for c in ds.commits[:2]] == ["adopted", "attributes"]
        assert ds.dims_of("height") == () and set(ds.dims) == {"t", "x", "x_bytes"}
        assert ds.attrs["title"] == "two"


def test_an_append_makes_it_a_dataset(folder):
    assert drx.append_dataset(dataset(3, 4), folder, "t") == 7
    check_adopted(folder)
    xr.testing.assert_identical(shown(folder), dataset(0, 7))
    for at in (0, 1):
        xr.testing.assert_identical(shown(folder, at=at), dataset(0, 3))


def test_saving_into_it_makes_it_a_dataset(folder):
    with pytest.raises(FileExistsError, match="a, b"):
        drx.save_dataset(dataset(0, 2), folder)
    drx.save_dataset(xr.Dataset({"c": ("t", [1, 2, 3])}, attrs=dataset(0, 1).attrs), folder)
    check_adopted(folder)
    xr.testing.assert_identical(shown(folder), dataset(0, 3).assign(c=("t", [1, 2, 3])))
    drx.save_dataset(dataset(0, 2).assign(c=("t", [1, 2])), folder, overwrite=True)
    assert shown(folder).sizes["t"] == 2


def test_a_region_makes_it_a_dataset(folder):
    drx.save_dataset(xr.Dataset({"a": ("t", [7.0])}), folder, region={"t": slice(1, 2)})
    check_adopted(folder)
    assert list(shown(folder).a) == [0, 7, 2]


def test_axes_without_names(tmp_path):
    """They have nothing to do with each other, and get the names that xarray shows."""
    folder = str(tmp_path)
    for name, shape in (("a", (3, 4)), ("b", (5,)), ("c", (1,))):
        drx.create(f"{folder}/{name}", shape).close()
    ds = shown(folder)
    assert {name: dict(one.sizes) for name, one in ds.items()} == {
        "a": {"a_dim_0": 3, "a_dim_1": 4}, "b": {"b_dim_0": 5}, "c": {"c_dim_0": 1}}
    assert drx.append_dataset(ds[["b"]] + 1, folder, "b_dim_0") == 10
    back = shown(folder)
    assert list(back.b) == [0] * 5 + [1] * 5 and dict(back.c.sizes) == {"c_dim_0": 1}


def test_what_cannot_be_a_dataset(folder):
    """Variables of unlike extents: nobody knows what counts."""
    with drx.open(folder + "/b", "r+") as b:
        b.append(np.zeros((2, 2), "int32"))
    for _ in range(2):
        with pytest.raises(ValueError, match="'t' has bound 5 in b, but 3 in .*drx.save_dataset.xarray.open_dataset"):
            drx.append_dataset(dataset(3, 1), folder, "t")
        with pytest.warns(UserWarning, match="b has grown"):
            seen = shown(folder)
        xr.testing.assert_identical(seen, dataset(0, 3))
    drx.save_dataset(seen, folder + "-2")  # as the message says
    assert drx.append_dataset(dataset(3, 1), folder + "-2", "t") == 4


@pytest.mark.filterwarnings("ignore:.*has grown")
def test_marks_of_changes_that_were_cut_off(folder):
    def mark(text):
        with open(folder + "/_unfinished.json", "w", encoding="utf-8") as file:
            file.write(text if isinstance(text, str) else json.dumps(text))

    for text in ("{}", "[]", '{"save": '):
        mark(text)
        with pytest.raises(ValueError, match="not the mark of an unfinished change"):
            drx.append_dataset(dataset(3, 2), folder, "t")
    mark({"save": ["a", "b"]})
    for call in (lambda: shown(folder), lambda: drx.append_dataset(dataset(3, 2), folder, "t"),
                 lambda: drx.save_dataset(dataset(3, 2), folder, overwrite=True)):
        with pytest.raises(ValueError, match="a part of a, b; remove the folder and save the dataset again"):
            call()
    mark({"append": "t", "from": 3, "to": {"a": 5, "b": 5, "t": 5}, "last": "t"})
    with drx.open(folder + "/a", "r+") as a:
        a.append([8.0, 9.0])
    with pytest.raises(ValueError, match="'t' has bound 3 in b, but 5 in others"):
        drx.append_dataset(dataset(3, 2), folder, "t")
    xr.testing.assert_identical(shown(folder), dataset(0, 3))
    with drx.open(folder + "/b", "r+") as b, drx.open(folder + "/t", "r+") as t:  # the append has become complete
        b.append(np.array([[3, -3], [4, -4]], "int32"))
        t.append([3, 4])
    assert drx.append_dataset(dataset(5, 2), folder, "t") == 7
    check_adopted(folder)


# ---- the n-th call on its files fails, or the process is killed before it --------------------------------------------

def append():
    drx.append_dataset(dataset(3, 4).chunk({"t": 2}), "subject", "t")


def check():
    """3 days are there, or all 7, and an append goes on from there."""
    there = shown("subject").sizes["t"]
    assert there in (3, 7)
    xr.testing.assert_identical(shown("subject"), dataset(0, there))
    assert drx.append_dataset(dataset(there, 2), "subject", "t") == there + 2
    xr.testing.assert_identical(shown("subject"), dataset(0, there + 2))
    check_adopted("subject")


def strike_each(step, error):
    n = 1 - step
    while n < 1 or was_struck():
        n += step
        shutil.rmtree("subject", ignore_errors=True)
        save_earlier(dataset(0, 3), "subject")
        if error:
            struck(append, n, error)
        else:
            child = os.fork()
            if child == 0:
                struck(append, n, error)
                os._exit(0)
            os.waitpid(child, 0)
        check()
    return n


def main():
    print(strike_each(19, 0), strike_each(67, errno.EIO))


def test_each_call(tmp_path):
    counts = [int(n) for n in output_of_itself(__file__, tmp_path).split()]
    assert len(counts) == 2 and all(n > 30 for n in counts), counts


if __name__ == "__main__":
    main()
