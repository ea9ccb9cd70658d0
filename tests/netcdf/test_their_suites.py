"""netCDF's own test programs, of C and Fortran, write datasets through the library.

Their sources are those of Debian's packages, fetched into the test's folder; they are linked with Debian's netCDF. Each
program runs four times, by suites/redirect.c: as it is; with all its files of netCDF-4, which tells what fails because
they are not of a classic format; with datasets instead of files of netCDF-4; and with datasets alone. suites/known.txt
says which programs do not pass, in which of these runs, and why. Another one that fails is a failure, and so is one in
the list that passes.
"""

import collections
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ["DRX_BUILD"]
SUITES = {  # folders of a package's sources; what its programs are linked with
    "netcdf": (("nc_test", "nc_test4", "ncdump"), "-lnetcdf", "liblib/libnetcdf.la",
               ["--disable-dap", "--disable-byterange", "--disable-nczarr", "--disable-filter-testing"]),
    "netcdf-fortran": (("nf_test", "nf03_test", "nf_test4", "nf03_test4"), "-lnetcdff", "fortran/libnetcdff.la",
                       ["FCFLAGS=-O1 -I/usr/include", "FFLAGS=-O1 -I/usr/include -fallow-argument-mismatch"]),
}
MODES = ("plain", "netcdf4", "drx4", "drx")
EXCUSED = {"plain": MODES, "netcdf4": ("netcdf4", "drx"), "drx4": ("drx4", "drx"), "drx": ("drx",)}  # by a row of one


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def run(*words, **options):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def fetch():
    """Unpack the sources here, in folders named like the packages."""
    release = dict(line.rstrip().split("=", 1) for line in open("/etc/os-release"))
    suite = release.get("VERSION_CODENAME")
    if release["ID"] != "debian" or not suite:
        skip("this is not Debian")
    targets = run("apt-get", "indextargets", "--no-release-info", "--format", "$(SITE) $(RELEASE) $(COMPONENT)", "Created-By: Packages")
    mirrors = [line.split()[0] for line in targets.splitlines() if line.split()[1:] == [suite, "main"]]
    if not mirrors:
        skip(f"apt has no source of {suite} main")
    os.makedirs("apt/lists/partial")
    with open("apt/sources", "w") as out:
        out.write(f"deb-src {mirrors[0]} {suite} main\n")
    with open("apt/conf", "w") as out:
        here = os.path.abspath("apt")
        out.write(f'APT::Sandbox::User ""; Dir::State::lists "{here}/lists"; Dir::Cache "{here}/cache"; '
                  f'Dir::Etc::sourcelist "{here}/sources"; Dir::Etc::sourceparts "/none"; Acquire::Languages "none";\n')
    environment = {**os.environ, "APT_CONFIG": os.path.abspath("apt/conf")}
    with open("apt/log", "w") as log:
        subprocess.run(["apt-get", "-q", "update"], env=environment, stdout=log, stderr=log)
        for package in SUITES:  # the patches of Debian do not touch the tests
            words = ["apt-get", "-q", "source", "--download-only", "--tar-only", package]
            if subprocess.run(words, env=environment, stdout=log, stderr=log).returncode:
                skip(f"no answer from {mirrors[0]}")
            os.mkdir(package)
            archive, = glob.glob(f"{package}_*.tar.*")
            subprocess.run(["tar", "-xf", archive, "-C", package, "--strip-components", "1"], check=True)


def programs(folder):
    """What `make check` would run there, in this order."""
    return run("make", "-s", "-C", folder, "--eval", 'show:; @echo "$(TESTS)"', "show").split()


def build(package):
    """Make the test programs of a package, with the library that is installed in the place of its own."""
    folders, library, own, options = SUITES[package]
    flags = {"CPPFLAGS": "-I/usr/include/hdf5/serial", "LDFLAGS": f"-L{sys_folder()}/hdf5/serial"} if package == "netcdf" else {}
    with open(f"{package}.log", "w") as log:
        os.makedirs(f"built/{package}")
        def logged(*words, **more):
            subprocess.run(words, stdout=log, stderr=log, **more)
        logged(os.path.abspath(f"{package}/configure"), "--disable-shared" if flags == {} else "--disable-static", *options,
               cwd=f"built/{package}", env={**os.environ, **flags}, check=True)
        os.makedirs(os.path.dirname(f"built/{package}/{own}"), exist_ok=True)
        open(f"built/{package}/{own}", "w").close()
        for folder in folders:
            libraries = [f"LDADD={library}"] + [f"{name}_LDADD=libtests.la {library}"
                                                for name in ("nf03_test", "f03test", "tst03_f77_v2")]
            logged("make", "-k", f"-j{os.cpu_count()}", "-C", f"built/{package}/{folder}", *libraries, "check", "TESTS=")
        if package == "netcdf":
            for program in ("ncgen/ncgen", "ncgen3/ncgen3", "ncdump/ncdump", "ncdump/nccopy"):
                path = f"built/netcdf/{program}"
                if os.path.exists(path):
                    os.remove(path)
                os.symlink(f"/usr/bin/{os.path.basename(program)}", path)


