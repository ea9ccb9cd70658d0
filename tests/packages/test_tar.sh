#!/usr/bin/env bash
# The tar of `make tar` runs where it is unpacked, in any two places, and needs from outside only what every system has.
set -euo pipefail
trap 'echo "failed: line $LINENO"' ERR
unset DESTDIR MAKEFLAGS MAKELEVEL LD_LIBRARY_PATH PYTHONPATH
for tool in patchelf dpkg; do
    command -v $tool >/dev/null || { echo "skipped: no $tool; scripts/setup tar installs it"; exit 77; }
done
[[ -e $DRX_BUILD/bin/drx ]] || { echo "skipped: built without the program drx"; exit 77; }

tar=$("$DRX_SOURCE/scripts/tar" "$DRX_BUILD" .)
name=$(basename "$tar" .tar.gz)
mkdir "one place" other
tar -x -C "one place" -f "$tar"
tar -x -C other -f "$tar"
[[ $(tar -t -f "$tar" | grep -vc "^$name/") == 0 ]]

use() {
    echo "== in $1"
    local folder=$PWD/$1/$name run=$PWD/run-$2
    mkdir "$run"
    (
        cd "$run"
        PATH=$folder/bin:$PATH
        [[ $(command -v drx) == "$folder/bin/drx" ]]
        drx create a --shape 2,3 --type int32
        drx extend a 0 2
        drx export a a.nc # by the program with netCDF
        drx import a.nc:a b
        drx read b >b.txt
        [[ -s b.txt ]]
        drx view b -o b.png
        [[ $(head -c 4 b.png) == $'\x89PNG' ]]
        drx info "http://127.0.0.1:1/none" 2>error && exit 1
        ! grep -i "libcurl" error || exit 1 # it was found; nobody answers

        if [[ -d $folder/python ]]; then
            PYTHONPATH=$folder/python /usr/bin/python3 -c '
import drx, sys
assert drx.__file__.startswith(sys.argv[1]), drx.__file__
assert drx.open("a").shape == (4, 3)' "$folder"
        fi

        cp "$DRX_SOURCE"/tests/install/consumer_d{rx,ap}.c .
        for library in drx dap; do
            PKG_CONFIG_PATH=$folder/lib/pkgconfig pkg-config --cflags --libs $library >flags
            eval "$CC -o $library consumer_$library.c $(<flags) '-Wl,-rpath,$folder/lib'"
            ./$library
        done
    )
}
use "one place" 1
use other 2
mv "one place" moved
! "one place/$name/bin/drx" --version 2>/dev/null || exit 1
moved/"$name"/bin/drx --version

echo "== what it needs from outside"
cd "moved/$name"
files=0
while IFS= read -r file; do
    [[ $(readelf -h "$file" 2>/dev/null) ]] || continue
    files=$((files + 1))
    outside=$(ldd "$file" | grep -vE "$PWD/|linux-vdso|^\s*/lib|statically linked" |
        grep -vE '^\s*(libc|libm|libmvec|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s)\.so' || true)
    [[ ! $outside || $(ldd "$file") == *libmpi.so* ]] || { echo "$file takes from outside: $outside"; exit 1; }
done < <(find bin libexec lib python -type f ! -name '*.a' ! -name '*.py')
((files > 20))
grep -q "glibc 2\.[0-9]" README
for package in libblosc1 libnetcdf19 libudunits2-data; do
    [[ -s share/doc/drx/copyright/$package ]]
done
