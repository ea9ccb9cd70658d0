"""`python3 tests/FOLDER/test_NAME.py` runs the test as ctest does, from build/release or what DRX_BUILD names. A test
imports this first: beyond the import only ctest gets, and pytest."""

import os
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BUILD = os.environ.get("DRX_BUILD", os.path.join(SOURCE, "build", "release"))


def run_by_ctest(name):
    ctest = ["ctest", "--test-dir", BUILD, "-C", "torture", "-R"]
    for pattern in (f"^{name}$", f"^torture/{os.path.basename(name)}$"):  # some are in `make torture` alone
        listed = subprocess.run([*ctest, pattern, "-N"], capture_output=True, text=True, check=False).stdout
        if f": {pattern[1:-1]}\n" in listed:
            os.execvp("ctest", [*ctest, pattern, "--verbose"])
    sys.exit(f"{name}: {BUILD} has no such test; `make test` builds the tests")


if "DRX_SOURCE" not in os.environ:
    script = os.path.relpath(os.path.realpath(sys.argv[0]), os.path.join(SOURCE, "tests"))
    if not script.startswith(".."):
        run_by_ctest(script.removesuffix(".py"))
    os.environ.update(DRX_SOURCE=SOURCE, DRX_BUILD=BUILD)  # `python3 -m pytest FILE`
    sys.path.insert(1, os.path.join(BUILD, "python"))
