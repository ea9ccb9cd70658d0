"""mypy takes a program that uses the package, and finds each wrong call in another."""

import os
import pathlib
import subprocess
import sys

import by_hand  # noqa: F401
import drx
import pytest

PACKAGE = pathlib.Path(drx.__file__).parent

PROGRAM = '''
import drx
import numpy as np

a = drx.create("a", (0, 4, 6), "float32", dims=("time", "y", "x"), attrs={"units": "K", "names": ["a", "b"]})
shape: tuple[int, ...] = a.append(np.zeros((2, 4, 6), np.float32), axis="time")
values: np.ndarray = a.read({"time": 0}, order="F")
part: np.ndarray = a[[0, 1], :, [2, 3]]
a[a[...] > 1] = 0
box: tuple[slice, ...] = a.reserve("time", 1)
a.trim("time", before=1)
a.add_axis("x", "run")
advice = a.advise([{"time": 1}])
chunks: tuple[int, ...] = advice.chunks
seconds: float = advice.requests[0].before.seconds
svg: str = a.map(axes=("y", "x")).svg()
request: drx.Request = a.read_async()
request.wait()
with drx.open("a", "r") as reader:
    compression: str | None = reader.compression
with drx.create_dataset("ds") as ds, ds.transaction("first"):
    variable = ds.add("v", ("t",), (3,), compression="zstd")
    variable[...] = 1
for finding in drx.check("a"):
    print(finding.severity, finding.text)
with drx.open_dataset("ds", "r+") as ds:
    group: drx.Group = ds.add_group("g", {"source": "argo"})
    inside: drx.dataset.Variable = group.add("w", ("t",), dtype="int8")
    ds.rename("g/w", "g/u", what="variable")
    extents: dict[str, int] = ds.groups["g"].dims
    ds.dim_attrs("t")["axis"] = "T"
drx.copy("a", "b", axes=("x", "y", "time", "run"), order="F")
'''

WRONG = '''
import drx

a = drx.open("a")
a.append()
a.extend("time", by="many")
a.no_such_method()
drx.create("a", (1,), order="K")
'''


def mypy(program):
    return subprocess.run([sys.executable, "-m", "mypy", "--python-version", "3.11", "--cache-dir", "cache", "--pretty",
                           "--follow-imports", "silent", str(program)], capture_output=True, text=True, check=False,
                          env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})


def test_mypy(tmp_path, monkeypatch):
    """It finds the package typed, a program right, and each wrong call."""
    pytest.importorskip("mypy")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").write_text(PROGRAM)
    told = mypy("program.py")
    assert told.returncode == 0, told.stdout + told.stderr
    (tmp_path / "wrong.py").write_text(WRONG)
    told = mypy("wrong.py")
    for line in (5, 6, 7, 8):
        assert f"wrong.py:{line}: error" in told.stdout, told.stdout + told.stderr
