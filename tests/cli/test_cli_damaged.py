"""The program drx: HDF5 files with a changed byte are read or refused, and drx does not crash.

HDF5 itself does not survive each change, nor does the library of netCDF, which looks whether it is a dataset. HDF5
believes the lengths in a heap of strings of varying length (H5HG_read): it copies so much of its own memory, or looks for the end of the heap for ever. What comes of it depends on what lies
there, so these bytes stay as they are. Other bytes may have such effects, too: a crash, or a run of 300 s, fails a test
only when the innermost function is not one of these libraries."""

import re

import numpy as np

import h5_file
from drx_cli import RANDOM, TORTURE, CliTest, need, read_file, write_file
from h5_file import H5File

need(h5_file.LIBRARY)


def crashed_in(error):
    """Whose function was the innermost, of those libraries' and drx's, when the run that wrote this crashed; None: none has.

    The stack is what run_server.c writes, or AddressSanitizer."""
    frames = re.findall(r"^(?: *#\d+ .*|/.*\[0x[0-9a-f]+\])$", error, re.MULTILINE)
    for frame in frames:
        if re.search("libhdf5|libnetcdf", frame):
            return "hdf5"
        if re.search(r"run_server|libexec|libdrx|/cli/|(?<!\.\./\.\.)/src/", frame):
            return "drx"
    return "another library" if frames else None


class Damaged(CliTest):
    def setUp(self):
        super().setUp()
        with H5File("in.h5") as file, file.dataset("u", np.arange(6.0)) as u:
            u.att("units", "m")
            u.att("fixed", b"m")
        self.content = read_file("in.h5")
        heap = self.content.index(b"GCOL")  # its length, that of its object, and that of what is free
        self.lengths = [heap + at + i for at in (8, 24, 48) for i in range(8)]

    def check(self, content, case):
        write_file("in.h5", content)
        done = self.run_drx("import", "in.h5", "b", "--force")
        error = done.stderr.decode(errors="replace")
        if done.returncode not in (0, 1) or crashed_in(error):
            self.assertEqual(crashed_in(error), "hdf5", (case, done.returncode, error))

    def test_any_byte(self):
        step = 23 if TORTURE else 97
        for i in set(range(RANDOM.randrange(step), len(self.content), step)) - set(self.lengths):
            self.check(self.content[:i] + bytes([self.content[i] ^ 0xff]) + self.content[i + 1:], i)

    def test_whose_crash_it_is(self):
        libc = "/lib/x86_64-linux-gnu/libc.so.6(+0x3c050)[0x7f60]"
        hdf5 = "/lib/libhdf5_serial.so.103(H5HG_read+0x1c3)[0x7f61]"
        drx = "/x/build/tests/run_server(+0x4ab2)[0x55d0]"
        report = "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60"
        copying = "    #0 0x4a in __interceptor_memcpy ../../../../src/libsanitizer/interceptors.inc:827"
        own = "    #2 0x55 in copy_strings /x/cli/formats/h5/h5_attributes.c:118"
        reading = "    #1 0x7f in H5HG_read (/lib/libhdf5_serial.so.103+0x1b)"
        for lines, where in (([libc, libc, hdf5, drx], "hdf5"), ([libc, drx, hdf5, drx], "drx"),
                             ([libc], "another library"), (["drx import: in.h5: cannot read /x/libhdf5.so"], None),
                             ([report, copying, reading, own], "hdf5"), ([report, copying, own], "drx")):
            self.assertEqual(crashed_in("\n".join(lines)), where)
