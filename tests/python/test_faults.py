"""What Python says when a system call fails: an OSError that names the file, and a package that goes on.

The test runs itself as a program behind fault/preload/fail_call.c, which lets the n-th call on its files fail."""

import ctypes
import errno
import os
import shutil
import subprocess
import sys

import drx
import numpy as np
import pytest

PRELOAD = os.path.join(os.environ.get("DRX_BUILD", "build/dev"), "tests", "libfail_call.so")
CALLS = "open,close,pread,pwrite,fdatasync,fsync,ftruncate,linkat,link,renameat2,rename,unlink"
VALUES = np.arange(70, dtype="int32").reshape(7, 10)


def scene(path):
    """Everything that touches files; returns what was read last."""
    with drx.create(path, (5, 10), "int32", chunks=(3, 4), fill_value=-1, overwrite=True) as a:
        a[...] = VALUES[:5]
        a.append(VALUES[5:])
        a.attrs["title"] = "text"
        a[0, ::3] = 5
        a[0] = VALUES[0]
        a.sync()
    with drx.open(path) as a:
        return a[...], a.attrs["title"]


def fail_nth(preloaded, n, error):
    """The error, or None."""
    shutil.rmtree("subject", ignore_errors=True)
    os.mkdir("subject")
    os.environ.update(FAIL_NTH=str(n), FAIL_ERRNO=str(error), FAIL_MARK="subject/struck", FAIL_CALL=CALLS)
    preloaded.fail_call_reset()
    try:
        values, title = scene("subject/a")
        assert np.array_equal(values, VALUES) and title == "text"
    except OSError as caught:
        assert caught.errno is not None and "subject" in str(caught), caught
        return caught
    finally:
        os.environ["FAIL_CALL"] = ""
    return None


def main():
    preloaded, failed = ctypes.CDLL(PRELOAD), 0
    for error in errno.EIO, errno.ENOSPC:
        descriptors, n = len(os.listdir("/proc/self/fd")), 1
        while n == 1 or os.path.exists("subject/struck"):
            failed += fail_nth(preloaded, n, error) is not None
            assert len(os.listdir("/proc/self/fd")) == descriptors
            values, title = scene("subject/a")
            assert np.array_equal(values, VALUES) and title == "text"
            n += 1
    print(failed)


def test_each_call(tmp_path):
    if not os.path.exists(PRELOAD):
        pytest.skip("nothing to load before Python")
    result = subprocess.run([sys.executable, os.path.abspath(__file__)], cwd=tmp_path, check=False, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, "LD_PRELOAD": PRELOAD, "FAIL_FILE": "subject", "FAIL_CALL": ""})
    assert (result.returncode, result.stderr) == (0, "")
    assert int(result.stdout) > 50


if __name__ == "__main__":
    main()
