"""Changes files while the n-th call fails, or kills the process before it, with fault/preload/fail_call.c.

A test runs itself as a program behind that library (test_itself), which calls `struck`."""

import contextlib
import ctypes
import os
import subprocess
import sys

import pytest

PRELOAD = os.path.join(os.environ.get("DRX_BUILD", "build/dev"), "tests", "libfail_call.so")
MARK = "struck"  # the file that is there when a call was struck
CALLS = "open,close,pread,pwrite,fdatasync,fsync,ftruncate,linkat,link,renameat2,rename,unlink"


def struck(call, n, error):
    """call() with its n-th call on `subject` failing, or the process killed before it (error 0): its errno, or None."""
    os.environ.update(FAIL_NTH=str(n), FAIL_ERRNO=str(error), FAIL_MARK=MARK, FAIL_CALL=CALLS)
    ctypes.CDLL(PRELOAD).fail_call_reset()
    try:
        call()
        return None
    except OSError as caught:
        assert caught.errno is not None and "subject" in str(caught), caught
        return caught.errno
    finally:
        os.environ["FAIL_CALL"] = ""


def was_struck():
    """Was a call struck since this was asked last?"""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(MARK)
        return True
    return False


def output_of_itself(test, folder):
    """What the program that the test is prints, behind the library."""
    if not os.path.exists(PRELOAD):
        pytest.skip("nothing to load before Python")
    result = subprocess.run([sys.executable, os.path.abspath(test)], cwd=folder, check=False, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, "LD_PRELOAD": PRELOAD, "FAIL_FILE": "subject", "FAIL_CALL": ""})
    assert (result.returncode, result.stderr) == (0, ""), result
    return result.stdout
