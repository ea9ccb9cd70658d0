"""pip installs the package from the sources, without the network, and removes it."""

import os
import subprocess
import venv

import by_hand  # noqa: F401

SOURCE = os.environ["DRX_SOURCE"]


def run(*command, **more):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)


def test_install_and_remove(tmp_path):
    venv.create(tmp_path / "venv", system_site_packages=True, with_pip=True)
    python = str(tmp_path / "venv/bin/python")
    quickly = "--config-settings=cmake=-DCMAKE_BUILD_TYPE=Debug"  # what is optimised is tested elsewhere
    done = run(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", quickly, SOURCE)
    assert done.returncode == 0, done.stdout
    program = ("import drx, os; assert os.path.dirname(drx.__file__).startswith(os.environ['VENV']); "
               "a = drx.create('a', (0, 2)); print(a.append([[1, 2]]), a[0, 1]); "
               "import xarray; print(xarray.open_dataset('a.xmd', engine='drx').sizes)")
    os.environ["VENV"] = str(tmp_path / "venv")
    done = run(python, "-c", program, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("(1, 2) 2.0"), done.stdout
    with open(os.path.join(SOURCE, "build/wheel/CMakeCache.txt"), encoding="utf-8") as cache:
        assert "CMAKE_BUILD_TYPE:STRING=Debug\n" in cache.read()
    assert run(python, "-m", "pip", "uninstall", "-y", "drx").returncode == 0
    assert "No module named 'drx'" in run(python, "-c", "import drx", cwd=tmp_path).stdout
