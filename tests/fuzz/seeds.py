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


def read_if_there(path):
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def metas():
    for path in sorted(glob.glob(f"{VECTORS}/**/*.xmd", recursive=True)):
        meta, data, sums = (read_if_there(path[:-3] + suffix) for suffix in ("xmd", "xta", "xcs"))
        if len(meta) + len(data) <= 2 * MOST_DATA:
            yield meta, sums, data


def metadata():
    for meta, _, _ in metas():
        yield b"\0" + meta
        yield b"\1" + meta


def array():
    for number, (meta, sums, data) in enumerate(metas()):
        yield struct.pack("<BHH", number * 16 % 256 | 15, len(meta), len(sums)) + meta + sums + data


def packed():
    """Changes of a half, of the head of a frame, of where its blocks begin, and of what is in them."""
    halves = [struct.pack("<BHBIIqI", 0, 8, 24, 1, 3, 16, 100), struct.pack("<BHBII", 0, 40, 8, 9, 9),
              struct.pack("<BHBq", 0, 16, 8, 1 << 40), struct.pack("<BHBI", 0, 24, 4, 1 << 31 | 272), struct.pack("<BHBI", 0, 88, 4, 15)]
    frames = [struct.pack("<BHBB", 1, at, 1, value) for at, value in ((0, 1), (2, 2), (2, 0x93), (2, 4), (3, 255), (3, 0))]
    frames += [struct.pack("<BHBI", 1, at, 4, value) for at in (4, 8, 12, 16, 20) for value in (0, 1, 255, 1 << 31)]
    frames.append(struct.pack("<BHB", 1, 24, 64) + bytes(64))
    for number, change in enumerate([b"", *halves, *frames, halves[0] + frames[1], frames[0] + frames[-1]]):
        yield bytes([number % 8 | 56]) + change
        yield bytes([(number + 3) % 8 | (8, 24, 0, 32)[number % 4]]) + change


def dataset():
    def golden(name):
        return read_if_there(f"{VECTORS}/../dataset/{name}")

    def files(flags, log, u=b"", v=b"", data=bytes(range(256))):
        return struct.pack("<BHHH", flags, len(log), len(u), len(v)) + log + u + v + data

    log, u = golden("dataset.xds"), golden("u.xmd")
    for flags in 4, 8, 16, 31:
        yield files(flags, log, u, b"", golden("u.xta"))
    start = [add_dim("t", 2), add_dim("x", 3), add_member(2, "u", (0, 1)), add_member(3, "v", (0,)), set_attr(-1, "title", "t"),
             commit(1, "variables")]
    grown = [set_attr(0, "units", "m"), commit(2, "grown", (0, 2, 4), (1, 1, 4), (0, 1, 5))]
    cut = [add_dim("y", 1), add_member(9, "w", (2, 0)), set_attr(-1, "later", "no"), remove(0)]
    late = [commit(2, "late", (0, 1, 3), (1, 2, 5), (0, 2, 5)), set_attr(1, "a", "b"), delete_attr(1, "a"), delete_attr(-1, "title"),
            commit(3, ""), remove(1), commit(4, "removed"), add_member(5, "v", (1, 1)), commit(5, "again")]
    for number, records in enumerate(([], start, start + grown, start + grown + cut, start + late, start + late[:5] + grown[:1])):
        for settled in -1, 1, 2, 4:
            yield files(7 | number * 4 % 32 | settled % 8 << 5, dataset_log([commit(0, "created"), *records]),
                        member_log(2, ("t", "x"), (2, 3), settled), member_log(3, ("t",), (2,), settled))


def numbered(records):
    """With lengths, and without checksums and numbers, which the target makes."""
    return b"".join(struct.pack("<IIIHHQ", 0, 0, 24 + len(payload), kind, argument, 0) + payload
                    for kind, argument, payload in records)


def padded(data):
    return data + bytes(-len(data) % 8)


