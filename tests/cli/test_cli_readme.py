"""The examples of README.md in the shell do what it says, and the plans of docs/layout.md are those that the program prints;
examples in Python are tested with the package."""

import os
import re
import shutil
import subprocess
import unittest

from drx_cli import DRX, SANITIZED, CliTest, read_file

WINDS = "/usr/share/ferret-vis/data/monthly_navy_winds.cdf"
SOURCE, PATH = os.environ["DRX_SOURCE"], os.path.dirname(DRX) + os.pathsep + os.environ["PATH"]


def example(title):
    """The first block of code under the heading `## title`."""
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
        return re.search(rf"^## {title}\n\n```\w*\n(.*?)^```", file.read(), re.S | re.M)[1]


class Readme(CliTest):

    @unittest.skipUnless(os.path.exists(WINDS), f"{WINDS} is missing; install ferret-datasets")
    @unittest.skipIf(SANITIZED, "a sanitizer must come before what `drx run` preloads")
    def test_shell(self):
        commands = [line[2:] for line in example("Your programs open it").splitlines()]
        self.assertGreater(len(commands), 5)
        for command in commands:
            ran = re.match(r"drx run (\w+)", command)
            if ran and not shutil.which(ran[1]):
                self.assertEqual(ran[1], "cdo", "scripts/setup test installs the others")
                continue
            result = subprocess.run(["bash", "-c", command], env={**os.environ, "PATH": PATH}, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.assertEqual(result.returncode, 0, (command, result.stdout))
            if ran and ran[1] == "ncdump":
                self.assertIn(b"float UWND(TIME, FNOCY, FNOCX) ;", result.stdout)
        self.assertEqual(self.info("winds/UWND")["shape"], [132, 73, 144])
        self.assertEqual(self.info("series")["shape"], [73, 144, 132])
        self.assertTrue(read_file("wind.png").startswith(b"\x89PNG"))


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
