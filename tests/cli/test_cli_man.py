"""The man page drx(1) and the --help of drx say the same; the examples of the help can be run."""

import os
import re
import shlex
import shutil
import subprocess

import numpy as np

from drx_cli import DRX, CliTest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "man", "drx.1")
BUILT_IN = {"help"}  # no verb of the table
SURE = {"create", "extend", "append", "prepend", "trim", "add-axis", "write", "read", "info", "map", "advise"}  # their examples succeed
GENERAL = {"-h", "--help", "--version"}  # in the synopsis, for all verbs


def options_of_macros(lines):
    """-x and --long of the macros Fl; mdoc writes --long as `Fl -long`."""
    return {"-" + name for line in lines for name in re.findall(r"\bFl (-?[\w-]*\w)", line)}


class Page:
    """sections: {title: lines}; verbs: {verb: lines of its entry}."""

    def __init__(self, text):
        self.sections, self.verbs = {}, {}
        title = verb = None
        depth = 0
        for line in text.splitlines():
            if line.startswith(".Sh "):
                title = line[4:]
                self.sections[title] = []
                continue
            if title is None:
                continue
            self.sections[title].append(line)
            if title != "DESCRIPTION":
                continue
            depth += line.startswith(".Bl ") - line.startswith(".El")
            match = re.match(r"\.It Cm ([\w-]+)", line) if depth == 1 else None
            if match:
                verb = match.group(1)
                self.verbs[verb] = []
            if depth == 0:
                verb = None
            if verb:
                self.verbs[verb].append(line)

    def options(self, verb):
        """Those that the entry of the verb explains: not what is mentioned in running text."""
        return options_of_macros(line for line in self.verbs[verb] if line.startswith(".It "))

    def synopsis(self):
        """{verb: options that its lines of the synopsis name}."""
        found = {}
        for part in re.split(r"^\.Nm$", "\n".join(self.sections["SYNOPSIS"]), flags=re.MULTILINE):
            match = re.search(r"^\.Cm ([\w-]+)$", part, re.MULTILINE)
            if match:
                found.setdefault(match.group(1), set()).update(options_of_macros(part.splitlines()))
        return found


class Man(CliTest):
    def setUp(self):
        super().setUp()
        with open(PAGE, encoding="utf-8") as file:
            self.page = Page(file.read())
        self.verbs = re.findall(r"^  ([a-z-]+) ", self.drx("--help"), re.MULTILINE)
        self.assertIn("create", self.verbs)

    def part_of_help(self, verb, title):
        text = self.drx(verb, "--help")
        return re.search(rf"^{title}:\n((?:  .*\n|\n)*)", text, re.MULTILINE).group(1)

    def options_of_help(self, verb):
        found = set()
        for short, long in re.findall(r"^  (?:(-\w), )?(--?[\w-]+)", self.part_of_help(verb, "Options"), re.MULTILINE):
            found |= {short, long} - {""}
        self.assertLessEqual({"-h", "--help"}, found)
        return found

    def test_verbs(self):
        self.assertEqual(set(self.page.verbs), set(self.verbs) | BUILT_IN)
        self.assertEqual(set(self.page.synopsis()), set(self.verbs) | BUILT_IN)

    def test_options(self):
        for verb in self.verbs:
            with self.subTest(verb):
                self.assertEqual(self.page.options(verb) - GENERAL, self.options_of_help(verb) - GENERAL)

    def test_synopsis(self):
        """It names no option that the verb has not; nor does the usage of the help."""
        for verb, named in self.page.synopsis().items():
            if verb not in BUILT_IN:
                self.assertLessEqual(named, self.options_of_help(verb), verb)
                usage = re.search(r"^Usage: (.*)$", self.drx(verb, "--help"), re.MULTILINE).group(1)
                self.assertLessEqual(set(re.findall(r"(?<![\w.])--?[a-z][a-z-]*", usage)), self.options_of_help(verb))

    def test_options_are_accepted(self):
        """Each option of the help is one: the program complains about something else."""
        for verb in self.verbs:
            for option in self.options_of_help(verb) - {"-h", "--help"}:
                result = self.run_drx(verb, option, "x")
                self.assertNotIn(b"unknown option", result.stderr, (verb, option))
        self.assertLessEqual(set(os.listdir()), {"x.xmd", "x.xta"})

    def test_general_options(self):
        options = options_of_macros(self.page.sections["SYNOPSIS"])
        self.assertLessEqual({"--help", "--version"}, options)

    def test_markup(self):
        """The entries in the order of the overview, the synopsis too."""
        self.assertEqual([verb for verb in self.page.verbs if verb not in BUILT_IN], self.verbs)
        self.assertEqual([verb for verb in self.page.synopsis() if verb not in BUILT_IN], self.verbs)


