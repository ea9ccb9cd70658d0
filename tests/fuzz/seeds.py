"""Inputs to begin with, made of the golden vectors and by hand. Usage: seeds.py TARGET FOLDER"""

import glob
import json
import os
import struct
import sys

VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../spec/vectors")
MOST_DATA = 4096

COMMANDS = """
--help|--version|help create|create --help
create c --shape 3,4 --type float32|create c --shape 2,2,2 --type int8 --chunk 1,2,2 --fill -1 --order F --dims x,y,z
create c --shape 100,100 --type c16 --fill 1+2j --shell --chunk 7,9 --align 4K
create c --shape 0 --type u8 --stripe d,e --force|create a --shape 1 --type i4|create a --shape 1 --type i4 --force
create c --shape 9223372036854775807 --type f8|create c --shape 3 --fill nan|create c --shape 2,,3 --dims ,y
extend a 0 2|extend a time 1|extend a y 3|extend a 9 1|append a 0 x.npy|append b 0 x.npy
write a --at 1,1 x.npy|write a --at 0,0 x.npy|write b --at -1 x.npy
read a|read a[1]|read a[-1,::2]|read a[...,0]|read a[0:2,1:4] -o y.npy|read a[::-1,::-1] --order F -o y.npy|read a[5]
read a --at 1,1 --count 2,2 --explain|read a --force|read -- a|read a --nosuch|read|read b[None]|read a[0:3:2,-3:]
info a|info a b|info|info --json|info a --json|info -r
map a|map a -o m.svg|map a --axes y,time --at 0,0 -o m.svg|map --json a|map a --index 0,1|map a --address 3|map a --all
view a --terminal|view b --terminal|view a[0] --terminal --size 60x20|view a -o v.png|view b -o v.png --size 200x100
view a --range 0,1 -o v.png|view a --range=-1e3,1e3 --terminal|view a --colors diverging -o v.png
view a --slice 1,: -o v.png|view b --part abs --terminal|view a --colors grey --terminal
import x.npy c|import x.npy c --chunk 2,2 --dims u,v|import x.npy a --force|import x.raw c --raw --shape 3,2 --type <f4
import x.raw c --raw --shape 2,3 --type >i2 --offset 12 --source-order F|import x.npy a --append 0 --from 1|import - c
import x.npy c --fill 0 --order F --coords|import x.npy b --append 0
export a y.npy|export a[0:2] y.npy --order F|export a y.nc|export a y.h5 --deflate 4|export a y.nc:v|export a -
export a y --format npy|export b y.nc4 --no-coords
copy a c --chunk 1,4|copy a c --order F --align 1M --memory 1M|copy a c --dry-run|copy a c --json --dry-run
copy a c --permute 1,0|copy a c --permute y,time --chunk 2,2 --tmp d|copy x.npy c|copy a y.npy --force --stripe d
advise a --access 1,4|advise a --access 3,1x10 --access 1,1x0.5 --size 4K --align 16 --memory 1G --json
mv a c|mv a b --force|cp a c|cp a b c|rm a|rm a b|rm c --force|chmod 644 a|chmod u+w,go-r a b|chmod a=r a
check a|check a b --json|check|dap check x.raw|dap --json check x.npy|nosuch a
create c --shape 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33 --type f8
"""

AXES = ["b 0 4 7 10 padding 1 1 1 1 periodic", "b 0 25 50 75 100 padding 4 1 2 3 0 periodic", "c 100 over 4 block 8",
        "u 5 [ 0 2 4 ] [ ] [ -5 9 ] one_to_one", "{} 100", "b 0 0", "c 0 over 1", "u 0 [ ]", "  b\t0 25\n",
        "b 0 9223372036854775807", "b 1 5", "c 007 over 4"]
TEXTS = {
    0: AXES,
    1: ["-128", "127", "0x1f"], 4: ["-9223372036854775808"], 8: ["18446744073709551615"],
    9: ["1e38", "nan", "-inf", "0.1", "1e-45"], 10: ["1.7976931348623157e308", "5e-324"],
    11: ["1+2j", "-1e3j", "nan+infj"], 12: ["0.1-0.2j", "1j"],
    13: ["days since 1982-01-01", "hours since 1800-1-1 00:00:00", "seconds since 1970-01-01T00:00:00Z|noleap",
         "months since 0000-01-01", "days since 1582-10-15|julian"],
    14: ["text", "\x1b[31mred", "\u00e9\u0085", "\n"],
}


