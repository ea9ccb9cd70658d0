"""Logs that a hostile writer could make, with right checksums: the library and the reader of spec judge each alike. And what the
specification says of links, of the names of folders, and of the start of a machine. Called with the path of the program drx.

DRX_GOLDEN_SEED and DRX_GOLDEN_LOGS choose other random logs, and how many.
"""
import os
import random
import struct
import subprocess
import sys
import unittest

import numpy as np

from golden import BUILD, DRX, SEED, compile_program, judged, read, statuses
from make_log import Log, array, attribute, dimension, head, text, variable
import checksum
from store import ATTRIBUTE, DIMENSION, GROW, RENAME, TRIM, VARIABLE

LOGS = int(os.environ.get("DRX_GOLDEN_LOGS", 600))
LEAST, MOST = -1 << 62, (1 << 63) - 1
ZSTD = dict(codec=1, level=5, shuffle=2)
GOOD, DAMAGE = ("DRX_OK", "DRX_OK"), ("DRX_OK", "DRX_EDAMAGED")
FORMAT, REFUSED, DAMAGED, MISSING = ((f"DRX_{word}",) * 2 for word in "EFORMAT EUNSUPPORTED EDAMAGED ENOENT".split())


class Hostile(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.golden_status = compile_program("golden_status")

    def check(self, cases):
        """[(what, the log or its bytes, statuses or None)], beside empty files of all kinds; what each is judged."""
        paths = [f"case{i}" for i in range(len(cases))]
        for path, (_, log, _) in zip(paths, cases):
            with open(path + ".xmd", "wb") as file:
                file.write(log.data if isinstance(log, Log) else log)
            for suffix in ".xta", ".xcs", ".xtz", ".xct":
                open(path + suffix, "wb").close()
        mine = [judged(path) for path in paths]
        for (what, _, expected), one, other in zip(cases, mine, statuses(self.golden_status, paths), strict=True):
            with self.subTest(what):
                other = other[0], other[1].replace("DRX_ENOSPC", "DRX_OK")  # files cannot be as long
                if other[0] == "DRX_EOVERFLOW" and not expected:  # too far from 0 for the maps of the library
                    self.assertEqual(one[0], "DRX_OK")
                else:
                    self.assertEqual((one, one), (other, expected or one))
        return mine

    def test_order_of_checks(self):
        good = bytes(array((5, 3), (2, 2)).data)
        three, reserved = head(major=3) + good[512:], head(at={21: b"\1"}) + good[512:]
        wrong_crc = b"\0\0\0\0"

        def made(at=0, value=b"", **values):
            log = array((5,), (2,), **values)
            return log.change(1, 24 + at, value)

        self.check([
            ("as it should be", good, GOOD),
            ("no magic, and another version", b"\0" + three[1:], FORMAT),
            ("7 bytes", good[:7], FORMAT),
            ("8 bytes", good[:8], DAMAGED),
            ("19 bytes", three[:19], DAMAGED),
            ("20 bytes of another version", three[:20], REFUSED),
            ("20 bytes", good[:20], DAMAGED),
            ("another version, and a wrong CRC", three[:8] + wrong_crc + three[12:], REFUSED),
            ("a wrong CRC, and a reserved byte", reserved[:8] + wrong_crc + reserved[12:], DAMAGED),
            ("a reserved byte", reserved, REFUSED),
            ("a reserved byte, and no live words", reserved[:4111], REFUSED),
            ("no live words", good[:4111], DAMAGED),
            ("an unknown type, and an align of three", made(type=99, align=3), REFUSED),
            ("an align of three", made(align=3), DAMAGED),
            ("a reserved byte, and an align of three", made(9, b"\1", align=3), REFUSED),
            ("padding after the dimensions", made(26, b"\1"), REFUSED),
            ("a chunk of nothing, and an unknown flag", made(5, b"\4\0\0\0"), REFUSED)])

    def test_text(self):
        cases = []
        for words, expected in ((b"a\0b", DAMAGE), (b"\0", DAMAGE), (b"\xc0\x80", DAMAGE), (b"\xed\xa0\x80", DAMAGE),
                                (b"\xf4\x90\x80\x80", DAMAGE), (b"\xe0\x80\xaf", DAMAGE),
                                ("a\u20ac\U0010ffff".encode(), GOOD)):
            for what, *record in (("text", ATTRIBUTE, 1, attribute("n", 5, words, [len(words)], is_text=1)),
                                  ("attribute", ATTRIBUTE, 1, attribute(words, 5, b"1")),
                                  ("axis", RENAME, 1, struct.pack("<B7x", 2) + text(words))):
                cases.append((f"{what} {words}", array((5,), (2,)).append(*record), expected))
        for words, expected in (((b"s.xta", b"a\0b"), DAMAGED), ((b"s/t.xta", b"a"), DAMAGED), ((b"s.xta", b""), DAMAGED),
                                ((b"\xff.xta", b"/nowhere"), MISSING), ((b"s.xta", b"\xff\xfe"), MISSING)):
            cases.append((f"stripes {words}", array((5,), (2,), stripe=words), expected))
        self.check(cases)

    def test_limits(self):
        def log(shape, chunk, *grows, lower=None, **more):
            made = array(shape, chunk, lower, **{"type": 1, **more})
            for record in grows:
                made.append(GROW, 1, struct.pack("<qq", *record))
            return made

        self.check([
            ("one chunk of 2^62 bytes", log((1 << 62,), (1 << 62,)), GOOD),
            ("two of them", log(((1 << 62) + 1,), (1 << 62,)), DAMAGED),
            ("a chunk of too many bytes", log((1,), (1 << 61,), type=12), DAMAGED),
            ("padding that takes it over", log((1,), (MOST,), align=2), DAMAGED),
            ("more chunks than there are offsets, but for an axis without any", log((0, 1 << 40, 1 << 40), (1, 1, 1)), DAMAGED),
            ("the first index", log((1, 0), (1 << 31, 1), lower=(LEAST, 0)), GOOD),
            ("below it", log((1, 0), (1 << 31, 1), lower=(LEAST - 1, 0)), DAMAGED),
            ("down to it", log((1, 0), (1 << 31, 1), (-1, LEAST), lower=(LEAST + 1, 0)), GOOD),
            ("beyond it", log((1, 0), (1 << 31, 1), (-1, LEAST - 1), lower=(LEAST, 0)), DAMAGE),
            ("to the last index", log((1, 0), (49, 1), (MOST - 1, MOST)), GOOD),
            ("that would be too many", log((1, 0), (49, 1), (MOST - 1, MOST), (-1, -1)), DAMAGE),
            ("a number of chunks", log((1,), (1,), (MOST // 8 - 1, MOST // 8)), GOOD),
            ("one more", log((1,), (1,), (MOST // 8, MOST // 8 + 1)), DAMAGE),
            ("of 16 bytes", log((1,), (1,), (MOST // 16 - 1, MOST // 16), align=16), GOOD),
            ("one more of them", log((1,), (1,), (MOST // 16, MOST // 16 + 1), align=16), DAMAGE),
            ("with checksums", log((1,), (1,), (MOST // 8 - 1, MOST // 8), flags=1), GOOD),
            ("entries", log((1,), (1,), (MOST // 64 - 1, MOST // 64), **ZSTD), GOOD),
            ("one more of them", log((1,), (1,), (MOST // 64, MOST // 64 + 1), **ZSTD), DAMAGE),
            ("a chunk that no frame holds", log((1,), ((1 << 31) - 16,), **ZSTD), DAMAGED),
            ("the largest that one does", log((1,), ((1 << 31) - 17,), **ZSTD), GOOD)])

    def test_random(self):
        print(f"DRX_GOLDEN_SEED={SEED}", flush=True)
        choose = random.Random(SEED)
        found = self.check([(f"seed {SEED}, log {i}", random_log(choose), None) for i in range(LOGS)])
        self.assertEqual(set(found), {GOOD, DAMAGE, DAMAGED})


def number(choose):
    return choose.choice((1, 2, 3, 5, 1 << choose.randrange(63), (1 << choose.randrange(63)) + choose.randrange(-1, 2)))


def wrapped(n):
    return (n + (1 << 63)) % (1 << 64) - (1 << 63)


def random_log(choose):
    """Growths and trims near the limits."""
    ndim = choose.randint(1, 3)
    shape = [min(MOST, choose.choice((0, 1, 3, number(choose)))) for _ in range(ndim)]
    lower, log = [0] * ndim, Log()
    if choose.random() < 0.5:
        lower = [max(LEAST, choose.choice((0, -1, LEAST, number(choose) - 1, -number(choose)))) for _ in range(ndim)]
    upper = [low + n for low, n in zip(lower, shape)]
    for j in range(ndim):
        log.append(DIMENSION, j + 1, dimension(wrapped(lower[j]), wrapped(upper[j])), 0)
    chunk = [max(1, choose.choice((1, 2, number(choose)))) for _ in range(ndim)]
    storage = choose.choice(({}, {}, dict(flags=1), ZSTD))
    log.append(VARIABLE, 1, variable(0, range(1, ndim + 1), chunk, "", "", type=choose.choice((1, 3, 8, 12)),
                                     align=1 << choose.choice((0, 0, 9, 30)), initial=choose.choice((0, 0, 0, 1)), **storage))
    for _ in range(choose.randrange(6)):
        axis, by = choose.randrange(ndim), min(MOST, max(1, number(choose)))
        if choose.random() < 0.2:
            cut = [choose.randint(0, min(5, max(0, upper[axis] - lower[axis]) // 2)) for _ in range(2)]
            lower[axis] += cut[0]
            upper[axis] -= cut[1]
            log.append(TRIM, axis + 1, struct.pack("<qq", wrapped(lower[axis]), wrapped(upper[axis])))
        elif choose.random() < 0.5:
            lower[axis] -= by
            log.append(GROW, axis + 1, struct.pack("<qq", -by, wrapped(lower[axis])))
        else:
            upper[axis] += by
            log.append(GROW, axis + 1, struct.pack("<qq", by, wrapped(upper[axis])))
    return log


class Places(unittest.TestCase):
    def drx(self, *words):
        subprocess.run([DRX, *words], check=True, stdout=subprocess.DEVNULL)

    def written(self, path, *options):
        values = np.arange(12, dtype="int32").reshape(3, 4)
        np.save("values.npy", values)
        self.drx("create", path, "--shape", "3,4", "--chunk", "1,2", "--type", "int32", *options)
        self.drx("write", path, "--at", "0,0", "values.npy")
        return values

    def both(self, path):
        self.drx("read", path, "-o", "read.npy")
        got = np.load("read.npy")
        np.testing.assert_array_equal(read(path).array, got)
        return got

    def test_links(self):
        """The folder is that of the path, not that of the file to which a link leads."""
        os.makedirs("real/disk")
        os.makedirs("linked")
        values = self.written("real/a", "--stripe", "disk,.")
        np.testing.assert_array_equal(self.both("real/a"), values)
        os.symlink("../real/a.xmd", "linked/b.xmd")
        with self.assertRaises(FileNotFoundError):
            read("linked/b")
        self.assertNotEqual(subprocess.run([DRX, "read", "linked/b"], capture_output=True, check=False).returncode, 0)
        os.symlink("../real/disk", "linked/disk")
        for file in os.listdir("real"):
            if ".xta." in file:
                os.symlink(f"../real/{file}", f"linked/{file}")
        np.testing.assert_array_equal(self.both("linked/b"), values)
        values = self.written("real/c")
        os.symlink("../real/c.xmd", "linked/c.xmd")
        with self.assertRaises(FileNotFoundError):
            read("linked/c")
        self.assertNotEqual(subprocess.run([DRX, "read", "linked/c"], capture_output=True, check=False).returncode, 0)
        os.symlink("../real/c.xta", "linked/c.xta")
        np.testing.assert_array_equal(self.both("linked/c"), values)

    def test_bytes_of_names(self):
        folder = os.fsdecode(b"d\xff\xc3")
        os.mkdir(folder)
        values = self.written("bytes", "--stripe", f"{folder},.")
        np.testing.assert_array_equal(self.both("bytes"), values)
        self.assertEqual(read("bytes").folders[0].encode(errors="surrogateescape")[-3:], b"d\xff\xc3")

    def test_start_of_the_machine(self):
        """An entry that was written since this start counts, and one of another start does not."""
        if checksum.this_boot() is None:
            self.skipTest("no /proc/sys/kernel/random/boot_id")
        self.written("sums", "--checksum")
        state, crc = np.fromfile("sums.xcs", "<u4").reshape(-1, 2)[0]
        for kind, boot, wrong in ((3, checksum.this_boot(), True), (3, checksum.this_boot() ^ 1, False), (1, 0, True)):
            entries = np.fromfile("sums.xcs", "<u4")
            entries[:2] = kind | boot << 8, crc ^ 1
            entries.tofile("sums.xcs")
            self.assertEqual(read("sums").wrong, [0] if wrong else [])
            failed = subprocess.run([DRX, "read", "sums"], capture_output=True, check=False).returncode != 0
            self.assertEqual(failed, wrong)
        self.assertIn(state & 0xFF, (1, 3))

    def test_what_the_library_writes(self):
        """It is the number that the specification gives."""
        program = os.path.join(BUILD, "python")
        if checksum.this_boot() is None or not os.path.isdir(os.path.join(program, "drx")):
            self.skipTest("no package, or no /proc/sys/kernel/random/boot_id")
        code = ("import drx; a = drx.create('unsynced', (4,), 'int32', chunks=(4,), checksum=True); a[...] = 7; a.close()")
        env = {**os.environ, "PYTHONPATH": program}
        if "ASAN_OPTIONS" in env:
            self.skipTest("the package needs the runtime of the sanitizer")
        subprocess.run([sys.executable, "-c", code], check=True, env=env)
        with open("unsynced.xcs", "rb") as file:
            state, = struct.unpack("<I", file.read(4))
        self.assertEqual((state & 0xFF, state >> 8), (3, checksum.this_boot()))


unittest.main(argv=sys.argv[:1])
