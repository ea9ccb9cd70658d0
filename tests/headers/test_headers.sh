#!/usr/bin/env bash
# Each public header compiles alone, and twice, as C99, C11 and C++17.
set -euo pipefail

strict=(-I"$DRX_SOURCE/include" -fsyntax-only -Wall -Wextra -Wpedantic -pedantic-errors -Werror)
for header in "$DRX_SOURCE"/include/*.h; do
    name=$(basename "$header")
    [[ $name == drxmp*.h ]] && continue # needs MPI's compiler
    code=$(printf '#include "%s"\n#include "%s"\n' "$name" "$name")
    for std in c99 c11; do
        echo "$name as $std"
        "$CC" -std=$std "${strict[@]}" -x c - <<<"$code"
    done
    echo "$name as c++17"
    "$CXX" -std=c++17 "${strict[@]}" -x c++ - <<<"$code"
done
