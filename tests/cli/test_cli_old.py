"""The program drx: import of what Disk Resident Arrays wrote, from small files made here."""

import os

import numpy as np

from drx_cli import CliTest, sample, write_file

CODES = {"int32": 1001, "int64": 1002, "float32": 1003, "float64": 1004, "complex64": 1006, "complex128": 1007}


def write_old(path, array, files=1, name="an array"):
    """In blocks that are whole along all axes but the last one, of 2 there: F.info has axes in reverse."""
    shape, width = array.shape[::-1], min(2, array.shape[-1])
    with open(path + ".info", "w", encoding="latin-1") as info:
        numbers = [array.ndim, *shape, CODES[array.dtype.name], 1, width, *shape[1:], files, files]
        info.write("".join(f"{n} " for n in numbers) + f"\n{name}\n")
    blocks = [array[..., i:i + width].tobytes() for i in range(0, array.shape[-1], width)]
    for k in range(files):
        write_file(path if files == 1 else f"{path}.{k}", b"".join(blocks[k::files]))


class Old(CliTest):
    def test_types_and_files(self):
        for files in 1, 2, 3:
            for dtype in CODES:
                array = sample((4, 3, 5), dtype)
                write_old("in", array, files)
                for word in "in", "in.info":
                    self.drx("import", word, "a", "--force", "--dims", "x,y,z")
                    info = self.info("a")
                    self.assertEqual((info["type"], info["shape"], info["dims"], info["attrs"]),
                                     (dtype, [4, 3, 5], ["x", "y", "z"], {"name": "an array"}))
                    self.assert_same(self.whole("a"), array)
            os.remove("in" if files == 1 else "in.0")

    def test_names(self):
        array = sample((3, 4), "int32")
        write_old("in", array, name="Größe")  # in Latin-1
        self.drx("import", "in", "a")
        self.assertEqual(self.info("a")["attrs"], {"name": "Größe"})
        write_old("old.info", array, 2, name="")
        self.drx("import", "old.info", "b")
        self.assertEqual(self.info("b")["attrs"], {})
        self.assert_same(self.whole("b"), array)
        self.fails(1, "import", "in:u", "c", says=["in: holds one array; remove ':u'"])

    def test_other_kinds_come_first(self):
        """A file that tells what it is is that, whatever is beside it."""
        array = sample((3, 4), "int16")
        np.save("a.npy", array)
        write_old("a.npy.x", sample((2, 2), "int32"))
        os.rename("a.npy.x.info", "a.npy.info")
        self.drx("import", "a.npy", "a")
        self.assert_same(self.whole("a"), array)

    def test_append(self):
        array = sample((4, 6), "float64")
        write_old("in", array, 2)
        self.drx("import", "in", "a")
        self.drx("import", "in", "a", "--append", "0")
        self.assert_same(self.whole("a"), np.concatenate([array, array]))

    def test_large(self):
        """More than is held in memory, in one file and in several; nearly all of it holes."""
        shape = (500, 100, 200)
        for files in 1, 4:
            write_old("in", np.ones((1, 1, 1)), files)
            write_file("in.info", f"3 200 100 500 1004 1 64 100 9 {files} {files} \nlarge\n")
            for k in range(files):
                with open("in" if files == 1 else f"in.{k}", "wb") as out:
                    out.truncate(shape[0] * shape[1] * shape[2] * 8)
                    if k == 0:
                        out.write(np.arange(64.0).tobytes())
            self.in_little_memory("import", "in", "a", "--force")
            self.assert_same(self.whole("a", "--count", "1,1,64"), np.arange(64.0).reshape(1, 1, 64))
            self.assert_same(self.whole("a", "--at", "450,0,0"), np.zeros((50, 100, 200)))

    def test_wrong(self):
        write_old("in", sample((4, 6), "float64"), 3)
        os.truncate("in.1", 10)
        self.fails(1, "import", "in", "a", says=["in.1: has 10 bytes, expected 64 by in.info"])
        os.remove("in.1")
        self.fails(1, "import", "in.info", "a", says=["in.1: no such file, expected in.0 to in.2 by in.info"])
        os.remove("in.info")
        self.fails(1, "import", "in", "a", says=["in: no such file; give a file of ", "Disk Resident Arrays (.info)"])
        self.fails(1, "import", "in.info", "a", says=["in.info: no such file; give a file of "])
        write_file("in.info", "Hello\n")
        self.fails(1, "import", "in", "a", says=["in.info:1: 'Hello' as the number of dimensions, expected a number"])
        self.fails(1, "import", "in.info", "a", says=["in.info:1: 'Hello' as the number of dimensions"])
        write_file("in", b"neither")
        self.fails(1, "import", "in", "a", says=["in.info:1: 'Hello' as"])
        os.remove("in.info")
        self.fails(1, "import", "in", "a", says=["in: import does not know this kind of file; give a file of"])
        write_file("in.info", "2 6000000000 6000000000 1001 1 1 1 1 1 \nx\n")
        self.fails(1, "import", "in", "a", says=["in.info: the dimensions give a size that does not fit 64 bits"])
        self.assertEqual([name for name in os.listdir(".") if name.startswith(".") or name.endswith(".xmd")], [])
