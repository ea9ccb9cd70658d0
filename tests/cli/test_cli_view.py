"""drx view: its files, options and selections."""

import os
import re
import signal

import numpy as np

from drx_cli import names, read_file, write_file
from drx_view import SMALL, ViewTest
from png_file import decode


class Files(ViewTest):
    def test_standard_output(self):
        self.put("a", np.arange(12.0).reshape(3, 4))
        result = self.run_drx("view", "a", "-o", "-", *SMALL)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        np.testing.assert_array_equal(decode(result.stdout), self.pixels("a"))

    def test_output_that_cannot_be_written(self):
        self.put("a", np.arange(12.0).reshape(3, 4))
        for words in (["-o", "-"], ["--terminal"]):
            self.cannot_write("view", "a", *words)
        self.fails(1, "view", "a", "-o", "no/such/folder.png", says=["no/such/folder.png: the folder no does not exist"])

    def test_replacing(self):
        self.put("a", np.zeros((3, 4)))
        write_file("old.png", b"old")
        os.symlink("a.xta", "link.png")
        self.fails(1, "view", "a", "-o", "link.png", says=["link.png: is a file of the array itself"])
        self.assertGreater(len(self.text("a")), 10)
        os.remove("a.xta")
        self.fails(1, "view", "a", "-o", "old.png", says=["a.xta"])
        self.assertEqual(read_file("old.png"), b"old")
        self.assertEqual(names(), ["a.xmd", "link.png", "old.png"])

    def test_interrupted(self):
        self.drx("create", "a", "--shape", "100000,100000", "--chunk", "50,50", "--type", "int8")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.interrupted(number, "view", "a", "-o", "b.png", "--size", "4000x4000")
            self.assertEqual(names(), ["a.xmd", "a.xta"])


class Errors(ViewTest):
    def test_options(self):
        self.put("a", np.zeros((3, 4)))
        for option, what, wrong in (
                ("--colors", ["is unknown", "sequential, diverging, grey or cyclic"], ["viridis", "", "Grey"]),
                ("--range", ["is not valid", "LOW,HIGH"], ["", "1", "1,", "2,1", "1,1", "nan,1", "0,inf", "1,2,3",
                                                           "a,b", "1;2"]),
                ("--part", ["abs, re, im or arg"], ["real", ""]),
                ("--size", ["WIDTHxHEIGHT"], ["", "10", "10x", "x10", "axb", "10x10x", "-300x300", "0x0", "300 x300",
                                              "1000000x200"]),
                ("-o", ["is not the name of a PNG file", "FILE.png"], ["a.jpg", "a", ".png", "png", "a.png.gz", ""])):
            for value in wrong:
                words = ["-o", value] if option == "-o" else ["-o", "a.png", f"{option}={value}"]
                self.fails(2, "view", "a", *words, says=[f"{option} '{value}'", *what])
        self.all_fail(2, "view", "a", cases={
            ("-o", "a.png", "--size", "199x300"): ["--size 199x300", "200x150 to 4000x4000"],
            ("-o", "a.png", "--size", "300x4001"): ["--size 300x4001", "pixels"],
            ("--terminal", "--size", "19x20"): "20x8 to 1000x1000 characters",
            ("--terminal", "-o", "a.png"): "-o and --terminal exclude each other",
            (): ["standard output is not a terminal", "-o FILE.png", "--terminal"]})
        self.fails(2, "view", "a[0]", "--slice", "0", "--terminal", says="[0] and --slice exclude each other")
        self.assertEqual(names(), ["a.xmd", "a.xta"])

    def test_selections(self):
        self.put("a b", np.zeros((3, 4, 5, 6), "int8"), "--dims", "t,z,y,x")
        self.fails(1, "view", "a b", "--terminal", says=["a b: 4 axes are too many", "such as 'a b[0,0,:,:]'"])
        for given, proposed in (("1,...", "1,0,:,:"), (":,1:3,2:,::2", "0,1,2:5,0:6:2"),
                                ("2:,:,::-1,4:", "2,0,4::-1,4:6"), (":,2,:,:", "0,2,:,:")):
            error = self.fails(1, "view", f"a b[{given}]", "-o", "a.png", says=["axes are too many"])
            self.assertIn(f"such as 'a b[{proposed}]'", error)
            self.drx("view", re.search(r"'(.*)'", error).group(1), "-o", "a.png", *SMALL)
            os.remove("a.png")
        self.fails(1, "view", "a b[0,1,2,3]", "-o", "a.png", says=["[0,1,2,3] is a single element", "drx read"])
        self.fails(1, "view", "a b[0,0,:,6:]", "-o", "a.png", says=["nothing to show", "axis 3 (x)"])
        self.fails(1, "view", "a b[0,4]", "-o", "a.png", says=["index 4", "axis 1 (z)"])
        self.fails(1, "view", "a b[0,0]", "-o", "a.png", "--part", "re", says=["int8 have no parts"])
        self.fails(1, "view", "a b[0,0,0]", "-o", "a.png", "--colors", "grey", says=["drawn as a line"])
        self.fails(2, "view", "a b", "--slice", "x", "-o", "a.png", says=["[x] of a b is not valid"])
        self.drx("create", "empty", "--shape", "0,5", "--dims", "t,x")
        self.fails(1, "view", "empty", "-o", "a.png", says=["empty: nothing to show", "axis 0 (t)"])
        self.fails(1, "view", "none", "-o", "a.png", says=["none: no such array"])
        self.assertEqual(names(), ["a b.xmd", "a b.xta", "empty.xmd", "empty.xta"])
