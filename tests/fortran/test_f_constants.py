"""The numbers in the Fortran modules are those of the headers."""

import os
import pathlib
import re
import sys

SOURCE = pathlib.Path(os.environ["DRX_SOURCE"])


def of_headers():
    """Name, in lower case, and number of each constant of drx.h that Fortran may have."""
    text = (SOURCE / "include/drx.h").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = {f"drx_{name.lower()}": int(value) for name, value in re.findall(r"X\((\w+), (-?\d+), ", text)}
    for body in re.findall(r"enum \{([^}]*)\}", text):
        number = 0
        for name, value in re.findall(r"(DRX_\w+)(?: = (-?\w+))?", body):
            number = int(value, 0) if value else number
            found[name.lower()] = number
            number += 1
    return found


def of_modules():
    text = "\n".join(path.read_text(encoding="utf-8") for path in (SOURCE / "fortran").glob("*.f90"))
    text = re.sub(r"&\s*\n", "", re.sub(r"!.*", "", text))
    for line in re.findall(r"integer.*parameter, public ::(.*)", text):
        for name, value in re.findall(r"(drx_\w+) = (-?\d+)", line):
            yield name, int(value)


HEADERS, MODULES = of_headers(), dict(of_modules())
WRONG = {name: (value, HEADERS.get(name)) for name, value in MODULES.items() if HEADERS.get(name) != value}
MISSING = [name for name in HEADERS if re.match(r"drx_(e[a-z]+|(u?int|float|complex)\d+)$", name) and name not in MODULES]
print(f"{len(MODULES)} constants; wrong: {WRONG}; missing: {MISSING}")
sys.exit(bool(WRONG or MISSING or len(MODULES) < 30))
