#!/usr/bin/env bash
# Checkpoints of one number of processes are continued by others. Usage: ga_checkpoint_again.sh PROGRAM IN_MPI
set -euo pipefail
trap 'echo "failed: line $LINENO"' ERR
program=$1 in_mpi=$2

"$in_mpi" 2 600 "$program" plate 25 | tee out
grep -x 'from step 0' out
grep -x 'step 25, 0 elements are wrong' out
"$in_mpi" 3 600 "$program" plate 43 | tee out
grep -x 'from step 20' out
grep -x 'step 43, 0 elements are wrong' out
"$in_mpi" 1 600 "$program" plate 50 | tee out
grep -x 'from step 40' out
[[ $(ls plate* | sort | tr '\n' ' ') == "plate.xmd plate.xta " ]]