def a_name(text):
    return struct.pack("<H6x", len(text)) + padded(text.encode())


def an_attribute(name, text):
    return struct.pack("<BBHIq", 5, 1, len(name), 0, len(text)) + padded(name.encode()) + padded(text.encode())


def an_id(number):
    return number.to_bytes(16, "big")


def add_dim(name, bound):
    return 1, 0, struct.pack("<qq", 0, bound) + a_name(name)


def add_member(number, name, dims):
    return 2, len(dims), an_id(number) + padded(struct.pack(f"<{len(dims)}I", *dims)) + a_name(name)


def remove(member):
    return 3, 0, struct.pack("<q", member)


def set_attr(member, name, text):
    return 4, 0, struct.pack("<q", member) + an_attribute(name, text)


def delete_attr(member, name):
    return 5, 0, struct.pack("<q", member) + a_name(name)


def commit(number, message, *growths):
    return 6, 0, struct.pack("<qqII", number, 10**15, len(growths), len(message)) + b"".join(
        struct.pack("<IIqq", dim, 0, by, after) for dim, by, after in growths) + padded(message.encode())


def dataset_log(records):
    return b"\x89DRS\r\n\x1a\n" + struct.pack("<IIHH12x", 0, 48, 1, 0) + an_id(1) + numbered(records)


def member_log(number, dims, bounds, settled):
    """One whose dataset has grown by (t 2, x 1, t 1) if `settled` is 2; it may lag behind."""
    n = len(dims)
    head = b"\x89DRX\r\n\x1a\n" + struct.pack("<IIHHBBBBII", 0, 72 + 16 * n, 1, 0, n, 2, 0, 0, 0, 0) + an_id(number)
    head += struct.pack(f"<q16s{n}q{n}q", 1, b"\7", *bounds, *[2] * n)
    records = [(6, axis, a_name(dim)) for axis, dim in enumerate(dims)] + [(8, 0, an_id(1) + struct.pack("<q", -1))]
    if settled > 0:
        records.append((8, 0, an_id(1) + struct.pack("<q", 1)))
    if settled > 1:
        records.append((1, 0, struct.pack("<qq", 2, 4)))
    if settled > 3:
        records += [(1, axis, struct.pack("<qq", 1, 4 + (axis == 0))) for axis in reversed(range(n))] + [
            (4, 0, an_attribute("units", "m")), (8, 0, an_id(1) + struct.pack("<q", 2))]
    return head + numbered(records)


def store():
    """The logs of the vectors, and of the verdicts behind them; heads."""
    spec = f"{VECTORS}/../v2"

    def log(name):
        with open(f"{spec}/vectors/{name}.json", encoding="utf-8") as file:
            files = json.load(file)["files"]
        path, = (path for path in files if path.endswith((".xmd", ".xds")))
        length, pieces = files[path]
        data = bytearray(length)
        for at, piece in pieces.items():
            data[int(at):int(at) + len(piece) // 2] = bytes.fromhex(piece)
        return path.endswith(".xds"), bytes(data)

    for number, path in enumerate(sorted(glob.glob(f"{spec}/vectors/*.json"))):
        dataset, data = log(os.path.basename(path)[:-5])
        yield bytes([1 | dataset << 1 | number % 15 << 3, number * 5 % 64, 0]) + data[8192:]
        if number % 8 == 0:
            yield bytes([5 | dataset << 1, 0, 0]) + data[:512] + data[8192:]
    for path in sorted(glob.glob(f"{spec}/verdicts/*.json")):
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        dataset, data = log(told["base"])
        for number, case in enumerate(told["cases"]):
            yield (bytes([1 | dataset << 1 | number % 15 << 3, number * 7 % 64, 0]) + data[8192:] +
                   bytes.fromhex(case["bytes"]))


def show():
    for meta, _, data in metas():
        yield struct.pack("<BH", 1, len(meta)) + meta + data


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
