"""The stores of spec/vectors and spec/golden as files, and where the reader is."""
import glob
import json
import os
import re
import sys

SPEC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "spec")
if SPEC not in sys.path:
    sys.path.append(SPEC)

with open(os.path.join(SPEC, "..", "include", "drx.h"), encoding="utf-8") as header:  # the names in DRX_CODEC_LIST
    CODECS = re.findall(r'"(\w+)"', header.read().split("#define DRX_CODEC_LIST(X)")[1].split("\n\n")[0])


def told(folder, name):
    with open(os.path.join(SPEC, folder, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def names(folder, kind=None):
    """kind: 1 lone arrays, 2 datasets."""
    found = sorted(os.path.basename(path)[:-len(".json")] for path in glob.glob(os.path.join(SPEC, folder, "*.json")))
    return [name for name in found if not kind or told(folder, name)["store"]["kind"] == kind]


def unpack(files, folder):
    for path, (length, pieces) in files.items():
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.truncate(length)
            for at, data in pieces.items():
                file.seek(int(at))
                file.write(bytes.fromhex(data))


def packed(path):
    """A file as JSON has it: its length, and the bytes between longer rows of zeros."""
    with open(path, "rb") as file:
        data = file.read()
    rows = re.finditer(rb"[^\0](?:\0{0,31}[^\0])*", data)
    return [len(data), {str(row.start()): row.group().hex() for row in rows}]


def pin(name, folder, files):
    """Let spec/golden/NAME.json have these files of `folder`, and the rest of it as it is."""
    path = os.path.join(SPEC, "golden", name + ".json")
    with open(path, encoding="utf-8") as file:
        recipe = file.read().split('  "files"')[0].rstrip("}, \n")
    rows = [f'    "{file}": {json.dumps(packed(os.path.join(folder, file)))}' for file in files]
    with open(path, "w", encoding="utf-8") as file:
        file.write(recipe + ',\n  "files": {\n' + ",\n".join(rows) + "\n  }\n}\n")


def unpacked(name, folder):
    """Make the files of a vector in `folder`; what the store holds, and its path."""
    vector = told("vectors", name)
    unpack(vector["files"], folder)
    return vector["store"], os.path.join(folder, "ds" if vector["store"]["kind"] == 2 else "arr")


def unpacked_dataset(folder):
    """The path of the golden dataset, made in `folder`."""
    unpack(told("golden", "dataset")["files"], folder)
    return os.path.join(folder, "dataset")


def log_of(path):
    return os.path.join(path, "dataset.xds") if os.path.isdir(path) else path + ".xmd"


def verdicts(kind=None):
    """(vector, case) of records that are appended to its log."""
    for name in names("verdicts"):
        verdict = told("verdicts", name)
        if not kind or told("vectors", verdict["base"])["store"]["kind"] == kind:
            yield from ((verdict["base"], case) for case in verdict["cases"])


def unpacked_case(base, case, folder):
    path = unpacked(base, folder)[1]
    with open(log_of(path), "ab") as file:
        file.write(bytes.fromhex(case["bytes"]))
    return path