def sys_folder():
    return "/usr/lib/" + run(os.environ.get("CC", "gcc"), "-print-multiarch").strip()


def files_below(folder):
    return {os.path.join(root, name) for root, below, names in os.walk(folder) for name in below + names}


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def environment_of(mode, source):
    environment = {**os.environ, "srcdir": os.path.abspath(source)}
    if mode != "plain":
        environment["REDIRECT"] = mode
        environment["LD_PRELOAD"] = os.path.abspath("redirect.so")
    if mode.startswith("drx"):
        environment["LD_PRELOAD"] += f":{BUILD}/lib/libdrx-netcdf.so"
        environment["PATH"] = f"{os.path.abspath('bin')}:{environment['PATH']}"  # whose rm removes folders
    return environment


def failures_of(name, output, status):
    """The names of what has failed: parts of the large programs, which go on."""
    parts = set(re.findall(r"###\s+\d+\s+FAILURES TESTING (\w+)!", output))
    if status not in (0, 77) and not (parts and status > 0):
        return {name}
    return {f"{name}:{part}" for part in parts}


def run_mode(package, folder, mode, names):
    """Run the programs; returns {name: which of its parts have failed}."""
    where, source = f"built/{package}/{folder}", f"{package}/{folder}"
    before = files_below(where)
    environment = environment_of(mode, source)
    failed = {}
    os.makedirs(f"output/{mode}", exist_ok=True)
    for name in names:
        script = next((path for path in (f"{source}/{name}", f"{where}/{name}") if os.path.exists(path)), name)
        words = ["sh", os.path.abspath(script)] if name.endswith(".sh") else [f"./{name}"]
        path = f"output/{mode}/{folder}-{name}"
        with open(path, "wb") as out:
            try:
                status = subprocess.run(words, cwd=where, env=environment, stdout=out, stderr=out, timeout=900).returncode
            except (subprocess.TimeoutExpired, OSError) as error:
                status = f"{error}"
        with open(path, errors="replace") as out:
            failed[name] = failures_of(f"{folder}/{name}", out.read(), status if isinstance(status, int) else -1)
    for path in sorted(files_below(where) - before, reverse=True):
        remove(path)
    return failed


def known_failures():
    """[(pattern, the first run in which it fails, reason)] of the list."""
    known, reason = [], None
    for line in open(os.path.join(HERE, "suites", "known.txt")):
        if line.startswith("#") or not line.strip():
            continue
        if not line.startswith(" "):
            reason = line.strip()
            continue
        mode, *patterns = line.split()
        assert reason and mode in MODES, line
        known += [(pattern, mode, reason) for pattern in patterns]
    return known


def main():
    for program in ("make", "gfortran", "ncgen", "ncgen3"):
        if not shutil.which(program):
            skip(f"no {program}; scripts/setup torture installs it")
    fetch()
    subprocess.run([os.environ.get("CC", "gcc"), "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", "redirect.so",
                    os.path.join(HERE, "suites", "redirect.c"), "-ldl"], check=True)
    os.mkdir("bin")
    with open("bin/rm", "w") as out:
        out.write('#!/bin/sh\nexec /bin/rm -r "$@"\n')
    os.chmod("bin/rm", 0o755)

    known, used, wrong = known_failures(), set(), []
    for package, (folders, *_) in SUITES.items():
        build(package)
        for folder in folders:
            names = programs(f"built/{package}/{folder}")
            count = collections.Counter()
            for mode in MODES:
                for name, failed in run_mode(package, folder, mode, names).items():
                    count[mode, not failed] += 1
                    for failure in sorted(failed):
                        rows = [row for row in known if fnmatch.fnmatch(failure, row[0]) and mode in EXCUSED[row[1]]]
                        used.update(row for row in rows if row[1] == mode)
                        if not rows:
                            wrong.append(f"{failure} fails ({mode}); see output/{mode}/{folder}-{name}")
            print(f"{folder}: {len(names)} programs; pass: " + ", ".join(f"{mode} {count[mode, True]}" for mode in MODES), flush=True)
    wrong += [f"{pattern} passes ({mode}): take it out of suites/known.txt" for pattern, mode, _ in known
              if not any(row[:2] == (pattern, mode) for row in used)]
    reasons = collections.Counter(reason for _, _, reason in used)
    for reason, n in reasons.items():
        print(f"{n:3} {reason}")
    for line in wrong:
        print("failed:", line)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
