"""Metadata that a hostile writer could make, with right checksums: the library and spec/read_drx.py judge each alike. And what
the specification says of links, of the names of folders, and of the start of a machine. Called with the path of the program drx.

DRX_GOLDEN_SEED and DRX_GOLDEN_ARRAYS choose other random arrays, and how many.
"""
import os
import random
import struct
import subprocess
import sys
import unittest

import numpy as np

SOURCE, BUILD = os.environ["DRX_SOURCE"], os.environ["DRX_BUILD"]
GOLDEN = os.path.join(SOURCE, "tests", "golden")
DRX = os.path.abspath(sys.argv[1])
SEED = int(os.environ.get("DRX_GOLDEN_SEED", random.randrange(1 << 32)))
ARRAYS = int(os.environ.get("DRX_GOLDEN_ARRAYS", 600))

sys.path.extend([os.path.join(SOURCE, "spec"), GOLDEN])
import checksum  # noqa: E402
import lone_array  # noqa: E402
import read_drx  # noqa: E402
import read_errors  # noqa: E402
import read_type  # noqa: E402
from make_damaged import Log, attribute, name, texts  # noqa: E402

OK, FORMAT, UNSUPPORTED, DAMAGED = "DRX_OK", "DRX_EFORMAT", "DRX_EUNSUPPORTED", "DRX_EDAMAGED"
LEAST, MOST = -1 << 62, (1 << 63) - 1


def describe(shape, chunk, kind=3, flags=0, align=1, fill=b"", reserved=b"\0", codec=bytes(4), order=0, major=1):
    """A description with the right CRC."""
    n = len(shape)
    rest = struct.pack(f"<IHHBBB1sI4s16sq16s{2 * n}q", 72 + 16 * n, major, 0, n, kind, order, reserved, flags, codec,
                       b"id" * 8, align, fill, *shape, *chunk)
    return read_drx.MAGIC + struct.pack("<I", checksum.crc32c(0, rest)) + rest


class Chain(Log):
    """A log whose first record may be missing."""

    def append(self, kind, argument, payload):
        crc_at = self.at[-2] if self.records() else 8
        prev, = struct.unpack_from("<I", self.xmd, crc_at)
        body = struct.pack("<IHHQ", 24 + len(payload), kind, argument, self.records() + 1) + payload
        self.xmd += struct.pack("<II", checksum.crc32c(prev, body), prev) + body
        self.at.append(len(self.xmd))
        return self.xmd


def grown(log, kind, axis, by, bound):
    wrapped = (bound + (1 << 63)) % (1 << 64) - (1 << 63)
    log.append(kind, axis, struct.pack("<qq", by, wrapped))


def store(path, xmd):
    """Metadata beside empty files of all kinds."""
    with open(path + ".xmd", "wb") as file:
        file.write(xmd)
    for suffix in ".xta", ".xcs", ".xtz", ".xct":
        open(path + suffix, "wb").close()


class Seen(Exception):
    """The metadata have been read."""


def judged(path):
    """What the reader says of the metadata: the status of opening, and whether the log is damaged."""
    def stop(array):
        raise Seen(array)

    try:
        read_drx.Array(path, stop)
    except Seen as seen:
        return OK, (seen.args[0].report or "").startswith("damage")
    except (read_errors.FormatError, read_errors.Damaged) as error:
        return {read_errors.FormatError: FORMAT, read_errors.Unsupported: UNSUPPORTED, read_errors.Damaged: DAMAGED}[type(error)], False


def compile_program(program):
    libraries = os.path.join(BUILD, "src")
    flags = ["-fsanitize=address,undefined"] if "ASAN_OPTIONS" in os.environ else []
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", *flags, "-o", program,
                    os.path.join(GOLDEN, program + ".c"), "-I", os.path.join(SOURCE, "include"),
                    "-L", libraries, "-Wl,-rpath," + libraries, "-ldrx"], check=True)
    return os.path.abspath(program)


