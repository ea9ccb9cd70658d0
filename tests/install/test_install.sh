#!/usr/bin/env bash
# Install into a temporary prefix, move it, and use it from there as a user would.
set -euo pipefail
trap 'echo "failed: line $LINENO"' ERR
unset DESTDIR MAKEFLAGS MAKELEVEL
here=$DRX_SOURCE/tests/install

cmake --install "$DRX_BUILD" --prefix "$PWD/first" >install.log
mv first prefix
prefix=$PWD/prefix
pc=$(find "$prefix" -name drx.pc)
lib=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH=${pc%/*}

echo "== files"
(cd "$prefix" && find . ! -type d | sort)
for file in "$lib"/libdrx.{a,so,so.0} "$prefix"/include/drx.h "$lib"/cmake/drx/drx{Config,ConfigVersion,Targets}.cmake; do
    [[ -e $file ]] || { echo "missing: $file"; exit 1; }
done
! grep -rlF -e "$DRX_SOURCE" -e "$PWD/first" "$lib/cmake" "$pc" || exit 1

echo "== exported symbols"
nm -D --defined-only "$lib/libdrx.so" | awk '{ print $3 }' | sort >exported
! grep -v '^drx_' exported || exit 1
grep -oP '^DRX_API .*?\K\bdrx_\w+(?=\()' "$DRX_SOURCE/include/drx.h" | sort >declared
diff declared exported
readelf -d "$lib/libdrx.so" | grep 'SONAME.*\[libdrx\.so\.0\]'

echo "== pkg-config"
[[ $(readlink -f "$lib/libdrx.so") == */libdrx.so.$(pkg-config --modversion drx) ]]
"$CC" -o shared "$here/consumer.c" $(pkg-config --cflags --libs drx) -Wl,-rpath,"$lib"
readelf -d shared | grep 'NEEDED.*libdrx\.so\.0'
./shared
"$CC" -o static "$here/consumer.c" $(pkg-config --static --cflags --libs drx | sed 's/-ldrx/-l:libdrx.a/')
! readelf -d static | grep 'NEEDED.*libdrx' || exit 1
./static

for language in C CXX; do
    echo "== CMake, $language"
    cmake -S "$here" -B "build-$language" -DLANGUAGE=$language -DCMAKE_PREFIX_PATH="$prefix" >cmake.log
    cmake --build "build-$language"
    "build-$language/with_drx"
    "build-$language/with_drx_static"
done

if [[ -e $prefix/bin/drx ]]; then
    echo "== program"
    "$prefix/bin/drx" --help >help
    [[ -s help ]]

    echo "== completion"
    completed=$(bash --norc -c 'source "$0"; COMP_LINE="$1 inf" COMP_WORDS=("$1" inf) COMP_CWORD=1; _drx; echo "${COMPREPLY[*]}"' \
        "$prefix/share/bash-completion/completions/drx" "$prefix/bin/drx")
    [[ $completed == info ]]
fi
