"""scripts/check-layers accepts good code and rejects each kind of bad code."""

import os
import subprocess
import sys
import tempfile
import unittest

CHECK = os.path.join(os.environ["DRX_SOURCE"], "scripts", "check-layers")

GOOD = {
    "include/drx.h": "#include <stdint.h>\n",
    "src/base/memory.h": '#include "drx.h"\n',
    "src/base/memory.c": '#include "base/memory.h"\n#include <stdlib.h>\nvoid *p(void) { return malloc(1); }\n',
    "src/map/place.c": '#include "base/memory.h"\n#define ONE \\\n    1 /* return */\nint f(void) { return ONE; }\n',
    "src/array/handle.h": "",
    "src/array/handle.c": '/* exit( */ // malloc(\nconst char *s = "abort( strcpy(";\n'
                          'int g(struct io *io) { return io->exit(snprintf(0, 0, "")); }\n',
    "cli/options.h": "",
    "cli/main.c": '#include "options.h"\n#include <drx.h>\n#include <stdlib.h>\nint main(void) { exit(0); }\n',
}

BAD = [  # path, code, what the check says
    ("src/base/x.c", '#include "map/map.h"\n', None),  # no such file: the compiler's business
    ("src/base/x.c", '\n#include "array/handle.h"\n', "src/base/x.c:2: src/base may not include src/array"),
    ("src/map/x.c", '#include "../array/handle.h"\n', "src/map may not include src/array"),
    ("src/pool/x.c", "#include <mpi.h>\n", "mpi.h belongs to src/mp"),
    ("src/mp/x.c", '#include <mpi.h>\n#include "array/handle.h"\n', None),
    ("src/other/x.c", "", "is in no layer"),
    ("include/x.h", '#include "base/memory.h"\n', "include/ may not include src/base/memory.h"),
    ("cli/x.c", '#include "array/handle.h"\n', "cli/ may not include src/array/handle.h"),
    ("examples/x.c", '#include "../cli/options.h"\n', "examples/ may not include cli/options.h"),
    ("tests/unit/x.c", '#include "array/handle.h"\n', None),
    ("cli/memory.h", "", "src/base/memory.h has the same name"),
    ("src/io/x.h", "#define TRY(x) \\\n    if (x) \\\n        return 1\n", "return inside #define"),
    ("tests/unit/x.c", "#define OUT goto done\n", "goto inside #define"),
    ("src/io/x.c", "void *p(void) { return calloc (1, 1); }\n", "calloc outside src/base"),
    ("src/dap/dap_memory.c", "void *p(void) { return calloc(1, 1); }\n", None),
    ("src/dap/x.c", "void *p(void) { return calloc(1, 1); }\n", "calloc outside src/base"),
    ("src/dap/x.c", '#include "array/handle.h"\n', "src/dap may not include src/array"),
    ("src/io/x.c", "void f(void) { abort(); }\n", "abort in the library"),
    ("cli/x.c", "int f(char *s) { return atoi(s); }\n", "atoi is unsafe"),
    ("cli/x.c", "int f(char *s) { return sprintf(s, s); }\n", "sprintf is unsafe"),
]


def check(files):
    with tempfile.TemporaryDirectory() as root:
        for path, code in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(code)
        result = subprocess.run([CHECK, root], capture_output=True, text=True, check=False)
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


unittest.main(argv=sys.argv[:1])