def arrays():
    """Logs of lone arrays from the first record on, with their checksums and elements: of the vectors, and made here."""
    for path in sorted(glob.glob(f"{VECTORS}/*.json")):
        is_dataset, log, others = vector(path)
        if not is_dataset:
            yield log[8192:], others.get("arr.xcs", b""), others.get("arr.xta", bytes(MOST_DATA))
    first = dim(1, "t", 0, 4) + dim(2, "x", -1, 2) + var(1, "", (1, 2), 5, chunk=2) + sync()
    far = dim(1, "t", -(1 << 62), 2 - (1 << 62)) + dim(2, "x", 0, 1 << 40) + var(1, "", (1, 2), 5, chunk=2) + sync()
    named = attr(3, 1, "a\x7fb", "m\x7f\x9b") + attr(3, 1, "c", "d") + delete(3, 1, "c") + sync()
    for log in (first, far, first + named, first + grow(1, 3, 7), first + trim(1, 1, 3) + sync() + grow(1, -2, -1) + sync(),
                first + axis(1, 0, 3, "run") + sync(), first + source(1, 1, (32015, 2, 7, 8, 3, 0)) + sync(), first + grow(2, 1 << 62, (1 << 62) + 2) + sync()):
        yield log, b"", bytes(range(256))


def metadata():
    for log, _, _ in arrays():
        yield b"\0" + log
        yield b"\1" + log


def array():
    for number, (log, sums, data) in enumerate(arrays()):
        yield struct.pack("<BHH", number * 16 % 256 | 15, len(log), len(sums)) + log + sums + data


def packed():
    """Changes of a half, of the head of a frame, of where its blocks begin, and of what is in them."""
    halves = [struct.pack("<BHBIIqI", 0, 8, 24, 1, 0, 16, 100), struct.pack("<BHBII", 0, 40, 8, 9, 0),
              struct.pack("<BHBq", 0, 16, 8, 1 << 40), struct.pack("<BHBI", 0, 24, 4, 1 << 31 | 272), struct.pack("<BHBI", 0, 88, 4, 15)]
    frames = [struct.pack("<BHBB", 1, at, 1, value) for at, value in ((0, 1), (2, 2), (2, 0x93), (2, 4), (3, 255), (3, 0))]
    frames += [struct.pack("<BHBI", 1, at, 4, value) for at in (4, 8, 12, 16, 20) for value in (0, 1, 255, 1 << 31)]
    frames.append(struct.pack("<BHB", 1, 24, 64) + bytes(64))
    for number, change in enumerate([b"", *halves, *frames, halves[0] + frames[1], frames[0] + frames[-1]]):
        yield bytes([number % 8 | 56]) + change
        yield bytes([(number + 3) % 8 | (8, 24, 0, 32)[number % 4]]) + change