class Hostile(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.open_status = compile_program("open_status")

    def library(self, paths):
        """The same of the library. What it reads and does not write for damage alone is damaged."""
        out = subprocess.run([self.open_status, *paths], check=True, stdout=subprocess.PIPE, text=True).stdout
        found = []
        for line in out.splitlines():
            read, write = line.split()
            found.append((read, read == OK and write == DAMAGED))
        return found

    def check(self, cases):
        """[(what, metadata, expected or None)]"""
        paths = []
        for i, (_, xmd, _) in enumerate(cases):
            paths.append(f"case{i}")
            store(paths[-1], xmd)
        mine = [judged(path) for path in paths]
        for (what, _, expected), one, other in zip(cases, mine, self.library(paths), strict=True):
            with self.subTest(what):
                self.assertEqual(one, other)
                if expected:
                    self.assertEqual(one, expected)

    def test_order_of_checks(self):
        good, refused, damaged, other = (OK, False), (UNSUPPORTED, False), (DAMAGED, False), (FORMAT, False)
        xmd, three = describe((5, 3), (2, 2)), describe((5, 3), (2, 2), major=3)
        wrong_crc = three[:8] + b"\0\0\0\0" + three[12:]
        self.check([
            ("as it should be", xmd, good),
            ("no magic, and another version", b"\0" + three[1:], other),
            ("7 bytes", xmd[:7], other),
            ("8 bytes", xmd[:8], damaged),
            ("19 bytes", three[:19], damaged),
            ("20 bytes of another version", three[:20], refused),
            ("20 bytes", xmd[:20], damaged),
            ("another version, and a wrong CRC", wrong_crc, refused),
            ("a wrong CRC, and a reserved byte", xmd[:23] + b"\1" + xmd[24:], damaged),
            ("a length that the file has not", xmd[:-1], damaged),
            ("no axis, and no such type", describe((), (), kind=99), other),
            ("an unknown type, and a chunk of nothing", describe((5,), (0,), kind=99), refused),
            ("a reserved byte, and an impossible align", describe((5,), (1,), reserved=b"\1", align=3), refused),
            ("an impossible align", describe((5,), (1,), align=3), other)])

    def test_reserved(self):
        refused = (UNSUPPORTED, False)
        cases = [("byte 23", describe((5,), (2,), reserved=b"\x80"), refused)]
        for at in range(4):
            codec = bytes(at) + b"\1" + bytes(3 - at)
            cases.append((f"byte {28 + at} without flag 8", describe((5,), (2,), codec=codec), refused))
        cases.append(("byte 31 with flag 8", describe((5,), (2,), flags=8, codec=b"\1\5\2\1"), refused))
        cases.append(("flag 8", describe((5,), (2,), flags=8, codec=b"\1\5\2\0"), (OK, False)))
        for kind, text in read_type.TYPES.items():
            size = np.dtype(text).itemsize
            for at in range(size, 16):
                cases.append((f"byte {56 + at} of {text}", describe((5,), (2,), kind=kind, fill=bytes(at) + b"\1"), refused))
            cases.append((f"the fill of {text}", describe((5,), (2,), kind=kind, fill=bytes(size - 1) + b"\1"), (OK, False)))
        self.check(cases)

    def test_text(self):
        damage, good = (OK, True), (OK, False)
        base = describe((5,), (2,))
        cases = []
        for text, expected in ((b"a\0b", damage), (b"\0", damage), (b"\xc0\x80", damage), (b"\xed\xa0\x80", damage),
                               (b"\xf4\x90\x80\x80", damage), (b"\xe0\x80\xaf", damage), ("a\u20ac\U0010ffff".encode(), good)):
            cases.append((f"text {text}", Chain(base).append(4, 0, attribute(5, 1, b"n", len(text), text)), expected))
            cases.append((f"attribute {text}", Chain(base).append(4, 0, attribute(5, 0, text, 1, b"1")), expected))
            cases.append((f"axis {text}", Chain(base).append(6, 0, name(text)), expected))
        for words, expected in (((b"s.xta", b"a\0b"), damage), ((b"s/t.xta", b"a"), damage), ((b"s.xta", b""), damage),
                                ((b"\xff.xta", b"/nowhere"), ("DRX_ENOENT", False)),
                                ((b"s.xta", b"\xff\xfe"), ("DRX_ENOENT", False))):
            log = Chain(base)
            log.append(7, 1, texts(*words))
            cases.append((f"stripes {words}", log.xmd, expected if expected == damage else None))
        cases, stripes = cases[:-2], cases[-2:]
        self.check(cases)
        for i, (what, xmd, _) in enumerate(stripes):  # names of any bytes are looked for
            store(f"stripes{i}", xmd)
            self.assertEqual(judged(f"stripes{i}"), (OK, False), what)
            self.assertEqual(self.library([f"stripes{i}"])[0][0], "DRX_ENOENT", what)

    def test_limits(self):
        good, other, damage = (OK, False), (FORMAT, False), (OK, True)

        def log(shape, chunk, *records, kind=1, **more):
            made = Chain(describe(shape, chunk, kind, **more))
            for record, axis, *values in records:
                made.append(record, axis, struct.pack(f"<{len(values)}q", *values))
            return made.xmd

        self.check([
            ("one chunk of 2^62 bytes", log((1 << 62,), (1 << 62,)), good),
            ("two of them", log(((1 << 62) + 1,), (1 << 62,)), other),
            ("a chunk of too many bytes", log((1,), (1 << 61,), kind=12), other),
            ("padding that takes it over", log((1,), (MOST,), align=2), other),
            ("a coefficient that is too large", log((0, 1 << 40, 1 << 40), (1, 1, 1)), other),
            ("an index far from 0", log((1,), (1 << 30,), (9, 0, LEAST)), damage),
            ("one not quite so far", log((1,), (1 << 30,), (9, 0, LEAST + (1 << 32))), good),
            ("the first index", log((1, 0), (1 << 31, 1), (9, 0, LEAST, 0)), good),
            ("below it", log((1, 0), (1 << 31, 1), (9, 0, LEAST - 1, 0)), damage),
            ("down to it", log((1, 0), (1 << 31, 1), (9, 0, LEAST + 1, 0), (10, 0, 1, LEAST)), good),
            ("beyond it", log((1, 0), (1 << 31, 1), (9, 0, LEAST, 0), (10, 0, 1, LEAST - 1)), damage),
            ("an INTENT LOW beyond it", log((1, 0), (1 << 31, 1), (9, 0, LEAST, 0), (11, 0, 1, LEAST - 1)), damage),
            ("an INTENT to the last index", log((1,), (1 << 30,), (2, 0, MOST - 1, MOST)), good),
            ("an axis of 2^63 - 1 indices", log((1, 0), (1 << 31, 1), (1, 0, MOST - 1, MOST)), good),
            ("one that would have more", log((1, 0), (1 << 31, 1), (1, 0, MOST - 1, MOST), (10, 0, 1, -1)), damage),
            ("a number of chunks", log((1,), (1,), (1, 0, MOST - 2, MOST - 1)), good),
            ("one more", log((1,), (1,), (1, 0, MOST - 1, MOST)), damage),
            ("checksums", log((1,), (1,), (1, 0, MOST // 8 - 1, MOST // 8), flags=1), good),
            ("one more of them", log((1,), (1,), (1, 0, MOST // 8, MOST // 8 + 1), flags=1), damage),
            ("entries", log((1,), (1,), (1, 0, MOST // 64 - 1, MOST // 64), flags=8, codec=b"\1\5\2\0"), good),
            ("one more of them", log((1,), (1,), (1, 0, MOST // 64, MOST // 64 + 1), flags=8, codec=b"\1\5\2\0"), damage)])

    def test_random(self):
        print(f"DRX_GOLDEN_SEED={SEED}", flush=True)
        choose = random.Random(SEED)
        cases = [(f"seed {SEED}, array {i}", random_log(choose), None) for i in range(ARRAYS)]
        self.check(cases)
        kinds = [judged(f"case{i}") for i in range(ARRAYS)]
        self.assertEqual(set(kinds), {(OK, False), (OK, True), (FORMAT, False)})


def number(choose):
    return choose.choice((1, 2, 3, 5, 1 << choose.randrange(63), (1 << choose.randrange(63)) + choose.randrange(-1, 2)))


def random_log(choose):
    """Growths and trims near the limits."""
    ndim = choose.randint(1, 3)
    shape = [min(MOST, choose.choice((0, 1, 3, number(choose)))) for _ in range(ndim)]
    chunk = [max(1, choose.choice((1, 2, number(choose)))) for _ in range(ndim)]
    flags = choose.choice((0, 0, 1, 8))
    log = Chain(describe(shape, chunk, choose.choice((1, 3, 8, 12)), flags, 1 << choose.choice((0, 0, 9, 30)),
                       codec=b"\1\5\2\0" if flags == 8 else bytes(4)))
    lower = [0] * ndim
    if choose.random() < 0.5:
        lower = [max(LEAST, choose.choice((0, -1, LEAST, number(choose) - 1, -number(choose)))) for _ in range(ndim)]
        log.append(9, 0, struct.pack(f"<{ndim}q", *lower))
    upper = [low + n for low, n in zip(lower, shape)]
    for _ in range(choose.randrange(6)):
        axis, by = choose.randrange(ndim), min(MOST, max(1, number(choose)))
        kind = choose.choice((1, 1, 10, 10, 2, 11, 12))
        if kind == 12:
            cut = [choose.randint(0, min(5, max(0, upper[axis] - lower[axis]) // 2)) for _ in range(2)]
            lower[axis] += cut[0]
            upper[axis] -= cut[1]
            if max(abs(lower[axis]), abs(upper[axis])) <= MOST:
                log.append(12, axis, struct.pack("<qq", lower[axis], upper[axis]))
        elif kind in (10, 11):
            grown(log, kind, axis, by, lower[axis] - by)
            lower[axis] -= by if kind == 10 else 0
        else:
            grown(log, kind, axis, by, upper[axis] + by)
            upper[axis] += by if kind == 1 else 0
    return log.xmd


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
        np.testing.assert_array_equal(lone_array.read(path).array, got)
        return got

    def test_links(self):
        """The folder is that of the path, not that of the file to which a link leads."""
        os.makedirs("real/disk")
        os.makedirs("linked")
        values = self.written("real/a", "--stripe", "disk,.")
        np.testing.assert_array_equal(self.both("real/a"), values)
        os.symlink("../real/a.xmd", "linked/b.xmd")
        with self.assertRaises(FileNotFoundError):
            lone_array.read("linked/b")
        self.assertNotEqual(subprocess.run([DRX, "read", "linked/b"], capture_output=True, check=False).returncode, 0)
        os.symlink("../real/disk", "linked/disk")
        for file in os.listdir("real"):
            if ".xta." in file:
                os.symlink(f"../real/{file}", f"linked/{file}")
        np.testing.assert_array_equal(self.both("linked/b"), values)
        values = self.written("real/c")
        os.symlink("../real/c.xmd", "linked/c.xmd")
        with self.assertRaises(FileNotFoundError):
            lone_array.read("linked/c")
        self.assertNotEqual(subprocess.run([DRX, "read", "linked/c"], capture_output=True, check=False).returncode, 0)
        os.symlink("../real/c.xta", "linked/c.xta")
        np.testing.assert_array_equal(self.both("linked/c"), values)

    def test_bytes_of_names(self):
        folder = os.fsdecode(b"d\xff\xc3")
        os.mkdir(folder)
        values = self.written("bytes", "--stripe", f"{folder},.")
        np.testing.assert_array_equal(self.both("bytes"), values)
        self.assertEqual(lone_array.read("bytes").folders[0].encode(errors="surrogateescape")[-3:], b"d\xff\xc3")

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
            self.assertEqual(lone_array.read("sums").wrong, [0] if wrong else [])
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
