"""docs/directions.md: the commands print what it says, and its picture is the one that they draw."""

import os
import re
import subprocess

from drx_cli import DRX, CliTest, read_file

DOCS = os.path.join(os.environ["DRX_SOURCE"], "docs")


class Page(CliTest):
    def test_commands(self):
        path = os.path.dirname(DRX) + os.pathsep + os.environ["PATH"]
        blocks = re.findall(r"^```\n(.*?)^```", read_file(os.path.join(DOCS, "directions.md")).decode(), re.S | re.M)
        self.assertEqual(len(blocks), 2)
        for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(blocks), re.M):
            result = subprocess.run(["bash", "-c", command], env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.assertEqual((result.returncode, result.stdout.decode()), (0, expected), command)
        self.assertEqual(read_file("directions.svg"), read_file(os.path.join(DOCS, "directions.svg")))
