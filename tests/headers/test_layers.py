"""scripts/check-layers accepts good code and rejects each kind of bad code."""

import os
import subprocess
import sys
import tempfile
import unittest

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "check-layers")

GOOD = {
    "include/drx.h": "#include <stdint.h>\n",
    "src/base/memory.h": '#include "drx.h"\n',
    "src/base/memory.c": '#include "base/memory.h"\n#include <stdlib.h>\nvoid *p(void) { return malloc(1); }\n',
    "src/map/place.c": '#include "base/memory.h"\n#define ONE \\\n    1 /* return */\nint f(void) { return ONE; }\n',
    "src/array/handle.h": "",
    "src/array/replica.h": "",
    "src/array/handle.c": '/* exit( */ // malloc(\nconst char *s = "abort( strcpy(";\n'
                          'int g(struct io *io) { return io->exit(snprintf(0, 0, "")); }\n',
    "src/repair/check.c": '#include "array/handle.h"\n',
    "src/layout/plan/plan.h": "",
    "src/mp/darray/darray.h": "",
    "src/mp/onesided/onesided.h": "",
    "cli/frame/options.h": "",
    "cli/verbs/main.c": '#include "frame/options.h"\n#include <drx.h>\n#include <stdlib.h>\nint main(void) { exit(0); }\n',
    "shim/old_dra/old_file.h": "",
}

BAD = [  # path, code, what the check says
    ("src/base/x.c", '#include "base/nowhere.h"\n', '"base/nowhere.h": no such file'),
    ("src/base/x.c", '#include "stdio.h"\n', '"stdio.h": no such file'),
    ("tests/unit/x.c", '#include "nowhere.h"\n', '"nowhere.h": no such file'),
    ("src/base/x.c", '\n#include "array/handle.h"\n', "src/base/x.c:2: src/base may not include src/array"),
    ("src/map/x.c", '#include "../array/handle.h"\n', "src/map may not include src/array"),
    ("src/repair/x.c", '#include "layout/plan/plan.h"\n', "src/repair may not include src/layout/plan"),
    ("src/layout/run/x.c", '#include "layout/plan/plan.h"\n', None),
    ("src/layout/plan/x.c", '#include "array/handle.h"\n', "src/layout/plan may not include src/array"),
    ("src/array/x.c", '#include <array/handle.h>\n#include "layout/plan/plan.h"\n',
     "src/array/x.c:2: src/array may not include src/layout/plan"),
    ("src/pool/x.c", "#include <mpi.h>\n", "mpi.h belongs to src/mp"),
    ("src/mp/x.c", '#include <mpi.h>\n#include "array/replica.h"\n', None),
    ("src/mp/x.c", '#include "array/handle.h"\n', "src/mp may not include src/array/handle.h"),
    ("src/mp/darray/x.c", '#include "array/handle.h"\n', "src/mp/darray may not include src/array/handle.h"),
    ("src/mp/darray/x.c", '#include "mp/onesided/onesided.h"\n', "src/mp/darray may not include src/mp/onesided"),
    ("src/mp/x.c", '#include "mp/darray/darray.h"\n', "src/mp may not include src/mp/darray"),
    ("src/other/x.c", "", "is in no room"),
    ("include/x.h", '#include "base/memory.h"\n', "include/ may not include src/base/memory.h"),
    ("cli/x.c", "", "is in no room"),
    ("cli/frame/x.c", '#include "array/handle.h"\n', "cli/ may not include src/array/handle.h"),
    ("cli/frame/x.c", '#include "old_file.h"\n', "cli/ may not include shim/old_dra/old_file.h"),
    ("cli/formats/dra/x.c", '#include "old_file.h"\n', None),
    ("cli/frame/x.c", '#include "verbs/verb.h"\n', "no such file"),
    ("examples/x.c", '#include "../cli/frame/options.h"\n', "examples/ may not include cli/frame/options.h"),
    ("tests/unit/x.c", '#include "array/handle.h"\n', None),
    ("src/base/memory.h", '#include "base/more.h"\n', "no such file"),
    ("cli/frame/memory.h", "", "has the same name"),
    ("src/io/x.h", "#define TRY(x) \\\n    if (x) \\\n        return 1\n", "return inside #define"),
    ("tests/unit/x.c", "#define OUT goto done\n", "goto inside #define"),
    ("src/io/x.c", "void *p(void) { return calloc (1, 1); }\n", "calloc outside src/base"),
    ("src/dap/dap_memory.c", "void *p(void) { return calloc(1, 1); }\n", None),
    ("src/dap/x.c", "void *p(void) { return calloc(1, 1); }\n", "calloc outside src/base"),
    ("src/dap/x.c", '#include "array/handle.h"\n', "src/dap may not include src/array"),
    ("src/io/x.c", "void f(void) { abort(); }\n", "abort in the library"),
    ("cli/frame/x.c", "int f(char *s) { return atoi(s); }\n", "atoi is unsafe"),
    ("cli/frame/x.c", "int f(char *s) { return sprintf(s, s); }\n", "sprintf is unsafe"),
    ("src/io/x.c", "void f(int n)\n{\n    memset(g(1,\n             &n), 0, (h(n)));\n}\n", "src/io/x.c:3: n is an argument"),
    ("src/io/x.c", "void f(int n, struct s m)\n{\n    p(g(&n), m.n, &n, k(&m), m.k);\n    if (g(&n) && n)\n        g(h(&n), i[n]);\n}\n",
     "src/io/x.c:5: n is an argument"),
    ("src/io/x.c", "void f(int n, struct s m)\n{\n    p(g(&n), m.n, &n, k(&m), m.k);\n    if (g(&n) && n)\n        h(n & 1, g(2, n));\n}\n",
     None),
]


