"""Hostile files, names and links. drx never writes, cuts, overwrites or removes files of others, prints nothing that a
terminal obeys, and takes time and memory in proportion to the size of the files."""

import json
import os
import resource
import socket
import struct
import sys

from drx_cli import SANITIZED, CliTest, names, read_file, write_file

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))
from make_log import array, attribute, text  # noqa: E402
from store import ATTRIBUTE, ATTRIBUTE_DELETE, GROW, RENAME  # noqa: E402

HEX = "0123456789abcdeffedcba9876543210"
SECRET = b"of somebody else"
CPU_SECONDS = 60 if SANITIZED else 10
VERBS = ("info", "check", "map", "read", "rm", "export", "view")


def uint8(shape, chunk, **values):
    """A log of an array of uint8."""
    return array(shape, chunk, type=5, **values)


def set_text(log, name, value, is_text=True):
    log.append(ATTRIBUTE, 1, attribute(name, 5, value, [len(value)], is_text))


def save(log, path):
    write_file(path + ".xmd", bytes(log.data))
    write_file(path + ".xta")


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


class Hostile(CliTest):
    def setUp(self):
        super().setUp()
        os.mkdir("theirs")
        write_file("theirs/victim.xta", SECRET)
        write_file("theirs/victim.xta.0", SECRET)

    def untouched(self):
        for name in ("theirs/victim.xta", "theirs/victim.xta.0"):
            self.assertEqual(read_file(name), SECRET, name)

    def make(self, path="a"):
        self.drx("create", path, "--shape", [4, 4], "--chunk", [2, 2], "--type", "int16", "--force")

    def striped(self, stem, folder, path="a", elements=1):
        """Metadata of one stripe."""
        save(uint8([elements], [1], stripe=(stem, folder)), path)
        os.unlink(path + ".xta")

    def quick(self, *words):
        """A run that does not end by the limits."""
        result = self.run_drx(*words, preexec_fn=limit)
        self.assertIn(result.returncode, (0, 1, 2), (words, result.stderr))
        self.assertNotIn(b"Sanitizer", result.stderr)
        return result

    # ---- stripes ------------------------------------------------------------------

    def test_rm_removes_no_file_that_is_no_stripe(self):
        for folder in b"theirs", os.fsencode(os.path.abspath("theirs")), b"./theirs/../theirs":
            for stem in b"victim.xta", b"victim." + HEX.encode()[1:] + b".xta", b"." + HEX.encode() + b".xta":
                name = f"theirs/{stem.decode()}.0"
                write_file(name, SECRET)
                self.striped(stem, folder)
                self.fails(1, "rm", "--force", "a", says=["not removed", f"{stem.decode()}.0"])
                self.assertTrue(os.path.exists("a.xmd"))
                self.make()  # in its place
                self.assertTrue(os.path.exists(name))
                self.drx("rm", "a")
        self.untouched()

    def test_rm_removes_regular_files_only(self):
        stem = f"a.{HEX}.xta"
        os.symlink("victim.xta", f"theirs/{stem}.0")
        self.striped(stem.encode(), b"theirs")
        self.fails(1, "rm", "a", says=["not a regular file of the same owner"])
        self.assertTrue(os.path.islink(f"theirs/{stem}.0"))
        os.unlink(f"theirs/{stem}.0")
        os.mkfifo(f"theirs/{stem}.0")
        self.fails(1, "rm", "a", says=["not a regular file of the same owner"])
        os.unlink(f"theirs/{stem}.0")
        write_file(f"theirs/{stem}.0", b"1")
        if os.geteuid() == 0:
            os.chown(f"theirs/{stem}.0", 12345, 12345)
            self.fails(1, "rm", "a", says=["not a regular file of the same owner"])
            os.chown(f"theirs/{stem}.0", 0, 0)
        self.drx("rm", "a")
        self.assertEqual(names("theirs"), ["victim.xta", "victim.xta.0"])
        self.untouched()

    def test_names_of_stripes_lead_nowhere_else(self):
        """A stem with a slash is none."""
        self.striped(b"../theirs/victim.xta", b".")
        for verb in VERBS:
            self.quick(verb, "a", *(["x.npy"] if verb == "export" else []))
        self.untouched()

    # ---- links ----------------------------------------------------------------------

    def link(self, suffix):
        self.make()
        os.unlink("a" + suffix)
        os.symlink("theirs/victim.xta", "a" + suffix)

    def test_what_is_replaced_or_removed_is_the_link(self):
        self.make("b")
        for verb in (["rm", "a"], ["create", "a", "--shape", "3", "--force"], ["cp", "--force", "b", "a"],
                     ["mv", "--force", "b", "a"]):
            self.link(".xta")
            self.drx(*verb)
            self.assertFalse(os.path.islink("a.xta"), verb)
            self.untouched()
            self.make("b")

    def test_a_link_of_ones_own_data_is_followed(self):
        """An array may have its data elsewhere by a link; reading and writing go there."""
        self.make()
        os.rename("a.xta", "theirs/data")
        os.symlink("theirs/data", "a.xta")
        self.drx("extend", "a", 0, 2)
        self.assertEqual(os.stat("theirs/data").st_size, 3 * 2 * 8)
        self.assertTrue(os.path.islink("a.xta"))
        self.drx("rm", "a")
        self.assertTrue(os.path.exists("theirs/data"))

    def test_links_that_lead_nowhere(self):
        for suffix in ".xmd", ".xta":
            os.symlink("theirs/new", "a" + suffix)
            for words in (["create", "a", "--shape", "3"], ["create", "a", "--shape", "3", "--force"], ["info", "a"]):
                result = self.quick(*words)
                self.assertEqual(result.returncode, 1, words)
            self.assertFalse(os.path.exists("theirs/new"))
            os.unlink("a" + suffix)

    def test_files_of_other_kinds(self):
        for make in (os.mkfifo, os.mkdir, self.make_socket, lambda name: os.symlink("/dev/zero", name),
                     lambda name: os.symlink(name, name)):
            for suffix in ".xmd", ".xta":
                self.make()
                os.unlink("a" + suffix)
                make("a" + suffix)
                for words in (["info", "a"], ["check", "a"], ["read", "a"], ["extend", "a", "0", "1"], ["cp", "a", "c"],
                              ["create", "a", "--shape", "3"], ["create", "a", "--shape", "3", "--force"]):
                    self.assertEqual(self.quick(*words).returncode, 1, (make, suffix, words))
                if os.path.isdir("a" + suffix):
                    os.rmdir("a" + suffix)
                else:
                    os.unlink("a" + suffix)
                for name in "a.xmd", "a.xta":
                    if os.path.lexists(name):
                        os.unlink(name)

    def make_socket(self, name):
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(name)

    # ---- paths ------------------------------------------------------------------------

    def test_odd_paths(self):
        for path in ("", ".", "..", "theirs/", "theirs/..", "x" * 300, "x/" * 3000 + "a", "theirs/victim.xta/a"):
            for words in (["info"], ["rm"], ["create", "--shape", "3"], ["check"]):
                result = self.quick(words[0], *words[1:], "--", path)
                listed = words[0] in ("info", "check") and os.path.isdir(path)
                self.assertIn(result.returncode, (0, 1) if listed else (1, 2), (words, path))
        for path in ("-", "a\nb", "\x1b[31m", "é", "--", "a b", "a[0]"):
            self.drx("create", "--shape", "3", "--", path)
            for verb in "info", "check", "rm":
                result = self.quick(verb, "--", path)
                self.assertEqual(result.returncode, 0, (verb, path, result.stderr))
                self.assert_visible(result.stdout + result.stderr)
        self.untouched()

    # ---- what is shown -----------------------------------------------------------------

    def assert_visible(self, output):
        text = output.decode("utf-8")
        for character in text:
            self.assertFalse(character != "\n" and (ord(character) < 32 or 127 <= ord(character) < 160), text)

    def test_nothing_is_obeyed_by_a_terminal(self):
        bad = "\x1b]0;title\x07\x1b[2J\x7f\x9b31m\r\b\n".encode()
        log = uint8([3], [2])
        log.append(RENAME, 1, struct.pack("<B7x", 2) + text(bad))
        set_text(log, bad, bad)
        set_text(log, b"units", bad)
        log.append(GROW, 1, struct.pack("<qq", 1, 4))
        save(log, "a")
        for words in (["info", "a"], ["info"], ["info", "--json", "a"], ["check", "a"], ["map", "a"],
                      ["map", "--json", "a"],
                      ["view", "--terminal", "a"], ["read", "a"], ["read", "a[9]"], ["extend", "a", "nosuch", "1"],
                      ["read", "a", "--at", "9", "--count", "9"], ["copy", "a", "c", "--dry-run"],
                      ["advise", "a", "--access", "2"], ["view", "a", "--slice", "7"], ["append", "a", "0", "no"]):
            result = self.quick(*words)
            self.assert_visible(result.stdout + result.stderr)
        self.striped(b"s" + bad.replace(b"/", b"") + b"." + HEX.encode() + b".xta", b"\xff\xfe" + bad, "b")
        for words in (["info", "b"], ["info", "--json", "b"], ["info"], ["check", "b"], ["rm", "b"], ["read", "b"]):
            result = self.quick(*words)
            self.assert_visible(result.stdout + result.stderr)

    def test_json_is_utf8(self):
        folder = b"d\xff\x9b\xc3"
        os.mkdir(folder)
        stem = f"a.{HEX}.xta".encode()
        write_file(folder + b"/" + stem + b".0", b"1")
        self.striped(stem, folder)
        info = json.loads(self.quick("info", "--json", "a").stdout.decode("utf-8"))
        self.assertIn("\ufffd", info["stripes"][0]["folder"])

    # ---- sizes --------------------------------------------------------------------------

    def test_time_and_memory_go_with_the_files(self):
        sums, shell = dict(flags=1), dict(initial=1)
        for number, (shape, chunk, values) in enumerate([
                ([(1 << 60) - 1], [1], {}), ([1 << 30, (1 << 30) - 1], [1, 1], {}), ([1 << 62], [1 << 62], {}),
                ([0, 1 << 59], [1, 1], {}), ([1 << 59], [1], shell), ([1 << 16] * 3, [1, 1, 1 << 16], shell),
                ([1 << 18] * 2, [1, 1], shell), ([1] * 31 + [1 << 59], [1] * 32, {}), ([1 << 59], [1], sums),
                ([1 << 59], [1 << 59], sums), ([1 << 60], [1 << 58], sums), ([(1 << 63) - 1], [49], {})]):
            path = f"a{number}"
            save(uint8(shape, chunk, fill=bytes([number]), **values), path)
            write_file(path + ".xta", bytes(5))
            if values == sums:
                write_file(path + ".xcs", struct.pack("<IIIIII", 1, 7, 1, 9, 0x102, 0))
            self.assertEqual(self.quick("info", path).returncode, 0)
            for words in (["info", path], ["info", "--json", path], ["check", path], ["map", path], ["cp", path, "c"],
                          ["read", path, "--at", [0] * len(shape), "--count", [min(1, n) for n in shape]]):
                self.quick(*words)
            self.quick("rm", "--force", path, "c")
            self.assertFalse(os.path.exists(path + ".xmd"))

    def test_a_file_that_says_much_of_itself(self):
        log = bytes(uint8([3], [2]).data)
        for length in 64 << 20, (64 << 20) + 4096, (1 << 32) - 8:
            write_file("a.xmd", log + struct.pack("<IIIBBHQ", 1, 2, length, ATTRIBUTE, 1, 1, 3))
            write_file("a.xta", bytes(4))
            self.assertEqual(self.quick("info", "a").returncode, 0)
        write_file("a.xmd", log + b"".join(
            struct.pack("<IIIBBHQ", 1, 2, 1 << 19, GROW, 1, 1, 3 + i // 2) for i in range((1 << 20) // 24)))
        self.quick("check", "a")

    def test_many_attributes(self):
        many = 20000
        log = uint8([3], [2])
        for i in range(many):
            set_text(log, b"%08d" % i, b"%d" % i, False)
        for i in range(many - 3):
            log.append(ATTRIBUTE_DELETE, 1, struct.pack("<B7x", 3) + text(b"%08d" % i))
        set_text(log, b"%08d" % 5, b"again", False)
        save(log, "a")
        shown = json.loads(self.quick("info", "--json", "a").stdout)["attrs"]
        self.assertEqual(list(shown), ["%08d" % i for i in (many - 3, many - 2, many - 1, 5)])

    def test_recovery_does_not_fill_the_disk(self):
        """Metadata of some bytes that ask for exabytes of fill."""
        save(uint8([1 << 59], [1], fill=b"\1"), "a")
        result = self.quick("extend", "a", "0", "1")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"No space left", result.stderr)
        self.assertEqual(os.stat("a.xta").st_size, 0)
        self.assertLess(os.stat("a.xta").st_blocks, 64)
