"""The library and the reader of spec find the same chunk where a byte of the data or of their checksums changes, in compressed
arrays, too. Called with the path of the program drx; DRX_GOLDEN_SEED chooses other bytes."""
import os
import random
import struct

import numcodecs
import numpy as np

import vectors  # which says where the reader is
import checksum
import frame
from golden import SEED, Test, chunk_and_pitch, copy, drx, library_reads, main, read, unpack_golden


def flip(path, at):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(bytes([byte[0] ^ 1]) if byte else b"")


class Golden(Test):
    @classmethod
    def setUpClass(cls):
        cls.golden = unpack_golden("golden")

    def each(self, check, *names):
        """check(name) of each, copied here."""
        for name in names:
            copy(self.golden, name)
            with self.subTest(vector=name):
                check(name)


class Checksums(Golden):
    def test_each_byte(self):
        """The reader and the library find the same chunk, wherever a byte of it changes; and padding is none of it."""
        self.each(self.check_bytes, "checksums", "checksums_striped")

    def check_bytes(self, name):
        a = read(name)
        self.assertTrue(a.checksums)
        chunk_bytes, pitch = chunk_and_pitch(a)
        random_bytes = random.Random(SEED)
        for q in range(a.map.count()):
            path, k = a.files[q % len(a.files)], q // len(a.files)
            state, = np.fromfile(f"{name}.xcs", "<u4")[2 * q:2 * q + 1]
            for at in {random_bytes.randrange(chunk_bytes), *range(chunk_bytes, pitch, 7)}:
                flip(path, k * pitch + at)
                wrong = [q] if at < chunk_bytes and state == 1 else []
                self.assertEqual(read(name).wrong, wrong)
                if wrong:
                    with self.assertRaisesRegex(RuntimeError, f"chunk {q}, elements"):
                        drx("read", name)
                else:
                    drx("read", name)
                flip(path, k * pitch + at)

    def test_entries(self):
        copy(self.golden, "checksums")
        with open("checksums.xcs", "rb") as file:
            before = file.read()
        for state, report in ((0x101, "damage"), (4, "damage"), (2, "damage"), (0x202, None), (0xFFFFFF03, None)):
            with open("checksums.xcs", "wb") as file:
                file.write(before)
            with open("checksums.xcs", "r+b") as file:
                file.seek(8 * 2)
                file.write(int(state).to_bytes(4, "little"))
            a = read("checksums")
            self.assertEqual(a.report and a.report.split(":")[0], report)
            self.assertEqual(a.wrong, [])
            if report:
                with self.assertRaisesRegex(RuntimeError, "the entry of chunk 2"):
                    drx("read", "checksums")
            else:
                drx("read", "checksums")

    def test_short(self):
        copy(self.golden, "checksums")
        os.truncate("checksums.xcs", 8 * (read("checksums").map.count() - 1))
        self.assertRegex(read("checksums").report, "damage: checksums.xcs")
        with self.assertRaisesRegex(RuntimeError, "checksums.xcs: damaged"):
            drx("read", "checksums")


class Packed(Golden):
    def test_each_byte(self):
        """The reader and the library find the same chunk, wherever a byte of a payload changes."""
        self.each(self.check_bytes, *("packed_" + codec for codec in vectors.CODECS), "packed_open")

    def check_bytes(self, name):
        a = read(name)
        payloads, packing, random_bytes = a.payloads, a.packing, random.Random(SEED)
        for q, (offset, length, synced) in payloads.items():
            for at in [*range(0, 16, 5), *random_bytes.sample(range(16, length), 3)]:
                flip(f"{name}.xtz", offset + at)
                found = read(name)
                wrong = [q] if synced and packing[q] != "open" else []
                self.assertEqual(found.wrong, wrong)
                if wrong:
                    with self.assertRaisesRegex(RuntimeError, f"chunk {q}, "):
                        drx("read", name)
                else:  # as of the last sync
                    self.assert_same(library_reads(name), found.array)
                flip(f"{name}.xtz", offset + at)

    def test_entries(self):
        """A change of any byte of an entry is told, and is never another chunk's content."""
        name = "packed_zstd"
        copy(self.golden, name)
        a = read(name)
        array = a.array
        with open(f"{name}.xct", "rb") as file:
            epochs = struct.unpack_from("<I28xI", file.read(), 64 + 8)
        for at in range(64, 128, 7):
            flip(f"{name}.xct", at)
            # the sum of its epoch tells that a newer half was to take the place of this one
            if epochs[(at - 64) // 32] < max(epochs) and (at - 64) % 32 not in range(4, 8):
                self.assertIsNone(read(name).report)
                self.assert_same(library_reads(name), array)
            else:
                self.assertRegex(read(name).report, "the entry of chunk 1")
                with self.assertRaisesRegex(RuntimeError, "the entry of chunk 1, "):
                    drx("read", name)
            flip(f"{name}.xct", at)

    def test_later_epochs(self):
        """A half that names an epoch past the last EPOCH was cut short, unless that epoch is too far away to be true; and so was
        one that names an earlier epoch than the other half."""
        name = "packed_zstd"
        copy(self.golden, name)
        a = read(name)
        array = a.array
        with open(f"{name}.xct", "rb") as file:
            epochs = struct.unpack_from("<I28xI", file.read(), 64 + 8)
        older = 0 if epochs[0] < epochs[1] else 32
        for ahead, torn in ((1, True), (2, True), (65535, True), (65536, True), (65537, False), (0, False), (-1, False),
                            (max(epochs) - a.epoch, False), (max(epochs) - a.epoch - 1, True)):
            with open(f"{name}.xct", "r+b") as file:
                file.seek(64 + older)
                epoch = (a.epoch + ahead) % (1 << 32)
                file.write(struct.pack("<III", 1, checksum.crc32c(0, struct.pack("<I", epoch)), 7))
            torn = torn or a.epoch + ahead < max(epochs)
            self.assertRegex(str(read(name).report), "None" if torn else "the entry of chunk 1")
            if torn:
                self.assert_same(library_reads(name), array)
            else:
                with self.assertRaisesRegex(RuntimeError, "the entry of chunk 1, "):
                    drx("read", name, "-o", "torn.npy")

    def test_frames(self):
        """The decoder of the reader decodes what Blosc encodes, of all sizes."""
        choose = random.Random(SEED)
        for codec in vectors.CODECS:
            for shuffle in range(3):
                for item in 1, 2, 4, 8, 16:
                    n = choose.randint(1, 50000)
                    values = np.cumsum(np.random.default_rng(SEED).integers(-3, 4, n)).astype("i8")
                    values = np.resize(values, n * item // 8 + 1).view(np.uint8)[:n * item].view(f"V{item}")
                    data = numcodecs.Blosc(codec, choose.randint(1, 9), shuffle).encode(values)
                    self.assertEqual(frame.decode(data), values.tobytes(), (codec, shuffle, item, n))
                    self.assertRaises(frame.ERRORS, frame.decode, data[:-1])


print(f"DRX_GOLDEN_SEED={SEED}", flush=True)
main()
