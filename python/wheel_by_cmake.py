"""What pip asks of a package's sources (PEP 517): a wheel, which CMake builds, with the libraries in it."""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = SOURCE / "build" / "wheel"


def version():
    """The library's."""
    header = (SOURCE / "include" / "drx.h").read_text()
    return ".".join(re.search(rf"DRX_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def run(*command):
    """Outside of the environment that pip has made, in which NumPy and Cython are hidden."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run(command, check=True, env=env)


def build(settings):
    """The package as CMake installs it; returns its folder. Of the settings, `cmake` goes to CMake, after its own."""
    root = BUILD / "root"
    given = (settings or {}).get("cmake", [])
    run("cmake", "-S", str(SOURCE), "-B", str(BUILD), "-G", "Unix Makefiles", "-DCMAKE_BUILD_TYPE=Release",
        "-DDRX_CLI=OFF", "-DDRX_FORTRAN=OFF", "-DBUILD_TESTING=OFF", "-DDRX_PYTHON=ON", "-DDRX_PYTHON_DIR=python",
        "-DDRX_PYTHON_WHEEL=ON", f"-DPython3_EXECUTABLE={getattr(sys, '_base_executable', sys.executable)}",
        *([given] if isinstance(given, str) else given))
    run("cmake", "--build", str(BUILD), "--parallel", str(os.cpu_count()))
    run("cmake", "--install", str(BUILD), "--component", "python", "--prefix", str(root))
    return root / "python"


def tag():
    """Of this Python on this machine."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def digest(data):
    """As RECORD has it."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517."""
    folder = build(config_settings)
    name = f"drx-{version()}-{tag()}.whl"
    info = f"drx-{version()}.dist-info"
    record = []
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(path, data):
            wheel.writestr(path, data)
            record.append(f"{path},{digest(data)},{len(data)}")

        for file in sorted(folder.rglob("*")):
            if file.is_file():
                add(str(file.relative_to(folder)), file.read_bytes())
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: drx\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode())
        record.append(f"{info}/RECORD,,")
        wheel.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517: what git has."""
    base = f"drx-{version()}"
    files = subprocess.run(["git", "-C", str(SOURCE), "ls-files", "-z"], check=True, capture_output=True, text=True)
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as sdist:
        for file in files.stdout.split("\0")[:-1]:
            sdist.add(SOURCE / file, f"{base}/{file}")
    return f"{base}.tar.gz"
