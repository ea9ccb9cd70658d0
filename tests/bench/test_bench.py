#!/usr/bin/python3
"""The benchmark runs, small; it writes a whole page, and notices a peer that reads wrong. Usage: test_bench.py BUILD"""

import json
import os
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

BUILD = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRIVER = os.path.join(ROOT, "scripts/bench")

# A server that answers as the real one does, but for one workload of one peer.
LIAR = """#!/usr/bin/python3
import json, subprocess, sys
real = subprocess.Popen([{program!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    real.stdin.write(line)
    real.stdin.flush()
    answer = json.loads(real.stdout.readline())
    if line.startswith("planes-1 posix-map "):
        answer["checksum"] = "0" * 16
    print(json.dumps(answer), flush=True)
"""


def bench(*options):
    return subprocess.run(["/usr/bin/python3", DRIVER, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)


def skip_if_missing():
    if bench("--help").returncode == 77:
        sys.exit(77)


class Benchmark(unittest.TestCase):
    def test_quick_run(self):
        done = bench("--quick", "--build", BUILD, "--folder", ".", "--output", "page")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open("page/benchmarks.md", encoding="utf-8") as file:
            page = file.read()
        for title in ("drx, 2 threads", "contiguous, pread", "contiguous, mmap", "bare pwrite", "HDF5", "HDF5, best",
                      "netCDF-4", "netCDF-4, best", "Zarr", "Zarr, best"):
            self.assertRegex(page, rf"\n\| {re.escape(title)} \|.* \d")
        for heading in ("Aims", "Reads from the page cache", "Reads from the disk", "Growth", "Opening", "Addresses",
                        "The machine"):
            self.assertIn(f"\n## {heading}", page)
        self.assertEqual(page.count("*memcpy, GB/s*"), 4)
        pictures = re.findall(r"\]\((.*\.svg)\)", page)
        self.assertEqual(len(pictures), 3)
        for picture in pictures:
            self.assertTrue(ElementTree.parse(f"page/{picture}").getroot().tag.endswith("svg"))
        self.assertEqual(sorted(os.listdir(".")), ["page"])  # the files that were measured are gone

    def test_wrong_answer(self):
        os.makedirs("liar/bench")
        with open("liar/bench/peers", "w", encoding="utf-8") as file:
            file.write(LIAR.format(program=os.path.join(BUILD, "bench/peers")))
        os.chmod("liar/bench/peers", 0o755)
        done = bench("--quick", "--build", "liar", "--only", "planes", "--peers", "drx,posix")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^bench: planes-1: posix-map: checksum 0{16}, expected [0-9a-f]{16}\n$")
        self.assertEqual(os.listdir("liar/bench"), ["peers"])

    def test_server_checks(self):
        done = subprocess.run([os.path.join(BUILD, "bench/peers")], input="whole-c drx 64 warm .\nwhole-c none 64 warm .\n"
                              "none drx 64 warm .\nwhole-c drx 65 warm .\nbuild-cube drx 64 warm nowhere\nnonsense\n",
                              stdout=subprocess.PIPE, text=True)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([answer["outcome"] for answer in answers], ["failed"] * 6)
        for answer, word in zip(answers, ("drx-cube", "none", "none", "65", "nowhere", "nonsense")):
            self.assertIn(word, answer["error"])

    def test_usage(self):
        for options, word in ((["--peers", "oracle"], "oracle"), (["--only", "sorting"], "sorting"),
                              (["--size", "100"], "100"), (["--repeat", "0"], "0")):
            done = bench(*options)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{word}", done.stderr)
        done = bench("--quick", "--build", "nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere/bench", done.stderr)


if __name__ == "__main__":
    skip_if_missing()
    unittest.main()
