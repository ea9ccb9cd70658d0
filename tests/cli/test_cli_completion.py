"""Completion of drx in a real bash: its function called with COMP_WORDS, and Tab pressed on a terminal."""

import importlib.util
import os
import pty
import re
import select
import subprocess
import time
import unittest

import numpy as np

from drx_cli import CODECS, DRX, TYPES, CliTest, write_file

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts", "completion", "drx.bash")
CALL = r"""
source "$1"
shift
COMP_LINE=$1
COMP_POINT=${#COMP_LINE}
shift
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_drx "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}"
printf '%s\0' "${COMPREPLY[@]}"
"""


def break_words(line):
    """As readline does with its usual COMP_WORDBREAKS: at spaces, = and :, where these are not quoted."""
    words = re.findall(r"""(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^\s=:'"\\])+|[=:]+""", line)
    return [*words, ""] if re.search(r"(?<!\\)[\s=:]$", line) else words


class CompletionTest(CliTest):
    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "PATH": os.path.dirname(DRX) + ":" + os.environ["PATH"],
                            "LC_ALL": "C.UTF-8", "HOME": os.getcwd()}

    def complete(self, line, words=None):
        """What Tab at the end of the line offers."""
        words = words or break_words(line)
        result = subprocess.run(["bash", "--norc", "-c", CALL, "bash", SCRIPT, line, *words],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, env=self.environment)
        self.assertEqual(result.stderr.decode(), "", line)
        return sorted(set(result.stdout.decode().split("\0")) - {""})

    def options(self, verb):
        text = self.drx(verb, "--help")
        return sorted(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.MULTILINE)
                      + re.findall(r"^  (-\w), ", text, re.MULTILINE))

    def verbs(self):
        return re.findall(r"^  ([a-z-]+) ", self.drx("--help"), re.MULTILINE)


class Words(CompletionTest):
    def test_verbs(self):
        self.assertIn("create", self.verbs())
        self.assertEqual(self.complete("drx "), sorted([*self.verbs(), "help", "--help", "--version"]))
        self.assertEqual(self.complete("drx ex"), [verb for verb in sorted(self.verbs()) if verb.startswith("ex")])
        self.assertEqual(self.complete("drx --v"), ["--version"])
        self.assertEqual(self.complete("drx help cre"), ["create"])
        self.assertEqual(self.complete(DRX.replace(" ", "\\ ") + " cre"), ["create"])
        self.assertEqual(self.complete("drx nothing "), [])

    def test_options(self):
        for verb in self.verbs():
            self.assertEqual(self.complete(f"drx {verb} -"), self.options(verb))
            self.assertEqual(self.complete(f"drx {verb} x --he"), ["--help"] if verb != "run" else [])
        self.assertEqual(self.complete("drx create a --she"), ["--shell"])
        self.assertEqual(self.complete("drx create -- --sh"), [])

    def test_values(self):
        self.assertEqual(self.complete("drx create a --order "), ["C", "F"])
        self.assertEqual(self.complete("drx create a --order="), ["C", "F"])
        self.assertEqual(self.complete("drx create a --order=F"), ["F"])
        self.assertEqual(self.complete("drx create --type "), sorted(TYPES))
        self.assertEqual(self.complete("drx create --type=com"), ["complex128", "complex64"])
        message = self.fails(2, "create", "a", "--shape", "1", "--type", "x")
        for name in TYPES:
            self.assertIn(name, message)
        self.assertEqual(self.complete("drx create a --codec "), sorted([*CODECS, "none"]))
        self.assertEqual(self.complete("drx copy a b --shuffle=b"), ["bit", "byte"])
        self.assertEqual(self.complete("drx create --shape "), [])
        self.assertEqual(self.complete("drx create --shape=3"), [])
        self.assertEqual(self.complete("drx info --json="), [])


