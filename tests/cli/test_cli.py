"""The program drx: its frame, and create, extend, info, map."""

import fcntl
import json
import os
import subprocess

import numpy as np

from drx_cli import DRX, TYPES, CliTest, names, read_file, write_file

VERBS = ["create", "extend", "append", "prepend", "trim", "add-axis", "write", "read", "info", "map", "view", "import", "export", "copy", "advise",
         "mv",
         "cp", "rm", "chmod", "check"]


class Frame(CliTest):
    def test_help(self):
        overview = self.drx("--help")
        self.assertEqual(overview, self.drx("help"))
        self.assertEqual(overview, self.drx("-h"))
        for verb in VERBS:
            self.assertIn(f"\n  {verb} ", overview)
            text = self.drx(verb, "--help")
            for part in (f"Usage: drx {verb} ", "\nOptions:\n", "\nExamples:\n", f"  drx {verb} "):
                self.assertIn(part, text)
            self.assertEqual(text, self.drx("help", verb))
            self.assertEqual(text, self.drx(verb, "some", "words", "-h"))
            self.assertLessEqual(max(map(len, text.split("\n"))), 100)

    def test_version(self):
        self.assertRegex(self.drx("--version"), r"^drx \d+\.\d+\.\d+\n$")

    def test_no_such_verb(self):
        self.fails(2, says=["no verb", "--help"])
        for words in (["grow"], ["--grow"], ["help", "grow"], ["x"], [""]):  # near no verb
            self.assertNotIn("mean", self.fails(2, *words, says=[f"'{words[-1]}'; 'drx --help' lists the verbs"]))

    def test_mistyped(self):
        for word, meant in (("infp", "info"), ("creat", "create"), ("exprot", "export"), ("Read", "read"),
                            ("adivse", "advise"), ("compactt", "compact"), ("xport", "export"), ("cpoy", "copy")):
            self.fails(2, word, says=[f"unknown verb '{word}'; did you mean '{meant}'?"])
            self.fails(2, "help", word, says=[f"did you mean '{meant}'?"])
        for verb, word, meant in (("create", "--shpae", "--shape"), ("create", "--chekcsum=3", "--checksum"),
                                  ("read", "--ordre", "--order"), ("info", "--recursiv1", "--recursive"),
                                  ("map", "--jsno", "--json"), ("rm", "--hlep", "--help")):
            self.fails(2, verb, "a", word, says=[f"unknown option {word}; did you mean {meant}?"])
        self.fails(2, "view", "a", "--colors", "diverginf", says=["give sequential, diverging, grey or cyclic", "'diverging'?"])
        self.assertEqual(os.listdir(), [])

    def test_words(self):
        for verb, words in (("create", "--shape 3"), ("extend", "a 0"), ("append", "a 0"), ("prepend", "a 0"), ("add-axis", "a 0"), ("write", "--at 0 a"),
                             ("read", ""), ("map", ""), ("view", ""), ("import", "a"), ("export", "a"),
                             ("copy", "a")):
            self.fails(2, verb, *words.split(), says=["is missing; the usage is drx " + verb])
            if verb != "import":  # which takes many
                self.fails(2, verb, *words.split(), *"1234", says=["unexpected word", "the usage is drx " + verb])

    def test_options(self):
        for verb in VERBS:
            self.fails(2, verb, "--wrong", says=[f"drx {verb}: unknown option --wrong; the options are", "--help"])
            self.fails(2, verb, "a", "-x", says=["unknown option -x"])
            self.fails(2, verb, "", "-xz", says=["unknown option -x"])  # in a word that getopt has not passed
        self.fails(2, "info", "a", "--json=3", says=["--json=3 takes no value"])
        self.fails(2, "create", "a", "--shape", says=["--shape needs a value"])
        self.fails(2, "create", "a", "--sh", "3", says=["--sh is ambiguous; give --shape or --shell"])
        os.mkdir("folder")
        self.fails(1, "read", "folder", says=["folder: is a folder", "'drx info folder'"])
        self.fails(1, "read", "a[0", says=["a[0: no such array", "PATH[SELECTION]"])
        self.fails(2, "read", "a", "-o", says=["-o needs a value"])

    def test_order_of_words_and_options(self):
        self.drx("create", "--shape", "3", "a", "--type=int8")
        self.assertEqual(self.info("a")["shape"], [3])
        self.assertEqual(json.loads(self.drx("info", "--json", "--", "a")), self.info("a"))
        self.assertEqual(json.loads(self.drx("info", "--js", "a")), self.info("a"))  # abbreviated
        self.drx("create", "--shape", "3", "--", "-dash")
        self.assertEqual(self.info("./-dash")["shape"], [3])

    def test_output_that_cannot_be_written(self):
        self.drx("create", "a", "--shape", "300,300", "--chunk", "1,1", "--type", "int8")
        for words in (["map", "a", "--all"], ["info", "a"], ["--help"], ["read", "a"], ["read", "a", "-o", "-"]):
            self.cannot_write(*words)
        result = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', DRX, "map", "a"],
                                stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"standard output", result.stderr)
        self.drx("info", "a")

    def test_closed_standard_files(self):
        script = 'exec "$0" "$@" <&- >&- 2>&-'
        for words in (["create", "b", "--shape", "3", "--fill", "7"], ["extend", "b", "0", "2"]):
            self.assertEqual(subprocess.run(["sh", "-c", script, DRX, *words], check=False).returncode, 0)
        np.testing.assert_array_equal(self.whole("b"), np.full(5, 7.0))