CIRCLES = [  # files, and the circle that the check names
    ({"src/io/a.h": '#include "io/b.h"\n', "src/io/b.h": '#include "io/a.h"\n'}, "src/io/a.h src/io/b.h"),
    ({"src/io/a.c": "void push(void);\nvoid pull(void)\n{\n    push();\n}\n",
      "src/io/b.c": "void pull(void);\nvoid push(void)\n{\n    pull();\n}\n"}, "src/io/a.c src/io/b.c"),
    ({"src/io/a.c": "void push(void);\nstatic void pull(void)\n{\n    push();\n}\n",
      "src/io/b.c": "static void pull(void)\n{\n}\nvoid push(void)\n{\n    pull();\n}\n"}, None),
]


def check(files, *options):
    with tempfile.TemporaryDirectory() as root:
        for path, code in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(code)
        result = subprocess.run([CHECK, *options, root], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout + result.stderr


class Layers(unittest.TestCase):
    def test_this_tree(self):
        result = subprocess.run([CHECK], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_samples(self):
        for path, code, message in [("include/drx.h", GOOD["include/drx.h"], None), *BAD]:
            with self.subTest(path=path, code=code):
                status, output = check({**GOOD, path: code})
                self.assertEqual(status, 1 if message else 0, output)
                self.assertIn(message or "", output)

    def test_circles(self):
        for files, message in CIRCLES:
            with self.subTest(files=files):
                status, output = check({**GOOD, **files})
                self.assertEqual(status, 1 if message else 0, output)
                self.assertIn(message or "", output)

    def test_rooms_have_at_most_twenty_files(self):
        for n in (20, 21):
            status, output = check({**GOOD, **{f"cli/convert/f{i}.h": "" for i in range(n)}})
            self.assertEqual(status, 1 if n > 20 else 0, output)
            self.assertEqual("cli/convert: 21 files" in output, n > 20)

    def test_lines_have_at_most_120_columns(self):
        for n in (120, 121):
            status, output = check({**GOOD, "src/base/long.h": "/* " + "é" * (n - 6) + " */\n"})
            self.assertEqual((status, output), (1, f"src/base/long.h:1: {n} columns, at most 120\n") if n > 120 else (0, ""))

    def test_exports_for_libdrxmp(self):
        files = {**GOOD, "src/base/own.h": "DRXI_SHARED int f(void);\n"}
        status, output = check(files)
        self.assertEqual(status, 1, output)
        self.assertIn("src: 1 functions are DRXI_SHARED", output)

    def test_at_most_two_files_have_a_static_function_of_one_name(self):
        for n in (2, 3):
            code = "static int *\nfind(int *x)\n{\n    return x;\n}\n"
            status, output = check({**GOOD, **{f"src/io/f{i}.c": code for i in range(n)}, "cli/frame/f.c": code})
            self.assertEqual((status, "find is a static function here, and in src/io/f1.c and src/io/f2.c" in output),
                             (n > 2, n > 2), output)

    def test_places_that_ask_for_a_feature(self):
        asks = "int f(struct file *f) { return f->pack != 0; }\n"
        free = "/* f->pack */ const char *s = \"f->pack\";\nint packed(struct file *f) { return f->packet; }\n"
        files = {**GOOD, "src/array/asks.c": free + asks, "src/pack/own.c": asks, "tests/unit/too.c": asks}
        status, output = check(files, "--places", "packed")
        self.assertEqual((status, output), (0, "src/array/asks.c:3: " + asks))
        status, output = check(files, "--places")
        self.assertEqual((status, output.split()[:5]), (0, ["packed", "1", "in", "1", "files"]))
        self.assertEqual(check(files), (0, ""))
        status, output = check({**files, "src/array/asks.c": asks * 1000})
        self.assertEqual(status, 1, output)
        self.assertIn("src: 1000 places ask for a feature outside its rooms", output)


unittest.main(argv=sys.argv[:1])
