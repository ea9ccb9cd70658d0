"""drx map -o: the picture of chunks and segments, read back from its SVG."""

import itertools
import json
import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree

from drx_cli import DRX, SANITIZED, CliTest, names, read_file, write_file

SVG = "{http://www.w3.org/2000/svg}"
EXAMPLE = [(1, 3), (0, 2), (0, 2), (1, 3), (0, 2), (1, 1), (0, 2)]  # Fig. 1, from 2 x 3 in chunks of 2 x 3


def number(node, name):
    return float(node.get(name, "0"))


def numbers_of_path(node):
    """The corners' largest x and y of a path of M, H, V and Z."""
    x = y = 0.0
    steps = re.findall(r"([MHV]) ?([-\d.e+]+)(?: ([-\d.e+]+))?", node.get("d"))
    for letter, first, second in steps:
        x = max(x, float(first) if letter in "MH" else 0)
        y = max(y, float(second) if letter == "M" else float(first) if letter == "V" else 0)
    return x, y


class Picture:
    def __init__(self, text):
        self.text = text
        self.root = ElementTree.fromstring(text)
        self.groups = {node.get("class"): node for node in self.root.iter(SVG + "g")}
        self.plot = self.groups.get("plot")

    def all_text(self):
        return ["".join(node.itertext()) for node in self.root.iter(SVG + "text")]

    def labels(self, group):
        return [int(node.text) for node in self.groups[group].iter(SVG + "text")]

    def cells(self):
        """{(row, column): (address, colour)}, each from where it is drawn."""
        colours, size = {}, None
        for group in self.plot.iter(SVG + "g"):
            if group.get("class") == "segment":
                for rect in group.iter(SVG + "rect"):
                    size = number(rect, "width"), number(rect, "height")
                    where = round(number(rect, "y") / size[1], 3), round(number(rect, "x") / size[0], 3)
                    assert where not in colours, where
                    colours[where] = group.get("fill")
        found = {}
        for text in self.groups["addresses"]:
            where = int(number(text, "y") // size[1]), int(number(text, "x") // size[0])
            assert where not in found, where
            found[where] = int(text.text), colours.pop(where)
        assert not colours, colours
        self.size = size
        return found

    def areas(self):
        """(colour, label or None) of each, in the order drawn."""
        return [(group.find(SVG + "path").get("fill"), group.findtext(SVG + "text"))
                for group in self.plot.iter(SVG + "g") if group.get("class") == "area"]

    def legend(self):
        """(text, range, colour or None) of each line; (text, None, None) where some are left out."""
        lines, colour = [], None
        for node in self.groups["legend"]:
            if node.tag == SVG + "rect":
                colour = node.get("fill") if node.get("class") == "swatch" else None
            elif node.get("class") == "range":
                lines[-1] = lines[-1][0], node.text, colour
            elif node.get("font-weight") != "bold":
                lines.append((node.text, None, None))
        return lines


class Map(CliTest):
    def make(self, shape, chunk, growths=(), *options):
        self.drx("create", "a", "--shape", shape, "--chunk", chunk, "--type", "int8", "--force", *options)
        for axis, by in growths:
            self.drx("extend", "a", axis, by)

    def picture(self, *options):
        self.drx("map", "a", "-o", "a.svg", *options)
        text = read_file("a.svg").decode()
        self.assertNotRegex(text, r"<script|href|<image|nan|inf\b|url\(")
        picture = Picture(text)
        self.assertEqual(picture.root.tag, SVG + "svg")
        self.check_inside(picture)
        return picture

    def check_inside(self, picture):
        width, height = number(picture.root, "width"), number(picture.root, "height")
        self.assertEqual(picture.root.get("viewBox"), f"0 0 {width:g} {height:g}")
        for group in picture.root.iter(SVG + "g"):
            match = re.fullmatch(r"translate\(([-\d.]+) ([-\d.]+)\)", group.get("transform", ""))
            if match:
                for node in group.iter(SVG + "rect"):
                    self.assertLessEqual(float(match.group(1)) + number(node, "x") + number(node, "width"), width)
                    self.assertLessEqual(float(match.group(2)) + number(node, "y") + number(node, "height"), height)

    def segments(self):
        """First addresses of the segments, from the history alone, chunk bounds counted by hand."""
        info = self.info("a")
        bounds = [-(-n // c) for n, c in zip(info["initial_shape"], info["chunk"])]
        firsts, total = [], 0
        for shape in [info["initial_shape"], *(step["shape"] for step in info["history"])]:
            bounds = [-(-n // c) for n, c in zip(shape, info["chunk"])]
            product = 1
            for bound in bounds:
                product *= bound
            if product > total:
                firsts.append(total)
                total = product
        return firsts

    def check_cells(self, picture, down, across, at):
        """Addresses as drx map --index gives them, colours equal just within segments."""
        world = json.loads(self.drx("map", "a", "--json"))
        firsts = self.segments()
        cells = picture.cells()
        rows = range(world["bounds_chunks"][down]) if down is not None else range(1)
        columns = range(world["bounds_chunks"][across])
        self.assertEqual(set(cells), set(itertools.product(rows, columns)))
        self.assertEqual(picture.labels("columns"), list(columns))
        if down is not None:
            self.assertEqual(picture.labels("rows"), list(rows))
        colour_of = {}
        for (row, column), (address, colour) in cells.items():
            index = list(at)
            index[across] = column
            if down is not None:
                index[down] = row
            if len(cells) <= 100 or (row * 7 + column) % 53 == 0:  # a process for each
                self.assertEqual(int(self.drx("map", "a", "--index", index)), address)
            segment = max(first for first in firsts if first <= address)
            self.assertEqual(colour_of.setdefault(segment, colour), colour, index)
        self.assertEqual(len(set(colour_of.values())), len(colour_of))
        return colour_of

    def check_legend(self, picture, colour_of):
        """Each colour that is drawn stands in the legend beside its addresses, as far as it is not abbreviated."""
        lines = picture.legend()
        firsts = [*self.segments(), json.loads(self.drx("map", "a", "--json"))["chunks"]]
        for _, text, colour in lines:
            if colour:
                first, last = int(text.split("–")[0]), int(text.split("–")[-1])
                self.assertIn(first, firsts)
                self.assertEqual(last + 1, firsts[firsts.index(first) + 1])
                self.assertEqual(colour_of[first], colour)
        return lines

    def check(self, down, across, at, *options):
        picture = self.picture(*options)
        self.lines = self.check_legend(picture, self.check_cells(picture, down, across, at))
        return picture


class Cells(Map):
    def test_first_worked_example(self):
        self.make([2, 3], [2, 3], EXAMPLE, "--dims", "y,x")
        picture = self.check(0, 1, [0, 0])
        rows = [[picture.cells()[i, j][0] for j in range(4)] for i in range(5)]
        self.assertEqual(rows, [[0, 1, 6, 12], [2, 3, 7, 13], [4, 5, 8, 14], [9, 10, 11, 15], [16, 17, 18, 19]])
        self.assertEqual([line[:2] for line in self.lines],
                         [("made as 2 × 3", "0"), ("axis 1 (x) +3", "1"), ("axis 0 (y) +2", "2–3"),
                          ("axis 0 (y) +2", "4–5"), ("axis 1 (x) +3", "6–8"), ("axis 0 (y) +2", "9–11"),
                          ("axis 1 (x) +1", "12–15"), ("axis 0 (y) +2", "16–19")])
        self.assertEqual(len({line[2] for line in self.lines}), 8)
        for text in ("a", "axis 0 (y)", "axis 1 (x)", "int8, 10 × 10 in chunks of 2 × 3: 20 chunks"):
            self.assertIn(text, picture.all_text())
        bounds = next(n for n in picture.plot.iter(SVG + "rect") if n.get("class") == "bounds")
        self.assertAlmostEqual(number(bounds, "width"), 10 / 3 * picture.size[0], 2)
        self.assertAlmostEqual(number(bounds, "height"), 5 * picture.size[1], 2)
        outside = next(n for n in picture.plot.iter(SVG + "path") if n.get("class") == "outside")
        self.assertEqual(numbers_of_path(outside), (4 * picture.size[0], 5 * picture.size[1]))

    def test_second_worked_example(self):
        self.make([4, 3, 1], [1, 1, 1], [(2, 1), (2, 1), (1, 1), (0, 2), (2, 1)])
        picture = self.check(0, 2, [0, 0, 0])  # most segments along axis 2, then most chunks along axis 0
        self.assertIn("slice at chunk index 0 of axis 1", picture.all_text())
        self.assertNotIn("outside", [n.get("class") for n in picture.plot.iter()])
        self.assertIn(("axis 1 +1", "not in this slice", None), self.lines)
        picture = self.check(2, 1, [4, 0, 0], "--axes", "2,1", "--at", "4,9,9")
        self.assertEqual(picture.cells()[2, 2][0], 56)
        self.assertIn(("made as 4 × 3 × 1", "not in this slice", None), self.lines)
        for at in range(4):
            self.check(0, 1, [0, 0, at], "--axes", "0,1", "--at", [0, 0, at])

    def test_one_to_five_dimensions(self):
        self.make([3], [2], [(0, 2), (0, 1), (0, 5)], "--dims", "time")
        self.check(None, 0, [0])
        self.assertEqual([line[:2] for line in self.lines],  # growth within a chunk makes no line of its own
                         [("made as 3", "0–1"), ("axis 0 (time) +3 in 2 growths", "2"), ("axis 0 (time) +5", "3–5")])
        self.make([1, 2, 3, 2], [1, 2, 2, 2], [(3, 3), (0, 1), (2, 4), (0, 2)])
        self.check(0, 2, [0] * 4)
        self.make([1, 2, 3, 2, 2], [1, 2, 1, 2, 1], [(0, 3), (2, 4), (4, 5), (1, 3), (0, 3), (3, 3), (2, 2)],
                  "--dims", "time,level,lat,lon,member")
        picture = self.check(0, 2, [0] * 5)
        self.assertIn("slice at chunk index 0 of axis 1 (level), 0 of axis 3 (lon), 0 of axis 4 (member)",
                      picture.all_text())
        self.check(3, 1, [5, 0, 7, 0, 4], "--axes", "lon,level", "--at", "5,0,7,0,4")

    def test_empty_at_first(self):
        self.make([0, 5], [1, 2], [(1, 2), (0, 3), (1, 1)], "--dims", "time,x")
        self.check(0, 1, [0, 0])
        self.assertEqual(self.lines[0], ("made as 0 × 5", "no chunks", None))
        self.assertEqual(self.lines[1], ("axis 1 (x) +2", "no new chunks", None))
        self.assertEqual(self.lines[2][1], "0–11")
        self.assertEqual(len(self.lines), 4)

    def test_empty(self):
        for shape in ([0], [0, 5], [5, 0], [0, 0, 0], [3, 0, 3]):
            self.make(shape, [2] * len(shape))
            picture = self.picture()
            self.assertIn("The array has no chunks yet.", picture.all_text())
            self.assertEqual(picture.legend(), [("made as " + " × ".join(map(str, shape)), "no chunks", None)])

    def test_forty_by_forty(self):
        self.make([1, 1], [1, 1], [(i % 2, 1) for i in range(78)])
        self.check(0, 1, [0, 0])
        self.assertEqual(len(self.lines), 25)
        self.assertEqual(self.lines[12], ("… 55 more", None, None))
        self.assertEqual(self.lines[-1][1], "1560–1599")
        self.assertLess(os.path.getsize("a.svg"), 300000)

    def test_shells(self):
        for shape in ([3, 3], [5, 9], [9, 2], [1, 4]):
            self.make(shape, [1, 1], [(1, 2)], "--shell")
            picture = self.picture()
            colours = {}
            for (row, column), (address, colour) in picture.cells().items():
                self.assertEqual(int(self.drx("map", "a", "--index", [row, column])), address)
                colours.setdefault(colour, []).append(address)
            runs = sorted((min(run), max(run)) for run in colours.values())
            self.assertEqual([n for lo, hi in runs for n in range(lo, hi + 1)], list(range(len(picture.cells()))))
            legend = [line for line in picture.legend() if line[2]]
            self.assertEqual([(int(text.split("–")[0]), int(text.split("–")[-1])) for _, text, _ in legend], runs)
            self.assertEqual(legend[0][0], f"made as {shape[0]} × {shape[1]}, in shells")

    def test_names(self):
        strange = '<Länge & "Breite"> \u202e日本\t]]>'
        self.make([3, 4], [2, 2], [(0, 3), (1, 3)], "--dims", f"{strange},{'é' * 100}")
        picture = self.picture()
        self.assertIn('axis 0 (<Länge & "Breite"> \u202e日本\\x09]]>)', picture.all_text())
        long = [text for text in picture.all_text() if "éé" in text]
        self.assertEqual(len(long), 2)  # title of the axis, legend
        for text in long:
            self.assertRegex(text, r"^axis 1 \(é+…\)")
            self.assertLess(len(text), 80)
        self.make([3, 4], [2, 2], [], "--dims", "\ufffe\uffff,x")
        self.assertIn("axis 0 (\ufffd\ufffd)", self.picture().all_text())
        self.drx("create", b"b\xff&<", "--shape", "3,3")
        self.drx("map", b"b\xff&<", "-o", "b.svg")
        self.assertIn("b\\xff&<", Picture(read_file("b.svg").decode()).all_text())


class Areas(Map):
    def test_few_segments(self):
        self.make([100, 100], [1, 1], [(1, 200), (0, 300), (0, 100), (1, 300), (1, 1), (0, 2), (1, 399), (0, 498)],
                  "--dims", "lat,lon")
        picture = self.picture()
        self.assertLess(os.path.getsize("a.svg"), 20000)
        lines = self.check_legend(picture, dict(zip(self.segments(), [line[2] for line in picture.legend()])))
        self.assertEqual(len(lines), 9)
        colours = {text: colour for _, text, colour in lines}
        labelled = [(colour, label) for colour, label in picture.areas() if label]
        self.assertEqual([label for _, label in labelled], ["0–9999", "10000–29999", "30000–119999", "120000–149999",
                                                            "150000–299999", "301702–501999", "502000–999999"])
        for colour, label in labelled:
            self.assertEqual(colour, colours[label])
        self.assertEqual(len(picture.areas()), 8)  # the two thin ones are one
        self.assertEqual(picture.labels("columns"), list(range(0, 1000, 100)))
        self.assertTrue(any("drawn together" in text for text in picture.all_text()))

    def test_one_dimension(self):
        self.make([300], [1], [(0, 200), (0, 130)])
        picture = self.picture()
        self.assertEqual([label for _, label in picture.areas()], ["0–299", "300–499", "500–629"])
        self.assertEqual([colour for colour, _ in picture.areas()], [line[2] for line in picture.legend()])

    def test_slice(self):
        self.make([100, 3, 100], [1, 1, 1], [(1, 2), (0, 100), (2, 100)])
        picture = self.picture("--axes", "2,0", "--at", "0,4,0")
        self.assertEqual([label for _, label in picture.areas()], ["30000–49999", "50000–99999", "100000–199999"])
        self.assertEqual([line[2] is None for line in picture.legend()], [True, False, False, False])

    def test_many_segments(self):
        for axes in (1, 2):
            self.make([1] * axes, [1] * axes)
            source = f"""
#include <drx.h>
int main(void) {{
    drx_array *a;
    if (drx_open("a", DRX_RDWR, &a)) return 1;
    for (int i = 0; i < 200000; i++) if (drx_extend(a, i % {axes}, 1)) return 2;
    return drx_close(a) != 0;
}}
"""
            self.grow(source)
            begin = time.monotonic()
            picture = self.picture()
            self.assertLess(time.monotonic() - begin, 60 if SANITIZED else 10)
            self.assertLess(os.path.getsize("a.svg"), 100000)
            self.assertGreater(len(picture.areas()), 100)
            self.assertEqual(picture.legend()[12][0], "… 199977 more")

    def grow(self, source):
        """Run a program with the library, built beside drx."""
        build, root = os.environ.get("DRX_BUILD"), os.environ.get("DRX_SOURCE")
        if not build or not root:
            self.skipTest("DRX_BUILD and DRX_SOURCE do not say where the library is")
        write_file("grow.c", source)
        library = os.path.join(build, "src")
        flags = ["-fsanitize=address,undefined"] if SANITIZED else []
        subprocess.run([os.environ.get("CC", "cc"), *flags, "-I", os.path.join(root, "include"), "grow.c", "-o", "grow",
                        "-L", library, "-ldrx", "-Wl,-rpath," + library], check=True)
        subprocess.run(["./grow"], check=True)


class Options(Map):
    def test_targets(self):
        self.make([4, 4], [2, 2])
        self.picture()
        self.cannot_write("map", "a", "-o", "-")
        os.chmod("a.svg", 0o444)
        if os.geteuid() != 0:
            self.fails(1, "map", "a", "-o", "a.svg", says=["a.svg: cannot write"])
        self.assertEqual(names(), ["a.svg", "a.xmd", "a.xta"])

    def test_interrupted(self):
        self.make([40, 40], [1, 1])
        for number_of_signal in (signal.SIGINT, signal.SIGTERM):
            for delay in (0, 0.002, 0.004, 0.008):
                process = subprocess.Popen([DRX, "map", "a", "-o", "a.svg"], stderr=subprocess.DEVNULL)
                time.sleep(delay)
                process.send_signal(number_of_signal)
                self.assertIn(process.wait(), (0, -number_of_signal))
                if os.path.exists("a.svg"):
                    ElementTree.parse("a.svg")
                    os.remove("a.svg")
                self.assertEqual(names(), ["a.xmd", "a.xta"])
