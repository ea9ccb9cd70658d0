"""The examples of README.md in the shell and in C do what it says, and the plans of docs/layout.md are those that the program
prints; examples in Python are tested with the package."""

import os
import re
import subprocess
import unittest

from drx_cli import DRX, SANITIZED, CliTest, read_file

WINDS = "/usr/share/ferret-vis/data/monthly_navy_winds.cdf"
SOURCE, BUILD = os.environ["DRX_SOURCE"], os.environ["DRX_BUILD"]


def example(title):
    """The first block of code under the heading `## title`."""
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
        return re.search(rf"^## {title}\n\n```\w*\n(.*?)^```", file.read(), re.S | re.M)[1]


class Readme(CliTest):

    @unittest.skipUnless(os.path.exists(WINDS), f"{WINDS} is missing; install ferret-datasets")
    def test_shell(self):
        path = os.path.dirname(DRX) + os.pathsep + os.environ["PATH"]
        commands = [line[2:] for line in example("Shell").splitlines()]
        self.assertGreater(len(commands), 5)
        for command in commands:
            result = subprocess.run(["bash", "-c", command], env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.assertEqual(result.returncode, 0, (command, result.stdout))
        self.assertEqual(self.info("uwnd")["shape"], [132, 73, 160])
        self.assertEqual(self.info("series")["shape"], [73, 160, 132])
        self.assertTrue(read_file("wind.png").startswith(b"\x89PNG"))

    @unittest.skipIf(SANITIZED, "needs the options of the sanitizer")
    def test_c(self):
        code = example("C")
        includes, body = code.split("\n\n", 1)
        with open("readme.c", "w", encoding="utf-8") as file:
            file.write(f"#include <stdio.h>\n{includes}\nint main(void)\n{{\n{body}\n"
                       'for (int i = 0; i < 8; i++) printf("%g ", turned[i]);\n}\n')
        library = os.path.join(BUILD, "src")
        subprocess.run([os.environ["CC"], "-I", os.path.join(SOURCE, "include"), "readme.c", "-o", "readme", "-L",
                        library,
                        "-ldrx", f"-Wl,-rpath,{library}"], check=True)
        written = subprocess.run(["./readme"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        self.assertIn(f"/* {written} */", code)


class LayoutPage(CliTest):
    def test_plans(self):
        with open(os.path.join(SOURCE, "docs/layout.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^    \$ drx (.*)\n((?:    .*\n)*)", file.read(), re.M)
        self.assertEqual([words.split()[0] for words, _ in blocks[:2]], ["create", "copy"])
        for words, shown in blocks[:2]:
            self.assertEqual(self.drx(*words.split()), re.sub("^    ", "", shown, flags=re.M))
        for limit, least in ((900, 888), (800, 768), (702, 702)):
            plan = self.drx("copy", "a", "b", "--chunk", "5,16", "--memory", limit, "--dry-run")
            self.assertIn(f"\nmemory {least} bytes", plan)
            with open(os.path.join(SOURCE, "docs/layout.md"), encoding="utf-8") as file:
                self.assertIn(f" {least}", file.read())
