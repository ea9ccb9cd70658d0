#!/usr/bin/env bash
# The model is killed in a restart, twice, and goes on: restart_killed.sh PROGRAM
set -euo pipefail
! "$1" 5 crash || exit 1
[[ $("$1" 9 | tee /dev/stderr) == $'goes on after step 4\nthe model is at step 9' ]]
! "$1" 10 crash || exit 1
[[ $("$1" 10 | tee /dev/stderr) == $'goes on after step 9\nthe model is at step 10' ]]
