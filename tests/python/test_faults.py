"""What Python says when a system call fails: an OSError that names the file, and a package that goes on."""

import errno
import os
import shutil

import by_hand  # noqa: F401
import drx
import numpy as np
from struck import output_of_itself, struck, was_struck

VALUES = np.arange(70, dtype="int32").reshape(7, 10)


def scene(path="subject/a"):
    """Everything that touches files; what was read last is right."""
    with drx.create(path, (5, 10), "int32", chunks=(3, 4), fill_value=-1, overwrite=True) as a:
        a[...] = VALUES[:5]
        a.append(VALUES[5:])
        a.attrs["title"] = "text"
        a[0, ::3] = 5
        a[0] = VALUES[0]
        a.sync()
    with drx.open(path) as a:
        assert np.array_equal(a[...], VALUES) and a.attrs["title"] == "text"


def main():
    failed = 0
    for error in errno.EIO, errno.ENOSPC:
        descriptors, n = len(os.listdir("/proc/self/fd")), 1
        while n == 1 or was_struck():
            shutil.rmtree("subject", ignore_errors=True)
            os.mkdir("subject")
            failed += struck(scene, n, error) is not None
            assert len(os.listdir("/proc/self/fd")) == descriptors
            scene()
            n += 1
    print(failed)


def test_each_call(tmp_path):
    assert int(output_of_itself(__file__, tmp_path)) > 50


if __name__ == "__main__":
    main()
