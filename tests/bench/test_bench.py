#!/usr/bin/python3
"""The benchmark runs, small; it writes whole pages, and notices a peer that reads wrong. Usage: test_bench.py BUILD"""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

BUILD = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRIVER = os.path.join(ROOT, "scripts/bench")
LEFT_OUT = os.path.join(BUILD, "bench/mp-left-out")  # is there when the parallel part cannot be built

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


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def ask_group(ranks, *commands):
    """The answers of a group of processes."""
    group = [os.path.join(ROOT, "scripts/in-mpi"), str(ranks), "60", os.path.join(BUILD, "bench/mp-peers")]
    done = subprocess.run(group, input="".join(command + "\n" for command in commands), stdout=subprocess.PIPE,
                          text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Benchmark(unittest.TestCase):
    def check_page(self, path, headings, pictures):
        page = read_text(path)
        for heading in headings:
            self.assertIn(f"\n## {heading}", page)
        found = re.findall(r"\]\((.*\.svg)\)", page)
        self.assertEqual(len(found), pictures)
        for picture in found:
            self.assertTrue(ElementTree.parse(f"page/{picture}").getroot().tag.endswith("svg"))
        return page

    def test_quick_run(self):
        done = bench("--quick", "--serial", "--build", BUILD, "--folder", ".", "--output", "page")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        headings = ("Aims", "Reads from the page cache", "Reads from the disk", "Growth", "Opening", "Addresses",
                    "The machine")
        page = self.check_page("page/benchmarks.md", headings, 3)
        for title in ("drx, 2 threads", "contiguous, pread", "contiguous, mmap", "bare pwrite", "HDF5", "HDF5, best",
                      "netCDF-4", "netCDF-4, best", "Zarr", "Zarr, best"):
            self.assertRegex(page, rf"\n\| {re.escape(title)} \|.* \d")
        self.assertEqual(page.count("*memcpy, GB/s*"), 4)
        self.assertEqual(sorted(os.listdir(".")), ["page"])  # the files that were measured are gone

    @unittest.skipIf(os.path.exists(LEFT_OUT), "the parallel part is not built")
    def test_quick_parallel_run(self):
        done = bench("--quick", "--parallel", "--ranks", "2", "--build", BUILD, "--folder", ".", "--output", "page")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        headings = ("Aims", "2 processes", "Memory", "The machine")
        page = self.check_page("page/benchmarks-parallel.md", headings, 1)
        for title in ("write, 64×64", "read, Fortran order, 64×64", "random boxes of 16×16, 64×64"):  # by all peers
            self.assertEqual(len(re.findall(rf"\n\| {title} \|( [^|–]* \|){{10}}\n", page)), 1, title)
        for title in ("write after 8 growths, 64×64", "one growth, 32×32"):  # by some
            self.assertRegex(page, rf"\n\| {title} \|( [^|–]* \|){{5}}.*\n")
        self.assertEqual(sorted(os.listdir(".")), ["page"])

    @unittest.skipIf(os.path.exists(LEFT_OUT), "the parallel part is not built")
    def test_parallel_wrong_element(self):
        self.assertEqual([answer["outcome"] for answer in ask_group(4, "build-plain posix 64 64 .")], ["done"])
        with open("posix-plain.raw", "r+b") as file:
            file.seek(8 * (1024 * 1500 + 7))  # in the part of the third process
            file.write(b"\0")
        answers = ask_group(4, "read posix 64 64 .")
        self.assertEqual([answer["outcome"] for answer in answers], ["failed"])
        self.assertEqual(answers[0]["error"], "rank 2: element (1500, 7) is wrong")
        os.remove("posix-plain.raw")

    @unittest.skipIf(os.path.exists(LEFT_OUT), "the parallel part is not built")
    def test_parallel_checks(self):
        answers = ask_group(2, "read none 64 64 .", "none drx 64 64 .", "read drx 65 64 .", "read drx 64 48 .",
                            "nonsense", "read drx 64 64 .")
        self.assertEqual([answer["outcome"] for answer in answers], ["failed"] * 6)
        for answer, word in zip(answers, ("none", "none", "65", "48", "nonsense", "drx-plain")):
            self.assertIn(word, answer["error"])

    def test_parallel_left_out(self):
        os.makedirs("without/bench")
        with open("without/bench/mp-left-out", "w", encoding="utf-8") as file:
            file.write("built without cheese\n")
        done = bench("--quick", "--parallel", "--build", "without")
        self.assertEqual((done.returncode, done.stdout), (77, ""))
        self.assertIn("left out: built without cheese", done.stderr)
        shutil.rmtree("without")

    def test_wrong_answer(self):
        os.makedirs("liar/bench")
        with open("liar/bench/peers", "w", encoding="utf-8") as file:
            file.write(LIAR.format(program=os.path.join(BUILD, "bench/peers")))
        os.chmod("liar/bench/peers", 0o755)
        done = bench("--quick", "--build", "liar", "--only", "planes", "--peers", "drx,posix")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^bench: planes-1: posix-map: checksum 0{16}, expected [0-9a-f]{16}\n$")
        self.assertEqual(os.listdir("liar/bench"), ["peers"])
        shutil.rmtree("liar")

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
                              (["--parallel", "--only", "planes"], "planes"),
                              (["--serial", "--peers", "mpiio"], "mpiio"),
                              (["--size", "100"], "100"), (["--ranks", "3"], "3"), (["--repeat", "0"], "0")):
            done = bench(*options)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{word}", done.stderr)
        done = bench("--quick", "--build", "nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere/bench", done.stderr)


if __name__ == "__main__":
    skip_if_missing()
    unittest.main()
