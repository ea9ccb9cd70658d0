#!/usr/bin/env bash
# heat_restart is killed at several steps and goes on with other numbers of processes: the result is the same to the last
# bit. Usage: heat_restart_killed.sh HEAT_RESTART IN_MPI
set -euo pipefail
program=$1 in_mpi=$2
size=(--size 500,400 --every 10) # more than a block of 1 MiB

# The last line with a checksum of a run.
run() {
    local ranks=$1
    shift
    "$in_mpi" "$ranks" 60 "$program" "$@" "${size[@]}" >output 2>&1 || { cat output; exit 1; }
    grep -o 'checksum [0-9a-f]*' output
}

# A run that is killed at that step, and began at one that the pattern tells.
killed() {
    local ranks=$1 at=$2 from=$3
    if "$in_mpi" "$ranks" 60 "$program" plate --steps 100 --kill-at "$at" "${size[@]}" >output 2>&1; then
        echo "a run that should be killed at step $at was not"
        exit 1
    fi
    grep -qxE "from step ($from)" output || { echo "expected to go on from step $from:"; cat output; exit 1; }
}

expected=$(run 3 straight --steps 100)
killed 4 5 0    # before there is a checkpoint
killed 2 40 0   # while the fourth one is being written, or has just been
if "$in_mpi" 1 60 "$program" plate --steps 20 "${size[@]}" >output 2>&1; then
    echo "a step was reached that had been left behind"
    exit 1
fi
grep -q 'the checkpoint is of a later step' output || { cat output; exit 1; }
killed 3 77 30   # not 40, of which the end was not seen
got=$(run 2 plate --steps 100 --verify)
grep -qxE 'from step (60|70)' output || { cat output; exit 1; }
[[ $got == "$expected" ]] || { echo "got $got, expected $expected"; exit 1; }
