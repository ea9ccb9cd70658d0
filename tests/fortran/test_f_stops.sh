#!/usr/bin/env bash
# Programs that an error ends: test_f_stops.sh STOPS [STOPS_TOGETHER]
set -euo pipefail
trap 'echo "failed: line $LINENO"; cat said || true' ERR

ends() { # WORDS COMMAND...: it fails and says so
    local words=$1
    shift
    ! "$@" >said 2>&1 || exit 1
    grep -F -- "$words" said
}

ends 'drx_open: nothing.xmd: No such file or directory' "$1" open
ends 'drx_read: axis 1: indices 2 to 3, the array has 1 to 2' "$1" read
ends 'drx_read: errmsg is not a variable of characters' "$1" errmsg
"$1" not
if [[ ${2-} ]]; then
    ends 'drx_read: array: axis 1: indices 2 to 3, the array has 1 to 2' "$DRX_SOURCE/scripts/in-mpi" 2 60 "$2"
    [[ $(grep -c 'timeout' said) == 0 ]]
fi
