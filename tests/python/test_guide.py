"""The pages of docs/guide, and docs/netcdf.md, run as they stand, from top to bottom, each in an empty folder.

    ```console    lines that begin with `$ ` are run by bash; what follows is what they print, both outputs together
    ```python     with >>>: a doctest; all of a page are one program
    ```c NAME     the file NAME, for later commands

A command may fail when the page shows the message of drx, or of a program that it runs. Where there is no nginx, or no program
that a block runs by `drx run`, the block is left out. The port 8000 of a page is one that is free.

DRX_GUIDE_WRITE=1 writes what the commands print into the pages instead."""

import contextlib
import doctest
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess

import by_hand  # noqa: F401
import pytest

SOURCE, BUILD = pathlib.Path(os.environ["DRX_SOURCE"]), pathlib.Path(os.environ["DRX_BUILD"])
PAGES = [*sorted((SOURCE / "docs/guide").glob("*.md")), SOURCE / "docs/netcdf.md"]
DATA = "/usr/share/ferret-vis/data"
BLOCK = re.compile(r"^```(\w+)( \S+)?\n(.*?)^```$", re.S | re.M)
TOOLS = {  # beside what is installed, so that commands find the build
    "pkg-config": f"""case $* in
*drx-fortran) need="-ldrxf -ldrx" ;;
*drxmp-fortran) need="-ldrxmpf -ldrxf -ldrxmp -ldrx" ;;
*drxmp) need="-ldrxmp -ldrx" ;;
*"drx-netcdf netcdf") need="-I{SOURCE}/shim/netcdf -L{BUILD}/lib -Wl,-rpath,{BUILD}/lib -Wl,--no-as-needed -ldrx-netcdf -lnetcdf" ;;
*) need="-l$(sed 's/.* //' <<<"$*")" ;;
esac
echo "-I{SOURCE}/include -I{BUILD}/fortran/modules -L{BUILD}/src -L{BUILD}/fortran -Wl,-rpath,{BUILD}/src:{BUILD}/fortran $need" """,
    "mpirun": f"""shift; ranks=$1; shift; MPIRUN={shutil.which("mpirun")} exec "{SOURCE}/scripts/in-mpi" "$ranks" 300 "$@" """,
    "python3": """exec /usr/bin/python3 "$@" """,
}


def same(text):
    """Without what differs from run to run."""
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?", "DATE", text).strip()


def run(command, folder):
    path = os.pathsep.join([str(folder / "tools"), os.path.dirname(os.environ["DRX"]), os.environ["PATH"]])
    made = subprocess.run(["bash", "-c", command], cwd=folder / "here", env={**os.environ, "PATH": path, "NO_PROXY": "*"},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert made.returncode == 0 or re.match(r"(drx [a-z-]+|ncdump): ", made.stdout), (command, made.stdout)
    return made.stdout


def console(body, folder):
    """The block with what its commands print now."""
    lines = []
    for command in re.findall(r"^\$ (.*(?:\\\n.*)*)", body, re.M):
        lines += [f"$ {command}\n", run(command, folder)]
    return "".join(lines)


def lacks(body):
    """Does the block run a program that is not here?"""
    return ("nginx" in body and not os.path.exists("/usr/sbin/nginx") or
            any(not shutil.which(program) for program in re.findall(r"^\$ (?:drx run )?(cdo|octave-cli|nc\w+|Rscript) ", body, re.M)))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


@pytest.fixture
def here(tmp_path):
    """The folder in which a page runs. A server that a failed page leaves behind ends."""
    (tmp_path / "here").mkdir()
    yield tmp_path / "here"
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the page has ended it
        os.kill(int((tmp_path / "here/nginx.pid").read_text()), signal.SIGTERM)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_page(page, here, tmp_path, monkeypatch):
    text = page.read_text(encoding="utf-8")
    if DATA in text and not os.path.exists(DATA):
        pytest.skip(f"{DATA} is missing; install ferret-datasets")
    if "```c" in text and "mpicc" in text and not (BUILD / "src/libdrxmp.so").exists():
        pytest.skip("built without MPI")
    if "```fortran" in text and not (BUILD / "fortran/libdrxmpf.so").exists():
        pytest.skip("built without the modules for Fortran, or without MPI")
    if "\n$ ncks " in text and not shutil.which("ncks"):
        pytest.skip("no ncks; install nco")
    (tmp_path / "tools").mkdir()
    for tool, what in TOOLS.items():
        (tmp_path / "tools" / tool).write_text(f"#!/usr/bin/env bash\n{what}\n")
        (tmp_path / "tools" / tool).chmod(0o755)
    monkeypatch.chdir(here)
    names, new, port = {}, [], f":{free_port()}"
    for language, file, body in BLOCK.findall(text):
        if lacks(body):
            continue
        if language == "console":
            shown = console(body.replace(":8000", port), tmp_path).replace(port, ":8000")
            new.append((body, shown))
            assert os.environ.get("DRX_GUIDE_WRITE") or same(shown) == same(body)
        elif language == "python" and ">>>" in body:
            test = doctest.DocTestParser().get_doctest(body, names, page.name, str(page), 0)
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
            runner.run(test, clear_globs=False)
            names = test.globs
            assert runner.failures == 0
        elif file:
            pathlib.Path(file.strip()).write_text(body.replace(":8000", port))
    for picture in re.findall(r"!\[.*?\]\((\w+\.png)\)", text):
        assert pathlib.Path(picture).read_bytes().startswith(b"\x89PNG")
    if os.environ.get("DRX_GUIDE_WRITE"):
        for body, shown in new:
            text = text.replace(f"```console\n{body}```", f"```console\n{shown}```", 1)
        page.write_text(text, encoding="utf-8")
        for picture in re.findall(r"!\[.*?\]\((\w+\.png)\)", text):
            (page.parent / picture).write_bytes(pathlib.Path(picture).read_bytes())
