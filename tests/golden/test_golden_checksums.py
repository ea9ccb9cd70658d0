"""The library and spec/read_drx.py find the same chunk where a byte of the data or of their checksums changes, in compressed
arrays, too. Called with the path of the program drx; DRX_GOLDEN_SEED chooses other bytes."""
import os
import random
import struct

import numcodecs
import numpy as np

from golden import SEED, VECTORS, Test, chunk_and_pitch, copy, drx, library_reads, main
import checksum
import read_blosc
import read_drx


def flip(path, at):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(bytes([byte[0] ^ 1]) if byte else b"")


class Checksums(Test):
    def test_each_byte(self):
        """The reader and the library find the same chunk, wherever a byte of it changes; and padding is none of it."""
        for name in "checksums", "checksums_striped":
            copy(VECTORS, name)
            a = read_drx.read(name)
            self.assertTrue(a.checksums)
            chunk_bytes, pitch = chunk_and_pitch(a)
            random_bytes = random.Random(SEED)
            for q in range(a.map.count()):
                path, k = a.files[q % len(a.files)], q // len(a.files)
                state, = np.fromfile(f"{name}.xcs", "<u4")[2 * q:2 * q + 1]
                for at in {random_bytes.randrange(chunk_bytes), *range(chunk_bytes, pitch, 7)}:
                    flip(path, k * pitch + at)
                    wrong = [q] if at < chunk_bytes and state == 1 else []
                    self.assertEqual(read_drx.read(name).wrong, wrong)
                    if wrong:
                        with self.assertRaisesRegex(RuntimeError, f"chunk {q}, elements"):
                            drx("read", name)
                    else:
                        drx("read", name)
                    flip(path, k * pitch + at)

    def test_entries(self):
        for state, report in ((0x101, "damage"), (4, "damage"), (2, "damage"), (0x202, None), (0xFFFFFF03, None)):
            copy(VECTORS, "checksums")
            with open("checksums.xcs", "r+b") as file:
                file.seek(8 * 2)
                file.write(int(state).to_bytes(4, "little"))
            a = read_drx.read("checksums")
            self.assertEqual(a.report and a.report.split(":")[0], report)
            self.assertEqual(a.wrong, [])
            if report:
                with self.assertRaisesRegex(RuntimeError, "the entry of chunk 2"):
                    drx("read", "checksums")
            else:
                drx("read", "checksums")

    def test_short(self):
        copy(VECTORS, "checksums")
        os.truncate("checksums.xcs", 8 * (read_drx.read("checksums").map.count() - 1))
        self.assertRegex(read_drx.read("checksums").report, "damage: checksums.xcs")
        with self.assertRaisesRegex(RuntimeError, "checksums.xcs: damaged"):
            drx("read", "checksums")


class Packed(Test):
    def test_each_byte(self):
        """The reader and the library find the same chunk, wherever a byte of a payload changes."""
        random_bytes = random.Random(SEED)
        for name in "packed_zstd", "packed_zlib", "packed_lz4", "packed_open":
            copy(VECTORS, name)
            a = read_drx.read(name)
            for q, (offset, length, synced) in a.payloads.items():
                for at in [*range(0, 16, 5), *random_bytes.sample(range(16, length), 3)]:
                    flip(f"{name}.xtz", offset + at)
                    found = read_drx.read(name)
                    wrong = [q] if synced and a.packing[q] != "open" else []
                    self.assertEqual(found.wrong, wrong)
                    if wrong:
                        with self.assertRaisesRegex(RuntimeError, f"chunk {q}, "):
                            drx("read", name)
                    else:  # as of the last sync
                        self.assert_same(library_reads(name), found.array)
                    flip(f"{name}.xtz", offset + at)

    def test_entries(self):
        """A change of any byte of an entry is told, and is never another chunk's content."""
        copy(VECTORS, "packed_zstd")
        for at in range(64, 128, 7):
            flip("packed_zstd.xct", at)
            self.assertRegex(read_drx.read("packed_zstd").report, "the entry of chunk 1")
            with self.assertRaisesRegex(RuntimeError, "the entry of chunk 1, "):
                drx("read", "packed_zstd")
            flip("packed_zstd.xct", at)

    def test_later_epochs(self):
        """A half that names an epoch past the last SYNC was cut short, unless that epoch is too far away to be true."""
        copy(VECTORS, "packed_zstd")
        synced = read_drx.read("packed_zstd").epoch
        for ahead, torn in (1, True), (2, True), (65535, True), (65536, True), (65537, False), (0, False), (-1, False):
            with open("packed_zstd.xct", "r+b") as file:
                file.seek(64)  # the older half of chunk 1
                file.write(struct.pack("<III", 1, checksum.crc32c(0, struct.pack("<I", (synced + ahead) % (1 << 32))), 7))
            self.assertRegex(str(read_drx.read("packed_zstd").report), "None" if torn else "the entry of chunk 1")
            if torn:
                drx("read", "packed_zstd", "-o", "torn.npy")
            else:
                with self.assertRaisesRegex(RuntimeError, "the entry of chunk 1, "):
                    drx("read", "packed_zstd", "-o", "torn.npy")

    def test_frames(self):
        """The decoder of the reader decodes what Blosc encodes, of all sizes."""
        choose = random.Random(SEED)
        for codec in "lz4", "zlib", "zstd":
            for shuffle in range(3):
                for item in 1, 2, 4, 8, 16:
                    n = choose.randint(1, 50000)
                    values = np.cumsum(np.random.default_rng(SEED).integers(-3, 4, n)).astype("i8")
                    values = np.resize(values, n * item // 8 + 1).view(np.uint8)[:n * item].view(f"V{item}")
                    frame = numcodecs.Blosc(codec, choose.randint(1, 9), shuffle).encode(values)
                    self.assertEqual(read_blosc.decode(frame)[0], values.tobytes(), (codec, shuffle, item, n))
                    self.assertRaises(read_blosc.FrameError, read_blosc.decode, frame[:-1])


print(f"DRX_GOLDEN_SEED={SEED}", flush=True)
main()
