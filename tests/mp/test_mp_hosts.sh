#!/usr/bin/env bash
# Run tests of several ranks as if on two hosts. Arguments: a program and its arguments.
source "$(dirname "$0")/two_hosts.sh"
job "$@" # which ends when a case hangs
