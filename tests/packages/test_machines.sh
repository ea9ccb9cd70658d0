#!/usr/bin/env bash
# The library is compiled for s390x, which is big-endian, and for aarch64, with the libraries of Debian for them.
# There, in QEMU, pass the unit tests, the tests of datasets and the golden files: what those machines write has the
# same bytes. The libraries lie in this folder only, so nothing of another machine is installed.
set -Eeuo pipefail
trap 'echo "failed: line $LINENO"' ERR
unset DESTDIR MAKEFLAGS MAKELEVEL LD_LIBRARY_PATH PYTHONPATH

skip() {
    echo "skipped: $*"
    exit 77
}
for tool in qemu-{s390x,aarch64} {s390x,aarch64}-linux-gnu-gcc; do
    command -v $tool >/dev/null || skip "no $tool; scripts/setup machines installs it"
done
[[ $(. /etc/os-release; echo "$ID ${VERSION_CODENAME-}") == debian\ ?* ]] || skip "this is not Debian"
suite=$(. /etc/os-release; echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --no-release-info --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    sed -n "s/ $suite main\$//p" | head -n 1)
[[ $mirror ]] || skip "apt has no source of $suite main"

step() {
    echo "== $machine: $1 (after $SECONDS s)"
}

# What the serial library, its program and their tests are compiled with, and run with, in the folder `root`.
make_root() {
    mkdir -p root apt/state/lists/partial apt/cache/archives/partial
    : >apt/status
    echo "deb $mirror $suite main" >apt/sources
    cat >apt/conf <<END
APT::Architecture "$1"; APT::Architectures { "$1"; }; APT::Sandbox::User ""; APT::Install-Recommends "0";
Dir::State "$PWD/apt/state"; Dir::State::status "$PWD/apt/status"; Dir::Cache "$PWD/apt/cache";
Dir::Etc::sourcelist "$PWD/apt/sources"; Dir::Etc::sourceparts "/none"; Acquire::Languages "none";
END
    APT_CONFIG=apt/conf apt-get -q -y update >apt.log 2>&1 && ls apt/state/lists/*_Packages* >/dev/null 2>&1 || skip "no answer from $mirror"
    APT_CONFIG=apt/conf apt-get -q -y --download-only install libc6-dev lib{isal,udunits2,blosc,uring,curl4-gnutls,netcdf,hdf5}-dev \
        lib{cairo2,pango1.0,json-c,cmocka}-dev nettle-dev >>apt.log 2>&1 || { tail -n 30 apt.log; return 1; }
    for package in apt/cache/archives/*.deb; do
        dpkg-deb --extract "$package" root
    done
    find root -type l -lname '/*' -printf '%p %l\n' | while read -r link target; do
        ln -sfn "$PWD/root$target" "$link"
    done
    rm -r apt
}

# A program for the machine that runs as one of this machine does
wrap() {
    mv "$1" "$1.$machine"
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$emulator" "$1.$machine" >"$1"
    chmod +x "$1"
}

export DRX_EMULATED=1
for machine in s390x aarch64; do
    mkdir $machine
    cd $machine
    step "libraries"
    make_root ${machine/aarch64/arm64}
    emulator="qemu-$machine -L $PWD/root"
    step "compilation"
    cmake -S "$DRX_SOURCE" -B build --toolchain "$DRX_SOURCE/cmake/machine.cmake" -DDRX_MACHINE=$machine -DDRX_ROOT="$PWD/root" \
        -DCMAKE_BUILD_TYPE=Release -DDRX_WERROR=ON -DDRX_{MPI,PYTHON,FORTRAN}=OFF >build.log
    cmake --build build --parallel "$(nproc)" >>build.log
    step "tests"
    ctest --test-dir build -L '^(unit|dataset)$' --parallel "$(nproc)" --output-on-failure --no-tests=error
    step "golden files"
    wrap "$PWD/build/bin/drx"
    wrap "$PWD/build/tests/run_server"
    { declare -f wrap; declare -p machine emulator; } >wrap.sh
    cat >cc <<END
#!/usr/bin/env bash
set -eu
. "$PWD/wrap.sh"
$machine-linux-gnu-gcc --sysroot="$PWD/root" "\$@"
while [[ \$1 != -o ]]; do shift; done
wrap "\$PWD/\$2"
END
    chmod +x cc
    for script in "$DRX_SOURCE"/tests/golden/test_*.py; do
        mkdir golden
        (cd golden; DRX=$PWD/../build/bin/drx DRX_BUILD=$PWD/../build CC=$PWD/../cc /usr/bin/python3 "$script" "$PWD/../build/bin/drx")
        rm -r golden
    done
    step "done"
    cd ..
    rm -r $machine
done
