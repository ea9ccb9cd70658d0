#!/usr/bin/python3
"""What debian/ says agrees with the rest: versions, packages that the build needs, names of libraries, and the files that are
installed, each of which is in one package."""

import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import by_hand  # noqa: E402, F401

SOURCE, BUILD = pathlib.Path(os.environ["DRX_SOURCE"]), pathlib.Path(os.environ["DRX_BUILD"])
DEBIAN = SOURCE / "debian"
ESSENTIAL = {"make", "gcc", "libc6-dev", "dpkg-dev"}  # every build of a Debian package has them
MAKERS = {"debhelper-compat", "dh-sequence-numpy3", "dh-sequence-python3"}  # debhelper; python3-numpy and dh-python provide two
NOT_TO_BUILD = {"libcurl4", "fonts-dejavu-core", "openmpi-bin", "fakeroot", "debhelper"}


def words(text, folder="."):
    return subprocess.run(text.split(), check=True, capture_output=True, text=True, cwd=folder).stdout.split()


def paragraphs():
    """The fields of each paragraph of debian/control, that of the source first."""
    text = re.sub(r"\n +", " ", (DEBIAN / "control").read_text(encoding="utf-8"))
    return [dict(line.split(": ", 1) for line in block.splitlines() if ": " in line) for block in text.strip().split("\n\n")]


def named(field):
    """The names of packages in a field as Depends."""
    return {re.match(r"[^ (|]+", entry.strip())[0] for entry in field.split(",") if entry.strip()}


class Packaging(unittest.TestCase):
    def test_versions(self):
        changelog = (DEBIAN / "changelog").read_text(encoding="utf-8")
        header = (SOURCE / "include/drx.h").read_text(encoding="utf-8")
        citation = (SOURCE / "CITATION.cff").read_text(encoding="utf-8")
        version = ".".join(re.findall(r"^#define DRX_VERSION_\w+ (\d+)", header, re.M))
        self.assertRegex(changelog.splitlines()[0], rf"^drx \({re.escape(version)}-\d+\) ")
        self.assertEqual(re.search(r"^version: (.*)$", citation, re.M)[1], version)

    def test_maintainer(self):
        """The sources name nobody: the domain is reserved (RFC 2606). scripts/deb puts whoever publishes in its place."""
        changelog = (DEBIAN / "changelog").read_text(encoding="utf-8")
        self.assertRegex(paragraphs()[0]["Maintainer"], r"^[^<>]+ <\S+@drx\.invalid>$")
        self.assertEqual(set(re.findall(r"^ -- (.*>)  ", changelog, re.M)), {paragraphs()[0]["Maintainer"]})

    def test_version_of_cmake(self):
        needs = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"))
        self.assertIn(f"cmake (>= {needs[1]})", paragraphs()[0]["Build-Depends"])

    def test_what_the_build_needs(self):
        needs = set(words(f"{SOURCE}/scripts/setup --list deb"))
        self.assertLessEqual(ESSENTIAL | NOT_TO_BUILD, needs)
        self.assertEqual(named(paragraphs()[0]["Build-Depends"]) - MAKERS, needs - ESSENTIAL - NOT_TO_BUILD)

    def test_what_runs_needs(self):
        """scripts/setup installs for users who build it what packages say to users who install it."""
        binary = paragraphs()[1:]
        said = set().union(*(named(p.get(field, "")) for p in binary for field in ("Depends", "Recommends")))
        self.assertLessEqual({"libcurl4", "fonts-dejavu-core", "openmpi-bin"}, said)

    def test_names_of_libraries(self):
        names = {p["Package"] for p in paragraphs()[1:]}
        found = 0
        for file in filter(pathlib.Path.exists, BUILD.rglob("lib*.so")):
            soname = re.search(r"SONAME.*\[(.*)\.so\.(\d+)\]", " ".join(words(f"readelf -d {file}")))
            if soname:
                self.assertIn(soname[1] + soname[2], names)
                found += 1
        self.assertGreaterEqual(found, 2)

    def test_files(self):
        """As dh_missing does it, but before somebody makes packages."""
        root = pathlib.Path("root").resolve()
        words(f"cmake --install {BUILD} --prefix {root}/usr")
        patterns = {}
        for file in [*DEBIAN.glob("*.install"), DEBIAN / "not-installed"]:
            for line in file.read_text(encoding="utf-8").splitlines():
                if line.startswith("usr"):
                    patterns[line] = file.stem
        files = [str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()]
        self.assertGreater(len(files), 50)
        for name in files:
            name = re.sub(r"^usr/lib/python[\d.]+/dist-packages", "usr/lib/python3/dist-packages", name)
            name = re.sub(r"^usr/lib/(?!python3/)", "usr/lib/any/", name.replace("usr/lib/libdap.a", "usr/lib/drx/libdap.a"))
            name = name.replace("usr/lib/any/libdap.so", "usr/lib/any/drx/libdap.so") if name.endswith("libdap.so") else name
            folders = ["/".join(name.split("/")[:n]) for n in range(1, name.count("/") + 2)]
            packages = [package for pattern, package in patterns.items()
                        if any(pattern.count("/") == folder.count("/") and fnmatch.fnmatch(folder, pattern) for folder in folders)]
            self.assertEqual(len(packages), 1, f"{name} is in {packages or 'no package'}: see debian/*.install")


if __name__ == "__main__":
    unittest.main(argv=["test_packaging.py"])
