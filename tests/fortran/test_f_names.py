"""The numbers in the Fortran modules are those of the headers, and docs/fortran.md has every procedure."""

import itertools
import os
import pathlib
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import by_hand  # noqa: E402, F401

SOURCE = pathlib.Path(os.environ["DRX_SOURCE"])


def of_headers():
    """Name, in lower case, and number of each constant of the headers that Fortran may have."""
    text = "".join((SOURCE / "include" / name).read_text(encoding="utf-8") for name in ("drx.h", "drx_dataset.h"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = {f"drx_{name.lower()}": int(value) for name, value in re.findall(r"X\((\w+), (-?\d+), ", text)}
    for body in re.findall(r"enum (?:\w+ )?\{([^}]*)\}", text):
        number = 0
        for name, value in re.findall(r"(DRX_\w+)(?: = (-?\w+))?", body):
            number = int(value, 0) if value else number
            found[name.lower()] = number
            number += 1
    return found


def of_modules():
    text = "\n".join(path.read_text(encoding="utf-8") for path in (SOURCE / "fortran").glob("**/*.f90"))
    text = re.sub(r"&\s*\n", "", re.sub(r"!.*", "", text))
    for line in re.findall(r"integer.*parameter, public ::(.*)", text):
        for name, value in re.findall(r"(drx_\w+) = (-?\d+)", line):
            yield name, int(value)


def numbers():
    """What the calls of C want, as drxf.h and drx_calls.f90 number it: a list of lists of names."""
    header, module = ((SOURCE / "fortran" / name).read_text(encoding="utf-8")
                      for name in ("drxf.h", "modules/drx_calls.f90"))
    module = re.sub(r"&\s*\n", "", re.sub(r"!.*", "", module))
    in_c = [re.findall(r"DRXF_(\w+)", body) for body in re.findall(r"^enum drxf_\w+ \{([^}]*)\};", header, re.M)]
    in_fortran = [re.findall(r"\w+", " ".join(re.findall(r"enumerator ::(.*)", body)))
                  for body in re.findall(r"enum, bind\(C\)(.*?)end enum", module, re.S)]
    return [[name.lower() for name in names] for names in in_c], in_fortran


def procedures():
    """All that the modules make public, but constants and types."""
    for path in (SOURCE / "fortran").glob("**/drx*.f90"):
        text = re.sub(r"&\s*\n", "", re.sub(r"!.*", "", path.read_text(encoding="utf-8")))
        for names in re.findall(r"^ *public ::(.*)", text, re.M):
            yield from re.findall(r"\b(drx(?:mp)?_\w+)", names)


def documented(name, page):
    """By its name, or, in a row of several, by the end of it: `drx_dataset_extend`, `…_extend_before`."""
    words = name.split("_")
    ends = ["…" + "".join("_" + word for word in words[i:]) for i in range(1, len(words))]
    return re.search(rf"\b{name}\b", page) or any(end in page for end in ends)


HEADERS, MODULES, PROCEDURES = of_headers(), dict(of_modules()), set(procedures())
WRONG = {name: (value, HEADERS.get(name)) for name, value in MODULES.items() if HEADERS.get(name) != value}
MISSING = [name for name in HEADERS if re.match(r"drx_(e(?!xact$|num$)[a-z]+|(u?int|float|complex)\d+)$", name) and name not in MODULES]
PAGE = (SOURCE / "docs/fortran.md").read_text(encoding="utf-8")
UNTOLD = sorted(name for name in PROCEDURES if not documented(name, PAGE))
IN_C, IN_FORTRAN = numbers()
UNLIKE = [both for both in itertools.zip_longest(IN_C, IN_FORTRAN) if both[0] != both[1]]
print(f"{sum(map(len, IN_C))} numbers of calls, not those of drx_calls.f90: {UNLIKE}")
print(f"{len(MODULES)} constants; wrong: {WRONG}; missing: {MISSING}; {len(PROCEDURES)} procedures, not documented: {UNTOLD}")
sys.exit(bool(WRONG or MISSING or UNTOLD or UNLIKE or sum(map(len, IN_C)) < 50 or len(MODULES) < 30 or len(PROCEDURES) < 80))