class Create(CliTest):
    def test_defaults(self):
        self.drx("create", "a", "--shape", "4,5")
        info = self.info("a")
        self.assertEqual(list(info), ["path", "shape", "lower", "chunk", "type", "order", "dims", "fill", "attrs",
                                      "history",
                                      "chunks", "addresses", "data_bytes", "metadata_bytes", "initial_shape", "align",
                                      "data_bytes_on_disk", "stripes", "checksum", "codec"])
        self.assertEqual(info["path"], "a")
        self.assert_info("a", shape=[4, 5], initial_shape=[4, 5], type="float64", order="C", dims=[None, None],
                         fill=0.0, attrs={}, history=[], align=1, data_bytes=os.path.getsize("a.xta"),
                         metadata_bytes=os.path.getsize("a.xmd"), data_bytes_on_disk=os.stat("a.xta").st_blocks * 512)

    def test_everything(self):
        self.drx("create", "a", "--shape", "4,5,6", "--chunk", "2,3,4", "--type", "int16", "--fill", "-7",
                 "--dims", "time,,Länge mit Raum", "--order", "F", "--shell", "--align", "4K")
        self.assert_info("a", shape=[4, 5, 6], chunk=[2, 3, 4], type="int16", order="F", fill=-7, align=4096,
                         dims=["time", None, "Länge mit Raum"], chunks=8, data_bytes=8 * 4096)
        self.assertIn("(time, -, Länge mit Raum)", self.drx("info", "a"))
        self.assert_same(self.whole("a"), np.full((4, 5, 6), -7, "int16"))
        self.drx("extend", "a", "Länge mit Raum", 1)
        self.assertEqual(self.info("a")["shape"], [4, 5, 7])

    def test_types(self):
        short = "i1 i2 <i4 =i8 |u1 u2 u4 <u8 f4 <f8 f8 <c8 c16 int uint float double single complex f2 <f2 half |b1"
        for name in [*TYPES, *short.split()]:
            self.drx("create", "a", "--shape", "2", "--type", name, "--force")
            self.assertEqual(self.info("a")["type"], np.dtype(name).name, name)
        for name in (">f8", "f16", "float128", "b", "", "<", "f", "int128", "i4 ", "object", "<float64"):
            self.fails(2, "create", "b", "--shape", "2", "--type", name, says=["--type '" + name + "'", "float64"])
        self.assertEqual(names(), ["a.xmd", "a.xta"])

    def test_fill(self):
        values = {"int8": "-128 127 0", "int64": "-9223372036854775808 9223372036854775807",
                  "uint8": "255", "uint64": "18446744073709551615 9223372036854775808",
                  "float32": "1e20 0.1 3.4028235e38 1e-45 nan inf -inf -0.0 16777216 33554432 1e10",
                  "float64": "0.1 1e308 5e-324 nan inf -Infinity -0.0 1e22 123456789012345680 1e15 1e16 12e-5 1e-5 "
                             "0x1.8p1 0.30000000000000004 100 9007199254740993",
                  "float16": "1e4 0.1 65504 6e-8 nan inf -inf -0.0 2049 0.33325", "bool": "true false True FALSE 1 0",
                  "complex64": "1+2j 1-2j -1.5 2j -2j nan+infj 0.1-1e-3j", "complex128": "1e3+1e-3j -0.0-0.0j 0.1+0.2j"}
        for dtype, texts in values.items():
            for text in texts.split():
                self.drx("create", "a", "--shape", "2", "--type", dtype, "--fill", text, "--force")
                expected = self.parse(text, dtype)
                self.assert_same(self.whole("a"), np.full(2, expected, dtype))
                fill = self.info("a")["fill"]
                if dtype[0] in "iub":
                    self.assertEqual((fill, type(fill)), (expected, bool if dtype == "bool" else int))
                    continue
                self.assertEqual(isinstance(fill, list), dtype.startswith("complex"))
                parts = np.array(expected, dtype).reshape(1)
                parts = parts.view(parts.real.dtype)
                np.testing.assert_array_equal(np.array(np.ravel(fill), dtype=float).astype(parts.dtype), parts)

    @staticmethod
    def parse(text, dtype):
        if dtype.startswith("complex"):
            return np.array(complex(text), dtype)[()]
        if dtype == "bool":
            return text.lower() in ("true", "1")
        if text.startswith("0x"):
            return float.fromhex(text)
        return np.array(text).astype(dtype)[()] if dtype[0] == "f" else int(text)

    def test_bad_fill(self):
        bad = {"int8": ["128", "-129", "1.5", "", " 1", "1 ", "x", "0x10", "1e2", "+1", "nan", "--1"],
               "uint8": ["256", "-1"], "uint64": ["18446744073709551616", "-1"],
               "int64": ["9223372036854775808", "-9223372036854775809"],
               "float16": ["65520", "-1e5", "1e-9", "true", "0x1p16"], "bool": ["2", "yes", "", "-1", "truee", "nan"],
               "float32": ["1e39", "1e-60", "", "1.0x", " 1", "1,5"], "float64": ["1e309", "1e-400", "one", "1+2j"],
               "complex64": ["1+2", "1+2i", "j", "1+2j ", "1++2j", "1e39+1j"]}
        for dtype, texts in bad.items():
            for text in texts:
                self.fails(2, "create", "a", "--shape", "2", "--type", dtype, "--fill", text,
                           says=["--fill '" + text + "'", "give a value of type", dtype])
        self.assertEqual(os.listdir(), [])

    def test_align_that_suits_the_file_system(self):
        block = os.stat(".").st_blksize
        for chunk, align in ((f"{block}", block), (f"{block * 3 // 2}", block // 2), ("100", 8)):
            self.drx("create", "fits", "--shape", "9", "--chunk", chunk, "--type", "int8", "--align", "auto", "--force")
            self.assert_info("fits", align=align)

    def test_chosen_chunks(self):
        for shape, options, chunk in (("5", (), [1024]), ("5", ("--grows", "0"), [16384]), ("365,2", (), [365, 2]),
                                      ("1,5", ("--dims", "time,sensor", "--grows", "time"), [3276, 5]),
                                      ("1,5", (), [204, 5]), ("0,73,144", (), [24, 73, 144]),
                                      ("132,73,144", ("--grows", "0,2"), [66, 73, 48]),
                                      ("181,360", ("--lower", "-90,-180"), None)):
            self.drx("create", "a", "--shape", shape, "--type", "float32", "--force", *options)
            info = self.info("a")
            self.assertEqual(info["chunk"], chunk or info["chunk"])
        self.assertLess(os.path.getsize("a.xta"), 1.11 * 181 * 360 * 4)
        for word, says in (("time", "there is no axis 'time'"), ("2", "numbers from 0 to 1"), ("1x", "no axis '1x'"),
                           ("", "no axis ''"), ("-1", "no axis '-1'")):
            self.fails(2, "create", "a", "--shape", "3,4", f"--grows={word}", says=["--grows", says])

    def test_bad_options(self):
        for shape in ("", "3,", ",3", "3,,4", "-1", "3,-1", "x", "3x4", "1.5", " 3", "99999999999999999999", "+3"):
            self.fails(2, "create", "a", "--shape", shape, says=["--shape '" + shape + "'", "; give whole numbers"])
        self.fails(2, "create", "a", says=["--shape is missing"])
        self.fails(2, "create", "a", "--shape", [1] * 33, says=["at most 32"])
        self.fails(2, "create", "a", "--shape", "3,4", "--chunk", "0,1", says=["--chunk '0,1'"])
        self.fails(2, "create", "a", "--shape", "3,4", "--chunk", "2", says=["--chunk has 1", "--shape has 2"])
        self.fails(2, "create", "a", "--shape", "3,4", "--dims", "x", says=["--dims has 1", "--shape has 2"])
        self.fails(2, "create", "a", "--shape", "3", "--dims", [""] * 33, says=["at most 32"])
        for order in ("c", "CF", "", "row"):
            self.fails(2, "create", "a", "--shape", "3", "--order", order, says=["--order"])
        for align in ("-1", "3", "4k", "1KK", "", "99999999T"):
            self.fails(2, "create", "a", "--shape", "3", "--align", align, says=["--align", "; give a "])
        self.fails(1, "create", "a", "--shape", [10**10] * 3, says=["a"])
        self.fails(1, "create", "no/a", "--shape", "3", says=["no/a"])
        self.assertEqual(os.listdir(), [])

    def test_replacing(self):
        self.drx("create", "a", "--shape", "3", "--fill", "1")
        before = read_file("a.xmd")
        self.fails(1, "create", "a", "--shape", "4", says=["a.xmd: exists already", "--force"])
        self.assertEqual(read_file("a.xmd"), before)
        self.drx("create", "a", "--shape", "4", "--force")
        self.assertEqual(self.info("a")["shape"], [4])

    def test_names(self):
        for name in ("with space", "äöü日本", "a.b", "tab\there", "x.xmd.y", "{}", "\u00d7"):
            self.drx("create", name, "--shape", "2,2")
            self.drx("extend", name, 0, 1)
            self.assertEqual(self.info(name)["path"], name)
            self.assertEqual(self.info(name)["shape"], [3, 2])
            self.assertTrue(os.path.exists(name + ".xta"))
        self.drx("create", b"\xff\xfe", "--shape", "2")
        self.assertEqual(self.info(b"\xff\xfe")["path"], "\ufffd\ufffd")
        self.assertIn("\\x09", self.drx("info", "tab\there"))
        error = self.fails(1, "info", "\x1b[31m\n", says=["\\x1b[31m\\n"])
        self.assertNotIn("\x1b", error)

    def test_suffix(self):
        os.mkdir("d")
        self.drx("create", "d/a.xmd", "--shape", "2")
        self.assertEqual(names("d"), ["a.xmd", "a.xta"])
        self.assertEqual(self.info("d/a.xta"), self.info("d/a"))

    def test_dimensions(self):
        for ndim in (1, 2, 3, 4, 5, 32):
            shape = [2] * min(ndim, 5) + [1] * (ndim - 5)
            self.drx("create", f"a{ndim}", "--shape", shape, "--type", "int32", "--fill", "5")
            self.assert_same(self.whole(f"a{ndim}"), np.full(shape, 5, "int32"))
            self.drx("extend", f"a{ndim}", ndim - 1, 1)
            self.assertEqual(self.info(f"a{ndim}")["shape"], [*shape[:-1], shape[-1] + 1])

    def test_empty(self):
        for shape in ([0], [0, 3], [3, 0], [0, 0, 0]):
            self.drx("create", "a", "--shape", shape, "--chunk", [2] * len(shape), "--force")
            self.assertEqual((self.info("a")["shape"], self.info("a")["chunks"]), (shape, 0))
            self.assertEqual(self.drx("read", "a"), "")
            self.assert_same(self.whole("a"), np.zeros(shape))
            self.assert_same(self.whole("a", "--order", "F"), np.zeros(shape))
            self.assertIn("axis 0: (0;", self.drx("map", "a"))
            self.fails(1, "map", "a", "--address", "0", says=["--address 0"])
            self.fails(1, "map", "a", "--index", [0] * len(shape), says=["axis"])
            for axis in range(len(shape)):
                self.drx("extend", "a", axis, 3)
            self.assertEqual(self.info("a")["shape"], [n + 3 for n in shape])


class Extend(CliTest):
    def setUp(self):
        super().setUp()
        self.drx("create", "a", "--shape", "2,3,4", "--chunk", "2,2,2", "--dims", "t,x,x", "--fill", "9")

    def test_axis(self):
        self.assertEqual(self.drx("extend", "a", 0, 1), "")
        self.drx("extend", "a", "t", 2)
        self.drx("extend", "a", 2, 0)
        self.drx("extend", "a", "1", 5)
        info = self.info("a")
        self.assertEqual(info["shape"], [5, 8, 4])
        self.assertEqual(info["history"], [{"axis": 0, "by": 1, "shape": [3, 3, 4]},
                                           {"axis": 0, "by": 2, "shape": [5, 3, 4]},
                                           {"axis": 1, "by": 5, "shape": [5, 8, 4]}])
        self.assertEqual(info["initial_shape"], [2, 3, 4])
        self.assert_same(self.whole("a"), np.full((5, 8, 4), 9.0))

    def test_errors(self):
        before = self.info("a")
        self.all_fail(1, "extend", cases={
            ("a", "x", 1): "a: 'x' is the name of 2 axes; give the number",
            ("a", "y", 1): ["no axis 'y'; give 0 to 2", "t, x, x"], ("a", 3, 1): ["no axis '3'", "0 to 2"],
            ("a", "", 1): "no axis ''", ("a", "99999999999999999999", 1): "0 to 2", ("a", 0, 2**63 - 1): "a",
            ("no", 0, 1): "no: no such array"})
        self.all_fail(2, "extend", "a", cases={
            (-1, 1): ["AXIS -1 is negative", "name"], (0, -1): ["BY '-1'", "from 0 up"], (0, "1.5"): "BY '1.5'",
            (0, "9223372036854775808"): "64 bits"})
        self.assertEqual(self.info("a"), before)

    def test_busy(self):
        with open("a.xmd", "rb+") as other:
            fcntl.lockf(other, fcntl.LOCK_EX)
            self.fails(1, "extend", "a", 0, 1, says=["a"])
            self.assertEqual(self.info("a")["shape"], [2, 3, 4])  # readers are not kept out
        self.drx("extend", "a", 0, 1)


class Map(CliTest):
    def grow(self, start, steps, chunk=None):
        chunk = chunk or [1] * len(start)
        self.drx("create", "a", "--shape", [n * c for n, c in zip(start, chunk)], "--chunk", chunk, "--force")
        for axis, by in steps:
            self.drx("extend", "a", axis, by * chunk[axis])

    def check_inverse(self):
        info = json.loads(self.drx("map", "a", "--json"))
        for address in range(info["chunks"]):
            index = self.drx("map", "a", "--address", address).strip()
            self.assertEqual(self.drx("map", "a", "--index", index), f"{address}\n")
        return info

    def test_first_worked_example(self):
        for chunk in ([1, 1], [2, 3]):
            self.grow([1, 1], [(1, 1), (0, 1), (0, 1), (1, 1), (0, 1), (1, 1), (0, 1)], chunk)
            self.assertEqual(self.drx("map", "a"),
                             " 0  1  6 12\n 2  3  7 13\n 4  5  8 14\n 9 10 11 15\n16 17 18 19\n\n"
                             "axis 0: (0;0;1 1), (1;2;2 1), (3;9;3 1), (4;16;4 1)\n"
                             "axis 1: (0;-1;0 0), (1;1;1 1), (2;6;1 3), (3;12;1 4)\n")
            self.assertEqual(self.drx("map", "a", "--index", "4,2"), "18\n")
            self.assertEqual(self.drx("map", "a", "--address", "18"), "4,2\n")
            self.check_inverse()

    def test_partly_filled_chunks(self):
        self.drx("create", "a", "--shape", "2,3", "--chunk", "2,3")
        for axis, by in [(1, 3), (0, 2), (0, 2), (1, 3), (0, 2), (1, 1), (0, 2)]:
            self.drx("extend", "a", axis, by)
        self.assertEqual(self.info("a")["shape"], [10, 10])
        self.assertTrue(self.drx("map", "a").startswith(" 0  1  6 12\n 2  3  7 13\n 4  5  8 14\n 9 10 11 15\n"))
        self.assertEqual(self.info("a")["data_bytes"], 20 * 6 * 8)  # A[10][12]

    def test_second_worked_example(self):
        self.grow([4, 3, 1], [(2, 1), (2, 1), (1, 1), (0, 2), (2, 1)])
        self.assertEqual(self.drx("map", "a"),
                         "axis 0: (0;0;3 1 1), (4;48;12 3 1)\n"
                         "axis 1: (0;-1;0 0 0), (3;36;3 12 1)\n"
                         "axis 2: (0;-1;0 0 0), (1;12;3 1 12), (3;72;4 1 24)\n")
        for index, address in (("2,1,0", 7), ("3,1,2", 34), ("4,2,2", 56)):
            self.assertEqual(self.drx("map", "a", "--index", index), f"{address}\n")
            self.assertEqual(self.drx("map", "a", "--address", address), f"{index}\n")
        info = self.check_inverse()
        self.assertEqual((info["chunks"], info["bounds_chunks"]), (96, [6, 4, 4]))
        self.assertEqual(info["axial_vectors"][2], [
            {"first_index": 0, "first_address": -1, "coefficients": [0, 0, 0]},
            {"first_index": 1, "first_address": 12, "coefficients": [3, 1, 12]},
            {"first_index": 3, "first_address": 72, "coefficients": [4, 1, 24]}])
        self.assertEqual(list(info), ["path", "shape", "lower", "chunk", "bounds_chunks", "first_chunk", "chunks",
                                      "free_addresses", "axial_vectors", "low_axial_vectors"])

    def test_json_of_one_chunk(self):
        self.grow([2, 2], [])
        chunk = {"path": "a", "index": [1, 0], "address": 2}
        self.assertEqual(json.loads(self.drx("map", "a", "--index", "1,0", "--json")), chunk)
        self.assertEqual(json.loads(self.drx("map", "a", "--address", "2", "--json")), chunk)

    def test_shells(self):
        self.drx("create", "a", "--shape", "3,3", "--chunk", "1,1", "--shell")
        self.assertTrue(self.drx("map", "a").startswith("0 2 6\n1 3 7\n4 5 8\n"))
        self.assertIn("in shells", self.drx("info", "a"))

    def test_long_tables(self):
        self.drx("create", "a", "--shape", "41,100", "--chunk", "1,1", "--type", "int8", "--dims", "y,x")
        lines = self.drx("map", "a").split("\n")
        self.assertEqual(len(lines), 40 + 1 + 2 + 1)
        self.assertEqual(len(lines[0].split()), 40)
        self.assertEqual(lines[0].split()[19:22], ["19", "…", "81"])
        self.assertEqual(lines[20].strip(), "…")
        self.assertEqual(lines[21].split()[0], "2200")
        self.assertEqual(len({len(line) for line in lines[:20] + lines[21:40]}), 1)  # flush right
        self.assertEqual(lines[41], "axis 0 (y): (0;0;100 1)")
        full = self.drx("map", "a", "--all").split("\n")
        self.assertEqual([list(map(int, line.split())) for line in full[:41]],
                         np.arange(4100).reshape(41, 100).tolist())
        for _ in range(20):
            self.drx("extend", "a", 0, 1)
            self.drx("extend", "a", 1, 1)
        self.assertEqual(self.drx("map", "a").count(", …"), 2)
        self.assertNotIn("…", self.drx("map", "a", "--all"))

    def test_errors(self):
        self.drx("create", "a", "--shape", "10,10", "--chunk", "2,3", "--dims", "y,x")
        self.all_fail(1, "map", cases={
            ("a", "--index", "5,0"): ["a: --index 5", "axis 0 (y)", "5 chunks"],
            ("a", "--index", "4,4"): ["axis 1 (x)", "4 chunks"], ("a", "--index", "4"): "has 1 numbers; give 2",
            ("a", "--address", "20"): ["--address 20", "20 chunks"], "no": "no: no such array"})
        self.fails(1, "map", "a", "--index", "-1,0", says=["--index -1 is outside of axis 0"])
        self.fails(2, "map", "a", "--address", "-1", says=["--address '-1'"])
        self.fails(2, "map", "a", "--address", "1", "--index", "0,0", says=["--index and --address"])


class Info(CliTest):
    def test_text(self):
        self.drx("create", "a", "--shape", "0,180", "--chunk", "1,180", "--dims", "time,lat", "--type", "float32",
                 "--fill", "1e20", "--order", "F", "--align", "512")
        for _ in range(3):
            self.drx("extend", "a", "time", 1)
        self.drx("extend", "a", "lat", 10)
        text = self.drx("info", "a")
        for line in ("path       a", "shape      3 × 190  (time, lat)", "chunk      1 × 180  (720 bytes)",
                     "type       float32", "order      F  (first axis fastest)", "fill       1e+20",
                     "align      512 bytes",
                     "chunks     6  (3 × 2), 53 % inside the bounds", "segments   4, in 2 expansion records",
                     "history    made as 0 × 180",
                     "           axis 0 (time) +3 in 3 growths: 3 × 180", "           axis 1 (lat) +10: 3 × 190"):
            self.assertIn(line + "\n", text)
        self.assertIn("data       6.0 KiB, ", text)
        self.assertRegex(text, r"\nchanged    \d{4}-\d\d-\d\d \d\d:\d\d\n")

    def test_long_history(self):
        self.drx("create", "a", "--shape", "1,1", "--chunk", "1,1", "--type", "int8")
        for i in range(30):
            self.drx("extend", "a", i % 2, 1)
        text = self.drx("info", "a")
        self.assertEqual(text.count(" +1: "), 12)
        self.assertIn("… 18 more", text)
        self.assertIn(": 16 × 16\n", text)
        history = self.info("a")["history"]
        self.assertEqual(len(history), 30)
        self.assertEqual(history[-1], {"axis": 1, "by": 1, "shape": [16, 16]})

    def test_torn_tail(self):
        self.drx("create", "a", "--shape", "4")
        self.assertNotIn("report", self.info("a"))
        write_file("a.xmd", b"torn", "ab")
        self.drx("info", "a", warns="drx info: warning: ")
        self.assertIn("a.xmd", self.info("a", warns=True)["report"])
        self.drx("extend", "a", 0, 1, warns=True)
        self.assertNotIn("report", self.info("a"))

    def test_not_an_array(self):
        for name in ("a.xmd", "a.xta"):
            write_file(name, b"something else, and long enough to have a description " * 10)
        for verb in ("info", "map", "read"):
            self.fails(1, verb, "a", says=["a"])
        os.remove("a.xta")
        self.fails(1, "info", "a", says=["a"])
