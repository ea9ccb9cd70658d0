#!/usr/bin/python3
"""A small run of the benchmark writes whole pages and notices a peer that reads wrong. Usage: test_bench.py BUILD"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import by_hand  # noqa: E402, F401

BUILD = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRIVER = os.path.join(ROOT, "scripts/bench")
ROOMS = os.pathsep.join(os.path.join(ROOT, "bench", room) for room in ("driver", "parts", "peers"))
PEERS = ["/usr/bin/python3", "-B", os.path.join(ROOT, "bench/peers/peer_server.py")]
LEFT_OUT = os.path.join(BUILD, "bench/parallel-left-out")  # is there when the parallel part cannot be built
DRA_LEFT_OUT = os.path.join(BUILD, "bench/dra-left-out")  # likewise, that of Disk Resident Arrays
ONESIDED_LEFT_OUT = os.path.join(BUILD, "bench/onesided-left-out")

# A server that answers as the real one does, but for one workload of one peer.
LIAR = """#!/usr/bin/python3
import json, subprocess, sys
real = subprocess.Popen([{program!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    real.stdin.write(line)
    real.stdin.flush()
    answer = json.loads(real.stdout.readline())
    if line.startswith({line!r}):
        answer["checksum"] = "0" * 16
    print(json.dumps(answer), flush=True)
"""


# The driver, where the machine is another one.
ELSEWHERE = """
import runpy, sys
import disk_machine, disk_part
{change}
sys.argv[:] = ["bench", *{options!r}]
runpy.run_path({driver!r}, run_name="__main__")
"""


def bench_elsewhere(change, *options):
    return subprocess.run(
        ["/usr/bin/python3", "-B", "-c", ELSEWHERE.format(change=change, options=options, driver=DRIVER)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": ROOMS})


# What the driver would do with options, without doing it.
WHERE = """
import runpy, sys
own = runpy.run_path({driver!r})
for line in sys.stdin:
    sys.argv[1:] = line.split()
    options = own["parse"]()
    print(options.output, own["results_path"](options.parts[0], options))
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
    group = [os.path.join(ROOT, "scripts/in-mpi"), str(ranks), "600", os.path.join(BUILD, "bench/mp-peers")]
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
        page = self.check_page("page/serial.md", headings, 3)
        for title in ("drx, 2 threads", "contiguous, pread", "contiguous, mmap", "bare pwrite", "HDF5", "HDF5, best",
                      "netCDF-4", "netCDF-4, best", "Zarr", "Zarr, best"):
            self.assertRegex(page, rf"\n\| {re.escape(title)} \|.* \d")
        self.assertEqual(page.count("*memcpy, GB/s*"), 4)
        self.assertEqual(sorted(os.listdir(".")), ["page"])  # the files that were measured are gone

    def test_where_results_go(self):
        """Only whole runs replace the results that --render is for."""
        docs, kept, other = os.path.join(ROOT, "docs"), os.path.abspath("own/bench"), "page"
        cases = (("", docs, f"{kept}/results-serial.json"), ("--disk", docs, f"{kept}/results-disk.json"),
                 ("--output page", other, f"{kept}/results-serial.json"),
                 ("--quick", kept, f"{kept}/partial-results-serial.json"),
                 ("--only planes", kept, f"{kept}/partial-results-serial.json"),
                 ("--peers drx", kept, f"{kept}/partial-results-serial.json"),
                 ("--size 64", kept, f"{kept}/partial-results-serial.json"),
                 ("--repeat 3", kept, f"{kept}/partial-results-serial.json"),
                 ("--parallel --ranks 2", kept, f"{kept}/partial-results-parallel.json"),
                 ("--quick --layout --output page", other, f"{other}/partial-results-layout.json"))
        done = subprocess.run(["/usr/bin/python3", "-B", "-c", WHERE.format(driver=DRIVER)], stdout=subprocess.PIPE, text=True,
                              input="".join(f"--build own {options}\n" for options, _, _ in cases))
        self.assertEqual(done.stdout.splitlines(), [f"{output} {results}" for _, output, results in cases])

    def test_results_that_stay(self):
        self.without("peers")
        with open("without/bench/results-serial.json", "w", encoding="utf-8") as file:
            file.write("of a whole run")
        done = bench("--quick", "--serial", "--only", "planes", "--peers", "drx,posix", "--build", "without",
                     "--folder", ".")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(read_text("without/bench/results-serial.json"), "of a whole run")
        self.assertEqual(json.loads(read_text("without/bench/partial-results-serial.json"))["size"], 64)
        bench("--render", "without/bench/partial-results-serial.json", "--output", "again")
        self.assertEqual(read_text("again/serial.md"), read_text("without/bench/serial.md"))
        shutil.rmtree("again")
        shutil.rmtree("without")

    def test_quick_disk_run(self):
        done = bench_elsewhere("disk_part.MOST_RESIDENT = 1",  # files of the test may be in memory
                               "--quick", "--disk", "--build", BUILD, "--folder", ".", "--output", "page")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        headings = ["Aims", "How it was measured", "Reads from the disk", "In memory after growth", "Memory",
                    "The machine"]
        page = self.check_page("page/disk.md", headings, 1)
        missing = re.findall(r"\n- (the device's own figures|Out of core): .+\.\n", page)
        self.assertEqual("\n## Out of core\n" in page, "Out of core" not in missing)
        self.assertEqual("\n## The device\n" in page, "the device's own figures" not in missing)
        time = r" [0-9.]+ ([mµ]?s|ns) \([^|]*\) \|"
        for title, columns in (("whole, C order", 7), ("the same again, now in memory", 7), ("whole, Fortran order", 7),
                               ("8 planes a\\[:,j,:\\]", 8), ("20 elements one by one", 8),
                               ("20 elements as one request", 8), ("20 boxes of 16³", 8)):
            self.assertRegex(page, rf"\n\| {title} \|({time}){{{columns}}}")
        for title in ("39 elements", "390 elements", "20 boxes of 16³"):
            self.assertRegex(page, rf"\n\| {title} \|({time}){{6}}\n")
        if "Out of core" not in missing:
            for title, columns in (("growth along all axes in turn, with a sync", 5),
                                   ("all, in slabs of 32 along axis 0", 5), ("62 boxes of 64³", 2)):
                self.assertRegex(page, rf"\n\| {title} \|({time}){{{columns}}}")
        self.assertEqual(sorted(os.listdir(".")), ["page"])
        bench("--render", "page/partial-results-disk.json", "--output", "again")
        self.assertEqual(read_text("again/disk.md"), page)
        shutil.rmtree("again")

    def test_disk_with_nothing(self):
        """No fio, no right to drop caches or to limit memory, a file system that is memory: the page says so."""
        done = bench_elsewhere(
            "import shutil\nwhich = shutil.which\n"
            "shutil.which = lambda name, **more: None if name == 'fio' else which(name, **more)\n"
            "disk_machine.DROP_CACHES = '/nowhere'\ndisk_machine.MOUNTS = '/dev/null'\ndisk_part.MOST_RESIDENT = -1",
            "--quick", "--disk", "--only", "disk-boxes,deep,grown", "--peers", "drx,hdf5", "--build", BUILD,
            "--folder", ".", "--output", "page")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = read_text("page/disk.md")
        for line in ("the device's own figures: no program fio; Debian has it: scripts/setup bench",
                     "Out of core: there is no memory cgroup", "20 boxes of 16³, HDF5: "):
            self.assertIn(f"\n- {line}", page)
        self.assertRegex(page, r"\n- 20 boxes of 16³, drx: \d+ % of the file stayed")
        for heading in ("Reads from the disk", "Out of core", "The device"):
            self.assertNotIn(f"\n## {heading}\n", page)
        self.assertIn("\n## In memory after growth\n", page)

    def test_disk_wrong_answer(self):
        os.makedirs("liar/bench")
        for line, row in (("disk-planes-1 posix-map ", "disk-planes-1"), ("deep-verify hdf5 ", "deep-grow")):
            with open("liar/bench/peers", "w", encoding="utf-8") as file:
                file.write(LIAR.format(program=os.path.join(BUILD, "bench/peers"), line=line))
            os.chmod("liar/bench/peers", 0o755)
            done = bench_elsewhere("disk_part.MOST_RESIDENT = 1\ndisk_part.Limit = lambda *_: type('Limit', (), {'how': "
                                   "'', 'folder': '.', 'enter': None, 'end': lambda _: None})()",
                                   "--quick", "--disk", "--build", "liar", "--only", row, "--peers", "posix,hdf5")
            self.assertEqual(done.returncode, 1)
            peer = line.split()[1]
            self.assertRegex(done.stderr, rf"^bench: {row}: {peer}: checksum 0{{16}}, expected [0-9a-f]{{16}}\n$")
        self.assertEqual(os.listdir("liar/bench"), ["peers"])
        shutil.rmtree("liar")

    def test_limits_of_memory(self):
        """A cgroup of either version where it can be made, else why there is none."""
        program = ("import disk_machine, os, sys\ndisk_machine.MOUNTS, disk_machine.CGROUP = 'mounts', 'own'\n"
                   "try:\n    limit = disk_machine.Limit(1 << 28)\n"
                   "except disk_machine.Unavailable as error:\n    sys.exit(print(error))\n"
                   "print(limit.how)\nlimit.enter()\nfor folder, _, names in os.walk('cgroup'):\n"
                   "    for name in sorted(names):\n        print(name, open(os.path.join(folder, name)).read())\n"
                   "        os.remove(os.path.join(folder, name))\nlimit.end()\nprint(os.listdir('cgroup/job'))")
        for mounts, own, expected in (
                ("cgroup cgroup cgroup rw,memory 0 0", "5:memory:/job",
                 r"a memory cgroup \(v1\)\ncgroup.procs \d+\nmemory.limit_in_bytes 268435456\n\[\]\n"),
                ("none cgroup cgroup2 rw 0 0", "0::/job",
                 r"a memory cgroup \(v2\)\ncgroup.procs \d+\nmemory.max 268435456\n\[\]\n"),
                ("none nowhere cgroup2 rw 0 0", "0::/job", r"there is no memory cgroup\n")):
            os.makedirs("cgroup/job")
            for name, text in (("mounts", mounts), ("own", own)):
                with open(name, "w", encoding="utf-8") as file:
                    file.write(text + "\n")
            done = subprocess.run(["/usr/bin/python3", "-B", "-c", program], stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, "PYTHONPATH": ROOMS})
            self.assertRegex(done.stdout, f"^{expected}$")
            shutil.rmtree("cgroup")
        for name in ("mounts", "own"):
            os.remove(name)

    @unittest.skipIf(os.path.exists(LEFT_OUT), "the parallel part is not built")
    def test_quick_parallel_run(self):
        done = bench("--quick", "--parallel", "--ranks", "2", "--build", BUILD, "--folder", ".", "--output", "page")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        headings = ("Aims", "2 processes", "Zones read ahead", "Memory", "The machine")
        page = self.check_page("page/parallel.md", headings, 1)
        self.assertRegex(page, r"\n\| 2 processes, memory for all of it \|( [0-9.]+ m?s \|){3} -?[0-9.]+ \|\n")
        if "Out of core was not measured" not in page:
            self.assertRegex(page, r"\n\| 2 processes, out of core \|( [0-9.]+ m?s \|){3} -?[0-9.]+ \|\n")
            self.assertRegex(page, r"\n\| 2 processes, zones read ahead out of core: share of the reading that is hidden "
                                   r"\| at least 0.8 \|")
        for title in ("write, 64×64", "read, Fortran order, 64×64", "16 strips of 64 columns, 64×64",
                      "8 unaligned square sections, 64×64", "random boxes of 16×16, 64×64"):  # by all peers
            self.assertEqual(len(re.findall(rf"\n\| {title} \|( [^|–]* \|){{10}}\n", page)), 1, title)
        for title in ("write after 8 growths, 64×64", "one growth, 32×32"):  # by some
            self.assertRegex(page, rf"\n\| {title} \|( [^|–]* \|){{5}}.*\n")
        self.assertEqual(sorted(os.listdir(".")), ["page"])

    @unittest.skipIf(os.path.exists(LEFT_OUT), "the parallel part is not built")
    def test_parallel_wrong_element(self):
        self.assertEqual([answer["outcome"] for answer in ask_group(4, "build-plain:64 posix 64 warm .")], ["done"])
        with open("posix-plain.raw", "r+b") as file:
            file.seek(8 * (1024 * 1500 + 7))  # in the part of the third process
            file.write(b"\0")
        answers = ask_group(4, "read:64 posix 64 warm .")
        self.assertEqual([answer["outcome"] for answer in answers], ["failed"])
        self.assertEqual(answers[0]["error"], "rank 2: element (1500, 7) is wrong")
        os.remove("posix-plain.raw")

    @unittest.skipIf(os.path.exists(LEFT_OUT), "the parallel part is not built")
    def test_parallel_checks(self):
        answers = ask_group(2, "read:64 none 64 warm .", "none:64 drx 64 warm .", "read:64 drx 65 warm .",
                            "read:48 drx 64 warm .", "nonsense", "read:64 drx 64 warm .")
        self.assertEqual([answer["outcome"] for answer in answers], ["failed"] * 6)
        for answer, word in zip(answers, ("none", "none", "65", "48", "nonsense", "drx-plain")):
            self.assertIn(word, answer["error"])

    @unittest.skipIf(os.path.exists(ONESIDED_LEFT_OUT), "one-sided access is not built")
    def test_quick_onesided_run(self):
        done = bench("--quick", "--onesided", "--build", BUILD, "--folder", ".", "--output", "page")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = self.check_page("page/onesided.md", ("Aims", "1 process", "2 processes", "4 processes",
                                                               "The machine"), 0)
        time = r" [0-9.]+ [nµm]?s \([^|]*\) \|"
        for title in ("get 256×256, hot", "put 256×256, cold", "acc 8 bytes, hot"):  # three groups, all but the files
            self.assertEqual(len(re.findall(rf"\n\| {title} \|({time}){{2}} – \|({time}){{4}}\n", page)), 3, title)
        for title in ("grow by a chunk", "grow and write"):  # of the two that grow
            self.assertEqual(len(re.findall(rf"\n\| {title} \| – \|({time}){{2}}( – \|){{4}}\n", page)), 3, title)
        for ranks in ("1 process", "2 processes", "4 processes"):
            for what, aim in (("get 256×256, hot: drx, grown in memory / a fixed darray", "1.1"),
                              ("get 256×256, cold: drx, grown in memory / Global Arrays", "0.6"),
                              ("grow by a chunk: drx, grown in memory / in a file", "3"),
                              ("grow and write: drx, grown in memory / in a file", "3")):
                self.assertRegex(page, rf"\n\| {ranks}, {what} \| at most {aim} \| [0-9.]+ \| (reached|\*\*not)")

    def test_quick_python_run(self):
        done = bench("--quick", "--python", "--build", BUILD, "--folder", ".", "--output", "page")
        if done.returncode == 77:
            self.skipTest(done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = self.check_page("page/python.md", ("Aims", "How it was measured", "Times", "The machine"), 0)
        for title in ("all of it", "always the same", "at random", "append of a row of 100 doubles", "durable"):
            self.assertRegex(page, rf"\n\| .*{title} \|( [^|]*\|){{5}}\n")

    def test_quick_packed_run(self):
        done = bench("--quick", "--packed", "--build", BUILD, "--folder", ".", "--output", "page")
        if done.returncode == 77:
            self.skipTest(done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        headings = "Aims", "How it was measured", "Sizes", "Reads of all", "Elements, boxes and growth", "The machine"
        page = self.check_page("page/packed.md", headings, 0)
        for title, columns in (("all of it, warm, winds", 7), ("all of it, cold, noise", 7),
                               ("a box of 16³ at random", 6), ("2-D, chunks of 8×8, every axis in turn", 6)):
            self.assertRegex(page, rf"\n\| {title} \|( [^|]*\|){{{columns}}}\n")
        self.assertIn("\n| 2-D, chunks of 8×8: bytes of the table for each chunk | at most 64 | 64 | reached |", page)

    def test_quick_remote_run(self):
        done = bench("--quick", "--remote", "--build", BUILD, "--folder", ".", "--output", "page")
        if done.returncode == 77:
            self.skipTest(done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        headings = "Aims", "How it was measured", "Times", "Requests", "The machine"
        page = self.check_page("page/remote.md", headings, 0)
        for title, columns in (("open a dataset, and learn the ten shapes", 4), ("all of an array", 5),
                               ("100 boxes of 16³ at random", 5)):
            rows = re.findall(rf"\n\| {re.escape(title)} \|(.*)\|\n", page)
            self.assertEqual([len(re.findall("[0-9]+ m?s", row)) >= columns for row in rows[:1]], [True], rows)
        self.assertEqual(sorted(os.listdir(".")), ["page"])

    def test_quick_netcdf_run(self):
        done = bench("--quick", "--netcdf", "--build", BUILD, "--folder", ".", "--output", "page")
        if done.returncode == 77:
            self.skipTest(done.stderr)
        writes = os.access(f"{BUILD}/bench/nc-writes", os.X_OK)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 0 if writes else 1))
        headings = "Aims", "How it was measured", "Opening", "Reads", "Reads from the disk", *["Writes"] * writes, "The machine"
        page = self.check_page("page/netcdf.md", headings, 0)
        time = r" [0-9.]+ ([mµ]?s|ns) \([^|]*\) \|"
        for title, columns in (("2 variables, 1 commit: open and close", 4), ("the same, and ask about each variable", 3),
                               ("all of it, raw", 4), ("a time series at a point, compressed, from the disk", 4)):
            self.assertRegex(page, rf"\n\| {title} \|({time}){{{columns}}}( – \|){{{4 - columns}}}\n")
        for work in ("a model with a nest that moves", "growth by small chunks") if writes else ():
            for ranks in "1 process", "2 processes", "4 processes":
                for where in "in memory, not durable", "durable, on the disk":
                    self.assertRegex(page, rf"\n\| {work}, {ranks}, {where} \|({time}){{2}}\n")
        for stored in "raw", "compressed":
            for what, aim in (("all of it, {}: netCDF-C reads DRX / drx_read", "at most 1.1"),
                              ("a time series at a point, {}: netCDF-4, its default chunks / DRX", "at least 10")):
                self.assertRegex(page, rf"\n\| {what.format(stored)} \| {aim} \| [0-9.]+ \| (reached|\*\*not)")
        self.assertEqual(sorted(os.listdir(".")), ["page"])
        bench("--render", "page/partial-results-netcdf.json", "--output", "again")
        self.assertEqual(read_text("again/netcdf.md"), page)
        shutil.rmtree("again")

    def test_netcdf_wrong_elements(self):
        """Who reads something else, through netCDF-C or not, fails."""
        if not glob.glob(os.path.join(BUILD, "python/drx/_netcdf*.so")):
            self.skipTest("the part of netCDF is not built")
        peers = [*PEERS, "netcdf_peer"]
        reads = [f"{work} {peer} 64 warm ." for work in ("whole-raw", "series-raw:4") for peer in ("drx", "read")]
        self.assertEqual(self.ask_server(peers, "build-raw drx 64 warm .", *reads), (["done"] * 5, None))
        with open("drx-raw/wave.xta", "r+b") as file:  # each series, and the last element of all
            file.write(bytes(os.path.getsize("drx-raw/wave.xta")))
        outcomes, error = self.ask_server(peers, *reads)
        self.assertEqual((outcomes, "is wrong" in error), (["failed"] * 4, True), error)
        shutil.rmtree("drx-raw")

    def test_netcdf_left_out(self):
        os.makedirs("without/python/drx")
        done = bench("--quick", "--netcdf", "--build", "without")
        self.assertEqual((done.returncode, done.stdout), (77, ""))
        self.assertIn("libdrx-netcdf, or the Python package, was not built", done.stderr)
        shutil.rmtree("without")

    def test_packed_wrong_elements(self):
        """A peer that reads something else fails."""
        peer = [*PEERS, "packed_peer"]
        rooms = [ROOMS, os.path.join(BUILD, "python")]
        lines = "build-noise drx-raw 64 warm .\nwhole-noise drx-raw 64 warm .\n"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(rooms), "PYTHONDONTWRITEBYTECODE": "1"}

        def outcomes(text):
            done = subprocess.run(peer, input=text, env=environment, capture_output=True, text=True, check=True)
            return [json.loads(line) for line in done.stdout.splitlines()]

        self.assertEqual([answer["outcome"] for answer in outcomes(lines)], ["done", "done"])
        with open("noise-drx-raw.xta", "r+b") as file:
            file.seek(1000)
            file.write(b"spoilt")
        answer, = outcomes(lines.splitlines()[1] + "\n")
        self.assertEqual(answer["outcome"], "failed")
        self.assertIn("wrong elements", answer["error"])
        self.assertEqual([answer["outcome"] for answer in outcomes("drop-noise drx-raw 64 warm .\n")], ["done"])

    def test_quick_layout_run(self):
        done = bench("--quick", "--layout", "--build", BUILD, "--folder", ".", "--output", "page")
        self.assertEqual(done.returncode, 0)
        programs = [os.path.join(BUILD, "examples", name) for name in ("multiply", "multiply_together")]
        missing = [program for program in programs if not os.path.exists(program)]
        self.assertEqual(re.findall("left out: (.*) is not built\n", done.stderr), missing)
        self.assertEqual(len(done.stderr.splitlines()), len(missing), done.stderr)
        headings = ("Aims", "From the page cache", "From the disk to the disk", "Requests before and after",
                    "A product out of core", "The machine")
        page = self.check_page("page/layout.md", headings, 2)
        for title in ("drx", "drx, 1 thread", "cp"):  # medians of three copies, warm and cold
            self.assertEqual(len(re.findall(rf"\n\| {title} \|( [0-9.]+ m?s \([^|]*\) \|){{3}}\n", page)), 2, title)
        for title in ("h5repack", "nccopy", "nccopy, same memory",
                      "rechunker's way, Zarr"):  # warm, and they do not turn
            self.assertEqual(len(re.findall(rf"\n\| {title} \|( [^|–]* \|){{2}} – \|\n", page)), 2, title)
        for shape in ("32×4096", "256×512"):
            self.assertEqual(len(re.findall(rf"\n\| {shape} \|( [0-9.]+ (s|ms|µs) \|){{9}}\n", page)), 2, shape)
        self.assertEqual(sorted(os.listdir(".")), ["page"])
        bench("--render", "page/partial-results-layout.json", "--output", "again")
        self.assertEqual(read_text("again/layout.md"), page)
        shutil.rmtree("again")

    def without(self, *programs):
        """A build folder that has only these programs of the benchmark."""
        os.makedirs("without/bench")
        for name in programs:
            os.symlink(os.path.join(BUILD, "bench", name), f"without/bench/{name}")

    def test_layout_without_groups(self):
        """No program that converts with several processes: the page says what one process takes."""
        self.without("peers")
        done = bench("--quick", "--layout", "--only", "access", "--build", "without", "--folder", ".", "--output", "page")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^bench: conversions by several processes are left out: .* is not built\n$")
        time = r" [0-9.]+ (s|ms|µs) \|"
        self.assertEqual(len(re.findall(rf"\n\| 32×4096 \|({time}){{4}} – \|({time}){{2}} – \|{time}\n",
                                        read_text("page/layout.md"))), 2)
        shutil.rmtree("without")

    @unittest.skipIf(os.path.exists(LEFT_OUT), "the parallel part is not built")
    def test_parallel_without_examples(self):
        self.without("mp-peers")
        done = bench("--quick", "--parallel", "--only", "zones-ahead", "--peers", "drx", "--ranks", "2", "--build",
                     "without", "--folder", ".", "--output", "page")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^bench: zones read ahead are left out: .*/zones_ahead is not built\n$")
        self.assertIn("Zones read ahead were not measured", read_text("page/parallel.md"))
        shutil.rmtree("without")

    @unittest.skipIf(os.path.exists(ONESIDED_LEFT_OUT), "one-sided access is not built")
    def test_time_is_told(self):
        done = bench("--onesided", "--size", "64", "--repeat", "1", "--only", "put-8", "--peers", "drx", "--build", BUILD,
                     "--output", "page")
        self.assertEqual(done.returncode, 0)
        seconds = r"[0-9]+\.[0-9]"
        self.assertRegex(done.stderr, "^" + "".join(
            rf"bench: {n} put-8(-cold)?: {seconds} s: (drx[a-z-]* {seconds}(  )?)*\n" for n in (1, 1, 2, 2, 4, 4))
                         + rf"bench: onesided: {seconds} minutes\n$")
        self.assertRegex(read_text("page/onesided.md"), r"\n\| Time taken \| [0-9]+ minutes \|\n")

    def ask_python(self, program):
        done = subprocess.run(["/usr/bin/python3", "-B", "-c", program], env={**os.environ, "PYTHONPATH": ROOMS},
                              stdout=subprocess.PIPE, text=True)
        return done.stdout.splitlines()

    def test_repetitions(self):
        """The faster, the more often; the slow ones once more if they vary; what is about other seconds than it takes, by
        what it takes."""
        found = self.ask_python(
            "from collections import namedtuple\nfrom bench_server import take_turns\nC = namedtuple('C', 'key seconds')\n"
            "columns = [C('fast', 0.9), C('slow', 1.1), C('vary', 1.1), C('slower', 3.1), C('scaled', 40), C('not', 0)]\n"
            "asked = []\n"
            "def ask(c):\n    asked.append(c)\n"
            "    return c and {'outcome': 'declined' if c.key == 'not' else 'done',\n"
            "                  'seconds': c.seconds * (1 + 0.5 * asked.count(c) if c.key == 'vary' else 1),\n"
            "                  **({'took': 0.5} if c.key == 'scaled' else {})}\n"
            "for repeat, more in (5, {}), (5, {'slow': 2, 'slowest': 2}), (2, {'slowest': 3}):\n    asked.clear()\n"
            "    print({key: len(found) for key, found in take_turns(columns, repeat, ask, **more).items()})")
        self.assertEqual(found, ["{'fast': 5, 'slow': 2, 'vary': 3, 'slower': 1, 'scaled': 5}",
                                 "{'fast': 5, 'slow': 2, 'vary': 2, 'slower': 2, 'scaled': 5}",
                                 "{'fast': 2, 'slow': 2, 'vary': 2, 'slower': 2, 'scaled': 2}"])

    def test_hidden_share(self):
        found = self.ask_python(
            "import parallel_part\nfrom bench_run import numbers_in\nfrom bench_server import Failure\n"
            "for text in 'reading 2.000 s, computing 1.000 s, both 1.500 s: 75 % of', 'reading 0.000 s', '', \\\n"
            "            'reading 0.000 s, computing 1.000 s, both 1.500 s':\n"
            "    try:\n        print(parallel_part.with_hidden(numbers_in(text, parallel_part.NUMBERS, '-'))['hidden'])\n"
            "    except Failure as error:\n        print(error)")
        self.assertEqual(found, ["0.75", "-: 'reading 0.000 s', expected computing, seconds",
                                 "-: '', expected reading, computing, seconds", "zones_ahead: reading took no time"])

    def ask_server(self, program, *commands):
        """The outcomes, and what is wrong with the last one."""
        done = subprocess.run(program, input="".join(command + "\n" for command in commands), stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join([ROOMS, os.path.join(BUILD, "python")])})
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        return [answer["outcome"] for answer in answers], answers[-1].get("error")

    def spoil(self, path, offset):
        with open(path, "r+b") as file:
            file.seek(offset)
            file.write(b"\1")

    def test_layout_wrong_element(self):
        peers = [os.path.join(BUILD, "bench/peers")]
        zarr = ["/usr/bin/python3", "-B", os.path.join(ROOT, "bench/peers/zarr_peer.py"),
                os.path.join(BUILD, "bench/libpeers.so")]
        copies = ("copy-square:512:256:0", "copy-square:8:2048:1", "copy-wide:64:2048")
        self.assertEqual(self.ask_server(peers, "build-square drx 64 warm .", "build-wide drx 64 warm ."),
                         (["done"] * 2, None))
        for copy, offset, check, error in (
                (copies[0], 8 * (512 * 256 * 9 + 7), "check-square:512:256:0", "element (512, 263) is wrong"),
                (copies[1], 8 * (2048 * 9 + 7), "check-square:8:2048:1", "element (7, 9) is wrong"),
                (copies[2], 8 * (64 * 2048 * 31 + 2048 * 3 + 7), "check-copy:64:2048:0:1",
                 "element (963, 2055) is wrong")):
            self.assertEqual(self.ask_server(peers, f"{copy} drx 64 warm .", f"{check} drx 64 warm ."),
                             (["done"] * 2, None))
            self.spoil("drx-copy.xta", offset)
            self.assertEqual(self.ask_server(peers, f"{check} drx 64 warm ."), (["failed"], error))
        done = self.ask_server(zarr, "build-square zarr 64 warm .", "copy-square:512:256:0 zarr 64 warm .",
                               "check-square:512:256:0 zarr 64 warm .")
        self.assertEqual(done, (["done"] * 3, None))
        self.spoil("zarr-copy/1.2", 70)
        outcomes, error = self.ask_server(zarr, "check-square:512:256:0 zarr 64 warm .")
        self.assertEqual((outcomes, "element (512, 520) is wrong" in error), (["failed"], True), error)
        copied = self.ask_server(peers, "copy-square:8:8:0 cp 64 warm .", "check-square:8:8:0 cp 64 warm .")
        self.assertEqual(copied, (["done"] * 2, None))
        self.spoil("drx-copy.xta", 70)
        self.assertEqual(self.ask_server(peers, "check-square:8:8:0 cp 64 warm .")[0], ["failed"])
        for name in os.listdir("."):
            shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)

    def test_rechunker_blocks(self):
        """Those of the array of the aims, worked out by hand; 512 MiB are 2^26 doubles."""
        done = subprocess.run(
            ["/usr/bin/python3", "-B", "-c", "import zarr_peer\nfor chunk in (16384, 8), (512, 256):\n"
             "    print(zarr_peer.stages((16384, 16384), (8, 16384), chunk, 1 << 29))"],
            env={**os.environ, "PYTHONPATH": ROOMS}, stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.stdout.splitlines(), ["((4096, 16384), (4096, 4096), (16384, 4096))",
                                                    "((4096, 16384), (4096, 16384), (4096, 16384))"])

    @unittest.skipIf(os.path.exists(DRA_LEFT_OUT), "the part of Disk Resident Arrays is not built")
    def test_quick_dra_run(self):
        done = bench("--quick", "--dra", "--ranks", "2", "--build", BUILD, "--folder", ".", "--output", "page")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = self.check_page("page/dra.md", (
            "Aims", *(f"2 processes, {what}" for what in ("default hint", "hint 32×32", "sections of many sizes",
                                                          "the pattern of RI-SCF", "from array to array")),
            "Bandwidth of sections", "Memory", "The machine"), 1)
        time = r" [0-9.]+ [mµ]?s \([^|]*\) \|"
        for title in ("NDRA_Copy", "drxmp_copy"):
            self.assertRegex(page, rf"\n\| {title} \|{time}\n")
        for extent in (32, 64, 128, 256, 512):  # two directions, two alignments, two libraries
            for what in ("write, aligned", "write, non-aligned", "read, aligned", "read, non-aligned"):
                self.assertRegex(page, rf"\n\| {what}, {extent}×{extent} \|({time}){{2}}\n")
        for title, others in (("write", 2), ("read", 2), ("read from the disk", 2), ("read by strips of 8 columns", 1),
                              ("write by strips of 8 columns", 1), ("read, transposed", 1)):
            for pattern in (rf"({time}){{{1 + others}}}", rf"( [0-9.]+ \|){{{others}}}"):  # times and ratios
                self.assertEqual(len(re.findall(rf"\n\| {title} \|{pattern}( –? ?\|)*\n", page)), 2, title)  # both hints
        self.assertEqual(sorted(os.listdir(".")), ["page"])
        bench("--render", "page/partial-results-dra.json", "--output", "again")
        self.assertEqual(read_text("again/dra.md"), page)
        shutil.rmtree("again")

    @unittest.skipIf(os.path.exists(DRA_LEFT_OUT), "the part of Disk Resident Arrays is not built")
    def test_dra_aims(self):
        """Ratios that are right, from times that are known."""
        def seconds(**columns):
            return {column: [{"seconds": found}] for column, found in columns.items()}

        rates = {"write-aligned": 4, "write-shifted": 1, "read-aligned": 8, "read-shifted": 6}  # GB/s of drx

        def sections(slower):
            """Global Arrays' own has half of that, but three times in one place."""
            ours = {(what, i): 8e-9 * (256 << i) ** 2 / (rate * slower) for what, rate in rates.items() for i in range(5)}
            return {f"dra-sections-{what}-{i}": seconds(drx=own, ga=own / 3 if (what, i) == ("write-shifted", 1) else 2 * own)
                    for (what, i), own in ours.items()}

        hinted = {"dra-default-write": seconds(drx=1, ga=2.1, plain=1), "dra-default-read": seconds(drx=1, ga=1.9, plain=0.4)}
        memory = {f"dra-memory-{bound}": {"drx": [{"seconds": 1, "memory_bytes": 5 << 20}]} for bound in (4, 64)}
        copies = {"dra-copy-ndra-copy": seconds(drx=0.3), "dra-copy-drxmp-copy": seconds(drx=0.2)}
        with open("results.json", "w", encoding="utf-8") as file:
            json.dump({"part": "dra", "ranks": ["1", "2"], "size": 512, "repeat": 1, "versions": {},
                       "answers": {"1": {**hinted, **memory, **sections(1)}, "2": {**copies, **sections(0.5)}},
                       "machine": {"Date": "2026-11-26", "Time taken": "1 minutes", "Cores": "2"}}, file)
        os.makedirs("aims")
        with open("aims/benchmarks-parallel.md", "w", encoding="utf-8") as file:
            file.write("# Benchmarks\n\n## Disk Resident Arrays\n\nbefore\n\n## One-sided access\n\nof another part\n")
        self.assertEqual(bench("--render", "results.json", "--output", "aims").returncode, 0)
        summary = read_text("aims/benchmarks-parallel.md")
        self.assertRegex(summary, r"(?s)^# Benchmarks of many processes\n.*\n## One-sided access\n\nof another part\n\n"
                                  r"## Disk Resident Arrays\n\n[^#]*Measured on 2026-11-26, in 1 minutes, with 2 cores")
        self.assertIn("| at least 2 | 1.9 | **not reached** |", summary)
        self.assertNotIn("before\n", summary)
        self.assertIn("](benchmarks-dra-sections.svg)", summary)
        page = read_text("aims/dra.md")
        for line in ("read: Global Arrays' own / drx | at least 2 | 1.9 | **not reached** |",
                     "write: Global Arrays' own / drx | at least 2 | 2.1 | reached |",
                     "read: contiguous / drx | at least 0.5 | 0.4 | **not reached** |",
                     "DRA_Init with 4 MiB | at most 4 MiB | 5.0 MiB | **not reached** |",
                     "DRA_Init with 64 MiB | at most 64 MiB | 5.0 MiB | reached |",
                     "2 processes, a conversion: NDRA_Copy / drxmp_copy | at most 1.3 | 1.5 | **not reached** |",
                     "1 process, non-aligned sections of any size, write: bandwidth of drx / Global Arrays' own | "
                     "at least 1 | 0.333 | **not reached** |",
                     "2 processes, aligned sections of any size, read: bandwidth of drx / Global Arrays' own | "
                     "at least 1 | 2 | reached |",
                     "\n| write, aligned, 512×512 | 524 µs (524 µs) | 1.05 ms (1.05 ms) |\n",
                     "\n| write, non-aligned, 512×512 | 0.33 |\n", "\n| NDRA_Copy | 300 ms (300 ms) |\n",
                     "\n| drx, 1 process | 5.0 | 5.0 |\n"):
            self.assertIn(line, page)
        os.remove("results.json")
        shutil.rmtree("aims")

    def test_dra_left_out(self):
        os.makedirs("without/bench")
        with open("without/bench/dra-left-out", "w", encoding="utf-8") as file:
            file.write("built without cheese\n")
        done = bench("--quick", "--dra", "--build", "without")
        self.assertEqual((done.returncode, done.stdout), (77, ""))
        self.assertIn("left out: built without cheese", done.stderr)
        shutil.rmtree("without")

    def test_parallel_left_out(self):
        os.makedirs("without/bench")
        with open("without/bench/parallel-left-out", "w", encoding="utf-8") as file:
            file.write("built without cheese\n")
        done = bench("--quick", "--parallel", "--build", "without")
        self.assertEqual((done.returncode, done.stdout), (77, ""))
        self.assertIn("left out: built without cheese", done.stderr)
        shutil.rmtree("without")

    def test_wrong_answer(self):
        os.makedirs("liar/bench")
        with open("liar/bench/peers", "w", encoding="utf-8") as file:
            file.write(LIAR.format(program=os.path.join(BUILD, "bench/peers"), line="planes-1 posix-map "))
        os.chmod("liar/bench/peers", 0o755)
        done = bench("--quick", "--build", "liar", "--only", "planes", "--peers", "drx,posix")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^bench: planes-1: posix-map: checksum 0{16}, expected [0-9a-f]{16}\n$")
        self.assertEqual(os.listdir("liar/bench"), ["peers"])
        shutil.rmtree("liar")

    def test_server_checks(self):
        done = subprocess.run([os.path.join(BUILD, "bench/peers")],
                              input="whole-c drx 64 warm .\nwhole-c none 64 warm .\n"
                              "none drx 64 warm .\nwhole-c drx 65 warm .\nbuild-cube drx 64 warm nowhere\nnonsense\n"
                              "copy-square:8:x drx 64 warm .\ncopy-square:8 drx 64 warm .\n"
                              "check-wide:4:64:0:0 drx 64 warm .\n",
                              stdout=subprocess.PIPE, text=True)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([answer["outcome"] for answer in answers], ["failed"] * 9)
        words = ("drx-cube", "none", "none", "65", "nowhere", "nonsense", "numbers", "8 x 0", "a step >= 1")
        for answer, word in zip(answers, words):
            self.assertIn(word, answer["error"])

    def test_usage(self):
        for options, word in ((["--peers", "oracle"], "oracle"), (["--only", "sorting"], "sorting"),
                              (["--parallel", "--only", "planes"], "planes"),
                              (["--serial", "--peers", "mpiio"], "mpiio"),
                              (["--layout", "--peers", "mpiio"], "mpiio"), (["--dra", "--only", "planes"], "planes"),
                              (["--dra", "--peers", "mpiio"], "mpiio"), (["--layout", "--only", "planes"], "planes"),
                              (["--size", "100"], "100"), (["--ranks", "3"], "3"), (["--repeat", "0"], "0")):
            done = bench(*options)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{word}", done.stderr)
        done = bench("--quick", "--build", "nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere/bench", done.stderr)
        with open("other.json", "w", encoding="utf-8") as file:
            file.write("{}")
        done = bench("--render", "other.json")
        self.assertEqual((done.returncode, done.stderr[:18]), (1, "bench: other.json:"))
        os.remove("other.json")


if __name__ == "__main__":
    skip_if_missing()
    unittest.main()