class Paths(CompletionTest):
    def setUp(self):
        super().setUp()
        os.makedirs("data/sub")
        os.makedirs("my folder")
        os.makedirs(".hidden")
        for name in ("wind", "wave", "data/Länge", "data/x y", "my folder/a", "my array's", ".dot", "co:lon"):
            self.drx("create", name, "--shape", "2,3", "--dims", "time,lat")
        for name in ("in.nc", "wind.npy", "data/z.npy"):
            write_file(name)

    def test_arrays(self):
        top = ["co:lon", "data", "my array's", "my folder", "wave", "wind"]
        for line in ("drx info ", "drx info wind ", "drx extend ", "drx read ", "drx map --json ", "drx create ",
                     "drx map --index 0,0 ", "drx info -- ", "drx import in.nc ", "drx import in.nc:u "):
            self.assertEqual(self.complete(line), top, line)
        self.assertEqual(self.complete("drx info w"), ["wave", "wind"])
        self.assertEqual(self.complete("drx info data/"), ["data/Länge", "data/sub", "data/x y"])
        self.assertEqual(self.complete("drx info data/Lä"), ["data/Länge"])
        self.assertEqual(self.complete("drx info ./wi"), ["./wind"])
        self.assertEqual(self.complete("drx info ~/wi"), ["~/wind"])
        self.assertEqual(self.complete("drx info ."), [".dot", ".hidden"])
        for typed in ("my\\ ", '"my ', "'my "):  # the words as readline gives them
            self.assertEqual(self.complete("drx info " + typed, ["drx", "info", typed]), ["my array's", "my folder"])
        self.assertEqual(self.complete("drx info my\\ a"), ["my array's"])
        self.assertEqual(self.complete("drx info my\\ folder/"), ["my folder/a"])
        self.assertEqual(self.complete("drx info co:l"), ["lon"])  # what comes after the break
        self.assertEqual(self.complete("drx info 'co:l", ["drx", "info", "'co:l"]), ["co:lon"])
        self.assertEqual(self.complete("drx info no"), [])
        self.assertEqual(self.complete("drx extend wind time "), [])

    def test_files(self):
        self.assertEqual(self.complete("drx append wind time w"),
                         ["wave.xmd", "wave.xta", "wind.npy", "wind.xmd", "wind.xta"])
        self.assertEqual(self.complete("drx write wind --at 0,0 win"), ["wind.npy", "wind.xmd", "wind.xta"])
        self.assertEqual(self.complete("drx read wind -o data/z"), ["data/z.npy"])
        self.assertEqual(self.complete("drx read wind --output=data/z"), ["data/z.npy"])
        self.assertEqual(self.complete("drx import in"), ["in.nc"])

    def test_words_of_a_verb(self):
        self.assertEqual(self.complete("drx dap "), ["check"])
        self.assertEqual(self.complete("drx dap f"), [])
        self.assertEqual(self.complete("drx dap check wind.n"), ["wind.npy"])
        self.assertEqual(self.complete("drx dap check wind.npy in"), ["in.nc"])  # several
        self.assertEqual(self.complete("drx check wind w"), ["wave", "wind"])

    def test_program(self):
        """A command, and then files; options after it are its own."""
        self.assertIn("bash", self.complete("drx run ba"))
        self.assertIn("bash", self.complete("drx run --mpi ba"))
        self.assertEqual(self.complete("drx run --m"), ["--mpi"])
        self.assertEqual(self.complete("drx run bash in"), ["in.nc"])
        self.assertEqual(self.complete("drx run bash -x --help wind.n"), ["wind.npy"])
        self.assertEqual(self.complete("drx run bash --m"), [])
        self.assertEqual(self.complete("drx run data/z"), ["data/z.npy"])
        self.assertEqual(self.complete("drx run no-such-command"), [])

    @unittest.skipUnless(importlib.util.find_spec("netCDF4"), "netCDF4 is not there")
    def test_datasets(self):
        """Variables, groups and dimensions by their present names."""
        import netCDF4
        np.save("b.npy", np.zeros((2, 3)))
        with netCDF4.Dataset("u.nc", "w") as ds:
            ds.createDimension("time", 2)
            ds.createVariable("u", "f4", ("time",))
        self.drx("import", "u.nc", "ds")
        for name, dim in (("old", "n"), ("g h/b", "m"), ("k/c", "n")):
            self.drx("add", "ds", name, "b.npy", "--dims", f"time,{dim}")
        self.drx("rename", "ds", "old", "new")
        self.assertEqual(self.complete("drx info ds/"), ["ds/g h", "ds/k", "ds/new", "ds/u"])
        self.assertEqual(self.complete("drx info ds/k/"), ["ds/k/c"])
        self.assertEqual(self.complete("drx info ds/g\\ h/b"), ["ds/g h/b"])
        self.assertEqual(self.complete("drx trim ds "), ["g\\ h/m", "n", "time"])
        self.assertEqual(self.complete("drx rename ds k"), ["k", "k/c"])
        os.chdir("ds")
        self.assertEqual(self.complete("drx info k/"), ["k/c"])
        self.assertEqual(self.complete("drx info "), ["g h", "k", "new", "u"])

    def test_axes(self):
        self.assertEqual(self.complete("drx extend wind "), ["lat", "time"])
        self.assertEqual(self.complete("drx append wind t"), ["time"])
        self.assertEqual(self.complete("drx append wind.xmd t"), ["time"])
        self.assertEqual(self.complete("drx extend wind 1"), ["1"])
        self.assertEqual(self.complete("drx extend data/x\\ y la"), ["lat"])
        self.assertEqual(self.complete("drx extend 'my array'\\''s' la", ["drx", "extend", "'my array'\\''s'", "la"]),
                         ["lat"])
        self.assertEqual(self.complete("drx extend nothing "), [])
        self.assertEqual(self.complete("drx map wind -o m.svg --axes "), ["lat", "time"])
        self.assertEqual(self.complete("drx map wind -o m.svg --axes lat,t"), ["lat,time"])
        self.assertEqual(self.complete("drx copy wind turned --permute lat,t"), ["lat,time"])

    def test_strange_axes(self):
        self.drx("create", "a", "--shape", "1,1,1,1,1,1,1", "--dims", 'x,my "dim",,Länge,back\\slash,x,$(touch bad)]')
        self.assertEqual(self.complete("drx extend a "),
                         sorted(["0", "my\\ \\\"dim\\\"", "2", "Länge", "back\\\\slash", "5",
                                 "\\$\\(touch\\ bad\\)\\]"]))
        self.assertEqual(self.complete("drx extend a my\\ ", ["drx", "extend", "a", "my\\ "]), ['my\\ \\"dim\\"'])
        self.assertEqual(self.complete("drx extend a 'my ", ["drx", "extend", "a", "'my "]), ['my "dim"'])
        self.drx("create", "b", "--shape", "1,1", "--dims", "tab\there,y")
        self.assertEqual(self.complete("drx extend b "), ["0", "y"])
        self.assertFalse(os.path.exists("bad"))


