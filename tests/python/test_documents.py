"""The Python examples of the documents do what they say."""

import doctest
import os
import pathlib
import shutil

import by_hand  # noqa: F401
import pytest

SOURCE = pathlib.Path(os.environ["DRX_SOURCE"])


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("name", ["docs/python.md", "docs/zarr.md", "README.md"])
def test_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    copy = tmp_path / "document.txt"
    copy.write_text("\n".join(line for line in (SOURCE / name).read_text().splitlines() if not line.startswith("```")))
    failed, tried = doctest.testfile(str(copy), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0 and tried > 2
    shutil.rmtree(tmp_path, ignore_errors=True)
