"""drx advise: the table, its figures as JSON, and errors in the arguments."""

import json
import os

from drx_cli import CliTest


class AdviseTest(CliTest):
    def make(self, name="m", shape=(4096, 4096), chunk=(8, 4096), *options):
        self.drx("create", name, "--shape", shape, "--chunk", chunk, *options)

    def advice(self, name, *options):
        return json.loads(self.drx("advise", name, "--json", *options))

    def test_table(self):
        self.make()
        lines = self.drx("advise", "m", "--access", "2048,8", "--access", "64,64x2.5").splitlines()
        self.assertEqual(lines[0], "m: 4096 × 4096 float64")
        self.assertEqual(lines[1], "present    8 × 4096  (256.0 KiB)")
        self.assertRegex(lines[2], r"^proposed   \d+ × \d+  \(\d+\.\d KiB|MiB")
        self.assertEqual(lines[5].split(),
                         "request times before after before after before after before copying after".split())
        self.assertEqual(lines[6].split()[:3], ["2048,8", "1", "2048"])  # a call for each row: gaps of 32 KiB
        self.assertEqual(lines[7].split()[:3], ["64,64", "2.5", "64"])
        self.assertEqual({len(line) for line in lines[4:8]}, {len(lines[5])})
        self.assertRegex(lines[-1], r"^drx copy m m-new --chunk \d+,\d+")

    def test_figures(self):
        self.make()
        got = self.advice("m", "--access", "2048,8", "--access", "64,64x2.5")
        self.assertEqual((got["path"], got["shape"], got["chunk"], got["type"], got["align"]),
                         ("m", [4096, 4096], [8, 4096], "float64", 1))
        self.assertEqual([request["access"] for request in got["requests"]], [[2048, 8], [64, 64]])
        self.assertEqual([request["times"] for request in got["requests"]], [1, 2.5])
        for request in got["requests"]:
            rows, columns = request["access"]
            before = request["before"]
            self.assertAlmostEqual(before["calls"], rows)
            self.assertAlmostEqual(before["bytes"], 8 * rows * columns)
            for cost in before, request["after"]:
                self.assertAlmostEqual(cost["seconds"], cost["calls"] * 50e-6 + cost["bytes"] / 1.2e9)
                self.assertAlmostEqual(cost["array_seconds"], cost["seconds"] * 4096 ** 2 / (rows * columns))
        for when in "before", "after":
            self.assertAlmostEqual(got[when + "_seconds"],
                                   sum(request["times"] * request[when]["seconds"] for request in got["requests"]))
        saved = got["before_seconds"] - got["after_seconds"]
        self.assertGreater(saved, 0)
        self.assertAlmostEqual(got["rounds"], got["copy"]["seconds"] / saved)
        self.assertEqual(got["copy"]["passes"], 1)
        self.assertEqual(got["block_bytes"], os.stat("m.xta").st_blksize)

    def test_proposal_is_settled(self):
        """What it proposes, it does not want to change."""
        self.make()
        words = ["--access", "2048,8", "--access", "64,64x2.5"]
        first = self.advice("m", *words)
        self.make("n", (4096, 4096), first["proposed_chunk"], "--align", first["proposed_align"])
        second = self.advice("n", *words)
        self.assertEqual(second["proposed_chunk"], first["proposed_chunk"])
        self.assertEqual((second["copy"], second["rounds"], second["command"]), (None, None, None))
        for one, other in zip(first["requests"], second["requests"]):
            self.assertEqual(one["after"], other["before"])
        text = self.drx("advise", "n", *words)
        self.assertTrue(text.endswith("No chunk of that size is better than the present one.\n"))
        self.assertNotIn("drx copy", text)

    def test_size_align_memory(self):
        self.make()
        got = self.advice("m", "--access", "100,100", "--size", "64K", "--align", "8192", "--memory", "100M")
        rows, columns = got["proposed_chunk"]
        self.assertLessEqual(8 * rows * columns, 65536)
        self.assertGreater(8 * rows * columns, 32768)
        self.assertEqual(got["proposed_align"], 8192)
        self.assertLessEqual(got["copy"]["memory_bytes"], 100 << 20)
        self.assertEqual(got["command"],
                         f"drx copy m m-new --chunk {rows},{columns} --align 8192 --memory {100 << 20}")
        self.fails(1, "advise", "m", "--access", "100,100", "--memory", "1000",
                   says=["m: --memory: 1000 bytes", "would do"])

    def test_command_can_be_pasted(self):
        self.make("it's -m", (300, 300), (1, 1))
        self.assertTrue(self.advice("it's -m", "--access", "300,1")["command"].startswith(
            "drx copy 'it'\\''s -m' 'it'\\''s -m-new' --chunk 300,150 "))
        self.make("./-m", (300, 300), (1, 1))
        self.assertIn("drx copy ./-m ", self.advice("./-m", "--access", "300,1")["command"])
        os.rename("-m.xmd", "-n.xmd")
        os.rename("-m.xta", "-n.xta")
        self.assertIn("drx copy -- -n ", self.advice("--access=300,1", "--", "-n")["command"])

    def test_wrong_requests(self):
        self.make("m", (40, 50), (8, 50), "--dims", "y,x")
        self.fails(2, "advise", "m", says=["--access is missing"])
        self.fails(2, "advise", "--access", "3,3", says=["PATH is missing"])
        self.fails(2, "advise", "m", "n", "--access", "3,3", says=["unexpected word 'n'"])
        self.all_fail(1, "advise", "m", "--access", cases={
            "3": "m: --access 3 has 1 number; give 2", "3,3,3": "m: --access 3,3,3 has 3 numbers; give 2",
            ("3,3", "--access", "4,0x2"): "m: --access 4,0x2 has an extent of 0 on axis 1 (x); give 1 to 50",
            "41,1": ["--access 41,1", "41 on axis 0 (y); give 1 to 40"]})
        for text in ("-1,3", "3;3", "3,", "", "a"):
            self.fails(2, "advise", "m", f"--access={text}", says=[f"--access '{text}'"])
        for times in ("", "0", "-1", "nan", "inf", "2y", "1e999"):
            self.fails(2, "advise", "m", "--access", f"3,3x{times}", says=[f"--access '3,3x{times}'", "above 0"])
        self.fails(1, "advise", "none", "--access", "3,3", says=["none: no such array"])
        self.drx("create", "empty", "--shape", "0,5", "--chunk", "1,5")
        self.fails(1, "advise", "empty", "--access", "1,5",
                   says=["empty: has no elements, because its extent on axis 0 is 0"])

    def test_wrong_options(self):
        self.make("m", (40, 50), (8, 50))
        for option in ("--size", "--align", "--memory"):
            self.fails(2, "advise", "m", "--access", "3,3", option, "0", says=[option])
            self.fails(2, "advise", "m", "--access", "3,3", option, "some", says=[option])
        self.fails(2, "advise", "m", "--access", "3,3", "--align", "3", says=["--align 3", "a power of two"])
        self.fails(1, "advise", "m", "--access", "3,3", "--align", "4G", says=["power of two up to 2^30"])

    def test_nothing_changes(self):
        self.make()
        before = {name: (os.stat(name).st_mtime_ns, os.stat(name).st_size) for name in os.listdir()}
        self.drx("advise", "m", "--access", "2048,8")
        self.assertEqual(before, {name: (os.stat(name).st_mtime_ns, os.stat(name).st_size) for name in os.listdir()})

    def test_grown(self):
        """Chunks in another order than row-major count each by itself."""
        self.make("m", (64, 64), (8, 8))
        self.make("n", (64, 32), (8, 8))
        self.drx("extend", "n", 1, 32)
        calls = [self.advice(name, "--access", "64,64")["requests"][0]["before"]["calls"] for name in "mn"]
        self.assertEqual(calls, [1, 64])
