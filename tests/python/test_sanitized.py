"""With AddressSanitizer under Python: it sees what the library does with memory of NumPy."""

import os
import subprocess
import sys

import by_hand  # noqa: F401
import pytest

OVERFLOW = '''
import drx
import numpy as np

with drx.create(None, (1000,), "int64", chunks=(1000,)) as a:
    a[...] = np.arange(1000)
    assert a[999] == 999
    memory = np.empty(999, "int64")
    a._move(False, (0,), (1000,), (1,), memory)  # one element more than the memory has
'''


@pytest.mark.skipif("libasan" not in os.environ.get("LD_PRELOAD", ""), reason="not under AddressSanitizer")
def test_it_looks():
    """A read past the end of an array of NumPy is reported: the sanitizer is there, and nothing hides it."""
    told = subprocess.run([sys.executable, "-c", OVERFLOW], capture_output=True, text=True, check=False)
    assert told.returncode != 0 and "heap-buffer-overflow" in told.stderr, told.stderr
    assert "drx" in told.stderr