def dataset():
    """Datasets of the vectors; and logs made here, of transactions that are whole, cut short, or say what cannot be."""
    data = bytes(range(256))

    def seed(flags, log, elements=data):
        return struct.pack("<BH", flags, len(log)) + log + elements

    for number, path in enumerate(sorted(glob.glob(f"{VECTORS}/*.json"))):
        is_dataset, log, others = vector(path)
        elements = next(iter(others.values()), b"")
        if is_dataset:
            yield seed(number * 4 % 32 | number % 8 << 5, log[8192:], elements)
            yield seed(29 | number % 8 << 5, log[8192:], elements)
    made = commit(0, "created") + sync()
    first = (dim(1, "t", 0, 2) + dim(2, "x", -1, 2) + var(1, "u", (1, 2), 5, chunk=2) +
             var(2, "v", (1,), 3, chunk=3, fill=b"\7\0\0\0") + var(3, "z", (2,), 1, chunk=4, codec=2) + commit(1, "first") + sync())
    grown = (grow(1, 1, 3) + grow(2, -2, -3) + attr(3, 1, "units", "m") + attr(0, 0, "title", "t") + commit(2, "grown") + sync())
    more = [trim(1, 1, 3) + commit(3, ""), axis(1, 0, 3, "run") + commit(3, "axis") + grow(3, 1, 2) + commit(4, ""),
            remove(2) + var(4, "v", (2, 2), 9, stem="v~4") + commit(3, "replaced"), var(4, "s", (), 10) + axis(4, 0, 3, "run"),
            var(4, "k", (1,), 5, chunk=2, flags=1) + grow(1, 2, 5) + delete(0, 0, "title"), trim(1, 2, 2) + commit(3, "") + grow(1, 1, 3),
            epoch(3, 7) + sync(), source(1, 2, (2, 0, 1, 1, 4)) + source(2, 9, ()) + commit(3, "from a file"), record(1, 1, 0, struct.pack("<H", 0) + a_text("g") + a_text("g")) + commit(3, "")]
    for number, log in enumerate([made, made + first, made + first + grown, *(made + first + grown + one for one in more)]):
        for flags in 1, 5, 9, 17, 29:
            yield seed(flags | number % 8 << 5, log)
        yield seed(29, log[:-8])


def record(kind, number, flags, payload):
    """Without checksum and number, which the target makes."""
    payload = padded(payload)
    return struct.pack("<IIIBBHQ", 0, 0, 24 + len(payload), kind, flags, number, 0) + payload


def source(number, order, words):
    """A filter is its number, how many parameters it has, and these."""
    n, at = 0, 0
    while at < len(words):
        n, at = n + 1, at + 2 + words[at + 1]
    return record(14, number, 0, struct.pack(f"<B3xI{len(words)}I", order, n, *words))


def padded(data):
    return data + bytes(-len(data) % 8)


def a_text(name):
    return struct.pack("<H", len(name)) + name.encode()


def dim(number, name, lower, upper):
    return record(2, number, 0, struct.pack("<H6xqq", 0, lower, upper) + a_text(name))


def var(number, name, dims, kind, chunk=1, codec=0, flags=0, fill=b"", stem=None):
    n = len(dims)
    head = struct.pack("<HBBBBBBB3xIq", 0, n, 0, 0, flags, codec, 5 if codec else 0, 1 if codec else 0, kind, 1)
    return record(3, number, 0, head + padded(struct.pack(f"<{n}H", *dims)) + struct.pack(f"<{n}q", *[chunk] * n) +
                  padded(struct.pack("<I", len(fill)) + fill) + a_text(name) + a_text(stem or name))


def grow(dimension, by, bound):
    return record(5, dimension, 0, struct.pack("<qq", by, bound))


def trim(dimension, lower, upper):
    return record(6, dimension, 0, struct.pack("<qq", lower, upper))


def axis(variable, at, dimension, name):
    return dim(dimension, name, 0, 1) + record(7, variable, 0, struct.pack("<HH", at, dimension))


def remove(variable):
    return record(9, variable, 0, struct.pack("<B7x", 3))


def attr(what, number, name, value):
    return record(10, number, 0, struct.pack("<BBBxIq", what, 1, 1, 5, len(value)) + padded(a_text(name)) + value.encode())


def delete(what, number, name):
    return record(11, number, 0, struct.pack("<B7x", what) + a_text(name))


def epoch(variable, number):
    return record(12, variable, 0, struct.pack("<II", number, 0))


def commit(number, message):
    return record(15, 0, 1, struct.pack("<qqI", number, 10**15, len(message)) + message.encode())


def sync():
    return record(16, 0, 1, bytes(8))