class Examples(CliTest):
    """The examples of --help and of the man page, run by a shell in a folder that has what they name."""

    def prepare(self):
        for name in os.listdir():
            if os.path.isfile(name):
                os.remove(name)
        for folder in ("climate", "archive"):
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
        self.drx("create", "matrix", "--shape", "10,10", "--chunk", "2,3", "--dims", "y,x")
        self.drx("create", "sst", "--shape", "12,180,360", "--chunk", "1,90,90", "--dims", "time,lat,lon",
                 "--type", "float32", "--fill", "nan")

    def make_files(self, words):
        """The .npy files that append and write read, with what fits the arrays above."""
        verb = words[1] if len(words) > 1 else ""
        if verb in ("append", "prepend", "write"):
            for name in words[2:]:
                if name.endswith(".npy"):
                    shape, dtype = ((1, 180, 360), "f4") if "sst" in words else ((2, 10), "f8")
                    np.save(name, np.zeros(shape, dtype))

    def examples(self, verb):
        text = self.drx(verb, "--help")
        part = re.search(r"^Examples:\n((?:  .*\n)+)", text, re.MULTILINE)
        self.assertTrue(part, verb)
        self.assertNotIn("\n\n", part.group(1))
        return [line.strip() for line in re.sub(r"\\\n *", "", part.group(1)).splitlines()]

    def run_example(self, line):
        words = shlex.split(line)
        self.make_files(words)
        environment = {**os.environ, "PATH": os.path.dirname(DRX) + ":" + os.environ["PATH"]}
        result = subprocess.run(["bash", "-o", "pipefail", "-c", line], stdin=subprocess.DEVNULL, env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=120)
        error = result.stderr.decode("utf-8", "replace")
        if "command not found" in error and "drx: command not found" not in error:
            return None  # a pager or a viewer that is not here
        if "is not a terminal" in error:
            return None
        self.assertIn(result.returncode, (0, 1), (line, error))
        self.assertNotIn("drx: command not found", error)
        return result.returncode

    def test_help(self):
        """No example is misused; those of the verbs that need nothing but the arrays above succeed."""
        verbs = re.findall(r"^  ([a-z-]+) ", self.drx("--help"), re.MULTILINE)
        self.assertLessEqual(SURE, set(verbs))
        for verb in verbs:
            for line in self.examples(verb):
                with self.subTest(line):
                    self.assertRegex(line, rf"\bdrx {verb}\b")
                    self.prepare()
                    if verb == "create":
                        self.remove_array(shlex.split(line)[2])
                    self.assertIn(self.run_example(line), {0} if verb in SURE else {0, 1, None})

    def remove_array(self, name):
        for suffix in (".xmd", ".xta"):
            if os.path.exists(name + suffix):
                os.remove(name + suffix)

    def test_page(self):
        """The commands of the section EXAMPLES."""
        os.mkdir("archive")
        with open(PAGE, encoding="utf-8") as file:
            lines = Page(file.read()).sections["EXAMPLES"]
        text = re.sub(r"\\e\n *", "", "\n".join(lines))
        commands = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
        self.assertGreater(len(commands), 5)
        for command in commands:
            if command.startswith("drx import ") or "uwnd" in command or " winds" in command:
                continue  # needs a file of the reader's
            self.assertEqual(self.run_example(command), 0, command)


class Explained(CliTest):
    """The lines of drx read --explain: each is in the page, and they account for all bytes that were wanted."""

    UNITS = {"byte": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20}

    def explain(self, *words):
        result = self.run_drx("read", *words, "--explain")
        self.assertEqual(result.returncode, 0)
        lines = [line.split(maxsplit=1) for line in result.stderr.decode().splitlines()]
        sizes = {}
        for name, text in lines:
            number, unit = re.match(r"([\d.]+) (\w+)", text).groups()
            sizes[name] = float(number) * self.UNITS[unit]
        return dict(lines), sizes

    def test_lines(self):
        with open(PAGE, encoding="utf-8") as page:
            entry = page.read().partition("\n.It Fl -explain\n")[2].partition("\n.El\n")[0]
        self.put("a", np.arange(300 * 500, dtype="float64").reshape(300, 500), "--chunk", "64,64")
        for words in (("a", "-o", "b.npy"), ("a", "-o", "b.npy", "--verify"), ("a[7,:9]",)):
            texts, sizes = self.explain(*words)
            self.assertEqual(list(texts), re.findall(r"\.It Li (\w+)", entry))
            self.assertEqual(list(texts), ["wanted", "mapped", "read", "touched", "directly", "ahead"])
            self.assertEqual(texts["wanted"], "72 bytes" if words[0] == "a[7,:9]" else "1.1 MiB")
            self.assertGreaterEqual(sizes["mapped"] + sizes["read"], 0.9 * sizes["wanted"])
            self.assertLessEqual(sizes["touched"] + sizes["directly"], 1.1 * sizes["read"])
            self.assertRegex(texts["mapped"], r", in \d+ strided copies$")
            self.assertRegex(texts["read"], r", in \d+ calls, \d+ of them under way with others$")
            self.assertRegex(texts["ahead"], r"fetched for the next box")
