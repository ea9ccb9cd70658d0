#!/usr/bin/env bash
# The drop-in exports what Global Arrays' own library has, four more names, and no others; a program linked with it has
# nothing of the other. Usage: test_symbols.sh LIBRARY GLOBAL_ARRAYS PROGRAM
set -euo pipefail
trap 'echo "failed: line $LINENO"' ERR
names() { nm --defined-only --extern-only "$1" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort; }

names "$1" >exported
nm --defined-only "$2" 2>/dev/null | awk '$2 == "T" && $3 ~ /^(N?DRA_|n?dra_)/ { print $3 }' | sort >theirs
[[ $(wc -l <theirs) == 44 ]]
printf '%s\n' NDRA_Copy NDRA_Extend ndra_copy_ ndra_extend_ | sort - theirs | diff - exported

names "$2" | grep -x drai_open >inner # a name inside of what must not be linked
! nm "$3" | grep -w drai_open || exit 1
nm "$3" | grep -w "T NDRA_Write"