def vector(path):
    """Whether it is a dataset, its log, and its other files by name."""
    with open(path, encoding="utf-8") as file:
        files = json.load(file)["files"]

    def content(name):
        length, pieces = files[name]
        data = bytearray(length)
        for at, piece in pieces.items():
            data[int(at):int(at) + len(piece) // 2] = bytes.fromhex(piece)
        return bytes(data)

    log, = (name for name in files if name.endswith((".xmd", ".xds")))
    return log.endswith(".xds"), content(log), {name: content(name) for name in sorted(files) if name != log}


def store():
    """The logs of the vectors, and of the verdicts behind them; heads."""
    for number, path in enumerate(sorted(glob.glob(f"{VECTORS}/*.json"))):
        dataset, data, _ = vector(path)
        yield bytes([1 | dataset << 1 | number % 15 << 3, number * 5 % 64, 0]) + data[8192:]
        if number % 8 == 0:
            yield bytes([5 | dataset << 1, 0, 0]) + data[:512] + data[8192:]
    for path in sorted(glob.glob(f"{VECTORS}/../verdicts/*.json")):
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        dataset, data, _ = vector(f"{VECTORS}/{told['base']}.json")
        for number, case in enumerate(told["cases"]):
            yield (bytes([1 | dataset << 1 | number % 15 << 3, number * 7 % 64, 0]) + data[8192:] +
                   bytes.fromhex(case["bytes"]))


def show():
    for log, _, data in arrays():
        yield struct.pack("<BH", 1, len(log)) + log + data


def command():
    for line in COMMANDS.split("\n"):
        for words in filter(None, line.split("|")):
            yield b"".join(word.encode() + b"\0" for word in words.split())


def npy():
    for version, dtype, fortran, shape, count in [
            (1, "<f4", False, "3, 2", 6), (1, ">i2", True, "2, 3,", 6), (2, "|u1", False, "5,", 5),
            (3, "<c16", True, "1, 1, 2", 2), (1, "<f8", False, "0, 4", 0), (1, "<f8", False, "", 1),
            (1, "<i8", False, "9223372036854775807, 2", 1), (2, "<U3", False, "2,", 2), (1, "|b1", False, "2,", 2)]:
        text = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': ({shape}), }}".encode()
        text += b" " * (-(len(text) + 11) % 16) + b"\n"
        length = struct.pack("<H" if version == 1 else "<I", len(text))
        yield b"\x93NUMPY" + bytes([version, 0]) + length + text + bytes(16 * count)
    yield bytes(10)


def dra():
    for info in ["2 4 3 1004 1 2 3 1 2\narray\n", "1 5 1001 1 5 1 1\nname\n"] + dra_infos():
        text = info.encode()
        yield struct.pack("<H", len(text)) + text + bytes(range(200))


def dra_infos():
    """ndim, extents, type, layout, extents of a block, files, processes"""
    return [f"{n} {' '.join(['4'] * n)} {code} 1 {' '.join(['2'] * n)} {files} {files}\nname of it\n"
            for n in (1, 2, 3) for code in (1001, 1003, 1004, 1007) for files in (1, 2, 4)]


def text():
    for choice, texts in TEXTS.items():
        for one in texts:
            yield bytes([choice]) + one.encode()


def dap():
    block = {"dist_type": "b", "size": 8, "proc_grid_size": 2, "start": 0, "stop": 4, "padding": [0, 1]}
    cyclic = {"dist_type": "c", "size": 5, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "block_size": 2}
    listed = {"dist_type": "u", "size": 3, "proc_grid_size": 1, "proc_grid_rank": 0, "indices": [2, 0, 1],
              "one_to_one": True}
    for axes, shape in [([cyclic], [5]), ([listed, cyclic], [3, 5]), ([{}, listed], [4, 3]), ([{}], [2])]:
        yield exports([{"__version__": "0.10.0", "dim_data": axes, "buffer": {"shape": shape, "typestr": "<f8"}}])
    both = [dict(block, proc_grid_rank=rank, start=4 * rank, stop=4 * rank + 4, padding=[rank, 1 - rank])
            for rank in range(2)]
    yield exports([{"__version__": "0.10.0", "dim_data": [axis], "buffer": {"shape": [5], "typestr": "|u1"}}
                   for axis in both])
    yield from (b"{}", b"[]", b'{"0": {}}', b'{"0": {"__version__": 1}}')


def exports(ranks):
    return json.dumps({str(rank): export for rank, export in enumerate(ranks)}).encode()


def write(target, folder):
    os.makedirs(folder, exist_ok=True)
    for number, seed in enumerate(globals()[target.removeprefix("fuzz_")]()):
        with open(f"{folder}/seed-{number:03}", "wb") as file:
            file.write(seed)


if __name__ == "__main__":
    write(*sys.argv[1:])