class Terminal(CompletionTest):
    """Tab pressed in an interactive bash; drx is a function there that prints its words."""

    def press(self, *lines):
        try:
            for end in pty.openpty():
                os.close(end)
        except OSError as error:
            self.skipTest(f"no terminals here: {error}")
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(self.environment, PS1="$ ", TERM="dumb", INPUTRC="/dev/null")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        try:
            self.wait_for(terminal, b"$ ")
            setup = f"source '{SCRIPT}'; drx() {{ printf '<%s>' \"$@\"; echo; }}; bind 'set bell-style none'; echo re''ady\n"
            os.write(terminal, setup.encode())
            self.wait_for(terminal, b"ready\r\n")
            found = []
            for line in lines:
                os.write(terminal, line.encode() + b"\n")
                found.append(re.search(r"\n(<.*>)\r\n", self.wait_for(terminal, b">\r\n").decode()).group(1))
            return found
        finally:
            os.write(terminal, b"\x03\nexit\n")
            os.close(terminal)
            os.waitpid(pid, 0)

    def wait_for(self, terminal, what):
        got, end = b"", time.monotonic() + 60
        while what not in got:
            ready = select.select([terminal], [], [], max(0, end - time.monotonic()))[0]
            self.assertTrue(ready, (what, got))
            got += os.read(terminal, 65536)
        return got

    def test_tab(self):
        os.mkdir("Ordner mit Leerzeichen")
        self.drx("create", "Ordner mit Leerzeichen/Länge & Breite", "--shape", "1,1", "--dims", "Zeit & Raum,y")
        self.drx("create", "wind", "--shape", "1")
        self.assertEqual(
            self.press("drx inf\twi\t", "drx extend Ord\tL\tZ\t7", "drx info 'Ord\tL\t",
                       "drx create a --sha\t3 --order=F\t",
                       "drx extend \"Ordner mit Leerzeichen/L\t\"Z\t"),
            ["<info><wind>", "<extend><Ordner mit Leerzeichen/Länge & Breite><Zeit & Raum><7>",
             "<info><Ordner mit Leerzeichen/Länge & Breite>", "<create><a><--shape><3><--order=F>",
             "<extend><Ordner mit Leerzeichen/Länge & Breite><Zeit & Raum>"])
